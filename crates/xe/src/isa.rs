//! The embedded description, compiled for one machine.

use isaglot_codec::{Expander, Flat, Slot, Symbol};
use isaglot_model::{EncodingId, EnumId, Isa, SpaceId, Width, compiled};
use isaglot_source::{Diagnostics, SourceMap};
use rustc_hash::FxHashMap;

use crate::implied::Implied;
use crate::inst::{File, Form};
use crate::platform::Platform;
use crate::rules::{OperandRules, SPACE, UNITS};
use crate::swsb::{Class, SwsbTable};
use crate::types::Type;

/// The files of the description, the top one first.
pub const FILES: &[isaglot_specs::File] = isaglot_specs::XE;

/// The description as `build.rs` compiled it.
const COMPILED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/xe.isa"));

/// The description as a model with places, and what is to be said about it. `None` only if the embedded files are broken, which a
/// test rules out.
pub fn description() -> (Option<Isa>, SourceMap, Diagnostics) {
    let (mut files, mut problems) = (SourceMap::new(), Diagnostics::new());
    let mut read = |name: &str| {
        let file = isaglot_specs::find(FILES, name);
        file.map(|text| text.as_bytes().to_vec()).ok_or_else(|| "no such file".to_owned())
    };
    let isa = isaglot_isaspec::load(&mut files, "xe.xml", &mut read, &mut problems);
    (isa, files, problems)
}

/// The embedded description. The caller keeps it as long as it works with a machine ([`Xe`]) of it; one serves all machines.
#[derive(Debug)]
pub struct Description(Isa);

impl Description {
    /// Reads the description that was compiled into this crate. `None` only if it is broken, which a test rules out.
    #[must_use]
    pub fn embedded() -> Option<Description> {
        compiled::from_own_bytes(COMPILED).map(Description)
    }

    /// A description that came from elsewhere. [`Xe::new`] refuses one that is not a description of Intel Xe.
    #[must_use]
    pub fn new(isa: Isa) -> Description {
        Description(isa)
    }
}

/// An operation.
#[derive(Clone, Debug)]
pub struct Operation<'d> {
    /// Mnemonic.
    pub name: &'d str,
    /// Form.
    pub form: Form,
    /// For scoreboard codes.
    pub class: Class,
    /// The encoding.
    pub encoding: EncodingId,
    /// Opcode bits, for the order of things only.
    pub opcode: u8,
    /// Takes a predicate.
    pub pred: bool,
    /// Takes a flag modifier.
    pub cond: bool,
    /// Saturates.
    pub sat: bool,
    /// Takes source modifiers.
    pub mods: bool,
    /// Takes branch control.
    pub brctl: bool,
    /// Works on bits: a negated source is a complement.
    pub bitwise: bool,
    /// `sel`: the flag modifier writes no flag.
    pub select: bool,
    /// Has no operands by address registers, though there are bits that say so.
    pub direct: bool,
    /// Is never masked, so a text need not say so.
    pub unmasked: bool,
    /// What texts leave out.
    pub(crate) implied: Implied,
}

macro_rules! slots {
    ($($field:ident: $name:literal;)*) => {
        /// The fields of the description, each by its slot; a field that a machine has not is a slot without values.
        #[derive(Clone, Copy, Debug)]
        #[allow(missing_docs)]
        pub(crate) struct Slots { $(pub(crate) $field: Slot,)* }

        impl Slots {
            fn new(flat: &Flat<'_>) -> Slots {
                // A slot above every real one never has a value.
                let none = Slot(isaglot_codec::limits::MAX_SLOTS as u8 - 1);
                Slots { $($field: flat.slot($name).unwrap_or(none),)* }
            }
        }
    };
}

