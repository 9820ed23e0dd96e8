//! Files of a crate that use each other in a circle can only be read together, so circles are small.
//!
//! File A uses file B if it has a path that begins with `crate::` or `super::` and leads into the module of B: `use` lines and
//! paths within code. Example: `a.rs` has `use crate::b::X`, `b.rs` has `super::a::f()`: a circle of 2.

use std::collections::{BTreeMap, BTreeSet};

use super::Repo;
use super::code::code;

/// Files that may use each other in a circle.
const MAX_CIRCLE: usize = 4;

/// The files that each file of a crate uses, by module path without `crate`.
type Graph = BTreeMap<Vec<String>, BTreeSet<Vec<String>>>;

pub(super) fn check(repo: &Repo) -> Vec<String> {
    let mut crates: BTreeMap<&str, Vec<(Vec<String>, String)>> = BTreeMap::new();
    for (name, source) in repo.rust("src") {
        crates.entry(name).or_default().push((module(&source.name), code(&source.text)));
    }
    let mut findings = Vec::new();
    for (name, files) in crates {
        let graph = graph(&files);
        for circle in circles(&graph).into_iter().filter(|c| c.len() > MAX_CIRCLE) {
            let modules: Vec<String> = circle.iter().map(|m| m.join("::")).collect();
            findings.push(format!(
                "crates/{name}: {} files use each other in a circle, more than {MAX_CIRCLE}: {}",
                circle.len(),
                modules.join(", ")
            ));
        }
    }
    findings
}

/// The module of a file: `crates/x/src/a/mod.rs` is `a`, `lib.rs` the empty path.
fn module(name: &str) -> Vec<String> {
    let path = name.split_once("/src/").map_or("", |p| p.1).trim_end_matches(".rs");
    let mut parts: Vec<String> = path.split('/').map(str::to_owned).collect();
    if matches!(parts.last().map(String::as_str), Some("mod" | "lib" | "main")) {
        parts.pop();
    }
    parts
}

fn graph(files: &[(Vec<String>, String)]) -> Graph {
    let known: BTreeSet<&Vec<String>> = files.iter().map(|f| &f.0).collect();
    let mut graph = Graph::new();
    for (own, code) in files {
        let uses = graph.entry(own.clone()).or_default();
        for path in paths(own, code) {
            let target = (0..=path.len()).rev().map(|n| path[..n].to_vec()).find(|p| known.contains(p));
            uses.extend(target.filter(|t| t != own));
        }
    }
    graph
}

/// Every path of the code that begins with `crate::` or `super::`, from the root of the crate on.
fn paths(own: &[String], code: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    for start in ["crate::", "super::"] {
        for (at, _) in code.match_indices(start) {
            let before = code[..at].chars().next_back();
            if before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':' || c == '$') {
                continue;
            }
            expand(&code[at..], &[], own, &mut found);
        }
    }
    found
}

/// Reads a path with its braces: `super::a::{b, c::{d, e}}` is three.
///
/// Gives the text after it.
fn expand<'a>(text: &'a str, prefix: &[String], own: &[String], found: &mut Vec<Vec<String>>) -> &'a str {
    let mut path = prefix.to_vec();
    let mut rest = text.trim_start();
    loop {
        if let Some(mut inner) = rest.strip_prefix('{') {
            while !inner.trim_start().starts_with('}') && !inner.trim_start().is_empty() {
                inner = expand(inner, &path, own, found).trim_start();
                inner =
                    inner.strip_prefix(',').unwrap_or(inner.get(usize::from(!inner.starts_with('}'))..).unwrap_or(""));
            }
            return inner.trim_start().strip_prefix('}').unwrap_or("");
        }
        let length = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        match &rest[..length] {
            "crate" => path.clear(),
            "self" => {}
            "super" if path.is_empty() => path = own[..own.len().saturating_sub(1)].to_vec(),
            "super" => drop(path.pop()),
            segment => path.push(segment.to_owned()),
        }
        rest = rest[length..].trim_start();
        match rest.strip_prefix("::") {
            Some(next) => rest = next.trim_start(),
            None => break,
        }
    }
    found.push(path);
    // `as other`
    rest.strip_prefix("as ").map_or(rest, |r| r.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_'))
}

/// The sets of files that reach each other.
fn circles(graph: &Graph) -> Vec<Vec<Vec<String>>> {
    let reached = |from: &Vec<String>| {
        let mut seen = BTreeSet::new();
        let mut open: Vec<&Vec<String>> = graph.get(from).into_iter().flatten().collect();
        while let Some(next) = open.pop() {
            if seen.insert(next) {
                open.extend(graph.get(next).into_iter().flatten());
            }
        }
        seen
    };
    let all: BTreeMap<&Vec<String>, BTreeSet<&Vec<String>>> = graph.keys().map(|m| (m, reached(m))).collect();
    let mut done: BTreeSet<&Vec<String>> = BTreeSet::new();
    let mut found = Vec::new();
    for (module, reach) in &all {
        if done.contains(module) || !reach.contains(*module) {
            continue;
        }
        let circle: Vec<&Vec<String>> = reach.iter().copied().filter(|m| all[m].contains(*module)).collect();
        done.extend(&circle);
        found.push(circle.into_iter().cloned().collect());
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{circles, graph, module};

    #[test]
    fn circles_are_found() {
        let file = |name: &str, code: &str| (module(&format!("crates/x/src/{name}")), code.to_owned());
        let files = [
            file("lib.rs", "mod a; mod b; pub use a::X;"),
            file("a.rs", "use crate::{b::{Y, c::Z as W}, other};"),
            file("b/mod.rs", "use crate::d::E;"),
            file("b/c.rs", "use super::super::a::f; super::g();"),
            file("d.rs", "pub struct E;"),
        ];
        let graph = graph(&files);
        let circles = circles(&graph);
        let names: Vec<Vec<String>> = circles.iter().map(|c| c.iter().map(|m| m.join("::")).collect()).collect();
        assert_eq!(names, [["a", "b::c"]]);
        assert_eq!(graph[&vec!["a".to_owned()]].len(), 3);
    }
}
