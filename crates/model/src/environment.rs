//! What the names of a semantics text mean in an encoding, and the text typed for a gen.

use isaglot_semantics::{Body, Env, Extern, FileIndex, Symbol, Table, check};
use isaglot_source::Diagnostics;

use crate::encoding::Encoding;
use crate::field::{FieldType, Param};
use crate::ids::EncodingId;
use crate::isa::Isa;
use crate::names::Name;
use crate::operand::OperandKind;
use crate::semantics::Width;

impl Isa {
    /// The value of a parameter for a gen; 0 if the description gives none.
    pub fn parameter(&self, name: &str, generation: u32) -> u32 {
        let values = self.parameters.iter().filter(|p| p.name == name).flat_map(|p| &p.values);
        values.clone().find(|(gens, _)| gens.contains(generation)).map_or(0, |(_, value)| *value)
    }

    /// The value of a width for a gen, in bits.
    pub fn width(&self, width: &Width, generation: u32) -> u32 {
        match width {
            Width::Bits(n) => *n,
            Width::Parameter(name) => self.parameter(name, generation),
        }
    }

    /// What the names of an encoding's text mean on a gen. A register file `#x-short` has the name `x_short` there. Files
    /// and externs are numbered as in the model, operands as in [`Isa::semantic_operands`].
    pub fn environment(&self, encoding: &Encoding, generation: u32) -> Env {
        self.with_operands(self.common_environment(generation), encoding)
    }

    /// What the names of all texts mean on a gen.
    pub(crate) fn common_environment(&self, generation: u32) -> Env {
        let params: Vec<(&str, u32)> =
            self.parameters.iter().map(|p| (p.name.as_str(), self.parameter(&p.name, generation))).collect();
        let mut env = Env::new(&params);
        for file in &self.register_files {
            env.file(&text_name(&file.name), self.width(&file.width, generation), file.names.len() as u32);
        }
        for e in &self.externs {
            let args = e.args.iter().map(|w| self.width(w, generation)).collect();
            let result = e.result.as_ref().map(|w| self.width(w, generation));
            env.add_extern(Extern { name: e.name.clone(), args, result });
        }
        for t in &self.tables {
            env.table(Table { name: t.name.clone(), width: t.width, rows: t.rows.clone() });
        }
        for cause in &self.traps {
            env.trap(cause);
        }
        env
    }

    /// The same with the operands of an encoding.
    pub(crate) fn with_operands(&self, mut env: Env, encoding: &Encoding) -> Env {
        for name in self.semantic_operands(encoding) {
            let width = field_width(encoding, name).or_else(|| self.passed_width(encoding, name));
            let mut symbol = Symbol::Immediate { width: width.unwrap_or(1) };
            for operand in &encoding.operands {
                let (field, file, read, write) = match operand.kind {
                    OperandKind::Register(field, file) => {
                        (field, file, operand.access.reads(), operand.access.writes())
                    }
                    OperandKind::Memory(field, file) => (field, file, true, false),
                    _ => continue,
                };
                if field != name {
                    continue;
                }
                symbol = match symbol {
                    Symbol::Register { file, read: r, write: w } => {
                        Symbol::Register { file, read: r || read, write: w || write }
                    }
                    Symbol::Immediate { .. } => Symbol::Register { file: FileIndex(file.index() as u32), read, write },
                };
            }
            env.operand(self.text(name), symbol);
        }
        env
    }

    /// The fields of an encoding, each once, in the order of its cases, and then what fields of its type pass to it (`<param>`), if
    /// all pass so many bits: what `OperandIndex(n)` of a body refers to.
    pub fn semantic_operands(&self, encoding: &Encoding) -> Vec<Name> {
        let mut names = encoding.field_names();
        for name in self.passed(encoding).map(|(_, param)| param.as_name) {
            if !names.contains(&name) && self.passed_width(encoding, name).is_some() {
                names.push(name);
            }
        }
        names
    }

    /// What fields pass to the encodings of this one's space, each with the encoding that has the field.
    fn passed(&self, encoding: &Encoding) -> impl Iterator<Item = (&Encoding, &Param)> {
        let space = FieldType::Sub(encoding.space);
        let outer = self.encodings.iter().filter(move |_| encoding.space != self.root);
        outer.flat_map(move |outer| {
            let fields = outer.cases.iter().flat_map(|case| &case.fields).filter({
                let space = space.clone();
                move |field| field.ty == space
            });
            fields.flat_map(move |field| field.params.iter().map(move |param| (outer, param)))
        })
    }

    /// The width of what is passed under a name; `None` if nothing is, or things of different widths. An encoding that has no such field
    /// passes nothing.
    fn passed_width(&self, encoding: &Encoding, name: Name) -> Option<u32> {
        let passed = self.passed(encoding).filter(|(_, param)| param.as_name == name);
        let mut widths = passed.filter_map(|(outer, param)| field_width(outer, param.name));
        let first = widths.next()?;
        widths.all(|width| width == first).then_some(first)
    }

    /// What an encoding does on a gen, typed; `None` if the description does not say.
    pub fn body(&self, id: EncodingId, generation: u32) -> Option<Body> {
        let encoding = &self[id];
        let semantics = encoding.semantics.as_ref()?;
        // Checked when the model was made, so nothing is reported here.
        check(semantics.tree()?, &self.environment(encoding, generation), &mut Diagnostics::new())
    }

    /// One gen of every set of gens of an encoding among which all parameters have the same value.
    pub(crate) fn parameter_classes(&self, encoding: &Encoding) -> Vec<u32> {
        let mut starts = vec![encoding.gens.min];
        for (gens, _) in self.parameters.iter().flat_map(|p| &p.values) {
            starts.extend([gens.min, gens.max.saturating_add(1)]);
        }
        starts.retain(|g| encoding.gens.contains(*g));
        starts.sort_unstable();
        starts.dedup_by_key(|&mut g| self.parameters.iter().map(|p| self.parameter(&p.name, g)).collect::<Vec<u32>>());
        starts
    }
}

/// The name of a register file in a text: without the `#` of its name, and with `_` for `-`.
fn text_name(name: &str) -> String {
    name.trim_start_matches('#').replace('-', "_")
}

/// The width of the first definition of a field.
fn field_width(encoding: &Encoding, name: Name) -> Option<u32> {
    encoding.cases.iter().flat_map(|c| &c.fields).find(|f| f.name == name).map(|f| f.width)
}
