//! Listings by roles that may say anything: numbers, counts and masks out of all bounds, parts within parts.

use isaglot_codec::Plan;
use isaglot_isaspec::oracle;
use isaglot_listing::tree::{Elem, ListOperand};
use isaglot_listing_build::limits::MAX_OPERAND_REGISTERS;
use isaglot_listing_build::{Options, build};

/// Expressions that an operand may have for its number, its count or its mask.
const FORMULAS: [&str; 8] =
    ["{W}", "0 - 1", "1 << 63", "{D} * 100000", "{A} << 40", "18446744073709551615u", "{D} / {W}", "#wide"];

#[test]
fn operands_are_bounded() {
    let program: Vec<u8> =
        (0..400_u32).flat_map(|n| (n.wrapping_mul(0x9e37_79b9) & 0x0000_ff1f | 1 << 24).to_le_bytes()).collect();
    let mut listed = 0;
    for number in FORMULAS {
        for (kind, formula) in ["count", "mask"].iter().flat_map(|kind| FORMULAS.iter().map(move |f| (kind, f))) {
            let roles = format!(
                "<roles><registers name=\"v\" count=\"16\" prefix=\"v\"/>\
                 <registers name=\"half\" count=\"64\" width=\"16\" prefix=\"h\" within=\"v\"/>\
                 <bitset name=\"#operand-reg\"><operand number=\"{{R}}\" registers=\"half\" {kind}=\"{{WIDE}} + 9\"/></bitset>\
                 <bitset name=\"#alu\"><operand number=\"{number}\" registers=\"v\" access=\"readwrite\" {kind}=\"{formula}\"/>\
                 <operand field=\"A\" count=\"{formula}\"/></bitset></roles>"
            )
            .replace("<<", "&lt;&lt;");
            let isa = oracle::roles(roles.as_bytes()).expect("the roles fit");
            let options = Options { defs: true, pc: true, bits: true };
            let listing = build(&Plan::new(&isa, 0), &program, options).expect("not too large");
            for elem in &listing.elems {
                let Elem::I(inst) = elem else { continue };
                listed += 1;
                for operand in &inst.srcs {
                    let ListOperand::RD(o) = operand else { continue };
                    let several = o.reg.rn.rsplit_once(':').and_then(|(_, n)| n.parse::<u32>().ok());
                    assert!(several.is_none_or(|n| n <= MAX_OPERAND_REGISTERS), "{}", o.reg.rn);
                }
            }
        }
    }
    assert_eq!(listed, 8 * 2 * 8 * 400);
}
