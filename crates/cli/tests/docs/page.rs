//! A page in Markdown, followed from top to bottom.

use std::fmt::Write as _;
use std::path::Path;

use isaglot_testing::{Failed, bless, workspace};

use crate::{needs, shell};

/// What stands in a page for lines of output that it does not show.
const ELIDED: &str = "…";

/// A page on its way: what it would say, and what became of its commands.
struct Reader<'a> {
    dir: &'a Path,
    made: String,
    ran: usize,
    held: Vec<String>,
    /// What the commands that were held back would have made.
    lost: Vec<String>,
    wrong: Vec<String>,
}

/// Follows a page of the project.
pub(crate) fn follow(name: &str) -> Result<(), Failed> {
    let file = workspace().join(name);
    let wanted = std::fs::read_to_string(&file)?;
    let dir = shell::clone()?;
    let mut reader =
        Reader { dir: dir.path(), made: String::new(), ran: 0, held: Vec::new(), lost: Vec::new(), wrong: Vec::new() };
    reader.read(&wanted)?;
    let mut counts = format!("{name}: {} commands run, {} held back", reader.ran, reader.held.len());
    for held in &reader.held {
        let _ = write!(counts, "\n  {held}");
    }
    println!("{counts}");
    if bless::wanted() && reader.made != wanted {
        std::fs::write(&file, &reader.made)?;
    }
    reader.wrong.extend(pictures(dir.path(), name)?);
    if reader.wrong.is_empty() { Ok(()) } else { Err(format!("{name}: {}", reader.wrong.join("\n")).into()) }
}

/// The pictures that a page shows are those that its commands make; with `BLESS=1` they are written anew.
fn pictures(dir: &Path, page: &str) -> Result<Vec<String>, Failed> {
    let (there, mut wrong) = (workspace().join("docs/pictures"), Vec::new());
    let text = std::fs::read_to_string(workspace().join(page))?;
    for made in isaglot_testing::corpus::files(&dir.join("docs/pictures"), ".svg") {
        let name = isaglot_testing::corpus::name(&made);
        if !text.contains(&format!("-o docs/pictures/{name}")) {
            continue;
        }
        let bytes = std::fs::read(&made)?;
        roxmltree::Document::parse(std::str::from_utf8(&bytes)?).map_err(|e| format!("{name}: {e}"))?;
        if bless::wanted() {
            std::fs::write(there.join(&name), bytes)?;
        } else if std::fs::read(there.join(&name)).ok() != Some(bytes) {
            wrong.push(format!("docs/pictures/{name} is not what the page makes"));
        }
    }
    Ok(wrong)
}

