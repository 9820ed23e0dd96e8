//! The check: every question, over every encoding, gathered into one report.

use isaglot_asm::assemble::hazards;
use isaglot_bits::BitRange;
use isaglot_model::{EncodingId, ExprId, FeatureId, FieldType, Isa, Name, SpaceId, TemplateId, TemplatePart};
use isaglot_source::{Diagnostic, Span};
use rustc_hash::FxHashMap;

use crate::bdd::Ref;
use crate::leaf::Leaf;
use crate::parse::{self, Reading};
use crate::report::{
    CaseFinding, CaseProblem, FormatFinding, FormatProblem, Method, Place, Report, Row, Silent, Undecided, Unresolved,
    Use, Verdict, Witness,
};
use crate::{coverage, diagnostics, enums, overlap, packer, shared};

/// What to check.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Only this gen; all of them otherwise.
    pub generation: Option<u32>,
    /// Only which encodings share words, which are never reached, and how many words they claim; nothing about fields and texts.
    pub patterns_only: bool,
    /// Count words for these features only, and those that they imply.
    pub features: Option<Vec<FeatureId>>,
    /// Count free words for each value of these bits, most significant first, instead of the description's opcode.
    pub by: Option<Vec<BitRange>>,
}

/// Checks an instruction set. `progress` is told how many encodings are done, and of how many.
pub fn check(isa: &Isa, options: Options, progress: &mut dyn FnMut(usize, usize)) -> Report {
    let mut report = Report { overlaps: overlap::overlaps(isa, options.generation), ..Report::default() };
    report.unreachable = overlap::unreachable(isa, &report.overlaps);
    let mut undecided = Vec::new();
    if options.patterns_only {
        report.coverage = coverage::of_instructions(isa, &options, &report.overlaps, &mut undecided);
        report.undecided = undecided;
        return report;
    }
    report.coverage = coverage::coverage(isa, &options, &report.overlaps, &mut undecided);
    report.undecided = undecided;
    report.enums = enums::enums(isa);
    report.lints = suspicious(isa, options.generation);
    report.displays = hazards(isa, options.generation);
    let leaves: Vec<EncodingId> = entries(isa).into_iter().flat_map(|s| isa[s].encodings.iter().copied()).collect();
    let mut gather = Gather::default();
    for (i, &id) in leaves.iter().enumerate() {
        progress(i, leaves.len());
        if options.generation.is_none_or(|g| isa[id].gens.contains(g)) {
            leaf(isa, id, options.generation, &mut gather, &mut report);
        }
    }
    progress(leaves.len(), leaves.len());
    gather.finish(isa, &mut report);
    report
}

/// What looks like a mistake, without any question about single words: the part of [`check`] that is done at once.
pub fn lints(isa: &Isa, generation: Option<u32>) -> Vec<Diagnostic> {
    let report = Report { enums: enums::enums(isa), lints: suspicious(isa, generation), ..Report::default() };
    diagnostics::diagnostics(isa, &report)
}

fn suspicious(isa: &Isa, generation: Option<u32>) -> Vec<Diagnostic> {
    let mut all = crate::lints::lints(isa);
    all.extend(packer::packer(isa, generation));
    all
}

/// Spaces that hold instructions: the root, and those that no field refers to.
pub(crate) fn entries(isa: &Isa) -> Vec<SpaceId> {
    let mut used = vec![false; isa.spaces().len()];
    for field in isa.encodings().iter().flat_map(|e| &e.cases).flat_map(|c| &c.fields) {
        if let FieldType::Sub(space) = field.ty {
            used[space.index()] = true;
        }
    }
    used[isa.root().index()] = false;
    (0..isa.spaces().len()).filter(|&s| !used[s]).map(|s| SpaceId(s as u32)).collect()
}

/// Whether any encoding of a space has a text: otherwise the description leaves text to another program.
fn has_text(isa: &Isa, space: SpaceId) -> bool {
    isa[space].encodings.iter().flat_map(|&id| &isa[id].cases).any(|c| c.template.is_some())
}

