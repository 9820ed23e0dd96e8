//! From words to a driver's own data, where the description asks for it with `<decode/>`: the maps of the packer, read as
//! what is assigned to.
//!
//! One header that one file of the driver includes after its types. It is told of every leaf and of every field that the
//! leaf's text shows. The map of a field is, as in the reference, the first whose name begins with what stands in the
//! text.

use std::collections::HashMap;
use std::fmt::Write;

use isaglot_model::{Encoding, FieldType, Isa, Map, Name, Space, SpaceId, TemplatePart};
use isaglot_source::{Diagnostic, Diagnostics, Span};

use super::Options;
use crate::c::tables::literal;
use crate::files::File;
use crate::names::{self, Language};

const STEP: &str = "   ";

/// Writes the header.
pub(crate) fn write(isa: &Isa, options: &Options<'_>, out: &mut Diagnostics) -> Option<File> {
    let before = out.error_count();
    let prefix = options.prefix;
    let mut w = Writer { isa, prefix, functions: String::new(), known: HashMap::new(), silent: Vec::new() };
    let (mut leaves, mut fields) = (String::new(), String::new());
    for (number, encoding) in isa.encodings().iter().enumerate() {
        let space = &isa[encoding.space];
        let Some(ty) = data_type(space).filter(|_| space.decode) else { continue };
        let shown = literal(isa.text(encoding.name).as_bytes());
        if let Some(name) = creates(isa, space, encoding, out) {
            let create = format!("{}_create({name})", names::symbol(isa.text(space.name)));
            let _ = writeln!(leaves, "{STEP}case {number}: /* {} */", shown.trim_matches('"').replace("*/", "* /"));
            let _ = writeln!(leaves, "{STEP}{STEP}*({ty} *)out = {create};\n{STEP}{STEP}break;");
        }
        let cases = w.fields(encoding, ty, out);
        if !cases.is_empty() {
            let _ = writeln!(fields, "{STEP}case {number}: /* {} */", shown.trim_matches('"').replace("*/", "* /"));
            let _ = writeln!(
                fields,
                "{STEP}{STEP}switch (field) {{\n{cases}{STEP}{STEP}default:\n{STEP}{STEP}{STEP}break;"
            );
            let _ = writeln!(fields, "{STEP}{STEP}}}\n{STEP}{STEP}break;");
        }
    }
    if out.error_count() > before {
        return None;
    }
    let guard = format!("{}_DECODE_H", prefix.to_ascii_uppercase());
    let mut text = format!("/* {} */\n\n#ifndef {guard}\n#define {guard}\n\n", options.stamp);
    let _ = write!(text, "#include <string.h>\n\n#include \"{}\"\n\n", options.header_name());
    text.push_str(&include_str!("runtime/decode.h").replace("isaglot", prefix));
    text.push_str(&w.functions);
    let parameters = "void *out, struct decode_scope *scope, unsigned leaf";
    let unused = format!("{STEP}(void)out;\n{STEP}(void)scope;\n");
    let rest = format!("{STEP}default:\n{STEP}{STEP}break;\n{STEP}}}\n}}\n\n");
    let _ = write!(
        text,
        "static inline void\n{prefix}_unpack_leaf({parameters})\n{{\n{unused}{STEP}switch (leaf) {{\n{leaves}{rest}\
         static inline void\n{prefix}_unpack_field({parameters}, unsigned field, uint64_t val)\n{{\n{unused}\
         {STEP}(void)field;\n{STEP}(void)val;\n{STEP}switch (leaf) {{\n{fields}{rest}\
         bool\n{prefix}_isa_decode(void *out, void *bin, const struct isa_decode_options *options)\n{{\n\
         {STEP}static const struct {prefix}_isa_unpacker unpacker = {{{prefix}_unpack_leaf, {prefix}_unpack_field}};\n\n\
         {STEP}return {prefix}_isa_unpack(out, bin, options, &unpacker);\n}}\n\n#endif /* {guard} */\n"
    );
    Some(File::new(format!("{prefix}-decode.h"), text))
}

fn data_type(space: &Space) -> Option<&str> {
    space.encode.iter().find(|e| e.language == "c").map(|e| e.ty.trim())
}

/// The name with which new data for a leaf is made, where data is made.
fn creates(isa: &Isa, space: &Space, encoding: &Encoding, out: &mut Diagnostics) -> Option<String> {
    let encode = space.encode.iter().find(|e| e.language == "c")?;
    let prefix = encode.case_prefix.as_ref().filter(|_| encode.ty.trim_end().ends_with('*'))?;
    let name = names::case_name(prefix, isa.text(encoding.name), Language::C);
    names::check(&name, "the case", Language::C, encoding.span, out);
    Some(name)
}

struct Writer<'w> {
    isa: &'w Isa,
    prefix: &'w str,
    functions: String,
    /// Names of functions by what they do.
    known: HashMap<String, String>,
    /// Fields that were told to be unpacked as 0.
    silent: Vec<(Span, SpaceId)>,
}

