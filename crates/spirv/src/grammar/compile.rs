//! From the grammar as data to the look-up tables: opcode → row by direct index, name → row by open addressing over
//! precomputed slots, value → row by search in a sorted run, operands as flat programs.
//!
//! Shared with the build script, hence nothing but `std`.

use super::model::{GrammarOperand, Match, Model, PLAIN_KINDS, Quantifier};
use super::rows::*;

/// The compiled tables, owned; `Grammar` is the borrowed view of them.
#[derive(Clone, Debug, Default)]
pub struct Tables {
    /// Version of the headers.
    pub revision: String,
    /// All names; padded so that [`PAD`] bytes may be read from any offset.
    pub text: Vec<u8>,
    /// Instructions by opcode.
    pub ops: Vec<OpRow>,
    /// Opcode → row + 1; 0 for none.
    pub by_opcode: Vec<u16>,
    /// Operand items.
    pub items: Vec<OperandRow>,
    /// What the specification calls each item.
    pub item_names: Vec<Str>,
    /// Enumerants, then extended instructions, each group sorted by value.
    pub values: Vec<ValueRow>,
    /// Enum kinds.
    pub kinds: Vec<GroupRow>,
    /// Extended sets.
    pub sets: Vec<GroupRow>,
    /// Generators.
    pub vendors: Vec<VendorRow>,
    /// Spellings of opcodes (without `Op`), enumerants and extended instructions.
    pub names: Vec<NameRow>,
    /// Slots: spelling + 1; 0 for empty.
    pub op_slots: Vec<u16>,
    /// Slots of enumerants.
    pub enum_slots: Vec<u16>,
    /// Slots of extended instructions.
    pub inst_slots: Vec<u16>,
    /// Operand kinds of [`ROLES`].
    pub roles: [u8; ROLES.len()],
}

/// Enum kinds that the tools look at themselves, in the order of the constants below.
pub const ROLES: [&str; 5] = ["Decoration", "BuiltIn", "StorageClass", "AccessQualifier", "FPEncoding"];
/// Index of `Decoration`.
pub const DECORATION: usize = 0;
/// Index of `BuiltIn`.
pub const BUILT_IN: usize = 1;
/// Index of `StorageClass`.
pub const STORAGE_CLASS: usize = 2;
/// Index of `AccessQualifier`.
pub const ACCESS: usize = 3;
/// Index of `FPEncoding`.
pub const FP_ENCODING: usize = 4;

/// Bytes that may be read from the start of any name.
pub const PAD: usize = 64;

/// Opcodes that may stand inside `OpSpecConstantOp`, without `Op`.
const SPECIAL_OPS: &str = "SConvert FConvert ConvertFToS ConvertSToF ConvertFToU UConvert ConvertUToF ConvertPtrToU \
    ConvertUToPtr GenericCastToPtr PtrCastToGeneric Bitcast QuantizeToF16 SNegate Not IAdd ISub IMul UDiv SDiv UMod \
    SRem SMod ShiftRightLogical ShiftRightArithmetic ShiftLeftLogical BitwiseOr BitwiseAnd BitwiseXor FNegate FAdd \
    FSub FMul FDiv FRem FMod VectorShuffle CompositeExtract CompositeInsert LogicalOr LogicalAnd LogicalNot \
    LogicalEqual LogicalNotEqual Select IEqual INotEqual ULessThan SLessThan UGreaterThan SGreaterThan ULessThanEqual \
    SLessThanEqual UGreaterThanEqual SGreaterThanEqual AccessChain InBoundsAccessChain PtrAccessChain \
    InBoundsPtrAccessChain UntypedAccessChainKHR UntypedInBoundsAccessChainKHR UntypedPtrAccessChainKHR \
    UntypedInBoundsPtrAccessChainKHR CooperativeMatrixLengthNV CooperativeMatrixLengthKHR";

const DEBUG_OPS: &str = "OpName OpMemberName OpSource OpSourceContinued OpSourceExtension OpString OpLine OpNoLine \
    OpModuleProcessed";

/// Types whose class in the grammar does not say so.
const MORE_TYPES: &str = "OpTypeNodePayloadArrayAMDX OpTypeTaskSequenceALTERA";

const ANNOTATION_OPS: &str = "OpDecorate OpDecorateId OpDecorateString OpMemberDecorate OpMemberDecorateString \
    OpGroupDecorate OpGroupMemberDecorate OpMemberDecorateIdEXT";

fn listed(list: &str, name: &str) -> bool {
    list.split_whitespace().any(|n| n == name)
}

struct Builder<'a> {
    model: &'a Model,
    out: Tables,
}

