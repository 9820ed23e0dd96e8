//! Registers, register classes, tuples of registers, and the files that instructions name them in.
//!
//! The records give classes as set expressions; a class has its members in an order, each with a number
//! (`HWEncoding`) and names. A field of `n` bits names the member whose number ends in these bits, which is what all
//! hand-written decoders of register classes do; where the rest of the number is one constant, it is part of the field.
//!
//! Classes whose members agree on which number has which name share one file, so that an operand of `GPR` and one of
//! `GPRNoX0` are the same registers.

use std::borrow::Cow;
use std::rc::Rc;

use isaglot_model::{Builder, RegisterFile, RegisterFileId, Width};
use isaglot_source::{FileId, Span};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::limits::{MAX_REGISTERS, MAX_SET_DEPTH, MAX_SET_MEMBERS};
use crate::table::RegisterNames;
use isaglot_tablegen::{Def, Records, Value};

/// A register.
#[derive(Clone, Debug)]
pub(crate) struct Register {
    /// The name of its record.
    pub(crate) name: String,
    /// What it is called; it prints so, or only the digits of it.
    pub(crate) shown: String,
    /// Further names.
    pub(crate) also: Vec<String>,
    /// What instructions call it.
    pub(crate) number: u64,
    /// It reads as one value always.
    pub(crate) constant: bool,
}

/// What the values of a field of registers are.
#[derive(Clone, Debug)]
pub(crate) struct Names {
    /// The file.
    pub(crate) file: RegisterFileId,
    /// Bits above those of the field that make the register's number.
    pub(crate) high: Vec<bool>,
    /// Whether the values are the numbers of the registers, with `high` above them.
    pub(crate) physical: bool,
    /// For each value of the field, whether it is a register of the class.
    pub(crate) valid: Vec<bool>,
}

struct File {
    name: String,
    span: Span,
    width: u32,
    /// Numbers are those of the registers, not of places in a class.
    physical: bool,
    names: Vec<Option<u32>>,
    aliases: Vec<(String, u32)>,
}

/// All registers of a target.
pub(crate) struct Registers<'a> {
    records: &'a Records,
    names: &'a RegisterNames,
    pub(crate) list: Vec<Register>,
    by_def: FxHashMap<usize, u32>,
    tuples: FxHashMap<usize, Vec<u32>>,
    classes: FxHashMap<usize, Vec<u32>>,
    /// The numbers of the members of classes.
    numbers: FxHashMap<usize, Rc<FxHashSet<u64>>>,
    files: Vec<File>,
    fields: FxHashMap<(usize, u32), Option<Names>>,
}

