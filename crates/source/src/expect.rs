//! Expected diagnostics written into test inputs, on the line that they are about.
//!
//! A test input says what must be reported in a comment of its own language, whatever that is:
//!
//! ```text
//! <field name="X" low="5" high="4" type="uint"/>   <!--~ ERROR isaspec-low-above-high -->
//! def A : B;                                        // ~^ WARNING some-code
//! ```
//!
//! A marker is `~`, then a `^` for each line further up, then `ERROR`, `WARNING` or `NOTE` and the code. Every marker
//! must be met by a diagnostic whose first primary label starts on that line, and every diagnostic by a marker. One
//! without a place is expected on line 1 of the first file.

use crate::{Diagnostics, FileId, Severity, SourceMap};

/// A marker, or a diagnostic reduced to what a marker can say.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Expected {
    file: FileId,
    line: u32,
    severity: Severity,
    code: String,
}

/// Compares what was reported with the markers in all files; each difference is one sentence, none means success.
pub fn mismatches(files: &SourceMap, reported: &Diagnostics) -> Vec<String> {
    let mut wanted: Vec<Expected> = files.iter().flat_map(|(id, file)| markers(id, &file.bytes)).collect();
    let mut problems = Vec::new();
    for d in reported {
        let (file, line) = match d.span().and_then(|span| Some((span, files.get(span.file)?))) {
            Some((span, file)) => (span.file, file.line_of(span.start as usize)),
            None => (FileId(0), 1),
        };
        let found = Expected { file, line, severity: d.severity, code: d.code.to_owned() };
        match wanted.iter().position(|w| *w == found) {
            Some(index) => {
                wanted.remove(index);
            }
            None => problems.push(format!("not expected: {}: {}", say(files, &found), d.message)),
        }
    }
    problems.extend(wanted.iter().map(|w| format!("not reported: {}", say(files, w))));
    problems
}

fn say(files: &SourceMap, e: &Expected) -> String {
    let name = files.get(e.file).map_or("", |f| f.name.as_str());
    format!("{name}:{}: {} {}", e.line, e.severity.name(), e.code)
}

fn markers(file: FileId, bytes: &[u8]) -> Vec<Expected> {
    let text = String::from_utf8_lossy(bytes);
    let mut list = Vec::new();
    for (index, line) in text.lines().enumerate() {
        for piece in line.split('~').skip(1) {
            let rest = piece.trim_start_matches('^');
            let up = piece.len() - rest.len();
            let mut words = rest.split_whitespace();
            let severity = match words.next() {
                Some("ERROR") => Severity::Error,
                Some("WARNING") => Severity::Warning,
                Some("NOTE") => Severity::Note,
                _ => continue,
            };
            let Some(code) = words.next() else { continue };
            let line = (index + 1).saturating_sub(up) as u32;
            list.push(Expected { file, line, severity, code: code.to_owned() });
        }
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Diagnostic, Span};

    #[test]
    fn markers_and_reports_must_agree() {
        let mut files = SourceMap::new();
        let text = "a // ~ ERROR one-code\nb\n# ~^ WARNING two-code  ~ ERROR three-code\n";
        let file = files.add("t", text.as_bytes().to_vec());
        let mut out = Diagnostics::new();
        out.push(Diagnostic::error("one-code", "x").label(Span::new(file, 0, 1), ""));
        out.push(Diagnostic::warning("two-code", "x").label(Span::new(file, 22, 23), ""));
        assert_eq!(mismatches(&files, &out), ["not reported: t:3: error three-code"]);
        out.push(Diagnostic::error("three-code", "y").label(Span::new(file, 24, 25), ""));
        assert!(mismatches(&files, &out).is_empty());
        out.push(Diagnostic::error("one-code", "again"));
        assert_eq!(mismatches(&files, &out), ["not expected: t:1: error one-code: again"]);
    }
}
