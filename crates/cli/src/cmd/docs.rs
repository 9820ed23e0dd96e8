//! `isaglot docs`: pages about a description, as a folder that any browser reads without a server; what they show as data, and in the
//! form that Compiler Explorer takes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use isaglot::spec::Choice;
use isaglot::spec::names::{Alias, Machine};
use isaglot_model::{EncodingId, FeatureId, Isa};
use isaglot_site::Example;
use isaglot_source::{Diagnostic, Diagnostics, SourceMap};
use serde_json::{Value, json};

use crate::args::{ChoiceArgs, ProcessorArgs, RolesArgs, SubjectArgs};
use crate::interrupt::Stage;
use crate::io::unwritable;
use crate::load::{Roles, Spec, check_options, read_chosen, read_open};
use crate::progress::Progress;
use crate::schema;
use crate::session::{EXIT_INPUT, Session};
use crate::subject::{ABOUT, Only, SubjectKind};

/// Write pages about a description, or about what a gen and features have of it: one per instruction, with bit diagrams.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  isaglot docs my.xml -o pages
  isaglot docs --isa rv64gc -o pages
  isaglot docs --isa minnow --explorer --engine isaglot-explorer.wasm -o pages  # needs engine
  isaglot docs --isa rv64gc --json -o rv64gc.json
  isaglot docs --isa rv64gc --ce --url https://example.org/rv64gc/ -o asm-docs-rv64gc.ts")]
pub(crate) struct Args {
    #[command(flatten)]
    subject: SubjectArgs,
    #[command(flatten)]
    choice: ChoiceArgs,
    #[command(flatten)]
    processor: ProcessorArgs,
    #[command(flatten)]
    roles: RolesArgs,
    /// The folder for the pages; made if it is missing. Files of other names in it stay. With --json and --ce the file, instead of standard
    /// output.
    #[arg(short, long, value_name = "DIR", required_unless_present_any = ["json", "ce"])]
    output: Option<PathBuf>,
    /// With the explorer: a page that takes words apart, assembles and lists, from the folder alone. The engine is in it as WebAssembly.
    #[arg(long)]
    explorer: bool,
    /// The engine, as `cargo xtask wasm --explorer` makes it; without it `isaglot-explorer.wasm` beside the program, for machines of
    /// Intel Xe `isaglot-explorer-xe.wasm`, for SPIR-V `isaglot-explorer-spirv.wasm`.
    #[arg(long, value_name = "FILE", requires = "explorer")]
    engine: Option<PathBuf>,
    /// What the pages show, as JSON: instructions with fields, texts and examples, enums, registers.
    #[arg(long, conflicts_with_all = ["ce", "explorer"])]
    json: bool,
    /// What each opcode is, as the TypeScript that Compiler Explorer has in `lib/asm-docs/generated`.
    #[arg(long, conflicts_with = "explorer")]
    ce: bool,
    /// Where the pages are on the web: the addresses of opcodes lead there.
    #[arg(long, value_name = "URL", requires = "ce")]
    url: Option<String>,
}

/// Options for some kinds only.
pub(crate) const ONLY: &[Only] = &[ABOUT];

/// Runs the verb.
pub(crate) fn run(args: &Args, session: &mut Session) -> ExitCode {
    let mut spec = args.subject.spec();
    args.choice.put(&mut spec.choice);
    args.processor.put(&mut spec.choice);
    spec.choice.roles = Roles::from(&args.roles);
    if let Err(d) = check_options(&spec) {
        return session.wrong_usage(d);
    }
    if let Some(Ok(Alias { machine: Machine::Spirv, .. })) = spec.source.alias() {
        return spirv(&spec, args, session);
    }
    let mut problems = Diagnostics::new();
    let read = read_open(&spec, &mut session.files, &mut problems);
    if problems.has_errors() {
        session.report(&problems);
    }
    let Some((mut isa, generation, features)) = read else { return ExitCode::from(EXIT_INPUT) };
    if let Some(doubt) = generation.and_then(|_| isaglot::choice::doubt(&isa, generation)) {
        return session.done(Err(doubt));
    }
    if spec.source.chooses() {
        isa = isa.named(spec.source.name());
    }
    // Read before anything is written.
    let explorer = match args.explorer.then(|| Explorer::read(&spec, args.engine.as_deref(), session)) {
        None => None,
        Some(Ok(Some(explorer))) => Some(explorer),
        Some(Ok(None)) => return ExitCode::from(EXIT_INPUT),
        Some(Err(d)) => return session.fail(d),
    };
    let isa = isa.restricted(generation, features.as_deref());
    let examples = |isa: &Isa| examples(isa, generation, features.as_deref());
    put(args, &isa, explorer.as_ref(), &examples, session)
}

