//! The directories that an agent and the supervisor share.

use std::ffi::OsStr;
use std::os::unix::fs::MetadataExt;

use periapt_model::reach::published::Published;
use periapt_model::workload::{trace, traffic};

use super::Shared;
use super::below::Below;

/// In that of the agent.
pub const DIRECTORY: &str = "workloads";
/// Where an agent writes what it wants, and finds what became of it and what services wrote. Beside them is how many
/// requests were counted, and what single ones went through.
pub const DESIRED: &str = "desired";
const OBSERVED: &str = "observed";
const LOGS: &str = "logs";

/// What an event means.
#[derive(Debug, PartialEq, Eq)]
pub enum News<'a> {
    /// Nothing here.
    None,
    /// The agent wants something else, here.
    One(&'a OsStr),
    /// The same, and it is not known where.
    All,
    /// A directory went, or another has its place.
    Moved,
}

/// What lies between the agent and the supervisor.
pub struct Folders {
    pub desired: Below,
    pub observed: Below,
    pub logs: Below,
    pub counted: Below,
    pub traced: Below,
    pub owner: Option<u32>,
    watch: i32,
    /// Of the directory in which they are, since an open one does not tell that it was removed.
    above: i32,
}

/// To whom the units' files of an agent belong, if that is somebody else.
pub fn owner(document: &Published) -> std::io::Result<Option<u32>> {
    let units = std::fs::metadata(document.directory.join("units"))?;
    let me = rustix::process::geteuid();
    Ok((me.is_root() && units.uid() != me.as_raw()).then_some(units.uid()))
}

impl Folders {
    /// Makes what is missing of them, as the user to whom the units' files belong.
    pub fn open(shared: &Shared, document: &Published) -> std::io::Result<Self> {
        let owner = owner(document)?;
        let top = Below::open(&document.directory, owner)?.make(DIRECTORY)?;
        let desired = top.make(DESIRED)?;
        let (observed, logs) = (top.make(OBSERVED)?, top.make(LOGS)?);
        let counted = top.make(traffic::FOLDER)?;
        let traced = top.make(trace::FOLDER)?;
        let watch = shared.watch.add(desired.as_fd())?;
        let above = shared.watch.add(top.as_fd());
        Ok(Self {
            watch,
            above: above.inspect_err(|_| shared.watch.remove(watch))?,
            observed,
            logs,
            counted,
            traced,
            owner,
            desired,
        })
    }

    /// Whether somebody else may yet become their owner.
    pub fn is_early(&self) -> bool {
        self.owner.is_none() && rustix::process::geteuid().is_root()
    }

    /// What an event of the watched directories means for these; below 0 it is not known of which it is.
    pub fn news<'a>(&self, watch: i32, name: Option<&'a OsStr>) -> News<'a> {
        match name {
            _ if watch < 0 => News::All,
            Some(name) if watch == self.watch => News::One(name),
            Some(name) if watch == self.above => {
                let ours = [DESIRED, OBSERVED, LOGS, traffic::FOLDER, trace::FOLDER]
                    .iter()
                    .any(|ours| name == *ours);
                if ours { News::Moved } else { News::None }
            }
            None if watch == self.watch || watch == self.above => News::Moved,
            _ => News::None,
        }
    }

    pub fn leave(&self, shared: &Shared) {
        shared.watch.remove(self.watch);
        shared.watch.remove(self.above);
    }
}
