//! The small outputs: the names of the records of a class, and tags for editors.

use std::io::{self, Write};

use crate::Records;
use crate::record::RecId;

/// Prints the names of all records of a class, as `llvm-tblgen --print-enums` does.
///
/// # Errors
///
/// Those of the output.
pub fn print_enums(records: &mut Records, class: &str, out: &mut dyn Write) -> io::Result<()> {
    if records.class(class).is_none() {
        records.fail("tblgen-undefined", &format!("The class '{class}' is not defined\n"));
        return Ok(());
    }
    for def in records.defs_of(class) {
        write!(out, "{}, ", def.name())?;
    }
    writeln!(out)
}

/// Prints an index of classes and records for editors, as `llvm-tblgen --gen-ctags` does.
///
/// # Errors
///
/// Those of the output.
pub fn print_ctags(records: &Records, out: &mut dyn Write) -> io::Result<()> {
    let store = records.store();
    let mut all: Vec<RecId> = store.sorted_classes();
    all.extend(store.sorted_defs());
    let mut tags: Vec<(Vec<u8>, RecId)> = all.into_iter().map(|id| (store.rec_name(id), id)).collect();
    tags.sort_by(|a, b| a.0.cmp(&b.0));
    out.write_all(b"!_TAG_FILE_FORMAT\t1\t/original ctags format/\n")?;
    out.write_all(b"!_TAG_FILE_SORTED\t1\t/0=unsorted, 1=sorted, 2=foldcase/\n")?;
    for (name, id) in tags {
        let Some((file, line, _)) = store.places.line_col(store.rec(id).loc()) else { continue };
        out.write_all(&name)?;
        writeln!(out, "\t{file}\t{line}")?;
    }
    Ok(())
}
