//! Register pressure for people: what is hot, then where, then each function and loop with its peaks.

use std::fmt::Write;

use super::{Hot, HotFile, Peak};
use crate::limits::MAX_HOT_ROWS;
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

/// The rows with the highest peaks, by the first register file that tells them apart; in the order of the program.
fn hottest<'a, 'r>(rows: &'a [Row<'r>], hot: &Hot<'_>) -> Vec<&'a Row<'r>> {
    let bytes =
        |row: &Row<'_>, file: &str| row.peaks.iter().find(|peak| peak.file == file).map_or(0, |peak| peak.bytes);
    let heat = |row: &Row<'_>| hot.files.iter().map(|file| bytes(row, file.file)).collect::<Vec<u32>>();
    let mut found: Vec<(usize, &Row<'_>)> = rows.iter().enumerate().collect();
    found.sort_by_cached_key(|(_, row)| std::cmp::Reverse(heat(row)));
    found.truncate(MAX_HOT_ROWS);
    found.sort_by_key(|(at, _)| *at);
    found.into_iter().map(|(_, row)| row).collect()
}

/// A line for each region, with a column for each register file.
fn table(what: &str, rows: &[Row<'_>], hot: &Hot<'_>, colours: Colours, out: &mut String) {
    let all = rows.len();
    if rows.is_empty() {
        let _ = writeln!(out, "no {what}s");
        return;
    }
    let rows = &hottest(rows, hot);
    if rows.len() < all {
        let _ = writeln!(out, "the {} hottest of {all} {what}s, in the order of the program", rows.len());
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
