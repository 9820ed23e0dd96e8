//! Answers about descriptions whose programs are words.

#[cfg(all(feature = "isaspec", feature = "shipped"))]
use std::sync::OnceLock;

use isaglot_asm::{Hooks, Options, Plain, Stream};
use isaglot_bits::Word;
use isaglot_codec::{Match, Plan};
use isaglot_model::{ByteOrder, Isa};
use isaglot_source::{Diagnostic, Diagnostics, SourceMap};

use super::pool::{Pool, Worker};
use super::{Assembled, Columns, Explained, Field, Instruction, Nested, Text};
use crate::question::{self, Question};
use crate::spec::{Choice, Chosen, Spec};
use crate::{Error, Problem, explain, text};

/// Bytes of a program whose text is handed on at once.
const PIECE: usize = 1 << 16;

/// What a text is called in messages.
pub(super) const TEXT: &str = "<text>";

/// A description, its plans, and what was asked of it.
pub(crate) struct Words {
    pool: Pool,
    /// All problems of reading it, for a check.
    #[cfg_attr(not(feature = "verify"), allow(dead_code))]
    found: Diagnostics,
    #[cfg_attr(not(feature = "verify"), allow(dead_code))]
    asked: Asked,
    /// What it was read by, if it can be read again without files: then places are not known yet.
    #[cfg_attr(not(all(feature = "isaspec", feature = "shipped")), allow(dead_code))]
    spec: Option<Spec>,
    /// The same with places, once that was needed.
    #[cfg(all(feature = "isaspec", feature = "shipped"))]
    placed: OnceLock<Option<Box<Words>>>,
}

/// What was chosen, rather than left open.
#[cfg_attr(not(feature = "verify"), allow(dead_code))]
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Asked {
    pub(super) generation: bool,
    pub(super) features: bool,
    /// Only patterns are checked: a target of LLVM has thousands of instructions and hundreds of features.
    pub(super) patterns_only: bool,
}

/// The roles for a description whose file has this name.
#[cfg(feature = "isaspec")]
pub(super) fn roles_for(top: &str, roles: &crate::spec::Roles) -> Option<(String, &'static str)> {
    #[cfg(feature = "shipped")]
    if !matches!(roles, crate::spec::Roles::Unused) {
        let (name, text) = crate::spec::load::shipped_roles(std::path::Path::new(top));
        return text.map(|text| (name, text));
    }
    let _ = (top, roles);
    None
}

/// The word that the bytes of an instruction hold.
fn word_of(isa: &Isa, bytes: &[u8]) -> Word {
    let bits = bytes.len() as u32 * 8;
    if isa.format().byte_order == ByteOrder::Big {
        let reversed: Vec<u8> = bytes.iter().rev().copied().collect();
        return Word::from_le_bytes(&reversed, bits);
    }
    Word::from_le_bytes(bytes, bits)
}

impl Words {
    pub(crate) fn new(chosen: Chosen, files: SourceMap, spec: Option<Spec>) -> Words {
        let choice = spec.as_ref().map(|spec| spec.choice.clone()).unwrap_or_default();
        let asked = Asked::of(&choice, spec.as_ref(), &chosen);
        // What came with its places need not be read again, and what is in files cannot be.
        let is_bare = files.iter().next().is_none();
        let spec = spec.filter(|spec| is_bare && is_shipped(spec));
        Words {
            pool: Pool::new(chosen, files),
            found: Diagnostics::new(),
            asked,
            spec,
            #[cfg(all(feature = "isaspec", feature = "shipped"))]
            placed: OnceLock::new(),
        }
    }

    /// The same with what was found when it was read.
    pub(super) fn found(self, found: Diagnostics) -> Words {
        Words { found, ..self }
    }

    pub(crate) fn chosen(&self) -> &Chosen {
        &self.pool.owner().chosen
    }

    /// The files of the description.
    pub(crate) fn files(&self) -> &SourceMap {
        &self.pool.owner().files
    }

    /// The same, with a check of its gen alone.
    #[cfg(feature = "xe")]
    pub(super) fn of_gen(self) -> Words {
        Words { asked: Asked { generation: true, ..self.asked }, ..self }
    }

