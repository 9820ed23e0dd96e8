//! Where Rust and the code meet: the code is entered, and it calls what is outside of it. The only file with `unsafe`.
//!
//! The code is made by [`Compiler`](crate::Compiler) for one type of machine, from that type's [`Outside::LAYOUT`]. It holds the machine alone
//! while it runs, as the `&mut` that it was entered with says; it lends it on in each call, and has no reference of its own.

#![allow(unsafe_code, reason = "machine code is called, and calls with a pointer")]

use crate::shape::{Called, Layout};

/// A machine whose instructions are translated.
///
/// The code reads and writes where [`Outside::LAYOUT`] says, and at the addresses in its tables of recent pages. The caller answers for both:
/// offsets as `std::mem::offset_of!` gives them, and entries that are taken out before their memory moves.
pub trait Outside: Sized {
    /// Where its parts are.
    const LAYOUT: Layout;
    /// Loads 1, 2, 4 or 8 bytes, and sets the double word `failed` to 0; or to 1 if that traps.
    fn load(&mut self, address: u64, bytes: u64) -> u64;
    /// Stores 1, 2, 4 or 8 bytes. `false` if it has to be done by the caller, from whom something is asked beside the store, or traps.
    fn store(&mut self, address: u64, bytes: u64, value: u64) -> bool;
    /// Runs an instruction by the numbers that it was given.
    fn call(&mut self, number: [u64; 2]) -> Called;
    /// Computes an extern by the number that it was given; those that it does not have are 0.
    fn external(&mut self, number: u64, arguments: [u64; 4]) -> u64;
}

/// The addresses of what the code calls.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Helpers {
    pub(crate) load: u64,
    pub(crate) store: u64,
    pub(crate) call: u64,
    pub(crate) external: u64,
}

impl Helpers {
    pub(crate) fn of<O: Outside>() -> Helpers {
        let load: extern "C" fn(*mut O, u64, u64) -> u64 = load::<O>;
        let store: extern "C" fn(*mut O, u64, u64, u64) -> u64 = store::<O>;
        let call: extern "C" fn(*mut O, u64, u64) -> u64 = call::<O>;
        let external: extern "C" fn(*mut O, u64, u64, u64, u64, u64) -> u64 = external::<O>;
        let [load, store, call, external] =
            [load as usize, store as usize, call as usize, external as usize].map(|address| address as u64);
        Helpers { load, store, call, external }
    }
}

extern "C" fn load<O: Outside>(outside: *mut O, address: u64, bytes: u64) -> u64 {
    // SAFETY: it is the pointer that `enter` was given as `&mut`, which nothing else uses while the code runs.
    unsafe { &mut *outside }.load(address, bytes)
}

extern "C" fn store<O: Outside>(outside: *mut O, address: u64, bytes: u64, value: u64) -> u64 {
    // SAFETY: as in `load`.
    u64::from(!unsafe { &mut *outside }.store(address, bytes, value))
}

extern "C" fn call<O: Outside>(outside: *mut O, low: u64, high: u64) -> u64 {
    // SAFETY: as in `load`.
    unsafe { &mut *outside }.call([low, high]) as u64
}

extern "C" fn external<O: Outside>(outside: *mut O, number: u64, a: u64, b: u64, c: u64, d: u64) -> u64 {
    // SAFETY: as in `load`.
    unsafe { &mut *outside }.external(number, [a, b, c, d])
}

/// Runs code that the [`Compiler`](crate::Compiler) of this type has made, through its entry, which follows the host's convention.
pub(crate) fn enter<O: Outside>(entry: *const u8, code: u64, outside: &mut O, allowed: u64) -> u64 {
    // SAFETY: `entry` is the function that `Compiler::new` has made with this signature, and `code` one of its regions; both live as long as the
    // compiler, which the caller of this function holds.
    let entry: extern "C" fn(*mut O, u64, u64) -> u64 = unsafe { std::mem::transmute(entry) };
    entry(outside, allowed, code)
}

/// Gives the memory of a module back.
pub(crate) fn free(module: cranelift_jit::JITModule) {
    // SAFETY: no code of it runs, since the compiler is held alone here, and the table of links has been emptied.
    unsafe { module.free_memory() }
}
