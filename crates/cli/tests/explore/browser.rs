//! The page as a person uses it, in a headless Chromium that chromedriver steers: every step is typed, pressed or clicked,
//! and what then stands on the page is looked at.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use isaglot_testing::{Failed, Trial, peer};
use serde_json::{Value, json};

use crate::server::{Connection, Server};

const DRIVER: &str = "chromedriver";

/// How long the page may take to show what is waited for; a bound, not a measurement.
const PATIENCE: Duration = Duration::from_secs(30);

const TAB: &str = "\u{E004}";
const SPACE: &str = " ";
const END: &str = "\u{E010}";
const BACKSPACE: &str = "\u{E003}";
pub(crate) const ENTER: &str = "\u{E007}";
const HOME: &str = "\u{E011}";
const RIGHT: &str = "\u{E014}";

type Case = fn() -> Result<(), Failed>;

pub(crate) fn trials() -> Vec<Trial> {
    let cases: [(&str, Case); 6] = [
        ("words", words_and_text),
        ("address", address_brings_it_back),
        ("reload", file_change_reloads),
        ("keyboard", keyboard_only),
        ("listing", listing_with_arrows),
        ("choices", choices_switch),
    ];
    let trial = |(name, run): (&str, Case)| peer::trial(format!("peer_browser_{name}"), &[peer::CHROMIUM], run);
    cases.into_iter().map(trial).collect()
}

/// A browser with one page open.
pub(crate) struct Browser {
    driver: Child,
    connection: Connection,
    session: String,
    _profile: tempfile::TempDir,
}

impl Browser {
    pub(crate) fn open(address: &str) -> Result<Browser, Failed> {
        let mut driver = Command::new(DRIVER).arg("--port=0").stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let mut out = BufReader::new(driver.stdout.take().ok_or("no output")?);
        let mut line = String::new();
        let port = loop {
            line.clear();
            if out.read_line(&mut line)? == 0 {
                return Err("chromedriver ended".into());
            }
            let number = line.rsplit("on port ").next().map(|n| n.trim().trim_end_matches('.'));
            if let Some(port) = number.filter(|_| line.contains("started successfully on port")) {
                break port.parse::<u16>()?;
            }
        };
        let profile = tempfile::tempdir()?;
        let data = format!("--user-data-dir={}", profile.path().display());
        let options =
            json!({ "args": ["--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1300,1000", data] });
        let wanted = json!({ "capabilities": { "alwaysMatch": { "browserName": "chrome", "goog:chromeOptions": options,
                "goog:loggingPrefs": { "browser": "ALL", "performance": "ALL" } } } });
        let mut browser =
            Browser { driver, connection: Connection::to(port)?, session: String::new(), _profile: profile };
        let made = browser.send("POST", "/session", &wanted)?;
        browser.session = made["sessionId"].as_str().ok_or("no session")?.to_owned();
        browser.go(address)?;
        Ok(browser)
    }

    /// What a log of the browser has since it was last read.
    fn log(&mut self, kind: &str) -> Result<Vec<Value>, Failed> {
        let entries = self.command("/se/log", &json!({ "type": kind }))?;
        Ok(entries.as_array().cloned().unwrap_or_default())
    }

    /// Nothing was asked of any other place, and the browser has no complaint.
    pub(crate) fn is_quiet(&mut self) -> Result<(), Failed> {
        for entry in self.log("browser")? {
            if entry["level"] == "SEVERE" || entry["level"] == "WARNING" {
                return Err(format!("the console says: {}", entry["message"]).into());
            }
        }
        for entry in self.log("performance")? {
            let message: Value = serde_json::from_str(entry["message"].as_str().unwrap_or("null"))?;
            let message = &message["message"];
            let url = message["params"]["request"]["url"].as_str().unwrap_or_default();
            let is_local =
                ["file:", "blob:", "data:", "about:", "chrome:"].iter().any(|scheme| url.starts_with(scheme));
            if message["method"] == "Network.requestWillBeSent" && !is_local {
                return Err(format!("a request leaves: {url}").into());
            }
        }
        Ok(())
    }

    fn send(&mut self, method: &str, path: &str, body: &Value) -> Result<Value, Failed> {
        let body = if method == "GET" { Vec::new() } else { body.to_string().into_bytes() };
        let (code, answer) = self.connection.request(method, path, &body)?;
        let answer: Value = serde_json::from_slice(&answer)?;
        if code == 200 { Ok(answer["value"].clone()) } else { Err(format!("{path}: {answer}").into()) }
    }