    pub(super) fn plan(&self) -> &Plan<'_> {
        self.pool.plan()
    }

    /// The same with places.
    #[cfg(all(feature = "isaspec", feature = "shipped"))]
    fn placed(&self) -> &Words {
        let Some(spec) = &self.spec else { return self };
        let read = || {
            let mut spec = spec.clone();
            spec.choice.has_places = true;
            let (mut files, mut problems) = (SourceMap::new(), Diagnostics::new());
            let chosen = crate::spec::load::read_chosen(&spec, &NoFiles, &mut files, &mut problems)?;
            Some(Box::new(Words::new(chosen, files, Some(spec)).found(problems)))
        };
        self.placed.get_or_init(read).as_deref().unwrap_or(self)
    }

    #[cfg(not(all(feature = "isaspec", feature = "shipped")))]
    fn placed(&self) -> &Words {
        self
    }

    pub(super) fn decode(&self, bytes: &[u8]) -> Result<Instruction, Error> {
        self.pool.with(|worker| self.instruction(worker, bytes))
    }

    fn instruction(&self, worker: &mut Worker<'_>, bytes: &[u8]) -> Result<Instruction, Error> {
        let plan = worker.printing;
        let isa = plan.isa();
        let mut line = Vec::new();
        let Some(size) = worker.stream().step(bytes, &mut Plain, &mut line) else {
            let message = format!("{} bytes are less than an instruction", bytes.len());
            return Err(Diagnostic::error("decode-short", message).into());
        };
        let word = word_of(isa, bytes.get(..size).unwrap_or_default());
        let hex = explain::full_hex(&word);
        let encoding = match plan.decode(&word) {
            Match::One(encoding) => encoding,
            Match::None => {
                let d = Diagnostic::error("decode-none", format!("0x{hex} is not a valid instruction"));
                return Err(d.note("`explain` says which encodings come nearest").into());
            }
            Match::Conflict(first, second) => {
                let message = format!("0x{hex} is not a valid instruction: two encodings match");
                let d = Diagnostic::error("decode-conflict", message);
                let names = [first, second].map(|id| format!("`{}`", isa[id].display_name));
                return Err(d.note(names.join(", ")).into());
            }
        };
        line.pop();
        let explained = match explain::explain(plan, &word) {
            explain::Explanation::Match(explained) => explained,
            _ => {
                let d = Diagnostic::error("decode-none", format!("0x{hex} is not a valid instruction"));
                return Err(d.into());
            }
        };
        let problem = (!explained.errors.is_empty()).then(|| lossy(&explained.errors));
        Ok(Instruction {
            size,
            mnemonic: isa[encoding].display_name.to_string(),
            encoding: isa.text(isa[encoding].name).to_owned(),
            text: lossy(&line),
            problem,
            operands: operands(plan, bytes.get(..size).unwrap_or_default()),
            fields: fields(isa, explained.fields),
            word,
        })
    }

    pub(super) fn decode_into(&self, bytes: &[u8], columns: &mut Columns) -> Result<usize, Error> {
        self.pool.with(|worker| {
            let plan = worker.printing;
            let isa = plan.isa();
            let big = isa.format().byte_order == ByteOrder::Big;
            let stream = worker.stream();
            let mut at = 0;
            if columns.text_offset.is_empty() {
                columns.text_offset.push(0);
            }
            while let Some(rest) = bytes.get(at..) {
                let before = columns.text.len();
                let Some(size) = stream.step(rest, &mut Plain, &mut columns.text) else { break };
                let taken = rest.get(..size).unwrap_or_default();
                let bits = size as u32 * 8;
                let word = if big { word_of(isa, taken) } else { Word::from_le_bytes(taken, bits) };
                let encoding = match plan.decode(&word) {
                    Match::One(encoding) => {
                        columns.text.pop();
                        encoding.index() as i32
                    }
                    Match::None | Match::Conflict(..) => {
                        columns.text.truncate(before);
                        -1
                    }
                };
                let Ok(end) = u32::try_from(columns.text.len()) else { return Err(too_much()) };
                columns.offset.push(at as u64);
                columns.size.push(size as u32);
                columns.encoding.push(encoding);
                columns.text_offset.push(end);
                at += size;
            }
            Ok(at)
        })
    }

    pub(crate) fn disassemble(&self, bytes: &[u8], labels: bool) -> Text {
        self.pool.with(|worker| {
            let kind = self.chosen().kind;
            let mut out = Vec::new();
            if labels {
                out.extend_from_slice(text::exact(kind, worker.printing).as_bytes());
            }
            let options = Options { labels, ..Options::default() };
            let mut stream = Stream::new(worker.printing, options, bytes.len() as u64);
            stream.mark(bytes);
            let used = stream.feed(bytes, &mut Plain, &mut out);
            Text { text: lossy(&out), used, problems: Vec::new() }
        })
    }

    /// Gives how many bytes the text is of.
    pub(super) fn disassemble_to(
        &self,
        bytes: &[u8],
        options: Options,
        hooks: &mut dyn Hooks,
        write: &mut dyn FnMut(&[u8]) -> bool,
    ) -> usize {
        self.pool.with(|worker| {
            let mut out = Vec::new();
            if options.labels {
                out.extend_from_slice(text::exact(self.chosen().kind, worker.printing).as_bytes());
            }
            let mut stream = Stream::new(worker.printing, options, bytes.len() as u64);
            stream.mark(bytes);
            let mut at = 0;
            loop {
                let rest = bytes.get(at..).unwrap_or_default();
                let used = stream.feed(rest.get(..PIECE).unwrap_or(rest), hooks, &mut out);
                at += used;
                if !(out.is_empty() || write(&out)) || used == 0 {
                    return at;
                }
                out.clear();
            }
        })
    }

    pub(super) fn assemble(&self, source: &str) -> Result<Assembled, Error> {
        self.pool.with(|worker| {
            let kind = self.chosen().kind;
            let (mut files, mut problems) = (SourceMap::new(), Diagnostics::new());
            let file = files.add(TEXT, source.as_bytes());
            let image = text::assemble(kind, worker.assembler(), &mut files, file, false, &mut problems);
            let made = image.map(|image| text::bytes(kind, &image));
            match made {
                Some(Ok(bytes)) if !problems.has_errors() => {
                    Ok(Assembled { bytes, warnings: Problem::all(&files, &problems) })
                }
                Some(Err(size)) => {
                    problems.push(text::too_large(size));
                    Err(Error::new(files, problems))
                }
                _ => Err(Error::new(files, problems)),
            }
        })
    }

    pub(super) fn explain(&self, asked: &str) -> Result<Explained, Error> {
        let words = self.placed();
        words.pool.with(|worker| {
            let kind = words.chosen().kind;
            let plan = worker.plain;
            let mut files = SourceMap::new();
            let found = match question::read(kind, worker.assembler(), &mut files, asked) {
                Ok(Question::Word(word)) => vec![word],
                Ok(Question::Assembly(bytes)) => question::words(plan, &bytes)?,
                Err(problems) => return Err(Error::new(files, problems)),
            };
            let isa = plan.isa();
            let files = &worker.owner.files;
            let explained: Vec<(Word, explain::Explanation)> = found
                .into_iter()
                .map(|word| {
                    let explanation = explain::explain(plan, &word);
                    (word, explanation)
                })
                .collect();
            let texts: Vec<String> = explained
                .iter()
                .map(|(word, e)| explain::text(isa, files, word, e, false, explain::Extent::Short))
                .collect();
            #[cfg(feature = "json")]
            let json = {
                let all = explained.iter().map(|(word, e)| explain::json::to_json(isa, files, word, e));
                format!("{:#}\n", serde_json::Value::Array(all.collect()))
            };
            Ok(Explained {
                text: texts.join("\n"),
                #[cfg(feature = "json")]
                json,
            })
        })
    }

    #[cfg(feature = "verify")]
    pub(super) fn check(&self) -> super::Checked {
        let words = self.placed();
        let owner = words.pool.owner();
        let Chosen { isa, generation, features, .. } = &owner.chosen;
        let options = isaglot_verify::Options {
            generation: words.asked.generation.then_some(*generation),
            features: words.asked.features.then(|| features.clone()),
            patterns_only: words.asked.patterns_only,
            by: None,
        };
        let report = isaglot_verify::check(isa, options, &mut |_, _| {});
        let mut all: Vec<Diagnostic> = words.found.iter().filter(|d| !d.code.starts_with("cli-")).cloned().collect();
        all.extend(isaglot_verify::diagnostics::diagnostics(isa, &report));
        let findings = all.iter().map(|d| Problem::new(&owner.files, d)).collect();
        #[cfg(feature = "json")]
        let json = {
            let messages: Vec<serde_json::Value> =
                all.iter().map(|d| isaglot_source::render::json(&owner.files, d)).collect();
            let report = isaglot_verify::json::report(isa, &report);
            let form = isaglot_verify::json::FORM;
            format!("{:#}\n", serde_json::json!({ "$schema": form, "diagnostics": messages, "report": report }))
        };
        super::Checked {
            findings,
            #[cfg(feature = "json")]
            json,
        }
    }

    #[cfg(feature = "explore")]
    pub(super) fn explore(&self, question: &crate::explore::Question) -> String {
        let words = self.placed();
        words.pool.with(|worker| {
            let (plan, printing, files) = (worker.plain, worker.printing, &worker.owner.files);
            let kind = words.chosen().kind;
            let mut asker = crate::explore::Asker { plan, files, assembler: worker.assembler(), kind, xe: None };
            crate::explore::answer(&mut asker, printing, question)
        })
    }

    /// The same of a machine of Intel Xe.
    #[cfg(all(feature = "explore", feature = "xe"))]
    pub(super) fn explore_xe(&self, question: &crate::explore::Question, xe: &mut isaglot_xe::Xe<'_>) -> String {
        self.pool.with(|worker| {
            let (plan, printing, files) = (worker.plain, worker.printing, &worker.owner.files);
            let kind = crate::spec::SubjectKind::Xe;
            let mut asker = crate::explore::Asker { plan, files, assembler: worker.assembler(), kind, xe: Some(xe) };
            crate::explore::answer(&mut asker, printing, question)
        })
    }

    #[cfg(feature = "listing")]
    pub(super) fn list(&self, bytes: &[u8], options: super::ListOptions) -> Result<super::Listed, Error> {
        use isaglot_listing::write;
        self.pool.with(|worker| {
            let options = isaglot_listing_build::Options { defs: options.defs, pc: options.pc, bits: options.bits };
            let listing = isaglot_listing_build::build(worker.printing, bytes, options).map_err(|_| too_large())?;
            Ok(super::Listed { json: lossy(&write::to_json(&listing, write::Style::default())), problems: Vec::new() })
        })
    }
}

