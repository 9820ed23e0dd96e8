//! What each instruction reads and writes, to the byte, for dataflow.

use isaglot_listing::dataflow::{FileId, OperandId, Polarity, Program as Accesses, Role};

use crate::inst::{Desc, File, Form, Inst, NO_STRIDE, VXH, XeOperand, XeOperandKind};
use crate::isa::Xe;
use crate::message::{LoadStore, Unit};
use crate::stream::Program;

use super::blocks::Exit;
use super::building::{Before, Building};

/// The order of register files in listings.
pub(crate) const FILES: [&str; 5] = ["r", "acc", "s", "f", "a"];
/// The same as the keys of an object of numbers.
pub(super) const FILE_KEYS: [&str; 5] = ["{\"r\":", ",\"acc\":", ",\"s\":", ",\"f\":", ",\"a\":"];
const R: FileId = FileId(0);
pub(crate) const ACC: FileId = FileId(1);
const S: FileId = FileId(2);
pub(crate) const F: FileId = FileId(3);
pub(crate) const A: FileId = FileId(4);

/// Registers that a message of unknown length is taken to touch: destination, addresses, data.
const UNKNOWN_LENGTHS: [u32; 3] = [8, 4, 8];

/// Channels that a scattered message of the first data ports has at most.
const SCATTERED_CHANNELS: u32 = 16;

/// Bytes of an address of code. A call leaves two: where to go on, and the channels that do.
const CODE_ADDRESS: u32 = 4;

/// No operand.
pub(crate) const NONE: OperandId = OperandId::MAX;

/// The operands of one instruction in the dataflow problem.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ids {
    pub(crate) dst: OperandId,
    /// The address of an indirect destination.
    pub(crate) dst_address: OperandId,
    pub(crate) srcs: [OperandId; 3],
    pub(crate) pred: OperandId,
    pub(crate) fm: OperandId,
    pub(crate) implicit_read: OperandId,
    pub(crate) implicit_write: OperandId,
    pub(crate) desc: OperandId,
    pub(crate) exdesc: OperandId,
}

impl Default for Ids {
    fn default() -> Ids {
        Ids {
            dst: NONE,
            dst_address: NONE,
            srcs: [NONE; 3],
            pred: NONE,
            fm: NONE,
            implicit_read: NONE,
            implicit_write: NONE,
            desc: NONE,
            exdesc: NONE,
        }
    }
}

/// How an operation uses the accumulator without saying so.
pub(crate) fn implicit_acc(op: &str) -> (bool, bool) {
    match op {
        "mach" | "macl" | "subb" => (true, true),
        "mac" => (true, false),
        "addc" => (false, true),
        _ => (false, false),
    }
}

/// The region of a source as vertical stride, width and horizontal stride; a width is at least 1.
fn region(i: &Inst, n: usize) -> (u32, u32, u32) {
    let (v, w, h) = shown_region(i, n);
    (v, w.max(1), h)
}

/// The region of a source as listings show it: where strides make no sense, the width is 0.
pub(crate) fn shown_region(i: &Inst, n: usize) -> (u32, u32, u32) {
    let Some(o) = i.srcs.get(n) else { return (0, 1, 0) };
    let number = |s: u8| if s == NO_STRIDE || s == VXH { 0 } else { u32::from(s) };
    let (v, h) = (number(o.v), number(o.h));
    if matches!(i.form, Form::Ternary | Form::Bfn) {
        return match (n, v, h) {
            (2, _, k) => (k, 1, 0),
            (_, 0, 0) => (0, 1, 0),
            (_, v, 0) => (v, v, 0),
            (_, v, h) => (v, v / h, h),
        };
    }
    (v, if o.w == NO_STRIDE { 1 } else { u32::from(o.w).max(1) }, h)
}

impl<'d> Xe<'d> {
    /// The program as a dataflow problem, and the operands of each instruction. `exits` says where control goes from each
    /// block; with `compat`, instructions touch what `iga64` takes them to touch.
    pub(crate) fn accesses(&self, program: &Program, exits: &[Exit], compat: bool) -> (Accesses, Vec<Ids>) {
        let mut building = Building::new(self, &program.starts, exits, compat);
        let ids = program.entries.iter().map(|entry| building.add(self, entry.pc, entry.inst())).collect();
        (building.finish(program.starts.is_empty()), ids)
    }

