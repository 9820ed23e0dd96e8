//! The texts of an instruction with its operands bound to sources: those of the operand table, its aliases, its own.
//!
//! The last text of an encoding always applies; what is read but never printed, other spellings and other mnemonics, comes before it.

use std::rc::Rc;
use std::sync::Arc;

use isaglot_invariant::Impossible as _;
use isaglot_model::{Case, Condition, Template, TemplateId, UnaryOp};

use super::Lowering;
use super::applies::named;
use super::meaning::Source;
use super::scope::{Guard, Scope};
use super::text::{Line, Short};
use crate::limits::MAX_CASES;
use crate::table::formula::Formula;
use crate::table::{AliasWhen, InstFact};
use crate::target::asm::{Asm, asm_parts, asm_parts_with_methods};
use crate::target::features;
use crate::target::inst::{Inst, InstOperand, OperandType};
use crate::target::registers::text;
use isaglot_tablegen::Def;

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
    pub(crate) asm: Rc<Asm>,
    pub(crate) operands: Rc<Vec<InstOperand<'a>>>,
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
            asm: Rc::clone(&inst.asm),
            operands: Rc::clone(&inst.operands),
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

impl<'a> Lowering<'a> {
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
                asm: Rc::new(asm_parts(&text(long.def, "AsmString"))),
                operands: Rc::new(operands),
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
            let asm = if applies { asm_parts_with_methods(text) } else { continue };
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
            let find = |name: &str| named(&names, name).map(|(source, ty)| (source.clone(), ty));
            let input_only = !one.printed || self.table.aliases_read;
            let line = self.line(&one.asm, &find, &bound.printers);
            self.line_texts(scope, &line, &guard, (true, input_only), out);
        }
        let mut guard = guard.clone();
        if let Some((formula, text)) = &bound.own {
            let mut instead = guard.clone();
            if self.formula_holds(scope, formula, &mut instead) {
                let parts = asm_parts_with_methods(text);
                let line = self.line(&parts, &own, &bound.printers);
                if let Some(template) = self.template(scope, &line) {
                    out.push(Text { template, guard: instead, alias, input_only: false, output_only: false });
                }
                let not = Formula::Unary(UnaryOp::LogicalNot, Box::new(formula.clone()));
                self.formula_holds(scope, &not, &mut guard);
            }
        }
        let line = self.line(&bound.asm, &own, &bound.printers);
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
