//! Extended regular expressions as POSIX has them, for `!match` and `!instances`. A pattern matches if it matches
//! anywhere in the text.
//!
//! A pattern becomes a list of states, and all states that are possible are followed at once, so the time is bounded by
//! states times bytes whatever the pattern is. What a group matched is not needed, and references back to groups are an
//! error.
//!
//! Example: `a|b+` becomes, in principle, `0: Split(1, 3)`, `1: Byte(a)`, `2: Jump(5)`, `3: Byte(b)`, `4: Split(3, 5)`,
//! `5: Found`. At the start, 1 and 3 are possible. The byte `b` leads from 3 to 4, so 3 and 5 are possible: it matches.

use crate::limits;

/// A set of bytes.
type Bytes = [u64; 4];

/// One state.
#[derive(Clone)]
enum State {
    /// A byte of the set, then the next state.
    Byte(Box<Bytes>),
    /// Both of these, without reading anything.
    Split(usize, usize),
    Jump(usize),
    /// The beginning of the text.
    Begin,
    /// The end of the text.
    End,
    Found,
}

/// A pattern, ready to match.
pub(crate) struct Pattern {
    states: Vec<State>,
}

/// A pattern, taken apart.
enum Tree {
    Empty,
    Byte(Bytes),
    Begin,
    End,
    Then(Vec<Tree>),
    Or(Vec<Tree>),
    /// So many times; no second number is any number.
    Repeat(Box<Tree>, u32, Option<u32>),
}

struct Reader<'a> {
    text: &'a [u8],
    at: usize,
    depth: u32,
}

