//! Random and mutated input through everything: no panic, and every listing is read back.

use isaglot_source::{Diagnostics, FileId};
use isaglot_testing::{Random, rounds};
use isaglot_xe::oracle::exercise;
use isaglot_xe::platform::ALL;
use isaglot_xe::{Compaction, Description, ListOptions, Xe, description};

/// Own lines that together use every form.
const SOURCE: &str = include_str!("data/forms.asm");

#[test]
fn description_has_no_problems() {
    let (isa, _, problems) = description();
    assert!(isa.is_some() && problems.is_empty(), "{:?}", problems.iter().next());
    let embedded = Description::embedded().unwrap();
    for platform in ALL {
        assert!(Xe::new(&embedded, platform).is_some(), "{}", platform.name());
    }
}

#[test]
fn forms_round_trip() {
    let description = Description::embedded().unwrap();
    let mut xe = Xe::new(&description, isaglot_xe::Platform::XeHpc).unwrap();
    let mut problems = Diagnostics::new();
    let bytes = xe.assemble(FileId(0), SOURCE.as_bytes(), Compaction::Off, &mut problems);
    let bytes = bytes.unwrap_or_else(|| panic!("{:?}", problems.iter().next()));
    let program = xe.program(&bytes);
    let mut text = Vec::new();
    xe.print(&program, &isaglot_xe::TextOptions::default(), &mut text);
    assert_eq!(xe.assemble(FileId(0), &text, Compaction::Marked, &mut problems).as_deref(), Some(&bytes[..]));
    let listing = xe.listing(&program, &ListOptions { defs: true, ..ListOptions::default() }).unwrap();
    assert_eq!(xe.assemble_listing(FileId(0), &listing, &mut problems).as_deref(), Some(&bytes[..]));
}

#[test]
fn wrong_lines_are_all_reported() {
    let description = Description::embedded().unwrap();
    let mut xe = Xe::new(&description, isaglot_xe::Platform::XeHpc).unwrap();
    let text = "frobnicate (1|M0) r1.0<1>:f\nadd (16|M0) r256.0<1>:f r2.0<1;1,0>:f 1:f\njmpi nowhere\nnop {$99}\n";
    let mut problems = Diagnostics::new();
    assert!(xe.assemble(FileId(0), text.as_bytes(), Compaction::Off, &mut problems).is_none());
    let codes: Vec<&str> = problems.iter().map(|d| d.code).collect();
    assert_eq!(codes, ["xe-mnemonic", "xe-range", "xe-encoding", "xe-label"], "{problems:?}");
}

#[test]
fn lines_met_again_mean_the_same() {
    let description = Description::embedded().unwrap();
    let mut xe = Xe::new(&description, isaglot_xe::Platform::XeHpc).unwrap();
    let assembled = |xe: &mut Xe<'_>, text: &str| {
        let mut problems = Diagnostics::new();
        let bytes = xe.assemble(FileId(0), text.as_bytes(), Compaction::Auto, &mut problems);
        (bytes, problems.iter().map(|d| (d.code, d.span().map_or(0, |s| s.start as usize))).collect::<Vec<_>>())
    };
    let mut compared = 0;
    for line in SOURCE.lines() {
        // Labels and what names one do not stand alone.
        let (Some(alone), said) = assembled(&mut xe, line) else { continue };
        if !alone.is_empty() {
            let (thrice, said_thrice) = assembled(&mut xe, &format!("{line}\n  {line} // again\n{line}"));
            assert_eq!((thrice, said_thrice.len()), (Some(alone.repeat(3)), 3 * said.len()), "{line}");
            compared += 1;
        }
    }
    assert!(compared > 15, "{compared}");
    // A label, a problem, a warning: each counts every time, wherever it stands.
    let label = "x: add (16|M0)  r1.0<1>:f  r2.0<1;1,0>:f  r3.0<1;1,0>:f\n";
    assert_eq!(assembled(&mut xe, &label.repeat(2)), (None, vec![("xe-label-twice", label.len())]));
    let wrong = "nop {$99}\n";
    assert_eq!(assembled(&mut xe, &wrong.repeat(2)), (None, vec![("xe-encoding", 0), ("xe-encoding", wrong.len())]));
    let dropped = "(f0.0) nop\n";
    let (bytes, said) = assembled(&mut xe, &dropped.repeat(2));
    assert_eq!((bytes.map(|b| b.len()), said), (Some(32), vec![("xe-unused", 0), ("xe-unused", dropped.len())]));
}

#[test]
fn nothing_panics() {
    let mut random = Random::new(1);
    let description = Description::embedded().unwrap();
    for platform in ALL {
        let mut xe = Xe::new(&description, platform).unwrap();
        let mut problems = Diagnostics::new();
        let bytes = xe.assemble(FileId(0), SOURCE.as_bytes(), Compaction::Auto, &mut problems).unwrap_or_default();
        let mut json = Vec::new();
        let program = xe.program(&bytes);
        xe.write_json(&program, &ListOptions::default(), &mut json).unwrap();
        for round in 0..rounds(60) {
            // Words that are wholly random, then good input with a few bytes changed, then cut short.
            let mut data: Vec<u8> = match round % 4 {
                0 => random.bytes(320),
                1 => bytes.clone(),
                2 => SOURCE.as_bytes().to_vec(),
                _ => json.clone(),
            };
            for _ in 0..3 {
                let at = random.index(data.len());
                if let Some(byte) = data.get_mut(at) {
                    *byte = random.u8();
                }
            }
            data.truncate(data.len() - random.index(16.min(data.len())));
            if let Err(e) = exercise(&mut xe, &data) {
                panic!("{}, round {round}: {e}", platform.name());
            }
        }
    }
}
