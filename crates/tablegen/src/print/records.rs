//! The default output: every class and record as its own source would look after evaluation.

use std::io::{self, Write};

use rustc_hash::FxHashMap;

use crate::print::{Last, Sink};
use crate::record::{FieldDesc, RecId, ShapeId};
use crate::store::Store;
use crate::ty::Ty;
use crate::value::Val;

/// What stands before the value of each field of a layout, made once: `  bits<8> Inst = `.
#[derive(Default)]
struct Heads {
    all: Vec<Head>,
    by_field: FxHashMap<FieldDesc, u32>,
    by_shape: Vec<Option<(Layout, Last)>>,
    supers: Vec<Option<Box<[u8]>>>,
}

/// The fields of a layout in the order of printing.
struct Layout {
    /// Places in the record.
    places: Box<[u16]>,
    /// For each of them, which of all heads.
    heads: Box<[u32]>,
}

struct Head {
    text: Box<[u8]>,
    /// The same for a string that is code.
    code: Option<Box<[u8]>>,
}

impl Heads {
    /// The heads of a layout in the order of printing: `field` ones first.
    fn of(&mut self, store: &Store, shape: ShapeId) -> (&[Head], &mut (Layout, Last)) {
        let at = shape.0 as usize;
        if self.by_shape.len() <= at {
            self.by_shape.resize_with(store.shapes.all.len().max(at + 1), || None);
        }
        let Heads { all, by_field, by_shape, .. } = self;
        let layout = by_shape[at].get_or_insert_with(|| {
            let fields = &store.shapes.get(shape).fields;
            let places: Box<[u16]> = order(fields).collect();
            let mut head = |&at: &u16| {
                let field = fields[usize::from(at)];
                *by_field.entry(field).or_insert_with(|| {
                    all.push(Head::of(store, field));
                    all.len() as u32 - 1
                })
            };
            let heads = places.iter().map(&mut head).collect();
            (Layout { places, heads }, Last::default())
        });
        (all, layout)
    }

    fn supers(&mut self, store: &Store, rec: RecId) -> &[u8] {
        let id = store.rec(rec).supers;
        let at = id.0 as usize;
        if self.supers.len() <= at {
            self.supers.resize_with(store.supers.all.len().max(at + 1), || None);
        }
        self.supers[at].get_or_insert_with(|| {
            let mut out = b" {".to_vec();
            for (i, &class) in store.supers.get(id).list.iter().enumerate() {
                out.extend(if i == 0 { b"\t// ".as_slice() } else { b" " });
                out.extend(store.names.get(store.class_sym(class)));
            }
            out.push(b'\n');
            out.into()
        })
    }
}

/// The places of fields in the order of printing: those with `field` first.
fn order(fields: &[FieldDesc]) -> impl Iterator<Item = u16> + '_ {
    let only = move |loose: bool| (0..fields.len()).filter(move |&i| fields[i].loose == loose).map(|i| i as u16);
    only(true).chain(only(false))
}

impl Head {
    fn of(store: &Store, field: FieldDesc) -> Head {
        let text = |code: bool| {
            let mut out = b"  ".to_vec();
            if field.loose {
                out.extend(b"field ");
            }
            if code {
                out.extend(b"code");
            } else {
                store.write_ty(field.ty, &mut out);
            }
            out.push(b' ');
            out.extend(store.names.get(field.name));
            out.extend(b" = ");
            out.into_boxed_slice()
        };
        Head { text: text(false), code: (field.ty == Ty::STRING).then(|| text(true)) }
    }
}

fn write_record(store: &Store, rec: RecId, heads: &mut Heads, sink: &mut Sink<'_>) {
    let record = store.rec(rec);
    store.write_name(record.name, &mut sink.buffer);
    if !record.args().is_empty() {
        sink.buffer.push(b'<');
        for (i, arg) in record.args().iter().enumerate() {
            if i > 0 {
                sink.buffer.extend(b", ");
            }
            if store.vals.is_code(arg.default) {
                sink.buffer.extend(b"code");
            } else {
                store.write_ty(arg.ty, &mut sink.buffer);
            }
            sink.buffer.push(b' ');
            sink.buffer.extend(store.names.get(arg.name));
            sink.buffer.extend(b" = ");
            store.write_val(arg.default, &mut sink.buffer);
        }
        sink.buffer.push(b'>');
    }
    sink.buffer.extend_from_slice(heads.supers(store, rec));
    let (all, (Layout { places, heads }, last)) = heads.of(store, record.shape);
    sink.fields(last, rec, store, places, |sink, i| {
        let head = &all[heads[i] as usize];
        let value = record.values[usize::from(places[i])];
        let text = match &head.code {
            Some(code) if store.vals.is_code(value) => code,
            _ => &head.text,
        };
        sink.buffer.extend_from_slice(text);
        if value == Val::MISSING {
            sink.buffer.truncate(sink.buffer.len() - b" = ".len());
        } else {
            sink.text(store, value);
        }
        sink.buffer.extend_from_slice(b";\n");
    });
    sink.buffer.extend(b"}\n");
}

impl Store {
    /// The text of one record.
    pub(crate) fn record_text(&self, rec: RecId) -> Vec<u8> {
        let mut out = Vec::new();
        let mut nowhere = io::sink();
        let mut sink = Sink::new(&mut nowhere, self);
        write_record(self, rec, &mut Heads::default(), &mut sink);
        out.append(&mut sink.buffer);
        out
    }
}

pub(crate) fn write_records(store: &Store, out: &mut dyn Write) -> io::Result<()> {
    let mut sink = Sink::new(out, store);
    let mut heads = Heads::default();
    sink.buffer.extend(b"------------- Classes -----------------\n");
    for class in store.sorted_classes() {
        sink.buffer.extend(b"class ");
        write_record(store, class, &mut heads, &mut sink);
        sink.relieve()?;
    }
    sink.buffer.extend(b"------------- Defs -----------------\n");
    for def in store.sorted_defs() {
        sink.buffer.extend(b"def ");
        write_record(store, def, &mut heads, &mut sink);
        sink.relieve()?;
    }
    sink.flush()
}

/// Prints all classes and records, as `llvm-tblgen --print-records` does.
///
/// # Errors
///
/// Those of the output.
pub fn print_records(records: &crate::Records, out: &mut dyn Write) -> io::Result<()> {
    write_records(records.store(), out)
}
