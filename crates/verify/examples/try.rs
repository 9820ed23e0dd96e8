use isaglot_source::*;
fn main() {
    let path = std::env::args().nth(1).unwrap();
    let (mut files, mut problems) = (SourceMap::new(), Diagnostics::new());
    let mut read = |p: &str| std::fs::read(p).map_err(|e| e.to_string());
    let isa = isaglot_isaspec::load(&mut files, &path, &mut read, &mut problems).expect("no errors");
    let t = std::time::Instant::now();
    let o = isaglot_verify::overlaps(&isa, None);
    eprintln!("overlaps {} in {:?}", o.len(), t.elapsed());
    let t = std::time::Instant::now();
    let report = isaglot_verify::check(&isa, Default::default(), &mut |_, _| ());
    eprintln!("check in {:?}", t.elapsed());
    for d in isaglot_verify::diagnostics::diagnostics(&isa, &report) {
        println!("{}", render::text(&files, &d, false));
    }
    let mut c = std::collections::BTreeMap::new();
    for r in &report.rows { *c.entry((r.unique.name(), r.round_trip.name(), r.text.name())).or_insert(0) += 1; }
    eprintln!("{c:?}");
    let mut c = std::collections::BTreeMap::new();
    for d in isaglot_verify::diagnostics::diagnostics(&isa, &report) { *c.entry(d.code).or_insert(0) += 1; }
    eprintln!("{c:?}");
}
