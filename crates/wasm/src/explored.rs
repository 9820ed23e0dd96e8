//! The questions of the explorer's page, which has one of its own: `explore`, and what it is about.

use isaglot::explore;
use isaglot_source::Diagnostic;

use crate::request::{Request, unknown, wrong};
use crate::session::{Loaded, Wrong, bytes};

/// The answer, as JSON.
pub(crate) fn answer(loaded: &Loaded, mut request: Request, frames: &[&[u8]]) -> Result<Vec<u8>, Wrong> {
    let what = request.needed("what")?;
    let question = explored(&what, &mut request, frames)?;
    request.end()?;
    let text = match (loaded, question) {
        #[cfg(feature = "descriptions")]
        (Loaded::Description(engine), Some(question)) => engine.explore(&question)?,
        #[cfg(feature = "descriptions")]
        (Loaded::Description(engine), None) => engine.explored()?.to_string(),
        #[cfg(feature = "spirv")]
        (Loaded::Spirv, Some(question)) => explore::spirv::answer(&question),
        #[cfg(feature = "spirv")]
        (Loaded::Spirv, None) => explore::spirv::status().to_string(),
    };
    Ok(text.into_bytes())
}

/// What can be asked of the explorer.
const EXPLORED: [&str; 7] = ["ask", "list", "mnemonics", "next", "status", "typed", "values"];

/// A question of the explorer's page; `None` for what it shows before anything is asked.
fn explored(what: &str, request: &mut Request, frames: &[&[u8]]) -> Result<Option<explore::Question>, Diagnostic> {
    Ok(Some(match what {
        "status" => return Ok(None),
        "ask" => explore::Question::Ask(request.needed("text")?),
        "typed" => explore::Question::Typed(request.needed("text")?),
        "next" => explore::Question::Next(request.needed("text")?),
        "mnemonics" => explore::Question::Mnemonics,
        "list" => {
            let first = match request.text("first")? {
                Some(text) => Some(text.parse().map_err(|_| wrong(format!("`{text}` is not a number")))?),
                None => None,
            };
            explore::Question::List { bytes: bytes(frames)?.to_vec(), defs: request.flag("defs")?, first }
        }
        "values" => {
            let table = request.needed("table")?;
            let number = request.needed("number")?;
            let number = number.parse().map_err(|_| wrong(format!("`{number}` is not a number")))?;
            explore::Question::Values(table, number)
        }
        _ => return Err(unknown(what, &EXPLORED)),
    }))
}
