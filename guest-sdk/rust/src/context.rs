//! Everything a hook may look at and ask for.

use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;

use crate::relation::own_application;
use crate::{
    Error, Event, GoalState, Host, Level, Network, PortRange, Relation, RelationEvent, Result,
    State, Status, Value, config,
};

/// The folders of a hook. In a sandbox they are always `/charm`, `/state`,
/// `/tmp` and `/container`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dirs {
    /// The charm's own files.
    pub charm: PathBuf,
    /// The unit's files.
    pub state: PathBuf,
    /// Empty at the start of each hook.
    pub tmp: PathBuf,
    /// Its folders are the directories the charm shares in its container.
    pub container: PathBuf,
}

impl Default for Dirs {
    fn default() -> Self {
        Self {
            charm: "/charm".into(),
            state: "/state".into(),
            tmp: "/tmp".into(),
            container: "/container".into(),
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
    /// The hook being run.
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

    /// The unit's own key-value state.
    pub fn state(&self) -> State<'a> {
        State::new(self.host)
    }

    /// Asks to have ports opened.
    pub fn open_ports(&self, ports: PortRange) -> Result<()> {
        Ok(self.host.open_ports(ports)?)
    }

    /// Takes a request to open ports back.
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

    /// What the leader of the application told its units. The leader reads its own writes.
    pub fn leader_settings(&self) -> Result<BTreeMap<String, String>> {
        Ok(self.host.leader_settings()?.into_iter().collect())
    }

    /// Tells the other units of the application, which get `leader_settings_changed`; none
    /// deletes a key. Leader only.
    pub fn set_leader_settings(&self, settings: &[(&str, Option<&str>)]) -> Result<()> {
        let owned: Vec<(String, Option<String>)> = settings
            .iter()
            .map(|(key, value)| ((*key).to_owned(), value.map(str::to_owned)))
            .collect();
        Ok(self.host.set_leader_settings(&owned)?)
    }

    /// The relations at an endpoint of the charm. A peer endpoint has one.
    pub fn relations(&self, endpoint: &str) -> Result<Vec<Relation<'a>>> {
        let ids = self.host.relation_ids(endpoint)?;
        Ok(ids
            .into_iter()
            .map(|id| Relation::new(self.host, id))
            .collect())
    }

    /// The relation that a hook is about.
    pub fn relation(&self, event: &RelationEvent) -> Relation<'a> {
        Relation::new(self.host, event.relation.as_str())
    }

    /// What will be there once the model has settled.
    pub fn goal_state(&self) -> Result<GoalState> {
        Ok(self.host.goal_state()?)
    }

    /// Addresses for an endpoint or an extra binding of the charm.
    pub fn network(&self, binding: &str) -> Result<Network> {
        Ok(self.host.network(binding)?)
    }

    /// The directory `name` that this charm shares with whoever lives in the same container: a
    /// principal and its subordinates. What is written there is there at once, for all of them,
    /// also when the hook fails later.
    ///
    /// # Errors
    /// [`Error::Container`] where the charm does not declare it.
    pub fn container(&self, name: &str) -> Result<PathBuf> {
        let path = self.dirs.container.join(name);
        if !name.is_empty() && !name.contains('/') && name != ".." && path.is_dir() {
            return Ok(path);
        }
        Err(Error::Container {
            name: name.to_owned(),
            reason: format!(
                "this unit has none of that name; declare it in the charm's capabilities.yaml \
                 (\"container: {{{name}: read-only}}\" or read-write)"
            ),
        })
    }

    /// The unit's name, `site/0`.
    pub fn unit_name(&self) -> String {
        self.host.unit_name()
    }

    /// The unit's application, `site`.
    pub fn application_name(&self) -> String {
        own_application(self.host)
    }

    /// The model's name.
    pub fn model_name(&self) -> String {
        self.host.model_name()
    }

    /// Where other units reach this one.
    pub fn private_address(&self) -> Result<String> {
        Ok(self.host.private_address()?)
    }

    /// Where the outside reaches this unit, once exposed.
    pub fn public_address(&self) -> Result<String> {
        Ok(self.host.public_address()?)
    }

    /// Sets the version that status shows for the application, at once.
    pub fn set_workload_version(&self, version: &str) -> Result<()> {
        Ok(self.host.set_workload_version(version)?)
    }

    /// A line for `periapt debug-log`, at once. See also [`info!`](crate::info).
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
