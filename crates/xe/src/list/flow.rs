//! Dataflow of a binary that is listed piece by piece, and what it adds to the text of each piece.
//!
//! Pieces are kept without it (see [`super::fast`]), so lists of instructions are put into text that is finished: before the
//! brace that closes an operand, a predicate or a flag modifier, or after the length of an address.

use std::collections::{BTreeMap, btree_map};

use isaglot_codec::Values;
use isaglot_listing::dataflow::{Flow, Link, Program as Accesses, TooLarge, solve};
use isaglot_listing::tree::Function;
use isaglot_listing::write::{self, InstPiece};

use super::access::{FILE_KEYS, Ids, NONE};
use super::blocks::{Exit, Last};
use super::building::{Building, PackedIds, place};
use super::sets;
use crate::inst::Form;
use crate::isa::Xe;
use crate::stream::RawWord;

/// What each function that is called does, by its first block.
pub(super) type Functions = BTreeMap<u32, Function<'static>>;

impl Xe<'_> {
    /// Where control goes from each block, as dataflow takes it to.
    pub(super) fn flow_exits(&self, starts: &[u32], lasts: &[Last], compat: bool) -> Vec<Exit> {
        let succs = self.successors(starts, lasts, false);
        if compat {
            return succs.into_iter().map(|succs| Exit { succs, link: Link::None }).collect();
        }
        self.exits(starts, lasts, &succs)
    }

    /// The functions that are called.
    pub(super) fn functions(&self, exits: &[Exit], flow: &Flow, accesses: &Accesses) -> Functions {
        let mut functions = BTreeMap::new();
        let sizes = self.platform.register_bytes();
        for block in exits.iter().filter_map(|e| if let Link::Call(entry) = e.link { Some(entry) } else { None }) {
            if let btree_map::Entry::Vacant(new) = functions.entry(block)
                && let Some(found) = flow.function(block)
            {
                new.insert(sets::summary(&found, accesses, sizes));
            }
        }
        functions
    }
}

/// The dataflow of a binary.
pub(super) struct Flowing {
    ids: Vec<PackedIds>,
    flow: Flow,
    functions: Functions,
}

impl Flowing {
    pub(super) fn new(
        xe: &mut Xe<'_>,
        bytes: &[u8],
        (starts, lasts): (&[u32], &[Last]),
        compat: bool,
    ) -> Result<Flowing, TooLarge> {
        let exits = xe.flow_exits(starts, lasts, compat);
        let mut building = Building::new(xe, starts, &exits, compat);
        let mut ids = Vec::with_capacity(bytes.len() / 16);
        let mut values = Values::default();
        let mut at = 0;
        while let Some(raw) = RawWord::at(bytes, at) {
            let inst = xe.decode_raw(raw, &mut values).ok();
            ids.push(building.add_packed(xe, raw.pc, inst.as_ref()));
            at += raw.size() as usize;
        }
        let accesses = building.finish(starts.is_empty());
        let flow = solve(&accesses)?;
        let functions = xe.functions(&exits, &flow, &accesses);
        Ok(Flowing { ids, flow, functions })
    }

    pub(super) fn flow(&self) -> &Flow {
        &self.flow
    }

    /// What the function that begins with a block does, if it is called.
    pub(super) fn function(&self, block: u32) -> Option<&Function<'static>> {
        self.functions.get(&block)
    }

    /// The operands of an instruction.
    pub(super) fn ids(&self, n: u32) -> Ids {
        self.ids.get(n as usize).map_or(Ids::default(), PackedIds::ids)
    }

    /// What was found about an instruction.
    pub(super) fn of(&self, n: u32, form: Form, compat: bool) -> InstFlow<'_> {
        let ids = self.ids.get(n as usize).copied().unwrap_or_default();
        InstFlow { flow: &self.flow, n, ids, form, compat }
    }
}

/// What was found about an instruction; [`Xe::add_flow`] is the plain way to the same text.
pub(super) struct InstFlow<'a> {
    flow: &'a Flow,
    n: u32,
    ids: PackedIds,
    form: Form,
    compat: bool,
}

