//! A question as bytes: frames, each a length of 4 bytes, the least significant first, and as many bytes. The first frame is a JSON
//! object that says what is asked, the others are the files and programs that it speaks of.

/// Bytes of a length.
const PREFIX: usize = 4;

/// The frames of a message; `None` if a length leads beyond the end.
pub fn read(mut bytes: &[u8]) -> Option<Vec<&[u8]>> {
    let mut frames = Vec::new();
    while !bytes.is_empty() {
        let (length, rest) = bytes.split_first_chunk::<PREFIX>()?;
        let (frame, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        frames.push(frame);
        bytes = rest;
    }
    Some(frames)
}

/// A message of a JSON object and other frames. Frames of 4 GiB and more cannot be written and are cut off.
pub fn write(object: &str, frames: &[&[u8]]) -> Vec<u8> {
    let mut out = Vec::new();
    for frame in std::iter::once(object.as_bytes()).chain(frames.iter().copied()) {
        let length = u32::try_from(frame.len()).unwrap_or(u32::MAX);
        out.extend(length.to_le_bytes());
        out.extend(frame.iter().take(length as usize));
    }
    out
}
