//! Text for people: `error[code]: message`, the place, the source line with the span marked, notes, the fix.
//!
//! The snippets are drawn by `annotate-snippets`. It is given only the lines that a label touches, cut to
//! [`limits::SNIPPET_LINE_BYTES`], so that an error in a file with a line of a gigabyte costs no more than any other.

use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Renderer, Snippet, renderer::DecorStyle};

use crate::{Diagnostic, Diagnostics, FileId, Label, Severity, SourceFile, SourceMap, counted, limits};

/// A piece of a file that is short enough to draw, with the way from file offsets to offsets in it.
struct Window {
    text: String,
    first_line: u32,
    /// For each drawn line: where it starts in the file (after cutting), where in `text`, and its length in the file.
    lines: Vec<(usize, usize, usize)>,
}

impl Window {
    /// The lines of `label`, at most [`limits::SNIPPET_LINES`] of them, each cut around the label's start.
    fn around(file: &SourceFile, label: &Label) -> Window {
        let (start, end) = (label.span.start as usize, (label.span.end as usize).min(file.bytes.len()));
        let start = start.min(file.bytes.len());
        let first_line = file.line_of(start);
        let last_line =
            file.line_of(end.saturating_sub(1).max(start)).min(first_line + limits::SNIPPET_LINES as u32 - 1);
        let mut window = Window { text: String::new(), first_line, lines: Vec::new() };
        for line in first_line..=last_line {
            let bytes = file.line(line);
            let line_start = file.line_start(line);
            let middle = if line == first_line { start - line_start } else { 0 };
            let from = middle.saturating_sub(limits::SNIPPET_LINE_BYTES / 2);
            let cut = &bytes[from.min(bytes.len())..bytes.len().min(from + limits::SNIPPET_LINE_BYTES)];
            window.lines.push((line_start + from, window.text.len(), cut.len()));
            // One byte stays one byte, so that offsets carry over; what is not ASCII is kept only if it is whole UTF-8.
            match std::str::from_utf8(cut) {
                Ok(text) => window.text.push_str(text),
                Err(_) => window.text.extend(cut.iter().map(|&b| if b.is_ascii() { b as char } else { '?' })),
            }
            window.text.push('\n');
        }
        window
    }

    /// The offset in `text` of a file offset, moved to the nearest character that is drawn.
    fn offset(&self, file_offset: usize) -> usize {
        let mut at = 0;
        for &(file_start, text_start, len) in &self.lines {
            if file_offset >= file_start {
                at = text_start + (file_offset - file_start).min(len);
            }
        }
        while !self.text.is_char_boundary(at) {
            at -= 1;
        }
        at
    }
}

fn level(severity: Severity) -> Level<'static> {
    match severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    }
}

/// One diagnostic as text with a line end, in colour on request.
pub fn text(files: &SourceMap, d: &Diagnostic, color: bool) -> String {
    let mut group = Group::with_title(level(d.severity).primary_title(d.message.as_str()).id(d.code));
    // Labels near each other share a snippet: the first label of a file opens the window, later ones join if they lie in it.
    let mut windows: Vec<(FileId, Window, Vec<&Label>)> = Vec::new();
    for label in &d.labels {
        let Some(file) = files.get(label.span.file) else { continue };
        let line = file.line_of(label.span.start as usize);
        let joined = windows.iter_mut().find(|(id, w, _)| *id == label.span.file && w.first_line == line);
        match joined {
            Some((_, _, labels)) => labels.push(label),
            None => windows.push((label.span.file, Window::around(file, label), vec![label])),
        }
    }
    for (id, window, labels) in &windows {
        let name = files.get(*id).map_or("", |f| f.name.as_str());
        let annotations = labels.iter().map(|label| -> Annotation<'_> {
            let kind = if label.primary { AnnotationKind::Primary } else { AnnotationKind::Context };
            let start = window.offset(label.span.start as usize);
            let end = window.offset(label.span.end as usize).max(start);
            kind.span(start..end).label(label.message.as_str())
        });
        group = group.element(
            Snippet::source(window.text.as_str())
                .path(name)
                .line_start(window.first_line as usize)
                .fold(false)
                .annotations(annotations),
        );
    }
    for note in &d.notes {
        group = group.element(Level::NOTE.message(note.as_str()));
    }
    let fix = d.fix.as_ref().map(|f| format!("{}: `{}`", f.message, f.replacement));
    if let Some(fix) = &fix {
        group = group.element(Level::HELP.message(fix.as_str()));
    }
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    let mut out = renderer.decor_style(DecorStyle::Ascii).render(&[group]);
    out.push('\n');
    out
}

/// The closing line of a run, such as `2 errors, 1 warning`; empty when there was nothing.
pub fn summary(all: &Diagnostics) -> String {
    let warnings = all.iter().filter(|d| d.severity == Severity::Warning).count();
    let count = |n: usize, what: &str| (n > 0).then(|| counted(n, what));
    let parts: Vec<String> =
        [count(all.error_count(), "error"), count(warnings, "warning")].into_iter().flatten().collect();
    let mut line = parts.join(", ");
    if all.dropped() > 0 {
        line.push_str(&format!(" ({} not shown)", all.dropped()));
    }
    line
}
