//! A tool as a decoder: words out, lines in.
//!
//! The invariant: an answer is taken for that of a word only if the lines say that it is: by their number, by a mark after each word, or by an
//! address. A line that has no known shape, a word without a line, and a tool that complains about its command are errors; none of them is
//! taken for a refusal. This crate starts nothing: a [`Runner`] does.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::ops::Range;

use isaglot_bits::Word;
use isaglot_codec::Plan;
use isaglot_model::{ByteOrder, FeatureId};
use isaglot_source::Diagnostic;

use crate::answer::{Answer, Decoder};
use crate::limits::MAX_TEXT;
use crate::template::Line;
use crate::tool::{Answers, Tool, Write};

mod assembling;
mod complaints;
mod lots;

/// Commands to run one after the other for one lot of words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// Programs with their arguments, in which `{input}` and `{work}` are still open.
    pub commands: Vec<Vec<String>>,
    /// Variables of the environment that they get beside those that there are.
    pub environment: Vec<(String, String)>,
    /// What the words are written as: the file `{input}`, or if no command names it the standard input of the first one.
    pub input: Vec<u8>,
    /// A status that is not 0 is no failure.
    pub any_status: bool,
}

/// What the commands of a job printed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// Standard output of the last command.
    pub out: String,
    /// Standard error of all.
    pub err: String,
    /// The signal that has ended a command; the later ones were not started.
    pub signal: Option<i32>,
}

/// Starts programs.
pub trait Runner {
    /// The outputs of jobs, in their order.
    ///
    /// # Errors
    /// Which program cannot be started, or failed, and what it said.
    fn run(&mut self, jobs: &[Job]) -> Result<Vec<Output>, Diagnostic>;
}

/// What a tool is set up for.
#[derive(Clone, Debug)]
pub struct Setting<'a> {
    /// The name of the description.
    pub isa: &'a str,
    /// The gen.
    pub generation: u32,
    /// How words lie in memory.
    pub order: ByteOrder,
    /// The features that are on, without those that come with another one.
    pub features: Vec<&'a str>,
}

impl<'a> Setting<'a> {
    /// What a plan decodes.
    #[must_use]
    pub fn of(plan: &Plan<'a>) -> Setting<'a> {
        let isa = plan.isa();
        let order = isa.format().byte_order;
        Setting { isa: isa.name(), generation: plan.generation(), order, features: features(plan) }
    }
}

/// A tool that is set up for a description, a gen and features.
pub struct Foreign<'t> {
    tool: &'t Tool,
    commands: Vec<Vec<String>>,
    order: ByteOrder,
    runner: &'t mut dyn Runner,
}

/// A word and where it lies.
struct Placed<'w> {
    word: &'w Word,
    address: u64,
}

impl<'t> Foreign<'t> {
    /// Sets up a tool for what a plan decodes.
    ///
    /// # Errors
    /// If the tool is not for this description, gen or feature.
    pub fn new(tool: &'t Tool, plan: &Plan<'_>, runner: &'t mut dyn Runner) -> Result<Foreign<'t>, Diagnostic> {
        Foreign::set_up(tool, &Setting::of(plan), runner)
    }

    /// Sets up a tool.
    ///
    /// # Errors
    /// If the tool is not for this description, gen or feature.
    pub fn set_up(
        tool: &'t Tool,
        setting: &Setting<'_>,
        runner: &'t mut dyn Runner,
    ) -> Result<Foreign<'t>, Diagnostic> {
        let (isa, generation) = (setting.isa, setting.generation);
        if !tool.isa.is_empty() && !tool.isa.iter().any(|glob| glob.fits(isa)) {
            let d = Diagnostic::error("conform-tool", format!("`{}` is not for `{isa}`", tool.name));
            return Err(d.note("the line `isa` of the tool names the descriptions that it is for"));
        }
        if tool.is_for_modules() {
            return Err(Diagnostic::error("conform-tool", format!("`{}` is for SPIR-V only", tool.name)));
        }
        let mut values: Vec<(String, String)> = Vec::new();
        if !tool.gens.is_empty() {
            let Some((_, found)) = tool.gens.iter().find(|(value, _)| *value == generation) else {
                return Err(Diagnostic::error("conform-tool", format!("`{}` has no gen {generation}", tool.name)));
            };
            values.extend(found.iter().cloned());
        }
        let used = tool.run.iter().flatten().any(|word| word.contains("{features}"));
        if used {
            values.push(("features".to_owned(), named(tool, &setting.features)?));
        }
        let fill = |word: &String| {
            values.iter().fold(word.clone(), |word, (name, text)| word.replace(&format!("{{{name}}}"), text))
        };
        let commands: Vec<Vec<String>> = tool.run.iter().map(|words| words.iter().map(fill).collect()).collect();
        let is_open = |word: &&String| word.replace("{input}", "").replace("{work}", "").contains('{');
        if let Some(word) = commands.iter().flatten().find(is_open) {
            let d = Diagnostic::error("conform-tool", format!("nothing says what stands in `{word}`"));
            return Err(d.note("a line `gen` of the tool gives names their texts"));
        }
        Ok(Foreign { tool, commands, order: setting.order, runner })
    }

