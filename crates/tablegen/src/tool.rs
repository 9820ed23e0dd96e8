//! The program `llvm-tblgen`, without its files: options, the choice of an output, and what is said.

use std::io::{self, Write};
use std::sync::Arc;

use crate::query::Query;
use crate::{Dialect, Loader, Options, Records, parse, print, render};

/// What is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Action {
    /// Classes and records.
    #[default]
    PrintRecords,
    /// The same with places.
    PrintDetailed,
    /// JSON.
    DumpJson,
    /// The names of the records of a class.
    PrintEnums,
    /// The members of sets.
    PrintSets,
    /// Tags for editors.
    CTags,
    /// C++ tables that can be searched.
    SearchableTables,
    /// An encoder, as source (crate `isaglot-llvm`).
    GenEmitter,
    /// A decoder, as source (crate `isaglot-llvm`).
    GenDisassembler,
    /// Nothing.
    Null,
}

/// An invocation, taken from the command line.
#[derive(Clone, Debug, Default)]
pub struct Invocation {
    /// The input; `-` is standard input.
    pub input: String,
    /// The output; `-` is standard output.
    pub output: String,
    /// Where to write the list of included files.
    pub depfile: Option<String>,
    /// What to print.
    pub action: Action,
    /// `--class`
    pub class: String,
    /// Leave an output alone that would not change.
    pub write_if_changed: bool,
    /// Say how long each phase took.
    pub time_phases: bool,
    /// How to read.
    pub options: Options,
    /// Messages as JSON.
    pub json: bool,
    /// `RECORD.FIELD` whose origin is asked for.
    pub why: Option<String>,
    /// A selection of records.
    pub query: Option<String>,
    /// Say no more than llvm-tblgen does.
    pub plain: bool,
    /// Generated source is C, not Rust.
    pub c: bool,
}

const FLAGS: &[(&str, Action)] = &[
    ("print-records", Action::PrintRecords),
    ("print-detailed-records", Action::PrintDetailed),
    ("dump-json", Action::DumpJson),
    ("print-enums", Action::PrintEnums),
    ("print-sets", Action::PrintSets),
    ("gen-ctags", Action::CTags),
    ("gen-searchable-tables", Action::SearchableTables),
    ("gen-emitter", Action::GenEmitter),
    ("gen-disassembler", Action::GenDisassembler),
    ("null-backend", Action::Null),
];

/// Reads the arguments, without the name of the program.
///
/// # Errors
///
/// What is wrong with them.
pub fn arguments(args: &[String]) -> Result<Invocation, String> {
    let mut run = Invocation { input: "-".to_owned(), output: "-".to_owned(), ..Invocation::default() };
    let mut inputs = Vec::new();
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        let Some(option) = arg.strip_prefix('-').filter(|o| !o.is_empty()) else {
            inputs.push(arg.clone());
            continue;
        };
        let option = option.strip_prefix('-').unwrap_or(option);
        let (name, inline) = match option.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (option, None),
        };
        let mut value = |inline: Option<String>| match inline {
            Some(value) => Ok(value),
            None => rest.next().cloned().ok_or_else(|| format!("{arg}: requires a value")),
        };
        if let Some(&(_, action)) = FLAGS.iter().find(|f| f.0 == name) {
            run.action = action;
            continue;
        }
        match name {
            "o" => run.output = value(inline)?,
            "d" => run.depfile = Some(value(inline)?),
            "class" => run.class = value(inline)?,
            "why" => run.why = Some(value(inline)?),
            "lang" => match value(inline)?.as_str() {
                "rust" => run.c = false,
                "c" => run.c = true,
                other => return Err(format!("unknown language '{other}': rust or c")),
            },
            "query" => run.query = Some(value(inline)?),
            "write-if-changed" => run.write_if_changed = true,
            "time-phases" => run.time_phases = true,
            "no-warn-on-unused-template-args" => run.options.no_unused_warning = true,
            "all-errors" => run.options.all_errors = true,
            "json" => run.json = true,
            "dialect" => {
                let name = value(inline)?;
                let unknown = || format!("unknown dialect '{name}': auto, llvm19 or newest");
                run.options.dialect = Dialect::named(&name).ok_or_else(unknown)?;
            }
            "I" => run.options.include_dirs.push(value(inline)?),
            "D" => run.options.macros.push(value(inline)?),
            _ if option.starts_with('I') => run.options.include_dirs.push(option[1..].to_owned()),
            _ if option.starts_with('D') => run.options.macros.push(option[1..].to_owned()),
            _ => return Err(format!("Unknown command line argument '{arg}'")),
        }
    }
    if inputs.len() > 1 {
        return Err(format!("Too many positional arguments specified: '{}'", inputs[1]));
    }
    if let Some(input) = inputs.pop() {
        run.input = input;
    }
    run.options.trace = run.why.is_some();
    Ok(run)
}

