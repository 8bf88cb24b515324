//! What the units of this process want of their containers, in files for the supervisor of the machine,
//! and what it sees, in files from it.
//!
//! A file says all there is to say of a unit and is replaced as a whole, so whoever reads it needs to
//! know nothing of before, and whatever died in between, the next who writes or reads sets it right.
//! It is not synced: after a crash of the machine the unit's next start writes it anew from what the
//! controller has recorded. Paths in it are below the directory of the agent.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use periapt_contract::workload::{Committed, Condition, Container, Seen, runs_in};
use periapt_model::UnitName;
use periapt_model::charm::{Capability, CharmInfo};
use periapt_model::workload::desired::{self, Component, Desired, Observed, file_name};

use crate::error::{UniterError, file};
use crate::storage::{Held, in_container};
use crate::withheld;

/// The directory in that of the agent.
pub const DIRECTORY: &str = "workloads";
/// What units want.
const DESIRED: &str = "desired";
/// What the supervisor sees.
const OBSERVED: &str = "observed";

/// What services write.
const LOGS: &str = "logs";

/// The files of all units of the process. All functions block.
#[derive(Clone, Debug)]
pub(crate) struct Workloads {
    directory: PathBuf,
}

impl Workloads {
    pub fn open(agent: &Path) -> Result<Self, UniterError> {
        let directory = agent.join(DIRECTORY);
        for folder in [DESIRED, OBSERVED, LOGS] {
            let folder = directory.join(folder);
            fs::create_dir_all(&folder).map_err(file("make", &folder))?;
        }
        Ok(Self { directory })
    }

    /// Says what a unit wants, unless that is what was said, and gives it as it stands then. Whoever does not
    /// know what was said last has it read.
    pub fn want(
        &self,
        mut desired: Desired,
        last: Option<Desired>,
    ) -> Result<Desired, UniterError> {
        let folder = self.directory.join(DESIRED);
        let name = file_name(&desired.unit);
        let path = folder.join(&name);
        let said: Option<Desired> = last.or_else(|| read(&path));
        desired.number = said.as_ref().map_or(0, |said| said.number);
        if said.as_ref() == Some(&desired) {
            return Ok(desired);
        }
        desired.number += 1;
        let aside = folder.join(format!(".{name}.new"));
        let text = serde_json::to_vec(&desired)
            .map_err(|error| file("write", &path)(io::Error::other(error)))?;
        fs::write(&aside, text)
            .and_then(|()| fs::rename(&aside, &path))
            .map_err(file("write", &path))?;
        Ok(desired)
    }

    /// A unit that is gone, or that has no container any more, wants nothing.
    pub fn want_nothing(&self, unit: &UnitName) -> Result<(), UniterError> {
        let path = self.directory.join(DESIRED).join(file_name(unit.as_str()));
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(file("remove", &path)(error))
            }
            _ => Ok(()),
        }
    }

    /// The containers of a unit end, and begin anew once it says again what it wants. What is counted of it
    /// goes on.
    pub fn empty(&self, unit: &UnitName) -> Result<(), UniterError> {
        let path = self.directory.join(DESIRED).join(file_name(unit.as_str()));
        let Some(said): Option<Desired> = read(&path) else {
            return Ok(());
        };
        let empty = Desired {
            components: BTreeMap::new(),
            containers: BTreeMap::new(),
            ..said.clone()
        };
        self.want(empty, Some(said)).map(drop)
    }

    /// Where the supervisor puts what it sees.
    pub fn observed(&self) -> PathBuf {
        self.directory.join(OBSERVED)
    }

    pub fn logs(&self) -> PathBuf {
        self.directory.join(LOGS)
    }

    /// All that it saw last.
    pub fn all_seen(&self) -> Vec<Observed> {
        let Ok(entries) = fs::read_dir(self.observed()) else {
            return Vec::new();
        };
        let files = entries.flatten().map(|entry| entry.path());
        let files = files.filter(|path| path.extension().is_some_and(|end| end == "json"));
        files.filter_map(|path| read(&path)).collect()
    }

    /// What the supervisor saw last of a unit; nothing before it saw it.
    pub fn seen(&self, unit: &UnitName) -> Observed {
        let path = self.directory.join(OBSERVED);
        read(&path.join(file_name(unit.as_str()))).unwrap_or_default()
    }
}

/// What cannot be read is as good as not there: it is written anew.
fn read<T: serde::de::DeserializeOwned>(path: &Path) -> Option<T> {
    serde_json::from_slice(&fs::read(path).ok()?).ok()
}

/// What the containers of a unit are to run: of what was committed, what the charm in place can.
/// Another revision may have other containers, components and ports. A container that was not granted runs nothing.
pub(crate) fn plans(
    charm: &CharmInfo,
    committed: &BTreeMap<String, Committed>,
    storage: &Held,
    withheld: &[Capability],
) -> BTreeMap<String, desired::Container> {
    let declared = declared(charm).into_iter();
    let declared = declared.filter(|one| !withheld::container(withheld, &one.name));
    let planned = declared.filter_map(|container| {
        let committed = committed.get(&container.name)?;
        let mut plan = committed.layers.plan();
        plan.services
            .retain(|_, service| runs_in(&container, service).is_ok());
        let files = charm.workload.get(&container.name);
        let wanted = desired::Container {
            plan,
            files: files.map(|may| may.files.clone()).unwrap_or_default(),
            storage: in_container(charm, &container.name, storage),
            requests: committed.requests.clone(),
        };
        Some((container.name, wanted))
    });
    planned.collect()
}

/// What a unit wants: its plans, on its files of this moment.
pub(crate) fn desired(
    unit: &UnitName,
    generation: PathBuf,
    containers: BTreeMap<String, desired::Container>,
    components: BTreeMap<String, Component>,
) -> Desired {
    Desired {
        unit: unit.to_string(),
        number: 0,
        generation,
        components,
        containers,
    }
}

/// The components that services of these containers name.
pub(crate) fn components(containers: &BTreeMap<String, desired::Container>) -> BTreeSet<String> {
    let services = containers.values();
    let services = services.flat_map(|container| container.plan.services.values());
    services
        .filter_map(|service| service.component.clone())
        .collect()
}

/// The containers that a charm declares. There is nothing to wait for: a component runs wherever an
/// agent does.
pub(crate) fn declared(charm: &CharmInfo) -> Vec<Container> {
    let containers = charm.metadata.containers.keys();
    let declared = containers.map(|name| Container {
        name: name.clone(),
        condition: Condition::Ready,
        message: String::new(),
        boot: 1,
        ports: charm
            .workload
            .get(name)
            .map(|may| may.ports.clone())
            .unwrap_or_default(),
        components: charm.components.clone(),
    });
    declared.collect()
}

/// What a hook is told of a container.
pub(crate) fn seen_in(observed: Observed, container: &str) -> Seen {
    let mut containers = observed.containers;
    containers.remove(container).unwrap_or_default()
}
