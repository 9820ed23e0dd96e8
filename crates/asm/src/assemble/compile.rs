//! From a template to the program that reads it.
//!
//! The template of one case is walked as the printer walks it. Where the printer decides by a guard, both ways become
//! alternatives with the guard as a condition; where it prints a sub-encoding, every encoding of that space with every
//! text of it is an alternative. Conditions that fix bits (`X == 5`, `A && !B`) become assignments, the rest is kept to
//! be checked when its bits are known. Alternatives that contradict what is already known are dropped.
//!
//! Code is built as a tree first and laid out at the end, so that an alternative that is left alone costs nothing.

use std::sync::Arc;

use isaglot_bits::{Word, limbs};
use isaglot_codec::Plan;
use isaglot_model::{
    Assert, BinaryOp, Encoding, EncodingId, Field, FieldSource, FieldType, Isa, Name, Param, SpaceId, TemplatePart,
    UnaryOp,
};
use rustc_hash::FxHashMap;

use super::limits::{MAX_NESTING, MAX_PROGRAM};
use super::meaning::{Choice, Condition, Meanings};
use super::program::{
    Branch, Bytes, Digits, Expr, ExprNode, FieldOp, Kind, Op, Program, Reach, Run, ShortWords, Style, Table, Target,
};
use super::quick;
use super::symbolic::{Bit, Bits, Node, Term};
use crate::trie::Trie;

/// Code before it is laid out.
enum Piece {
    One(Op),
    Either(Vec<Vec<Piece>>),
}

type Code = Vec<Piece>;

/// What is being compiled contradicts itself.
struct Dead;

/// Tables that the programs of a plan share.
pub(super) type Tables = FxHashMap<TableOf, Arc<Table>>;

struct Compiler<'p, 'a> {
    plan: &'p Plan<'a>,
    meanings: Meanings<'p, 'a>,
    program: Program,
    exprs: FxHashMap<Term, u32>,
    tables: FxHashMap<TableOf, u32>,
    shared: &'p mut Tables,
    depth: usize,
    pieces: usize,
}

/// What a table was made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum TableOf {
    Enum(u32),
    Register(u32),
}

/// Compiles the text of one case of an encoding; `None` if the case can never be the one that prints.
pub(super) fn compile(plan: &Plan<'_>, shared: &mut Tables, id: EncodingId, case: usize) -> Option<Program> {
    let encoding = &plan.isa()[id];
    let mut compiler = Compiler {
        plan,
        meanings: Meanings::new(plan, encoding.width),
        program: Program::default(),
        exprs: FxHashMap::default(),
        tables: FxHashMap::default(),
        shared,
        depth: 0,
        pieces: 0,
    };
    let word: Bits = (0..encoding.width).map(Bit::Of).collect();
    let scope = compiler.meanings.open(encoding, word.clone(), None, &[]);
    // The pattern is in the word from the start; only what follows from it is needed here.
    compiler.pattern(encoding, &word).ok()?;
    let mut code = Code::new();
    compiler.case(encoding, scope, &word, case, &mut code).ok()?;
    compiler.forced(encoding, scope, &mut code).ok()?;
    code.push(Piece::One(Op::Accept));
    let limbs = encoding.width.div_ceil(64) as usize;
    let to_limbs = |word: &Word| (0..limbs).map(|i| limbs::limb(word.limbs(), i)).collect();
    let mut program = compiler.program;
    program.value = to_limbs(encoding.pattern.value());
    program.care = to_limbs(encoding.pattern.care());
    program.alias = encoding.cases.get(case).is_some_and(|case| case.alias);
    lay_out(code, &mut program);
    if program.ops.len() > MAX_PROGRAM {
        return None;
    }
    look_ahead(&mut program);
    program.quick = quick::is_quick(&program);
    Some(program)
}

