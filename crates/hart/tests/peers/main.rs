//! The hart beside qemu, and the tests of the semantics tested by mutants.

mod c_program;
#[path = "../../../riscv/tests/it/description.rs"]
mod description;
mod floats;
mod guests;
mod instructions;
mod mutants;
mod peer;
mod privileged;
#[path = "../it/programs.rs"]
mod programs;
mod qemu;
mod random;
mod testfloat;
mod twins;
mod vectors;

fn main() {
    isaglot_testing::suite::run(
        qemu::trials()
            .into_iter()
            .chain(mutants::trials())
            .chain(privileged::trials())
            .chain(guests::trials())
            .chain(random::trials())
            .chain(testfloat::trials())
            .collect(),
    );
}
