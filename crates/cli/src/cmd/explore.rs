//! `isaglot explore`: the local page.

use std::io::Write;
use std::net::{Ipv4Addr, TcpListener};
use std::path::PathBuf;
use std::process::ExitCode;

use isaglot_source::Diagnostic;

use crate::explore::{serve, start};
use crate::load::{Roles, RolesArgs, SpecArgs};
use crate::session::Session;

/// Explore a description in the browser: words and text answer each other.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// The description: an isaspec XML file, read again whenever it changes.
    #[arg(required_unless_present = "isa", conflicts_with = "isa")]
    spec: Option<PathBuf>,
    /// A description that comes with isaglot.
    #[arg(long, value_name = "NAME")]
    isa: Option<String>,
    #[command(flatten)]
    target: crate::target::TargetArgs,
    #[command(flatten)]
    roles: RolesArgs,
    /// What to decode for at first.
    #[arg(long = "gen", value_name = "N")]
    generation: Option<String>,
    /// Switch a feature on (`+name` or `name`) or off (`-name`); several with commas.
    #[arg(long = "feature", value_name = "LIST", value_delimiter = ',', allow_hyphen_values = true)]
    features: Vec<String>,
    /// The port on the loopback; 0 takes a free one.
    #[arg(long, default_value_t = 0)]
    port: u16,
}

/// Runs the verb, until it is interrupted.
pub(crate) fn run(args: Args, session: &mut Session) -> ExitCode {
    let spec = SpecArgs {
        spec: args.spec,
        isa: args.isa,
        generation: args.generation,
        features: args.features,
        target: args.target,
        roles: Roles::from(&args.roles),
    };
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
    match serve(listener, start(spec)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => session.fail(failed(e)),
    }
}
