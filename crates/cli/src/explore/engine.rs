//! The thread that owns the description and answers questions in turn.
//!
//! A decode plan belongs to a gen and a choice of features. The engine keeps the one that was asked for last; a request for
//! another one, and a description that changed, end the loop over requests and begin it anew with the right plan.

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, Sender, channel};

use isaglot::choice;
use isaglot::explore::{self, Asker};
use isaglot_asm::{Assembler, Compat, Names};
use isaglot_codec::Plan;
use isaglot_model::FeatureId;
use isaglot_site::explorer::{self, PAGES};
use isaglot_source::{Diagnostic, Diagnostics, SourceMap};
use isaglot_xe::{Description, Xe};
use serde_json::{Value, json};
use tokio::sync::oneshot;

use super::description::Description as Explored;
use crate::cmd::docs::{as_examples, examples};
use crate::load::{Chosen, Spec};
use crate::names::Machine;
use crate::subject::SubjectKind;

/// What is asked.
pub(crate) enum Question {
    /// About the instructions.
    Explore(explore::Question),
    /// How the description is, and whether its files have changed.
    Status,
    /// A page about the description, by path.
    Page(String),
}

/// What comes back: JSON, or the bytes of a page; `None` if there is no such page.
pub(crate) enum Answer {
    Json(String),
    Page(Option<Vec<u8>>),
}

/// A question, the choices that it is asked for, and where the answer goes.
pub(crate) struct Request {
    pub(crate) question: Question,
    /// The gen, and the features to switch on and off, as on the command line; `None` for those given at the start.
    pub(crate) choice: Option<(String, Vec<String>)>,
    pub(crate) reply: oneshot::Sender<Answer>,
}

/// Starts the engine. It ends when every sender is gone.
pub(crate) fn start(spec: Spec) -> Sender<Request> {
    let (send, receive) = channel();
    std::thread::spawn(move || match spec.source.alias() {
        Some(Ok(alias)) if matches!(alias.machine, Machine::Spirv) => spirv(&receive),
        _ => run(&spec, &receive),
    });
    send
}

/// Answers about SPIR-V: nothing of it can change, and nothing can be chosen.
fn spirv(requests: &Receiver<Request>) {
    let description = explore::spirv::description();
    let mut pages: Pages = None;
    while let Ok(request) = requests.recv() {
        let answer = match (request.question, &description) {
            (Question::Explore(question), _) => Answer::Json(explore::spirv::answer(&question)),
            (Question::Status, _) => {
                let mut told = explore::spirv::status();
                if let Value::Object(told) = &mut told {
                    told.insert("version".to_owned(), "1".into());
                    told.insert("problems".to_owned(), "".into());
                }
                Answer::Json(told.to_string())
            }
            (Question::Page(path), Some(isa)) if path == PAGES => Answer::Page(Some(explorer::pages(isa).into_bytes())),
            (Question::Page(path), Some(isa)) => {
                let pages = pages.get_or_insert_with(|| {
                    let examples = as_examples(explore::spirv::examples());
                    let options = isaglot_site::Options { explorer: true, examples };
                    let files = isaglot_site::site_with(isa, &SourceMap::new(), &options);
                    files.into_iter().map(|f| (f.path, f.bytes)).collect()
                });
                Answer::Page(pages.get(&path).cloned())
            }
            (Question::Page(_), None) => Answer::Page(None),
        };
        // Who asked may have gone.
        let _ = request.reply.send(answer);
    }
}

/// Why the loop over requests ended.
enum End {
    /// The request wants another plan.
    Choice(Request),
    /// The description changed; the request is still to be answered.
    Changed(Box<Explored>, Request),
    /// Every sender is gone.
    Closed,
}

fn run(spec: &Spec, requests: &Receiver<Request>) {
    let mut description = Box::new(Explored::read(spec));
    let mut version = 1_u64;
    let mut waiting = None;
    loop {
        let end = match &description.chosen {
            Some(start) => {
                let mut pages = None;
                loop {
                    let choice = waiting.as_ref().and_then(|r: &Request| r.choice.clone());
                    let context = Context { spec, start, description: &description, version, choice };
                    match context.serve(requests, waiting.take(), &mut pages) {
                        End::Choice(request) => waiting = Some(request),
                        end => break end,
                    }
                }
            }
            None => broken(spec, &description, version, requests, waiting.take()),
        };
        match end {
            End::Changed(new, request) => {
                version += 1;
                waiting = Some(request);
                description = new;
            }
            End::Choice(request) => waiting = Some(request),
            End::Closed => return,
        }
    }
}

