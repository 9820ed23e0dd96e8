//! The grammar as text: one line per fact, sorted, to be read and compared by people.
//!
//! ```text
//! grammar 1.6.7
//! vendor 14 "Google spiregg"
//! mask ImageOperands "image"
//!   1 Bias : IdRef ; cap=Shader since=0
//! values FPEncoding "FP encoding"
//! op 61 OpLoad Memory : IdResultType IdResult IdRef"Pointer" MemoryAccess? ; since=0
//! set exact "GLSL.std.450"
//!   1 Round : IdRef"x"
//! ```
//!
//! Operands stand after ` : `, attributes after ` ; `; `since=N` and `last=N` are core versions 1.N. Reading is total:
//! a wrong line is an error with its number. Shared with the build script, hence nothing but `std`.

use super::model::{
    Availability, EnumKind, Enumerant, GrammarOperand, Instruction, Match, Model, Op, Quantifier, Set, Vendor,
};

fn quote(out: &mut String, s: &str) {
    out.push('"');
    for c in s.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            c => out.push(c),
        }
    }
    out.push('"');
}

fn operands(out: &mut String, list: &[GrammarOperand]) {
    if list.is_empty() {
        return;
    }
    out.push_str(" :");
    for o in list {
        out.push(' ');
        out.push_str(&o.kind);
        match o.quantifier {
            Quantifier::One => {}
            Quantifier::Optional => out.push('?'),
            Quantifier::Repeat => out.push('*'),
        }
        if !o.name.is_empty() {
            quote(out, &o.name);
        }
    }
}

fn availability(out: &mut String, when: &Availability) {
    let mut parts = Vec::new();
    let mut list = |key: &str, names: &[String]| {
        if !names.is_empty() {
            parts.push(format!("{key}={}", names.join(",")));
        }
    };
    list("alias", &when.aliases);
    list("cap", &when.capabilities);
    list("ext", &when.extensions);
    if let Some(n) = when.since {
        parts.push(format!("since={n}"));
    }
    if let Some(n) = when.last {
        parts.push(format!("last={n}"));
    }
    if when.provisional {
        parts.push("provisional".to_owned());
    }
    if !parts.is_empty() {
        out.push_str(" ; ");
        out.push_str(&parts.join(" "));
    }
}

/// The table of a grammar.
pub fn write(model: &Model) -> String {
    let mut out = String::new();
    out.push_str("# SPIR-V grammar of Isaglot, made by `cargo xtask import-spirv` from the Khronos grammar files; do not edit.\n");
    out.push_str(
        "# The facts in it are from files that carry: Copyright The Khronos Group Inc., Arm Limited; MIT licence.\n",
    );
    out.push_str(&format!("grammar {}\n", model.revision));
    for v in &model.vendors {
        out.push_str(&format!("vendor {} ", v.number));
        quote(&mut out, &v.text);
        out.push('\n');
    }
    for k in &model.kinds {
        out.push_str(if k.mask { "mask " } else { "values " });
        out.push_str(&k.name);
        out.push(' ');
        quote(&mut out, &k.phrase);
        out.push('\n');
        for e in &k.enumerants {
            out.push_str(&format!("  {} {}", e.value, e.name));
            operands(&mut out, &e.parameters);
            availability(&mut out, &e.when);
            out.push('\n');
        }
    }
    for op in &model.ops {
        out.push_str(&format!("op {} {} {}", op.opcode, op.name, op.class));
        operands(&mut out, &op.operands);
        availability(&mut out, &op.when);
        out.push('\n');
    }
    for set in &model.sets {
        let rule = match set.rule {
            Match::Exact => "exact",
            Match::Prefix => "prefix",
            Match::Off => "off",
        };
        out.push_str(&format!("set {rule}{} ", if set.open { " open" } else { "" }));
        quote(&mut out, &set.name);
        out.push('\n');
        for i in &set.instructions {
            out.push_str(&format!("  {} {}", i.number, i.name));
            operands(&mut out, &i.operands);
            availability(&mut out, &i.when);
            out.push('\n');
        }
    }
    out
}

/// A line split into words; a word may end in a quoted part.
struct Words<'a> {
    rest: &'a str,
}

impl<'a> Words<'a> {
    /// The next word without its quoted part, and that part.
    fn next(&mut self) -> Option<(&'a str, Option<String>)> {
        let s = self.rest.trim_start();
        if s.is_empty() {
            self.rest = s;
            return None;
        }
        let end = s.find([' ', '"']).unwrap_or(s.len());
        let (word, rest) = s.split_at(end);
        self.rest = rest;
        let Some(quoted) = rest.strip_prefix('"') else { return Some((word, None)) };
        let mut text = String::new();
        let mut chars = quoted.char_indices();
        while let Some((i, c)) = chars.next() {
            match c {
                '"' => {
                    self.rest = quoted.get(i + 1..).unwrap_or("");
                    return Some((word, Some(text)));
                }
                '\\' => match chars.next() {
                    Some((_, 'n')) => text.push('\n'),
                    Some((_, c)) => text.push(c),
                    None => break,
                },
                c => text.push(c),
            }
        }
        self.rest = "";
        Some((word, Some(text)))
    }

