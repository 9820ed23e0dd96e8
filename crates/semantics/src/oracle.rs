//! What tests and fuzz targets share: small texts compiled over known names, a machine of three registers, any text.

use std::convert::Infallible;

use isaglot_bits::Word;
use isaglot_source::{Diagnostics, SourceMap};

use crate::{Body, Env, Extern, ExternId, FileIndex, Machine, OperandIndex, Symbol, Table, check, parse};

/// A body from a text that must be without errors.
///
/// # Panics
/// If it is not; the message has the text and every problem.
pub fn compile(env: &Env, text: &str) -> Body {
    let mut problems = Diagnostics::new();
    let file = SourceMap::new().add("test", text.as_bytes());
    let body = parse(file, 0, text, &mut problems).and_then(|tree| check(&tree, env, &mut problems));
    let said: Vec<&str> = problems.iter().map(|d| d.message.as_str()).collect();
    body.unwrap_or_else(|| panic!("{text}\n{}", said.join("\n")))
}

/// The table `squares` of all texts here: of 16 numbers, the low eight bits of n² + 1.
pub fn squares() -> Table {
    Table { name: "squares".to_owned(), width: 8, rows: (0..16).map(|n| Word::from_u64(n * n + 1, 8)).collect() }
}

/// Compiles `r = EXPRESSION;` over `a` and `b` of `width` bits; `r` has `result` bits, and the parameter `n` is `width`.
pub fn expression(expression: &str, width: u32, result: u32) -> (Env, Body) {
    let mut env = Env::new(&[("n", width)]);
    env.table(squares());
    let inputs = env.file("in", width, 3);
    let outputs = env.file("out", result, 3);
    env.operand("a", Symbol::Register { file: inputs, read: true, write: false });
    env.operand("b", Symbol::Register { file: inputs, read: true, write: false });
    env.operand("r", Symbol::Register { file: outputs, read: false, write: true });
    let body = compile(&env, &format!("r = {expression};"));
    (env, body)
}

/// A machine for [`expression`]: the registers `a`, `b` and `r`.
pub struct Registers(pub [Word; 3]);

impl Machine for Registers {
    type Trap = Infallible;
    fn pc(&self) -> Word {
        Word::zero(64)
    }
    fn next_pc(&self) -> Word {
        Word::zero(64)
    }
    fn set_pc(&mut self, _: Word) -> Result<(), Infallible> {
        Ok(())
    }
    fn immediate(&self, _: OperandIndex, width: u32) -> Word {
        Word::zero(width)
    }
    fn register_number(&self, operand: OperandIndex) -> u32 {
        operand.0
    }
    fn register(&self, _: FileIndex, number: u32, _: u32) -> Word {
        self.0[number as usize].clone()
    }
    fn set_register(&mut self, _: FileIndex, number: u32, value: Word) {
        self.0[number as usize] = value;
    }
    fn load(&mut self, _: Word, bits: u32) -> Result<Word, Infallible> {
        Ok(Word::zero(bits))
    }
    fn store(&mut self, _: Word, _: Word) -> Result<(), Infallible> {
        Ok(())
    }
    fn call(&mut self, _: ExternId, _: &[Word]) -> Result<Option<Word>, Infallible> {
        Ok(None)
    }
    fn trap(&mut self, _: &str, _: &[Word]) -> Infallible {
        unreachable!("no expression traps")
    }
}

/// Parses and checks any text; gives what is wrong with it. It never panics.
pub fn any_text(text: &str) -> Diagnostics {
    let file = SourceMap::new().add("fuzz", text.as_bytes());
    let mut env = Env::new(&[("xlen", 32)]);
    let x = env.file("x", 32, 32);
    env.operand("rd", Symbol::Register { file: x, read: false, write: true });
    env.operand("rs1", Symbol::Register { file: x, read: true, write: false });
    env.operand("imm", Symbol::Immediate { width: 12 });
    env.add_extern(Extern { name: "csr_read".to_owned(), args: vec![12], result: Some(32) });
    env.trap("illegal");
    env.table(squares());
    let mut problems = Diagnostics::new();
    if let Some(tree) = parse(file, 0, text, &mut problems) {
        check(&tree, &env, &mut problems);
    }
    problems
}
