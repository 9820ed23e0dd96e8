//! The floating-point part of a hart: the control register, whether it is on, and what the description declares as external.
//!
//! Invariant: where there are no registers for it (`Float::fixed`), its status is always "off" or always "on" and `mstatus` says
//! 0. The registers themselves are with the integer registers, from `FLOATS` on, so that the executor reaches both alike.
//!
//! What the executor calls is never part of it: in its loop these places of the machine would take registers from all other
//! instructions, which is measured at one instruction in each of them.

use crate::float::{Context, DOUBLE, HALF, Integer, SINGLE};
use crate::machine::{Cause, Fault, Machine};

/// Its state was written since somebody said that it is clean.
pub(crate) const DIRTY: u8 = 3;
/// It is as after a reset.
const INITIAL: u8 = 1;
/// The mode that says that the control register has it.
pub(crate) const DYNAMIC: u8 = 7;
/// The modes from this one on are reserved.
pub(crate) const RESERVED: u8 = 5;

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

/// Where machine code has them.
#[cfg(feature = "jit")]
impl Float {
    pub(crate) const STATUS: usize = std::mem::offset_of!(Float, status);
    pub(crate) const MODE: usize = std::mem::offset_of!(Float, mode);
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
            RESERVED.. => Some(FloatTrouble::Mode(self.mode)),
            _ => None,
        }
    }

    /// The dynamic rounding mode and the flags.
    pub(crate) fn context(&self) -> Context {
        Context { mode: self.mode, flags: self.flags }
    }

    /// Takes the flags that an operation on such a context left.
    pub(crate) fn collect(&mut self, flags: u8) {
        self.flags = flags;
        self.changed();
    }

    /// `fcsr`: flags, and above them the mode.
    pub(crate) fn control(&self) -> u64 {
        u64::from(self.flags) | u64::from(self.mode) << 5
    }

    pub(crate) fn set_control(&mut self, value: u64) {
        (self.flags, self.mode) = (value as u8 & 0x1f, value as u8 >> 5);
        self.changed();
    }

    /// Whether `mstatus` has its status.
    pub(crate) fn has_status(&self) -> bool {
        !self.fixed
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
    #[inline(never)]
    pub(crate) fn float_enabled(&mut self) -> Result<(), Fault> {
        if self.csrs.float.is_on() { Ok(()) } else { Err(Fault::new(Cause::Illegal, 0)) }
    }

    #[inline(never)]
    pub(crate) fn float_changed(&mut self) -> Result<(), Fault> {
        self.csrs.float.changed();
        Ok(())
    }

    #[inline(never)]
    pub(crate) fn rounding_mode(&mut self, mode: u8) -> Result<u8, Fault> {
        let float = &self.csrs.float;
        let mode = if mode == DYNAMIC { float.mode } else { mode };
        if float.is_on() && mode < RESERVED { Ok(mode) } else { Err(Fault::new(Cause::Illegal, 0)) }
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
}

impl Machine {
    /// What the description declares as external for floating point, by its name; `None` for any other name.
    pub(crate) fn float_call(&mut self, name: &str, args: [u64; 4]) -> Option<Result<u64, Fault>> {
        let [a, mode, ..] = args;
        Some(match name {
            "float_enabled" => self.float_enabled().map(|()| 0),
            "float_changed" => self.float_changed().map(|()| 0),
            "rounding_mode" => self.rounding_mode(a as u8).map(u64::from),
            "f64_to_i32_modular" => self.f64_to_i32_modular(a),
            _ => {
                let found = self.arithmetic(name, args).or_else(|| self.conversion(name, a, mode as u8));
                return found.or_else(|| self.between(name, a, mode as u8));
            }
        })
    }
}

/// From one format to another.
macro_rules! formats {
    ($($name:ident $from:ident $a:ty => $to:ident $result:ty;)*) => {
        impl Machine {
            $(
                #[inline(never)]
                pub(crate) fn $name(&mut self, a: $a, mode: u8) -> Result<$result, Fault> {
                    Ok(self.float(mode, |cx| $from.convert(a.into(), $to, cx)) as $result)
                }
            )*
            /// One of these by its name.
            fn between(&mut self, name: &str, a: u64, mode: u8) -> Option<Result<u64, Fault>> {
                Some(match name {
                    $(stringify!($name) => self.$name(a as $a, mode).map(u64::from),)*
                    _ => return None,
                })
            }
        }
    };
}

formats! {
    f16_to_f32 HALF u16 => SINGLE u64;
    f16_to_f64 HALF u16 => DOUBLE u64;
    f32_to_f16 SINGLE u64 => HALF u16;
    f32_to_f64 SINGLE u64 => DOUBLE u64;
    f64_to_f16 DOUBLE u64 => HALF u16;
    f64_to_f32 DOUBLE u64 => SINGLE u64;
}

impl Machine {
    /// The low 32 bits of a number's integer part.
    #[inline(never)]
    pub(crate) fn f64_to_i32_modular(&mut self, a: u64) -> Result<u64, Fault> {
        Ok(self.float(0, |cx| DOUBLE.to_integer_modular(a, cx)).into())
    }
}

/// What each format has: arithmetic, and comparisons without a mode.
macro_rules! operations {
    ($($format:ident $type:ty: $add:ident $mul:ident $div:ident $sqrt:ident $fma:ident = $cx_add:ident $cx_mul:ident $cx_div:ident $cx_sqrt:ident $cx_fma:ident,
        $min:ident $max:ident $eq:ident $lt:ident $le:ident,
        $minimum:ident $maximum:ident $lt_quiet:ident $le_quiet:ident $round:ident $round_inexact:ident;)*) => {
        impl Machine {$(
            #[inline(never)]
            pub(crate) fn $add(&mut self, a: $type, b: $type, mode: u8) -> Result<$type, Fault> {
                Ok(self.float(mode, |cx| cx.$cx_add(a.into(), b.into())) as $type)
            }
            #[inline(never)]
            pub(crate) fn $mul(&mut self, a: $type, b: $type, mode: u8) -> Result<$type, Fault> {
                Ok(self.float(mode, |cx| cx.$cx_mul(a.into(), b.into())) as $type)
            }
            #[inline(never)]
            pub(crate) fn $div(&mut self, a: $type, b: $type, mode: u8) -> Result<$type, Fault> {
                Ok(self.float(mode, |cx| cx.$cx_div(a.into(), b.into())) as $type)
            }
            #[inline(never)]
            pub(crate) fn $sqrt(&mut self, a: $type, mode: u8) -> Result<$type, Fault> {
                Ok(self.float(mode, |cx| cx.$cx_sqrt(a.into())) as $type)
            }
            #[inline(never)]
            pub(crate) fn $fma(&mut self, a: $type, b: $type, c: $type, mode: u8) -> Result<$type, Fault> {
                Ok(self.float(mode, |cx| cx.$cx_fma(a.into(), b.into(), c.into())) as $type)
            }
            #[inline(never)]
            pub(crate) fn $min(&mut self, a: $type, b: $type) -> Result<$type, Fault> {
                Ok(self.float(0, |cx| $format.extreme(a.into(), b.into(), false, true, cx)) as $type)
            }
            #[inline(never)]
            pub(crate) fn $max(&mut self, a: $type, b: $type) -> Result<$type, Fault> {
                Ok(self.float(0, |cx| $format.extreme(a.into(), b.into(), true, true, cx)) as $type)
            }
            #[inline(never)]
            pub(crate) fn $eq(&mut self, a: $type, b: $type) -> Result<u8, Fault> {
                Ok(self.float(0, |cx| $format.eq(a.into(), b.into(), cx)).into())
            }
            #[inline(never)]
            pub(crate) fn $lt(&mut self, a: $type, b: $type) -> Result<u8, Fault> {
                Ok(self.float(0, |cx| $format.lt(a.into(), b.into(), false, cx)).into())
            }
            #[inline(never)]
            pub(crate) fn $le(&mut self, a: $type, b: $type) -> Result<u8, Fault> {
                Ok(self.float(0, |cx| $format.le(a.into(), b.into(), false, cx)).into())
            }
            #[inline(never)]
            pub(crate) fn $minimum(&mut self, a: $type, b: $type) -> Result<$type, Fault> {
                Ok(self.float(0, |cx| $format.extreme(a.into(), b.into(), false, false, cx)) as $type)
            }
            #[inline(never)]
            pub(crate) fn $maximum(&mut self, a: $type, b: $type) -> Result<$type, Fault> {
                Ok(self.float(0, |cx| $format.extreme(a.into(), b.into(), true, false, cx)) as $type)
            }
            #[inline(never)]
            pub(crate) fn $lt_quiet(&mut self, a: $type, b: $type) -> Result<u8, Fault> {
                Ok(self.float(0, |cx| $format.lt(a.into(), b.into(), true, cx)).into())
            }
            #[inline(never)]
            pub(crate) fn $le_quiet(&mut self, a: $type, b: $type) -> Result<u8, Fault> {
                Ok(self.float(0, |cx| $format.le(a.into(), b.into(), true, cx)).into())
            }
            #[inline(never)]
            pub(crate) fn $round(&mut self, a: $type, mode: u8) -> Result<$type, Fault> {
                Ok(self.float(mode, |cx| $format.round_to_integral(a.into(), false, cx)) as $type)
            }
            #[inline(never)]
            pub(crate) fn $round_inexact(&mut self, a: $type, mode: u8) -> Result<$type, Fault> {
                Ok(self.float(mode, |cx| $format.round_to_integral(a.into(), true, cx)) as $type)
            }
        )*
            /// One of these by its name.
            fn arithmetic(&mut self, name: &str, [a, b, c, mode]: [u64; 4]) -> Option<Result<u64, Fault>> {
                Some(match name {
                    $(
                        stringify!($add) => self.$add(a as $type, b as $type, c as u8).map(u64::from),
                        stringify!($mul) => self.$mul(a as $type, b as $type, c as u8).map(u64::from),
                        stringify!($div) => self.$div(a as $type, b as $type, c as u8).map(u64::from),
                        stringify!($sqrt) => self.$sqrt(a as $type, b as u8).map(u64::from),
                        stringify!($fma) => self.$fma(a as $type, b as $type, c as $type, mode as u8).map(u64::from),
                        stringify!($min) => self.$min(a as $type, b as $type).map(u64::from),
                        stringify!($max) => self.$max(a as $type, b as $type).map(u64::from),
                        stringify!($eq) => self.$eq(a as $type, b as $type).map(u64::from),
                        stringify!($lt) => self.$lt(a as $type, b as $type).map(u64::from),
                        stringify!($le) => self.$le(a as $type, b as $type).map(u64::from),
                        stringify!($minimum) => self.$minimum(a as $type, b as $type).map(u64::from),
                        stringify!($maximum) => self.$maximum(a as $type, b as $type).map(u64::from),
                        stringify!($lt_quiet) => self.$lt_quiet(a as $type, b as $type).map(u64::from),
                        stringify!($le_quiet) => self.$le_quiet(a as $type, b as $type).map(u64::from),
                        stringify!($round) => self.$round(a as $type, b as u8).map(u64::from),
                        stringify!($round_inexact) => self.$round_inexact(a as $type, b as u8).map(u64::from),
                    )*
                    _ => return None,
                })
            }
        }
    };
}

operations! {
    HALF u16: f16_add f16_mul f16_div f16_sqrt f16_fma = add16 mul16 div16 sqrt16 fma16, f16_min f16_max f16_eq f16_lt f16_le,
        f16_minimum f16_maximum f16_lt_quiet f16_le_quiet f16_round f16_round_inexact;
    SINGLE u64: f32_add f32_mul f32_div f32_sqrt f32_fma = add32 mul32 div32 sqrt32 fma32, f32_min f32_max f32_eq f32_lt f32_le,
        f32_minimum f32_maximum f32_lt_quiet f32_le_quiet f32_round f32_round_inexact;
    DOUBLE u64: f64_add f64_mul f64_div f64_sqrt f64_fma = add64 mul64 div64 sqrt64 fma64, f64_min f64_max f64_eq f64_lt f64_le,
        f64_minimum f64_maximum f64_lt_quiet f64_le_quiet f64_round f64_round_inexact;
}

/// Conversions from and to integers.
macro_rules! integers {
    ($($format:ident $type:ty: $($to:ident $of:ident $width:literal $signed:literal),*;)*) => {
        impl Machine {$($(
            #[inline(never)]
            pub(crate) fn $to(&mut self, a: $type, mode: u8) -> Result<u64, Fault> {
                Ok(self.float(mode, |cx| $format.to_integer(a.into(), Integer { width: $width, signed: $signed }, cx)))
            }
            #[inline(never)]
            pub(crate) fn $of(&mut self, a: u64, mode: u8) -> Result<$type, Fault> {
                let a = if $width == 32 && $signed { a as u32 as i32 as u64 } else { a };
                Ok(self.float(mode, |cx| $format.of_integer(a, $signed, cx)) as $type)
            }
        )*)*
            /// One of these by its name.
            fn conversion(&mut self, name: &str, a: u64, mode: u8) -> Option<Result<u64, Fault>> {
                Some(match name {
                    $($(
                        stringify!($to) => self.$to(a as $type, mode),
                        stringify!($of) => self.$of(a, mode).map(u64::from),
                    )*)*
                    _ => return None,
                })
            }
        }
    };
}

integers! {
    HALF u16: f16_to_i32 i32_to_f16 32 true, f16_to_u32 u32_to_f16 32 false, f16_to_i64 i64_to_f16 64 true, f16_to_u64 u64_to_f16 64 false;
    SINGLE u64: f32_to_i32 i32_to_f32 32 true, f32_to_u32 u32_to_f32 32 false, f32_to_i64 i64_to_f32 64 true, f32_to_u64 u64_to_f32 64 false;
    DOUBLE u64: f64_to_i32 i32_to_f64 32 true, f64_to_u32 u32_to_f64 32 false, f64_to_i64 i64_to_f64 64 true, f64_to_u64 u64_to_f64 64 false;
}
