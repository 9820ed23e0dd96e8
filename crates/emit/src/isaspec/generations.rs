//! For which gens a description means different things.
//!
//! A disassembler for drivers learns the gen when it runs, but a codec is generated for one. The gens fall into ranges
//! within which nothing differs: their ends are the ends of the encodings' ranges and the numbers that expressions
//! compare the gen with.

use isaglot_model::{BinaryOp, Isa, Node, NodeId};

/// Ranges of gens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Generations {
    /// The first gen of each range, ascending; the first is 0.
    pub(crate) starts: Vec<u32>,
    /// An expression does more with the gen than compare it with a constant, so that it may differ within a range.
    pub(crate) shows: bool,
}

/// The ranges of a description.
pub(crate) fn of(isa: &Isa) -> Generations {
    let mut starts = vec![0];
    let mut shows = false;
    for encoding in isa.encodings() {
        starts.push(encoding.gens.min);
        starts.extend(encoding.gens.max.checked_add(1));
    }
    for values in isa.parameters().iter().flat_map(|p| &p.values) {
        starts.push(values.0.min);
        starts.extend(values.0.max.checked_add(1));
    }
    for expr in isa.exprs() {
        for (i, node) in expr.nodes.iter().enumerate() {
            if *node != Node::Gen {
                continue;
            }
            for user in expr.nodes.iter().filter(|n| uses(n, i)) {
                match compared(&expr.nodes, user, i) {
                    // Below, at and above the number.
                    Some(n) => starts.extend([Some(n), n.checked_add(1)].into_iter().flatten()),
                    None => shows = true,
                }
            }
        }
    }
    starts.sort_unstable();
    starts.dedup();
    Generations { starts, shows }
}

fn uses(node: &Node, at: usize) -> bool {
    let is = |id: NodeId| id.0 as usize == at;
    match *node {
        Node::Unary(_, _, x) | Node::Cast(_, x) => is(x),
        Node::Binary(_, _, x, y) => is(x) || is(y),
        Node::Select(_, c, x, y) => is(c) || is(x) || is(y),
        _ => false,
    }
}

/// The number that a node compares the gen with, directly or after a conversion that keeps all gens.
fn compared(nodes: &[Node], user: &Node, at: usize) -> Option<u32> {
    use BinaryOp::{Eq, Ge, Gt, Le, Lt, Ne};
    if let Node::Cast(ty, _) = user {
        if ty.bits < 32 + u32::from(ty.signed) {
            return None;
        }
        let cast = nodes.iter().position(|n| std::ptr::eq(n, user))?;
        let users: Vec<&Node> = nodes.iter().filter(|n| uses(n, cast)).collect();
        return match users.as_slice() {
            [one] => compared(nodes, one, cast),
            _ => None,
        };
    }
    let Node::Binary(Eq | Ge | Gt | Le | Lt | Ne, _, x, y) = *user else { return None };
    let other = if x.0 as usize == at { y } else { x };
    constant(nodes, other)
}

fn constant(nodes: &[Node], id: NodeId) -> Option<u32> {
    match *nodes.get(id.0 as usize)? {
        Node::Const(value, _) => u32::try_from(value).ok(),
        Node::Cast(ty, inner) => constant(nodes, inner).filter(|n| ty.wrap(u64::from(*n)) == u64::from(*n)),
        _ => None,
    }
}