/// Writes what is wanted of a description: pages, or what they show as data.
fn put(
    args: &Args,
    isa: &Isa,
    explorer: Option<&Explorer>,
    examples: &dyn Fn(&Isa) -> BTreeMap<EncodingId, Vec<Example>>,
    session: &mut Session,
) -> ExitCode {
    if args.ce {
        let base = args.url.as_deref().unwrap_or_default();
        let base = if base.is_empty() || base.ends_with('/') { base.to_owned() } else { format!("{base}/") };
        let text = isaglot_site::asm_docs::text(isa, &base);
        return session.done(crate::io::write(args.output.as_deref(), false, text.as_bytes()));
    }
    let stage = Stage::new("making pages", "");
    let options = isaglot_site::Options { explorer: explorer.is_some(), examples: examples(isa) };
    let Some(output) = args.output.as_deref().filter(|_| !args.json) else {
        let data = schema::marked(schema::DOCS, isaglot_site::data::of(isa, &session.files, &options));
        drop(stage);
        return session.done(crate::io::write(args.output.as_deref(), false, format!("{data:#}\n").as_bytes()));
    };
    let mut pages = isaglot_site::site_with(isa, &session.files, &options);
    if let Some(explorer) = explorer {
        let Explorer { engine, description, load } = explorer;
        pages.extend(isaglot_site::explorer::files(isa, engine, description, load));
    }
    drop(stage);
    session.done(write(output, &pages))
}

/// Pages about SPIR-V, whose grammar is in the program.
fn spirv(spec: &Spec, args: &Args, session: &mut Session) -> ExitCode {
    if let Err(d) = session.takes.check(SubjectKind::Spirv, &spec.source.name()) {
        return session.wrong_usage(d);
    }
    let engine = match args.explorer.then(|| module(args.engine.as_deref(), "spirv")).transpose() {
        Ok(engine) => engine,
        Err(d) => return session.fail(d),
    };
    let load = json!({ "do": "load", "spirv": true });
    let explorer = engine.map(|engine| Explorer { engine, description: Vec::new(), load });
    let Some(isa) = isaglot::explore::spirv::description() else {
        return session.fail(Diagnostic::error("spirv-description", "the grammar in the program cannot be shown"));
    };
    put(args, &isa, explorer.as_ref(), &|_| as_examples(isaglot::explore::spirv::examples()), session)
}

/// Words of each instruction with their texts.
pub(crate) fn examples(
    isa: &Isa,
    generation: Option<u32>,
    features: Option<&[FeatureId]>,
) -> BTreeMap<EncodingId, Vec<Example>> {
    as_examples(isaglot::explore::examples(isa, generation, features))
}

/// Words with their texts, as pages take them.
pub(crate) fn as_examples(found: BTreeMap<EncodingId, Vec<(String, String)>>) -> BTreeMap<EncodingId, Vec<Example>> {
    let example = |(word, text)| Example { word, text };
    found.into_iter().map(|(id, rows)| (id, rows.into_iter().map(example).collect())).collect()
}

/// What the explorer of a folder needs: the module, the compiled description, and the question that loads it.
struct Explorer {
    engine: Vec<u8>,
    description: Vec<u8>,
    load: Value,
}

/// The first bytes of a WebAssembly module.
const WASM: &[u8] = b"\0asm";