slots! {
    swsb: "SWSB"; exec_size: "EXEC_SIZE"; ch_off: "CH_OFF"; flag_sub: "FLAG_SUB"; flag_reg: "FLAG_REG"; pred: "PRED";
    pred_inv: "PRED_INV"; no_mask: "NO_MASK"; atomic: "ATOMIC"; debug: "DEBUG"; sat: "SAT"; acc_wr: "ACC_WR"; cond: "COND";
    imm: "IMM"; imm_copy: "IMM_COPY"; float: "FLOAT"; bfn: "BFN"; math: "MATH"; sync: "SYNC"; sfid: "SFID";
    repeat: "REPEAT"; depth: "DEPTH"; brctl: "BRCTL"; jip: "JIP"; uip: "UIP"; eot: "EOT"; fusion: "FUSION";
    desc_reg: "DESC_REG"; desc: "DESC"; exdesc_reg: "EXDESC_REG"; exdesc: "EXDESC"; exdesc_sub: "EXDESC_SUB";
    exbso: "EXBSO"; cps: "CPS"; src1_len: "SRC1_LEN";
}

/// The fields of one operand.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OperandSlots {
    pub(crate) ty: Slot,
    pub(crate) imm: Slot,
    pub(crate) imm16: Slot,
    pub(crate) ind: Slot,
    pub(crate) file: Slot,
    pub(crate) arf: Slot,
    pub(crate) reg: Slot,
    pub(crate) sub: Slot,
    pub(crate) hs: Slot,
    pub(crate) width: Slot,
    pub(crate) vs: Slot,
    pub(crate) mods: Slot,
    pub(crate) asub: Slot,
    pub(crate) aoff: Slot,
    pub(crate) mme: Slot,
}

impl OperandSlots {
    fn new(flat: &Flat<'_>, prefix: &str) -> OperandSlots {
        let none = Slot(isaglot_codec::limits::MAX_SLOTS as u8 - 1);
        let slot = |name: &str| flat.slot(&format!("{prefix}_{name}")).unwrap_or(none);
        OperandSlots {
            ty: slot("TYPE"),
            imm: slot("IMM"),
            imm16: slot("IMM16"),
            ind: slot("IND"),
            file: slot("FILE"),
            arf: slot("ARF"),
            reg: slot("REG"),
            sub: slot("SUB"),
            hs: slot("HS"),
            width: slot("W"),
            vs: slot("VS"),
            mods: slot("MOD"),
            asub: slot("ASUB"),
            aoff: slot("AOFF"),
            mme: slot("MME"),
        }
    }
}

/// A register file's bounds.
#[derive(Clone, Copy, Debug, Default)]
pub struct FileInfo<'d> {
    /// Name.
    pub name: &'d str,
    /// Number of registers.
    pub count: u32,
    /// Bytes of a register.
    pub bytes: u32,
}

/// The description for one machine: what everything else works with.
#[derive(Debug)]
pub struct Xe<'d> {
    /// The machine.
    pub platform: Platform,
    pub(crate) isa: &'d Isa,
    pub(crate) flat: Flat<'d>,
    pub(crate) expander: Expander<'d>,
    pub(crate) slots: Slots,
    pub(crate) dst: OperandSlots,
    pub(crate) src: [OperandSlots; 3],
    ops: Vec<Operation<'d>>,
    op_by_name: FxHashMap<&'d [u8], u8>,
    type_by_name: FxHashMap<&'d [u8], Type>,
    op_of: Vec<u8>,
    /// Of each symbol: the number that it is, the type, the register file.
    numbers: Vec<u8>,
    types: Vec<Type>,
    /// By [`Type`], and by number.
    type_symbols: Vec<Symbol>,
    number_symbols: Vec<Symbol>,
    arfs: Vec<File>,
    arf_symbols: Vec<Symbol>,
    /// By [`File`].
    pub(crate) files: Vec<FileInfo<'d>>,
    pub(crate) swsb: SwsbTable,
    /// Encoded parts, once there are any.
    pub(crate) kept: Option<Box<crate::encode_kept::KeptBits>>,
    pub(crate) lsc: crate::message::Lsc<'d>,
    pub(crate) messages: crate::message::Messages<'d>,
    pub(crate) rules: OperandRules<'d>,
    /// The empty text.
    pub(crate) empty: Symbol,
    functions: rustc_hash::FxHashSet<(Slot, Symbol)>,
    file_names: FxHashMap<&'d str, File>,
    /// By the lowest byte, whether a word in its long form may end a block.
    pub(crate) ends_block: Vec<bool>,
    /// Whether a short form may end a block.
    pub(crate) short_ends_block: bool,
}

/// The flag modifier that math macros have by nature.
pub(crate) const EO: Symbol = Symbol(u16::MAX - 1);

