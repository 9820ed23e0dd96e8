//! The JSON output: one object, its keys sorted bytewise, written straight from the records.

use std::io::{self, Write};

use isaglot_invariant::Impossible as _;

use crate::loc::Loc;
use crate::names::Sym;
use crate::print::{Last, Sink};
use crate::record::{RecId, RecKind, ShapeId};
use crate::store::Store;
use crate::text;
use crate::texts::Texts;
use crate::value::{Val, ValueKind, dag_args, dag_op};

/// Whether each byte stands for itself between quotes: printable ASCII but for a quote and a backslash.
fn is_plain(eight: [u8; 8]) -> bool {
    const ONES: u64 = u64::MAX / 255;
    const TOPS: u64 = ONES << 7;
    let word = u64::from_le_bytes(eight);
    // The top bit of a byte that is 0, as long as no byte has its own top bit.
    let zeros = |word: u64| word.wrapping_sub(ONES) & !word;
    let below_blank = word.wrapping_sub(ONES * 0x20) & !word;
    let quotes = zeros(word ^ (ONES * u64::from(b'"')));
    let backslashes = zeros(word ^ (ONES * u64::from(b'\\')));
    (word | below_blank | quotes | backslashes) & TOPS == 0
}

/// Whether that is so of all bytes.
fn are_plain(text: &[u8]) -> bool {
    let (eights, rest) = text.as_chunks::<8>();
    // The last eight again, some of which were looked at already; of a shorter text its bytes, and blanks.
    let last = match text.last_chunk::<8>() {
        Some(last) => *last,
        None => {
            rest.iter().rev().fold(u64::from_le_bytes([b' '; 8]), |word, &b| word << 8 | u64::from(b)).to_le_bytes()
        }
    };
    is_plain(last) && eights.iter().all(|eight| is_plain(*eight))
}

/// Adds a JSON string; bytes that are not UTF-8 become U+FFFD.
pub(crate) fn quote(text: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    if are_plain(text) {
        out.extend_from_slice(text);
    } else {
        for c in String::from_utf8_lossy(text).bytes() {
            match c {
                b'"' | b'\\' => out.extend([b'\\', c]),
                b'\t' => out.extend(b"\\t"),
                b'\n' => out.extend(b"\\n"),
                b'\r' => out.extend(b"\\r"),
                0..0x20 => {
                    let _ = write!(out, "\\u{c:04x}");
                }
                _ => out.push(c),
            }
        }
    }
    out.push(b'"');
}

/// Writes values as JSON.
struct Writer<'a> {
    store: &'a Store,
    out: &'a mut Vec<u8>,
    /// Texts as JSON.
    texts: &'a mut Texts,
    /// Texts as print-records has them, which are part of some values.
    printed: &'a mut Texts,
}

