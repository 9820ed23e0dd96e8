//! A folder of pages with the explorer, opened from the folder in a headless Chromium: what a person does with the page of the server works
//! here, with the same answers; no request leaves the folder, and the browser has no complaint.

use std::path::{Path, PathBuf};

use isaglot_testing::{Failed, Trial, peer};
use serde_json::{Value, json};

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
    let mut all: Vec<Trial> = ROWS.iter().map(trial).collect();
    all.extend(ROWS.iter().map(|row| {
        peer::trial(format!("peer_accessible_{}", row.name), &[ENGINE, peer::CHROMIUM, AXE], move || accessible(row))
    }));
    all.push(peer::trial("peer_long_program", &[ENGINE, peer::CHROMIUM], long_program));
    all.push(peer::trial("peer_completion", &[ENGINE, peer::CHROMIUM], completion));
    all
}

/// The checks of axe: `npm install --prefix target/tools axe-core`.
const AXE: peer::Peer = peer::Peer {
    name: "axe-core (npm install --prefix target/tools axe-core)",
    probe: || if axe().is_file() { Ok(()) } else { Err(format!("there is no {}", axe().display())) },
};

fn axe() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/tools/node_modules/axe-core/axe.min.js")
}

/// Widths of windows that no page may be wider than.
const WIDTHS: [u32; 4] = [390, 768, 1280, 1920];

/// What is asked of axe: with `ISAGLOT_FULL=1` every page in light and dark, with what is folded; else of etnaviv every page, and of each
/// other description every third one, in one of the two.
fn is_asked(name: &str, at: usize, dark: bool) -> bool {
    let place = ROWS.iter().position(|row| row.name == name).unwrap_or_default();
    let in_turn = at % 3 == place % 3 && dark == (at / 3 % 2 == 1);
    name == "etnaviv" || std::env::var_os("ISAGLOT_FULL").is_some() || in_turn
}

/// The page of a kind that has the most in it.
fn largest(dir: &Path, kind: &str) -> Option<String> {
    let pages = std::fs::read_dir(dir.join(kind)).ok()?.flatten();
    let page = pages.max_by_key(|page| (page.metadata().map_or(0, |m| m.len()), page.file_name()))?;
    Some(format!("{kind}/{}", page.file_name().to_string_lossy()))
}

