//! Messages of a listing: what an element says beside its descriptors must be what they say; loads and stores in their own form
//! have none, and are read as their text is.

use std::fmt::Write as _;

use isaglot_listing::tree::{Address, Inst as Element, ListOperand, Offset, Reg, Surface};
use isaglot_source::FileId;

use crate::inst::Inst;
use crate::isa::Xe;
use crate::parse::Reader;

impl Xe<'_> {
    /// Says which part of a message's operands its descriptors contradict, so that nothing that was edited is dropped in silence.
    pub(crate) fn check_message(&self, e: &Element<'_>, i: &Inst) -> Result<(), String> {
        let mut shown = Element::default();
        self.send_operands(i, &mut shown);
        lengths("destination", e.dst.as_ref(), shown.dst.as_ref())?;
        lengths("second payload", e.srcs.get(1), shown.srcs.get(1))?;
        let (Some(ListOperand::AD(given)), Some(shown)) = (e.srcs.first(), shown.srcs.first()) else { return Ok(()) };
        let unknown = Address::default();
        let shown = if let ListOperand::AD(shown) = shown { shown } else { &unknown };
        same("alen", text(given.alen), text(shown.alen))?;
        same("aoff", given.aoff.map(offset), shown.aoff.or(Some(Offset::One(0))).map(offset))?;
        same("ascale", text(given.ascale), text(shown.ascale.or(Some(1))))?;
        // Without a surface nothing is said.
        let stype = given.stype.as_deref().filter(|s| shown.stype.is_some() || !matches!(*s, "flat" | "invalid"));
        same("stype", text(stype), text(shown.stype.as_deref()))?;
        same("soff", given.soff.as_ref().map(surface), shown.soff.as_ref().map(surface))?;
        same("sbase", given.sbase.as_ref().map(word), shown.sbase.as_ref().map(word))?;
        same("sbase2", given.sbase2.as_ref().map(word), shown.sbase2.as_ref().map(word))
    }

    /// A load or store in its own form, whose descriptors its parts make; `None` if the operation is none.
    pub(crate) fn load_store_from(&self, e: &Element<'_>) -> Option<Result<Inst, String>> {
        self.load_store_named(&e.op)?;
        let text = match load_store_text(e) {
            Ok(text) => text,
            Err(why) => return Some(Err(why)),
        };
        let mut reader = Reader::new(FileId(0), text.as_bytes());
        let line = reader.line().map(|line| reader.read(self, line, 0));
        Some(match line {
            Some(Ok(Some(line))) => Ok(line.inst),
            Some(Err(problem)) => Err(format!("{} (as `{text}`)", problem.message)),
            _ => Err("nothing to read".to_owned()),
        })
    }
}

/// What is given is what is shown, or nothing is given.
fn same(key: &str, given: Option<String>, shown: Option<String>) -> Result<(), String> {
    match (given, shown) {
        (Some(given), Some(shown)) if given != shown => {
            Err(format!("`{key}` is {given}, and the descriptors say {shown}; change these, or leave it out"))
        }
        (Some(given), None) => Err(format!("`{key}` is {given}, and such a message has none")),
        _ => Ok(()),
    }
}

fn text(value: Option<impl ToString>) -> Option<String> {
    value.map(|v| v.to_string())
}

fn offset(o: Offset) -> String {
    match o {
        Offset::One(n) => n.to_string(),
        Offset::Two([x, y]) => format!("[{x},{y}]"),
    }
}

/// A register with its sub-register.
fn word(r: &Reg<'_>) -> String {
    format!("{}{}.{}", r.rn, r.r, r.sr)
}

fn surface(s: &Surface<'_>) -> String {
    match s {
        Surface::Index(n) => n.to_string(),
        Surface::Reg(r) => word(r),
    }
}

fn lengths(what: &str, given: Option<&ListOperand<'_>>, shown: Option<&ListOperand<'_>>) -> Result<(), String> {
    let len = |o: Option<&ListOperand<'_>>| if let Some(ListOperand::DA(d)) = o { d.len } else { None };
    same("len", text(len(given)), text(len(shown))).map_err(|why| format!("{what}: {why}"))
}

/// The line of a load or store that an element shows.
fn load_store_text(e: &Element<'_>) -> Result<String, String> {
    let mut text = String::new();
    let mut head = Vec::new();
    if e.wren {
        head.push("W".to_owned());
    }
    if let Some(p) = &e.pred {
        let f = e.freg.clone().unwrap_or_default();
        head.push(format!("{}f{}.{}{}", if p.inv { "~" } else { "" }, f.r, f.sr, p.func));
    }
    if !head.is_empty() {
        let _ = write!(text, "({}) ", head.join("&"));
    }
    let subop = e.subop.as_deref().ok_or("no unit and no controls (`subop`)")?;
    let _ = write!(text, "{}.{subop} ({}|M{})", e.op, e.es.unwrap_or(1), e.eo.unwrap_or(0));
    if let Some(dst) = &e.dst {
        let _ = write!(text, " {}", payload(dst)?);
    }
    let [ListOperand::AD(address), data] = e.srcs.as_slice() else {
        return Err("a load or store has an address and data".to_owned());
    };
    let _ = write!(text, " {}", address_text(address)?);
    if !matches!(data, ListOperand::DA(d) if d.reg.rn == "null" && d.len.unwrap_or(0) == 0) {
        let _ = write!(text, " {}", payload(data)?);
    }
    let mut options: Vec<String> = e.opts.iter().chain(&e.reg_dist).map(|o| o.to_string()).collect();
    options.extend(e.sbid.as_ref().map(|s| format!("${}{}", s.id, s.func)));
    if !options.is_empty() {
        let _ = write!(text, " {{{}}}", options.join(","));
    }
    Ok(text)
}

fn payload(o: &ListOperand<'_>) -> Result<String, String> {
    match o {
        ListOperand::DA(d) => {
            let len = d.len.ok_or("a payload of a load or store has a length")?;
            Ok(format!("{}:{len}", register(&d.reg)))
        }
        // Beside a register as descriptor nothing says how long it is.
        ListOperand::RD(d) => Ok(format!("{}:0", register(&d.reg))),
        _ => Err("a payload must be registers".to_owned()),
    }
}

fn register(r: &Reg<'_>) -> String {
    if r.rn == "null" { "null".to_owned() } else { format!("{}{}", r.rn, r.r) }
}

/// `bti[3][r8:2+0x40]`
fn address_text(a: &Address<'_>) -> Result<String, String> {
    same("ascale", text(a.ascale), Some("1".to_owned()))?;
    same("sbase", a.sbase.as_ref().map(word), None)?;
    same("sbase2", a.sbase2.as_ref().map(word), None)?;
    let len = a.alen.ok_or("the address of a load or store has a length (`alen`)")?;
    let stype = a.stype.as_deref().unwrap_or("flat");
    let before = match &a.soff {
        _ if stype == "flat" => {
            same("soff", a.soff.as_ref().map(surface), None)?;
            String::new()
        }
        Some(Surface::Index(n)) => format!("{stype}[{n}]"),
        Some(Surface::Reg(r)) => format!("{stype}[{}]", word(r)),
        None => return Err(format!("a surface of type `{stype}` has `soff`")),
    };
    let offset = match a.aoff {
        None => String::new(),
        Some(Offset::One(n)) => format!("{n:+}"),
        Some(Offset::Two([x, y])) => format!("+({x},{y})"),
    };
    Ok(format!("{before}[{}:{len}{offset}]", register(&a.areg)))
}
