//! Registers as things, not as numbers: several files of a description may name the same registers (the eight that a short
//! form reaches, say). A register is what its name says; its bytes lie in the first file that has it, or in those of the
//! file that this one is said to lie within.

use std::collections::BTreeMap;

use isaglot_model::{Isa, RegisterFileId, Width};

use isaglot_listing::dataflow::FileId;

/// A register, by number in [`Registers`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct RegisterId(pub(crate) u32);

/// One register.
pub(crate) struct Register {
    /// The dataflow's file, and the first byte in it.
    pub(crate) file: FileId,
    pub(crate) start: u32,
    pub(crate) bytes: u32,
}

/// All registers of a description on one gen.
pub(crate) struct Registers {
    pub(crate) all: Vec<Register>,
    /// By file and number; `None` where there is none, or it is the constant zero.
    by_number: Vec<Vec<Option<RegisterId>>>,
    /// Of every file of the description, the bytes that are its own: the dataflow's file, and how many.
    owned: Vec<(FileId, u32)>,
    /// Files that own registers: name and bytes.
    pub(crate) files: Vec<(String, u32)>,
}

impl Registers {
    pub(crate) fn new(isa: &Isa, generation: u32) -> Registers {
        let mut found = Registers { all: Vec::new(), by_number: Vec::new(), owned: Vec::new(), files: Vec::new() };
        let mut by_name: BTreeMap<&str, Option<RegisterId>> = BTreeMap::new();
        for file in isa.register_files() {
            let bytes = width(isa, &file.width, generation).div_ceil(8).max(1);
            let number = FileId(found.files.len() as u32);
            // Files within others follow them.
            let within = file.within.filter(|(_, gens)| gens.contains(generation));
            let host = within.and_then(|(host, _)| found.owned.get(host.index()).copied());
            let (mut row, mut end) = (Vec::new(), 0);
            for (at, name) in file.names.iter().enumerate() {
                let Some(name) = name else {
                    row.push(None);
                    continue;
                };
                let known = by_name.entry(name).or_insert_with(|| {
                    if file.zero == Some(at as u32) {
                        return None;
                    }
                    let (file, start) = match host {
                        Some((_, there)) if (at as u32 + 1) * bytes > there => return None,
                        Some((host, _)) => (host, at as u32 * bytes),
                        None => (number, end),
                    };
                    found.all.push(Register { file, start, bytes });
                    end += if host.is_some() { 0 } else { bytes };
                    Some(RegisterId(found.all.len() as u32 - 1))
                });
                row.push(*known);
            }
            if end > 0 {
                found.files.push((file.name.trim_start_matches('#').to_owned(), end));
            }
            found.by_number.push(row);
            found.owned.push(host.unwrap_or((number, end)));
        }
        found
    }

    /// The register of this number; `None` if there is none that holds a value.
    pub(crate) fn number(&self, file: RegisterFileId, number: u64) -> Option<RegisterId> {
        *self.by_number.get(file.index())?.get(usize::try_from(number).ok()?)?
    }
}

fn width(isa: &Isa, width: &Width, generation: u32) -> u32 {
    match width {
        Width::Bits(bits) => *bits,
        Width::Parameter(name) => {
            let parameter = isa.parameters().iter().find(|p| p.name == *name);
            let values = parameter.map_or(&[][..], |p| p.values.as_slice());
            values.iter().find(|(gens, _)| gens.contains(generation)).map_or(0, |v| v.1)
        }
    }
}
