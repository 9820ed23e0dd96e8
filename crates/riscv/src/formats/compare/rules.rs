//! `specs/riscv/formats.rules`: how names are compared, as data.

use isaglot_bits::Pattern;
use isaglot_source::{Diagnostic, Diagnostics, FileId, Glob, statements};

/// The rules that the project ships.
pub const SHIPPED: &str = isaglot_specs::RISCV_RULES;

/// What the file says.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    /// Fields whose value is part of the name.
    pub splits: Vec<Split>,
    /// The field that counts the fields of a segment.
    pub segments: Vec<String>,
    /// Names that are compared as others.
    pub names: Vec<(Glob, Glob)>,
    /// What classes are called.
    pub classes: Vec<Class>,
    /// What UDB calls an extension.
    pub extensions: Vec<(String, String)>,
    /// Extensions that are not together in any implementation.
    pub exclusive: Vec<[Vec<String>; 2]>,
    /// A feature of the shipped description, and the extensions of tables that a machine with it has.
    pub machines: Vec<(String, Vec<String>)>,
    /// The major opcodes: their words and names.
    pub opcodes: Vec<(Pattern, String)>,
}

/// Fields whose value is part of the name.
#[derive(Clone, Debug)]
pub struct Split {
    /// The fields, most significant first.
    pub fields: Vec<String>,
    /// What the name gets for each value.
    pub suffixes: Vec<String>,
}

/// What a class of differences is called.
#[derive(Clone, Debug)]
pub struct Class {
    /// The names of its instructions.
    pub names: Glob,
    /// What tells its words.
    pub key: Glob,
    /// One line.
    pub text: String,
}

impl Rules {
    /// The rules that the project ships.
    pub fn shipped() -> Rules {
        read(FileId(u32::MAX), SHIPPED, &mut Diagnostics::new())
    }

    /// The name that an instruction is compared by.
    pub fn name(&self, name: &str) -> String {
        // The shipped names and those of LLVM's records differ from others in this alone.
        let mut name = name.to_ascii_lowercase().replace('_', ".");
        for (from, to) in &self.names {
            if let Some(middle) = from.matched(&name) {
                name = to.filled(middle);
            }
        }
        name
    }
}

/// Reads rules.
pub fn read(file: FileId, text: &str, out: &mut Diagnostics) -> Rules {
    let mut rules = Rules::default();
    for (span, line) in statements(file, text) {
        if !rule(&mut rules, line) {
            let d = Diagnostic::error("formats-rules", "not a rule").label(span, "");
            out.push(
                d.note("expected `split`, `segments`, `name`, `class`, `extension`, `exclusive`, `machine` or `opcode`, as the file says at its top"),
            );
        }
    }
    rules
}

fn rule(rules: &mut Rules, line: &str) -> bool {
    let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let (left, right) = rest.split_once(" -> ").map_or((rest.trim(), ""), |(l, r)| (l.trim(), r.trim()));
    match word {
        "segments" => rules.segments.extend(words(left)),
        "split" => {
            let suffixes = words(right).into_iter().map(|s| if s == "-" { String::new() } else { s });
            rules.splits.push(Split { fields: words(left), suffixes: suffixes.collect() });
        }
        "name" if !right.is_empty() => rules.names.push((Glob::new(left), Glob::new(right))),
        "extension" if !right.is_empty() => rules.extensions.push((left.to_owned(), right.to_owned())),
        "class" => match left.split_once(' ') {
            Some((names, key)) if !right.is_empty() => {
                let text = right.to_owned();
                rules.classes.push(Class { names: Glob::new(names), key: Glob::new(key.trim()), text });
            }
            _ => return false,
        },
        "machine" if !right.is_empty() => rules.machines.push((left.to_owned(), words(right))),
        "opcode" if !right.is_empty() => match Pattern::parse(left) {
            Ok(pattern) => rules.opcodes.push((pattern, right.to_owned())),
            Err(_) => return false,
        },
        "exclusive" => match rest.split_once('|') {
            Some((a, b)) => rules.exclusive.push([words(a), words(b)]),
            None => return false,
        },
        _ => return false,
    }
    true
}
