//! What a verb works on, after `--spec`, `--isa`, `--gen` and the other choices are resolved; and what it cannot do with
//! it.
//!
//! The way of every walk is `options -> Spec -> Subject -> plan -> output`. A verb says in its row of the table of verbs
//! which kinds of subjects it takes, and which of its options are for some kinds only. [`Subject::of`] holds the command
//! line against that, so that a verb only matches on what it takes. No other place asks which instruction set it is.

use std::process::ExitCode;

pub(crate) use isaglot::spec::{DESCRIPTIONS, SubjectKind, WORDS, refusal};
use isaglot_source::Diagnostic;
use isaglot_xe::Platform;

use crate::load::{Chosen, Source, Spec, check_options, load};
use crate::names::{self, Machine};
use crate::session::{EXIT_INPUT, Session};

/// What a verb works on.
#[expect(clippy::large_enum_variant, reason = "there is one in a run")]
pub(crate) enum Subject {
    /// A description, with what to decode for.
    Description(Chosen),
    /// A machine of Intel Xe, by its own assembly.
    Xe(Platform),
    /// SPIR-V modules.
    Spirv,
}

/// Kinds of subjects, and the options, by their ids, that are for these only.
pub(crate) type Only = (&'static [SubjectKind], &'static [&'static str]);

/// The options that choose within a description.
pub(crate) const CHOICES: Only =
    (DESCRIPTIONS, &["feature", "include", "operands", "overlay", "config", "triple", "mcpu", "no_aliases", "stale"]);

/// The option that chooses a gen, or a machine of Intel Xe.
pub(crate) const GEN: Only = (WORDS, &["gen"]);

/// The options that choose what pages and the explorer are about; SPIR-V has nothing to choose.
pub(crate) const ABOUT: Only =
    (WORDS, &["gen", "feature", "include", "operands", "overlay", "config", "triple", "mcpu", "roles", "stale"]);

/// What there are pages and an explorer of: all of them.
pub(crate) const PAGES: &[SubjectKind] =
    &[SubjectKind::Templates, SubjectKind::Riscv, SubjectKind::Llvm, SubjectKind::Xe, SubjectKind::Spirv];

/// The option that says that an input is hexadecimal text.
pub(crate) const HEX: Only = (WORDS, &["hex"]);

/// What a verb takes, and what of that the command line asks for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Takes {
    /// The verb.
    pub(crate) verb: &'static str,
    /// The kinds of subjects that it takes.
    pub(crate) kinds: &'static [SubjectKind],
    /// The given options that are for some kinds only.
    pub(crate) given: Vec<(&'static str, &'static [SubjectKind])>,
}

impl Takes {
    /// What the verb, or an option of it, cannot do with a subject.
    pub(crate) fn check(&self, kind: SubjectKind, subject: &str) -> Result<(), Diagnostic> {
        if !self.kinds.contains(&kind) {
            let d = refusal(&format!("`isaglot {}`", self.verb), self.kinds, subject);
            return Err(match kind {
                SubjectKind::Xe => d.note("the library `isaglot-xe` reads and writes instructions of Intel Xe"),
                _ => d,
            });
        }
        match self.given.iter().find(|(_, kinds)| !kinds.contains(&kind)) {
            Some((id, kinds)) => Err(refusal(&format!("`--{}`", id.replace('_', "-")), kinds, subject)),
            None => Ok(()),
        }
    }
}

impl Subject {
    /// Resolves what the command line asks for. Problems are reported; the exit status if there are any.
    pub(crate) fn of(spec: &Spec, session: &mut Session) -> Result<Subject, ExitCode> {
        let name = spec.source.name();
        let own = match &spec.source {
            Source::Input => Some((SubjectKind::Spirv, Subject::Spirv)),
            Source::File(_) => None,
            Source::Name(text) => match names::find(text).map_err(|d| session.fail(d))?.machine {
                Machine::Xe(_) => {
                    let takes = session.takes.check(SubjectKind::Xe, &name);
                    takes.map_err(|d| session.wrong_usage(d))?;
                    let platform =
                        names::machine(text, spec.choice.generation.as_deref()).map_err(|d| session.fail(d))?;
                    Some((SubjectKind::Xe, Subject::Xe(platform)))
                }
                Machine::Spirv => Some((SubjectKind::Spirv, Subject::Spirv)),
                _ => None,
            },
        };
        let (kind, subject) = match own {
            Some(own) => own,
            None => {
                check_options(spec).map_err(|d| session.wrong_usage(d))?;
                let chosen = load(spec, session).ok_or(ExitCode::from(EXIT_INPUT))?;
                (chosen.kind, Subject::Description(chosen))
            }
        };
        match session.takes.check(kind, &name) {
            Ok(()) => Ok(subject),
            Err(d) => Err(session.wrong_usage(d)),
        }
    }

    /// As [`Subject::of`], for a verb that takes descriptions only.
    pub(crate) fn description(spec: &Spec, session: &mut Session) -> Result<Chosen, ExitCode> {
        match Subject::of(spec, session)? {
            Subject::Description(chosen) => Ok(chosen),
            Subject::Xe(_) | Subject::Spirv => {
                let verb = format!("`isaglot {}`", session.takes.verb);
                Err(session.wrong_usage(refusal(&verb, DESCRIPTIONS, &spec.source.name())))
            }
        }
    }
}
