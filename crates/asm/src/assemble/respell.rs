//! What LLVM's and GNU's assemblers read otherwise than it prints: mnemonics in either case, and octal numbers.
//!
//! Invariant: the text has the same length afterwards, so places in messages stay as they are. What prints as it stands is not
//! changed: a mnemonic that there is, the exponent of a floating-point number.
//! Example: `ADDI a0, a0, 010` is read as `addi a0, a0,   8`.

use std::borrow::Cow;

use isaglot_model::Spelling;

use super::number::is_word;

/// The text as it prints, as far as mnemonics and octal numbers go. `words` are the mnemonics that there are, sorted.
pub(super) fn respelled<'t>(text: &'t [u8], spelling: Spelling, words: &[String]) -> Cow<'t, [u8]> {
    let mut text = Cow::Borrowed(text);
    if spelling < Spelling::Mnemonics {
        return text;
    }
    let end = text.iter().position(|byte| matches!(byte, b' ' | b'\t')).unwrap_or(text.len());
    let is_known = |word: &[u8]| words.binary_search_by(|known| known.as_bytes().cmp(word)).is_ok();
    if let Some(word) = text.get(..end)
        && word.iter().any(u8::is_ascii_uppercase)
        && !is_known(word)
        && let Some(word) = text.to_mut().get_mut(..end)
    {
        word.make_ascii_lowercase();
    }
    let mut at = 0;
    while let Some(found) = next_octal(&text, at) {
        at = found.end;
        let digits = text.get(found.clone()).unwrap_or_default();
        let value = digits
            .iter()
            .try_fold(0u64, |value, digit| value.checked_mul(8).map(|value| value + u64::from(digit - b'0')));
        let Some(value) = value else { continue };
        let shown = format!("{value:>width$}", width = found.len());
        if let Some(place) = text.to_mut().get_mut(found)
            && place.len() == shown.len()
        {
            place.copy_from_slice(shown.as_bytes());
        }
    }
    text
}

/// Where the next octal number is, from a place on.
fn next_octal(text: &[u8], from: usize) -> Option<std::ops::Range<usize>> {
    let mut at = from;
    loop {
        at += text.get(at..)?.windows(2).position(|pair| matches!(pair, [b'0', b'0'..=b'7']))?;
        let end = at + text.get(at..)?.iter().take_while(|byte| matches!(byte, b'0'..=b'7')).count();
        let before = |count: usize| at.checked_sub(count).and_then(|i| text.get(i)).copied();
        let is_part = |byte: u8| is_word(byte) || matches!(byte, b'.' | b'$' | b'%');
        let is_exponent = matches!(before(1), Some(b'-' | b'+')) && matches!(before(2), Some(b'e' | b'E'));
        if !before(1).is_some_and(is_part) && !is_exponent && !text.get(end).copied().is_some_and(is_part) {
            return Some(at..end);
        }
        at = end;
    }
}

#[cfg(test)]
mod tests {
    use isaglot_model::Spelling;

    use super::respelled;

    #[track_caller]
    fn check(text: &str, want: &str) {
        let words = ["BIG".to_owned(), "addi".to_owned()];
        let got = respelled(text.as_bytes(), Spelling::Mnemonics, &words);
        assert_eq!(String::from_utf8_lossy(&got), want);
    }

    #[test]
    fn spells_as_it_prints() {
        check("ADDI a0, A0, 010", "addi a0, A0,   8");
        check("addi a0, a0, -0777(a1)", "addi a0, a0, - 511(a1)");
        check("BIG 0", "BIG 0");
        check("addi v00, 0x010, 0b01, 09, 018, 1.00, 1.5e-05, 00", "addi v00, 0x010, 0b01, 09, 018, 1.00, 1.5e-05,  0");
        check("addi 0777777777777777777777777777", "addi 0777777777777777777777777777");
    }

    #[test]
    fn leaves_other_descriptions_alone() {
        assert_eq!(&*respelled(b"ADDI 010", Spelling::Printed, &[]), b"ADDI 010");
    }
}