    pub(crate) fn command(&mut self, path: &str, body: &Value) -> Result<Value, Failed> {
        let path = format!("/session/{}{path}", self.session);
        self.send("POST", &path, body)
    }

    pub(crate) fn go(&mut self, address: &str) -> Result<(), Failed> {
        self.command("/url", &json!({ "url": address })).map(drop)
    }

    /// The value of an expression on the page.
    pub(crate) fn value(&mut self, expression: &str) -> Result<Value, Failed> {
        self.command("/execute/sync", &json!({ "script": format!("return {expression};"), "args": [] }))
    }

    /// Waits until an expression is what it should be.
    pub(crate) fn wait(&mut self, expression: &str, wanted: impl Into<Value>) -> Result<(), Failed> {
        let (wanted, start) = (wanted.into(), Instant::now());
        loop {
            let got = self.value(expression)?;
            if got == wanted {
                return Ok(());
            }
            if start.elapsed() > PATIENCE {
                return Err(format!("{expression} is {got}, not {wanted}").into());
            }
            std::thread::sleep(Duration::from_millis(30));
        }
    }

    pub(crate) fn element(&mut self, selector: &str) -> Result<String, Failed> {
        let found = self.command("/element", &json!({ "using": "css selector", "value": selector }))?;
        let id = found.as_object().and_then(|o| o.values().next()).and_then(Value::as_str);
        Ok(id.ok_or_else(|| format!("no {selector}"))?.to_owned())
    }

    pub(crate) fn click(&mut self, selector: &str) -> Result<(), Failed> {
        let id = self.element(selector)?;
        self.command(&format!("/element/{id}/click"), &json!({})).map(drop)
    }

    /// Puts a text into an input, in place of what it holds.
    pub(crate) fn fill(&mut self, selector: &str, text: &str) -> Result<(), Failed> {
        let id = self.element(selector)?;
        self.command(&format!("/element/{id}/clear"), &json!({}))?;
        self.command(&format!("/element/{id}/value"), &json!({ "text": text })).map(drop)
    }

    /// Presses keys wherever the focus is.
    pub(crate) fn press(&mut self, keys: &str) -> Result<(), Failed> {
        let steps = keys
            .chars()
            .flat_map(|c| [json!({ "type": "keyDown", "value": c }), json!({ "type": "keyUp", "value": c })]);
        self.keys(steps.collect())
    }

    /// Presses a key while another is held.
    pub(crate) fn press_with(&mut self, held: &str, key: &str) -> Result<(), Failed> {
        let step = |kind: &str, key: &str| json!({ "type": kind, "value": key });
        self.keys(vec![step("keyDown", held), step("keyDown", key), step("keyUp", key), step("keyUp", held)])
    }

    fn keys(&mut self, steps: Vec<Value>) -> Result<(), Failed> {
        let actions = json!({ "actions": [{ "type": "key", "id": "keys", "actions": steps }] });
        self.command("/actions", &actions).map(drop)
    }

