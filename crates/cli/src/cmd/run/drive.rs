//! Runs a machine to its end: at full speed in slices, between which it looks at the output and at Ctrl-C, or one instruction at a
//! time with a line for each.

use isaglot_hart::{Hart, Level, Stop};
use isaglot_source::Diagnostics;

use super::ending::{last_lines, text_of};
#[cfg(feature = "gdb")]
use super::gdb;
use super::program::Program;
use super::world::World;
use super::{Args, Commands};
use crate::interrupt::{self, Stage};

/// Instructions between two looks at where a run is.
pub(super) const SLICE: u64 = 1 << 20;

/// Runs to the end.
pub(super) fn run(
    args: &Args,
    commands: &Commands,
    program: &Program,
    hart: &mut Hart<'_>,
    stage: &Stage,
    world: &World,
) -> Result<Stop, Diagnostics> {
    let mut left = args.max_steps;
    #[cfg(feature = "gdb")]
    if let Some(address) = &args.gdb {
        match gdb::run(address, left, program.moved, hart, stage, world)? {
            gdb::Ended::Stopped(stop) => return Ok(stop),
            gdb::Ended::Alone(rest) => left = rest,
        }
    }
    let symbols = &program.symbols;
    if args.trace { trace(left, commands, hart, stage, world) } else { untraced(left, symbols, hart, stage, world) }
}

fn untraced(
    mut left: u64,
    symbols: &[(u64, String)],
    hart: &mut Hart<'_>,
    stage: &Stage,
    world: &World,
) -> Result<Stop, Diagnostics> {
    let looking = interrupt::looking();
    loop {
        let slice = left.min(SLICE);
        let stop = hart.run(slice);
        left -= slice;
        stage.at(hart.retired(), 0);
        stage.at_address(hart.pc());
        world.look()?;
        if !matches!(stop, Stop::Limit) || left == 0 {
            return Ok(stop);
        }
        if looking.is_asked() {
            looking.say(last_lines(hart, symbols));
        }
    }
}

/// Runs one instruction at a time and prints each.
fn trace(
    mut left: u64,
    commands: &Commands,
    hart: &mut Hart<'_>,
    stage: &Stage,
    world: &World,
) -> Result<Stop, Diagnostics> {
    while left > 0 {
        let pc = hart.pc();
        stage.at(hart.retired(), 0);
        stage.at_address(pc);
        let before = hart.call_count();
        let (level, context) = (hart.level(), hart.context());
        let mut line = match hart.fetch(pc) {
            Some((word, _)) => {
                format!("{pc:#010x} {:5} {:>8} {}", level.name(), word.hex(), text_of(hart.plan(), &word))
            }
            None => format!("{pc:#010x} {:5}          no memory", level.name()),
        };
        let stop = hart.step();
        if hart.call_count() > before
            && let Some(call) = hart.calls().last()
        {
            let name = commands
                .name((level, call.context), call.rs1, call.command)
                .map_or(String::new(), |n| format!("{n} on "));
            line.push_str(&format!(
                "  # {name}{}, {} command {} = {:#x}",
                hart.device_name(call.device),
                call.sub,
                call.command,
                call.result
            ));
            if let Some(number) = context.filter(|_| level == Level::User) {
                line.push_str(&format!(" in {}", commands.context(number)));
            }
        }
        line.push('\n');
        world.say(&line)?;
        if let Some(stop) = stop {
            return Ok(stop);
        }
        left -= 1;
    }
    Ok(Stop::Limit)
}
