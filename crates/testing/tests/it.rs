//! The helpers of tests, tested: a mistake here would hide mistakes everywhere.

use std::path::Path;

use isaglot_testing::peer::{self, Peer};
use isaglot_testing::{Random, Tally, bless, corpus, edits, ledger, workspace};

fn tally(rows: &[(&str, &str, bool)]) -> Tally {
    let mut tally = Tally::default();
    for (file, place, ok) in rows {
        tally.check(file, place, *ok, || format!("wrong\tat {place}\nsecond line"));
    }
    tally
}

#[test]
fn ledger_names_every_difference() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("ledger/set.txt");
    let first = tally(&[("a.txt", "2", false), ("a.txt", "10", false), ("a.txt", "11", true), ("b.txt", "x", false)]);
    // Nothing is known yet: all failures are new.
    let why = ledger::compare(&path, &first, false).unwrap_err();
    assert!(why.contains("3 rows fail") && why.contains("a.txt:10: wrong"), "{why}");
    ledger::compare(&path, &first, true).unwrap();
    let written = std::fs::read_to_string(&path).unwrap();
    assert_eq!(written, "a.txt:2\twrong at 2\na.txt:10\twrong at 10\nb.txt:x\twrong at x\n");
    ledger::compare(&path, &first, false).unwrap();

    // Reasons that a person wrote stay; a file that was not read is left alone.
    std::fs::write(&path, written.replace("wrong at 10", "a known limit")).unwrap();
    let second = tally(&[("a.txt", "2", true), ("a.txt", "10", false), ("a.txt", "11", false)]);
    let why = ledger::compare(&path, &second, false).unwrap_err();
    assert!(why.contains("1 rows fail that passed before:\n  a.txt:11"), "{why}");
    assert!(why.contains("1 rows of the ledger pass now, or are gone:\n  a.txt:2"), "{why}");
    assert!(!why.contains("b.txt"), "{why}");
    ledger::compare(&path, &second, true).unwrap();
    let written = std::fs::read_to_string(&path).unwrap();
    assert_eq!(written, "a.txt:10\ta known limit\na.txt:11\twrong at 11\nb.txt:x\twrong at x\n");

    // A set that passes has no ledger.
    let third = tally(&[("a.txt", "10", true), ("b.txt", "x", true)]);
    ledger::compare(&path, &third, true).unwrap();
    assert!(!path.exists());
}

#[test]
fn broken_ledgers_are_reported() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("set.txt");
    for text in ["a.txt:1\n", "a.txt\treason\n", "a.txt:1\t \n"] {
        std::fs::write(&path, text).unwrap();
        let why = ledger::compare(&path, &Tally::default(), false).unwrap_err();
        assert!(why.contains("set.txt:1: expected"), "{why}");
    }
}

#[test]
fn no_rows_is_an_error() {
    assert!(Tally::default().all_pass("nothing").is_err());
    assert!(ledger::check(env!("CARGO_MANIFEST_DIR"), "nothing", &Tally::default()).is_err());
}

#[test]
fn tallies_count_by_file() {
    let mut all = tally(&[("a", "1", true), ("a", "2", false)]);
    all.add(tally(&[("b", "1", true)]));
    assert_eq!((all.files["a"], all.files["b"], all.sum()), ((1, 2), (1, 1), (2, 3)));
    let why = all.all_pass("set").unwrap_err();
    assert!(why.contains("1 rows fail") && why.contains("a:2: wrong"), "{why}");
}

#[test]
fn goldens_show_the_line() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.txt");
    if bless::wanted() {
        return;
    }
    assert!(bless::golden(&path, "x").unwrap_err().contains("BLESS=1"));
    std::fs::write(&path, "one\ntwo\n").unwrap();
    bless::golden(&path, "one\ntwo\n").unwrap();
    let why = bless::golden(&path, "one\n").unwrap_err();
    assert!(why.contains("line 2 differs") && why.contains("golden: two"), "{why}");
}

#[test]
fn random_numbers_repeat_and_fit() {
    let (mut a, mut b) = (Random::new(0), Random::new(0));
    for n in 1..200 {
        assert_eq!(a.below(n), b.below(n));
        assert!(a.index(n as usize) < n as usize);
        b.u64();
        let limbs = a.limbs(n as u32);
        assert_eq!(limbs.len() as u64, n.div_ceil(64));
        assert!(n % 64 == 0 || limbs[limbs.len() - 1] >> (n % 64) == 0);
        b.limbs(n as u32);
    }
    assert_eq!((a.below(0), a.index(0), a.bits(0)), (0, 0, 0));
    let seen: std::collections::BTreeSet<u8> = a.bytes(4000).into_iter().collect();
    assert_eq!(seen.len(), 256);
    for _ in 0..1000 {
        let length = a.index(30);
        let seed = a.bytes(length);
        a.mutated(&seed, &["piece"]);
        a.mutated(&seed, &[]);
    }
}

