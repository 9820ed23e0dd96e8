//! A session: one description, and the questions about it.

#[cfg(feature = "descriptions")]
use isaglot::{Engine, spec::Choice};
use isaglot::{Error, Problem};
use isaglot_source::{Diagnostic, SourceMap};

use crate::answers;
use crate::message;
use crate::request::{Request, unknown, wrong};

/// What can be asked.
#[cfg(feature = "package")]
const QUESTIONS: [&str; 10] =
    ["about", "assemble", "columns", "decode", "disassemble", "explain", "explore", "list", "load", "mnemonics"];
#[cfg(not(feature = "package"))]
const QUESTIONS: [&str; 2] = ["explore", "load"];

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
    loaded: Option<Loaded>,
}

/// What is asked about.
#[derive(Debug)]
pub(crate) enum Loaded {
    /// A description.
    #[cfg(feature = "descriptions")]
    Description(Engine),
    /// SPIR-V, which has none. It is not an `Engine`: the module of a page about SPIR-V is to have nothing else in it.
    #[cfg(feature = "spirv")]
    Spirv,
}

/// What is wrong with a question, or with what it asks about.
pub(crate) enum Wrong {
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
            self.loaded = None;
            let loaded = load(request, frames)?;
            // A page asks for what it shows.
            let told = match &loaded {
                #[cfg(feature = "package")]
                Loaded::Description(engine) => crate::facts::about(engine).to_string().into_bytes(),
                #[cfg(any(not(feature = "package"), feature = "spirv"))]
                _ => Vec::new(),
            };
            self.loaded = Some(loaded);
            return Ok(told);
        }
        let Some(loaded) = &self.loaded else { return Err(wrong("no description is loaded".to_owned()).into()) };
        answer(loaded, &asked, request, frames)
    }
}

/// The one frame beside the question.
pub(crate) fn bytes<'f>(frames: &[&'f [u8]]) -> Result<&'f [u8], Diagnostic> {
    match frames {
        [bytes] => Ok(bytes),
        _ => Err(wrong(format!("expected one run of bytes beside the question, not {}", frames.len()))),
    }
}

fn answer(loaded: &Loaded, asked: &str, request: Request, frames: &[&[u8]]) -> Result<Vec<u8>, Wrong> {
    #[cfg(feature = "explore")]
    if asked == "explore" {
        return crate::explored::answer(loaded, request, frames);
    }
    let _ = (&request, frames);
    match loaded {
        #[cfg(feature = "package")]
        Loaded::Description(engine) => {
            let found = crate::package::answer(engine, asked, request, frames)?;
            found.ok_or_else(|| unknown(asked, &QUESTIONS).into())
        }
        #[cfg(any(not(feature = "package"), feature = "spirv"))]
        _ => Err(unknown(asked, &QUESTIONS).into()),
    }
}

/// Loads a description: what `isaglot compile` has made, or the files of one in XML, the first one first; or SPIR-V.
fn load(mut request: Request, frames: &[&[u8]]) -> Result<Loaded, Wrong> {
    #[cfg(feature = "spirv")]
    if request.flag("spirv")? {
        request.end()?;
        return Ok(Loaded::Spirv);
    }
    #[cfg(not(feature = "spirv"))]
    if request.flag("spirv")? {
        let d = wrong("this engine does not read SPIR-V".to_owned());
        return Err(d.note("it was built without the feature `spirv`").into());
    }
    #[cfg(feature = "descriptions")]
    return described(request, frames).map(Loaded::Description);
    #[cfg(not(feature = "descriptions"))]
    {
        let _ = frames;
        Err(wrong("this engine has SPIR-V alone".to_owned()).into())
    }
}

#[cfg(feature = "descriptions")]
fn described(mut request: Request, frames: &[&[u8]]) -> Result<Engine, Wrong> {
    let names = request.texts("files")?;
    let isa = request.text("isa")?;
    let machine = request.text("xe")?;
    let choice = Choice {
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
    #[cfg(feature = "explore")]
    if let (Some(machine), [name], [first]) = (&machine, names.as_slice(), frames) {
        // The page chooses among machines by their gens.
        let machine = choice.generation.clone().unwrap_or_else(|| machine.clone());
        return Ok(Engine::of_page(name, first, &choice, Some(&machine))?);
    }
    if let Some(machine) = machine {
        let d = wrong(format!("`{machine}`: this engine has no machines of Intel Xe"));
        return Err(d.note("it was built without the feature `xe`").into());
    }
    #[cfg(feature = "package")]
    {
        crate::package::load(&names, frames, isa.as_deref(), choice)
    }
    #[cfg(not(feature = "package"))]
    match (isa, names.as_slice(), frames) {
        (None, [name], [first]) => Ok(Engine::of_page(name, first, &choice, None)?),
        (Some(_), ..) => Err(wrong("`isa` means nothing to the engine of a page".to_owned()).into()),
        _ => Err(wrong("a compiled description is one file".to_owned()).into()),
    }
}
