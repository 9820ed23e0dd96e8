//! From a triple, a processor and a list of features to what is on, as llvm-mc does it.

use isaglot_model::{FeatureId, Isa};

use crate::table::{ALONE, ARCH, CLAIMS, INSTEAD, ORDERS, OperandTable};

/// A name that the target does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoSuch {
    /// A triple that begins with none of those in the operand table.
    Triple(String),
    /// A processor.
    Processor(String),
    /// A feature, without its sign.
    Feature(String),
    /// A triple whose order of bytes is not the one that the model was made for (`OperandTable::for_triple`).
    Order(String),
    /// None of the features is on of which the operand table needs one; these.
    Claim(Vec<String>),
}

impl core::fmt::Display for NoSuch {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            NoSuch::Triple(name) => write!(f, "`{name}` is not a triple of the target"),
            NoSuch::Processor(name) => write!(f, "the target has no processor `{name}`"),
            NoSuch::Feature(name) => write!(f, "the target has no feature `{name}`"),
            NoSuch::Order(name) => write!(f, "the bytes of `{name}` are in another order than the model has them"),
            NoSuch::Claim(names) => {
                write!(f, "the operand table is for processors that have `{}`, and none is on", names.join("` or `"))
            }
        }
    }
}

impl core::error::Error for NoSuch {}

/// The features that are on, those that they imply included. `features` has names with `+` or `-` before them, in
/// order; a feature that is switched off takes those along that imply it.
///
/// # Errors
///
/// The first name that the target does not have. What a triple means is in the table; without any triples in it, none is
/// wrong and none means anything. The case of features does not count, as with LLVM.
pub fn choose(
    isa: &Isa,
    table: &OperandTable,
    triple: &str,
    cpu: &str,
    features: &[&str],
) -> Result<Vec<FeatureId>, NoSuch> {
    let find = |name: &str| {
        let exact = isa.features().iter().position(|f| f.name == name);
        let at = exact.or_else(|| isa.features().iter().position(|f| f.name.eq_ignore_ascii_case(name)));
        at.map(|at| FeatureId(at as u32)).ok_or_else(|| match name.strip_prefix("cpu=") {
            Some(processor) => NoSuch::Processor(processor.to_owned()),
            None => NoSuch::Feature(name.to_owned()),
        })
    };
    let mut on = vec![false; isa.features().len()];
    if let Some(names) = of_triple(table, triple) {
        for name in names.iter().filter(|n| cpu.is_empty() || !n.starts_with("cpu=")) {
            if name.starts_with(CLAIMS) || name.starts_with(INSTEAD) {
                continue;
            }
            if let Some(name) = name.strip_prefix(ALONE) {
                if cpu.is_empty() && features.iter().all(|name| name.is_empty()) {
                    switch_on(isa, find(name)?, &mut on);
                }
                continue;
            }
            if let Some(name) = name.strip_prefix(ARCH) {
                if matches!(cpu, "" | "generic") {
                    switch_on(isa, find(name)?, &mut on);
                }
                continue;
            }
            if let Some((order, _)) = ORDERS.iter().find(|(_, known)| known == name) {
                if *order != isa.format().byte_order {
                    return Err(NoSuch::Order(triple.to_owned()));
                }
                continue;
            }
            switch_on(isa, find(name)?, &mut on);
        }
    } else if !triple.is_empty() && !table.triples.is_empty() {
        return Err(NoSuch::Triple(triple.to_owned()));
    }
    if !cpu.is_empty() {
        switch_on(isa, find(&format!("cpu={cpu}"))?, &mut on);
    }
    for name in features.iter().filter(|n| !n.is_empty()) {
        match name.strip_prefix('-') {
            None => switch_on(isa, find(name.strip_prefix('+').unwrap_or(name))?, &mut on),
            Some(name) => switch_off(isa, find(name)?, &mut on),
        }
    }
    for name in of_triple(table, triple).unwrap_or_default() {
        let Some((one, other)) = name.strip_prefix(INSTEAD).and_then(|both| both.split_once(' ')) else { continue };
        if !on.get(find(one)?.index()).is_some_and(|on| *on) {
            switch_on(isa, find(other)?, &mut on);
        }
    }
    let claimed = table.claimed();
    let is_on = |name: &&str| find(name).is_ok_and(|id| on.get(id.index()).is_some_and(|on| *on));
    if !claimed.is_empty() && !claimed.iter().any(is_on) {
        let mut names: Vec<String> = claimed.into_iter().map(str::to_owned).collect();
        names.sort_unstable();
        names.dedup();
        return Err(NoSuch::Claim(names));
    }
    Ok((0u32..).zip(on).filter(|(_, on)| *on).map(|(id, _)| FeatureId(id)).collect())
}

/// What a triple says, if the table has it: the longest beginning counts.
fn of_triple<'t>(table: &'t OperandTable, triple: &str) -> Option<&'t [String]> {
    let known = table.triples.iter().filter(|(prefix, _)| triple.starts_with(prefix.as_str()));
    known.max_by_key(|(prefix, _)| prefix.len()).map(|(_, names)| names.as_slice())
}

fn switch_on(isa: &Isa, feature: FeatureId, on: &mut [bool]) {
    let mut work = vec![feature];
    while let Some(feature) = work.pop() {
        if let Some(flag) = on.get_mut(feature.index()).filter(|flag| !**flag) {
            *flag = true;
            work.extend(&isa[feature].implies);
        }
    }
}

fn switch_off(isa: &Isa, feature: FeatureId, on: &mut [bool]) {
    let mut work = vec![feature];
    while let Some(feature) = work.pop() {
        if let Some(flag) = on.get_mut(feature.index()).filter(|flag| **flag) {
            *flag = false;
            let all = isa.features().iter().zip(0u32..);
            work.extend(all.filter(|(f, _)| f.implies.contains(&feature)).map(|(_, id)| FeatureId(id)));
        }
    }
}
