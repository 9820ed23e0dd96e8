//! A description that is open, with the texts that C asks of it.

use std::sync::OnceLock;

use isaglot::Engine;

use crate::problems::isaglot_problems;
use crate::text::Text;

/// A description with a gen and features, ready for questions. Any number of threads may use it at once.
#[derive(Debug)]
pub struct isaglot_engine {
    pub(crate) engine: Engine,
    pub(crate) name: Text,
    pub(crate) warnings: isaglot_problems,
    encodings: OnceLock<Vec<Encoding>>,
}

/// The names of an encoding.
#[derive(Debug)]
pub(crate) struct Encoding {
    pub(crate) mnemonic: Text,
    pub(crate) name: Text,
}

impl isaglot_engine {
    pub(crate) fn new(engine: Engine) -> Box<isaglot_engine> {
        let (name, warnings) = (Text::new(engine.name()), isaglot_problems::new(engine.warnings(), 0));
        Box::new(isaglot_engine { engine, name, warnings, encodings: OnceLock::new() })
    }

    /// The encodings, by number.
    pub(crate) fn encodings(&self) -> &[Encoding] {
        self.encodings.get_or_init(|| {
            let one =
                |(mnemonic, name): (&str, &str)| Encoding { mnemonic: Text::new(mnemonic), name: Text::new(name) };
            self.engine.encodings().into_iter().map(one).collect()
        })
    }
}
