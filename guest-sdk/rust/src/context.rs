//! One run of a hook: its event and its folders. What it may ask for is beside each tool.

use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use crate::host::HostRef;
use crate::{Error, Event, Result};

/// The folders of a hook. In a sandbox they are always `/charm`, `/state`,
/// `/tmp` and `/shared`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dirs {
    /// The charm's own files.
    pub charm: PathBuf,
    /// The unit's files.
    pub state: PathBuf,
    /// Empty at the start of each hook.
    pub tmp: PathBuf,
    /// Its folders are the directories the charm shares.
    pub shared: PathBuf,
}

impl Default for Dirs {
    fn default() -> Self {
        Self {
            charm: "/charm".into(),
            state: "/state".into(),
            tmp: "/tmp".into(),
            shared: "/shared".into(),
        }
    }
}

/// One run of a hook. `C` is the charm's configuration struct.
pub struct Context<'a, C> {
    pub(crate) host: HostRef<'a>,
    dirs: &'a Dirs,
    event: &'a Event,
    config: PhantomData<fn() -> C>,
}

impl<'a, C> Context<'a, C> {
    pub(crate) fn new(host: HostRef<'a>, dirs: &'a Dirs, event: &'a Event) -> Self {
        Self {
            host,
            dirs,
            event,
            config: PhantomData,
        }
    }

    /// The hook being run.
    pub fn event(&self) -> &'a Event {
        self.event
    }

    /// The directory `name` that this charm shares with its principal or its subordinates: a
    /// principal and its subordinates. What is written there is there at once, for all of them,
    /// also when the hook fails later.
    ///
    /// # Errors
    /// [`Error::Shared`] where the charm does not declare it.
    pub fn shared(&self, name: &str) -> Result<PathBuf> {
        let path = self.dirs.shared.join(name);
        if !name.is_empty() && !name.contains('/') && name != ".." && path.is_dir() {
            return Ok(path);
        }
        Err(Error::Shared {
            name: name.to_owned(),
            reason: format!(
                "this unit has none of that name; declare it in the charm's capabilities.yaml \
                 (\"shared: {{{name}: read-only}}\" or read-write)"
            ),
        })
    }

    /// The charm's own files, read-only.
    pub fn charm_dir(&self) -> &'a Path {
        &self.dirs.charm
    }

    /// The unit's files. Changes last once the hook returns `Ok`.
    pub fn state_dir(&self) -> &'a Path {
        &self.dirs.state
    }

    /// Empty at the start of each hook.
    pub fn tmp_dir(&self) -> &'a Path {
        &self.dirs.tmp
    }
}
