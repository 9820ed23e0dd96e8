//! The control-flow graph in the language of Graphviz: a node per block with its instructions, an edge per way.

use std::fmt::Write;

use crate::tree::{Elem, Listing};

/// The graph of a listing.
#[must_use]
pub fn dot(listing: &Listing<'_>) -> String {
    let mut out = String::from("digraph program {\n  node [shape=box, fontname=monospace];\n");
    let mut edges = String::new();
    let mut open = false;
    for elem in &listing.elems {
        match elem {
            Elem::L(label) => {
                if open {
                    out.push_str("\"];\n");
                }
                open = true;
                let _ = write!(out, "  b{} [label=\"{}:\\l", label.id, escaped(&label.symbol));
                for succ in &label.succs {
                    let _ = writeln!(edges, "  b{} -> b{succ};", label.id);
                }
            }
            Elem::I(inst) => {
                let shown = inst.comment.as_deref().unwrap_or(&inst.op);
                let _ = write!(out, "{}\\l", escaped(shown));
            }
        }
    }
    if open {
        out.push_str("\"];\n");
    }
    out + &edges + "}\n"
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
