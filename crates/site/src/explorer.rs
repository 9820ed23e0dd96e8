//! The explorer: one page over two engines. `isaglot explore` serves it beside an engine of its own, and a folder of pages has it with the
//! engine as WebAssembly in it.
//!
//! The problem: a page that is opened from a folder may fetch nothing. The method: what it needs are scripts that assign a value: the
//! engine and the compiled description in base64, and the addresses of pages. The page speaks to an object `isaglotBackend` alone, of
//! which there are two: one asks a server, one the engine. The invariant: nothing is loaded from anywhere but the folder of the page.

use isaglot_model::Isa;
use serde_json::{Value, json};

use crate::File;
use crate::html::Escaped;
use crate::slug::Slugs;

/// What answers the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    /// The server that the page comes from.
    Server,
    /// The engine in the folder.
    Engine,
}

/// The script with the addresses of the pages ([`pages`]).
pub const PAGES: &str = "pages.js";

/// The page itself.
pub const PAGE: &str = "explore.html";

const TEMPLATE: &str = include_str!("assets/explore/page.html");
const STYLE: &str = concat!(
    include_str!("assets/diagram.css"),
    include_str!("assets/style.css"),
    include_str!("assets/explore/explore.css")
);

/// The scripts of the page, in the order in which they run.
const SCRIPTS: [(&str, &str); 6] = [
    ("explore-make.js", include_str!("assets/explore/make.js")),
    ("explore-word.js", include_str!("assets/explore/word.js")),
    ("explore-listing.js", include_str!("assets/explore/listing.js")),
    ("explore-typing.js", include_str!("assets/explore/typing.js")),
    ("explore-start.js", include_str!("assets/explore/start.js")),
    ("explore.js", include_str!("assets/explore/explore.js")),
];

const SERVER: (&str, &str) = ("explore-server.js", include_str!("assets/explore/server.js"));
const ENGINE: (&str, &str) = ("explore-engine.js", include_str!("assets/explore/engine.js"));

/// The page. `docs` leads from it to the folder of the pages: `""` or a path that ends in `/`.
#[must_use]
pub fn page(backend: Backend, docs: &str) -> String {
    let backend = match backend {
        Backend::Server => vec![SERVER.0],
        Backend::Engine => vec!["engine.js", "description.js", ENGINE.0],
    };
    let pages = format!("{docs}{PAGES}");
    let scripts = std::iter::once(pages.as_str()).chain(backend).chain(SCRIPTS.iter().map(|(name, _)| *name));
    let scripts: String = scripts.map(|src| format!("<script src=\"{src}\" defer=\"defer\"></script>\n")).collect();
    TEMPLATE.replace("{SCRIPTS}", scripts.trim_end()).replace("{DOCS}", &Escaped(docs).to_string())
}

/// A file of the page that is the same for every description.
#[must_use]
pub fn asset(name: &str) -> Option<&'static str> {
    match name {
        "explore.css" => Some(STYLE),
        "favicon.svg" => Some(crate::FAVICON),
        _ => SCRIPTS.iter().chain([&SERVER, &ENGINE]).find(|(known, _)| *known == name).map(|(_, text)| *text),
    }
}

/// The addresses of the pages of a description, by the numbers that the engine's answers have.
#[must_use]
pub fn pages(isa: &Isa) -> String {
    let slugs = Slugs::new(isa);
    let id = |at: usize| at as u32;
    let encodings: Vec<&str> =
        (0..isa.encodings().len()).map(|at| slugs.encoding(isaglot_model::EncodingId(id(at)))).collect();
    let enums: Vec<&str> = (0..isa.enums().len()).map(|at| slugs.enumeration(isaglot_model::EnumId(id(at)))).collect();
    let spaces: Vec<&str> = (0..isa.spaces().len()).map(|at| slugs.space(isaglot_model::SpaceId(id(at)))).collect();
    let files: Vec<String> = (0..isa.register_files().len()).map(|at| format!("registers.html#file-{at}")).collect();
    script("ISAGLOT_PAGES", &json!({ "encoding": encodings, "enum": enums, "space": spaces, "file": files }))
}

/// The files of the explorer in a folder of pages: `engine` is the WebAssembly module, `description` a compiled description, and `load`
/// the question that loads it.
#[must_use]
pub fn files(isa: &Isa, engine: &[u8], description: &[u8], load: &Value) -> Vec<File> {
    let file = |path: &str, text: String| File { path: path.to_owned(), bytes: text.into_bytes() };
    let shared = SCRIPTS.iter().chain([&ENGINE]).map(|(name, text)| file(name, (*text).to_owned()));
    let described = json!({ "name": crate::name(isa), "load": load, "bytes": base64(description) });
    let mut all = vec![
        file(PAGE, page(Backend::Engine, "")),
        file("explore.css", STYLE.to_owned()),
        file(PAGES, pages(isa)),
        file("engine.js", script("ISAGLOT_ENGINE", &base64(engine).into())),
        file("description.js", script("ISAGLOT_DESCRIPTION", &described)),
    ];
    all.extend(shared);
    all
}

/// A script that assigns a value. `<` cannot end a script element of its own, but costs nothing to keep out.
fn script(name: &str, value: &Value) -> String {
    format!("const {name} = {};\n", value.to_string().replace('<', "\\u003c"))
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let number = three.iter().fold(0_u32, |sum, b| sum << 8 | u32::from(*b)) << (8 * (3 - three.len()));
        for at in 0..4 {
            let digit = DIGITS.get((number >> (18 - 6 * at) & 63) as usize).copied().unwrap_or(b'=');
            out.push(if at > three.len() { '=' } else { digit as char });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::base64;

    #[test]
    fn bytes_in_base64() {
        let cases =
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE=")];
        for (bytes, text) in cases {
            assert_eq!(base64(bytes.as_bytes()), text, "{bytes}");
        }
    }
}
