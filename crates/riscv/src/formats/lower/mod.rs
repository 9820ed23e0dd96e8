//! From a [`Table`] to the model: the syntax tree of a description in isaspec's dialect.
//!
//! The problem: the formats say which bits an instruction has, and little of what they mean. The method: `operands` reads
//! what they do not say from one table; `again` copies what two kinds of registers share; `fields` makes fields of pieces and arguments, `text` displays of operands, `condition`
//! features of formulas; here they become one bitset per instruction and register width, or one for both where they
//! do not differ. The tree stands beside that of a base description (`specs/riscv/formats.xml`) that has registers and
//! enums, and both become a model as every description does.

mod again;
mod condition;
mod fields;
mod meaning;
mod names;
pub mod operands;
mod text;
pub mod xml;

use isaglot_isaspec::syntax::{
    Bitset, CaseDecl, DerivedDecl, EnumDecl, ExprDecl, ExprRef, File, FlowDecl, GenLimit, Int, OperandDecl, Override,
    Role, ValueDecl,
};
use isaglot_isaspec::{Sources, Text, expr};
use isaglot_model::Isa;
use isaglot_source::{Diagnostics, FileId, Span};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Encoding, Instruction, Table};
pub use again::again;
use condition::{Extensions, Need};
use fields::Memory;
use operands::{Operands, said};
use text::Scope;

/// The root of all instructions in the base description.
const ROOT: &str = "#instruction";

/// The enum of control and status registers.
const CSRS: &str = "#csr";

/// Whether an extension, by its name, is there; `None` where that is open.
pub type Decided<'d> = dyn Fn(&str) -> Option<bool> + 'd;

/// Makes the model of a table. `base` are the files of the base description; widths that the table does not use are taken
/// out of them. `decided` says what a configuration knows of an extension.
pub fn lower(
    table: &Table,
    operands: &Operands,
    base: Sources,
    decided: &Decided<'_>,
    out: &mut Diagnostics,
) -> Option<Isa> {
    let errors = out.error_count();
    let tree = tree(table, operands, decided, out);
    let isa = with_base(&table.name, tree, base, out)?;
    (out.error_count() == errors).then_some(isa)
}

/// Makes the model of a tree beside a base description.
pub fn with_base(name: &str, tree: File, base: Sources, out: &mut Diagnostics) -> Option<Isa> {
    let mut sources = base;
    sources.files.iter_mut().for_each(|file| narrow(file, &tree));
    sources.files.push(tree);
    sources.order.push(sources.files.len() - 1);
    isaglot_isaspec::from_sources(&sources, name, out)
}

/// Takes the widths that no instruction has out of a base description; words that are short begin long ones and stay.
fn narrow(file: &mut File, tree: &File) {
    let used: FxHashSet<&str> = tree.bitsets.iter().filter_map(|set| set.extends.as_ref()).map(|e| &*e.value).collect();
    let root = file.bitsets.iter().find(|set| set.name.value == ROOT).and_then(|set| set.size);
    let Some(root) = root else { return };
    let is_width = |set: &Bitset| set.extends.as_ref().is_some_and(|e| e.value == ROOT);
    file.bitsets.retain(|set| !is_width(set) || used.contains(set.name.value.as_str()));
    let widths = file.bitsets.iter().filter(|set| is_width(set)).map(|set| set.width.map_or(root.value, |w| w.value));
    let widest = widths.max().unwrap_or(root.value);
    for set in file.bitsets.iter_mut().filter(|set| set.name.value == ROOT) {
        set.size = Some(Int { value: widest, ..root });
    }
    file.formats.iter_mut().for_each(|format| format.lengths.retain(|l| l.size.value <= widest));
}

/// The syntax tree of a table: features, names of registers, and a bitset per instruction.
pub fn tree(table: &Table, operands: &Operands, decided: &Decided<'_>, out: &mut Diagnostics) -> File {
    let extensions = Extensions::of(table);
    let id = table.instructions.first().map_or(FileId::default(), |i| i.span.file);
    let mut file = File { id, dialect: true, ..File::default() };
    file.features = extensions.features(table, decided);
    if file.features.iter().all(|feature| feature.excludes.is_none()) {
        operands.again.iter().for_each(|rule| rule.exclude(&mut file.features));
    }
    file.enums.push(csrs(table, file.id));
    let features: FxHashSet<String> = file.features.iter().map(|f| f.name.value.clone()).collect();
    let all = again(&table.instructions, operands, &|name| extensions.known(name));
    let instructions = all.iter().map(|i| i.name.as_str()).collect();
    let mut making = Making { operands, out, names: FxHashMap::default(), features, instructions };
    for instruction in &all {
        if instruction.special_case_of.is_some() && !operands.special.iter().any(|names| names.has(&instruction.name)) {
            continue;
        }
        let forms = [(0, 32), (1, 64)].map(|(at, xlen)| {
            let encoding = instruction.encodings.get(at)?.as_ref()?;
            let need = extensions.need(&instruction.condition, xlen);
            (need != Need::Never).then_some((encoding, need))
        });
        match forms {
            [Some(a), Some(b)] if a == b && !operands.by_width(&instruction.name) => {
                file.bitsets.push(making.bitset(instruction, a.0, &a.1, None))
            }
            [a, b] => {
                for (form, xlen) in [(a, 32), (b, 64)] {
                    let Some((encoding, need)) = form else { continue };
                    file.bitsets.push(making.bitset(instruction, encoding, &need, Some(xlen)));
                }
            }
        }
    }
    file
}

