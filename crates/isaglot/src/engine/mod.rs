//! The engine: a description with all that is chosen of it, compiled once, owned, and shared between threads.
//!
//! The problem: programs and bindings to other languages want one value that they can keep, and the answers that the program
//! `isaglot` gives. The invariant: an answer here is the answer there, byte for byte, for every name and every form of description.
//! The method: both read descriptions through [`crate::spec`] and ask the same functions; what an engine adds is that it owns
//! (`pool.rs`) and that answers are plain data.
//!
//! ```
//! use isaglot::Engine;
//! use isaglot::spec::Choice;
//!
//! let minnow = Engine::open("minnow", &Choice::default().with_gen("v2"))?;
//! let li = minnow.decode(&[0x48, 0x14])?;
//! assert_eq!((li.mnemonic.as_str(), li.text.as_str(), li.size), ("li", "li     r2, 10", 2));
//! assert_eq!(minnow.assemble("li r2, 10\n")?.bytes, [0x48, 0x14]);
//! assert!(minnow.explain("0x1448")?.text.contains("encoding   li"));
//!
//! // An engine is cheap to clone, and threads can share it.
//! let other = minnow.clone();
//! let text = std::thread::spawn(move || other.disassemble(&[0x48, 0x14], true).map(|found| found.text)).join();
//! assert_eq!(text.unwrap().unwrap(), "li     r2, 10\n");
//! # Ok::<(), isaglot::Error>(())
//! ```

mod columns;
mod instruction;
mod pool;
#[cfg(feature = "spirv")]
mod spirv;
mod words;
#[cfg(feature = "xe")]
mod xe;

use std::fmt;
use std::sync::Arc;

use isaglot_model::Isa;
#[cfg(all(feature = "isaspec", feature = "shipped", not(feature = "spirv")))]
use isaglot_source::Diagnostic;
use isaglot_source::{Diagnostics, SourceMap};

pub use columns::Columns;
pub use instruction::{Field, Instruction, Nested, Operand, OperandKind};
pub(crate) use words::Words;

use crate::spec::{Choice, Chosen, SubjectKind, WORDS, refusal};
use crate::{Error, Problem};

/// A description with a gen and features, ready for questions. It is shared, not copied, when it is cloned.
#[derive(Clone)]
pub struct Engine {
    inner: Arc<Inner>,
}

struct Inner {
    name: String,
    machine: Machine,
    warnings: Vec<Problem>,
}

/// What is asked.
enum Machine {
    Words(Arc<Words>),
    #[cfg(feature = "xe")]
    Xe(Box<xe::Machine>),
    #[cfg(feature = "spirv")]
    Spirv,
}

/// Text of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Text {
    /// The text.
    pub text: String,
    /// How many bytes of the input it is of. What is left is less than an instruction.
    pub used: usize,
    /// What is to be said of the program: of Intel Xe and SPIR-V bad words with their places. Of others, words that are not valid
    /// instructions are lines of the text.
    pub problems: Vec<Problem>,
}

/// A program in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Assembled {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Warnings.
    pub warnings: Vec<Problem>,
}

/// Why words decode as they do.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Explained {
    /// For people, as `isaglot explain` prints it.
    pub text: String,
    /// As JSON: an array with an object per word, as `isaglot explain --json` prints it.
    #[cfg(feature = "json")]
    pub json: String,
}

/// What is wrong with a description, and what is known of it.
#[cfg(feature = "verify")]
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Checked {
    /// What was found: errors, warnings and notes.
    pub findings: Vec<Problem>,
    /// All of it as JSON, as `isaglot check --json` prints it.
    #[cfg(feature = "json")]
    pub json: String,
}

/// What to put into a listing.
#[cfg(feature = "listing")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ListOptions {
    /// Definitions, uses and live registers.
    pub defs: bool,
    /// Byte offsets.
    pub pc: bool,
    /// The words, in hexadecimal.
    pub bits: bool,
}

/// The listing of a program.
#[cfg(feature = "listing")]
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Listed {
    /// As JSON, as `isaglot list --json` prints it. [`crate::listing::read()`] makes the tree of it.
    pub json: String,
    /// What is to be said of the program.
    pub problems: Vec<Problem>,
}

impl Engine {
    /// The engine of a description by name or path, as `--isa` and `--spec` of the program take it;
    /// [`Source::parse`](crate::spec::Source::parse) says which of the two a text is.
    ///
    /// # Errors
    /// Everything that is wrong with the description or with what is chosen of it.
    #[cfg(all(feature = "isaspec", feature = "shipped", feature = "fs"))]
    pub fn open(source: &str, choice: &Choice) -> Result<Engine, Error> {
        let source = crate::spec::Source::parse(source);
        Engine::of(&crate::spec::Spec { source, choice: choice.clone() }, &crate::fs::Disk)
    }

