//! An instruction as plain data: what the decoder makes, the printers show, and the encoder takes.
//!
//! Texts of the description are kept as [`Symbol`]s; registers, regions and immediates as numbers, in the units of the
//! description (sub-registers in bytes).

use isaglot_codec::Symbol;

use crate::swsb::Swsb;
use crate::types::Type;

/// The kind of an instruction: which operands it has and how they are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// `nop`, `illegal`.
    None,
    /// One source.
    Unary,
    /// Two sources.
    Binary,
    /// Three sources.
    Ternary,
    /// Three sources and a truth table.
    Bfn,
    /// Systolic dot product.
    Dpas,
    /// Math function; one or two sources.
    Math,
    /// Message.
    Send,
    /// Synchronisation.
    Sync,
    /// Branch to a label or a register.
    Jump,
    /// Branch to a label.
    Label,
    /// Branch to two labels.
    Labels,
    /// Branch that leaves a return address.
    Call,
    /// Branch to a register.
    Ret,
    /// Branch to two labels or a register.
    Brc,
}

impl Form {
    /// By the name in the description.
    pub fn parse(name: &str) -> Option<Form> {
        Some(match name {
            "none" => Form::None,
            "unary" => Form::Unary,
            "binary" => Form::Binary,
            "ternary" => Form::Ternary,
            "bfn" => Form::Bfn,
            "dpas" => Form::Dpas,
            "math" => Form::Math,
            "send" => Form::Send,
            "sync" => Form::Sync,
            "jump" => Form::Jump,
            "label" => Form::Label,
            "labels" => Form::Labels,
            "call" => Form::Call,
            "ret" => Form::Ret,
            "brc" => Form::Brc,
            _ => return None,
        })
    }

    /// Whether it ends a block.
    pub fn branches(self) -> bool {
        matches!(self, Form::Jump | Form::Label | Form::Labels | Form::Call | Form::Ret | Form::Brc)
    }

    /// Whether it has a destination.
    pub fn has_dst(self) -> bool {
        matches!(
            self,
            Form::Unary | Form::Binary | Form::Ternary | Form::Bfn | Form::Dpas | Form::Math | Form::Send | Form::Call
        )
    }
}

/// A register file: 0 is `r`, others are 1 + the number of the architecture register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct File(pub u8);

impl File {
    /// General registers.
    pub const R: File = File(0);
    /// `null`
    pub const NULL: File = File(1);
    /// Address registers.
    pub const A: File = File(2);
    /// Accumulators.
    pub const ACC: File = File(3);
    /// Flags.
    pub const F: File = File(4);
    /// Channel enables.
    pub const CE: File = File(5);
    /// Message registers.
    pub const MSG: File = File(6);
    /// Scalar registers.
    pub const S: File = File(7);
    /// Instruction pointer.
    pub const IP: File = File(11);
    /// Flow control.
    pub const FC: File = File(14);
    /// Extension registers of the accumulators, before XeHPC.
    pub const MME: File = File(17);
}

/// What an operand is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum XeOperandKind {
    /// There is none.
    #[default]
    None,
    /// A register.
    Direct,
    /// A register through an address register: `sub` is the number of the address word, `off` the bytes added.
    Indirect,
    /// A register with an extension.
    Macro,
    /// An immediate.
    Imm,
    /// A branch target: `imm` is the distance in bytes, or the address for `calla`.
    Label,
}

/// No such stride.
pub const NO_STRIDE: u8 = 255;
/// Each row has its own address.
pub const VXH: u8 = 254;

/// An operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct XeOperand {
    /// What it is.
    pub kind: XeOperandKind,
    /// Register file.
    pub file: File,
    /// Register number.
    pub reg: u8,
    /// Sub-register in bytes; of [`XeOperandKind::Indirect`] the number of the address word.
    pub sub: u8,
    /// Source modifiers: 1 absolute, 2 negated, 3 both.
    pub mods: u8,
    /// Elements between rows, [`VXH`] or [`NO_STRIDE`].
    pub v: u8,
    /// Elements in a row or [`NO_STRIDE`].
    pub w: u8,
    /// Elements between neighbours or [`NO_STRIDE`].
    pub h: u8,
    /// Type.
    pub ty: Type,
    /// Extension register.
    pub mme: Symbol,
    /// Bytes added to an address.
    pub off: i16,
    /// Registers of a message; −1: not known.
    pub len: i16,
    /// Immediate or distance.
    pub imm: u64,
}