fn leaf(isa: &Isa, id: EncodingId, generation: Option<u32>, gather: &mut Gather, report: &mut Report) {
    let e = &isa[id];
    let rivals = report.overlaps.iter().any(|o| o.a == id || o.b == id);
    let unique = if rivals { Verdict::Refuted(Method::Cubes) } else { Verdict::Proved(Method::Cubes) };
    let mut row = Row { encoding: id, unique, round_trip: Verdict::None, text: Verdict::None };
    let give_up = |report: &mut Report, what: &str, why: String| {
        report.undecided.push(Undecided { what: format!("{what} of `{}`", e.display_name), why, span: e.span });
    };
    let mut leaf = match Leaf::new(isa, id, generation) {
        Ok(leaf) => leaf,
        Err(why) => {
            row.round_trip = Verdict::Undecided(why.clone());
            row.text = Verdict::Undecided(why.clone());
            give_up(report, "names, guards and text", why);
            report.rows.push(row);
            return;
        }
    };
    let recursive = leaf.scopes.recursive;
    if recursive {
        let why = "a guard or derived field depends on itself".to_owned();
        give_up(report, "names and guards", why);
    }
    gather.add(&mut leaf, !recursive);
    row.round_trip = match shared::lost(&mut leaf) {
        Ok(None) => Verdict::Proved(Method::Diagrams),
        Ok(Some(lost)) => {
            report.lost.push(lost);
            Verdict::Refuted(Method::Diagrams)
        }
        Err(why) => Verdict::Undecided(why),
    };
    if has_text(isa, e.space) && !leaf.clean.is_false() {
        row.text = text_verdict(&mut leaf, report);
    }
    for (question, verdict) in [("the round trip", &row.round_trip), ("the text", &row.text)] {
        if let Verdict::Undecided(why) = verdict {
            give_up(report, question, why.clone());
        }
    }
    report.rows.push(row);
}

/// Whether no two clean words share a text.
fn text_verdict(leaf: &mut Leaf<'_>, report: &mut Report) -> Verdict {
    match shared::shared(leaf) {
        Ok(Some(found)) => {
            report.shared.push(found);
            Verdict::Refuted(Method::Diagrams)
        }
        Ok(None) => match parse::reading(&leaf.tokens) {
            Reading::Unique => Verdict::Proved(Method::Automaton),
            Reading::Ambiguous => Verdict::Undecided("its text can perhaps be read in two ways".to_owned()),
            Reading::Foreign => Verdict::Undecided("it depends on what the embedding program prints".to_owned()),
            Reading::TooLarge => Verdict::Undecided("its text is too large to be read in all ways".to_owned()),
        },
        Err(why) => Verdict::Undecided(why),
    }
}

/// Findings of single encodings, joined where they are about one place of the description.
#[derive(Default)]
struct Gather {
    unresolved: FxHashMap<(EncodingId, Name, Place), Missed>,
    silent: Vec<Silent>,
    cases: FxHashMap<Span, CaseState>,
    formats: FxHashMap<(TemplateId, usize, Span, FormatProblem), (Name, Witness)>,
}

/// The fields on the way to a missing name, and a word that shows it.
type Missed = (Vec<Use>, Option<Witness>);

/// What is known of a case over all its uses.
#[derive(Default)]
struct CaseState {
    guard: Option<ExprId>,
    encodings: Vec<EncodingId>,
    holds: bool,
    fails: bool,
    has_text: bool,
    chosen: bool,
}

impl Gather {
    fn add(&mut self, leaf: &mut Leaf<'_>, certain: bool) {
        self.names(leaf);
        self.silence(leaf);
        self.cases(leaf, certain);
        self.formats(leaf);
    }

    fn missing(&mut self, leaf: &Leaf<'_>, scope: usize, name: Name, place: Place, visible: Ref) {
        let scopes = &leaf.scopes;
        let known = self.unresolved.entry((scopes.list[scope].encoding, name, place)).or_default();
        if let Some(entry) = &scopes.list[scope].entry {
            let definer = scopes.encoding(entry.definer);
            let case = definer.cases.iter().find(|c| c.fields.iter().any(|f| f.span == entry.span));
            let owner = case.map_or_else(|| &definer.display_name, |c| &c.owner).to_string();
            let used = Use { owner, field: entry.field, span: entry.span };
            if !known.0.contains(&used) {
                known.0.push(used);
            }
        }
        if known.1.is_none() {
            known.1 = leaf.sym.witness(visible).map(|(word, generation)| Witness { word, generation });
        }
    }

    fn names(&mut self, leaf: &mut Leaf<'_>) {
        let shown: Vec<_> = leaf.notes.missing.iter().map(|m| (m.scope, m.name, m.template, m.when)).collect();
        for (scope, name, template, when) in shown {
            self.missing(leaf, scope, name, Place::Template(template), when);
        }
        for scope in 0..leaf.scopes.list.len() {
            let all: Vec<_> = (leaf.scopes.evaluated(scope).iter())
                .flat_map(|(id, e)| e.missing.iter().map(|m| (*id, m.0, m.1, e.needed, e.possible)))
                .collect();
            for (id, name, missing, needed, possible) in all {
                // Where nothing can ask for it with the name missing, nothing is wrong.
                let asked = leaf.sym.bdd.or(needed, possible);
                if leaf.sym.bdd.and(asked, missing).is_false() {
                    continue;
                }
                let visible = leaf.sym.bdd.and(needed, missing);
                let visible = leaf.sym.bdd.and(visible, leaf.when);
                self.missing(leaf, scope, name, Place::Expr(id), visible);
            }
        }
    }

