//! SPIR-V: a made-up module of 32 MB of text beside the installed SPIRV-Tools, 40,000 identical names, and start-up.
//!
//! The module is drawn from a fixed seed, in the proportions of what a shader compiler emits: names and decorations,
//! some types, thousands of constants, then functions of loads, access chains, arithmetic, extended instructions,
//! composites, samples, selections with phis, and stores.

use std::fmt::Write as _;
use std::process::Command;

use super::Row;

/// Bytes of text.
const TEXT: usize = 32_000_000;

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % n
    }
}

/// Text of about `size` bytes.
pub(crate) fn module(size: usize) -> String {
    let mut r = Random(0x5eed_cafe);
    let mut t = String::with_capacity(size + 4096);
    // Numbers of results; names stand for the rest.
    let mut next = 100usize;
    let functions = size / 12_000 + 1;
    let line = |t: &mut String, result: &str, rest: &str| {
        if result.is_empty() {
            let _ = writeln!(t, "               {rest}");
        } else {
            let _ = writeln!(t, "{:>11} = {rest}", format!("%{result}"));
        }
    };
    for c in ["Shader", "Sampled1D", "ImageQuery"] {
        line(&mut t, "", &format!("OpCapability {c}"));
    }
    line(&mut t, "1", "OpExtInstImport \"GLSL.std.450\"");
    line(&mut t, "", "OpMemoryModel Logical GLSL450");
    line(&mut t, "", "OpEntryPoint Fragment %main \"main\" %in_0 %in_1 %out_0");
    line(&mut t, "", "OpExecutionMode %main OriginUpperLeft");
    line(&mut t, "", "OpSource GLSL 450");
    for f in 0..functions {
        let name = if f == 0 { "main".to_owned() } else { format!("fn_{f}") };
        line(&mut t, "", &format!("OpName %{name} \"{name}\""));
        for v in 0..6 {
            line(&mut t, "", &format!("OpName %var_{f}_{v} \"var_{f}_{v}\""));
        }
    }
    for i in 0..64 {
        line(&mut t, "", &format!("OpName %in_{i} \"in_{i}\""));
        line(&mut t, "", &format!("OpName %out_{i} \"out_{i}\""));
        line(&mut t, "", &format!("OpName %block_{i} \"block_{i}\""));
        line(&mut t, "", &format!("OpMemberName %block_{i} 0 \"matrix\""));
        line(&mut t, "", &format!("OpMemberName %block_{i} 1 \"colour\""));
        line(&mut t, "", &format!("OpDecorate %in_{i} Location {i}"));
        line(&mut t, "", &format!("OpDecorate %out_{i} Location {i}"));
        line(&mut t, "", &format!("OpDecorate %block_{i} Block"));
        line(&mut t, "", &format!("OpMemberDecorate %block_{i} 0 ColMajor"));
        line(&mut t, "", &format!("OpMemberDecorate %block_{i} 0 MatrixStride 16"));
        line(&mut t, "", &format!("OpMemberDecorate %block_{i} 0 Offset 0"));
        line(&mut t, "", &format!("OpMemberDecorate %block_{i} 1 Offset 64"));
        line(&mut t, "", &format!("OpDecorate %tex_{i} DescriptorSet {}", i % 4));
        line(&mut t, "", &format!("OpDecorate %tex_{i} Binding {i}"));
        line(&mut t, "", &format!("OpDecorate %uni_{i} DescriptorSet 0"));
        line(&mut t, "", &format!("OpDecorate %uni_{i} Binding {}", i + 64));
    }
    for (name, declaration) in [
        ("void", "OpTypeVoid"),
        ("3", "OpTypeFunction %void"),
        ("bool", "OpTypeBool"),
        ("float", "OpTypeFloat 32"),
        ("int", "OpTypeInt 32 1"),
        ("uint", "OpTypeInt 32 0"),
        ("v2float", "OpTypeVector %float 2"),
        ("v3float", "OpTypeVector %float 3"),
        ("v4float", "OpTypeVector %float 4"),
        ("mat4v4float", "OpTypeMatrix %v4float 4"),
        ("_ptr_Function_float", "OpTypePointer Function %float"),
        ("_ptr_Function_v4float", "OpTypePointer Function %v4float"),
        ("_ptr_Input_v4float", "OpTypePointer Input %v4float"),
        ("_ptr_Output_v4float", "OpTypePointer Output %v4float"),
        ("_ptr_Uniform_v4float", "OpTypePointer Uniform %v4float"),
        ("20", "OpTypeImage %float 2D 0 0 0 1 Unknown"),
        ("21", "OpTypeSampledImage %20"),
        ("_ptr_UniformConstant_21", "OpTypePointer UniformConstant %21"),
    ] {
        line(&mut t, name, declaration);
    }
    for i in 0..64 {
        line(&mut t, &format!("block_{i}"), "OpTypeStruct %mat4v4float %v4float");
        line(&mut t, &format!("_ptr_Uniform_block_{i}"), &format!("OpTypePointer Uniform %block_{i}"));
        line(&mut t, &format!("uni_{i}"), &format!("OpVariable %_ptr_Uniform_block_{i} Uniform"));
        line(&mut t, &format!("tex_{i}"), "OpVariable %_ptr_UniformConstant_21 UniformConstant");
        line(&mut t, &format!("in_{i}"), "OpVariable %_ptr_Input_v4float Input");
        line(&mut t, &format!("out_{i}"), "OpVariable %_ptr_Output_v4float Output");
    }
    for i in 0..2000 {
        line(&mut t, &format!("int_{i}"), &format!("OpConstant %int {i}"));
        line(&mut t, &format!("uint_{i}"), &format!("OpConstant %uint {i}"));
        line(&mut t, &format!("float_{i}_5"), &format!("OpConstant %float {i}.5"));
    }
    for f in 0.. {
        if t.len() >= size {
            break;
        }
        let name = if f == 0 { "main".to_owned() } else { format!("fn_{f}") };
        function(&mut t, &mut r, &name, f, &mut next);
    }
    t
}