impl Default for XeOperand {
    fn default() -> XeOperand {
        XeOperand {
            kind: XeOperandKind::None,
            file: File::R,
            reg: 0,
            sub: 0,
            mods: 0,
            v: NO_STRIDE,
            w: NO_STRIDE,
            h: NO_STRIDE,
            ty: Type::NONE,
            mme: Symbol::NONE,
            off: 0,
            len: -1,
            imm: 0,
        }
    }
}

/// A message descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Desc {
    /// Immediate.
    Imm(u32),
    /// `a0` with this sub-register, in words.
    Reg(u8),
}

/// Predicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pred {
    /// Inverted.
    pub inv: bool,
    /// How flag bits combine; the empty text: each channel by itself.
    pub func: Symbol,
}

/// Options that are one bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Options {
    /// Writes the accumulator too.
    pub acc_wr: bool,
    /// No other thread in between.
    pub atomic: bool,
    /// Stops here in a debugger.
    pub breakpoint: bool,
    /// Is, or is to be, in the short form.
    pub compacted: bool,
    /// Must not be in the short form.
    pub no_compact: bool,
    /// Ends the thread.
    pub eot: bool,
    /// Surface offset and length in the extended descriptor.
    pub exbso: bool,
    /// Coarse pixel shading.
    pub cps: bool,
    /// Fused threads run one after the other.
    pub serialize: bool,
}

/// An instruction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inst {
    /// Number in [`Xe::ops`](crate::Xe::ops).
    pub op: u8,
    /// Its form.
    pub form: Form,
    /// Channels.
    pub es: u8,
    /// First channel.
    pub eo: u8,
    /// Writes whatever the channel mask says.
    pub wren: bool,
    /// Saturates.
    pub sat: bool,
    /// Branch control.
    pub brctl: bool,
    /// Number of sources.
    pub src_count: u8,
    /// Flag register and sub-register.
    pub flag: (u8, u8),
    /// Predicate.
    pub pred: Option<Pred>,
    /// Flag modifier; [`Symbol::NONE`] if there is none.
    pub cond: Symbol,
    /// Math, sync or bfn function, or message unit.
    pub sub: Symbol,
    /// Depth and repeat count of a systolic product.
    pub dpas: (u8, u8),
    /// Scoreboard annotation.
    pub swsb: Swsb,
    /// Options.
    pub opts: Options,
    /// Destination.
    pub dst: XeOperand,
    /// Sources.
    pub srcs: [XeOperand; 3],
    /// Descriptor of a message.
    pub desc: Desc,
    /// Extended descriptor of a message.
    pub exdesc: Desc,
}

impl Inst {
    /// An instruction without anything.
    pub fn new(op: u8, form: Form) -> Inst {
        Inst {
            op,
            form,
            es: 1,
            eo: 0,
            wren: false,
            sat: false,
            brctl: false,
            src_count: 0,
            flag: (0, 0),
            pred: None,
            cond: Symbol::NONE,
            sub: Symbol::NONE,
            dpas: (0, 0),
            swsb: Swsb::default(),
            opts: Options::default(),
            dst: XeOperand::default(),
            srcs: [XeOperand::default(); 3],
            desc: Desc::Imm(0),
            exdesc: Desc::Imm(0),
        }
    }

    /// Sets an option by its name in texts and listings. Whether there is such an option.
    pub(crate) fn set_option(&mut self, name: &str) -> bool {
        let o = &mut self.opts;
        let option = match name {
            "Compacted" => &mut o.compacted,
            "NoCompact" | "Uncompacted" => &mut o.no_compact,
            "EOT" => &mut o.eot,
            "Atomic" => &mut o.atomic,
            "Breakpoint" => &mut o.breakpoint,
            "AccWrEn" => &mut o.acc_wr,
            "ExBSO" => &mut o.exbso,
            "CPS" => &mut o.cps,
            "Serialize" => &mut o.serialize,
            "NoAccSBSet" => &mut self.swsb.no_acc,
            _ => return false,
        };
        *option = true;
        true
    }

    /// The sources that there are.
    pub fn sources(&self) -> &[XeOperand] {
        self.srcs.get(..usize::from(self.src_count)).unwrap_or(&[])
    }
}
