//! Aliases: `InstAlias`, and the long forms of compressed instructions (`CompressPat`).
//!
//! An alias of an instruction is a case of its encoding with a guard: some operands have the values of the alias. A
//! compressed instruction prints as its long form, with the operands of the compressed one, and the aliases of the long
//! form apply too. Both are the same work: the texts of an instruction with its operands *bound* to sources, which are
//! numbers of the word, registers or constants.
//!
//! Example: `InstAlias<"mv $rd, $rs", (ADDI GPR:$rd, GPR:$rs, 0)>` binds the third operand of `ADDI` to 0. The encoding
//! gets the case `mv {rd}, {rs}` with the guard `imm == 0`, before its own `addi {rd}, {rs}, {imm}`. `C_LI rd, imm` has
//! the long form `ADDI rd, X0, imm`: `rs` is bound to register `x0`, so the alias of `ADDI` for `li` applies to the
//! compressed word as well.

use std::rc::Rc;
use std::sync::Arc;

use isaglot_invariant::Impossible as _;
use isaglot_model::{BinaryOp, Case, Condition, IntType, Name, Node, NodeId, Template, TemplateId, UnaryOp};
use rustc_hash::FxHashMap;

use super::Lowering;
use super::meaning::{Number, Source, register_class};
use super::scope::{Guard, Scope, push};
use super::text::{Line, Short};
use crate::limits::MAX_CASES;
use crate::table::formula::Formula;
use crate::table::{AliasWhen, DecodeStep, InstFact, NumberFormat, OperandTable, ValueSet};
use crate::target::inst::{AsmPart, Inst, InstOperand, OperandType, asm_parts};
use crate::target::registers::text;
use crate::target::{features, inst};
use isaglot_tablegen::{Dag, Def, Value};

/// An `InstAlias`.
#[derive(Clone, Debug)]
pub(crate) struct Alias<'a> {
    asm: Vec<AsmPart>,
    result: Dag<'a>,
    priority: i64,
    condition: Condition,
    /// LLVM prints it. It does only if the text has no more operands than the instruction, counted by blanks, and if no
    /// other alias is for the same operands: of two that are, it prints neither.
    printed: bool,
}

/// The long form of a compressed instruction.
#[derive(Clone, Debug)]
pub(crate) struct Long<'a> {
    def: Def<'a>,
    input: Dag<'a>,
    output: Dag<'a>,
    condition: Condition,
    /// The long form may be compressed, but a compressed word does not print as it.
    one_way: bool,
}

/// A text of the operand table.
#[derive(Clone, Debug)]
pub(crate) struct FurtherText {
    /// When it applies.
    when: AliasWhen,
    text: String,
    alias: bool,
    input_only: bool,
    output_only: bool,
}

/// An instruction whose texts are wanted.
#[derive(Clone, Debug)]
pub(crate) struct Bound<'a> {
    pub(crate) def: Def<'a>,
    /// The `AsmString`.
    pub(crate) asm: String,
    pub(crate) operands: Vec<InstOperand<'a>>,
    pub(crate) sources: Vec<Source>,
    /// Operands that print by another method than their record's.
    pub(crate) printers: Vec<(String, String)>,
    /// Further texts, and the values of operands for which they are used.
    pub(crate) aliases: Vec<FurtherText>,
    /// A text instead of the record's, and where.
    pub(crate) own: Option<(Formula, String)>,
    /// Where it has the texts of a long form, if not everywhere.
    pub(crate) long: Option<Formula>,
    /// The aliases of the records are not its texts.
    pub(crate) bare: bool,
}

