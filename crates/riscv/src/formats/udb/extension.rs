//! Extensions: names, versions, requirements.

use super::condition::{self, Names};
use super::faults::Faults;
use super::tree::Document;
use super::version::Version;
use crate::formats::yaml::Node;
use crate::formats::{Extension, Formula, Release};

/// What a file says of an extension; `None` without a name.
pub(super) fn read(document: &Document, names: &Names, faults: &mut Faults) -> Option<Extension> {
    let root = &document.root;
    let name = root.get("name")?;
    let requires = |node: &Node, faults: &mut Faults| match node.get("requirements") {
        Some(condition) => condition::read(condition, names, faults),
        None => Formula::True,
    };
    let mut versions = Vec::new();
    let mut ratified = true;
    for version in root.get("versions").map_or(&[][..], Node::list) {
        let state = version.get("state").and_then(Node::scalar);
        ratified &= state == Some("ratified");
        let number = version.get("version").and_then(Node::scalar).unwrap_or_default();
        if let Some(place) = version.get("version").filter(|_| Version::parse(number).is_none()) {
            faults.error("udb-bad-version", place.span, format!("expected a version such as 1.0.0, found `{number}`"));
        }
        if state == Some("ratified") && version.get("ratification_date").is_none() {
            let message = "a ratified version has a date";
            faults.missing("udb-missing-key", version, "ratification_date", message);
        }
        let breaking = version.get("breaking").and_then(Node::bool).unwrap_or(false);
        versions.push(Release { version: number.to_owned(), requires: requires(version, faults), breaking });
    }
    let text = |key: &str| root.get(key).and_then(Node::scalar).unwrap_or_default().to_owned();
    Some(Extension {
        name: name.scalar()?.to_owned(),
        requires: requires(root, faults),
        ratified: ratified && !versions.is_empty(),
        versions,
        doc: text("long_name"),
        span: name.span,
    })
}
