//! Texts as people write them: what each line of `data/lines.txt` becomes, and the same beside `iga64`.

mod text {
    pub(crate) mod iga;
    pub(crate) mod kernel;
    pub(crate) mod lines;
    pub(crate) mod numbers;
    pub(crate) mod words;
}

use isaglot_testing::peer::{IGA64, trial};
use isaglot_testing::{Trial, suite};

fn main() {
    suite::run(vec![
        Trial::test("lines", text::lines::ours),
        Trial::test("numbers", text::numbers::together_as_alone),
        Trial::test("double_precision", text::kernel::there_and_back),
        trial("peer_lines", &[IGA64], text::lines::beside_iga64),
        trial("peer_double_precision", &[IGA64], text::kernel::beside_iga64),
        trial("peer_words", &[IGA64], text::words::beside_iga64),
    ]);
}
