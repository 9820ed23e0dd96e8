//! What a command does: its `semantics { … }`, or a text of a processor's configuration, typed.
//!
//! One text is run by a hart, proved by a solver and printed for people, so all of them take it from here. A command
//! acts on registers only: it may read `rs1`, `rs2` (the parameters as its left side names them), `data` and `lun` (the
//! two parts of the handle, widened to a register), and the variables of its device; it writes `rd`, which is 0 if it
//! does not, and the variables. Memory and the program counter are out of its reach (reference R28).

use isaglot_invariant::Impossible as _;
use isaglot_riscv::Xlen;
use isaglot_semantics::{
    Body, Env, FileIndex, OperandIndex, RegisterIndex, Statement, Symbol, Value, ValueId, check as type_check, parse,
};
use isaglot_source::{Diagnostic, Diagnostics, Span};

use crate::ast::{Interface, Purity, Semantics, StateDecl};

/// The operands of a text, in the order in which its environment has them; variables follow.
pub const OPERANDS: [&str; 5] = ["rd", "rs1", "rs2", "data", "lun"];

/// The result.
pub const RD: OperandIndex = OperandIndex(0);
/// The first parameter.
pub const RS1: OperandIndex = OperandIndex(1);
/// The second parameter.
pub const RS2: OperandIndex = OperandIndex(2);
/// The upper bits of the handle, as wide as a register.
pub const DATA: OperandIndex = OperandIndex(3);
/// The lowest 12 bits of the handle, as wide as a register.
pub const LUN: OperandIndex = OperandIndex(4);

/// The cause of a trap that a text may ask for.
pub const UNDEFINED: &str = "undefined_command";

/// A variable of a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Its width in bits.
    pub width: u32,
    /// Its value at reset.
    pub initial: u64,
}

/// A command's text, typed for a register width.
#[derive(Clone, Debug)]
pub struct Meaning {
    /// The text as written.
    pub text: String,
    /// What its names mean: [`OPERANDS`], then the variables. File 0 holds `rd`, file n + 1 variable n.
    pub env: Env,
    /// What it does.
    pub body: Body,
    /// The handle travels in the second parameter: `xcmdK rd rs2 rs1`.
    pub swapped: bool,
    /// The variables of its device, in the order of the environment.
    pub variables: Vec<Variable>,
}

impl Meaning {
    /// Whether the text reads or writes a variable, by number.
    pub fn uses(&self, variable: usize) -> bool {
        let is_it = |file: &FileIndex| Meaning::variable(*file) == Some(variable);
        let reads = |value: &Value| matches!(value, Value::Register(file, _) if is_it(file));
        fn writes(list: &[Statement], is_it: &dyn Fn(&FileIndex) -> bool) -> bool {
            list.iter().any(|s| match s {
                Statement::SetRegister(file, ..) => is_it(file),
                Statement::If(_, yes, no) => writes(yes, is_it) || writes(no, is_it),
                _ => false,
            })
        }
        self.body.values.iter().any(reads) || writes(&self.body.statements, &is_it)
    }

    /// The variable that a register file of the environment holds; `None` for `rd`.
    pub fn variable(file: FileIndex) -> Option<usize> {
        (file.0 as usize).checked_sub(1)
    }
}

/// The variables of an interface at a register width.
pub fn variables(state: &[StateDecl], xlen: Xlen) -> Vec<Variable> {
    let one =
        |s: &StateDecl| Variable { name: s.name.clone(), width: s.width.unwrap_or(xlen.bits()), initial: s.initial };
    state.iter().map(one).collect()
}

/// What the names of a text mean.
pub fn environment(xlen: Xlen, variables: &[Variable]) -> Env {
    let bits = xlen.bits();
    let mut env = Env::new(&[("xlen", bits)]);
    env.trap(UNDEFINED);
    let result = env.file(".rd", bits, 1);
    // No text can name these files: they are there to be written to through an operand.
    let files: Vec<FileIndex> = variables.iter().map(|v| env.file(&format!(".{}", v.name), v.width, 1)).collect();
    for name in OPERANDS {
        env.operand(
            name,
            match name {
                "rd" => Symbol::Register { file: result, read: false, write: true },
                _ => Symbol::Immediate { width: bits },
            },
        );
    }
    for (variable, file) in variables.iter().zip(files) {
        env.operand(&variable.name, Symbol::Register { file, read: true, write: true });
    }
    env
}

/// Types a text. `None` if there was an error, which was reported.
pub fn compile(
    semantics: &Semantics,
    swapped: bool,
    variables: Vec<Variable>,
    xlen: Xlen,
    out: &mut Diagnostics,
) -> Option<Meaning> {
    let before = out.error_count();
    let span = semantics.span;
    let env = environment(xlen, &variables);
    let tree = parse(span.file, span.start as usize, &semantics.text, out)?;
    let body = type_check(&tree, &env, out)?;
    reach(&body, &body.statements, span, out);
    for (at, value) in body.values.iter().enumerate() {
        if matches!(value, Value::Pc | Value::NextPc) {
            let place = body.spans.get(at).copied().or_impossible(span);
            out.push(error("a command does not know where it was called from").label(place, ""));
        }
    }
    let meaning = Meaning { text: semantics.text.clone(), env, body, swapped, variables };
    (out.error_count() == before).then_some(meaning)
}

fn error(message: &str) -> Diagnostic {
    Diagnostic::error("E-SEMANTICS", message)
}

/// Reports what a command must not do.
fn reach(body: &Body, list: &[Statement], text: Span, out: &mut Diagnostics) {
    let place = |v: &ValueId| body.spans.get(v.0 as usize).copied().or_impossible(text);
    for s in list {
        match s {
            Statement::Load(_, at) | Statement::Store { address: at, .. } => {
                out.push(error("a command acts on registers only").label(place(at), "this is memory"));
            }
            Statement::SetPc(v) => out.push(error("a command cannot jump").label(place(v), "")),
            Statement::If(_, then, otherwise) => {
                reach(body, then, text, out);
                reach(body, otherwise, text, out);
            }
            _ => {}
        }
    }
}

/// Whether a text reads or writes a variable, so that equal calls may differ.
fn keeps_state(body: &Body) -> bool {
    fn writes(list: &[Statement]) -> bool {
        list.iter().any(|s| match s {
            Statement::SetRegister(file, ..) => file.0 != 0,
            Statement::If(_, then, otherwise) => writes(then) || writes(otherwise),
            _ => false,
        })
    }
    let reads =
        |v: &Value| matches!(v, Value::Register(_, RegisterIndex::Operand(op)) if op.0 >= OPERANDS.len() as u32);
    body.values.iter().any(reads) || writes(&body.statements)
}

/// What the commands of an interface do, by command number; a command without semantics is left out.
pub fn of_interface(interface: &Interface, xlen: Xlen, out: &mut Diagnostics) -> Vec<(u8, Meaning)> {
    let mut found = Vec::new();
    for command in &interface.commands {
        let (Some(k), Some(semantics)) = (command.k.and_then(|k| u8::try_from(k).ok()), &command.semantics) else {
            continue;
        };
        let variables = variables(&interface.state, xlen);
        let Some(meaning) = compile(semantics, command.swapped, variables, xlen, out) else { continue };
        if command.purity == Purity::Pure && keeps_state(&meaning.body) {
            let d = error("the command is `pure` but depends on a variable, or changes one");
            out.push(d.label(command.name_span, "").note("leave `pure` out, or say `stateful`"));
        }
        found.push((k, meaning));
    }
    found
}
