//! Everything that texts of instructions may use: declarations, and what the rest of the tree gives names to.

use rustc_hash::{FxHashMap, FxHashSet};

use super::Place;
use super::syntax::{Declaration, Expr, Function, Literal, Type};

/// The functions that the texts of instructions use, for a tree without files of declarations.
const PRELUDE: &str = include_str!("prelude.idl");

/// What a parameter of an implementation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameter {
    /// A number.
    Number,
    /// True or false.
    Truth,
    /// A text.
    Text,
    /// A list of numbers.
    Numbers,
    /// A list of something else, or not said.
    Other,
}

/// All declarations, by name.
#[derive(Clone, Debug, Default)]
pub struct Program {
    pub(crate) functions: FxHashMap<String, Function>,
    pub(crate) globals: FxHashMap<String, (Type, Option<Expr>)>,
    /// Arrays, with the type of their elements.
    pub(crate) arrays: FxHashMap<String, Type>,
    /// Enums, with the numbers of their members.
    pub(crate) enums: FxHashMap<String, Vec<(String, u128)>>,
    pub(crate) structs: FxHashMap<String, Vec<(String, Type)>>,
    pub(crate) bitfields: FxHashMap<String, Vec<String>>,
    /// Parameters of the implementation.
    pub parameters: FxHashMap<String, Parameter>,
    /// Control and status registers with their fields; none if nothing is known of them.
    pub csrs: FxHashMap<String, FxHashSet<String>>,
}

impl Program {
    /// Of declarations; a later one replaces an earlier one.
    pub fn new(declarations: &[Declaration]) -> Program {
        let mut made = Program::default();
        made.extend(declarations);
        made
    }

    /// What a tree without declarations can use.
    pub fn prelude() -> Program {
        let mut out = isaglot_source::Diagnostics::new();
        let place = Place::plain(isaglot_source::FileId::default(), 0);
        Program::new(&super::declarations(&place, PRELUDE, &mut out))
    }

    /// Adds declarations; a later one replaces an earlier one.
    pub fn extend(&mut self, declarations: &[Declaration]) {
        for d in declarations {
            match d {
                Declaration::Function(f) => {
                    self.functions.insert(f.name.text.clone(), f.clone());
                }
                Declaration::Global(ty, declared, value) if declared.length.is_none() => {
                    self.globals.insert(declared.name.text.clone(), (ty.clone(), value.clone()));
                }
                Declaration::Global(ty, declared, _) => {
                    self.arrays.insert(declared.name.text.clone(), ty.clone());
                }
                Declaration::Enum { name, members, .. } => {
                    let mut next = 0;
                    let number = |l: &Literal| l.value;
                    let list = members.iter().map(|(member, written)| {
                        let value = written.as_ref().map_or(next, number);
                        next = value.saturating_add(1);
                        (member.text.clone(), value)
                    });
                    self.enums.insert(name.text.clone(), list.collect());
                }
                Declaration::Struct { name, fields } => {
                    let list = fields.iter().map(|(ty, d)| (d.name.text.clone(), ty.clone())).collect();
                    self.structs.insert(name.text.clone(), list);
                }
                Declaration::Bitfield { name, fields, .. } => {
                    let list = fields.iter().map(|f| f.0.text.clone()).collect();
                    self.bitfields.insert(name.text.clone(), list);
                }
                Declaration::Include(_) | Declaration::Fetch(_) => {}
            }
        }
    }

    /// Gives a generated enum its members.
    pub fn members(&mut self, name: &str, members: impl Iterator<Item = (String, u128)>) {
        self.enums.entry(name.to_owned()).or_default().extend(members);
    }
}
