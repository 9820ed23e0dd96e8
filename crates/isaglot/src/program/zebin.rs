//! Compiled files of kernels: a zebin, Intel's ELF container, and an archive of zebins for several machines, as a compiler
//! writes one for more than one device. With the code comes what the file says of each kernel: how it runs, its symbols, and the
//! places that a loader fills in.

use isaglot_source::{Diagnostic, Diagnostics};
use isaglot_xe::Platform;
use isaglot_xe::ze_info::{self, KernelInfo};
use isaglot_xe::zebin::{self, Target};
use object::read::archive::ArchiveFile;
use object::{Object, ObjectSection, ObjectSymbol, RelocationFlags, RelocationTarget, SymbolKind};
#[cfg(feature = "json")]
use serde_json::{Value, json};

use super::{ARCHIVE, ELF};

/// Bytes of the head of an ELF file that say what kind of file it is and for which machine.
pub const HEAD: usize = 20;

/// Kinds of ELF files that compilers gave to a zebin before it had a machine number of its own.
const KINDS: std::ops::RangeInclusive<u16> = 0xff11..=0xff13;

/// Places of one kernel that the head of a listing shows; JSON has all.
const SHOWN: usize = 16;

/// A kernel's section and what its file says of it, where that is a zebin, and its instructions.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// The section of the file.
    pub section: Option<String>,
    /// What the file says of it.
    pub about: Option<About>,
    /// Its instructions.
    pub bytes: Vec<u8>,
    /// Offsets and names of the labels of the source that it was assembled from.
    pub labels: Vec<(u32, String)>,
}

impl Kernel {
    /// What its file calls it.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.about.as_ref().map(|about| about.info.name.as_str())
    }
}

/// The name by which people ask for a machine.
#[must_use]
pub fn named(platform: Platform) -> &'static str {
    if platform == Platform::Xe { "xelp" } else { platform.name() }
}

/// What a file says of a kernel besides its code.
#[derive(Clone, Debug, Default)]
pub struct About {
    /// The file in an archive.
    pub member: Option<String>,
    /// What the file says of how it runs.
    pub info: KernelInfo,
    /// Names of places, by byte offset.
    symbols: Vec<(u64, String)>,
    /// Byte offset, kind, symbol and addend.
    relocations: Vec<(u64, String, String, i64)>,
}

impl About {
    /// For a program.
    #[cfg(feature = "json")]
    #[must_use]
    pub fn json(&self) -> Value {
        let value = |text: &str| match (text.parse::<i64>(), text.parse::<bool>()) {
            (Ok(number), _) => json!(number),
            (_, Ok(truth)) => json!(truth),
            _ => json!(text),
        };
        let environment = self.info.environment.iter().map(|(key, text)| (key.clone(), value(text)));
        let relocations = self.relocations.iter().map(
            |(offset, kind, symbol, addend)| json!({ "offset": offset, "kind": kind, "symbol": symbol, "addend": addend }),
        );
        let symbols = self.symbols.iter().map(|(offset, name)| json!({ "offset": offset, "name": name }));
        json!({
            "name": self.info.name, "member": self.member,
            "environment": environment.collect::<serde_json::Map<String, Value>>(),
            "symbols": symbols.collect::<Vec<_>>(), "relocations": relocations.collect::<Vec<_>>(),
        })
    }

    /// For people, a line each.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let member = self.member.as_ref().map(|member| format!(" ({member})")).unwrap_or_default();
        let mut lines = vec![format!("kernel {}{member}", self.info.name)];
        if !self.info.environment.is_empty() {
            let facts: Vec<String> =
                self.info.environment.iter().map(|(key, value)| format!("{key} {value}")).collect();
            lines.push(facts.join(", "));
        }
        let symbols = self.symbols.iter().map(|(offset, name)| format!("{offset:#x}: symbol {name}"));
        let relocations = self.relocations.iter().map(|(offset, kind, symbol, addend)| {
            let addend = if *addend == 0 { String::new() } else { format!("{addend:+}") };
            format!("{offset:#x}: {kind} {symbol}{addend}")
        });
        let places: Vec<String> = symbols.chain(relocations).collect();
        lines.extend(places.iter().take(SHOWN).cloned());
        if places.len() > SHOWN {
            lines.push(format!("and {} more places", places.len() - SHOWN));
        }
        lines
    }
}