/// A class of characters by name.
type Class = (&'static [u8], fn(&u8) -> bool);

const CLASSES: &[Class] = &[
    (b"alnum", u8::is_ascii_alphanumeric),
    (b"alpha", u8::is_ascii_alphabetic),
    (b"blank", |b| matches!(b, b' ' | b'\t')),
    (b"cntrl", u8::is_ascii_control),
    (b"digit", u8::is_ascii_digit),
    (b"graph", u8::is_ascii_graphic),
    (b"lower", u8::is_ascii_lowercase),
    (b"print", |b| matches!(b, 0x20..0x7F)),
    (b"punct", u8::is_ascii_punctuation),
    (b"space", |b| matches!(b, b' ' | 9..=13)),
    (b"upper", u8::is_ascii_uppercase),
    (b"xdigit", u8::is_ascii_hexdigit),
];

fn set_of(test: impl Fn(u8) -> bool) -> Bytes {
    let mut set = [0; 4];
    for b in 0..=u8::MAX {
        set[usize::from(b >> 6)] |= u64::from(test(b)) << (b & 63);
    }
    set
}

fn has(set: &Bytes, b: u8) -> bool {
    set[usize::from(b >> 6)] >> (b & 63) & 1 == 1
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn eat(&mut self, b: u8) -> bool {
        let there = self.peek() == Some(b);
        self.at += usize::from(there);
        there
    }

    fn alternatives(&mut self) -> Result<Tree, &'static str> {
        let mut all = vec![self.sequence()?];
        while self.eat(b'|') {
            all.push(self.sequence()?);
        }
        Ok(Tree::Or(all))
    }

    fn sequence(&mut self) -> Result<Tree, &'static str> {
        let mut all = Vec::new();
        while !matches!(self.peek(), None | Some(b'|' | b')')) {
            let atom = self.atom()?;
            all.push(self.repeated(atom)?);
        }
        if all.is_empty() { Err("a part of it is empty") } else { Ok(Tree::Then(all)) }
    }

    fn atom(&mut self) -> Result<Tree, &'static str> {
        let Some(c) = self.peek() else { return Ok(Tree::Empty) };
        self.at += 1;
        match c {
            b'(' => {
                self.depth += 1;
                if self.depth > limits::MAX_PATTERN_DEPTH {
                    return Err("it is nested too deep");
                }
                let inner = if self.peek() == Some(b')') { Tree::Empty } else { self.alternatives()? };
                self.depth -= 1;
                if self.eat(b')') { Ok(inner) } else { Err("a '(' is not closed") }
            }
            b'^' => Ok(Tree::Begin),
            b'$' => Ok(Tree::End),
            b'.' => Ok(Tree::Byte([u64::MAX; 4])),
            b'[' => self.bracket(),
            b'*' | b'+' | b'?' => Err("nothing stands before a repetition"),
            b'\\' => match self.peek() {
                None => Err("it ends in a backslash"),
                Some(b'1'..=b'9') => Err("references back to groups are not supported"),
                Some(c) => {
                    self.at += 1;
                    Ok(Tree::Byte(set_of(|b| b == c)))
                }
            },
            b'{' if self.peek().is_some_and(|b| b.is_ascii_digit()) => Err("nothing stands before a repetition"),
            c => Ok(Tree::Byte(set_of(|b| b == c))),
        }
    }

    fn repeated(&mut self, atom: Tree) -> Result<Tree, &'static str> {
        let digit = |r: &Self, at: usize| r.text.get(at).is_some_and(u8::is_ascii_digit);
        let (least, most) = match self.peek() {
            Some(b'*') => (0, None),
            Some(b'+') => (1, None),
            Some(b'?') => (0, Some(1)),
            Some(b'{') if digit(self, self.at + 1) => {
                self.at += 1;
                let least = self.count()?;
                let most = match self.eat(b',') {
                    false => Some(least),
                    true if digit(self, self.at) => Some(self.count()?),
                    true => None,
                };
                if self.peek() != Some(b'}') || most.is_some_and(|m| m < least) {
                    return Err("a repetition count is wrong");
                }
                (least, most)
            }
            _ => return Ok(atom),
        };
        self.at += 1;
        if matches!(atom, Tree::Begin) {
            return Err("nothing stands before a repetition");
        }
        let again = matches!(self.peek(), Some(b'*' | b'+' | b'?'));
        if again || (self.peek() == Some(b'{') && digit(self, self.at + 1)) {
            return Err("a repetition follows a repetition");
        }
        Ok(Tree::Repeat(Box::new(atom), least, most))
    }

    fn count(&mut self) -> Result<u32, &'static str> {
        let mut n = 0;
        while let Some(b) = self.peek().filter(u8::is_ascii_digit) {
            n = n * 10 + u32::from(b - b'0');
            if n > limits::MAX_PATTERN_REPEAT {
                return Err("a repetition count is wrong");
            }
            self.at += 1;
        }
        Ok(n)
    }

    fn bracket(&mut self) -> Result<Tree, &'static str> {
        const OPEN: &str = "a '[' is not closed";
        let negated = self.eat(b'^');
        let mut set = [0; 4];
        let mut first = true;
        loop {
            let Some(c) = self.peek() else { return Err(OPEN) };
            self.at += 1;
            if c == b']' && !std::mem::replace(&mut first, false) {
                break;
            }
            first = false;
            if c == b'[' && self.peek() == Some(b':') {
                let rest = self.text.get(self.at + 1..).unwrap_or(&[]);
                let len = rest.windows(2).position(|w| w == b":]").ok_or(OPEN)?;
                let name = rest.get(..len).unwrap_or(&[]);
                let &(_, test) = CLASSES.iter().find(|c| c.0 == name).ok_or("a class of characters is unknown")?;
                let class = set_of(|b| test(&b));
                set.iter_mut().zip(class).for_each(|(s, c)| *s |= c);
                self.at += len + 3;
                continue;
            }
            let from = self.element(c)?;
            let range = self.peek() == Some(b'-') && self.text.get(self.at + 1).is_some_and(|&b| b != b']');
            let mut to = from;
            if range {
                self.at += 1;
                let c = self.peek().ok_or(OPEN)?;
                self.at += 1;
                to = self.element(c)?;
                if to < from {
                    return Err("a range of characters is empty");
                }
            }
            let span = set_of(|b| (from..=to).contains(&b));
            set.iter_mut().zip(span).for_each(|(s, c)| *s |= c);
        }
        Ok(Tree::Byte(if negated { set.map(|w| !w) } else { set }))
    }

    /// One character of a bracket, perhaps written `[.x.]` or `[=x=]`; its first byte was read.
    fn element(&mut self, c: u8) -> Result<u8, &'static str> {
        let mark = match self.peek() {
            Some(mark @ (b'.' | b'=')) if c == b'[' => mark,
            _ => return Ok(c),
        };
        match self.text.get(self.at + 1..self.at + 4) {
            Some(&[c, m, b']']) if m == mark => {
                self.at += 4;
                Ok(c)
            }
            _ => Err("a character in brackets is unknown"),
        }
    }
}

