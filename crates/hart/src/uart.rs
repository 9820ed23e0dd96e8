//! A serial port with the registers of a 16550, a byte each. What the program sends goes to the host's standard output, and what it
//! receives comes from standard input. It is source 10 of the interrupt controller.
//!
//! | offset | read | written |
//! |---|---|---|
//! | 0 | RBR: the byte that was received | THR: a byte to send |
//! | 1 | IER | IER: bit 0 interrupts when a byte was received, bit 1 when one can be sent |
//! | 2 | IIR: the interrupt of the highest priority | FCR: bit 0 the queues, bit 1 forgets the byte that was received, bits 7:6 how full a queue interrupts |
//! | 3 | LCR | LCR: bit 7 puts the divisor in place of registers 0 and 1; the rest is kept |
//! | 4 | MCR | MCR: bit 4 receives what is sent |
//! | 5 | LSR: bit 0 a byte was received, bits 5 and 6 one can be sent | – |
//! | 6 | MSR: the lines of a port that is connected, or with bit 4 of MCR those of MCR | – |
//! | 7 | SCR | SCR |
//!
//! Sending takes no time. Invariant: the port holds one byte that was received, and asks for the next only when that was read; so where the host
//! has all input at once, what a program sees does not depend on how a run is divided. Where memory is at these addresses, memory it is.

/// Bytes of the device.
const LENGTH: u64 = 8;
/// Its number at the interrupt controller.
pub(crate) const SOURCE: u32 = 10;

/// Of IER.
const RECEIVED: u8 = 1;
const SENT: u8 = 2;
/// Of LCR: the divisor is there.
const DIVISOR: u8 = 0x80;
/// Of MCR.
const LOOP: u8 = 0x10;
/// Of IIR.
const NONE: u8 = 1;
const CAN_SEND: u8 = 2;
const HAS_BYTE: u8 = 4;
/// A byte waits in a queue that is not full enough to interrupt by itself.
const HAS_WAITED: u8 = 12;
const QUEUES: u8 = 0xc0;

/// The device.
#[derive(Clone, Debug)]
pub(crate) struct Uart {
    /// Its first address, if the machine has it.
    pub(crate) base: Option<u64>,
    received: Option<u8>,
    /// A byte was sent, or asking for this interrupt began, and IIR has not told of it.
    has_sent: bool,
    divisor: [u8; 2],
    enabled: u8,
    queues: u8,
    line: u8,
    modem: u8,
    scratch: u8,
    /// Sent, and not handed on.
    pub(crate) sent: Vec<u8>,
    /// The program has looked for a byte.
    is_read: bool,
    /// The program has used it since somebody looked.
    pub(crate) was_used: bool,
    /// There is no more input.
    pub(crate) has_ended: bool,
}

impl Uart {
    pub(crate) fn new() -> Uart {
        Uart {
            base: None,
            received: None,
            has_sent: false,
            divisor: [12, 0],
            enabled: 0,
            queues: 0,
            line: 0,
            modem: 8,
            scratch: 0,
            sent: Vec::new(),
            is_read: false,
            was_used: false,
            has_ended: false,
        }
    }

    /// The offset of an access in the device. One of any length is to the register at its address.
    pub(crate) fn offset(&self, at: u64, length: u64) -> Option<u64> {
        at.checked_sub(self.base?).filter(|&offset| offset + length <= LENGTH)
    }

    /// Whether any of a region is where the device is.
    pub(crate) fn meets(&self, first: u64, length: u64) -> bool {
        self.base.is_some_and(|base| first < base.saturating_add(LENGTH) && base < first.saturating_add(length))
    }

    /// Which interrupt there is.
    fn reason(&self) -> u8 {
        if self.received.is_some() && self.enabled & RECEIVED != 0 {
            return if self.queues & 1 == 1 && self.queues & QUEUES != 0 { HAS_WAITED } else { HAS_BYTE };
        }
        if self.has_sent && self.enabled & SENT != 0 { CAN_SEND } else { NONE }
    }

