//! RISC-V programs that run: kernels as gcc makes them, beside qemu-user; and loops of overloadable opcodes, whose cost is
//! the difference to the same loop without them.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::Row;

/// Turns of the loops of overloadable opcodes.
const TURNS: u64 = 20_000_000;

/// Overloadable opcodes in a turn.
const CALLS: u64 = 4;

const GCC: &str = "riscv64-linux-gnu-gcc";

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
            for (int turn = 0; turn < 20; turn++) {
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
            for (unsigned i = 0; i < 60000000; i++) at = next[at];
            return at;
        }",
    ),
    (
        "integer matrix product",
        "static int a[120][120], b[120][120], c[120][120];
        int kernel(void) {
            for (int i = 0; i < 120; i++) for (int j = 0; j < 120; j++) { a[i][j] = i * 3 + j; b[i][j] = i - 5 * j; }
            for (int turn = 0; turn < 20; turn++)
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
            for (unsigned i = 0; i < 30000000; i++) crc = crc >> 8 ^ table[(crc ^ i) & 255];
            return ~crc;
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

pub(crate) fn rows() -> Result<Vec<Row>, String> {
    let dir = super::folder()?;
    let mut rows = Vec::new();
    for (name, source) in KERNELS {
        let file = dir.join(format!("hart.{}.c", name.replace(' ', "-")));
        write(&file, &format!("{source}\n{START}"))?;
        let ours = compile(&file, "elf", &[])?;
        let peer = compile(&file, "linux", &["-DLINUX"])?;
        let args: Vec<String> =
            ["run", "--isa", "rv64imac", &ours.display().to_string()].iter().map(|s| (*s).to_owned()).collect();
        let units = retired(&args)?;
        let peer = Some(vec!["qemu-riscv64".to_owned(), peer.display().to_string()]);
        rows.push(Row { name: format!("run {name}, instructions"), args, units, count: false, peer });
    }
    let (machine, interface) = (dir.join("hart.toml"), dir.join("hart.xintf"));
    write(&machine, MACHINE)?;
    write(&interface, INTERFACE)?;
    let bodies = [
        ("add", "    add a4, a0, a2\n", TURNS * CALLS),
        ("xext", "    xext a4, a0, zero\n", TURNS * CALLS),
        ("xcmd", "    xcmd0 a4, a3, a2\n", TURNS * CALLS),
    ];
    for (name, body, units) in bodies {
        let text = format!(
            "_start:\n    lui a0, 0x4321\n    xext a3, a0, zero\n    li a1, {TURNS}\nloop:\n{}    addi a1, a1, -1\n    bnez a1, loop\n    ebreak\n",
            body.repeat(CALLS as usize)
        );
        let source = dir.join(format!("hart.{name}.s"));
        write(&source, &text)?;
        let elf = source.with_extension("elf");
        let (source, elf) = (source.display().to_string(), elf.display().to_string());
        let isaglot = super::program();
        let args = ["asm", "--isa", "rv64imac_xext", &source, "-o", &elf];
        let done = Command::new(isaglot).args(args).status();
        if !done.is_ok_and(|s| s.success()) {
            return Err(format!("{source} does not assemble"));
        }
        let (machine, interface) = (machine.display().to_string(), interface.display().to_string());
        let args = ["run", "--cpu", &machine, "--xintf", &interface, &elf].iter().map(|s| (*s).to_owned()).collect();
        rows.push(Row { name: format!("run a loop of {name}, {CALLS} a turn"), args, units, count: false, peer: None });
    }
    Ok(rows)
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    std::fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()))
}

fn compile(source: &Path, extension: &str, more: &[&str]) -> Result<PathBuf, String> {
    let out = source.with_extension(extension);
    let flags = ["-O2", "-march=rv64imac", "-mabi=lp64", "-nostdlib", "-static", "-ffreestanding", "-o"];
    let done = Command::new(GCC).args(flags).arg(&out).args(more).arg(source).status();
    let done = done.map_err(|e| format!("cannot run {GCC} (package gcc-riscv64-linux-gnu): {e}"))?;
    if done.success() { Ok(out) } else { Err(format!("{} does not compile", source.display())) }
}

/// Instructions that a program executes.
fn retired(args: &[String]) -> Result<u64, String> {
    let out = Command::new(super::program()).args(args).arg("--json").output();
    let out = out.map_err(|e| format!("cannot run isaglot: {e}"))?;
    let value: serde_json::Value = serde_json::from_slice(&out.stdout).map_err(|e| format!("{args:?}: {e}"))?;
    value["instructions"].as_u64().ok_or_else(|| format!("{args:?}: no count of instructions"))
}
