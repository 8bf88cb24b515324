//! Everything a hook may look at and ask for.

use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;

use crate::{Event, Host, Level, PortRange, Result, State, Status, Value, config};

/// The folders of a hook. In a sandbox they are always `/charm`, `/state` and `/tmp`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dirs {
    pub charm: PathBuf,
    pub state: PathBuf,
    pub tmp: PathBuf,
}

impl Default for Dirs {
    fn default() -> Self {
        Self {
            charm: "/charm".into(),
            state: "/state".into(),
            tmp: "/tmp".into(),
        }
    }
}

/// One run of a hook. `C` is the charm's configuration struct.
pub struct Context<'a, C> {
    host: &'a dyn Host,
    dirs: &'a Dirs,
    event: &'a Event,
    config: PhantomData<fn() -> C>,
}

impl<'a, C: DeserializeOwned> Context<'a, C> {
    pub(crate) fn new(host: &'a dyn Host, dirs: &'a Dirs, event: &'a Event) -> Self {
        Self {
            host,
            dirs,
            event,
            config: PhantomData,
        }
    }

    /// The configuration as it was when the hook began.
    pub fn config(&self) -> Result<C> {
        config::into_struct(self.host.config_all()?)
    }

    /// One option by name, without the struct.
    pub fn config_value(&self, key: &str) -> Result<Option<Value>> {
        Ok(self.host.config_get(key)?)
    }
}

impl<'a, C> Context<'a, C> {
    pub fn event(&self) -> &'a Event {
        self.event
    }

    /// The unit's status as last set.
    pub fn status(&self) -> Result<Status> {
        Ok(self.host.unit_status()?)
    }

    /// Sets the unit's status. At once: it stays when the hook fails later.
    pub fn set_status(&self, status: Status) -> Result<()> {
        Ok(self.host.set_unit_status(&status)?)
    }

    /// The application's status. Leader only.
    pub fn application_status(&self) -> Result<Status> {
        Ok(self.host.application_status()?)
    }

    /// Sets the application's status, at once. Leader only.
    pub fn set_application_status(&self, status: Status) -> Result<()> {
        Ok(self.host.set_application_status(&status)?)
    }

    pub fn state(&self) -> State<'a> {
        State::new(self.host)
    }

    pub fn open_ports(&self, ports: PortRange) -> Result<()> {
        Ok(self.host.open_ports(ports)?)
    }

    pub fn close_ports(&self, ports: PortRange) -> Result<()> {
        Ok(self.host.close_ports(ports)?)
    }

    /// The ports this unit has opened, this hook's own changes included.
    pub fn opened_ports(&self) -> Result<Vec<PortRange>> {
        Ok(self.host.opened_ports()?)
    }

    /// Whether this unit is the leader. True promises it for at least 30 seconds.
    pub fn is_leader(&self) -> Result<bool> {
        Ok(self.host.is_leader()?)
    }

    pub fn unit_name(&self) -> String {
        self.host.unit_name()
    }

    pub fn model_name(&self) -> String {
        self.host.model_name()
    }

    pub fn private_address(&self) -> Result<String> {
        Ok(self.host.private_address()?)
    }

    pub fn public_address(&self) -> Result<String> {
        Ok(self.host.public_address()?)
    }

    /// Sets the version that status shows for the application, at once.
    pub fn set_workload_version(&self, version: &str) -> Result<()> {
        Ok(self.host.set_workload_version(version)?)
    }

    pub fn log(&self, level: Level, message: &str) {
        self.host.log(level, message);
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