    /// Whether it interrupts.
    pub(crate) fn asks(&self) -> bool {
        self.reason() != NONE
    }

    /// Whether it can take a byte from outside.
    fn is_open(&self) -> bool {
        self.received.is_none() && self.modem & LOOP == 0
    }

    /// Whether it takes a byte from outside as soon as there is one.
    pub(crate) fn wants_input(&self) -> bool {
        self.is_read && self.is_open() && !self.has_ended
    }

    /// Whether a byte would interrupt.
    pub(crate) fn listens(&self) -> bool {
        self.is_open() && self.enabled & RECEIVED != 0
    }

    /// A byte comes from outside.
    pub(crate) fn receive(&mut self, byte: u8) {
        self.received = Some(byte);
    }

    pub(crate) fn load(&mut self, offset: u64) -> u8 {
        self.was_used = true;
        self.is_read |= matches!(offset, 0 | 5) && self.line & DIVISOR == 0;
        match offset {
            0 | 1 if self.line & DIVISOR != 0 => self.divisor[usize::from(offset == 1)],
            0 => self.received.take().unwrap_or(0),
            1 => self.enabled,
            2 => {
                let reason = self.reason();
                self.has_sent &= reason != CAN_SEND;
                reason | if self.queues & 1 == 1 { QUEUES } else { 0 }
            }
            3 => self.line,
            4 => self.modem,
            5 => 0x60 | u8::from(self.received.is_some()),
            6 if self.modem & LOOP != 0 => (self.modem & 0xc) << 4 | (self.modem & 2) << 3 | (self.modem & 1) << 5,
            6 => 0xb0,
            7 => self.scratch,
            _ => 0,
        }
    }

    pub(crate) fn store(&mut self, offset: u64, value: u8) {
        self.was_used = true;
        match offset {
            0 | 1 if self.line & DIVISOR != 0 => self.divisor[usize::from(offset == 1)] = value,
            0 => {
                self.has_sent = true;
                if self.modem & LOOP == 0 { self.sent.push(value) } else { self.received = Some(value) }
            }
            1 => {
                self.has_sent |= value & !self.enabled & SENT != 0;
                self.enabled = value & 0xf;
                self.is_read |= value & RECEIVED != 0;
            }
            2 => {
                // Queues that come or go are empty.
                if value & 2 != 0 || (value ^ self.queues) & 1 != 0 {
                    self.received = None;
                }
                self.queues = if value & 1 == 1 { value & (QUEUES | 1) } else { 0 };
            }
            3 => self.line = value,
            4 => self.modem = value & 0x1f,
            7 => self.scratch = value,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Uart;

    #[test]
    fn what_is_sent_in_a_loop_is_received() {
        let mut uart = Uart::new();
        uart.store(4, 0x13);
        uart.store(0, 0x41);
        assert!(uart.sent.is_empty() && !uart.wants_input());
        assert_eq!((uart.load(5), uart.load(0), uart.load(5), uart.load(6)), (0x61, 0x41, 0x60, 0x30));
    }

    #[test]
    fn the_divisor_is_in_place_of_two_registers() {
        let mut uart = Uart::new();
        uart.store(1, 3);
        uart.store(3, 0x83);
        uart.store(0, 1);
        uart.store(1, 2);
        assert_eq!((uart.load(0), uart.load(1)), (1, 2));
        uart.store(3, 3);
        assert_eq!(uart.load(1), 3);
        assert!(uart.sent.is_empty());
    }

    #[test]
    fn a_byte_comes_before_room_for_one() {
        let mut uart = Uart::new();
        uart.store(1, 3);
        uart.receive(7);
        assert_eq!([uart.load(2), uart.load(0), uart.load(2), uart.load(2)], [4, 7, 2, 1]);
        assert!(!uart.asks());
        uart.store(2, 0xc1);
        uart.receive(8);
        assert_eq!(uart.load(2), 0xcc);
    }
}