impl Explorer {
    /// Reads the engine, and the description whole. `None` if there were errors, which are reported.
    fn read(spec: &Spec, engine: Option<&Path>, session: &mut Session) -> Result<Option<Explorer>, Diagnostic> {
        let machine = match spec.source.alias() {
            Some(Ok(Alias { machine: Machine::Xe(platform), .. })) => Some(platform),
            _ => None,
        };
        let engine = module(engine, if machine.is_some() { "xe" } else { "" })?;
        let (mut files, mut problems) = (SourceMap::new(), Diagnostics::new());
        let Some(whole) = super::compile::whole(spec, &mut files, &mut problems) else {
            session.report(&problems);
            return Ok(None);
        };
        if problems.has_errors() {
            session.report(&problems);
            return Ok(None);
        }
        let Choice { triple, cpu, aliases, features, .. } = &spec.choice;
        let mut load = json!({ "do": "load", "files": ["description.isa"], "aliases": aliases });
        let Value::Object(members) = &mut load else { return Ok(None) };
        if let Some(platform) = machine {
            members.insert("xe".to_owned(), isaglot::spec::names::of(platform).into());
        } else if whole.triples.is_some() {
            members.insert("triple".to_owned(), triple.as_str().into());
            members.insert("cpu".to_owned(), cpu.as_str().into());
            members.insert("features".to_owned(), features.clone().into());
        } else {
            // Pages about all gens have an explorer that begins with one of them.
            let mut open = spec.clone();
            open.choice.is_gen_open = true;
            let Some(chosen) = read_chosen(&open, &mut files, &mut problems) else {
                session.report(&problems);
                return Ok(None);
            };
            let on: Vec<FeatureId> = chosen.plan().features().collect();
            members.insert("gen".to_owned(), chosen.generation.to_string().into());
            members.insert("features".to_owned(), isaglot::explore::switched(&whole.isa, &on).into());
        }
        Ok(Some(Explorer { engine, description: super::compile::alone(&whole), load }))
    }
}

/// The module that was named, or the one beside the program: `kind` is what its engine has that not every engine has, or nothing.
fn module(named: Option<&Path>, kind: &str) -> Result<Vec<u8>, Diagnostic> {
    let (usual, flag) = match kind {
        "" => ("isaglot-explorer.wasm".to_owned(), "--explorer".to_owned()),
        _ => (format!("isaglot-explorer-{kind}.wasm"), format!("--{kind}")),
    };
    let path = match named {
        Some(path) => path.to_owned(),
        None => {
            let program = std::env::current_exe().ok();
            let beside = program.and_then(|p| p.parent().map(|dir| dir.join(&usual))).filter(|path| path.is_file());
            beside.ok_or_else(|| {
                let d = Diagnostic::error("docs-engine", format!("there is no `{usual}` beside the program"));
                d.note(format!("`cargo xtask wasm {flag}` makes it in target/wasm; `--engine FILE` names it"))
            })?
        }
    };
    let bytes = crate::io::read(Some(&path))?;
    if !bytes.starts_with(WASM) {
        let d = Diagnostic::error("docs-engine", format!("{}: not a WebAssembly module", path.display()));
        return Err(d.note(format!("expected `{usual}` as `cargo xtask wasm` makes it")));
    }
    Ok(bytes)
}

fn write(dir: &Path, files: &[isaglot_site::File]) -> Result<(), Diagnostic> {
    let folders: BTreeSet<PathBuf> =
        files.iter().filter_map(|f| dir.join(&f.path).parent().map(Path::to_owned)).collect();
    for folder in &folders {
        std::fs::create_dir_all(folder).map_err(|e| unwritable(&folder.display().to_string(), &e))?;
    }
    let mut progress = Progress::new("writing pages", "page");
    for (file, done) in files.iter().zip(0..) {
        progress.at(done, files.len());
        crate::io::write(Some(&dir.join(&file.path)), false, &file.bytes)?;
    }
    Ok(())
}
