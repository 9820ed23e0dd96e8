//! From the Khronos grammar files (`spirv.core.grammar.json`, `extinst.*.grammar.json`, `spir-v.xml`) to a [`Model`].
//!
//! The files say almost everything; what they leave to their readers is added here as tables: how messages call a kind
//! where it is not its name in lower-case words, and by which import name a set is chosen. An extended set that is not
//! listed is taken under the name of its file, so that private sets work without a new release.

use isaglot_source::{Diagnostic, Diagnostics};
use serde_json::Value;

use super::model::{
    Availability, EnumKind, Enumerant, GrammarOperand, Instruction, Match, Model, Op, Quantifier, Set, Vendor,
};

/// Kinds whose name in messages is not their grammar name in lower-case words.
const PHRASES: [(&str, &str); 13] = [
    ("Dim", "dimensionality"),
    ("ImageOperands", "image"),
    ("ImageFormat", "image format"),
    ("BuiltIn", "built-in"),
    ("FPFastMathMode", "floating-point fast math mode"),
    ("FPRoundingMode", "floating-point rounding mode"),
    ("FPDenormMode", "FP denorm mode"),
    ("FPOperationMode", "FP operation mode"),
    ("FPEncoding", "FP encoding"),
    ("QuantizationModes", "quantization mode"),
    ("OverflowModes", "overflow mode"),
    ("FragmentShadingRate", "shading rate"),
    ("KernelEnqueueFlags", "kernel enqeue flags"),
];

/// File name between `extinst.` and `.grammar.json`, import name, rule, open, prefix of its kinds in messages.
const SETS: [(&str, &str, Match, bool, &str); 18] = [
    ("arm.experimental-ml-operations", "Arm.ExperimentalMLOperations.", Match::Prefix, false, ""),
    ("arm.motion-engine.100", "Arm.MotionEngine.100", Match::Exact, false, ""),
    ("debuginfo", "DebugInfo", Match::Exact, false, ""),
    ("glsl.std.450", "GLSL.std.450", Match::Exact, false, ""),
    ("nonsemantic.clspvreflection", "NonSemantic.ClspvReflection.", Match::Prefix, true, ""),
    ("nonsemantic.debugbreak", "NonSemantic.DebugBreak", Match::Off, true, ""),
    ("nonsemantic.debugprintf", "NonSemantic.DebugPrintf", Match::Off, true, ""),
    ("nonsemantic.graph.debuginfo", "NonSemantic.Graph.DebugInfo.", Match::Prefix, true, ""),
    // The unnumbered file is the newer edition of the same set and takes all its imports.
    (
        "nonsemantic.shader.debuginfo.100",
        "NonSemantic.Shader.DebugInfo.100",
        Match::Off,
        true,
        "nonsemantic.shader.debuginfo.100 ",
    ),
    (
        "nonsemantic.shader.debuginfo",
        "NonSemantic.Shader.DebugInfo.",
        Match::Prefix,
        true,
        "nonsemantic.shader.debuginfo.100 ",
    ),
    ("nonsemantic.vkspreflection", "NonSemantic.VkspReflection.", Match::Prefix, true, ""),
    ("opencl.debuginfo.100", "OpenCL.DebugInfo.100", Match::Exact, false, "OpenCL.DebugInfo.100 "),
    ("opencl.std.100", "OpenCL.std", Match::Exact, false, ""),
    ("spv-amd-gcn-shader", "SPV_AMD_gcn_shader", Match::Exact, false, ""),
    ("spv-amd-shader-ballot", "SPV_AMD_shader_ballot", Match::Exact, false, ""),
    ("spv-amd-shader-explicit-vertex-parameter", "SPV_AMD_shader_explicit_vertex_parameter", Match::Exact, false, ""),
    ("spv-amd-shader-trinary-minmax", "SPV_AMD_shader_trinary_minmax", Match::Exact, false, ""),
    ("tosa.001000.1", "TOSA.001000.1", Match::Exact, false, ""),
];

