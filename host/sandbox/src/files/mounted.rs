//! The directories that a guest was given: which of them it uses, what its handles stand for, and
//! how much it left in them.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use periapt_files::{Limits, Over, counterparts, out_of_descriptors};
use periapt_model::bounds::DIRECTORY_LEVELS;
use periapt_model::charm::Access;
use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, fcntl_getfl, fstat, openat, openat2, stat};
use wasmtime::component::{Resource, ResourceTable};
use wasmtime_wasi::filesystem::{Descriptor, Dir};
use wasmtime_wasi::{FsPerms, OpenMode};

use super::reading::{Reading, Source};
use super::temporary::Temporary;
use super::{Directories, SharedDirectory, StorageDirectory};
use crate::failure::HookFailure;

/// How often a running hook's directories are measured: often enough that a guest cannot write
/// much more than the limit, seldom enough that measuring costs nothing beside it.
const MEASURE_EVERY: Duration = Duration::from_millis(100);

/// The directories of one hook and their quota.
pub(crate) struct Mounted {
    directories: Directories,
    /// Handles of the guest that are yet to become what they stand for, by their numbers.
    held: HashMap<u32, Held>,
    /// Streams that read committed files.
    streams: Vec<Source>,
    stage: Option<PathBuf>,
    temporary: Option<Temporary>,
    /// Shared ones that the guest used and may write to.
    shared: Vec<SharedDirectory>,
    limits: Limits,
    next: Instant,
}

#[derive(Clone, Copy)]
enum Held {
    /// Not opened: nothing was done with it.
    Promised(Place),
    /// A committed file or directory of `/state`.
    Committed,
}

#[derive(Clone, Copy)]
enum Place {
    Charm,
    State,
    Temporary,
    Shared(usize),
    Resource(usize),
    Storage(usize),
}

impl Mounted {
    pub(crate) fn new(directories: Directories, limit: u64) -> Self {
        Self {
            directories,
            held: HashMap::new(),
            streams: Vec::new(),
            stage: None,
            temporary: None,
            shared: Vec::new(),
            limits: Limits {
                bytes: limit,
                levels: DIRECTORY_LEVELS.most,
            },
            next: Instant::now() + MEASURE_EVERY,
        }
    }

    /// Handles of all directories, with their names, of which nothing is opened.
    pub(super) fn promise(
        &mut self,
        table: &mut ResourceTable,
    ) -> Result<Vec<(Resource<Descriptor>, String)>, HookFailure> {
        let mut places = vec![
            (Place::Charm, "/charm".to_owned(), Access::ReadOnly),
            (Place::State, "/state".to_owned(), Access::ReadWrite),
            (Place::Temporary, "/tmp".to_owned(), Access::ReadWrite),
        ];
        let shared = self.directories.shared.iter().enumerate();
        places.extend(shared.map(|(at, directory)| {
            let place = Place::Shared(at);
            (place, directory.of_guest(), directory.access)
        }));
        let resources = self.directories.resources.iter().enumerate();
        places.extend(resources.map(|(at, name)| {
            let place = Place::Resource(at);
            (place, format!("/resources/{name}"), Access::ReadOnly)
        }));
        let storage = self.directories.storage.iter().enumerate();
        places.extend(storage.map(|(at, storage)| {
            let place = Place::Storage(at);
            (place, storage.location.clone(), storage.access)
        }));
        let mut promised = Vec::with_capacity(places.len());
        for (place, name, access) in places {
            let mut nothing = nothing().map_err(|error| failed(Path::new(&name), &error))?;
            nothing.open_mode = granted(access).1;
            let pushed = table.push(Descriptor::Dir(nothing));
            let handle = pushed.map_err(|error| HookFailure::Unknown(error.to_string()))?;
            self.held.insert(handle.rep(), Held::Promised(place));
            promised.push((handle, name));
        }
        Ok(promised)
    }

