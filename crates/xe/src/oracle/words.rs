//! Random words that are instructions, and the words that texts stand for.
//!
//! The problem: a text leaves bits out, some that mean nothing (the flag register of an instruction that uses no flag) and some that
//! it implies (the region of a macro operand). An assembler that leaves the latter 0 is not found by printing what it made. The
//! method: [`canonical`](Xe::canonical) takes a word apart and puts it together again with what its text does not say as the
//! description implies it, without any text. That word must come back from the text; where it differs from the word that was
//! drawn, the bits must be known to mean nothing.

use isaglot_codec::{Slot, Symbol, Values, limits::MAX_SLOTS};
use isaglot_model::EncodingId;
use isaglot_source::{Diagnostics, FileId};

use crate::inst::{File, Form, Inst, NO_STRIDE, XeOperand, XeOperandKind};
use crate::stream::RawWord;
use crate::types::Type;
use crate::{Compaction, TextOptions, Xe};

/// Words that are tried until one decodes.
const TRIES: usize = 20_000;

/// How often the value of an enum is drawn again.
const REDRAWN: usize = 8;

/// The bit that tells the forms apart.
const SHORT: u128 = 1 << 29;

impl Xe<'_> {
    /// A random word of an operation; `None` if none was found, so for a short form that the operation does not have.
    pub fn random_word(&mut self, op: u8, short: bool, mut random: impl FnMut() -> u64) -> Option<RawWord> {
        let mut values = Values::default();
        for _ in 0..TRIES {
            let word = u128::from(random()) << 64 | u128::from(random());
            let word = if short {
                word & u128::from(u64::MAX) & !0x7F | SHORT | u128::from(self.op(op).opcode)
            } else {
                self.within_fields(op, word, &mut random)
            };
            let raw = RawWord { pc: 0, word, short };
            if self.decode_raw(raw, &mut values).is_ok_and(|i| i.op == op) {
                return Some(raw);
            }
        }
        None
    }

    /// The word with its pattern, without the bits that belong to no field; branches go to its start or its end.
    fn within_fields(&mut self, op: u8, word: u128, random: &mut impl FnMut() -> u64) -> u128 {
        let (encoding, form) = (self.op(op).encoding, self.op(op).form);
        let pattern = &self.isa[encoding].pattern;
        let (care, value) = (pattern.care().low_u128(), pattern.value().low_u128());
        let mut word = word & !care | value;
        let mut values = Values::default();
        for slot in (0..MAX_SLOTS as u8).map(Slot) {
            // Enums have few values that mean something.
            for _ in 0..REDRAWN {
                let shape = self.flat.read(encoding, word, &mut values);
                let Some(fields) = self.flat.shape(shape).filter(|s| s.is_enum(slot)) else { break };
                if values.symbol(slot) != Symbol::NONE {
                    break;
                }
                let bits = fields.bits_of(1 << slot.0) & !care;
                word = word & !bits | (u128::from(random()) << 64 | u128::from(random())) & bits;
            }
        }
        let shape = self.flat.shape_of(encoding, word);
        let Some(fields) = self.flat.shape(shape) else { return word };
        let mut word = word & (care | fields.bits_of(u128::MAX));
        if form.branches() {
            for slot in [self.slots.jip, self.slots.uip].into_iter().filter(|s| fields.has(*s)) {
                word &= !fields.bits_of(1 << slot.0);
                word |= self.flat.shape(shape).and_then(|s| s.scatter(slot)?.bits(16 * (random() & 1))).unwrap_or(0);
            }
        }
        word
    }

    /// The instruction of a word and the word that its text stands for, in the same form; `None` if the word is not an
    /// instruction, if its operands leave no room for each other, or if there is no short form.
    pub fn canonical(&mut self, raw: RawWord) -> Option<(Inst, RawWord)> {
        let mut values = Values::default();
        let mut i = self.decode_raw(raw, &mut values).ok()?;
        let drawn = i;
        let info = self.op(i.op).clone();
        if i.form == Form::Math && i.src_count == 2 && i.srcs[0].kind == XeOperandKind::Imm {
            return None;
        }
        let operands = [&mut i.dst].into_iter().chain(&mut i.srcs);
        for (n, o) in operands.enumerate() {
            match o.kind {
                // Texts of `sync` show no type of `null`, which is read as bytes.
                XeOperandKind::Direct if i.form == Form::Sync && o.file == File::NULL => {
                    let element = self.sub_element(o) as u8;
                    *o = XeOperand { ty: Type::UB, ..*o };
                    o.sub = element.saturating_mul(self.sub_scale(o) as u8);
                }
                XeOperandKind::Direct => o.sub = self.sub_bytes_shown(o) as u8,
                XeOperandKind::Macro if i.form != Form::Math => {
                    *o = info.implied.complete(n, &XeOperand { v: NO_STRIDE, w: NO_STRIDE, h: NO_STRIDE, ..*o })
                }
                _ => {}
            }
        }
        if i.form == Form::Send && i.srcs[0].file == File::S {
            // A gathered payload is the only one.
            i.srcs[1] = XeOperand { kind: XeOperandKind::Direct, file: File::NULL, len: 0, ..XeOperand::default() };
        }
        if i.form == Form::Send && i.srcs[1].file == File::NULL {
            // Texts show no length of a payload that there is not: `null:0`.
            i.srcs[1].len = i.srcs[1].len.min(0);
        }
        i.wren |= info.unmasked;
        i.opts.exbso |= i.form == Form::Send && self.implies_exbso(&i);
        if !self.names_flag(&i) {
            i.flag = (0, 0);
        }
        if !self.has_channels(&i) {
            (i.es, i.eo) = (1, 0);
        }
        let word = self.encode(&i, &mut values).ok()?;
        let word = if raw.short { self.compact(&i, word)?.into() } else { word };
        Some((drawn, RawWord { word, ..raw }))
    }

    /// Prints a word and assembles the text; why it is refused, if it is.
    pub fn there_and_back(&mut self, raw: RawWord) -> (String, Result<RawWord, String>) {
        let program = self.program(&raw.word.to_le_bytes()[..raw.size() as usize]);
        let mut text = Vec::new();
        self.print(&program, &TextOptions { no_comments: true, ..TextOptions::default() }, &mut text);
        let mut problems = Diagnostics::new();
        let bytes = self.assemble(FileId(0), &text, Compaction::Marked, &mut problems);
        let back = bytes
            .and_then(|b| RawWord::at(&b, 0))
            .ok_or_else(|| problems.iter().next().map_or_else(String::new, |d| format!("{}: {}", d.code, d.message)));
        (String::from_utf8_lossy(&text).into_owned(), back)
    }

    /// The names of the fields of the first word whose bits differ in the second, which is of the same form.
    pub fn differing(&mut self, a: RawWord, b: RawWord) -> Vec<String> {
        let (Some((encoding, a)), Some((_, b))) = (self.long_form(a), self.long_form(b)) else {
            return vec!["no such word".to_owned()];
        };
        let shape = self.flat.shape_of(encoding, a);
        let mut rest = a ^ b;
        let mut names = Vec::new();
        for slot in (0..MAX_SLOTS as u8 - 1).map(Slot) {
            let held = self.flat.shape(shape).map_or(0, |s| s.bits_of(1 << slot.0));
            if held & (a ^ b) != 0 {
                names.push(self.flat.name(slot).to_owned());
                rest &= !held;
            }
        }
        if rest != 0 {
            names.push("NO_FIELD".to_owned());
        }
        names
    }

    fn long_form(&mut self, raw: RawWord) -> Option<(EncodingId, u128)> {
        if raw.short {
            return self.expander.expand(raw.word as u64);
        }
        match self.flat.select(raw.word) {
            isaglot_codec::Match::One(id) => Some((id, raw.word)),
            _ => None,
        }
    }

    /// Whether a text of the instruction says something with this field: if not, its bits may come back otherwise.
    pub fn says(&self, i: &Inst, field: &str) -> bool {
        let info = self.op(i.op);
        match field {
            "FLAG_REG" | "FLAG_SUB" => self.names_flag(i),
            "PRED" | "PRED_INV" => i.pred.is_some(),
            "SAT" => info.sat,
            "COND" => info.cond,
            "BRCTL" => info.brctl,
            "EXEC_SIZE" | "CH_OFF" => self.has_channels(i),
            "NO_MASK" => !info.unmasked,
            "EXBSO" => !self.implies_exbso(i),
            _ if i.form == Form::Send && i.srcs[0].file == File::S && field.starts_with("SRC1") => false,
            _ if i.form == Form::Sync => {
                field == "SRC0_ARF" && i.srcs[0].kind == XeOperandKind::Direct && self.platform.wide()
            }
            _ => self.operand_of(i, field).is_some_and(|o| match field.split_once('_').map_or("", |f| f.1) {
                "SUB" => o.kind == XeOperandKind::Direct && u32::from(o.sub) == self.sub_bytes_shown(o),
                "MOD" => info.mods && o.kind != XeOperandKind::Imm,
                "VS" | "W" | "HS" => o.kind == XeOperandKind::Direct || o.kind == XeOperandKind::Indirect,
                "REG" | "ARF" => o.kind == XeOperandKind::Direct,
                "FILE" | "IND" => !matches!(o.kind, XeOperandKind::Imm | XeOperandKind::Label),
                "TYPE" | "IMM" => !i.form.branches() && i.form != Form::Send,
                _ => false,
            }),
        }
    }

    /// The sub-register that a text says, in bytes: it counts elements.
    fn sub_bytes_shown(&self, o: &XeOperand) -> u32 {
        let bits = if o.ty.bits() < 8 { o.ty.bits() } else { 8 * self.sub_scale(o) };
        self.sub_element(o) * bits / 8
    }

    fn names_flag(&self, i: &Inst) -> bool {
        i.pred.is_some() || !self.text(i.cond).is_empty()
    }

    /// The operand that a field belongs to by its name, if the instruction has it.
    fn operand_of<'i>(&self, i: &'i Inst, field: &str) -> Option<&'i XeOperand> {
        let (operand, _) = field.split_once('_')?;
        match operand {
            "DST" => i.form.has_dst().then_some(&i.dst),
            "SRC0" | "SRC1" | "SRC2" => i.sources().get(operand.chars().last()?.to_digit(10)? as usize),
            _ => None,
        }
    }
}