/// One function of about 12 kB.
fn function(t: &mut String, r: &mut Random, name: &str, f: usize, next: &mut usize) {
    let start = t.len();
    let mut new = || {
        *next += 1;
        *next
    };
    let mut values: Vec<usize> = Vec::new();
    let mut scalars: Vec<usize> = Vec::new();
    macro_rules! def {
        ($id:expr, $($rest:tt)*) => {{ let _ = writeln!(t, "{:>12} = {}", format!("%{}", $id), format_args!($($rest)*)); }};
    }
    macro_rules! act {
        ($($rest:tt)*) => {{ let _ = writeln!(t, "               {}", format_args!($($rest)*)); }};
    }
    def!(name, "OpFunction %void None %3");
    let mut block = new();
    def!(block, "OpLabel");
    for v in 0..6 {
        def!(format!("var_{f}_{v}"), "OpVariable %_ptr_Function_v4float Function");
    }
    for i in 0..2 {
        let id = new();
        def!(id, "OpLoad %v4float %in_{i}");
        values.push(id);
        let id = new();
        def!(id, "OpCompositeExtract %float %{} {i}", values[i]);
        scalars.push(id);
    }
    while t.len() - start < 12_000 {
        let a = values[values.len() - 1 - r.below(values.len().min(12))];
        let b = values[values.len() - 1 - r.below(values.len().min(12))];
        let x = scalars[scalars.len() - 1 - r.below(scalars.len().min(12))];
        let y = scalars[scalars.len() - 1 - r.below(scalars.len().min(12))];
        let id = new();
        match r.below(20) {
            0..=3 => {
                def!(id, "OpLoad %v4float %var_{f}_{}", r.below(6));
                values.push(id);
            }
            4 | 5 => {
                def!(id, "OpAccessChain %_ptr_Uniform_v4float %uni_{} %int_{}", r.below(64), r.below(2));
                let v = new();
                def!(v, "OpLoad %v4float %{id}");
                values.push(v);
            }
            6..=8 => {
                def!(id, "{} %v4float %{a} %{b}", ["OpFAdd", "OpFMul", "OpFSub", "OpFDiv"][r.below(4)]);
                values.push(id);
            }
            9 | 10 => {
                def!(id, "{} %float %{x} %{y}", ["OpFAdd", "OpFMul", "OpFSub"][r.below(3)]);
                scalars.push(id);
            }
            11 => {
                def!(id, "OpFMul %float %{x} %float_{}_5", r.below(2000));
                scalars.push(id);
            }
            12 => {
                def!(id, "OpExtInst %v4float %1 {} %{a} %{b}", ["FMax", "FMin", "Pow", "Reflect"][r.below(4)]);
                values.push(id);
            }
            13 => {
                def!(id, "OpExtInst %float %1 {} %{x}", ["Sqrt", "Sin", "FAbs", "Floor"][r.below(4)]);
                scalars.push(id);
            }
            14 => {
                def!(id, "OpCompositeExtract %float %{a} {}", r.below(4));
                scalars.push(id);
            }
            15 => {
                def!(id, "OpCompositeConstruct %v4float %{x} %{y} %{x} %float_{}_5", r.below(2000));
                values.push(id);
            }
            16 => {
                let (uv, texel) = (new(), new());
                def!(id, "OpLoad %21 %tex_{}", r.below(64));
                def!(uv, "OpVectorShuffle %v2float %{a} %{a} 0 1");
                def!(texel, "OpImageSampleImplicitLod %v4float %{id} %{uv}");
                values.push(texel);
            }
            17 => {
                let (yes, merge, made, phi) = (new(), new(), new(), new());
                def!(id, "OpFOrdLessThan %bool %{x} %{y}");
                act!("OpSelectionMerge %{merge} None");
                act!("OpBranchConditional %{id} %{yes} %{merge}");
                def!(yes, "OpLabel");
                def!(made, "OpFNegate %float %{x}");
                act!("OpBranch %{merge}");
                def!(merge, "OpLabel");
                def!(phi, "OpPhi %float %{x} %{block} %{made} %{yes}");
                scalars.push(phi);
                block = merge;
            }
            _ => act!("OpStore %var_{f}_{} %{a}", r.below(6)),
        }
    }
    act!("OpStore %out_0 %{}", values[values.len() - 1]);
    act!("OpReturn");
    act!("OpFunctionEnd");
}