impl<'a> Bound<'a> {
    /// An instruction with its own operands, and what the table says about its texts.
    pub(crate) fn new(inst: &Inst<'a>, sources: Vec<Source>, facts: &[InstFact]) -> Bound<'a> {
        let printer = |fact: &InstFact| match fact {
            InstFact::Print(operand, method) => Some((operand.clone(), method.clone())),
            _ => None,
        };
        let alias = |fact: &InstFact| match fact {
            InstFact::Alias(when, text) | InstFact::Input(when, text) => Some(FurtherText {
                when: when.clone(),
                text: text.clone(),
                alias: true,
                input_only: matches!(fact, InstFact::Input(..)),
                output_only: false,
            }),
            InstFact::Text(text, printed_only) => Some(FurtherText {
                when: AliasWhen::default(),
                text: text.clone(),
                alias: false,
                input_only: false,
                output_only: *printed_only,
            }),
            _ => None,
        };
        let own = |fact: &InstFact| match fact {
            InstFact::Own(formula, text) => Some((formula.clone(), text.clone())),
            _ => None,
        };
        Bound {
            def: inst.def,
            asm: inst.asm.clone(),
            operands: inst.operands.clone(),
            sources,
            printers: facts.iter().filter_map(printer).collect(),
            aliases: facts.iter().filter_map(alias).collect(),
            own: facts.iter().find_map(own),
            long: facts.iter().find_map(|fact| if let InstFact::Long(f) = fact { Some(f.clone()) } else { None }),
            bare: facts.iter().any(|fact| matches!(fact, InstFact::NoAliases)),
        }
    }
}

/// One text of an encoding.
#[derive(Clone, Debug)]
pub(crate) struct Text {
    pub(crate) template: TemplateId,
    pub(crate) guard: Guard,
    pub(crate) alias: bool,
    pub(crate) input_only: bool,
    pub(crate) output_only: bool,
}

/// A number of an operand: which of its parts.
type Slot = (usize, Option<usize>);

impl<'a> Lowering<'a> {
    /// Reads all aliases.
    pub(crate) fn read_aliases(&mut self) {
        for def in self.records.defs_of("InstAlias") {
            let Some(Value::Dag(result)) = def.get("ResultInst") else { continue };
            let Value::Def(inst) = result.operator() else { continue };
            // Other syntaxes than the first are another assembler's.
            if !matches!(text(def, "AsmVariantName").as_str(), "" | "generic")
                && self.first_variant != text(def, "AsmVariantName")
            {
                continue;
            }
            let asm = asm_parts(&text(def, "AsmString"));
            let blank = |part: &AsmPart| match part {
                AsmPart::Text(text) => text.matches([' ', '\t']).count(),
                AsmPart::Operand(_) => 0,
            };
            let blanks: usize = asm.iter().map(blank).sum();
            let count: usize = asm_parts(&text(inst, "AsmString")).iter().map(blank).sum();
            let priority = def.int("EmitPriority").unwrap_or(0);
            let condition = self.features.condition(def);
            let printed = priority > 0 && blanks <= count;
            let list = Rc::make_mut(self.aliases.entry(inst.index()).or_default());
            list.push(Alias { asm, result, priority, condition, printed });
        }
        for list in self.aliases.values_mut().map(Rc::make_mut) {
            list.sort_by_key(|alias| std::cmp::Reverse(alias.priority));
            let all: Vec<Option<String>> = list.iter().map(demands).collect();
            for (alias, own) in list.iter_mut().zip(&all) {
                alias.printed &= all.iter().filter(|other| *other == own).count() < 2;
            }
        }
        for def in self.records.defs_of("CompressPat") {
            let (Some(Value::Dag(input)), Some(Value::Dag(output))) = (def.get("Input"), def.get("Output")) else {
                continue;
            };
            let (Value::Def(long), Value::Def(short)) = (input.operator(), output.operator()) else { continue };
            let condition = self.features.condition(def);
            let one_way = def.bit("isCompressOnly").unwrap_or(false);
            let list = Rc::make_mut(self.longs.entry(short.index()).or_default());
            list.push(Long { def: long, input, output, condition, one_way });
        }
        for def in self.records.defs_of("MnemonicAlias") {
            let condition = self.features.condition(def);
            let (from, to) = (text(def, "FromMnemonic"), text(def, "ToMnemonic"));
            self.mnemonics.entry(to).or_default().push((from, condition));
        }
    }

