//! Words that people look for, from what an instruction is called and does: who searches for "shift" finds `slli`.
//!
//! The problem: few descriptions have prose. The method: signs of the semantics and of the text, where control goes, and the stems that
//! assemblers share. A search ranks what it finds by these words last, so one too many does little harm.

use isaglot_model::{Encoding, Flow, Isa};

use crate::syntax;
use crate::view::views;

/// Words by the signs of semantics and texts that mean them.
const SIGNS: [(&str, &str); 13] = [
    ("<<", "shift left"),
    (">>", "shift right"),
    (">>>", "shift arithmetic"),
    (" + ", "add"),
    (" - ", "subtract"),
    (" * ", "multiply"),
    (" / ", "divide"),
    (" % ", "remainder"),
    (" & ", "and"),
    (" | ", "or"),
    (" ^ ", "xor"),
    ("load", "load memory"),
    ("store", "store memory"),
];

/// Words by the stems of mnemonics. A stem is a whole part of a name, or one with letters of a size or an immediate after it.
const STEMS: [(&[&str], &str); 16] = [
    (&["shl", "lsl", "sll", "sla", "ashl", "lshift"], "shift left"),
    (&["shr", "lsr", "srl", "sra", "asr", "ashr", "sar", "rshift"], "shift right"),
    (&["rol", "ror", "rotl", "rotr", "rotate"], "rotate shift"),
    (&["ld", "lb", "lh", "lw", "lr", "flw", "fld", "ldr", "ldg", "ldl", "ldx", "load"], "load memory"),
    (&["st", "sb", "sh", "sw", "sd", "sc", "fsw", "fsd", "str", "stg", "stl", "stx", "store"], "store memory"),
    (&["add", "fadd", "sub", "fsub"], "arithmetic"),
    (&["sub", "fsub"], "subtract"),
    (&["mul", "fmul", "mad", "fmadd", "madd"], "multiply"),
    (&["div", "fdiv"], "divide"),
    (&["rem", "mod"], "remainder"),
    (&["mov", "mv", "fmv", "cov"], "move copy"),
    (&["cmp", "cmps", "slt", "feq", "flt", "fle"], "compare"),
    (&["b", "br", "beq", "bne", "bge", "blt", "bgt", "ble", "branch"], "branch jump"),
    (&["j", "jmp", "jal", "jalr", "jump", "goto"], "jump branch"),
    (&["cvt", "fcvt"], "convert"),
    (&["amo", "atomic"], "atomic memory"),
];

/// Letters that stems have after them: sizes, signs, immediates.
const AFTER: &str = "bhwdqusifx0123456789";

/// The words of an encoding.
pub(crate) fn words(isa: &Isa, encoding: &Encoding) -> Vec<String> {
    let mut signs = encoding.semantics.as_ref().map_or_else(String::new, |semantics| semantics.text.clone());
    if let Some(view) = views(isa, encoding).first() {
        signs.push_str(&syntax::plain(isa, encoding, view));
    }
    let mut words: Vec<String> =
        SIGNS.iter().filter(|(sign, _)| signs.contains(sign)).map(|(_, word)| (*word).to_owned()).collect();
    let name = format!("{} {}", encoding.display_name, isa.text(encoding.name)).to_lowercase();
    let parts = || name.split(|c: char| !c.is_alphanumeric());
    // A letter alone is a mnemonic only where one begins.
    let first = parts().next().unwrap_or_default().to_owned();
    let is = |stem: &str| {
        if stem.len() == 1 {
            return first == stem;
        }
        parts().any(|part| part.strip_prefix(stem).is_some_and(|rest| rest.chars().all(|c| AFTER.contains(c))))
    };
    words.extend(STEMS.iter().filter(|(stems, _)| stems.iter().any(|s| is(s))).map(|(_, word)| (*word).to_owned()));
    words.extend(flow(encoding.flow).iter().map(|&word| word.to_owned()));
    words
}

fn flow(flow: Flow) -> &'static [&'static str] {
    match flow {
        Flow::Next => &[],
        Flow::Branch { .. } => &["branch", "jump"],
        Flow::Indirect { .. } => &["indirect", "jump"],
        Flow::Call { .. } => &["call"],
        Flow::Return => &["return"],
        Flow::Trap => &["trap"],
        Flow::End => &["end"],
    }
}