    /// A tool whose commands have nothing open, for tests that start nothing.
    #[cfg(feature = "oracle")]
    pub(crate) fn open(tool: &'t Tool, order: ByteOrder, runner: &'t mut dyn Runner) -> Foreign<'t> {
        Foreign { tool, commands: tool.run.clone(), order, runner }
    }

    /// The words of a lot with their addresses.
    fn placed<'w>(&self, words: &'w [Word]) -> Vec<Placed<'w>> {
        let mut address = self.tool.base;
        let mut place = |word: &'w Word| {
            let at = address;
            let size = word.width().div_ceil(8) as usize;
            address += size.max(self.tool.slot) as u64;
            Placed { word, address: at }
        };
        words.iter().map(&mut place).collect()
    }

    /// The bytes of a word in the order of memory.
    fn memory(&self, word: &Word) -> Vec<u8> {
        match self.order {
            ByteOrder::Little => word.le_bytes().collect(),
            ByteOrder::Big => word.le_bytes().rev().collect(),
        }
    }

    /// What the tool reads.
    fn input(&self, placed: &[Placed<'_>]) -> Vec<u8> {
        match &self.tool.write {
            Write::Lines(line) => placed.iter().map(|p| self.line(line, p)).collect::<String>().into_bytes(),
            Write::Bytes(between) => {
                let mut bytes = Vec::new();
                for p in placed {
                    let memory = self.memory(p.word);
                    let left = self.tool.slot.saturating_sub(memory.len());
                    bytes.extend(memory);
                    bytes.extend(between.iter().cycle().take(left));
                }
                bytes
            }
        }
    }

    fn line(&self, line: &str, placed: &Placed<'_>) -> String {
        let memory = self.memory(placed.word);
        let hex = |prefix: &str, between: &str| {
            memory.iter().map(|byte| format!("{prefix}{byte:02x}")).collect::<Vec<_>>().join(between)
        };
        let mut line = line.replace("{hex}", &placed.word.hex()).replace("{size}", &memory.len().to_string());
        for (name, text) in [("{bytes}", hex("", " ")), ("{0xbytes}", hex("0x", " ")), ("{memory}", hex("", ""))] {
            line = line.replace(name, &text);
        }
        line = line.replace("{address}", &format!("{:x}", placed.address));
        line.push('\n');
        line
    }

    /// The answers of one lot.
    fn read(&self, placed: &[Placed<'_>], output: &Output) -> Result<Vec<Answer>, Diagnostic> {
        if let Some(line) = output.err.lines().find(|line| self.tool.errors.iter().any(|glob| glob.fits(line))) {
            return Err(self.wrong("did not understand its command").note(shown(line)));
        }
        match &self.tool.answers {
            Answers::Each => self.each(placed, &output.out),
            Answers::Marked(mark) => self.marked(placed, &output.out, mark),
            Answers::Addressed => self.addressed(placed, &output.out),
            Answers::Modules => Err(self.wrong("is for SPIR-V")),
        }
    }

    fn wrong(&self, what: &str) -> Diagnostic {
        Diagnostic::error("conform-answers", format!("`{}` {what}", self.tool.name))
    }

    /// What a line says; `None` if it says nothing.
    fn said(&self, line: &str) -> Result<Option<Line>, Diagnostic> {
        if line.trim().is_empty() || self.tool.skip.iter().any(|glob| glob.fits(line.trim())) {
            return Ok(None);
        }
        if let Some(found) = self.tool.read.iter().find_map(|template| template.line(line)) {
            return Ok(Some(found));
        }
        let d = self.wrong("printed a line of unknown shape").note(shown(line));
        Err(d.note("a line `read` or `skip` of the tool must say what it is"))
    }

    fn each(&self, placed: &[Placed<'_>], out: &str) -> Result<Vec<Answer>, Diagnostic> {
        let mut answers = Vec::new();
        for line in out.lines() {
            // An empty line is an answer here: there is no text.
            let said = if line.trim().is_empty() { Some(Line::default()) } else { self.said(line)? };
            if let Some(line) = said {
                answers.push(self.answer(&line, placed.get(answers.len()).map_or(0, |p| p.address)));
            }
        }
        if answers.len() == placed.len() {
            return Ok(answers);
        }
        Err(self.wrong(&format!("gave {} answers for {} words", answers.len(), placed.len())))
    }

    fn marked(&self, placed: &[Placed<'_>], out: &str, mark: &str) -> Result<Vec<Answer>, Diagnostic> {
        let mark: Vec<&str> = mark.split_whitespace().collect();
        let mut answers = Vec::new();
        let mut current = None;
        for line in out.lines() {
            let Some(said) = self.said(line)? else { continue };
            if said.text.split_whitespace().eq(mark.iter().copied()) {
                answers.push(current.take().unwrap_or_default());
            } else if current.is_none() {
                current = Some(self.answer(&said, placed.get(answers.len()).map_or(0, |p| p.address)));
            }
        }
        if answers.len() == placed.len() {
            return Ok(answers);
        }
        let d = self.wrong(&format!("printed {} marks for {} words", answers.len(), placed.len()));
        Err(d.note("the mark must be an instruction that it prints after any word; two of them are safer than one"))
    }

    fn addressed(&self, placed: &[Placed<'_>], out: &str) -> Result<Vec<Answer>, Diagnostic> {
        let mut lines: BTreeMap<u64, Line> = BTreeMap::new();
        for line in out.lines() {
            if let Some(line) = self.said(line)?
                && let Some(address) = line.address
            {
                lines.entry(address).or_insert(line);
            }
        }
        let answer = |p: &Placed<'_>| match lines.get(&p.address) {
            Some(line) => Ok(self.answer(line, p.address)),
            None => Err(self.wrong(&format!("printed no line for the word 0x{} at {:#x}", p.word.hex(), p.address))),
        };
        placed.iter().map(answer).collect()
    }

    /// What a line means.
    fn answer(&self, line: &Line, address: u64) -> Answer {
        let mut text = line.text.replace('\t', " ");
        for comment in &self.tool.comments {
            if let Some((before, _)) = text.split_once(comment.as_str()) {
                text = before.trim_end().to_owned();
            }
        }
        if text.is_empty() || self.tool.refused.iter().any(|glob| glob.fits(&text)) {
            return Answer::Refused;
        }
        for after in &self.tool.relative {
            if let Some((before, _)) = text.split_once(after.as_str()) {
                // Where no number stands before it, it is a remark.
                let before = before.trim_end();
                text = distance(before, address).unwrap_or_else(|| before.to_owned());
            }
        }
        let bits = line.bytes.as_ref().and_then(|bytes| u32::try_from(8 * bytes.len()).ok());
        Answer::Accepted { bits, text: text.chars().take(MAX_TEXT).collect(), leaf: None }
    }
}

/// The features that are on, without those that come with another one: a tool need not know their names.
fn features<'a>(plan: &Plan<'a>) -> Vec<&'a str> {
    let isa = plan.isa();
    let on: Vec<FeatureId> = plan.features().collect();
    let implied: BTreeSet<FeatureId> = on.iter().flat_map(|&f| isa[f].implies.iter().copied()).collect();
    on.into_iter().filter(|f| !implied.contains(f)).map(|f| isa[f].name.as_str()).collect()
}

/// What the tool calls the features that are on, in the order of its rows.
fn named(tool: &Tool, features: &[&str]) -> Result<String, Diagnostic> {
    let mut texts: Vec<(usize, String)> = Vec::new();
    for name in features {
        let Some(row) = tool.features.iter().position(|(glob, _)| glob.fits(name)) else {
            let d = Diagnostic::error("conform-tool", format!("`{}` has no name for the feature `{name}`", tool.name));
            return Err(d.note("a line `feature` of the tool gives it one, or none if the tool has it always"));
        };
        let text = tool.features.get(row).map_or("", |(_, text)| text);
        if !text.is_empty() {
            texts.push((row, text.replace("{name}", name)));
        }
    }
    texts.sort_by_key(|(row, _)| *row);
    let texts: Vec<String> = texts.into_iter().map(|(_, text)| text).collect();
    Ok(texts.join(&tool.separator))
}

/// A text that ends with an address, with the distance to that address instead.
fn distance(before: &str, address: u64) -> Option<String> {
    let start = before.rfind([',', ' ', '(']).map_or(0, |at| at + 1);
    let (head, number) = before.split_at_checked(start)?;
    let digits = number.strip_prefix("0x").unwrap_or(number);
    let to = u64::from_str_radix(digits, 16).ok()?;
    let distance = to.wrapping_sub(address);
    // An address of 32 bits is one of a machine that has no more.
    let distance = if to >> 31 == 1 { i64::from((distance as u32).cast_signed()) } else { distance.cast_signed() };
    let mut out = head.to_owned();
    // Writing to a text does not fail.
    let _ = write!(out, "{distance}");
    Some(out)
}

/// A line of a tool as a note.
fn shown(line: &str) -> String {
    let line: String = line.chars().take(MAX_TEXT).collect();
    format!("the line is: {}", line.trim())
}

impl Foreign<'_> {
    /// One answer for each word, from one run of each lot.
    fn asked(&mut self, words: &[Word]) -> Result<Vec<Answer>, Diagnostic> {
        let input = |this: &Self, lot: Range<usize>| this.input(&this.placed(words.get(lot).unwrap_or_default()));
        let read = |this: &Self, lot: Range<usize>, output: &Output| {
            this.read(&this.placed(words.get(lot).unwrap_or_default()), output)
        };
        self.settle(words.len(), input, read, |signal| Answer::Died { signal })
    }
}

impl Decoder for Foreign<'_> {
    fn takes(&self, word: &Word) -> bool {
        !self.tool.avoid.iter().any(|pattern| pattern.width() == word.width() && pattern.matches(word))
    }

    fn answers(&mut self, words: &[Word]) -> Result<Vec<Answer>, Diagnostic> {
        if self.tool.complaints.is_empty() { self.asked(words) } else { self.without_refused(words) }
    }
}
