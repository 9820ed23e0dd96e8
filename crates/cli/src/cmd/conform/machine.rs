//! A comparison with a machine of Intel Xe, which has a decoder of its own.

use std::process::ExitCode;

use isaglot_conform::choose::Wanted;
use isaglot_conform::limits::{GROW_WORDS_LONG, MAX_ALL_BITS};
use isaglot_conform::tool::Tool;
use isaglot_conform::xe::{Machine, choose, lengths};
use isaglot_conform::{Foreign, Report};
use isaglot_source::Diagnostic;
use isaglot_xe::Platform;

use super::Args;
use super::process::Processes;
use crate::cmd::xe;
use crate::load::{Spec, load};
use crate::session::{EXIT_INPUT, Session};

/// The findings; the exit status if there are none.
pub(super) fn compared(
    platform: Platform,
    spec: &Spec,
    tool: &Tool,
    args: &Args,
    session: &mut Session,
) -> Result<Report, ExitCode> {
    let wanted = args.wanted();
    let too_long = lengths().into_iter().rfind(|bits| wanted.all && *bits > MAX_ALL_BITS);
    super::check(&lengths(), too_long, wanted, false, tool).map_err(|d| session.wrong_usage(d))?;
    if tool.assemble.is_some() {
        let d = Diagnostic::error("conform-tool", format!("`{}` assembles", tool.name));
        return Err(session.fail(d.note("for Intel Xe only what decodes can be compared")));
    }
    // The description with its places.
    let chosen = load(spec, session).ok_or(ExitCode::from(EXIT_INPUT))?;
    asked(platform, &chosen.isa, tool, wanted).map_err(|d| session.fail(d))
}

/// Asks.
fn asked(platform: Platform, isa: &isaglot_model::Isa, tool: &Tool, wanted: Wanted) -> Result<Report, Diagnostic> {
    let description = xe::description()?;
    let (mut xe, mut chooser) = (xe::machine(&description, platform)?, xe::machine(&description, platform)?);
    let mut ours = Machine::new(&mut xe, isa);
    let mut processes = Processes;
    let mut theirs = Foreign::set_up(tool, &ours.setting(), &mut processes)?;
    super::asked(&mut ours, &mut || choose(&mut chooser, isa, wanted), &mut theirs, tool, GROW_WORDS_LONG)
}
