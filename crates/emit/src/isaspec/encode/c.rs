//! The packer in C: one header that a driver's own `encode.c` includes after its types and helpers.
//!
//! The contract is that of the reference's generator. The driver provides `struct encode_state` with a member `gen`,
//! for every space with a `case-prefix` a function `SPACE_case(s, src)` and the names of its leaves, and everything that
//! the maps name; the maps see `src`, `s` and `p`. The header gives `encodeSPACE(s, p, src)` for each space.

use std::fmt::Write;

use super::{Choice, Packing, Printer, symbol};
use crate::isaspec::expr;
use crate::isaspec::plan::{Plan, Root};
use crate::names::{self, Language};

pub(super) struct C;

const STEP: &str = C::STEP;

/// Words as the values of an array.
fn list(words: &[u32]) -> String {
    words.iter().map(|w| format!("{w:#x}u")).collect::<Vec<_>>().join(", ")
}

/// The parameters of every function of the packer, with more of them after the first ones.
fn parameters(ty: &str, more: &str) -> String {
    format!("(struct encode_state *s, const struct bitset_params *p, const {ty} src{more})")
}

/// Tells a compiler that a function does not need all its parameters.
const UNUSED: &str = "   (void)s;\n   (void)p;\n   (void)src;\n";

impl Printer for C {
    const LANGUAGE: Language = Language::C;
    const STEP: &'static str = "   ";
    const MARK: &'static str = "_";
    const GENERATION: &'static str = "(uint64_t)ISA_GPU_ID()";
    const BLOCKS: bool = false;

    fn head(plan: &Plan<'_>) -> String {
        let mut text =
            String::from("/* Values that an encoding passes to those nested in it. */\nstruct bitset_params {\n");
        for &name in &plan.params {
            let _ = writeln!(text, "{STEP}int64_t {};", plan.isa.text(name));
        }
        if plan.params.is_empty() {
            text.push_str("   int64_t none;\n");
        }
        text.push_str("};\n\n");
        for root in &plan.roots {
            let name = C::encoder(&symbol::<C>(plan, root.space));
            let _ = writeln!(text, "static inline bitmask_t {name}{};", parameters(&root.encode.ty, ""));
        }
        text + "\n"
    }

    fn symbol(name: &str) -> String {
        names::symbol(name)
    }

    fn encoder(symbol: &str) -> String {
        format!("encode{symbol}")
    }

    fn packer(symbol: &str) -> (String, String) {
        (format!("pack{symbol}_0"), format!("pack{symbol}"))
    }

    fn literal(text: &str) -> String {
        format!("\"{}\"", text.replace(['\\', '"'], "_"))
    }

    fn root(root: &Root<'_>, symbol: &str, name: &str, choice: &Choice<'_>) -> String {
        let mut body = String::new();
        match choice {
            Choice::Cases(cases) => {
                let _ = writeln!(body, "{STEP}switch ({symbol}_case(s, src)) {{");
                for (name, calls) in cases {
                    let _ = writeln!(body, "{STEP}case {name}:");
                    let mut closed = false;
                    for (gens, call) in calls {
                        let least = (gens.min > 0).then(|| format!("ISA_GPU_ID() >= {}u", gens.min));
                        let most = (gens.max < u32::MAX).then(|| format!("ISA_GPU_ID() <= {}u", gens.max));
                        let tests: Vec<String> = least.into_iter().chain(most).collect();
                        closed = tests.is_empty();
                        let _ = match closed {
                            true => writeln!(body, "{STEP}{STEP}return {call};"),
                            false => writeln!(
                                body,
                                "{STEP}{STEP}if ({})\n{STEP}{STEP}{STEP}return {call};",
                                tests.join(" && ")
                            ),
                        };
                    }
                    if !closed {
                        let _ = writeln!(body, "{STEP}{STEP}break;");
                    }
                }
                let _ = writeln!(body, "{STEP}default:\n{STEP}{STEP}break;\n{STEP}}}");
                let _ = writeln!(body, "{STEP}ISA_ENCODE_UNHANDLED(s, {}, {symbol}_case(s, src));", C::literal(name));
                let _ = writeln!(body, "{STEP}return uint64_t_to_bitmask(0);");
            }
            Choice::Only(Some(call)) => {
                let _ = writeln!(body, "{STEP}return {call};");
            }
            Choice::Only(None) => {
                let _ = writeln!(body, "{UNUSED}{STEP}return uint64_t_to_bitmask(0);");
            }
        }
        let (name, parameters) = (C::encoder(symbol), parameters(&root.encode.ty, ""));
        format!("static inline bitmask_t\n{name}{parameters}\n{{\n{STEP}(void)p;\n{body}}}\n\n")
    }

