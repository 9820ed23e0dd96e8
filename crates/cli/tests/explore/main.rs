//! The explorer, through its door: the answers are those of the command line, a changed description is read again, and
//! no request can bring it down. What a person does with the page is in [`browser`].

mod browser;
mod engine;
mod folder;
mod keyboard;
mod server;

use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use isaglot_testing::{Failed, Random, Trial, corpus, rounds, suite};
use serde_json::Value;

use self::server::{Connection, Server};

/// Words that are compared for each description, in a run with all rounds.
const WORDS: usize = 10_000;

/// Words on one command line.
const AT_ONCE: usize = 1000;

fn main() {
    let mut trials = vec![
        Trial::test("hostile_requests", hostile),
        Trial::test("changed_description", changed),
        Trial::test("questions", questions),
        Trial::test("listings", listings),
        Trial::test("kernels", kernels),
        Trial::test("elf", elf),
    ];
    let shipped = [
        ("minnow", "0", &[16, 32, 48, 64][..]),
        ("trio", "0", &[192]),
        ("rv64gc_xext", "64", &[16, 32]),
        ("rv32gc_xext", "32", &[16, 32]),
        ("xe", "xehpc", &[64, 128]),
    ];
    for (name, generation, bits) in shipped {
        let args = ["--isa", name, "--gen", generation].map(str::to_owned);
        trials.push(Trial::test(format!("answers_{name}"), move || answers(&args, bits)));
    }
    trials.extend(suite::corpus_cases("tablegen", &[("tablegen_answers", target_answers)]));
    match corpus::folder("isaspec") {
        Some(folder) => {
            for (name, generation, bits) in [("ir3", "600", 64), ("afuc", "6", 32), ("etnaviv", "0", 128)] {
                let top = folder.join("xml").join(name).join(format!("{name}.xml"));
                let args = vec![top.display().to_string(), "--gen".to_owned(), generation.to_owned()];
                trials.push(Trial::test(format!("isaspec_answers_{name}"), move || answers(&args, &[bits])));
            }
        }
        None => trials.push(suite::no_corpus("isaspec")),
    }
    trials.extend(browser::trials());
    trials.extend(engine::trials());
    trials.extend(folder::trials());
    trials.extend(keyboard::trials());
    suite::run(trials);
}

/// Words of these widths in turn, the same in every run.
fn words(bits: &[u32]) -> Vec<String> {
    let mut random = Random::new(0x9e37);
    let word = |n: usize| {
        let bits = bits[n % bits.len()];
        format!("0x{}", corpus::hex(&random.bytes(bits as usize / 8)))
    };
    (0..rounds(WORDS)).map(word).collect()
}

/// What the command line says of words. One that is too short or long for its instruction is left out.
fn explained(args: &[String], words: &[String]) -> Result<Vec<Value>, Failed> {
    let spec = if args[0] == "--isa" { args.to_vec() } else { [&["--spec".to_owned()], args].concat() };
    let done =
        Command::new(env!("CARGO_BIN_EXE_isaglot")).arg("explain").arg("--json").args(&spec).args(words).output()?;
    if !done.status.success() {
        return Err(String::from_utf8_lossy(&done.stderr).into_owned().into());
    }
    Ok(serde_json::from_slice(&done.stdout)?)
}

/// The explorer says of many words what the command line says.
fn answers(args: &[String], bits: &[u32]) -> Result<(), Failed> {
    let server = Server::start(args)?;
    let mut connection = Connection::new(&server)?;
    let mut asked = Vec::new();
    let mut given = Vec::new();
    for word in words(bits) {
        let answer = connection.ask(&word, "")?;
        match answer["kind"].as_str() {
            Some("word") => {
                asked.push(word);
                given.push(answer["explain"].clone());
            }
            Some("error") if bits.len() > 1 => {}
            kind => return Err(format!("{word}: {kind:?}").into()),
        }
    }
    if asked.len() * 20 < rounds(WORDS) {
        return Err(format!("only {} words had the length that they say", asked.len()).into());
    }
    for (asked, given) in asked.chunks(AT_ONCE).zip(given.chunks(AT_ONCE)) {
        let wanted = explained(args, asked)?;
        if wanted.len() != given.len() {
            return Err("another number of answers".into());
        }
        for ((word, wanted), given) in asked.iter().zip(&wanted).zip(given) {
            if wanted != given {
                return Err(format!("{word}:\n{wanted:#}\n{given:#}").into());
            }
        }
    }
    Ok(())
}

