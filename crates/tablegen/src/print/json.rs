//! The JSON output: one object, its keys sorted bytewise, written straight from the records.

use std::io::{self, Write};

use rustc_hash::FxHashMap;

use isaglot_invariant::Impossible as _;

use crate::loc::Loc;
use crate::names::Sym;
use crate::print::{Last, Sink};
use crate::record::{RecId, RecKind, ShapeId};
use crate::store::Store;
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

/// Adds a JSON string; bytes that are not UTF-8 become U+FFFD.
pub(crate) fn quote(text: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    let (eights, rest) = text.as_chunks::<8>();
    let mut last = [b' '; 8];
    last[..rest.len()].copy_from_slice(rest);
    if eights.iter().chain([&last]).all(|eight| is_plain(*eight)) {
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

fn printable(store: &Store, v: Val, out: &mut Vec<u8>) {
    out.extend(b"\"printable\":");
    quote(&store.val_text(v), out);
}

/// Adds a value.
pub(crate) fn write_value(store: &Store, v: Val, out: &mut Vec<u8>) {
    let node = store.vals.node(v);
    if out.len() > store.max_text {
        return;
    }
    match node.kind {
        ValueKind::Unset => out.extend(b"null"),
        ValueKind::Bit => out.push(if v == Val::TRUE { b'1' } else { b'0' }),
        ValueKind::Bits => {
            out.push(b'[');
            for i in 0..store.vals.bits_len(v) {
                if i > 0 {
                    out.push(b',');
                }
                write_value(store, store.vals.bits_at(v, i), out);
            }
            out.push(b']');
        }
        ValueKind::Int => store.write_val(v, out),
        ValueKind::Str => quote(store.names.get(Sym(node.a)), out),
        ValueKind::List => {
            out.push(b'[');
            for (i, &part) in store.vals.run(v).iter().enumerate() {
                if i > 0 {
                    out.push(b',');
                }
                write_value(store, Val(part), out);
            }
            out.push(b']');
        }
        ValueKind::Def => {
            out.extend(b"{\"def\":");
            let name = store.rec_name(RecId(node.a));
            quote(&name, out);
            out.extend(b",\"kind\":\"def\",\"printable\":");
            quote(&name, out);
            out.push(b'}');
        }
        ValueKind::Var => {
            out.extend(b"{\"kind\":\"var\",");
            printable(store, v, out);
            out.extend(b",\"var\":");
            quote(store.names.get(Sym(node.a)), out);
            out.push(b'}');
        }
        ValueKind::VarBit if store.vals.kind(Val(node.a)) == ValueKind::Var => {
            let _ = write!(out, "{{\"index\":{},\"kind\":\"varbit\",", node.b);
            printable(store, v, out);
            out.extend(b",\"var\":");
            quote(store.names.get(Sym(store.vals.node(Val(node.a)).a)), out);
            out.push(b'}');
        }
        ValueKind::Dag => {
            let run = store.vals.run(v);
            out.extend(b"{\"args\":[");
            for (i, (arg, name)) in dag_args(run).enumerate() {
                out.extend(if i == 0 { b"[".as_slice() } else { b",[" });
                write_value(store, arg, out);
                out.push(b',');
                if name == Sym::NONE {
                    out.extend(b"null");
                } else {
                    quote(store.names.get(name), out);
                }
                out.push(b']');
            }
            out.extend(b"],\"kind\":\"dag\",");
            if run[1] != Sym::NONE.0 {
                out.extend(b"\"name\":");
                quote(store.names.get(Sym(run[1])), out);
                out.push(b',');
            }
            out.extend(b"\"operator\":");
            write_value(store, dag_op(run), out);
            out.push(b',');
            printable(store, v, out);
            out.push(b'}');
        }
        _ => {
            out.extend(b"{\"kind\":\"complex\",");
            printable(store, v, out);
            out.push(b'}');
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

/// `file:line`, without the folder.
pub(crate) fn short_loc(store: &Store, loc: Loc) -> String {
    let Some((file, line, _)) = store.places.line_col(loc) else { return String::new() };
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    format!("{name}:{line}")
}

fn write_record(
    store: &Store,
    rec: RecId,
    layout: &mut Layout,
    supers: &[u8],
    places: &mut Places,
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
        out.extend_from_slice(places.entry(loc).or_insert_with(|| {
            let mut text = Vec::new();
            quote(short_loc(store, loc).as_bytes(), &mut text);
            text.into()
        }));
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
            _ => sink.value(value, |out| write_value(store, value, out)),
        }
    });
    sink.buffer.push(b'}');
}

/// The text of places, which many records share.
type Places = FxHashMap<Loc, Box<[u8]>>;

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
    let mut members: Vec<Vec<u32>> = vec![Vec::new(); classes.len()];
    let mut place = vec![usize::MAX; classes.len()];
    for (i, &class) in classes.iter().enumerate() {
        if let Some(slot) = place.get_mut(store.class_number(class) as usize) {
            *slot = i;
        }
    }
    // The names with their quotes and a comma, one after the other, and where each ends.
    let mut names = Vec::new();
    let mut ends = vec![0];
    for (number, &def) in defs.iter().enumerate() {
        quote(store.class_name(def), &mut names);
        names.push(b',');
        ends.push(names.len());
        for &class in &store.supers.get(store.rec(def).supers).list {
            let at = place.get(store.class_number(class) as usize).copied().or_impossible(usize::MAX);
            if let Some(list) = members.get_mut(at) {
                list.push(number as u32);
            }
        }
    }
    sink.buffer.extend(b"\"!instanceof\":{");
    for (i, (&class, list)) in classes.iter().zip(&members).enumerate() {
        if i > 0 {
            sink.buffer.push(b',');
        }
        quote(store.class_name(class), &mut sink.buffer);
        sink.buffer.extend(b":[");
        for &number in list {
            let (from, to) = (ends[number as usize], ends[number as usize + 1]);
            sink.buffer.extend_from_slice(&names[from..to]);
            sink.relieve()?;
        }
        if !list.is_empty() {
            sink.buffer.pop();
        }
        sink.buffer.push(b']');
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
    let mut places = Places::default();
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
        write_record(store, def, layout, supers, &mut places, &mut sink);
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