impl<'a> Compiler<'_, 'a> {
    fn push(&mut self, code: &mut Code, op: Op) -> Result<(), Dead> {
        self.pieces += 1;
        if self.pieces > MAX_PROGRAM {
            return Err(Dead);
        }
        code.push(Piece::One(op));
        Ok(())
    }

    /// Sets bits of the word.
    fn assign(&mut self, bits: impl IntoIterator<Item = (Bit, bool)>, code: &mut Code) -> Result<(), Dead> {
        let mut wanted: Vec<(u32, bool)> = Vec::new();
        for (bit, value) in bits {
            match self.meanings.now(bit) {
                Bit::Const(is) if is == value => {}
                Bit::Const(_) => return Err(Dead),
                Bit::Of(n) => wanted.push((n, value)),
                Bit::Not(n) => wanted.push((n, !value)),
            }
        }
        wanted.sort_unstable();
        wanted.dedup();
        let mut rest = wanted.as_slice();
        while let Some(&(lo, _)) = rest.first() {
            let run = rest.iter().zip(lo..).take(64).take_while(|((bit, _), expected)| bit == expected).count();
            let (these, others) = rest.split_at(run);
            let value = these.iter().enumerate().fold(0u64, |all, (i, (_, one))| all | u64::from(*one) << i);
            self.push(code, Op::Assign { lo, width: run as u32, value })?;
            rest = others;
        }
        for (bit, value) in wanted {
            if !self.meanings.learn_bit(bit, value) {
                return Err(Dead);
            }
        }
        Ok(())
    }

    /// Keeps a condition.
    fn condition(&mut self, (term, want): Condition, code: &mut Code) -> Result<(), Dead> {
        match self.meanings.truth(term) {
            Some(holds) if holds == want => return Ok(()),
            Some(_) => return Err(Dead),
            None => {}
        }
        self.meanings.learn((term, want));
        match self.meanings.terms.node(term).clone() {
            Node::Linear(bits) => {
                let bits: Bits = bits.into_iter().map(|bit| self.meanings.now(bit)).collect();
                if !want {
                    return self.assign(bits.into_iter().map(|bit| (bit, false)), code);
                }
                if bits.contains(&Bit::Const(true)) {
                    return Ok(());
                }
                let open: Bits = bits.into_iter().filter(|bit| !matches!(bit, Bit::Const(_))).collect();
                match open.as_slice() {
                    [] => return Err(Dead),
                    [bit] => return self.assign([(*bit, true)], code),
                    _ => {}
                }
            }
            Node::Unary(UnaryOp::LogicalNot, _, x) => return self.condition((x, !want), code),
            Node::Binary(BinaryOp::LogicalAnd, _, x, y) if want => {
                self.condition((x, true), code)?;
                return self.condition((y, true), code);
            }
            Node::Binary(BinaryOp::LogicalOr, _, x, y) if !want => {
                self.condition((x, false), code)?;
                return self.condition((y, false), code);
            }
            Node::Binary(op @ (BinaryOp::Eq | BinaryOp::Ne), _, x, y) => {
                let terms = &self.meanings.terms;
                let sides = match (terms.value(x), terms.value(y)) {
                    (Some(value), _) => terms.bits(y).map(|bits| (bits.to_vec(), value)),
                    (_, Some(value)) => terms.bits(x).map(|bits| (bits.to_vec(), value)),
                    _ => None,
                };
                if let Some((mut bits, value)) = sides {
                    bits.resize(64, Bit::Const(false));
                    let wanted = bits.into_iter().enumerate().map(|(i, bit)| (bit, value >> i & 1 != 0));
                    if want == (op == BinaryOp::Eq) {
                        return self.assign(wanted, code);
                    }
                    if let Some(differ) = self.differ(wanted) {
                        return self.push(code, differ);
                    }
                }
            }
            _ => {}
        }
        let expr = self.expr(term);
        self.push(code, Op::Check { expr, want })
    }

    /// That these bits are not all so, if they are a run of bits of the word.
    fn differ(&self, bits: impl Iterator<Item = (Bit, bool)>) -> Option<Op> {
        let mut run: Option<(u32, u32, u64)> = None;
        for (bit, wanted) in bits {
            match self.meanings.now(bit) {
                // A constant bit that agrees decides nothing.
                Bit::Const(is) if is == wanted => {}
                Bit::Of(n) => {
                    let (lo, width, value) = run.unwrap_or((n, 0, 0));
                    if n != lo + width {
                        return None;
                    }
                    run = Some((lo, width + 1, value | u64::from(wanted) << width));
                }
                Bit::Const(_) | Bit::Not(_) => return None,
            }
        }
        run.map(|(lo, width, value)| Op::Differ { lo, width, value })
    }

    /// Sets the pattern of an encoding whose word is `word`, in the compiler's knowledge only.
    fn pattern(&mut self, encoding: &Encoding, word: &[Bit]) -> Result<(), Dead> {
        let bits = pattern_bits(encoding, word);
        self.assign(bits, &mut Code::new())
    }

    /// The text of one case: what must hold for it to be chosen, then its parts.
    fn case(
        &mut self,
        encoding: &'a Encoding,
        scope: usize,
        word: &[Bit],
        chosen: usize,
        code: &mut Code,
    ) -> Result<(), Dead> {
        let mut open: Vec<(Term, &'a [Assert])> = Vec::new();
        // The guard of the chosen case first: it fixes the most.
        for (i, case) in encoding.cases.iter().enumerate().take(chosen + 1).rev() {
            let holds = match case.guard {
                None => Some(true),
                Some(guard) => {
                    let guard = self.meanings.evaluate(scope, guard);
                    if i == chosen {
                        self.condition((guard, true), code)?;
                        Some(true)
                    } else if case.template.is_some() && !case.alias {
                        self.condition((guard, false), code)?;
                        Some(false)
                    } else {
                        let truth = self.meanings.truth(guard);
                        if truth.is_none() && !case.asserts.is_empty() {
                            open.push((guard, &case.asserts));
                        }
                        truth
                    }
                }
            };
            if i != chosen && holds == Some(true) && case.template.is_some() && !case.alias {
                return Err(Dead);
            }
            if holds == Some(true) {
                self.asserts(&case.asserts, word, code)?;
            }
        }
        let Some(template) = encoding.cases.get(chosen).and_then(|case| case.template) else { return Err(Dead) };
        let parts: &'a [TemplatePart] = &self.plan.isa()[template].parts;
        self.parts(encoding, scope, parts, code)?;
        // Asserts that hold under a condition that the text may have decided by now.
        for (guard, asserts) in open {
            self.either(code, 2, |this, i, code| {
                this.condition((guard, i == 0), code)?;
                if i == 0 { this.asserts(asserts, word, code) } else { Ok(()) }
            })?;
        }
        Ok(())
    }

    fn asserts(&mut self, asserts: &[Assert], word: &[Bit], code: &mut Code) -> Result<(), Dead> {
        for assert in asserts {
            let bits = word.get(assert.range.lo as usize..assert.range.end() as usize).unwrap_or(&[]);
            let wanted: Vec<(Bit, bool)> = bits.iter().zip(0..).map(|(&bit, i)| (bit, assert.value.bit(i))).collect();
            // A word that fails an assert still prints, with a warning; if nothing else is possible, so be it.
            if wanted.iter().all(|&(bit, value)| self.could_be(bit, value)) {
                self.assign(wanted, code)?;
            }
        }
        Ok(())
    }

    /// Fields that the description always packs with a constant, whatever the text: what they are if nothing says
    /// otherwise.
    fn forced(&mut self, encoding: &'a Encoding, scope: usize, code: &mut Code) -> Result<(), Dead> {
        let mut seen: Vec<Name> = Vec::new();
        for map in &encoding.maps {
            if seen.contains(&map.name) {
                continue;
            }
            seen.push(map.name);
            // A plain number means the same in every language.
            let Ok(value) = map.text.trim().parse::<u64>() else { continue };
            if !map.force {
                continue;
            }
            let choices = self.meanings.find(scope, map.name);
            let [Choice { field: Some((field, at)), .. }] = choices.as_slice() else { continue };
            if field.width > 64 || matches!(field.source, FieldSource::Derived(_)) {
                continue;
            }
            let target = self.target(*at, field, limbs::mask(field.width))?;
            let number = self.program.fields.len() as u32;
            let kind = Kind::Constant(value);
            self.program.fields.push(FieldOp {
                name: map.name,
                kind,
                target,
                width: field.width,
                follow: Bytes::default(),
            });
            self.push(code, Op::Prefer(number))?;
        }
        Ok(())
    }

    fn could_be(&self, bit: Bit, value: bool) -> bool {
        !matches!(self.meanings.now(bit), Bit::Const(is) if is != value)
    }

    fn parts(
        &mut self,
        encoding: &'a Encoding,
        scope: usize,
        parts: &'a [TemplatePart],
        code: &mut Code,
    ) -> Result<(), Dead> {
        let mut text: Vec<u8> = Vec::new();
        for part in parts {
            match part {
                TemplatePart::Literal(bytes) => text.extend_from_slice(bytes),
                TemplatePart::Align(column) => {
                    self.literal(&mut text, code)?;
                    self.push(code, Op::Align(*column))?;
                }
                TemplatePart::Mnemonic { align, .. } => {
                    if *align > 0 {
                        self.literal(&mut text, code)?;
                        self.push(code, Op::Align(*align))?;
                    }
                    text.extend_from_slice(encoding.display_name.as_bytes());
                }
                TemplatePart::Field { name, align, .. } => {
                    let choices = self.meanings.find(scope, *name);
                    let prefix = *align == 0 && text.ends_with(b"0x") && choices.iter().all(is_plain_number);
                    if prefix {
                        text.truncate(text.len() - 2);
                    }
                    self.literal(&mut text, code)?;
                    if *align > 0 {
                        self.push(code, Op::Align(*align))?;
                    }
                    self.choices(scope, *name, choices, prefix, code)?;
                }
            }
        }
        self.literal(&mut text, code)
    }

    /// Appends the text so far.
    fn literal(&mut self, text: &mut Vec<u8>, code: &mut Code) -> Result<(), Dead> {
        if text.is_empty() {
            return Ok(());
        }
        let from = self.program.literals.len() as u32;
        self.program.literals.extend_from_slice(text);
        let len = text.len() as u32;
        text.clear();
        self.push(code, Op::Literal { from, len })
    }

    /// Every way to go on that is not dead.
    fn either(
        &mut self,
        code: &mut Code,
        ways: usize,
        mut way: impl FnMut(&mut Self, usize, &mut Code) -> Result<(), Dead>,
    ) -> Result<(), Dead> {
        let mut live = Vec::new();
        for i in 0..ways {
            let mark = self.meanings.mark();
            let mut this = Code::new();
            let done = way(self, i, &mut this);
            if ways > 1 {
                self.meanings.forget(mark);
            }
            if done.is_ok() {
                live.push(this);
            }
        }
        if live.is_empty() {
            return Err(Dead);
        }
        // Of ways that read the same text, the one that sets fewer bits is to win.
        live.sort_by_key(ones);
        code.push(Piece::Either(live));
        Ok(())
    }

    fn choices(
        &mut self,
        scope: usize,
        name: Name,
        choices: Vec<Choice<'a>>,
        prefix: bool,
        code: &mut Code,
    ) -> Result<(), Dead> {
        self.either(code, choices.len(), |this, i, code| {
            let Some(choice) = choices.get(i) else { return Err(Dead) };
            for &condition in &choice.when {
                this.condition(condition, code)?;
            }
            match choice.field {
                Some((field, at)) => this.field(scope, name, field, at, prefix, code),
                None => Ok(()),
            }
        })
    }

    /// Reads `field`, found in scope `at`, shown in scope `scope`.
    fn field(
        &mut self,
        scope: usize,
        name: Name,
        field: &'a Field,
        at: usize,
        prefix: bool,
        code: &mut Code,
    ) -> Result<(), Dead> {
        if let FieldType::Sub(space) = field.ty {
            let word = self.meanings.field_bits(at, field);
            return self.sub(scope, &word, space, &field.params, code);
        }
        if let FieldType::Bool(Some(text)) | FieldType::BoolInv(Some(text)) = &field.ty {
            if text.is_empty() {
                return Ok(());
            }
            let value = self.meanings.value(at, field);
            let shown = matches!(field.ty, FieldType::Bool(_));
            return self.either(code, 2, |this, i, code| {
                if i == 0 {
                    this.literal(&mut text.as_bytes().to_vec(), code)?;
                }
                this.condition((value, shown == (i == 0)), code)
            });
        }
        if let FieldType::BoolInv(None) = field.ty {
            let value = self.meanings.value(at, field);
            return self.either(code, 2, |this, i, code| {
                this.literal(&mut vec![b"01"[i & 1]], code)?;
                this.condition((value, i == 0), code)
            });
        }
        let width = field.width.min(64);
        let number = |digits| Kind::Number(Style { prefix, digits, branch: None });
        let (kind, mask) = match &field.ty {
            FieldType::Int => (number(Digits::Signed), limbs::mask(width)),
            FieldType::Uint => (number(Digits::Unsigned), u64::MAX),
            FieldType::Hex => (number(Digits::Hex), u64::MAX),
            FieldType::Bool(_) => (number(Digits::Unsigned), limbs::mask(32)),
            FieldType::Offset => (number(Digits::Offset), limbs::mask(width)),
            FieldType::Uoffset => (number(Digits::UnsignedOffset), u64::MAX),
            FieldType::Branch { absolute, unit, .. } => {
                let branch = Some(Reach { absolute: *absolute, unit: *unit });
                (Kind::Number(Style { prefix, digits: Digits::Signed, branch }), limbs::mask(width))
            }
            FieldType::Float => (Kind::Float, limbs::mask(width)),
            FieldType::Enum(id) => (Kind::Table(self.table(TableOf::Enum(id.0))), u64::MAX),
            FieldType::Register(id) => (Kind::Table(self.table(TableOf::Register(id.0))), u64::MAX),
            FieldType::Custom => (Kind::Custom(name.0), u64::MAX),
            FieldType::BoolInv(_) | FieldType::Sub(_) => return Err(Dead),
        };
        let target = self.target(at, field, mask)?;
        let number = self.program.fields.len() as u32;
        self.program.fields.push(FieldOp { name, kind, target, width: field.width, follow: Bytes::default() });
        self.push(code, Op::Field(number))
    }

    fn target(&mut self, at: usize, field: &'a Field, mask: u64) -> Result<Target, Dead> {
        let wide = self.meanings.field_bits(at, field);
        if wide.len() > 64 {
            let from = self.program.runs.len();
            for (bit, at) in wide.iter().zip(0u32..) {
                if let Bit::Of(n) = *bit {
                    self.run(from, Run { at, lo: n, width: 1, inverted: false });
                }
            }
            return Ok(Target::Wide { from: from as u32, to: self.program.runs.len() as u32 });
        }
        let value = self.meanings.value(at, field);
        let Some(bits) = self.meanings.terms.bits(value).map(<[Bit]>::to_vec) else {
            return Ok(Target::Expr { expr: self.expr(value), mask });
        };
        let kept: Bits = bits
            .into_iter()
            .enumerate()
            .map(|(i, bit)| if mask >> i & 1 != 0 { bit } else { Bit::Const(false) })
            .collect();
        let (from, to, covered, ones) = self.runs(&kept);
        Ok(Target::Bits { from, to, mask, covered, ones })
    }

    /// Adds the runs of a value: their range, the bits of the value that they cover, and its constant ones.
    fn runs(&mut self, bits: &[Bit]) -> (u32, u32, u64, u64) {
        let from = self.program.runs.len();
        let (mut covered, mut ones) = (0u64, 0u64);
        for (bit, at) in bits.iter().zip(0u32..64) {
            let (n, inverted) = match *bit {
                Bit::Const(one) => {
                    ones |= u64::from(one) << at;
                    continue;
                }
                Bit::Of(n) => (n, false),
                Bit::Not(n) => (n, true),
            };
            covered |= 1 << at;
            self.run(from, Run { at, lo: n, width: 1, inverted });
        }
        (from as u32, self.program.runs.len() as u32, covered, ones)
    }

    /// Adds a bit to the runs from `from` on.
    fn run(&mut self, from: usize, bit: Run) {
        match self.program.runs.get_mut(from..).and_then(<[Run]>::last_mut) {
            Some(run)
                if run.lo + run.width == bit.lo
                    && run.at + run.width == bit.at
                    && run.inverted == bit.inverted
                    && run.width < 64 =>
            {
                run.width += 1;
            }
            _ => self.program.runs.push(bit),
        }
    }

    /// The expression of a term.
    fn expr(&mut self, term: Term) -> u32 {
        if let Some(&known) = self.exprs.get(&term) {
            return known;
        }
        let mut expr = Expr { nodes: Vec::new(), support: Vec::new() };
        self.node(term, &mut expr, &mut FxHashMap::default());
        let number = self.program.exprs.len() as u32;
        self.program.exprs.push(expr);
        self.exprs.insert(term, number);
        number
    }

    /// Adds a node with its operands. Terms refer to earlier terms only, so this ends; its depth is that of the
    /// expression, which the model's front ends bound.
    fn node(&mut self, term: Term, expr: &mut Expr, known: &mut FxHashMap<Term, u32>) -> u32 {
        if let Some(&number) = known.get(&term) {
            return number;
        }
        let node = match self.meanings.terms.node(term).clone() {
            Node::Linear(bits) => {
                let (from, to, _, ones) = self.runs(&bits);
                for bit in bits {
                    if let Bit::Of(n) | Bit::Not(n) = bit {
                        let limb = (n / 64) as usize;
                        if expr.support.len() <= limb {
                            expr.support.resize(limb + 1, 0);
                        }
                        expr.support[limb] |= 1 << (n % 64);
                    }
                }
                ExprNode::Bits { from, to, ones }
            }
            Node::Unary(op, ty, x) => ExprNode::Unary(op, ty, self.node(x, expr, known)),
            Node::Binary(op, ty, x, y) => {
                let x = self.node(x, expr, known);
                ExprNode::Binary(op, ty, x, self.node(y, expr, known))
            }
            Node::Select(c, x, y) => {
                let c = self.node(c, expr, known);
                let x = self.node(x, expr, known);
                ExprNode::Select(c, x, self.node(y, expr, known))
            }
            Node::Cast(ty, x) => ExprNode::Cast(ty, self.node(x, expr, known)),
            Node::Unknown => ExprNode::Unknown,
        };
        let number = expr.nodes.len() as u32;
        expr.nodes.push(node);
        known.insert(term, number);
        number
    }

    /// A word of another space within the word.
    fn sub(
        &mut self,
        scope: usize,
        word: &[Bit],
        space: SpaceId,
        params: &'a [Param],
        code: &mut Code,
    ) -> Result<(), Dead> {
        if self.depth >= MAX_NESTING {
            return Err(Dead);
        }
        self.depth += 1;
        let isa = self.plan.isa();
        let forms: Vec<(&'a Encoding, usize)> = isa[space]
            .encodings
            .iter()
            .map(|&id| &isa[id])
            .filter(|encoding| self.plan.active(encoding))
            .flat_map(|encoding| cases_with_text(encoding).map(move |case| (encoding, case)))
            .collect();
        let done = self.either(code, forms.len(), |this, i, code| {
            let Some(&(encoding, case)) = forms.get(i) else { return Err(Dead) };
            this.assign(pattern_bits(encoding, word), code)?;
            let word: Bits = word.iter().map(|&bit| this.meanings.now(bit)).collect();
            let inner = this.meanings.open(encoding, word.clone(), Some(scope), params);
            this.case(encoding, inner, &word, case, code)
        });
        self.depth -= 1;
        done
    }

    /// The table of an enum or a register file.
    fn table(&mut self, of: TableOf) -> u32 {
        if let Some(&known) = self.tables.get(&of) {
            return known;
        }
        let isa = self.plan.isa();
        let table = self.shared.entry(of).or_insert_with(|| Arc::new(table(isa, of)));
        let number = self.program.tables.len() as u32;
        self.program.tables.push(Arc::clone(table));
        self.tables.insert(of, number);
        number
    }
}

/// Makes the table of an enum or a register file.
fn table(isa: &Isa, of: TableOf) -> Table {
    let mut table = Table {
        texts: Trie::default(),
        values: Vec::new(),
        shown: Vec::new(),
        number_bits: 64,
        words: false,
        numbers: false,
        short: ShortWords::default(),
    };
    let mut add = |value: u64, text: &str, prints: bool| {
        table.values.push((value, prints));
        table.shown.push(text.as_bytes().into());
    };
    match of {
        TableOf::Enum(id) => {
            let ty = isa.enums().get(id as usize);
            let values = ty.map_or(&[][..], |ty| &ty.values);
            let synonyms = ty.is_some_and(|ty| ty.synonyms);
            // Of values with one text, those with fewer ones are preferred: the matcher tries the last first.
            let mut order: Vec<usize> = (0..values.len()).rev().collect();
            order.sort_by_key(|&i| std::cmp::Reverse(values.get(i).map_or(0, |entry| entry.value.count_ones())));
            for i in order {
                let Some(entry) = values.get(i) else { continue };
                if !values.get(..i).unwrap_or(&[]).iter().any(|earlier| earlier.value == entry.value) {
                    add(entry.value, &entry.display, true);
                } else if synonyms {
                    add(entry.value, &entry.display, false);
                }
            }
        }
        TableOf::Register(id) => {
            if let Some(file) = isa.register_files().get(id as usize) {
                for (number, name) in (0u64..).zip(&file.names) {
                    if let Some(name) = name {
                        add(number, name, true);
                    }
                }
                for (alias, number) in &file.aliases {
                    add(u64::from(*number), alias, false);
                }
            }
        }
    }
    match of {
        TableOf::Enum(id) => {
            table.number_bits = 32;
            table.numbers = isa.enums().get(id as usize).is_some_and(|ty| ty.numbers);
        }
        TableOf::Register(_) => table.words = true,
    }
    table.texts = Trie::new(table.shown.iter().zip(0u32..).map(|(text, i)| (&**text, i)));
    let printing = table.shown.iter().zip(&table.values).filter(|(_, (_, prints))| *prints);
    let short: Vec<(u64, u64)> =
        printing.filter_map(|(text, &(value, _))| Some((quick::packed(text)?, value))).collect();
    table.short = ShortWords::new(&short);
    table
}

/// The cases of an encoding that have a text and are not hidden by one that always applies.
pub(super) fn cases_with_text(encoding: &Encoding) -> impl Iterator<Item = usize> + '_ {
    let mut done = false;
    encoding.cases.iter().enumerate().filter_map(move |(i, case)| {
        let shown = case.template.is_some() && !done && !case.output_only;
        // A shorthand hides nothing, for the text without it is wanted too.
        done |= case.template.is_some() && case.guard.is_none() && !case.alias;
        shown.then_some(i)
    })
}

