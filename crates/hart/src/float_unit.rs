//! The floating-point part of a hart: the control register, whether it is on, and what the description declares as external.
//!
//! Invariant: where there are no registers for it (`Float::fixed`), its status is always "off" or always "on" and `mstatus` says
//! 0. The registers themselves are with the integer registers, from `FLOATS` on, so that the executor reaches both alike.

use crate::float::{Context, DOUBLE, Integer, SINGLE};
use crate::machine::{Cause, Fault, Machine};

/// Its state was written since somebody said that it is clean.
const DIRTY: u8 = 3;
/// It is as after a reset.
const INITIAL: u8 = 1;
/// The mode that says that the control register has it.
const DYNAMIC: u8 = 7;

/// Why instructions of floating point are illegal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FloatTrouble {
    /// `mstatus.FS` is 0.
    Off,
    /// `frm` is this, which is reserved: those are illegal that ask for the dynamic mode.
    Mode(u8),
}

/// The control register, and `mstatus.FS`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Float {
    flags: u8,
    /// The dynamic rounding mode; 5 and more are reserved.
    mode: u8,
    /// Off (0), initial, clean, dirty.
    status: u8,
    /// `mstatus` does not have it.
    fixed: bool,
}

impl Float {
    /// After a reset: on, if there is any, so that programs without an operating system can use it at once.
    pub(crate) fn new(registers: bool, zfinx: bool) -> Float {
        let status = u8::from(registers || zfinx) * INITIAL;
        Float { flags: 0, mode: 0, status, fixed: !registers }
    }

    /// Whether its instructions and control registers may be used.
    #[inline(always)]
    pub(crate) fn is_on(&self) -> bool {
        self.status != 0
    }

    /// Why instructions are illegal.
    pub(crate) fn trouble(&self) -> Option<FloatTrouble> {
        match self.mode {
            _ if !self.is_on() => Some(FloatTrouble::Off),
            5.. => Some(FloatTrouble::Mode(self.mode)),
            _ => None,
        }
    }

    /// `fcsr`: flags, and above them the mode.
    pub(crate) fn control(&self) -> u64 {
        u64::from(self.flags) | u64::from(self.mode) << 5
    }

    pub(crate) fn set_control(&mut self, value: u64) {
        (self.flags, self.mode) = (value as u8 & 0x1f, value as u8 >> 5);
        self.changed();
    }

    /// `mstatus.FS`.
    pub(crate) fn status(&self) -> u64 {
        if self.fixed { 0 } else { self.status.into() }
    }

    pub(crate) fn set_status(&mut self, value: u64) {
        if !self.fixed {
            self.status = value as u8 & 3;
        }
    }

    #[inline(always)]
    fn changed(&mut self) {
        self.status = DIRTY;
    }
}

impl Machine {
    #[inline(always)]
    pub(crate) fn float_enabled(&mut self) -> Result<(), Fault> {
        if self.csrs.float.is_on() { Ok(()) } else { Err(Fault::new(Cause::Illegal, 0)) }
    }

    #[inline(always)]
    pub(crate) fn float_changed(&mut self) -> Result<(), Fault> {
        self.csrs.float.changed();
        Ok(())
    }

    #[inline(always)]
    pub(crate) fn rounding_mode(&mut self, mode: u8) -> Result<u8, Fault> {
        let float = &self.csrs.float;
        let mode = if mode == DYNAMIC { float.mode } else { mode };
        if float.is_on() && mode < 5 { Ok(mode) } else { Err(Fault::new(Cause::Illegal, 0)) }
    }

    /// Runs an operation and collects its flags.
    #[inline(always)]
    fn float<T>(&mut self, mode: u8, operation: impl FnOnce(&mut Context) -> T) -> T {
        let float = &mut self.csrs.float;
        let mut cx = Context { mode, flags: float.flags };
        let result = operation(&mut cx);
        if cx.flags != float.flags {
            float.flags = cx.flags;
            float.changed();
        }
        result
    }

    #[inline(always)]
    pub(crate) fn f32_to_f64(&mut self, a: u64, mode: u8) -> Result<u64, Fault> {
        Ok(self.float(mode, |cx| SINGLE.convert(a, DOUBLE, cx)))
    }

    #[inline(always)]
    pub(crate) fn f64_to_f32(&mut self, a: u64, mode: u8) -> Result<u64, Fault> {
        Ok(self.float(mode, |cx| DOUBLE.convert(a, SINGLE, cx)))
    }
}

impl Machine {
    /// What the description declares as external for floating point, by its name; `None` for any other name.
    pub(crate) fn float_call(&mut self, name: &str, args: [u64; 4]) -> Option<Result<u64, Fault>> {
        let [a, mode, ..] = args;
        Some(match name {
            "float_enabled" => self.float_enabled().map(|()| 0),
            "float_changed" => self.float_changed().map(|()| 0),
            "rounding_mode" => self.rounding_mode(a as u8).map(u64::from),
            "f32_to_f64" => self.f32_to_f64(a, mode as u8),
            "f64_to_f32" => self.f64_to_f32(a, mode as u8),
            _ => return self.arithmetic(name, args).or_else(|| self.conversion(name, a, mode as u8)),
        })
    }
}