    /// The engine of a description, whose files come from `host`.
    ///
    /// # Errors
    /// As [`Engine::open`].
    #[cfg(all(feature = "isaspec", feature = "shipped"))]
    pub fn of(spec: &crate::spec::Spec, host: &dyn crate::spec::Host) -> Result<Engine, Error> {
        use crate::spec::names::{self, Machine as Named};
        use crate::spec::{Roles, Source, load};
        let mut spec = spec.clone();
        if spec.choice.roles == Roles::Usual {
            spec.choice.roles = Roles::Wanted(None);
        }
        let name = spec.source.name();
        if let Source::Name(text) = &spec.source {
            match names::find(text)?.machine {
                #[cfg(feature = "xe")]
                Named::Xe(_) => {
                    xe::refuse(&name, &spec.choice)?;
                    let platform = names::machine(text, spec.choice.generation.as_deref())?;
                    return Ok(Engine::new(name, Machine::Xe(Box::new(xe::Machine::new(platform)?)), Vec::new()));
                }
                Named::Spirv => return Engine::spirv(name),
                _ => {}
            }
        }
        if spec.source == Source::Input {
            return Engine::spirv(name);
        }
        let (mut files, mut problems) = (SourceMap::new(), Diagnostics::new());
        let chosen = load::read_chosen(&spec, host, &mut files, &mut problems);
        Engine::made(name, chosen, files, &problems, Some(spec))
    }

    /// The engine of a description in isaspec XML: `top` is the name of its first file, and `read` gives the bytes of that file
    /// and of those that it imports. Nothing else is read.
    ///
    /// # Errors
    /// As [`Engine::open`]; `read` says why a file cannot be had.
    #[cfg(feature = "isaspec")]
    pub fn read(
        top: &str,
        read: &mut dyn FnMut(&str) -> Result<Vec<u8>, String>,
        choice: &Choice,
    ) -> Result<Engine, Error> {
        let (mut files, mut problems) = (SourceMap::new(), Diagnostics::new());
        let named = crate::spec::Named::default();
        let roles = words::roles_for(top, &choice.roles);
        let overlay =
            roles.as_ref().map(|(name, text)| isaglot_isaspec::Overlay { name, bytes: text.as_bytes(), partial: true });
        let isa = isaglot_isaspec::load_with_roles(&mut files, top, overlay, read, &mut problems);
        let chosen = isa.and_then(|isa| crate::spec::resolve(choice, &named, isa, &mut problems));
        Engine::made(top.to_owned(), chosen, files, &problems, None)
    }

    /// The engine of what `isaglot compile` made of a description. Nothing is read, so it is not known whether its sources have
    /// changed, and places are not known.
    ///
    /// # Errors
    /// As [`Engine::open`], and if the bytes are damaged or of another version.
    #[cfg(feature = "compiled")]
    pub fn compiled(name: &str, bytes: &[u8], choice: &Choice) -> Result<Engine, Error> {
        let (files, mut problems) = (SourceMap::new(), Diagnostics::new());
        let read = crate::spec::compiled::parse(name, bytes, &mut problems);
        let named = crate::spec::Named::default();
        let chosen = read
            .and_then(|(header, isa)| crate::spec::compiled::choose(name, header, isa, choice, &named, &mut problems));
        Engine::made(name.to_owned(), chosen, files, &problems, None)
    }

    /// The engine of a description that is there already, with the files that its places are in.
    #[must_use]
    pub fn with(chosen: Chosen, files: SourceMap) -> Engine {
        Engine::sharing(&Arc::new(Words::new(chosen, files, None)))
    }

    /// The engine of a description that another one shares.
    pub(crate) fn sharing(words: &Arc<Words>) -> Engine {
        let name = words.chosen().isa.name().to_owned();
        Engine::new(name, Machine::Words(Arc::clone(words)), Vec::new())
    }

    fn made(
        name: String,
        chosen: Option<Chosen>,
        files: SourceMap,
        problems: &Diagnostics,
        spec: Option<crate::spec::Spec>,
    ) -> Result<Engine, Error> {
        let told = crate::spec::told(problems);
        let Some(chosen) = chosen.filter(|_| !told.has_errors()) else { return Err(Error::new(files, told)) };
        let warnings = Problem::all(&files, &told);
        Ok(Engine::new(
            name,
            Machine::Words(Arc::new(Words::new(chosen, files, spec).found(problems.clone()))),
            warnings,
        ))
    }