/// The bits that the pattern of an encoding wants of the word that it is in.
fn pattern_bits<'w>(encoding: &'w Encoding, word: &'w [Bit]) -> impl Iterator<Item = (Bit, bool)> + 'w {
    let pattern = &encoding.pattern;
    pattern.care().ones_iter().filter_map(|n| Some((*word.get(n as usize)?, pattern.value().bit(n))))
}

fn is_plain_number(choice: &Choice<'_>) -> bool {
    choice.field.is_some_and(|(field, _)| {
        field.width <= 64
            && matches!(field.ty, FieldType::Int | FieldType::Uint | FieldType::Hex | FieldType::Bool(None))
    })
}

/// How many ones a way sets, whatever the text.
fn ones(way: &Code) -> u32 {
    way.iter().map(|piece| if let Piece::One(Op::Assign { value, .. }) = piece { value.count_ones() } else { 0 }).sum()
}

/// Lays code out behind what is there.
fn lay_out(code: Code, program: &mut Program) {
    for piece in code {
        match piece {
            Piece::One(op) => program.ops.push(op),
            Piece::Either(mut ways) if ways.len() == 1 => lay_out(ways.pop().unwrap_or_default(), program),
            Piece::Either(ways) => {
                let from = program.branches.len();
                let to = from + ways.len();
                program.branches.resize(to, Branch { at: 0, literal: (0, 0) });
                program.ops.push(Op::Alternatives { from: from as u32, to: to as u32, row: 0 });
                let mut jumps = Vec::new();
                for (way, branch) in ways.into_iter().zip(from..) {
                    let at = program.ops.len();
                    lay_out(way, program);
                    let literal = match program.ops.get(at) {
                        Some(Op::Literal { from, len }) => (*from, *len),
                        _ => (0, 0),
                    };
                    if let Some(branch) = program.branches.get_mut(branch) {
                        *branch = Branch { at: at as u32, literal };
                    }
                    jumps.push(program.ops.len());
                    program.ops.push(Op::Jump(0));
                }
                let end = program.ops.len() as u32;
                for jump in jumps {
                    if let Some(op) = program.ops.get_mut(jump) {
                        *op = Op::Jump(end);
                    }
                }
            }
        }
    }
}

