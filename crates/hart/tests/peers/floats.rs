//! Every instruction of floating point with every rounding mode, static and dynamic, on all pairs of special values and on
//! random ones: one C program, which writes a sum of results and flags for each few hundred operands.

use std::fmt::Write;

/// Operands of which one sum is made.
pub(crate) const CHUNK: usize = 500;

/// How an instruction takes its operands: from registers of floating point or from an integer, and where its result goes.
#[derive(Clone, Copy)]
enum Form {
    /// `fa3` from `fa0`, and more from `fa1` and `fa2`.
    Floats(usize),
    /// `t1` from `fa0`, and more from `fa1`.
    Integer(usize),
    /// `fa3` from `t0`.
    OfInteger,
}

/// An instruction: mnemonic, form, the width of its operands, whether it rounds.
type Instruction = (String, Form, u32, bool);

/// Where numbers are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// In registers of their own.
    Own,
    /// In those of integers; on RV32 double precision in pairs.
    Integers,
}

impl Place {
    /// The registers of three operands and a result, and what else an instruction may change.
    fn registers(self) -> [&'static str; 4] {
        match self {
            Place::Own => ["fa0", "fa1", "fa2", "fa3"],
            Place::Integers => ["a2", "a4", "a6", "s2"],
        }
    }

    fn clobbered(self) -> &'static str {
        match self {
            Place::Own => r#""fa0", "fa1", "fa2", "fa3""#,
            Place::Integers => r#""a2", "a3", "a4", "a5", "a6", "a7", "s2", "s3""#,
        }
    }

    /// Loads or stores a number.
    fn memory(self, store: bool, register: usize, at: u32, xlen: u32) -> String {
        let name = self.registers()[register];
        let op = |short: &str| format!("{}{short}", if store { "s" } else { "l" });
        match self {
            Place::Own => format!("f{} {name}, {at}(%1)\\n", op("d")),
            Place::Integers if xlen == 64 => format!("{} {name}, {at}(%1)\\n", op("d")),
            // The second of a pair is the next one.
            Place::Integers => {
                let next = ["a3", "a5", "a7", "s3"][register];
                format!("{o} {name}, {at}(%1)\\n{o} {next}, {}(%1)\\n", at + 4, o = op("w"))
            }
        }
    }
}

/// What the machine has: the letters of formats with their widths.
fn instructions(xlen: u32, formats: &[(&str, u32)], place: Place) -> Vec<Instruction> {
    let mut all: Vec<Instruction> = Vec::new();
    for &(f, width) in formats {
        let mut add = |name: &str, form, rounds| all.push((format!("{name}.{f}"), form, width, rounds));
        for name in ["fadd", "fsub", "fmul", "fdiv"] {
            add(name, Form::Floats(2), true);
        }
        add("fsqrt", Form::Floats(1), true);
        for name in ["fmadd", "fmsub", "fnmsub", "fnmadd"] {
            add(name, Form::Floats(3), true);
        }
        for name in ["fsgnj", "fsgnjn", "fsgnjx", "fmin", "fmax"] {
            add(name, Form::Floats(2), false);
        }
        for name in ["feq", "flt", "fle"] {
            add(name, Form::Integer(2), false);
        }
        add("fclass", Form::Integer(1), false);
        for n in ["w", "wu", "l", "lu"].into_iter().filter(|n| xlen == 64 || n.starts_with('w')) {
            all.push((format!("fcvt.{n}.{f}"), Form::Integer(1), width, true));
            all.push((format!("fcvt.{f}.{n}"), Form::OfInteger, width, true));
        }
        for &(to, other) in formats {
            if other != width {
                all.push((format!("fcvt.{to}.{f}"), Form::Floats(1), width, true));
            }
        }
        let x = match f {
            "s" => "w",
            other => other,
        };
        if width <= xlen && place == Place::Own {
            all.push((format!("fmv.x.{x}"), Form::Integer(1), width, false));
            all.push((format!("fmv.{x}.x"), Form::OfInteger, width, false));
        }
    }
    all
}

