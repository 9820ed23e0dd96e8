//! Load/store-cache messages.

use isaglot_model::Isa;

/// The compiled description of descriptors.
#[derive(Debug)]
pub(crate) struct Lsc;

impl Lsc {
    pub(crate) fn new(_isa: &'static Isa, _generation: u32) -> Lsc {
        Lsc
    }
}
