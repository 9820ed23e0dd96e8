//! A tool as data: `specs/tools/*.tool`, one for each program that decodes instructions.
//!
//! What assembles instructions is described in the same way: a line `assemble` says so.
//!
//! A file has a line for each property, its name and then its value; `#` begins a comment at the begin of a line. Errors have places, and every
//! line is looked at, so that a file with several mistakes is mended once.
//!
//! ```text
//! tool TEXT                 what the tool is called; must be there
//! isa GLOB…                 the descriptions that it is for, by their names
//! gen VALUE NAME=TEXT…      what {NAME} is in commands for this gen of the description
//! feature GLOB [TEXT]       what a feature of the description is called by the tool, {name} being its name; without a text nothing.
//!                           The first row that fits counts, and the rows' order is that of the texts
//! features TEXT             what stands between the texts of features in {features}
//! run WORD…                 a command; several are run one after the other, and the last one prints the answers. Blanks part words, '…' keeps
//!                           them together.
//!                           {input} is a file with the words, without it they come on standard input; {work} is a folder for what is made
//! environment NAME=TEXT     a variable of the environment that the commands get
//! assemble TEXT             it is an assembler, and this is the line of an instruction: {text} is its text, {number} its number from 1
//! complaint TEXT            a line on standard error about an instruction that is refused, like `read`; {number} or {line} says which, and
//!                           where words are decoded {address}. What was not refused is then asked in a second run, without the others
//! distance TEXT             how an assembler reads the distance of a branch: {distance} is it with its sign
//! write TEXT                the line of a word: {hex} is its value, {size} its length in bytes, {bytes} its bytes in the order of memory,
//!                           {0xbytes} the same with 0x, {memory} the same without blanks, {address} where it lies; \n is a new line
//! write-bytes HEX           words are bytes of a file, with these bytes between them up to the next slot
//! slot N                    words lie N bytes apart
//! base N                    where the first word lies; 0 if it is not given
//! answers each              each line of the answer is about the next word
//! answers marked TEXT       the first line of a word is its answer; a line with this text ends each word
//! answers addressed         a line is about the word at its address
//! answers modules           words are instructions of SPIR-V, and modules go in and out as `spirv` says; there are no lines `read`
//! read TEXT                 a line with an answer: {text}, {bytes}, {address}, and {_} for what does not matter; \t is a tab. With an
//!                           assembler {bytes} are of the instruction {number}, or of the one on the {line} of the input, or of
//!                           the last one that a line had
//! skip GLOB                 lines that say nothing
//! avoid PATTERN             words that the tool must not be given, as a pattern of 0, 1 and x; they are counted
//! refused GLOB              texts of words that are not instructions
//! comment TEXT              from here on a text is a comment
//! relative TEXT             the number before this text is an address, to which the distance is wanted; what follows is no part of the text
//! alias TEXT = TEXT         texts that say the same, as `normal` says
//! texts yes|no              whether its texts are compared
//! aliases yes|no            whether the tool prints aliases
//! error GLOB                a line on standard error that means that the tool did not understand the command
//! status any                the tool may fail
//! batch N                   how many words a process gets
//! ```
//!
//! In a glob each `*` is any text, and `?` one byte.

use isaglot_bits::Pattern;
use isaglot_source::{Diagnostic, Diagnostics, FileId, Glob, Span, closest, statements};

use crate::limits::{MAX_BASE, MAX_BATCH, MAX_TOOL_BYTES};
use crate::normal::Rules;
use crate::template::Template;

