//! dev
mod support;
use isaglot_emit::blueprint::Blueprint;
use isaglot_emit::runtime::{
    hooks::Plain,
    labels::Targets,
    out::Out,
    stream::{Entry, Options, Stream},
    tables,
};
use support::*;

#[test]
fn sizes() {
    let c = std::path::Path::new("/work/shared/corpus/isaspec/xml");
    let mut all: Vec<(String, std::path::PathBuf, u32, &str)> =
        SHIPPED.iter().map(|(n, p, g, f)| (n.to_string(), root().join(p), *g, *f)).collect();
    for (n, f, gens) in [
        ("ir3", "ir3/ir3.xml", vec![400u32, 500, 600, 700]),
        ("afuc", "afuc/afuc.xml", vec![5, 6, 7]),
        ("etnaviv", "etnaviv/etnaviv.xml", vec![0]),
    ] {
        for g in gens {
            all.push((format!("{n}{g}"), c.join(f), g, ""));
        }
    }
    let micro = c.parent().unwrap().join("micro");
    if std::env::var("MICRO").is_ok() {
        for d in std::fs::read_dir(&micro).unwrap().flatten() {
            all.push((d.file_name().to_string_lossy().into_owned(), d.path().join("spec.xml"), 6, ""));
        }
    }
    let n: usize = std::env::var("N").ok().and_then(|n| n.parse().ok()).unwrap_or(20000);
    let mut bad = 0;
    for (name, path, generation, features) in all {
        let isa = load(&path);
        let plan = plan(&isa, generation, features);
        let t = std::time::Instant::now();
        let b = match Blueprint::new(&plan, tables::LIMBS) {
            Ok(b) => b,
            Err(e) => {
                println!("{name}: {e:?}");
                continue;
            }
        };
        println!(
            "{name}: {:?} leaves {} tree {} entries {} cases {} fields {} exprs {} exprnodes {} parts {} | ops {} picks {} jumps {} runs {} scalars {} ifs {} subs {} calcs {} text {} memo {} nodes {} enums {} values {}",
            t.elapsed(),
            b.leaves.len(),
            b.tree.len(),
            b.entries.len(),
            b.cases.len(),
            b.fields.len(),
            b.exprs.len(),
            b.expr_nodes.len(),
            b.parts.len(),
            b.ops.len(),
            b.picks.len(),
            b.jumps.len(),
            b.runs.len(),
            b.scalars.len(),
            b.ifs.len(),
            b.subs.len(),
            b.calcs.len(),
            b.text.len(),
            b.memo,
            b.nodes,
            b.enums.len(),
            b.values.len()
        );
        if b.memo > tables::MEMO || b.nodes > tables::NODES {
            println!("   too big");
        }
        let bytes = stream(&plan, n, 12345);
        let view = b.tables();
        for labels in [false, true] {
            let options = isaglot_asm::Options {
                labels,
                entries: if labels { entries(60) } else { vec![] },
                ..Default::default()
            };
            let mut ents = options.entries.clone();
            ents.sort();
            let ents: Vec<Entry> = ents.iter().map(|e| Entry { offset: e.offset, name: &e.name }).collect();
            let want = engine(&plan, options, &bytes, &mut isaglot_asm::Plain);
            let mut got = Vec::new();
            let total = bytes.len() as u64 / isaglot_emit::runtime::stream::place_bytes(&view).max(1);
            let (mut s1, mut s2) = (vec![0u64; (total / 64 + 1) as usize], vec![0u64; (total / 64 + 1) as usize]);
            {
                let mut sink = |b: &[u8]| got.extend_from_slice(b);
                let mut out = Out::new(&mut sink);
                let targets = labels.then(|| Targets::new(total, &mut s1, &mut s2));
                let mut s = Stream::new(&view, Options { entries: &ents, ..Options::default() }, targets);
                s.mark(&bytes);
                s.feed(&bytes, &mut Plain, &mut out);
            }
            if let Err(e) = compare(&name, &got, &want) {
                println!("labels {labels} {e}");
                bad += 1;
            }
        }
    }
    assert_eq!(bad, 0);
}
