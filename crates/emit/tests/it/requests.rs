//! What cannot be generated is an error.

use isaglot_codec::Plan;
use isaglot_emit::blueprint::{Blueprint, limbs_for};
use isaglot_emit::names;
use isaglot_source::{Diagnostics, SourceMap};

#[test]
fn names_that_are_none() {
    let code = |d: Option<isaglot_source::Diagnostic>| d.map(|d| d.code);
    for (name, c, rust) in [
        ("minnow", None, None),
        ("Minnow", Some("emit-identifier"), Some("emit-identifier")),
        ("3d", Some("emit-identifier"), Some("emit-identifier")),
        ("a-b", Some("emit-identifier"), Some("emit-identifier")),
        ("", Some("emit-identifier"), Some("emit-identifier")),
        ("int", Some("emit-keyword"), None),
        ("match", None, Some("emit-keyword")),
        ("for", Some("emit-keyword"), Some("emit-keyword")),
    ] {
        assert_eq!(code(names::c_prefix(name)), c, "{name} in C");
        assert_eq!(code(names::rust_name(name)), rust, "{name} in Rust");
    }
    // What a description is called always gives a name.
    for name in ["", "3D", "ir3", "Trio VLIW", "match", "int", "---"] {
        let suggested = names::suggested(name);
        assert_eq!(names::c_prefix(&suggested).or(names::rust_name(&suggested)), None, "{name}: {suggested}");
    }
}

#[test]
fn names_that_clash() {
    let spec = r##"<isa>
<bitset name="#instruction" size="32"><display>{NAME}</display></bitset>
<bitset name="a.b" extends="#instruction"><pattern low="0" high="31">00000000000000000000000000000000</pattern></bitset>
<bitset name="a-b" extends="#instruction"><pattern low="0" high="31">00000000000000000000000000000001</pattern></bitset>
</isa>"##;
    let (mut files, mut problems) = (SourceMap::new(), Diagnostics::new());
    let mut read = |_: &str| Ok(spec.as_bytes().to_vec());
    let isa = isaglot_isaspec::load(&mut files, "clash.xml", &mut read, &mut problems).expect("a sound description");
    let plan = Plan::new(&isa, 0);
    let blueprint = Blueprint::new(&plan, limbs_for(&isa)).expect("a description that code can be made of");
    let mut problems = Diagnostics::new();
    names::clashes(&isa, &blueprint, &mut problems);
    let found: Vec<_> = problems.iter().map(|d| (d.code, d.span().map(|s| files.location(s)))).collect();
    assert_eq!(found, [("emit-clash", Some("clash.xml:4:15".to_owned()))]);
}