/// A tool that decodes instructions, as its file describes it.
#[derive(Clone, Debug, Default)]
pub struct Tool {
    /// What it is called.
    pub name: String,
    /// The descriptions that it is for; all, if there are none.
    pub isa: Vec<Glob>,
    /// For each gen, what placeholders stand for.
    pub gens: Vec<(u32, Vec<(String, String)>)>,
    /// What features are called.
    pub features: Vec<(Glob, String)>,
    /// What stands between features.
    pub separator: String,
    /// The commands, each a program with its arguments.
    pub run: Vec<Vec<String>>,
    /// Variables of the environment that the commands get beside those that there are.
    pub environment: Vec<(String, String)>,
    /// How texts are written for an assembler; `None` for what decodes.
    pub assemble: Option<String>,
    /// What lines on standard error look like that are printed for a text or a word that is refused.
    pub complaints: Vec<Template>,
    /// How an assembler reads the distance of a branch, if not as a number.
    pub distance: Option<String>,
    /// How words are written.
    pub write: Write,
    /// Bytes from one word to the next; 0 if they lie side by side.
    pub slot: usize,
    /// Where the first word lies.
    pub base: u64,
    /// How lines belong to words.
    pub answers: Answers,
    /// What lines with answers look like.
    pub read: Vec<Template>,
    /// Lines that say nothing.
    pub skip: Vec<Glob>,
    /// Words that it must not be given.
    pub avoid: Vec<Pattern>,
    /// Texts of words that are refused.
    pub refused: Vec<Glob>,
    /// What begins a comment.
    pub comments: Vec<String>,
    /// What stands after an address.
    pub relative: Vec<String>,
    /// Texts that say the same.
    pub rules: Rules,
    /// Whether it prints aliases.
    pub aliases: bool,
    /// Lines on standard error that mean that nothing can be believed.
    pub errors: Vec<Glob>,
    /// It may fail without being wrong.
    pub any_status: bool,
    /// How many words a process gets.
    pub batch: usize,
}

/// How words are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Write {
    /// As lines.
    Lines(String),
    /// As bytes, with these between them.
    Bytes(Vec<u8>),
}

impl Default for Write {
    fn default() -> Write {
        Write::Lines("{hex}".to_owned())
    }
}

/// How lines of answers belong to words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Answers {
    /// One line for each word.
    #[default]
    Each,
    /// A line with this text ends each word.
    Marked(String),
    /// Lines have addresses.
    Addressed,
    /// There are no lines: modules of SPIR-V.
    Modules,
}

impl Tool {
    /// Whether it reads modules of SPIR-V.
    #[must_use]
    pub fn is_for_modules(&self) -> bool {
        self.answers == Answers::Modules
    }
}

/// The properties that a file can give.
const NAMES: [&str; 27] = [
    "tool",
    "isa",
    "gen",
    "feature",
    "features",
    "run",
    "environment",
    "assemble",
    "complaint",
    "distance",
    "write",
    "write-bytes",
    "slot",
    "base",
    "answers",
    "read",
    "skip",
    "avoid",
    "refused",
    "comment",
    "relative",
    "alias",
    "aliases",
    "texts",
    "error",
    "status",
    "batch",
];

/// How many words a process gets if the file does not say it.
const BATCH: usize = 1 << 14;

/// Reads a tool. Problems are added to `out`; with an error among them there is no tool.
pub fn read(file: FileId, text: &str, out: &mut Diagnostics) -> Option<Tool> {
    let before = out.error_count();
    let whole = Span::new(file, 0, text.len().min(1));
    if text.len() > MAX_TOOL_BYTES {
        out.push(Diagnostic::error("tool-size", format!("a tool has at most {MAX_TOOL_BYTES} bytes")).label(whole, ""));
        return None;
    }
    let mut tool = Tool { batch: BATCH, ..Tool::default() };
    for (span, line) in statements(file, text) {
        let (name, value) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        if !NAMES.contains(&name) {
            let d = Diagnostic::error("tool-property", format!("a tool has no property `{name}`")).label(span, "");
            out.push(d.did_you_mean(closest(name, NAMES)));
        } else if let Err(expected) = property(&mut tool, name, value.trim()) {
            let d = Diagnostic::error("tool-value", format!("this is not a value of `{name}`"));
            out.push(d.label(span, format!("expected {expected}")));
        }
    }
    for (is_there, what) in [
        (!tool.name.is_empty(), "tool"),
        (!tool.run.is_empty(), "run"),
        (!tool.read.is_empty() || tool.is_for_modules(), "read"),
    ] {
        if !is_there {
            out.push(Diagnostic::error("tool-missing", format!("a tool needs a line `{what}`")).label(whole, ""));
        }
    }
    together(&tool, whole, out);
    (out.error_count() == before).then_some(tool)
}