/// Fills in which bytes can come next, and [`Program::needs`]. Operations refer to later ones only.
fn look_ahead(program: &mut Program) {
    let count = program.ops.len();
    let mut first = vec![Bytes::default(); count + 1];
    let mut needs = vec![Bytes::default(); count + 1];
    let mut commas = vec![(0u32, 0u32); count + 1];
    for at in (0..count).rev() {
        let (mut can, mut must) = (Bytes::default(), Bytes::default());
        let next = at + 1;
        let mut many = commas[next];
        match program.ops[at] {
            Op::Accept => (can.end, many) = (true, (0, 0)),
            Op::Literal { from, len } => {
                must = needs[next];
                let here = program.literal(from, len).iter().filter(|&&byte| byte == b',').count() as u32;
                many = (many.0.saturating_add(here), many.1.saturating_add(here));
                for (i, &byte) in program.literal(from, len).iter().enumerate() {
                    must.add(byte);
                    if i == 0 {
                        can.add(byte);
                    }
                }
            }
            Op::Align(_) => {
                (can, must) = (first[next], needs[next]);
                can.add(b' ');
            }
            Op::Jump(to) => {
                (can, must) = (first[to as usize], needs[to as usize]);
                many = commas[to as usize];
            }
            Op::Assign { .. } | Op::Differ { .. } | Op::Check { .. } | Op::Prefer(_) => {
                (can, must) = (first[next], needs[next])
            }
            Op::Alternatives { from, to, .. } => {
                must.set = [u64::MAX; 4];
                many = (u32::MAX, 0);
                for branch in &program.branches[from as usize..to as usize] {
                    let (least, most) = commas[branch.at as usize];
                    many = (many.0.min(least), many.1.max(most));
                    can.join(&first[branch.at as usize]);
                    for (all, this) in must.set.iter_mut().zip(needs[branch.at as usize].set) {
                        *all &= this;
                    }
                }
            }
            Op::Field(field) => {
                must = needs[next];
                if may_have_comma(program, &program.fields[field as usize]) {
                    many.1 = u32::MAX;
                }
                program.fields[field as usize].follow = first[next];
                if field_begins(program, &program.fields[field as usize], &mut can) {
                    can.join(&first[next]);
                }
            }
        }
        (first[at], needs[at], commas[at]) = (can, must, many);
    }
    classify(program, &first);
    program.needs = needs.first().copied().unwrap_or_default();
    program.commas = commas.first().copied().unwrap_or_default();
}

