//! Listings of everything in the corpus: of the published schema, the same after reading and writing.

mod check;
mod files;
mod isaspec;
mod links;
mod others;

use libtest_mimic::Arguments;

fn main() {
    let isaspec = files::folder("isaspec");
    if isaspec.is_none() {
        assert!(std::env::var_os("ISAGLOT_CORPUS").is_none(), "ISAGLOT_CORPUS names no corpus");
        eprintln!("no corpus: nothing is listed");
    }
    let mut trials = isaspec::trials(isaspec);
    trials.extend(others::trials());
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}
