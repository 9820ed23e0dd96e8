//! The forms of an instruction in the modes of a processor: which namespace of a mode it is in, and where its bits lie there.
//!
//! Invariant: without modes in the table, an instruction has one form, itself; with modes, one for each line about its
//! namespace whose first bits it can have, and none if no mode names its namespace.

use std::rc::Rc;

use isaglot_model::Condition;

use super::{Lowering, RANKS};
use crate::table::{Mode, ModeNamespace, WordPart};
use crate::target::features;
use crate::target::inst::{Inst, InstBit};

/// An instruction in a mode.
pub(super) struct Form<'a> {
    pub(super) inst: Inst<'a>,
    /// The number of the mode.
    pub(super) mode: usize,
    /// Before those of later namespaces.
    pub(super) rank: u32,
    /// The features of the mode and of the namespace.
    pub(super) condition: Condition,
}

impl<'a> Lowering<'a> {
    /// That the features of modes exist; and the forms in which instructions are tried, as many as there are.
    pub(super) fn needed_of_modes(&mut self) {
        let table = self.table;
        for mode in &table.modes {
            let own = mode.namespaces.iter().flat_map(|n| &n.features);
            for (feature, _) in mode.features.iter().chain(own) {
                if self.features.named(feature).is_none() {
                    self.unknown("feature", feature);
                }
            }
        }
    }

    /// The forms of an instruction of this namespace.
    pub(super) fn in_modes(&self, inst: Inst<'a>, namespace: &str) -> Vec<Form<'a>> {
        if self.table.modes.is_empty() {
            let rank = self.rank(namespace) * RANKS;
            return vec![Form { inst, mode: 0, rank, condition: Condition::Always }];
        }
        let mut forms = Vec::new();
        for (i, mode) in self.table.modes.iter().enumerate() {
            for (rank, line) in (0u32..).zip(&mode.namespaces) {
                if line.name != namespace {
                    continue;
                }
                let Some(inst) = arranged(&inst, mode, line) else { continue };
                let condition =
                    features::all(vec![self.features_are(&mode.features), self.features_are(&line.features)]);
                forms.push(Form { inst, mode: i, rank: rank.saturating_mul(RANKS), condition });
            }
        }
        forms
    }

    /// That these features are on, or off; those that no record has do not count.
    pub(super) fn features_are(&self, list: &[(String, bool)]) -> Condition {
        let each = list.iter().filter_map(|(name, on)| {
            let feature = Condition::Feature(self.features.named(name)?);
            Some(if *on { feature } else { Condition::Not(Box::new(feature)) })
        });
        features::all(each.collect())
    }
}

/// A bit of a word that is made of another.
#[derive(Clone, Copy)]
enum From {
    Bit(u32),
    Fixed(bool),
}

/// The instruction as a mode has it; `None` if its words cannot begin so.
fn arranged<'a>(inst: &Inst<'a>, mode: &Mode, line: &ModeNamespace) -> Option<Inst<'a>> {
    let mut inst = inst.clone();
    if !line.word.is_empty() {
        let mut order: Vec<From> = Vec::new();
        for part in line.word.iter().rev() {
            match *part {
                WordPart::Inst(high, low) => order.extend((low..=high).map(From::Bit)),
                WordPart::Fixed(width, value) => {
                    order.extend((0..width).map(|i| From::Fixed(value.checked_shr(i).unwrap_or(0) & 1 == 1)));
                }
            }
        }
        rearrange(&mut inst, &order);
    }
    if let Some(begins) = &line.begins {
        let low = inst.bits.len().checked_sub(begins.width() as usize)?;
        for (at, bit) in (0u32..).zip(Rc::make_mut(&mut inst.bits).iter_mut().skip(low)) {
            let Some(wanted) = begins.bit(at) else { continue };
            match *bit {
                InstBit::Known(known) if known != wanted => return None,
                _ => *bit = InstBit::Known(wanted),
            }
        }
    }
    if !mode.layout.is_empty() {
        let width = inst.bits.len() as u32;
        let order = mode.layout.iter().flat_map(|&(high, low)| low..=high).filter(|&at| at < width);
        let order: Vec<From> = order.map(From::Bit).collect();
        rearrange(&mut inst, &order);
    }
    Some(inst)
}

/// Makes the bits of an instruction, the least significant first, of those that it had. A field of which no bit is left is
/// not in the word.
fn rearrange(inst: &mut Inst<'_>, order: &[From]) {
    let bit = |from: &From| match *from {
        From::Bit(at) => inst.bits.get(at as usize).copied().unwrap_or(InstBit::Open),
        From::Fixed(one) => InstBit::Known(one),
    };
    let bits = order.iter().map(bit).collect();
    let now = |old: u32| {
        let place = order.iter().position(|from| matches!(from, From::Bit(at) if *at == old));
        place.and_then(|at| u32::try_from(at).ok())
    };
    inst.bits = Rc::new(bits);
    let fields = Rc::make_mut(&mut inst.fields);
    fields.values_mut().chain(inst.copies.values_mut()).flatten().for_each(|at| *at = at.and_then(now));
    fields.retain(|_, places| places.iter().any(Option::is_some));
}