/// Whether a field may read a text with a comma in it.
fn may_have_comma(program: &Program, field: &FieldOp) -> bool {
    match &field.kind {
        Kind::Number(_) | Kind::Float | Kind::Constant(_) => false,
        Kind::Table(table) => {
            program.tables.get(*table as usize).is_none_or(|table| table.shown.iter().any(|text| text.contains(&b',')))
        }
        Kind::Custom(_) => true,
    }
}

/// Fills [`Program::classes`] and [`Program::viable`].
fn classify(program: &mut Program, first: &[Bytes]) {
    let rows: Vec<(usize, usize)> = program
        .ops
        .iter()
        .filter_map(|op| {
            if let Op::Alternatives { from, to, .. } = op { Some((*from as usize, *to as usize)) } else { None }
        })
        .collect();
    let allows = |&(from, to): &(usize, usize), byte: Option<u8>| -> u64 {
        let branches = program.branches.get(from..to).unwrap_or(&[]).iter().take(64);
        branches.enumerate().fold(0, |set, (i, branch)| {
            set | u64::from(first.get(branch.at as usize).is_some_and(|first| first.has(byte))) << i
        })
    };
    let mut columns: Vec<Vec<u64>> = Vec::new();
    let mut known: FxHashMap<Vec<u64>, u8> = FxHashMap::default();
    let mut classes = Vec::with_capacity(257);
    for byte in (0..=255u8).map(Some).chain([None]) {
        let column: Vec<u64> = rows.iter().map(|row| allows(row, byte)).collect();
        // More classes than a byte holds cannot be: bytes that no text has share one.
        let class = *known.entry(column).or_insert_with_key(|column| {
            columns.push(column.clone());
            (columns.len() - 1).min(255) as u8
        });
        classes.push(class);
    }
    columns.truncate(256);
    program.class_count = columns.len() as u32;
    program.viable = (0..rows.len()).flat_map(|row| columns.iter().map(move |column| column[row])).collect();
    program.classes = classes;
    let mut row = 0;
    for op in &mut program.ops {
        if let Op::Alternatives { row: number, .. } = op {
            *number = row;
            row += 1;
        }
    }
}

/// Adds the bytes with which a field can begin; whether it can be empty.
fn field_begins(program: &Program, field: &FieldOp, can: &mut Bytes) -> bool {
    let digits = |can: &mut Bytes| (b'0'..=b'9').for_each(|byte| can.add(byte));
    match &field.kind {
        Kind::Number(style) => {
            if style.prefix {
                can.add(b'0');
                return false;
            }
            match style.digits {
                Digits::Offset | Digits::UnsignedOffset => {
                    can.add(b'+');
                    can.add(b'-');
                    return true;
                }
                Digits::Hex => (b'a'..=b'f').for_each(|byte| can.add(byte)),
                Digits::Signed => can.add(b'-'),
                Digits::Unsigned => {}
            }
            digits(can);
            false
        }
        Kind::Float => {
            digits(can);
            b"-in".iter().for_each(|&byte| can.add(byte));
            false
        }
        Kind::Table(table) => {
            digits(can);
            let Some(table) = program.tables.get(*table as usize) else { return true };
            table.texts.first_bytes().for_each(|byte| can.add(byte));
            table.texts.has_empty()
        }
        Kind::Constant(_) => true,
        Kind::Custom(_) => {
            can.set = [u64::MAX; 4];
            true
        }
    }
}