/// `PackedVectorFormat` → `packed vector format`.
fn words(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        if c.is_ascii_uppercase() && !out.is_empty() {
            out.push(' ');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

/// One file being read: its name for messages, and what was wrong in it.
struct Reader<'a> {
    file: &'a str,
    problems: Diagnostics,
}

impl Reader<'_> {
    fn problem(&mut self, what: impl Into<String>) {
        self.problems.push(Diagnostic::error("spirv-grammar", format!("{}: {}", self.file, what.into())));
    }

    fn text(&mut self, v: &Value, key: &str) -> String {
        match v.get(key).and_then(Value::as_str) {
            Some(s) if !s.is_empty() && (key == "name" || !s.contains([' ', '"', '\n'])) => s.to_owned(),
            _ => {
                self.problem(format!("expected a word under `{key}` in {}", short(v)));
                String::new()
            }
        }
    }

    /// A number, or a string with a hexadecimal one.
    fn number(&mut self, v: &Value, key: &str) -> u32 {
        let n = match v.get(key) {
            Some(Value::Number(n)) => n.as_u64(),
            Some(Value::String(s)) => s.strip_prefix("0x").and_then(|h| u64::from_str_radix(h, 16).ok()),
            _ => None,
        };
        n.and_then(|n| u32::try_from(n).ok()).unwrap_or_else(|| {
            self.problem(format!("expected a 32-bit number under `{key}` in {}", short(v)));
            0
        })
    }

    fn operands(&mut self, v: &Value, key: &str) -> Vec<GrammarOperand> {
        let mut list = Vec::new();
        for o in array(v, key) {
            let quantifier = match o.get("quantifier").and_then(Value::as_str) {
                None => Quantifier::One,
                Some("?") => Quantifier::Optional,
                Some("*") => Quantifier::Repeat,
                Some(other) => {
                    self.problem(format!("unknown quantifier `{other}`"));
                    Quantifier::One
                }
            };
            let name = o.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
            list.push(GrammarOperand { kind: self.text(o, "kind"), quantifier, name });
        }
        list
    }

    fn kinds(&mut self, v: &Value, set: &str, prefix: &str) -> Vec<EnumKind> {
        let mut kinds = Vec::new();
        for k in array(v, "operand_kinds") {
            let mask = match k.get("category").and_then(Value::as_str) {
                Some("BitEnum") => true,
                Some("ValueEnum") => false,
                _ => continue,
            };
            let name = self.text(k, "kind");
            let phrase = match PHRASES.iter().find(|p| p.0 == name && set.is_empty()) {
                Some(p) => p.1.to_owned(),
                None => words(&name),
            };
            let mut enumerants: Vec<Enumerant> = array(k, "enumerants")
                .map(|e| Enumerant {
                    value: self.number(e, "value"),
                    name: self.text(e, "enumerant"),
                    parameters: self.operands(e, "parameters"),
                    when: availability(e),
                })
                .collect();
            enumerants.sort_by_key(|e| e.value);
            let name = if set.is_empty() { name } else { format!("{set}:{name}") };
            kinds.push(EnumKind { name, mask, phrase: format!("{prefix}{phrase}"), enumerants });
        }
        kinds
    }

    fn core(&mut self, v: &Value, model: &mut Model) {
        let part = |k: &str| v.get(k).and_then(Value::as_u64).unwrap_or(0);
        model.revision = format!("{}.{}.{}", part("major_version"), part("minor_version"), part("revision"));
        model.kinds.extend(self.kinds(v, "", ""));
        for i in array(v, "instructions") {
            let opcode = self.number(i, "opcode");
            let opcode = u16::try_from(opcode).unwrap_or_else(|_| {
                self.problem(format!("opcode {opcode} does not fit in 16 bits"));
                0
            });
            let mut class = i.get("class").and_then(Value::as_str).unwrap_or("-").replace(' ', "_");
            if class.is_empty() {
                class.push('-');
            }
            let name = self.text(i, "opname");
            if !name.starts_with("Op") {
                self.problem(format!("the name of an instruction must begin with `Op`: `{name}`"));
                continue;
            }
            let operands = self.operands(i, "operands");
            model.ops.push(Op { opcode, name, class, operands, when: availability(i) });
        }
    }

    fn set(&mut self, stem: &str, v: &Value, model: &mut Model) {
        let known = SETS.iter().find(|s| s.0 == stem);
        let (name, rule, open, prefix) = known.map_or((stem, Match::Exact, false, ""), |s| (s.1, s.2, s.3, s.4));
        let mut instructions: Vec<Instruction> = array(v, "instructions")
            .map(|i| Instruction {
                number: self.number(i, "opcode"),
                name: self.text(i, "opname"),
                operands: self.operands(i, "operands"),
                when: availability(i),
            })
            .collect();
        instructions.sort_by_key(|i| i.number);
        model.kinds.extend(self.kinds(v, name, prefix));
        model.sets.push(Set { name: name.to_owned(), rule, open, instructions });
    }

    fn vendors(&mut self, text: &str, model: &mut Model) {
        let document = match roxmltree::Document::parse(text) {
            Ok(d) => d,
            Err(e) => return self.problem(e.to_string()),
        };
        let is_vendors = |n: &roxmltree::Node<'_, '_>| n.has_tag_name("ids") && n.attribute("type") == Some("vendor");
        for ids in document.descendants().filter(is_vendors) {
            for id in ids.children().filter(|n| n.has_tag_name("id")) {
                let number = id.attribute("value").and_then(|v| v.parse().ok());
                let (Some(number), Some(vendor)) = (number, id.attribute("vendor")) else {
                    self.problem("a vendor id needs a number and a name");
                    continue;
                };
                let text = match id.attribute("tool") {
                    Some(tool) => format!("{vendor} {tool}"),
                    None => vendor.to_owned(),
                };
                model.vendors.push(Vendor { number, text });
            }
        }
    }
}

