//! A session: one description, and the questions about it.

use isaglot::engine::{Columns, ListOptions};
#[cfg(feature = "explore")]
use isaglot::explore;
use isaglot::spec::Choice;
use isaglot::{Engine, Error, Problem};
use isaglot_model::compiled::{MAGIC, from_bytes};
use isaglot_riscv::isa_name;
use isaglot_source::{Diagnostic, SourceMap};
use serde_json::{Value, json};

use crate::answers;
use crate::message;
use crate::request::{Request, unknown, wrong};

/// What can be asked.
const QUESTIONS: [&str; 10] =
    ["about", "assemble", "columns", "decode", "disassemble", "explain", "explore", "list", "load", "mnemonics"];

/// What comes of a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The answer: JSON, text or bytes, as the question says.
    Done(Vec<u8>),
    /// What is wrong: a JSON array with an object per problem.
    Problems(String),
}

/// One description, once it is loaded.
#[derive(Debug, Default)]
pub struct Session {
    engine: Option<Engine>,
}

/// What is wrong with a question, or with what it asks about.
enum Wrong {
    Question(Diagnostic),
    Subject(Vec<Problem>),
}

impl From<Diagnostic> for Wrong {
    fn from(d: Diagnostic) -> Wrong {
        Wrong::Question(d)
    }
}

impl From<Error> for Wrong {
    fn from(e: Error) -> Wrong {
        Wrong::Subject(Problem::all(e.files(), e.problems()))
    }
}

impl Session {
    /// Answers a message ([`message`]). `docs/npm.md` lists the questions.
    pub fn ask(&mut self, message: &[u8]) -> Outcome {
        match self.answered(message) {
            Ok(answer) => Outcome::Done(answer),
            Err(Wrong::Question(d)) => Outcome::Problems(answers::problems(&[Problem::new(&SourceMap::new(), &d)])),
            Err(Wrong::Subject(problems)) => Outcome::Problems(answers::problems(&problems)),
        }
    }

    fn answered(&mut self, message: &[u8]) -> Result<Vec<u8>, Wrong> {
        let frames = message::read(message).ok_or_else(|| wrong("a length leads beyond the end".to_owned()))?;
        let (object, frames) = frames.split_first().ok_or_else(|| wrong("the question is empty".to_owned()))?;
        let mut request = Request::read(object)?;
        let asked = request.needed("do")?;
        if asked == "load" {
            // What was loaded before is let go of first, so that both are never in memory.
            self.engine = None;
            let engine = load(request, frames)?;
            let about = answers::about(&engine);
            self.engine = Some(engine);
            return Ok(about.to_string().into_bytes());
        }
        let Some(engine) = &self.engine else { return Err(wrong("no description is loaded".to_owned()).into()) };
        answer(engine, &asked, request, frames)
    }
}

/// The one frame beside the question.
fn bytes<'f>(frames: &[&'f [u8]]) -> Result<&'f [u8], Diagnostic> {
    match frames {
        [bytes] => Ok(bytes),
        _ => Err(wrong(format!("expected one run of bytes beside the question, not {}", frames.len()))),
    }
}

fn text(value: &Value) -> Vec<u8> {
    value.to_string().into_bytes()
}

fn answer(engine: &Engine, asked: &str, mut request: Request, frames: &[&[u8]]) -> Result<Vec<u8>, Wrong> {
    match asked {
        "about" => {
            request.end()?;
            Ok(text(&answers::about(engine)))
        }
        "mnemonics" => {
            let part = request.text("search")?.unwrap_or_default();
            request.end()?;
            Ok(text(&answers::mnemonics(engine, &part)))
        }
        "decode" => {
            request.end()?;
            Ok(text(&answers::instruction(&engine.decode(bytes(frames)?)?)))
        }
        "columns" => {
            request.end()?;
            let mut columns = Columns::default();
            let used = engine.decode_into(bytes(frames)?, &mut columns)?;
            let texts: Vec<&str> = (0..columns.len()).map(|row| columns.text(row)).collect();
            let (offset, size, encoding) = (&columns.offset, &columns.size, &columns.encoding);
            Ok(text(&json!({ "offset": offset, "size": size, "encoding": encoding, "text": texts, "used": used })))
        }
        "explain" => {
            let question = request.needed("question")?;
            let as_text = request.flag("text")?;
            request.end()?;
            let explained = engine.explain(&question)?;
            Ok(if as_text { explained.text } else { explained.json }.into_bytes())
        }
        "assemble" => {
            let source = request.needed("text")?;
            request.end()?;
            Ok(engine.assemble(&source)?.bytes)
        }
        "disassemble" => {
            let labels = request.flag("labels")?;
            request.end()?;
            let found = engine.disassemble(bytes(frames)?, labels)?;
            let problems = answers::all(&found.problems);
            Ok(text(&json!({ "text": found.text, "used": found.used, "problems": problems })))
        }
        #[cfg(feature = "explore")]
        "explore" => {
            let what = request.needed("what")?;
            let question = explored(&what, &mut request, frames)?;
            request.end()?;
            Ok(text(&match question {
                Some(question) => engine.explore(&question)?,
                None => engine.explored()?,
            }))
        }
        "list" => {
            let options =
                ListOptions { defs: request.flag("defs")?, pc: request.flag("pc")?, bits: request.flag("bits")? };
            request.end()?;
            let listed = engine.list(bytes(frames)?, options)?;
            let problems = answers::problems(&listed.problems);
            Ok(message::write(&problems, &[listed.json.as_bytes()]))
        }
        _ => Err(unknown(asked, &QUESTIONS).into()),
    }
}

