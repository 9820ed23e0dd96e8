//! Register pressure for people: what is hot, then where, then each function and loop with its peaks.

use std::fmt::Write;

use super::{Hot, HotFile, Peak};
use crate::text::Colours;

/// The whole answer.
#[must_use]
pub fn text(hot: &Hot<'_>, colours: Colours) -> String {
    let mut out = String::new();
    if hot.files.is_empty() {
        return "no register is live anywhere\n".to_owned();
    }
    for file in &hot.files {
        one_file(file, colours, &mut out);
    }
    let rows = hot.functions.iter().map(|f| Row {
        name: f.function.to_owned(),
        blocks: f.blocks,
        instructions: f.instructions,
        peaks: &f.peaks,
    });
    table("function", &rows.collect::<Vec<_>>(), hot, colours, &mut out);
    let rows = hot.loops.iter().map(|l| Row {
        name: format!("{:w$}{}", "", l.head, w = 2 * (l.depth as usize - 1)),
        blocks: l.blocks,
        instructions: l.instructions,
        peaks: &l.peaks,
    });
    table("loop", &rows.collect::<Vec<_>>(), hot, colours, &mut out);
    out
}

fn one_file(file: &HotFile<'_>, colours: Colours, out: &mut String) {
    let Colours { label, dim, reset, .. } = colours;
    let plural = if file.bytes == 1 { " is" } else { "s are" };
    let _ = writeln!(out, "at most {} byte{plural} live in `{}` at once", file.bytes, file.file);
    let width = |cells: &mut dyn Iterator<Item = usize>| cells.max().unwrap_or(0);
    let bytes = width(&mut file.points.iter().map(|p| p.bytes.to_string().len())).max("bytes".len());
    let block = width(&mut file.points.iter().map(|p| p.block.chars().count())).max("block".len());
    let number = width(&mut file.points.iter().map(|p| p.inst.to_string().len())).max("line".len());
    let _ = writeln!(out, "{dim}  {:>bytes$}  {:block$}  {:>number$}  before{reset}", "bytes", "block", "line");
    for p in &file.points {
        let at = p.pc.map(|pc| format!("{dim}{pc:>6x}:{reset} ")).unwrap_or_default();
        let _ = writeln!(
            out,
            "  {:>bytes$}  {label}{:block$}{reset}  {:>number$}  {at}{}",
            p.bytes, p.block, p.inst, p.text
        );
    }
    out.push('\n');
}

struct Row<'a> {
    name: String,
    blocks: usize,
    instructions: usize,
    peaks: &'a [Peak<'a>],
}

/// A line for each region, with a column for each register file.
fn table(what: &str, rows: &[Row<'_>], hot: &Hot<'_>, colours: Colours, out: &mut String) {
    if rows.is_empty() {
        let _ = writeln!(out, "no {what}s");
        return;
    }
    let Colours { label, dim, reset, .. } = colours;
    let name = rows.iter().map(|r| r.name.chars().count()).max().unwrap_or(0).max(what.len());
    let cell = |row: &Row<'_>, file: &str| {
        let peak = row.peaks.iter().find(|peak| peak.file == file);
        peak.map_or("-".to_owned(), |peak| format!("{} (line {})", peak.bytes, peak.inst))
    };
    let _ = write!(out, "{dim}{what:name$}  blocks  instructions");
    for file in &hot.files {
        let _ = write!(out, "  {:20}", format!("most of {}", file.file));
    }
    out.truncate(out.trim_end().len());
    let _ = writeln!(out, "{reset}");
    for row in rows {
        let _ = write!(out, "{label}{:name$}{reset}  {:>6}  {:>12}", row.name, row.blocks, row.instructions);
        for file in &hot.files {
            let _ = write!(out, "  {:20}", cell(row, file.file));
        }
        out.truncate(out.trim_end().len());
        out.push('\n');
    }
    if what == "function" {
        out.push('\n');
    }
}
