//! The table of operands: what the published formats do not say of fields and texts (`specs/riscv/formats.operands`, whose head
//! is the reference of its language).
//!
//! A statement is a line. It is read into plain data with the place of each part that can be wrong later; what applies
//! to an instruction is asked by name, the first statement that fits counts.

use isaglot_isaspec::Text;
use isaglot_isaspec::syntax::SemanticsDecl;
use isaglot_source::{Diagnostic, Diagnostics, FileId, Span, closest};

use super::meaning;
use super::names::{Names, names};

/// A table of operands.
#[derive(Clone, Debug, Default)]
pub struct Operands {
    /// What stands between operands.
    pub(super) separator: String,
    /// The bitset of each width.
    pub(super) words: Vec<(u32, String)>,
    pub(super) arguments: Vec<Argument>,
    pub(super) fields: Vec<FieldRule>,
    pub(super) derived: Vec<DerivedRule>,
    /// Operands by default, in order.
    pub(super) order: Vec<String>,
    /// Operands in place of what a format says, and where it says nothing.
    pub(super) texts: Vec<Said>,
    pub(super) usual: Vec<Said>,
    pub(super) names: Vec<Said>,
    pub(super) special: Vec<Names>,
    pub(super) aliases: Vec<Alias>,
    /// Texts of some words, aliases or not.
    pub(super) forms: Vec<Alias>,
    pub(super) implied: Vec<Implied>,
    pub(super) flows: Vec<(Names, Text, Option<Text>)>,
    /// What instructions do to memory, and to how many bytes of it.
    pub(super) memory: Vec<(Names, String, Option<i64>)>,
    /// What instructions do.
    pub(super) semantics: Vec<(Names, SemanticsDecl)>,
    /// The same for people, after the text.
    pub(super) means: Vec<Said>,
    pub(super) again: Vec<Again>,
}

/// `again NAME WIDTH in NAMES : FEATURE=FEATURE …`
#[derive(Clone, Debug)]
pub(super) struct Again {
    pub(super) name: String,
    width: Option<u32>,
    within: Names,
    /// Extensions, and what the copy has in their place.
    pub(super) instead: Vec<(String, String)>,
}

/// `argument NAME = FIELD[bits] in NAMES`
#[derive(Clone, Debug)]
pub(super) struct Argument {
    pub(super) name: String,
    pub(super) field: String,
    /// For each bit, most significant first, its place in the field's value; `None` where it is all of it.
    pub(super) places: Option<Vec<u32>>,
    pub(super) within: Names,
}

/// `field NAMES WIDTH in NAMES : TYPE WORDS`
#[derive(Clone, Debug, Default)]
pub(super) struct FieldRule {
    names: Vec<String>,
    widths: Vec<u32>,
    within: Names,
    pub(super) ty: Text,
    pub(super) access: Option<Text>,
    pub(super) label: bool,
    pub(super) suffix: bool,
    pub(super) optional: bool,
    pub(super) omit: Option<u64>,
    pub(super) hide: bool,
    pub(super) drop: u32,
    pub(super) append: u32,
    pub(super) pair: bool,
    /// Its values are multiples of this power of two.
    pub(super) multiple: u32,
    /// Values that it cannot have.
    pub(super) not: Vec<u64>,
    /// Only where registers have this width.
    pub(super) xlen: Option<u32>,
    pub(super) prefix: String,
    /// How many registers from the one that it names on, if that is not one.
    pub(super) registers: Option<u32>,
    /// It keeps a part of its value where this is not 0.
    pub(super) keeps: Option<Text>,
}

/// `derived NAME in NAMES : TYPE WIDTH = EXPRESSION`
#[derive(Clone, Debug)]
pub(super) struct DerivedRule {
    pub(super) name: String,
    pub(super) within: Names,
    pub(super) ty: Text,
    pub(super) width: u32,
    pub(super) expr: Text,
}

/// `text NAMES : TEXT` and the like.
#[derive(Clone, Debug)]
pub(super) struct Said {
    pub(super) within: Names,
    pub(super) text: Text,
}

/// `implied NAMES if EXPRESSION : FILE REGISTER ACCESS MASK`
#[derive(Clone, Debug)]
pub(super) struct Implied {
    pub(super) within: Names,
    pub(super) when: Option<Text>,
    pub(super) registers: Text,
    pub(super) register: Text,
    pub(super) access: Text,
    pub(super) mask: Option<Text>,
}