    /// All texts of an encoding: its long forms, its aliases, its own.
    pub(crate) fn texts(&mut self, scope: &mut Scope, own: &Bound<'a>) -> Vec<Text> {
        let mut out = Vec::new();
        for long in self.longs.get(&own.def.index()).cloned().unwrap_or_default().iter() {
            let mut guard = Guard::default();
            let Some(sources) = self.bind_long(scope, own, long, &mut guard) else { continue };
            if own.long.as_ref().is_some_and(|formula| !self.formula_holds(scope, formula, &mut guard)) {
                continue;
            }
            if long.condition != Condition::Always {
                guard.add(|nodes| features::lower(&long.condition, nodes));
            }
            let operands = crate::target::inst::operands(long.def);
            let bound = Bound {
                def: long.def,
                asm: text(long.def, "AsmString"),
                operands,
                sources,
                printers: Vec::new(),
                aliases: Vec::new(),
                own: None,
                long: None,
                bare: false,
            };
            let from = out.len();
            self.own_texts(scope, &bound, &guard, true, &mut out);
            if long.one_way {
                out.iter_mut().skip(from).for_each(|text| text.input_only = true);
            }
        }
        self.own_texts(scope, own, &Guard::default(), false, &mut out);
        self.renamed(&mut out);
        out.truncate(MAX_CASES);
        out
    }

    /// The texts of another instruction that has the same words, for input: they come before those of the one that is
    /// printed.
    pub(crate) fn further_texts(
        &mut self,
        scope: &mut Scope,
        bound: &Bound<'a>,
        condition: &Condition,
        out: &mut Vec<Text>,
    ) {
        let mut guard = Guard::default();
        if *condition != Condition::Always {
            guard.add(|nodes| features::lower(condition, nodes));
        }
        let mut texts = Vec::new();
        self.own_texts(scope, bound, &guard, true, &mut texts);
        texts.iter_mut().for_each(|text| text.input_only = true);
        out.splice(0..0, texts);
    }

    /// The aliases of an instruction, and its own text last. An alias that is not printed is read all the same.
    fn own_texts(&mut self, scope: &mut Scope, bound: &Bound<'a>, guard: &Guard, alias: bool, out: &mut Vec<Text>) {
        let asm = asm_parts(&bound.asm);
        let own = |name: &str| {
            let name = name.split(':').next().or_impossible(name);
            // `NAME>` is the operand after that.
            let (name, by) = name.strip_suffix('>').map_or((name, 0), |name| (name, 1));
            let Some(at) = bound.operands.iter().position(|o| o.name == name).map(|at| at + by) else {
                let numbers =
                    bound.sources.iter().filter_map(|s| if let Source::Numbers(n) = s { Some(n) } else { None });
                let part = numbers.flat_map(|all| all.iter()).find(|number| number.part == name)?;
                return Some((Source::Numbers(Rc::new(vec![part.clone()])), None));
            };
            let ty = match &bound.operands.get(at)?.ty {
                OperandType::Def(ty) | OperandType::Parts(ty, _) => Some(*ty),
                OperandType::Other => None,
            };
            Some((bound.sources.get(at)?.clone(), ty))
        };
        for FurtherText { when, text, alias, input_only, output_only } in &bound.aliases {
            let mut guard = guard.clone();
            let mut holds = |(name, value): &(String, i64)| {
                let (source, _) = own(name)?;
                self.is_constant(scope, &source, *value, &mut guard)
            };
            let mut applies = when.values.iter().all(|one| holds(one).is_some());
            for formula in &when.formulas {
                applies &= self.formula_holds(scope, formula, &mut guard);
            }
            let asm = if applies { inst::asm_parts_with_methods(text) } else { continue };
            let line = self.line(&asm, &own, &bound.printers);
            if let Some(template) = self.template(scope, &line) {
                let (alias, input_only, output_only) = (*alias, *input_only, *output_only);
                out.push(Text { template, guard, alias, input_only, output_only });
            }
        }
        let known = self.aliases.get(&bound.def.index()).filter(|_| !bound.bare);
        for one in known.cloned().unwrap_or_default().iter() {
            if out.len() >= MAX_CASES {
                return;
            }
            let mut guard = guard.clone();
            let Some(names) = self.bind_alias(scope, bound, one.result, &mut guard) else { continue };
            if one.condition != Condition::Always {
                guard.add(|nodes| features::lower(&one.condition, nodes));
            }
            let find = |name: &str| {
                let (source, ty) = names.get(name)?;
                Some((source.clone(), *ty))
            };
            let input_only = !one.printed || self.table.aliases_read;
            let line = self.line(&one.asm, &find, &bound.printers);
            self.line_texts(scope, &line, &guard, (true, input_only), out);
        }
        let mut guard = guard.clone();
        if let Some((formula, text)) = &bound.own {
            let mut instead = guard.clone();
            if self.formula_holds(scope, formula, &mut instead) {
                let parts = inst::asm_parts_with_methods(text);
                let line = self.line(&parts, &own, &bound.printers);
                if let Some(template) = self.template(scope, &line) {
                    out.push(Text { template, guard: instead, alias, input_only: false, output_only: false });
                }
                let not = Formula::Unary(UnaryOp::LogicalNot, Box::new(formula.clone()));
                self.formula_holds(scope, &not, &mut guard);
            }
        }
        let line = self.line(&asm, &own, &bound.printers);
        self.line_texts(scope, &line, &guard, (alias, false), out);
    }

