//! The ledger of known findings: what differs and why, so that only what is new makes noise.
//!
//! A line is `KIND NAME PATTERN REASON`: a kind of [`Kind`], the name of an instruction (`*` is any text), a pattern of `0`, `1` and `x` (or `*` for all
//! words), and a reason, which must be there. A finding is known if the lines that fit its kind and name have every word of it. So a
//! finding that grows beyond what its reason was given for is new.

use isaglot_bits::{Pattern, cover};
use isaglot_source::{Diagnostic, Diagnostics, FileId, Glob, Span, closest, statements};

use crate::compare::Kind;
use crate::run::Finding;

/// The known findings.
#[derive(Clone, Debug, Default)]
pub struct Known {
    rows: Vec<Row>,
}

/// A line of a ledger.
#[derive(Clone, Debug)]
struct Row {
    kind: Kind,
    name: Glob,
    /// `None` for all words.
    pattern: Option<Pattern>,
    reason: String,
    span: Span,
    used: bool,
}

impl Known {
    /// Reads a ledger. Problems are added to `out`.
    pub fn read(file: FileId, text: &str, out: &mut Diagnostics) -> Known {
        let mut known = Known::default();
        for (span, line) in statements(file, text) {
            match row(line, span) {
                Ok(row) => known.rows.push(row),
                Err(d) => out.push(d),
            }
        }
        known
    }

    /// Gives findings that are known their reasons.
    pub fn mark(&mut self, findings: &mut [Finding]) {
        for finding in findings {
            finding.known = self.reason(finding);
        }
    }

    /// Why a finding is known: the reasons of all lines that it takes, each once.
    fn reason(&mut self, finding: &Finding) -> Option<String> {
        let grown = finding.patterns.iter().map(|grown| grown.pattern.clone());
        let left = finding.left.iter().map(|word| Pattern::exact(word.clone()));
        let words: Vec<Pattern> = grown.chain(left).collect();
        let class = &finding.class;
        let fits = |row: &Row| row.kind == class.kind && row.name.fits(&class.name);
        let meets = |row: &Row| {
            row.pattern.as_ref().is_none_or(|p| p.width() == class.bits && words.iter().any(|words| p.overlaps(words)))
        };
        let rows: Vec<&mut Row> = self.rows.iter_mut().filter(|row| fits(row) && meets(row)).collect();
        let all: Vec<Pattern> =
            rows.iter().map(|row| row.pattern.clone().unwrap_or_else(|| Pattern::any(class.bits))).collect();
        let is_known = words.iter().all(|words| cover::uncovered_witness(words, &all) == Some(None));
        // Of words that are only counted nobody knows which they are.
        let is_known =
            is_known && (finding.unlisted == 0 || all.iter().any(|pattern| pattern.free_bits() == class.bits));
        let mut reasons: Vec<String> = Vec::new();
        for row in rows {
            row.used = true;
            if !reasons.contains(&row.reason) {
                reasons.push(row.reason.clone());
            }
        }
        is_known.then(|| reasons.join("; "))
    }

    /// Notes about lines that no finding met: what they were about is gone, or was not asked.
    #[must_use]
    pub fn unused(&self) -> Vec<Diagnostic> {
        let unused = self.rows.iter().filter(|row| !row.used);
        unused
            .map(|row| {
                Diagnostic::new(isaglot_source::Severity::Note, "known-unused", "this line met nothing")
                    .label(row.span, "")
            })
            .collect()
    }
}

fn row(line: &str, span: Span) -> Result<Row, Diagnostic> {
    let wrong =
        |code, message: String| Diagnostic::error(code, message).label(span, "expected `KIND NAME PATTERN REASON`");
    let mut words = line.splitn(4, char::is_whitespace).map(str::trim);
    let (Some(kind), Some(name), Some(pattern)) = (words.next(), words.next(), words.next()) else {
        return Err(wrong("known-row", "this is not a line of a ledger".to_owned()));
    };
    let reason = words.next().unwrap_or_default().to_owned();
    let names = Kind::ALL.map(Kind::name);
    let Some(kind) = Kind::ALL.into_iter().find(|k| k.name() == kind) else {
        let d = wrong("known-row", format!("there is no kind `{kind}`"));
        return Err(d.note(format!("the kinds are {}", names.join(", "))).did_you_mean(closest(kind, names)));
    };
    let pattern = match pattern {
        "*" => None,
        text => Some(
            Pattern::parse(text).map_err(|_| wrong("known-row", format!("`{text}` is not a pattern of 0, 1 and x")))?,
        ),
    };
    if reason.is_empty() {
        return Err(wrong("known-reason", "a known finding needs a reason".to_owned()));
    }
    Ok(Row { kind, name: Glob::new(name), pattern, reason, span, used: false })
}
