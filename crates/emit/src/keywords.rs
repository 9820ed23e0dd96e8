//! The languages that code is written in, and the words that each keeps for itself: no name of generated code is one.

/// The language that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// C11.
    C,
    /// Rust.
    Rust,
}

impl Language {
    /// As `lang` attributes call it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Language::C => "c",
            Language::Rust => "rust",
        }
    }

    /// As a message calls it.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Language::C => "C",
            Language::Rust => "Rust",
        }
    }

    /// Whether a word is a keyword.
    pub(crate) fn keeps(self, word: &str) -> bool {
        let all = match self {
            Language::C => C,
            Language::Rust => RUST,
        };
        all.split(' ').any(|keyword| keyword == word)
    }
}

/// C11, and C++ for what includes a header.
const C: &str = "\
    _Alignas _Alignof _Atomic _Bool _Complex _Generic _Imaginary _Noreturn _Static_assert _Thread_local \
    alignas alignof asm auto bool break case catch char class const continue default delete do double else \
    enum explicit export extern false float for friend goto if inline int long mutable namespace new nullptr \
    operator private protected public register restrict return short signed sizeof static struct switch \
    template this throw true try typedef typename typeof union unsigned using virtual void volatile while";

/// Rust of all editions.
const RUST: &str = "\
    Self abstract as async await become box break const continue crate do dyn else enum extern false final fn \
    for gen if impl in let loop macro match mod move mut override priv pub ref return self static struct super \
    trait true try type typeof unsafe unsized use virtual where while yield";
