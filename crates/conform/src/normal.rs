//! The normal form of a text: what two tools may write differently without saying anything else.
//!
//! A text falls apart into tokens: names in lower case, numbers in decimal, single signs. Blanks only part tokens. Then each rule
//! replaces a sequence of tokens by another one, wherever it stands, in the order of the rules and each rule once from left to right. So two texts are alike
//! if their tokens are. Rules come with a tool and from the user.

/// Rules that make texts alike.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    list: Vec<(Vec<String>, Vec<String>)>,
    /// Texts say nothing: all are alike.
    pub any_text: bool,
}

impl Rules {
    /// Adds a rule: where `from` stands, read `to`. `false` if `from` has no token.
    pub fn add(&mut self, from: &str, to: &str) -> bool {
        let from = tokens(from);
        let is_rule = !from.is_empty();
        if is_rule {
            self.list.push((from, tokens(to)));
        }
        is_rule
    }

    /// Adds all rules of another list, after these.
    pub fn extend(&mut self, other: Rules) {
        self.list.extend(other.list);
        self.any_text |= other.any_text;
    }

    /// The normal form of a text.
    #[must_use]
    pub fn apply(&self, text: &str) -> Vec<String> {
        self.list.iter().fold(tokens(text), |text, (from, to)| replaced(text, from, to))
    }
}

/// The tokens with `to` for each `from`.
fn replaced(text: Vec<String>, from: &[String], to: &[String]) -> Vec<String> {
    if !text.windows(from.len()).any(|window| window == from) {
        return text;
    }
    let mut out = Vec::new();
    let mut rest = text.as_slice();
    while let Some((first, after)) = rest.split_first() {
        match rest.strip_prefix(from) {
            Some(after) => {
                out.extend_from_slice(to);
                rest = after;
            }
            None => {
                out.push(first.clone());
                rest = after;
            }
        }
    }
    out
}

/// The tokens of a text.
fn tokens(text: &str) -> Vec<String> {
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '$' | '%' | '@');
    let mut out = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let end = match is_word(first) {
            true => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            false => first.len_utf8(),
        };
        let (token, after) = rest.split_at(end);
        out.push(number(token).unwrap_or_else(|| token.to_lowercase()));
        rest = after.trim_start();
    }
    out
}

/// A whole number in decimal: written so, or in hexadecimal or binary after `0x` or `0b`.
fn number(token: &str) -> Option<String> {
    let lower = token.to_ascii_lowercase();
    let (digits, radix) = match (lower.strip_prefix("0x"), lower.strip_prefix("0b")) {
        (Some(hex), _) => (hex, 16),
        (_, Some(binary)) => (binary, 2),
        _ => (lower.as_str(), 10),
    };
    let is_number = !digits.is_empty() && digits.chars().all(|c| c.is_digit(radix));
    is_number.then(|| u128::from_str_radix(digits, radix).ok()).flatten().map(|n| n.to_string())
}

/// How two normal forms differ: `None` if they do not. It tells causes apart: `name`, `operand 2`, or `operands` where there is
/// another number of them.
#[must_use]
pub fn way(ours: &[String], theirs: &[String]) -> Option<String> {
    if ours == theirs {
        return None;
    }
    let operands = |tokens: &[String]| -> Vec<Vec<String>> {
        let rest = tokens.get(1..).unwrap_or_default();
        rest.split(|token| token == ",").map(<[String]>::to_vec).collect()
    };
    if ours.first() != theirs.first() {
        return Some("name".to_owned());
    }
    let (ours, theirs) = (operands(ours), operands(theirs));
    if ours.len() != theirs.len() {
        return Some("operands".to_owned());
    }
    let differ = ours.iter().zip(&theirs).enumerate().filter(|(_, (a, b))| a != b);
    let numbers: Vec<String> = differ.map(|(at, _)| (at + 1).to_string()).collect();
    Some(format!("operand {}", numbers.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::{Rules, way};

    #[test]
    fn texts_are_alike_up_to_case_blanks_radix_and_rules() {
        let mut rules = Rules::default();
        assert!(rules.add(", dyn", "") && rules.add("x10", "a0") && !rules.add(" ", "a"));
        let same = |a: &str, b: &str| way(&rules.apply(a), &rules.apply(b));
        assert_eq!(same("fadd.s  ft0,ft1, ft2, dyn", "FADD.S ft0, ft1, ft2"), None);
        assert_eq!(same("lw x10, 0x10(sp)", "lw\ta0,16(sp)"), None);
        assert_eq!(same("lw x10, 16(sp)", "lw x10, -16(sp)"), Some("operand 2".to_owned()));
        assert_eq!(same("lw x10, 16(sp)", "ld x10, 16(sp)"), Some("name".to_owned()));
        assert_eq!(same("lw x10, 16(sp)", "lw x10"), Some("operands".to_owned()));
        assert_eq!(same("nop", "nopl"), Some("name".to_owned()));
    }
}
