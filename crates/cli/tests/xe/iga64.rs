//! Started as `iga64`, the tool takes that program's options and gives what its own verbs give for them.
#![cfg(unix)]

use std::path::Path;
use std::process::{Command, Output};

const SOURCE: &str = "\
L0:
(W)     mov (16|M0)              r1.0<1>:f     r2.0<1;1,0>:f                    {Compacted,F@1}
        add (16|M0)   (lt)f0.0   r10.0<1>:f    r1.0<1;1,0>:f     1.5:f
(f0.0)  if (16|M0)                             L0                  L0
        send.ugm (16|M0)  r20 r10 null:0 0x0 0x04200580 {$1}
(W)     send.gtwy (1|M0)  null r112 null:0 0x0 0x02000010 {EOT}
";

fn run(dir: &Path, program: &Path, args: &[&str]) -> Output {
    Command::new(program).args(args).current_dir(dir).output().expect("it can be started")
}

/// What a run prints, with nothing to complain of.
fn said(dir: &Path, program: &Path, args: &[&str]) -> String {
    let out = run(dir, program, args);
    let errors = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(out.status.success(), "{args:?}: {errors}");
    String::from_utf8(out.stdout).expect("text")
}

#[test]
fn options_are_those_of_the_verbs() {
    let dir = tempfile::tempdir().expect("a folder");
    let dir = dir.path();
    let ours = Path::new(env!("CARGO_BIN_EXE_isaglot"));
    let iga = dir.join("iga64");
    std::os::unix::fs::symlink(ours, &iga).expect("a link");
    std::fs::write(dir.join("k.asm12p72"), SOURCE).expect("a source");

    for (option, compact) in [("-d", ""), ("-Xautocompact", "auto"), ("-Xforce-no-compact", "off")] {
        let compact = if compact.is_empty() { "marked" } else { compact };
        let flag = if option == "-d" { "-n" } else { option };
        said(dir, ours, &["asm", "--isa", "xehpc", "--compact", compact, "k.asm12p72", "-o", "wanted"]);
        said(dir, &iga, &["-a", "-p=12p72", flag, "k.asm12p72", "-o", "made"]);
        let read = |name: &str| std::fs::read(dir.join(name)).expect("a binary");
        assert!(read("made") == read("wanted"), "{option}");
    }
    // Mode and machine are also taken from the name.
    said(dir, &iga, &["k.asm12p72", "-o", "k.krn12p72"]);
    let text = said(dir, ours, &["disasm", "--isa", "xehpc", "k.krn12p72"]);
    assert!(text.starts_with("L0:\n(W)     mov (16|M0)"), "{text}");
    assert_eq!(said(dir, &iga, &["k.krn12p72"]), text);
    let options = [
        ("-Xprint-pc", "--pc"),
        ("-Xprint-bits", "--bits"),
        ("-Xprint-ldst", "--ldst"),
        ("-Xprint-hex-floats", "--hex-floats"),
    ];
    for (theirs, own) in options {
        let text = said(dir, ours, &["disasm", "--isa", "xehpc", own, "k.krn12p72"]);
        assert_eq!(said(dir, &iga, &["-d", "-p=12p72", theirs, "k.krn12p72"]), text, "{theirs}");
        let list = ["list", "--isa", "xehpc", "--json", "--defs", "--compat", "iga", own, "k.krn12p72"];
        let args = ["-d", "--platform", "12p72", "-Xprint-json", "-Xprint-defs", theirs, "k.krn12p72"];
        assert_eq!(said(dir, &iga, &args), said(dir, ours, &list), "{theirs}");
    }
}

#[test]
fn options_of_its_own_are_honoured_or_refused() {
    let dir = tempfile::tempdir().expect("a folder");
    let dir = dir.path();
    let iga = dir.join("iga64");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_isaglot"), &iga).expect("a link");
    std::fs::write(dir.join("k.asm12p72"), SOURCE).expect("a source");
    said(dir, &iga, &["-q", "-v", "2", "-Wnone", "-Xnative", "k.asm12p72", "-o", "k.krn12p72"]);
    // What texts hold is compared beside the peer, in the crate `xe`.
    for (args, wanted) in [
        (&["-n"][..], "(f0.0)  if (16|M0)                           -24                  -24"),
        (&["-Xprint-pc", "-Xset-pc-base=0x100"], "/* [0108]  */         add (16|M0)"),
        (&["-Xprint-pc", "-Xset-pc-base", "-8"], "/* [FFFFFFFFFFFFFFF8]  */ (W)     mov"),
        (&["-Xprint-deps"], "// d:{r10}, d-fl:{f0[0-1]}\n// s0:{r1}\n        add"),
        (&["-Xprint-defs"], "/*   #2 */ (f0.0)  if (16|M0)                           L0                  L0"),
        (&["-Xprint-defs", "--color=never"], "//  #1{f0[0-1]}"),
        (&["-Xprint-defs", "-Xno-print-ldst"], "//   ?=>#0 {r2}"),
    ] {
        let args: Vec<&str> = args.iter().copied().chain(["k.krn12p72"]).collect();
        let text = said(dir, &iga, &args);
        assert!(text.contains(wanted), "{args:?}: {text}");
    }
    for (args, wanted) in [
        (&["-h"][..], "usage: iga64"),
        (&["-h", "p"], "-p, --platform"),
        (&["-X"], "-Xprint-deps"),
        (&["-W"], "-Wnone"),
    ] {
        assert!(said(dir, &iga, args).contains(wanted), "{args:?}");
    }
    let out = run(dir, &iga, &["-Wregions", "k.krn12p72"]);
    let warning = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success() && warning.contains("-Wregions: these checks are not made here"), "{warning}");
}

#[test]
fn wrong_usage_is_said() {
    let dir = tempfile::tempdir().expect("a folder");
    let dir = dir.path();
    let iga = dir.join("iga64");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_isaglot"), &iga).expect("a link");
    for (args, wanted) in [
        (&["-d", "-p=12p99", "k"][..], "no platform 12p99"),
        (&["-d", "-p"], "needs a value"),
        (&["--frobnicate"], "option --frobnicate is not known"),
        (&["-p=2", "a", "b"], "one input file only"),
        (&["-d", "k"], "no platform"),
        (&["-Xauto-deps", "k"], "option -Xauto-deps is not supported"),
        (&["-Xset-pc-base=x", "k"], "x is not a number"),
        (&["--color", "red", "k"], "expected always, never or auto"),
    ] {
        let out = run(dir, &iga, args);
        let said = String::from_utf8_lossy(&out.stderr);
        assert!(out.status.code() == Some(1) && said.contains(wanted), "{args:?}: {said}");
    }
}
