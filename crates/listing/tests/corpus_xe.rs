//! Every stored listing of the corpus is read and written back, byte for byte.

use std::io::Read;
use std::path::{Path, PathBuf};

use isaglot_listing::write::{Style, to_json};
use isaglot_source::FileId;
use libtest_mimic::{Arguments, Trial};

fn corpus() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    std::env::var_os("ISAGLOT_CORPUS").map_or(root, PathBuf::from).join("xe/kernels")
}

fn unpacked(path: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    flate2::read::GzDecoder::new(std::fs::File::open(path).unwrap()).read_to_end(&mut bytes).unwrap();
    bytes
}

fn round_trip(names: &[PathBuf]) -> Result<(), String> {
    let mut bad = Vec::new();
    for path in names {
        // The peer prints one option without quotes: such a file is no JSON and nothing that a reader must take.
        let bytes = unpacked(path);
        let text = String::from_utf8_lossy(&bytes);
        if text.contains(", NoAccSBSet]") || text.contains("[NoAccSBSet]") {
            continue;
        }
        match isaglot_listing::read(FileId(0), &bytes) {
            Err(e) => bad.push(format!("{}: {:?}", path.display(), e.iter().next())),
            Ok(listing) => {
                if to_json(&listing, Style { wide_store_indent: true }) != bytes {
                    bad.push(format!("{}: written differently", path.display()));
                }
            }
        }
    }
    println!("{} of {} listings read and written back", names.len() - bad.len(), names.len());
    if bad.is_empty() { Ok(()) } else { Err(bad.join("\n")) }
}

fn main() {
    let mut names: Vec<PathBuf> =
        std::fs::read_dir(corpus()).map(|dir| dir.filter_map(|e| Some(e.ok()?.path())).collect()).unwrap_or_default();
    names.retain(|p| {
        let name = p.to_string_lossy();
        name.ends_with(".json.gz") && !name.ends_with(".v1.json.gz") && !name.contains("/neg")
    });
    names.sort();
    let absent = names.is_empty();
    if absent {
        println!("no corpus: set ISAGLOT_CORPUS");
    }
    let run = move || round_trip(&names).map_err(Into::into);
    let trial = Trial::test("xe_json_reader_writer", run).with_ignored_flag(absent);
    libtest_mimic::run(&Arguments::from_args(), vec![trial]).exit();
}
