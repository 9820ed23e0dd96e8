//! Names such as `rv64imac_zba_xext` for what to decode for: the register width is the gen, every extension a feature
//! of the description in `specs/riscv`.

/// What a name stands for.
pub(crate) struct Choice {
    /// 32 or 64.
    pub(crate) generation: u32,
    /// Features that are on; all others are off.
    pub(crate) features: Vec<String>,
}

/// Encoding profiles start so.
const PROFILE: &str = "xext-";

/// Reads a name; `None` if it is not of this kind. Whether the extensions exist is for the description to say.
pub(crate) fn parse(name: &str) -> Option<Choice> {
    let rest = name.strip_prefix("rv")?;
    let (generation, rest) = match (rest.strip_prefix("32"), rest.strip_prefix("64")) {
        (Some(rest), _) => (32, rest),
        (_, Some(rest)) => (64, rest),
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
    Some(Choice { generation, features })
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
pub(crate) fn attribute(generation: u32, has: &dyn Fn(&str) -> bool) -> String {
    let mut name = format!("rv{generation}i2p1");
    for (extension, version) in VERSIONS.iter().filter(|(extension, _)| has(extension)) {
        name.push_str(&format!("_{extension}{version}"));
    }
    name
}

#[cfg(test)]
mod tests {
    use super::{attribute, parse};

    #[test]
    fn attributes_have_versions() {
        assert_eq!(attribute(32, &|_| false), "rv32i2p1");
        assert_eq!(attribute(64, &|name| matches!(name, "c" | "zba")), "rv64i2p1_c2p0_zba1p0");
    }

    #[test]
    fn names_are_widths_and_features() {
        let features = |name: &str| parse(name).map(|c| (c.generation, c.features.join(" ")));
        assert_eq!(features("rv64imac_zba"), Some((64, "priv m a c zba".to_owned())));
        assert_eq!(features("rv32gc_xext"), Some((32, "priv m a f d zicsr zifencei c xext-custom0 xcmd8".to_owned())));
        assert_eq!(features("rv32i_xext-reserved-6b_xcmd16"), Some((32, "priv xext-reserved-6b xcmd16".to_owned())));
        assert_eq!(features("rv128i"), None);
        assert_eq!(features("riscv"), None);
    }
}