    /// Whether a listing says what an instruction implies. With `compat`, a select implies its flag.
    pub(super) fn implies(&self, i: &Inst, compat: bool) -> bool {
        let info = self.op(i.op);
        let (reads, writes) = implicit_acc(info.name);
        reads || writes || i.opts.acc_wr || (compat && info.select && i.pred.is_some())
    }

    pub(super) fn access(&self, i: &Inst, before: &Before, out: &mut Accesses) -> Ids {
        let info = self.op(i.op);
        let mut ids = Ids::default();
        let es = u32::from(i.es);
        let flag_bit = (u32::from(i.flag.0) * 2 + u32::from(i.flag.1)) * 16 + u32::from(i.eo);
        let (first, count) = (flag_bit / 8, (es / 8).max(1));
        // Flags that reach beyond the file are none at all.
        let inside = first + count <= self.platform.file_bytes()[F.0 as usize];
        let flags = |out: &mut Accesses| out.run(F, first, if inside { count } else { 0 }, 0, 1);
        if i.pred.is_some() {
            flags(out);
            if !info.select {
                ids.pred = out.operand(Role::Predicate);
            } else if before.compat {
                ids.implicit_read = out.operand(Role::Read);
            } else {
                // It chooses a value; it is done either way.
                ids.pred = out.operand(Role::Read);
            }
        }
        if !self.text(i.cond).is_empty() && !info.select {
            flags(out);
            ids.fm = out.operand(Role::Write);
        }
        let (reads, writes) = implicit_acc(info.name);
        let acc_bytes = if matches!(info.name, "mach" | "macl") { 8 } else { i.dst.ty.bytes() } * es;
        if reads {
            out.run(ACC, 0, acc_bytes, 0, 1);
            ids.implicit_read = out.operand(Role::Read);
        }
        if writes || i.opts.acc_wr {
            out.run(ACC, 0, acc_bytes, 0, 1);
            ids.implicit_write = out.operand(Role::Write);
        }
        match i.form {
            Form::Send => self.send_access(i, before, &mut ids, out),
            Form::Dpas => self.dpas_access(i, &mut ids, out),
            Form::None | Form::Sync => {}
            _ => {
                self.dst_access(i, before.compat, &mut ids, out);
                for (n, o) in i.sources().iter().enumerate() {
                    let reads = match i.form.branches() && !before.compat {
                        true => self.code_address_access(i, o, out),
                        false => self.source_access(i, n, o, out),
                    };
                    if reads {
                        ids.srcs[n] = out.operand(Role::Read);
                    }
                }
            }
        }
        let polarity = |inv| if inv { Polarity::Inverted } else { Polarity::Normal };
        out.instruction(i.pred.filter(|_| inside && !info.select).map(|p| polarity(p.inv)));
        ids
    }

    /// The file that dataflow tracks, and the first byte of a register.
    fn place(&self, o: &XeOperand) -> Option<(FileId, u32)> {
        let reg = u32::from(o.reg);
        Some(match o.file {
            File::R => (R, reg * self.platform.grf_bytes()),
            File::ACC => (ACC, reg * self.platform.grf_bytes()),
            File::S => (S, reg * 32),
            File::F => (F, reg * 4),
            File::A => (A, reg * 32),
            _ => return None,
        })
    }

    fn dst_access(&self, i: &Inst, compat: bool, ids: &mut Ids, out: &mut Accesses) {
        let o = &i.dst;
        let es = u32::from(i.es);
        match o.kind {
            XeOperandKind::Indirect => {
                out.run(A, u32::from(o.sub) * 2, 2, 0, 1);
                ids.dst_address = out.operand(Role::Read);
            }
            XeOperandKind::Direct if i.form == Form::Call && !compat => {
                let Some((file, base)) = self.place(o) else { return };
                out.run(file, base + u32::from(o.sub), 2 * CODE_ADDRESS, 0, 1);
                ids.dst = out.operand(Role::Write);
            }
            XeOperandKind::Direct | XeOperandKind::Macro => {
                let Some((file, base)) = self.place(o) else { return };
                let wide = o.file == File::ACC
                    && self.op(i.op).name == "mul"
                    && matches!(o.ty, crate::types::Type::D | crate::types::Type::UD);
                let size = if wide { 8 } else { o.ty.bytes() };
                let start = if o.kind == XeOperandKind::Macro { 0 } else { u32::from(o.sub) / o.ty.bytes() * size };
                let h = if o.kind == XeOperandKind::Macro || o.h == NO_STRIDE { 1 } else { u32::from(o.h) };
                out.run(file, base + start, size, h * size, es);
                ids.dst = out.operand(Role::Write);
            }
            _ => {}
        }
    }