/// `alias NAMES if EXPRESSION : TEXT`, and `form`
#[derive(Clone, Debug)]
pub(super) struct Alias {
    pub(super) within: Names,
    pub(super) guard: Option<Text>,
    pub(super) text: Text,
}

impl Operands {
    /// Whether a field of an instruction depends on the width of registers.
    pub(super) fn by_width(&self, instruction: &str) -> bool {
        self.fields.iter().any(|r| r.xlen.is_some() && r.within.has(instruction))
    }

    /// What a field of that name and width is in an instruction; `xlen` is the width of registers where that matters.
    pub(super) fn field(&self, instruction: &str, name: &str, width: u32, xlen: Option<i64>) -> Option<&FieldRule> {
        let fits = |r: &&FieldRule| {
            r.names.iter().any(|n| n == name)
                && (r.widths.is_empty() || r.widths.contains(&width))
                && r.xlen.is_none_or(|only| xlen == Some(i64::from(only)))
                && r.within.has(instruction)
        };
        self.fields.iter().find(fits)
    }

    /// What an argument of that name is in an instruction.
    pub(super) fn argument(&self, instruction: &str, name: &str) -> Option<&Argument> {
        self.arguments.iter().find(|a| a.name == name && a.within.has(instruction))
    }

    /// The copy that there is of an instruction where registers are this wide.
    pub(super) fn again(&self, instruction: &str, width: u32) -> Option<&Again> {
        let fits = |a: &&Again| a.width.is_none_or(|w| w == width) && a.within.has(instruction);
        self.again.iter().find(fits)
    }
}

/// The first of the statements that applies.
pub(super) fn said<'a>(list: &'a [Said], instruction: &str) -> Option<&'a Text> {
    list.iter().find(|s| s.within.has(instruction)).map(|s| &s.text)
}

/// Reads a table for one style of texts; what is wrong is reported and left out.
pub fn read(file: FileId, text: &str, style: &str, out: &mut Diagnostics) -> Operands {
    let mut table = Operands::default();
    let (mut at, mut applies) = (0, true);
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let line = match line.trim_start().starts_with('#') {
            true => "",
            false => line.split(" # ").next().unwrap_or(line),
        };
        let line = line.trim_end();
        if line.trim().is_empty() {
            continue;
        }
        let line = Text::verbatim(line, Span::new(file, start, start + line.len())).trimmed();
        if let Some(name) = line.value.strip_prefix("style ") {
            applies = matches!(name.trim(), n if n == "all" || n == style);
        } else if applies && let Err((why, place)) = statement(&mut table, &line, out) {
            out.push(Diagnostic::error("riscv-operands", "malformed statement about operands").label(place, why));
        }
    }
    table
}

/// What was expected, and where.
type Wrong = (String, Span);

const STATEMENTS: &[&str] = &[
    "separator",
    "words",
    "argument",
    "field",
    "derived",
    "order",
    "text",
    "usual",
    "name",
    "special",
    "alias",
    "form",
    "implied",
    "flow",
    "memory",
    "semantics",
    "means",
    "again",
    "style",
];