/// The assembly of one run: operands at 0, 8 and 16 from `%1`, at 24 the flags before and then the result, flags in `%0`.
fn assembly(name: &str, form: Form, mode: &str, xlen: u32, place: Place) -> String {
    let (load, store) = if xlen == 64 { ("ld", "sd") } else { ("lw", "sw") };
    let registers = place.registers();
    let sources = |n: usize| registers.iter().take(n).map(|r| format!(", {r}")).collect::<String>();
    let (result, keep) = (registers[3], place.memory(true, 3, 24, xlen));
    // What is exact has no mode in the assembler's text, but has a field for it.
    let exact = matches!(name, "fcvt.d.w" | "fcvt.d.wu" | "fcvt.d.s" | "fcvt.s.h" | "fcvt.d.h");
    let mode = if exact || mode.is_empty() { String::new() } else { format!(", {mode}") };
    let (before, body, after) = match form {
        Form::Floats(n) => (String::new(), format!("{name} {result}{}{mode}", sources(n)), keep),
        Form::Integer(n) => (String::new(), format!("{name} t1{}{mode}", sources(n)), format!("{store} t1, 24(%1)")),
        Form::OfInteger => (format!("{load} t0, 0(%1)\\n"), format!("{name} {result}, t0{mode}"), keep),
    };
    let loads: String = (0..3).map(|n| place.memory(false, n, 8 * n as u32, xlen)).collect();
    let option = if place == Place::Own { ".option arch, +zfh\\n" } else { "" };
    // On RV32 the second register of a pair is kept too, where the result does not have one.
    let clear = if place == Place::Integers { "li s2, 0\\nli s3, 0\\n" } else { "" };
    format!("{option}{loads}{clear}{before}lw t2, 24(%1)\\nfsflags t2\\n{body}\\nfrflags %0\\n{after}")
}

/// The special values of a format, without its box.
fn specials(width: u32) -> Vec<u64> {
    let fraction = match width {
        16 => 10,
        32 => 23,
        _ => 52,
    };
    let (one, top) = (1_u64 << fraction, (1_u64 << (width - 1 - fraction)) - 1);
    let bias = top >> 1;
    let of = |exponent: u64, fraction: u64| exponent << one.trailing_zeros() | fraction;
    let power = |p: i64| of(bias.saturating_add_signed(p).min(top - 1), 0);
    let mut all = vec![0, 1, 2, one - 1, one, one + 1, of(1, one - 1), of(2, 0)];
    all.extend([power(-1), power(0) - 1, power(0), power(0) + 1, power(0) | one >> 1, power(1), power(1) | one >> 2]);
    for p in [i64::from(fraction) - 1, i64::from(fraction), 31, 32, 63, 64] {
        all.extend([power(p) - 1, power(p)]);
    }
    all.extend([of(top - 1, one - 1), of(top, 0), of(top, one >> 1), of(top, 1), of(top, one - 1)]);
    let sign = 1 << (width - 1);
    let minus: Vec<u64> = all.iter().map(|v| v | sign).collect();
    all.extend(minus);
    all
}

/// The program for so many operands of each, and what each group of sums is of.
pub(crate) fn program(xlen: u32, formats: &[(&str, u32)], count: usize, place: Place) -> (String, Vec<String>) {
    let mut groups = Vec::new();
    let (mut functions, mut table) = (String::new(), String::new());
    for (name, form, width, rounds) in instructions(xlen, formats, place) {
        let modes: &[(&str, u32)] = if rounds {
            &[
                ("rne", 0),
                ("rtz", 0),
                ("rdn", 0),
                ("rup", 0),
                ("rmm", 0),
                ("dyn", 0),
                ("dyn", 1),
                ("dyn", 2),
                ("dyn", 3),
                ("dyn", 4),
            ]
        } else {
            &[("", 0)]
        };
        for (mode, dynamic) in modes {
            let n = groups.len();
            let _ = writeln!(
                functions,
                "static unsigned op{n}(u64 *p) {{ unsigned long f; __asm__ volatile(\"{}\" : \"=&r\"(f) : \"r\"(p) : \"memory\", \"t0\", \"t1\", \"t2\", {}); return f; }}",
                assembly(&name, form, mode, xlen, place),
                place.clobbered()
            );
            let _ = writeln!(table, "{{op{n}, {width}, {dynamic}, {}}},", u8::from(matches!(form, Form::OfInteger)));
            groups.push(format!("{name} {mode} {dynamic}"));
        }
    }
    let list = |width: u32| specials(width).iter().map(|v| format!("{v:#x}ull")).collect::<Vec<_>>().join(", ");
    let text = format!(
        "{HEAD}static const u64 H[] = {{{}}}, S[] = {{{}}}, D[] = {{{}}};\n{functions}
static const struct {{ unsigned (*run)(u64 *); int width, mode, integer; }} OPS[] = {{\n{table}}};\n
#define COUNT {count}u\n#define CHUNK {CHUNK}u\n{TAIL}",
        list(16),
        list(32),
        list(64)
    );
    (text, groups)
}

