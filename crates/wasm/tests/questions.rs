//! Questions as data: `questions.txt` has each with its answer. And any bytes as a question, which the fuzz target `wasm` drives too.

use isaglot_testing::bless;
use isaglot_testing::random::Random;
use isaglot_wasm::{Outcome, Session, message};

const MINNOW: &[u8] = include_bytes!("../../../specs/minnow/minnow.xml");

fn answer(session: &mut Session, line: &str) -> String {
    let (object, bytes) = line.split_once("} ").map_or((line.to_owned(), None), |(o, b)| (format!("{o}}}"), Some(b)));
    let frames: Vec<Vec<u8>> = match bytes {
        Some("minnow") => vec![MINNOW.to_vec()],
        Some(text) => {
            let digits = |word: &str| u8::from_str_radix(word, 16).expect("hex bytes");
            vec![text.split(' ').map(digits).collect()]
        }
        None => Vec::new(),
    };
    let frames: Vec<&[u8]> = frames.iter().map(Vec::as_slice).collect();
    match session.ask(&message::write(&object, &frames)) {
        Outcome::Done(bytes) if object.contains("\"assemble\"") => format!("done: {bytes:02x?}"),
        Outcome::Done(bytes) if object.contains("\"do\":\"list\"") => {
            let frames = message::read(&bytes).expect("two frames");
            let texts: Vec<&str> = frames.iter().map(|f| std::str::from_utf8(f).expect("UTF-8")).collect();
            format!("done: {}", texts.join("\n"))
        }
        Outcome::Done(bytes) => format!("done: {}", String::from_utf8_lossy(&bytes)),
        Outcome::Problems(text) => format!("problems: {text}"),
    }
}

#[test]
fn questions_have_their_answers() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/questions.txt");
    let file = std::fs::read_to_string(path).expect("the questions");
    let mut session = Session::default();
    let mut out = String::new();
    for line in file.lines() {
        if let Some(question) = line.strip_prefix("> ") {
            out.push_str(&format!("> {question}\n{}\n\n", answer(&mut session, question).trim_end()));
        } else if line.starts_with('#') {
            out.push_str(&format!("{line}\n"));
        }
    }
    bless::golden(path.as_ref(), &out).expect("as in the file");
}

#[test]
fn any_bytes_are_answered() {
    let mut random = Random::new(24);
    let load = message::write(r#"{"do":"load","files":["minnow.xml"]}"#, &[MINNOW]);
    let mut session = Session::default();
    let pieces = [
        "{\"do\":\"",
        "load",
        "decode",
        "list",
        "explain",
        "explore\",\"what\":\"ask\",\"text\":\"",
        "typed",
        "next",
        "li r1, ",
        "\"}",
        ",\"files\":[\"a\"]",
        "\0\0\0",
        ":",
        "\u{1}",
    ];
    for round in 0..isaglot_testing::rounds(2_000) {
        if round % 50 == 0 {
            session.ask(&load);
        }
        let bytes = if random.bool() { random.bytes(40) } else { random.mutated(&load, &pieces) };
        session.ask(&bytes);
        let object = random.text(&pieces, 6);
        let beside = random.bytes(9);
        session.ask(&message::write(&object, &[&beside]));
    }
}
