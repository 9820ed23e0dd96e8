//! The register files, with the names of their registers.

use isaglot_model::{GenRange, Width};

use crate::Site;
use crate::html::Escaped;
use crate::instruction::gens;
use crate::search::Entry;

/// Names of a file that are shown at once; more are folded.
const MANY: usize = 64;

/// Adds the page.
pub(crate) fn write(site: &mut Site<'_>) {
    let isa = site.isa;
    if isa.register_files().is_empty() {
        return;
    }
    let mut out = String::new();
    for (at, file) in isa.register_files().iter().enumerate() {
        let width = match &file.width {
            Width::Bits(1) => "1 bit each".to_owned(),
            Width::Bits(bits) => format!("{bits} bits each"),
            Width::Parameter(name) => format!("{} bits each", Escaped(name)),
        };
        let count = file.names.iter().flatten().count();
        out.push_str(&format!("<h2 id=\"file-{at}\">{}</h2>\n<p>{count} registers, {width}.", Escaped(&file.name)));
        if let Some(zero) = file.zero {
            out.push_str(&format!(" Number {zero} reads as zero and ignores writes."));
        }
        if let Some((host, range)) = file.within {
            let host_name = Escaped(&isa[host].name);
            let on = if range == GenRange::ALL { String::new() } else { format!(" on {}", gens(isa, range)) };
            out.push_str(&format!(
                " They lie in the bytes of <a href=\"#file-{}\">{host_name}</a>, from its first on{on}.",
                host.index()
            ));
        }
        out.push_str("</p>\n");
        let folded = count > MANY;
        if folded {
            out.push_str("<details><summary>The names</summary>\n");
        }
        out.push_str("<ul class=\"names\">\n");
        for (number, name) in file.names.iter().enumerate() {
            let Some(name) = name else { continue };
            let also: Vec<&str> =
                file.aliases.iter().filter(|a| a.1 as usize == number).map(|a| a.0.as_str()).collect();
            let also = if also.is_empty() { String::new() } else { format!(" ({})", Escaped(&also.join(", "))) };
            out.push_str(&format!("<li>{number} <code>{}</code>{also}</li>\n", Escaped(name)));
        }
        out.push_str(if folded { "</ul>\n</details>\n" } else { "</ul>\n" });
        let words = file.names.iter().flatten().cloned().collect();
        site.entries.push(Entry {
            title: format!("registers {}", file.name),
            path: format!("registers.html#file-{at}"),
            words,
        });
    }
    site.add("registers.html", "Registers", &out);
}
