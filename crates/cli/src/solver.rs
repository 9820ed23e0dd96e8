//! A solver for formulas, as a process: z3 or cvc5 from the search path, driven through its standard input and output.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use easy_smt::{Context, ContextBuilder, Response, SExpr};
use isaglot_bits::Word;
use isaglot_invariant::Impossible as _;
use isaglot_prove::Answer;

/// The solvers that are looked for, in this order.
pub(crate) const KNOWN: [&str; 2] = ["z3", "cvc5"];

/// The most memory that z3 may use, in MB.
const MEMORY_MB: u32 = 4096;

/// The deepest nesting of a script.
const MAX_DEPTH: usize = 1024;

/// A solver that can be started.
#[derive(Clone, Debug)]
pub(crate) struct Solver {
    program: PathBuf,
    timeout: Duration,
}

impl Solver {
    /// The solver of this name or path, or the first that is there; `None` if there is none.
    pub(crate) fn find(given: Option<&Path>, timeout: Duration) -> Option<Solver> {
        let starts = |program: &Path| {
            let mut run = Command::new(program);
            run.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            run.status().is_ok_and(|s| s.success())
        };
        let candidates = given.map_or_else(|| KNOWN.map(PathBuf::from).to_vec(), |p| vec![p.to_owned()]);
        candidates.into_iter().find(|p| starts(p)).map(|program| Solver { program, timeout })
    }

    /// Its name.
    pub(crate) fn name(&self) -> String {
        self.program.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned())
    }

    /// Asks about a script up to `(check-sat)`, and for the values of these terms of it.
    pub(crate) fn solve(&self, script: &str, names: &[String]) -> Answer {
        self.ask(script, names).unwrap_or_else(|e| Answer::Unknown(format!("{}: {e}", self.name())))
    }

    fn ask(&self, script: &str, names: &[String]) -> io::Result<Answer> {
        let millis = self.timeout.as_millis();
        let args = match self.name().contains("cvc5") {
            true => ["--quiet", "--lang=smt2", "--produce-models"].map(str::to_owned).to_vec(),
            false => ["-smt2", "-in"].map(str::to_owned).to_vec(),
        };
        let limits = match self.name().contains("cvc5") {
            true => vec![format!("--tlimit-per={millis}")],
            false => vec![format!("-t:{millis}"), format!("-memory:{MEMORY_MB}")],
        };
        let mut context =
            ContextBuilder::new().solver(&self.program).solver_args(args.into_iter().chain(limits)).build()?;
        for command in commands(&mut context, script)? {
            let text = context.display(command).to_string();
            // Models are asked for when the process is made.
            if text.starts_with("(set-option") || text == "(check-sat)" {
                continue;
            }
            context.raw_send(command)?;
            let said = context.raw_recv()?;
            if said != context.atom("success") {
                return Err(io::Error::other(context.display(said).to_string()));
            }
        }
        match context.check()? {
            Response::Unsat => Ok(Answer::Unsat),
            Response::Unknown => {
                Ok(Answer::Unknown(format!("{} does not know after {} s", self.name(), millis / 1000)))
            }
            Response::Sat => {
                let mut values = Vec::new();
                for name in names {
                    let term = commands(&mut context, name)?.pop().ok_or_else(|| io::Error::other("no term"))?;
                    let pairs = context.get_value(vec![term])?;
                    let value = pairs.first().map(|p| context.display(p.1).to_string()).unwrap_or_default();
                    values.push(word(&value).ok_or_else(|| io::Error::other(format!("no value: {value}")))?);
                }
                Ok(Answer::Sat(values))
            }
        }
    }
}

/// The s-expressions of a text.
fn commands(context: &mut Context, text: &str) -> io::Result<Vec<SExpr>> {
    let mut stack: Vec<Vec<SExpr>> = vec![Vec::new()];
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let depth = stack.len();
        let top = stack.last_mut().ok_or_else(|| io::Error::other("unbalanced script"))?;
        let length = match first {
            ')' => {
                let list = stack.pop().or_impossible_default();
                let list = context.list(list);
                stack.last_mut().ok_or_else(|| io::Error::other("unbalanced script"))?.push(list);
                1
            }
            '(' if depth < MAX_DEPTH => {
                stack.push(Vec::new());
                1
            }
            '(' => return Err(io::Error::other("the script is nested too deeply")),
            c if c.is_whitespace() => c.len_utf8(),
            '|' => {
                let end = rest.get(1..).and_then(|r| r.find('|')).map_or(rest.len(), |n| n + 2);
                top.push(context.atom(rest.get(..end).or_impossible("")));
                end
            }
            _ => {
                let end = rest.find(|c: char| c.is_whitespace() || "()|".contains(c)).unwrap_or(rest.len());
                top.push(context.atom(rest.get(..end).or_impossible("")));
                end
            }
        };
        rest = rest.get(length..).or_impossible("");
    }
    Ok(stack.pop().or_impossible_default())
}

/// A bit-vector as solvers write it.
fn word(text: &str) -> Option<Word> {
    let (digits, bits) = match (text.strip_prefix("#x"), text.strip_prefix("#b")) {
        (Some(hex), _) => (hex, 4),
        (_, Some(binary)) => (binary, 1),
        _ => return None,
    };
    let width = bits * u32::try_from(digits.len()).ok()?;
    let mut value = Word::zero(width);
    for (at, digit) in digits.chars().rev().enumerate() {
        let digit = digit.to_digit(1 << bits)?;
        for bit in (0..bits).filter(|b| digit >> b & 1 == 1) {
            value.set_bit(at as u32 * bits + bit, true);
        }
    }
    Some(value)
}
