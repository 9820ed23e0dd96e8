//! A syntax tree of isaspec's dialect as the XML that reads as that tree.
//!
//! This is how a description that ships with the project gets the instructions that a format has: the tree is written, and the file
//! is read as any other. What lowering makes is written, and what people write by hand in such files; texts of C packers,
//! tables and short forms are not part of either and are left out.

use std::fmt::Write as _;

use isaglot_isaspec::Text;
use isaglot_isaspec::syntax::{
    Bitset, CaseDecl, DerivedDecl, EnumDecl, ExceptDecl, ExprDecl, ExprRef, FeatureDecl, FieldDecl, File, Format,
    GenLimit, PatternDecl, PieceDecl, RegisterDecl, Registers, Requirement, Role,
};

/// Writes a tree. `about` is a comment at the top.
pub fn write(file: &File, about: &str) -> String {
    let mut out = Writer { text: "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".to_owned() };
    if !about.is_empty() {
        let _ = write!(out.text, "<!--\n{}\n-->\n", about.replace("--", "- -"));
    }
    let name = file.name.as_ref().map_or_else(String::new, |name| format!(" name=\"{}\"", escaped(&name.value)));
    let _ = writeln!(out.text, "<isa dialect=\"isaglot\"{name}>\n");
    file.imports.iter().for_each(|i| out.line(0, &format!("<import file=\"{}\"/>", escaped(&i.file.value))));
    file.formats.iter().for_each(|f| out.format(f));
    for gen_name in &file.gen_names {
        let (name, value) = (escaped(&gen_name.name.value), gen_name.value.value);
        out.line(0, &format!("<gen-name name=\"{name}\" value=\"{value}\"/>"));
    }
    file.features.iter().for_each(|f| out.feature(f));
    file.registers.iter().for_each(|r| out.registers(r));
    file.enums.iter().for_each(|e| out.enumeration(e));
    file.exprs.iter().for_each(|e| out.expression(0, e));
    file.bitsets.iter().for_each(|b| out.bitset(b));
    out.text + "\n</isa>\n"
}

struct Writer {
    text: String,
}

/// ` name="value"`, or nothing.
fn attribute(name: &str, value: Option<&Text>) -> String {
    value.map_or_else(String::new, |v| format!(" {name}=\"{}\"", escaped(&v.value)))
}

fn number(name: &str, value: Option<i64>) -> String {
    value.map_or_else(String::new, |v| format!(" {name}=\"{v}\""))
}

/// A text between tags or quotes.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// `low="0" high="6"`, or `bits=` for several pieces.
fn bits(pieces: &[PieceDecl]) -> String {
    if let [PieceDecl::Bits { low, high }] = pieces {
        return if low == high { format!(" pos=\"{low}\"") } else { format!(" low=\"{low}\" high=\"{high}\"") };
    }
    let pieces = pieces.iter().map(|piece| match *piece {
        PieceDecl::Bits { low, high } if low == high => low.to_string(),
        PieceDecl::Bits { low, high } => format!("{high}:{low}"),
        PieceDecl::Implied { width, value } => format!("0b{value:0width$b}", width = width as usize),
    });
    format!(" bits=\"{}\"", pieces.collect::<Vec<_>>().join(" "))
}

/// A formula over features as an attribute has it.
fn requirement(formula: &Requirement) -> String {
    let part = |inner: &Requirement| match inner {
        Requirement::All(_) | Requirement::Any(_) => format!("({})", requirement(inner)),
        _ => requirement(inner),
    };
    match formula {
        Requirement::Feature(name) => name.value.clone(),
        Requirement::Not(inner) => format!("!{}", part(inner)),
        Requirement::All(list) => {
            let parts = list.iter().map(|f| if matches!(f, Requirement::All(_)) { part(f) } else { requirement(f) });
            parts.collect::<Vec<_>>().join(" ")
        }
        Requirement::Any(list) => list.iter().map(part).collect::<Vec<_>>().join("|"),
    }
}

impl Writer {
    fn line(&mut self, depth: usize, text: &str) {
        let _ = writeln!(self.text, "{}{text}", "\t".repeat(depth));
    }

    fn doc(&mut self, depth: usize, doc: &str) {
        let words: Vec<&str> = doc.split_whitespace().collect();
        self.line(depth, &format!("<doc>{}</doc>", escaped(&words.join(" "))));
    }

