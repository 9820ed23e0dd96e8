//! Patterns over names, as tables, rules and ledgers write them: `*` stands for any text, `?` for one byte.
//!
//! A name is walked once. After a `*` that fails the last one takes a byte more, so a match ends after at most the product of
//! both lengths. What comes before the first of the two is compared first: most names fail there.

/// A pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Glob {
    text: String,
    /// The bytes before the first `*` or `?`.
    head: usize,
}

impl Glob {
    /// From its text.
    pub fn new(text: &str) -> Glob {
        Glob { text: text.to_owned(), head: text.find(['*', '?']).unwrap_or(text.len()) }
    }

    /// The pattern as it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What a name that fits begins with.
    pub fn head(&self) -> &str {
        self.text.get(..self.head).unwrap_or_default()
    }

    /// Whether a name fits.
    pub fn fits(&self, name: &str) -> bool {
        self.matched(name).is_some()
    }

    /// What the first `*` stands for in a name that fits: the shortest text with which it does, and nothing where there is no `*`.
    ///
    /// ```
    /// use isaglot_source::Glob;
    ///
    /// assert_eq!(Glob::new("c.mop*").matched("c.mop.7"), Some(".7"));
    /// assert_eq!(Glob::new("f*.?").matched("fadd.s"), Some("add"));
    /// assert_eq!(Glob::new("add").matched("addi"), None);
    /// ```
    pub fn matched<'n>(&self, name: &'n str) -> Option<&'n str> {
        let (pattern, bytes) = (self.text.as_bytes(), name.as_bytes());
        if !name.starts_with(self.head()) {
            return None;
        }
        let (mut p, mut n) = (self.head, self.head);
        // The place after the last `*`, and where what follows it is tried.
        let mut last: Option<(usize, usize)> = None;
        // Where the text for the first `*` begins, and the place after it in the pattern; where it ends once a second one is reached.
        let mut first: Option<(usize, usize)> = None;
        let mut end: Option<usize> = None;
        while n < bytes.len() {
            match pattern.get(p) {
                Some(b'*') => {
                    match first {
                        None => first = Some((n, p + 1)),
                        Some((_, after_first)) => end = end.or(Some(n - (p - after_first))),
                    }
                    p += 1;
                    last = Some((p, n));
                }
                Some(w) if *w == b'?' || bytes.get(n) == Some(w) => (p, n) = (p + 1, n + 1),
                _ => {
                    let (after, from) = last?;
                    last = Some((after, from + 1));
                    (p, n) = (after, from + 1);
                }
            }
        }
        let rest = pattern.get(p..)?;
        if rest.iter().any(|c| *c != b'*') {
            return None;
        }
        let Some((from, after_first)) = first else { return Some("") };
        name.get(from..end.unwrap_or(n - (p - after_first)))
    }

    /// The pattern with something for its first `*`.
    pub fn filled(&self, with: &str) -> String {
        self.text.replacen('*', with, 1)
    }
}

#[cfg(test)]
mod tests {
    use super::Glob;

    #[test]
    fn what_fits() {
        for (glob, text, matched) in [
            ("a", "a", Some("")),
            ("a", "ab", None),
            ("a*", "ab", Some("b")),
            ("*b*d", "abcd", Some("a")),
            ("*b*b", "ab", None),
            ("ab*ba", "aba", None),
            ("*", "", Some("")),
            (".*", "x.y", None),
            ("a?c", "abc", Some("")),
            ("a?c", "ac", None),
            ("?*", "abc", Some("bc")),
            ("", "", Some("")),
        ] {
            assert_eq!(Glob::new(glob).matched(text), matched, "{glob} {text}");
        }
    }
}