/// No such operation.
const NO_OP: u8 = u8::MAX;

impl<'d> Xe<'d> {
    /// Compiles the description for a machine. `None` only if the description is broken, which a test rules out.
    pub fn new(description: &'d Description, platform: Platform) -> Option<Xe<'d>> {
        let isa = &description.0;
        let generation = platform.generation();
        let flat = Flat::new(isa, isa.root(), generation)?;
        let (mut ops, mut op_by_name, mut op_of) =
            (Vec::new(), FxHashMap::default(), vec![NO_OP; isa.encodings().len()]);
        for &id in &isa[isa.root()].encodings {
            let encoding = &isa[id];
            if !encoding.gens.contains(generation) || ops.len() >= usize::from(NO_OP) {
                continue;
            }
            let meta = |key: &str| encoding.meta.iter().find(|(k, _)| k == key).map_or("", |(_, v)| v.as_str());
            let has = |what: &str| meta("has").split(' ').any(|w| w == what);
            let name = &*encoding.display_name;
            op_of[id.index()] = ops.len() as u8;
            op_by_name.insert(name.as_bytes(), ops.len() as u8);
            let form = Form::parse(meta("form"))?;
            ops.push(Operation {
                name,
                form,
                class: Class::of(name),
                encoding: id,
                opcode: encoding.pattern.value().low_u64() as u8 & 127,
                pred: has("pred"),
                cond: has("cond"),
                sat: has("sat"),
                mods: has("mods"),
                brctl: has("brctl"),
                bitwise: has("bitwise"),
                select: has("select"),
                direct: has("direct"),
                unmasked: has("unmasked"),
                implied: Implied::new(&flat, form, meta)?,
            });
        }
        let has_short = |op: &Operation| isa[op.encoding].meta.iter().any(|(key, _)| key == "compact");
        let short_ends_block = ops.iter().any(|op| ends_block(op.form) && has_short(op));
        let symbols = flat.symbols();
        let numbers = symbols
            .iter()
            .map(|s| if *s == "vxh" { crate::inst::VXH } else { s.parse().unwrap_or(crate::inst::NO_STRIDE) })
            .collect::<Vec<u8>>();
        let types = symbols.iter().map(|s| Type::parse(s).unwrap_or(Type::NONE)).collect::<Vec<_>>();
        let symbol = |i: usize| Symbol(i as u16);
        let mut type_symbols = vec![Symbol::NONE; 256];
        let mut number_symbols = vec![Symbol::NONE; 256];
        for (i, (ty, number)) in types.iter().zip(&numbers).enumerate() {
            type_symbols[usize::from(ty.0)] = symbol(i);
            number_symbols[usize::from(*number)] = symbol(i);
        }
        let (files, arfs, arf_symbols) = registers(isa, &flat, platform);
        let functions = functions(isa, &flat, generation);
        let known = files.iter().enumerate().filter(|(_, f)| f.count > 0);
        let file_names = known.map(|(i, f)| (f.name, File(i as u8))).collect();
        Some(Xe {
            platform,
            functions,
            file_names,
            ends_block: block_ends(isa, ops.iter()),
            short_ends_block,
            isa,
            slots: Slots::new(&flat),
            dst: OperandSlots::new(&flat, "DST"),
            src: ["SRC0", "SRC1", "SRC2"].map(|p| OperandSlots::new(&flat, p)),
            expander: Expander::new(isa, generation),
            ops,
            op_by_name,
            type_by_name: Type::names().map(|(name, ty)| (name.as_bytes(), ty)).collect(),
            op_of,
            numbers,
            types,
            type_symbols,
            number_symbols,
            arfs,
            arf_symbols,
            files,
            swsb: SwsbTable::new(isa, if platform.wide() { "#swsb-10" } else { "#swsb-8" }, generation),
            kept: None,
            lsc: crate::message::Lsc::new(isa, generation),
            messages: crate::message::Messages::new(isa, &flat, generation),
            rules: OperandRules::new(isa, generation, Xe::space(isa, SPACE), Xe::enum_named(isa, UNITS)),
            empty: flat.symbol("")?,
            flat,
        })
    }

    /// Every operation of the machine.
    pub fn ops(&self) -> &[Operation<'d>] {
        &self.ops
    }

    /// An operation by its number.
    ///
    /// # Panics
    /// For a number that is none of [`Xe::ops`].
    pub fn op(&self, op: u8) -> &Operation<'d> {
        &self.ops[usize::from(op)]
    }

