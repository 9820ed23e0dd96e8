//! Where sections lie in one address space: by what they hold, each group from a new page on, every section aligned.

use isaglot_invariant::impossible;
use isaglot_source::Diagnostic;

/// What a section holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Contents {
    /// Instructions.
    #[default]
    Code,
    /// Data that is only read.
    Constant,
    /// What each thread has a copy of.
    Thread,
    /// What each thread has, 0 at first and not in the file.
    ThreadZero,
    /// Data that is written.
    Data,
    /// Data that is 0 at first and not in the file.
    Zero,
    /// Nothing that a program needs while it runs.
    Note,
}

impl Contents {
    /// Whether it takes room in memory, but not in a file.
    #[must_use]
    pub fn is_zero(self) -> bool {
        matches!(self, Contents::Zero | Contents::ThreadZero)
    }

    /// Whether each thread has its own.
    #[must_use]
    pub fn is_thread(self) -> bool {
        matches!(self, Contents::Thread | Contents::ThreadZero)
    }

    /// By the usual names: `.text`, `.rodata`, `.data`, `.bss`, and those that begin so.
    #[must_use]
    pub(super) fn of_name(name: &str) -> Contents {
        const KNOWN: [(&str, Contents); 13] = [
            (".text", Contents::Code),
            (".rodata", Contents::Constant),
            (".srodata", Contents::Constant),
            (".tdata", Contents::Thread),
            (".tbss", Contents::ThreadZero),
            (".data", Contents::Data),
            (".sdata", Contents::Data),
            (".bss", Contents::Zero),
            (".sbss", Contents::Zero),
            (".note", Contents::Note),
            (".comment", Contents::Note),
            (".debug", Contents::Note),
            (".eh_frame", Contents::Constant),
        ];
        let is =
            |known: &str| name.strip_prefix(known).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '_']));
        KNOWN.iter().find(|(known, _)| is(known)).map_or(Contents::Code, |(_, contents)| *contents)
    }

    /// By the letters of `.section NAME, "FLAGS"`: `a` for what is loaded, `w` written, `x` executed, `T` kept per
    /// thread; `empty` for `@nobits`.
    pub(super) fn of_flags(flags: &[u8], empty: bool) -> Contents {
        let has = |flag: u8| flags.contains(&flag);
        match () {
            () if !has(b'a') => Contents::Note,
            () if has(b'x') => Contents::Code,
            () if has(b'T') && empty => Contents::ThreadZero,
            () if has(b'T') => Contents::Thread,
            () if empty => Contents::Zero,
            () if has(b'w') => Contents::Data,
            () => Contents::Constant,
        }
    }
}

/// How sections lie in one address space. Labels are then addresses, known in all sections.
#[derive(Clone, Debug, Default)]
pub struct Linked {
    /// The name of the section that the program begins in.
    pub first: String,
    /// Where the first one lies.
    pub base: u64,
    /// Sections that lie at addresses of their own; each other section lies after the one before it.
    pub starts: Vec<(String, u64)>,
    /// What a section that holds something else than the one before is aligned to; 1 for nothing.
    pub page: u64,
    /// The last address.
    pub last: u64,
}

/// A section as far as its place goes.
pub(super) struct Extent<'n> {
    pub(super) name: &'n str,
    pub(super) contents: Contents,
    pub(super) size: u64,
    pub(super) align: u64,
}

/// Gives every section its address.
pub(super) fn lay_out(linked: &Linked, sections: &[Extent<'_>]) -> Result<Vec<u64>, Diagnostic> {
    let error = |message: String| Diagnostic::error("asm-layout", message);
    for (name, _) in &linked.starts {
        if !sections.iter().any(|section| section.name == name) {
            let known: Vec<&str> = sections.iter().map(|section| section.name).filter(|n| !n.is_empty()).collect();
            return Err(error(format!("an address was given for `{name}`, which is not a section of the program"))
                .note(format!("its sections are: {}", known.join(" "))));
        }
    }
    // By contents, in the order of `Contents`; sections of one kind keep the order of the source.
    let mut order: Vec<usize> = (0..sections.len()).collect();
    order.sort_by_key(|&at| sections.get(at).map(|section| section.contents));
    let mut addresses = vec![0; sections.len()];
    let mut at = linked.base;
    let mut before = None;
    let mut placed: Vec<(u64, u64, &str)> = Vec::new();
    for index in order {
        let (Some(section), Some(address)) = (sections.get(index), addresses.get_mut(index)) else {
            impossible(());
            continue;
        };
        if section.contents == Contents::Note {
            continue;
        }
        let align = section.align.max(1);
        let start = linked.starts.iter().rev().find(|(name, _)| name == section.name).map(|(_, start)| *start);
        let out = || error(format!("`{}` does not fit below {:#x}", section.name, linked.last));
        let next = match start {
            Some(start) if start.is_multiple_of(align) => start,
            Some(start) => {
                return Err(error(format!("`{}` at {start:#x} is not a multiple of its {align} bytes", section.name)));
            }
            // An empty section opens no page.
            None if before.is_some_and(|other| other != section.contents) && section.size > 0 => {
                let page = at.checked_next_multiple_of(linked.page.max(1)).ok_or_else(out)?;
                page.checked_next_multiple_of(align).ok_or_else(out)?
            }
            None => at.checked_next_multiple_of(align).ok_or_else(out)?,
        };
        *address = next;
        let end = next.checked_add(section.size).filter(|&end| section.size == 0 || end - 1 <= linked.last);
        at = end.ok_or_else(out)?;
        if section.size > 0 {
            before = Some(section.contents);
            placed.push((next, at, section.name));
        }
    }
    // Addresses that were given may put two sections in one place.
    placed.sort_unstable();
    for pair in placed.windows(2) {
        if let [(_, end, a), (start, _, b)] = pair
            && end > start
        {
            return Err(error(format!("`{a}` and `{b}` overlap at {start:#x}")));
        }
    }
    Ok(addresses)
}

#[cfg(test)]
mod tests {
    use super::{Contents, Extent, Linked, lay_out};

    fn extents<'n>(list: &[(&'n str, u64, u64)]) -> Vec<Extent<'n>> {
        let one = |&(name, size, align): &(&'n str, u64, u64)| Extent {
            name,
            contents: Contents::of_name(name),
            size,
            align,
        };
        list.iter().map(one).collect()
    }

    #[test]
    fn sections_lie_in_order_and_apart() {
        let all =
            extents(&[(".data", 5, 8), (".text", 6, 2), (".bss", 100, 16), (".rodata.str", 3, 1), (".text.b", 4, 4)]);
        let mut linked = Linked { base: 0x1000, page: 0x100, last: u64::MAX, ..Linked::default() };
        assert_eq!(lay_out(&linked, &all).expect("a layout"), [0x1200, 0x1000, 0x1300, 0x1100, 0x1008]);
        linked.page = 1;
        assert_eq!(lay_out(&linked, &all).expect("a layout"), [0x1010, 0x1000, 0x1020, 0x100c, 0x1008]);
        linked.starts.push((".data".to_owned(), 0x8000));
        assert_eq!(lay_out(&linked, &all).expect("a layout"), [0x8000, 0x1000, 0x8010, 0x100c, 0x1008]);
        for (name, start) in [(".data", 0x8004), (".data", 0x1000), (".data", u64::MAX - 7), (".none", 0)] {
            linked.starts = vec![(name.to_owned(), start)];
            linked.last = u64::MAX - 1;
            assert!(lay_out(&linked, &all).is_err(), "{name} {start:#x}");
        }
    }
}
