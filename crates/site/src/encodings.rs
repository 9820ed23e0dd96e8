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
    for one_width in all.chunk_by(|a, b| isa[*a].width == isa[*b].width) {
        let width = one_width.first().map_or(0, |&id| isa[id].width);
        out.push_str(&format!("<h2>{width} bits</h2>\n"));
        if one_width.len() <= MANY {
            table(site, one_width, &mut out);
            continue;
        }
        // A long list is folded; the ends of each part are in sight.
        for part in one_width.chunks(PART) {
            if let (Some(first), Some(last)) = (part.first(), part.last()) {
                out.push_str(&format!(
                    "<details class=\"letter\"><summary>{} to {}, {}</summary>\n",
                    Escaped(&title(isa, *first)),
                    Escaped(&title(isa, *last)),
                    part.len()
                ));
            }
            table(site, part, &mut out);
            out.push_str("</details>\n");
        }
    }
    site.add("encodings.html", "Encodings", &out);
}

/// Encodings of one width that are shown at once; more are folded, so many to a part.
const MANY: usize = 120;
const PART: usize = 60;

fn table(site: &Site<'_>, ids: &[EncodingId], out: &mut String) {
    let isa = site.isa;
    out.push_str("<div class=\"wide\"><table class=\"list\">\n<thead><tr><th scope=\"col\">Pattern</th>");
    out.push_str("<th scope=\"col\">Instruction</th><th scope=\"col\">Gens</th></tr></thead>\n<tbody>\n");
    for &id in ids {
        out.push_str(&format!(
            "<tr><td><code>{}</code></td><td><a href=\"{}\">{}</a></td><td>{}</td></tr>\n",
            spaced(&isa[id].pattern),
            site.slugs.encoding(id),
            Escaped(&title(isa, id)),
            gens(isa, isa[id].gens)
        ));
    }
    out.push_str("</tbody>\n</table></div>\n");
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