/// No page of a kind is wider than the window or breaks a rule of axe, in light and dark.
fn accessible(row: &Row) -> Result<(), Failed> {
    let Some(case) = engine::case(row.name)? else { return Ok(()) };
    let dir = engine::folder(&case)?;
    let query: String = row.asm.bytes().map(|b| format!("%{b:02x}")).collect();
    let mut pages = vec![
        "explore.html".to_owned(),
        format!("explore.html#q={query}"),
        format!("explore.html#q={}", row.invalid),
        format!("explore.html#q={query}&p={query}%0a{query}"),
        "explore.html#q=zzz&p=zzz".to_owned(),
        format!("explore.html#q={}??", &row.invalid[..row.invalid.len() - 2]),
        "index.html#search".to_owned(),
    ];
    pages.extend(["instruction", "part", "enum"].iter().filter_map(|kind| largest(dir.path(), kind)));
    let lists = ["index", "encodings", "map", "parts", "enums", "registers"];
    pages.extend(lists.map(|list| format!("{list}.html")));
    let axe = std::fs::read_to_string(axe())?;
    let mut page = Browser::open("about:blank")?;
    // Axe takes its time for thousands of names.
    page.command("/timeouts", &json!({ "script": 300_000 }))?;
    pages.retain(|path| dir.path().join(path.split('#').next().unwrap_or(path)).is_file());
    for (at, path) in pages.iter().enumerate() {
        for dark in [false, true] {
            // Widths are the same in both.
            let is_asked = is_asked(row.name, at, dark);
            if dark && !is_asked {
                continue;
            }
            let scheme = if dark { "dark" } else { "light" };
            let features = json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
            page.command("/goog/cdp/execute", &json!({ "cmd": "Emulation.setEmulatedMedia", "params": features }))?;
            page.go("about:blank")?;
            page.go(&format!("file://{}/{path}", dir.path().display()))?;
            if path.starts_with("explore") {
                page.wait("!!document.getElementById('answer').dataset.kind", true)?;
            }
            if path.ends_with("#search") {
                page.fill("#query", "s")?;
                page.wait("document.querySelectorAll('#found li').length > 0", true)?;
            }
            // What is folded is wide, too.
            if !path.starts_with("explore") {
                page.value("document.querySelectorAll('details').forEach(one => { one.open = true; })")?;
            }
            for width in WIDTHS {
                let size = json!({ "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false });
                let metrics = json!({ "cmd": "Emulation.setDeviceMetricsOverride", "params": size });
                page.command("/goog/cdp/execute", &metrics)?;
                let shown = page.value("document.documentElement.scrollWidth")?.as_u64().unwrap_or(u64::MAX);
                if shown > u64::from(width) {
                    return Err(format!("{path} is {shown} wide in a window of {width}").into());
                }
            }
            if !is_asked {
                continue;
            }
            // Of thousands of names one is like another.
            if std::env::var_os("ISAGLOT_FULL").is_none() {
                page.value("document.querySelectorAll('details').forEach(one => { one.open = false; })")?;
            }
            page.command("/execute/sync", &json!({ "script": axe, "args": [] }))?;
            let found = page.value(
                "axe.run(document, {preload: false, resultTypes: ['violations']}).then(r => \
                 r.violations.map(v => `${v.id}: ${v.nodes[0].html}: ${v.nodes[0].failureSummary}`))",
            )?;
            if found.as_array().is_none_or(|found| !found.is_empty()) {
                return Err(format!("{path}, {scheme}: {found:#}").into());
            }
        }
    }
    page.is_quiet()
}

/// A program of 20,000 instructions: only what is in sight is drawn, wherever one scrolls to, and labels can be reached.
fn long_program() -> Result<(), Failed> {
    let Some(case) = engine::case("rv64gc")? else { return Ok(()) };
    let dir = engine::folder(&case)?;
    let mut page = Browser::open(&format!("file://{}/explore.html", dir.path().display()))?;
    page.wait("document.querySelectorAll('.examples button').length", 3)?;
    // Additions, and at every hundredth place a jump of 200 bytes back.
    let word = |n: u32| if n % 100 == 99 { 0xf39f_f06f_u32 } else { 0x00b5_0533 };
    let bytes: Vec<u8> = (0..19_000_u32).flat_map(|n| word(n).to_le_bytes()).collect();
    let program = dir.path().join("program.bin");
    std::fs::write(&program, bytes)?;
    let file = page.element("#file")?;
    page.command(&format!("/element/{file}/value"), &json!({ "text": program }))?;
    page.wait("!!document.getElementById('i0')", true)?;
    // With what defines and uses.
    page.wait("document.querySelector('#i0').children[3].textContent.includes('→')", true)?;
    page.wait("document.querySelectorAll('#listing tr').length < 200", true)?;
    for part in ["0.25", "0.5", "0.99"] {
        page.value(&format!("(() => {{ const box = document.getElementById('listing'); box.scrollTop = box.scrollHeight * {part}; }})(), 0"))?;
        // A row stands at the middle of the box.
        let there = "(() => { const r = document.getElementById('listing').getBoundingClientRect();
            const row = [...document.querySelectorAll('#rows tr')].find(t => { const q = t.getBoundingClientRect(); return q.top <= r.top + r.height / 2 && q.bottom > r.top + r.height / 2; });
            return !!row; })()";
        page.wait(there, true)?;
    }
    page.value("(() => { const jump = document.getElementById('jump'); jump.value = jump.options[1].value; jump.dispatchEvent(new Event('change')); })(), 0")?;
    page.wait("document.getElementById('listing').scrollTop < 200", true)?;
    page.is_quiet()
}

/// What may come next is offered, and taken by keyboard.
fn completion() -> Result<(), Failed> {
    let Some(case) = engine::case("rv64gc")? else { return Ok(()) };
    let dir = engine::folder(&case)?;
    let mut page = Browser::open(&format!("file://{}/explore.html", dir.path().display()))?;
    page.wait("document.querySelectorAll('.examples button').length", 3)?;
    page.fill("#query", "addi")?;
    page.wait("[...document.querySelectorAll('#next li')].some(li => li.textContent.includes('addiw'))", true)?;
    page.fill("#query", "add a0, a")?;
    page.wait("[...document.querySelectorAll('#next li code')].map(c => c.textContent).includes('a5')", true)?;
    page.press("\u{E015}")?;
    page.wait("document.querySelectorAll('#next [aria-selected=true]').length", 1)?;
    page.press(ENTER)?;
    page.wait(&format!("{QUERY}.startsWith('add a0, a') && {QUERY}.length > 9"), true)?;
    page.is_quiet()
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
        page.wait(
            "document.querySelector('#fields [role=alert]:not(:empty)')?.textContent.includes('does not fit') ?? false",
            true,
        )?;
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
    let bytes: Vec<u8> =
        made["bytes"].as_str().unwrap_or_default().split(' ').filter_map(|b| u8::from_str_radix(b, 16).ok()).collect();
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
