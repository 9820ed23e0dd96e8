//! From interface and command numbers to the names that a listing shows.

use std::collections::BTreeMap;

use isaglot_riscv::Xlen;

use crate::ast::Interface;
use crate::map::{Levels, Map};
use crate::uuid::{self, embed};

/// The interfaces and commands that there are definitions of.
#[derive(Clone, Debug, Default)]
pub struct Names {
    interfaces: BTreeMap<u64, (String, BTreeMap<u32, String>)>,
}

impl Names {
    /// The names of these interfaces. Of two with one number the first counts; that there are two was reported.
    pub fn new<'a>(interfaces: impl IntoIterator<Item = &'a Interface>, xlen: Xlen) -> Names {
        let mut names = Names::default();
        for interface in interfaces {
            let Some(value) = interface.uuid.and_then(|u| u.value).filter(|&v| v <= uuid::max(xlen)) else { continue };
            let commands = interface.commands.iter().filter_map(|c| Some((c.k?, c.name.clone()))).collect();
            names.interfaces.entry(embed(value, xlen)).or_insert((interface.name.text.clone(), commands));
        }
        names
    }

    /// Whether there is a definition of this number, as a register holds it.
    pub fn knows(&self, uuid: u64) -> bool {
        self.interfaces.contains_key(&uuid)
    }

    /// `pkg:Intf:command`, or `pkg:Intf:#k` for a command that the interface does not define.
    pub fn name(&self, uuid: u64, k: u32) -> String {
        match self.interfaces.get(&uuid) {
            Some((interface, commands)) => match commands.get(&k) {
                Some(command) => format!("{interface}:{command}"),
                None => format!("{interface}:#{k}"),
            },
            None => format!("xcmd{k}"),
        }
    }

    /// The name of a command whose logical unit was written down, on a hart with this map at this level: every interface
    /// that `xext` gives the unit for must be the same one.
    pub fn literal(&self, map: &Map, level: Levels, lun: u16, k: u32) -> Option<String> {
        let rows = map.luns.iter().filter(|r| r.lun.value == Some(u64::from(lun)) && r.levels.has(level));
        let mut numbers: Vec<u64> = rows.filter_map(|r| r.uuid.value).collect();
        numbers.dedup();
        match numbers.as_slice() {
            [uuid] if self.knows(*uuid) => Some(self.name(*uuid, k)),
            _ => None,
        }
    }
}
