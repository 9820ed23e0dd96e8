//! Random C programs, by seed: integers of every width, memory, control flow, calls, atomics, and floating point of both precisions with
//! every rounding mode if wanted; no undefined behaviour beyond what the compiler's flags define, and conversions of floats out of range,
//! which are the instruction's in what is compiled.

use std::fmt::Write;

use isaglot_testing::Random;

const TYPES: &[&str] = &["signed char", "unsigned char", "short", "unsigned short", "int", "unsigned", "long", "W"];

fn constant(r: &mut Random) -> String {
    match r.below(5) {
        0 => r.below(16).to_string(),
        1 => format!("-{}", r.below(3000)),
        2 => format!("0x{:x}u", r.u32()),
        3 => r.pick(&["0x7fffffff", "(-0x7fffffff-1)", "255", "0x8000", "-1", "0x7ff", "0x800", "-2048"]).to_string(),
        _ => r.below(1 << 20).to_string(),
    }
}

fn expr(r: &mut Random, depth: u32) -> String {
    if depth == 0 {
        return match r.below(4) {
            0 => constant(r),
            1 => format!("mem[{}]", r.below(64)),
            2 => format!("bytes[v{} & 255]", r.below(6)),
            _ => format!("v{}", r.below(6)),
        };
    }
    let a = expr(r, depth - 1);
    let less = r.below(u64::from(depth)) as u32;
    let b = expr(r, less);
    match r.below(16) {
        0 => format!("({a} + {b})"),
        1 => format!("({a} - {b})"),
        2 => format!("({a} * {b})"),
        3 => format!("({a} {} (W)(({b}) | 1))", r.pick(&["/", "%"])),
        4 => format!("((int)({a}) {} (int)((({b}) & 127) + 1))", r.pick(&["/", "%"])),
        5 => format!("((W)({a}) << (({b}) & 31))"),
        6 => format!("((long)({a}) >> (({b}) & 31))"),
        7 => format!("((unsigned)({a}) >> (({b}) & 31))"),
        8 => format!("({a} {} {b})", r.pick(&["&", "|", "^"])),
        9 => format!("({a} {} {b})", r.pick(&["<", "<=", "==", "!=", ">", ">="])),
        10 => format!("({a} ? {b} : v{})", r.below(6)),
        11 => format!("(({})({a}))", r.pick(TYPES)),
        12 => format!("(~{a} + !{b})"),
        13 => format!("(W)(((unsigned long long)(unsigned)({a}) * (unsigned)({b})) >> 32)"),
        14 => format!("mem[({a}) & 63]"),
        _ => format!("(W)((((unsigned long long)({a}) << 7) + (unsigned long long)({b})) >> 3)"),
    }
}

/// A statement with floating point.
fn floats(r: &mut Random, out: &mut String) {
    let (v, e) = (r.below(6), expr(r, 1));
    let [a, b, c, d] = [(); 4].map(|()| r.below(16));
    let (kind, array) = *r.pick(&[("s", "single"), ("d", "twice")]);
    let _ = match r.below(10) {
        0 => writeln!(out, "{array}[{a}] = {e};"),
        1 => writeln!(out, "v{v} += (long)({array}[{a}]);"),
        2 => writeln!(out, "{array}[{a}] = {array}[{b}] {} {array}[{c}];", r.pick(&["+", "-", "*", "/"])),
        3 => writeln!(out, "v{v} ^= {array}[{a}] {} {array}[{b}];", r.pick(&["<", "<=", "==", ">", ">=", "!="])),
        4 => writeln!(out, "single[{a}] = twice[{b}]; twice[{c}] = single[{d}];"),
        5 => {
            let op = r.pick(&["fmadd", "fmsub", "fnmadd", "fnmsub"]);
            writeln!(
                out,
                "__asm__ volatile(\"{op}.{kind} %0, %1, %2, %3\" : \"=f\"({array}[{a}]) : \"f\"({array}[{b}]), \"f\"({array}[{c}]), \"f\"({array}[{d}]));"
            )
        }
        6 => {
            let op = r.pick(&["fmin", "fmax", "fsgnj", "fsgnjn", "fsgnjx"]);
            writeln!(
                out,
                "__asm__ volatile(\"{op}.{kind} %0, %1, %2\" : \"=f\"({array}[{a}]) : \"f\"({array}[{b}]), \"f\"({array}[{c}]));"
            )
        }
        7 => writeln!(out, "__asm__ volatile(\"fsqrt.{kind} %0, %1\" : \"=f\"({array}[{a}]) : \"f\"({array}[{b}]));"),
        8 => writeln!(
            out,
            "{{ W c; __asm__ volatile(\"fclass.{kind} %0, %1\" : \"=r\"(c) : \"f\"({array}[{a}])); v{v} += c; }}"
        ),
        _ => writeln!(out, "__asm__ volatile(\"fsrmi {}\");", r.below(5)),
    };
}