    /// Makes a handle ready for what changes nothing.
    pub(super) fn read(
        &mut self,
        table: &mut ResourceTable,
        handle: u32,
    ) -> Result<(), HookFailure> {
        let Some(Held::Promised(place)) = self.held.get(&handle).copied() else {
            return Ok(());
        };
        // It may be asked for yet.
        if let Place::Resource(at) = place
            && self.resource(at).is_none()
        {
            return Ok(());
        }
        let opened = self.open(place)?;
        put(table, handle, |_| Descriptor::Dir(opened))?;
        match (place, &self.stage) {
            (Place::State, None) => self.held.insert(handle, Held::Committed),
            _ => self.held.remove(&handle),
        };
        Ok(())
    }

    /// Makes a handle ready for what may change something.
    pub(super) fn change(
        &mut self,
        table: &mut ResourceTable,
        handle: u32,
    ) -> Result<(), HookFailure> {
        if let Some(Held::Promised(Place::State) | Held::Committed) = self.held.get(&handle)
            && self.stage.is_none()
        {
            self.make_stage(table)?;
        }
        self.read(table, handle)
    }

    /// Something may have changed.
    pub(super) fn changed(&self) {
        if self.stage.is_some() {
            self.directories.unit.changed();
        }
    }

    /// A handle was opened beneath another one.
    pub(super) fn opened(&mut self, beneath: u32, handle: u32) {
        if self.is_committed(beneath) {
            self.held.insert(handle, Held::Committed);
        }
    }

    /// Its number may be that of another handle soon.
    pub(super) fn dropped(&mut self, handle: u32) {
        self.held.remove(&handle);
    }

    pub(super) fn is_committed(&self, handle: u32) -> bool {
        matches!(self.held.get(&handle), Some(Held::Committed))
    }

    /// A stream from a committed file.
    pub(super) fn stream(&mut self, file: Arc<File>, position: u64) -> Reading {
        let (stream, source) = Reading::new(file, position);
        self.streams.retain(|source| source.file().is_some());
        self.streams.push(source);
        stream
    }

    fn open(&mut self, place: Place) -> Result<Dir, HookFailure> {
        let (path, access) = match place {
            Place::Charm => (self.directories.charm.clone(), Access::ReadOnly),
            Place::State => match &self.stage {
                Some(stage) => (stage.clone(), Access::ReadWrite),
                None => {
                    let committed = self.directories.unit.committed();
                    let mut opened = directory(&committed, Access::ReadOnly)?;
                    opened.open_mode = granted(Access::ReadWrite).1;
                    return Ok(opened);
                }
            },
            Place::Temporary => (self.temporary()?, Access::ReadWrite),
            Place::Resource(at) => match self.resource(at) {
                Some(directory) => (directory, Access::ReadOnly),
                None => return Err(HookFailure::Unknown("no such resource".to_owned())),
            },
            Place::Shared(at) => {
                let Some(shared) = self.directories.shared.get(at) else {
                    return Err(HookFailure::Unknown("no such directory".to_owned()));
                };
                self.directories.unit.share(&shared.path)?;
                if shared.access == Access::ReadWrite && !self.shared.contains(shared) {
                    self.shared.push(shared.clone());
                }
                (shared.path.clone(), shared.access)
            }
            Place::Storage(at) => {
                return match self.directories.storage.get(at) {
                    Some(storage) => in_storage(storage),
                    None => Err(HookFailure::Unknown("no such storage".to_owned())),
                };
            }
        };
        directory(&path, access)
    }

    /// Where a resource is, once the hook has asked for it.
    fn resource(&self, at: usize) -> Option<PathBuf> {
        let name = self.directories.resources.get(at)?;
        self.directories.unit.resource(name)
    }

    fn temporary(&mut self) -> Result<PathBuf, HookFailure> {
        if let Some(made) = &self.temporary {
            return Ok(made.path().to_owned());
        }
        let parent = &self.directories.temporary;
        let made = Temporary::new(parent).map_err(|error| failed(parent, &error))?;
        Ok(self.temporary.insert(made).path().to_owned())
    }

