//! An instruction set's semantics as an executor of pre-decoded instructions.
//!
//! The problem: what an instruction's bits say is known when it is decoded, what registers and memory hold only when it
//! runs; work done at the wrong time is speed lost. The method: every value of a body that depends on nothing but the
//! instruction word and its address is computed by the generated `prepare`, and so is every register number. What is
//! left is the arm of a match in the generated `execute`. Encodings whose arms come out the same share one, and so do those
//! whose values `prepare` computes alike: they have one *form*.
//!
//! A pre-decoded instruction is `Ins { imm, op, slot, at }`: the computed values packed into 64 bits, the arm, up to four
//! register numbers, the distance in bytes from the start of its block. An instruction with more registers has those that are always the same
//! (`s0` of a push) in its arm, and the numbers of the rest after its computed values. All files are one array, each from its own place on. A
//! register that is written gets its number through `out`, if its file has a zero register, so that writes to that go nowhere.
//!
//! Arms have names, the variants of `Op`: a match that has all of them needs no bound. Some arms are those of two instructions that often follow
//! each other (`ops`).

mod ops;

use std::collections::BTreeMap;
use std::fmt::Write;

use isaglot_bits::Word;
use isaglot_invariant::Impossible as _;
use isaglot_model::{Encoding, EncodingId, Isa};
use isaglot_semantics::{
    Body, Env, FileIndex, OperandIndex, RegisterIndex, Statement, Table, Value, ValueId, sign_extend,
};

use self::ops::{ILLEGAL, Ops};
use crate::expression::{Binds, ones};
use crate::semantics::{Expr, Target, container, expression, statements, table, table_name};

/// Operands from here on are values that `prepare` computed.
const FOLDED: u32 = 1 << 16;
/// Operands from here on are register slots.
const SLOT: u32 = 1 << 17;
/// What gives the registers of an instruction: methods of `Ins`.
const SLOTS: [&str; 4] = ["a", "b", "c", "d"];
/// Bits of a register number that has no slot.
const NUMBER: u32 = 8;
/// Register files, and where each begins in the registers of the machine.
const FILES: [(&str, u64); 2] = [("x", 0), ("f", 64)];

/// The field that holds an encoding's number.
const LAST: usize = 7;
/// How the names of externs of the vector unit begin.
const VECTORS: &str = "vector_";

/// Where a block of instructions has to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ends {
    /// Not here.
    No,
    /// After this instruction.
    After,
    /// After it where it jumps; it may not.
    Branch,
    /// Before it and after it: it uses values that are kept per block.
    Alone,
}

/// The encodings of a gen that an executor knows.
pub fn encodings(isa: &Isa, generation: u32) -> impl Iterator<Item = EncodingId> {
    let ids = (0..isa.encodings().len() as u32).map(EncodingId);
    ids.filter(move |&id| isa[id].gens.contains(generation) && isa[id].semantics.is_some())
}

/// Texts by number: one text per gen, none where a gen does not have it.
#[derive(Default)]
struct Numbered(Vec<Vec<Option<String>>>);

impl Numbered {
    fn number(&mut self, texts: Vec<Option<String>>) -> usize {
        self.0.iter().position(|known| *known == texts).unwrap_or_else(|| {
            self.0.push(texts);
            self.0.len() - 1
        })
    }

    /// The distinct texts of a gen, each with its numbers.
    fn of(&self, gen_at: usize) -> Vec<(&str, Vec<usize>)> {
        let mut all: Vec<(&str, Vec<usize>)> = Vec::new();
        for (number, texts) in self.0.iter().enumerate() {
            let Some(text) = texts[gen_at].as_deref() else { continue };
            match all.iter_mut().find(|(known, _)| *known == text) {
                Some((_, numbers)) => numbers.push(number),
                None => all.push((text, vec![number])),
            }
        }
        all
    }
}

/// A pattern for ascending numbers.
fn alternatives(numbers: impl IntoIterator<Item = usize>) -> String {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for n in numbers {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == n => *last = n,
            _ => runs.push((n, n)),
        }
    }
    let text =
        |(first, last): (usize, usize)| if first == last { first.to_string() } else { format!("{first}..={last}") };
    runs.into_iter().map(text).collect::<Vec<_>>().join(" | ")
}