const HEAD: &str = "
typedef unsigned long long u64;
static u64 seed = 0x9e3779b97f4a7c15ull;
static u64 any(void) { seed ^= seed << 13; seed ^= seed >> 7; seed ^= seed << 17; return seed; }
";

const TAIL: &str = "
static u64 random(int width, u64 last) {
    int fraction = width == 16 ? 10 : width == 32 ? 23 : 52;
    // Exponents are short: there is no division of 64 bits without a library.
    unsigned top = (1u << (width - 1 - fraction)) - 1, bias = top >> 1, e = (unsigned)any() & top;
    u64 ones = (1ull << fraction) - 1, r = any(), f = r & ones, sign = r >> 63 << (width - 1);
    switch ((unsigned)(any() >> 20) & 7) {
    case 0: break;
    case 1: e = bias - 3 + ((unsigned)(any() >> 9) & 7); break;
    case 2: e = bias - 4 + (unsigned)(any() >> 9) % 72; break;
    case 3: f &= any() & any(); e = bias - 8 + ((unsigned)(any() >> 9) & 15); break;
    case 4: f |= any() & ones; f |= any() & ones; e = bias - 8 + ((unsigned)(any() >> 9) & 15); break;
    case 5: e = (unsigned)(any() >> 9) % (unsigned)(fraction + 4); break;
    case 6: e = top - 1 - ((unsigned)(any() >> 9) & 3); break;
    case 7: e = ((unsigned)(last >> fraction) & top) + ((unsigned)(any() >> 9) & 3) - 1; f = last & ones ^ 1ull << (unsigned)(any() >> 9) % (unsigned)fraction; break;
    }
    if (e > top) e = top - 1;
    return sign | (u64)e << fraction | f;
}
static u64 boxed(int width, u64 v, unsigned n) {
    // Now and then without its box, which makes it a NaN.
    return width == 64 ? v : n % 61 == 60 ? v | 0x7ull << 60 : v | -1ull << width;
}
#define SUMS ((COUNT + CHUNK - 1) / CHUNK)
static u64 sums[sizeof OPS / sizeof *OPS * SUMS];
void _start(void) {
    for (unsigned o = 0; o < sizeof OPS / sizeof *OPS; o++) {
        int width = OPS[o].width;
        const u64 *list = width == 16 ? H : width == 32 ? S : D;
        unsigned n = (width == 16 ? sizeof H : width == 32 ? sizeof S : sizeof D) / sizeof *list;
        __asm__ volatile(\"fsrm %0\" :: \"r\"(OPS[o].mode));
        u64 p[4] = {0, 0, 0, 0}, sum = 0;
        for (unsigned i = 0; i < COUNT; i++) {
            if (i < n * n) {
                p[0] = list[i % n]; p[1] = list[i / n]; p[2] = list[(i * 7 + i / n * 3) % n];
            } else {
                p[0] = random(width, p[1]); p[1] = random(width, p[0]); p[2] = random(width, (any() & 1) ? p[0] : p[1]);
                if ((any() >> 13 & 7) == 0) p[(unsigned)any() % 3] = list[(unsigned)(any() >> 7) % n];
            }
            u64 q[4];
            if (OPS[o].integer) {
                u64 v = i < n * n ? p[0] : any() >> (any() & 63);
                q[0] = (i & 1) ? -v : v; q[1] = q[2] = 0;
            } else for (int k = 0; k < 3; k++) q[k] = boxed(width, p[k], i + 7 * k);
            // Where the result was inexact before, ours may ask the host.
            q[3] = any() >> 40 & 1;
            unsigned flags = OPS[o].run(q);
            sum = (sum << 5 | sum >> 59) + q[3];
            sum = (sum << 7 | sum >> 57) ^ flags;
            if (i % CHUNK == CHUNK - 1 || i == COUNT - 1) { sums[o * SUMS + i / CHUNK] = sum; sum = 0; }
        }
    }
    register long a0 __asm__(\"a0\") = 1, a1 __asm__(\"a1\") = (long)sums, a2 __asm__(\"a2\") = sizeof sums, a7 __asm__(\"a7\") = 64;
    __asm__ volatile(\"ecall\" : \"+r\"(a0) : \"r\"(a1), \"r\"(a2), \"r\"(a7) : \"memory\");
    a0 = 0; a7 = 93;
    __asm__ volatile(\"ecall\" :: \"r\"(a0), \"r\"(a7));
    for (;;) ;
}
";