/// The names of control and status registers; of two with one number the first counts.
fn csrs(table: &Table, file: FileId) -> EnumDecl {
    let mut values: Vec<ValueDecl> = Vec::new();
    let mut known: FxHashMap<u32, ()> = FxHashMap::default();
    for csr in &table.csrs {
        if known.insert(csr.number, ()).is_some() {
            continue;
        }
        values.push(ValueDecl {
            val: Text::verbatim(&csr.number.to_string(), csr.span),
            number: Some(u64::from(csr.number)),
            display: Text::verbatim(&csr.name, csr.span),
            name: None,
            span: csr.span,
        });
    }
    let span = Span::new(file, 0, 0);
    EnumDecl { name: Text::verbatim(CSRS, span), values, span }
}

struct Making<'a> {
    operands: &'a Operands,
    out: &'a mut Diagnostics,
    /// How many bitsets of each name there are for each register width.
    names: FxHashMap<String, [u32; 2]>,
    /// The names of the features.
    features: FxHashSet<String>,
    /// The names of the instructions.
    instructions: FxHashSet<&'a str>,
}

impl Making<'_> {
    /// The bitset of an instruction, for one register width or for both.
    fn bitset(&mut self, i: &Instruction, encoding: &Encoding, need: &Need, xlen: Option<i64>) -> Bitset {
        let table = self.operands;
        let fields = fields::operands(&i.name, encoding, table, xlen);
        let scope = Scope { name: &i.name, fields: &fields, table };
        let verbatim = |text: &str| Text::verbatim(text, i.span);
        let mnemonic = self.mnemonic(&scope);
        let operands = match (said(&table.texts, &i.name), &i.operands) {
            (Some(text), _) => text.value.clone(),
            (None, Some((text, _))) => text.clone(),
            (None, None) => said(&table.usual, &i.name).map_or_else(|| scope.usual(), |t| t.value.clone()),
        };
        let shown = scope.show(&mnemonic, &operands, None);
        let mut derived = shown.derived;
        let mut overrides = Vec::new();
        let others = table.aliases.iter().map(|a| (a, true)).chain(table.forms.iter().map(|f| (f, false)));
        for (alias, is_alias) in others.filter(|(a, _)| a.within.has(&i.name)) {
            if alias.guard.as_ref().is_some_and(|g| !scope.has_all(&g.value) || !self.has_features(&g.value)) {
                continue;
            }
            let text = alias.text.value.as_str();
            let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
            // A form with a name of its own is one where the format does not know that name: of the words of `cm.jalt`, those
            // of `cm.jt`.
            if !is_alias && word != i.name && self.instructions.contains(word) {
                continue;
            }
            let other = scope.show(word, rest, None);
            derived.extend(other.derived);
            let guard = alias.guard.clone().unwrap_or_else(|| verbatim("1"));
            overrides.push(Override { alias: is_alias, ..self.alias(guard, &other.display, i.span) });
        }
        for field in &fields {
            let Some(value) = field.rule.and_then(|r| r.omit) else { continue };
            let other = scope.show(&mnemonic, &operands, Some(&field.name));
            let guard = || verbatim(&format!("{{{}}} == {value}", field.name));
            overrides.push(self.alias(guard(), &other.display, i.span));
            if field.rule.is_some_and(|r| r.hide) {
                // The text with the value can be read, and is never written.
                overrides.push(self.alias(guard(), &shown.display, i.span));
                overrides.push(Override { alias: false, ..self.alias(guard(), &other.display, i.span) });
            }
        }
        let memory = table.memory.iter().find(|(names, ..)| names.has(&i.name));
        let memory = memory.map(|(_, access, bytes)| Memory { access: access.clone(), bytes: *bytes });
        let memory = memory.unwrap_or(Memory { access: "read".to_owned(), bytes: None });
        let is_address = |name: &String| shown.addresses.contains(name);
        let keeps = |f: &fields::Operand<'_>| f.rule?.keeps.as_ref().filter(|text| scope.has_all(&text.value)).cloned();
        let mut decls = Vec::new();
        for field in &fields {
            let mut decl = field.decl(is_address(&field.name).then_some(&memory));
            decl.role.keeps = keeps(field).map(|text| self.written(text, i.span));
            decls.push(decl);
        }
        derived.sort_by_key(|d| d.expr.span());
        derived.dedup_by_key(|d| d.expr.span());
        let default = CaseDecl {
            fields: decls,
            derived: derived.into_iter().filter_map(|d| self.derived(d)).collect(),
            display: Some(verbatim(&shown.display)),
            span: i.span,
            ..CaseDecl::default()
        };
        let flow = table.flows.iter().find(|(names, ..)| names.has(&i.name));
        let has_all = |text: &Option<Text>| text.as_ref().is_none_or(|text| scope.has_all(&text.value));
        let implied = table.implied.iter().filter(|row| row.within.has(&i.name) && has_all(&row.when));
        let implied = implied.map(|row| self.implied(row, i.span)).collect();
        let semantics = table.semantics.iter().find(|(names, _)| names.has(&i.name));
        let name = self.name(&i.name.replace('@', "."), xlen);
        let plain = i.name.split('@').next().unwrap_or(&i.name);
        Bitset {
            display_name: (name != plain).then(|| verbatim(plain)),
            name: verbatim(&name),
            extends: table.words.iter().find(|(w, _)| *w == encoding.width).map(|(_, set)| verbatim(set)),
            gens: xlen.map_or_else(Vec::new, |xlen| vec![gens(xlen, i.span)]),
            patterns: fields::patterns(encoding, i.span),
            excepts: fields::excepts(encoding, &fields, i.span),
            overrides,
            default,
            docs: if i.doc.is_empty() { Vec::new() } else { vec![verbatim(&i.doc)] },
            features: need.requirement(&verbatim(plain)),
            semantics: semantics
                .and_then(|(_, row)| meaning::of(row, encoding, self.out))
                .map(|text| meaning::with_comment(text, said(&table.means, &i.name), &scope)),
            operands: implied,
            flow: flow.map(|(_, to, target)| FlowDecl { to: to.clone(), target: target.clone(), span: to.span() }),
            span: i.span,
            complete: true,
            ..Bitset::default()
        }
    }

    /// The mnemonic with what is written at its end.
    fn mnemonic(&self, scope: &Scope<'_>) -> String {
        // One that names fields is for the instructions that have them.
        let fits = |s: &&operands::Said| s.within.has(scope.name) && scope.has_all(&s.text.value);
        let name = self.operands.names.iter().find(fits);
        let mut mnemonic = name.map_or_else(|| "{NAME}".to_owned(), |name| name.text.value.clone());
        for field in scope.fields.iter().filter(|f| f.rule.is_some_and(|r| r.suffix)) {
            mnemonic += &format!("{{{}}}", field.name);
        }
        mnemonic
    }

    /// Whether there are the features that an expression asks for.
    fn has_features(&self, expression: &str) -> bool {
        let asked = expression.split("ISA_FEATURE(").skip(1).filter_map(|part| part.split(')').next());
        asked.into_iter().all(|name| self.features.contains(name.trim()))
    }

    /// A name that no other bitset for this register width has.
    fn name(&mut self, name: &str, xlen: Option<i64>) -> String {
        let counts = self.names.entry(name.to_owned()).or_default();
        let mine: &mut [u32] = match xlen {
            Some(32) => &mut counts[..1],
            Some(_) => &mut counts[1..],
            None => counts,
        };
        let before = mine.iter().copied().max().unwrap_or(0);
        mine.iter_mut().for_each(|count| *count = before + 1);
        if before == 0 { name.to_owned() } else { format!("{name}#{}", before + 1) }
    }

    fn written(&mut self, text: Text, span: Span) -> ExprDecl {
        let parsed = expr::parse(&text, true, self.out);
        ExprDecl { name: None, text, parsed, span }
    }

    fn expression(&mut self, text: Text, span: Span) -> ExprRef {
        ExprRef::Inline(Box::new(self.written(text, span)))
    }

    fn implied(&mut self, row: &operands::Implied, span: Span) -> OperandDecl {
        OperandDecl {
            registers: row.registers.clone(),
            register: row.register.clone(),
            access: Some(row.access.clone()),
            when: row.when.clone().map(|text| self.written(text, span)),
            mask: row.mask.clone().map(|text| self.written(text, span)),
            span: row.register.span(),
        }
    }

    fn alias(&mut self, guard: Text, display: &str, span: Span) -> Override {
        let condition = Some(self.expression(guard, span));
        let case = CaseDecl { display: Some(Text::verbatim(display, span)), span, ..CaseDecl::default() };
        Override { condition, case, alias: true }
    }

    fn derived(&mut self, rule: &operands::DerivedRule) -> Option<DerivedDecl> {
        let span = rule.expr.span();
        Some(DerivedDecl {
            name: Text::verbatim(&rule.name, span),
            ty: rule.ty.clone(),
            expr: Some(self.expression(rule.expr.clone(), span)),
            width: rule.width,
            width_span: None,
            display: None,
            call: false,
            doc: None,
            role: Role::default(),
            span,
        })
    }
}

fn gens(xlen: i64, span: Span) -> GenLimit {
    let limit = Some(Int { value: xlen, span });
    GenLimit { min: limit, max: limit }
}
