//! Answers about machines of Intel Xe, by their own assembly.

use std::sync::{Mutex, OnceLock, PoisonError};

use isaglot_bits::Word;
use isaglot_source::{Diagnostic, Diagnostics, SourceMap};
use isaglot_xe::stream::RawWord;
use isaglot_xe::text::Lines;
use isaglot_xe::{Compaction, Description, Platform, Printer, TextOptions, Xe};
use self_cell::self_cell;

use super::words::{TEXT, Words, fields, lossy, too_much};
use super::{Assembled, Columns, Explained, Instruction, Text};
use crate::explain::{self, Explanation, xe as apart};
#[cfg(feature = "shipped")]
use crate::spec::{Choice, DESCRIPTIONS, refusal};
use crate::spec::{Chosen, SubjectKind};
use crate::{Error, Problem};

/// Machines that have nothing to do.
type Idle<'d> = Mutex<Vec<Xe<'d>>>;

self_cell! {
    struct Pool {
        owner: Description,
        #[not_covariant]
        dependent: Idle,
    }
}

/// The most machines that are kept for later.
const MAX_IDLE: usize = 16;

/// Bytes of the two forms.
const SHORT_BYTES: usize = 8;
const LONG_BYTES: usize = 16;

/// The bit that tells short forms from long ones.
const SHORT: u128 = 1 << 29;

/// A machine.
pub(super) struct Machine {
    platform: Platform,
    pool: Pool,
    /// The description that it was made over, without places; `None` for the embedded one.
    given: Option<isaglot_model::Isa>,
    /// The description with its places, for explanations; made when it is needed.
    placed: OnceLock<Option<Words>>,
}

fn unreadable() -> Diagnostic {
    Diagnostic::error("xe-description", "the embedded description cannot be read")
}

/// Refuses choices that a machine of Intel Xe has none of.
#[cfg(feature = "shipped")]
pub(super) fn refuse(name: &str, choice: &Choice) -> Result<(), Error> {
    let given = [
        ("`--feature`", !choice.features.is_empty()),
        ("`--include`", !choice.include.is_empty()),
        ("`--operands`", choice.operands.is_some()),
        ("`--overlay`", choice.overlay.is_some()),
        ("`--config`", choice.config.is_some()),
        ("`--triple`", !choice.triple.is_empty()),
        ("`--mcpu`", !choice.cpu.is_empty()),
        ("`--no-aliases`", choice.aliases == Some(false)),
        ("`--stale`", choice.stale),
    ];
    match given.iter().find(|(_, is_given)| *is_given) {
        Some((option, _)) => Err(refusal(option, DESCRIPTIONS, name).into()),
        None => Ok(()),
    }
}

/// The word that bytes begin with.
fn first(bytes: &[u8]) -> Result<RawWord, Error> {
    let short = |message: String| Error::from(Diagnostic::error("decode-short", message));
    let few = || short(format!("{} bytes are less than an instruction", bytes.len()));
    let low = bytes.first_chunk::<SHORT_BYTES>().ok_or_else(few)?;
    let low = u128::from(u64::from_le_bytes(*low));
    if low & SHORT != 0 {
        return Ok(RawWord { pc: 0, word: low, short: true });
    }
    let long = bytes.first_chunk::<LONG_BYTES>().ok_or_else(few)?;
    Ok(RawWord { pc: 0, word: u128::from_le_bytes(*long), short: false })
}

impl Machine {
    #[cfg(feature = "shipped")]
    pub(super) fn new(platform: Platform) -> Result<Machine, Error> {
        let description = Description::embedded().ok_or_else(unreadable)?;
        Machine::of(platform, description, None)
    }

    fn of(platform: Platform, description: Description, given: Option<isaglot_model::Isa>) -> Result<Machine, Error> {
        let pool = Pool::new(description, |_| Mutex::new(Vec::new()));
        let machine = Machine { platform, pool, given, placed: OnceLock::new() };
        machine.with(|_| Ok(())).map(|()| machine)
    }

