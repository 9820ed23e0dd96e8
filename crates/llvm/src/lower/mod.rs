//! Records and an operand table to the model: every instruction an encoding with fields, operands and texts.
//!
//! [`lower`] collects the instructions that may be decoded ([`Candidate`]), gives each a rank, and adds them to the
//! model one by one. `meaning` says what an operand's bits mean, `scope` builds the fields, `text` and `bound` the
//! templates, `alias` and `applies` those of aliases, `show` and `spaces` what operands print, `flow` where control goes.

mod alias;
mod applies;
mod bound;
mod each;
mod every;
mod flow;
mod forms;
mod meaning;
mod modes;
mod named;
mod record_table;
mod refine;
mod reject;
mod scope;
mod show;
mod spaces;
mod text;
mod values;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::rc::Rc;

use isaglot_bits::{Pattern, Word};
use isaglot_invariant::Impossible as _;
use isaglot_model::limits::MAX_OPENED;
use isaglot_model::{
    Access, Builder, ByteOrder, Condition, Encoding, EnumId, ExprId, FieldType, Isa, LengthRule, Operand, OperandKind,
    Overlap, Space, SpaceId, Spelling, Varies, WordFormat,
};
use isaglot_source::{Diagnostic, Diagnostics, Span};
use rustc_hash::{FxHashMap, FxHashSet};

use self::alias::{Alias, Long};
use self::applies::ClassTest;
use self::bound::Bound;
pub(crate) use self::meaning::register_class;
use self::meaning::{Known, Number, Source};
use self::scope::Scope;
use crate::table::formula::Formula;
use crate::table::{Extend, InstFact, LengthLine, OperandTable, TextChoice};
use crate::target::asm::asm_parts;
use crate::target::encodings::Encoded;
use crate::target::features::Features;
use crate::target::inst::Inst;
use crate::target::registers::{NOWHERE, Registers, text as text_of};
use crate::target::{encodings, features, inst, lengths};
use isaglot_tablegen::{Def, Records, Value};

/// Records with the same bits whose texts an encoding takes over.
const MAX_SHARING: usize = 8;

/// Ranks within a namespace.
const RANKS: u32 = 16;

/// What kind of name a table does not explain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Missing {
    /// A `DecoderMethod` of an operand.
    Decoder,
    /// A `DecoderMethod` of an instruction.
    Instruction,
    /// A `PrintMethod`.
    Printer,
    /// An operand of several parts.
    Operand,
    /// An operand that the word does not hold, by its name.
    Absent,
    /// A name that the operand table explains by a guess.
    Guess,
}

/// A model, and what it lacks.
#[derive(Debug)]
pub struct Lowered {
    /// The model.
    pub isa: Isa,
    /// Names that the operand table does not explain, with the record that has it first and how often it occurs.
    pub missing: Vec<(Missing, String, Span, usize)>,
    /// The number of instructions.
    pub instructions: usize,
    /// Instructions of other names that have the same bits under the same conditions: one is decoded.
    pub same: Vec<SameBits>,
}

/// Two instructions with the same bits under the same conditions, and other mnemonics.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SameBits {
    /// The record and the mnemonic of the one that is decoded.
    pub decoded: (String, String),
    /// Where it is.
    pub decoded_at: Span,
    /// Those of the one that is only written.
    pub written: (String, String),
    /// Where it is.
    pub written_at: Span,
}

impl SameBits {
    /// Two instructions that have the same bits; `None` if they have one mnemonic.
    fn of(decoded: &Candidate<'_>, written: &Candidate<'_>) -> Option<SameBits> {
        let mnemonic = |c: &Candidate<'_>| {
            let text = c.inst.asm.beginning().unwrap_or_default();
            text.split([' ', '\t']).next().unwrap_or_default().to_owned()
        };
        let name = |c: &Candidate<'_>| (c.inst.name.to_string(), mnemonic(c));
        let place = |c: &Candidate<'_>| c.inst.def.span().unwrap_or(NOWHERE);
        let (decoded, decoded_at, written, written_at) = (name(decoded), place(decoded), name(written), place(written));
        (decoded.1 != written.1).then_some(SameBits { decoded, decoded_at, written, written_at })
    }
}

