//! The order in which back ends see records: by name, with runs of digits compared as numbers, so D9 is before D10.

use std::cmp::Ordering;

/// Compares two names.
pub fn compare(a: &[u8], b: &[u8]) -> Ordering {
    let digit = |s: &[u8], i: usize| s.get(i).is_some_and(u8::is_ascii_digit);
    let mut i = 0;
    while i < a.len().min(b.len()) {
        if digit(a, i) && digit(b, i) {
            let mut end = i + 1;
            loop {
                match (digit(a, end), digit(b, end)) {
                    (true, true) => end += 1,
                    (false, false) => break,
                    (true, false) => return Ordering::Greater,
                    (false, true) => return Ordering::Less,
                }
            }
            match a[i..end].cmp(&b[i..end]) {
                Ordering::Equal => i = end,
                other => return other,
            }
        } else if a[i] != b[i] {
            return a[i].cmp(&b[i]);
        } else {
            i += 1;
        }
    }
    a.len().cmp(&b.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_numbers() {
        let mut names = ["D10", "D9", "D", "E1", "D9a", "D09", "10", "9"];
        names.sort_by(|a, b| compare(a.as_bytes(), b.as_bytes()));
        assert_eq!(names, ["9", "10", "D", "D9", "D9a", "D09", "D10", "E1"]);
    }
}