    fn format(&mut self, format: &Format) {
        let parcel = number("parcel", format.parcel.map(|p| p.value));
        self.line(0, &format!("<format{parcel}{}>", attribute("byte-order", format.byte_order.as_ref())));
        for length in &format.lengths {
            let opcode = length.opcode.as_ref().map_or_else(String::new, |o| {
                let pieces = bits(&o.pieces);
                match o.pieces.as_slice() {
                    [PieceDecl::Bits { low, high }] => format!(" opcode=\"{high}:{low}\""),
                    _ => pieces.replacen("bits", "opcode", 1),
                }
            });
            let (size, digits) = (length.size.value, &length.digits.value);
            self.line(1, &format!("<length size=\"{size}\"{opcode}>{digits}</length>"));
        }
        self.line(0, "</format>");
    }

    fn feature(&mut self, feature: &FeatureDecl) {
        let implies: Vec<&str> = feature.implies.iter().map(|f| f.value.as_str()).collect();
        let implies = if implies.is_empty() { String::new() } else { format!(" implies=\"{}\"", implies.join(" ")) };
        let default = if feature.default { " default=\"true\"" } else { "" };
        let excludes =
            feature.excludes.as_ref().map_or_else(String::new, |f| format!(" excludes=\"{}\"", requirement(f)));
        let head = format!("<feature name=\"{}\"{implies}{excludes}{default}", escaped(&feature.name.value));
        match &feature.doc {
            Some(doc) => {
                let words: Vec<&str> = doc.value.split_whitespace().collect();
                self.line(0, &format!("{head}><doc>{}</doc></feature>", escaped(&words.join(" "))));
            }
            None => self.line(0, &format!("{head}/>")),
        }
    }

    fn registers(&mut self, file: &Registers) {
        let zero = number("zero", file.zero.map(|z| z.value));
        let (width, prefix) = (attribute("width", file.width.as_ref()), attribute("prefix", file.prefix.as_ref()));
        let (name, count) = (escaped(&file.name.value), file.count.value);
        self.line(0, &format!("<registers name=\"{name}\"{width} count=\"{count}\"{prefix}{zero}>"));
        for RegisterDecl { number, name, aliases } in &file.registers {
            let aliases: Vec<&str> = aliases.iter().map(|a| a.value.as_str()).collect();
            let alias = if aliases.is_empty() { String::new() } else { format!(" alias=\"{}\"", aliases.join(" ")) };
            self.line(
                1,
                &format!("<register number=\"{}\"{}{alias}/>", number.value, attribute("name", name.as_ref())),
            );
        }
        self.line(0, "</registers>");
    }

    fn enumeration(&mut self, decl: &EnumDecl) {
        self.line(0, &format!("<enum name=\"{}\">", escaped(&decl.name.value)));
        for value in &decl.values {
            let (val, display) = (escaped(&value.val.value), escaped(&value.display.value));
            let name = attribute("name", value.name.as_ref());
            self.line(1, &format!("<value val=\"{val}\" display=\"{display}\"{name}/>"));
        }
        self.line(0, "</enum>");
    }

    fn expression(&mut self, depth: usize, expr: &ExprDecl) {
        let name = attribute("name", expr.name.as_ref());
        self.line(depth, &format!("<expr{name}>{}</expr>", escaped(&expr.text.value)));
    }

    fn bitset(&mut self, set: &Bitset) {
        let mut head = format!("\n<bitset name=\"{}\"", escaped(&set.name.value));
        head += &attribute("displayname", set.display_name.as_ref());
        head += &number("size", set.size.map(|s| s.value));
        head += &attribute("extends", set.extends.as_ref());
        head += &number("width", set.width.map(|w| w.value));
        head += &attribute("overlap", set.overlap.as_ref());
        if let Some(formula) = &set.features {
            head += &format!(" features=\"{}\"", escaped(&requirement(formula)));
        }
        self.line(0, &format!("{head}>"));
        set.docs.iter().for_each(|doc| self.doc(1, &doc.value));
        set.gens.iter().for_each(|limit| self.gens(*limit));
        for other in &set.overrides {
            let alias = if other.alias { " alias=\"true\"" } else { "" };
            match &other.condition {
                Some(ExprRef::Name(name)) => {
                    self.line(1, &format!("<override expr=\"{}\"{alias}>", escaped(&name.value)));
                }
                Some(ExprRef::Inline(expr)) => {
                    self.line(1, &format!("<override{alias}>"));
                    self.expression(2, expr);
                }
                None => self.line(1, &format!("<override{alias}>")),
            }
            self.case(2, &other.case);
            self.line(1, "</override>");
        }
        self.case(1, &set.default);
        set.patterns.iter().for_each(|p| self.pattern(1, "pattern", p));
        set.excepts.iter().for_each(|e| self.except(e));
        for operand in &set.operands {
            let (file, register) = (escaped(&operand.registers.value), escaped(&operand.register.value));
            let access = attribute("access", operand.access.as_ref());
            let expression = |name: &str, decl: &Option<ExprDecl>| attribute(name, decl.as_ref().map(|e| &e.text));
            let (when, mask) = (expression("when", &operand.when), expression("mask", &operand.mask));
            self.line(1, &format!("<operand registers=\"{file}\" register=\"{register}\"{access}{when}{mask}/>"));
        }
        if let Some(flow) = &set.flow {
            let target = attribute("target", flow.target.as_ref());
            self.line(1, &format!("<flow to=\"{}\"{target}/>", escaped(&flow.to.value)));
        }
        if let Some(semantics) = &set.semantics {
            let text = semantics.text.value.replace("]]>", "]] >");
            let text = if text.is_empty() { text } else { format!("<![CDATA[{text}]]>") };
            self.line(1, &format!("<semantics>{text}</semantics>"));
        }
        self.line(0, "</bitset>");
    }

