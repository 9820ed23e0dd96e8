//! Lines to a [`Table`]: what there is with registers of 32 and of 64 bits.
//!
//! A regular line is an instruction of the bases of its file. A pseudo-op is another reading of words that its base instruction
//! has. But where the file of that base does not belong to a width of registers, the pseudo-op is the form that the instruction has
//! there, and so an instruction like any other. Names of arguments say which values are left out: the zero register of `_n0`, the
//! zero of an immediate `nz…`.

use isaglot_bits::Pattern;
use isaglot_source::Span;
use rustc_hash::FxHashMap;

use super::relate::{Regular, regular, target};
use super::{Argument, File, Kind, Line, Opcodes, Reference};
use crate::formats::{Encoding, Extension, Field, Formula, Instruction, Table};

/// Parts of an argument's name, between `_`, and the values that they leave out.
const LEFT_OUT: [(&str, &[u64]); 2] = [("n0", &[0]), ("n2", &[0, 2])];

/// What a part begins with that says that the whole immediate, all its pieces together, is not 0.
const NONZERO: &str = "nz";

/// Instructions for which an immediate `nz…` of 0 is a hint and not reserved.
const ZERO_IS_A_HINT: [&str; 2] = ["c.nop", "c.addi"];

/// A name, and the base of which it is another reading.
type Key<'a> = (&'a str, Option<&'a str>);

/// The table of all sound lines.
pub fn table(all: &Opcodes) -> Table {
    let table = Table { name: "opcodes".to_owned(), ..Table::default() };
    let mut making = Making { all, regular: regular(all), table, known: FxHashMap::default() };
    // Instructions first, so that an import and another reading find what they add to.
    making.instructions();
    making.readings();
    let mut table = making.table;
    table.instructions.iter_mut().for_each(|i| simplify(&mut i.condition));
    table.extensions = extensions(all);
    table.csrs.clone_from(&all.csrs);
    table
}

struct Making<'a> {
    all: &'a Opcodes,
    regular: Regular<'a>,
    table: Table,
    /// The instructions of a name and base.
    known: FxHashMap<Key<'a>, Vec<usize>>,
}

impl<'a> Making<'a> {
    fn lines(&self) -> impl Iterator<Item = (&'a Line, &'a File)> + use<'a> {
        let all = self.all;
        all.lines.iter().filter(|line| line.sound).filter_map(|line| Some((line, all.file_of(line)?)))
    }

    /// The bases on which a pseudo-op is the form of an instruction of the other base.
    fn form(&self, file: &File, reference: &Reference) -> [bool; 2] {
        let base = target(self.all, &self.regular, reference).and_then(|base| self.all.file_of(base));
        let of_base = base.map_or([true; 2], |file| file.bases);
        [0, 1].map(|i| file.bases[i] && !of_base[i])
    }

    fn instructions(&mut self) {
        // A second name for the words of a form is another reading of the first.
        let mut forms: Vec<(&Reference, &Line)> = Vec::new();
        for (line, file) in self.lines() {
            match &line.kind {
                Kind::Regular => self.add(line, file, file.bases, None),
                Kind::Pseudo(of) => {
                    let is_it = |(other, first): &&(&Reference, &Line)| {
                        (&other.file, &other.name, &first.pattern) == (&of.file, &of.name, &line.pattern)
                    };
                    let first = forms.iter().find(is_it).map(|(_, first)| first.name.as_str());
                    let form = self.form(file, of);
                    self.add(line, file, form, first.filter(|name| *name != line.name));
                    if form != [false; 2] {
                        forms.push((of, line));
                    }
                }
                Kind::Import(_) => {}
            }
        }
    }

    fn readings(&mut self) {
        for (line, file) in self.lines() {
            match &line.kind {
                Kind::Regular => {}
                Kind::Import(from) => self.also(&from.name, file, file.bases),
                Kind::Pseudo(of) => {
                    let form = self.form(file, of);
                    let reading = [0, 1].map(|i| file.bases[i] && !form[i]);
                    let base = target(self.all, &self.regular, of);
                    if base.is_some_and(|base| base.name == line.name && base.pattern == line.pattern) {
                        self.also(&line.name, file, reading);
                    } else {
                        self.add(line, file, reading, Some(&of.name));
                    }
                }
            }
        }
    }

    /// Adds a line for these bases: to an instruction of that name with the same words, or with no words on them yet.
    fn add(&mut self, line: &'a Line, file: &File, bases: [bool; 2], base: Option<&'a str>) {
        if bases == [false; 2] {
            return;
        }
        let encoding = encoding(line);
        let indices = self.known.entry((&line.name, base)).or_default();
        let fits = |i: &Instruction| {
            (0..2).all(|b| !bases[b] || i.encodings[b].as_ref().is_none_or(|e| e.pattern == encoding.pattern))
        };
        let instructions = &mut self.table.instructions;
        let at = indices.iter().copied().find(|&index| instructions.get(index).is_some_and(fits));
        let at = at.unwrap_or_else(|| {
            indices.push(instructions.len());
            instructions.push(Instruction {
                name: line.name.clone(),
                span: line.name_span,
                special_case_of: base.map(str::to_owned),
                encodings: [None, None],
                condition: Formula::Any(Vec::new()),
                ..Instruction::default()
            });
            instructions.len() - 1
        });
        let Some(instruction) = instructions.get_mut(at) else { return };
        for b in (0..2).filter(|&b| bases[b]) {
            instruction.encodings[b].get_or_insert_with(|| encoding.clone());
        }
        or(&mut instruction.condition, condition(file));
    }

    /// The instruction of that name belongs to this file too.
    fn also(&mut self, name: &str, file: &File, bases: [bool; 2]) {
        for &index in self.known.get(&(name, None)).into_iter().flatten() {
            if let Some(i) = self.table.instructions.get_mut(index)
                && (0..2).any(|b| bases[b] && i.encodings[b].is_some())
            {
                or(&mut i.condition, condition(file));
            }
        }
    }
}