/// The number of 16 bits of an ELF head at `at`; files for Intel GPUs have the lower byte first.
fn half(head: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(head.get(at..at + 2)?.try_into().ok()?))
}

/// Whether a file that begins so is a zebin.
#[must_use]
pub fn is_zebin(head: &[u8]) -> bool {
    let is_kind = half(head, 16).is_some_and(|kind| KINDS.contains(&kind));
    head.starts_with(ELF) && (half(head, 18) == Some(zebin::MACHINE) || is_kind)
}

fn wrong(name: &str, e: &dyn std::fmt::Display) -> Diagnostic {
    Diagnostic::error("cli-elf", format!("{name}: {e}"))
}

/// The name in an archive, and the bytes, of a zebin.
type Member<'b> = (Option<String>, &'b [u8]);

/// The zebins in a file, which is one, or an archive that may hold others beside them: names and bytes.
fn members<'b>(bytes: &'b [u8], name: &str) -> Result<Vec<Member<'b>>, Diagnostic> {
    if !bytes.starts_with(ARCHIVE) {
        return Ok(vec![(None, bytes)]);
    }
    let archive = ArchiveFile::parse(bytes).map_err(|e| wrong(name, &e))?;
    let mut all = Vec::new();
    for member in archive.members() {
        let member = member.map_err(|e| wrong(name, &e))?;
        let data = member.data(bytes).map_err(|e| wrong(name, &e))?;
        if is_zebin(data) {
            all.push((Some(String::from_utf8_lossy(member.name()).into_owned()), data));
        }
    }
    if all.is_empty() {
        return Err(Diagnostic::error("xe-elf", format!("{name}: an archive without a zebin")));
    }
    Ok(all)
}

fn parsed<'b>(bytes: &'b [u8], name: &str) -> Result<object::File<'b>, Diagnostic> {
    let file = object::File::parse(bytes).map_err(|e| wrong(name, &e))?;
    if is_zebin(bytes) {
        return Ok(file);
    }
    let found = super::name(file.architecture());
    let d = Diagnostic::error("cli-elf", format!("{name}: this is an ELF file for {found}, not for Intel GPUs"));
    Err(d.note("expected the binary of compiled kernels (zebin); `--binary` reads the file as bytes"))
}

/// For which machine a zebin is.
fn target(file: &object::File<'_>) -> Target {
    let section = file.section_by_name(zebin::SECTION).and_then(|section| section.data().ok());
    section.map_or(Target::Silent, zebin::target)
}

/// For which machines the kernels of a file are, each once.
///
/// # Errors
/// If it cannot be read, or is a file for something else.
pub fn targets(bytes: &[u8], name: &str) -> Result<Vec<Target>, Diagnostic> {
    let mut all = Vec::new();
    for (_, bytes) in members(bytes, name)? {
        let found = target(&parsed(bytes, name)?);
        if !all.contains(&found) {
            all.push(found);
        }
    }
    Ok(all)
}

/// The kernels of a file for a machine. Of an archive what is for other machines is left out, if anything is for this one.
///
/// # Errors
/// As [`targets`], and if there is no kernel, or all are for other machines.
pub fn kernels(
    bytes: &[u8],
    name: &str,
    platform: Platform,
    problems: &mut Diagnostics,
) -> Result<Vec<Kernel>, Diagnostic> {
    let members = members(bytes, name)?;
    let mut files = Vec::new();
    for (member, bytes) in members {
        let file = parsed(bytes, name)?;
        let found = target(&file);
        files.push((member, file, found));
    }
    let is_other = |found: &Target| matches!(found, Target::Known(other) if *other != platform);
    let others = files.iter().filter(|(_, _, found)| is_other(found)).count();
    if others > 0 && others < files.len() {
        let d = Diagnostic::warning(
            "xe-platform",
            format!("{name}: {others} of {} files are for other machines", files.len()),
        );
        problems.push(d.note("left out; `--isa` chooses the machine"));
        files.retain(|(_, _, found)| !is_other(found));
    }
    let mut all = Vec::new();
    for (member, file, found) in files {
        check(name, &found, platform, problems)?;
        all.extend(of_file(&file, member, name)?);
    }
    if all.is_empty() {
        let d = Diagnostic::error("xe-elf", format!("{name}: no section `.text.` of a kernel"));
        return Err(d.note("expected the binary of compiled kernels (zebin)"));
    }
    Ok(all)
}