impl Builder<'_> {
    fn str(&mut self, s: &str) -> Str {
        let at = self.out.text.len() as u32;
        self.out.text.extend_from_slice(s.as_bytes());
        Str { at, len: s.len() as u32 }
    }

    fn kind(&self, name: &str, set: &str) -> Result<u8, String> {
        if let Some(i) = PLAIN_KINDS.iter().position(|k| k.0 == name) {
            return Ok(i as u8);
        }
        let private = format!("{set}:{name}");
        let find = |n: &str| self.model.kinds.iter().position(|k| k.name == n);
        let index = find(&private).or_else(|| find(name)).ok_or_else(|| format!("unknown operand kind `{name}`"))?;
        u8::try_from(index).ok().and_then(|i| i.checked_add(FIRST_ENUM)).ok_or_else(|| "too many kinds".to_owned())
    }

    fn program(&mut self, list: &[GrammarOperand], set: &str, instruction: &str) -> Result<Program, String> {
        let at = self.out.items.len() as u32;
        for o in list {
            let name = self.str(&o.name);
            let quantifier = match o.quantifier {
                Quantifier::One => ONE,
                Quantifier::Optional => OPTIONAL,
                Quantifier::Repeat => REPEAT,
            };
            let mut push = |kind, quantifier| {
                self.out.items.push(OperandRow { kind, quantifier });
                self.out.item_names.push(name);
            };
            // A pair that may repeat stays together; any other is its two parts in a row.
            let first = if quantifier == REPEAT { PAIR } else { quantifier };
            match o.kind.as_str() {
                "PairLiteralIntegerIdRef" => {
                    push(if instruction == "OpSwitch" { CASE_LABEL } else { LITERAL_INTEGER }, first);
                    push(ID_REF, ONE);
                }
                "PairIdRefLiteralInteger" => {
                    push(ID_REF, first);
                    push(LITERAL_INTEGER, ONE);
                }
                "PairIdRefIdRef" => push(ID_REF, quantifier),
                kind => {
                    let kind = self.kind(kind, set)?;
                    self.out.items.push(OperandRow { kind, quantifier });
                    self.out.item_names.push(name);
                }
            }
        }
        Ok(Program { at, len: self.out.items.len() as u32 - at })
    }

    fn ops(&mut self) -> Result<(), String> {
        let model = self.model;
        let last = model.ops.iter().map(|o| o.opcode).max().map_or(0, usize::from);
        self.out.by_opcode = vec![0; last + 1];
        for op in &model.ops {
            let name = self.str(&op.name);
            let mut operands = op.operands.as_slice();
            let plain = |k: &str| op.operands.iter().any(|o| o.kind == k);
            // The operands of an extended instruction come from its set.
            if plain("LiteralExtInstInteger") && operands.last().is_some_and(|o| o.quantifier == Quantifier::Repeat) {
                operands = &operands[..operands.len() - 1];
            }
            let program = self.program(operands, "", &op.name)?;
            let items = self.out.items.get_mut(program.at as usize..).unwrap_or_default();
            if let Some([set @ .., number]) = items.first_chunk_mut::<4>()
                && number.kind == EXT_INST
            {
                set[2].kind = EXT_SET;
            }
            let mut flags = 0;
            let mut set = |on: bool, flag| flags |= if on { flag } else { 0 };
            set(plain("IdResult"), HAS_RESULT);
            set(plain("IdResultType"), HAS_TYPE);
            let declares =
                op.class == "Type-Declaration" && op.name != "OpTypeBufferSurfaceINTEL" || listed(MORE_TYPES, &op.name);
            set(declares && plain("IdResult"), MAKES_TYPE);
            set(!op.when.capabilities.is_empty() || !op.when.extensions.is_empty(), ENABLED);
            let short = op.name.strip_prefix("Op").unwrap_or(&op.name);
            let special = listed(SPECIAL_OPS, short)
                || op.when.aliases.iter().any(|a| listed(SPECIAL_OPS, a.strip_prefix("Op").unwrap_or(a)));
            set(special, SPECIAL);
            set(listed(DEBUG_OPS, &op.name), DEBUG);
            set(
                listed(ANNOTATION_OPS, &op.name) || op.when.aliases.iter().any(|a| listed(ANNOTATION_OPS, a)),
                ANNOTATION,
            );
            let row = OpRow {
                name,
                program,
                opcode: op.opcode,
                since: op.when.since.unwrap_or(NEVER),
                last: op.when.last.unwrap_or(NEVER),
                flags,
            };
            let index = self.out.ops.len() as u16;
            self.out.ops.push(row);
            if let Some(slot) = self.out.by_opcode.get_mut(usize::from(op.opcode)) {
                *slot = index + 1;
            }
            let bare = Str { at: name.at + 2, len: name.len.saturating_sub(2) };
            self.out.names.push(NameRow { name: bare, group: 0, row: index });
            for alias in &op.when.aliases {
                let name = self.str(alias.strip_prefix("Op").unwrap_or(alias));
                self.out.names.push(NameRow { name, group: 0, row: index });
            }
        }
        Ok(())
    }

    fn kinds(&mut self) -> Result<(), String> {
        let model = self.model;
        for (k, kind) in model.kinds.iter().enumerate() {
            let name = self.str(&kind.name);
            let phrase = self.str(&kind.phrase);
            let at = self.out.values.len() as u32;
            let set = kind.name.split_once(':').map_or("", |(s, _)| s);
            for e in &kind.enumerants {
                let name = self.str(&e.name);
                let program = self.program(&e.parameters, set, "")?;
                let row = self.out.values.len() as u16;
                self.out.values.push(ValueRow { name, value: e.value, program });
                self.out.names.push(NameRow { name, group: k as u8, row });
                for alias in &e.when.aliases {
                    let name = self.str(alias);
                    self.out.names.push(NameRow { name, group: k as u8, row });
                }
            }
            let flags = if kind.mask { MASK } else { 0 };
            self.out.kinds.push(GroupRow { name, phrase, at, len: kind.enumerants.len() as u32, flags });
        }
        Ok(())
    }

    fn sets(&mut self) -> Result<(), String> {
        let model = self.model;
        for (s, set) in model.sets.iter().enumerate() {
            let name = self.str(&set.name);
            let at = self.out.values.len() as u32;
            for i in &set.instructions {
                let name = self.str(&i.name);
                let program = self.program(&i.operands, &set.name, "")?;
                let row = self.out.values.len() as u16;
                self.out.values.push(ValueRow { name, value: i.number, program });
                self.out.names.push(NameRow { name, group: s as u8, row });
            }
            let rule = match set.rule {
                Match::Exact => 0,
                Match::Prefix => PREFIX,
                Match::Off => OFF,
            };
            let flags = rule | if set.open { OPEN } else { 0 };
            self.out.sets.push(GroupRow {
                name,
                phrase: Str { at: 0, len: 0 },
                at,
                len: set.instructions.len() as u32,
                flags,
            });
        }
        Ok(())
    }

    /// Slots for the spellings from `from` on.
    fn slots(&self, from: usize) -> Vec<u16> {
        let count = self.out.names.len() - from;
        let bits = (count * 2).next_power_of_two().trailing_zeros().max(4);
        let mut slots = vec![0u16; 1 << bits];
        for (i, n) in self.out.names.iter().enumerate().skip(from) {
            let text = &self.out.text[n.name.at as usize..(n.name.at + n.name.len) as usize];
            let mut at = hash(text, n.group, bits);
            while slots[at] != 0 {
                at = (at + 1) & (slots.len() - 1);
            }
            slots[at] = i as u16 + 1;
        }
        slots
    }
}

