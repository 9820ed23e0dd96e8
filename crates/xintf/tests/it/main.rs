//! Laws, assembly, the resolver, encoding profiles, and arbitrary input.

mod assembly;
#[path = "../../../riscv/tests/it/description.rs"]
mod description;
mod hostile;
mod laws;
mod profiles;
mod resolve;