fn statement(table: &mut Operands, line: &Text, out: &mut Diagnostics) -> Result<(), Wrong> {
    let (word, rest) = first(line);
    let wrong = |why: &str| (why.to_owned(), rest.span());
    match word.value.as_str() {
        "separator" => table.separator = rest.value.replace('_', " "),
        "words" => {
            let (width, bitset) = split(&rest, " = ").ok_or_else(|| wrong("expected `WIDTH = BITSET`"))?;
            table.words.push((number(&width)?, bitset.value));
        }
        "argument" => table.arguments.push(argument(&rest)?),
        "field" => table.fields.push(field(&rest)?),
        "derived" => table.derived.push(derived(&rest)?),
        "order" => table.order = rest.value.split_whitespace().map(str::to_owned).collect(),
        "text" => table.texts.push(saying(&rest)?),
        "usual" => table.usual.push(saying(&rest)?),
        "name" => table.names.push(saying(&rest)?),
        "special" => table.special.push(names(&rest)),
        "alias" | "form" => {
            let Said { text, .. } = saying(&rest)?;
            let head = split_colon(&rest).map_or_else(Text::default, |(head, _)| head);
            let (within, guard) = match split(&head, " if ") {
                Some((within, guard)) => (within, Some(guard)),
                None => (head, None),
            };
            let list = if word.value == "alias" { &mut table.aliases } else { &mut table.forms };
            list.push(Alias { within: names(&within), guard, text });
        }
        "implied" => {
            let (head, what) = split_colon(&rest).ok_or_else(|| wrong("expected `NAMES : FILE REGISTER ACCESS`"))?;
            let (within, when) = match split(&head, " if ") {
                Some((within, when)) => (names(&within), Some(when)),
                None => (names(&head), None),
            };
            let (registers, what) = first(&what);
            let (register, what) = first(&what);
            let (access, mask) = first(&what);
            if access.value.is_empty() {
                return Err(wrong("expected a file, a register and an access"));
            }
            let mask = (!mask.value.is_empty()).then_some(mask);
            table.implied.push(Implied { within, when, registers, register, access, mask });
        }
        "flow" => {
            let (within, what) = split_colon(&rest).ok_or_else(|| wrong("expected `NAMES : TO FIELD`"))?;
            let (to, target) = first(&what);
            table.flows.push((names(&within), to, (!target.value.is_empty()).then_some(target)));
        }
        "memory" => {
            let (within, what) = split_colon(&rest).ok_or_else(|| wrong("expected `NAMES : ACCESS BYTES`"))?;
            let (access, bytes) = first(&what);
            let bytes = if bytes.value.is_empty() { None } else { Some(i64::from(number(&bytes)?)) };
            table.memory.push((names(&within), access.value, bytes));
        }
        "semantics" => {
            let Said { within, text } = saying(&rest)?;
            let place = text.span();
            // A row with bits of the word is parsed with them, for each instruction.
            let mut parse = || isaglot_semantics::parse(place.file, place.start as usize, &text.value, out);
            let tree = if meaning::is_pattern(&text.value) { None } else { parse() };
            table.semantics.push((within, SemanticsDecl { span: place, text, tree }));
        }
        "means" => table.means.push(saying(&rest)?),
        "again" => table.again.push(again(&rest)?),
        other => {
            let known = closest(other, STATEMENTS.iter().copied());
            let hint = known.map_or(String::new(), |k| format!("; did you mean `{k}`?"));
            return Err((format!("expected one of {}{hint}", STATEMENTS.join(", ")), word.span()));
        }
    }
    Ok(())
}

fn argument(rest: &Text) -> Result<Argument, Wrong> {
    let wrong = || ("expected `NAME = FIELD`".to_owned(), rest.span());
    let (name, what) = split(rest, " = ").ok_or_else(wrong)?;
    let (field, within) = split(&what, " in ").unwrap_or((what, Text::default()));
    let (field, places) = match field.value.strip_suffix(']').and_then(|f| f.split_once('[')) {
        Some((name, bits)) => {
            (name.to_owned(), Some(places(bits).ok_or_else(|| ("expected bits".to_owned(), field.span()))?))
        }
        None => (field.value.clone(), None),
    };
    Ok(Argument { name: name.value, field, places, within: names(&within) })
}

/// `7:6 2` are 7, 6 and 2.
fn places(text: &str) -> Option<Vec<u32>> {
    let mut list = Vec::new();
    for piece in text.split_whitespace() {
        let (high, low) = piece.split_once(':').unwrap_or((piece, piece));
        let (high, low) = (high.parse::<u32>().ok()?, low.parse::<u32>().ok()?);
        if low > high || high >= 64 {
            return None;
        }
        list.extend((low..=high).rev());
    }
    Some(list)
}