fn statements(r: &mut Random, depth: u32, count: u64, calls: u64, with_floats: bool, out: &mut String) {
    for _ in 0..count {
        if with_floats && r.below(3) == 0 {
            floats(r, out);
            continue;
        }
        let e = expr(r, 2);
        let v = r.below(6);
        let _ = match r.below(if depth == 0 { 6 } else { 10 }) {
            0 | 1 => writeln!(out, "v{v} = {e};"),
            2 => writeln!(out, "mem[({e}) & 63] {} v{v};", r.pick(&["=", "+=", "^=", "-="])),
            3 => writeln!(out, "bytes[({e}) & 255] += v{v};"),
            4 => writeln!(
                out,
                "v{v} += __atomic_fetch_{}((int *)&mem[{}], (int)({e}), 0);",
                r.pick(&["add", "xor", "or", "and"]),
                r.below(64)
            ),
            5 if calls > 0 => writeln!(out, "v{v} ^= f{}({e}, v{});", r.below(calls), r.below(6)),
            5 => writeln!(out, "half[({e}) & 127] = v{v}; v{v} += half[v{} & 127];", r.below(6)),
            6 | 7 => {
                let _ = writeln!(out, "if ({e}) {{");
                let n = 1 + r.below(2);
                statements(r, depth - 1, n, calls, with_floats, out);
                let _ = writeln!(out, "}} else {{");
                statements(r, depth - 1, 1, calls, with_floats, out);
                writeln!(out, "}}")
            }
            8 => {
                let name = r.bits(56);
                let _ = writeln!(
                    out,
                    "for (int i{name} = 0; i{name} < {}; i{name}++) {{ v{v} += i{name};",
                    1 + r.below(12)
                );
                statements(r, depth - 1, 1, calls, with_floats, out);
                writeln!(out, "}}")
            }
            _ => {
                let _ = writeln!(out, "switch (({e}) & 7) {{");
                for case in 0..6 {
                    let _ = writeln!(out, "case {case}:");
                    statements(r, 0, 1, calls, with_floats, out);
                    let _ = writeln!(out, "{}", r.pick(&["break;", ""]));
                }
                writeln!(out, "default: v{v}++; }}")
            }
        };
    }
}

/// A C file with as many programs as seeds, each in functions of its own; they run in turn, and each writes what its
/// memory and variables come to.
pub(crate) fn file(seeds: std::ops::Range<u64>, with_floats: bool) -> String {
    let mut out = HEAD.to_owned();
    out.push_str(if with_floats { FLOATS } else { NO_FLOATS });
    out.push_str(REPORT);
    for seed in seeds.clone() {
        let mut r = Random::new(seed + 1);
        let mut body = String::new();
        let functions = 1 + r.below(3);
        for f in 0..functions {
            let _ = writeln!(
                body,
                "#define f{f} p{seed}_f{f}\nstatic __attribute__((noinline)) W f{f}(W v0, W v1) {{ W v2 = 2, v3 = v0, v4 = v1, v5 = 5;"
            );
            let n = 2 + r.below(3);
            statements(&mut r, 1, n, f, with_floats, &mut body);
            let _ = writeln!(body, "return v0 ^ v1 ^ v2 + v3 - v4 ^ v5; }}");
        }
        let _ = writeln!(
            body,
            "static __attribute__((noinline)) W p{seed}(void) {{ W v0 = {seed}, v1 = 1, v2 = 2, v3 = 3, v4 = 4, v5 = 5;"
        );
        let n = 4 + r.below(8);
        statements(&mut r, 2, n, functions, with_floats, &mut body);
        let _ = writeln!(body, "return v0 + 3 * v1 + 5 * v2 + 7 * v3 + 11 * v4 + 13 * v5; }}");
        for f in 0..functions {
            let _ = writeln!(body, "#undef f{f}");
        }
        out.push_str(&body);
    }
    let _ = writeln!(out, "__attribute__((used)) static void all(void) {{");
    for seed in seeds {
        let _ = writeln!(out, "fresh({seed}); fresh_floats({seed}); report({seed}, p{seed}());");
    }
    out + "}\n" + TAIL
}

