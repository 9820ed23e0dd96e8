//! The host-target interface (HTIF) as the RISC-V tests and the proxy kernel use it.
//!
//! A program stores a command to the double word `tohost`: the device in the highest byte, the command in the one below, and 48 bits
//! of payload. The host sets `tohost` to 0 and answers in `fromhost`, once the program has set that to 0.
//!
//! | device | command | is |
//! |---|---|---|
//! | 0 | 0 | with bit 0: the end of the run, the exit code above it. Else a system call: eight double words at the payload |
//! | 1 | 0 | reads a character; the answer is 0x100 and the character |
//! | 1 | 1 | prints a character |
//!
//! The problem: RV32 stores a command in two halves, in either order, and some programs store only one. Invariant: a command is acted on
//! at the store that makes all its bytes new, or [`PATIENCE`] instructions after the first that did not. A store to
//! these double words is always the last of what runs at one go, so blocks and single steps do the same.

use std::collections::VecDeque;

use crate::hart::{Hart, Stop};
use crate::limits::PATIENCE;
use crate::syscall::{self, Call, Outcome, Place};

/// Where the two double words are, and what is under way.
#[derive(Debug)]
pub(crate) struct Htif {
    tohost: Option<u64>,
    fromhost: Option<u64>,
    /// Bytes of a command that have been stored, a bit each.
    bytes: u8,
    /// Instructions until a command acts that is not all stored; the highest number if there is none.
    pub(crate) due: u64,
    answers: VecDeque<u64>,
}

impl Htif {
    pub(crate) fn new() -> Htif {
        Htif { tohost: None, fromhost: None, bytes: 0, due: u64::MAX, answers: VecDeque::new() }
    }
}

impl Hart<'_> {
    /// Stores to the double word at this address are commands for the host (HTIF): an exit code, a character, a system call.
    pub fn set_tohost(&mut self, address: u64) {
        self.htif.tohost = Some(address & !7);
        self.machine().memory.watch(0, address);
    }

    /// The double word at this address gets the host's answers.
    pub fn set_fromhost(&mut self, address: u64) {
        self.htif.fromhost = Some(address & !7);
        self.machine().memory.watch(1, address);
    }

    /// Looks at what was stored for the host, after so many instructions.
    pub(crate) fn attend(&mut self, ran: u64) -> Option<Stop> {
        let memory = &mut self.machine().memory;
        memory.attention = false;
        let mut stop = self.serial();
        let memory = &mut self.machine().memory;
        // What a device asks for now is looked at before the next instruction.
        let device_changed = std::mem::take(&mut memory.device_changed);
        self.machine().csrs.recheck |= device_changed;
        let memory = &mut self.machine().memory;
        let [new, answered] = std::mem::take(&mut memory.stored);
        if memory.overwritten {
            self.code_changed();
        }
        self.enter_space();
        let htif = &mut self.htif;
        if new == 0 && htif.due != u64::MAX {
            htif.due = htif.due.saturating_sub(ran);
        }
        htif.bytes |= new;
        if htif.bytes == 0xff || htif.due == 0 {
            (htif.bytes, htif.due) = (0, u64::MAX);
            stop = self.command().or(stop);
        } else if new != 0 && htif.due == u64::MAX {
            htif.due = PATIENCE;
        }
        if answered != 0 {
            self.answer();
        }
        // So that the next instructions are counted, too.
        let is_open = self.htif.due != u64::MAX;
        self.machine().memory.attention |= is_open;
        stop
    }

    fn double_word(&mut self, address: u64) -> u64 {
        self.machine().memory.double_word(address)
    }

    /// Acts on a command.
    fn command(&mut self) -> Option<Stop> {
        let tohost = self.htif.tohost?;
        let value = self.double_word(tohost);
        let (device, command, payload) = (value >> 56, value >> 48 & 0xff, value & 0xffff_ffff_ffff);
        if value == 0 {
            return None;
        }
        if value >> 48 == 0 && value & 1 == 1 {
            return Some(Stop::Tohost(value));
        }
        // It was loaded from there.
        let _ = self.machine().memory.write(tohost, &[0; 8]);
        match (device, command) {
            (0, 0) => {
                let stop = self.proxy(payload);
                if stop.is_some() {
                    return stop;
                }
                self.htif.answers.push_back(1);
            }
            (1, 0) => {
                // At the end of the input there is no answer.
                let read = self.host().read(0, 1).ok().and_then(|bytes| bytes.first().copied());
                self.htif.answers.extend(read.map(|byte| 1 << 56 | 0x100 | u64::from(byte)));
            }
            (1, 1) => {
                let _ = self.host().write(1, &[payload as u8]);
            }
            _ => self.unknown(format!("command {command} of device {device}, through `tohost`")),
        }
        self.answer();
        None
    }

    /// Does a system call: its number and arguments are double words at this address, and its result takes the place of the number.
    fn proxy(&mut self, address: u64) -> Option<Stop> {
        let mut words = [0; 8];
        for (place, at) in words.iter_mut().zip(0..) {
            *place = self.double_word(address.wrapping_add(8 * at));
        }
        let [number, args @ ..] = words;
        let (machine, host) = self.outside();
        let mut call = Call { memory: &mut machine.memory, host, xlen: 64, args: &args, place: Place::NONE };
        let result = match syscall::file(&mut call, number) {
            Outcome::Value(value) => value,
            Outcome::Exit(code) => return Some(Stop::Exit(code)),
            Outcome::Unknown => {
                self.unknown(format!("system call {number}, through `tohost`"));
                syscall::error(crate::host::Errno::NO_CALL)
            }
        };
        let _ = self.machine().memory.write(address, &result.to_le_bytes());
        None
    }

    /// Gives the next answer, if the program has taken the one before.
    fn answer(&mut self) {
        let Some(fromhost) = self.htif.fromhost else {
            self.htif.answers.clear();
            return;
        };
        if self.double_word(fromhost) == 0
            && let Some(answer) = self.htif.answers.pop_front()
        {
            let _ = self.machine().memory.write(fromhost, &answer.to_le_bytes());
        }
    }
}