    /// Adds the bytes of a register that says where to go on. One address, but `ret` reads what a call has left, and `brc`
    /// where channels go and where they meet again.
    fn code_address_access(&self, i: &Inst, o: &XeOperand, out: &mut Accesses) -> bool {
        if o.kind != XeOperandKind::Direct {
            return o.kind == XeOperandKind::Indirect && self.source_access(i, 0, o, out);
        }
        let Some((file, base)) = self.place(o) else { return false };
        let count = if matches!(i.form, Form::Ret | Form::Brc) { 2 } else { 1 };
        out.run(file, base + u32::from(o.sub), count * CODE_ADDRESS, 0, 1);
        true
    }

    /// Adds the bytes of a source; whether there are any to track.
    fn source_access(&self, i: &Inst, n: usize, o: &XeOperand, out: &mut Accesses) -> bool {
        let es = u32::from(i.es);
        let size = o.ty.bytes();
        match o.kind {
            XeOperandKind::Indirect => {
                let count = if o.v == VXH && o.w != NO_STRIDE { (es / u32::from(o.w).max(1)).max(1) } else { 1 };
                out.run(A, u32::from(o.sub) * 2, 2 * count, 0, 1);
                true
            }
            XeOperandKind::Macro => {
                let Some((file, base)) = self.place(o) else { return false };
                out.run(file, base, size * es, 0, 1);
                true
            }
            XeOperandKind::Direct if i.form == Form::Ret => {
                let Some((file, base)) = self.place(o) else { return false };
                // The address and the channels that go on.
                out.run(file, base + u32::from(o.sub), 2 * size, 0, 1);
                true
            }
            XeOperandKind::Direct => {
                let Some((file, base)) = self.place(o) else { return false };
                let start = base + u32::from(o.sub) / size * size;
                let (v, w, h) = region(i, n);
                let rows = if v == 0 { 1 } else { (es / w).max(1) };
                match () {
                    // Rows that follow each other as the elements of a row do are one.
                    () if w == 1 => out.run(file, start, size, v * size, rows),
                    () if v == w * h => out.run(file, start, size, h * size, rows * w),
                    () => (0..rows).for_each(|row| out.run(file, start + row * v * size, size, h * size, w)),
                }
                true
            }
            _ => false,
        }
    }

    fn dpas_access(&self, i: &Inst, ids: &mut Ids, out: &mut Accesses) {
        let (es, depth, repeat) = (u32::from(i.es), u32::from(i.dpas.0), u32::from(i.dpas.1));
        let bits = |o: &XeOperand| o.ty.bits();
        let per_channel = 32 / bits(&i.srcs[1]).max(bits(&i.srcs[2])).clamp(1, 32);
        let start = |o: &XeOperand| self.place(o).map(|(file, base)| (file, base + u32::from(o.sub)));
        if let Some((file, at)) = start(&i.dst) {
            out.run(file, at, es * bits(&i.dst) * repeat / 8, 0, 1);
            ids.dst = out.operand(Role::Write);
        }
        let [s0, s1, s2] = &i.srcs;
        if let Some((file, at)) = start(s0) {
            out.run(file, at, es * bits(s0) * repeat / 8, 0, 1);
            ids.srcs[0] = out.operand(Role::Read);
        }
        if let Some((file, at)) = start(s1) {
            out.run(file, at, es * bits(s1) * per_channel * depth / 8, 0, 1);
            ids.srcs[1] = out.operand(Role::Read);
        }
        if let Some((file, at)) = start(s2) {
            let unit = per_channel * bits(s2);
            out.run(file, at, (depth * unit / 8).max(1), unit, repeat);
            ids.srcs[2] = out.operand(Role::Read);
        }
    }

