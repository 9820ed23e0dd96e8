//! Expressions against the values that a C compiler gives them: `data/expressions.txt`.

use isaglot_isaspec as isaspec;
use isaglot_model::Numbers;
use isaglot_source::{Diagnostics, SourceMap, render};

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[test]
fn values_are_those_of_c() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/expressions.txt");
    let data = std::fs::read_to_string(path).expect("part of the crate");
    let cases: Vec<Vec<&str>> =
        data.lines().filter(|l| !l.starts_with('#')).map(|l| l.splitn(5, ' ').collect()).collect();
    assert!(cases.len() > 200, "the data are there");
    let mut xml = String::from("<isa><bitset name=\"#instruction\" size=\"64\">");
    xml.push_str("<field name=\"X\" low=\"0\" high=\"63\" type=\"uint\"/></bitset>");
    for (i, case) in cases.iter().enumerate() {
        xml.push_str(&format!("<expr name=\"e{i}\">{}</expr>\n", escaped(case[4])));
    }
    xml.push_str("</isa>");
    let (mut files, mut out) = (SourceMap::new(), Diagnostics::new());
    let mut read = |_: &str| Ok(xml.clone().into_bytes());
    let isa = isaspec::load(&mut files, "expressions.xml", &mut read, &mut out);
    let isa =
        isa.unwrap_or_else(|| panic!("{}", out.iter().map(|d| render::text(&files, d, false)).collect::<String>()));
    let mut wrong = Vec::new();
    for (expr, case) in isa.exprs().iter().zip(&cases) {
        let number = |i: usize| case[i].parse::<u64>().expect("a number");
        let mut field = |name| match isa.text(name) {
            "X" => number(0),
            "Y" => number(1),
            _ => 0,
        };
        let value = expr.evaluate(Numbers { generation: number(2) as u32, features: &[] }, &mut field);
        if format!("{value:x}") != case[3] {
            wrong.push(format!("{}: {value:x}, C says {}", case.join(" "), case[3]));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}
