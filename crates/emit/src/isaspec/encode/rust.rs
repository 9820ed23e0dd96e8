//! The packer in Rust: one module that stands beside a driver's types and helpers.
//!
//! The module sees what its parent has (`use super::*`): `EncodeState` with a method `generation()`, for every space with
//! a `case-prefix` a function `SPACE_case(s, src)` and the names of its leaves as patterns, and everything that the maps
//! name; the maps see `src`, `s` and `p`. It gives `encode_SPACE(s, p, src)` for each space. Nothing is cut off: a value
//! that does not fit is an error.

use std::fmt::Write;

use isaglot_model::GenRange;

use super::{Choice, Packing, Printer};
use crate::isaspec::plan::{Plan, Root};
use crate::names::{self, Language};

pub(super) struct Rust;

const STEP: &str = Rust::STEP;

/// The head of a function of the packer, with more parameters after the first ones.
fn signature(name: &str, ty: &str, more: &str, result: &str) -> String {
    format!(
        "fn {name}(s: &EncodeState, p: &BitsetParams, src: {ty}{more}) -> Result<{result}, EncodeError> {{\n\
         {STEP}let _ = (s, p, src);\n"
    )
}

/// Words as the values of an array.
fn list(words: &[u32]) -> String {
    words.iter().map(|w| format!("{w:#x}")).collect::<Vec<_>>().join(", ")
}

impl Printer for Rust {
    const LANGUAGE: Language = Language::Rust;
    const STEP: &'static str = "    ";
    const MARK: &'static str = "__";
    const GENERATION: &'static str = "u64::from(s.generation())";
    const BLOCKS: bool = true;

    fn head(plan: &Plan<'_>) -> String {
        let mut text = String::from(
            "/// Values that an encoding passes to those nested in it.\n#[derive(Clone, Copy, Debug, Default)]\n\
             pub struct BitsetParams {\n",
        );
        for &name in &plan.params {
            let _ = writeln!(text, "{STEP}/// `{0}`.\n{STEP}pub {0}: i64,", plan.isa.text(name));
        }
        text + "}\n\n"
    }

    fn symbol(name: &str) -> String {
        names::snake(name)
    }

    fn encoder(symbol: &str) -> String {
        format!("encode_{symbol}")
    }

    fn packer(symbol: &str) -> (String, String) {
        (format!("pack_{symbol}"), format!("pack_{symbol}"))
    }

    fn literal(text: &str) -> String {
        format!("{text:?}")
    }

    fn root(root: &Root<'_>, symbol: &str, name: &str, choice: &Choice<'_>) -> String {
        let mut body = String::new();
        match choice {
            Choice::Cases(cases) => {
                let _ = writeln!(body, "{STEP}match {symbol}_case(s, src) {{");
                for (name, calls) in cases {
                    for (gens, call) in calls {
                        let guard = match *gens {
                            GenRange { min: 0, max: u32::MAX } => String::new(),
                            GenRange { min: 0, max } => format!(" if s.generation() <= {max}"),
                            GenRange { min, max: u32::MAX } => format!(" if s.generation() >= {min}"),
                            GenRange { min, max } => format!(" if ({min}..={max}).contains(&s.generation())"),
                        };
                        let _ = writeln!(body, "{STEP}{STEP}{name}{guard} => {call},");
                    }
                }
                let _ = writeln!(body, "{STEP}{STEP}#[allow(unreachable_patterns)]");
                let _ = writeln!(body, "{STEP}{STEP}_ => Err(EncodeError::Unhandled {{ space: {name:?} }}),\n{STEP}}}");
            }
            Choice::Only(Some(call)) => {
                let _ = writeln!(body, "{STEP}{call}");
            }
            Choice::Only(None) => {
                let _ = writeln!(body, "{STEP}Ok([0; WORDS])");
            }
        }
        let signature = signature(&Rust::encoder(symbol), &root.encode.ty, "", "Bits");
        format!("/// Packs a value of `{}`.\npub {signature}{body}}}\n\n", name.replace('`', "'"))
    }

    fn leaf(name: &str, ty: &str, body: &str) -> String {
        let more = if body.is_empty() { ", bits: Bits" } else { ", mut bits: Bits" };
        format!("{}{body}{STEP}Ok(bits)\n}}\n\n", signature(name, ty, more, "Bits"))
    }

    fn leaf_call(name: &str, words: &[u32], _: Option<u32>) -> String {
        format!("{name}(s, p, src, [{}])", list(words))
    }

    fn fits_one(leaf: &str, patterns: &[(Vec<u32>, Vec<u32>)]) -> String {
        let patterns: Vec<String> =
            patterns.iter().map(|(care, value)| format!("([{}], [{}])", list(care), list(value))).collect();
        format!("check_one(&bits, &[{}], {leaf})?;", patterns.join(", "))
    }

    fn expression(name: &str, ty: &str, comment: &str, body: &str) -> String {
        format!("// {comment}\n{}{body}}}\n\n", signature(name, ty, "", "i64"))
    }

    fn expression_call(name: &str) -> String {
        format!("{name}(s, p, src)?")
    }

    fn condition(call: &str) -> String {
        format!("if {call} != 0")
    }

    fn constant(low: u32, value: u64) -> String {
        format!("or_bits(&mut bits, {low}, {value:#x});")
    }

    fn number(packing: &Packing<'_>, signed: bool, out: &mut Vec<String>) {
        let Packing { field, map, held, .. } = packing;
        if let Some(low) = packing.low {
            out.push(format!("pack(&mut bits, {low}, {held}, {signed}, ({map}) as i64, {field})?;"));
            return;
        }
        out.push(format!("let value = ({map}) as i64;"));
        out.push(format!("check(value, {}, {signed}, {field})?;", held.min(&64)));
        out.extend(
            packing
                .slices(64)
                .iter()
                .map(|s| format!("or_bits(&mut bits, {}, low_bits(value, {}, {}));", s.low, s.from, s.width)),
        );
    }

    fn nested(packing: &Packing<'_>, encoder: &str, params: &str, out: &mut Vec<String>) {
        let Packing { field, map, held, .. } = packing;
        out.push(format!("let below = {params};"));
        out.push(format!("let nested = {encoder}(s, &below, {map})?;"));
        out.push(format!("check_nested(&nested, {held}, {field})?;"));
        out.extend(
            packing
                .slices(u32::MAX)
                .iter()
                .map(|s| format!("or_nested(&mut bits, {}, &nested, {}, {});", s.low, s.from, s.width)),
        );
    }

    fn params(values: &[(&str, String)], all: usize) -> String {
        let texts: Vec<String> = values.iter().map(|(name, value)| format!("{name}: {value}")).collect();
        match texts.len() {
            0 => "BitsetParams::default()".to_owned(),
            count if count == all => format!("BitsetParams {{ {} }}", texts.join(", ")),
            _ => format!("BitsetParams {{ {}, ..BitsetParams::default() }}", texts.join(", ")),
        }
    }

    fn params_argument(_: &str, params: &str) -> (Option<String>, String) {
        (None, format!("&{params}"))
    }

    fn mapped(map: &str) -> String {
        format!("({map}) as i64")
    }

    fn mapped_nested(encoder: &str, params: &str, map: &str) -> String {
        format!("to_i64(&{encoder}(s, {params}, {map})?)")
    }

    fn passed(name: &str) -> String {
        format!("p.{name}")
    }

    fn local(name: &str, value: &str) -> String {
        format!("let {name} = ({value}) as u64;")
    }

    fn result(value: &str) -> String {
        format!("Ok({value} as i64)")
    }
}
