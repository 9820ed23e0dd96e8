//! From a template to the program that reads it.
//!
//! The template of one case is walked as the printer walks it. Where the printer decides by a guard, both ways become
//! alternatives with the guard as a condition; where it prints a sub-encoding, every encoding of that space with every
//! text of it is an alternative. Conditions that fix bits (`X == 5`, `A && !B`) become assignments, the rest is kept to
//! be checked when its bits are known. Alternatives that contradict what is already known are dropped.
//!
//! Code is built as a tree first and laid out at the end, so that an alternative that is left alone costs nothing.
//!
//! # Example
//!
//! The template is `add{SAT} {DST}, {IMM}`. `SAT` is bit 10 and prints `(sat)` or nothing, `DST` is bits 9:7 and prints a
//! register, `IMM` is derived as `VALUE << 2` with `VALUE` in bits 6:0. The program that reads it:
//!
//! ```text
//!  0  Literal "add"
//!  1  Alternatives: 2 where a blank comes next, 4 where `(` does
//!  2    Assign bit 10 = 0
//!  3    Jump 7
//!  4    Literal "(sat)"
//!  5    Assign bit 10 = 1
//!  6    Jump 7
//!  7  Literal " "
//!  8  Field DST: a text of the register table, into bits 9:7
//!  9  Literal ", "
//! 10  Field IMM: a number; its bits 8:2 go into bits 6:0, its bits 1:0 must be 0
//! 11  Accept
//! ```
//!
//! Phases: `condition` and `target` turn guards and fields into operations, `table` makes the texts of enums and register
//! files, `code` lays the tree out, `look_ahead` finds which bytes can come next.

mod code;
mod condition;
mod look_ahead;
mod table;
mod target;

use isaglot_bits::{Word, limbs};
use isaglot_codec::Plan;
use isaglot_invariant::impossible;
use isaglot_model::{Assert, Encoding, EncodingId, Field, FieldSource, FieldType, Name, Param, SpaceId, TemplatePart};
use rustc_hash::FxHashMap;

use self::code::{Code, CodePiece, lay_out, ones};
use self::condition::pattern_bits;
use self::look_ahead::look_ahead;
use self::table::TableOf;
pub(super) use self::table::Tables;
use super::index::cases_with_text;
use super::limits::{MAX_NESTING, MAX_PROGRAM};
use super::meaning::{Choice, Meanings};
use super::program::{BranchReach, Bytes, Digits, FieldOp, FieldSyntax, NumberStyle, Program, ReadOp};
use super::symbolic::{Bit, Bits, Term};
use super::{preference, quick};

/// What is being compiled contradicts itself.
struct Dead;

/// A program in the making, with what is known of the word where it has got to.
struct Compiler<'p, 'a> {
    plan: &'p Plan<'a>,
    meanings: Meanings<'p, 'a>,
    program: Program,
    /// Numbers of expressions and tables that the program has already.
    exprs: FxHashMap<Term, u32>,
    tables: FxHashMap<TableOf, u32>,
    /// The tables of all programs.
    shared: &'p mut Tables,
    /// The name of the instruction, if it is to be read as its packer takes it.
    packed: Option<&'p str>,
    /// How many sub-encodings are open.
    depth: usize,
    /// Operations so far, those of dropped alternatives included.
    pieces: usize,
}

