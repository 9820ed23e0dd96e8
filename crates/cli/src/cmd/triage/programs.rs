//! The programs that are read, once for each pass: in blocks, so that memory does not grow with them.
//!
//! A raw file is read from its place each time. ELF files and hexadecimal text are read whole, one at a time; standard input
//! is kept in a temporary file.

use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};

use isaglot_codec::Plan;
use isaglot_source::{Diagnostic, Diagnostics};

use crate::interrupt::Stage;
use crate::io::{input_name, open, read_rest, rest, unreadable};
use crate::program::{self, ELF};
use crate::subject::SubjectKind;

/// Bytes read at once.
const BLOCK: usize = 1 << 19;

/// The bytes by which the kind of an input is known.
const HEAD: u64 = 64;

/// What is read, and the names of the programs in it.
pub(super) struct Programs {
    inputs: Vec<PathBuf>,
    /// Standard input, once it was read.
    standard: Option<File>,
    /// Every input is bytes.
    raw: bool,
    /// Every input is hexadecimal text.
    hex: bool,
    kind: SubjectKind,
    names: Vec<String>,
}

/// Takes a block: the number of the program, the offset of the block in it, and bytes; gives how many were used.
pub(super) type Take<'t> = dyn FnMut(u32, u64, &[u8]) -> usize + 't;

impl Programs {
    pub(super) fn new(inputs: Vec<PathBuf>, (raw, hex): (bool, bool), kind: SubjectKind) -> Programs {
        Programs { inputs, standard: None, raw, hex, kind, names: Vec::new() }
    }

    /// The names of the programs that the last pass has read, by number.
    pub(super) fn names(&self) -> &[String] {
        &self.names
    }

    /// How many inputs there are.
    pub(super) fn count(&self) -> usize {
        self.inputs.len()
    }

    /// Reads all programs. An input that cannot be read is a problem, and the others are read. `at` is told which input is read.
    pub(super) fn read(
        &mut self,
        plan: &Plan<'_>,
        take: &mut Take<'_>,
        at: &mut dyn FnMut(usize),
        problems: &mut Diagnostics,
    ) {
        self.names.clear();
        for index in 0..self.inputs.len() {
            at(index);
            let Some(path) = self.inputs.get(index).cloned() else { break };
            let name = input_name(Some(&path));
            let _stage = Stage::new(name.as_str(), "");
            if let Err(d) = self.input(&path, &name, plan, take, problems) {
                problems.push(d);
            }
        }
    }

    fn input(
        &mut self,
        path: &Path,
        name: &str,
        plan: &Plan<'_>,
        take: &mut Take<'_>,
        problems: &mut Diagnostics,
    ) -> Result<(), Diagnostic> {
        let failed = |e: io::Error| unreadable(name, &e);
        let mut input: Box<dyn Read> = match path.as_os_str() == "-" {
            true => Box::new(self.standard(name)?),
            false => open(Some(path))?,
        };
        let mut head = Vec::new();
        input.by_ref().take(HEAD).read_to_end(&mut head).map_err(failed)?;
        let (raw, hex) = (self.raw, self.hex);
        let is_whole = hex || (!raw && (head.starts_with(ELF) || program::is_hex(&head)));
        if !raw && !hex {
            program::refuse_containers(name, &head)?;
        }
        let mut input = io::Cursor::new(head).chain(input);
        if !is_whole {
            return self.blocks(&mut input, name.to_owned(), take, problems);
        }
        let bytes = read_rest(&mut input, 0, name)?;
        for part in program::parts(name, bytes, self.kind, plan, (raw, hex), problems)? {
            let name = part.section.map_or(name.to_owned(), |section| format!("{name}, {section}"));
            self.blocks(&mut part.bytes.as_slice(), name, take, problems)?;
        }
        Ok(())
    }

    /// Standard input from its start.
    fn standard(&mut self, name: &str) -> Result<File, Diagnostic> {
        let failed = |e: io::Error| unreadable(name, &e);
        let copy = match self.standard.take() {
            Some(copy) => copy,
            None => {
                let mut copy = tempfile::tempfile().map_err(failed)?;
                io::copy(&mut io::stdin().lock(), &mut copy).map_err(failed)?;
                copy
            }
        };
        let mut again = copy.try_clone().map_err(failed)?;
        self.standard = Some(copy);
        again.rewind().map_err(failed)?;
        Ok(again)
    }

    /// Gives one program in blocks; what is not used of one stands in front of the next.
    fn blocks(
        &mut self,
        input: &mut dyn Read,
        name: String,
        take: &mut Take<'_>,
        problems: &mut Diagnostics,
    ) -> Result<(), Diagnostic> {
        let number = self.names.len() as u32;
        let failed = |e: io::Error| unreadable(&name, &e);
        let mut block = vec![0; BLOCK];
        let (mut filled, mut offset) = (0, 0);
        let left = loop {
            let free = block.get_mut(filled..).unwrap_or_default();
            let read = match input.read(free) {
                Ok(read) => read,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
                Err(e) => return Err(failed(e)),
            };
            filled += read;
            // Full blocks alone, so that reading a pipe makes no small ones.
            if read > 0 && filled < block.len() {
                continue;
            }
            let used = take(number, offset, block.get(..filled).unwrap_or_default()).min(filled);
            block.copy_within(used..filled, 0);
            filled -= used;
            offset += used as u64;
            if read == 0 || used == 0 {
                break filled;
            }
        };
        if left > 0 {
            problems.push(rest(&name, left));
        }
        self.names.push(name);
        Ok(())
    }
}