pub(crate) fn rows() -> Result<Vec<Row>, String> {
    let dir = super::folder()?;
    let error = |e: std::io::Error| format!("{}: {e}", dir.display());
    let (text, binary) = (dir.join("module.spvasm"), dir.join("module.spv"));
    std::fs::write(&text, module(TEXT)).map_err(error)?;
    let names: String = (0..40_000).map(|i| format!("OpName %{} \"same\"\n", i + 1)).collect();
    let (same, same_binary) = (dir.join("same.spvasm"), dir.join("same.spv"));
    std::fs::write(&same, names).map_err(error)?;
    let tool = super::program();
    for (from, to) in [(&text, &binary), (&same, &same_binary)] {
        let made = Command::new(&tool).args(["spirv", "as"]).arg(from).arg("-o").arg(to).status().map_err(error)?;
        if !made.success() {
            return Err(format!("{} does not assemble", from.display()));
        }
    }
    let row = |name: &str, verb: &str, peer: Option<&str>, options: &[&str], input: &std::path::Path| {
        let tail: Vec<String> = options.iter().map(|o| (*o).to_owned()).chain([input.display().to_string()]).collect();
        Row {
            name: format!("SPIR-V {name}"),
            args: ["spirv".to_owned(), verb.to_owned()].into_iter().chain(tail.iter().cloned()).collect(),
            units: std::fs::metadata(input).map_or(1, |m| m.len()),
            count: false,
            peer: peer.map(|p| std::iter::once(p.to_owned()).chain(tail.iter().cloned()).collect()),
        }
    };
    let keep = ["--preserve-numeric-ids", "-o", "/dev/null"];
    Ok(vec![
        row("as, bytes", "as", Some("spirv-as"), &["-o", "/dev/null"], &text),
        row("as with numeric ids, bytes", "as", Some("spirv-as"), &keep, &text),
        row("dis, bytes", "dis", Some("spirv-dis"), &[], &binary),
        row("dis --raw-id, bytes", "dis", Some("spirv-dis"), &["--raw-id"], &binary),
        // The peer takes minutes.
        row("dis, 40,000 identical names", "dis", None, &[], &same_binary),
    ])
}