/// A target of LLVM, read from its records.
fn target_answers(folder: &Path) -> Result<(), Failed> {
    let root = corpus::unpacked(&folder.join("td.tar.xz"))?;
    let at = |path: &str| root.join(path).display().to_string();
    let args = [at("llvm/lib/Target/BPF/BPF.td"), "-I".to_owned(), at("llvm/include"), "-I".to_owned()];
    answers(&[&args[..], &[at("llvm/lib/Target/BPF")]].concat(), &[64, 128])
}

/// The listing of a program is that of the command line.
fn listings() -> Result<(), Failed> {
    let specs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../specs");
    for (isa, program) in [("minnow", "minnow/sum.bin"), ("trio", "trio/dot.bin")] {
        let server = Server::start(&["--isa".to_owned(), isa.to_owned()])?;
        let program = specs.join(program);
        let given = Connection::new(&server)?.json("POST", "/api/list", &std::fs::read(&program)?)?;
        let done = Command::new(env!("CARGO_BIN_EXE_isaglot"))
            .args(["list", "--isa", isa, "--json", "--defs", "--pc", "--bits"])
            .arg(&program)
            .output()?;
        let wanted: Value = serde_json::from_slice(&done.stdout)?;
        if given["listing"] != wanted {
            return Err(format!("{isa}:\n{wanted:#}\n{given:#}").into());
        }
    }
    Ok(())
}

/// An ELF file is listed by its code and names, and one for another machine is refused.
fn elf() -> Result<(), Failed> {
    let dir = tempfile::tempdir()?;
    let (source, program) = (dir.path().join("p.s"), dir.path().join("p.elf"));
    std::fs::write(&source, "_start:\n li a0, 3\nloop:\n addi a0, a0, -1\n bnez a0, loop\n ret\n")?;
    let mut assemble = std::process::Command::new(env!("CARGO_BIN_EXE_isaglot"));
    assemble.args(["asm", "--isa", "rv64gc"]).arg(&source).arg("-o").arg(&program);
    if !assemble.status()?.success() {
        return Err("no program".into());
    }
    let bytes = std::fs::read(&program)?;
    let server = Server::start(&["--isa".to_owned(), "rv64gc".to_owned()])?;
    let answer = Connection::new(&server)?.json("POST", "/api/list", &bytes)?;
    let text = answer.to_string();
    if answer["kind"] != "list" || !text.contains("\"loop\"") || !text.contains("c.bnez a0,loop") {
        return Err(format!("{answer:#}").into());
    }
    let server = Server::start(&["--isa".to_owned(), "rv32gc".to_owned()])?;
    let answer = Connection::new(&server)?.json("POST", "/api/list", &bytes)?;
    if answer["kind"] != "error" || !answer.to_string().contains("this is an ELF file for 64-bit RISC-V") {
        return Err(format!("{answer:#}").into());
    }
    Ok(())
}

/// Intel Xe by its own assembly: words of both forms, lines, and the listing of a kernel.
fn kernels() -> Result<(), Failed> {
    let server = Server::start(&["--isa".to_owned(), "xehpc".to_owned()])?;
    let mut connection = Connection::new(&server)?;
    let compacted = "mov (16|M0) r1.0<1>:f r2.0<1;1,0>:f {Compacted}";
    let cases = [
        ("mov (16|M0) r1.0<1>:f r2.0<1;1,0>:f {Compacted}", "asm", compacted, true),
        ("0x0000020134000061", "word", compacted, true),
        ("61 00 00 34 01 02 00 00", "word", compacted, true),
        ("0x000000000010020401050aa000100061", "word", "mov (16|M0) r1.0<1>:f r2.0<1;1,0>:f", false),
    ];
    for (question, kind, text, is_short) in cases {
        let answer = connection.ask(question, "")?;
        let says = &answer["explain"];
        let short = (says["short"].as_str(), says["is_short"].as_bool());
        if answer["kind"] != kind || answer["text"] != text || short != (Some("0x0000020134000061"), Some(is_short)) {
            return Err(format!("{question}: {answer:#}").into());
        }
        let spans: Vec<&str> = answer["spans"].as_array().into_iter().flatten().filter_map(|s| s[0].as_str()).collect();
        if !spans.starts_with(&["EXEC_SIZE", "DST_REG", "SRC0_REG"]) {
            return Err(format!("{question}: {spans:?}").into());
        }
    }
    // The same words for another machine, which the page can switch to.
    let other = connection.ask("mov (16|M0) r1.0<1>:f r2.0<1;1,0>:f", "&gen=xe")?;
    if other["kind"] != "asm" || other["word"] == "0x000000000010020401050aa000100061" {
        return Err(format!("{other:#}").into());
    }
    for bad in ["mov (16|M0)", "frobnicate", "0x10000020134000061"] {
        let answer = connection.ask(bad, "")?;
        if answer["kind"] != "error" || answer["message"].as_str().is_none_or(str::is_empty) {
            return Err(format!("{bad}: {answer:#}").into());
        }
    }
    let listed = connection.json("POST", "/api/list", b"61000034 01020000 31000080 04000000 0c702030 00000000")?;
    let texts: Vec<&str> =
        listed["listing"]["elems"].as_array().into_iter().flatten().filter_map(|e| e["comment"].as_str()).collect();
    if texts.len() != 2 || texts[0] != compacted || !texts[1].starts_with("(W) send.gtwy (1|M0)") {
        return Err(format!("{listed:#}").into());
    }
    let broken = connection.json("POST", "/api/list", b"\x7fELF")?;
    if broken["kind"] != "error" {
        return Err(format!("{broken:#}").into());
    }
    Ok(())
}

