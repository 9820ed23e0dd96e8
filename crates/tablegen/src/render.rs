//! Messages as text, in llvm-tblgen's form: the chain of includes, `path:line:col: error: …`, the line, a caret. What
//! Isaglot adds stands below, in lines that begin with ` = `.

use std::io::Write;

use isaglot_source::{Diagnostic, Severity, Span};

use crate::loc::{Loc, Places};
use crate::message::Message;

/// Columns to which a tab in a shown line goes.
const TAB: usize = 8;

fn included_from(places: &Places, loc: Loc, out: &mut Vec<u8>) {
    let Some((buffer, _)) = places.buffer(loc) else { return };
    let from = buffer.included_from;
    if from == Loc::NONE {
        return;
    }
    included_from(places, from, out);
    if let Some((file, line, _)) = places.line_col(from) {
        let _ = writeln!(out, "Included from {file}:{line}:");
    }
}

/// The line that holds an offset, and the offset in it. Both kinds of line end count.
fn line_at(bytes: &[u8], offset: usize) -> (&[u8], usize) {
    let is_end = |b: &u8| *b == b'\n' || *b == b'\r';
    let offset = offset.min(bytes.len());
    let start = bytes[..offset].iter().rposition(is_end).map_or(0, |i| i + 1);
    let end = bytes[offset..].iter().position(is_end).map_or(bytes.len(), |i| offset + i);
    (&bytes[start..end], offset - start)
}

fn expand_tabs(line: &[u8], out: &mut Vec<u8>) {
    let mut column = 0;
    for &b in line {
        if b == b'\t' {
            let to = (column / TAB + 1) * TAB;
            out.resize(out.len() + to - column, b' ');
            column = to;
        } else {
            out.push(b);
            column += 1;
        }
    }
}

fn write_message(places: &Places, message: &Message, out: &mut Vec<u8>) {
    included_from(places, message.loc, out);
    let place = places.line_col(message.loc);
    if let Some((file, line, column)) = place {
        let _ = write!(out, "{file}:{line}:{column}: ");
    }
    out.extend(message.diagnostic.severity.name().as_bytes());
    out.extend(b": ");
    out.extend(message.text());
    out.push(b'\n');
    let Some((buffer, offset)) = places.buffer(message.loc) else { return };
    let Some(file) = places.files.get(buffer.file) else { return };
    let (line, column) = line_at(&file.bytes, offset);
    expand_tabs(line, out);
    out.push(b'\n');
    if line.is_ascii() {
        let mut lead = Vec::new();
        expand_tabs(&line[..column.min(line.len())], &mut lead);
        out.resize(out.len() + lead.len(), b' ');
        out.extend(b"^\n");
    }
}

/// What Isaglot adds to a message, with a place each where there is one.
fn help(diagnostic: &Diagnostic) -> impl Iterator<Item = (Option<Span>, &str)> {
    let labels = diagnostic.labels.iter().filter(|label| !label.primary);
    let notes = diagnostic.notes.iter().map(|note| (None, note.as_str()));
    labels.map(|label| (Some(label.span), label.message.as_str())).chain(notes)
}

fn write_help(places: &Places, message: &Message, out: &mut Vec<u8>) {
    for (span, text) in help(&message.diagnostic) {
        match span.and_then(|span| places.line_col_of(span)) {
            Some((file, line, column)) => {
                let _ = writeln!(out, " = {file}:{line}:{column}: {text}");
            }
            None => {
                let _ = writeln!(out, " = {text}");
            }
        }
    }
}

/// All messages as llvm-tblgen writes them; with `help`, also what Isaglot has to add.
pub fn text(places: &Places, messages: &[Message], help: bool) -> Vec<u8> {
    let mut out = Vec::new();
    let mut waiting: Option<&Message> = None;
    for message in messages {
        // Notes belong to the message before them; help comes after the notes.
        if message.diagnostic.severity != Severity::Note
            && let Some(before) = waiting.take()
        {
            write_help(places, before, &mut out);
        }
        write_message(places, message, &mut out);
        if help && message.diagnostic.severity != Severity::Note {
            waiting = Some(message);
        }
    }
    if let Some(before) = waiting {
        write_help(places, before, &mut out);
    }
    out
}

/// All messages as JSON, one object a line.
pub fn json(places: &Places, messages: &[Message]) -> Vec<u8> {
    use crate::print::quote;
    let mut out = Vec::new();
    let place = |place: Option<(&str, u32, u32)>, out: &mut Vec<u8>| {
        if let Some((file, line, column)) = place {
            out.extend(b",\"file\":");
            quote(file.as_bytes(), out);
            let _ = write!(out, ",\"line\":{line},\"column\":{column}");
        }
    };
    for message in messages {
        let Diagnostic { severity, code, .. } = message.diagnostic;
        let _ = write!(out, "{{\"severity\":\"{}\",\"code\":\"{code}\",\"message\":", severity.name());
        quote(message.text().strip_suffix(b"\n").unwrap_or(message.text()), &mut out);
        place(places.line_col(message.loc), &mut out);
        out.extend(b",\"help\":[");
        for (i, (span, text)) in help(&message.diagnostic).enumerate() {
            out.extend(if i == 0 { b"{\"text\":".as_slice() } else { b",{\"text\":" });
            quote(text.as_bytes(), &mut out);
            place(span.and_then(|span| places.line_col_of(span)), &mut out);
            out.push(b'}');
        }
        out.extend(b"]}\n");
    }
    out
}
