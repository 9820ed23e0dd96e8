//! `isaglot check --since OLD`: only what is new, and what is gone.

use std::process::ExitCode;

use isaglot_source::{Diagnostic, Diagnostics, Severity, SourceMap, render};
use isaglot_verify::since::{Findings, Since, compare, fingerprint};
use serde_json::{Value, json as object};

use super::older::Older;
use super::{Args, Found, counted, look};
use crate::load::{Source, Spec, check_options};
use crate::schema;
use crate::session::{EXIT_INPUT, Session};

/// Both lists of findings, and how they compare.
struct Answer<'a> {
    since: Since,
    files: &'a SourceMap,
    new: &'a [Diagnostic],
    old_files: &'a SourceMap,
    old: &'a [Diagnostic],
}

/// Runs the verb.
pub(super) fn run(spec: &Spec, old: &str, args: &Args, session: &mut Session) -> ExitCode {
    let older = match Older::find(old) {
        Ok(older) => older,
        Err(d) => return session.fail(d),
    };
    let mut old_spec = Spec { source: Source::File(older.path.clone()), choice: spec.choice.clone() };
    // Choices that are for the newer form only do not concern the older one.
    if check_options(&old_spec).is_err() {
        old_spec.choice = isaglot::spec::Choice::default();
    }
    let mut old_files = SourceMap::new();
    let before = look(&old_spec, args, &mut old_files);
    let old_files = older.named(old_files);
    if !before.is_read {
        // Against a description that cannot be read every finding would be new.
        let why = Diagnostic::error("cli-since", format!("the older description {old} cannot be checked"));
        let mut problems = Diagnostics::new();
        before.all.into_iter().chain([why]).for_each(|d| problems.push(d));
        session.files = old_files;
        return session.status(&problems);
    }
    let mut files = std::mem::take(&mut session.files);
    let after = look(spec, args, &mut files);
    session.files = files;
    // Without a model the questions about words were not asked, so what they found before is not gone.
    let old_list: Vec<Diagnostic> =
        before.all.into_iter().filter(|d| after.is_read || !d.code.starts_with("verify-")).collect();
    let since =
        compare(Findings { files: &old_files, list: &old_list }, Findings { files: &session.files, list: &after.all });
    let new: Vec<Diagnostic> = since.new.iter().map(|&i| after.all[i].clone()).collect();
    let answer = Answer { since, files: &session.files, new: &new, old_files: &old_files, old: &old_list };
    finish(&answer, &after, old, args, session)
}

fn finish(answer: &Answer<'_>, after: &Found, old: &str, args: &Args, session: &Session) -> ExitCode {
    let to_json = |_: &Session| answer.json(old);
    let to_sarif = |_: &Session| answer.sarif();
    let to_text = |_: &Session, color| answer.text(color);
    match args.answer.write_with(session, answer.new, to_json, to_sarif, to_text) {
        Ok(_) if !after.is_read => ExitCode::from(EXIT_INPUT),
        Ok(code) => code,
        Err(d) => session.fail(d),
    }
}

impl Answer<'_> {
    fn gone(&self) -> impl Iterator<Item = &Diagnostic> {
        self.since.gone.iter().filter_map(|&i| self.old.get(i))
    }

    fn text(&self, color: bool) -> String {
        let mut out = String::new();
        for d in self.new {
            out.push_str(&render::text(self.files, d, color));
        }
        for d in self.gone() {
            let place = d.span().map_or_else(String::new, |span| format!(", {}", self.old_files.location(span)));
            out.push_str(&format!("gone: {}[{}]: {}{place}\n", d.severity.name(), d.code, d.message));
        }
        let count = |severity| self.new.iter().filter(|d| d.severity == severity).count();
        let counts = [
            counted(count(Severity::Error), "new error"),
            counted(count(Severity::Warning), "new warning"),
            counted(count(Severity::Note), "new note"),
        ];
        let (gone, same) = (self.since.gone.len(), self.since.unchanged.len());
        out.push_str(&format!("{}; {gone} gone, {same} as before\n", counts.join(", ")));
        out
    }

    fn json(&self, old: &str) -> Value {
        let with = |files: &SourceMap, d: &Diagnostic| {
            let mut value = render::json(files, d);
            value["fingerprint"] = fingerprint(files, d).into();
            value
        };
        object!({
            "$schema": schema::CHECK_SINCE,
            "since": old,
            "new": self.new.iter().map(|d| with(self.files, d)).collect::<Vec<_>>(),
            "gone": self.gone().map(|d| with(self.old_files, d)).collect::<Vec<_>>(),
            "unchanged": self.since.unchanged.len(),
        })
    }

    /// One run: what is new, and what is absent, each with the fingerprint that it is known by.
    fn sarif(&self) -> Value {
        let version = env!("CARGO_PKG_VERSION");
        let gone: Vec<Diagnostic> = self.gone().cloned().collect();
        let mut log = render::sarif(self.files, version, self.new.iter().chain(&gone));
        let absent = render::sarif(self.old_files, version, &gone);
        let Some(results) = log["runs"][0]["results"].as_array_mut() else { return log };
        results.truncate(self.new.len());
        for (result, d) in results.iter_mut().zip(self.new) {
            mark(result, "new", fingerprint(self.files, d));
        }
        let absent = absent["runs"][0]["results"].as_array().cloned().unwrap_or_default();
        for (mut result, d) in absent.into_iter().zip(&gone) {
            mark(&mut result, "absent", fingerprint(self.old_files, d));
            results.push(result);
        }
        log
    }
}

fn mark(result: &mut Value, state: &str, fingerprint: String) {
    result["baselineState"] = state.into();
    result["partialFingerprints"] = object!({ "isaglotFinding/v1": fingerprint });
}