impl Asked {
    fn of(choice: &Choice, spec: Option<&Spec>, chosen: &Chosen) -> Asked {
        let is_target = chosen.kind == crate::spec::SubjectKind::Llvm;
        let (mut generation, mut features) = (choice.generation.is_some(), !choice.features.is_empty());
        features |= choice.has_target();
        #[cfg(all(feature = "isaspec", feature = "shipped"))]
        if let Some(Ok(alias)) = spec.and_then(|spec| spec.source.alias()) {
            generation |= alias.generation.is_some();
            features |= alias.features.is_some();
        }
        generation &= !is_target;
        let patterns_only = match spec.map(|spec| &spec.source) {
            Some(crate::spec::Source::File(path)) => crate::spec::form::is_tablegen(path),
            _ => false,
        };
        Asked { generation, features, patterns_only }
    }
}

/// Whether a description can be read again without files.
#[cfg(all(feature = "isaspec", feature = "shipped"))]
fn is_shipped(spec: &Spec) -> bool {
    use crate::spec::names::{Alias, Machine};
    matches!(spec.source.alias(), Some(Ok(Alias { machine: Machine::Shipped(_), .. })))
}

#[cfg(not(all(feature = "isaspec", feature = "shipped")))]
fn is_shipped(_: &Spec) -> bool {
    false
}