/// Compiles a grammar; the error names what does not fit.
pub fn compile(model: &Model) -> Result<Tables, String> {
    let mut b = Builder { model, out: Tables { revision: model.revision.clone(), ..Tables::default() } };
    b.ops()?;
    b.out.op_slots = b.slots(0);
    let from = b.out.names.len();
    b.kinds()?;
    b.out.enum_slots = b.slots(from);
    let from = b.out.names.len();
    b.sets()?;
    b.out.inst_slots = b.slots(from);
    for (role, name) in b.out.roles.iter_mut().zip(ROLES) {
        let index = model.kinds.iter().position(|k| k.name == name);
        *role = index.map_or(0, |i| (i as u8).saturating_add(FIRST_ENUM));
    }
    for v in &model.vendors {
        let text = b.str(&v.text);
        b.out.vendors.push(VendorRow { text, number: v.number });
    }
    b.out.text.extend_from_slice(&[0; PAD]);
    let too_many = |what: &str, n: usize, limit: usize| match n < limit {
        true => Ok(()),
        false => Err(format!("{n} {what} are more than the tables hold ({limit})")),
    };
    too_many("names", b.out.names.len(), 1 << 16)?;
    too_many("kinds", b.out.kinds.len(), 256 - FIRST_ENUM as usize)?;
    too_many("extended sets", b.out.sets.len(), 255)?;
    too_many("bytes of names", b.out.text.len(), 1 << 28)?;
    Ok(b.out)
}
