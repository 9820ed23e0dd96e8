//! The disassembler for drivers: the codec that `gen c` writes, once for each range of gens, with the options and callbacks
//! of a driver.

use std::fmt::Write;

use isaglot_codec::Plan;
use isaglot_model::Isa;
use isaglot_source::{Diagnostic, Diagnostics};

use super::Options;
use super::generations::{self, Generations};
use crate::blueprint::{Joint, limbs_for};
use crate::c::{self, tables};
use crate::files::File;
use crate::limits::{FAST, Layout, SMALL};

/// What the names of tables begin with.
const NAME: &str = "tables";

const TYPES: &str = include_str!("runtime/isaspec.h");

/// The header and the source.
pub(crate) fn write(isa: &Isa, options: &Options<'_>, out: &mut Diagnostics) -> Option<[File; 2]> {
    let unpackers = has_unpackers(isa);
    let Generations { starts, shows } = generations::of(isa);
    let plans: Vec<Plan<'_>> = starts.iter().map(|&start| Plan::with_features(isa, start, options.features)).collect();
    let layout = Layout { needs: false, ..if options.small { SMALL } else { FAST } };
    let joint = match Joint::new(&plans, limbs_for(isa), layout) {
        Ok(joint) => joint,
        Err(unsupported) => {
            let d = Diagnostic::error("emit-unsupported", format!("no code can be generated: {}", unsupported.0));
            out.push(d);
            return None;
        }
    };
    let prefix = options.prefix;
    let codec = format!("{prefix}_isa_codec");
    let prefixed = |text: &str| text.replace("isaglot", &codec).replace("ISAGLOT", &codec.to_ascii_uppercase());
    let public = |text: &str| {
        let text = text.replace("isaglot_isa", "@\u{1}").replace("isaglot-decode", "@\u{2}");
        prefixed(&text).replace("@\u{1}", &format!("{prefix}_isa")).replace("@\u{2}", &format!("{prefix}-decode"))
    };

    let mut source = format!("/* {} */\n\n#include \"{}\"\n\n", options.stamp, options.header_name());
    source.push_str("#include <stdlib.h>\n#include <string.h>\n\n");
    let mut constants = String::new();
    let upper = codec.to_ascii_uppercase();
    let _ = writeln!(constants, "#define {upper}_LIMBS {}", limbs_for(isa));
    let _ = writeln!(constants, "#define {upper}_MAX_BITS {}", isa.format().max_bits);
    let header = prefixed(&c::HEADER.replace("/*@CONSTANTS*/\n", "/*@*/").replace("/*@MORE*/\n\n", ""));
    source.push_str(&header.replace("/*@*/", &constants));
    source.push('\n');
    source.push_str(&c::constants(&[&joint.tables]));
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
    if !isa.format().lengths.is_empty() {
        source.push_str(&public(include_str!("runtime/api_length.c")));
    }
    variants(isa, &joint, &mut source);
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
    if !isa.format().lengths.is_empty() {
        header.push_str(&public(include_str!("runtime/public_length.h")));
    }
    let _ = write!(header, "\n#ifdef __cplusplus\n}}\n#endif\n\n#endif /* {guard} */\n");
    Some([File::new(options.header_name(), header), File::new(format!("{prefix}-isa.c"), source)])
}

/// Whether the description asks for unpackers.
pub(crate) fn has_unpackers(isa: &Isa) -> bool {
    isa[isa.root()].decode
}

/// The tables, what their numbers are called outside, and which are whose.
fn variants(isa: &Isa, joint: &Joint<'_>, source: &mut String) {
    let tables = &joint.tables;
    source.push_str("\n/* The description, of all gens. */\n\n");
    source.push_str(&tables::arrays(tables, NAME));
    let leaves: Vec<String> = tables.encodings.iter().map(|id| id.0.to_string()).collect();
    let names: Vec<String> =
        tables.names.iter().map(|name| isa.names().get(name).map_or(0, |n| n.0).to_string()).collect();
    for (what, list) in [("leaves", leaves), ("names", names)] {
        let list = if list.is_empty() { vec!["0".to_owned()] } else { list };
        let lines: Vec<String> = list.chunks(20).map(|line| format!("   {},", line.join(", "))).collect();
        let _ = writeln!(source, "static const uint32_t outer_{what}[] = {{\n{}\n}};\n", lines.join("\n"));
    }
    let mut written: Vec<u32> = Vec::new();
    let mut rows = String::new();
    for &(start, spaces) in &joint.plans {
        let at = written.iter().position(|known| *known == spaces).unwrap_or_else(|| {
            let at = written.len();
            let _ = writeln!(source, "/* From gen {start} on. */");
            // The gen that is asked for is filled in when it is known.
            source.push_str(&tables::isa(tables, NAME, &format!("gen{at}"), 0, spaces));
            source.push('\n');
            written.push(spaces);
            at
        });
        let _ = writeln!(rows, "   {{{start}u, &gen{at}}},");
    }
    let _ = write!(source, "static const struct variant variants[] = {{\n{rows}}};\n\n");
    source.push_str(
        "static const struct variant *variant_for(uint32_t gpu_id)\n{\n   size_t at = sizeof(variants) / sizeof(variants[0]);\n   \
         while (--at > 0 && variants[at].from > gpu_id)\n      ;\n   return &variants[at];\n}\n\nstatic uint32_t outer_leaf(uint32_t leaf)\n{\n   return outer_leaves[leaf];\n}\n\n\
         static uint32_t outer_name(uint32_t name)\n{\n   return outer_names[name];\n}\n",
    );
}
