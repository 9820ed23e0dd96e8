//! Two descriptions of one instruction: the Unified Database's text and what the shipped description says.
//!
//! The problem: texts are tried with vectors, and what no vector tries stays wrong. The method: the word of the
//! instruction is a free variable. The fields of both sides are bits of it, so one formula is about all words, all values
//! of registers and all of memory. An instruction of the database may be several encodings here (`jalr`), or a part of
//! one (`amoadd.w.aq`): there is a claim for each encoding that shares words with it, about those words.
//!
//! A counterexample is one [`Step`], run again word by word on both sides.

mod bits;
mod outside;
mod sides;
mod step;

use isaglot_bits::{Pattern, Word};
use isaglot_model::{Encoding, EncodingId, FeatureId, Isa};
use isaglot_riscv::Xlen;
use isaglot_riscv::formats::idl::{self, DecodeField, Place, Program, Target};
use isaglot_riscv::formats::{Field, Instruction, Table};
use isaglot_semantics::{BinaryOp, Env, Extern, Symbol};
use isaglot_source::{Diagnostics, SourceMap};

use crate::claim::{Answer, Claim, Model, Verdict, all, any, decide, differ};
use crate::symbolic::{Binding, BoundBody, CAUSE_BITS, EXTERN_TRAP, SymbolicState, execute};
use crate::term::{Sort, Term, TermId, Terms};
use outside::Registers;
use sides::{Side, compiled, used_operands};
pub use step::{After, DATA, Step};

