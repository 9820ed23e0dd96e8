//! RISC-V instructions on terms, by the semantics of their description.

use isaglot_bits::Word;
use isaglot_codec::Plan;
use isaglot_codec::operands::{OperandValue, decode};
use isaglot_invariant::Impossible as _;
use isaglot_model::{EncodingId, Isa, Name};
use isaglot_riscv::isa_name;
use isaglot_semantics::{Body, Env, Symbol};
use isaglot_xintf::profile::{GenericInst, Profile};
use rustc_hash::FxHashMap;

use crate::symbolic::{Binding, BoundBody, Outside, SymbolicState, ZeroRegister, execute, number_bits};
use crate::term::{TermId, Terms};

/// A decoded instruction.
#[derive(Clone, Debug)]
pub struct Instruction {
    /// What it is.
    pub encoding: EncodingId,
    /// Its length in bytes.
    pub size: u64,
    /// Its fields.
    fields: Vec<(Name, u64)>,
}

/// What an encoding does, with what its names mean.
struct Known {
    env: Env,
    body: Body,
    names: Vec<Name>,
}

/// The description for one register width.
pub struct Riscv<'a> {
    isa: &'a Isa,
    plan: Plan<'a>,
    xlen: u32,
    zeros: Vec<ZeroRegister>,
    /// The file of the integer registers.
    x: usize,
    env: Env,
    known: FxHashMap<EncodingId, Option<Known>>,
}

impl<'a> Riscv<'a> {
    /// For a register width, an encoding profile of the description, and a number of commands; every extension.
    ///
    /// # Errors
    /// A sentence, if the description is not one of RISC-V with this profile.
    pub fn new(isa: &'a Isa, xlen: u32, profile: &str, commands: u32) -> Result<Riscv<'a>, String> {
        let wanted = format!("xext-{profile}");
        if !isa.features().iter().any(|f| f.name == wanted) {
            return Err(format!("the description has no feature `{wanted}`"));
        }
        let features = isa_name::features(isa, profile, commands, &|_, default| default);
        let files = isa.register_files();
        let x = files.iter().position(|f| f.name == "#x").ok_or("the description has no register file `#x`")?;
        let add = isa.encodings().iter().find(|e| &*e.display_name == "add" && e.semantics.is_some());
        let env = isa.environment(add.ok_or("the description has no `add`")?, xlen);
        let zeros = files.iter().map(|f| f.zero).collect();
        let plan = Plan::with_features(isa, xlen, &features);
        Ok(Riscv { isa, plan, xlen, zeros, x, env, known: FxHashMap::default() })
    }

    /// The register width.
    pub fn xlen(&self) -> u32 {
        self.xlen
    }

    /// A state of free variables.
    pub fn state(&self, terms: &mut Terms) -> SymbolicState {
        SymbolicState::symbolic(terms, &self.env, "")
    }

    /// An integer register; register 0 as it is kept, not as it reads.
    pub fn register(&self, terms: &mut Terms, state: &SymbolicState, number: u64) -> TermId {
        let at = terms.number(number, 5);
        self.register_at(terms, state, at)
    }

    /// The integer register whose number is a term of 5 bits.
    pub fn register_at(&self, terms: &mut Terms, state: &SymbolicState, number: TermId) -> TermId {
        match state.files.get(self.x) {
            Some(&file) => terms.read(file, number),
            None => terms.number(0, self.xlen),
        }
    }

    /// The file of integer registers.
    pub fn registers(&self, state: &SymbolicState) -> Option<TermId> {
        state.files.get(self.x).copied()
    }

    /// Writes an integer register.
    pub fn set_register(&self, terms: &mut Terms, state: &mut SymbolicState, number: TermId, value: TermId) {
        if let Some(file) = state.files.get_mut(self.x) {
            *file = terms.write(*file, number, value);
        }
    }

    /// The instruction that a word is, if it is one with semantics.
    pub fn decode(&self, word: &Word) -> Option<Instruction> {
        let tree = decode(&self.plan, word)?;
        self.isa[tree.encoding].semantics.as_ref()?;
        let number = |v: &OperandValue| match v {
            OperandValue::Number(w) => w.low_u64(),
            OperandValue::Nested(_) => 0,
        };
        let fields = tree.fields.iter().map(|f| (f.name, number(&f.value))).collect();
        Some(Instruction { encoding: tree.encoding, size: u64::from(word.width() / 8), fields })
    }

    /// Length in bytes of the instruction that starts with these 16 bits.
    pub fn length(&self, parcel: u16) -> u64 {
        let bits = self.plan.length(&Word::from_u64(u64::from(parcel), 16));
        u64::from(bits.unwrap_or(16) / 8)
    }

    /// The mnemonic of an instruction, and its fields by name.
    pub fn name(&self, i: &Instruction) -> &'a str {
        &self.isa[i.encoding].display_name
    }

    /// The value of a field of an instruction.
    pub fn field(&self, i: &Instruction, name: &str) -> Option<u64> {
        let name = self.isa.names().get(name)?;
        i.fields.iter().find(|f| f.0 == name).map(|f| f.1)
    }

    /// A generic instruction under a profile.
    pub fn generic(&self, profile: &Profile, op: GenericInst, registers: [u32; 3]) -> Option<Instruction> {
        let word = profile.encode(op, registers[0], registers[1], registers[2]);
        self.decode(&Word::from_u64(u64::from(word), 32))
    }

    /// Runs an instruction. `registers` are numbers that stand for those of the instruction, by operand name.
    pub fn execute(
        &mut self,
        terms: &mut Terms,
        i: &Instruction,
        registers: &[(&str, TermId)],
        state: &SymbolicState,
        outside: &mut dyn Outside,
    ) -> Option<SymbolicState> {
        let (isa, xlen) = (self.isa, self.xlen);
        let known = self.known.entry(i.encoding).or_insert_with(|| {
            let encoding = &isa[i.encoding];
            let body = isa.body(i.encoding, xlen)?;
            Some(Known { env: isa.environment(encoding, xlen), body, names: isa.semantic_operands(encoding) })
        });
        let known = known.as_ref()?;
        let mut bindings = Vec::new();
        for (at, &name) in known.names.iter().enumerate() {
            let value = i.fields.iter().find(|f| f.0 == name).map_or(0, |f| f.1);
            let given = registers.iter().find(|r| r.0 == isa.text(name)).map(|r| r.1);
            let symbol = known.env.operands().get(at).map(|o| o.1);
            bindings.push(match (given, symbol) {
                (Some(number), _) => Binding::Register(number),
                (None, Some(Symbol::Register { file, .. })) => {
                    let count = known.env.files().get(file.0 as usize).map(|f| f.count).or_impossible(32);
                    Binding::Register(terms.number(value, number_bits(count)))
                }
                (None, Some(Symbol::Immediate { width })) => {
                    Binding::Immediate(terms.word(Word::from_u64(value, 64).resized(width)))
                }
                (None, None) => Binding::Immediate(terms.number(value, 64)),
            });
        }
        let bound =
            BoundBody { env: &known.env, body: &known.body, bindings: &bindings, zeros: &self.zeros, size: i.size };
        Some(execute(terms, bound, state, outside))
    }
}
