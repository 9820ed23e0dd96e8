//! The questions of the npm package, and what it loads: what `isaglot compile` has made, and descriptions in XML. Nothing that it is given is
//! trusted.

use isaglot::Engine;
use isaglot::engine::{Columns, ListOptions};
use isaglot::spec::Choice;
use isaglot_model::compiled::{MAGIC, from_bytes};
use isaglot_riscv::isa_name;
use isaglot_source::Diagnostic;
use serde_json::{Value, json};

use crate::answers;
use crate::facts;
use crate::message;
use crate::request::{Request, wrong};
use crate::session::{Wrong, bytes};

fn text(value: &Value) -> Vec<u8> {
    value.to_string().into_bytes()
}

/// The answer to a question of the package; `None` if there is no such question.
pub(crate) fn answer(
    engine: &Engine,
    asked: &str,
    mut request: Request,
    frames: &[&[u8]],
) -> Result<Option<Vec<u8>>, Wrong> {
    Ok(Some(match asked {
        "about" => {
            request.end()?;
            text(&facts::about(engine))
        }
        "mnemonics" => {
            let part = request.text("search")?.unwrap_or_default();
            request.end()?;
            text(&facts::mnemonics(engine, &part))
        }
        "decode" => {
            request.end()?;
            text(&facts::instruction(&engine.decode(bytes(frames)?)?))
        }
        "columns" => {
            request.end()?;
            let mut columns = Columns::default();
            let used = engine.decode_into(bytes(frames)?, &mut columns)?;
            let texts: Vec<&str> = (0..columns.len()).map(|row| columns.text(row)).collect();
            let (offset, size, encoding) = (&columns.offset, &columns.size, &columns.encoding);
            text(&json!({ "offset": offset, "size": size, "encoding": encoding, "text": texts, "used": used }))
        }
        "explain" => {
            let question = request.needed("question")?;
            let as_text = request.flag("text")?;
            request.end()?;
            let explained = engine.explain(&question)?;
            if as_text { explained.text } else { explained.json }.into_bytes()
        }
        "assemble" => {
            let source = request.needed("text")?;
            request.end()?;
            engine.assemble(&source)?.bytes
        }
        "disassemble" => {
            let labels = request.flag("labels")?;
            request.end()?;
            let found = engine.disassemble(bytes(frames)?, labels)?;
            let problems = answers::all(&found.problems);
            text(&json!({ "text": found.text, "used": found.used, "problems": problems }))
        }
        "list" => {
            let options =
                ListOptions { defs: request.flag("defs")?, pc: request.flag("pc")?, bits: request.flag("bits")? };
            request.end()?;
            let listed = engine.list(bytes(frames)?, options)?;
            let problems = answers::problems(&listed.problems);
            message::write(&problems, &[listed.json.as_bytes()])
        }
        _ => return Ok(None),
    }))
}

/// Loads a description, of which the first file is the top one.
pub(crate) fn load(names: &[String], frames: &[&[u8]], isa: Option<&str>, mut choice: Choice) -> Result<Engine, Wrong> {
    let (Some(top), Some(first)) = (names.first(), frames.first()) else {
        return Err(wrong("there is no file".to_owned()).into());
    };
    if !first.starts_with(&MAGIC) {
        if isa.is_some() {
            return Err(wrong("`isa` is for a compiled description of RISC-V".to_owned()).into());
        }
        return of_xml(names, frames, &choice);
    }
    if names.len() > 1 {
        return Err(wrong("a compiled description is one file".to_owned()).into());
    }
    if let Some(isa) = isa {
        by_name(isa, first, &mut choice)?;
    }
    Ok(Engine::compiled(top, first, &choice)?)
}

/// A description in XML, of which the first file is the top one.
#[cfg(feature = "xml")]
fn of_xml(names: &[String], frames: &[&[u8]], choice: &Choice) -> Result<Engine, Wrong> {
    let mut read = |name: &str| {
        let at = names.iter().position(|known| known == name);
        at.and_then(|at| frames.get(at)).map(|bytes| bytes.to_vec()).ok_or_else(|| "it was not given".to_owned())
    };
    let top = names.first().map_or("", String::as_str);
    Ok(Engine::read(top, &mut read, choice)?)
}

#[cfg(not(feature = "xml"))]
fn of_xml(names: &[String], _: &[&[u8]], _: &Choice) -> Result<Engine, Wrong> {
    let top = names.first().map_or("", String::as_str);
    let d = wrong(format!("`{top}` is not a compiled description"));
    Err(d.note("this engine was built without the feature `xml`").into())
}

/// What a name of RISC-V chooses within its description, as changes of the features that are on by default.
fn by_name(isa: &str, description: &[u8], choice: &mut Choice) -> Result<(), Diagnostic> {
    let named = isa_name::parse(isa).ok_or_else(|| wrong(format!("`{isa}` is not a name of RISC-V")))?;
    // What is wrong with the description is said when it is read for good.
    let Ok((_, model)) = from_bytes(description) else { return Ok(()) };
    let usual = model.features().iter().filter(|f| f.default).map(|f| format!("-{}", f.name));
    let wanted = named.features.iter().map(|name| format!("+{name}"));
    let changes = usual.chain(wanted).chain(std::mem::take(&mut choice.features)).collect();
    choice.features = changes;
    choice.generation.get_or_insert_with(|| named.xlen.bits().to_string());
    Ok(())
}
