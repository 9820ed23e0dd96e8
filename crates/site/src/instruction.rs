//! A page per instruction: what it looks like as bits and as text in every case, what its fields are, what it needs, reads and
//! writes, and what it does.

use isaglot_model::{
    Access, Condition, Encoding, EncodingId, ExprId, Flow, GenRange, Isa, Operand, OperandKind, RegisterFileId, Varies,
};

use crate::html::{Escaped, expression, paragraphs};
use crate::search::Entry;
use crate::view::{range_text, views};
use crate::{Example, Site};
use crate::{fields, meaning, svg, syntax};

/// Adds the pages of all instructions.
pub(crate) fn write(site: &mut Site<'_>) {
    let isa = site.isa;
    let order = crate::mnemonics::sorted(isa);
    for (at, &id) in order.iter().enumerate() {
        let encoding = &isa[id];
        let path = site.slugs.encoding(id).to_owned();
        let mut content = String::new();
        let before = at.checked_sub(1).and_then(|at| order.get(at));
        neighbours(site, before.copied(), order.get(at + 1).copied(), &mut content);
        about(site, id, &mut content);
        examples(site, id, &mut content);
        body(site, encoding, "h2", "../", &mut content);
        let title = title(isa, id);
        site.add(&path, &title, &content);
        site.entries.push(entry(isa, encoding, title, path));
    }
}

/// What search finds an encoding by.
pub(crate) fn entry(isa: &Isa, encoding: &Encoding, title: String, path: String) -> Entry {
    // What it means comes first: the index keeps the beginning.
    let mut words: Vec<String> = vec![isa.text(encoding.name).to_owned()];
    words.extend(meaning::words(isa, encoding));
    for view in views(isa, encoding) {
        words.push(syntax::plain(isa, encoding, &view));
        words.extend(view.fields.iter().map(|f| isa.text(f.name).to_owned()));
    }
    words.push(encoding.doc.clone());
    Entry { title, path, words }
}

/// The mnemonic; with the name where that says more.
pub(crate) fn title(isa: &Isa, id: EncodingId) -> String {
    let encoding = &isa[id];
    let name = isa.text(encoding.name);
    let shown = &*encoding.display_name;
    let mut title = if shown == name || shown.is_empty() { name.to_owned() } else { format!("{shown} ({name})") };
    let twins = isa[encoding.space].encodings.iter().filter(|&&o| isa[o].name == encoding.name).count();
    if twins > 1 {
        title += &format!(", {}", gens(isa, encoding.gens));
    }
    title
}

/// Links to the instructions before and after one in the order of the index.
fn neighbours(site: &Site<'_>, before: Option<EncodingId>, after: Option<EncodingId>, out: &mut String) {
    let link = |id: Option<EncodingId>, rel: &str, arrow: [&str; 2]| {
        id.map_or_else(String::new, |id| {
            let address = site.slugs.encoding(id);
            let file = address.rsplit('/').next().unwrap_or(address);
            let name = title(site.isa, id);
            format!("<a rel=\"{rel}\" href=\"{file}\">{}{}{}</a>\n", arrow[0], Escaped(&name), arrow[1])
        })
    };
    let (before, after) = (link(before, "prev", ["← ", ""]), link(after, "next", ["", " →"]));
    if before.len() + after.len() > 0 {
        out.push_str(&format!("<nav class=\"neighbours\" aria-label=\"Neighbours\">\n{before}{after}</nav>\n"));
    }
}

/// Words that are this instruction, each with a link to the explorer if there is one.
fn examples(site: &Site<'_>, id: EncodingId, out: &mut String) {
    let Some(found) = site.options.examples.get(&id).filter(|found| !found.is_empty()) else { return };
    out.push_str("<dl class=\"facts examples\">\n<dt>Examples</dt>\n");
    for Example { word, text } in found {
        let shown = format!("<code>{}</code> <code>{}</code>", Escaped(word), Escaped(text));
        let shown = if site.options.explorer {
            format!(
                "{shown} <a href=\"../explore.html#q={0}\">try it<span class=\"hidden\"> with {0}</span></a>",
                Escaped(word)
            )
        } else {
            shown
        };
        out.push_str(&format!("<dd>{shown}</dd>\n"));
    }
    out.push_str("</dl>\n");
}

