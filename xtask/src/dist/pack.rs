//! Archives that depend on nothing but the names and the bytes of files: sorted, one owner, one time, fixed modes.

use std::io::{Cursor, Write};

use flate2::{Compression, GzBuilder};
use object::read::elf::{ElfFile64, ProgramHeader};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

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

/// Whether an ELF file needs nothing of the system: no program loads it, and it names no library.
pub(super) fn is_static(binary: &[u8]) -> bool {
    let Ok(file) = ElfFile64::<object::Endianness>::parse(binary) else { return false };
    let endian = file.endian();
    file.elf_program_headers().iter().all(|segment| {
        let entries = segment.dynamic(endian, binary).ok().flatten().unwrap_or_default();
        segment.p_type(endian) != object::elf::PT_INTERP
            && entries.iter().all(|entry| entry.d_tag.get(endian) != object::elf::DT_NEEDED)
    })
}

/// An archive for Windows. Its entries have no time: a time in this form is local, and nobody's is right.
pub(super) fn zip(mut files: Vec<Entry>) -> Result<Vec<u8>, String> {
    files.sort_by(|a, b| a.name.cmp(&b.name));
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for file in &files {
        let fixed = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .last_modified_time(zip::DateTime::default())
            .unix_permissions(file.mode);
        let done = match &file.link {
            Some(_) => return Err(format!("{}: links are not for Windows", file.name)),
            None => zip.start_file(&file.name, fixed).map_err(|e| e.to_string()),
        };
        done.and_then(|()| zip.write_all(&file.bytes).map_err(|e| e.to_string()))
            .map_err(|e| format!("{}: {e}", file.name))?;
    }
    zip.finish().map(Cursor::into_inner).map_err(|e| e.to_string())
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

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Read};

    use super::{Entry, is_static, tar_gz, zip};

    fn files() -> Vec<Entry> {
        vec![Entry::program("top/isaglot.exe", vec![0; 4096]), Entry::file("top/man/a.1", b"a page".to_vec())]
    }

    #[test]
    fn archives_are_the_same_in_any_order_and_read_back() {
        let backwards = || files().into_iter().rev().collect::<Vec<_>>();
        assert_eq!(tar_gz(files(), 7), tar_gz(backwards(), 7));
        let made = zip(files()).expect("an archive");
        assert_eq!(Ok(&made), zip(backwards()).as_ref());
        assert!(made.len() < 1024, "it is compressed");
        let mut read = ::zip::ZipArchive::new(Cursor::new(made)).expect("an archive");
        assert_eq!(read.len(), files().len());
        for file in files() {
            let mut entry = read.by_name(&file.name).expect("the file");
            assert_eq!(entry.unix_mode().map(|mode| mode & 0o777), Some(file.mode));
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes).expect("its bytes");
            assert_eq!(bytes, file.bytes);
        }
        assert!(zip(vec![Entry::link("a", "b")]).is_err());
    }

    /// Programs of the system need its libraries; what is no program is not static.
    #[test]
    fn what_needs_libraries_is_not_static() {
        assert!(!is_static(b"\x7fELF"));
        assert!(!is_static(b""));
        let own = std::fs::read(std::env::current_exe().expect("this program")).expect("its bytes");
        assert_eq!(is_static(&own), cfg!(target_feature = "crt-static"));
    }
}