/// Finds properties that do not go together.
fn together(tool: &Tool, whole: Span, out: &mut Diagnostics) {
    let mut wrong = |message: &str| out.push(Diagnostic::error("tool-together", message).label(whole, ""));
    if tool.answers == Answers::Addressed && !tool.read.iter().all(Template::has_address) {
        wrong("answers are told by their addresses, but a line `read` has no `{address}`");
    }
    if tool.is_for_modules() {
        if !tool.read.is_empty() || tool.run.len() > 1 {
            wrong("a tool with `answers modules` has one command and no line `read`");
        }
        return;
    }
    if let Some(line) = &tool.assemble {
        if !line.contains("{text}") {
            wrong("the line `assemble` has no `{text}`");
        }
        if !tool.read.iter().any(Template::has_bytes) || !tool.read.iter().any(Template::has_number) {
            wrong("an assembler needs a line `read` with `{bytes}`, and one with `{number}` or `{line}`");
        }
        if !tool.complaints.iter().all(Template::has_number) {
            wrong("a line `complaint` has neither `{number}` nor `{line}`");
        }
        return;
    }
    if tool.distance.is_some() {
        wrong("`distance` is for assemblers: a line `assemble` is missing");
    }
    if !tool.complaints.iter().all(Template::has_address) {
        wrong("a line `complaint` has no `{address}`");
    }
    if !tool.complaints.is_empty() && tool.answers != Answers::Addressed {
        wrong("a line `complaint` needs `answers addressed`");
    }
    if !tool.read.iter().all(Template::has_text) {
        wrong("a line `read` has no `{text}`");
    }
    if matches!(tool.write, Write::Bytes(_)) && tool.slot == 0 {
        wrong("words that are written as bytes need a `slot`");
    }
    if matches!(tool.write, Write::Bytes(_)) && tool.answers != Answers::Addressed {
        wrong("words that are written as bytes need `answers addressed`");
    }
}

/// Puts a property into a tool, or says what was expected.
fn property(tool: &mut Tool, name: &str, value: &str) -> Result<(), &'static str> {
    let some = |expected| if value.is_empty() { Err(expected) } else { Ok(value.to_owned()) };
    let number = || value.parse::<usize>().ok();
    match name {
        "tool" => tool.name = some("a name")?,
        "isa" => tool.isa = some("names of descriptions")?.split_whitespace().map(Glob::new).collect(),
        "gen" => tool.gens.push(generation(value).ok_or("a number and rows `NAME=TEXT`")?),
        "feature" => {
            let (glob, text) = value.split_once(char::is_whitespace).unwrap_or((value, ""));
            some("the name of a feature")?;
            tool.features.push((Glob::new(glob), text.trim().to_owned()));
        }
        "features" => tool.separator = some("a text")?,
        "run" => tool.run.push(words(&some("a command")?).ok_or("a command whose `'` are in pairs")?),
        "environment" => {
            let (name, text) = value.split_once('=').filter(|(name, _)| !name.is_empty()).ok_or("`NAME=TEXT`")?;
            tool.environment.push((name.to_owned(), text.to_owned()));
        }
        "assemble" => tool.assemble = Some(some("the line of an instruction")?.replace("\\n", "\n")),
        "complaint" => {
            tool.complaints
                .push(Template::new(value).ok_or("a text with placeholders, and something between each two")?);
        }
        "distance" if value.contains("{distance}") => tool.distance = Some(value.to_owned()),
        "distance" => return Err("a text with `{distance}`"),
        "write" => tool.write = Write::Lines(some("the line of a word")?.replace("\\n", "\n")),
        "write-bytes" => tool.write = Write::Bytes(bytes(value).ok_or("pairs of hexadecimal digits")?),
        "slot" => tool.slot = number().filter(|n| (1..=1 << 16).contains(n)).ok_or("a number of bytes, at least 1")?,
        "base" => {
            let (digits, radix) = value.strip_prefix("0x").map_or((value, 10), |digits| (digits, 16));
            let base = u64::from_str_radix(digits, radix).ok().filter(|base| *base <= MAX_BASE);
            tool.base = base.ok_or("an address, in hexadecimal after `0x`")?;
        }
        "answers" => {
            tool.answers = match value.split_once(' ').unwrap_or((value, "")) {
                ("each", "") => Answers::Each,
                ("addressed", "") => Answers::Addressed,
                ("modules", "") => Answers::Modules,
                ("marked", mark) if !mark.trim().is_empty() => Answers::Marked(mark.trim().to_owned()),
                _ => return Err("`each`, `addressed`, `modules`, or `marked` and a text"),
            };
        }
        "read" => {
            tool.read.push(Template::new(value).ok_or("a text with placeholders, and something between each two")?)
        }
        "skip" => tool.skip.push(Glob::new(&some("a line, in which `*` is any text")?)),
        "avoid" => tool.avoid.push(Pattern::parse(&some("a pattern")?).map_err(|_| "a pattern of 0, 1 and x")?),
        "refused" => tool.refused.push(Glob::new(&some("a text, in which `*` is any text")?)),
        "comment" => tool.comments.push(some("a text")?),
        "relative" => tool.relative.push(some("a text")?),
        "alias" => {
            let (from, to) = value.split_once('=').ok_or("two texts with `=` between them")?;
            if !tool.rules.add(from, to) {
                return Err("a text before `=`");
            }
        }
        "aliases" => tool.aliases = is_yes(value)?,
        "texts" => tool.rules.any_text = !is_yes(value)?,
        "error" => tool.errors.push(Glob::new(&some("a line, in which `*` is any text")?)),
        "status" if value == "any" => tool.any_status = true,
        "status" => return Err("`any`"),
        "batch" => tool.batch = number().filter(|n| (1..=MAX_BATCH).contains(n)).ok_or("a number of words")?,
        // Names are looked at before.
        _ => return Err("another property"),
    }
    Ok(())
}

