//! Every command of the README, of `docs/*.md` and of every `--help`, run as a reader runs it.
//!
//! A page is followed in order, from the project's folder as it is after a clone. `CONTRIBUTING.md` says how a page marks
//! what is what; in short: a block `console` is commands after `$ ` with what they print, both streams; a block `sh` is
//! commands that succeed; a block with a language and a file name is that file; in a table, code in a column `run` is a
//! command. A command of a help text is a line below `Examples:`, and each help text has two at least. What a command
//! needs beside the program stands at its end, `# needs z3`. Where that is missing the command is held back, and the last
//! line that the test prints for the page says so. The README so followed is a newcomer's first ten minutes, but for
//! cargo: `cargo run --` is the program that is built already, and what else cargo does is held back.
//!
//! `BLESS=1` writes the output of the blocks `console`, and the pictures that a page makes, anew.

mod help;
mod made;
mod needs;
mod page;
mod shell;

use isaglot_testing::{Trial, suite, workspace};

fn main() {
    let docs = workspace().join("docs");
    let mut pages = vec!["README.md".to_owned(), "crates/cli/README.md".to_owned()];
    pages.extend(
        isaglot_testing::corpus::files(&docs, ".md")
            .iter()
            .map(|p| format!("docs/{}", isaglot_testing::corpus::name(p))),
    );
    let mut trials: Vec<Trial> =
        pages.into_iter().map(|name| Trial::test(format!("page_{name}"), move || page::follow(&name))).collect();
    trials.push(Trial::test("generated_code_by_its_own_command", made::by_its_own_command));
    trials.push(Trial::test("options_that_pages_name", help::options_exist));
    trials.extend(help::verbs().into_iter().map(|verb| {
        let name = format!("help_{}", verb.join("_"));
        Trial::test(name, move || help::examples(&verb))
    }));
    suite::run(trials);
}
