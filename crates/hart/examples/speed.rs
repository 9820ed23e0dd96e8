//! Runs an ELF program until it traps, and says how fast: `cargo run --release -p isaglot-hart --example speed FILE`.

#[path = "../tests/riscv/mod.rs"]
mod riscv;

use isaglot_hart::{Config, Hart};
use object::{Object, ObjectSegment};

fn main() {
    let path = std::env::args().nth(1).expect("an ELF file");
    let bytes = std::fs::read(&path).expect("it can be read");
    let elf = object::File::parse(&*bytes).expect("it is ELF");
    let mut config = Config::new(if elf.is_64() { 64 } else { 32 });
    for s in elf.segments() {
        config.ram.push((s.address(), s.size()));
    }
    config.trap_model = isaglot_hart::TrapModel::OneLevelUp;
    let isa = riscv::isa();
    let mut hart = Hart::new(&isa, config).expect("a sound machine");
    for s in elf.segments() {
        hart.memory().write(s.address(), s.data().expect("its bytes")).expect("it has memory");
    }
    hart.set_register(2, 0x8700_0000);
    hart.set_pc(elf.entry());
    let start = std::time::Instant::now();
    let stop = hart.run(u64::MAX);
    let seconds = start.elapsed().as_secs_f64();
    let n = hart.retired();
    println!(
        "{stop:?}\na0 = {:#x}; {n} instructions in {seconds:.3} s: {:.0} million/s",
        hart.register(10),
        n as f64 / seconds / 1e6
    );
}