/// Parses the input of an invocation.
pub fn read(run: &Invocation, bytes: Arc<[u8]>, loader: &mut Loader<'_>) -> Records {
    let name = if run.input == "-" { "<stdin>" } else { &run.input };
    parse(name, bytes, &run.options, loader)
}

/// Prints what the invocation asks for, but for the outputs that need instructions ([`Action::GenEmitter`] and
/// [`Action::GenDisassembler`]): those are in the crate `isaglot-llvm`.
///
/// # Errors
///
/// Those of the output.
pub fn print(run: &Invocation, records: &mut Records, out: &mut dyn Write) -> io::Result<()> {
    if let Some(path) = &run.why {
        return print_why(run, records, path, out);
    }
    if let Some(query) = &run.query {
        return print_query(run, records, query, out);
    }
    match run.action {
        Action::PrintRecords => print::print_records(records, out),
        Action::DumpJson => print::dump_json(records, out),
        Action::PrintDetailed => print::print_detailed_records(records, &run.input, out),
        Action::PrintEnums => print::print_enums(records, &run.class, out),
        Action::PrintSets => print::print_sets(records, out),
        Action::CTags => print::print_ctags(records, out),
        Action::SearchableTables => print::print_searchable_tables(records, out),
        Action::GenEmitter | Action::GenDisassembler => {
            records.fail("tblgen-action", "this output needs the crate `isaglot-llvm`");
            Ok(())
        }
        Action::Null => Ok(()),
    }
}

fn print_query(run: &Invocation, records: &mut Records, query: &str, out: &mut dyn Write) -> io::Result<()> {
    let selected = Query::parse(query).and_then(|query| {
        let defs = query.select(records)?;
        Ok(if run.json { query.json(&defs) } else { query.table(&defs).into_bytes() })
    });
    match selected {
        Ok(text) => out.write_all(&text),
        Err(why) => {
            records.fail("tblgen-query", &format!("--query: {why}"));
            Ok(())
        }
    }
}

/// What of `RECORD.FIELD` there is not, and what may be meant.
fn nothing_there(records: &Records, path: &str) -> String {
    let hint = |near: Option<&str>| near.map_or_else(String::new, |n| format!("; did you mean '{n}'?"));
    let Some((record, field)) = path.rsplit_once('.') else {
        return format!("expected RECORD.FIELD, found '{path}'");
    };
    let Some(def) = records.def(record) else {
        let names: Vec<String> = records.defs().map(|def| def.name().into_owned()).collect();
        let near = isaglot_source::closest(record, names.iter().map(String::as_str));
        return format!("there is no record '{record}'{}", hint(near));
    };
    let names: Vec<String> = def.fields().map(|(name, _)| name.into_owned()).collect();
    let near = isaglot_source::closest(field, names.iter().map(String::as_str));
    format!("the record '{record}' has no field '{field}'{}", hint(near))
}

fn print_why(run: &Invocation, records: &mut Records, path: &str, out: &mut dyn Write) -> io::Result<()> {
    let events = path.rsplit_once('.').and_then(|(record, field)| crate::why(records, record, field));
    let Some(events) = events else {
        let wrong = nothing_there(records, path);
        records.fail("tblgen-why", &format!("--why: {wrong}"));
        return Ok(());
    };
    let mut text = Vec::new();
    if run.json {
        text.push(b'[');
        for (i, e) in events.iter().enumerate() {
            text.extend(if i == 0 { b"\n".as_slice() } else { b",\n" });
            text.extend(b"{\"step\":");
            print::quote(e.sentence().as_bytes(), &mut text);
            text.extend(b",\"place\":");
            print::quote(e.place.as_bytes(), &mut text);
            text.extend(b",\"value\":");
            print::quote(e.value.as_bytes(), &mut text);
            text.push(b'}');
        }
        text.extend(b"\n]\n");
    } else {
        let last = events.last().map_or("?", |e| e.value.as_str());
        writeln!(text, "{path} = {last}")?;
        for e in &events {
            let at = if e.place.is_empty() { String::new() } else { format!(" at {}", e.place) };
            writeln!(text, "  {}{at}: {}", e.sentence(), e.value)?;
        }
    }
    out.write_all(&text)
}

