//! What a host of WebAssembly calls: `request`, `ask` and `answer`, and nothing is imported.
//!
//! The host asks for room for a question (`request`), writes it there, has it answered (`ask`) and reads the answer (`answer`). The bytes
//! lie in vectors of ours, and only the host reads and writes by address, so there is no `unsafe` block here and none is needed. What Rust
//! calls unsafe is the name of an exported function alone (`no_mangle`): another function of the same name could be linked in its place.
//! Nothing else in the module exports a name. So this file is outside of the workspace, whose crates forbid `unsafe`.
use std::cell::RefCell;

use isaglot_wasm::{Outcome, Session};

#[derive(Default)]
struct State {
    session: Session,
    question: Vec<u8>,
    answer: Vec<u8>,
}

thread_local! {
    // An instance has one thread.
    static STATE: RefCell<State> = RefCell::default();
}

/// Where a question of so many bytes is to be written.
#[unsafe(no_mangle)]
extern "C" fn request(length: usize) -> *mut u8 {
    STATE.with_borrow_mut(|state| {
        state.question.clear();
        state.question.resize(length, 0);
        state.question.as_mut_ptr()
    })
}

/// Answers the question that was written: 0 if the answer is what was asked for, 1 if it is a JSON array of problems.
#[unsafe(no_mangle)]
extern "C" fn ask() -> u32 {
    STATE.with_borrow_mut(|state| {
        let question = std::mem::take(&mut state.question);
        let (code, answer) = match state.session.ask(&question) {
            Outcome::Done(answer) => (0, answer),
            Outcome::Problems(answer) => (1, answer.into_bytes()),
        };
        state.answer = answer;
        code
    })
}

/// Where the answer is. It stays there until the next question.
#[unsafe(no_mangle)]
extern "C" fn answer() -> *const u8 {
    STATE.with_borrow(|state| state.answer.as_ptr())
}

/// How many bytes the answer has.
#[unsafe(no_mangle)]
extern "C" fn answer_length() -> usize {
    STATE.with_borrow(|state| state.answer.len())
}