/// What is asked of one instruction for one register width.
#[derive(Debug)]
pub struct Question {
    /// Its name in the database.
    pub name: String,
    /// The register width.
    pub xlen: Xlen,
    /// The claims; or the kind of reason why there are none, and the reason.
    pub claims: Result<Vec<Compared>, (&'static str, String)>,
}

/// A claim about the words that an instruction of the database and an encoding here share.
#[derive(Debug)]
pub struct Compared {
    /// That both do the same.
    pub claim: Claim,
    /// The encoding.
    pub encoding: EncodingId,
    theirs: Side,
    ours: Side,
    word: TermId,
    registers: Vec<TermId>,
    memory: Vec<(TermId, TermId)>,
    /// One bit: what is read of memory is where a program can have data.
    near: TermId,
    size: u64,
}

/// A question for every instruction with a text, in the order of the table.
pub fn questions(table: &Table, files: &SourceMap, isa: &Isa, xlens: &[Xlen]) -> Vec<Question> {
    let mut made = Vec::new();
    for instruction in &table.instructions {
        let Some((text, span)) = &instruction.idl else { continue };
        let body = idl::statements(&Place::of_block(files, *span, text), text, &mut Diagnostics::new());
        for &xlen in xlens {
            let Some(encoding) = instruction.encoding(xlen) else { continue };
            let lowered = lower(&table.program, xlen, &encoding.fields, &body);
            let claims = lowered.and_then(|lowered| compare(isa, xlen, instruction, &lowered));
            made.push(Question { name: instruction.name.clone(), xlen, claims });
        }
    }
    made
}

type Reason = (&'static str, String);

fn lower(program: &Program, xlen: Xlen, fields: &[Field], body: &[idl::syntax::Stmt]) -> Result<idl::Lowered, Reason> {
    let fields: Vec<DecodeField> = fields.iter().map(DecodeField::of).collect();
    idl::lower(program, &Target::user(xlen), &fields, body).map_err(|why| (why.class, why.message))
}

/// The names that both sides share, with the fields of the database's instruction.
fn environment(isa: &Isa, shared: &Env, xlen: Xlen, fields: &[Field], traps: &[String]) -> Env {
    let mut env = Env::new(&[("xlen", xlen.bits())]);
    for file in shared.files() {
        env.file(&file.name, file.width, file.count);
    }
    for e in shared.externs() {
        env.add_extern(Extern { name: e.name.clone(), args: e.args.clone(), result: e.result });
    }
    for trap in isa.traps().iter().chain(traps.iter().filter(|t| !isa.traps().contains(*t))) {
        env.trap(trap);
    }
    for field in fields {
        env.operand(&field.name, Symbol::Immediate { width: field.bits.len() as u32 });
    }
    env
}

/// The encodings of the instructions' space that share words with a pattern, with the patterns that take words away.
fn sharing(isa: &Isa, xlen: Xlen, pattern: &Pattern) -> Vec<(EncodingId, Vec<Pattern>)> {
    let every = |_: FeatureId| true;
    let root = isa.root();
    let fits = |id: &EncodingId| {
        let e = &isa[*id];
        e.gens.contains(xlen.bits()) && e.width == pattern.width() && e.condition.holds(&every)
    };
    let list: Vec<EncodingId> = isa[root].encodings.iter().copied().filter(fits).collect();
    let mut made = Vec::new();
    for &id in list.iter().filter(|id| isa[**id].pattern.overlaps(pattern)) {
        let own = &isa[id];
        let first = |e: &Encoding| e.precedence() < own.precedence() && e.pattern.overlaps(&own.pattern);
        let above = list.iter().filter(|other| **other != id && first(&isa[**other])).flat_map(|o| isa[*o].cubes());
        let except: Vec<Pattern> = own.except.iter().cloned().chain(above).collect();
        // Nothing is left of what others take whole.
        let left = own.pattern.intersect(pattern).is_some_and(|both| !except.iter().any(|e| e.contains(&both)));
        if left {
            made.push((id, except));
        }
    }
    made
}

fn compare(isa: &Isa, xlen: Xlen, instruction: &Instruction, lowered: &idl::Lowered) -> Result<Vec<Compared>, Reason> {
    let encoding = instruction.encoding(xlen).ok_or(("none", "it has no words for this width".to_owned()))?;
    let found = sharing(isa, xlen, &encoding.pattern);
    if found.is_empty() {
        return Err(("not-described", "the shipped description has none of its words".to_owned()));
    }
    let mut made = Vec::new();
    for (id, except) in found {
        if isa[id].semantics.is_none() {
            let message = format!("the shipped description does not say what `{}` does", isa[id].display_name);
            return Err(("no-semantics", message));
        }
        made.push(one(isa, xlen, instruction, lowered, id, &except)?);
    }
    Ok(made)
}

fn zero_registers(isa: &Isa) -> Vec<Option<u32>> {
    isa.register_files().iter().map(|f| f.zero).collect()
}

/// The claim about the words of one encoding.
fn one(
    isa: &Isa,
    xlen: Xlen,
    instruction: &Instruction,
    lowered: &idl::Lowered,
    id: EncodingId,
    except: &[Pattern],
) -> Result<Compared, Reason> {
    let broken = || ("none", "it has no words for this width".to_owned());
    let encoding = instruction.encoding(xlen).ok_or_else(broken)?;
    let shared = isa.environment(&isa[id], xlen.bits());
    let env = environment(isa, &shared, xlen, &encoding.fields, &lowered.traps);
    let theirs = compiled(&lowered.text, env.clone()).map_err(|why| ("lowering", why))?;
    let body = isa.body(id, xlen.bits()).ok_or_else(broken)?;
    let mut terms = Terms::new();
    let word = terms.symbol("word", Sort::Bits(encoding.width));
    let their_bindings: Vec<Binding> =
        encoding.fields.iter().map(|f| Binding::Immediate(bits::of_word(&mut terms, word, &f.bits))).collect();
    let our_bindings = bits::operands(isa, id, &used_operands(&body), &mut terms, word)?;
    let domain = domain(&mut terms, word, encoding, &isa[id], except);
    let size = u64::from(encoding.width / 8);
    let zeros = zero_registers(isa);
    let before = before(&mut terms, &shared);
    let ours = Side { env: shared, body, bindings: our_bindings };
    let theirs = Side { env, body: theirs, bindings: their_bindings };
    let run = |terms: &mut Terms, side: &Side| {
        let bound = BoundBody { env: &side.env, body: &side.body, bindings: &side.bindings, zeros: &zeros, size };
        execute(terms, bound, &before, &mut Registers)
    };
    let illegal = ours.env.trap_number("illegal");
    let (mut a, mut b) = (run(&mut terms, &ours), run(&mut terms, &theirs));
    for state in [&mut a, &mut b] {
        state.trap = of_machine(&mut terms, state.trap, illegal);
    }
    let changed = difference(&mut terms, &a, &b);
    let wrong = all(&mut terms, &[domain, changed]);
    let registers = registers(isa, &mut terms, &before);
    let memory = reads(&terms, before.memory);
    let near = near(&mut terms, &memory);
    let mut values = vec![("word".to_owned(), word)];
    values.extend(registers.iter().enumerate().map(|(n, &r)| (format!("x{n}"), r)));
    values.extend(memory.iter().flat_map(|&(at, byte)| [("at".to_owned(), at), ("byte".to_owned(), byte)]));
    let place = format!("RV{} {}", xlen.bits(), isa[id].display_name);
    let claim = Claim::new("instruction", instruction.name.clone(), place, terms, wrong, values);
    Ok(Compared { claim, encoding: id, theirs, ours, word, registers, memory, near, size })
}

/// One bit: the word is one of both.
fn domain(
    terms: &mut Terms,
    word: TermId,
    theirs: &isaglot_riscv::formats::Encoding,
    ours: &Encoding,
    except: &[Pattern],
) -> TermId {
    let mut list = vec![bits::matches(terms, word, &theirs.pattern), bits::matches(terms, word, &ours.pattern)];
    for pattern in except.iter().chain(&theirs.except) {
        let bit = bits::matches(terms, word, pattern);
        list.push(crate::claim::not(terms, bit));
    }
    for field in &theirs.fields {
        for &value in &field.not {
            let own = bits::of_word(terms, word, &field.bits);
            let value = terms.number(value, field.bits.len() as u32);
            list.push(terms.binary(BinaryOp::Ne, own, value));
        }
    }
    all(terms, &list)
}

/// A state of free variables; the instruction stands where one can: at an even address.
fn before(terms: &mut Terms, env: &Env) -> SymbolicState {
    let mut state = SymbolicState::symbolic(terms, env, "");
    let width = env.address_width();
    let (upper, zero) = (terms.symbol("pc.upper", Sort::Bits(width - 1)), terms.number(0, 1));
    state.pc = terms.concat(upper, zero);
    state
}

/// The cause of a trap, where a register that the machine refuses is an illegal instruction.
fn of_machine(terms: &mut Terms, trap: TermId, illegal: u64) -> TermId {
    let (machine, illegal) = (terms.number(EXTERN_TRAP, CAUSE_BITS), terms.number(illegal, CAUSE_BITS));
    let refused = terms.binary(BinaryOp::Eq, trap, machine);
    terms.select(refused, illegal, trap)
}

/// One bit: two states after the instruction differ.
fn difference(terms: &mut Terms, a: &SymbolicState, b: &SymbolicState) -> TermId {
    let mut list = vec![differ(terms, "trap", a.trap, b.trap)];
    for (n, (&x, &y)) in a.files.iter().zip(&b.files).enumerate() {
        list.push(differ(terms, &format!("file{n}"), x, y));
    }
    list.push(differ(terms, "memory", a.memory, b.memory));
    list.push(differ(terms, "pc", a.pc, b.pc));
    list.push(differ(terms, "world", a.world, b.world));
    any(terms, &list)
}

/// The integer registers before.
fn registers(isa: &Isa, terms: &mut Terms, before: &SymbolicState) -> Vec<TermId> {
    let x = isa.register_files().iter().position(|f| f.name == "#x");
    let Some(&file) = x.and_then(|x| before.files.get(x)) else { return Vec::new() };
    (0..32)
        .map(|n| {
            let at = terms.number(n, 5);
            terms.read(file, at)
        })
        .collect()
}

/// Where memory is read before it is changed, and what is there.
fn reads(terms: &Terms, memory: TermId) -> Vec<(TermId, TermId)> {
    let all = (0..terms.len() as u32).map(TermId);
    let read = all.filter_map(|id| match *terms.term(id) {
        Term::Read(array, at) if array == memory => Some((at, id)),
        _ => None,
    });
    read.filter(|(at, _)| !matches!(terms.term(*at), Term::Symbol(_))).collect()
}

/// One bit: all of these addresses are in the page at [`DATA`].
fn near(terms: &mut Terms, memory: &[(TermId, TermId)]) -> TermId {
    let mut list = Vec::new();
    for &(at, _) in memory {
        let width = terms.width(at);
        let (base, size) = (terms.number(DATA, width), terms.number(4096, width));
        let offset = terms.binary(BinaryOp::Sub, at, base);
        list.push(terms.binary(BinaryOp::LtU, offset, size));
    }
    all(terms, &list)
}

impl Compared {
    /// Decides the claim, and where it does not hold, gives a step that shows it: one that a program can take, if there is one.
    pub fn decide(&mut self, solve: &mut dyn FnMut(&str, &[String]) -> Answer) -> (Verdict, Option<Step>) {
        let verdict = decide(&self.claim, solve);
        let Verdict::Refuted(first) = &verdict else { return (verdict, None) };
        let mut nearer = self.claim.clone();
        nearer.wrong = all(&mut nearer.terms, &[self.claim.wrong, self.near]);
        self.claim.terms = nearer.terms.clone();
        let step = match decide(&nearer, solve) {
            Verdict::Refuted(model) => self.step(&model),
            _ => None,
        };
        let step = step.or_else(|| self.step(first));
        (verdict, step)
    }

    /// The step that a counterexample is, run on both sides; `None` if it does not show a difference.
    fn step(&self, model: &Model) -> Option<Step> {
        let terms = &self.claim.terms;
        let value = |term: TermId| model.value(terms, term);
        let word = value(self.word);
        let x: Vec<Word> = self.registers.iter().map(|&r| value(r)).collect();
        let memory = self.memory.iter().map(|&(at, byte)| (value(at).low_u64(), value(byte).low_u64() as u8)).collect();
        step::replay(terms, word, &x, memory, (&self.theirs, &self.ours), self.size)
    }
}