impl Writer<'_> {
    /// The cases of a leaf's fields.
    fn fields(&mut self, encoding: &Encoding, ty: &str, out: &mut Diagnostics) -> String {
        let isa = self.isa;
        let mut shown: Vec<Name> = Vec::new();
        for template in encoding.cases.iter().filter_map(|c| c.template) {
            for part in &isa[template].parts {
                if let TemplatePart::Field { name, .. } = part
                    && !shown.contains(name)
                {
                    shown.push(*name);
                }
            }
        }
        let mut cases = String::new();
        for name in shown {
            let text = isa.text(name);
            let mut maps = encoding.maps.iter().filter(|m| m.language == "c");
            let Some(map) = maps.find(|m| isa.text(m.name).starts_with(text)) else { continue };
            if map.name != name {
                let message = format!(
                    "{{{text}}} of `{}` is unpacked by the map of `{}`, the first that begins so",
                    isa.text(encoding.name),
                    isa.text(map.name)
                );
                out.push(Diagnostic::warning("emit-decode", message).label(map.span, "this map"));
            }
            let Some(setter) = self.setter(encoding, map, ty, out) else { continue };
            let comment = text.replace("*/", "* /");
            let _ = writeln!(cases, "{STEP}{STEP}case {}: /* {comment} */", name.0);
            let _ = writeln!(cases, "{STEP}{STEP}{STEP}{setter}(out, scope, val);\n{STEP}{STEP}{STEP}break;");
        }
        cases
    }

    /// The function that assigns to a map; none where the leaf does not define the field.
    fn setter(&mut self, encoding: &Encoding, map: &Map, ty: &str, out: &mut Diagnostics) -> Option<String> {
        let isa = self.isa;
        let field = super::plan::definition(encoding, map.name)?;
        if !assignable(&map.text) {
            let message = format!("`{}` cannot be assigned to, which <decode/> asks for", map.text);
            out.push(Diagnostic::error("emit-decode", message).label(map.span, "expected a member of the data"));
            return None;
        }
        let mut body = format!("{STEP}{ty} src = *({ty} *)out;\n");
        match &field.ty {
            FieldType::Sub(space) => {
                let Some(nested) = data_type(&isa[*space]) else {
                    let message = format!("`{}` has no <encode> with a type for c", isa.text(isa[*space].name));
                    out.push(Diagnostic::error("emit-encode", message).label(field.span, "needed for this field"));
                    return None;
                };
                if !isa[*space].decode && !self.silent.contains(&(field.span, *space)) {
                    self.silent.push((field.span, *space));
                    let message = format!(
                        "`{}` has no <decode/>, so that nothing is unpacked for `{}`",
                        isa.text(isa[*space].name),
                        isa.text(map.name)
                    );
                    let d = Diagnostic::warning("emit-decode", message).label(field.span, "it will be 0");
                    out.push(d.secondary(isa[*space].span, "add it here"));
                }
                let _ = write!(
                    body,
                    "{STEP}{nested} nested;\n\n{STEP}memset(&nested, 0, sizeof(nested));\n\
                     {STEP}{}_isa_unpack_nested(&nested, scope);\n{STEP}(void)val;\n{STEP}{} = nested;\n",
                    self.prefix, map.text
                );
            }
            FieldType::Int | FieldType::Offset | FieldType::Branch { absolute: false, .. } => {
                let value = format!("{}_unpack_signed(val, {}u)", self.prefix, field.width);
                let _ = writeln!(body, "\n{STEP}{} = {value};", map.text);
            }
            _ => {
                let _ = writeln!(body, "\n{STEP}{} = val;", map.text);
            }
        }
        let _ = writeln!(body, "{STEP}(void)scope;\n{STEP}*({ty} *)out = src;");
        if let Some(name) = self.known.get(&body) {
            return Some(name.clone());
        }
        let name = format!("{}_unpack_{}", self.prefix, self.known.len());
        let _ = write!(
            self.functions,
            "static inline void\n{name}(void *out, struct decode_scope *scope, uint64_t val)\n{{\n{body}}}\n\n"
        );
        self.known.insert(body, name.clone());
        Some(name)
    }
}

/// Whether a text has the form of something that can be assigned to: a name, members and elements.
fn assignable(text: &str) -> bool {
    let text = text.replace("->", ".");
    let simple = |part: &str| {
        let (name, index) = part.split_once('[').unwrap_or((part, "]"));
        let index = index.strip_suffix(']');
        names::is_identifier(name.trim())
            && index.is_some_and(|i| i.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_'))
    };
    text.trim().split('.').all(simple)
}

#[cfg(test)]
mod tests {
    use super::assignable;

    #[test]
    fn what_can_be_assigned_to() {
        for yes in ["src", "src->dst", "src->srcs[0]", "src->a.b[N]"] {
            assert!(assignable(yes), "{yes}");
        }
        for no in ["1", "!!src", "src->a & 3", "f(src)", "src->", "src[0"] {
            assert!(!assignable(no), "{no}");
        }
    }
}