/// What is to be said on standard error, from message number `from` on. Messages of the parser are written before
/// anything is printed, those of a printer after it.
pub fn messages(run: &Invocation, records: &Records, from: usize) -> Vec<u8> {
    let list = records.messages().list.get(from..).unwrap_or(&[]);
    let shown: Vec<_> = list.iter().filter(|message| run.plain || !message.follows).cloned().collect();
    if run.json { render::json(records.places(), &shown) } else { render::text(records.places(), &shown, !run.plain) }
}

/// The last line on standard error, if there were errors that did not stop the run.
pub fn summary(run: &Invocation, records: &Records, program: &str) -> String {
    let messages = records.messages();
    match if run.plain { messages.errors } else { messages.causes() } {
        errors if errors > 0 && records.parsed() && !run.json => format!("{program}: {errors} errors.\n"),
        _ => String::new(),
    }
}

/// Times of the phases of a run.
#[derive(Debug)]
pub struct Phases {
    on: bool,
    since: std::time::Instant,
    done: Vec<(&'static str, f64)>,
}

impl Phases {
    /// Starts the clock.
    pub fn new(on: bool) -> Phases {
        Phases { on, since: std::time::Instant::now(), done: Vec::new() }
    }

    /// Ends a phase.
    pub fn end(&mut self, name: &'static str) {
        let now = std::time::Instant::now();
        self.done.push((name, (now - self.since).as_secs_f64()));
        self.since = now;
    }

    /// A table of the phases, or nothing if none was asked for.
    pub fn report(&self) -> String {
        if !self.on {
            return String::new();
        }
        let total: f64 = self.done.iter().map(|d| d.1).sum();
        let mut out = String::from("  TableGen Phase Timing\n  ---Wall Time---  --- Name ---\n");
        for (name, time) in &self.done {
            out.push_str(&format!("  {time:8.4} ({:5.1}%)  {name}\n", 100.0 * time / total.max(1e-9)));
        }
        out.push_str(&format!("  {total:8.4} (100.0%)  Total\n"));
        out
    }
}

/// The options.
pub const HELP: &str = "\
USAGE: isaglot tblgen [options] [input]

The input is a file, or - for standard input. Options take one dash or two.

  --print-records            print classes and records (the default)
  --print-detailed-records   the same with the places of everything
  --dump-json                print records as JSON
  --print-enums --class C    print the names of the records of class C
  --print-sets               print the members of every record of class Set
  --gen-ctags                print an index for editors
  --gen-searchable-tables    print C++ tables, for the classes of LLVM's SearchableTable.td
  --gen-emitter              print an encoder in Rust, or with --lang c in C
  --gen-disassembler         print a decoder, likewise
  --null-backend             print nothing
  --why RECORD.FIELD         print where the value of a field came from
  --query QUERY              print the records that a query selects, for instance
                             'Instruction where Size = 4 and not isPseudo show AsmString'

  -o FILE                    write to FILE
  -I DIR                     look for included files in DIR
  -D NAME                    define a macro
  -d FILE                    write the list of included files to FILE (with -o)
  --write-if-changed         leave the output alone if it would not change
  --time-phases              say how long parsing and printing took
  --no-warn-on-unused-template-args

  --all-errors               go on after the first error
  --json                     messages as JSON, one a line; --why and --query too
  --dialect auto|llvm19|newest
                             which operators there are, and how values print; auto is
                             llvm19, or newest if the input has a newer operator

Examples:
  isaglot tblgen --dump-json wren.td -o wren.json
  isaglot tblgen --query 'Instruction show AsmString' wren.td
  isaglot tblgen --why ADD.AsmString wren.td
";
