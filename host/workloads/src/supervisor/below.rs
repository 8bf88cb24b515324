//! Files in a directory whose owner is not to be trusted: reached from an open directory and through no
//! link, so that nobody is led elsewhere.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

use rustix::fs::{
    AtFlags, CWD, Dir, FileType, Gid, Mode, OFlags, ResolveFlags, Uid, fchown, fstat, mkdirat,
    openat, openat2, renameat, unlinkat,
};
use rustix::io::Errno;

/// An open directory, and whose files in it are to be.
pub struct Below {
    directory: OwnedFd,
    owner: Option<u32>,
}

const RESOLVE: ResolveFlags = ResolveFlags::BENEATH.union(ResolveFlags::NO_SYMLINKS);
const DIRECTORY: OFlags = OFlags::DIRECTORY
    .union(OFlags::RDONLY)
    .union(OFlags::CLOEXEC);
const PRIVATE: Mode = Mode::from_raw_mode(0o600);

impl Below {
    /// A directory that is to be trusted. `owner` gets what is made in it.
    pub fn open(path: &Path, owner: Option<u32>) -> io::Result<Self> {
        let directory = openat(CWD, path, DIRECTORY, Mode::empty())?;
        Ok(Self { directory, owner })
    }

    /// A directory in this one, made where it is missing.
    pub fn make(&self, name: &str) -> io::Result<Self> {
        match mkdirat(&self.directory, name, Mode::from_raw_mode(0o700)) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
        let directory = openat2(&self.directory, name, DIRECTORY, Mode::empty(), RESOLVE)?;
        let below = Self {
            directory,
            owner: self.owner,
        };
        below.give(below.directory.as_fd())?;
        Ok(below)
    }

    pub fn as_fd(&self) -> BorrowedFd<'_> {
        self.directory.as_fd()
    }

    fn give(&self, file: BorrowedFd<'_>) -> io::Result<()> {
        if let Some(owner) = self.owner
            && fstat(file)?.st_uid != owner
        {
            fchown(file, Some(Uid::from_raw(owner)), Some(Gid::from_raw(owner)))?;
        }
        Ok(())
    }

    /// The names of what is in it.
    pub fn names(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in Dir::read_from(&self.directory)? {
            let entry = entry?;
            if let Ok(name) = entry.file_name().to_str()
                && !name.starts_with('.')
            {
                names.push(name.to_owned());
            }
        }
        Ok(names)
    }

    fn file(&self, name: &str, flags: OFlags) -> io::Result<File> {
        // What is no file is not waited for.
        let flags = flags | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOFOLLOW;
        let mode = match flags.contains(OFlags::CREATE) {
            true => PRIVATE,
            false => Mode::empty(),
        };
        let file = openat2(&self.directory, name, flags, mode, RESOLVE)?;
        let there = fstat(&file)?;
        if FileType::from_raw_mode(there.st_mode) != FileType::RegularFile {
            return Err(io::Error::other("it is no file"));
        }
        // What has another name elsewhere is maybe somebody else's, and is neither written nor given away.
        if flags.contains(OFlags::CREATE) && there.st_nlink != 1 {
            return Err(io::Error::other("it has other names"));
        }
        Ok(File::from(file))
    }

    /// A file of so many bytes at most; none where there is none.
    pub fn read(&self, name: &str, most: u64) -> io::Result<Option<Vec<u8>>> {
        let file = match self.file(name, OFlags::RDONLY) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            file => file?,
        };
        let mut bytes = Vec::new();
        file.take(most + 1).read_to_end(&mut bytes)?;
        match bytes.len() as u64 > most {
            true => Err(io::Error::other(format!("it has more than {most} bytes"))),
            false => Ok(Some(bytes)),
        }
    }

    /// Replaces a file as a whole.
    pub fn replace(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let aside = format!(".{name}.next");
        self.remove(&aside)?;
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL;
        let mut file = self.file(&aside, flags)?;
        file.write_all(bytes)?;
        self.give(file.as_fd())?;
        self.rename(&aside, name)
    }

    pub fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        Ok(renameat(&self.directory, from, &self.directory, to)?)
    }

    /// A file to be written at its end.
    pub fn append(&self, name: &str) -> io::Result<File> {
        let file = self.file(name, OFlags::WRONLY | OFlags::APPEND | OFlags::CREATE)?;
        self.give(file.as_fd())?;
        Ok(file)
    }

    pub fn remove(&self, name: &str) -> io::Result<()> {
        match unlinkat(&self.directory, name, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn files_are_replaced_and_links_lead_nowhere() {
        let home = tempfile::tempdir().unwrap();
        let top = Below::open(home.path(), None).unwrap();
        let files = top.make("files").unwrap();
        files.replace("a.json", b"one").unwrap();
        files.replace("a.json", b"two").unwrap();
        assert_eq!(files.read("a.json", 3).unwrap().unwrap(), b"two");
        assert!(files.read("a.json", 2).is_err());
        assert_eq!(files.read("b.json", 2).unwrap(), None);
        fs::write(home.path().join("outside"), "secret").unwrap();
        symlink(
            home.path().join("outside"),
            home.path().join("files/l.json"),
        )
        .unwrap();
        symlink(home.path(), home.path().join("link")).unwrap();
        assert!(files.read("l.json", 100).is_err());
        assert!(files.append("l.json").is_err());
        assert!(top.make("link").is_err());
        files.replace("l.json", b"own").unwrap();
        assert_eq!(fs::read(home.path().join("outside")).unwrap(), b"secret");
        fs::hard_link(
            home.path().join("outside"),
            home.path().join("files/hard.log"),
        )
        .unwrap();
        assert!(files.append("hard.log").is_err());
        files.remove("hard.log").unwrap();
        files.append("own.log").unwrap();
        files.append("own.log").unwrap();
        files.remove("own.log").unwrap();
        let mut names = files.names().unwrap();
        names.sort();
        assert_eq!(names, ["a.json", "l.json"]);
        files.remove("a.json").unwrap();
        files.remove("a.json").unwrap();
        assert!(files.read("../outside", 100).is_err());
    }
}