    /// Waits until the browser has told of an event.
    pub(crate) fn has_event(&mut self, method: &str) -> Result<(), Failed> {
        let start = Instant::now();
        while start.elapsed() < PATIENCE {
            let told = self.log("performance")?;
            if told.iter().any(|entry| entry["message"].as_str().is_some_and(|text| text.contains(method))) {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(30));
        }
        Err(format!("no {method}").into())
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let path = format!("/session/{}", self.session);
        let _ = self.send("DELETE", &path, &json!({}));
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

pub(crate) const TEXT: &str = "document.getElementById('text')?.textContent ?? ''";
pub(crate) const QUERY: &str = "document.getElementById('query').value";

fn riscv() -> Result<(Server, Browser), Failed> {
    let server = Server::start(&["--isa".to_owned(), "rv64gc_xext".to_owned()])?;
    let browser = Browser::open(&format!("http://127.0.0.1:{}/", server.port))?;
    Ok((server, browser))
}

fn words_and_text() -> Result<(), Failed> {
    let (_server, mut page) = riscv()?;
    page.wait("document.getElementById('name').textContent", "riscv")?;
    // Hex gives the text and the bits.
    page.fill("#query", "0x00c58533")?;
    page.wait(TEXT, "add a0,a1,a2")?;
    page.wait("document.querySelectorAll('.bits button').length", 32)?;
    // A field lights up in text, bits and table.
    page.value(
        "document.querySelector('#text [data-f=RD]').dispatchEvent(new MouseEvent('mouseover', {bubbles: true})), 0",
    )?;
    page.wait("document.querySelectorAll('.bits button.lit').length", 5)?;
    page.wait("document.querySelectorAll('#fields .lit').length", 1)?;
    // A bit that is pressed flips, and the text follows.
    page.click("[data-bit='30']")?;
    page.wait(TEXT, "sub a0,a1,a2")?;
    page.wait(QUERY, "0x40c58533")?;
    // A field that is written does so too.
    page.click("[data-field='RD']")?;
    page.press(&format!("{END}{}0x1{ENTER}", BACKSPACE.repeat(3)))?;
    page.wait(TEXT, "sub ra,a1,a2")?;
    // Assembly gives bits.
    page.fill("#query", "addi a0, a1, -16")?;
    page.wait("document.querySelector('#answer').dataset.kind", "asm")?;
    page.wait(
        "[...document.querySelectorAll('.bits button')].map(b => b.textContent).join('')",
        "11111111000001011000010100010011",
    )?;
    // What does not assemble says why.
    page.fill("#query", "addi a0, a1, 5000")?;
    page.wait("document.querySelector('#answer .problems')?.textContent.includes('5000') ?? false", true)?;
    // A pattern gives candidates, and one that is taken gives a word.
    page.fill("#query", "0000000??????????000?????0110011")?;
    page.wait("document.querySelectorAll('.candidates button').length", 1)?;
    page.click(".candidates button")?;
    page.wait(TEXT, "add zero,zero,zero")?;
    // A word of nothing gives the nearest, and one that is taken is an instruction.
    page.fill("#query", "0xffffffff")?;
    page.wait("document.querySelectorAll('.near button').length > 0", true)?;
    page.wait("document.querySelectorAll('.bits .wrong').length > 0", true)?;
    page.click(".near button")?;
    page.wait("document.querySelector('#answer').dataset.kind === 'word' && !!document.getElementById('text')", true)?;
    // Without the extension a word means nothing.
    page.fill("#query", "0x0203030b")?;
    page.wait(TEXT, "xext t1,t1,zero")?;
    page.click("#features-box summary")?;
    page.click("#features input[name=xext-custom0]")?;
    page.wait("document.querySelectorAll('.near button').length > 0", true)?;
    // No complaint of the browser about the page.
    page.wait("performance.getEntriesByType('resource').every(r => r.name.startsWith(location.origin))", true)
}

fn address_brings_it_back() -> Result<(), Failed> {
    let (server, mut page) = riscv()?;
    page.wait("document.getElementById('name').textContent", "riscv")?;
    page.fill("#query", "0x00c58533")?;
    page.wait(TEXT, "add a0,a1,a2")?;
    let address = page.value("location.href")?;
    page.go("about:blank")?;
    page.go(address.as_str().ok_or("no address")?)?;
    page.wait(TEXT, "add a0,a1,a2")?;
    page.wait(QUERY, "0x00c58533")?;
    // Choices are in the address too.
    page.go("about:blank")?;
    page.go(&format!("http://127.0.0.1:{}/#q=0x0203030b&features=-xext-custom0", server.port))?;
    page.wait("document.querySelectorAll('.near button').length > 0", true)
}

fn file_change_reloads() -> Result<(), Failed> {
    let dir = tempfile::tempdir()?;
    let path = dir.path().join("isa.xml");
    let text = |name: &str| {
        format!(
            "<isa dialect=\"isaglot\"><bitset name=\"#instruction\" size=\"8\"><display>{{NAME}}</display></bitset>\n\
             <bitset name=\"{name}\" extends=\"#instruction\"><pattern low=\"0\" high=\"7\">00000001</pattern></bitset></isa>"
        )
    };
    std::fs::write(&path, text("first"))?;
    let server = Server::start(&[path.display().to_string()])?;
    let mut page = Browser::open(&format!("http://127.0.0.1:{}/#q=0x01", server.port))?;
    page.wait(TEXT, "first")?;
    std::fs::write(&path, text("changed"))?;
    page.wait(TEXT, "changed")?;
    std::fs::write(&path, "<isa>")?;
    page.wait("!document.getElementById('broken').hidden", true)?;
    page.wait(TEXT, "changed")?;
    std::fs::write(&path, text("mended"))?;
    page.wait(TEXT, "mended")?;
    page.wait("document.getElementById('broken').hidden", true)
}

/// The box has the focus at first; the bits come after it.
fn keyboard_only() -> Result<(), Failed> {
    let (_server, mut page) = riscv()?;
    page.wait("document.getElementById('name').textContent", "riscv")?;
    page.wait("document.activeElement.id", "query")?;
    page.press("0x00c58533")?;
    page.wait(TEXT, "add a0,a1,a2")?;
    // All bits are one stop of the tabulator; arrow keys go from one to the next.
    page.press(TAB)?;
    page.wait("document.activeElement.dataset.bit", "31")?;
    page.press(RIGHT)?;
    page.wait("document.activeElement.dataset.bit", "30")?;
    page.press(SPACE)?;
    page.wait(TEXT, "sub a0,a1,a2")?;
    // The same bit has the focus still.
    page.wait("document.activeElement.dataset.bit", "30")?;
    page.press(SPACE)?;
    page.wait(TEXT, "add a0,a1,a2")?;
    page.press(HOME)?;
    page.wait("document.activeElement.dataset.bit", "31")?;
    page.press(TAB)?;
    page.wait("document.activeElement.dataset.bit ?? ''", "")
}

/// A program is listed with its blocks; who looks at an instruction sees arrows to what it has to do with.
fn listing_with_arrows() -> Result<(), Failed> {
    let specs = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../specs");
    let server = Server::start(&["--isa".to_owned(), "minnow".to_owned()])?;
    let mut page = Browser::open(&format!("http://127.0.0.1:{}/", server.port))?;
    page.wait("document.getElementById('name').textContent", "minnow")?;
    let file = page.element("#file")?;
    let program = specs.join("minnow/sum.bin").canonicalize()?;
    page.command(&format!("/element/{file}/value"), &json!({ "text": program }))?;
    page.wait("document.querySelectorAll('#listing tr.block').length", 7)?;
    page.wait("document.querySelectorAll('#listing tr[id]').length", 24)?;
    // Ways between blocks are there at once, but not those to the next line.
    page.wait("document.querySelectorAll('#ways path').length > 0", true)?;
    page.wait("document.querySelectorAll('#links path').length", 0)?;
    // `add r3, r4`: defined by 2, 3 and itself; used by itself, 8, 11 and 15.
    page.value("document.querySelector('#i4 .pick').focus(), 0")?;
    page.wait("document.querySelectorAll('#links path.def').length", 3)?;
    page.wait("document.querySelectorAll('#links path.use').length", 4)?;
    page.wait("[...document.querySelectorAll('#listing tr.def')].map(r => r.id).join(' ')", "i2 i3 i4")?;
    // The arrows begin and end at the rows.
    let starts = "(() => { const mid = r => r.offsetTop + r.offsetHeight / 2; const rows = ['i2', 'i4'].map(i => mid(document.getElementById(i)));
        return [...document.querySelectorAll('#links path.def')].some(p => { const n = p.getAttribute('d').match(/[0-9.]+/g).map(Number);
            return Math.abs(n[1] - rows[0]) < 2 && Math.abs(n[7] - rows[1]) < 2; }); })()";
    page.wait(starts, true)?;
    // One that is taken is taken apart above.
    page.press(ENTER)?;
    page.wait(TEXT, "add    r3, r4")
}

