//! What the tests of generated code share: descriptions, streams of words, and what the engine says to them.

#![allow(dead_code, reason = "each test uses a part")]

use std::io::Read;
use std::path::{Path, PathBuf};

use isaglot_asm::{Entry, Hooks, Options, Stream};
use isaglot_codec::Plan;
use isaglot_model::{FeatureId, Isa};
use isaglot_source::{Diagnostics, SourceMap};

/// The root of the workspace.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Loads a description.
fn load(path: &Path) -> Isa {
    let (mut files, mut problems) = (SourceMap::new(), Diagnostics::new());
    let mut read = |name: &str| std::fs::read(name).map_err(|e| e.to_string());
    let isa = isaglot_isaspec::load(&mut files, &path.display().to_string(), &mut read, &mut problems);
    isa.unwrap_or_else(|| {
        panic!("{}: {}", path.display(), problems.iter().map(|d| d.message.as_str()).next().unwrap_or(""))
    })
}

/// The plan of a description for a gen; `features` is `all`, or empty for those that are on by default.
fn plan<'a>(isa: &'a Isa, generation: u32, features: &str) -> Plan<'a> {
    match features {
        "all" => {
            let on: Vec<FeatureId> = (0..isa.features().len() as u32).map(FeatureId).collect();
            Plan::with_features(isa, generation, &on)
        }
        _ => Plan::new(isa, generation),
    }
}

/// A description to generate code for.
#[derive(Clone)]
pub(crate) struct Subject {
    pub(crate) name: String,
    path: PathBuf,
    generation: u32,
    features: &'static str,
    /// Streams of instructions, and their text, beside the random ones.
    pub(crate) pool: Option<(PathBuf, PathBuf)>,
}

impl Subject {
    /// Loads the description.
    pub(crate) fn load(&self) -> Isa {
        load(&self.path)
    }

    /// Its plan.
    pub(crate) fn plan<'a>(&self, isa: &'a Isa) -> Plan<'a> {
        plan(isa, self.generation, self.features)
    }
}

/// Descriptions that the project ships: name, file, gen, features.
const SHIPPED: &[(&str, &str, u32, &str)] = &[
    ("minnow", "specs/minnow/minnow.xml", 1, ""),
    ("trio", "specs/trio/trio.xml", 0, ""),
    ("rv32", "specs/riscv/riscv.xml", 32, "all"),
    ("rv64", "specs/riscv/riscv.xml", 64, "all"),
    // Its texts come from its own crate; by its description it only decodes.
    ("xe", "specs/xe/xe.xml", 2000, ""),
];

/// Those of the corpus.
const CORPUS: &[(&str, u32)] =
    &[("ir3", 400), ("ir3", 500), ("ir3", 600), ("ir3", 700), ("afuc", 5), ("afuc", 6), ("afuc", 7), ("etnaviv", 0)];

/// The corpus of isaspec, if there is one.
pub(crate) fn corpus() -> Option<PathBuf> {
    let given = std::env::var_os("ISAGLOT_CORPUS").map(PathBuf::from);
    let wanted = given.is_some();
    let path = given.unwrap_or_else(|| root().join("../shared/corpus")).join("isaspec");
    assert!(path.is_dir() || !wanted, "ISAGLOT_CORPUS has no isaspec");
    path.is_dir().then_some(path)
}

/// Every description that there is: the shipped ones, those of the corpus, its small ones.
pub(crate) fn subjects() -> Vec<Subject> {
    let mut all: Vec<Subject> = SHIPPED
        .iter()
        .map(|&(name, path, generation, features)| Subject {
            name: name.to_owned(),
            path: root().join(path),
            generation,
            features,
            pool: None,
        })
        .collect();
    let Some(corpus) = corpus() else { return all };
    for &(isa, generation) in CORPUS {
        let pool = |end: &str| corpus.join("corpus").join(format!("{isa}.gen{generation}.pool.{end}.gz"));
        all.push(Subject {
            name: format!("{isa}_{generation}"),
            path: corpus.join("xml").join(isa).join(format!("{isa}.xml")),
            generation,
            features: "",
            pool: pool("bin").is_file().then(|| (pool("bin"), pool("txt"))),
        });
    }
    let mut small: Vec<PathBuf> =
        std::fs::read_dir(corpus.join("micro")).map_or(Vec::new(), |d| d.flatten().map(|e| e.path()).collect());
    small.sort();
    for path in small {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(path.join("meta.json")).unwrap_or_default();
        let meta: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
        let generation = meta["gen"].as_u64().unwrap_or(0) as u32;
        all.push(Subject {
            name: format!("micro_{name}"),
            path: path.join("spec.xml"),
            generation,
            features: "",
            pool: None,
        });
    }
    all
}

/// A packed file of the corpus.
pub(crate) fn unpack(path: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    flate2::read::GzDecoder::new(file).read_to_end(&mut bytes).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    bytes
}