/// The sources of executors for gens, before `rustfmt`: one for each, and last what all have in common.
///
/// # Errors
/// A sentence about an encoding that does not fit the scheme.
pub fn generate(isa: &Isa, generations: &[u32]) -> Result<Vec<String>, String> {
    // Encodings of one name do the same: they differ in what is printed.
    let mut named: BTreeMap<&str, Vec<Option<Split>>> = BTreeMap::new();
    let mut order: Vec<&str> = Vec::new();
    let mut counts = Vec::new();
    let mut tables: BTreeMap<String, String> = BTreeMap::new();
    for (at, &generation) in generations.iter().enumerate() {
        let mut count = 0;
        for id in encodings(isa, generation) {
            let name = isa.text(isa[id].name);
            let body = isa.body(id, generation).ok_or_else(|| format!("{name}: it has no semantics"))?;
            for t in &body.tables {
                tables.insert(t.name.clone(), table(t)?);
            }
            let split = split(isa, &isa[id], body, generation).map_err(|e| format!("{name}: {e}"))?;
            let known = named.entry(name).or_insert_with(|| {
                order.push(name);
                generations.iter().map(|_| None).collect()
            });
            match &known[at] {
                Some(known) if *known != split => return Err(format!("{name}: two encodings that do not do the same")),
                _ => known[at] = Some(split),
            }
            count += 1;
        }
        counts.push(count);
    }
    let (mut arms, mut forms) = (Numbered::default(), Numbered::default());
    // By arm.
    let mut names: Vec<Vec<&str>> = Vec::new();
    let mut ends: Vec<Ends> = Vec::new();
    let mut rows = BTreeMap::new();
    for name in order {
        let splits = &named[name];
        let texts = |text: fn(&Split) -> &String| splits.iter().map(|s| s.as_ref().map(|s| text(s).clone())).collect();
        let (arm, form) = (arms.number(texts(|s| &s.arm)), forms.number(texts(|s| &s.form)));
        names.resize(arms.0.len(), Vec::new());
        names[arm].push(name);
        for split in splits.iter().flatten() {
            ends.resize(arms.0.len(), split.ends);
            if ends[arm] != split.ends {
                return Err(format!("{name}: its block ends elsewhere in another gen"));
            }
        }
        let mut numbers: Vec<u64> = splits.iter().flatten().map(|s| s.number).collect();
        numbers.dedup();
        let [number] = numbers[..] else { return Err(format!("{name}: its number is another one in another gen")) };
        rows.insert(name, (arm, form, number));
    }
    let firsts: Vec<&str> = names.iter().map(|all| all[0]).collect();
    let ops = Ops::new(&firsts, &ends)?;
    let first =
        format!("// @generated by `cargo xtask gen-hart` from the semantics of specs/{}; do not edit.\n", isa.name());
    let mut sources = Vec::new();
    for (at, count) in counts.into_iter().enumerate() {
        let mut out = format!(
            "{first}{HEAD}/// How many encodings there are.\npub(crate) const ENCODINGS: usize = {count};\n\n{PREPARE}"
        );
        for (form, numbers) in forms.of(at) {
            let _ = writeln!(out, "{} => {form},", alternatives(numbers));
        }
        out.push_str("_ => ins(Op::Illegal, [0; 4], 0),\n}\n}\n\n");
        out.push_str(EXECUTE);
        let mut missing: Vec<&str> = vec![ILLEGAL];
        for (arm, numbers) in arms.of(at) {
            let all = numbers.iter().flat_map(|&n| &names[n]).filter(|n| named[**n][at].is_some()).copied();
            let _ = writeln!(out, "// {}", all.collect::<Vec<_>>().join(" "));
            let numbers: Vec<String> = numbers.into_iter().map(|n| format!("Op::{}", ops.singles[n])).collect();
            let numbers = numbers.join(" | ");
            // A single statement needs no block.
            match arm.strip_suffix('\n').filter(|arm| !arm.contains('\n') && !arm.starts_with("let ")) {
                Some(line) => {
                    let _ = writeln!(out, "{numbers} => {},", line.trim_end_matches(';'));
                }
                None => {
                    let _ = writeln!(out, "{numbers} => {{\n{arm}}}");
                }
            }
        }
        let text = |arm: usize| arms.0[arm][at].as_deref();
        missing.extend((0..arms.0.len()).filter(|&arm| text(arm).is_none()).map(|arm| ops.singles[arm].as_str()));
        for pair in &ops.pairs {
            match (text(pair.first), text(pair.second)) {
                (Some(first), Some(second)) => {
                    let name = &pair.name;
                    let _ = writeln!(out, "Op::{name} => {{\n{{\n{first}}}\n{SECOND}{second}}}");
                }
                _ => missing.push(&pair.name),
            }
        }
        let missing: Vec<String> = missing.into_iter().map(|name| format!("Op::{name}")).collect();
        let _ = writeln!(out, "{} => {}", missing.join(" | "), FOOT);
        sources.push(out);
    }
    let mut out = format!("{first}{TABLE}");
    for (name, (arm, form, number)) in rows {
        let _ = writeln!(out, "({name:?}, Op::{}, {form}, {number:#x}),", ops.singles[arm]);
    }
    out.push_str(ENDS);
    for end in [Ends::After, Ends::Branch, Ends::Alone] {
        let of = ops.singles.iter().zip(&ends).filter(|&(_, e)| *e == end).map(|(name, _)| format!("Op::{name}"));
        let _ = writeln!(out, "{} => Ends::{end:?},", of.collect::<Vec<_>>().join(" | "));
    }
    out.push_str("_ => Ends::No,\n}\n}\n");
    ops.write(&mut out);
    for (name, text) in tables {
        let _ = write!(out, "\n/// The table `{name}` of the description.\n{text}");
    }
    sources.push(out);
    Ok(sources)
}