/// What can be asked of the explorer.
#[cfg(feature = "explore")]
const EXPLORED: [&str; 7] = ["ask", "list", "mnemonics", "next", "status", "typed", "values"];

/// A question of the explorer's page; `None` for what it shows before anything is asked.
#[cfg(feature = "explore")]
fn explored(what: &str, request: &mut Request, frames: &[&[u8]]) -> Result<Option<explore::Question>, Diagnostic> {
    Ok(Some(match what {
        "status" => return Ok(None),
        "ask" => explore::Question::Ask(request.needed("text")?),
        "typed" => explore::Question::Typed(request.needed("text")?),
        "next" => explore::Question::Next(request.needed("text")?),
        "mnemonics" => explore::Question::Mnemonics,
        "list" => explore::Question::List { bytes: bytes(frames)?.to_vec(), defs: request.flag("defs")? },
        "values" => {
            let table = request.needed("table")?;
            let number = request.needed("number")?;
            let number = number.parse().map_err(|_| wrong(format!("`{number}` is not a number")))?;
            explore::Question::Values(table, number)
        }
        _ => return Err(unknown(what, &EXPLORED)),
    }))
}

/// Loads a description: what `isaglot compile` has made, or the files of one in XML, the first one first.
fn load(mut request: Request, frames: &[&[u8]]) -> Result<Engine, Wrong> {
    let names = request.texts("files")?;
    let isa = request.text("isa")?;
    let machine = request.text("xe")?;
    let mut choice = Choice {
        generation: request.text("gen")?,
        features: request.texts("features")?,
        triple: request.text("triple")?.unwrap_or_default(),
        cpu: request.text("cpu")?.unwrap_or_default(),
        aliases: request.switch("aliases")?,
        ..Choice::default()
    };
    request.end()?;
    if names.is_empty() || names.len() != frames.len() {
        let message = format!("there are {} names for {} files", names.len(), frames.len());
        return Err(wrong(message).into());
    }
    let (Some(top), Some(first)) = (names.first(), frames.first()) else {
        return Err(wrong("there is no file".to_owned()).into());
    };
    if !first.starts_with(&MAGIC) {
        if isa.is_some() {
            return Err(wrong("`isa` is for a compiled description of RISC-V".to_owned()).into());
        }
        return of_xml(&names, frames, &choice);
    }
    if names.len() > 1 {
        return Err(wrong("a compiled description is one file".to_owned()).into());
    }
    if let Some(machine) = machine {
        // The page chooses among machines by their gens.
        return over_xe(top, first, &choice.generation.unwrap_or(machine));
    }
    if let Some(isa) = isa {
        by_name(&isa, first, &mut choice)?;
    }
    Ok(Engine::compiled(top, first, &choice)?)
}

/// A description in XML, of which the first file is the top one.
#[cfg(feature = "xml")]
fn of_xml(names: &[String], frames: &[&[u8]], choice: &Choice) -> Result<Engine, Wrong> {
    let mut read = |name: &str| {
        let at = names.iter().position(|known| known == name);
        at.and_then(|at| frames.get(at)).map(|bytes| bytes.to_vec()).ok_or_else(|| "it was not given".to_owned())
    };
    let top = names.first().map_or("", String::as_str);
    Ok(Engine::read(top, &mut read, choice)?)
}

#[cfg(not(feature = "xml"))]
fn of_xml(names: &[String], _: &[&[u8]], _: &Choice) -> Result<Engine, Wrong> {
    let top = names.first().map_or("", String::as_str);
    let d = wrong(format!("`{top}` is not a compiled description"));
    Err(d.note("this engine was built without the feature `xml`").into())
}

/// A machine of Intel Xe over its description.
#[cfg(feature = "xe")]
fn over_xe(name: &str, description: &[u8], machine: &str) -> Result<Engine, Wrong> {
    Ok(Engine::compiled_xe(name, description, machine)?)
}

#[cfg(not(feature = "xe"))]
fn over_xe(_: &str, _: &[u8], machine: &str) -> Result<Engine, Wrong> {
    let d = wrong(format!("`{machine}`: this engine has no machines of Intel Xe"));
    Err(d.note("it was built without the feature `xe`").into())
}

/// What a name of RISC-V chooses within its description, as changes of the features that are on by default.
fn by_name(isa: &str, description: &[u8], choice: &mut Choice) -> Result<(), Diagnostic> {
    let named = isa_name::parse(isa).ok_or_else(|| wrong(format!("`{isa}` is not a name of RISC-V")))?;
    // What is wrong with the description is said when it is read for good.
    let Ok((_, model)) = from_bytes(description) else { return Ok(()) };
    let usual = model.features().iter().filter(|f| f.default).map(|f| format!("-{}", f.name));
    let wanted = named.features.iter().map(|name| format!("+{name}"));
    let changes = usual.chain(wanted).chain(std::mem::take(&mut choice.features)).collect();
    choice.features = changes;
    choice.generation.get_or_insert_with(|| named.xlen.bits().to_string());
    Ok(())
}