/// The forms that the one box takes.
fn questions() -> Result<(), Failed> {
    let server = Server::start(&["--isa".to_owned(), "rv64gc_xext".to_owned()])?;
    let mut connection = Connection::new(&server)?;
    let cases = [
        ("add a0, a1, a2", "asm", "add a0,a1,a2"),
        ("0x00c58533", "word", "add a0,a1,a2"),
        ("33 85 c5 00", "word", "add a0,a1,a2"),
        ("0b00000000110001011000010100110011", "word", "add a0,a1,a2"),
    ];
    for (question, kind, text) in cases {
        let answer = connection.ask(question, "")?;
        if answer["kind"] != kind || answer["text"] != text {
            return Err(format!("{question}: {answer:#}").into());
        }
    }
    let pattern = connection.ask("0000000??????????000?????0110011", "")?;
    let names: Vec<&str> =
        pattern["candidates"].as_array().into_iter().flatten().filter_map(|c| c["name"].as_str()).collect();
    if names != ["add"] {
        return Err(format!("{names:?}").into());
    }
    for bad in ["add a0, a1", "0x12?4g", "zzz", "0x", "0b2"] {
        let answer = connection.ask(bad, "")?;
        if answer["kind"] != "error" || answer["message"].as_str().is_none_or(str::is_empty) {
            return Err(format!("{bad}: {answer:#}").into());
        }
    }
    // A word of nothing comes with what is near.
    let nothing = connection.ask("0xffffffff", "")?;
    if nothing["explain"]["nearest"].as_array().is_none_or(Vec::is_empty) {
        return Err(format!("{nothing:#}").into());
    }
    // Without the extension the word is nothing; with another gen a 64-bit instruction is.
    let off = connection.ask("0x0203030b", "&features=-xext-custom0")?;
    let on = connection.ask("0x0203030b", "")?;
    if off["text"].is_string() || on["text"] != "xext t1,t1,zero" {
        return Err(format!("{off:#}\n{on:#}").into());
    }
    Ok(())
}

const DESCRIPTION: &str = r##"<isa dialect="isaglot">
<bitset name="#instruction" size="8"><display>{NAME}</display></bitset>
<bitset name="first" extends="#instruction"><pattern low="0" high="7">00000001</pattern></bitset>
</isa>
"##;

/// A changed description is read again; while it is wrong the last good one answers.
fn changed() -> Result<(), Failed> {
    let dir = tempfile::tempdir()?;
    let path = dir.path().join("isa.xml");
    let write = |text: &str| std::fs::File::create(&path).and_then(|mut f| f.write_all(text.as_bytes()));
    write(DESCRIPTION)?;
    let server = Server::start(&[path.display().to_string()])?;
    let mut connection = Connection::new(&server)?;
    let text = |connection: &mut Connection| Ok::<_, Failed>(connection.ask("0x01", "")?["text"].clone());
    if text(&mut connection)? != "first" {
        return Err("the first description does not answer".into());
    }
    let first = connection.json("GET", "/api/status", &[])?["version"].clone();
    write(&DESCRIPTION.replace("\"first\"", "\"other\""))?;
    let second = connection.json("GET", "/api/status", &[])?["version"].clone();
    if first == second || text(&mut connection)? != "other" {
        return Err("the change was not seen".into());
    }
    write("<isa><bitset")?;
    let broken = connection.json("GET", "/api/status", &[])?;
    let told = broken["problems"].as_str().is_some_and(|p| p.contains("isa.xml:1:"));
    if !told || broken["version"] == second || text(&mut connection)? != "other" {
        return Err(format!("{broken:#}").into());
    }
    write(DESCRIPTION)?;
    connection.json("GET", "/api/status", &[])?;
    if text(&mut connection)? != "first" {
        return Err("the mended description does not answer".into());
    }
    Ok(())
}