/// How many random instructions a test tries: `ISAGLOT_WORDS`, or this many.
pub(crate) fn words(usual: usize) -> usize {
    std::env::var("ISAGLOT_WORDS").ok().and_then(|n| n.parse().ok()).unwrap_or(usual)
}

/// Whether more is tried than usual.
pub(crate) fn is_large() -> bool {
    words(0) > 0
}

/// A million instructions drawn from a pool of instructions of `size` bytes, as the corpus's MANIFEST says.
pub(crate) fn drawn(pool: &[u8], size: usize) -> Vec<u8> {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let count = (pool.len() / size.max(1)).max(1) as u64;
    let mut out = Vec::with_capacity(1_000_000 * size);
    for _ in 0..1_000_000 {
        let at = ((random.next() >> 32) % count) as usize * size;
        out.extend_from_slice(pool.get(at..at + size).unwrap_or(&[]));
    }
    out
}

/// Prints custom fields as `0x%03x`.
pub(crate) struct Custom;

impl Hooks for Custom {
    fn wants_lines(&self) -> bool {
        false
    }

    fn custom(&mut self, _: &str, value: u64, out: &mut Vec<u8>) {
        out.extend_from_slice(format!("0x{value:03x}").as_bytes());
    }
}

/// Pseudo-random numbers.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// The next one.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }
}

/// A stream with about `count` instructions: half random, half encodings of the plan with random open bits, some of
/// those with a bit flipped.
pub(crate) fn stream(plan: &Plan<'_>, count: usize, seed: u64) -> Vec<u8> {
    let isa = plan.isa();
    let mut random = Random(seed | 1);
    let mut out = Vec::new();
    let leaves: Vec<_> = isa[isa.root()].encodings.iter().filter(|&&id| plan.active(&isa[id])).collect();
    for _ in 0..count {
        let pick = random.next();
        let Some(&&id) = leaves.get((random.next() % (leaves.len() as u64).max(1)) as usize) else {
            out.push(pick as u8);
            continue;
        };
        let encoding = &isa[id];
        let mut word = isaglot_bits::Word::zero(encoding.width);
        for lo in (0..encoding.width).step_by(64) {
            // Sparse and dense words come too.
            let bits = match pick >> 8 & 3 {
                0 => random.next() & random.next() & random.next(),
                1 => random.next() | random.next() | random.next(),
                _ => random.next(),
            };
            word.insert(lo, 64.min(encoding.width - lo), bits);
        }
        if pick & 3 != 0 {
            word = word.and_not(encoding.pattern.care()).or(encoding.pattern.value());
            if pick & 4 != 0 {
                word = word.and_not(&encoding.dont_care);
            }
            if pick & 0xf0 == 0 {
                let bit = (random.next() % u64::from(encoding.width)) as u32;
                word.set_bit(bit, !word.bit(bit));
            }
        }
        match isa.format().byte_order {
            isaglot_model::ByteOrder::Little => out.extend(word.le_bytes()),
            isaglot_model::ByteOrder::Big => out.extend(word.le_bytes().rev()),
        }
    }
    out
}

/// What the engine prints for a stream.
pub(crate) fn engine(plan: &Plan<'_>, options: Options, bytes: &[u8], hooks: &mut dyn Hooks) -> Vec<u8> {
    let mut out = Vec::new();
    let mut stream = Stream::new(plan, options, bytes.len() as u64);
    stream.mark(bytes);
    stream.feed(bytes, hooks, &mut out);
    out
}

/// Named places in a stream.
pub(crate) fn entries(count: usize) -> Vec<Entry> {
    let mut random = Random(77);
    (0..count).map(|i| Entry { offset: random.next() % 400, name: format!("place_{}", i % 7).into_bytes() }).collect()
}

/// Says where two texts begin to differ.
pub(crate) fn compare(what: &str, got: &[u8], wanted: &[u8]) -> Result<(), String> {
    if got == wanted {
        return Ok(());
    }
    let (a, b): (Vec<&[u8]>, Vec<&[u8]>) =
        (got.split(|&b| b == b'\n').collect(), wanted.split(|&b| b == b'\n').collect());
    let line = a.iter().zip(&b).position(|(a, b)| a != b).unwrap_or(a.len().min(b.len()));
    let show = |lines: &[&[u8]]| String::from_utf8_lossy(lines.get(line).copied().unwrap_or(b"(nothing)")).into_owned();
    Err(format!("{what}, line {}:\n  generated: {}\n  engine:    {}", line + 1, show(&a), show(&b)))
}

/// Writes generated files to a folder.
pub(crate) fn write(files: &[isaglot_emit::files::File], folder: &Path) -> std::io::Result<()> {
    files.iter().try_for_each(|file| {
        let target = folder.join(&file.name);
        std::fs::create_dir_all(target.parent().unwrap_or(folder))?;
        std::fs::write(target, &file.text)
    })
}