    /// A machine over a description that is not the embedded one, by the name or number of its gen.
    #[cfg(all(feature = "explore", feature = "compiled"))]
    pub(super) fn over(isa: isaglot_model::Isa, machine: &str) -> Result<Machine, Error> {
        let known = |p: &Platform| {
            crate::program::zebin::named(*p) == machine || p.name() == machine || p.generation().to_string() == machine
        };
        let Some(platform) = isaglot_xe::platform::ALL.into_iter().find(known) else {
            return Err(Diagnostic::error("cli-gen", format!("no machine of Intel Xe has the gen {machine}")).into());
        };
        Machine::of(platform, Description::new(isa.clone()), Some(isa))
    }

    pub(super) fn platform(&self) -> Platform {
        self.platform
    }

    /// Asks with a machine that nobody else has.
    fn with<R>(&self, ask: impl FnOnce(&mut Xe<'_>) -> Result<R, Error>) -> Result<R, Error> {
        self.pool.with_dependent(|description, idle| {
            let taken = idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
            let mut xe = match taken {
                Some(xe) => xe,
                None => Xe::new(description, self.platform).ok_or_else(unreadable)?,
            };
            let answer = ask(&mut xe);
            let mut idle = idle.lock().unwrap_or_else(PoisonError::into_inner);
            if idle.len() < MAX_IDLE {
                idle.push(xe);
            }
            answer
        })
    }

    /// The description with its places.
    pub(super) fn placed(&self) -> Result<&Words, Error> {
        let read = || {
            let (isa, files) = match &self.given {
                Some(isa) => (Some(isa.clone()), SourceMap::new()),
                #[cfg(feature = "shipped")]
                None => {
                    let (isa, files, _) = isaglot_xe::description();
                    (isa, files)
                }
                #[cfg(not(feature = "shipped"))]
                None => (None, SourceMap::new()),
            };
            let generation = self.platform.generation();
            let chosen = Chosen { isa: isa?, generation, features: Vec::new(), aliases: false, kind: SubjectKind::Xe };
            Some(Words::new(chosen, files, None).of_gen())
        };
        Ok(self.placed.get_or_init(read).as_ref().ok_or_else(unreadable)?)
    }

    pub(super) fn decode(&self, bytes: &[u8]) -> Result<Instruction, Error> {
        let raw = first(bytes)?;
        let size = raw.size() as usize;
        let placed = self.placed()?;
        self.with(|xe| {
            let apart = apart::apart(xe, placed.plan(), placed.files(), raw);
            let none = |why: String| {
                let digits = size * 2;
                Diagnostic::error("decode-none", format!("0x{:0digits$x} is not a valid instruction: {why}", raw.word))
            };
            let reading = match apart.reading {
                Ok(reading) => reading,
                Err(why) => return Err(none(why.message()).into()),
            };
            if let Some(why) = reading.problem {
                return Err(none(why).into());
            }
            let isa = placed.plan().isa();
            let Explanation::Match(found) = apart.explanation else {
                return Err(none("no encoding matches".to_owned()).into());
            };
            let encoding = &isa[found.encoding];
            Ok(Instruction {
                word: Word::from_u128(raw.word, size as u32 * 8),
                size,
                mnemonic: encoding.display_name.to_string(),
                encoding: isa.text(encoding.name).to_owned(),
                text: reading.text,
                problem: None,
                operands: operands(xe, bytes.get(..size).unwrap_or_default()),
                fields: fields(isa, found.fields),
            })
        })
    }

    pub(super) fn decode_into(&self, bytes: &[u8], columns: &mut Columns) -> Result<usize, Error> {
        self.with(|xe| {
            if columns.text_offset.is_empty() {
                columns.text_offset.push(0);
            }
            let mut lines = Lines::new(xe, TextOptions::default());
            let mut at = 0;
            while let Some(Ok(raw)) = bytes.get(at..).map(first) {
                let size = raw.size();
                let start = columns.text.len();
                let encoding = match lines.line(raw, &mut columns.text) {
                    Ok(encoding) => {
                        single_blanks(&mut columns.text, start);
                        encoding.index() as i32
                    }
                    Err(_) => {
                        columns.text.truncate(start);
                        -1
                    }
                };
                let Ok(end) = u32::try_from(columns.text.len()) else { return Err(too_much()) };
                columns.offset.push(at as u64);
                columns.size.push(size);
                columns.encoding.push(encoding);
                columns.text_offset.push(end);
                at += size as usize;
            }
            Ok(at)
        })
    }

    pub(super) fn disassemble(&self, bytes: &[u8]) -> Result<Text, Error> {
        self.with(|xe| {
            let mut printer = Printer::new(xe, bytes, TextOptions::default());
            let mut out = Vec::new();
            while printer.fill(&mut out) {}
            let findings = printer.findings();
            let problems = Problem::all(&SourceMap::new(), &findings.diagnostics(bytes.len()));
            Ok(Text { text: lossy(&out), used: findings.end as usize, problems })
        })
    }

    pub(super) fn assemble(&self, text: &str) -> Result<Assembled, Error> {
        self.with(|xe| {
            let (mut files, mut problems) = (SourceMap::new(), Diagnostics::new());
            let file = files.add(TEXT, text.as_bytes());
            match xe.assemble(file, text.as_bytes(), Compaction::Marked, &mut problems) {
                Some(bytes) if !problems.has_errors() => {
                    Ok(Assembled { bytes, warnings: Problem::all(&files, &problems) })
                }
                _ => Err(Error::new(files, problems)),
            }
        })
    }

    pub(super) fn explain(&self, asked: &str) -> Result<Explained, Error> {
        let placed = self.placed()?;
        let (plan, places) = (placed.plan(), placed.files());
        self.with(|xe| {
            let mut files = SourceMap::new();
            let found = match apart::words(xe, plan, &mut files, asked) {
                Ok(found) => found.words,
                Err(problems) => return Err(Error::new(files, problems)),
            };
            let words: Vec<apart::Apart> = found.into_iter().map(|raw| apart::apart(xe, plan, places, raw)).collect();
            let texts: Vec<String> =
                words.iter().map(|one| one.text(plan.isa(), places, false, crate::explain::Extent::Short)).collect();
            #[cfg(feature = "json")]
            let json = {
                let one = |one: &apart::Apart| {
                    one.json(explain::json::to_json(plan.isa(), places, &one.word, &one.explanation))
                };
                format!("{:#}\n", serde_json::Value::Array(words.iter().map(one).collect()))
            };
            Ok(Explained {
                text: texts.join("\n"),
                #[cfg(feature = "json")]
                json,
            })
        })
    }

    #[cfg(feature = "explore")]
    pub(super) fn explore(&self, question: &crate::explore::Question) -> Result<String, Error> {
        let placed = self.placed()?;
        self.with(|xe| Ok(placed.explore_xe(question, xe)))
    }

    #[cfg(feature = "listing")]
    pub(super) fn list(&self, bytes: &[u8], options: super::ListOptions) -> Result<super::Listed, Error> {
        let super::ListOptions { defs, pc, bits } = options;
        let options = isaglot_xe::ListOptions { defs, pc, bits, ..isaglot_xe::ListOptions::default() };
        self.with(|xe| {
            let mut lister = isaglot_xe::Lister::new(xe, bytes, options).map_err(|_| super::words::too_large())?;
            let mut json = Vec::new();
            while lister.fill(&mut json) {}
            let problems = lister.findings().diagnostics(bytes.len());
            Ok(super::Listed { json: lossy(&json), problems: Problem::all(&SourceMap::new(), &problems) })
        })
    }
}

#[cfg(feature = "listing")]
fn operands(xe: &mut Xe<'_>, bytes: &[u8]) -> Vec<super::Operand> {
    let program = xe.program(bytes);
    let listing = xe.listing(&program, &isaglot_xe::ListOptions::default());
    listing.map(|listing| super::words::operands_of(&listing)).unwrap_or_default()
}

#[cfg(not(feature = "listing"))]
fn operands(_: &mut Xe<'_>, _: &[u8]) -> Vec<super::Operand> {
    Vec::new()
}

/// Makes runs of blanks single ones in what follows `start`, and takes away those at both ends.
fn single_blanks(text: &mut Vec<u8>, start: usize) {
    let mut end = start;
    let mut blank = true;
    for at in start..text.len() {
        let Some(&byte) = text.get(at) else { break };
        if byte != b' ' || !blank {
            if let Some(place) = text.get_mut(end) {
                *place = byte;
            }
            end += 1;
        }
        blank = byte == b' ';
    }
    text.truncate(if blank && end > start { end - 1 } else { end });
}
