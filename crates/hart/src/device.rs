//! Devices behind `xcmd`: a trait for those written in Rust, and those that a configuration gives as expressions.

use isaglot_source::{Diagnostic, Diagnostics};
use isaglot_xintf::tree::{Item, Node};
use rustc_hash::FxHashMap;

use crate::limits::MAX_DEPTH;

/// Something that runs commands. It has its own state and sees registers only.
pub trait Device {
    /// Runs a command for a subdevice with the whole of both operands; `None` if it does not know the command, and then
    /// nothing may have changed. Of the result, the lowest `xlen` bits count.
    fn command(&mut self, xlen: u32, sub: u16, command: u8, rs1: u64, rs2: u64) -> Option<u64>;
}

/// The device behind the fallback interfaces: subdevice 1 gives 0, 2 gives all ones, whatever the command.
#[derive(Clone, Copy, Debug)]
pub struct Fallback;

impl Device for Fallback {
    fn command(&mut self, _: u32, sub: u16, _: u8, _: u64, _: u64) -> Option<u64> {
        match sub {
            1 => Some(0),
            2 => Some(u64::MAX),
            _ => None,
        }
    }
}

#[derive(Clone, Copy, Debug)]
enum Op {
    Add,
    Sub,
    Mul,
    And,
    Or,
    Xor,
    Not,
    Sll,
    Srl,
    Rol,
}

const OPS: &[(&str, Op, usize)] = &[
    ("add", Op::Add, 2),
    ("sub", Op::Sub, 2),
    ("mul", Op::Mul, 2),
    ("and", Op::And, 2),
    ("or", Op::Or, 2),
    ("xor", Op::Xor, 2),
    ("not", Op::Not, 1),
    ("sll", Op::Sll, 2),
    ("srl", Op::Srl, 2),
    ("rol", Op::Rol, 2),
];

#[derive(Clone, Debug)]
enum Expr {
    Const(u64),
    Rs1,
    Rs2,
    Data,
    Lun,
    State(usize),
    Apply(Op, Vec<Expr>),
}

#[derive(Clone, Debug)]
struct Command {
    result: Expr,
    /// New values of state variables.
    set: Vec<(usize, Expr)>,
}

/// A device that a configuration gives: per subdevice and command an expression for the result, and what the state
/// becomes. All of them see the state as it was before.
#[derive(Clone, Debug, Default)]
pub struct Described {
    state: Vec<u64>,
    commands: FxHashMap<(u16, u8), Command>,
}

impl Device for Described {
    fn command(&mut self, xlen: u32, sub: u16, command: u8, rs1: u64, rs2: u64) -> Option<u64> {
        let Command { result, set } = self.commands.get(&(sub, command))?;
        let scope = Scope { xlen, rs1, rs2, state: &self.state };
        let result = scope.value(result);
        let set: Vec<(usize, u64)> = set.iter().map(|(at, e)| (*at, scope.value(e))).collect();
        for (at, value) in set {
            if let Some(place) = self.state.get_mut(at) {
                *place = value;
            }
        }
        Some(result)
    }
}

struct Scope<'a> {
    xlen: u32,
    rs1: u64,
    rs2: u64,
    state: &'a [u64],
}

impl Scope<'_> {
    fn value(&self, e: &Expr) -> u64 {
        let value = match e {
            Expr::Const(n) => *n,
            Expr::Rs1 => self.rs1,
            Expr::Rs2 => self.rs2,
            Expr::Data => self.rs1 >> 12,
            Expr::Lun => self.rs1 & 0xfff,
            Expr::State(at) => self.state.get(*at).copied().unwrap_or(0),
            Expr::Apply(op, args) => {
                let arg = |n: usize| args.get(n).map_or(0, |a| self.value(a));
                let (a, b) = (arg(0), arg(1));
                let by = (b % u64::from(self.xlen)) as u32;
                match op {
                    Op::Add => a.wrapping_add(b),
                    Op::Sub => a.wrapping_sub(b),
                    Op::Mul => a.wrapping_mul(b),
                    Op::And => a & b,
                    Op::Or => a | b,
                    Op::Xor => a ^ b,
                    Op::Not => !a,
                    Op::Sll => a << by,
                    Op::Srl => a >> by,
                    Op::Rol if self.xlen == 32 => u64::from((a as u32).rotate_left(by)),
                    Op::Rol => a.rotate_left(by),
                }
            }
        };
        if self.xlen == 32 { value & 0xffff_ffff } else { value }
    }
}

/// Reads a device: a table with `subs`, and `state` if it has any.
pub(crate) fn read(item: &Item, out: &mut Diagnostics) -> Described {
    let mut device = Described::default();
    let mut names = Vec::new();
    let mut reader = Reader { out };
    for entry in reader.table(item) {
        match entry.key.as_str() {
            "state" => {
                for variable in reader.table(&entry.value) {
                    let Some(value) = variable.value.int().flatten() else {
                        reader.wrong(&variable.value, "a variable starts with a whole number of at most 64 bits");
                        continue;
                    };
                    names.push(variable.key.clone());
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
            for command in reader.table(&sub.value) {
                let Some(k) = command.key.parse::<u8>().ok().filter(|&k| k < 16) else {
                    reader.wrong(&command.value, "a command is a number below 16");
                    continue;
                };
                if let Some(read) = reader.command(&command.value, &names) {
                    device.commands.insert((number, k), read);
                }
            }
        }
    }
    device
}

struct Reader<'a> {
    out: &'a mut Diagnostics,
}

impl Reader<'_> {
    fn wrong(&mut self, item: &Item, expected: impl Into<String>) {
        self.out.push(Diagnostic::error("E-SYNTAX", expected).label(item.span, ""));
    }

    fn table<'i>(&mut self, item: &'i Item) -> &'i [isaglot_xintf::tree::Entry] {
        if item.table().is_none() {
            self.wrong(item, "expected a table");
        }
        item.table().unwrap_or(&[])
    }

    fn command(&mut self, item: &Item, names: &[String]) -> Option<Command> {
        let mut result = None;
        let mut set = Vec::new();
        for entry in self.table(item) {
            match entry.key.as_str() {
                "ret" => result = self.expr(&entry.value, names, 0),
                "set" => {
                    for variable in self.table(&entry.value) {
                        let Some(at) = names.iter().position(|n| *n == variable.key) else {
                            self.wrong(&variable.value, format!("the device has no state `{}`", variable.key));
                            continue;
                        };
                        set.extend(self.expr(&variable.value, names, 0).map(|e| (at, e)));
                    }
                }
                _ => self.wrong(&entry.value, "a command has `ret` and `set`"),
            }
        }
        if result.is_none() && self.out.is_empty() {
            self.wrong(item, "a command has `ret`");
        }
        Some(Command { result: result?, set })
    }

    fn expr(&mut self, item: &Item, names: &[String], depth: usize) -> Option<Expr> {
        if depth > MAX_DEPTH {
            self.wrong(item, "the expression is nested too deeply");
            return None;
        }
        if let Some(Some(number)) = item.int() {
            return Some(Expr::Const(number));
        }
        match &item.node {
            Node::Text(text) => {
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
            Node::List(list) => {
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