fn is_yes(value: &str) -> Result<bool, &'static str> {
    match value {
        "yes" => Ok(true),
        "no" => Ok(false),
        _ => Err("`yes` or `no`"),
    }
}

/// The words of a command: blanks part them, but not between two `'`. `None` if one of these is missing.
#[must_use]
pub fn words(command: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    for (at, piece) in command.split('\'').enumerate() {
        if at % 2 == 1 {
            word.get_or_insert_default().push_str(piece);
            continue;
        }
        for (at, part) in piece.split(char::is_whitespace).enumerate() {
            if at > 0 {
                words.extend(word.take());
            }
            if !part.is_empty() {
                word.get_or_insert_default().push_str(part);
            }
        }
    }
    words.extend(word);
    command.matches('\'').count().is_multiple_of(2).then_some(words)
}

fn generation(value: &str) -> Option<(u32, Vec<(String, String)>)> {
    let mut words = value.split_whitespace();
    let number = words.next()?.parse().ok()?;
    let pair = |word: &str| word.split_once('=').map(|(name, text)| (name.to_owned(), text.to_owned()));
    Some((number, words.map(pair).collect::<Option<_>>()?))
}

/// The bytes of hexadecimal text; blanks may part them.
pub(crate) fn bytes(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u32> =
        text.chars().filter(|c| !c.is_whitespace()).map(|c| c.to_digit(16)).collect::<Option<_>>()?;
    let pairs = digits.chunks_exact(2);
    let is_whole = pairs.remainder().is_empty() && !digits.is_empty();
    is_whole.then(|| pairs.map(|pair| pair.iter().fold(0, |byte, digit| byte << 4 | *digit as u8)).collect())
}

/// Reads rules for the normal form of texts: lines `alias TEXT = TEXT`, as a tool has them.
pub fn read_rules(file: FileId, text: &str, out: &mut Diagnostics) -> Rules {
    let mut tool = Tool::default();
    for (span, line) in statements(file, text) {
        let value = line.strip_prefix("alias ").map(str::trim);
        let is_rule = value.is_some_and(|value| property(&mut tool, "alias", value).is_ok());
        if !is_rule {
            out.push(Diagnostic::error("tool-rule", "this is not a rule").label(span, "expected `alias TEXT = TEXT`"));
        }
    }
    tool.rules
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn commands() {
        let of = |text| words(text).map(|words| words.join("|"));
        assert_eq!(of(" a  b 'c d'e ''f").as_deref(), Some("a|b|c de|f"));
        assert_eq!(of("a 'b"), None);
    }
}
