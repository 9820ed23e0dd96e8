//! The tree of a listing, version 2.0: what the JSON holds, key by key.
//!
//! Invariant: a key that does not apply is absent, never `null`; field order here is the order in the JSON. Text is
//! [`Cow`] so that a disassembler lends the names it already has and the reader owns what it has read.
//!
//! Numbers of instructions and of labels are two separate spaces; `defs`, `uses` hold instruction ids, `preds`,
//! `succs` label ids.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Text that is lent or owned.
pub type Text<'a> = Cow<'a, str>;

fn is_false(b: &bool) -> bool {
    !*b
}

/// A whole listing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Listing<'a> {
    /// Version of this format: `2.0`.
    pub version: Text<'a>,
    /// Name of the machine.
    pub platform: Text<'a>,
    /// Labels and instructions in program order.
    pub elems: Vec<Elem<'a>>,
}

/// One element of the program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "kind")]
pub enum Elem<'a> {
    /// The start of a basic block.
    L(Label<'a>),
    /// An instruction.
    I(Box<Inst<'a>>),
}

/// The start of a basic block.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Label<'a> {
    /// Number of the label.
    pub id: u32,
    /// Byte offset of the block.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pc: Option<u64>,
    /// Name by which branches refer to the block.
    pub symbol: Text<'a>,
    /// Labels of the blocks from which control comes, ascending.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub preds: Vec<u32>,
    /// Labels of the blocks to which control goes, ascending.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub succs: Vec<u32>,
    /// Of a block that is called: what the function that begins there does to registers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub function: Option<Function<'a>>,
}

/// What a function does, with all that it calls: sets of registers, such as `r4`, `r8:2` (two registers), `r60[0-7]` (bytes).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Function<'a> {
    /// What it may read of what its caller has left.
    pub used: Vec<Text<'a>>,
    /// What it may write.
    pub defined: Vec<Text<'a>>,
    /// What of that may come back as it was; all that is not in `defined` always does.
    pub preserved: Vec<Text<'a>>,
}

/// An instruction.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Inst<'a> {
    /// Number of the instruction.
    pub id: u32,
    /// Byte offset.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pc: Option<u64>,
    /// Predicate that guards the channels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pred: Option<Pred>,
    /// Writes whatever the channel mask says.
    #[serde(default, skip_serializing_if = "is_false")]
    pub wren: bool,
    /// Mnemonic.
    pub op: Text<'a>,
    /// Function, message unit or shape after the mnemonic.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subop: Option<Text<'a>>,
    /// Number of channels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub es: Option<u32>,
    /// First channel, if it is not 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub eo: Option<u32>,
    /// Flag modifier.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fm: Option<FlagModifier<'a>>,
    /// The flag register of `pred` and `fm`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub freg: Option<Reg<'a>>,
    /// Dependencies through registers that the instruction does not name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub implicit: Option<Implicit>,
    /// Destination.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dst: Option<ListOperand<'a>>,
    /// Sources, in order.
    pub srcs: Vec<ListOperand<'a>>,
    /// Distance annotation, such as `A@1`.
    #[serde(default, rename = "regDist", skip_serializing_if = "Option::is_none")]
    pub reg_dist: Option<Text<'a>>,
    /// Scoreboard token.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sbid: Option<Sbid<'a>>,
    /// Further options.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub opts: Vec<Text<'a>>,
    /// The encoding, dwords from the highest to the lowest, joined by back-ticks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoding: Option<Text<'a>>,
    /// Live bytes of each register file before the instruction executes.
    #[serde(default, rename = "liveTotals", skip_serializing_if = "Option::is_none")]
    pub live_totals: Option<LiveTotals<'a>>,
    /// Free text for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment: Option<Text<'a>>,
}

/// A predicate.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Pred {
    /// The predicate is inverted.
    #[serde(default, skip_serializing_if = "is_false")]
    pub inv: bool,
    /// How flag bits combine; empty: each channel has its own.
    pub func: Cow<'static, str>,
    /// Instructions that define the flag bits.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub defs: Vec<u32>,
}

/// A flag modifier.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct FlagModifier<'a> {
    /// The condition that is tested.
    pub cond: Text<'a>,
    /// Instructions that read the flag bits which this one writes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub uses: Vec<u32>,
}

/// Dependencies through registers that the instruction does not name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Implicit {
    /// Instructions that define what is read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub defs: Vec<u32>,
    /// Instructions that read what is written.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub uses: Vec<u32>,
}

/// A register.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Reg<'a> {
    /// Name of the register or of its file.
    pub rn: Text<'a>,
    /// Number within the file; absent for 0.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub r: u32,
    /// Sub-register, in elements; absent for 0.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub sr: u32,
}

fn is_zero(n: &u32) -> bool {
    *n == 0
}

/// A region: how the channels step through registers. A destination has only `h`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Rgn {
    /// Elements between rows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub v: Option<u32>,
    /// Elements in a row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub w: Option<u32>,
    /// Elements between neighbours of a row.
    pub h: u32,
}

/// A scoreboard token.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Sbid<'a> {
    /// Number of the token.
    pub id: u32,
    /// `.dst`: wait until written; `.src`: wait until read; empty: allocate.
    pub func: Text<'a>,
}