/// What each format has: arithmetic, and comparisons without a mode.
macro_rules! operations {
    ($($format:ident: $add:ident $mul:ident $div:ident $sqrt:ident $fma:ident = $cx_add:ident $cx_mul:ident $cx_div:ident $cx_sqrt:ident $cx_fma:ident,
        $min:ident $max:ident $eq:ident $lt:ident $le:ident;)*) => {
        impl Machine {$(
            #[inline(always)]
            pub(crate) fn $add(&mut self, a: u64, b: u64, mode: u8) -> Result<u64, Fault> {
                Ok(self.float(mode, |cx| cx.$cx_add(a, b)))
            }
            #[inline(always)]
            pub(crate) fn $mul(&mut self, a: u64, b: u64, mode: u8) -> Result<u64, Fault> {
                Ok(self.float(mode, |cx| cx.$cx_mul(a, b)))
            }
            #[inline(always)]
            pub(crate) fn $div(&mut self, a: u64, b: u64, mode: u8) -> Result<u64, Fault> {
                Ok(self.float(mode, |cx| cx.$cx_div(a, b)))
            }
            #[inline(always)]
            pub(crate) fn $sqrt(&mut self, a: u64, mode: u8) -> Result<u64, Fault> {
                Ok(self.float(mode, |cx| cx.$cx_sqrt(a)))
            }
            #[inline(always)]
            pub(crate) fn $fma(&mut self, a: u64, b: u64, c: u64, mode: u8) -> Result<u64, Fault> {
                Ok(self.float(mode, |cx| cx.$cx_fma(a, b, c)))
            }
            #[inline(always)]
            pub(crate) fn $min(&mut self, a: u64, b: u64) -> Result<u64, Fault> {
                Ok(self.float(0, |cx| $format.extreme(a, b, false, true, cx)))
            }
            #[inline(always)]
            pub(crate) fn $max(&mut self, a: u64, b: u64) -> Result<u64, Fault> {
                Ok(self.float(0, |cx| $format.extreme(a, b, true, true, cx)))
            }
            #[inline(always)]
            pub(crate) fn $eq(&mut self, a: u64, b: u64) -> Result<u8, Fault> {
                Ok(self.float(0, |cx| $format.eq(a, b, cx)).into())
            }
            #[inline(always)]
            pub(crate) fn $lt(&mut self, a: u64, b: u64) -> Result<u8, Fault> {
                Ok(self.float(0, |cx| $format.lt(a, b, false, cx)).into())
            }
            #[inline(always)]
            pub(crate) fn $le(&mut self, a: u64, b: u64) -> Result<u8, Fault> {
                Ok(self.float(0, |cx| $format.le(a, b, false, cx)).into())
            }
        )*
            /// One of these by its name.
            fn arithmetic(&mut self, name: &str, [a, b, c, mode]: [u64; 4]) -> Option<Result<u64, Fault>> {
                Some(match name {
                    $(
                        stringify!($add) => self.$add(a, b, c as u8),
                        stringify!($mul) => self.$mul(a, b, c as u8),
                        stringify!($div) => self.$div(a, b, c as u8),
                        stringify!($sqrt) => self.$sqrt(a, b as u8),
                        stringify!($fma) => self.$fma(a, b, c, mode as u8),
                        stringify!($min) => self.$min(a, b),
                        stringify!($max) => self.$max(a, b),
                        stringify!($eq) => self.$eq(a, b).map(u64::from),
                        stringify!($lt) => self.$lt(a, b).map(u64::from),
                        stringify!($le) => self.$le(a, b).map(u64::from),
                    )*
                    _ => return None,
                })
            }
        }
    };
}

operations! {
    SINGLE: f32_add f32_mul f32_div f32_sqrt f32_fma = add32 mul32 div32 sqrt32 fma32, f32_min f32_max f32_eq f32_lt f32_le;
    DOUBLE: f64_add f64_mul f64_div f64_sqrt f64_fma = add64 mul64 div64 sqrt64 fma64, f64_min f64_max f64_eq f64_lt f64_le;
}

/// Conversions from and to integers.
macro_rules! integers {
    ($($format:ident: $($to:ident $of:ident $width:literal $signed:literal),*;)*) => {
        impl Machine {$($(
            #[inline(always)]
            pub(crate) fn $to(&mut self, a: u64, mode: u8) -> Result<u64, Fault> {
                Ok(self.float(mode, |cx| $format.to_integer(a, Integer { width: $width, signed: $signed }, cx)))
            }
            #[inline(always)]
            pub(crate) fn $of(&mut self, a: u64, mode: u8) -> Result<u64, Fault> {
                let a = if $width == 32 && $signed { a as u32 as i32 as u64 } else { a };
                Ok(self.float(mode, |cx| $format.of_integer(a, $signed, cx)))
            }
        )*)*
            /// One of these by its name.
            fn conversion(&mut self, name: &str, a: u64, mode: u8) -> Option<Result<u64, Fault>> {
                Some(match name {
                    $($(
                        stringify!($to) => self.$to(a, mode),
                        stringify!($of) => self.$of(a, mode),
                    )*)*
                    _ => return None,
                })
            }
        }
    };
}

integers! {
    SINGLE: f32_to_i32 i32_to_f32 32 true, f32_to_u32 u32_to_f32 32 false, f32_to_i64 i64_to_f32 64 true, f32_to_u64 u64_to_f32 64 false;
    DOUBLE: f64_to_i32 i32_to_f64 32 true, f64_to_u32 u32_to_f64 32 false, f64_to_i64 i64_to_f64 64 true, f64_to_u64 u64_to_f64 64 false;
}