impl Writer<'_> {
    /// Adds a value, by its text if that is kept.
    fn known(&mut self, v: Val) {
        if self.texts.copy(v, self.out) {
            return;
        }
        let from = self.out.len();
        self.anew(v);
        self.texts.note(v, &self.out[from..]);
    }

    /// Adds a value, which may be a part of another.
    fn val(&mut self, v: Val) {
        match self.store.vals.kind(v) {
            ValueKind::Unset | ValueKind::Bit | ValueKind::Int => self.anew(v),
            _ => self.known(v),
        }
    }

    fn quoted(&mut self, name: Sym) {
        quote(self.store.names.get(name), self.out);
    }

    /// The text that print-records has for a value.
    fn printable(&mut self, v: Val) {
        self.out.extend_from_slice(b"\"printable\":\"");
        let from = self.out.len();
        text::Writer::new(self.store, self.out, Some(self.printed)).known(v);
        if are_plain(&self.out[from..]) {
            self.out.push(b'"');
        } else {
            let text = self.out.split_off(from);
            self.out.pop();
            quote(&text, self.out);
        }
    }

    /// Adds a value whose text is not kept.
    fn anew(&mut self, v: Val) {
        let store = self.store;
        if self.out.len() > store.max_text {
            return;
        }
        let node = store.vals.look(v);
        match node.kind {
            ValueKind::Unset => self.out.extend_from_slice(b"null"),
            ValueKind::Bit => self.out.push(if v == Val::TRUE { b'1' } else { b'0' }),
            ValueKind::Bits => {
                self.out.push(b'[');
                for i in 0..store.vals.bits_len(v) {
                    match store.vals.bits_at(v, i) {
                        Val::UNSET => self.out.extend_from_slice(b"null,"),
                        Val::FALSE => self.out.extend_from_slice(b"0,"),
                        Val::TRUE => self.out.extend_from_slice(b"1,"),
                        bit => {
                            self.val(bit);
                            self.out.push(b',');
                        }
                    }
                }
                self.close();
            }
            ValueKind::Int => store.write_val(v, self.out),
            ValueKind::Str => self.quoted(Sym(node.a)),
            ValueKind::List => {
                self.out.push(b'[');
                for &part in store.vals.run(v) {
                    self.val(Val(part));
                    self.out.push(b',');
                }
                self.close();
            }
            ValueKind::Def => {
                self.out.extend_from_slice(b"{\"def\":");
                let from = self.out.len();
                match store.vals.as_str(store.rec(RecId(node.a)).name) {
                    Some(name) => self.quoted(name),
                    None => quote(&store.rec_name(RecId(node.a)), self.out),
                }
                let to = self.out.len();
                self.out.extend_from_slice(b",\"kind\":\"def\",\"printable\":");
                self.out.extend_from_within(from..to);
                self.out.push(b'}');
            }
            ValueKind::Var => {
                self.out.extend_from_slice(b"{\"kind\":\"var\",");
                self.printable(v);
                self.out.extend_from_slice(b",\"var\":");
                self.quoted(Sym(node.a));
                self.out.push(b'}');
            }
            ValueKind::VarBit if store.vals.kind(Val(node.a)) == ValueKind::Var => {
                self.out.extend_from_slice(b"{\"index\":");
                text::write_number(i64::from(node.b), self.out);
                self.out.extend_from_slice(b",\"kind\":\"varbit\",");
                self.printable(v);
                self.out.extend_from_slice(b",\"var\":");
                self.quoted(Sym(store.vals.node(Val(node.a)).a));
                self.out.push(b'}');
            }
            ValueKind::Dag => {
                let run = store.vals.run(v);
                self.out.extend_from_slice(b"{\"args\":[");
                for (arg, name) in dag_args(run) {
                    self.out.push(b'[');
                    self.val(arg);
                    if name == Sym::NONE {
                        self.out.extend_from_slice(b",null],");
                    } else {
                        self.out.push(b',');
                        self.quoted(name);
                        self.out.extend_from_slice(b"],");
                    }
                }
                self.close();
                self.out.extend_from_slice(b",\"kind\":\"dag\",");
                if run[1] != Sym::NONE.0 {
                    self.out.extend_from_slice(b"\"name\":");
                    self.quoted(Sym(run[1]));
                    self.out.push(b',');
                }
                self.out.extend_from_slice(b"\"operator\":");
                self.val(dag_op(run));
                self.out.push(b',');
                self.printable(v);
                self.out.push(b'}');
            }
            _ => {
                self.out.extend_from_slice(b"{\"kind\":\"complex\",");
                self.printable(v);
                self.out.push(b'}');
            }
        }
    }

    /// Ends an array of elements that each have a comma after them.
    fn close(&mut self) {
        match self.out.last_mut() {
            Some(comma) if *comma == b',' => *comma = b']',
            _ => self.out.push(b']'),
        }
    }
}

/// What is the same in every record of a layout.
struct Layout {
    /// `"!fields":[…]`
    fields: Box<[u8]>,
    /// Places of the fields by name.
    places: Box<[u16]>,
    /// `,"name":` of each.
    keys: Box<[Box<[u8]>]>,
    last: Last,
}

