//! Which instructions a statement of the table of operands is about: names with `*` and `?`, and after `!` names that are not meant.

use isaglot_isaspec::Text;

/// Names of instructions, with `*` and `?`; without any, all of them.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    with: Vec<String>,
    without: Vec<String>,
}

impl Names {
    /// Whether a name is one of them. One without `@` means all copies of an instruction too.
    pub(super) fn has(&self, name: &str) -> bool {
        let plain = name.split('@').next().unwrap_or(name);
        let fits = |p: &String| matches(p.as_bytes(), if p.contains('@') { name } else { plain }.as_bytes());
        let is = |list: &[String]| list.iter().any(fits);
        (self.with.is_empty() || is(&self.with)) && !is(&self.without)
    }
}

/// Reads `NAMES ! NAMES`.
pub(super) fn names(text: &Text) -> Names {
    let list = |part: &str| part.split_whitespace().map(str::to_owned).collect();
    match text.value.split_once('!') {
        Some((with, without)) => Names { with: list(with), without: list(without) },
        None => Names { with: list(&text.value), without: Vec::new() },
    }
}

/// Whether a name is what a pattern says. After a `*` that fails the last one takes a character more, so this ends after at
/// most their product of steps.
fn matches(pattern: &[u8], name: &[u8]) -> bool {
    let (mut p, mut n) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while let Some(c) = name.get(n) {
        match pattern.get(p) {
            Some(b'*') => {
                star = Some((p + 1, n));
                p += 1;
            }
            Some(w) if w == c || *w == b'?' => (p, n) = (p + 1, n + 1),
            _ => match star {
                Some((after, from)) => {
                    star = Some((after, from + 1));
                    (p, n) = (after, from + 1);
                }
                None => return false,
            },
        }
    }
    pattern.get(p..).is_some_and(|rest| rest.iter().all(|c| *c == b'*'))
}
