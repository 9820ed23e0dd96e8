//! The disassembler for drivers: the codec that `gen c` writes, once for each range of gens, with the options and callbacks
//! of a driver.

use std::fmt::Write;

use isaglot_codec::Plan;
use isaglot_model::{ByteOrder, FeatureId, Isa};
use isaglot_source::{Diagnostic, Diagnostics};

use super::Options;
use super::generations::{self, Generations};
use crate::blueprint::{Blueprint, limbs_for};
use crate::c::{self, tables};
use crate::files::File;

/// Stands for the name of a set of tables: nothing else has it, for texts have no such character as it is.
const NAME: &str = "\u{1}";

const TYPES: &str = include_str!("runtime/isaspec.h");

/// Whether the driver's interface can say what the description says; if not, a problem is reported.
pub(crate) fn check(isa: &Isa, out: &mut Diagnostics) {
    let format = isa.format();
    let span = isa[isa.root()].span;
    let mut unlike = |what: &str| {
        let message = format!("isaspec's interface has no way for {what}");
        let d = Diagnostic::error("emit-unsupported", message).label(span, "the instructions of this description");
        out.push(d.note("`isaglot gen c` without `--api` writes a codec for it"));
    };
    if !format.lengths.is_empty() {
        unlike("instructions of several lengths");
    }
    if format.byte_order != ByteOrder::Little {
        unlike("instructions with their most significant byte first");
    }
    if !format.max_bits.is_multiple_of(32) {
        unlike("instructions whose size is not a multiple of 32 bits");
    }
}

/// The header and the source.
pub(crate) fn write(isa: &Isa, options: &Options<'_>, out: &mut Diagnostics) -> Option<[File; 2]> {
    let unpackers = has_unpackers(isa);
    let Generations { starts, shows } = generations::of(isa);
    let on: Vec<FeatureId> =
        (0u32..).map(FeatureId).zip(isa.features()).filter(|(_, f)| f.default).map(|(i, _)| i).collect();
    let plans: Vec<Plan<'_>> = starts.iter().map(|&start| Plan::with_features(isa, start, &on)).collect();
    let mut blueprints = Vec::with_capacity(plans.len());
    for plan in &plans {
        match Blueprint::new(plan, limbs_for(isa)) {
            Ok(blueprint) => blueprints.push(blueprint),
            Err(unsupported) => {
                let d = Diagnostic::error("emit-unsupported", format!("no code can be generated: {}", unsupported.0));
                out.push(d);
                return None;
            }
        }
    }
    let prefix = options.prefix;
    let codec = format!("{prefix}_isa_codec");
    let prefixed = |text: &str| text.replace("isaglot", &codec).replace("ISAGLOT", &codec.to_ascii_uppercase());
    let public = |text: &str| {
        let text = text.replace("isaglot_isa", "@\u{1}").replace("isaglot-decode", "@\u{2}");
        prefixed(&text).replace("@\u{1}", &format!("{prefix}_isa")).replace("@\u{2}", &format!("{prefix}-decode"))
    };

    let mut source = format!("/* {} */\n\n#include \"{prefix}-isa.h\"\n\n", options.stamp);
    source.push_str("#include <stdlib.h>\n#include <string.h>\n\n");
    let mut constants = String::new();
    let upper = codec.to_ascii_uppercase();
    let _ = writeln!(constants, "#define {upper}_LIMBS {}", limbs_for(isa));
    let _ = writeln!(constants, "#define {upper}_MAX_BITS {}", isa.format().max_bits);
    let header = prefixed(&c::HEADER.replace("/*@CONSTANTS*/\n", "/*@*/").replace("/*@MORE*/\n\n", ""));
    source.push_str(&header.replace("/*@*/", &constants));
    source.push('\n');
    source.push_str(&c::constants(&blueprints.iter().collect::<Vec<_>>()));
    let _ = writeln!(
        source,
        "\n/* Numbers are printed as Mesa 26 does, not as Mesa 24.3. */\n#define MESA_26 {}",
        options.mesa26
    );
    let _ = writeln!(source, "\n/* What is printed may differ between any two gens. */\n#define GPU_ID_SHOWS {shows}");
    for part in c::RUNTIME {
        source.push('\n');
        source.push_str(&prefixed(part));
    }
    let plug = public(include_str!("runtime/plug.h"));
    if !unpackers {
        source.push_str(&plug);
    }
    source.push_str(&public(include_str!("runtime/api.c")));
    source.push_str(&public(match unpackers {
        true => include_str!("runtime/api_unpack.c"),
        false => include_str!("runtime/api_decode.c"),
    }));
    variants(isa, &blueprints, &starts, &mut source);
    let guard = format!("{}_ISA_H", prefix.to_ascii_uppercase());
    let mut header = format!("/* {} */\n\n#ifndef {guard}\n#define {guard}\n\n", options.stamp);
    header.push_str(
        "#include <stdarg.h>\n#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\n#include <stdio.h>\n\n",
    );
    header.push_str("#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n");
    header.push_str(TYPES);
    header.push('\n');
    header.push_str(&public(include_str!("runtime/public.h")));
    let decode = match unpackers {
        true => include_str!("runtime/public_unpack.h"),
        false => include_str!("runtime/public_decode.h"),
    };
    header.push_str(&public(decode).replace("@PLUG@", &plug));
    let _ = write!(header, "\n#ifdef __cplusplus\n}}\n#endif\n\n#endif /* {guard} */\n");
    Some([File::new(format!("{prefix}-isa.h"), header), File::new(format!("{prefix}-isa.c"), source)])
}

/// Whether the description asks for unpackers.
pub(crate) fn has_unpackers(isa: &Isa) -> bool {
    isa[isa.root()].decode
}

/// The tables of each range of gens, those that are the same once, and which are whose.
fn variants(isa: &Isa, blueprints: &[Blueprint<'_>], starts: &[u32], source: &mut String) {
    let mut written: Vec<String> = Vec::new();
    let mut rows = String::new();
    for (blueprint, start) in blueprints.iter().zip(starts) {
        let mut same = blueprint.clone();
        // The gen that is asked for is filled in when it is known.
        same.generation = 0;
        let mut text = tables::write(&same, NAME);
        let leaves: Vec<String> = same.encodings.iter().map(|id| id.0.to_string()).collect();
        let names: Vec<String> =
            same.names.iter().map(|name| isa.names().get(name).map_or(0, |n| n.0).to_string()).collect();
        for (what, list) in [("outer_leaves", leaves), ("outer_names", names)] {
            let list = if list.is_empty() { vec!["0".to_owned()] } else { list };
            let lines: Vec<String> = list.chunks(20).map(|line| format!("   {},", line.join(", "))).collect();
            let _ = writeln!(text, "\nstatic const uint32_t {NAME}_{what}[] = {{\n{}\n}};", lines.join("\n"));
        }
        let at = written.iter().position(|known| *known == text).unwrap_or_else(|| {
            let at = written.len();
            let _ = write!(source, "\n/* From gen {start} on. */\n\n{}", text.replace(NAME, &format!("gen{at}")));
            written.push(text);
            at
        });
        let _ = writeln!(rows, "   {{{start}u, &gen{at}, gen{at}_outer_leaves, gen{at}_outer_names}},");
    }
    let _ = write!(source, "\nstatic const struct variant variants[] = {{\n{rows}}};\n\n");
    source.push_str(
        "static const struct variant *variant_for(uint32_t gpu_id)\n{\n   size_t at = sizeof(variants) / sizeof(variants[0]);\n   \
         while (--at > 0 && variants[at].from > gpu_id)\n      ;\n   return &variants[at];\n}\n",
    );
}
