//! Archives that depend on nothing but the names and the bytes of files: sorted, one owner, one time, fixed modes.

use std::io::Write;

use flate2::{Compression, GzBuilder};

/// A file of an archive.
pub(super) struct Entry {
    pub(super) name: String,
    pub(super) bytes: Vec<u8>,
    mode: u32,
    link: Option<String>,
}

impl Entry {
    pub(super) fn file(name: &str, bytes: Vec<u8>) -> Entry {
        Entry { name: name.to_owned(), bytes, mode: 0o644, link: None }
    }

    pub(super) fn program(name: &str, bytes: Vec<u8>) -> Entry {
        Entry { mode: 0o755, ..Entry::file(name, bytes) }
    }

    pub(super) fn link(name: &str, target: &str) -> Entry {
        Entry { link: Some(target.to_owned()), ..Entry::file(name, Vec::new()) }
    }
}

/// Whether an ELF file asks for no other one: it names no program that loads it.
pub(super) fn is_static(binary: &[u8]) -> bool {
    // The path of every loader of Linux has this in it, in a segment of its own.
    binary.starts_with(b"\x7fELF")
        && !binary.get(..4096).is_some_and(|head| head.windows(7).any(|part| part == b"/ld-lin"))
}

/// A compressed archive; folders come before what is in them.
pub(super) fn tar_gz(mut files: Vec<Entry>, time: u64) -> Result<Vec<u8>, String> {
    files.sort_by(|a, b| a.name.cmp(&b.name));
    // No name of a file, no time.
    let gz = GzBuilder::new().operating_system(255).write(Vec::new(), Compression::default());
    let mut tar = tar::Builder::new(gz);
    let mut folders = std::collections::BTreeSet::new();
    for file in &files {
        for (at, _) in file.name.match_indices('/') {
            let folder = &file.name[..=at];
            if folders.insert(folder.to_owned()) {
                let mut header = header(time, 0o755, 0);
                header.set_entry_type(tar::EntryType::Directory);
                tar.append_data(&mut header, folder, std::io::empty()).map_err(|e| e.to_string())?;
            }
        }
        let mut header = header(time, file.mode, file.bytes.len() as u64);
        let done = match &file.link {
            None => tar.append_data(&mut header, &file.name, file.bytes.as_slice()),
            Some(target) => {
                header.set_entry_type(tar::EntryType::Symlink);
                tar.append_link(&mut header, &file.name, target)
            }
        };
        done.map_err(|e| format!("{}: {e}", file.name))?;
    }
    let gz = tar.into_inner().map_err(|e| e.to_string())?;
    gz.finish().map_err(|e| e.to_string())
}

fn header(time: u64, mode: u32, size: u64) -> tar::Header {
    let mut header = tar::Header::new_gnu();
    header.set_mtime(time);
    header.set_mode(mode);
    header.set_size(size);
    header.set_uid(0);
    header.set_gid(0);
    header.set_entry_type(tar::EntryType::Regular);
    header
}

/// A Debian package: an archive of its version, what it is, and its files.
pub(super) fn deb(control: &str, mut files: Vec<Entry>, time: u64) -> Result<Vec<u8>, String> {
    let about = vec![Entry::file("./control", control.as_bytes().to_vec())];
    files.iter_mut().for_each(|file| file.name = format!("./{}", file.name));
    let members = [
        ("debian-binary", b"2.0\n".to_vec()),
        ("control.tar.gz", tar_gz(about, time)?),
        ("data.tar.gz", tar_gz(files, time)?),
    ];
    let mut out = ar::Builder::new(Vec::new());
    for (name, bytes) in members {
        let mut header = ar::Header::new(name.as_bytes().to_vec(), bytes.len() as u64);
        header.set_mtime(time);
        header.set_mode(0o100_644);
        out.append(&header, bytes.as_slice()).map_err(|e| e.to_string())?;
    }
    let mut out = out.into_inner().map_err(|e| e.to_string())?;
    out.flush().map_err(|e| e.to_string())?;
    Ok(out)
}
