//! Names of instruction sets, such as `rv64imac_zba_xext` or `rva23u64_zvkn`: the register width is the gen of the description in
//! `specs/riscv`, every extension and every profile a feature of it.

use isaglot_model::{FeatureId, Isa};

use crate::Xlen;

/// What a name chooses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IsaName {
    /// The register width.
    pub xlen: Xlen,
    /// Features that are on; all others are off.
    pub features: Vec<String>,
}

/// Features for encoding profiles of the overloadable opcodes start with this.
const PROFILE: &str = "xext-";

/// Reads a name; `None` if it is not of this kind. Whether the extensions exist is not checked: the description knows.
///
/// ```
/// use isaglot_riscv::{Xlen, isa_name};
///
/// let name = isa_name::parse("rv64imc_zba").expect("it begins with rv64");
/// assert_eq!(name.xlen, Xlen::Rv64);
/// assert_eq!(name.features, ["priv", "m", "c", "zba"]);
/// assert!(isa_name::parse("minnow").is_none());
/// ```
pub fn parse(name: &str) -> Option<IsaName> {
    let name = name.to_ascii_lowercase();
    let mut parts = name.split('_');
    let base = parts.next()?;
    let mut features: Vec<String> = Vec::new();
    let xlen = match profile(base) {
        Some(xlen) => {
            features.extend(["priv", base].map(str::to_owned));
            xlen
        }
        None => {
            let (xlen, letters) = width(base.strip_prefix("rv")?)?;
            features.extend(without_versions(letters).chars().flat_map(of_letter));
            xlen
        }
    };
    for part in parts.filter(|p| !p.is_empty()) {
        match without_version(part) {
            "xext" => features.push(format!("{PROFILE}custom0")),
            part => features.push(part.to_owned()),
        }
    }
    // Eight commands unless something else is said.
    let has_profile = features.iter().any(|f| f.starts_with(PROFILE));
    if has_profile && !features.iter().any(|f| f.starts_with("xcmd")) {
        features.push("xcmd8".to_owned());
    }
    // Four commands are what there is without a feature.
    features.retain(|f| f != "xcmd4");
    Some(IsaName { xlen, features })
}

/// The register width at the start of the rest of a name, and what follows it.
fn width(rest: &str) -> Option<(Xlen, &str)> {
    let widths = [("32", Xlen::Rv32), ("64", Xlen::Rv64)];
    widths.into_iter().find_map(|(digits, xlen)| Some((xlen, rest.strip_prefix(digits)?)))
}

/// The register width of a profile, by a name like one: `rva22s64`. Whether there is this profile, the description knows.
pub fn profile(name: &str) -> Option<Xlen> {
    let rest = name.strip_prefix("rv")?.trim_start_matches(|c: char| c.is_ascii_lowercase());
    let level = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_one = rest.len() + 2 < name.len() && level.len() < rest.len();
    let (xlen, end) = width(level.strip_prefix(['u', 's', 'm'])?)?;
    (is_one && end.is_empty()).then_some(xlen)
}

/// The features of a letter.
fn of_letter(letter: char) -> Vec<String> {
    match letter {
        // The base, with what every machine has.
        'i' => vec!["priv".to_owned()],
        'g' => ["priv", "m", "a", "f", "d", "zicsr", "zifencei"].map(str::to_owned).to_vec(),
        letter => vec![letter.to_string()],
    }
}

/// Whether a text is a version as object files write it: `2p1`.
fn is_version(text: &str) -> bool {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    text.split_once('p').is_some_and(|(major, minor)| is_number(major) && is_number(minor))
}

/// The name of an extension without its version: `zcmp` of `zcmp1p0`, but `sv39` of `sv39`.
fn without_version(part: &str) -> &str {
    let digits = |c: char| c.is_ascii_digit();
    let minor = part.trim_end_matches(digits);
    let major = minor.strip_suffix('p').filter(|_| minor.len() < part.len());
    major.map(|rest| (rest, rest.trim_end_matches(digits))).filter(|(a, b)| a.len() > b.len()).map_or(part, |(_, b)| b)
}

