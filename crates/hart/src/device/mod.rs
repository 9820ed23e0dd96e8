//! Devices that `xcmd` calls: a trait for those written in Rust, and those that a configuration gives, by expressions or in
//! the semantics language.

mod expr;
mod read;
mod text;

use isaglot_bits::Word;
use isaglot_xintf::meaning::Meaning;
use rustc_hash::FxHashMap;

use expr::{Expr, Scope};

pub(crate) use read::read;
pub(crate) use text::serving;

/// Something that runs commands. It has its own state and sees registers only.
pub trait Device {
    /// Runs a command for a subdevice with the whole of both operands; `None` if it does not know the command, and then
    /// nothing may have changed. Of the result, the lowest `xlen` bits count.
    fn command(&mut self, xlen: u32, sub: u16, command: u8, rs1: u64, rs2: u64) -> Option<u64>;

    /// The subdevices and commands that it knows, in ascending order; `None` if it cannot say.
    fn commands(&self) -> Option<Vec<(u16, u8)>> {
        None
    }

    /// Its variables and their values now, by name, for what is shown.
    fn variables(&self) -> Vec<(String, u64)> {
        Vec::new()
    }

    /// A text that may run in place of [`Device::command`]: that does the same, and nothing beside. `None` if there is none.
    fn in_place(&self, _xlen: u32, _sub: u16, _command: u8) -> Option<Meaning> {
        None
    }

    /// What a command does, for proofs; `None` if it cannot say.
    fn meaning(&self, _xlen: u32, _sub: u16, _command: u8) -> Option<Meaning> {
        None
    }
}

/// The device of the fallback interfaces: subdevice 1 gives 0, 2 gives all ones, whatever the command.
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

    fn commands(&self) -> Option<Vec<(u16, u8)>> {
        Some((1..3).flat_map(|sub| (0..16).map(move |k| (sub, k))).collect())
    }

    fn in_place(&self, xlen: u32, sub: u16, command: u8) -> Option<Meaning> {
        self.meaning(xlen, sub, command)
    }

    fn meaning(&self, xlen: u32, sub: u16, _: u8) -> Option<Meaning> {
        let text = match sub {
            1 => "rd = 0",
            2 => "rd = ~bits(0, xlen)",
            _ => return None,
        };
        text::typed(text, Vec::new(), xlen)
    }
}

/// How a command is done.
#[derive(Clone, Debug)]
enum Action {
    /// By an expression for the result, and new values of variables of the device.
    Expr { result: Expr, set: Vec<(usize, Expr)> },
    /// By a text. Its variables are those of the device, or (by number) of a subdevice.
    Text { meaning: Box<Meaning>, own: Option<usize> },
}

/// A device that a configuration gives: per subdevice and command an expression or a text of the semantics language.
/// Expressions see the state as it was before the command.
#[derive(Clone, Debug, Default)]
pub struct Described {
    /// Variables of the device, as wide as a register, by name.
    names: Vec<String>,
    state: Vec<u64>,
    /// Variables of subdevices that an interface describes.
    own: Vec<Vec<Word>>,
    commands: FxHashMap<(u16, u8), Action>,
}

impl Described {
    /// The value of a variable of the device at reset.
    pub fn set_variable(&mut self, name: &str, value: u64) -> bool {
        let place = self.names.iter().position(|n| n == name).and_then(|at| self.state.get_mut(at));
        place.map(|p| *p = value).is_some()
    }
}

impl Device for Described {
    fn command(&mut self, xlen: u32, sub: u16, command: u8, rs1: u64, rs2: u64) -> Option<u64> {
        match self.commands.get(&(sub, command))? {
            Action::Expr { result, set } => {
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
            Action::Text { meaning, own: Some(at) } => text::run(meaning, xlen, rs1, rs2, self.own.get_mut(*at)?),
            Action::Text { meaning, own: None } => {
                let mut words: Vec<Word> = self.state.iter().map(|&v| Word::from_u64(v, xlen)).collect();
                let result = text::run(meaning, xlen, rs1, rs2, &mut words)?;
                self.state = words.iter().map(Word::low_u64).collect();
                Some(result)
            }
        }
    }

    fn commands(&self) -> Option<Vec<(u16, u8)>> {
        let mut known: Vec<(u16, u8)> = self.commands.keys().copied().collect();
        known.sort_unstable();
        Some(known)
    }

    fn variables(&self) -> Vec<(String, u64)> {
        let mut all: Vec<(String, u64)> = self.names.iter().cloned().zip(self.state.iter().copied()).collect();
        // Those of a subdevice that follows an interface.
        let mut own = std::collections::BTreeMap::new();
        for ((sub, _), action) in &self.commands {
            if let Action::Text { meaning, own: Some(at) } = action
                && let Some(values) = self.own.get(*at)
            {
                let named = meaning.variables.iter().zip(values);
                own.extend(named.map(|(v, value)| ((*sub, v.name.clone()), value.low_u64())));
            }
        }
        all.extend(own.into_iter().map(|((sub, name), value)| (format!("{sub}.{name}"), value)));
        all
    }

    fn in_place(&self, xlen: u32, sub: u16, command: u8) -> Option<Meaning> {
        self.meaning(xlen, sub, command)
    }

    fn meaning(&self, xlen: u32, sub: u16, command: u8) -> Option<Meaning> {
        match self.commands.get(&(sub, command))? {
            Action::Text { meaning, .. } => Some((**meaning).clone()),
            Action::Expr { result, set } => text::typed(
                &expr::lower(result, set, &self.names),
                text::of_device(&self.names, &self.state, xlen),
                xlen,
            ),
        }
    }
}
