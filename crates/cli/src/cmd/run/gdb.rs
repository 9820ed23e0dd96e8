//! A run under a debugger: GDB's remote protocol, over one connection of TCP.
//!
//! The machine waits for the debugger before its first instruction. While it runs, the connection is looked at between slices; a byte
//! from it is Ctrl-C. What would end the run is told first as a signal, with the machine as it was; the run ends when the debugger goes on
//! from there and nothing has changed.

mod registers;
mod target;

use std::io::{self, Write as _};
use std::net::{TcpListener, TcpStream};

use gdbstub::conn::ConnectionExt as _;
use gdbstub::stub::run_blocking::{BlockingEventLoop, Event, WaitForStopReasonError};
use gdbstub::stub::{DisconnectReason, GdbStub, SingleThreadStopReason};
use isaglot_hart::{Hart, Stop};
use isaglot_source::{Diagnostic, Diagnostics};

use self::target::Debugged;
use super::world::World;
use crate::interrupt::Stage;

/// Where it listens if nothing else is said.
pub(super) const ADDRESS: &str = "127.0.0.1:1234";

/// What has become of a run.
pub(super) enum Ended {
    /// It came to its end.
    Stopped(Stop),
    /// The debugger has gone, and the program runs on by itself, with so many instructions left.
    Alone(u64),
}

fn failed(what: impl std::fmt::Display) -> Diagnostics {
    Diagnostic::error("run-gdb", format!("the debugger: {what}")).into()
}

/// A port alone is one of this machine, and so is one after `:`.
fn place(text: &str) -> String {
    match text.strip_prefix(':').unwrap_or(text) {
        port if port.parse::<u16>().is_ok() => format!("127.0.0.1:{port}"),
        _ => text.to_owned(),
    }
}

/// Waits for a debugger.
fn connect(address: &str) -> Result<TcpStream, Diagnostics> {
    let cannot = |e: io::Error| {
        let d = Diagnostic::error("run-gdb", format!("cannot listen at `{address}`: {e}"));
        Diagnostics::from(d.note("`--gdb=PORT` listens at another port, and `--gdb=0` at any that is free"))
    };
    let listener = TcpListener::bind(place(address)).map_err(cannot)?;
    let at = listener.local_addr().map_err(cannot)?;
    // There is nobody left to tell if this fails.
    let _ = writeln!(io::stderr(), "isaglot run: waiting for a debugger: `target remote {at}`");
    let (connection, _) = listener.accept().map_err(failed)?;
    Ok(connection)
}

/// Runs as the debugger says.
pub(super) fn run(
    address: &str,
    max_steps: u64,
    moved: u64,
    hart: &mut Hart<'_>,
    stage: &Stage,
    world: &World,
) -> Result<Ended, Diagnostics> {
    let connection = connect(address)?;
    let mut last = connection.try_clone().map_err(failed)?;
    let mut target = Debugged::new(hart, max_steps, moved, stage, world);
    let result = GdbStub::new(connection).run_blocking::<Loop<'_, '_, '_>>(&mut target);
    let (stop, left) = target.end();
    match result {
        Ok(DisconnectReason::Kill) => {
            // GDB waits for an answer to `vKill`, which `gdbstub` does not give. One that has gone does not need it.
            let _ = last.write_all(b"$OK#9a");
            Err(failed("it has ended the program"))
        }
        Ok(DisconnectReason::Disconnect) => {
            hart.clear_debug();
            Ok(Ended::Alone(left))
        }
        Ok(_) => stop.map(Ended::Stopped).ok_or_else(|| failed("the connection ended")),
        Err(e) if e.is_target_error() => Err(e.into_target_error().unwrap_or_else(|| failed("the run failed"))),
        // The end was told, and a debugger that has heard it may close before its answer.
        Err(e) => stop.map(Ended::Stopped).ok_or_else(|| failed(format!("the connection was lost ({e})"))),
    }
}

/// What is done between two stops.
struct Loop<'t, 'h, 'a>(std::marker::PhantomData<&'t mut Debugged<'h, 'a>>);

impl<'t, 'h, 'a> BlockingEventLoop for Loop<'t, 'h, 'a> {
    type Target = Debugged<'h, 'a>;
    type Connection = TcpStream;
    type StopReason = SingleThreadStopReason<u64>;

    fn wait_for_stop_reason(
        target: &mut Debugged<'h, 'a>,
        connection: &mut TcpStream,
    ) -> Result<Event<Self::StopReason>, WaitForStopReasonError<Diagnostics, io::Error>> {
        loop {
            if let Some(reason) = target.slice().map_err(WaitForStopReasonError::Target)? {
                return Ok(Event::TargetStopped(reason));
            }
            if connection.peek().map_err(WaitForStopReasonError::Connection)?.is_some() {
                return connection.read().map(Event::IncomingData).map_err(WaitForStopReasonError::Connection);
            }
        }
    }

    fn on_interrupt(_: &mut Debugged<'h, 'a>) -> Result<Option<Self::StopReason>, Diagnostics> {
        Ok(Some(SingleThreadStopReason::Signal(gdbstub::common::Signal::SIGINT)))
    }
}
