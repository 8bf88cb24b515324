//! Where a directory of storage is, whose it is, and the mark of one that was given up.

use std::collections::BTreeSet;
use std::fs::{self, DirBuilder, File, Permissions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt, chown, lchown};
use std::path::{Path, PathBuf};

use periapt_engine::supervised::ENDED;
use rustix::fs::{FlockOperation, flock, statvfs};
use rustix::io::retry_on_intr;
use rustix::process::geteuid;

use crate::ProviderError;
use crate::error::file;

/// In the agent's directory.
pub const STORAGE: &str = "storage";
/// What belongs to directories and is not in them. No directory is called so.
const FILES: &str = ".files";

/// Whose the directories are: user and group of the agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Owner(pub u32);

impl Owner {
    /// An agent with a user of its own has its directory's group, and may go through it and no more; none before it
    /// has taken that up.
    pub fn of(directory: &Path) -> Result<Option<Self>, ProviderError> {
        if !geteuid().is_root() {
            return Ok(Some(Self(geteuid().as_raw())));
        }
        match fs::symlink_metadata(directory) {
            Ok(found) if found.is_dir() && found.mode() & 0o777 == 0o710 => {
                Ok(Some(Self(found.gid())))
            }
            Ok(_) => Ok(None),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(file("look at", directory)(error)),
        }
    }

    /// After long enough: the agent stayed the user that started it, or there is none.
    pub fn at_last(directory: &Path) -> Result<Self, ProviderError> {
        let mark = directory.join(ENDED);
        match fs::symlink_metadata(&mark) {
            Ok(found) => Ok(Self(found.uid())),
            Err(error) if error.kind() == ErrorKind::NotFound => Err(ProviderError::Refused(
                "no agent has taken up its directories yet".to_owned(),
            )),
            Err(error) => Err(file("look at", mark)(error)),
        }
    }
}

/// Of one directory.
#[derive(Clone, Debug)]
pub struct Place {
    root: PathBuf,
    name: String,
}