const HEAD: &str = r#"
typedef unsigned long W;
static volatile W sink;
static W mem[64] __attribute__((aligned(8)));
static unsigned char bytes[256];
static short half[128];
static void put(const char *s, W n) {
    register W a0 __asm__("a0") = 1, a1 __asm__("a1") = (W)s, a2 __asm__("a2") = n, a7 __asm__("a7") = 64;
    __asm__ volatile("ecall" : "+r"(a0) : "r"(a1), "r"(a2), "r"(a7) : "memory");
}
static void fresh(W seed) {
    for (int i = 0; i < 64; i++) mem[i] = (i + seed) * 0x9e3779b9u ^ i << 9;
    for (int i = 0; i < 256; i++) bytes[i] = i * 7 + seed;
    for (int i = 0; i < 128; i++) half[i] = i * 517 - seed;
}
static void hex(W n) {
    char text[17];
    for (int i = 0; i < 16; i++) { text[15 - i] = "0123456789abcdef"[n & 15]; n >>= 4; }
    text[16] = '\n';
    put(text, 17);
}
void *memcpy(void *d, const void *s, W n) { char *a = d; const char *b = s; while (n--) *a++ = *b++; return d; }
void *memset(void *d, int c, W n) { char *a = d; while (n--) *a++ = c; return d; }
"#;

/// What floating point has come to, and the flags that it has left.
const FLOATS: &str = r#"
static float single[16];
static double twice[16];
static W float_sum(void) {
    W sum;
    __asm__ volatile("csrrw %0, fcsr, x0" : "=r"(sum));
    const unsigned *words = (const unsigned *)single, *more = (const unsigned *)twice;
    for (int i = 0; i < 16; i++) sum = sum * 31 + words[i];
    for (int i = 0; i < 32; i++) sum = sum * 31 + more[i];
    return sum;
}
static void fresh_floats(W seed) {
    for (int i = 0; i < 16; i++) {
        unsigned bits = (i + seed) * 0x9e3779b9u;
        __builtin_memcpy(&single[i], &bits, 4);
        unsigned long long more = (i + seed) * 0x9e3779b97f4a7c15u;
        __builtin_memcpy(&twice[i], &more, 8);
    }
    single[0] = 1.5f; twice[0] = 1e300; single[1] = __builtin_inff(); twice[1] = __builtin_nan("");
    __asm__ volatile("csrw fcsr, x0");
}
"#;

const NO_FLOATS: &str = "static W float_sum(void) { return 0; }\nstatic void fresh_floats(W seed) {}\n";

/// What is written of each program.
const REPORT: &str = r#"
static void report(W seed, W result) {
    W sum = 0;
    for (int i = 0; i < 64; i++) sum = sum * 31 + mem[i];
    for (int i = 0; i < 256; i++) sum = sum * 31 + bytes[i];
    for (int i = 0; i < 128; i++) sum = sum * 31 + half[i];
    hex(seed); hex(result); hex(sum + float_sum());
}
"#;

const TAIL: &str = r#"
__attribute__((naked)) void _start(void) { __asm__ volatile("call all\n li a0, 0\n li a7, 93\n ecall"); }
"#;