fn layout(store: &Store, shape: ShapeId) -> Layout {
    let all = &store.shapes.get(shape).fields;
    let mut fields = b",\"!fields\":[".to_vec();
    for (i, field) in all.iter().filter(|f| f.loose).enumerate() {
        if i > 0 {
            fields.push(b',');
        }
        quote(store.names.get(field.name), &mut fields);
    }
    fields.push(b']');
    let mut places: Vec<u16> = (0..all.len() as u16).collect();
    let name = |at: u16| store.names.get(all[usize::from(at)].name);
    places.sort_by(|&a, &b| name(a).cmp(name(b)));
    let key = |&at: &u16| {
        let mut out = b",".to_vec();
        quote(name(at), &mut out);
        out.push(b':');
        out.into_boxed_slice()
    };
    let keys = places.iter().map(key).collect();
    Layout { fields: fields.into(), places: places.into(), keys, last: Last::default() }
}

/// Writes places: `"file:line"`, the file without its folder.
struct Places<'a> {
    store: &'a Store,
    /// For each file its name, with a quote before it and a colon after it.
    heads: Vec<Option<Box<[u8]>>>,
}

impl Places<'_> {
    fn write(&mut self, loc: Loc, out: &mut Vec<u8>) {
        let places = &self.store.places;
        let found = places.buffer(loc).and_then(|(buffer, at)| Some((buffer.file, at, places.files.get(buffer.file)?)));
        let Some((id, at, file)) = found else { return out.extend_from_slice(b"\"\"") };
        let slot = id.0 as usize;
        if self.heads.len() <= slot {
            self.heads.resize(slot + 1, None);
        }
        let head = self.heads[slot].get_or_insert_with(|| {
            let mut text = Vec::new();
            quote(file_name(&file.name).as_bytes(), &mut text);
            text.pop();
            text.push(b':');
            text.into()
        });
        out.extend_from_slice(head);
        text::write_number(i64::from(file.line_of(at)), out);
        out.push(b'"');
    }
}

/// The name of a file without its folder.
pub(crate) fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

fn write_record(
    store: &Store,
    rec: RecId,
    layout: &mut Layout,
    supers: &[u8],
    locs: &mut Places<'_>,
    printed: &mut Texts,
    sink: &mut Sink<'_>,
) {
    let record = store.rec(rec);
    let name = store.class_name(rec);
    let out = &mut sink.buffer;
    let name_start = out.len();
    quote(name, out);
    let name_end = out.len();
    out.extend(b":{\"!anonymous\":");
    out.extend(if record.kind == RecKind::AnonymousDef { b"true".as_slice() } else { b"false" });
    out.extend_from_slice(&layout.fields);
    out.extend(b",\"!locs\":[");
    for (i, loc) in record.locs.iter().enumerate() {
        if i > 0 {
            out.push(b',');
        }
        locs.write(loc, out);
    }
    out.extend(b"],\"!name\":");
    out.extend_from_within(name_start..name_end);
    out.extend_from_slice(supers);
    let Layout { places, keys, last, .. } = layout;
    sink.fields(last, rec, store, places, |sink, i| {
        sink.buffer.extend_from_slice(&keys[i]);
        let value = record.values[usize::from(places[i])];
        match store.vals.kind(value) {
            ValueKind::Unset => sink.buffer.extend_from_slice(b"null"),
            ValueKind::Bit => sink.buffer.push(if value == Val::TRUE { b'1' } else { b'0' }),
            _ => {
                let Sink { buffer: out, texts, .. } = sink;
                Writer { store, out, texts, printed }.known(value);
            }
        }
    });
    sink.buffer.push(b'}');
}

fn super_names(store: &Store, rec: RecId) -> Vec<u8> {
    let mut out = b",\"!superclasses\":[".to_vec();
    for (i, &class) in store.supers.get(store.rec(rec).supers).list.iter().enumerate() {
        if i > 0 {
            out.push(b',');
        }
        quote(&store.rec_name(class), &mut out);
    }
    out.push(b']');
    out
}