impl InstFlow<'_> {
    /// Adds the live bytes.
    pub(super) fn totals(&self, out: &mut Vec<u8>) {
        write::live_bytes_after(out, FILE_KEYS.iter().copied().zip(self.flow.live(self.n).iter().copied()));
    }

    /// Adds to a piece whose text begins at `begin` what was found.
    pub(super) fn add(&self, piece: InstPiece, begin: usize, out: &mut Vec<u8>) {
        match piece {
            InstPiece::Head => self.add_head(begin, out),
            InstPiece::Dst if self.form != Form::Send => {
                let beside = if self.compat { self.ids.id(place::IMPLICIT_WRITE) } else { NONE };
                let address = if self.compat { NONE } else { self.ids.id(place::DST_ADDRESS) };
                self.add_before_brace(out, |flow, out| {
                    write::ids(out, ", \"defs\":", flow.links(address));
                    match beside {
                        NONE => write::ids(out, ", \"uses\":", flow.links(flow.ids.id(place::DST))),
                        _ => write::ids(out, ", \"uses\":", &flow.both(flow.ids.id(place::DST), beside)),
                    }
                });
            }
            InstPiece::Source(n) => self.add_source(n, begin, out),
            InstPiece::Dst | InstPiece::Tail | InstPiece::Record | InstPiece::Comment => {}
        }
    }

    fn links(&self, id: u32) -> &[u32] {
        if id == NONE { &[] } else { self.flow.links(id) }
    }

    pub(super) fn both(&self, a: u32, b: u32) -> Vec<u32> {
        let mut all = [self.links(a), self.links(b)].concat();
        all.sort_unstable();
        all.dedup();
        all
    }

    fn add_before_brace(&self, out: &mut Vec<u8>, add: impl FnOnce(&Self, &mut Vec<u8>)) {
        let brace = out.pop();
        add(self, out);
        out.extend(brace);
    }

    fn add_head(&self, begin: usize, out: &mut Vec<u8>) {
        self.add_in_head(b"\"pred\":{", (begin, ", \"defs\":", self.ids.id(place::PRED)), out);
        self.add_in_head(b"\"fm\":{", (begin, ", \"uses\":", self.ids.id(place::FM)), out);
        if self.ids.implies {
            let (defs, uses) =
                (self.links(self.ids.id(place::IMPLICIT_READ)), self.links(self.ids.id(place::IMPLICIT_WRITE)));
            write::implicit(out, defs, uses);
        }
    }

    /// Adds a list at the end of an object in the head.
    fn add_in_head(&self, object: &[u8], (begin, key, id): (usize, &str, u32), out: &mut Vec<u8>) {
        let links = self.links(id);
        if links.is_empty() {
            return;
        }
        let head = out.get(begin..).unwrap_or(&[]);
        let at = head.windows(object.len()).position(|w| w == object).unwrap_or(0);
        let end = head.iter().skip(at).position(|b| *b == b'}').unwrap_or(0);
        insert(out, begin + at + end, key, links);
    }

    fn add_source(&self, n: usize, begin: usize, out: &mut Vec<u8>) {
        let id = match (self.form, n) {
            (Form::Send, 2) => self.ids.id(place::EXDESC),
            (Form::Send, 3) => self.ids.id(place::DESC),
            _ if n < 3 => self.ids.id(place::SRCS + n),
            _ => NONE,
        };
        const ADDRESS: &[u8] = b"{\"kind\":\"AD\"";
        let text = out.get(begin..).unwrap_or(&[]);
        if !text.starts_with(ADDRESS) {
            if id != NONE {
                self.add_before_brace(out, |flow, out| write::ids(out, ", \"defs\":", flow.links(id)));
            }
            return;
        }
        let (length, surface): (&[u8], &[u8]) = (b"\"alen\":", b"\"soff\":{");
        let find = |key: &[u8]| text.windows(key.len()).position(|w| w == key).map(|at| at + key.len());
        let by_register = find(surface).is_some();
        let digits = find(length).unwrap_or(text.len().saturating_sub(1));
        let end = digits + text.iter().skip(digits).take_while(|b| b.is_ascii_digit()).count();
        if by_register {
            self.add_before_brace(out, |flow, out| {
                write::ids(out, ", \"sdefs\":", flow.links(flow.ids.id(place::EXDESC)))
            });
        }
        insert(out, begin + end, ", \"adefs\":", self.links(id));
    }
}

/// Puts a list into a text.
fn insert(out: &mut Vec<u8>, at: usize, key: &str, list: &[u32]) {
    let end = out.len();
    write::ids(out, key, list);
    let added = out.len() - end;
    if let Some(tail) = out.get_mut(at..) {
        tail.rotate_right(added);
    }
}
