//! Prints and assembles instructions of minnow with a codec that the build script has generated.

#[allow(missing_docs, unreachable_pub, unused_imports, dead_code, clippy::all, reason = "generated")]
mod generated {
    include!(concat!(env!("OUT_DIR"), "/minnow.rs"));
}

use generated::minnow;

fn main() {
    let program = [0x48, 0x14, 0x24, 0x08, 0x98, 0xfc];
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = minnow::disassemble(&program, &mut text);
    print!("{text}");
    match minnow::assemble("li     r2, 11") {
        Ok(li) => println!("{} is 0x{:x}", li, li.word()),
        Err(error) => println!("{error:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::minnow;

    #[test]
    fn text_and_back() {
        let mut text = String::new();
        let (mut branches, mut calls, mut starts) = ([0; 1], [0; 1], [0; 1]);
        let back = minnow::assemble("j      -4").expect("an instruction").word().to_le_bytes();
        let program = [0x48, 0x14, 0x24, 0x08, back[0], back[1]];
        let sets = (&mut branches[..], &mut calls[..], &mut starts[..]);
        minnow::disassemble_with_labels(&program, sets, &mut text).expect("a string takes everything");
        assert_eq!(text, "l0:\nli     r2, 10\ninc    r1, 4\nj      l0\n");
        let li = minnow::assemble("li     r2, 10").expect("an instruction");
        assert_eq!((li.word(), li.leaf()), (0x1448, minnow::Leaf::Li));
        assert!(minnow::assemble("lie    r2, 10").is_err());
    }

    #[test]
    fn fields_make_a_word() {
        use minnow::{Field, Leaf, Name, encode};
        let li = encode(Leaf::Li, &[Field::Number(Name::Rd, 2), Field::Number(Name::Imm, 11)]).expect("li r2, 11");
        assert_eq!(li.word(), 0x1648);
        assert_eq!(li.to_string(), "li     r2, 11");
        let wide = encode(Leaf::Li, &[Field::Number(Name::Imm, 1000)]);
        assert_eq!(wide, Err(minnow::EncodeError::Range(Name::Imm, 7)));
    }
}