impl Pattern {
    /// Reads a pattern.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    pub(crate) fn new(text: &[u8]) -> Result<Pattern, &'static str> {
        let mut reader = Reader { text, at: 0, depth: 0 };
        let tree = reader.alternatives()?;
        if reader.at < text.len() {
            return Err("a ')' is not opened");
        }
        let mut pattern = Pattern { states: Vec::new() };
        pattern.add(&tree)?;
        pattern.push(State::Found)?;
        Ok(pattern)
    }

    fn push(&mut self, state: State) -> Result<usize, &'static str> {
        if self.states.len() >= limits::MAX_PATTERN_STATES {
            return Err("it is too large");
        }
        self.states.push(state);
        Ok(self.states.len() - 1)
    }

    fn add(&mut self, tree: &Tree) -> Result<(), &'static str> {
        match tree {
            Tree::Empty => {}
            Tree::Byte(set) => {
                self.push(State::Byte(Box::new(*set)))?;
            }
            Tree::Begin => {
                self.push(State::Begin)?;
            }
            Tree::End => {
                self.push(State::End)?;
            }
            Tree::Then(all) => all.iter().try_for_each(|t| self.add(t))?,
            Tree::Or(all) => {
                let mut ends = Vec::new();
                for (i, one) in all.iter().enumerate() {
                    if i + 1 == all.len() {
                        self.add(one)?;
                        break;
                    }
                    let split = self.push(State::Jump(0))?;
                    self.add(one)?;
                    ends.push(self.push(State::Jump(0))?);
                    self.states[split] = State::Split(split + 1, self.states.len());
                }
                for end in ends {
                    self.states[end] = State::Jump(self.states.len());
                }
            }
            Tree::Repeat(inner, least, most) => {
                for _ in 0..*least {
                    self.add(inner)?;
                }
                match most {
                    None => {
                        let split = self.push(State::Jump(0))?;
                        self.add(inner)?;
                        self.push(State::Jump(split))?;
                        self.states[split] = State::Split(split + 1, self.states.len());
                    }
                    Some(most) => {
                        let mut splits = Vec::new();
                        for _ in *least..*most {
                            splits.push(self.push(State::Jump(0))?);
                            self.add(inner)?;
                        }
                        for split in splits {
                            self.states[split] = State::Split(split + 1, self.states.len());
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// About how many steps a match takes.
    pub(crate) fn work(&self, text: &[u8]) -> u64 {
        self.states.len() as u64 * (text.len() as u64 + 1)
    }

    /// Whether the pattern matches somewhere in the text.
    pub(crate) fn is_match(&self, text: &[u8]) -> bool {
        let mut now = Vec::new();
        let mut next = Vec::new();
        let mut seen = vec![usize::MAX; self.states.len()];
        for at in 0..=text.len() {
            // A match may begin at any place.
            now.push(0);
            let mut i = 0;
            while let Some(&state) = now.get(i) {
                i += 1;
                let Some(mark) = seen.get_mut(state) else { continue };
                if std::mem::replace(mark, at) == at {
                    continue;
                }
                match &self.states[state] {
                    State::Found => return true,
                    State::Split(a, b) => now.extend([*a, *b]),
                    State::Jump(to) => now.push(*to),
                    State::Begin if at == 0 => now.push(state + 1),
                    State::End if at == text.len() => now.push(state + 1),
                    State::Byte(set) if text.get(at).is_some_and(|&b| has(set, b)) => next.push(state + 1),
                    _ => {}
                }
            }
            now.clear();
            std::mem::swap(&mut now, &mut next);
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_as_posix_says() {
        let cases: &[(&str, &str, bool)] = &[
            ("abc", "xabcx", true),
            ("^abc$", "xabc", false),
            ("^(ab|cd)+$", "abcdab", true),
            ("^(ab|cd)+$", "abcda", false),
            ("^a{2,3}$", "aaa", true),
            ("^a{2,3}$", "a", false),
            ("^a{2}$", "aaa", false),
            ("^a{2,}$", "aaaaa", true),
            ("[0-9]+", "x7y", true),
            ("^[^0-9]+$", "x7y", false),
            ("^[]a]+$", "a]a", true),
            ("^[a-]+$", "-a", true),
            ("^[[:alpha:]_]+$", "a_Z", true),
            ("^[[:digit:]]$", "a", false),
            ("^[[.-.]x]+$", "x-", true),
            ("a\\.b", "axb", false),
            ("a\\.b", "a.b", true),
            ("a{", "a{", true),
            ("^()$", "", true),
            ("x*", "", true),
            ("a.c", "a\nc", true),
            ("colou?r", "color", true),
            ("(a*)*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaac", false),
        ];
        for (pattern, text, found) in cases {
            let ready = Pattern::new(pattern.as_bytes()).unwrap_or_else(|e| panic!("{pattern}: {e}"));
            assert_eq!(ready.is_match(text.as_bytes()), *found, "{pattern} in {text}");
        }
    }

    #[test]
    fn wrong_patterns_are_refused() {
        for pattern in
            ["", "a|", "(", ")", "a)", "*", "a**", "[a", "[b-a]", "a{3,2}", "a{999}", "\\", "(a)\\1", "[[:x:]]"]
        {
            assert!(Pattern::new(pattern.as_bytes()).is_err(), "{pattern}");
        }
        assert!(Pattern::new(b"((a{250}){250}){250}").is_err());
        assert!(Pattern::new(&b"(".repeat(100_000)).is_err());
    }
}