const HEAD: &str = "
#![allow(clippy::all, clippy::pedantic)]

use super::table::Op;
use crate::block::{At as _, Ins, ins, out};
use crate::machine::{Cause, Fault, Machine};
use crate::run::Run;

";

const PREPARE: &str = "/// The pre-decoded instruction that runs an arm of [`execute`]: the values of a form from these fields at this address.
pub(crate) fn prepare(op: Op, form: u16, f: &[u64; 8], pc: u64) -> Ins {
match form {
";

const EXECUTE: &str =
    "/// Runs pre-decoded instructions one after the other, and the blocks after them; gives where execution goes on.
pub(crate) fn execute(h: &mut Machine, run: &mut Run<'_>) -> Result<u64, Fault> {
loop {
let mut rest = run.code().iter();
let next = loop {
let Some(i) = rest.next() else { break run.end() };
match i.op {
";

/// Between the arms of a pair.
const SECOND: &str = "let Some(i) = rest.next() else { return Err(Fault::new(Cause::Illegal, 0).at(i.at)) };\n";

/// After a branch that did not jump: what asks for attention is looked at where blocks end.
const GOES_ON: &str = "if h.memory.attention {
break run.place(rest.as_slice());
}
";

const FOOT: &str = "return Err(Fault::new(Cause::Illegal, 0).at(i.at)),
}
};
if !run.goes_on(h, rest.as_slice(), next) {
return Ok(next);
}
}
}
";

const TABLE: &str = "
use crate::block::Ends;

/// The names of encodings in alphabetical order, each with its arm of `execute`, its form of `prepare` and its number,
/// which is the last of the fields.
pub(crate) const ENCODINGS: &[(&str, Op, u16, u16)] = &[
";

const ENDS: &str = "];

/// Where a block has to end, by the arm.
pub(crate) fn ends(op: Op) -> Ends {
match op {
";

/// An encoding's text, divided.
#[derive(PartialEq, Eq)]
struct Split {
    /// Statements of the arm.
    arm: String,
    /// What `prepare` gives.
    form: String,
    /// What tells its words from those of other encodings with this arm and form: the last of the fields that `prepare` gets.
    number: u64,
    ends: Ends,
}

/// When a value is known.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Time {
    Always,
    Decode,
    Run,
}

struct Divider<'a> {
    body: &'a Body,
    times: Vec<Time>,
    /// Values to compute when decoding.
    roots: Vec<ValueId>,
    /// Registers: which, and whether it is written.
    slots: Vec<(Slot, bool)>,
}

/// A register: its file, and what its number is.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Slot {
    file: FileIndex,
    number: RegisterIndex,
}

fn split(isa: &Isa, encoding: &Encoding, body: Body, generation: u32) -> Result<Split, String> {
    let env = isa.environment(encoding, generation);
    let mut body = canonical(body);
    // The address after the instruction is that of the block, if the block ends there.
    let mut last = body.values.contains(&Value::NextPc);
    let is_branch = !last && may_jump(&body.statements);
    let mut alone = false;
    walk(&body.statements, &mut |s| match s {
        Statement::SetPc(_) => last = true,
        Statement::Call { callee, .. } => {
            let name = env.externs()[callee.0 as usize].name.as_str();
            alone |= matches!(name, "csr_read" | "csr_write" | "wait");
            last |= matches!(name, "fence_i" | "fence_vma" | "guest_fence" | "trap_return");
        }
        _ => {}
    });
    if !jumps_last(&body.statements) {
        return Err("it does something after its jump".to_owned());
    }
    let ends = match (alone, last) {
        (true, _) => Ends::Alone,
        (_, true) if is_branch => Ends::Branch,
        (_, true) => Ends::After,
        _ => Ends::No,
    };
    let numbers = numbers(&mut body, &env);
    let times = times(&body);
    let mut d = Divider { body: &body, times, roots: numbers.clone(), slots: Vec::new() };
    d.find();
    let (roots, mut slots) = (d.roots, d.slots);
    if slots.len() > SLOTS.len() {
        // Those of the first file that are always the same stay in the arm.
        let first = |file: FileIndex| env.files().get(file.0 as usize).is_some_and(|f| f.name == FILES[0].0);
        let fixed = |v: ValueId| d.times[v.0 as usize] == Time::Always;
        slots.retain(|(s, _)| !matches!(s.number, RegisterIndex::Value(v) if fixed(v) && first(s.file)));
    }
    let decode = Decode { fields: isa.semantic_operands(encoding).len(), xlen: env.address_width() };
    let mut texts = Vec::new();
    for (slot, written) in &slots {
        let number = match slot.number {
            RegisterIndex::Operand(op) => decode.register_number(op),
            RegisterIndex::Value(v) => expression(&body, &env, &decode, v)?,
        };
        let name = env.files().get(slot.file.0 as usize).map_or("", |f| f.name.as_str());
        let Some((_, first)) = FILES.iter().find(|(known, _)| *known == name) else {
            return Err(format!("registers of the file `{name}`, which the machine does not have"));
        };
        let number = number.cast(64);
        let at = if *first == 0 { number } else { Expr::literal((*first).into(), 64).binary("|", Binds::Or, &number) };
        let has_zero = isa.register_files().get(slot.file.0 as usize).is_some_and(|f| f.zero.is_some());
        texts.push(match () {
            () if *written && has_zero => format!("out({})", at.untyped()),
            () if texts.len() < SLOTS.len() => at.untyped(),
            // It becomes a part of a sum.
            () => at.operand(Binds::Cast),
        });
    }
    let more: Vec<String> = texts.drain(SLOTS.len().min(texts.len())..).collect();
    texts.resize(SLOTS.len(), "0".to_owned());
    let mut imm: Option<Expr> = None;
    let mut places = Vec::new();
    let mut low = 0;
    let mut number = 0;
    for &root in &numbers {
        if let Value::Const(word) = body.value(root) {
            number |= word.low_u64() << low;
        }
        places.push((low, body.width(root)));
        low += body.width(root);
        imm = Some(Expr::new(format!("f[{LAST}]"), 64));
    }
    if low > 16 {
        return Err(format!("{low} bits are the same in all its words, and there is room for 16"));
    }
    let mut parts = Vec::new();
    for &root in roots.iter().skip(numbers.len()) {
        parts.push((expression(&body, &env, &decode, root)?, body.width(root)));
    }
    parts.extend(more.into_iter().map(|number| (Expr::new(number, 64), NUMBER)));
    for (part, width) in parts {
        let part = part.cast(64).shift("<<", low);
        imm = Some(imm.map_or(part.clone(), |imm| imm.binary("|", Binds::Or, &part)));
        places.push((low, width));
        low += width;
    }
    if low > 64 {
        return Err(format!("{low} bits are known when it is decoded, and there is room for 64"));
    }
    let form = format!("ins(op, [{}], {})", texts.join(", "), imm.map_or("0".to_owned(), |e| e.untyped()));
    // The arm: what was computed stands as operands.
    for (n, &root) in roots.iter().enumerate() {
        body.values[root.0 as usize] = Value::Immediate(OperandIndex(FOLDED + n as u32));
    }
    let place = |file: FileIndex, number: RegisterIndex, written: bool| {
        let wanted = Slot { file, number };
        let at = slots.iter().position(|s| *s == (wanted, written));
        at.map_or(number, |at| RegisterIndex::Operand(OperandIndex(SLOT + at as u32)))
    };
    for value in &mut body.values {
        if let Value::Register(file, number) = value
            && slots.contains(&(Slot { file: *file, number: *number }, false))
        {
            *number = place(*file, *number, false);
        }
    }
    replace_written(&mut body.statements, &|file, index| place(file, index, true));
    let run = Run { places, computed: roots.len(), xlen: env.address_width() };
    let mut arm = statements(&body, &env, &run, 0)?;
    if ends == Ends::Branch {
        arm.push_str(GOES_ON);
    }
    Ok(Split { arm, form, number, ends })
}

/// Whether all that is done is a jump on a condition.
fn may_jump(list: &[Statement]) -> bool {
    matches!(list, [Statement::If(_, then, otherwise)] if otherwise.is_empty() && matches!(then[..], [Statement::SetPc(_)]))
}

/// Whether nothing is done after a jump, which leaves the arm.
fn jumps_last(list: &[Statement]) -> bool {
    let Some((last, before)) = list.split_last() else { return true };
    let mut jumps = false;
    walk(before, &mut |s| jumps |= matches!(s, Statement::SetPc(_)));
    !jumps
        && match last {
            Statement::If(_, then, otherwise) => jumps_last(then) && jumps_last(otherwise),
            _ => true,
        }
}

/// The constants in calls of the vector unit, each with a value of its own. They are given when decoding, so that all operations of
/// a shape share one arm and one form.
fn numbers(body: &mut Body, env: &Env) -> Vec<ValueId> {
    let mut list = Vec::new();
    for statement in &mut body.statements {
        let Statement::Call { callee, args, .. } = statement else { continue };
        if !env.externs().get(callee.0 as usize).is_some_and(|e| e.name.starts_with(VECTORS)) {
            continue;
        }
        for arg in args {
            let at = arg.0 as usize;
            if let Value::Const(word) = body.values[at].clone() {
                *arg = ValueId(body.values.len() as u32);
                list.push(*arg);
                body.values.push(Value::Const(word));
                body.widths.push(body.widths[at]);
            }
        }
    }
    list
}

/// The same body with equal values being one value, and what is known now being computed now.
fn canonical(mut body: Body) -> Body {
    let mut to: Vec<ValueId> = Vec::new();
    for at in 0..body.values.len() {
        let mut value = body.values[at].clone();
        map_operands(&mut value, &|v| to[v.0 as usize]);
        if let Some(known) = constant(&body, &value, body.widths[at]) {
            value = Value::Const(known);
        }
        // Registers may change between statements, but a read of the same register is the same expression.
        let same = (0..at).find(|&i| body.values[i] == value && body.widths[i] == body.widths[at]);
        body.values[at] = value;
        to.push(ValueId(same.unwrap_or(at) as u32));
    }
    map_statements(&mut body.statements, &|v| to[v.0 as usize]);
    body
}

/// An operator whose operands are constants.
fn constant(body: &Body, value: &Value, width: u32) -> Option<Word> {
    let of = |id: &ValueId| match body.value(*id) {
        Value::Const(w) => Some(w),
        _ => None,
    };
    Some(match value {
        Value::Unary(op, x) => op.apply(of(x)?),
        Value::Binary(op, x, y) => op.apply(of(x)?, of(y)?),
        Value::ZeroExtend(x) => of(x)?.resized(width),
        Value::SignExtend(x) => sign_extend(of(x)?, width),
        Value::Slice(x, low) => of(x)?.shr(*low).resized(width),
        Value::Lookup(table, number) => body.tables[table.0 as usize].rows.get(of(number)?.low_u64() as usize)?.clone(),
        _ => return None,
    })
}

fn map_operands(value: &mut Value, to: &dyn Fn(ValueId) -> ValueId) {
    match value {
        Value::Unary(_, x) | Value::ZeroExtend(x) | Value::SignExtend(x) | Value::Slice(x, _) | Value::Lookup(_, x) => {
            *x = to(*x)
        }
        Value::Binary(_, x, y) | Value::Concat(x, y) => (*x, *y) = (to(*x), to(*y)),
        Value::Select(c, x, y) => (*c, *x, *y) = (to(*c), to(*x), to(*y)),
        Value::Register(_, RegisterIndex::Value(v)) => *v = to(*v),
        _ => {}
    }
}

fn map_statements(list: &mut [Statement], to: &dyn Fn(ValueId) -> ValueId) {
    for s in list {
        match s {
            Statement::Let(_, v) | Statement::Load(_, v) | Statement::SetPc(v) => *v = to(*v),
            Statement::Store { address, value } => (*address, *value) = (to(*address), to(*value)),
            Statement::Call { args, .. } | Statement::Trap(_, args) => args.iter_mut().for_each(|a| *a = to(*a)),
            Statement::SetRegister(_, index, v) => {
                if let RegisterIndex::Value(n) = index {
                    *n = to(*n);
                }
                *v = to(*v);
            }
            Statement::If(c, then, otherwise) => {
                *c = to(*c);
                map_statements(then, to);
                map_statements(otherwise, to);
            }
        }
    }
}

fn replace_written(list: &mut [Statement], place: &dyn Fn(FileIndex, RegisterIndex) -> RegisterIndex) {
    for s in list {
        match s {
            Statement::SetRegister(file, index, _) => *index = place(*file, *index),
            Statement::If(_, then, otherwise) => {
                replace_written(then, place);
                replace_written(otherwise, place);
            }
            _ => {}
        }
    }
}

fn walk(list: &[Statement], f: &mut dyn FnMut(&Statement)) {
    for s in list {
        f(s);
        if let Statement::If(_, then, otherwise) = s {
            walk(then, f);
            walk(otherwise, f);
        }
    }
}

fn times(body: &Body) -> Vec<Time> {
    let mut times: Vec<Time> = Vec::new();
    for value in &body.values {
        let of = |v: &ValueId| times[v.0 as usize];
        let time = match value {
            Value::Const(_) => Time::Always,
            Value::Immediate(_) | Value::RegisterNumber(_) | Value::Pc | Value::NextPc => Time::Decode,
            Value::Local(_) | Value::Register(..) => Time::Run,
            Value::Unary(_, x)
            | Value::ZeroExtend(x)
            | Value::SignExtend(x)
            | Value::Slice(x, _)
            | Value::Lookup(_, x) => of(x),
            Value::Binary(_, x, y) | Value::Concat(x, y) => of(x).max(of(y)),
            Value::Select(c, x, y) => of(c).max(of(x)).max(of(y)),
        };
        times.push(time);
    }
    times
}

impl Divider<'_> {
    /// Finds what decoding computes, without leading zeros.
    fn find(&mut self) {
        let body = self.body;
        walk(&body.statements, &mut |s| match s {
            Statement::Let(_, v) | Statement::Load(_, v) | Statement::SetPc(v) => self.value(*v),
            Statement::Store { address, value } => {
                self.value(*address);
                self.value(*value);
            }
            Statement::Call { args, .. } | Statement::Trap(_, args) => {
                for a in args {
                    self.value(*a);
                }
            }
            Statement::SetRegister(file, index, v) => {
                self.slot(*file, *index, true);
                self.value(*v);
            }
            Statement::If(c, ..) => self.value(*c),
        });
    }

    fn slot(&mut self, file: FileIndex, number: RegisterIndex, written: bool) {
        let slot = (Slot { file, number }, written);
        if !self.slots.contains(&slot) {
            self.slots.push(slot);
        }
    }

    fn value(&mut self, id: ValueId) {
        let value = self.body.value(id);
        match self.times[id.0 as usize] {
            Time::Always => {}
            Time::Decode => match value {
                Value::NextPc => {}
                Value::ZeroExtend(x) => self.value(*x),
                _ if self.roots.contains(&id) => {}
                _ => self.roots.push(id),
            },
            Time::Run => match value {
                Value::Unary(_, x)
                | Value::ZeroExtend(x)
                | Value::SignExtend(x)
                | Value::Slice(x, _)
                | Value::Lookup(_, x) => self.value(*x),
                Value::Binary(_, x, y) | Value::Concat(x, y) => {
                    self.value(*x);
                    self.value(*y);
                }
                Value::Select(c, x, y) => {
                    self.value(*c);
                    self.value(*x);
                    self.value(*y);
                }
                Value::Register(file, index) => self.slot(*file, *index, false),
                _ => {}
            },
        }
    }
}

