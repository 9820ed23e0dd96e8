//! A folder of pages with the explorer, opened from the folder in a headless Chromium: what a person does with the page of the server works
//! here, with the same answers; no request leaves the folder, and the browser has no complaint.

use isaglot_testing::{Failed, Trial, peer};
use serde_json::Value;

use crate::browser::{Browser, ENTER, QUERY, TEXT};
use crate::engine::{self, ENGINE, placeless};
use crate::server::{Connection, Server};

/// A description and what is typed: assembly, a word that is not an instruction, and a field with a value for it.
struct Row {
    name: &'static str,
    asm: &'static str,
    invalid: &'static str,
}

const ROWS: [Row; 6] = [
    Row { name: "minnow", asm: "li r2, 10", invalid: "0xffff" },
    Row { name: "rv64gc", asm: "add a0, a1, a2", invalid: "0xffffffff" },
    Row { name: "xehpc", asm: "mov (16|M0) r1.0<1>:f r2.0<1;1,0>:f", invalid: "0x0000000000000000000000000000007f" },
    Row { name: "ir3", asm: "add.f r0.x, r0.y, r0.z", invalid: "0xffffffffffffffff" },
    Row { name: "etnaviv", asm: "nop void, void, void, void", invalid: "0x00000000000000000000000000000001" },
    Row { name: "bpf", asm: "r1 += r2", invalid: "0xffffffffffffffff" },
];

pub(crate) fn trials() -> Vec<Trial> {
    let trial = |row: &'static Row| {
        peer::trial(format!("peer_folder_{}", row.name), &[ENGINE, peer::CHROMIUM], move || walk(row))
    };
    ROWS.iter().map(trial).collect()
}

/// The answer that the page shows is that of the server to the same question.
fn as_the_server(page: &mut Browser, server: &Server) -> Result<Value, Failed> {
    let query = page.value(QUERY)?;
    let query = query.as_str().unwrap_or_default();
    // A connection that is kept would be closed meanwhile.
    let wanted = Connection::new(server)?.ask(query, "")?;
    page.wait("document.querySelector('#answer').dataset.kind", wanted["kind"].clone())?;
    page.wait("answer.word ?? null", wanted["word"].clone())?;
    let given = page.value("answer")?;
    let text = |value: &Value| placeless(&value.to_string());
    if text(&given) != text(&wanted) {
        return Err(format!("{query}: the page has\n{given}\nthe server\n{wanted}").into());
    }
    Ok(wanted)
}

fn walk(row: &Row) -> Result<(), Failed> {
    let Some(case) = engine::case(row.name)? else { return Ok(()) };
    let dir = engine::folder(&case)?;
    let server = Server::start(&case.args)?;
    let address = format!("file://{}/explore.html", dir.path().display());
    let mut page = Browser::open(&address)?;
    // What one sees first.
    page.wait("document.querySelectorAll('.examples button').length", 3)?;
    page.wait("document.querySelectorAll('#names button').length > 3", true)?;
    // Assembly gives a word, and the word gives the text.
    page.fill("#query", row.asm)?;
    let made = as_the_server(&mut page, &server)?;
    if made["kind"] != "asm" {
        return Err(format!("{}: {made:#}", row.asm).into());
    }
    let word = made["word"].as_str().ok_or("no word")?.to_owned();
    page.fill("#query", &word)?;
    page.wait(TEXT, made["text"].clone())?;
    as_the_server(&mut page, &server)?;
    // A bit that is pressed flips.
    page.click("[data-bit='7']")?;
    page.wait(&format!("{QUERY} !== '{word}'"), true)?;
    as_the_server(&mut page, &server)?;
    page.click("[data-bit='7']")?;
    page.wait(QUERY, word.clone())?;
    page.wait(TEXT, made["text"].clone())?;
    // A field that is written changes the word; what does not fit is refused aloud.
    if !page.value("document.querySelector('[data-field]')")?.is_null() {
        page.fill("[data-field]", "0xffffffffffffffffff")?;
        page.press(ENTER)?;
        page.wait("document.querySelector('#fields [role=alert]:not(:empty)')?.textContent.includes('does not fit') ?? false", true)?;
        page.wait(QUERY, word.clone())?;
        page.fill("[data-field]", "1")?;
        page.press(ENTER)?;
        page.wait("Number(document.querySelector('[data-field]').value)", 1)?;
        as_the_server(&mut page, &server)?;
    }
    // A pattern gives candidates, and one that is taken gives a word.
    let open = format!("{}??", &word[..word.len() - 2]);
    page.fill("#query", &open)?;
    as_the_server(&mut page, &server)?;
    page.click(".candidates button")?;
    page.wait("document.querySelector('#answer').dataset.kind", "word")?;
    as_the_server(&mut page, &server)?;
    // A word that is not an instruction.
    page.fill("#query", row.invalid)?;
    as_the_server(&mut page, &server)?;
    // Lines, with their bytes, and the listing.
    let lines = format!("{0}\n{0}\n{0}\n", row.asm);
    page.fill("#source", &lines)?;
    page.wait("document.querySelectorAll('#listing .pick').length", 3)?;
    // A file.
    let program = dir.path().join("program.bin");
    let bytes: Vec<u8> = made["bytes"].as_str().unwrap_or_default().split(' ').filter_map(|b| u8::from_str_radix(b, 16).ok()).collect();
    std::fs::write(&program, bytes.repeat(5))?;
    let file = page.element("#file")?;
    page.command(&format!("/element/{file}/value"), &serde_json::json!({ "text": program }))?;
    page.wait("document.querySelectorAll('#listing .pick').length", 5)?;
    // What is asked is in the address.
    page.fill("#query", &word)?;
    page.wait(TEXT, made["text"].clone())?;
    let link = page.value("location.href")?;
    page.is_quiet()?;
    page.go("about:blank")?;
    page.go(link.as_str().ok_or("no address")?)?;
    page.wait(TEXT, made["text"].clone())?;
    page.wait("document.querySelectorAll('#listing .pick').length", 3)?;
    // From a word to its page, and from there back with an example.
    page.click("#what a")?;
    page.wait("!!document.querySelector('.examples a')", true)?;
    page.click(".examples a")?;
    page.wait("!!document.getElementById('text')", true)?;
    page.is_quiet()
}
