//! What `--isa NAME` means: the table of names.
//!
//! A name stands for a description, and may choose a gen and features of it: `minnow` is a description, `rv64gc_zba` the
//! description `riscv` for 64 bits with six extensions, `xehpc` the description `xe` for gen 1272. `NAME@GEN` chooses the
//! gen of any name, as `--gen` does. A name that no row knows is a file in one of the folders of `ISAGLOT_PATH`:
//! `ir3@600` is `ir3.isa`, `ir3.xml` or `ir3.td` there, for gen 600.

use std::path::PathBuf;

use isaglot_model::Isa;
use isaglot_source::{Diagnostic, Diagnostics, SourceMap, closest};
#[cfg(feature = "xe")]
use isaglot_xe::Platform;

use super::Source;
use crate::shipped::{self, Shipped};

/// What a name stands for.
#[derive(Clone, Debug)]
pub struct Alias {
    /// The instruction set.
    pub machine: Machine,
    /// The gen that the name chooses: a number, or a name that the description gives.
    pub generation: Option<String>,
    /// The features that the name switches on; all others are off then.
    pub features: Option<Vec<String>>,
}

/// The instruction set that a name stands for.
#[derive(Clone, Debug)]
pub enum Machine {
    /// A description that ships with the library.
    Shipped(&'static Shipped),
    /// A machine of Intel Xe. Its assembly is not in templates of the description.
    #[cfg(feature = "xe")]
    Xe(Platform),
    /// SPIR-V, whose modules need no description.
    Spirv,
    /// A description of the user's.
    File(PathBuf),
}

/// Reads a name of a family of names.
type Family = fn(&str) -> Option<Alias>;

/// The names that choose more than a description: what reads them, and what a message says of them.
const FAMILIES: &[(Family, &str)] = &[
    #[cfg(feature = "xe")]
    (xe, "xelp, xehp, xehpg, xehpc, xe2, xe3, or a product of Intel's such as pvc"),
    #[cfg(feature = "riscv")]
    (riscv, "rv32i, rv64gc_zba and the like; profiles such as rva23u64"),
    (spirv, SPIRV),
];

/// The name of SPIR-V, which is a family of one.
const SPIRV: &str = "spirv";

/// The folders in which descriptions of other names are looked for.
const PATH: &str = "ISAGLOT_PATH";

/// All names, for a person.
#[must_use]
pub fn list() -> String {
    let mut out = "Descriptions that come with isaglot, and the names that choose within them:\n\n".to_owned();
    for name in shipped::names() {
        let gens = gens_of(name).map(|gens| format!(", {name}@GEN with GEN {}", gens.join(", "))).unwrap_or_default();
        out.push_str(&format!("  {name}{gens}\n"));
    }
    #[cfg(feature = "xe")]
    for machine in isaglot_xe::platform::ALL {
        out.push_str(&format!("  {}: or {}\n", of(machine), aliases(machine).join(", ")));
    }
    for what in families() {
        out.push_str(&format!("  {what}\n"));
    }
    let (profiles, extensions) = of_riscv();
    out.push_str(&format!("\nProfiles of RISC-V: {}.\n", profiles.join(", ")));
    out.push_str(&format!("Extensions of RISC-V: {}.\n", extensions.join(", ")));
    out + &format!("\nFiles in the folders of {PATH} have names too: `ir3@600` is `ir3.xml` there, for gen 600.\n")
}

/// What is said of the families of names that are not machines of Intel Xe.
pub fn families() -> impl Iterator<Item = &'static str> {
    FAMILIES.iter().map(|(_, what)| *what).filter(|what| !what.starts_with("xelp"))
}

/// The other names of a machine of Intel Xe.
#[cfg(feature = "xe")]
#[must_use]
pub fn aliases(machine: Platform) -> Vec<&'static str> {
    machine.names().filter(|name| *name != of(machine) && *name != "xe").collect()
}

/// The profiles and the extensions of RISC-V, as its description has them.
#[must_use]
pub fn of_riscv() -> (Vec<String>, Vec<String>) {
    let features =
        model("riscv").map(|isa| isa.features().iter().map(|f| f.name.clone()).collect()).unwrap_or_default();
    let features: Vec<String> = features;
    features.into_iter().partition(|name| is_profile(name))
}

#[cfg(feature = "riscv")]
fn is_profile(name: &str) -> bool {
    isaglot_riscv::isa_name::profile(name).is_some()
}

#[cfg(not(feature = "riscv"))]
fn is_profile(_: &str) -> bool {
    false
}

/// A description that ships with the library.
fn model(name: &str) -> Option<Isa> {
    let (mut files, mut problems) = (SourceMap::new(), Diagnostics::new());
    let shipped = shipped::find(name)?;
    isaglot_isaspec::load(&mut files, shipped.top(), &mut |file| shipped.read(file), &mut problems)
}