    /// Has the copy of `/state` made and lets everything that was opened of it go on there.
    fn make_stage(&mut self, table: &mut ResourceTable) -> Result<(), HookFailure> {
        let committed = self.directories.unit.committed();
        let stage = self.directories.unit.stage()?;
        let held = self.held.iter();
        let held = held.filter(|(_, held)| matches!(held, Held::Committed));
        let handles: Vec<u32> = held.map(|(handle, _)| *handle).collect();
        let mut files = Vec::with_capacity(handles.len());
        for handle in &handles {
            files.push(match get(table, *handle)? {
                Descriptor::File(file) => file.file.clone(),
                Descriptor::Dir(directory) => directory.dir.clone(),
            });
        }
        let streams = std::mem::take(&mut self.streams);
        let read = streams.iter().filter_map(Source::file);
        let all: Vec<_> = files.iter().cloned().chain(read).collect();
        let in_stage = InStage::find(&committed, &stage, &all);
        let in_stage = in_stage.map_err(|error| failed(&stage, &error))?;
        for (handle, file) in handles.iter().zip(&files) {
            let file = in_stage.of(file).map_err(|error| failed(&stage, &error))?;
            put(table, *handle, |before| match before {
                Descriptor::File(mut before) => {
                    before.file = file;
                    before.perms = FsPerms::ReadWrite;
                    Descriptor::File(before)
                }
                Descriptor::Dir(mut before) => {
                    before.dir = file;
                    before.perms = FsPerms::ReadWrite;
                    Descriptor::Dir(before)
                }
            })?;
            self.held.remove(handle);
        }
        for stream in streams {
            if let Some(file) = stream.file() {
                let file = in_stage.of(&file).map_err(|error| failed(&stage, &error))?;
                stream.go_on_in(file);
            }
        }
        self.stage = Some(stage);
        Ok(())
    }

    /// Measures when it is time to.
    pub(crate) fn watch(&mut self, now: Instant) -> Option<HookFailure> {
        if now < self.next {
            return None;
        }
        let failure = self.measure().err();
        self.next = Instant::now() + MEASURE_EVERY;
        failure
    }

    /// The last measurement of a hook that has ended: bytes in `/state`, or the directory that is
    /// not as it may be. Leaves no shared directory too deep for whoever comes next.
    pub(crate) fn conclude(&self) -> Result<u64, HookFailure> {
        let measured = self.measure();
        if measured.is_err() {
            for directory in &self.shared {
                if let Err(error) = periapt_files::cut(&directory.path, self.limits.levels) {
                    tracing::warn!(path = %directory.path.display(), %error, "cannot remove directories that are too deep");
                }
            }
        }
        measured
    }

    /// What the guest cannot have written to is as it was.
    fn measure(&self) -> Result<u64, HookFailure> {
        if let Some(temporary) = &self.temporary {
            self.within("/tmp", temporary.path())?;
        }
        for directory in &self.shared {
            self.within(&directory.of_guest(), &directory.path)?;
        }
        let stage = self.stage.as_ref();
        stage.map_or(Ok(0), |stage| self.within("/state", stage))
    }

    fn within(&self, directory: &str, path: &Path) -> Result<u64, HookFailure> {
        periapt_files::measure(path, self.limits).map_err(|over| {
            let directory = directory.to_owned();
            match over {
                Over::Bytes => HookFailure::DirectoryLimit {
                    directory,
                    limit: self.limits.bytes,
                },
                Over::Levels => HookFailure::DirectoryLevels {
                    directory,
                    levels: self.limits.levels,
                },
                Over::Unreadable(error) if out_of_descriptors(&error) => {
                    HookFailure::Descriptors(format!("measuring {directory}: {error}"))
                }
                Over::Unreadable(error) => HookFailure::DirectoryUnreadable {
                    directory,
                    reason: error.to_string(),
                },
            }
        })
    }
}

/// What is in the copy in place of opened files and directories.
struct InStage<'a> {
    stage: &'a Path,
    root: u64,
    found: HashMap<u64, Arc<File>>,
}

