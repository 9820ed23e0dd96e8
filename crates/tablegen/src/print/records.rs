//! The default output: every class and record as its own source would look after evaluation.

use std::io::{self, Write};

use crate::ctx::Ctx;
use crate::print::{Last, Sink};
use crate::record::{RecId, ShapeId};
use crate::ty::Ty;
use crate::value::Val;

/// What stands before the value of each field of a layout, made once: `  bits<8> Inst = `.
#[derive(Default)]
struct Heads {
    by_shape: Vec<Option<(Layout, Last)>>,
    supers: Vec<Option<Box<[u8]>>>,
}

/// The fields of a layout in the order of printing.
struct Layout {
    /// Places in the record.
    places: Box<[u16]>,
    heads: Box<[Head]>,
}

struct Head {
    text: Box<[u8]>,
    /// The same for a string that is code.
    code: Option<Box<[u8]>>,
}

impl Heads {
    /// The heads of a layout in the order of printing: `field` ones first.
    fn of(&mut self, ctx: &Ctx, shape: ShapeId) -> &mut (Layout, Last) {
        let at = shape.0 as usize;
        if self.by_shape.len() <= at {
            self.by_shape.resize_with(ctx.shapes.all.len().max(at + 1), || None);
        }
        self.by_shape[at].get_or_insert_with(|| (make_heads(ctx, shape), Last::default()))
    }

    fn supers(&mut self, ctx: &Ctx, rec: RecId) -> &[u8] {
        let id = ctx.rec(rec).supers;
        let at = id.0 as usize;
        if self.supers.len() <= at {
            self.supers.resize_with(ctx.supers.all.len().max(at + 1), || None);
        }
        self.supers[at].get_or_insert_with(|| {
            let mut out = b" {".to_vec();
            for (i, &class) in ctx.supers.get(id).list.iter().enumerate() {
                out.extend(if i == 0 { b"\t// ".as_slice() } else { b" " });
                out.extend(ctx.names.get(ctx.class_sym(class)));
            }
            out.push(b'\n');
            out.into()
        })
    }
}

fn make_heads(ctx: &Ctx, shape: ShapeId) -> Layout {
    let fields = &ctx.shapes.get(shape).fields;
    let head = |at: usize, code: bool| {
        let field = fields[at];
        let mut out = b"  ".to_vec();
        if field.loose {
            out.extend(b"field ");
        }
        if code {
            out.extend(b"code");
        } else {
            ctx.write_ty(field.ty, &mut out);
        }
        out.push(b' ');
        out.extend(ctx.names.get(field.name));
        out.extend(b" = ");
        out.into_boxed_slice()
    };
    let order = (0..fields.len()).filter(|&i| fields[i].loose).chain((0..fields.len()).filter(|&i| !fields[i].loose));
    let places: Box<[u16]> = order.map(|at| at as u16).collect();
    let make = |at: usize| Head { text: head(at, false), code: (fields[at].ty == Ty::STRING).then(|| head(at, true)) };
    let heads = places.iter().map(|&at| make(usize::from(at))).collect();
    Layout { places, heads }
}

fn write_record(ctx: &Ctx, rec: RecId, heads: &mut Heads, sink: &mut Sink<'_>) {
    let record = ctx.rec(rec);
    ctx.write_name(record.name, &mut sink.buffer);
    if !record.args().is_empty() {
        sink.buffer.push(b'<');
        for (i, arg) in record.args().iter().enumerate() {
            if i > 0 {
                sink.buffer.extend(b", ");
            }
            if ctx.vals.is_code(arg.default) {
                sink.buffer.extend(b"code");
            } else {
                ctx.write_ty(arg.ty, &mut sink.buffer);
            }
            sink.buffer.push(b' ');
            sink.buffer.extend(ctx.names.get(arg.name));
            sink.buffer.extend(b" = ");
            ctx.write_val(arg.default, &mut sink.buffer);
        }
        sink.buffer.push(b'>');
    }
    sink.buffer.extend_from_slice(heads.supers(ctx, rec));
    let (Layout { places, heads }, last) = heads.of(ctx, record.shape);
    sink.fields(last, rec, ctx, places, |sink, i| {
        let head = &heads[i];
        let value = record.values[usize::from(places[i])];
        let text = match &head.code {
            Some(code) if ctx.vals.is_code(value) => code,
            _ => &head.text,
        };
        sink.buffer.extend_from_slice(text);
        if value == Val::MISSING {
            sink.buffer.truncate(sink.buffer.len() - b" = ".len());
        } else {
            sink.text(ctx, value);
        }
        sink.buffer.extend_from_slice(b";\n");
    });
    sink.buffer.extend(b"}\n");
}

impl Ctx {
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

pub(crate) fn write_records(ctx: &Ctx, out: &mut dyn Write) -> io::Result<()> {
    let mut sink = Sink::new(out, ctx);
    let mut heads = Heads::default();
    sink.buffer.extend(b"------------- Classes -----------------\n");
    for class in ctx.sorted_classes() {
        sink.buffer.extend(b"class ");
        write_record(ctx, class, &mut heads, &mut sink);
        sink.relieve()?;
    }
    sink.buffer.extend(b"------------- Defs -----------------\n");
    for def in ctx.sorted_defs() {
        sink.buffer.extend(b"def ");
        write_record(ctx, def, &mut heads, &mut sink);
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
    write_records(records.ctx(), out)
}
