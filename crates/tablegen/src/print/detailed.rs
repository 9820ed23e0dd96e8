//! Classes and records with the place of everything in them.

use std::io::{self, Write};

use crate::names::Sym;
use crate::print::Sink;
use crate::print::json::file_name;
use crate::record::RecId;
use crate::store::Store;
use crate::ty::Ty;
use crate::value::Val;

fn heading(name: &str, count: usize, out: &mut Vec<u8>) {
    let line = "-".repeat(20);
    let _ = writeln!(out, "\n{line} {name} ({count}) {line}");
}

fn at(store: &Store, loc: crate::loc::Loc, out: &mut Vec<u8>) {
    match store.places.line_col(loc) {
        Some((file, line, _)) => {
            let _ = write!(out, "|{}:{line}|", file_name(file));
        }
        None => out.extend(b"||"),
    }
}

fn field(store: &Store, ty: Ty, name: Sym, value: Val, sink: &mut Sink<'_>) {
    if store.vals.is_code(value) {
        sink.buffer.extend(b"code");
    } else {
        store.write_ty(ty, &mut sink.buffer);
    }
    sink.buffer.push(b' ');
    sink.buffer.extend(store.names.get(name));
    if value != Val::MISSING {
        sink.buffer.extend(b" = ");
        sink.text(store, value);
    }
}

fn supers(store: &Store, rec: RecId, out: &mut Vec<u8>) {
    let list = &store.supers.get(store.rec(rec).supers).list;
    out.extend(b"  Superclasses:");
    if list.is_empty() {
        out.extend(b" (none)");
    }
    let direct = store.direct_supers(rec);
    for &class in list {
        let name = store.rec_name(class);
        if direct.contains(&class) {
            out.push(b' ');
            out.extend(name);
        } else {
            out.extend(b" (");
            out.extend(name);
            out.push(b')');
        }
    }
    out.push(b'\n');
}

fn fields(store: &Store, rec: RecId, sink: &mut Sink<'_>) {
    let record = store.rec(rec);
    let all = &store.shapes.get(record.shape).fields;
    sink.buffer.extend(if all.is_empty() && record.args().is_empty() {
        b"  Fields: (none)\n".as_slice()
    } else {
        b"  Fields:\n"
    });
    let locs = store.field_locs.of_all(record.field_locs, all.len());
    for ((i, desc), loc) in all.iter().enumerate().zip(locs) {
        sink.buffer.extend(b"    ");
        if desc.loose {
            sink.buffer.extend(b"field ");
        }
        field(store, desc.ty, desc.name, record.values[i], sink);
        sink.buffer.extend(b"  ");
        at(store, loc, &mut sink.buffer);
        sink.buffer.push(b'\n');
    }
}

fn title(store: &Store, rec: RecId, out: &mut Vec<u8>) {
    out.push(b'\n');
    let name = store.rec_name(rec);
    out.extend(if name.is_empty() { b"\"\"".to_vec() } else { name });
    out.extend(b"  ");
    at(store, store.rec(rec).loc(), out);
    out.push(b'\n');
}

/// Prints classes and records with places, as `llvm-tblgen --print-detailed-records` does. `input` is the name of the
/// input file.
///
/// # Errors
///
/// Those of the output.
pub fn print_detailed_records(records: &crate::Records, input: &str, out: &mut dyn Write) -> io::Result<()> {
    let store = records.store();
    let mut sink = Sink::new(out, store);
    let _ = writeln!(sink.buffer, "DETAILED RECORDS for file {input}");
    heading("Global Variables", store.globals.len(), &mut sink.buffer);
    sink.buffer.push(b'\n');
    let mut globals: Vec<(Sym, Val)> = store.globals.iter().map(|(&n, &v)| (n, v)).collect();
    globals.sort_by(|a, b| store.names.get(a.0).cmp(store.names.get(b.0)));
    for (name, value) in globals {
        sink.buffer.extend(store.names.get(name));
        sink.buffer.extend(b" = ");
        sink.text(store, value);
        sink.buffer.push(b'\n');
    }
    let classes = store.sorted_classes();
    heading("Classes", classes.len(), &mut sink.buffer);
    for class in classes {
        title(store, class, &mut sink.buffer);
        let args = store.rec(class).args();
        sink.buffer.extend(if args.is_empty() {
            b"  Template args: (none)\n".as_slice()
        } else {
            b"  Template args:\n"
        });
        for arg in args {
            sink.buffer.extend(b"    ");
            field(store, arg.ty, arg.name, arg.default, &mut sink);
            sink.buffer.extend(b"  ");
            at(store, arg.loc, &mut sink.buffer);
            sink.buffer.push(b'\n');
        }
        supers(store, class, &mut sink.buffer);
        fields(store, class, &mut sink);
        sink.relieve()?;
    }
    let defs = store.sorted_defs();
    heading("Records", defs.len(), &mut sink.buffer);
    for def in defs {
        title(store, def, &mut sink.buffer);
        let locs = &store.rec(def).locs;
        if locs.iter().nth(1).is_some() {
            sink.buffer.extend(b"  Defm sequence:");
            for loc in locs.iter().skip(1).collect::<Vec<_>>().into_iter().rev() {
                sink.buffer.push(b' ');
                at(store, loc, &mut sink.buffer);
            }
            sink.buffer.push(b'\n');
        }
        supers(store, def, &mut sink.buffer);
        fields(store, def, &mut sink);
        sink.relieve()?;
    }
    sink.flush()
}