    fn new(name: String, machine: Machine, warnings: Vec<Problem>) -> Engine {
        Engine { inner: Arc::new(Inner { name, machine, warnings }) }
    }

    /// The engine of SPIR-V, which needs no description.
    #[cfg(feature = "spirv")]
    #[must_use]
    pub fn of_spirv() -> Engine {
        Engine::new("spirv".to_owned(), Machine::Spirv, Vec::new())
    }

    #[cfg(all(feature = "isaspec", feature = "shipped", feature = "spirv"))]
    fn spirv(name: String) -> Result<Engine, Error> {
        Ok(Engine::new(name, Machine::Spirv, Vec::new()))
    }

    #[cfg(all(feature = "isaspec", feature = "shipped", not(feature = "spirv")))]
    fn spirv(name: String) -> Result<Engine, Error> {
        let d = Diagnostic::error("cli-subject", format!("`{name}`: this build does not read SPIR-V"));
        Err(d.note("it was built without the feature `spirv`").into())
    }

    /// What it was asked for by.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.inner.name
    }

    /// What its assembly is.
    #[must_use]
    pub fn kind(&self) -> SubjectKind {
        match &self.inner.machine {
            Machine::Words(words) => words.chosen().kind,
            #[cfg(feature = "xe")]
            Machine::Xe(_) => SubjectKind::Xe,
            #[cfg(feature = "spirv")]
            Machine::Spirv => SubjectKind::Spirv,
        }
    }

    /// What is to be said of the description and the choices, although it can be used.
    #[must_use]
    pub fn warnings(&self) -> &[Problem] {
        &self.inner.warnings
    }

    /// The model; `None` of SPIR-V and Intel Xe.
    #[must_use]
    pub fn isa(&self) -> Option<&Isa> {
        self.chosen().map(|chosen| &chosen.isa)
    }

    /// The gen that is decoded for, as a number; `None` of SPIR-V.
    #[must_use]
    pub fn generation(&self) -> Option<u32> {
        match &self.inner.machine {
            Machine::Words(words) => Some(words.chosen().generation),
            #[cfg(feature = "xe")]
            Machine::Xe(xe) => Some(xe.platform().generation()),
            #[cfg(feature = "spirv")]
            Machine::Spirv => None,
        }
    }

    /// The names of the features that are on, with those that they imply.
    #[must_use]
    pub fn features(&self) -> Vec<&str> {
        match &self.inner.machine {
            Machine::Words(words) => {
                let isa = &words.chosen().isa;
                words.plan().features().map(|f| isa[f].name.as_str()).collect()
            }
            #[cfg(any(feature = "xe", feature = "spirv"))]
            _ => Vec::new(),
        }
    }

    /// The mnemonic and the name of each encoding, by the numbers that [`Columns::encoding`] has.
    #[must_use]
    pub fn encodings(&self) -> Vec<(&str, &str)> {
        match &self.inner.machine {
            Machine::Words(words) => names_of(&words.chosen().isa),
            #[cfg(feature = "xe")]
            Machine::Xe(xe) => xe.placed().map(|words| names_of(&words.chosen().isa)).unwrap_or_default(),
            #[cfg(feature = "spirv")]
            Machine::Spirv => Vec::new(),
        }
    }

    fn chosen(&self) -> Option<&Chosen> {
        match &self.inner.machine {
            Machine::Words(words) => Some(words.chosen()),
            #[cfg(any(feature = "xe", feature = "spirv"))]
            _ => None,
        }
    }

    #[cfg_attr(not(feature = "spirv"), allow(dead_code))]
    fn refused(&self, what: &str) -> Error {
        refusal(what, WORDS, &self.inner.name).into()
    }

    /// The instruction that the bytes begin with; further bytes are not looked at.
    ///
    /// # Errors
    /// `decode-short` if there are fewer bytes than an instruction has, `decode-none` if no encoding matches, `decode-conflict` if two
    /// do; of SPIR-V, which has no instructions that stand alone, `cli-subject`.
    pub fn decode(&self, bytes: &[u8]) -> Result<Instruction, Error> {
        match &self.inner.machine {
            Machine::Words(words) => words.decode(bytes),
            #[cfg(feature = "xe")]
            Machine::Xe(xe) => xe.decode(bytes),
            #[cfg(feature = "spirv")]
            Machine::Spirv => Err(self.refused("`decode`")),
        }
    }

    /// Adds the instructions of a run of bytes to columns, and gives how many bytes that were. What is left is less than an
    /// instruction. Nothing is allocated but what the columns grow by.
    ///
    /// # Errors
    /// If the texts have more than 4 GiB in all; of SPIR-V, `cli-subject`.
    pub fn decode_into(&self, bytes: &[u8], columns: &mut Columns) -> Result<usize, Error> {
        match &self.inner.machine {
            Machine::Words(words) => words.decode_into(bytes, columns),
            #[cfg(feature = "xe")]
            Machine::Xe(xe) => xe.decode_into(bytes, columns),
            #[cfg(feature = "spirv")]
            Machine::Spirv => Err(self.refused("`decode`")),
        }
    }

    /// The text of a program, as `isaglot disasm` prints it; with labels as `isaglot disasm --labels` does. The text of Intel Xe has
    /// labels always, and that of SPIR-V is what `isaglot spirv dis` prints.
    ///
    /// # Errors
    /// Of SPIR-V what is wrong with the module.
    pub fn disassemble(&self, bytes: &[u8], labels: bool) -> Result<Text, Error> {
        match &self.inner.machine {
            Machine::Words(words) => Ok(words.disassemble(bytes, labels)),
            #[cfg(feature = "xe")]
            Machine::Xe(xe) => xe.disassemble(bytes),
            #[cfg(feature = "spirv")]
            Machine::Spirv => spirv::disassemble(bytes),
        }
    }

    /// The text of a program, handed on in pieces: `options` say how it is printed, and `hooks`, if there are any, take part. It ends
    /// early when `write` gives false. Gives how many bytes of the input it is of, and what is to be said of the program.
    ///
    /// # Errors
    /// `cli-subject` if hooks, named places or other choices of descriptions are given for Intel Xe or SPIR-V; of SPIR-V what is wrong
    /// with the module.
    pub fn disassemble_to(
        &self,
        bytes: &[u8],
        options: &isaglot_asm::Options,
        hooks: Option<&mut dyn isaglot_asm::Hooks>,
        write: &mut dyn FnMut(&[u8]) -> bool,
    ) -> Result<(usize, Vec<Problem>), Error> {
        match &self.inner.machine {
            Machine::Words(words) => {
                let plain = &mut isaglot_asm::Plain;
                Ok((words.disassemble_to(bytes, options.clone(), hooks.unwrap_or(plain), write), Vec::new()))
            }
            #[cfg(any(feature = "xe", feature = "spirv"))]
            _ => {
                let usual = isaglot_asm::Options { labels: options.labels, ..isaglot_asm::Options::default() };
                if hooks.is_some() || *options != usual {
                    let what = "a choice about the text";
                    return Err(refusal(what, crate::spec::DESCRIPTIONS, &self.inner.name).into());
                }
                let found = self.disassemble(bytes, options.labels)?;
                write(found.text.as_bytes());
                Ok((found.used, found.problems))
            }
        }
    }

    /// The bytes of a program, as `isaglot asm` makes them (`isaglot spirv as` of SPIR-V).
    ///
    /// # Errors
    /// Everything that is wrong with the text, each with line and column in the file `<text>`.
    pub fn assemble(&self, text: &str) -> Result<Assembled, Error> {
        match &self.inner.machine {
            Machine::Words(words) => words.assemble(text),
            #[cfg(feature = "xe")]
            Machine::Xe(xe) => xe.assemble(text),
            #[cfg(feature = "spirv")]
            Machine::Spirv => spirv::assemble(text),
        }
    }

    /// Why a word decodes as it does, or what comes nearest; of assembly, each word that it makes. A word is hex (`0x1448` or just
    /// digits), binary (`0b…`), or bytes in memory order (`48:14`). A mnemonic wins over hex digits.
    ///
    /// # Errors
    /// What is wrong with the number, or with the assembly.
    pub fn explain(&self, question: &str) -> Result<Explained, Error> {
        match &self.inner.machine {
            Machine::Words(words) => words.explain(question),
            #[cfg(feature = "xe")]
            Machine::Xe(xe) => xe.explain(question),
            #[cfg(feature = "spirv")]
            Machine::Spirv => Err(self.refused("`isaglot explain`")),
        }
    }

    /// What is wrong with the description, for its gen and features, with witness words: as `isaglot check` finds it.
    ///
    /// # Errors
    /// Of SPIR-V, which has no description.
    #[cfg(feature = "verify")]
    pub fn check(&self) -> Result<Checked, Error> {
        match &self.inner.machine {
            Machine::Words(words) => Ok(words.check()),
            #[cfg(feature = "xe")]
            Machine::Xe(xe) => Ok(xe.placed()?.check()),
            #[cfg(feature = "spirv")]
            Machine::Spirv => Err(refusal("`isaglot check`", crate::spec::DESCRIPTIONS, &self.inner.name).into()),
        }
    }

    /// The listing of a program: instructions taken apart, blocks and their edges, definitions, uses and live registers.
    ///
    /// # Errors
    /// If there are more definitions and uses than a listing holds; of SPIR-V what is wrong with the module.
    #[cfg(feature = "listing")]
    pub fn list(&self, bytes: &[u8], options: ListOptions) -> Result<Listed, Error> {
        match &self.inner.machine {
            Machine::Words(words) => words.list(bytes, options),
            #[cfg(feature = "xe")]
            Machine::Xe(xe) => xe.list(bytes, options),
            #[cfg(feature = "spirv")]
            Machine::Spirv => spirv::list(bytes, options),
        }
    }
}