fn field(rest: &Text) -> Result<FieldRule, Wrong> {
    let (head, what) = split_colon(rest).ok_or_else(|| ("expected `NAMES : TYPE`".to_owned(), rest.span()))?;
    let (head, within) = split(&head, " in ").unwrap_or((head, Text::default()));
    let mut rule = FieldRule { within: names(&within), ..FieldRule::default() };
    for word in words(&head) {
        match word.value.parse() {
            Ok(width) => rule.widths.push(width),
            Err(_) => rule.names.push(word.value),
        }
    }
    let mut list = words(&what).into_iter();
    rule.ty = list.next().ok_or_else(|| ("expected a type".to_owned(), rest.span()))?;
    while let Some(word) = list.next() {
        let mut next = || list.next().ok_or_else(|| ("expected a value after it".to_owned(), word.span()));
        match word.value.as_str() {
            "read" | "write" | "readwrite" => rule.access = Some(word),
            "label" => rule.label = true,
            "suffix" => rule.suffix = true,
            "optional" => rule.optional = true,
            "omit" => rule.omit = Some(u64::from(number(&next()?)?)),
            "hide" => (rule.omit, rule.hide) = (Some(u64::from(number(&next()?)?)), true),
            "drop" => rule.drop = number(&next()?)?,
            "append" => rule.append = number(&next()?)?.min(64),
            "pair" => (rule.pair, rule.multiple, rule.registers) = (true, 2, Some(2)),
            "registers" => rule.registers = Some(number(&next()?)?),
            "keeps" => rule.keeps = Some(next()?),
            "multiple" => {
                let value = next()?;
                rule.multiple = number(&value)?;
                rule.registers = Some(rule.multiple);
                if !rule.multiple.is_power_of_two() {
                    return Err(("expected a power of two".to_owned(), value.span()));
                }
            }
            "not" => rule.not.push(u64::from(number(&next()?)?)),
            "rv32" => rule.xlen = Some(32),
            "rv64" => rule.xlen = Some(64),
            "prefix" => rule.prefix = next()?.value,
            _ => return Err(("not a word of `field`".to_owned(), word.span())),
        }
    }
    Ok(rule)
}

fn again(rest: &Text) -> Result<Again, Wrong> {
    let wrong = || ("expected `NAME WIDTH in NAMES : FEATURE=FEATURE`".to_owned(), rest.span());
    let (head, what) = split_colon(rest).ok_or_else(wrong)?;
    let (head, within) = split(&head, " in ").ok_or_else(wrong)?;
    let (name, width) = first(&head);
    let width = if width.value.is_empty() { None } else { Some(number(&width)?) };
    let pair = |word: Text| {
        let pair = word.value.split_once('=').map(|(from, to)| (from.to_owned(), to.to_owned()));
        pair.ok_or_else(|| ("expected `FEATURE=FEATURE`".to_owned(), word.span()))
    };
    let instead = words(&what).into_iter().map(pair).collect::<Result<_, _>>()?;
    Ok(Again { name: name.value, width, within: names(&within), instead })
}

fn derived(rest: &Text) -> Result<DerivedRule, Wrong> {
    let wrong = || ("expected `NAME : TYPE WIDTH = EXPRESSION`".to_owned(), rest.span());
    let (head, what) = split_colon(rest).ok_or_else(wrong)?;
    let (name, within) = split(&head, " in ").unwrap_or((head, Text::default()));
    let (ty, expr) = split(&what, " = ").ok_or_else(wrong)?;
    let (ty, width) = first(&ty);
    Ok(DerivedRule { name: name.value, within: names(&within), ty, width: number(&width)?, expr })
}

fn saying(rest: &Text) -> Result<Said, Wrong> {
    let (within, text) = split_colon(rest).ok_or_else(|| ("expected `NAMES : TEXT`".to_owned(), rest.span()))?;
    Ok(Said { within: names(&within), text })
}

fn number(text: &Text) -> Result<u32, Wrong> {
    text.value.trim().parse().map_err(|_| ("expected a number".to_owned(), text.span()))
}

/// The first word and the rest.
fn first(text: &Text) -> (Text, Text) {
    let end = text.value.find(char::is_whitespace).unwrap_or(text.value.len());
    (text.slice(0..end), text.slice(end..text.value.len()).trimmed())
}

fn words(text: &Text) -> Vec<Text> {
    let mut list = Vec::new();
    let mut rest = text.trimmed();
    while !rest.value.is_empty() {
        let (word, next) = first(&rest);
        list.push(word);
        rest = next;
    }
    list
}

/// What stands before and after a mark.
fn split(text: &Text, mark: &str) -> Option<(Text, Text)> {
    let at = text.value.find(mark)?;
    let after = text.slice(at + mark.len()..text.value.len()).trimmed();
    Some((text.slice(0..at).trimmed(), after))
}

/// At the colon between what a statement is about and what it says: the first that has a blank before it.
fn split_colon(text: &Text) -> Option<(Text, Text)> {
    let at =
        text.value.find(" :").filter(|&at| text.value.get(at + 2..).is_none_or(|r| r.is_empty() || r.starts_with(' ')));
    at.and_then(|_| split(text, " :"))
}