impl Missing {
    /// What it is, in words.
    pub fn name(self) -> &'static str {
        match self {
            Missing::Decoder => "`DecoderMethod` of an operand",
            Missing::Instruction => "`DecoderMethod` of an instruction",
            Missing::Printer => "`PrintMethod`",
            Missing::Operand => "operand of several parts",
            Missing::Absent => "operand that the word does not hold,",
            Missing::Guess => "name",
        }
    }
}

impl Lowered {
    /// A warning for each name that the operand table does not explain, and for each instruction that is never decoded because
    /// another has its bits.
    pub fn warnings(&self) -> impl Iterator<Item = Diagnostic> + '_ {
        let same = self.same.iter().map(|same| {
            let (SameBits { decoded, written, .. }, code) = (same, "tablegen-same-bits");
            let message =
                format!("`{}` and `{}` have the same bits, and nothing tells them apart", decoded.0, written.0);
            let d = Diagnostic::warning(code, message).label(same.written_at, format!("`{}`", written.1));
            let d = d.label(same.decoded_at, format!("`{}`, which is decoded", decoded.1));
            d.note("both are assembled; give them other bits, namespaces or predicates if both are to be decoded")
        });
        let missing = self.missing.iter().map(|(kind, name, span, count)| {
            if *kind == Missing::Guess {
                let message = format!("the operand table guesses what `{name}` means");
                let d = Diagnostic::warning("operands-guess", message).label(*span, "named here first");
                return d.note(format!("used {count} times; when the statement is right, take its word `guess` away"));
            }
            let message = format!("no meaning is known for the {} `{name}`", kind.name());
            let d = Diagnostic::warning("operands-missing", message).label(*span, "named here first");
            d.note(format!("used {count} times; say in the operand table what it means, see docs/llvm-targets.md"))
        });
        missing.chain(same)
    }
}

/// How operands print, by method.
type ByMethod = FxHashMap<String, Option<Rc<[TextChoice]>>>;

/// Everything while a target is lowered.
pub(crate) struct Lowering<'a> {
    records: &'a Records,
    table: &'a OperandTable,
    builder: Builder,
    registers: Registers<'a>,
    features: Features,
    problems: Vec<Diagnostic>,
    missing: BTreeMap<(Missing, String), (Span, usize)>,
    unknown: BTreeMap<(String, String), ()>,
    /// Instructions, by the index of their record, whose own decoder nothing explains.
    unexplained: FxHashSet<usize>,
    /// The table guesses how some operands print.
    guesses: bool,
    same: Vec<SameBits>,
    /// How operands print, by the index of their class of registers.
    choices: FxHashMap<Option<usize>, ByMethod>,
    /// What the table says of the instructions of classes.
    families: every::Families<'a>,
    /// The statements about operands that say that a number follows, by the index of the operand's record.
    extend: FxHashMap<usize, &'a Extend>,
    /// The words that facts refuse.
    refused: reject::Refused,
    /// How it is told that a register is of a class, by the index of the class, the width of its number, the bits of it that are not in the
    /// word and what these are; `None` where it never is.
    class_tests: FxHashMap<(usize, u32, u64, u64), Option<Rc<ClassTest>>>,
    /// What operands mean, by the index of their type and the width of the word.
    numbers: FxHashMap<(usize, u32), Vec<Known>>,
    /// The methods by which operands print, by the index of their record.
    methods: FxHashMap<usize, Rc<str>>,
    /// Spaces whose words are the values of one number, by method: for which numbers.
    value_spaces: FxHashMap<String, Vec<(Number, SpaceId)>>,
    /// The types of fields that print by a table of records, by its name: for which width.
    record_tables: FxHashMap<String, Vec<(u32, FieldType)>>,
    /// Spaces whose words are the values of several numbers, by method: for which numbers.
    joined_spaces: FxHashMap<String, Vec<(Vec<Number>, SpaceId)>>,
    enums: FxHashMap<String, EnumId>,
    aliases: FxHashMap<usize, Rc<Vec<Alias<'a>>>>,
    longs: FxHashMap<usize, Rc<Vec<Long<'a>>>>,
    mnemonics: FxHashMap<String, Vec<(String, Condition)>>,
    first_variant: String,
}

