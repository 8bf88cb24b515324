//! What is in a tree, for whoever may look at it: the entries of one directory, a part of one file.
//!
//! It never follows a link and opens nothing but directories and regular files, so a path that a
//! person typed leads nowhere but into the tree.

use std::ffi::{CStr, CString};
use std::io::{self, ErrorKind};
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;

use rustix::fs::{FileType, Mode, OFlags, fstat, openat};

use crate::cursor::{self, Cursor};

/// What an entry of a directory is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Directory,
    File,
    Link,
    Other,
}

/// One entry of a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    pub name: CString,
    pub kind: Kind,
    /// Of a file; 0 of anything else.
    pub bytes: u64,
    /// Seconds since 1970, UTC.
    pub modified_at: i64,
}

/// A part of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    pub content: Vec<u8>,
    /// Bytes of the whole file.
    pub total: u64,
}

/// The entries of the directory at `path` below `root`, by name; at most `most`, and how many there are.
///
/// # Errors
/// `NotFound`, `NotADirectory`, and what the kernel says otherwise.
pub fn entries(root: &Path, path: &[CString], most: usize) -> io::Result<(Vec<Seen>, u64)> {
    let mut cursor = Cursor::new(directory(root, path)?);
    let mut found: Vec<Seen> = Vec::new();
    let mut all = 0;
    cursor.entries::<io::Error>(|_, entry| {
        all += 1;
        let kind = match entry.kind() {
            FileType::Directory => Kind::Directory,
            FileType::RegularFile => Kind::File,
            FileType::Symlink => Kind::Link,
            _ => Kind::Other,
        };
        found.push(Seen {
            bytes: match kind {
                Kind::File => u64::try_from(entry.stat.st_size).unwrap_or(0),
                _ => 0,
            },
            modified_at: entry.stat.st_mtime,
            kind,
            name: entry.name,
        });
        // Half of what is kept is thrown away at a time, so a directory of any size costs little memory.
        if found.len() > most.saturating_mul(2) {
            found.sort_by(|one, other| one.name.cmp(&other.name));
            found.truncate(most);
        }
        Ok(())
    })?;
    found.sort_by(|one, other| one.name.cmp(&other.name));
    found.truncate(most);
    Ok((found, all))
}

/// At most `most` bytes from `offset` of the file at `path` below `root`.
///
/// # Errors
/// `NotFound`, `IsADirectory`, `InvalidInput` for what is neither file nor directory.
pub fn part(root: &Path, path: &[CString], offset: u64, most: usize) -> io::Result<Part> {
    let Some((name, above)) = path.split_last() else {
        return Err(ErrorKind::IsADirectory.into());
    };
    let directory = directory(root, above)?;
    // One that would wait for a writer, or that is a device, is told apart once it is open.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let file = openat(directory.as_fd(), name.as_c_str(), flags, Mode::empty()).map_err(link)?;
    let stat = fstat(&file)?;
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => {}
        FileType::Directory => return Err(ErrorKind::IsADirectory.into()),
        _ => return Err(ErrorKind::InvalidInput.into()),
    }
    let total = u64::try_from(stat.st_size).unwrap_or(0);
    let left = usize::try_from(total.saturating_sub(offset)).unwrap_or(usize::MAX);
    let mut content = vec![0; left.min(most)];
    let mut read = 0;
    while read < content.len() {
        let at = offset + read as u64;
        match rustix::io::pread(&file, &mut content[read..], at) {
            Ok(0) => break,
            Ok(more) => read += more,
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    content.truncate(read);
    Ok(Part { content, total })
}

fn directory(root: &Path, path: &[CString]) -> io::Result<OwnedFd> {
    let mut here = cursor::open(root)?;
    for name in path {
        here = cursor::open_in(here.as_fd(), name.as_c_str())?;
    }
    Ok(here)
}

/// The kernel's word for a link that is not followed.
fn link(error: rustix::io::Errno) -> io::Error {
    match error {
        rustix::io::Errno::LOOP => ErrorKind::InvalidInput.into(),
        error => error.into(),
    }
}

/// The names that a path has, without empty ones and `.`; none for a path with `..` or a zero byte.
#[must_use]
pub fn names(path: &str) -> Option<Vec<CString>> {
    path.split('/')
        .filter(|name| !name.is_empty() && *name != ".")
        .map(|name| match name {
            ".." => None,
            name => CString::new(name).ok(),
        })
        .collect()
}

/// A name as people read it.
#[must_use]
pub fn text(name: &CStr) -> String {
    name.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    fn tree() -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("pages")).unwrap();
        fs::write(root.path().join("pages/index.html"), "hello").unwrap();
        fs::write(root.path().join("note"), "").unwrap();
        symlink("/etc", root.path().join("away")).unwrap();
        root
    }

    fn at(path: &str) -> Vec<CString> {
        names(path).unwrap()
    }

    #[test]
    fn a_directory_lists_its_entries_by_name() {
        let root = tree();
        let (found, all) = entries(root.path(), &at("/"), 10).unwrap();
        let shown: Vec<_> = found
            .iter()
            .map(|seen| (text(&seen.name), seen.kind))
            .collect();
        let wanted = [
            ("away".to_owned(), Kind::Link),
            ("note".to_owned(), Kind::File),
            ("pages".to_owned(), Kind::Directory),
        ];
        assert_eq!((shown.as_slice(), all), (wanted.as_slice(), 3));
        let (within, _) = entries(root.path(), &at("pages"), 10).unwrap();
        assert_eq!(within[0].bytes, 5);
    }

    #[test]
    fn a_long_directory_is_cut_and_counted() {
        let root = tempfile::tempdir().unwrap();
        for number in 0..50 {
            fs::write(root.path().join(format!("{number:02}")), "").unwrap();
        }
        let (found, all) = entries(root.path(), &[], 3).unwrap();
        let shown: Vec<_> = found.iter().map(|seen| text(&seen.name)).collect();
        assert_eq!((shown.join(" "), all), ("00 01 02".to_owned(), 50));
    }

    #[test]
    fn a_file_is_read_in_parts() {
        let root = tree();
        let path = at("pages/index.html");
        let read = |offset, most| part(root.path(), &path, offset, most).unwrap().content;
        assert_eq!(read(0, 100), b"hello");
        assert_eq!(read(1, 2), b"el");
        assert_eq!(read(9, 2), b"");
        assert_eq!(part(root.path(), &path, 0, 1).unwrap().total, 5);
    }

    #[test]
    fn no_link_is_followed() {
        let root = tree();
        let refused = [
            entries(root.path(), &at("away"), 10).unwrap_err().kind(),
            part(root.path(), &at("away/passwd"), 0, 1)
                .unwrap_err()
                .kind(),
        ];
        assert_eq!(refused, [ErrorKind::NotADirectory; 2]);
        let kind = part(root.path(), &at("away"), 0, 1).unwrap_err().kind();
        assert_eq!(kind, ErrorKind::InvalidInput);
    }

    #[test]
    fn a_path_that_leads_upwards_is_none() {
        assert_eq!(names("pages/../../etc"), None);
        assert_eq!(names("a\0b"), None);
        assert_eq!(at("//pages/./x").len(), 2);
    }

    #[test]
    fn a_directory_is_no_file_and_what_is_missing_is_not_found() {
        let root = tree();
        let kind = |path: &str| part(root.path(), &at(path), 0, 1).unwrap_err().kind();
        assert_eq!(kind("pages"), ErrorKind::IsADirectory);
        assert_eq!(kind(""), ErrorKind::IsADirectory);
        assert_eq!(kind("pages/none"), ErrorKind::NotFound);
    }
}
