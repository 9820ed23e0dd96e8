//! Names of instruction sets, such as `rv64imac_zba_xext`: the register width is the gen of the description in
//! `specs/riscv`, every extension a feature of it.

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
    let rest = name.strip_prefix("rv")?;
    let (xlen, rest) = match (rest.strip_prefix("32"), rest.strip_prefix("64")) {
        (Some(rest), _) => (Xlen::Rv32, rest),
        (_, Some(rest)) => (Xlen::Rv64, rest),
        _ => return None,
    };
    let mut parts = rest.split('_');
    let mut features: Vec<String> = Vec::new();
    for letter in parts.next()?.chars() {
        match letter {
            // The base, with what every machine has.
            'i' => features.push("priv".to_owned()),
            'g' => features.extend(["priv", "m", "a", "f", "d", "zicsr", "zifencei"].map(str::to_owned)),
            letter => features.push(letter.to_string()),
        }
    }
    for part in parts.filter(|p| !p.is_empty()) {
        match part {
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
        assert_eq!(features("rv128i"), None);
        assert_eq!(features("riscv"), None);
    }
}