/// Answers while the description cannot be used.
fn broken(
    spec: &Spec,
    description: &Explored,
    version: u64,
    requests: &Receiver<Request>,
    mut waiting: Option<Request>,
) -> End {
    loop {
        let Some(request) = waiting.take().or_else(|| requests.recv().ok()) else { return End::Closed };
        if description.changed() {
            return End::Changed(Box::new(Explored::read(spec)), request);
        }
        let answer = match request.question {
            Question::Page(_) => Answer::Page(None),
            Question::Status => {
                let told = json!({ "version": version, "usable": false, "problems": description.problems });
                Answer::Json(told.to_string())
            }
            _ => Answer::Json(json!({ "kind": "error", "message": description.problems }).to_string()),
        };
        // Who asked may have gone.
        let _ = request.reply.send(answer);
    }
}

struct Context<'c> {
    spec: &'c Spec,
    start: &'c Chosen,
    description: &'c Explored,
    version: u64,
    choice: Option<(String, Vec<String>)>,
}

type Pages = Option<BTreeMap<String, Vec<u8>>>;

impl Context<'_> {
    /// Answers with one plan for as long as it is the one that is wanted.
    fn serve(&self, requests: &Receiver<Request>, mut waiting: Option<Request>, pages: &mut Pages) -> End {
        let mut problems = Diagnostics::new();
        let (generation, features) = self.chosen(&mut problems);
        let plan = Plan::with_features(&self.start.isa, generation, &features);
        // A listing has the texts of `isaglot list`, a single word those of the instruction itself.
        let usual = Plan::with_features(&self.start.isa, generation, &features).with_aliases(self.start.aliases);
        let names = Names::default();
        let is_xe = self.start.kind == SubjectKind::Xe;
        let kernels = if is_xe { Description::embedded() } else { None };
        let platform = isaglot_xe::platform::ALL.into_iter().find(|p| p.generation() == generation);
        let found = kernels.as_ref().zip(platform);
        let mut machine = found.and_then(|(description, platform)| Xe::new(description, platform));
        if is_xe && machine.is_none() {
            problems.push(Diagnostic::error("cli-gen", format!("no machine of Intel Xe has the gen {generation}")));
        }
        let mut assembler = Assembler::new(&plan, &names, Compat::default());
        let (files, kind) = (&self.description.files, self.start.kind);
        let mut asker = Asker { plan: &plan, files, assembler: &mut assembler, kind, xe: machine.as_mut() };
        let mut newer: Option<Explored> = None;
        loop {
            let Some(request) = waiting.take().or_else(|| requests.recv().ok()) else { return End::Closed };
            // How the description is does not depend on a choice that is not named.
            let follows = matches!(request.question, Question::Status | Question::Page(_)) && request.choice.is_none();
            if !follows && request.choice != self.choice {
                return End::Choice(request);
            }
            // A description with errors is reported; the last good one still answers.
            let stale = newer.as_ref().map_or_else(|| self.description.changed(), Explored::changed);
            if matches!(request.question, Question::Status) && stale {
                let read = Explored::read(self.spec);
                if read.chosen.is_some() {
                    return End::Changed(Box::new(read), request);
                }
                newer = Some(read);
            }
            let answer = match request.question {
                Question::Explore(_) if problems.has_errors() => {
                    Answer::Json(explore::problem(&SourceMap::new(), &problems).to_string())
                }
                Question::Explore(question) => Answer::Json(explore::answer(&mut asker, &usual, &question)),
                Question::Status => Answer::Json(self.status(generation, newer.as_ref()).to_string()),
                Question::Page(path) if path == PAGES => {
                    Answer::Page(Some(explorer::pages(&self.start.isa).into_bytes()))
                }
                Question::Page(path) => {
                    let pages = pages.get_or_insert_with(|| {
                        let isa = &self.start.isa;
                        let examples = examples(isa, None, None);
                        let options = isaglot_site::Options { explorer: true, examples };
                        let files = isaglot_site::site_with(isa, &self.description.files, &options);
                        files.into_iter().map(|f| (f.path, f.bytes)).collect()
                    });
                    Answer::Page(pages.get(&path).cloned())
                }
            };
            // Who asked may have gone.
            let _ = request.reply.send(answer);
        }
    }

    /// The gen and the features of the choice.
    fn chosen(&self, problems: &mut Diagnostics) -> (u32, Vec<FeatureId>) {
        let Chosen { isa, generation, features, .. } = self.start;
        let (mut generation, mut features) = (*generation, features.clone());
        if let Some((name, changes)) = &self.choice {
            if !name.is_empty() {
                match choice::generation(isa, name) {
                    Ok(found) => generation = found,
                    Err(d) => problems.push(d),
                }
            }
            choice::toggle(isa, changes, &mut features, problems);
        }
        (generation, features)
    }

    fn status(&self, generation: u32, newer: Option<&Explored>) -> Value {
        let problems = newer.map_or(&self.description.problems, |n| &n.problems);
        let version = if newer.is_some() { format!("{}+", self.version) } else { self.version.to_string() };
        let mut told = explore::status(&self.start.isa, generation, &self.start.features);
        if let Value::Object(told) = &mut told {
            told.insert("version".to_owned(), version.into());
            told.insert("problems".to_owned(), problems.as_str().into());
        }
        told
    }
}