/// Another gen, and a feature switched off, change text and listing.
fn choices_switch() -> Result<(), Failed> {
    let (_server, mut page) = riscv()?;
    page.wait("document.getElementById('gen').value", "rv64")?;
    page.fill("#query", "0x0005b503")?;
    page.wait(TEXT, "ld a0,0(a1)")?;
    let dir = tempfile::tempdir()?;
    let program = dir.path().join("p.bin");
    std::fs::write(&program, [0x03, 0xb5, 0x05, 0x00, 0x0b, 0x03, 0x03, 0x02])?;
    let file = page.element("#file")?;
    page.command(&format!("/element/{file}/value"), &json!({ "text": program }))?;
    let listed = "[...document.querySelectorAll('#listing .pick')].map(c => c.textContent.trim()).join('; ')";
    page.wait(listed, "ld a0,0(a1); xext t1,t1,zero")?;
    page.value("(() => { const g = document.getElementById('gen'); g.value = 'rv32'; g.dispatchEvent(new Event('change')); })(), 0")?;
    page.wait("document.querySelectorAll('.near button').length > 0", true)?;
    page.wait("document.querySelector('#listing .pick').textContent.includes('ld a0')", false)?;
    page.wait("new URLSearchParams(location.hash.slice(1)).get('gen')", "rv32")?;
    page.value("(() => { const g = document.getElementById('gen'); g.value = 'rv64'; g.dispatchEvent(new Event('change')); })(), 0")?;
    page.wait(listed, "ld a0,0(a1); xext t1,t1,zero")?;
    page.click("#features-box summary")?;
    page.click("#features input[name=xext-custom0]")?;
    page.wait("document.querySelectorAll('#listing .pick')[1].textContent.includes('xext')", false)
}