/// Huge heads and bodies, nonsense, foreign names, paths that climb, a crowd that says nothing: refused or bounded, and
/// the next one who asks is served.
fn hostile() -> Result<(), Failed> {
    let server = Server::start(&["--isa".to_owned(), "minnow".to_owned()])?;
    let port = server.port;
    let good = |why: &str| {
        let mut connection = Connection::new(&server)?;
        let answer = connection.ask("0x0000001c", "").or_else(|_| connection.ask("0x001c", ""))?;
        if answer["kind"].is_string() { Ok(()) } else { Err(Failed::from(format!("down after {why}: {answer}"))) }
    };
    let status = |request: &[u8]| server::status(port, request);
    let host = format!("Host: 127.0.0.1:{port}\r\n");
    let refused = [
        ("foreign host", "GET / HTTP/1.1\r\nHost: example.com\r\n\r\n".to_owned(), 403),
        ("foreign host with port", format!("GET / HTTP/1.1\r\nHost: example.com:{port}\r\n\r\n"), 403),
        ("no host", "GET / HTTP/1.0\r\n\r\n".to_owned(), 403),
        ("climbing path", format!("GET /docs/../../../../etc/passwd HTTP/1.1\r\n{host}\r\n"), 404),
        ("climbing path in percent", format!("GET /docs/%2e%2e/%2e%2e/etc/passwd HTTP/1.1\r\n{host}\r\n"), 404),
        ("unknown page", format!("GET /nothing HTTP/1.1\r\n{host}\r\n"), 404),
        ("another method", format!("DELETE / HTTP/1.1\r\n{host}\r\n"), 405),
        ("body too large", format!("POST /api/list HTTP/1.1\r\n{host}Content-Length: 99999999999\r\n\r\n"), 413),
        ("JSON that is none", format!("POST /api/ask HTTP/1.1\r\n{host}Content-Length: 7\r\n\r\n{{\"q\": }}"), 405),
        ("nonsense", "\u{0}\u{1}\u{2} nonsense\r\n\r\n".to_owned(), 400),
        ("bad length", format!("POST /api/list HTTP/1.1\r\n{host}Content-Length: minus\r\n\r\n"), 400),
        ("long head", format!("GET /{} HTTP/1.1\r\n{host}\r\n", "a".repeat(1 << 20)), 431),
    ];
    for (why, request, wanted) in refused {
        match status(request.as_bytes()) {
            // A server that stops reading may close before the answer is read.
            None if why == "long head" => {}
            Some(got) if got == wanted || (why == "long head" && got == 414) => {}
            got => return Err(format!("{why}: {got:?}, not {wanted}").into()),
        }
        good(why)?;
    }
    // A body without an end: as much as a program may have, and more.
    let chunk = format!("100000\r\n{}\r\n", "a".repeat(1 << 20));
    let endless = format!("POST /api/list HTTP/1.1\r\n{host}Transfer-Encoding: chunked\r\n\r\n{}", chunk.repeat(8));
    if let Some(code) = status(endless.as_bytes()).filter(|code| *code != 413) {
        return Err(format!("a body without an end: {code}").into());
    }
    good("a body without an end")?;
    // A question of any bytes, and a program of any bytes.
    let mut connection = Connection::new(&server)?;
    for text in ["%00%ff%fe", "%F0%9F%A6%80", &"9".repeat(8000), "....", "?".repeat(200).as_str(), "0x%3F%3F"] {
        let (code, _) = connection.request("GET", &format!("/api/ask?q={text}&gen=%00&features=nope"), &[])?;
        if code != 200 {
            return Err(format!("{text}: {code}").into());
        }
    }
    let noise: Vec<u8> = (0..100_000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    let listing = connection.json("POST", "/api/list", &noise)?;
    if listing["kind"] != "list" {
        return Err(format!("{}", listing["kind"]).into());
    }
    // A thousand who say nothing: those who stay are shown out in time.
    let crowd: Vec<_> = (0..1000).filter_map(|_| std::net::TcpStream::connect(("127.0.0.1", port)).ok()).collect();
    for _ in 0..40 {
        std::thread::sleep(Duration::from_millis(500));
        if good("a silent crowd").is_ok() {
            drop(crowd);
            return good("the crowd left");
        }
    }
    Err("down after a silent crowd".into())
}
