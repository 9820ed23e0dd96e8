//! Memory that is written into files when a run has ended: parts that were asked for, and the signature of an architecture test.
//!
//! A signature is written only when the program has ended by itself: that of a run that was cut off would look like a result.

use std::fmt::Write as _;
use std::path::PathBuf;

use isaglot_hart::{Hart, Stop};
use isaglot_source::{Diagnostic, Diagnostics};

use super::Args;

/// The longest part, in bytes.
const MAX_PART: u64 = 1 << 28;

/// A part of memory and the file that it goes to.
#[derive(Clone, Debug)]
pub(super) struct Part {
    address: u64,
    length: u64,
    file: PathBuf,
}

/// Reads `ADDRESS,LENGTH,FILE`, numbers as decimal or after `0x`.
pub(super) fn part(text: &str) -> Result<Part, String> {
    let number = |text: &str| match text.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None => text.parse().ok(),
    };
    let mut parts = text.splitn(3, ',');
    let mut next = || parts.next().unwrap_or("");
    let (address, length, file) = (number(next()), number(next()), next());
    match (address, length) {
        (Some(address), Some(length)) if !file.is_empty() && length <= MAX_PART => {
            Ok(Part { address, length, file: PathBuf::from(file) })
        }
        (Some(_), Some(length)) if length > MAX_PART => Err(format!("at most {MAX_PART} bytes can be written")),
        _ => Err("expected an address, a length and a file, such as 0x80000000,256,memory.bin".to_owned()),
    }
}

/// There is no memory where some was to be written into a file.
fn absent(at: u64) -> Diagnostics {
    Diagnostic::error("run-memory", format!("there is no memory at {at:#x}, which was to be written into a file"))
        .into()
}

fn bytes(hart: &mut Hart<'_>, address: u64, length: u64) -> Result<Vec<u8>, Diagnostics> {
    hart.memory().read(address, length as usize).map_err(absent)
}

/// Writes the parts that were asked for; `read` gives bytes, or an address where there are none.
pub(super) fn write_parts(
    parts: &[Part],
    read: &mut dyn FnMut(u64, usize) -> Result<Vec<u8>, u64>,
) -> Result<(), Diagnostics> {
    for part in parts {
        let bytes = read(part.address, part.length as usize).map_err(absent)?;
        crate::io::write(Some(&part.file), true, &bytes).map_err(Diagnostics::from)?;
    }
    Ok(())
}

/// Writes all that was asked for.
pub(super) fn write(
    args: &Args,
    signature: Option<(u64, u64)>,
    stop: &Stop,
    hart: &mut Hart<'_>,
) -> Result<(), Diagnostics> {
    write_parts(&args.dump, &mut |address, length| hart.memory().read(address, length))?;
    let has_ended = matches!(stop, Stop::Ebreak | Stop::Tohost(_) | Stop::Exit(_));
    let (Some(file), Some((first, end)), true) = (&args.signature, signature, has_ended) else { return Ok(()) };
    let Some(length) = end.checked_sub(first).filter(|&n| n <= MAX_PART && n % args.granularity == 0) else {
        let message =
            format!("the signature from {first:#x} to {end:#x} is not whole words of {} bytes", args.granularity);
        return Err(Diagnostic::error("run-signature", message).into());
    };
    let mut text = String::new();
    for word in bytes(hart, first, length)?.chunks(args.granularity as usize) {
        // The highest byte comes first.
        for byte in word.iter().rev() {
            let _ = write!(text, "{byte:02x}");
        }
        text.push('\n');
    }
    crate::io::write(Some(file), false, text.as_bytes()).map_err(Diagnostics::from)
}