/// How `prepare` looks: fields are in `f`, by the order of the encoding's operands.
struct Decode {
    fields: usize,
    xlen: u32,
}

impl Target for Decode {
    fn word(&self) -> u32 {
        64
    }
    fn immediate(&self, operand: OperandIndex, _: u32) -> Expr {
        self.register_number(operand)
    }
    fn register_number(&self, operand: OperandIndex) -> Expr {
        debug_assert!((operand.0 as usize) < self.fields, "an operand of the encoding");
        Expr::new(format!("f[{}]", operand.0), 64)
    }
    fn pc(&self) -> Expr {
        Expr::new("pc", 64).cast(self.xlen)
    }
    fn lookup(&self, table: &Table, number: &Expr) -> Expr {
        lookup(table, number)
    }
}

/// A row of a table that stands with what the executors have in common.
fn lookup(table: &Table, number: &Expr) -> Expr {
    let bits = container(table.width).or_impossible(128);
    Expr::new(format!("super::table::{}[{} as usize]", table_name(table), number.operand(Binds::Cast)), bits)
}

/// How `execute` looks: the machine is `h`, the instruction `i`. Registers are `u64` and clean.
struct Run {
    /// Where each computed value lies in `imm`, and after these each register number without a slot: its lowest bit and its width.
    places: Vec<(u32, u32)>,
    /// How many of them are computed values.
    computed: usize,
    xlen: u32,
}