/// An instruction that may be lowered.
struct Candidate<'a> {
    inst: Inst<'a>,
    facts: Vec<InstFact>,
    pattern: Pattern,
    /// The number of the mode that it is in.
    mode: usize,
    rank: u32,
    condition: Condition,
    /// What its decoder namespace needs.
    namespace: Condition,
    /// Only written, never decoded.
    written: bool,
}

/// Lowers the instructions of a target. Problems are added to `out`; `None` if one of them is an error.
pub fn lower(records: &Records, table: &OperandTable, out: &mut Diagnostics) -> Option<Lowered> {
    let table = &table.given(&|name| records.def(name).is_some());
    let name = records.defs_of("Target").first().map_or_else(|| "tablegen".to_owned(), |d| d.name().into_owned());
    let mut builder = Builder::new(name);
    let features = Features::new(records, &table.features, &table.contexts, &mut builder);
    let first_variant = records.defs_of("AsmParserVariant").first().map_or(String::new(), |d| text_of(*d, "Name"));
    let mut lowering = Lowering {
        records,
        table,
        builder,
        registers: Registers::new(records, &table.registers),
        features,
        problems: Vec::new(),
        missing: BTreeMap::new(),
        unknown: BTreeMap::new(),
        unexplained: FxHashSet::default(),
        guesses: table.print.values().flatten().any(|hook| hook.guess),
        same: Vec::new(),
        choices: FxHashMap::default(),
        families: every::Families::new(table, records),
        extend: forms::extend(table, records),
        refused: reject::Refused::default(),
        class_tests: FxHashMap::default(),
        numbers: FxHashMap::default(),
        methods: FxHashMap::default(),
        value_spaces: FxHashMap::default(),
        record_tables: FxHashMap::default(),
        joined_spaces: FxHashMap::default(),
        enums: FxHashMap::default(),
        aliases: FxHashMap::default(),
        longs: FxHashMap::default(),
        mnemonics: FxHashMap::default(),
        first_variant,
    };
    lowering.read_aliases();
    lowering.needed_features();
    lowering.needed_of_modes();
    if let Some(mark) = table.number_mark {
        lowering.builder.number_mark(mark);
    }
    lowering.builder.spelling(if table.any_case { Spelling::AnyCase } else { Spelling::Mnemonics });
    let instructions = lowering.instructions();
    if instructions == 0 {
        let d = Diagnostic::error("tablegen-no-instructions", "no record is an instruction with an encoding");
        out.push(d.note("expected records of the class `Instruction` with known bits in `Inst`"));
        return None;
    }
    lowering.registers.finish(&mut lowering.builder);
    for ((kind, name), ()) in &lowering.unknown {
        let message = format!("the operand table names the {kind} `{name}`, which does not exist");
        lowering.problems.push(Diagnostic::warning("operands-unknown", message));
    }
    let before = out.error_count();
    lowering.problems.into_iter().for_each(|d| out.push(d));
    let isa = lowering.builder.finish(out)?;
    if out.error_count() > before {
        return None;
    }
    let missing = lowering.missing.into_iter().map(|((kind, name), (span, count))| (kind, name, span, count)).collect();
    Some(Lowered { isa, missing, instructions, same: lowering.same })
}

impl<'a> Lowering<'a> {
    fn missing(&mut self, kind: Missing, name: &str, ty: Def<'a>) {
        let entry = self.missing.entry((kind, name.to_owned()));
        entry.or_insert_with(|| (ty.span().unwrap_or(NOWHERE), 0)).1 += 1;
    }

