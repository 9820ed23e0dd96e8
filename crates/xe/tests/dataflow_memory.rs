//! Dataflow of code with many branches takes memory in proportion to its instructions, and little of it.
//!
//! Alone in its process, for the allocator counts everything. Time is no matter of a test; `cargo xtask bench xe` has it.

mod branchy;

use std::alloc::System;

use cap::Cap;
use isaglot_source::{Diagnostics, FileId};
use isaglot_xe::{Compaction, ListOptions, Platform, Xe};

#[global_allocator]
static ALLOCATOR: Cap<System> = Cap::new(System, usize::MAX);

/// Instructions, and the most that may be allocated at once for a listing of them, the description included.
const MANY: (u64, usize) = (2_400, 50_000_000);

/// Lists a program with dataflow; gives the bytes that were asked for in all, per instruction.
fn bytes_each(xe: &mut Xe, count: u64, kind: branchy::Kind) -> f64 {
    let mut problems = Diagnostics::new();
    let text = branchy::branchy(count, kind);
    let binary = xe.assemble(FileId(0), text.as_bytes(), Compaction::Marked, &mut problems).expect("sound code");
    let before = ALLOCATOR.total_allocated();
    let program = xe.program(&binary);
    let mut json = Vec::new();
    let options = ListOptions { defs: true, ..ListOptions::default() };
    assert!(xe.write_json(&program, &options, &mut json).is_ok());
    assert_eq!(program.entries.len() as u64, count / branchy::BLOCK * branchy::BLOCK);
    let each = (ALLOCATOR.total_allocated() - before) as f64 / count as f64;
    println!("{count} instructions: {} bytes of JSON, {each:.0} bytes asked for per instruction", json.len());
    each
}

#[test]
fn memory_grows_with_instructions() {
    let description = isaglot_xe::Description::embedded().expect("the description");
    let mut xe = Xe::new(&description, Platform::XeHpc).expect("the description");
    let (count, most) = MANY;
    for kind in [branchy::NEAR, branchy::FAR] {
        bytes_each(&mut xe, count, kind);
    }
    let peak = ALLOCATOR.max_allocated();
    println!("{count} instructions: at most {peak} bytes at once");
    assert!(peak < most, "{peak} bytes for {count} instructions");
    let few = bytes_each(&mut xe, 300, branchy::NEAR);
    for count in [600, 1_200, 2_400, 4_800, 9_600, 19_200] {
        let each = bytes_each(&mut xe, count, branchy::NEAR);
        assert!(each < 1.2 * few, "{each:.0} bytes per instruction for {count}, {few:.0} for 300");
    }
}
