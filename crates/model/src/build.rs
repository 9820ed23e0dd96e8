//! The builder: a front end adds parts in any order and refers to them by the ids it gets; `finish` checks the whole.

use isaglot_source::Diagnostics;
use rustc_hash::FxHashMap;

use crate::encoding::{Encoding, Space};
use crate::expansion::{Expansion, Table};
use crate::expr::{Expr, Node};
use crate::field::EnumType;
use crate::ids::{EncodingId, EnumId, ExprId, FeatureId, RegisterFileId, SpaceId, TableId, TemplateId};
use crate::isa::{ByteOrder, Feature, GenName, Isa, OpcodeBits, Spelling, WordFormat};
use crate::names::{Name, Names};
use crate::operand::RegisterFile;
use crate::semantics::{ExternFunction, Parameter};
use crate::template::Template;
use crate::validate;

/// An [`Isa`] in the making.
#[derive(Debug)]
pub struct Builder {
    isa: Isa,
    root: Option<SpaceId>,
    /// Expressions that [`Builder::shared_expr`] has added, by their operations.
    shared: FxHashMap<Box<[Node]>, ExprId>,
}

impl Builder {
    /// An instruction set without anything: words of 32 bits, little-endian, values of 64 bits.
    pub fn new(name: impl Into<String>) -> Builder {
        let format = WordFormat { parcel_bits: 32, max_bits: 32, byte_order: ByteOrder::Little, lengths: Vec::new() };
        let isa = Isa {
            name: name.into(),
            names: Names::default(),
            root: SpaceId(0),
            format,
            opcodes: Vec::new(),
            value_bits: 64,
            spaces: Vec::new(),
            encodings: Vec::new(),
            exprs: Vec::new(),
            templates: Vec::new(),
            enums: Vec::new(),
            register_files: Vec::new(),
            features: Vec::new(),
            contexts: Vec::new(),
            number_mark: None,
            spelling: Spelling::Printed,
            gens: Vec::new(),
            parameters: Vec::new(),
            externs: Vec::new(),
            traps: Vec::new(),
            tables: Vec::new(),
            expansions: Vec::new(),
        };
        Builder { isa, root: None, shared: FxHashMap::default() }
    }

    /// The name of this text.
    pub fn name(&mut self, text: &str) -> Name {
        self.isa.names.intern(text)
    }

    /// Adds a space; its list of encodings is filled by [`Builder::encoding`].
    pub fn space(&mut self, mut space: Space) -> SpaceId {
        space.encodings.clear();
        push(&mut self.isa.spaces, space, SpaceId)
    }

    /// Adds an encoding, as the last of its space.
    pub fn encoding(&mut self, encoding: Encoding) -> EncodingId {
        let space = encoding.space;
        let id = push(&mut self.isa.encodings, encoding, EncodingId);
        if let Some(space) = self.isa.spaces.get_mut(space.index()) {
            space.encodings.push(id);
        }
        id
    }

    /// Adds an expression.
    pub fn expr(&mut self, expr: Expr) -> ExprId {
        push(&mut self.isa.exprs, expr, ExprId)
    }

    /// An expression without a name: the one with the same operations, if this has been asked for before. Instructions of LLVM's targets have
    /// thousands of guards and only hundreds that differ.
    pub fn shared_expr(&mut self, expr: Expr) -> ExprId {
        if let Some(&known) = self.shared.get(expr.nodes.as_slice()) {
            return known;
        }
        let nodes = expr.nodes.clone().into_boxed_slice();
        let id = self.expr(expr);
        self.shared.insert(nodes, id);
        id
    }

    /// Adds a template.
    pub fn template(&mut self, template: Template) -> TemplateId {
        push(&mut self.isa.templates, template, TemplateId)
    }

    /// A template that was added.
    pub fn template_at(&self, id: TemplateId) -> Option<&Template> {
        self.isa.templates.get(id.index())
    }

    /// Adds an enum.
    pub fn enumeration(&mut self, ty: EnumType) -> EnumId {
        push(&mut self.isa.enums, ty, EnumId)
    }

    /// Adds a register file.
    pub fn register_file(&mut self, file: RegisterFile) -> RegisterFileId {
        push(&mut self.isa.register_files, file, RegisterFileId)
    }

    /// Adds a feature.
    pub fn feature(&mut self, feature: Feature) -> FeatureId {
        push(&mut self.isa.features, feature, FeatureId)
    }

    /// Makes a feature a context, see [`Isa::contexts`].
    pub fn context(&mut self, feature: FeatureId) {
        self.isa.contexts.push(feature);
    }

    /// Lets people leave a byte out before numbers, see [`Isa::number_mark`].
    pub fn number_mark(&mut self, mark: u8) {
        self.isa.number_mark = Some(mark);
    }

    /// Lets people write texts in other ways, see [`Spelling`].
    pub fn spelling(&mut self, spelling: Spelling) {
        self.isa.spelling = spelling;
    }

    /// Adds a table of bit strings.
    pub fn table(&mut self, table: Table) -> TableId {
        push(&mut self.isa.tables, table, TableId)
    }

    /// Adds a short form.
    pub fn expansion(&mut self, expansion: Expansion) {
        self.isa.expansions.push(expansion);
    }

    /// Adds a name for a gen.
    pub fn gen_name(&mut self, gen_name: GenName) {
        self.isa.gens.push(gen_name);
    }

    /// Adds a number that depends on the gen.
    pub fn parameter(&mut self, parameter: Parameter) {
        self.isa.parameters.push(parameter);
    }

    /// Adds something that semantics may call.
    pub fn extern_function(&mut self, function: ExternFunction) {
        self.isa.externs.push(function);
    }

    /// Adds a cause that semantics may trap with.
    pub fn trap(&mut self, cause: impl Into<String>) {
        self.isa.traps.push(cause.into());
    }

    /// Says which space holds the instructions.
    pub fn root(&mut self, root: SpaceId) {
        self.root = Some(root);
    }

    /// Says how instructions lie in memory.
    pub fn format(&mut self, format: WordFormat) {
        self.isa.format = format;
    }

    /// Adds the major opcode of a width. Bits beyond the width are not bits of an instruction and are left out.
    pub fn opcode_bits(&mut self, mut opcode: OpcodeBits) {
        opcode.bits.retain(|range| range.end() <= opcode.width);
        self.isa.opcodes.push(opcode);
    }

    /// Says to how many bits values are cut, see [`Isa::value_bits`].
    pub fn value_bits(&mut self, bits: u32) {
        self.isa.value_bits = bits;
    }

    /// Checks everything and gives the model; all problems are added to `out`. `None` if one of them is an error.
    ///
    /// The codes are those of the `model-…` family; a front end that checks more before may make them impossible.
    pub fn finish(self, out: &mut Diagnostics) -> Option<Isa> {
        let mut isa = self.isa;
        let before = out.error_count();
        match self.root {
            Some(root) => isa.root = root,
            None => out.push(validate::no_root()),
        }
        if self.root.is_some() {
            validate::validate(&isa, out);
        }
        (out.error_count() == before).then_some(isa)
    }
}

fn push<T, I>(list: &mut Vec<T>, part: T, id: fn(u32) -> I) -> I {
    list.push(part);
    id(list.len() as u32 - 1)
}