/// The gens that a shipped description names.
#[must_use]
pub fn gens_of(name: &str) -> Option<Vec<String>> {
    let isa = model(name)?;
    let gens: Vec<String> = isa.gens().iter().map(|g| g.name.clone()).collect();
    (!gens.is_empty()).then_some(gens)
}

/// What a name stands for.
///
/// # Errors
/// For a name that no row of the table knows; the message lists those that there are.
pub fn find(name: &str) -> Result<Alias, Diagnostic> {
    let (base, generation) = match name.split_once('@') {
        Some((base, generation)) => (base, Some(generation)),
        None => (name, None),
    };
    let families = FAMILIES.iter().find_map(|(read, _)| read(base));
    let mut alias = families.or_else(|| description(base)).or_else(|| file(base)).ok_or_else(|| unknown(name, base))?;
    if let Some(text) = generation {
        #[cfg(feature = "xe")]
        if let Machine::Xe(platform) = &mut alias.machine {
            *platform = by_gen(text).ok_or_else(|| unknown(name, base))?;
        }
        alias.generation = Some(text.to_owned());
    }
    Ok(alias)
}

/// What a machine of Intel Xe is called: `xe` is all of them.
#[cfg(feature = "xe")]
#[must_use]
pub fn of(platform: Platform) -> &'static str {
    crate::program::zebin::named(platform)
}

/// The one machine of Intel Xe that a name of one stands for, with `--gen` if that is given. The name of all of them
/// stands for none.
///
/// # Errors
/// For a name or a gen that is none of one, and for two that are different.
#[cfg(feature = "xe")]
pub fn machine(name: &str, generation: Option<&str>) -> Result<Platform, Diagnostic> {
    let found = find(name)?;
    let named = match found.machine {
        Machine::Xe(platform) => found.generation.map(|_| platform),
        _ => None,
    };
    let Some(text) = generation else {
        return named.ok_or_else(|| {
            let d = Diagnostic::error("cli-isa", format!("`{name}` is a family of machines, and this is about one"));
            d.note(format!("expected one of: {}; or a product such as tgl, dg2, pvc, bmg", machines()))
        });
    };
    let chosen = by_gen(text).ok_or_else(|| {
        let d = Diagnostic::error("cli-gen", format!("`{text}` is not a gen"));
        d.note(format!("expected one of: {}", isaglot_xe::platform::ALL.map(Platform::name).join(", ")))
    })?;
    match named.filter(|&named| named != chosen) {
        Some(_) => Err(Diagnostic::error("cli-gen", format!("`--gen {text}` contradicts `--isa {name}`"))),
        None => Ok(chosen),
    }
}

/// A machine of Intel Xe by what the description calls its gen.
#[cfg(feature = "xe")]
fn by_gen(text: &str) -> Option<Platform> {
    let named = |p: &Platform| p.name() == text || p.generation().to_string() == text;
    isaglot_xe::platform::ALL.into_iter().find(named)
}

/// The machines of Intel Xe, for a person.
#[cfg(feature = "xe")]
#[must_use]
pub fn machines() -> String {
    isaglot_xe::platform::ALL.map(of).join(", ")
}

fn description(name: &str) -> Option<Alias> {
    Some(Alias { machine: Machine::Shipped(shipped::find(name)?), generation: None, features: None })
}

#[cfg(feature = "xe")]
fn xe(name: &str) -> Option<Alias> {
    let platform = Platform::parse(name)?;
    // `xe` is the name of the whole description too: verbs that look at all gens look at all of its gens.
    let generation = (name != "xe").then(|| platform.generation().to_string());
    Some(Alias { machine: Machine::Xe(platform), generation, features: None })
}

#[cfg(feature = "riscv")]
fn riscv(name: &str) -> Option<Alias> {
    let choice = isaglot_riscv::isa_name::parse(name)?;
    let machine = Machine::Shipped(shipped::find("riscv")?);
    Some(Alias { machine, generation: Some(choice.xlen.bits().to_string()), features: Some(choice.features) })
}

fn spirv(name: &str) -> Option<Alias> {
    (name == SPIRV).then_some(Alias { machine: Machine::Spirv, generation: None, features: None })
}

#[cfg(not(feature = "fs"))]
fn file(_: &str) -> Option<Alias> {
    None
}

#[cfg(feature = "fs")]
fn file(name: &str) -> Option<Alias> {
    // A name, not a path: nothing outside the folders is looked at.
    if name.is_empty() || name.contains(['/', '\\', '.']) {
        return None;
    }
    let folders = std::env::var_os(PATH)?;
    let files = std::env::split_paths(&folders)
        .flat_map(|folder| ["isa", "xml", "td"].map(|extension| folder.join(name).with_extension(extension)));
    let found = files.into_iter().find(|path| path.is_file())?;
    Some(Alias { machine: Machine::File(found), generation: None, features: None })
}