impl Reader<'_> {
    fn read(&mut self, page: &str) -> Result<(), Failed> {
        let mut lines = page.lines().enumerate().peekable();
        let mut run_column = None;
        while let Some((at, line)) = lines.next() {
            let _ = writeln!(self.made, "{line}");
            if let Some(opening) = line.strip_prefix("```") {
                let body: Vec<&str> = lines.by_ref().map(|(_, l)| l).take_while(|l| *l != "```").collect();
                self.block(opening, &body, at + 1)?;
                self.made += "```\n";
            } else if line.starts_with('|') {
                let cells: Vec<String> =
                    line.replace("\\|", "\u{1}").split('|').map(|c| c.trim().replace('\u{1}', "|")).collect();
                match run_column.and_then(|column: usize| cells.get(column)) {
                    Some(cell) => self.cell(cell, at + 1)?,
                    None if lines.peek().is_some_and(|(_, next)| next.starts_with("|--")) => {
                        run_column = cells.iter().position(|c| c == "run");
                    }
                    None => {}
                }
            } else {
                run_column = None;
                if line.starts_with("    isaglot ") {
                    self.wrong.push(format!("line {}: a command stands in a block: {}", at + 1, line.trim()));
                }
            }
        }
        Ok(())
    }

    /// The code of a cell in a column `run`.
    fn cell(&mut self, cell: &str, at: usize) -> Result<(), Failed> {
        for command in cell.split('`').skip(1).step_by(2) {
            self.succeeds(command, at)?;
        }
        Ok(())
    }

    fn block(&mut self, opening: &str, body: &[&str], at: usize) -> Result<(), Failed> {
        match opening.split_once(' ').unwrap_or((opening, "")) {
            ("console", "") => return self.console(body, at + 1),
            ("sh", "") => {
                let text = body.join("\n").replace("\\\n", " ");
                for command in text.lines().filter(|l| !l.trim().is_empty() && !l.starts_with('#')) {
                    self.succeeds(command, at)?;
                }
            }
            (_, "") => {
                let command =
                    body.iter().find(|l| ["isaglot ", "cargo ", "$ "].iter().any(|start| l.starts_with(start)));
                if let Some(command) = command {
                    self.wrong.push(format!("line {at}: a block with a command is `sh` or `console`: {command}"));
                }
            }
            (_, name) => std::fs::write(self.dir.join(name), body.join("\n") + "\n")?,
        }
        for line in body {
            let _ = writeln!(self.made, "{line}");
        }
        Ok(())
    }

    /// Whether a command is held back; then it is noted.
    fn is_held(&mut self, command: &str, at: usize) -> Result<bool, Failed> {
        let missing = needs::missing(&command.replace("cargo run -- ", "isaglot "), self.dir)?;
        // What takes a file that was not made is held back as well.
        let takes = |lost: &&String| command.split([' ', '"', '(', ')']).any(|word| word.starts_with(lost.as_str()));
        let missing = missing.or_else(|| self.lost.iter().find(takes).cloned());
        let Some(what) = missing else { return Ok(false) };
        self.held.push(format!("line {at}: no {what}: {command}"));
        let words: Vec<&str> = command.split_whitespace().collect();
        let made = words.windows(2).filter(|pair| ["-o", ">", "--counterexample"].contains(&pair[0]));
        self.lost.extend(made.map(|pair| pair[1].to_owned()));
        Ok(true)
    }

    fn succeeds(&mut self, command: &str, at: usize) -> Result<(), Failed> {
        if self.is_held(command, at)? {
            return Ok(());
        }
        self.ran += 1;
        let done = shell::run(command, self.dir)?;
        if !done.succeeded {
            self.wrong.push(format!("line {at}: `{command}` failed: {}", done.printed));
        }
        Ok(())
    }

    /// Commands and what each prints.
    fn console(&mut self, body: &[&str], first: usize) -> Result<(), Failed> {
        let mut rest = body;
        while let Some((line, below)) = rest.split_first() {
            let at = first + body.len() - rest.len();
            let Some(command) = line.strip_prefix("$ ") else {
                return Err(format!("line {at}: a block `console` begins with a command").into());
            };
            let end = below.iter().position(|l| l.starts_with("$ ")).unwrap_or(below.len());
            let shown = &below[..end];
            rest = &below[end..];
            let _ = writeln!(self.made, "{line}");
            let mut text: String = shown.iter().map(|l| format!("{l}\n")).collect();
            if !self.is_held(command, at)? {
                self.ran += 1;
                let printed = shell::run(command, self.dir)?.printed;
                if !matches(shown, &printed.lines().collect::<Vec<_>>()) {
                    if !bless::wanted() {
                        self.wrong.push(format!("line {at}: `{command}` prints\n{printed}"));
                    }
                    text = printed;
                }
            }
            self.made += &text;
        }
        Ok(())
    }
}

/// Whether output is what is shown, where `…` alone on a line stands for any lines, and at its end for the rest of it.
fn matches(shown: &[&str], printed: &[&str]) -> bool {
    match (shown.split_first(), printed.split_first()) {
        (None, None) => true,
        (Some((&ELIDED, rest)), _) => (0..=printed.len()).any(|skip| matches(rest, &printed[skip..])),
        (Some((line, rest)), Some((got, left))) => {
            let same = line.strip_suffix(ELIDED).map_or(line == got, |start| got.starts_with(start));
            same && matches(rest, left)
        }
        _ => false,
    }
}