impl Place {
    pub fn of(agent: &Path, name: &str) -> Result<Self, ProviderError> {
        let sound = name.len() <= 128
            && name.starts_with(|c: char| c.is_ascii_alphanumeric())
            && name
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c));
        match sound {
            true => Ok(Self {
                root: agent.join(STORAGE),
                name: name.to_owned(),
            }),
            false => Err(ProviderError::InvalidDirectory(name.to_owned())),
        }
    }

    pub fn directory(&self) -> PathBuf {
        self.root.join(&self.name)
    }

    pub fn image(&self) -> PathBuf {
        self.root.join(FILES).join(format!("{}.img", self.name))
    }

    /// An image that is not whole yet.
    pub fn unfinished_image(&self) -> PathBuf {
        self.image().with_extension("img.new")
    }

    /// Held while something is done to any directory of the agent; none while there are no directories. What was begun for
    /// a worker that has stopped goes on, and who works for the next one waits here until it has ended.
    pub fn lock(&self) -> Result<Option<File>, ProviderError> {
        lock(&self.root)
    }

    fn mark(&self) -> PathBuf {
        mark(&self.root, &self.name)
    }

    /// Makes what all directories are in: the agent goes through, and only this process changes it.
    pub fn prepare(&self, owner: Owner) -> Result<(), ProviderError> {
        let made = DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&self.root);
        made.map_err(file("make", &self.root))?;
        let me = geteuid().as_raw();
        let found = fs::symlink_metadata(&self.root).map_err(file("look at", &self.root))?;
        if !found.is_dir() || found.uid() != me {
            return Err(ProviderError::Refused(format!(
                "{} is no directory of the controller's",
                self.root.display()
            )));
        }
        let mode = match owner.0 == me {
            true => 0o700,
            false => {
                chown(&self.root, None, Some(owner.0)).map_err(file("give", &self.root))?;
                0o710
            }
        };
        fs::set_permissions(&self.root, Permissions::from_mode(mode))
            .map_err(file("close", &self.root))?;
        self.make_files()
    }

    fn make_files(&self) -> Result<(), ProviderError> {
        let files = self.root.join(FILES);
        match DirBuilder::new().mode(0o700).create(&files) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
            made => made.map_err(file("make", &files)),
        }
    }

    /// A directory to mount something at, which is nobody's without that.
    pub fn make_point(&self) -> Result<(), ProviderError> {
        let path = self.directory();
        match DirBuilder::new().mode(0o700).create(&path) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            made => return made.map_err(file("make", &path)),
        }
        match fs::symlink_metadata(&path) {
            Ok(found) if found.is_dir() => Ok(()),
            Ok(_) => Err(file("make", &path)(ErrorKind::NotADirectory.into())),
            Err(error) => Err(file("look at", &path)(error)),
        }
    }

    /// A directory of the owner's.
    pub fn make(&self, owner: Owner) -> Result<(), ProviderError> {
        self.make_point()?;
        self.take(owner)?;
        self.sync()
    }

    /// Refuses one that somebody has used: of a number that was given before the controller was restored from a backup,
    /// or put there by hand.
    pub fn require_empty(&self) -> Result<(), ProviderError> {
        let path = self.directory();
        let mut entries = fs::read_dir(&path).map_err(file("read", &path))?;
        match entries.next() {
            None => Ok(()),
            Some(_) => Err(ProviderError::DirectoryTaken(path)),
        }
    }

    /// Whether all that is in it has this name.
    pub fn has_nothing_but(&self, known: &str) -> Result<bool, ProviderError> {
        let path = self.directory();
        for entry in fs::read_dir(&path).map_err(file("read", &path))? {
            if entry.map_err(file("read", &path))?.file_name() != known {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// One that is there becomes the owner's, with all that is in it, its root last: one that was not given to the
    /// end is begun again. It is closed first: until its root is given nobody reaches what is in it, and puts a link in the
    /// place of a directory.
    pub fn take(&self, owner: Owner) -> Result<(), ProviderError> {
        let path = self.directory();
        let found = match fs::symlink_metadata(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Err(ProviderError::NothingToImport(path));
            }
            found => found.map_err(file("look at", &path))?,
        };
        if !found.is_dir() {
            return Err(ProviderError::NothingToImport(path));
        }
        if found.uid() != owner.0 {
            fs::set_permissions(&path, Permissions::from_mode(0o700))
                .map_err(file("close", &path))?;
            give(&path, owner).map_err(file("give", &path))?;
        }
        fs::set_permissions(&path, Permissions::from_mode(0o700)).map_err(file("close", &path))
    }

    /// It is in use, and not given up any more.
    pub fn take_up(&self) -> Result<(), ProviderError> {
        remove_if_there(&self.mark())
    }

    /// Marks it as given up, with its size.
    pub fn give_up(&self, size: u64) -> Result<(), ProviderError> {
        let mark = self.mark();
        if !self.directory().exists() && !self.image().exists() {
            return Ok(());
        }
        self.make_files()?;
        let written = File::create(&mark).and_then(|mut mark| {
            mark.write_all(size.to_string().as_bytes())?;
            mark.sync_all()
        });
        written.map_err(file("write", &mark))?;
        self.sync()
    }

    /// The size that one had as it was given up.
    pub fn size_given_up(&self) -> Option<u64> {
        let text = fs::read_to_string(self.mark()).ok()?;
        text.trim().parse().ok()
    }

    /// MiB that are free where it is.
    pub fn room(&self) -> Result<u64, ProviderError> {
        let path = self.directory();
        let found = statvfs(&path).map_err(|error| file("look at", &path)(error.into()))?;
        Ok((found.f_bavail.saturating_mul(found.f_frsize) >> 20).max(1))
    }

    /// Removes all of it. It is not mounted any more.
    pub fn remove(&self) -> Result<(), ProviderError> {
        let path = self.directory();
        periapt_files::remove(&path).map_err(file("remove", &path))?;
        for path in [self.unfinished_image(), self.image()] {
            remove_if_there(&path)?;
        }
        self.take_up()
    }

    fn sync(&self) -> Result<(), ProviderError> {
        for path in [self.root.clone(), self.root.join(FILES)] {
            let synced = File::open(&path).and_then(|directory| directory.sync_all());
            synced.map_err(file("write", &path))?;
        }
        Ok(())
    }
}

fn mark(root: &Path, name: &str) -> PathBuf {
    root.join(FILES).join(format!("{name}.given-up"))
}

pub fn lock(root: &Path) -> Result<Option<File>, ProviderError> {
    let directory = match File::open(root) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        opened => opened.map_err(file("open", root))?,
    };
    retry_on_intr(|| flock(&directory, FlockOperation::LockExclusive))
        .map_err(|error| file("lock", root)(error.into()))?;
    Ok(Some(directory))
}

pub fn remove_if_there(path: &Path) -> Result<(), ProviderError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        removed => removed.map_err(file("remove", path)),
    }
}

/// Removes all directories that were not given up, with their images; whether any is left. Nothing is mounted there.
pub fn clear(agent: &Path) -> Result<bool, ProviderError> {
    let root = agent.join(STORAGE);
    let mut names: BTreeSet<String> = listed(&root)?.into_iter().collect();
    names.remove(FILES);
    // Who was killed while an image went, or was given up, may have left it without its directory.
    for name in listed(&root.join(FILES))? {
        let image = name.strip_suffix(".img");
        let image = image.or_else(|| name.strip_suffix(".img.new"));
        names.extend(image.map(str::to_owned));
    }
    let mut left = false;
    for name in names {
        match mark(&root, &name).exists() {
            true => left = true,
            false => {
                let root = root.clone();
                Place { root, name }.remove()?;
            }
        }
    }
    Ok(left)
}

/// The names in a directory that are text; none where there is no directory.
fn listed(directory: &Path) -> Result<Vec<String>, ProviderError> {
    let entries = match fs::read_dir(directory) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(file("read", directory))?,
    };
    let mut names = Vec::new();
    for entry in entries {
        let name = entry.map_err(file("read", directory))?.file_name();
        names.extend(name.into_string().ok());
    }
    Ok(names)
}

fn give(root: &Path, owner: Owner) -> std::io::Result<()> {
    let mut pending = vec![root.to_owned()];
    while let Some(directory) = pending.pop() {
        for entry in fs::read_dir(&directory)? {
            let entry = entry?;
            lchown(entry.path(), Some(owner.0), Some(owner.0))?;
            if entry.file_type()?.is_dir() {
                pending.push(entry.path());
            }
        }
    }
    lchown(root, Some(owner.0), Some(owner.0))
}
