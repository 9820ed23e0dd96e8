//! Modes: processors that read the same bytes in several ways, each with decoder namespaces of its own.
//!
//! The problem: the records of an ARM processor have A32 and Thumb side by side, and which of them are tried, in which order,
//! and how an instruction that both have lies in the word, is C++ that asks for a feature. The method: a statement per mode
//! with the features that choose it, its namespaces in order, and for each how its bits become a word. An
//! instruction is in every mode that names its namespace.

use isaglot_bits::Pattern;
use isaglot_source::Span;

use crate::limits::MAX_INST_BITS;
use crate::table::OperandTable;
use crate::table::read::{feature, length, pattern};
use crate::table::tokens::{Line, Result, Token, Tokens};

/// Features, and whether each must be on.
pub type FeatureList = Vec<(String, bool)>;

/// A mode of the processor.
#[derive(Clone, Debug)]
pub struct Mode {
    /// Its name, for messages.
    pub name: String,
    /// When it applies.
    pub features: FeatureList,
    /// Which bits of the instruction the word in memory consists of, as (high, low), the least significant first; empty for all.
    pub layout: Vec<(u32, u32)>,
    /// The namespaces in the order in which they are tried.
    pub namespaces: Vec<ModeNamespace>,
    /// Where it is said.
    pub span: Span,
}

/// A decoder namespace of a mode.
#[derive(Clone, Debug)]
pub struct ModeNamespace {
    /// Its name; empty for instructions without one.
    pub name: String,
    /// The instruction, the most significant bits first; empty for `Inst` as it is.
    pub word: Vec<WordPart>,
    /// Bits that its words begin with, the most significant first.
    pub begins: Option<Pattern>,
    /// When it is tried.
    pub features: FeatureList,
}

/// Bits of an instruction of a mode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WordPart {
    /// Bits of `Inst`, as (high, low).
    Inst(u32, u32),
    /// These, as (width, value).
    Fixed(u32, u64),
}

/// `if FEATURE` and `unless FEATURE`, any number of them, up to the end of the line.
fn features(t: &mut Tokens<'_>) -> Result<FeatureList> {
    let mut list = Vec::new();
    while !t.done() {
        let on = t.keyword("if");
        if !on && !t.keyword("unless") {
            return Err(t.wanted("`if` or `unless`"));
        }
        list.push((feature(t)?, on));
    }
    Ok(list)
}

/// `mode NAME [if FEATURE | unless FEATURE]…` with its lines.
pub(super) fn mode(t: &mut Tokens<'_>, body: &[Line<'_>], table: &mut OperandTable) -> Result<()> {
    let name = t.word("the name of a mode")?;
    let features = features(t)?;
    let mut mode = Mode { name, features, layout: Vec::new(), namespaces: Vec::new(), span: t.whole() };
    for line in body {
        let mut t = Tokens::new(*line)?;
        match t.word("`layout`, `length`, `namespaces` or `namespace`")?.as_str() {
            "layout" => mode.layout = t.bits()?,
            "length" => {
                let mut line = length(&mut t)?;
                line.features.extend(mode.features.iter().cloned());
                table.lengths.push(line);
            }
            "namespaces" => {
                while !t.done() {
                    let name = namespace_name(&mut t)?;
                    let (word, features) = (Vec::new(), Vec::new());
                    mode.namespaces.push(ModeNamespace { name, word, begins: None, features });
                }
            }
            "namespace" => mode.namespaces.push(namespace(&mut t)?),
            _ => {
                t.at = 0;
                return Err(t.wanted("`layout`, `length`, `namespaces` or `namespace`"));
            }
        }
        t.end()?;
    }
    table.modes.push(mode);
    Ok(())
}

fn namespace_name(t: &mut Tokens<'_>) -> Result<String> {
    const WHAT: &str = "the name of a decoder namespace";
    if matches!(t.peek(), Some(Token::Text(_))) { t.text(WHAT) } else { t.word(WHAT) }
}

/// `NAME [= [HIGH:LOW] | 0b… …] [where 0b…] [if FEATURE | unless FEATURE]…`
fn namespace(t: &mut Tokens<'_>) -> Result<ModeNamespace> {
    let name = namespace_name(t)?;
    let mut word = Vec::new();
    if t.mark('=') {
        while !t.done() && !matches!(t.peek(), Some(Token::Word(word)) if !word.starts_with("0b")) {
            if t.peek() == Some(&Token::Mark('[')) {
                word.extend(t.bits()?.into_iter().map(|(high, low)| WordPart::Inst(high, low)));
                continue;
            }
            let bits = t.word("bits as `0b…` or `[HIGH:LOW]`")?;
            let digits = bits.strip_prefix("0b").unwrap_or_default();
            match (u32::try_from(digits.len()), u64::from_str_radix(digits, 2)) {
                (Ok(width), Ok(value)) => word.push(WordPart::Fixed(width, value)),
                _ => {
                    t.at -= 1;
                    return Err(t.wanted("bits as `0b…` or `[HIGH:LOW]`"));
                }
            }
        }
    }
    let mut begins = None;
    if t.keyword("where") {
        let bits = t.word("bits as `0b…` with `x`")?;
        begins = bits.strip_prefix("0b").filter(|bits| bits.len() <= MAX_INST_BITS as usize).and_then(pattern);
        if begins.is_none() {
            t.at -= 1;
            return Err(t.wanted("bits as `0b…` with `x`"));
        }
    }
    Ok(ModeNamespace { name, word, begins, features: features(t)? })
}