    fn send_access(&self, i: &Inst, before: &Before, ids: &mut Ids, out: &mut Accesses) {
        // `a0.2` of a message is the third dword of `a0`; `iga64` takes it for the third word.
        let unit = if before.compat { 2 } else { 4 };
        let mut descriptor = |desc| {
            let Desc::Reg(sub) = desc else { return NONE };
            out.run(A, u32::from(sub) * unit, 4, 0, 1);
            out.operand(Role::Read)
        };
        (ids.exdesc, ids.desc) = (descriptor(i.exdesc), descriptor(i.desc));
        let (grf, es) = (self.platform.grf_bytes(), u32::from(i.es));
        let message = self.lsc_message(i).filter(|m| !m.block2d);
        let sizes = match (&message, self.message(i).and_then(|m| m.data)) {
            (Some(m), _) => message_bytes(i, m, grf),
            (None, Some(block)) => {
                let (address, data) = match block.unit {
                    Unit::Bytes(n) => (4, (n * block.count, n * block.count, 1)),
                    Unit::Scattered(size) => {
                        let channels = es.min(SCATTERED_CHANNELS);
                        let bytes = channels * size;
                        (channels * 4, (bytes, bytes.div_ceil(grf) * grf, block.count))
                    }
                };
                [Some(data), Some((address, address, 1)), Some(data)]
            }
            (None, None) => [None; 3],
        };
        let said = i.srcs[1].len;
        let data = if said < 0 { UNKNOWN_LENGTHS[2] } else { said as u32 };
        let lengths = match i.desc {
            Desc::Imm(desc) => {
                let lengths = self.lengths(desc);
                [lengths.dst, lengths.src0, data]
            }
            Desc::Reg(_) => [UNKNOWN_LENGTHS[0], UNKNOWN_LENGTHS[1], data],
        };
        let mut payload = |o: &XeOperand, n: usize, role| {
            let (file, base) = self.place(o)?;
            match sizes[n] {
                Some((bytes, stride, count)) => out.run(file, base, bytes, stride, count),
                // A register that is named is touched, if only one byte of it.
                None => out.run(file, base, (lengths[n] * grf).max(1), 0, 1),
            }
            Some(out.operand(role))
        };
        ids.dst = payload(&i.dst, 0, Role::Write).unwrap_or(NONE);
        ids.srcs[1] = payload(&i.srcs[1], 2, Role::Read).unwrap_or(NONE);
        if i.srcs[0].file == File::S {
            ids.srcs[0] = self.gather_access(i, before, out);
        } else {
            ids.srcs[0] = payload(&i.srcs[0], 1, Role::Read).unwrap_or(NONE);
        }
    }

    /// A gathered payload: the scalar register's bytes, which name registers; what they were last set to is looked for
    /// in the same block.
    fn gather_access(&self, i: &Inst, before: &Before, out: &mut Accesses) -> OperandId {
        let first = u32::from(i.srcs[0].sub);
        let count = if let Desc::Imm(desc) = i.desc { self.lengths(desc).src0 } else { UNKNOWN_LENGTHS[1] };
        out.run(S, first, count, 0, 1);
        let named = out.operand(Role::Read);
        let mut left: u32 = if count >= 32 { u32::MAX } else { (1 << count) - 1 };
        for e in before.scalars.iter().rev() {
            let known = self.op(e.op).name == "mov" && e.srcs[0].kind == XeOperandKind::Imm;
            if !known {
                break;
            }
            let at = u32::from(e.dst.sub);
            for byte in 0..e.dst.ty.bytes() * u32::from(e.es) {
                let Some(n) = (at + byte).checked_sub(first).filter(|n| *n < count && left >> n & 1 != 0) else {
                    continue;
                };
                left &= !(1 << n);
                // `iga64` looks for the ninth register and those after it in the same eight bytes, and finds 0.
                let beyond = before.compat && n >= 8;
                let reg = if beyond { 0 } else { (e.srcs[0].imm >> (8 * (byte % 8))) as u8 };
                out.run(R, u32::from(reg) * self.platform.grf_bytes(), self.platform.grf_bytes(), 0, 1);
            }
            if left == 0 {
                break;
            }
        }
        out.operand(Role::Read);
        named
    }
}

/// Bytes of destination, addresses and data: length, stride and number of pieces.
fn message_bytes(i: &Inst, m: &LoadStore, grf: u32) -> [Option<(u32, u32, u32)>; 3] {
    let es = u32::from(i.es);
    let addresses = es * m.addr_bits / 8;
    let data = |elements: u32| {
        if m.transposed {
            let bytes = m.vector * es * m.data_bytes;
            (bytes, bytes, 1)
        } else {
            let bytes = es * m.data_bytes;
            (bytes, bytes.div_ceil(grf) * grf, elements)
        }
    };
    let compares = m.op.ends_with("cas");
    [Some(data(m.vector)), Some((addresses, addresses, 1)), Some(data(m.vector * if compares { 2 } else { 1 }))]
}
