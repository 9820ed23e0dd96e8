//! Disassembly from isaspec descriptions: the streams of a million instructions drawn from the corpus's pools by the
//! recipe of its MANIFEST, with and without labels, and the start on an empty input.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::Row;

/// Description, gen, bytes per instruction.
const STREAMS: &[(&str, u32, usize)] =
    &[("ir3", 600, 8), ("ir3", 700, 8), ("afuc", 6, 4), ("afuc", 7, 4), ("etnaviv", 0, 16)];

/// Instructions of a stream.
pub(crate) const COUNT: u64 = 1_000_000;

pub(crate) fn rows() -> Result<Vec<Row>, String> {
    let corpus = super::corpus()?.join("isaspec");
    let dir = super::folder()?;
    let empty = dir.join("empty.bin");
    std::fs::write(&empty, []).map_err(|e| format!("{}: {e}", empty.display()))?;
    let mut rows = Vec::new();
    for &(isa, generation, _) in STREAMS {
        let stream = stream(isa, generation)?;
        let spec = corpus.join(format!("xml/{isa}/{isa}.xml"));
        let row = |what: &str, input: &Path, more: &[&str], units| {
            let mut args = vec!["disasm".to_owned(), "--spec".to_owned(), spec.display().to_string()];
            args.extend(["--gen".to_owned(), generation.to_string()]);
            args.extend(more.iter().map(|s| (*s).to_owned()));
            args.push(input.display().to_string());
            Row { name: format!("{isa} gen {generation}, {what}"), args, units, count: true, peer: None }
        };
        rows.push(row("1 M instructions", &stream, &[], COUNT));
        rows.push(row("1 M instructions, labels", &stream, &["--labels"], COUNT));
        rows.push(row("start only", &empty, &[], 1));
    }
    Ok(rows)
}

/// The stream of a description and gen of [`STREAMS`], made if it is not there.
pub(crate) fn stream(isa: &str, generation: u32) -> Result<PathBuf, String> {
    let known = STREAMS.iter().find(|s| (s.0, s.1) == (isa, generation));
    let &(_, _, size) = known.ok_or_else(|| format!("there is no stream of {isa}, gen {generation}"))?;
    let name = format!("{isa}.gen{generation}");
    let stream = super::folder()?.join(format!("{name}.1m.bin"));
    if !stream.is_file() {
        let pool = super::corpus()?.join(format!("isaspec/corpus/{name}.pool.bin.gz"));
        std::fs::write(&stream, stream_of(&pool, size)?).map_err(|e| format!("{}: {e}", stream.display()))?;
    }
    Ok(stream)
}

/// The stream that the recipe of the corpus's MANIFEST draws from a pool.
fn stream_of(pool: &Path, size: usize) -> Result<Vec<u8>, String> {
    let error = |e: std::io::Error| format!("{}: {e}", pool.display());
    let mut words = Vec::new();
    flate2::read::GzDecoder::new(File::open(pool).map_err(error)?).read_to_end(&mut words).map_err(error)?;
    let count = (words.len() / size) as u64;
    if count == 0 {
        return Err(format!("{}: no instructions", pool.display()));
    }
    let mut out = Vec::with_capacity(COUNT as usize * size);
    let mut x: u64 = 0x9E37_79B9_7F4A_7C15;
    for _ in 0..COUNT {
        x ^= x >> 12;
        x ^= x << 25;
        x ^= x >> 27;
        let at = ((x.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 32) % count) as usize * size;
        out.extend_from_slice(&words[at..at + size]);
    }
    Ok(out)
}