    /// Adds a problem, once for all instructions that have it.
    fn problem(&mut self, problem: Diagnostic) {
        let same = |known: &Diagnostic| known.message == problem.message && known.labels == problem.labels;
        if !self.problems.iter().any(same) {
            self.problems.push(problem);
        }
    }

    fn unknown(&mut self, kind: &str, name: &str) {
        self.unknown.insert((kind.to_owned(), name.to_owned()), ());
    }

    /// That the features exist which the table says namespaces and widths need: else they would need nothing.
    fn needed_features(&mut self) {
        let table = self.table;
        let named = table.requires.iter().map(|(_, feature)| feature);
        for feature in named.chain(table.requires_width.iter().map(|(_, feature)| feature)) {
            if self.features.named(feature).is_none() {
                self.unknown("feature", feature);
            }
        }
    }

    /// Lowers every instruction that has an encoding; their number.
    fn instructions(&mut self) -> usize {
        let mut list = Vec::new();
        let mut names = named::Names::default();
        let reversed = inst::is_reversed(self.records);
        for Encoded { def, bits, mode } in encodings::list(self.records, &mut self.features, self.table) {
            let Some(mut inst) = Inst::read(def, bits, &self.table.layout, reversed) else { continue };
            let all = self.facts(&inst);
            self.refine(&mut inst, &all);
            self.note_names(&inst, &all, &mut names);
            let said = all.iter().find_map(|f| if let InstFact::Namespace(n) = f { Some(n.clone()) } else { None });
            let own_namespace = said.unwrap_or_else(|| text_of(bits, "DecoderNamespace"));
            for modes::Form { inst, mode: in_mode, rank, condition: mode_condition } in
                self.in_modes(inst, &own_namespace)
            {
                let forms = self.extended(&inst, all.clone());
                for (facts, needs) in self.with_records(&inst, forms) {
                    let condition =
                        features::all(vec![self.features.condition(bits), mode.clone(), mode_condition.clone(), needs]);
                    let candidate = self.candidate(inst.clone(), facts, (in_mode, rank), condition);
                    let namespace = self.namespace(&own_namespace, candidate.pattern.width());
                    list.push(Candidate { namespace, ..candidate });
                }
            }
        }
        self.check_names(&names);
        let widths = list.iter().filter(|c| !c.written).map(|c| c.pattern.width());
        let Some((least, most)) = widths.clone().min().zip(widths.max()) else { return 0 };
        let lengths =
            if self.table.lengths_worked_out { self.lengths_of(&list, least) } else { self.lengths(least, most) };
        let parcel_bits = if lengths.is_empty() { most } else { self.table.parcel.unwrap_or(least) };
        self.builder.format(WordFormat { parcel_bits, max_bits: most, byte_order: self.table.byte_order, lengths });
        let root = self.builder.name("Inst");
        let root = self.builder.space(Space {
            name: root,
            width: most,
            overlap: Overlap::MostSpecific,
            span: list.first().and_then(|c| c.inst.def.span()).unwrap_or(NOWHERE),
            ..Space::default()
        });
        self.builder.root(root);
        // Of those with the same words one is decoded, the first by rank; the others are further ways to write it.
        let mut order: Vec<usize> = (0..list.len()).filter(|&i| list.get(i).is_some_and(|c| !c.written)).collect();
        order.sort_by_key(|&i| list.get(i).map(|c| c.rank).or_impossible(0));
        let mut first: FxHashMap<(usize, &Pattern), usize> = FxHashMap::default();
        for &i in &order {
            if let Some(c) = list.get(i) {
                first.entry((c.mode, &c.pattern)).or_insert(i);
            }
        }
        let mut members: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
        let mut decoded = vec![true; list.len()];
        for (i, c) in list.iter().enumerate() {
            let leader = first.get(&(c.mode, &c.pattern)).and_then(|&at| Some((at, list.get(at)?)));
            let same = leader.is_some_and(|(at, leader)| {
                at != i
                    && leader.condition == c.condition
                    && leader.namespace == c.namespace
                    && reject::refuse_alike(&leader.facts, &c.facts)
            });
            if let Some(flag) = decoded.get_mut(i) {
                *flag = !c.written && !same;
            }
            if let (true, false, Some((_, leader))) = (same, c.written, leader) {
                self.same.extend(SameBits::of(leader, c));
            }
            if let Some((at, _)) = leader {
                members.entry(at).or_default().push(i);
            }
        }
        // Each of them may be the one that is decoded, so each is written in all ways.
        let mut others: FxHashMap<usize, Vec<&Candidate<'a>>> = FxHashMap::default();
        for group in members.values().filter(|group| group.len() > 1) {
            for &i in group {
                let rest = group.iter().filter(|&&j| j != i).filter_map(|&j| list.get(j));
                others.insert(i, rest.take(MAX_SHARING).collect());
            }
        }
        let mut count = 0;
        for (i, c) in list.iter().enumerate().filter(|(i, _)| decoded.get(*i).is_some_and(|d| *d)) {
            count += 1;
            self.instruction(c, others.get(&i).map_or(&[], Vec::as_slice), root);
        }
        count
    }