#[test]
fn peers_are_probed_once() {
    use std::sync::atomic::{AtomicUsize, Ordering};
    static PROBES: AtomicUsize = AtomicUsize::new(0);
    let absent = Peer {
        name: "absent",
        probe: || {
            PROBES.fetch_add(1, Ordering::Relaxed);
            peer::starts("no-such-program-anywhere")
        },
    };
    let fine = Peer { name: "fine", probe: || Ok(()) };
    assert_eq!(peer::probe(&[fine]), Ok(()));
    assert!(peer::probe(&[fine, absent]).unwrap_err().starts_with("absent is missing: no-such-program-anywhere"));
    assert!(peer::probe(&[absent]).is_err());
    assert_eq!(PROBES.load(Ordering::Relaxed), 1);
    assert!(peer::trial("ignored or failing", &[absent], || Ok(())).has_ignored_flag() != peer::required());
}

/// On a machine with all packages of `.ci/packages`, every ready peer is there.
#[test]
fn ready_peers() {
    if !peer::required() {
        return;
    }
    use peer::*;
    let compilers = [GCC, CLANG, GCC_SANITIZERS, CLANG_SANITIZERS, CLANG_RISCV, RISCV_GCC, RISCV_GXX, RISCV_ELF_GCC];
    let others = [RISCV_BINUTILS, RISCV_QEMU, LLVM_OBJDUMP, LLVM_MC, LLVM_TBLGEN, SPIRV_TOOLS, Z3, IVERILOG];
    probe(&compilers).unwrap();
    probe(&others).unwrap();
    probe(&[RUSTC, RUSTFMT, CHROMIUM]).unwrap();
}

#[test]
fn files_are_unpacked() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.gz");
    let mut packer = flate2::write::GzEncoder::new(std::fs::File::create(&path).unwrap(), Default::default());
    std::io::Write::write_all(&mut packer, b"packed").unwrap();
    packer.finish().unwrap();
    std::fs::write(dir.path().join("b.txt"), "plain").unwrap();
    assert_eq!(corpus::text(&path).unwrap(), "packed");
    assert_eq!(corpus::files(dir.path(), ".txt"), [dir.path().join("b.txt")]);
    assert!(corpus::bytes(Path::new("/no/such/file")).unwrap_err().contains("/no/such/file"));
    assert_eq!(corpus::unhex(&corpus::hex(b"\x00\xffz")), b"\x00\xffz");
}

#[test]
fn workspace_is_found() {
    assert!(workspace().join("ARCHITECTURE.md").is_file());
}

#[test]
fn edits_are_read_and_made() {
    let list =
        edits::read("# c\n[one]\nspec specs/x.xml\nat <b>\nfind <c\nto />\nput <d>\\n\\t</d>\ncause enum #e\npacker\n");
    let edit = &list[0];
    assert_eq!((edit.name.as_str(), edit.file.as_str()), ("one", "x.xml"));
    assert_eq!(edit.facts("cause").collect::<Vec<_>>(), ["enum #e"]);
    assert_eq!(edit.facts("packer").count(), 1);
    let (text, lines) = edit.apply("<c/>\n<b>\n<c x=\"1\"/><c/>\n</b>").unwrap();
    assert_eq!((text.as_str(), lines), ("<c/>\n<b>\n<d>\n\t</d><c/>\n</b>", (3, 4)));
    let why = edit.apply("<c/><b>").unwrap_err();
    assert!(why.contains("\"<c\" is not in x.xml"), "{why}");
}

/// Every pair of the list can be made, where there is a corpus for it, and says what was edited.
#[test]
fn pairs_can_be_made() {
    let list = edits::read(edits::PAIRS);
    assert_eq!(list.len(), 40);
    let mut names: Vec<&str> = list.iter().map(|e| e.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), list.len(), "two pairs of one name");
    for edit in &list {
        let Some(top) = edit.top() else { continue };
        let path = top.with_file_name(&edit.file);
        let text = corpus::text(&path).unwrap();
        assert_ne!(edit.apply(&text).unwrap().0, text, "{}", edit.name);
        assert_eq!(edit.facts("cause").count(), 1, "{}", edit.name);
    }
}
