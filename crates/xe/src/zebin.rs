//! For which machine a compiled file is: Intel's ELF container of kernels, the zebin, says it in notes of the section
//! [`SECTION`]. A note has an owner, a kind and a number, padded to four bytes each.
//!
//! Compilers have named products in three ways: by product, by the core in it, and by version numbers of the core. What
//! the first known one of them says is taken.

use crate::platform::Platform;

/// The machine number of an ELF file for Intel GPUs.
pub const MACHINE: u16 = 205;

/// The section that says for which machine the kernels are.
pub const SECTION: &str = ".note.intelgt.compat";

/// What the section of each kernel is called, before the kernel's name.
pub const KERNEL: &str = ".text.";

/// The name of a kind of relocation.
#[must_use]
pub fn relocation(kind: u32) -> Option<&'static str> {
    Some(match kind {
        1 => "R_ZE_SYM_ADDR",
        2 => "R_ZE_SYM_ADDR_32",
        3 => "R_ZE_SYM_ADDR_32_HI",
        4 => "R_PER_THREAD_PAYLOAD_OFFSET_32",
        5 => "R_GLOBAL_IMM_32",
        6 => "R_SEND",
        7 => "R_SYM_ADDR_16",
        _ => return None,
    })
}

/// The owner of the notes.
const OWNER: &[u8] = b"IntelGT\0";

/// Kinds of notes.
const PRODUCT: u32 = 1;
const CORE: u32 = 2;
const CONFIG: u32 = 6;

/// What the notes say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A machine.
    Known(Platform),
    /// A machine that this crate does not know, as words.
    Other(String),
    /// Nothing.
    Silent,
}

/// What the bytes of the section say.
#[must_use]
pub fn target(section: &[u8]) -> Target {
    let mut other = None;
    for (kind, number) in notes(section) {
        let (name, found) = match kind {
            PRODUCT => ("product family", of_product(number)),
            CORE => ("core family", of_core(number)),
            CONFIG => ("product configuration", of_config(number)),
            _ => continue,
        };
        match found {
            Some(platform) => return Target::Known(platform),
            None => other = other.or_else(|| Some(format!("{name} {number:#x}"))),
        }
    }
    other.map_or(Target::Silent, Target::Other)
}

/// Kinds and numbers of the notes of Intel; what is cut off or not four bytes long is left out.
fn notes(section: &[u8]) -> Vec<(u32, u32)> {
    let mut all = Vec::new();
    let mut rest = section;
    while let Some((name, description, kind, after)) = note(rest) {
        if name == OWNER
            && let Ok(bytes) = description.try_into()
        {
            all.push((kind, u32::from_le_bytes(bytes)));
        }
        rest = after;
    }
    all
}

type Note<'a> = (&'a [u8], &'a [u8], u32, &'a [u8]);

/// The first note: owner, description, kind, and what comes after it.
fn note(bytes: &[u8]) -> Option<Note<'_>> {
    let word = |at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    let (name, description) = (word(0)? as usize, word(4)? as usize);
    let rest = bytes.get(12..)?;
    let at = name.checked_next_multiple_of(4)?;
    let end = at.checked_add(description)?;
    let after = rest.get(end.checked_next_multiple_of(4)?..).unwrap_or(&[]);
    Some((rest.get(..name)?, rest.get(at..end)?, word(8)?, after))
}

fn of_product(number: u32) -> Option<Platform> {
    Some(match number {
        // Tiger Lake, Rocket Lake, Alder Lake S, P and N; DG1
        29..=33 | 1210 => Platform::Xe,
        1250 => Platform::XeHp,
        // DG2, Meteor Lake, Arrow Lake
        1270 | 1272 | 1273 => Platform::XeHpg,
        1271 => Platform::XeHpc,
        // Battlemage, Lunar Lake
        1274 | 1275 => Platform::Xe2,
        // Panther Lake
        1300 => Platform::Xe3,
        _ => return None,
    })
}

fn of_core(number: u32) -> Option<Platform> {
    Some(match number {
        18 => Platform::Xe,
        0xc05 => Platform::XeHp,
        0xc07 => Platform::XeHpg,
        0xc08 => Platform::XeHpc,
        0xc09 => Platform::Xe2,
        0x1e00 => Platform::Xe3,
        _ => return None,
    })
}

/// Ten bits of architecture, eight of release, eight that are reserved, six of revision.
fn of_config(number: u32) -> Option<Platform> {
    Some(match (number >> 22, number >> 14 & 0xff) {
        (12, 0..=10) => Platform::Xe,
        (12, 50) => Platform::XeHp,
        (12, 55..=57 | 70..=74) => Platform::XeHpg,
        (12, 60 | 61) => Platform::XeHpc,
        (20, _) => Platform::Xe2,
        (30, _) => Platform::Xe3,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::{CONFIG, CORE, OWNER, PRODUCT, Target, target};
    use crate::platform::Platform;

    fn made(owner: &[u8], notes: &[(u32, u32)]) -> Vec<u8> {
        let mut out = Vec::new();
        for (kind, number) in notes {
            for word in [owner.len() as u32, 4, *kind] {
                out.extend(word.to_le_bytes());
            }
            out.extend(owner);
            out.resize(out.len().next_multiple_of(4), 0);
            out.extend(number.to_le_bytes());
        }
        out
    }

    #[track_caller]
    fn check(notes: &[(u32, u32)], expected: &Target) {
        assert_eq!(target(&made(OWNER, notes)), *expected, "{notes:x?}");
    }

    #[test]
    fn notes_name_machines() {
        check(&[], &Target::Silent);
        check(&[(PRODUCT, 1271), (CORE, 0xc08)], &Target::Known(Platform::XeHpc));
        check(&[(3, 0), (CORE, 0xc09)], &Target::Known(Platform::Xe2));
        check(&[(PRODUCT, 99), (CORE, 18)], &Target::Known(Platform::Xe));
        check(&[(CONFIG, 0x030f_0007)], &Target::Known(Platform::XeHpc));
        check(&[(CONFIG, 0x030d_c008)], &Target::Known(Platform::XeHpg));
        check(&[(CONFIG, 30 << 22 | 4)], &Target::Known(Platform::Xe3));
        check(&[(PRODUCT, 1380), (CORE, 0x2300)], &Target::Other("product family 0x564".to_owned()));
        assert_eq!(target(&made(b"GNU\0", &[(1, 1271)])), Target::Silent);
    }

    #[test]
    fn broken_notes_say_nothing() {
        let whole = made(OWNER, &[(PRODUCT, 1271)]);
        for cut in 0..whole.len() {
            assert_eq!(target(&whole[..cut]), Target::Silent);
        }
        assert_eq!(target(&[0xff; 64]), Target::Silent);
        // A note without anything in it, again and again.
        assert_eq!(target(&[0; 1 << 16]), Target::Silent);
    }
}
