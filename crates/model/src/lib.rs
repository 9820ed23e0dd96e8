//! The model of an instruction set: what every front end builds and every engine takes.
#![doc = include_str!("../README.md")]
//!
//! The problem: isaspec XML, TableGen records and our own descriptions say the same things in different words, and a
//! decoder, an assembler, a prover and a code writer each need them resolved and checked. The method: a front end
//! fills a [`Builder`]; [`Builder::finish`] checks everything that can be wrong and gives an [`Isa`], which never
//! changes again.
//!
//! Invariants of an [`Isa`]:
//! * every id in it is in range, so `isa[id]` never fails for an id taken from the same `Isa`;
//! * every bit of a piece, assert or pattern lies inside the width of its encoding;
//! * guards, derived fields and templates are parsed; what remains a [`Name`] is a name because its meaning depends on
//!   the case that applies, and is resolved once, when an engine compiles its plan — never while decoding;
//! * bit 0 is the least significant bit; widths are in bits; byte order is [`WordFormat::byte_order`].
//!
//! # How an encoding means something
//!
//! A [`Space`] is a set of [`Encoding`]s among which a word is decided. An encoding that matches has *cases*, in order.
//! A case is guarded by an expression or applies always. A field is looked up by walking the cases in order and taking
//! the first applicable one that defines the name; the text is the template of the first applicable case that has one.
//! This is all there is: isaspec's class hierarchy with overrides, a TableGen operand whose meaning depends on another,
//! and a Xe field whose place depends on a type are the same thing, flattened from the leaf to the root.
//!
//! Example. The leaf `add` extends the class `alu`; both have an override:
//!
//! ```text
//! case  owner  guard      defines                           text
//! 0     add    IMM == 1   SRC: bits 15:8 as a number        {NAME} {DST}, #{SRC}
//! 1     add    -          SRC: bits 15:8 as a register      -
//! 2     alu    WIDE       DST: bits 7:0 as a wide register  -
//! 3     alu    -          DST: bits 7:0, IMM: bit 16,       {NAME} {DST}, {SRC}
//!                         WIDE: bit 17
//! ```
//!
//! For a word with bit 16 set and bit 17 clear: `IMM` is looked up first, for the guard of case 0; only case 3 defines it,
//! so it is 1 and case 0 applies. `SRC` is then a number (case 0), `DST` is a plain register (case 2 does not apply), and
//! the text is that of case 0. With bit 16 clear `SRC` is a register (case 1) and the text is that of case 3.
//!
//! A field typed [`FieldType::Sub`] is decided in another space. The *scope* of that sub-encoding is new; from the
//! scope around it it sees only the fields passed as [`Param`]s.

mod build;
#[cfg(feature = "compiled")]
pub mod compiled;
mod condition;
mod encoding;
mod environment;
mod expansion;
mod expr;
mod field;
mod ids;
mod isa;
pub mod limits;
mod names;
mod operand;
mod semantics;
mod shared;
mod template;
mod validate;

pub use build::Builder;
pub use condition::Condition;
pub use encoding::{Assert, Case, EncodeRoot, Encoding, GenRange, Map, Overlap, Space};
pub use expansion::{ExpandStep, Expansion, Table};
pub use expr::{Algebra, BinaryOp, Expr, IntType, Node, NodeId, Numbers, UnaryOp};
pub use field::{EnumType, EnumValue, Field, FieldSource, FieldType, Param, Piece};
pub use ids::{EncodingId, EnumId, ExprId, FeatureId, RegisterFileId, SpaceId, TableId, TemplateId};
pub use isa::{ByteOrder, Feature, GenName, Isa, LengthRule, OpcodeBits, Spelling, WordFormat};
pub use names::{Name, Names};
pub use operand::{Access, Flow, Operand, OperandKind, RegisterFile, Varies};
pub use semantics::{ExternFunction, Parameter, Semantics, Width};
pub use shared::Shared;
pub use template::{Template, TemplatePart};
