//! Packs the data that the C program printed.

mod encode;

use std::io::BufRead;

pub struct Op {
    code: Code,
    cond: u8,
    dst: u8,
    a: u8,
    b: u8,
    immed: bool,
    is_float: bool,
    imm: i32,
    to: i32,
}

#[derive(Clone, Copy, PartialEq)]
pub enum Code {
    Add,
    SubX,
    Mul,
    Jump,
    Store,
}

pub struct EncodeState(u32);

impl EncodeState {
    pub fn generation(&self) -> u32 {
        self.0
    }
}

pub fn instruction_case(_: &EncodeState, src: &Op) -> Code {
    src.code
}

fn main() {
    let state = EncodeState(std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(0));
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let n: Vec<i32> = line.split(' ').take(9).filter_map(|n| n.parse().ok()).collect();
        let &[code, cond, dst, a, b, immed, is_float, imm, to] = n.as_slice() else { continue };
        let code = [Code::Add, Code::SubX, Code::Mul, Code::Jump, Code::Store][code as usize];
        let (cond, dst, a, b) = (cond as u8, dst as u8, a as u8, b as u8);
        let op = Op { code, cond, dst, a, b, immed: immed != 0, is_float: is_float != 0, imm, to };
        match encode::encode_instruction(&state, &encode::BitsetParams::default(), &op) {
            Ok(word) => println!("{:08x}", word[0]),
            Err(e) => println!("{e}"),
        }
    }
}