/// What stands above the diagrams of an instruction.
fn about(site: &Site<'_>, id: EncodingId, out: &mut String) {
    let isa = site.isa;
    let encoding = &isa[id];
    paragraphs(&encoding.doc, out);
    out.push_str("<dl class=\"facts\">\n");
    let mut fact = |name: &str, value: &str| out.push_str(&format!("<dt>{name}</dt><dd>{value}</dd>\n"));
    fact("Width", &format!("{} bits", encoding.width));
    if encoding.gens != GenRange::ALL {
        fact("Gens", &gens(isa, encoding.gens));
    }
    if encoding.condition != Condition::Always {
        fact("Needs", &Escaped(&condition(isa, &encoding.condition)).to_string());
    }
    let variants = isa[encoding.space].encodings.iter().filter(|&&o| o != id && isa[o].name == encoding.name);
    let links = variants.map(|&o| {
        let address = site.slugs.encoding(o);
        let file = address.rsplit('/').next().unwrap_or(address);
        format!("<a href=\"{file}\">{}</a>", gens(isa, isa[o].gens))
    });
    let links: Vec<String> = links.collect();
    if !links.is_empty() {
        fact("Other variants", &links.join(", "));
    }
    for (key, value) in &encoding.meta {
        fact(&Escaped(key).to_string(), &Escaped(value).to_string());
    }
    fact("Pattern", &format!("<code>{}</code>", encoding.pattern));
    fact("Defined at", &format!("<code>{}</code>", Escaped(&site.place(encoding.span))));
    out.push_str("</dl>\n");
}

/// The views of an encoding, its operands and semantics, below headings of this level.
pub(crate) fn body(site: &Site<'_>, encoding: &Encoding, heading: &str, up: &str, out: &mut String) {
    let isa = site.isa;
    let all = views(isa, encoding);
    for (at, view) in all.iter().enumerate() {
        let of = isa.text(encoding.name);
        let label = match view.guard {
            Some(guard) => {
                let guard: Vec<&str> = guard.split_whitespace().collect();
                let guard = guard.join(" ");
                let what = if view.alias { "Alias if" } else { "If" };
                out.push_str(&format!("<{heading}>{what} <code>{}</code></{heading}>\n", expression(&guard)));
                format!("{of} if {guard}")
            }
            None => of.to_owned(),
        };
        syntax::markup(isa, encoding, view, out);
        for (name, value) in &view.bound {
            let name = Escaped(isa.text(*name));
            out.push_str(&format!("<p>Here <var class=\"f\" data-f=\"{name}\">{name}</var> is {value}.</p>\n"));
        }
        out.push_str("<div class=\"wide\">\n");
        svg::diagram(isa, encoding, view, &label, out);
        out.push_str("</div>\n");
        for assert in &view.asserts {
            let digits: String =
                (0..assert.range.width).rev().map(|b| if assert.value.bit(b) { '1' } else { '0' }).collect();
            let bits = if digits.len() == 1 { "Bit" } else { "Bits" };
            out.push_str(&format!("<p>{bits} {} must be <code>{digits}</code>.</p>\n", range_text(assert.range)));
        }
        // A case that changes the text alone has the fields of the table above.
        if at == 0 || all.first().is_none_or(|general| general.fields != view.fields) {
            fields::table(site, view, up, out);
        }
    }
    if !encoding.dont_care.is_zero() {
        let bits: Vec<String> = encoding.dont_care.runs().into_iter().rev().map(range_text).collect();
        out.push_str(&format!("<p>Bits {} may have any value; reported when set.</p>\n", bits.join(", ")));
    }
    operands(isa, encoding, heading, up, out);
    if let Some(semantics) = &encoding.semantics {
        out.push_str(&format!("<{heading}>What it does</{heading}>\n<pre><code>"));
        out.push_str(&format!("{}</code></pre>\n", Escaped(&outdented(&semantics.text))));
    }
}