fn unknown(name: &str, base: &str) -> Diagnostic {
    let d = Diagnostic::error("cli-isa", format!("no description called `{name}` comes with isaglot"));
    if matches!(Source::parse(name), Source::File(_)) {
        return d.note(format!("a file that describes an instruction set is named with `--spec {name}`"));
    }
    let names = shipped::names();
    let mut d = d.did_you_mean(closest(base, names.iter().copied()));
    let families = FAMILIES.iter().map(|(_, what)| *what).collect::<Vec<_>>().join("; ");
    d = d.note(format!("there are: {}; {families}", names.join(", ")));
    if shipped::roles(base).is_some() {
        let more = name.split_once('@').map(|(_, generation)| format!(" --gen {generation}")).unwrap_or_default();
        d = d.note(format!("for Mesa's, name the file with `--spec {base}.xml{more}`, or its folder in {PATH}"));
    }
    if let Some(target) = llvm_target(base) {
        let file = format!(
            "for LLVM's {target}, name `{target}.td` of LLVM's sources with `--spec` and their folders with `-I`"
        );
        d = d.note(format!("{file}, or what `isaglot compile` has made of it"));
    }
    d
}

/// The target of LLVM that a name means to its users, by its folder there, of those that an operand table comes with.
fn llvm_target(name: &str) -> Option<&'static str> {
    let name = name.to_ascii_lowercase();
    let means = |pattern: &str| match pattern.strip_suffix('*') {
        Some(beginning) => name.starts_with(beginning),
        None => name == pattern,
    };
    LLVM_NAMES.iter().find(|(pattern, _)| means(pattern)).map(|(_, target)| *target)
}

/// Names that mean a target of LLVM; with `*` all that begin so. Of two that a name fits the first counts.
const LLVM_NAMES: &[(&str, &str)] = &[
    ("aarch64*", "AArch64"),
    ("arm64*", "AArch64"),
    ("amdgpu*", "AMDGPU"),
    ("amdgcn*", "AMDGPU"),
    ("gfx*", "AMDGPU"),
    ("arm*", "ARM"),
    ("thumb*", "ARM"),
    ("avr*", "AVR"),
    ("bpf*", "BPF"),
    ("lanai*", "Lanai"),
    ("loongarch*", "LoongArch"),
    ("m68k*", "M68k"),
    ("mips*", "Mips"),
    ("msp430*", "MSP430"),
    ("powerpc*", "PPC"),
    ("ppc*", "PPC"),
    ("s390*", "SystemZ"),
    ("systemz", "SystemZ"),
    ("sparc*", "Sparc"),
    ("ve", "VE"),
    ("xcore*", "XCore"),
    ("xtensa*", "Xtensa"),
];

#[cfg(test)]
mod tests {
    use super::{find, llvm_target};

    fn check(name: &str, expected: &str) {
        let shown = match find(name) {
            Ok(alias) => format!("{:?} {:?}", alias.generation, alias.features),
            Err(d) => d.notes.last().cloned().unwrap_or_default(),
        };
        assert_eq!(shown, expected, "{name}");
    }

    #[test]
    fn names_choose_gens_and_features() {
        check("minnow", "None None");
        check("minnow@v2", "Some(\"v2\") None");
        check("rv32im", "Some(\"32\") Some([\"priv\", \"m\"])");
        check("rva23u64_zvkn", "Some(\"64\") Some([\"priv\", \"rva23u64\", \"zvkn\"])");
        check("xe", "None None");
        check("pvc", "Some(\"1272\") None");
        check("xe@xe2", "Some(\"xe2\") None");
        check("spirv", "None None");
        check("ir3@600", "for Mesa's, name the file with `--spec ir3.xml --gen 600`, or its folder in ISAGLOT_PATH");
        let llvm = "for LLVM's AArch64, name `AArch64.td` of LLVM's sources with `--spec` and their folders with `-I`, or what `isaglot compile` has made of it";
        check("arm64", llvm);
        check("aarch64", llvm);
    }

    #[test]
    fn each_target_with_an_operand_table_has_a_name() {
        // RISC-V comes with isaglot itself.
        for (file, _) in isaglot_specs::LLVM.iter().filter(|(file, _)| !file.starts_with("riscv")) {
            let name = file.trim_end_matches(".operands");
            let target = llvm_target(name);
            assert!(target.is_some_and(|target| target.eq_ignore_ascii_case(name)), "{name}: {target:?}");
        }
    }
}
