//! `isaglot explore`: the local page.

use std::io::Write;
use std::net::{Ipv4Addr, TcpListener};
use std::process::ExitCode;

use isaglot_source::Diagnostic;

use crate::args::{ChoiceArgs, ProcessorArgs, RolesArgs, SubjectArgs};
use crate::explore::{serve, start};
use crate::interrupt::Stage;
use crate::load::{Roles, Source, check_options};
use crate::names::Machine;
use crate::session::Session;
use crate::subject::{ABOUT, Only, SubjectKind, WORDS};

/// Explore a description in the browser: words and text answer each other. The files are read again when they change.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  isaglot explore my.xml
  isaglot explore --isa rv64gc --port 8000")]
pub(crate) struct Args {
    #[command(flatten)]
    subject: SubjectArgs,
    #[command(flatten)]
    roles: RolesArgs,
    #[command(flatten)]
    choice: ChoiceArgs,
    #[command(flatten)]
    processor: ProcessorArgs,
    /// Instructions themselves instead of aliases, in listings (TableGen).
    #[arg(long)]
    no_aliases: bool,
    /// The port on the loopback; 0 takes a free one.
    #[arg(long, default_value_t = 0)]
    port: u16,
}

/// Options for some kinds only.
pub(crate) const ONLY: &[Only] = &[ABOUT, (WORDS, &["no_aliases"])];

/// Runs the verb, until it is interrupted.
pub(crate) fn run(args: &Args, session: &mut Session) -> ExitCode {
    let mut spec = args.subject.spec();
    args.choice.put(&mut spec.choice);
    args.processor.put(&mut spec.choice);
    spec.choice.roles = Roles::from(&args.roles);
    spec.choice.aliases = args.no_aliases.then_some(false);
    spec.choice.is_gen_open = true;
    spec.choice.has_places = true;
    if let Err(d) = check_options(&spec) {
        return session.wrong_usage(d);
    }
    // What is in a file may be mended while the page is open. A file that is not there is a slip of the pen, and a name stays
    // what it is.
    if let Source::File(path) = &spec.source
        && let Err(d) = crate::io::is_there(path)
    {
        return session.fail(d);
    }
    match spec.source.alias() {
        Some(Err(d)) => return session.fail(d),
        Some(Ok(alias)) if matches!(alias.machine, Machine::Spirv) => {
            if let Err(d) = session.takes.check(SubjectKind::Spirv, &spec.source.name()) {
                return session.wrong_usage(d);
            }
        }
        _ => {}
    }
    let failed =
        |e: std::io::Error| Diagnostic::error("explore-port", format!("cannot listen on port {}: {e}", args.port));
    let listener = match TcpListener::bind((Ipv4Addr::LOCALHOST, args.port)) {
        Ok(listener) => listener,
        Err(e) => return session.fail(failed(e)),
    };
    let address = match listener.local_addr() {
        Ok(address) => address,
        Err(e) => return session.fail(failed(e)),
    };
    let mut out = std::io::stdout();
    // Standard output may be closed; the server is of use all the same.
    let _ = writeln!(out, "http://{address}/").and_then(|()| out.flush());
    let _stage = Stage::new(format!("serving http://{address}/"), "");
    session.done(serve(listener, start(spec)).map_err(failed))
}
