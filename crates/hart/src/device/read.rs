//! Devices of a configuration file: a table with `subs`, and `state` if it has any. A subdevice is the name of an interface
//! whose semantics it follows, or a table of commands, each with `ret` and `set`, or with `semantics`.

use isaglot_source::{Diagnostic, Diagnostics};
use isaglot_xintf::ast::Semantics;
use isaglot_xintf::meaning;
use isaglot_xintf::set::Set;
use isaglot_xintf::tree::{ConfigItem, ConfigNode};

use super::expr::{Expr, OPS};
use super::{Action, Described, text};
use crate::limits::MAX_DEPTH;

/// Reads a device.
pub(crate) fn read(item: &ConfigItem, set: &Set, xlen: u32, out: &mut Diagnostics) -> Described {
    let mut device = Described::default();
    let mut reader = Reader { set, xlen, out };
    for entry in reader.table(item) {
        match entry.key.as_str() {
            "state" => {
                for variable in reader.table(&entry.value) {
                    let Some(value) = variable.value.int().flatten() else {
                        reader.wrong(&variable.value, "a variable starts with a whole number of at most 64 bits");
                        continue;
                    };
                    device.names.push(variable.key.clone());
                    device.state.push(value);
                }
            }
            "subs" => {}
            _ => reader.wrong(&entry.value, "a device has `state` and `subs`"),
        }
    }
    for subs in reader.table(item).iter().filter(|e| e.key == "subs") {
        for sub in reader.table(&subs.value) {
            let Some(number) = sub.key.parse::<u16>().ok().filter(|&n| n < 1 << 12) else {
                reader.wrong(&sub.value, "a subdevice is a number below 4096");
                continue;
            };
            if let Some(name) = sub.value.text() {
                reader.serve(&mut device, number, name, &sub.value);
                continue;
            }
            for command in reader.table(&sub.value) {
                if command.key == "interface" {
                    match command.value.text() {
                        Some(name) => reader.serve(&mut device, number, name, &command.value),
                        None => reader.wrong(&command.value, "`interface` is the name of one"),
                    }
                }
            }
            for command in reader.table(&sub.value).iter().filter(|c| c.key != "interface") {
                let Some(k) = command.key.parse::<u8>().ok().filter(|&k| k < 16) else {
                    reader.wrong(&command.value, "a command is a number below 16");
                    continue;
                };
                if let Some(read) = reader.command(&command.value, &device) {
                    device.commands.insert((number, k), read);
                }
            }
        }
    }
    device
}

struct Reader<'a> {
    set: &'a Set,
    xlen: u32,
    out: &'a mut Diagnostics,
}

impl Reader<'_> {
    fn wrong(&mut self, item: &ConfigItem, expected: impl Into<String>) {
        self.out.push(Diagnostic::error("E-SYNTAX", expected).label(item.span, ""));
    }

    fn table<'i>(&mut self, item: &'i ConfigItem) -> &'i [isaglot_xintf::tree::ConfigEntry] {
        if item.table().is_none() {
            self.wrong(item, "expected a table");
        }
        item.table().unwrap_or(&[])
    }

    fn serve(&mut self, device: &mut Described, sub: u16, name: &str, item: &ConfigItem) {
        match self.set.get(name) {
            Some(interface) => device.serve(sub, interface, self.xlen, self.out),
            None => self.wrong(item, format!("no definition of `{name}` was found")),
        }
    }

    fn command(&mut self, item: &ConfigItem, device: &Described) -> Option<Action> {
        let mut result = None;
        let mut set = Vec::new();
        let before = self.out.error_count();
        for entry in self.table(item) {
            match entry.key.as_str() {
                "ret" => result = self.expr(&entry.value, &device.names, 0),
                "set" => {
                    for variable in self.table(&entry.value) {
                        let Some(at) = device.names.iter().position(|n| *n == variable.key) else {
                            self.wrong(&variable.value, format!("the device has no state `{}`", variable.key));
                            continue;
                        };
                        set.extend(self.expr(&variable.value, &device.names, 0).map(|e| (at, e)));
                    }
                }
                "semantics" => return self.semantics(&entry.value, device),
                _ => self.wrong(&entry.value, "a command has `ret` and `set`, or `semantics`"),
            }
        }
        if result.is_none() && self.out.error_count() == before {
            self.wrong(item, "a command has `ret` or `semantics`");
        }
        Some(Action::Expr { result: result?, set })
    }

    fn semantics(&mut self, item: &ConfigItem, device: &Described) -> Option<Action> {
        let Some(text) = item.text() else {
            self.wrong(item, "`semantics` is a text of the semantics language");
            return None;
        };
        let semantics = Semantics { text: text.to_owned(), span: item.span };
        let variables = text::of_device(&device.names, &device.state, self.xlen);
        let mut found = Diagnostics::new();
        let meaning = meaning::compile(&semantics, false, variables, text::width(self.xlen), &mut found);
        // Places inside the text are not places of the file, which may have escapes in it.
        for d in &found {
            let said = d.labels.first().map_or("", |l| l.message.as_str());
            self.out.push(Diagnostic::error(d.code, d.message.clone()).label(item.span, said));
        }
        Some(Action::Text { meaning: Box::new(meaning?), own: None })
    }

    fn expr(&mut self, item: &ConfigItem, names: &[String], depth: usize) -> Option<Expr> {
        if depth > MAX_DEPTH {
            self.wrong(item, "the expression is nested too deeply");
            return None;
        }
        if let Some(Some(number)) = item.int() {
            return Some(Expr::Const(number));
        }
        match &item.node {
            ConfigNode::Text(text) => {
                let known = match text.as_str() {
                    "rs1" => Some(Expr::Rs1),
                    "rs2" => Some(Expr::Rs2),
                    "data" => Some(Expr::Data),
                    "lun" => Some(Expr::Lun),
                    other => {
                        other.strip_prefix('$').and_then(|name| names.iter().position(|n| n == name)).map(Expr::State)
                    }
                };
                if known.is_none() {
                    self.wrong(item, "expected a number, `rs1`, `rs2`, `data`, `lun` or `$` and a variable");
                }
                known
            }
            ConfigNode::List(list) => {
                let (name, args) = list.split_first()?;
                let found = OPS.iter().find(|(n, ..)| name.text() == Some(n));
                let Some(&(_, op, count)) = found.filter(|(.., count)| args.len() == *count) else {
                    let ops: Vec<&str> = OPS.iter().map(|o| o.0).collect();
                    self.wrong(item, format!("expected an operator ({}) and its operands", ops.join(" ")));
                    return None;
                };
                debug_assert_eq!(args.len(), count, "just compared");
                let args = args.iter().map(|a| self.expr(a, names, depth + 1)).collect::<Option<Vec<_>>>()?;
                Some(Expr::Apply(op, args))
            }
            _ => {
                self.wrong(item, "expected a number, a name or an operator with its operands");
                None
            }
        }
    }
}