fn write_instances(store: &Store, defs: &[RecId], sink: &mut Sink<'_>) -> io::Result<()> {
    let classes = store.sorted_classes();
    let mut place = vec![usize::MAX; classes.len()];
    for (i, &class) in classes.iter().enumerate() {
        if let Some(slot) = place.get_mut(store.class_number(class) as usize) {
            *slot = i;
        }
    }
    // The names with their quotes and a comma, one after the other, and where each ends.
    let mut names = Vec::new();
    let mut ends = Vec::with_capacity(1 + defs.len());
    ends.push(0);
    // How many records each class has, and then where the next of them goes in the list of all.
    let mut next = vec![0; classes.len()];
    let of = |def: RecId| {
        let list = &store.supers.get(store.rec(def).supers).list;
        list.iter().filter_map(|&class| place.get(store.class_number(class) as usize).copied())
    };
    for &def in defs {
        quote(store.class_name(def), &mut names);
        names.push(b',');
        ends.push(names.len());
        for at in of(def) {
            *next.get_mut(at).or_impossible(&mut 0) += 1;
        }
    }
    let mut total = 0;
    for count in &mut next {
        total += std::mem::replace(count, total);
    }
    let mut members = vec![0; total];
    for (number, &def) in (0..).zip(defs) {
        for at in of(def) {
            if let Some(next) = next.get_mut(at)
                && let Some(slot) = members.get_mut(*next)
            {
                *slot = number;
                *next += 1;
            }
        }
    }
    sink.buffer.extend(b"\"!instanceof\":{");
    let mut from = 0;
    for (i, (&class, &to)) in classes.iter().zip(&next).enumerate() {
        if i > 0 {
            sink.buffer.push(b',');
        }
        quote(store.class_name(class), &mut sink.buffer);
        sink.buffer.extend(b":[");
        let list: &[usize] = members.get(from..to).or_impossible(&[]);
        for &number in list {
            sink.buffer.extend_from_slice(&names[ends[number]..ends[number + 1]]);
            sink.relieve()?;
        }
        if !list.is_empty() {
            sink.buffer.pop();
        }
        sink.buffer.push(b']');
        from = to;
    }
    sink.buffer.push(b'}');
    Ok(())
}

pub(crate) fn write_json(store: &Store, out: &mut dyn Write) -> io::Result<()> {
    let mut sink = Sink::new(out, store);
    let defs = store.sorted_defs();
    let mut layouts: Vec<Option<Layout>> = Vec::new();
    layouts.resize_with(store.shapes.all.len(), || None);
    let mut supers: Vec<Option<Vec<u8>>> = vec![None; store.supers.all.len()];
    // The two keys that are not records are sorted by name among them.
    let specials: [&[u8]; 2] = [b"!instanceof", b"!tablegen_json_version"];
    let mut places = Places { store, heads: Vec::new() };
    let mut printed = Texts::new(store.vals.len());
    let mut written = 0;
    let mut first = true;
    sink.buffer.push(b'{');
    for def in defs.iter().map(|&d| Some(d)).chain([None]) {
        while written < 2 && def.is_none_or(|d| store.class_name(d) > specials[written]) {
            if !std::mem::replace(&mut first, false) {
                sink.buffer.push(b',');
            }
            if written == 0 {
                write_instances(store, &defs, &mut sink)?;
            } else {
                sink.buffer.extend(b"\"!tablegen_json_version\":1");
            }
            written += 1;
        }
        let Some(def) = def else { break };
        if specials.contains(&store.class_name(def)) {
            continue;
        }
        if !std::mem::replace(&mut first, false) {
            sink.buffer.push(b',');
        }
        let record = store.rec(def);
        let layout = layouts[record.shape.0 as usize].get_or_insert_with(|| layout(store, record.shape));
        let supers = supers[record.supers.0 as usize].get_or_insert_with(|| super_names(store, def));
        write_record(store, def, layout, supers, &mut places, &mut printed, &mut sink);
        sink.relieve()?;
    }
    sink.buffer.extend(b"}\n");
    sink.flush()
}

/// Prints all records as JSON, as `llvm-tblgen --dump-json` does.
///
/// # Errors
///
/// Those of the output.
pub fn dump_json(records: &crate::Records, out: &mut dyn Write) -> io::Result<()> {
    write_json(records.store(), out)
}
