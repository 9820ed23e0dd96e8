//! Reads records out of TableGen files that are in memory, includes and all: what a generator binds LLVM for.

use isaglot_tablegen::{Options, parse};

const BASE: &str =
    "class Op<string mnemonic, list<int> lanes = []> {\n  string Mnemonic = mnemonic;\n  list<int> Lanes = lanes;\n}\n";
const TOP: &str = "include \"base.td\"\ndef Add : Op<\"add\", [1, 2]>;\ndef Neg : Op<\"neg\"> { bit Unary = 1; }\n";

fn main() {
    let mut read = |name: &str| (name == "base.td").then(|| BASE.as_bytes().into());
    let records = parse("ops.td", TOP.as_bytes().into(), &Options::default(), &mut read);
    assert!(records.ok());
    for record in records.defs_of("Op") {
        let mnemonic = record.string("Mnemonic").unwrap_or_default();
        println!("{} {mnemonic:?} at {}", record.name(), record.place());
    }
}
