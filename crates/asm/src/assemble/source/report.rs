//! Why a text is not an instruction, as a diagnostic at its place in the file.

use isaglot_invariant::Impossible as _;
use isaglot_source::{Diagnostic, FileId, Span, closest};

use crate::assemble::limits::{MAX_LINE, MAX_LINE_STEPS};
use crate::assemble::number::is_word;
use crate::assemble::symbol::symbol_length;
use crate::assemble::{Assembler, Failure};

/// The diagnostic for a failure of the instruction `text`, which is at `start` of the file. `symbols` are the names that exist.
pub(super) fn report<'s>(
    assembler: &Assembler<'_, '_>,
    failure: Failure,
    file: FileId,
    start: usize,
    text: &[u8],
    symbols: impl Iterator<Item = &'s [u8]>,
) -> Diagnostic {
    let whole = Span::new(file, start, start + text.len());
    let at = |from: usize, len: usize| {
        let from = from.min(text.len());
        Span::new(file, start + from, start + (from + len.max(1)).min(text.len()).max(from))
    };
    let length = text.iter().take_while(|&&byte| is_word(byte) || byte == b'.').count();
    let word = String::from_utf8_lossy(text.get(..length).or_impossible(&[])).into_owned();
    if let Some(lacking) = assembler.lacking(&word) {
        let (message, label) = match (lacking.needs(assembler.plan()), lacking.excluded_by(assembler.plan())) {
            (Some(needs), None) => (format!("`{word}` needs {needs}"), "not switched on".to_owned()),
            (Some(needs), Some(by)) => (format!("`{word}` needs {needs}"), format!("not together with {by}")),
            (None, _) => (format!("`{word}` is an instruction of other gens"), "not in this one".to_owned()),
        };
        return Diagnostic::error("asm-unknown-mnemonic", message).label(at(0, length), label);
    }
    match failure {
        Failure::Unknown { at: (from, len), nearest } => {
            let word = String::from_utf8_lossy(text.get(from..from + len).or_impossible(&[])).into_owned();
            let span = at(from, len);
            let d = Diagnostic::error("asm-unknown-mnemonic", format!("unknown instruction `{word}`"));
            match nearest {
                Some(nearest) => {
                    let d = d.label(span, format!("did you mean `{nearest}`?"));
                    d.fix("the nearest name", span, nearest)
                }
                None if assembler.mnemonics().is_empty() => {
                    d.label(span, "this gen, with these features, has no instructions at all")
                }
                None => d.label(span, format!("one of {} mnemonics was expected", assembler.mnemonics().len())),
            }
        }
        Failure::Expected { at: from, what } => {
            if let Some(d) = custom_name(assembler, text.get(from..).or_impossible(&[]), &what, |len| at(from, len)) {
                return d;
            }
            // A word where a symbol could stand, and no symbol has this name.
            let hash = usize::from(text.get(from) == Some(&b'#'));
            let name = text.get(from + hash..).or_impossible(&[]);
            let name = name.get(..symbol_length(name)).or_impossible(&[]);
            let takes_symbol = what.iter().any(|what| what.starts_with("a label") || what.starts_with("a number"));
            if takes_symbol && !name.is_empty() {
                let text = String::from_utf8_lossy(name).into_owned();
                let span = at(from + hash, name.len());
                let known: Vec<String> = symbols.map(|symbol| String::from_utf8_lossy(symbol).into_owned()).collect();
                let near = closest(&text, known.iter().map(String::as_str));
                let label = near.map_or_else(|| "not defined".to_owned(), |near| format!("did you mean `{near}`?"));
                let d = Diagnostic::error("asm-undefined", format!("no label or symbol is called `{text}`"));
                return d.label(span, label).note(format!("or {} was meant", join(&what)));
            }
            let message = "unexpected token";
            let d = Diagnostic::error("asm-syntax", message);
            d.label(at(from, 1), format!("{} was expected", join(&what)))
        }
        Failure::Value { at: (from, len), message } => {
            Diagnostic::error("asm-value", message).label(at(from, len), "this value")
        }
        Failure::Contradiction { prints, at: from } => {
            let d = Diagnostic::error("asm-no-encoding", "no word of the instruction set reads like this");
            match prints {
                Some(prints) => d.label(at(from, 1), "differs from here on").note(format!("the nearest is `{prints}`")),
                None => d.label(whole, "its parts do not go together"),
            }
        }
        Failure::Ambiguous { words } => {
            let mut d = Diagnostic::error("asm-ambiguous", "more than one encoding reads like this");
            d = d.label(whole, format!("{} words are possible", words.len()));
            for (word, name) in words {
                d = d.note(format!(
                    "{} is `{name}`: write `{{{name}}} {}`",
                    word.hex(),
                    String::from_utf8_lossy(text.trim_ascii())
                ));
            }
            d
        }
        Failure::Inexact { prints } => Diagnostic::error("asm-strict", "this is not how the disassembler prints it")
            .label(whole, format!("it prints `{prints}`")),
        Failure::TooLong => Diagnostic::error("asm-too-long", format!("an instruction has at most {MAX_LINE} bytes"))
            .label(at(0, 1), "this one has more"),
        Failure::TooHard => Diagnostic::error(
            "asm-too-hard",
            format!("gave up after {MAX_LINE_STEPS} steps: there are too many ways to read this"),
        )
        .label(whole, "this instruction"),
    }
}

/// The diagnostic for a misspelt name of a value, where one could stand: names begin with a sign, as in `@IB1_BASE`.
fn custom_name(
    assembler: &Assembler<'_, '_>,
    rest: &[u8],
    what: &[String],
    at: impl Fn(usize) -> Span,
) -> Option<Diagnostic> {
    let takes_name = what.iter().any(|what| what.starts_with("a name"));
    let length = rest.iter().take_while(|&&byte| is_word(byte) || matches!(byte, b'@' | b'$' | b'.')).count();
    if !takes_name || length < 2 || rest.first().is_none_or(|&byte| is_word(byte)) {
        return None;
    }
    let name = String::from_utf8_lossy(rest.get(..length)?).into_owned();
    let known: Vec<String> = assembler.names.all().map(|text| String::from_utf8_lossy(text).into_owned()).collect();
    let d = Diagnostic::error("asm-undefined", format!("no value is called `{name}`"));
    Some(match closest(&name, known.iter().map(String::as_str)) {
        Some(near) => {
            d.label(at(length), format!("did you mean `{near}`?")).fix("the nearest name", at(length), near.to_owned())
        }
        None if known.is_empty() => {
            d.label(at(length), "not defined").note("there is no table of names; a number says the same")
        }
        None => d.label(at(length), "not defined").note(format!("or {} was meant", join(what))),
    })
}

fn join(what: &[String]) -> String {
    match what {
        [] => "something else".to_owned(),
        [one] => one.clone(),
        [all @ .., last] => format!("{} or {last}", all.join(", ")),
    }
}
