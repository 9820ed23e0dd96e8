//! Versions of extensions, and what is required of them.
//!
//! `2.0` and `2` are the same version; `1.0-pre` comes before `1.0`. Compatible (`~>`) is not a matter of numbers: a version is
//! compatible with an older one unless a version after that one is marked as breaking.

use super::super::Release;

/// A version number; parts that are not written are 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Version {
    parts: [u64; 3],
    /// Not a version before it; last, because it decides between equal numbers.
    released: bool,
}

impl Version {
    /// Reads `MAJOR[.MINOR[.PATCH[-pre]]]`.
    pub(crate) fn parse(text: &str) -> Option<Version> {
        let (numbers, released) = text.strip_suffix("-pre").map_or((text, true), |numbers| (numbers, false));
        let mut parts = [0; 3];
        let mut count = 0;
        for part in numbers.split('.') {
            let is_number = !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
            *parts.get_mut(count)? = part.parse().ok().filter(|_| is_number)?;
            count += 1;
        }
        (released || count == 3).then_some(Version { parts, released })
    }
}

/// How a version is compared with that of a requirement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operator {
    /// `=`, or nothing.
    Equal,
    /// `>`
    Greater,
    /// `<`
    Less,
    /// `>=`
    GreaterOrEqual,
    /// `<=`
    LessOrEqual,
    /// `~>`
    Compatible,
}

/// `>= 1.0`: an operator and a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Requirement {
    /// The operator.
    pub(crate) operator: Operator,
    /// The version.
    pub(crate) version: Version,
}

impl Requirement {
    /// Reads an operator, if there is one, and a version.
    pub(crate) fn parse(text: &str) -> Option<Requirement> {
        use Operator::*;
        let operators = [
            (">=", GreaterOrEqual),
            ("<=", LessOrEqual),
            ("~>", Compatible),
            (">", Greater),
            ("<", Less),
            ("=", Equal),
        ];
        let found = operators.iter().find_map(|(sign, operator)| Some((*operator, text.strip_prefix(sign)?)));
        let (operator, rest) = found.unwrap_or((Equal, text));
        Some(Requirement { operator, version: Version::parse(rest.trim_start_matches(' '))? })
    }

    /// Whether a version meets it; `releases` are all versions of the extension.
    pub(crate) fn is_met(&self, version: Version, releases: &[Release]) -> bool {
        let breaks =
            |r: &Release| r.breaking && Version::parse(&r.version).is_some_and(|at| self.version < at && at <= version);
        match self.operator {
            Operator::Equal => version == self.version,
            Operator::Greater => version > self.version,
            Operator::Less => version < self.version,
            Operator::GreaterOrEqual => version >= self.version,
            Operator::LessOrEqual => version <= self.version,
            Operator::Compatible => version >= self.version && !releases.iter().any(breaks),
        }
    }
}
