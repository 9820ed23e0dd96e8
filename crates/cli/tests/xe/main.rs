//! Intel Xe on the command line, as programs that use it see it.

mod elf;
mod iga64;
mod zebin;