/// No files.
#[cfg(all(feature = "isaspec", feature = "shipped"))]
pub(super) struct NoFiles;

#[cfg(all(feature = "isaspec", feature = "shipped"))]
impl crate::spec::Host for NoFiles {
    fn read(&self, path: &std::path::Path) -> Result<Vec<u8>, Diagnostic> {
        Err(Diagnostic::error("io-read", format!("cannot read {}: no files are read here", path.display())))
    }
}

pub(super) fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

pub(super) fn too_much() -> Error {
    Diagnostic::error("decode-size", "the texts have more than 4 GiB").note("decode the program in parts").into()
}

#[cfg(feature = "listing")]
pub(super) fn too_large() -> Error {
    let d = Diagnostic::error("list-dataflow", "too many definitions and uses");
    d.note("list it without them, or in parts").into()
}

/// Fields as plain data.
pub(super) fn fields(isa: &Isa, found: Vec<isaglot_asm::explain::ExplainedField>) -> Vec<Field> {
    let one = |field: isaglot_asm::explain::ExplainedField| Field {
        name: isa.shown(field.name).to_owned(),
        ranges: field.ranges,
        derived: field.derived,
        value: field.value,
        text: lossy(&field.text),
        nested: field.nested.map(|nested| Nested {
            encoding: isa.text(isa[nested.encoding].name).to_owned(),
            fields: fields(isa, nested.fields),
        }),
    };
    found.into_iter().map(one).collect()
}