    /// An instruction with its facts; `rank` is the first one of its namespace.
    fn candidate(
        &self,
        mut inst: Inst<'a>,
        facts: Vec<InstFact>,
        (mode, rank): (usize, u32),
        condition: Condition,
    ) -> Candidate<'a> {
        let fields = facts.iter().filter_map(|fact| match fact {
            InstFact::Bits(name, bits) => Some((name.clone(), bits)),
            _ => None,
        });
        for (name, bits) in fields.filter(|(name, _)| !inst.fields.contains_key(name)).collect::<Vec<_>>() {
            let places = bits.iter().rev().flat_map(|&(high, low)| low..=high).map(Some).collect();
            Rc::make_mut(&mut inst.fields).insert(name, places);
        }
        let mut rewritten: Option<String> = None;
        for fact in &facts {
            if let InstFact::Rewrite(from, to) = fact {
                let text = rewritten.take().unwrap_or_else(|| text_of(inst.def, "AsmString"));
                rewritten = Some(text.replace(from.as_str(), to));
            }
            if let InstFact::Copy(name, field) = fact
                && let Some(places) = inst.fields.get(field).cloned()
            {
                Rc::make_mut(&mut inst.fields).insert(name.clone(), places);
            }
        }
        if let Some(text) = rewritten {
            inst.asm = Rc::new(asm_parts(&text));
        }
        let said = facts.iter().find_map(|f| if let InstFact::Width(w) = f { Some(*w) } else { None });
        let width = said.unwrap_or((inst.bits.len() as u32).next_multiple_of(8));
        let later: u32 = facts.iter().map(|f| if let InstFact::Rank(n) = f { *n } else { 0 }).sum();
        if said.is_some() && self.table.byte_order == ByteOrder::Big {
            inst.move_up(width);
        }
        // Ranks within a namespace come before the next namespace.
        let rank = rank + later.min(RANKS - 1);
        let mut pattern = inst.pattern(width);
        for fact in &facts {
            let (places, value): (Vec<Option<u32>>, u64) = match fact {
                InstFact::Fixed(name, value) => (inst.fields.get(name).cloned().unwrap_or_default(), *value),
                InstFact::Word(bits, value, None) => {
                    (bits.iter().rev().flat_map(|&(high, low)| low..=high).map(Some).collect(), *value)
                }
                _ => continue,
            };
            for (i, at) in (0u32..).zip(places) {
                let at = at.filter(|at| *at < width);
                pattern = at.map_or(pattern.clone(), |at| pattern.with_bit(at, value >> i.min(63) & 1 == 1));
            }
        }
        let written = matches!(inst.def.get("isAsmParserOnly"), Some(Value::Bit(true)));
        let own: Vec<(String, bool)> = facts
            .iter()
            .filter_map(|fact| if let InstFact::Where(name, on) = fact { Some((name.clone(), *on)) } else { None })
            .collect();
        let condition = features::all(vec![condition, self.features_are(&own)]);
        Candidate { inst, facts, pattern, mode, rank, condition, namespace: Condition::Always, written }
    }

    fn facts(&mut self, inst: &Inst<'a>) -> Vec<InstFact> {
        let method = text_of(inst.def, "DecoderMethod");
        let mut facts = self.table.instructions.get(&*inst.name).cloned().unwrap_or_default();
        facts.extend(self.families.facts(inst));
        let encoder = self.table.instructions.get(&text_of(inst.def, "PostEncoderMethod"));
        facts.extend(encoder.into_iter().flatten().cloned());
        match self.table.instructions.get(&method) {
            // Known, even if nothing needs to be said of it.
            Some(more) => facts.extend(more.iter().cloned()),
            None if !method.is_empty() && facts.is_empty() => {
                self.missing(Missing::Instruction, &method, inst.def);
                self.unexplained.insert(inst.def.index());
            }
            None => {}
        }
        self.in_order(inst, &mut facts);
        for fact in &facts {
            if let InstFact::Decode(_, method) = fact
                && OperandTable::find(&self.table.decode, method).is_none()
            {
                self.unknown("decoder", method);
            }
        }
        facts.extend(inst.decoders.iter().map(|(name, method)| InstFact::Decode(name.clone(), method.clone())));
        facts
    }

    /// What the table says of the operands by their order, said of each by its name.
    fn in_order(&mut self, inst: &Inst<'a>, facts: &mut Vec<InstFact>) {
        let mut said = facts.iter().filter_map(|fact| match fact {
            InstFact::Operands(all, at) => Some((all.clone(), *at)),
            _ => None,
        });
        let Some((list, at)) = said.next() else { return };
        if let Some((_, at)) = said.next() {
            let message = format!("`{}` has two lines about its operands in order", inst.name);
            return self.problem(Diagnostic::error("operands-order", message).label(at, "this is the second"));
        }
        let own: Vec<&str> = inst.operands.iter().filter(|o| o.tied.is_none()).map(|o| o.name.as_str()).collect();
        if own.len() != list.len() {
            let message = format!("`{}` has {} operands of its own, not {}", inst.name, own.len(), list.len());
            self.problem(Diagnostic::error("operands-order", message).label(at, "in this line"));
        }
        for (name, (method, bits)) in own.into_iter().zip(list) {
            facts.push(InstFact::Bits(name.to_owned(), bits));
            facts.push(InstFact::Decode(name.to_owned(), method));
        }
    }

    fn lengths(&self, least: u32, most: u32) -> Vec<LengthRule> {
        if !self.table.lengths.is_empty() {
            // A line with a feature that the target does not have never counts.
            let rule = |line: &LengthLine| {
                let mut parts = Vec::new();
                for (name, on) in &line.features {
                    match (self.features.named(name), on) {
                        (Some(id), true) => parts.push(Condition::Feature(id)),
                        (Some(id), false) => parts.push(Condition::Not(Box::new(Condition::Feature(id)))),
                        (None, true) => return None,
                        (None, false) => {}
                    }
                }
                let (pattern, condition) = (line.pattern.clone(), features::all(parts));
                Some(LengthRule { pattern, bits: line.bits, condition, span: line.span })
            };
            return self.table.lengths.iter().filter_map(rule).collect();
        }
        if least == most {
            return Vec::new();
        }
        // Nothing says how lengths are told apart: the table has to.
        Vec::new()
    }

    /// The lengths that the first parcel tells by what instructions there are.
    fn lengths_of(&mut self, list: &[Candidate<'a>], least: u32) -> Vec<LengthRule> {
        let parcel = self.table.parcel.unwrap_or(least);
        let first = |candidate: &Candidate<'a>| {
            let pattern = &candidate.pattern;
            let above = pattern.width().saturating_sub(parcel);
            let from = if self.table.byte_order == ByteOrder::Big { above } else { 0 };
            let bit = |all: Pattern, at: u32| pattern.bit(from + at).map_or(all.clone(), |one| all.with_bit(at, one));
            ((0..parcel).fold(Pattern::any(parcel), bit), pattern.width())
        };
        let firsts: Vec<(Pattern, u32)> = list.iter().filter(|c| !c.written).map(first).collect();
        let mut rules = Vec::new();
        for lengths::Rule { pattern, bits, wrong } in lengths::rules(&firsts, parcel) {
            if wrong > 0 {
                let message = format!("the first {parcel} bits {pattern} do not tell the length of an instruction");
                let d = Diagnostic::error("operands-lengths", message);
                self.problem(d.note(
                    "`lengths worked out` is for targets whose instructions tell it; say `length PATTERN = BITS`",
                ));
            }
            rules.push(LengthRule { pattern, bits, condition: Condition::Always, span: NOWHERE });
        }
        rules
    }

    fn instruction(&mut self, candidate: &Candidate<'a>, others: &[&Candidate<'a>], space: SpaceId) {
        let span = candidate.inst.def.span().unwrap_or(NOWHERE);
        let width = candidate.pattern.width();
        let (inst, resolved) = self.resolved(candidate);
        let pattern = candidate.pattern.clone();
        let except: Vec<Pattern> = resolved.except.into_iter().filter(|e| e.overlaps(&pattern)).collect();
        if except.iter().any(|e| e.contains(&pattern)) {
            return;
        }
        let mut scope = Scope::new(Rc::clone(&inst.fields), span);
        let mut operands = self.roles(&mut scope, &inst, &resolved.sources);
        let bound = Bound::new(&inst, resolved.sources, &candidate.facts);
        let mut texts = self.texts(&mut scope, &bound);
        for other in others {
            let (inst, resolved) = self.resolved(other);
            let bound = Bound::new(&inst, resolved.sources, &other.facts);
            let condition = if other.condition == candidate.condition { &Condition::Always } else { &other.condition };
            self.further_texts(&mut scope, &bound, condition, &mut texts);
        }
        if candidate.facts.iter().any(|fact| matches!(fact, InstFact::Unread)) {
            texts.retain(|text| !text.input_only);
            texts.iter_mut().for_each(|text| text.output_only = true);
        }
        self.refine_texts(&mut scope, candidate, &mut texts);
        flow::label(&scope, &mut operands);
        let jump = candidate.facts.iter().any(|fact| matches!(fact, InstFact::Jump(None)));
        let flow = flow::flow(inst.flags, &scope, jump);
        let opens = self.opens(&mut scope, &candidate.facts);
        let cases = self.cases(scope, texts, &inst.name);
        let name = self.builder.name(&inst.name);
        let named =
            candidate.facts.iter().find_map(|fact| if let InstFact::Text(t, _) = fact { Some(t) } else { None });
        let named = named.map(|text| asm_parts(text));
        let display_name = match named.as_ref().unwrap_or(&bound.asm).beginning() {
            Some(text) => text.split(' ').next().or_impossible("").into(),
            None => (&*inst.name).into(),
        };
        self.builder.encoding(Encoding {
            name,
            display_name,
            space,
            width,
            pattern,
            dont_care: Word::zero(width),
            except: except.into(),
            rank: candidate.rank,
            condition: features::all(vec![candidate.condition.clone(), candidate.namespace.clone()]),
            cases,
            operands: operands.into(),
            flow,
            opens,
            span,
            ..Encoding::default()
        });
    }

    /// The contexts that an instruction gives to those after it.
    fn opens(&mut self, scope: &mut Scope, facts: &[InstFact]) -> Vec<ExprId> {
        let said =
            facts.iter().find_map(|f| if let InstFact::Opens(formula, at) = f { Some((formula, *at)) } else { None });
        let Some((formula, at)) = said else { return Vec::new() };
        let mut list = Vec::new();
        for i in 0..MAX_OPENED {
            let mut formula = formula.clone();
            formula.replace(&|name| (name == "i").then_some(Formula::Number(i as i64)));
            match scope.formula(&mut self.builder, &self.features, &formula) {
                Ok(expr) => list.push(expr),
                Err(name) => {
                    let message = format!("the instruction has no field `{name}`");
                    self.problem(Diagnostic::error("operands-part", message).label(at, "in this formula"));
                    return Vec::new();
                }
            }
        }
        list
    }

    /// The instruction with the fields that the table adds, and its operands.
    fn resolved<'c>(&mut self, candidate: &'c Candidate<'a>) -> (Cow<'c, Inst<'a>>, meaning::Resolved) {
        let width = candidate.pattern.width();
        let mut inst = Cow::Borrowed(&candidate.inst);
        for fact in &candidate.facts {
            if let InstFact::Bits(name, bits) = fact {
                let places = bits.iter().rev().flat_map(|&(high, low)| low..=high).map(|at| (at < width).then_some(at));
                Rc::make_mut(&mut inst.to_mut().fields).insert(name.clone(), places.collect());
            }
        }
        let resolved = self.resolve(&inst, width, &candidate.facts);
        (inst, resolved)
    }

    /// Namespaces are tried in the order that the table says; the empty one last.
    ///
    /// Example: with `namespaces Vendor`, an instruction of `DecoderNamespace = "Vendor"` has rank 0 and one without a
    /// namespace has rank 1. If both match a word, the vendor's is decoded where its features are on.
    fn rank(&self, namespace: &str) -> u32 {
        let named = &self.table.namespaces;
        let at = named.iter().position(|n| n == namespace).unwrap_or(named.len());
        at as u32 + u32::from(namespace.is_empty() && !named.iter().any(|n| n == namespace))
    }

    /// The features that a namespace and a width in bits need.
    fn namespace(&self, namespace: &str, width: u32) -> Condition {
        let named = self.table.requires.iter().filter(|(name, _)| name == namespace).map(|(_, feature)| feature);
        let sized = self.table.requires_width.iter().filter(|(bits, _)| *bits == width).map(|(_, feature)| feature);
        features::all(named.chain(sized).filter_map(|f| self.features.named(f)).map(Condition::Feature).collect())
    }

    /// What the operands of an instruction are, as far as they are in the word.
    fn roles(&mut self, scope: &mut Scope, inst: &Inst<'a>, sources: &[Source]) -> Vec<Operand> {
        let mut list: Vec<Operand> = Vec::new();
        for (operand, source) in inst.operands.iter().zip(sources) {
            let access = if operand.output { Access::Write } else { Access::Read };
            let Source::Numbers(numbers) = source else { continue };
            for number in numbers.iter() {
                let field = match number.registers {
                    Some((file, true)) if number.formula.is_some() => {
                        self.field_of(scope, number, FieldType::Register(file))
                    }
                    _ => scope.bits_of(&mut self.builder, number),
                };
                let kind = match number.registers {
                    Some((file, true)) => OperandKind::Register(field, file),
                    _ => OperandKind::Immediate(field),
                };
                match list.iter_mut().find(|o| o.kind == kind) {
                    Some(known) if known.access != access => known.access = Access::ReadWrite,
                    Some(_) => {}
                    None => list.push(Operand { kind, access, count: 1, varies: Varies::default(), span: scope.span }),
                }
            }
        }
        for (field, access) in [("Uses", Access::Read), ("Defs", Access::Write)] {
            let Some(Value::List(registers)) = inst.def.get(field) else { continue };
            for value in registers.iter() {
                let Value::Def(def) = value else { continue };
                let Some((file, number)) = self.registers.place(def) else { continue };
                let kind = OperandKind::Implicit(file, number);
                list.push(Operand { kind, access, count: 1, varies: Varies::default(), span: scope.span });
            }
        }
        list
    }
}