    fn word(&mut self, what: &str) -> Result<&'a str, String> {
        match self.next() {
            Some((w, None)) => Ok(w),
            _ => Err(format!("expected {what}")),
        }
    }

    fn text(&mut self, what: &str) -> Result<String, String> {
        match self.next() {
            Some(("", Some(t))) => Ok(t),
            _ => Err(format!("expected {what} in quotes")),
        }
    }

    fn number<T: std::str::FromStr>(&mut self, what: &str) -> Result<T, String> {
        self.word(what)?.parse().map_err(|_| format!("expected {what}, a number"))
    }

    /// Operands and attributes up to the end of the line.
    fn tail(&mut self) -> Result<(Vec<GrammarOperand>, Availability), String> {
        let mut list = Vec::new();
        let mut when = Availability::default();
        let mut in_operands = false;
        let mut in_attributes = false;
        while let Some((word, quoted)) = self.next() {
            if quoted.is_none() && word == ":" && !in_attributes {
                in_operands = true;
            } else if quoted.is_none() && word == ";" {
                in_attributes = true;
            } else if in_attributes {
                attribute(&mut when, word)?;
            } else if in_operands {
                let (kind, quantifier) = match (word.strip_suffix('?'), word.strip_suffix('*')) {
                    (Some(k), _) => (k, Quantifier::Optional),
                    (_, Some(k)) => (k, Quantifier::Repeat),
                    _ => (word, Quantifier::One),
                };
                list.push(GrammarOperand { kind: kind.to_owned(), quantifier, name: quoted.unwrap_or_default() });
            } else {
                return Err(format!("unexpected `{word}`"));
            }
        }
        Ok((list, when))
    }
}

fn attribute(when: &mut Availability, word: &str) -> Result<(), String> {
    let (key, value) = word.split_once('=').unwrap_or((word, ""));
    let names = || value.split(',').map(str::to_owned).collect();
    let version = || value.parse().map_err(|_| format!("`{key}` needs a version number"));
    match key {
        "alias" => when.aliases = names(),
        "cap" => when.capabilities = names(),
        "ext" => when.extensions = names(),
        "since" => when.since = Some(version()?),
        "last" => when.last = Some(version()?),
        "provisional" => when.provisional = true,
        _ => return Err(format!("unknown attribute `{key}`")),
    }
    Ok(())
}

fn line(model: &mut Model, in_set: &mut bool, text: &str) -> Result<(), String> {
    let mut words = Words { rest: text };
    if text.starts_with(' ') {
        let number = words.number("a value")?;
        let name = words.word("a name")?.to_owned();
        let (list, when) = words.tail()?;
        if *in_set {
            let set = model.sets.last_mut().ok_or("no set is open")?;
            set.instructions.push(Instruction { number, name, operands: list, when });
        } else {
            let kind = model.kinds.last_mut().ok_or("no kind is open")?;
            kind.enumerants.push(Enumerant { value: number, name, parameters: list, when });
        }
        return Ok(());
    }
    match words.word("a keyword")? {
        "grammar" => model.revision = words.word("a version")?.to_owned(),
        "vendor" => {
            let number = words.number("a generator number")?;
            model.vendors.push(Vendor { number, text: words.text("a vendor")? });
        }
        keyword @ ("mask" | "values") => {
            let name = words.word("a kind")?.to_owned();
            let phrase = words.text("a phrase")?;
            model.kinds.push(EnumKind { name, mask: keyword == "mask", phrase, enumerants: Vec::new() });
            *in_set = false;
        }
        "op" => {
            let opcode = words.number("an opcode")?;
            let name = words.word("a name")?.to_owned();
            let class = words.word("a class")?.to_owned();
            let (operands, when) = words.tail()?;
            model.ops.push(Op { opcode, name, class, operands, when });
        }
        "set" => {
            let rule = match words.word("a rule")? {
                "exact" => Match::Exact,
                "prefix" => Match::Prefix,
                "off" => Match::Off,
                other => return Err(format!("unknown rule `{other}`")),
            };
            let (open, name) = match words.next() {
                Some(("open", None)) => (true, words.text("an import name")?),
                Some(("", Some(name))) => (false, name),
                _ => return Err("expected an import name in quotes".to_owned()),
            };
            model.sets.push(Set { name, rule, open, instructions: Vec::new() });
            *in_set = true;
        }
        other => return Err(format!("unknown keyword `{other}`")),
    }
    Ok(())
}

/// Reads a table; the error is a line number, from 1, and what is wrong there.
pub fn read(text: &str) -> Result<Model, (usize, String)> {
    let mut model = Model::default();
    let mut in_set = false;
    for (i, l) in text.lines().enumerate() {
        if l.is_empty() || l.starts_with('#') {
            continue;
        }
        line(&mut model, &mut in_set, l).map_err(|e| (i + 1, e))?;
    }
    Ok(model)
}