    fn gens(&mut self, limit: GenLimit) {
        let (min, max) = (number("min", limit.min.map(|m| m.value)), number("max", limit.max.map(|m| m.value)));
        self.line(1, &format!("<gen{min}{max}/>"));
    }

    fn case(&mut self, depth: usize, case: &CaseDecl) {
        if let Some(display) = &case.display {
            self.line(depth, &format!("<display>{}</display>", escaped(&display.value)));
        }
        case.derived.iter().for_each(|d| self.derived(depth, d));
        case.asserts.iter().for_each(|a| self.pattern(depth, "assert", a));
        case.fields.iter().for_each(|f| self.field(depth, f));
    }

    fn field(&mut self, depth: usize, field: &FieldDecl) {
        let mut head = format!("<field name=\"{}\"{}", escaped(&field.name.value), bits(&field.pieces));
        head += &attribute("type", Some(&field.ty));
        head += &attribute("display", field.display.as_ref());
        head += if field.call { " call=\"true\"" } else { "" };
        head += &role(&field.role);
        if field.params.is_empty() && field.doc.is_none() {
            return self.line(depth, &format!("{head}/>"));
        }
        self.line(depth, &format!("{head}>"));
        field.doc.iter().for_each(|doc| self.doc(depth + 1, &doc.value));
        for param in &field.params {
            let (name, inner) = (escaped(&param.name.value), escaped(&param.as_name.value));
            self.line(depth + 1, &format!("<param name=\"{name}\" as=\"{inner}\"/>"));
        }
        self.line(depth, "</field>");
    }

    fn derived(&mut self, depth: usize, derived: &DerivedDecl) {
        let mut head = format!("<derived name=\"{}\"", escaped(&derived.name.value));
        head += &attribute("type", Some(&derived.ty));
        head += &format!(" width=\"{}\"", derived.width);
        head += &attribute("display", derived.display.as_ref());
        head += &role(&derived.role);
        match &derived.expr {
            Some(ExprRef::Name(name)) => {
                self.line(depth, &format!("{head} expr=\"{}\"/>", escaped(&name.value)));
            }
            Some(ExprRef::Inline(expr)) => {
                self.line(depth, &format!("{head}>"));
                self.expression(depth + 1, expr);
                self.line(depth, "</derived>");
            }
            None => self.line(depth, &format!("{head}/>")),
        }
    }

    fn pattern(&mut self, depth: usize, element: &str, pattern: &PatternDecl) {
        let (low, high) = (pattern.low, pattern.high());
        let place = bits(&[PieceDecl::Bits { low, high }]);
        self.line(depth, &format!("<{element}{place}>{}</{element}>", pattern.digits.value));
    }

    fn except(&mut self, except: &ExceptDecl) {
        self.line(1, &format!("<except{}>{}</except>", bits(&except.pieces), except.digits.value));
    }
}

fn role(role: &Role) -> String {
    let mut out = attribute("role", role.role.as_ref());
    out += &attribute("access", role.access.as_ref());
    out += &attribute("registers", role.registers.as_ref());
    out += &number("count", role.count.map(|c| c.value));
    out += &number("unit", role.unit.map(|u| u.value));
    out + &attribute("keeps", role.keeps.as_ref().map(|e| &e.text))
}