    /// The texts of one line: with what is shorter for one value, in other spellings, plain.
    fn line_texts(
        &mut self,
        scope: &mut Scope,
        line: &Line<'_, 'a>,
        guard: &Guard,
        (alias, input_only): (bool, bool),
        out: &mut Vec<Text>,
    ) {
        let mut guarded = guard.clone();
        let short = self.short_template(scope, line, &mut guarded);
        if let Some(Short::Shorter(template)) = short {
            out.push(Text { template, guard: guarded, alias: true, input_only, output_only: false });
        }
        self.spellings(scope, line, guard, out);
        let template = match short {
            Some(Short::Plain(parts)) => Some(self.template_of(parts, scope)),
            _ => self.template(scope, line),
        };
        if let Some(template) = template {
            out.push(Text { template, guard: guard.clone(), alias, input_only, output_only: false });
        }
    }

    /// Adds to the guard that a formula is not 0; `false` if it has a name that does not exist.
    pub(super) fn formula_holds(&mut self, scope: &mut Scope, formula: &Formula, guard: &mut Guard) -> bool {
        let mut unknown = None;
        let (builder, features) = (&mut self.builder, &self.features);
        guard.add(|nodes| formula.lower(nodes, &mut |leaf| scope.leaf(builder, features, leaf, &mut unknown)));
        if let Some(name) = &unknown {
            self.unknown("field or feature in a condition", name);
        }
        unknown.is_none()
    }

    /// Texts with one operand spelled in another way, for input.
    fn spellings(&mut self, scope: &mut Scope, line: &Line<'_, 'a>, guard: &Guard, out: &mut Vec<Text>) {
        for at in 0..line.len() {
            for number in 0..Self::spellings_at(line, at) {
                let template = self.spelled_template(scope, line, (at, number));
                if let Some(template) = template.filter(|_| out.len() < MAX_CASES) {
                    let guard = guard.clone();
                    out.push(Text { template, guard, alias: true, input_only: true, output_only: false });
                }
            }
        }
    }

    /// Texts under other mnemonics, for input.
    fn renamed(&mut self, out: &mut Vec<Text>) {
        if self.mnemonics.is_empty() {
            return;
        }
        let mut more = Vec::new();
        for one in out.iter() {
            let Some(template) = self.builder.template_at(one.template) else { continue };
            let template = template.clone();
            let Some(isaglot_model::TemplatePart::Literal(bytes)) = template.parts.first() else { continue };
            let literal = String::from_utf8_lossy(bytes).into_owned();
            let (mnemonic, rest) = literal.split_once(' ').unwrap_or((&literal, ""));
            for (from, condition) in self.mnemonics.get(mnemonic).cloned().unwrap_or_default() {
                let mut parts = template.parts.to_vec();
                let space = if literal.len() > mnemonic.len() { " " } else { "" };
                if let Some(first) = parts.first_mut() {
                    *first = isaglot_model::TemplatePart::Literal(format!("{from}{space}{rest}").into_bytes().into());
                }
                let template = self.builder.template(Template { parts: parts.into(), span: template.span });
                let mut guard = one.guard.clone();
                if condition != Condition::Always {
                    guard.add(|nodes| features::lower(&condition, nodes));
                }
                more.push(Text { template, guard, alias: true, input_only: true, output_only: false });
            }
        }
        // What always applies must stay the last.
        out.splice(0..0, more);
    }