    fn leaf(name: &str, ty: &str, body: &str) -> String {
        let parameters = parameters(ty, ", bitmask_t val");
        format!("static inline bitmask_t\n{name}{parameters}\n{{\n{UNUSED}{body}{STEP}return val;\n}}\n\n")
    }

    fn leaf_call(name: &str, words: &[u32], bits: Option<u32>) -> String {
        let bits = bits.map_or(String::new(), |bits| format!(", {bits}u"));
        format!("{name}(s, p, src, (bitmask_t){{ {{ {} }}{bits} }})", list(words))
    }

    fn fits_one(leaf: &str, patterns: &[(Vec<u32>, Vec<u32>)]) -> String {
        let one = |(care, value): &(Vec<u32>, Vec<u32>)| {
            let array = |words: &[u32]| format!("(const uint32_t[]){{ {} }}", list(words));
            format!("!isa_matches(&val, {}, {})", array(care), array(value))
        };
        let tests: Vec<String> = patterns.iter().map(one).collect();
        format!(
            "if ({})\n{STEP}{STEP}ISA_ENCODE_RANGE(s, {leaf}, bitmask_to_uint64_t(val));",
            tests.join(&format!(" &&\n{STEP}    "))
        )
    }

    fn expression(name: &str, ty: &str, comment: &str, body: &str) -> String {
        let parameters = parameters(ty, "");
        format!("/* {comment} */\nstatic inline int64_t\n{name}{parameters}\n{{\n{UNUSED}{body}}}\n\n")
    }

    fn expression_call(name: &str) -> String {
        format!("{name}(s, p, src)")
    }

    fn condition(call: &str) -> String {
        format!("if ({call})")
    }

    fn constant(low: u32, value: u64) -> String {
        format!("isa_or_bits(&val, {low}u, {});", expr::constant(value, Language::C))
    }

    fn number(packing: &Packing<'_>, signed: bool, out: &mut Vec<String>) {
        let Packing { field, map, held, .. } = packing;
        if let Some(low) = packing.low {
            out.push(format!("isa_pack(s, &val, {low}u, {held}u, {signed}, (int64_t)({map}), {field});"));
            return;
        }
        out.push(format!("const int64_t fld = (int64_t)({map}); /* {} */", field.trim_matches('"')));
        out.push(format!("if (!isa_fits(fld, {}u, {signed}))", held.min(&64)));
        out.push(format!("{STEP}ISA_ENCODE_RANGE(s, {field}, fld);"));
        out.extend(
            packing
                .slices(64)
                .iter()
                .map(|s| format!("isa_or_bits(&val, {}u, isa_low_bits(fld, {}u, {}u));", s.low, s.from, s.width)),
        );
    }

    fn nested(packing: &Packing<'_>, encoder: &str, params: &str, out: &mut Vec<String>) {
        let Packing { field, map, held, .. } = packing;
        out.push(format!("const struct bitset_params bp = {params};"));
        let call = format!("{encoder}(s, &bp, {map})");
        if let Some(low) = packing.low {
            out.push(format!("isa_pack_nested(s, &val, {low}u, {held}u, {call}, {field});"));
            return;
        }
        out.push(format!("const bitmask_t nested = {call}; /* {} */", field.trim_matches('"')));
        out.push(format!("if (!isa_mask_fits(&nested, {held}u))"));
        out.push(format!("{STEP}ISA_ENCODE_RANGE(s, {field}, bitmask_to_uint64_t(nested));"));
        out.extend(
            packing
                .slices(u32::MAX)
                .iter()
                .map(|s| format!("isa_or_mask(&val, {}u, &nested, {}u, {}u);", s.low, s.from, s.width)),
        );
    }

    fn params(values: &[(&str, String)], _: usize) -> String {
        let values: Vec<String> = values.iter().map(|(name, value)| format!(".{name} = {value}")).collect();
        format!("{{ {} }}", if values.is_empty() { "0".to_owned() } else { values.join(", ") })
    }

    fn params_argument(name: &str, params: &str) -> (Option<String>, String) {
        (Some(format!("const struct bitset_params p_{name} = {params};")), format!("&p_{name}"))
    }

    fn mapped(map: &str) -> String {
        format!("(int64_t)({map})")
    }

    fn mapped_nested(encoder: &str, params: &str, map: &str) -> String {
        format!("(int64_t)bitmask_to_uint64_t({encoder}(s, {params}, {map}))")
    }

    fn passed(name: &str) -> String {
        format!("(p ? p->{name} : 0)")
    }

    fn local(name: &str, value: &str) -> String {
        format!("const uint64_t {name} = (uint64_t){value};")
    }

    fn result(value: &str) -> String {
        format!("return (int64_t){value};")
    }
}