#[cfg(not(feature = "listing"))]
fn operands(_: &Plan<'_>, _: &[u8]) -> Vec<super::Operand> {
    Vec::new()
}

#[cfg(feature = "listing")]
fn operands(plan: &Plan<'_>, bytes: &[u8]) -> Vec<super::Operand> {
    let listing = isaglot_listing_build::build(plan, bytes, isaglot_listing_build::Options::default());
    listing.map(|listing| operands_of(&listing)).unwrap_or_default()
}

/// The operands of the first instruction of a listing.
#[cfg(feature = "listing")]
pub(super) fn operands_of(listing: &isaglot_listing::Listing<'_>) -> Vec<super::Operand> {
    use isaglot_listing::tree::Elem;
    let first = listing.elems.iter().find_map(|elem| match elem {
        Elem::I(inst) => Some(inst),
        Elem::L(_) => None,
    });
    let Some(inst) = first else { return Vec::new() };
    let written = inst.dst.iter().map(|operand| operand_of(operand, true));
    written.chain(inst.srcs.iter().map(|operand| operand_of(operand, false))).collect()
}

#[cfg(feature = "listing")]
fn operand_of(operand: &isaglot_listing::tree::ListOperand<'_>, is_written: bool) -> super::Operand {
    use super::OperandKind as Kind;
    use isaglot_listing::tree::{ListOperand, Reg};
    let reg = |reg: &Reg<'_>, len: Option<i32>| {
        let number = if reg.r == 0 { String::new() } else { reg.r.to_string() };
        let sub = if reg.sr == 0 { String::new() } else { format!(".{}", reg.sr) };
        let several = len.filter(|&n| n > 1).map(|n| format!(":{n}")).unwrap_or_default();
        format!("{}{number}{sub}{several}", reg.rn)
    };
    let (kind, text) = match operand {
        ListOperand::LB(label) => (Kind::Label, label.target.clone().into_owned()),
        ListOperand::IM(number) => (Kind::Immediate, number.value.clone().into_owned()),
        ListOperand::RD(direct) => (Kind::Register, reg(&direct.reg, None)),
        ListOperand::RI(indirect) => (Kind::Register, format!("[{}]", reg(&indirect.areg, None))),
        ListOperand::RM(special) => (Kind::Register, format!("{}.{}", reg(&special.reg, None), special.mme)),
        ListOperand::DA(data) => (Kind::Data, reg(&data.reg, data.len)),
        ListOperand::AD(address) => (Kind::Address, reg(&address.areg, address.alen)),
    };
    super::Operand { kind, is_written, text }
}