impl Run {
    /// The type that the machine has for a number of this width: registers, addresses and identifiers have one type.
    fn outside(width: u32) -> u32 {
        container(width).filter(|&c| c <= 16).unwrap_or(64)
    }
}

impl Target for Run {
    fn word(&self) -> u32 {
        64
    }
    fn immediate(&self, operand: OperandIndex, width: u32) -> Expr {
        let at = operand.0.wrapping_sub(FOLDED) as usize;
        let (low, _) = self.places.get(at).copied().or_impossible_default();
        let shifted = Expr::new("i.imm", 64).shift(">>", low);
        // There is nothing above the last one.
        if at + 1 == self.places.len() {
            shifted
        } else {
            shifted.binary("&", Binds::And, &Expr::literal(ones(width), 64))
        }
    }
    fn register_number(&self, operand: OperandIndex) -> Expr {
        let at = operand.0.wrapping_sub(SLOT) as usize;
        match SLOTS.get(at) {
            Some(slot) => Expr::new(format!("i.{slot}()"), 64),
            None => {
                let place = OperandIndex(FOLDED + (self.computed + at - SLOTS.len()) as u32);
                Expr::new(format!("({}) as usize", self.immediate(place, NUMBER)), 64)
            }
        }
    }
    fn register(&self, _: &str, number: &Expr) -> Expr {
        Expr::new(format!("h.x[{}]", number.untyped()), 64)
    }
    fn set_register(&self, _: &str, number: &Expr, value: Expr) -> String {
        format!("h.x[{}] = {};", number.untyped(), value.cast(64).untyped())
    }
    fn next_pc(&self) -> Expr {
        Expr::new("run.end()", 64).cast(self.xlen)
    }
    fn set_pc(&self, value: Expr) -> String {
        format!("break {};", value.cast(64).untyped())
    }
    fn load(&self, address: Expr, bits: u32) -> Expr {
        Expr::new(format!("h.load{bits}({}).at(i)?", address.cast(64)), bits)
    }
    fn store(&self, address: Expr, value: Expr, bits: u32) -> String {
        format!("h.store{bits}({}, {}).at(i)?;", address.cast(64), value.cast(bits))
    }
    fn call(&self, name: &str, args: Vec<(Expr, u32)>, result: Option<u32>) -> Expr {
        let args: Vec<String> = args.into_iter().map(|(a, width)| a.cast(Run::outside(width)).untyped()).collect();
        let bits = result.map_or(64, Run::outside);
        Expr::new(format!("h.{name}({}).at(i)?", args.join(", ")), bits)
    }
    fn lookup(&self, table: &Table, number: &Expr) -> Expr {
        lookup(table, number)
    }
    fn trap(&self, cause: &str, args: Vec<Expr>) -> String {
        let variant: String = cause
            .split('_')
            .map(|w| w.chars().take(1).flat_map(char::to_uppercase).chain(w.chars().skip(1)).collect::<String>())
            .collect();
        let value = args.into_iter().next().map_or("0".to_owned(), |a| a.cast(64).untyped());
        format!("return Err(Fault::new(Cause::{variant}, {value}).at(i.at));")
    }
}