/// When the instructions of a file are there.
fn condition(file: &File) -> Formula {
    let mut terms: Vec<Formula> = file.extensions.iter().map(|e| Formula::Extension(e.clone(), Vec::new())).collect();
    match file.bases {
        [true, false] => terms.push(Formula::Xlen(32)),
        [false, true] => terms.push(Formula::Xlen(64)),
        _ => {}
    }
    if terms.len() == 1 { terms.remove(0) } else { Formula::All(terms) }
}

fn or(formula: &mut Formula, term: Formula) {
    if let Formula::Any(terms) = formula
        && !terms.contains(&term)
    {
        terms.push(term);
    }
}

/// A choice of one is that one.
fn simplify(formula: &mut Formula) {
    if let Formula::Any(terms) = formula
        && terms.len() == 1
    {
        *formula = terms.remove(0);
    }
}

/// The words of a line, and what the names of its arguments leave out.
pub fn encoding(line: &Line) -> Encoding {
    let mut encoding = Encoding {
        width: line.pattern.width(),
        pattern: line.pattern.clone(),
        fields: line.arguments.iter().map(field).collect(),
        except: Vec::new(),
    };
    nonzero(line, &mut encoding);
    for a in &line.arguments {
        let other = a.equals.as_ref().and_then(|name| line.arguments.iter().find(|b| b.name == *name));
        let Some(b) = other else { continue };
        for (left, right) in (a.low..=a.high).zip(b.low..=b.high) {
            let differ = |value: bool| line.pattern.with_bit(left, value).with_bit(right, !value);
            encoding.except.extend([false, true].map(differ));
        }
    }
    encoding
}

fn field(a: &Argument) -> Field {
    let has = |end: &str| a.name.split('_').any(|part| part == end);
    let not = LEFT_OUT.iter().find(|(part, _)| has(part)).map_or_else(Vec::new, |(_, values)| values.to_vec());
    Field {
        name: a.name.clone(),
        bits: (a.low..=a.high).rev().map(Some).collect(),
        signed: false,
        not,
        file: None,
        access: None,
        alias: None,
        span: a.span,
    }
}

/// An immediate `nz…`, all its pieces together, is not 0.
fn nonzero(line: &Line, encoding: &mut Encoding) {
    if ZERO_IS_A_HINT.contains(&line.name.as_str()) {
        return;
    }
    let is_piece = |f: &&mut Field| f.name.split('_').any(|part| part.starts_with(NONZERO));
    let mut pieces: Vec<&mut Field> = encoding.fields.iter_mut().filter(is_piece).collect();
    match &mut pieces[..] {
        [] => {}
        [whole] => whole.not = vec![0],
        pieces => {
            // No line has two such immediates: the bits of all pieces are one value.
            let bits = pieces.iter().flat_map(|f| f.bits.iter().flatten());
            encoding
                .except
                .push(bits.fold(line.pattern.clone(), |pattern: Pattern, &bit| pattern.with_bit(bit, false)));
        }
    }
}

fn extensions(all: &Opcodes) -> Vec<Extension> {
    let mut found: Vec<Extension> = Vec::new();
    for file in &all.files {
        for name in &file.extensions {
            match found.iter_mut().find(|e| e.name == *name) {
                Some(known) => known.ratified &= file.ratified,
                None => found.push(Extension {
                    name: name.clone(),
                    ratified: file.ratified,
                    span: Span::new(file.id, 0, 0),
                    ..Extension::default()
                }),
            }
        }
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    found
}