/// Compiles the text of one case of an encoding; `None` if the case can never be the one that prints.
/// With `packer`, of two sub-encodings of one text the one is read first that the description's own packer takes.
pub(super) fn compile(
    plan: &Plan<'_>,
    shared: &mut Tables,
    id: EncodingId,
    case: usize,
    packer: bool,
) -> Option<Program> {
    let encoding = &plan.isa()[id];
    let mut compiler = Compiler {
        plan,
        meanings: Meanings::new(plan, encoding.width),
        program: Program::default(),
        exprs: FxHashMap::default(),
        tables: FxHashMap::default(),
        shared,
        packed: packer.then(|| plan.isa().text(encoding.name)),
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
    code.push(CodePiece::One(ReadOp::Accept));
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
    /// Appends an operation.
    fn push(&mut self, code: &mut Code, op: ReadOp) -> Result<(), Dead> {
        self.pieces += 1;
        if self.pieces > MAX_PROGRAM {
            return Err(Dead);
        }
        code.push(CodePiece::One(op));
        Ok(())
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
        // Asserts of cases whose guard the word decides.
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
                        // An earlier case with a text would print instead.
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
        let Some(template) = encoding.cases.get(chosen).and_then(|case| case.template) else {
            return impossible(Err(Dead));
        };
        let parts: &'a [TemplatePart] = &self.plan.isa()[template].parts;
        self.parts(encoding, scope, parts, code)?;
        // Asserts that hold under a condition that the text may have decided by now.
        for (guard, asserts) in open {
            self.either(
                code,
                2,
                |_| false,
                |this, i, code| {
                    this.condition((guard, i == 0), code)?;
                    if i == 0 { this.asserts(asserts, word, code) } else { Ok(()) }
                },
            )?;
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
            self.program.fields.push(FieldOp {
                name: map.name,
                syntax: FieldSyntax::Constant(value),
                target,
                width: field.width,
                follow: Bytes::default(),
            });
            self.push(code, ReadOp::Prefer(number))?;
        }
        Ok(())
    }

    /// Appends what reads the parts of a template.
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
                    self.push(code, ReadOp::Align(*column))?;
                }
                TemplatePart::Mnemonic { align, .. } => {
                    if *align > 0 {
                        self.literal(&mut text, code)?;
                        self.push(code, ReadOp::Align(*align))?;
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
                        self.push(code, ReadOp::Align(*align))?;
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
        self.push(code, ReadOp::Literal { from, len })
    }

    /// Every way to go on that is not dead.
    fn either(
        &mut self,
        code: &mut Code,
        ways: usize,
        late: impl Fn(usize) -> bool,
        mut way: impl FnMut(&mut Self, usize, &mut Code) -> Result<(), Dead>,
    ) -> Result<(), Dead> {
        let mut live = Vec::new();
        for i in 0..ways {
            // What one way learns of the word does not hold on the others.
            let mark = self.meanings.mark();
            let mut this = Code::new();
            let done = way(self, i, &mut this);
            if ways > 1 {
                self.meanings.forget(mark);
            }
            if done.is_ok() {
                live.push((late(i), ones(&this), this));
            }
        }
        if live.is_empty() {
            return Err(Dead);
        }
        // Of ways that read the same text, the one that sets fewer bits is to win, unless it is known to be the other.
        live.sort_by_key(|(late, ones, _)| (*late, *ones));
        code.push(CodePiece::Either(live.into_iter().map(|(_, _, code)| code).collect()));
        Ok(())
    }

    /// Appends what reads a field: every definition that may apply is an alternative.
    fn choices(
        &mut self,
        scope: usize,
        name: Name,
        choices: Vec<Choice<'a>>,
        prefix: bool,
        code: &mut Code,
    ) -> Result<(), Dead> {
        self.either(
            code,
            choices.len(),
            |_| false,
            |this, i, code| {
                let Some(choice) = choices.get(i) else { return impossible(Err(Dead)) };
                for &condition in &choice.when {
                    this.condition(condition, code)?;
                }
                match choice.field {
                    Some((field, at)) => this.field(scope, name, field, at, prefix, code),
                    None => Ok(()),
                }
            },
        )
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
            return self.either(
                code,
                2,
                |_| false,
                |this, i, code| {
                    if i == 0 {
                        this.literal(&mut text.as_bytes().to_vec(), code)?;
                    }
                    this.condition((value, shown == (i == 0)), code)
                },
            );
        }
        if let FieldType::BoolInv(None) = field.ty {
            let value = self.meanings.value(at, field);
            return self.either(
                code,
                2,
                |_| false,
                |this, i, code| {
                    this.literal(&mut vec![b"01"[i & 1]], code)?;
                    this.condition((value, i == 0), code)
                },
            );
        }
        let width = field.width.min(64);
        let number = |digits| FieldSyntax::Number(NumberStyle { prefix, digits, branch: None });
        let (syntax, mask) = match &field.ty {
            FieldType::Int => (number(Digits::Signed), limbs::mask(width)),
            FieldType::Uint => (number(Digits::Unsigned), u64::MAX),
            FieldType::Hex => (number(Digits::Hex), u64::MAX),
            FieldType::Bool(_) => (number(Digits::Unsigned), limbs::mask(32)),
            FieldType::Offset => (number(Digits::Offset), limbs::mask(width)),
            FieldType::Uoffset => (number(Digits::UnsignedOffset), u64::MAX),
            FieldType::Branch { absolute, unit, .. } => {
                let branch = Some(BranchReach { absolute: *absolute, unit: *unit });
                (FieldSyntax::Number(NumberStyle { prefix, digits: Digits::Signed, branch }), limbs::mask(width))
            }
            FieldType::Float => (FieldSyntax::Float, limbs::mask(width)),
            FieldType::Enum(id) => (FieldSyntax::Table(self.table(TableOf::Enum(id.0))), u64::MAX),
            FieldType::Register(id) => (FieldSyntax::Table(self.table(TableOf::Register(id.0))), u64::MAX),
            FieldType::Custom => (FieldSyntax::Custom(name.0), u64::MAX),
            FieldType::BoolInv(_) | FieldType::Sub(_) => return impossible(Err(Dead)),
        };
        let target = self.target(at, field, mask)?;
        let number = self.program.fields.len() as u32;
        self.program.fields.push(FieldOp { name, syntax, target, width: field.width, follow: Bytes::default() });
        self.push(code, ReadOp::Field(number))
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
        let first = self.packed.and_then(|name| preference::first(name, isa.text(isa[space].name)));
        let late =
            |i: usize| first.zip(forms.get(i)).is_some_and(|(first, (e, _))| !isa.text(e.name).starts_with(first));
        let done = self.either(code, forms.len(), late, |this, i, code| {
            let Some(&(encoding, case)) = forms.get(i) else { return impossible(Err(Dead)) };
            this.assign(pattern_bits(encoding, word), code)?;
            let word: Bits = word.iter().map(|&bit| this.meanings.now(bit)).collect();
            let inner = this.meanings.open(encoding, word.clone(), Some(scope), params);
            this.case(encoding, inner, &word, case, code)
        });
        self.depth -= 1;
        done
    }
}

/// Whether a choice is a field that prints as digits: a `0x` before it is then part of the number.
fn is_plain_number(choice: &Choice<'_>) -> bool {
    choice.field.is_some_and(|(field, _)| {
        field.width <= 64
            && matches!(field.ty, FieldType::Int | FieldType::Uint | FieldType::Hex | FieldType::Bool(None))
    })
}