/// The mnemonic and the name of each encoding.
fn names_of(isa: &Isa) -> Vec<(&str, &str)> {
    isa.encodings().iter().map(|e| (&*e.display_name, isa.text(e.name))).collect()
}

#[cfg(feature = "explore")]
impl Engine {
    /// The explorer's answer to a question, as [`crate::explore::answer`] gives it.
    ///
    /// # Errors
    /// Of SPIR-V, without the feature `spirv-listing`.
    pub fn explore(&self, question: &crate::explore::Question) -> Result<String, Error> {
        match &self.inner.machine {
            Machine::Words(words) => Ok(words.explore(question)),
            #[cfg(feature = "xe")]
            Machine::Xe(xe) => xe.explore(question),
            #[cfg(feature = "spirv-listing")]
            Machine::Spirv => Ok(crate::explore::spirv::answer(question)),
            #[cfg(all(feature = "spirv", not(feature = "spirv-listing")))]
            Machine::Spirv => Err(self.refused("`isaglot explore`")),
        }
    }

    /// What the explorer shows of the description before anything is asked ([`crate::explore::status`]).
    ///
    /// # Errors
    /// As [`Engine::explore`].
    pub fn explored(&self) -> Result<serde_json::Value, Error> {
        let of = |words: &Words| {
            let Chosen { isa, generation, .. } = words.chosen();
            let on: Vec<isaglot_model::FeatureId> = words.plan().features().collect();
            crate::explore::status(isa, *generation, &on)
        };
        match &self.inner.machine {
            Machine::Words(words) => Ok(of(words)),
            #[cfg(feature = "xe")]
            Machine::Xe(xe) => Ok(of(xe.placed()?)),
            #[cfg(feature = "spirv-listing")]
            Machine::Spirv => Ok(crate::explore::spirv::status()),
            #[cfg(all(feature = "spirv", not(feature = "spirv-listing")))]
            Machine::Spirv => Err(self.refused("`isaglot explore`")),
        }
    }

