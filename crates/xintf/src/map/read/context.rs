//! Contexts in a map file: `[context.NAME]` with `number`, and the tables that the file has at the top for all levels; `shared`.

use std::collections::BTreeSet;

use isaglot_source::{Diagnostic, Span};

use super::Reader;
use crate::map::{Context, DEFAULT_CONTEXT, Levels};
use crate::tree::{ConfigEntry, ConfigItem};
use crate::{limits, name};

const KEYS: &[&str] = &["number", "device", "lun_map", "dev_map"];

impl Reader<'_> {
    /// All contexts of a file. Numbers that it does not give are the lowest that are free, in its order.
    pub(super) fn contexts(&mut self, entry: &ConfigEntry, implemented: Levels) -> Vec<Context> {
        let Some(entries) = entry.value.table() else {
            self.wrong(entry.value.span, "`context` is a table of contexts by name");
            return Vec::new();
        };
        if !implemented.has(Levels::USER) {
            let d = Diagnostic::error(
                "E-CONTEXT-LEVEL",
                "contexts are tables of the level `user`, which the machine lacks",
            );
            self.out.push(d.label(entry.key_span, ""));
            return Vec::new();
        }
        if entries.len() > limits::MAX_CONTEXTS {
            self.wrong(entry.key_span, format!("a machine has at most {} contexts", limits::MAX_CONTEXTS));
            return Vec::new();
        }
        let mut taken = BTreeSet::from([0]);
        let mut numbers = Vec::new();
        for one in entries {
            let given = self.context_number(one);
            if let Some((number, span)) = given
                && !taken.insert(number)
            {
                let what = if number == 0 { "is that of the tables at the top" } else { "is taken" };
                let d = Diagnostic::error("E-CONTEXT-DUP", format!("the number {number} {what}"));
                self.out.push(d.label(span, ""));
            }
            numbers.push(given.map(|g| g.0));
        }
        let mut names = BTreeSet::from([DEFAULT_CONTEXT]);
        let mut list = Vec::new();
        for (one, number) in entries.iter().zip(numbers) {
            let free = || (0..).find(|n| !taken.contains(n)).unwrap_or(0);
            let number = number.unwrap_or_else(free);
            taken.insert(number);
            if !names.insert(&one.key) {
                let what =
                    if one.key == DEFAULT_CONTEXT { "is the name of the tables at the top" } else { "is there twice" };
                let d = Diagnostic::error("E-NAME-DUP", format!("the context `{}` {what}", one.key));
                self.out.push(d.label(one.key_span, ""));
                continue;
            }
            list.extend(self.context(one, number, implemented));
        }
        list
    }

    fn context_number(&mut self, one: &ConfigEntry) -> Option<(u16, Span)> {
        let entry = one.value.table()?.iter().find(|e| e.key == "number")?;
        Some((u16::try_from(self.number(&entry.value, "number")?).ok()?, entry.value.span))
    }

    fn context(&mut self, one: &ConfigEntry, number: u16, implemented: Levels) -> Option<Context> {
        if !name::is_component(&one.key) {
            let d = Diagnostic::error("E-NAME", format!("`{}` is not the name of a context", one.key));
            self.out.push(d.label(one.key_span, "").note("a letter, then letters, digits and single inner `_`"));
            return None;
        }
        let fields = self.fields(&one.value, KEYS)?;
        let span = one.key_span;
        let mut context =
            Context { name: one.key.clone(), span, number, devices: Vec::new(), luns: Vec::new(), routes: Vec::new() };
        self.in_context = true;
        for entry in fields {
            let is_table = matches!(entry.key.as_str(), "device" | "lun_map" | "dev_map");
            let list = if is_table { self.list(&entry.value) } else { &[] };
            for item in list {
                match entry.key.as_str() {
                    "device" => context.devices.extend(self.device(item, implemented)),
                    "lun_map" => context.luns.extend(self.lun_row(item, implemented)),
                    "dev_map" => context.routes.extend(self.route(item, implemented)),
                    _ => {}
                }
            }
        }
        self.in_context = false;
        Some(context)
    }

    /// The levels of a row of a context: `user`, however it is said.
    pub(super) fn user_alone(&mut self, item: &ConfigItem) -> Levels {
        if self.levels(item) != Levels::USER {
            self.not_of_user(item.span);
        }
        Levels::USER
    }

    pub(super) fn not_of_user(&mut self, span: Span) {
        let d = Diagnostic::error("E-CONTEXT-LEVEL", "a context has tables of the level `user` alone");
        let d = d.label(span, "");
        self.out.push(d.note("the other levels have the tables at the top of the file, whatever context is in force"));
    }

    /// The names of devices that contexts share.
    pub(super) fn shared(&mut self, item: &ConfigItem) -> Vec<(String, Span)> {
        let mut names = Vec::new();
        for one in self.list(item) {
            match one.text() {
                Some(text) => names.push((text.to_owned(), one.span)),
                None => self.wrong(one.span, "`shared` is a list of names of devices"),
            }
        }
        names
    }
}