impl<'a> Registers<'a> {
    pub(crate) fn new(records: &'a Records, names: &'a RegisterNames) -> Registers<'a> {
        let mut registers = Registers {
            records,
            names,
            list: Vec::new(),
            by_def: FxHashMap::default(),
            tuples: FxHashMap::default(),
            classes: FxHashMap::default(),
            numbers: FxHashMap::default(),
            files: Vec::new(),
            fields: FxHashMap::default(),
        };
        for def in records.defs_of("Register") {
            let register = registers.read(def);
            registers.by_def.insert(def.index(), registers.list.len() as u32);
            registers.list.push(register);
        }
        registers
    }

    fn read(&self, def: Def<'_>) -> Register {
        let asm = text(def, "AsmName");
        let alts = strings(def, "AltNames");
        let indices: Vec<String> = match def.get("RegAltNameIndices") {
            Some(Value::List(list)) => {
                let name = |v: Value<'_>| if let Value::Def(d) = v { d.name().into_owned() } else { String::new() };
                list.iter().map(name).collect()
            }
            _ => Vec::new(),
        };
        let at = self.names.alt.as_ref().and_then(|alt| indices.iter().position(|i| i == alt));
        let chosen = at.and_then(|at| alts.get(at)).filter(|name| !name.is_empty()).unwrap_or(&asm);
        let shown = self.shown(chosen);
        let mut also = Vec::new();
        for name in std::iter::once(&asm).chain(&alts).filter(|n| !n.is_empty()) {
            let name = self.shown(name);
            if name != shown && !also.contains(&name) {
                also.push(name);
            }
        }
        let record = def.name();
        let synonyms = self.names.synonyms.iter().filter(|(name, _)| *name == record);
        also.extend(synonyms.map(|(_, text)| self.shown(text)));
        let field = self.names.number.as_deref().unwrap_or("HWEncoding");
        let number = match def.get(field) {
            // Of several numbers the first: `DwarfNumbers`, say.
            Some(Value::List(all)) => match all.iter().next() {
                Some(Value::Int(number)) => number as u64,
                _ => 0,
            },
            _ => def.int(field).map_or(0, |n| n as u64),
        };
        let constant = def.bit("isConstant").unwrap_or(false);
        Register { name: def.name().into_owned(), shown, also, number, constant }
    }

    fn shown(&self, name: &str) -> String {
        let name = if self.names.lower { name.to_ascii_lowercase() } else { name.to_owned() };
        format!("{}{name}", self.names.prefix)
    }

    /// How the register of a name prints.
    pub(crate) fn printed<'n>(&self, name: &'n str) -> &'n str {
        match name.find(|c: char| c.is_ascii_digit()) {
            Some(at) if self.names.digits => name.get(at..).unwrap_or(name),
            _ => name,
        }
    }

    /// The register of a record.
    pub(crate) fn register(&self, def: Def<'_>) -> Option<&Register> {
        self.list.get(*self.by_def.get(&def.index())? as usize)
    }

    /// The members of a class, in its order.
    pub(crate) fn members(&mut self, class: Def<'a>) -> Vec<u32> {
        self.class(class, 0)
    }

    /// The only member of a class.
    pub(crate) fn only(&mut self, class: Def<'a>) -> Option<&Register> {
        match self.members(class).as_slice() {
            [only] => self.list.get(*only as usize),
            _ => None,
        }
    }

    fn class(&mut self, class: Def<'a>, depth: u32) -> Vec<u32> {
        if let Some(known) = self.classes.get(&class.index()) {
            return known.clone();
        }
        let members = match class.get("MemberList") {
            Some(value) if depth < MAX_SET_DEPTH => unique(self.set(value, depth + 1)),
            _ => Vec::new(),
        };
        self.classes.insert(class.index(), members.clone());
        members
    }

    fn set(&mut self, value: Value<'a>, depth: u32) -> Vec<u32> {
        if depth > MAX_SET_DEPTH {
            return Vec::new();
        }
        match value {
            Value::Def(def) if self.by_def.contains_key(&def.index()) => vec![self.by_def[&def.index()]],
            Value::Def(def) if def.is_of("RegisterTuples") => self.tuple(def, depth),
            Value::Def(def) if def.is_of("RegisterClass") => self.class(def, depth),
            Value::List(list) => {
                let mut all = Vec::new();
                for v in list.iter() {
                    all.extend(self.set(v, depth + 1));
                    all.truncate(MAX_SET_MEMBERS);
                }
                all
            }
            Value::Dag(dag) => {
                let Value::Def(op) = dag.operator() else { return Vec::new() };
                let args: Vec<Value<'a>> = dag.args().map(|(v, _)| v).collect();
                self.operation(&op.name(), &args, depth)
            }
            _ => Vec::new(),
        }
    }

    fn operation(&mut self, op: &str, args: &[Value<'a>], depth: u32) -> Vec<u32> {
        if op == "sequence" {
            return self.sequence(args);
        }
        let count = if matches!(op, "shl" | "trunc" | "rotl" | "rotr" | "decimate") { 1 } else { args.len() };
        let sets: Vec<Vec<u32>> = args.iter().take(count).map(|&v| unique(self.set(v, depth + 1))).collect();
        let amount = || args.get(1).and_then(|v| if let Value::Int(i) = v { Some(*i) } else { None }).unwrap_or(0);
        let Some((first, others)) = sets.split_first() else { return Vec::new() };
        let mut first = first.clone();
        match op {
            "add" => {
                others.iter().for_each(|set| first.extend(set));
                unique(first)
            }
            "sub" => {
                let gone: FxHashSet<u32> = others.iter().flatten().copied().collect();
                first.retain(|r| !gone.contains(r));
                first
            }
            "and" => {
                let kept: FxHashSet<u32> = others.iter().flatten().copied().collect();
                first.retain(|r| kept.contains(r));
                first
            }
            "shl" => first.split_off(usize::try_from(amount()).unwrap_or(0).min(first.len())),
            "trunc" => {
                first.truncate(usize::try_from(amount()).unwrap_or(0));
                first
            }
            "rotl" | "rotr" if !first.is_empty() => {
                let by = amount().rem_euclid(first.len() as i64) as usize;
                if op == "rotl" {
                    first.rotate_left(by)
                } else {
                    first.rotate_right(by)
                }
                first
            }
            "decimate" => first.into_iter().step_by(usize::try_from(amount()).unwrap_or(1).max(1)).collect(),
            "interleave" => {
                let sets: Vec<&Vec<u32>> = std::iter::once(&first).chain(others).collect();
                let longest = sets.iter().map(|s| s.len()).max().unwrap_or(0);
                (0..longest).flat_map(|i| sets.iter().filter_map(move |s| s.get(i).copied())).collect()
            }
            _ => first,
        }
    }

    /// `(sequence "X%u", 0, 31)`, with an optional stride.
    fn sequence(&mut self, args: &[Value<'a>]) -> Vec<u32> {
        let [Value::String(format), Value::Int(from), Value::Int(to), rest @ ..] = args else { return Vec::new() };
        let stride = match rest.first() {
            Some(Value::Int(stride)) => stride.unsigned_abs().max(1) as usize,
            _ => 1,
        };
        let format = String::from_utf8_lossy(format);
        let split = ["%u", "%i", "%d"].into_iter().find_map(|number| format.split_once(number));
        let Some((before, after)) = split else { return Vec::new() };
        let numbers: Box<dyn Iterator<Item = i64>> =
            if from <= to { Box::new(*from..=*to) } else { Box::new((*to..=*from).rev()) };
        let names = numbers.step_by(stride).take(MAX_SET_MEMBERS).map(|n| format!("{before}{n}{after}"));
        let def = |name: String| self.by_def.get(&self.records.def(&name)?.index()).copied();
        names.filter_map(def).collect()
    }

    fn tuple(&mut self, def: Def<'a>, depth: u32) -> Vec<u32> {
        if let Some(known) = self.tuples.get(&def.index()) {
            return known.clone();
        }
        let lists: Vec<Vec<u32>> = match def.get("SubRegs") {
            Some(Value::List(list)) => list.iter().map(|v| self.set(v, depth + 1)).collect(),
            _ => Vec::new(),
        };
        let names = strings(def, "RegAsmNames");
        let length = lists.iter().map(Vec::len).min().unwrap_or(0);
        let mut ids = Vec::new();
        for n in 0..length {
            if self.list.len() >= MAX_REGISTERS {
                break;
            }
            let subs: Vec<&Register> = lists.iter().filter_map(|l| self.list.get(*l.get(n)? as usize)).collect();
            let name = subs.iter().map(|r| r.name.as_str()).collect::<Vec<_>>().join("_");
            let Some(first) = subs.first() else { continue };
            let (shown, also) = match names.get(n).filter(|n| !n.is_empty()) {
                Some(name) => (self.shown(name), Vec::new()),
                None => (first.shown.clone(), first.also.clone()),
            };
            let number = first.number;
            ids.push(self.list.len() as u32);
            self.list.push(Register { name, shown, also, number, constant: false });
        }
        self.tuples.insert(def.index(), ids.clone());
        ids
    }

    /// What a field of `width` bits names in a class; `None` if no member can be told from another, or there are none.
    pub(crate) fn field(&mut self, class: Def<'a>, width: u32) -> Option<Names> {
        let key = (class.index(), width);
        if let Some(known) = self.fields.get(&key) {
            return known.clone();
        }
        let names = self.make_field(class, width);
        self.fields.insert(key, names.clone());
        names
    }

    fn make_field(&mut self, class: Def<'a>, width: u32) -> Option<Names> {
        if width == 0 || width > 12 {
            return None;
        }
        let members = self.members(class);
        let mask = (1u64 << width) - 1;
        let mut by_value: Vec<Option<u32>> = vec![None; 1 << width];
        for &id in &members {
            let number = self.list.get(id as usize)?.number;
            let slot = by_value.get_mut((number & mask) as usize)?;
            let other = *slot.get_or_insert(id);
            if other != id {
                if self.names.last {
                    *slot = Some(id);
                }
                let (shown, hidden) = if self.names.last { (id, other) } else { (other, id) };
                let hidden = self.list.get(hidden as usize)?.shown.clone();
                let shown = self.list.get_mut(shown as usize)?;
                // A name with blanks stands for none that a program can write.
                let is_name = !hidden.contains(' ');
                if is_name && shown.number == number && shown.shown != hidden && !shown.also.contains(&hidden) {
                    shown.also.push(hidden);
                }
            }
        }
        let mut highs = by_value.iter().flatten().filter_map(|&id| Some(self.list.get(id as usize)?.number >> width));
        let first = highs.next()?;
        let same = highs.all(|high| high == first);
        let valid = by_value.iter().map(Option::is_some).collect();
        let span = class.span().unwrap_or(NOWHERE);
        let size = class.int("Size").ok().and_then(|s| u32::try_from(s).ok()).filter(|&s| s > 0).unwrap_or(64);
        if same && first < MAX_REGISTERS as u64 {
            let high = (0..64 - first.leading_zeros()).rev().map(|bit| first >> bit & 1 == 1).collect();
            let numbers = by_value.iter().flatten().filter_map(|&id| Some((self.list.get(id as usize)?.number, id)));
            let file = self.file(numbers.collect(), true, &class.name(), span, size);
            return Some(Names { file, high, physical: true, valid });
        }
        let numbers = (0u64..).zip(&by_value).filter_map(|(value, id)| Some((value, (*id)?))).collect();
        let file = self.file(numbers, false, &class.name(), span, size);
        Some(Names { file, high: Vec::new(), physical: false, valid })
    }

    /// The file in which these numbers have these names.
    fn file(&mut self, numbers: Vec<(u64, u32)>, physical: bool, name: &str, span: Span, width: u32) -> RegisterFileId {
        let shown = |id: u32| self.list.get(id as usize).map(|r| r.shown.as_str());
        // Numbers of two kinds would be neighbours by chance.
        let agrees = |file: &File| {
            file.physical == physical
                && numbers.iter().all(|&(number, id)| match file.names.get(number as usize) {
                    Some(Some(other)) => shown(*other) == shown(id),
                    _ => true,
                })
        };
        let at = self.files.iter().position(agrees).unwrap_or(self.files.len());
        if at == self.files.len() {
            let name = if self.files.iter().any(|f| f.name == name) { format!("{name}.{at}") } else { name.to_owned() };
            self.files.push(File { name, span, width, physical, names: Vec::new(), aliases: Vec::new() });
        }
        for (number, id) in numbers {
            let number = number as usize;
            let Some(file) = self.files.get_mut(at) else { break };
            file.width = file.width.max(width);
            if file.names.len() <= number {
                file.names.resize(number + 1, None);
            }
            let (Some(slot @ None), Some(register)) = (file.names.get_mut(number), self.list.get(id as usize)) else {
                continue;
            };
            *slot = Some(id);
            file.aliases.extend(register.also.iter().map(|alias| (alias.clone(), number as u32)));
        }
        RegisterFileId(at as u32)
    }

    /// The numbers of a class's members within a file: those that print by the same name there.
    pub(crate) fn numbers(&mut self, class: Def<'a>) -> Rc<FxHashSet<u64>> {
        if let Some(known) = self.numbers.get(&class.index()) {
            return Rc::clone(known);
        }
        let members = self.members(class);
        let numbers = members.iter().filter_map(|&id| Some(self.list.get(id as usize)?.number));
        let numbers: Rc<FxHashSet<u64>> = Rc::new(numbers.collect());
        self.numbers.insert(class.index(), Rc::clone(&numbers));
        numbers
    }

    /// Whether a file has this number under this name.
    pub(crate) fn is_in_file(&self, file: RegisterFileId, number: u64, shown: &str) -> bool {
        let names = self.files.get(file.0 as usize).map(|f| &f.names);
        let register = names.and_then(|names| names.get(number as usize).copied().flatten());
        register.and_then(|id| self.list.get(id as usize)).is_none_or(|r| r.shown == shown)
    }

    /// The file in which a number has this name.
    pub(crate) fn file_of(&self, number: u64, shown: &str) -> Option<RegisterFileId> {
        let has = |f: &File| {
            let id = f.names.get(number as usize).copied().flatten();
            id.and_then(|id| self.list.get(id as usize)).is_some_and(|r| r.shown == shown)
        };
        Some(RegisterFileId(self.files.iter().position(has)? as u32))
    }

    /// The file that holds a register, so far as files have been made, and its number there.
    pub(crate) fn place(&self, def: Def<'_>) -> Option<(RegisterFileId, u32)> {
        let id = *self.by_def.get(&def.index())?;
        let number = self.list.get(id as usize)?.number;
        let at = self.files.iter().position(|f| f.names.get(number as usize).copied().flatten() == Some(id))?;
        Some((RegisterFileId(at as u32), number as u32))
    }

    /// Adds all files to the model, in the order of their ids.
    pub(crate) fn finish(&self, builder: &mut Builder) {
        for file in &self.files {
            let register = |id: &Option<u32>| self.list.get((*id)? as usize);
            let printed = |id: &Option<u32>| register(id).map(|r| self.printed(&r.shown).to_owned());
            let names: Vec<Option<String>> = file.names.iter().map(printed).collect();
            // Whole names, which are read even if less is printed, with the sign that may stand before them.
            let mut whole: Vec<(String, u32)> = Vec::new();
            for (id, number) in file.names.iter().zip(0u32..) {
                let Some(register) = register(id) else { continue };
                whole.push((register.shown.clone(), number));
                if let Some(sigil) = &self.names.sigil {
                    whole.push((format!("{sigil}{}", register.shown), number));
                }
            }
            let zero = file.names.iter().zip(0u32..).find(|(id, _)| register(id).is_some_and(|r| r.constant));
            builder.register_file(RegisterFile {
                name: file.name.clone(),
                width: Width::Bits(file.width),
                zero: zero.map(|(_, number)| number),
                aliases: file
                    .aliases
                    .iter()
                    .cloned()
                    .chain(whole)
                    .filter(|(alias, _)| !names.iter().flatten().any(|n| n == alias))
                    .collect(),
                names,
                within: None,
                span: file.span,
            });
        }
    }
}

/// A place for what no file says.
pub(crate) const NOWHERE: Span = Span { file: FileId(0), start: 0, end: 0 };

fn unique(mut list: Vec<u32>) -> Vec<u32> {
    let mut seen = FxHashSet::default();
    list.retain(|id| seen.insert(*id));
    list
}

/// The text of a field; empty if there is none.
pub(crate) fn text(def: Def<'_>, field: &str) -> String {
    match def.get(field) {
        Some(Value::String(bytes)) => lossy(bytes).into_owned(),
        _ => String::new(),
    }
}

/// Bytes as a text. They nearly always are one, which is told faster at once than piece by piece.
fn lossy(bytes: &[u8]) -> Cow<'_, str> {
    std::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
}

/// The texts of a field that is a list of them.
pub(crate) fn strings(def: Def<'_>, field: &str) -> Vec<String> {
    let Some(Value::List(list)) = def.get(field) else { return Vec::new() };
    list.iter().map(|v| if let Value::String(s) = v { lossy(s).into_owned() } else { String::new() }).collect()
}