fn short(v: &Value) -> String {
    v.to_string().chars().take(60).collect()
}

fn array<'a>(v: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    v.get(key).and_then(Value::as_array).map_or(&[][..], Vec::as_slice).iter()
}

fn availability(v: &Value) -> Availability {
    let names = |key| array(v, key).filter_map(|n| n.as_str().map(str::to_owned)).collect();
    let version = |key| v.get(key).and_then(Value::as_str).and_then(|s| s.strip_prefix("1.")?.parse().ok());
    Availability {
        since: version("version"),
        last: version("lastVersion"),
        capabilities: names("capabilities"),
        extensions: names("extensions"),
        aliases: names("aliases"),
        provisional: v.get("provisional").and_then(Value::as_bool).unwrap_or(false),
    }
}

/// Reads grammar files, given as file name (without folder) and content; other files are passed over.
///
/// Errors: every file that is not JSON or XML, every entry that lacks what it needs, and the absence of the core file.
pub fn import<'a>(files: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> Result<Model, Diagnostics> {
    let mut model = Model::default();
    let mut problems = Diagnostics::new();
    for (file, bytes) in files {
        let mut r = Reader { file, problems: Diagnostics::new() };
        let stem = file.strip_suffix(".grammar.json");
        if file == "spir-v.xml" {
            r.vendors(&String::from_utf8_lossy(bytes), &mut model);
        } else if let Some(stem) = stem {
            match (serde_json::from_slice::<Value>(bytes), stem.strip_prefix("extinst.")) {
                (Err(e), _) => r.problem(e.to_string()),
                (Ok(v), Some(set)) => r.set(set, &v, &mut model),
                (Ok(v), None) if stem == "spirv.core" => r.core(&v, &mut model),
                _ => {}
            }
        }
        problems.append(r.problems);
    }
    if model.ops.is_empty() {
        problems.push(Diagnostic::error("spirv-grammar", "no `spirv.core.grammar.json` with instructions was given"));
    }
    if problems.has_errors() {
        return Err(problems);
    }
    model.ops.sort_by_key(|o| o.opcode);
    model.kinds.sort_by(|a, b| a.name.cmp(&b.name));
    model.sets.sort_by(|a, b| a.name.cmp(&b.name));
    model.vendors.sort_by_key(|v| v.number);
    Ok(model)
}
