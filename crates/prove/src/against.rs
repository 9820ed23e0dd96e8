//! Two texts for one command say the same.

use isaglot_xintf::meaning::{Meaning, Variable};

use crate::claim::{Claim, Difference, any_difference, difference, not};
use crate::command::{effect, free_variables};
use crate::scenario::{Line, Outcome, Scenario, Setting, Shows, quoted, setting};
use crate::sequence::Command;
use crate::term::{TermId, Terms};

/// `command` by its interface is what `other` does: the same traps, results and variables, by name.
pub fn semantics(command: &Command<'_>, other: &Meaning, xlen: u32) -> Claim {
    let mut terms = Terms::new();
    let t = &mut terms;
    let mut free = |name: &str| t.symbol(name, crate::Sort::Bits(xlen));
    let (rs1, rs2) = (free("rs1"), free("rs2"));
    let meaning = command.meaning;
    let mine = free_variables(t, meaning, "state.");
    let own = free_variables(t, other, "other.");
    // Variables with one name, width and value at reset are one variable.
    let twin = |v: &Variable| meaning.variables.iter().position(|m| m == v);
    let twins: Vec<Option<usize>> = other.variables.iter().map(twin).collect();
    let found: Vec<TermId> =
        twins.iter().zip(&own).map(|(at, &own)| at.and_then(|at| mine.get(at)).copied().unwrap_or(own)).collect();
    let wanted = effect(t, meaning, rs1, rs2, &mine);
    let got = effect(t, other, rs1, rs2, &found);
    let runs = not(t, wanted.traps);
    let always = t.number(1, 1);
    let mut differences = vec![
        difference(t, "trap", always, got.traps, wanted.traps),
        difference(t, "result", runs, got.result, wanted.result),
    ];
    for (at, variable) in meaning.variables.iter().enumerate() {
        if meaning.uses(at) && !twins.contains(&Some(at)) {
            let what = format!("variable {}, which the other text has not with {} bits", variable.name, variable.width);
            differences.push(Difference { what, at: None, bit: runs, values: None });
        }
    }
    for ((at, &after), variable) in twins.iter().zip(&got.variables).zip(&other.variables) {
        if let Some(&want) = at.and_then(|at| wanted.variables.get(at)) {
            differences.push(difference(t, &format!("variable {}", variable.name), runs, after, want));
        }
    }
    let seen = any_difference(t, &differences[..2]);
    let wrong = any_difference(t, &differences);
    let used = |at: usize| other.uses(at);
    let narrow = other.variables.iter().enumerate().find(|(at, v)| v.width != xlen && used(*at)).map(|(_, v)| v);
    let unshown = narrow.map(|v| {
        let (name, width) = (&v.name, v.width);
        format!("the variable {name} has {width} bits, and those that a machine's file gives a device have {xlen}")
    });
    let unshown = unshown.or_else(|| {
        other.swapped.then(|| "the other text has the handle in rs2, and a machine's file gives it in rs1".to_owned())
    });
    let scenario = unshown.is_none().then(|| {
        let unit = t.number(32, 12);
        let low = t.slice(rs1, 12, xlen - 12);
        let handle = t.concat(low, unit);
        // The run goes through a unit of its own, which only a text that looks at `lun` can tell.
        let mine = effect(t, meaning, handle, rs2, &mine);
        let its = effect(t, other, handle, rs2, &found);
        run(command, other, xlen, (handle, rs2), (its.traps, its.result), (mine.traps, mine.result), &found)
    });
    let mut values = vec![("rs1".to_owned(), rs1), ("rs2".to_owned(), rs2)];
    values.extend(meaning.variables.iter().zip(&mine).map(|(v, &term)| (v.name.clone(), term)));
    let (subject, place) = (command.name.to_owned(), format!("RV{xlen}"));
    let claim = Claim::new("semantics", subject, place, terms, wrong, values);
    Claim { differences, seen: Some(seen), scenario, unshown, ..claim }
}

fn run(
    command: &Command<'_>,
    other: &Meaning,
    xlen: u32,
    (handle, rs2): (TermId, TermId),
    (traps, a0): (TermId, TermId),
    wanted: (TermId, TermId),
    variables: &[TermId],
) -> Scenario {
    let mut settings = vec![
        setting("xlen", xlen.to_string()),
        setting("commands", "16"),
        setting("start_priv", "\"mach\""),
        setting("trap_model", "\"one-level-up\""),
        setting("lun_map", format!("[{{ uuid = \"{:#x}\", dev = 0, levels = \"all\", lun = 32 }}]", command.uuid)),
        setting("dev_map", "[{ lun = 32, levels = \"all\", device = \"other\", sub = 0 }]"),
    ];
    let path = |rest: &[&str]| ["devices", "other"].iter().chain(rest).map(|&s| s.to_owned()).collect::<Vec<String>>();
    let used = |(at, v)| other.uses(at).then_some(v);
    for v in other.variables.iter().enumerate().filter_map(used) {
        settings.push(Setting { path: path(&["state", &v.name]), value: v.initial.to_string() });
    }
    let text = path(&["subs", "0", &command.k.to_string(), "semantics"]);
    settings.push(Setting { path: text, value: quoted(&other.text) });
    let lines = vec![
        Line::Load("t1", handle),
        Line::Load("a2", rs2),
        Line::Text(format!("xcmd{} a0, t1, a2", command.k)),
        Line::Text("ebreak".to_owned()),
    ];
    let of = |v: &Variable| path(&["state", &v.name]);
    let kept = other.variables.iter().zip(variables).enumerate().filter(|(at, _)| other.uses(*at));
    let variables = kept.map(|(_, (v, &term))| (of(v), term)).collect();
    let shows = Shows::Other { got: Outcome { traps, a0 }, wanted: Outcome { traps: wanted.0, a0: wanted.1 } };
    Scenario { xlen, lines, settings, variables, on_machine: false, shows }
}
