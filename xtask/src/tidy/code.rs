//! Rust text with everything blanked that is not code of the product: comments, texts, and what is only compiled for tests.
//!
//! Line breaks stay, so that a place in the result is a place in the file.

/// The code of a file.
pub(super) fn code(text: &str) -> String {
    without_tests(&without_texts(text))
}

/// Blanks comments, string and character literals.
fn without_texts(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = bytes.to_vec();
    let mut at = 0;
    while at < bytes.len() {
        let end = literal_end(bytes, at);
        match end {
            Some(end) => {
                out[at..end].iter_mut().filter(|b| **b != b'\n').for_each(|b| *b = b' ');
                at = end;
            }
            None => at += 1,
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// Where the comment or literal ends that begins here; `None` if none does.
fn literal_end(bytes: &[u8], at: usize) -> Option<usize> {
    let rest = &bytes[at..];
    let word = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_';
    let find = |from: usize, what: &[u8]| {
        let found = rest[from..].windows(what.len()).position(|w| w == what);
        found.map_or(bytes.len(), |i| at + from + i + what.len())
    };
    if rest.starts_with(b"//") {
        return Some(rest.iter().position(|&b| b == b'\n').map_or(bytes.len(), |i| at + i));
    }
    if rest.starts_with(b"/*") {
        return Some(find(2, b"*/"));
    }
    // `r"…"`, `r#"…"#`, also after `b`; a name that ends in r is none.
    if rest[0] == b'r' && (at == 0 || !word(&bytes[at - 1]) || bytes[at - 1] == b'b') {
        let hashes = rest[1..].iter().take_while(|&&b| b == b'#').count();
        if rest.get(1 + hashes) == Some(&b'"') {
            let close = [b"\"".as_slice(), &b"#".repeat(hashes)].concat();
            return Some(find(2 + hashes, &close));
        }
    }
    if rest[0] == b'"' {
        let mut end = 1;
        while end < rest.len() && rest[end] != b'"' {
            end += if rest[end] == b'\\' { 2 } else { 1 };
        }
        return Some((at + end + 1).min(bytes.len()));
    }
    if rest[0] == b'\'' {
        // A lifetime is a quote and a name without another quote.
        let length = match rest.get(1)? {
            b'\\' => 3 + rest[3.min(rest.len())..].iter().position(|&b| b == b'\'')?,
            first => 1 + utf8_length(*first),
        };
        return (rest.get(length) == Some(&b'\'')).then_some(at + length + 1);
    }
    None
}

fn utf8_length(first: u8) -> usize {
    match first {
        0..0xc0 => 1,
        0xc0..0xe0 => 2,
        0xe0..0xf0 => 3,
        _ => 4,
    }
}

/// Blanks items after `#[cfg(test)]`: to the end of their block, or to their semicolon.
fn without_tests(text: &str) -> String {
    const MARK: &str = "#[cfg(test)]";
    let mut out = text.to_owned();
    let mut from = 0;
    while let Some(found) = out[from..].find(MARK) {
        let start = from + found;
        let mut depth = 0_usize;
        let mut end = out.len();
        for (i, c) in out[start + MARK.len()..].char_indices() {
            depth = match c {
                '{' => depth + 1,
                '}' => depth.saturating_sub(1),
                _ => depth,
            };
            if depth == 0 && matches!(c, '}' | ';') {
                end = start + MARK.len() + i + 1;
                break;
            }
        }
        let blank: String = out[start..end].chars().filter(|&c| c == '\n').collect();
        out.replace_range(start..end, &blank);
        from = start;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::code;

    #[test]
    fn only_code_is_left() {
        let text = "let a = \"std::fs\"; // std::fs\nlet b = r#\"std::\"fs\"#; let c = '\"'; let d: &'a str = '\\'';\n\
            #[cfg(test)]\nmod tests {\n fn x() { std::fs }\n}\nstd::io";
        let left: Vec<String> = code(text).split_whitespace().map(str::to_owned).collect();
        assert_eq!(left.join(" "), "let a = ; let b = ; let c = ; let d: &'a str = ; std::io");
        assert_eq!(code(text).lines().count(), text.lines().count());
    }
}