fn operands(isa: &Isa, encoding: &Encoding, heading: &str, up: &str, out: &mut String) {
    let flow = match encoding.flow {
        Flow::Next => None,
        Flow::Branch { target, conditional } => {
            let may = if conditional { "may go" } else { "goes" };
            Some(format!("Control {may} to the target in <code>{}</code>.", Escaped(isa.text(target))))
        }
        Flow::Indirect { call: false } => Some("Control goes to an address known at run time.".to_owned()),
        Flow::Indirect { call: true } => Some("Calls an address known at run time.".to_owned()),
        Flow::Call { target } => Some(format!("Calls the target in <code>{}</code>.", Escaped(isa.text(target)))),
        Flow::Return => Some("Returns to the caller.".to_owned()),
        Flow::Trap => Some("Traps.".to_owned()),
        Flow::End => Some("Ends the program.".to_owned()),
    };
    if encoding.operands.is_empty() && flow.is_none() {
        return;
    }
    out.push_str(&format!("<{heading}>Reads and writes</{heading}>\n"));
    if !encoding.operands.is_empty() {
        out.push_str(
            "<div class=\"wide\"><table>\n<caption>Operands</caption>\n<thead><tr><th scope=\"col\">Operand</th>",
        );
        out.push_str("<th scope=\"col\">Kind</th><th scope=\"col\">Access</th></tr></thead>\n<tbody>\n");
        let file = |id: RegisterFileId| {
            format!("<a href=\"{up}registers.html#file-{}\">{}</a>", id.index(), Escaped(&isa[id].name))
        };
        for operand in &encoding.operands {
            let field = |name| Escaped(isa.text(name)).to_string();
            let (name, kind) = match operand.kind {
                OperandKind::Register(name, id) if operand.count > 1 => {
                    (field(name), format!("{} registers of {}", operand.count, file(id)))
                }
                OperandKind::Register(name, id) => (field(name), format!("register of {}", file(id))),
                OperandKind::Computed(number, id) => {
                    (format!("<code>{}</code>", expression(&isa[number].text)), format!("register of {}", file(id)))
                }
                OperandKind::Part(name) => (field(name), "as it is decoded".to_owned()),
                OperandKind::Implicit(id, number) => {
                    let known = isa[id].names.get(number as usize).cloned().flatten();
                    let name = known.unwrap_or_else(|| format!("{}{number}", isa[id].name));
                    (Escaped(&name).to_string(), format!("fixed register of {}", file(id)))
                }
                OperandKind::Immediate(name) => (field(name), "immediate".to_owned()),
                OperandKind::Label(name) => (field(name), "code address".to_owned()),
                OperandKind::Memory(name, id) => {
                    (field(name), format!("{} bytes of memory at a register of {}", operand.count, file(id)))
                }
            };
            let kind = kind + &varies(isa, operand);
            let access = match operand.access {
                Access::Read => "read",
                Access::Write => "written",
                Access::ReadWrite => "read and written",
            };
            out.push_str(&format!("<tr><th scope=\"row\">{name}</th><td>{kind}</td><td>{access}</td></tr>\n"));
        }
        out.push_str("</tbody>\n</table></div>\n");
    }
    if let Some(flow) = flow {
        out.push_str(&format!("<p>{flow}</p>\n"));
    }
}

/// What of an operand depends on the word.
fn varies(isa: &Isa, operand: &Operand) -> String {
    let Varies { when, count, mask } = operand.varies;
    let code = |expr: ExprId| format!("<code>{}</code>", expression(&isa[expr].text));
    let mut out = String::new();
    for (before, expr) in [(", as many as ", count), (", those of the mask ", mask), (", if ", when)] {
        out += &expr.map_or(String::new(), |expr| format!("{before}{}", code(expr)));
    }
    out
}

/// Gens in words: by the names that the description gives them, else by their numbers.
pub(crate) fn gens(isa: &Isa, range: GenRange) -> String {
    let named: Vec<&str> = isa.gens().iter().filter(|g| range.contains(g.value)).map(|g| g.name.as_str()).collect();
    if range == GenRange::ALL || (!named.is_empty() && named.len() == isa.gens().len()) {
        return "all gens".to_owned();
    }
    if !named.is_empty() {
        return Escaped(&named.join(", ")).to_string();
    }
    match (range.min, range.max) {
        (min, u32::MAX) => format!("gen {min} and later"),
        (0, max) => format!("up to gen {max}"),
        (min, max) if min == max => format!("gen {min}"),
        (min, max) => format!("gen {min} to {max}"),
    }
}

/// The features that an encoding needs, in words.
pub(crate) fn condition(isa: &Isa, condition: &Condition) -> String {
    let list = |all: &[Condition], word: &str| {
        let parts: Vec<String> = all
            .iter()
            .map(|c| match c {
                Condition::All(_) | Condition::Any(_) => format!("({})", self::condition(isa, c)),
                c => self::condition(isa, c),
            })
            .collect();
        parts.join(word)
    };
    match condition {
        Condition::Always => "nothing".to_owned(),
        Condition::Feature(id) => isa[*id].name.clone(),
        Condition::Not(c) => format!("not {}", self::condition(isa, c)),
        Condition::All(all) => list(all, " and "),
        Condition::Any(all) => list(all, " or "),
    }
}

/// A text without the indentation that all its lines share.
pub(crate) fn outdented(text: &str) -> String {
    let text = text.trim_matches('\n').trim_end();
    let indent = |line: &str| line.len() - line.trim_start().len();
    let shared = text.lines().filter(|l| !l.trim().is_empty()).map(indent).min().unwrap_or(0);
    let lines: Vec<&str> = text.lines().map(|l| l.get(shared..).unwrap_or("").trim_end()).collect();
    lines.join("\n")
}
