//! The examples of every help text, and the options that pages name.

use std::process::Command;

use isaglot_testing::{Failed, corpus, workspace};

use crate::{needs, shell};

/// Where the files are that examples of help texts name: what a reader has of their own.
const FILES: &str = "crates/cli/tests/docs/files";

fn help(verb: &[String]) -> String {
    let out = Command::new(env!("CARGO_BIN_EXE_isaglot")).args(verb).arg("--help").output();
    out.map(|out| String::from_utf8_lossy(&out.stdout).into_owned()).unwrap_or_default()
}

/// The names below `Commands:`.
fn commands(help: &str) -> Vec<String> {
    let below = help.lines().skip_while(|l| *l != "Commands:").skip(1).take_while(|l| !l.is_empty());
    let names = below.filter(|l| l.starts_with("  ") && !l.starts_with("   "));
    names.filter_map(|l| l.split_whitespace().next()).filter(|n| *n != "help").map(Into::into).collect()
}

/// Every verb, and every verb of a verb; the program itself is the first.
pub(crate) fn verbs() -> Vec<Vec<String>> {
    let mut all = vec![vec![]];
    let mut at = 0;
    while at < all.len() {
        let verb: Vec<String> = all[at].clone();
        all.extend(commands(&help(&verb)).into_iter().map(|name| [&verb[..], &[name]].concat()));
        at += 1;
    }
    all
}

/// Runs the examples of a help text.
pub(crate) fn examples(verb: &[String]) -> Result<(), Failed> {
    let help = help(verb);
    let lines = help.lines().skip_while(|l| *l != "Examples:").skip(1).take_while(|l| l.starts_with("  "));
    let examples: Vec<&str> = lines.map(str::trim).collect();
    if examples.len() < 2 {
        return Err("a help text has two examples, each a line below `Examples:`".into());
    }
    let dir = shell::clone()?;
    for file in corpus::files(&workspace().join(FILES), "") {
        shell::copy(&file, &dir.path().join(corpus::name(&file)))?;
    }
    if !shell::run("sh -e setup.sh", dir.path())?.succeeded {
        return Err(format!("{FILES}/setup.sh failed").into());
    }
    let (mut held, mut wrong) = (Vec::new(), Vec::new());
    for example in &examples {
        if let Some(what) = needs::missing(example, dir.path())? {
            held.push(format!("\n  no {what}: {example}"));
            continue;
        }
        let done = shell::run(example, dir.path())?;
        if !done.succeeded {
            wrong.push(format!("`{example}` failed: {}", done.printed));
        }
    }
    let ran = examples.len() - held.len();
    println!("isaglot {}: {ran} examples run, {} held back{}", verb.join(" "), held.len(), held.concat());
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
}

/// Code in the prose of a page that begins with `isaglot` names a verb, and options that it has.
pub(crate) fn options_exist() -> Result<(), Failed> {
    let mut pages = corpus::files(&workspace().join("docs"), ".md");
    pages.push(workspace().join("README.md"));
    let (verbs, mut looked, mut wrong) = (verbs(), 0, Vec::new());
    for page in pages {
        let text = std::fs::read_to_string(&page)?;
        let outside: String = text.split("```").step_by(2).collect();
        for code in outside.split('`').skip(1).step_by(2).filter_map(|c| c.strip_prefix("isaglot ")) {
            looked += 1;
            let words: Vec<String> = code.split_whitespace().map(Into::into).collect();
            let Some(verb) = verbs.iter().filter(|v| words.starts_with(v)).max_by_key(|v| v.len()) else { continue };
            let help = help(verb);
            let unknown = |w: &&String| w.starts_with("--") && !help.contains(w.split('=').next().unwrap_or(w));
            let named = words.first().is_some_and(|w| w.starts_with('-') || w == "help" || *w == w.to_uppercase());
            if let Some(option) = words.iter().find(unknown) {
                wrong.push(format!("{}: `{code}`: there is no {option}", page.display()));
            } else if verb.is_empty() && !named {
                wrong.push(format!("{}: `{code}`: there is no such verb", page.display()));
            }
        }
    }
    println!("{looked} pieces of code looked at");
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
}
