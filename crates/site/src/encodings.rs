//! Every instruction by its pattern: one row of bits each, in the order of the words.

use isaglot_model::EncodingId;

use crate::Site;
use crate::html::Escaped;
use crate::instruction::{gens, title};

/// Adds the page.
pub(crate) fn write(site: &mut Site<'_>) {
    let isa = site.isa;
    let mut all: Vec<EncodingId> = isa[isa.root()].encodings.clone();
    // By width, then by the fixed bits from the top; a bit that is not fixed comes before both values.
    all.sort_by_cached_key(|&id| {
        let encoding = &isa[id];
        let bits: Vec<Option<bool>> = (0..encoding.width).rev().map(|b| encoding.pattern.bit(b)).collect();
        (encoding.width, bits, encoding.gens.min, id)
    });
    let mut out = String::from("<p>A dot is a bit that does not decide. Bit 0 is at the right.</p>\n");
    let mut width = 0;
    for &id in &all {
        let encoding = &isa[id];
        if encoding.width != width {
            if width != 0 {
                out.push_str("</tbody>\n</table></div>\n");
            }
            width = encoding.width;
            out.push_str(&format!("<h2>{width} bits</h2>\n<div class=\"wide\"><table class=\"list\">\n<thead><tr>"));
            out.push_str("<th scope=\"col\">Pattern</th><th scope=\"col\">Instruction</th><th scope=\"col\">Gens</th></tr></thead>\n<tbody>\n");
        }
        out.push_str(&format!(
            "<tr><td><code>{}</code></td><td><a href=\"{}\">{}</a></td><td>{}</td></tr>\n",
            spaced(&encoding.pattern),
            site.slugs.encoding(id),
            Escaped(&title(isa, id)),
            gens(isa, encoding.gens)
        ));
    }
    if width != 0 {
        out.push_str("</tbody>\n</table></div>\n");
    }
    site.add("encodings.html", "Encodings", &out);
}

/// A pattern with a blank after every eighth bit, counted from bit 0.
fn spaced(pattern: &isaglot_bits::Pattern) -> String {
    let mut out = String::new();
    for bit in (0..pattern.width()).rev() {
        out.push(match pattern.bit(bit) {
            Some(true) => '1',
            Some(false) => '0',
            None => '.',
        });
        if bit % 8 == 0 && bit != 0 {
            out.push(' ');
        }
    }
    out
}