/// Letters without their versions: `im` of `i2p1m2p0`.
fn without_versions(letters: &str) -> String {
    let mut out = String::new();
    let mut rest = letters;
    while let Some(letter) = rest.chars().next() {
        out.push(letter);
        rest = rest.get(letter.len_utf8()..).unwrap_or_default();
        let end = rest.find(|c: char| c != 'p' && !c.is_ascii_digit()).unwrap_or(rest.len());
        if rest.get(..end).is_some_and(is_version) {
            rest = rest.get(end..).unwrap_or_default();
        }
    }
    out
}

/// Extensions with their versions, in the order in which a name lists them.
const VERSIONS: [(&str, &str); 10] = [
    ("m", "2p0"),
    ("a", "2p1"),
    ("f", "2p2"),
    ("d", "2p2"),
    ("c", "2p0"),
    ("zicsr", "2p0"),
    ("zifencei", "2p0"),
    ("zba", "1p0"),
    ("zbb", "1p0"),
    ("zbs", "1p0"),
];

/// The name with versions that object files carry, such as `rv64i2p1_m2p0`, of those extensions that are standard.
pub fn attribute(xlen: Xlen, has: &dyn Fn(&str) -> bool) -> String {
    let mut name = format!("rv{}i2p1", xlen.bits());
    for (extension, version) in VERSIONS.iter().filter(|(extension, _)| has(extension)) {
        name.push_str(&format!("_{extension}{version}"));
    }
    name
}

/// The features of `isa` for a machine with an encoding profile of the overloadable opcodes, such as `custom0`, and a
/// number of commands per interface. `has` decides about every other feature, by its name and its default.
pub fn features(isa: &Isa, profile: &str, commands: u32, has: &dyn Fn(&str, bool) -> bool) -> Vec<FeatureId> {
    let on = |name: &str, default: bool| match name {
        "xcmd8" => commands > 4,
        "xcmd16" => commands > 8,
        _ => name.strip_prefix(PROFILE).map_or_else(|| has(name, default), |own| own == profile),
    };
    let ids = (0..isa.features().len() as u32).map(FeatureId);
    ids.filter(|&f| on(&isa[f].name, isa[f].default)).collect()
}

#[cfg(test)]
mod tests {
    use super::{attribute, parse};
    use crate::Xlen;

    #[test]
    fn attributes_have_versions() {
        assert_eq!(attribute(Xlen::Rv32, &|_| false), "rv32i2p1");
        assert_eq!(attribute(Xlen::Rv64, &|name| matches!(name, "c" | "zba")), "rv64i2p1_c2p0_zba1p0");
    }

    #[test]
    fn names_are_widths_and_features() {
        let features = |name: &str| parse(name).map(|c| (c.xlen.bits(), c.features.join(" ")));
        assert_eq!(features("rv64imac_zba"), Some((64, "priv m a c zba".to_owned())));
        assert_eq!(features("rv32gc_xext"), Some((32, "priv m a f d zicsr zifencei c xext-custom0 xcmd8".to_owned())));
        assert_eq!(features("rv32i_xext-reserved-6b_xcmd16"), Some((32, "priv xext-reserved-6b xcmd16".to_owned())));
        assert_eq!(features("rva22s64_v"), Some((64, "priv rva22s64 v".to_owned())));
        assert_eq!(features("RVI20U32"), Some((32, "priv rvi20u32".to_owned())));
        assert_eq!(features("rv64i2p1m2p0_zcmp1p0_zve64d"), Some((64, "priv m zcmp zve64d".to_owned())));
        assert_eq!(features("rv32ip"), Some((32, "priv p".to_owned())));
        assert_eq!(features("rva22x64"), None);
        assert_eq!(features("rv128i"), None);
        assert_eq!(features("riscv"), None);
    }
}
