//! The thread that owns the description and answers questions in turn.
//!
//! A decode plan belongs to a gen and a choice of features. The engine keeps the one that was asked for last; a request for
//! another one, and a description that changed, end the loop over requests and begin it anew with the right plan.

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, Sender, channel};

use isaglot::choice;
use isaglot_asm::{Names, Options, Plain, Stream};
use isaglot_codec::Plan;
use isaglot_listing_build::{Options as ListOptions, Place, build_at};
use isaglot_model::{Feature, FeatureId};
use isaglot_source::{Diagnostic, Diagnostics, SourceMap, render};
use isaglot_xe::{Description, ListOptions as XeListOptions, TextOptions, Xe};
use serde_json::{Value, json};
use tokio::sync::oneshot;

use super::ask::Asker;
use super::description::Description as Explored;
use super::limits::MAX_LINES;
use crate::cmd::xe;
use crate::load::{Chosen, Spec};
use crate::program;
use crate::subject::SubjectKind;

/// What is asked.
pub(crate) enum Question {
    /// The one box.
    Ask(String),
    /// The listing of a program.
    List(Vec<u8>),
    /// How the description is, and whether its files have changed.
    Status,
    /// A page about the description, by path.
    Page(String),
}

/// What comes back: JSON, or the bytes of a page; `None` if there is no such page.
pub(crate) enum Answer {
    Json(Value),
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
    std::thread::spawn(move || run(&spec, &receive));
    send
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
                Answer::Json(json!({ "version": version, "usable": false, "problems": description.problems }))
            }
            _ => Answer::Json(json!({ "kind": "error", "message": description.problems })),
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
        let machine = kernels.as_ref().zip(platform);
        let xe = || machine.and_then(|(description, platform)| Xe::new(description, platform));
        if is_xe && xe().is_none() {
            problems.push(Diagnostic::error("cli-gen", format!("no machine of Intel Xe has the gen {generation}")));
        }
        let mut asker = Asker::new(&plan, &self.description.files, &names, self.start.kind, xe());
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
                Question::Ask(_) | Question::List(_) if problems.has_errors() => {
                    let files = SourceMap::new();
                    let text: String = problems.iter().map(|d| render::text(&files, d, false)).collect();
                    Answer::Json(json!({ "kind": "error", "message": text }))
                }
                Question::Ask(text) => Answer::Json(asker.ask(&text)),
                Question::List(bytes) => Answer::Json(match xe() {
                    Some(mut xe) => kernels_listed(&mut xe, bytes),
                    None => listed(&usual, self.start.kind, bytes),
                }),
                Question::Status => Answer::Json(self.status(generation, newer.as_ref())),
                Question::Page(path) => {
                    let pages = pages.get_or_insert_with(|| {
                        let files = isaglot_site::site(&self.start.isa, &self.description.files);
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
        let isa = &self.start.isa;
        let gens: Vec<Value> = isa.gens().iter().map(|g| json!({ "name": g.name, "value": g.value })).collect();
        let on = |feature: &Feature| self.start.features.iter().any(|&id| std::ptr::eq(&isa[id], feature));
        let features = isa.features().iter().map(|f| json!({ "name": f.name, "default": on(f), "doc": f.doc }));
        let problems = newer.map_or(&self.description.problems, |n| &n.problems);
        let version = if newer.is_some() { format!("{}+", self.version) } else { self.version.to_string() };
        json!({
            "version": version, "usable": true, "name": isa.name(), "generation": generation, "gens": gens,
            "features": features.collect::<Vec<_>>(), "problems": problems, "bits": isa.format().max_bits,
        })
    }
}

/// The listing of a kernel of Intel Xe, cut after the first lines; several kernels, or one that is too large, as text.
fn kernels_listed(xe: &mut Xe<'_>, bytes: Vec<u8>) -> Value {
    let (mut files, mut problems) = (SourceMap::new(), Diagnostics::new());
    let input = xe::Input { platform: xe.platform, path: None, hex: false, binary: false };
    let Some(kernels) = xe::input::kernels(input, bytes, xe, &mut files, &mut problems) else {
        let text: String = problems.iter().map(|d| render::text(&files, d, false)).collect();
        return json!({ "kind": "error", "message": text });
    };
    let options = XeListOptions { defs: true, pc: true, bits: true, text: true, ..XeListOptions::default() };
    if let [kernel] = kernels.as_slice() {
        let program = xe.program(&kernel.bytes);
        if let Ok(mut listing) = xe.listing(&program, &options) {
            let whole = listing.elems.len();
            listing.elems.truncate(MAX_LINES);
            return json!({ "kind": "list", "elements": whole, "listing": listing });
        }
    }
    let mut text = Vec::new();
    for kernel in kernels {
        for line in kernel.about.iter().flat_map(|about| about.lines()) {
            text.extend_from_slice(format!("// {line}\n").as_bytes());
        }
        let program = xe.program(&kernel.bytes);
        xe.print(&program, &TextOptions::default(), &mut text);
    }
    json!({ "kind": "text", "text": String::from_utf8_lossy(&text) })
}

/// The listing of a file: of an ELF file its code, by sections as text if it has several.
fn listed(plan: &Plan<'_>, kind: SubjectKind, bytes: Vec<u8>) -> Value {
    let mut problems = Diagnostics::new();
    let parts = match program::parts("the file", bytes, kind, plan, (false, false), &mut problems) {
        Ok(parts) => parts,
        Err(d) => return json!({ "kind": "error", "message": render::text(&SourceMap::new(), &d, false) }),
    };
    if let [part] = parts.as_slice() {
        let place = Place { address: part.address, entries: part.entries(plan) };
        return list(plan, &part.bytes, &place);
    }
    let mut text = Vec::new();
    for part in &parts {
        let section = part.section.as_deref().unwrap_or_default();
        text.extend_from_slice(format!("# {section} at {:#x}\n", part.address).as_bytes());
        let options = Options { labels: true, names: true, entries: part.entries(plan), ..Options::default() };
        let mut stream = Stream::new(plan, options, part.bytes.len() as u64);
        stream.mark(&part.bytes);
        stream.feed(&part.bytes, &mut Plain, &mut text);
    }
    json!({ "kind": "text", "text": String::from_utf8_lossy(&text) })
}

/// The listing of a program, cut after the first lines.
fn list(plan: &Plan<'_>, bytes: &[u8], place: &Place) -> Value {
    let options = ListOptions { defs: true, pc: true, bits: true };
    let at = |options| build_at(plan, bytes, place.clone(), options);
    let built = at(options).or_else(|_| at(ListOptions { defs: false, ..options }));
    match built {
        Ok(mut listing) => {
            let whole = listing.elems.len();
            listing.elems.truncate(MAX_LINES);
            json!({ "kind": "list", "elements": whole, "listing": listing })
        }
        Err(_) => {
            let mut text = Vec::new();
            Stream::new(plan, Options::default(), bytes.len() as u64).feed(bytes, &mut Plain, &mut text);
            json!({ "kind": "text", "text": String::from_utf8_lossy(&text) })
        }
    }
}