impl<'a> InStage<'a> {
    fn find(committed: &Path, stage: &'a Path, files: &[Arc<File>]) -> io::Result<Self> {
        let root = stat(committed)?.st_ino;
        let mut inodes = HashSet::new();
        for file in files {
            inodes.insert(fstat(&**file)?.st_ino);
        }
        inodes.remove(&root);
        let found = counterparts(committed, stage, inodes)?.into_iter();
        Ok(Self {
            stage,
            root,
            found: found
                .map(|(inode, opened)| (inode, Arc::new(File::from(opened))))
                .collect(),
        })
    }

    fn of(&self, file: &File) -> io::Result<Arc<File>> {
        let inode = fstat(file)?.st_ino;
        if inode == self.root {
            let how = fcntl_getfl(file)? & OFlags::PATH;
            return Ok(Arc::new(open(self.stage, how)?));
        }
        let found = self.found.get(&inode).cloned();
        found.ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "not all of it was copied"))
    }
}

/// What a handle holds that stands for a directory nobody opened: with it no file can be reached.
fn nothing() -> io::Result<Dir> {
    static NOTHING: OnceLock<Dir> = OnceLock::new();
    if let Some(nothing) = NOTHING.get() {
        return Ok(nothing.clone());
    }
    let end = File::from(OwnedFd::from(io::pipe()?.0));
    let nothing = || Dir::new(end, FsPerms::ReadOnly, OpenMode::empty(), true);
    Ok(NOTHING.get_or_init(nothing).clone())
}

fn granted(access: Access) -> (FsPerms, OpenMode) {
    match access {
        Access::ReadOnly => (FsPerms::ReadOnly, OpenMode::READ),
        Access::ReadWrite => (FsPerms::ReadWrite, OpenMode::READ | OpenMode::WRITE),
    }
}

/// Opens a directory for beginning paths there, as wasmtime-wasi does.
fn directory(path: &Path, access: Access) -> Result<Dir, HookFailure> {
    let opened = open(path, OFlags::PATH).map_err(|error| failed(path, &error))?;
    let (permissions, mode) = granted(access);
    Ok(Dir::new(opened, permissions, mode, true))
}

fn open(path: &Path, how: OFlags) -> io::Result<File> {
    let flags = how | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok(openat(CWD, path, flags, Mode::empty())?.into())
}

/// Opens the directory of a storage.
fn in_storage(storage: &StorageDirectory) -> Result<Dir, HookFailure> {
    let opened = open_storage(storage).map_err(|error| match out_of_descriptors(&error) {
        true => HookFailure::Descriptors(format!("storage {}: {error}", storage.id)),
        false => HookFailure::StorageMissing {
            storage: storage.id.clone(),
            reason: error.to_string(),
        },
    })?;
    let (permissions, mode) = granted(storage.access);
    Ok(Dir::new(opened, permissions, mode, true))
}

fn open_storage(storage: &StorageDirectory) -> io::Result<File> {
    let name = storage.directory.as_str();
    let mut parts = Path::new(name).components();
    if !matches!(parts.next(), Some(Component::Normal(part)) if part == name) {
        let text = format!("\"{name}\" is not one word");
        return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
    }
    let root = open(&storage.root, OFlags::PATH)?;
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
    // The place of a file system that is not mounted may be there and closed to everybody: opened to be read,
    // it is refused.
    let directory = openat2(&root, name, flags, Mode::empty(), resolve)?;
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok(openat(&directory, ".", flags, Mode::empty())?.into())
}

fn get(table: &mut ResourceTable, handle: u32) -> Result<&mut Descriptor, HookFailure> {
    table
        .get_mut(&Resource::new_borrow(handle))
        .map_err(|error| HookFailure::Unknown(error.to_string()))
}

fn put(
    table: &mut ResourceTable,
    handle: u32,
    other: impl FnOnce(Descriptor) -> Descriptor,
) -> Result<(), HookFailure> {
    let place = get(table, handle)?;
    *place = other(place.clone());
    Ok(())
}

fn failed(path: &Path, error: &io::Error) -> HookFailure {
    let text = format!("{}: {error}", path.display());
    match out_of_descriptors(error) {
        true => HookFailure::Descriptors(text),
        false => HookFailure::Directories(text),
    }
}
