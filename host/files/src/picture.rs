//! What tells that a tree is as it was.

use std::collections::BTreeMap;
use std::ffi::CString;
use std::io;
use std::os::fd::BorrowedFd;
use std::path::Path;

use rustix::fs::{FileType, fstat};

use crate::cursor::{Cursor, Entry};
use crate::walk::{Visitor, walk};

/// Everything in a tree by the directory it is in. Equal pictures of one tree mean that nothing in
/// it was changed in between: a guest can set times of modification back, those of inode changes
/// it cannot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Picture(BTreeMap<(u64, CString), Seen>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Seen {
    kind: FileType,
    /// Zero for directories, whose size is the file system's own business.
    bytes: i64,
    inode: u64,
    changed: (i64, i64),
}

/// Takes the picture of everything below `root`.
pub fn picture(root: &Path) -> io::Result<Picture> {
    let mut camera = Camera::default();
    walk(Cursor::open(root)?, &mut camera)?;
    Ok(camera.picture)
}

#[derive(Default)]
struct Camera {
    picture: Picture,
    /// The directory whose entries come now, and its inode.
    directory: Option<u64>,
}

impl Visitor for Camera {
    type Error = io::Error;

    fn entry(&mut self, directory: BorrowedFd<'_>, entry: &Entry, _: usize) -> io::Result<()> {
        let parent = match self.directory {
            Some(inode) => inode,
            None => *self.directory.insert(fstat(directory)?.st_ino),
        };
        let seen = Seen {
            kind: entry.kind(),
            bytes: match entry.kind() {
                FileType::Directory => 0,
                _ => entry.stat.st_size,
            },
            inode: entry.stat.st_ino,
            changed: (entry.stat.st_ctime, entry.stat.st_ctime_nsec as i64),
        };
        self.picture.0.insert((parent, entry.name.clone()), seen);
        Ok(())
    }

    fn enter(&mut self, _: &std::ffi::CStr) -> io::Result<()> {
        self.directory = None;
        Ok(())
    }
}
