//! RISC-V programs that run: kernels as gcc makes them, interpreted and as machine code, beside qemu-user; and loops of overloadable opcodes, whose cost is
//! the difference to the same loop without them.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::Row;

/// Turns of the loops of overloadable opcodes.
const TURNS: u64 = 10_000_000;

/// Overloadable opcodes in a turn.
const CALLS: u64 = 4;

const GCC: &str = "riscv64-linux-gnu-gcc";

/// The folder of programs that are not part of the project, as the tests have it: of the static programs for Linux below its folder `linux`, such as
/// CoreMark, those are measured that have a file `NAME.bench` beside them, with their arguments, one a line.
const PROGRAMS: &str = "ISAGLOT_PROGRAMS";

/// A kernel leaves its result in a0; the start stops the hart, or asks qemu's Linux to end the process.
const START: &str = "
#ifdef LINUX
__attribute__((naked)) void _start(void) { __asm__ volatile(\"call kernel\\n li a0, 0\\n li a7, 93\\n ecall\"); }
#else
__attribute__((naked)) void _start(void) { __asm__ volatile(\"call kernel\\n ebreak\"); }
#endif
";

const KERNELS: &[(&str, &str)] = &[
    (
        "sieve",
        "static char no[1 << 20];
        unsigned kernel(void) {
            unsigned found = 0;
            for (int turn = 0; turn < 100; turn++) {
                for (unsigned i = 0; i < sizeof no; i++) no[i] = 0;
                for (unsigned i = 2; i < sizeof no; i++)
                    if (!no[i]) { found++; for (unsigned k = 2 * i; k < sizeof no; k += i) no[k] = 1; }
            }
            return found;
        }",
    ),
    (
        "pointer chase",
        "static unsigned next[1 << 16];
        unsigned kernel(void) {
            unsigned at = 0, n = sizeof next / sizeof *next;
            for (unsigned i = 0; i < n; i++) next[i] = (i * 40503u + 12345u) & (n - 1);
            for (unsigned i = 0; i < 120000000; i++) at = next[at];
            return at;
        }",
    ),
    (
        "integer matrix product",
        "static int a[120][120], b[120][120], c[120][120];
        int kernel(void) {
            for (int i = 0; i < 120; i++) for (int j = 0; j < 120; j++) { a[i][j] = i * 3 + j; b[i][j] = i - 5 * j; }
            for (int turn = 0; turn < 200; turn++)
                for (int i = 0; i < 120; i++) for (int j = 0; j < 120; j++) {
                    int sum = 0;
                    for (int k = 0; k < 120; k++) sum += a[i][k] * b[k][j];
                    c[i][j] += sum;
                }
            return c[7][9];
        }",
    ),
    (
        "CRC",
        "static unsigned table[256];
        unsigned kernel(void) {
            for (unsigned i = 0; i < 256; i++) {
                unsigned r = i;
                for (int k = 0; k < 8; k++) r = r & 1 ? r >> 1 ^ 0xedb88320u : r >> 1;
                table[i] = r;
            }
            unsigned crc = ~0u;
            for (unsigned i = 0; i < 200000000; i++) crc = crc >> 8 ^ table[(crc ^ i) & 255];
            return ~crc;
        }",
    ),
    (
        "matrix product of doubles",
        "static double a[120][120], b[120][120], c[120][120];
        int kernel(void) {
            for (int i = 0; i < 120; i++) for (int j = 0; j < 120; j++) { a[i][j] = i * 0.3 + j; b[i][j] = i - 0.7 * j; }
            for (int turn = 0; turn < 40; turn++)
                for (int i = 0; i < 120; i++) for (int j = 0; j < 120; j++) {
                    double sum = 0;
                    for (int k = 0; k < 120; k++) sum += a[i][k] * b[k][j];
                    c[i][j] += sum;
                }
            return c[7][9];
        }",
    ),
    // What programs of users do: short functions, lists, branches on data.
    (
        "mix of lists, matrices and a state machine",
        "struct node { struct node *next; short key, value; };
        static struct node nodes[256];
        static short m[16][16], n[16][16];
        static unsigned char text[512];
        static unsigned short crc;
        __attribute__((noinline)) static void sum(unsigned short x) {
            for (int i = 0; i < 16; i++) { crc = ((crc ^ x) & 1) ? crc >> 1 ^ 0xa001 : crc >> 1; x >>= 1; }
        }
        __attribute__((noinline)) static struct node *find(struct node *l, short key) {
            while (l && l->key != key) l = l->next;
            return l;
        }
        __attribute__((noinline)) static struct node *reverse(struct node *l) {
            struct node *done = 0;
            while (l) { struct node *next = l->next; l->next = done; done = l; l = next; }
            return done;
        }
        __attribute__((noinline)) static int multiply(short by) {
            int all = 0;
            for (int i = 0; i < 16; i++) for (int j = 0; j < 16; j++) {
                int s = 0;
                for (int k = 0; k < 16; k++) s += m[i][k] * n[k][j];
                all += s * by >> 3;
            }
            return all;
        }
        __attribute__((noinline)) static int step(int state, unsigned char c) {
            switch (state) {
            case 0: return c >= '0' && c <= '9' ? 1 : c == '+' || c == '-' ? 2 : c == '.' ? 3 : 0;
            case 1: return c == '.' ? 3 : c >= '0' && c <= '9' ? 1 : 4;
            case 2: return c >= '0' && c <= '9' ? 1 : 4;
            case 3: return c == 'e' ? 5 : c >= '0' && c <= '9' ? 3 : 4;
            case 5: return c >= '0' && c <= '9' ? 5 : 0;
            default: return c == ',' ? 0 : 4;
            }
        }
        unsigned kernel(void) {
            for (int i = 0; i < 256; i++) { nodes[i].next = i < 255 ? nodes + i + 1 : 0; nodes[i].key = i * 7 & 255; }
            for (int i = 0; i < 256; i++) { m[i / 16][i & 15] = i; n[i / 16][i & 15] = 255 - i * 3; }
            for (int i = 0; i < 512; i++) text[i] = \"0123456789+-.e,,\"[(i * 11 ^ i >> 3) & 15];
            struct node *list = nodes;
            for (int turn = 0; turn < 20000; turn++) {
                for (int i = 0; i < 20; i++) { struct node *at = find(list, turn * 3 + i & 255); if (at) sum(at->value += i); }
                list = reverse(list);
                sum(multiply(turn));
                int state = 0;
                for (int i = 0; i < 512; i++) state = step(state, text[i]);
                sum(state);
            }
            return crc;
        }",
    ),
];

/// The machine of the loops: one device that serves the interface.
const MACHINE: &str = "xlen = 64
levels = [\"user\", \"mach\"]
start_priv = \"user\"

[[device]]
name = \"band\"
serves = [{ interface = \"org.example.bench:Add\" }]
";

const INTERFACE: &str =
    "org.example.bench:Add{ uuid: 0x4321 add rd rs1 rs2: xcmd0 rd rs1 rs2 semantics { rd = rs2 + 1; } }";

/// The program with the feature `jit`, or what `ISAGLOT_JIT_PROGRAM` names.
fn jit() -> Result<String, String> {
    if let Some(given) = std::env::var_os("ISAGLOT_JIT_PROGRAM") {
        return Ok(given.display().to_string());
    }
    let dir = crate::root().join("target/jit");
    let built = Command::new("cargo")
        .args(["build", "--release", "--package", "isaglot-cli", "--features", "jit", "--target-dir"])
        .arg(&dir)
        .current_dir(crate::root())
        .status()
        .map_err(|e| format!("cannot run cargo: {e}"))?;
    if !built.success() {
        return Err("the release build with the feature `jit` failed".to_owned());
    }
    Ok(dir.join("release/isaglot").display().to_string())
}

pub(crate) fn rows() -> Result<Vec<Row>, String> {
    let dir = super::folder()?;
    let jit = jit()?;
    let mut rows = Vec::new();
    for (name, source) in KERNELS {
        let file = dir.join(format!("hart.{}.c", name.replace(' ', "-")));
        write(&file, &format!("{source}\n{START}"))?;
        let ours = compile(&file, "elf", &[])?;
        let peer = compile(&file, "linux", &["-DLINUX"])?;
        let args: Vec<String> =
            ["run", "--isa", "rv64gc", &ours.display().to_string()].iter().map(|s| (*s).to_owned()).collect();
        let units = retired(&[args.as_slice(), &["--json".to_owned()]].concat())?;
        let peer = Some(vec!["qemu-riscv64".to_owned(), peer.display().to_string()]);
        let native = [std::slice::from_ref(&jit), args.as_slice(), &["--jit".to_owned()]].concat();
        rows.push(Row { name: format!("run {name}, instructions"), args, units, count: false, peer: peer.clone() });
        rows.push(Row { name: format!("run --jit {name}, instructions"), args: native, units, count: false, peer });
    }
    if let Some(folder) = std::env::var_os(PROGRAMS) {
        let folder = PathBuf::from(folder).join("linux");
        let mut found = Vec::new();
        measured(&folder, &mut found)?;
        found.sort();
        for (program, arguments) in found {
            let path = program.display().to_string();
            let name = program.strip_prefix(&folder).unwrap_or(&program).display().to_string();
            let with = |first: &[&str]| {
                let all = first.iter().map(|s| (*s).to_owned()).chain([path.clone()]);
                all.chain(arguments.iter().cloned()).collect::<Vec<String>>()
            };
            let args = with(&["run", "--linux"]);
            let native = with(&[&jit, "run", "--linux", "--jit"]);
            let units = retired(&with(&["run", "--linux", "--json"]))?;
            let peer = Some(with(&["qemu-riscv64"]));
            rows.push(Row { name: format!("run {name}, instructions"), args, units, count: false, peer: peer.clone() });
            rows.push(Row { name: format!("run --jit {name}, instructions"), args: native, units, count: false, peer });
        }
    }
    Ok(rows)
}

/// The programs below a folder that are measured, each with its arguments.
fn measured(folder: &Path, found: &mut Vec<(PathBuf, Vec<String>)>) -> Result<(), String> {
    let entries = std::fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    for path in entries.flatten().map(|e| e.path()) {
        let name = path.display().to_string();
        if path.is_dir() {
            measured(&path, found)?;
        } else if let Some(program) = name.strip_suffix(".bench") {
            let text = std::fs::read_to_string(&path).map_err(|e| format!("{name}: {e}"))?;
            found.push((PathBuf::from(program), text.lines().map(str::to_owned).collect()));
        }
    }
    Ok(())
}

/// What overloadable opcodes take: each loop beside the same loop without them.
pub(crate) fn commands() -> Result<(), String> {
    let dir = super::folder()?;
    let jit = jit()?;
    let (machine, interface) = (dir.join("hart.toml"), dir.join("hart.xintf"));
    write(&machine, MACHINE)?;
    write(&interface, INTERFACE)?;
    let bodies = [
        ("nothing", ""),
        ("add", "    add a4, a0, a2\n"),
        ("xext", "    xext a4, a0, zero\n"),
        ("xcmd", "    xcmd0 a4, a3, a2\n"),
    ];
    let mut loops = Vec::new();
    for (name, body) in bodies {
        let text = format!(
            "_start:\n    lui a0, 0x4321\n    xext a3, a0, zero\n    li a1, {TURNS}\nloop:\n{}    addi a1, a1, -1\n    bnez a1, loop\n    ebreak\n",
            body.repeat(CALLS as usize)
        );
        let source = dir.join(format!("hart.{name}.s"));
        write(&source, &text)?;
        let elf = source.with_extension("elf");
        let (source, elf) = (source.display().to_string(), elf.display().to_string());
        let args = ["asm", "--isa", "rv64imac_xext", &source, "-o", &elf];
        if !Command::new(super::program()).args(args).status().is_ok_and(|s| s.success()) {
            return Err(format!("{source} does not assemble"));
        }
        let (machine, interface) = (machine.display().to_string(), interface.display().to_string());
        loops.push((name, ["run", "--cpu", &machine, "--xintf", &interface, &elf].map(str::to_owned).to_vec()));
    }
    println!("| in a loop | ns each, interpreted | ns each, as machine code |");
    println!("|---|---|---|");
    let ours = super::program().display().to_string();
    let ways = [(ours, None), (jit, Some("--jit".to_owned()))];
    let mut times = vec![[Vec::new(), Vec::new()]; loops.len()];
    for _ in 0..super::RUNS {
        for ((_, args), times) in loops.iter().zip(&mut times) {
            for ((program, more), times) in ways.iter().zip(times) {
                let command = [std::slice::from_ref(program), args.as_slice(), more.as_slice()].concat();
                times.push(super::user_seconds(&command)?);
            }
        }
    }
    let seconds: Vec<[f64; 2]> = times.iter_mut().map(|both| both.each_mut().map(|t| super::median(t))).collect();
    for ((name, _), both) in loops.iter().zip(&seconds).skip(1) {
        let each = [0, 1].map(|way| (both[way] - seconds[0][way]) * 1e9 / (TURNS * CALLS) as f64);
        println!("| {name} | {:.2} | {:.2} |", each[0], each[1]);
    }
    Ok(())
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    std::fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()))
}

fn compile(source: &Path, extension: &str, more: &[&str]) -> Result<PathBuf, String> {
    let out = source.with_extension(extension);
    let flags =
        ["-O2", "-march=rv64gc", "-mabi=lp64d", "-nostdlib", "-static", "-ffreestanding", "-Wl,--no-relax", "-o"];
    let done = Command::new(GCC).args(flags).arg(&out).args(more).arg(source).status();
    let done = done.map_err(|e| format!("cannot run {GCC} (package gcc-riscv64-linux-gnu): {e}"))?;
    if done.success() { Ok(out) } else { Err(format!("{} does not compile", source.display())) }
}

/// Instructions that a program executes.
fn retired(args: &[String]) -> Result<u64, String> {
    let out = Command::new(super::program()).args(args).output();
    let out = out.map_err(|e| format!("cannot run isaglot: {e}"))?;
    // What the program prints comes first.
    let text = String::from_utf8_lossy(&out.stdout);
    let start = text.rfind("\n{\n").map_or(0, |at| at + 1);
    let value: serde_json::Value = serde_json::from_str(&text[start..]).map_err(|e| format!("{args:?}: {e}"))?;
    value["instructions"].as_u64().ok_or_else(|| format!("{args:?}: no count of instructions"))
}