/// Whether a file is for the machine.
fn check(name: &str, found: &Target, platform: Platform, problems: &mut Diagnostics) -> Result<(), Diagnostic> {
    let (wanted, says) = (named(platform), |what: &str| format!("{name}: this file is for {what}"));
    match found {
        Target::Known(found) if *found != platform => {
            let found = named(*found);
            let d = Diagnostic::error("xe-platform", format!("{}, not for {wanted}", says(found)));
            return Err(d.note(format!("choose `--isa {found}`, or leave it out")));
        }
        Target::Other(what) => {
            let d = Diagnostic::warning("xe-platform", format!("{}, which is not known", says(what)));
            problems.push(d.note(format!("it is read as one for {wanted}, as `--isa` says")));
        }
        Target::Known(_) | Target::Silent => {}
    }
    Ok(())
}

/// The kernels of one zebin.
fn of_file(file: &object::File<'_>, member: Option<String>, name: &str) -> Result<Vec<Kernel>, Diagnostic> {
    let said = file.section_by_name(ze_info::SECTION).and_then(|section| section.data().ok()).unwrap_or_default();
    let infos = ze_info::kernels(&String::from_utf8_lossy(said));
    let mut kernels = Vec::new();
    for section in file.sections() {
        let section_name = section.name().map_err(|e| wrong(name, &e))?;
        let Some(kernel) = section_name.strip_prefix(zebin::KERNEL).filter(|n| !n.is_empty()) else { continue };
        let mut data = section.data().map_err(|e| wrong(name, &e))?.to_vec();
        // The compiler fills a section up with zeros, which would be `illegal` instructions.
        let used = data.len() - data.iter().rev().take_while(|b| **b == 0).count();
        data.truncate(whole(&data, used));
        let info = infos.iter().find(|info| info.name == kernel).cloned();
        let info = info.unwrap_or_else(|| KernelInfo { name: kernel.to_owned(), ..KernelInfo::default() });
        let about = About {
            member: member.clone(),
            info,
            symbols: symbols(file, &section),
            relocations: relocations(file, &section),
        };
        kernels.push(Kernel {
            section: Some(section_name.to_owned()),
            about: Some(about),
            bytes: data,
            labels: Vec::new(),
        });
    }
    Ok(kernels)
}

/// The names of places in a section, but for that of the section itself.
fn symbols(file: &object::File<'_>, section: &object::Section<'_, '_>) -> Vec<(u64, String)> {
    let here = file.symbols().filter(|s| s.section_index() == Some(section.index()) && s.kind() != SymbolKind::Section);
    let named = here.filter_map(|s| Some((s.address().wrapping_sub(section.address()), s.name().ok()?.to_owned())));
    let mut all: Vec<(u64, String)> = named.filter(|(_, name)| !name.is_empty()).collect();
    all.sort();
    all
}

/// The places of a section that a loader fills in.
fn relocations(file: &object::File<'_>, section: &object::Section<'_, '_>) -> Vec<(u64, String, String, i64)> {
    let one = |(offset, relocation): (u64, object::Relocation)| {
        let kind = match relocation.flags() {
            RelocationFlags::Elf { r_type } => {
                zebin::relocation(r_type.0).map_or_else(|| format!("relocation {}", r_type.0), str::to_owned)
            }
            _ => "relocation".to_owned(),
        };
        let symbol = match relocation.target() {
            RelocationTarget::Symbol(index) => {
                let symbol = file.symbol_by_index(index).ok();
                symbol.and_then(|symbol| symbol.name().ok().map(str::to_owned)).unwrap_or_default()
            }
            _ => String::new(),
        };
        (offset, kind, symbol, relocation.addend())
    };
    let mut all: Vec<_> = section.relocations().map(one).collect();
    all.sort();
    all
}

/// The end of the instruction that holds the last byte that is not 0.
fn whole(data: &[u8], used: usize) -> usize {
    let mut at = 0;
    while at < used {
        let short = data.get(at + 3).is_some_and(|b| b & 0x20 != 0);
        at += if short { 8 } else { 16 };
    }
    at.min(data.len())
}