    /// The engine of a page: of a description that `isaglot docs --explorer` has put beside it, so that the bytes are known to be those of
    /// `isaglot compile`. What they mean is not checked again ([`isaglot_model::compiled::from_known_bytes`]). `machine` is the name or the gen
    /// of a machine of Intel Xe, whose description it then is.
    ///
    /// # Errors
    /// If the bytes are damaged or of another version; no machine has this name or gen; or the choice is wrong.
    #[cfg(feature = "compiled")]
    pub fn of_page(name: &str, bytes: &[u8], choice: &Choice, machine: Option<&str>) -> Result<Engine, Error> {
        let (files, mut problems) = (SourceMap::new(), Diagnostics::new());
        let Some((header, isa)) = crate::spec::compiled::known(name, bytes, &mut problems) else {
            return Err(Error::new(files, problems));
        };
        if let Some(machine) = machine {
            return Engine::machine_of_page(name, isa, machine);
        }
        let named = crate::spec::Named::default();
        let chosen = crate::spec::compiled::choose(name, header, isa, choice, &named, &mut problems);
        Engine::made(name.to_owned(), chosen, files, &problems, None)
    }

    #[cfg(all(feature = "xe", feature = "compiled"))]
    fn machine_of_page(name: &str, isa: Isa, machine: &str) -> Result<Engine, Error> {
        let machine = xe::Machine::over(isa, machine)?;
        Ok(Engine::new(name.to_owned(), Machine::Xe(Box::new(machine)), Vec::new()))
    }

    #[cfg(all(not(feature = "xe"), feature = "compiled"))]
    fn machine_of_page(_: &str, _: Isa, machine: &str) -> Result<Engine, Error> {
        let d = isaglot_source::Diagnostic::error(
            "cli-subject",
            format!("`{machine}`: this engine has no machines of Intel Xe"),
        );
        Err(d.note("it was built without the feature `xe`").into())
    }
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine").field("name", &self.inner.name).field("kind", &self.kind()).finish_non_exhaustive()
    }
}