    fn silence(&mut self, leaf: &Leaf<'_>) {
        let isa = leaf.scopes.isa;
        for &(scope, when) in &leaf.notes.silent {
            let encoding = leaf.scopes.list[scope].encoding;
            let known = self.silent.iter().any(|s| s.encoding == encoding);
            if let (false, true, Some((word, generation))) =
                (known, has_text(isa, isa[encoding].space), leaf.sym.witness(when))
            {
                self.silent.push(Silent { encoding, witness: Witness { word, generation } });
            }
        }
    }

    fn cases(&mut self, leaf: &mut Leaf<'_>, certain: bool) {
        for scope in 0..leaf.scopes.list.len() {
            let entered = leaf.notes.entered(&mut leaf.sym, scope);
            let e = leaf.scopes.encoding(scope);
            let encoding = leaf.scopes.list[scope].encoding;
            for (c, case) in e.cases.iter().enumerate() {
                let Some(guard) = case.guard.filter(|_| !case.alias) else { continue };
                let applies = leaf.scopes.holds(&mut leaf.sym, scope, guard);
                let holds = leaf.sym.bdd.and(entered, applies);
                let fails = leaf.sym.bdd.and_not(entered, applies);
                let chosen = leaf.notes.chosen.iter().any(|n| n.0 == scope && n.1 == c && !n.2.is_false());
                let state = self.cases.entry(case.span).or_default();
                state.guard = Some(guard);
                if !entered.is_false() && !state.encodings.contains(&encoding) {
                    state.encodings.push(encoding);
                }
                state.holds |= !certain || !holds.is_false();
                state.fails |= !certain || !fails.is_false();
                state.has_text |= case.template.is_some();
                state.chosen |= !certain || chosen;
            }
        }
    }

    fn formats(&mut self, leaf: &Leaf<'_>) {
        let isa = leaf.scopes.isa;
        for shown in &leaf.notes.shown {
            let field = leaf.scopes.field(&shown.found);
            let parts = &isa[shown.template].parts;
            let before = shown.part.checked_sub(1).and_then(|p| parts.get(p));
            let prefix =
                matches!(before, Some(TemplatePart::Literal(text)) if text.ends_with(b"0x") || text.ends_with(b"0X"));
            let decimal = matches!(
                field.ty,
                FieldType::Uint | FieldType::Int | FieldType::Bool(None) | FieldType::Branch { .. } | FieldType::Offset
            );
            let problem = match field.ty {
                _ if prefix && decimal => FormatProblem::Prefix,
                FieldType::Bool(Some(_)) | FieldType::BoolInv(_) if field.width > 1 && wide(leaf, shown) => {
                    FormatProblem::WideBool
                }
                FieldType::Float => FormatProblem::Float,
                _ => continue,
            };
            if let Some((word, generation)) = leaf.sym.witness(shown.when) {
                let key = (shown.template, shown.part, field.span, problem);
                self.formats.entry(key).or_insert((field.name, Witness { word, generation }));
            }
        }
    }

    fn finish(self, isa: &Isa, report: &mut Report) {
        let mut unresolved: Vec<_> = self.unresolved.into_iter().collect();
        unresolved.sort_by_key(|(key, _)| *key);
        report.unresolved = (unresolved.into_iter())
            .map(|((encoding, name, place), (uses, witness))| Unresolved { encoding, name, place, uses, witness })
            .collect();
        report.silent = self.silent;
        let mut cases: Vec<_> = self.cases.into_iter().collect();
        cases.sort_by_key(|c| c.0);
        for (span, state) in cases {
            let problem = match state {
                CaseState { holds: false, .. } => CaseProblem::Never,
                CaseState { fails: false, .. } => CaseProblem::Always,
                CaseState { has_text: true, chosen: false, .. } => CaseProblem::Shadowed,
                _ => continue,
            };
            if let (Some(guard), false) = (state.guard, state.encodings.is_empty()) {
                let guard = isa[guard].text.trim().to_owned();
                report.cases.push(CaseFinding { span, guard, problem, encodings: state.encodings });
            }
        }
        let mut formats: Vec<_> = self.formats.into_iter().collect();
        formats.sort_by_key(|(key, _)| *key);
        report.formats = (formats.into_iter())
            .map(|((template, _, field, problem), (name, witness))| FormatFinding {
                template,
                field,
                name,
                problem,
                witness,
            })
            .collect();
    }
}

/// Whether a yes-or-no field has two values that are not 0 and that the description can tell apart.
fn wide(leaf: &Leaf<'_>, shown: &crate::text::Shown) -> bool {
    let bits = leaf.scopes.bits(&shown.found);
    bits.iter().filter(|b| b.as_constant().is_none()).count() > 1
}