/// An operand; `kind` says which.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Operand"))]
#[serde(tag = "kind")]
pub enum ListOperand<'a> {
    /// Branch target.
    LB(LabelRef<'a>),
    /// Immediate.
    IM(Immediate<'a>),
    /// Register, directly.
    RD(Direct<'a>),
    /// Register through an address register.
    RI(Indirect<'a>),
    /// Register with an extension, as math macros take.
    RM(Macro<'a>),
    /// Data of a message.
    DA(Data<'a>),
    /// Addresses of a message.
    AD(Address<'a>),
}

/// A branch target.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct LabelRef<'a> {
    /// The label's symbol.
    pub target: Text<'a>,
}

/// An immediate.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Immediate<'a> {
    /// The value as the assembler writes it.
    pub value: Text<'a>,
    /// Type; descriptors have none.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub ty: Option<Text<'a>>,
}

/// A register operand: source modifiers, the keys that name the register, and then what all of them have.
macro_rules! register_operand {
    ($(#[$doc:meta])* $name:ident { $($(#[$key_doc:meta])* $key:ident: $of:ty,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
        #[cfg_attr(test, derive(schemars::JsonSchema))]
        #[serde(deny_unknown_fields)]
        pub struct $name<'a> {
            /// Source modifiers: `n`, `a`, `na`.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub mods: Option<Text<'a>>,
            $($(#[$key_doc])* pub $key: $of,)+
            /// The result saturates.
            #[serde(default, skip_serializing_if = "is_false")]
            pub sat: bool,
            /// Region.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub rgn: Option<Rgn>,
            /// Type.
            #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
            pub ty: Option<Text<'a>>,
            /// Of a source: instructions that define what it reads (of [`Indirect`]: the address register).
            #[serde(default, skip_serializing_if = "Vec::is_empty")]
            pub defs: Vec<u32>,
            /// Of a destination: instructions that read it.
            #[serde(default, skip_serializing_if = "Vec::is_empty")]
            pub uses: Vec<u32>,
        }
    };
}

register_operand! {
    /// A register operand.
    Direct {
        /// The register.
        reg: Reg<'a>,
    }
}

register_operand! {
    /// A register operand whose number comes from an address register.
    Indirect {
        /// The address register.
        areg: Reg<'a>,
        /// Bytes added to the address.
        aoff: i64,
    }
}

register_operand! {
    /// A register operand with an extension.
    Macro {
        /// The register.
        reg: Reg<'a>,
        /// The extension: `mme0` … `mme7`, `nomme`.
        mme: Text<'a>,
    }
}

/// The data of a message.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Data<'a> {
    /// The first register.
    pub reg: Reg<'a>,
    /// Number of registers; −1 if the message does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub len: Option<i32>,
    /// Of a source: instructions that define it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub defs: Vec<u32>,
}

/// The addresses of a message.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Address<'a> {
    /// The first register.
    pub areg: Reg<'a>,
    /// Number of registers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alen: Option<i32>,
    /// Instructions that define them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub adefs: Vec<u32>,
    /// Immediate offset, if it is not 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub aoff: Option<Offset>,
    /// Scale of the addresses, if it is not 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ascale: Option<i64>,
    /// Kind of surface: `flat`, `bti`, `bss`, `ss`, `surf`, `invalid`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stype: Option<Text<'a>>,
    /// The surface.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub soff: Option<Surface<'a>>,
    /// Instructions that define the surface.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sdefs: Vec<u32>,
    /// Base register of the surface.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sbase: Option<Reg<'a>>,
    /// Second base register of the surface.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sbase2: Option<Reg<'a>>,
    /// Instructions that define the second base.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sdefs2: Vec<u32>,
}

/// An immediate address offset: one number, or `[x, y]` of a two-dimensional block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Offset {
    /// Bytes.
    One(i64),
    /// Columns and rows.
    Two([i64; 2]),
}

/// A surface: its number, or the register that holds its offset.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Surface<'a> {
    /// Number in the binding table.
    Index(u32),
    /// Register.
    Reg(Reg<'a>),
}

/// Live bytes by register file, in a fixed order: a JSON object `{file: bytes}`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LiveTotals<'a>(pub Vec<(Text<'a>, u32)>);

impl Serialize for LiveTotals<'_> {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_map(self.0.iter().map(|(k, v)| (k, v)))
    }
}

impl<'de, 'a> Deserialize<'de> for LiveTotals<'a> {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> serde::de::Visitor<'de> for Visitor {
            type Value = Vec<(Text<'static>, u32)>;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object of byte counts by register file")
            }
            fn visit_map<M: serde::de::MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
                let mut all = Vec::new();
                while let Some((name, bytes)) = map.next_entry::<String, u32>()? {
                    all.push((Cow::Owned(name), bytes));
                }
                Ok(all)
            }
        }
        d.deserialize_map(Visitor).map(LiveTotals)
    }
}

#[cfg(test)]
impl schemars::JsonSchema for LiveTotals<'_> {
    fn schema_name() -> Cow<'static, str> {
        "LiveTotals".into()
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "Live bytes by register file.",
            "type": "object",
            "additionalProperties": { "type": "integer", "minimum": 0 }
        })
    }
}