    /// The number of a mnemonic.
    pub fn op_named(&self, name: &str) -> Option<u8> {
        self.op_with_name(name.as_bytes())
    }

    /// The same for bytes.
    pub(crate) fn op_with_name(&self, name: &[u8]) -> Option<u8> {
        self.op_by_name.get(name).copied()
    }

    /// A type by a name or alias.
    pub(crate) fn type_named(&self, name: &[u8]) -> Option<Type> {
        self.type_by_name.get(name).copied()
    }

    pub(crate) fn op_of(&self, id: EncodingId) -> Option<u8> {
        self.op_of.get(id.index()).copied().filter(|op| *op != NO_OP)
    }

    /// A text of the description.
    pub fn text(&self, symbol: Symbol) -> &'d str {
        if symbol == EO {
            return "eo";
        }
        self.flat.symbols().get(usize::from(symbol.0)).copied().unwrap_or("")
    }

    /// The number of a text of the description.
    pub fn symbol(&self, text: &str) -> Option<Symbol> {
        self.flat.symbol(text)
    }

    pub(crate) fn number(&self, symbol: Symbol) -> u8 {
        self.numbers.get(usize::from(symbol.0)).copied().unwrap_or(crate::inst::NO_STRIDE)
    }

    pub(crate) fn number_symbol(&self, number: u8) -> Symbol {
        self.number_symbols.get(usize::from(number)).copied().unwrap_or(Symbol::NONE)
    }

    pub(crate) fn type_of(&self, symbol: Symbol) -> Type {
        self.types.get(usize::from(symbol.0)).copied().unwrap_or(Type::NONE)
    }

    pub(crate) fn type_symbol(&self, ty: Type) -> Symbol {
        self.type_symbols.get(usize::from(ty.0)).copied().unwrap_or(Symbol::NONE)
    }

    pub(crate) fn arf(&self, symbol: Symbol) -> Option<File> {
        self.arfs.get(usize::from(symbol.0)).copied().filter(|f| *f != File::R)
    }

    pub(crate) fn arf_symbol(&self, file: File) -> Symbol {
        self.arf_symbols.get(usize::from(file.0)).copied().unwrap_or(Symbol::NONE)
    }

    /// The truth table that a function of `bfn` stands for.
    pub(crate) fn bfn_value(&self, function: Symbol) -> u64 {
        let Some(id) = Xe::enum_named(self.isa, "bfn") else { return 0 };
        let text = self.text(function);
        self.isa[id].values.iter().find(|v| &*v.display == text).map_or(0, |v| v.value)
    }

    /// The function of `bfn` with this truth table.
    pub(crate) fn bfn_symbol(&self, value: u64) -> Option<Symbol> {
        let id = Xe::enum_named(self.isa, "bfn")?;
        let entry = self.isa[id].values.iter().find(|v| v.value == value)?;
        self.flat.symbol(&entry.display)
    }

    /// Whether a text is a function of a form.
    pub(crate) fn is_function(&self, form: Form, symbol: Symbol) -> bool {
        let slot = match form {
            Form::Bfn => self.slots.bfn,
            Form::Math => self.slots.math,
            Form::Sync => self.slots.sync,
            Form::Send => self.slots.sfid,
            _ => return false,
        };
        self.functions.contains(&(slot, symbol))
    }

    /// Whether the machine has a register, by its name and number.
    #[must_use]
    pub fn has_register(&self, name: &str) -> bool {
        let digits = name.trim_start_matches(|c: char| !c.is_ascii_digit());
        let file = name.strip_suffix(digits).unwrap_or(name);
        let file = if file == "r" { Some(File::R) } else { self.file_named(file) };
        let number = if digits.is_empty() { Some(0) } else { digits.parse::<u32>().ok() };
        file.zip(number).is_some_and(|(file, number)| number < self.file(file).count)
    }

    /// A register file by its name.
    pub(crate) fn file_named(&self, name: &str) -> Option<File> {
        self.file_names.get(name).copied()
    }

    /// The name of a register file.
    pub fn file(&self, file: File) -> FileInfo<'d> {
        self.files.get(usize::from(file.0)).copied().unwrap_or_default()
    }

    /// A space of the description by its name.
    pub(crate) fn space(isa: &Isa, name: &str) -> Option<SpaceId> {
        let name = isa.names().get(name)?;
        isa.spaces().iter().position(|s| s.name == name).map(|i| SpaceId(i as u32))
    }

    /// The texts of an enum of the description, by value.
    pub(crate) fn enum_named(isa: &Isa, name: &str) -> Option<EnumId> {
        isa.enums().iter().position(|e| e.name == name).map(|i| EnumId(i as u32))
    }
}

