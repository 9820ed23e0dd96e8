//! The C library, from C and C++: its header, its symbols, programs that use it, under sanitizers and valgrind.
//!
//! The archive that cargo built for this test is installed as a user would install it, once for all tests.

mod build;
mod equal;
mod header;
mod install;
mod programs;

use isaglot_testing::{Trial, peer, suite};

/// Whether everything is asked, which takes minutes: `ISAGLOT_FULL=1`.
pub(crate) fn is_full() -> bool {
    std::env::var_os("ISAGLOT_FULL").is_some_and(|v| !v.is_empty() && v != "0")
}

fn main() {
    let mut trials =
        vec![Trial::test("header_is_written", header::is_written), Trial::test("every_symbol_is_listed", header::map)];
    for language in header::LANGUAGES {
        let name = format!("header_compiles_{}_{}", language.compiler, language.standard);
        trials.push(peer::trial(name, &[language.peer], move || header::compiles(language)));
    }
    trials.push(peer::trial("symbols_are_versioned", &[install::ELF, peer::GCC], install::symbols));
    trials.push(Trial::test("every_function_is_tried", header::are_tried));
    trials.extend(programs::trials());
    trials.extend(equal::trials());
    suite::run(trials)
}
