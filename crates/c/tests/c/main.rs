//! The C library, from C and C++: its header, its symbols, programs that use it, under sanitizers and valgrind.
//!
//! The archive that cargo built for this test is installed as a user would install it, once for all tests.

mod header;
mod install;

use isaglot_testing::{Trial, peer, suite};

fn main() {
    let mut trials =
        vec![Trial::test("header_is_written", header::is_written), Trial::test("every_symbol_is_listed", header::map)];
    for language in header::LANGUAGES {
        let name = format!("header_compiles_{}_{}", language.compiler, language.standard);
        trials.push(peer::trial(name, &[language.peer], move || header::compiles(language)));
    }
    trials.push(peer::trial("symbols_are_versioned", &[peer::GCC], install::symbols));
    suite::run(trials)
}