/// Texts that a field takes in some encoding of this gen.
fn functions(isa: &Isa, flat: &Flat<'_>, generation: u32) -> rustc_hash::FxHashSet<(Slot, Symbol)> {
    let mut all = rustc_hash::FxHashSet::default();
    let names = ["BFN", "MATH", "SYNC", "SFID"].map(|n| (isa.names().get(n), flat.slot(n)));
    for &id in isa[isa.root()].encodings.iter().filter(|e| isa[**e].gens.contains(generation)) {
        for field in isa[id].cases.iter().flat_map(|c| &c.fields) {
            let Some((_, Some(slot))) = names.iter().find(|(n, _)| *n == Some(field.name)) else { continue };
            if let isaglot_model::FieldType::Enum(id) = field.ty {
                all.extend(isa[id].values.iter().filter_map(|v| Some((*slot, flat.symbol(&v.display)?))));
            }
        }
    }
    all
}

/// Register files: the general one, then each that the description's `arf` names, at 1 + its number.
fn registers<'d>(isa: &'d Isa, flat: &Flat<'_>, platform: Platform) -> (Vec<FileInfo<'d>>, Vec<File>, Vec<Symbol>) {
    let mut files = vec![FileInfo::default(); usize::from(File::MME.0) + 1];
    let mut arfs = vec![File::R; flat.symbols().len()];
    let mut symbols = vec![Symbol::NONE; files.len()];
    let family = if platform.wide() { "hpc" } else { "hpg" };
    let info = |name: &'d str| {
        let names = [format!("{name}-{}", platform.name()), format!("{name}-{family}"), name.to_owned()];
        let file = names.iter().find_map(|own| isa.register_files().iter().find(|f| f.name == *own))?;
        let bits = if let Width::Bits(bits) = file.width { bits } else { 0 };
        Some(FileInfo { name, count: file.names.len() as u32, bytes: bits / 8 })
    };
    files[usize::from(File::R.0)] = info("r").unwrap_or_default();
    files[usize::from(File::MME.0)] = info("mme").unwrap_or_default();
    let arf = Xe::enum_named(isa, "arf").map_or(&[] as &[_], |id| isa[id].values.as_slice());
    for value in arf {
        let index = value.value as usize + 1;
        let name = &*value.display;
        if let (Some(slot), Some(symbol)) = (files.get_mut(index), flat.symbol(name)) {
            // The sixth file is `sp` where there are no scalar registers; nothing may name it.
            let absent = name == "s" && platform != Platform::Xe3;
            *slot = if absent { FileInfo { name, ..FileInfo::default() } } else { info(name).unwrap_or_default() };
            symbols[index] = symbol;
            if let Some(arf) = arfs.get_mut(usize::from(symbol.0)) {
                *arf = File(index as u8);
            }
        }
    }
    (files, arfs, symbols)
}

/// By the lowest byte of a word, whether it may be one of these operations.
fn block_ends<'a>(isa: &Isa, ops: impl Iterator<Item = &'a Operation<'a>>) -> Vec<bool> {
    let mut table = vec![false; 256];
    for op in ops.filter(|op| ends_block(op.form)) {
        let pattern = &isa[op.encoding].pattern;
        let (care, value) = (pattern.care().low_u64() as u8, pattern.value().low_u64() as u8);
        for (byte, ends) in table.iter_mut().enumerate() {
            *ends |= byte as u8 & care == value & care;
        }
    }
    table
}

/// Whether instructions of a form may end a block.
fn ends_block(form: Form) -> bool {
    form.branches() || form == Form::Send
}
