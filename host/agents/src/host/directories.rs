//! The directories of an agent process, and whose they are.
//!
//! An agent's directory belongs to whoever starts the agent: its configuration, its lock and its
//! log are out of the agent's reach once it has locked itself down, so that one that was taken
//! over cannot lead the controller astray by a link in their place. What the agent itself keeps is
//! in the directories named here, which are its user's alone. Directories of storage are its user's as well; what
//! they are in is not, since who makes them and takes them back has more privileges.
//!
//! Everything is reached from the working directory: the user that the agent becomes need not get
//! through the directories above, which may be root's home.

use std::fs::{self, DirBuilder, File, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt, chown, lchown};
use std::path::{Path, PathBuf};

use periapt_engine::supervised::ENDED;
use periapt_sandbox::lockdown::User;
use periapt_uniter::Process;

use crate::credential;

/// Compiled charms.
pub const COMPILED: &str = "compiled";

/// What its provider keeps storage in: the agent goes through.
pub const STORAGE: &str = "storage";

/// What an agent may change.
pub fn own() -> impl Iterator<Item = &'static str> {
    Process::DIRECTORIES
        .iter()
        .copied()
        .chain([COMPILED, credential::DIRECTORY])
}

/// Makes the directories in `directory` and gives them, with all they hold, to `user` or to the
/// user of this process. For a process that has not given up its privileges yet. Blocks.
///
/// # Errors
/// A directory that cannot be made, or that belongs to somebody else and cannot be taken.
pub fn prepare(directory: &Path, user: Option<User>) -> Result<(), (PathBuf, io::Error)> {
    let owner = user.map_or_else(|| rustix::process::geteuid().as_raw(), User::id);
    for name in own() {
        let path = directory.join(name);
        make(&path, owner).map_err(|error| (path, error))?;
    }
    let storage = directory.join(STORAGE);
    make_passage(&storage, user).map_err(|error| (storage, error))?;
    let mark = directory.join(ENDED);
    make_mark(&mark, owner).map_err(|error| (mark, error))?;
    open_to(directory, user).map_err(|error| (directory.to_owned(), error))
}

/// Lets an agent with a user of its own through a directory of whoever starts it.
fn open_to(directory: &Path, user: Option<User>) -> io::Result<()> {
    let mode = match user {
        // Its group is the agent's alone, who may go through and not look around.
        Some(user) => {
            chown(directory, None, Some(user.id()))?;
            0o710
        }
        None => 0o700,
    };
    fs::set_permissions(directory, Permissions::from_mode(mode))
}

/// A directory in which the agent makes nothing.
fn make_passage(path: &Path, user: Option<User>) -> io::Result<()> {
    match DirBuilder::new().mode(0o700).create(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        made => made?,
    }
    let found = fs::symlink_metadata(path)?;
    if !found.is_dir() || found.uid() != rustix::process::geteuid().as_raw() {
        return Err(io::Error::from(io::ErrorKind::NotADirectory));
    }
    open_to(path, user)
}

fn make(path: &Path, owner: u32) -> io::Result<()> {
    match DirBuilder::new().mode(0o700).create(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        made => made?,
    }
    let found = fs::symlink_metadata(path)?;
    if !found.is_dir() {
        return Err(io::Error::from(io::ErrorKind::NotADirectory));
    }
    if found.uid() != owner {
        give(path, owner)?;
    }
    fs::set_permissions(path, Permissions::from_mode(0o700))
}

/// Where the agent says that it ends for good: beside the controller's files, it can write the one
/// that is there and make none.
fn make_mark(path: &Path, owner: u32) -> io::Result<()> {
    match File::create_new(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        made => made?.sync_all()?,
    }
    lchown(path, Some(owner), Some(owner))?;
    fs::set_permissions(path, Permissions::from_mode(0o600))
}

/// Gives a tree to a user, its root last: one that was not given to the end is begun again.
fn give(root: &Path, owner: u32) -> io::Result<()> {
    let mut pending = vec![root.to_owned()];
    while let Some(directory) = pending.pop() {
        for entry in fs::read_dir(&directory)? {
            let entry = entry?;
            lchown(entry.path(), Some(owner), Some(owner))?;
            if entry.file_type()?.is_dir() {
                pending.push(entry.path());
            }
        }
    }
    lchown(root, Some(owner), Some(owner))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use periapt_sandbox::lockdown::Identity;

    use super::*;

    fn owner_and_mode(path: &Path) -> (u32, u32) {
        let found = fs::symlink_metadata(path).unwrap();
        (found.uid(), found.mode() & 0o777)
    }

    #[test]
    fn what_an_agent_keeps_is_its_users_alone() {
        let directory = tempfile::tempdir().unwrap();
        let (top, outside) = (
            directory.path().join("agent"),
            directory.path().join("outside"),
        );
        fs::create_dir_all(top.join("units/site-0/state")).unwrap();
        fs::set_permissions(top.join("units"), Permissions::from_mode(0o755)).unwrap();
        fs::write(top.join("units/site-0/state/file"), "kept").unwrap();
        fs::write(&outside, "not the agent's").unwrap();
        symlink(&outside, top.join("units/site-0/link")).unwrap();
        fs::write(top.join("agent.json"), "{}").unwrap();

        let user = Identity::own("model").own_user();
        let me = rustix::process::geteuid().as_raw();
        let agent = user.map_or(me, User::id);
        for _ in 0..2 {
            prepare(&top, user).unwrap();
            for name in own() {
                assert_eq!(owner_and_mode(&top.join(name)), (agent, 0o700), "{name}");
            }
            assert_eq!(
                owner_and_mode(&top.join("units/site-0/state/file")).0,
                agent
            );
            assert_eq!(owner_and_mode(&top.join("units/site-0/link")).0, agent);
            assert_eq!(owner_and_mode(&outside).0, me, "links are not followed");
            assert_eq!(owner_and_mode(&top.join("agent.json")).0, me);
            let mode = if user.is_some() { 0o710 } else { 0o700 };
            assert_eq!(owner_and_mode(&top), (me, mode));
            assert_eq!(owner_and_mode(&top.join(STORAGE)), (me, mode));
        }
        assert_eq!(
            fs::read_to_string(top.join("units/site-0/state/file")).unwrap(),
            "kept"
        );
    }

    #[test]
    fn a_link_in_the_place_of_a_directory_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        symlink("/etc", directory.path().join("units")).unwrap();
        let (path, error) = prepare(directory.path(), None).unwrap_err();
        assert!(path.ends_with("units"));
        assert_eq!(error.kind(), io::ErrorKind::NotADirectory);
    }
}