    /// Which number of which operand each argument of a pattern is.
    fn slots(operands: &[InstOperand<'a>], dag: Dag<'a>) -> Option<Vec<(Slot, Value<'a>, String)>> {
        let mut args = dag.args();
        let mut out = Vec::new();
        // Operands that are tied to others have no argument, unless all have one.
        let all = args.len() == operands.len();
        for (i, operand) in operands.iter().enumerate() {
            if operand.tied.is_some() && !all {
                continue;
            }
            let (value, name) = args.next()?;
            let parts = match &operand.ty {
                OperandType::Def(ty) | OperandType::Parts(ty, _) => match ty.get("MIOperandInfo") {
                    Some(Value::Dag(info)) => info.args().len(),
                    _ => 0,
                },
                OperandType::Other => 0,
            };
            let whole = match (&operand.ty, value) {
                (OperandType::Def(ty) | OperandType::Parts(ty, _), Value::Def(arg)) => *ty == arg,
                _ => false,
            };
            if parts < 2 || whole {
                out.push(((i, None), value, name.into_owned()));
                continue;
            }
            out.push(((i, Some(0)), value, name.into_owned()));
            for part in 1..parts {
                let (value, name) = args.next()?;
                out.push(((i, Some(part)), value, name.into_owned()));
            }
        }
        args.next().is_none().then_some(out)
    }

    fn at(bound: &Bound<'a>, (operand, part): Slot) -> Option<Source> {
        let source = bound.sources.get(operand)?;
        match (source, part) {
            (Source::Numbers(numbers), Some(part)) => Some(Source::Numbers(Rc::new(vec![numbers.get(part)?.clone()]))),
            (source, _) => Some(source.clone()),
        }
    }

    /// The names in an alias, with the conditions under which it applies; `None` if it never does.
    fn bind_alias(
        &mut self,
        scope: &mut Scope,
        bound: &Bound<'a>,
        dag: Dag<'a>,
        guard: &mut Guard,
    ) -> Option<FxHashMap<String, (Source, Option<Def<'a>>)>> {
        let mut names: FxHashMap<String, (Source, Option<Def<'a>>)> = FxHashMap::default();
        for (slot, value, name) in Self::slots(&bound.operands, dag)? {
            let source = Self::at(bound, slot)?;
            match number(value) {
                Value::Int(value) => self.is_constant(scope, &source, value, guard)?,
                Value::Def(def) if def.is_of("Register") => self.is_register(scope, &source, def, guard)?,
                Value::Def(def) if def.name() == "zero_reg" => return None,
                Value::Def(ty) => {
                    if let Some((known, _)) = names.get(&name) {
                        let known = known.clone();
                        self.are_equal(scope, &known, &source, guard)?;
                    } else {
                        if let Some(class) = register_class(ty) {
                            self.is_in_class(scope, &source, class, guard)?;
                        }
                        let own = bound.operands.get(slot.0).map(|operand| &operand.ty);
                        if !matches!(own, Some(OperandType::Def(own)) if *own == ty) {
                            if self.is_changed(own, ty) {
                                return None;
                            }
                            self.is_allowed(scope, &source, ty, guard);
                        }
                        names.insert(name, (source, Some(ty)));
                    }
                }
                _ => {
                    names.insert(name, (source, None));
                }
            }
        }
        Some(names)
    }

    /// The operands of a long instruction over those of the short one.
    fn bind_long(
        &mut self,
        scope: &mut Scope,
        own: &Bound<'a>,
        long: &Long<'a>,
        guard: &mut Guard,
    ) -> Option<Vec<Source>> {
        let names = self.bind_alias(scope, own, long.output, guard)?;
        let operands = crate::target::inst::operands(long.def);
        let mut sources: Vec<Option<Source>> = vec![None; operands.len()];
        for ((at, part), value, name) in Self::slots(&operands, long.input)? {
            let source = match number(value) {
                Value::Int(value) => Source::Constant(value),
                Value::Def(def) if def.is_of("Register") => {
                    let register = self.registers.register(def)?;
                    Source::Register(register.shown.clone(), register.number)
                }
                _ => names.get(&name)?.0.clone(),
            };
            let slot = sources.get_mut(at)?;
            match (slot.as_mut(), part, source) {
                (Some(Source::Numbers(all)), Some(_), Source::Numbers(more)) => {
                    Rc::make_mut(all).extend(more.iter().cloned());
                }
                (Some(_), Some(_), _) => return None,
                (_, _, source) => *slot = Some(source),
            }
        }
        for (i, operand) in operands.iter().enumerate() {
            if let Some(tied) = operand.tied {
                let source = sources.get(tied)?.clone();
                *sources.get_mut(i)? = source;
            }
        }
        Some(sources.into_iter().map(|s| s.unwrap_or(Source::Unknown)).collect())
    }

    fn is_constant(&mut self, scope: &mut Scope, source: &Source, value: i64, guard: &mut Guard) -> Option<()> {
        match source {
            Source::Constant(own) => (*own == value).then_some(()),
            Source::Numbers(numbers) => {
                let [number] = numbers.as_slice() else { return None };
                if number.unexplained {
                    // Which bits mean this value, nothing says.
                    return None;
                }
                let raw = match &number.format {
                    // A number by its text: what the constant generators of some target make.
                    NumberFormat::Enum(name) if self.table.enums.contains_key(name) => {
                        let values = self.table.enums.get(name)?;
                        values.iter().find(|(_, text)| text.parse() == Ok(value))?.0
                    }
                    _ => number.raw(value)?,
                };
                self.number_is(scope, number, raw, guard)
            }
            _ => None,
        }
    }

    fn is_register(&mut self, scope: &mut Scope, source: &Source, def: Def<'a>, guard: &mut Guard) -> Option<()> {
        let register = self.registers.register(def)?;
        let (shown, number) = (register.shown.clone(), register.number);
        match source {
            Source::Register(own, own_number) => (*own == shown && *own_number == number).then_some(()),
            Source::Numbers(numbers) => {
                let [one] = numbers.as_slice() else { return None };
                let (file, true) = one.registers? else { return None };
                if one.unexplained {
                    return None;
                }
                if !self.registers.is_in_file(file, number, &shown) {
                    return None;
                }
                self.number_is(scope, one, number, guard)
            }
            _ => None,
        }
    }

    /// Whether a number of an alias is not that of the instruction: its parser makes another one of it (`RenderMethod`), in a
    /// way that the table does not explain.
    fn is_changed(&self, own: Option<&OperandType<'a>>, ty: Def<'a>) -> bool {
        let name = ty.name().into_owned();
        let plain = matches!(text(ty, "PrintMethod").as_str(), "" | "printOperand");
        if !plain || self.table.operands.contains_key(&name) || self.table.print.contains_key(&name) {
            return false;
        }
        let render = |ty: Def<'a>| match ty.get("ParserMatchClass") {
            Some(Value::Def(class)) => text(class, "RenderMethod"),
            _ => String::new(),
        };
        let of_own = if let Some(OperandType::Def(own)) = own { render(*own) } else { String::new() };
        let of_alias = render(ty);
        register_class(ty).is_none() && !of_alias.is_empty() && of_alias != of_own
    }

    /// That the bits of a number are none of those that the table rejects for the record that an alias names.
    fn is_allowed(&mut self, scope: &mut Scope, source: &Source, ty: Def<'a>, guard: &mut Guard) {
        let table = self.table;
        let (Source::Numbers(numbers), Some((hook, _))) = (source, OperandTable::find(&table.operands, &ty.name()))
        else {
            return;
        };
        let [number] = numbers.as_slice() else { return };
        for step in hook.body.iter().flat_map(|part| &part.steps) {
            let field = scope.bits_of(&mut self.builder, number);
            match step {
                DecodeStep::Reject(set) => guard.add(|nodes| outside(nodes, field, set, number.width())),
                DecodeStep::Accept(formula) => {
                    guard.add(|nodes| formula.lower(nodes, &mut |_| Node::Field(field)));
                }
                _ => {}
            }
        }
    }

    /// That the bits of a number are these; `None` if they cannot be.
    fn number_is(&mut self, scope: &mut Scope, number: &Number, raw: u64, guard: &mut Guard) -> Option<()> {
        let width = number.width();
        if width < 64 && raw >> width != 0 {
            return None;
        }
        let mut at = width;
        for piece in &number.pieces {
            at -= piece.width();
            if let isaglot_model::Piece::Implied { width, value } = *piece {
                let mask = if width >= 64 { u64::MAX } else { (1 << width) - 1 };
                if raw >> at & mask != value {
                    return None;
                }
            }
        }
        let field = scope.bits_of(&mut self.builder, number);
        guard.equals(field, raw);
        Some(())
    }

    fn are_equal(&mut self, scope: &mut Scope, a: &Source, b: &Source, guard: &mut Guard) -> Option<()> {
        match (a, b) {
            (Source::Numbers(a), Source::Numbers(b)) => {
                let ([a], [b]) = (a.as_slice(), b.as_slice()) else { return None };
                if a.pieces == b.pieces {
                    return Some(());
                }
                let (x, y) = (scope.bits_of(&mut self.builder, a), scope.bits_of(&mut self.builder, b));
                guard.add(|nodes| {
                    let x = push(nodes, Node::Field(x));
                    let y = push(nodes, Node::Field(y));
                    push(nodes, Node::Binary(BinaryOp::Eq, IntType::I64, x, y))
                });
                Some(())
            }
            (Source::Numbers(numbers), Source::Register(_, number))
            | (Source::Register(_, number), Source::Numbers(numbers)) => {
                let [one] = numbers.as_slice() else { return None };
                self.number_is(scope, one, *number, guard)
            }
            (Source::Register(a, _), Source::Register(b, _)) => (a == b).then_some(()),
            (Source::Constant(a), Source::Constant(b)) => (a == b).then_some(()),
            _ => None,
        }
    }

    /// That a register is of a class.
    fn is_in_class(&mut self, scope: &mut Scope, source: &Source, class: Def<'a>, guard: &mut Guard) -> Option<()> {
        let Source::Numbers(numbers) = source else { return Some(()) };
        let [number] = numbers.as_slice() else { return Some(()) };
        let Some((_, true)) = number.registers else { return Some(()) };
        let allowed = self.registers.numbers(class);
        let width = number.width();
        if width > 12 {
            return Some(());
        }
        let possible = |value: u64| {
            let mut at = width;
            number.pieces.iter().all(|piece| {
                at -= piece.width();
                match *piece {
                    isaglot_model::Piece::Implied { width, value: want } => value >> at & ((1 << width) - 1) == want,
                    isaglot_model::Piece::Bits(_) => true,
                }
            })
        };
        let all: Vec<u64> = (0..1u64 << width).filter(|&v| possible(v)).collect();
        let (inside, outside): (Vec<u64>, Vec<u64>) = all.into_iter().partition(|v| allowed.contains(v));
        if inside.is_empty() {
            return None;
        }
        // What the pattern of the instruction excludes needs no test, but costs none either.
        let (list, op, join) = if outside.len() <= inside.len() {
            (outside, BinaryOp::Ne, BinaryOp::LogicalAnd)
        } else {
            (inside, BinaryOp::Eq, BinaryOp::LogicalOr)
        };
        if list.is_empty() {
            return Some(());
        }
        let field = scope.bits_of(&mut self.builder, number);
        guard.add(|nodes| {
            let field = push(nodes, Node::Field(field));
            let mut last = None;
            for value in list {
                let value = push(nodes, Node::Const(value, IntType::I64));
                let test = push(nodes, Node::Binary(op, IntType::I64, field, value));
                last = Some(match last {
                    None => test,
                    Some(before) => push(nodes, Node::Binary(join, IntType::I64, before, test)),
                });
            }
            last.unwrap_or(field)
        });
        Some(())
    }

    /// The cases of an encoding; the last has the fields.
    pub(crate) fn cases(&mut self, mut scope: Scope, texts: Vec<Text>, owner: &str) -> Vec<Case> {
        let span = scope.span;
        let owner: Arc<str> = owner.into();
        let mut cases = Vec::with_capacity(texts.len() + 1);
        for text in texts {
            let guard = text.guard.finish(&mut self.builder, &scope);
            cases.push(Case {
                guard,
                template: Some(text.template),
                alias: text.alias,
                input_only: text.input_only,
                output_only: text.output_only,
                owner: Arc::clone(&owner),
                span,
                ..Case::default()
            });
        }
        let fields = std::mem::take(&mut scope.fields).into_iter().map(|(_, field)| field).collect();
        match cases.last_mut() {
            Some(last) if last.guard.is_none() => last.fields = fields,
            _ => cases.push(Case { fields, owner, span, ..Case::default() }),
        }
        cases
    }
}

/// That a field of so many bits is not in a set.
fn outside(nodes: &mut Vec<Node>, field: Name, set: &ValueSet, width: u32) -> NodeId {
    let ty = IntType { bits: 64, signed: false };
    let field = push(nodes, Node::Field(field));
    let compare = |op, value: u64, nodes: &mut Vec<Node>, left: NodeId| {
        let value = push(nodes, Node::Const(value, ty));
        push(nodes, Node::Binary(op, ty, left, value))
    };
    match *set {
        ValueSet::Range(from, to) if from == to => compare(BinaryOp::Ne, from, nodes, field),
        ValueSet::Range(from, to) => {
            let below = compare(BinaryOp::Lt, from, nodes, field);
            let above = compare(BinaryOp::Gt, to, nodes, field);
            push(nodes, Node::Binary(BinaryOp::LogicalOr, ty, below, above))
        }
        ValueSet::Mask(care, value) => {
            let care = push(nodes, Node::Const(care, ty));
            let masked = push(nodes, Node::Binary(BinaryOp::And, ty, field, care));
            compare(BinaryOp::Ne, value, nodes, masked)
        }
        ValueSet::Top(bits, value) => {
            let low = push(nodes, Node::Const(u64::from(width.saturating_sub(bits)), ty));
            let top = push(nodes, Node::Binary(BinaryOp::Shr, ty, field, low));
            compare(BinaryOp::Ne, value, nodes, top)
        }
        ValueSet::Negative => compare(BinaryOp::Lt, 1 << width.saturating_sub(1).min(63), nodes, field),
        ValueSet::Any => push(nodes, Node::Const(0, ty)),
    }
}

/// What an alias that may be printed demands of the operands, as a text: equal ones for equal demands. Immediates of all
/// types are alike, unless their record has a predicate.
fn demands(alias: &Alias<'_>) -> Option<String> {
    if !alias.printed {
        return None;
    }
    let mut names: Vec<String> = Vec::new();
    let mut all = format!("{:?}", alias.condition);
    for (value, name) in alias.result.args() {
        let one = match number(value) {
            Value::Int(value) => format!("={value}"),
            Value::Def(def) if def.is_of("Register") => format!("%{}", def.name()),
            Value::Def(ty) => match (names.iter().position(|known| *known == name), register_class(ty)) {
                (Some(at), _) => format!("@{at}"),
                (None, Some(class)) => class.name().into_owned(),
                (None, None) if text(ty, "MCOperandPredicate").is_empty() => "#".to_owned(),
                (None, None) => ty.name().into_owned(),
            },
            _ => "#".to_owned(),
        };
        names.push(name.into_owned());
        all.push(' ');
        all.push_str(&one);
    }
    Some(all)
}

/// Bits that are all known are a number too.
fn number(value: Value<'_>) -> Value<'_> {
    match value {
        Value::Bits(bits) => bits.int().map_or(value, Value::Int),
        Value::Bit(bit) => Value::Int(i64::from(bit)),
        other => other,
    }
}
