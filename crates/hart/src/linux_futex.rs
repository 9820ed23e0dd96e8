//! `futex` of a process of Linux: threads that wait at an address until others wake them.
//!
//! Who came first is woken first. Those of priority inheritance are not there; libraries use them only where a program asks for that.

use crate::hart::Hart;
use crate::host::Errno;
use crate::linux::Done;
use crate::syscall;
use crate::threads::State;

impl Hart<'_> {
    /// `futex`.
    pub(crate) fn futex(&mut self, args: [u64; 6]) -> Done {
        let [address, operation, value, fourth, second, third] = args;
        let bits = third as u32;
        // Counts are numbers with sign.
        let most = |n: u64| u64::try_from(n as i32).unwrap_or(0);
        self.has_done();
        let result = match operation & 0x7f {
            0 => return self.futex_wait(address, value as u32, u32::MAX, (fourth, false)),
            9 => return self.futex_wait(address, value as u32, bits, (fourth, true)),
            1 => Ok(self.wake_threads(address, value as i32, u32::MAX)),
            10 if bits == 0 => Err(Errno::INVALID),
            10 => Ok(self.wake_threads(address, value as i32, bits)),
            4 if self.small(address) != Ok(bits) => Err(self.small(address).err().unwrap_or(Errno::AGAIN)),
            3 | 4 => {
                let woken = self.wake_threads(address, value as i32, u32::MAX);
                let moved = self.threads().map_or(0, |threads| threads.move_waiters(address, second, most(fourth)));
                Ok(woken + moved)
            }
            5 => self.futex_wake_op(address, value as i32, second, (fourth as i32, bits)),
            other => {
                self.unknown(format!("futex operation {other}"));
                Err(Errno::NO_CALL)
            }
        };
        Done::Value(result.unwrap_or_else(syscall::error))
    }

    /// Wakes at least one, as Linux does.
    fn wake_threads(&mut self, address: u64, most: i32, bits: u32) -> u64 {
        self.threads().map_or(0, |threads| threads.wake(address, most.max(1) as u64, bits))
    }

    fn futex_wait(&mut self, address: u64, value: u32, bits: u32, (time, is_absolute): (u64, bool)) -> Done {
        let refuse = |e: Errno| Done::Value(syscall::error(e));
        if address & 3 != 0 || bits == 0 {
            return refuse(Errno::INVALID);
        }
        match self.small(address) {
            Err(e) => return refuse(e),
            Ok(now) if now != value => return refuse(Errno::AGAIN),
            Ok(_) => {}
        }
        let until = match time {
            0 => None,
            at => match self.time_at(at) {
                Err(e) => return refuse(e),
                Ok(time) if is_absolute => Some(time),
                Ok(time) => Some(self.host().now().saturating_add(time)),
            },
        };
        let since = self.threads().map_or(0, |threads| {
            threads.order += 1;
            threads.order
        });
        Done::Moved(self.leave(State::Waits { address, bits, until, since }))
    }

    /// Changes a second word, wakes at the first, and at the second if its old value was so.
    fn futex_wake_op(&mut self, first: u64, most: i32, second: u64, (more, how): (i32, u32)) -> Result<u64, Errno> {
        let old = self.small(second)?;
        let signed = |bits: u32| (bits << 20) as i32 >> 20;
        let operand = signed(how >> 12 & 0xfff) as u32;
        let operand = if how >> 31 == 1 { 1_u32.wrapping_shl(operand) } else { operand };
        let new = match how >> 28 & 7 {
            0 => operand,
            1 => old.wrapping_add(operand),
            2 => old | operand,
            3 => old & !operand,
            4 => old ^ operand,
            _ => return Err(Errno::NO_CALL),
        };
        let (was, against) = (old as i32, signed(how & 0xfff));
        let holds = match how >> 24 & 15 {
            0 => was == against,
            1 => was != against,
            2 => was < against,
            3 => was <= against,
            4 => was > against,
            5 => was >= against,
            _ => return Err(Errno::NO_CALL),
        };
        self.put_small(second, new)?;
        let mut woken = self.wake_threads(first, most, u32::MAX);
        if holds {
            woken += self.wake_threads(second, more, u32::MAX);
        }
        Ok(woken)
    }
}
