//! Hands over what the unit wants of its containers, whenever that is another thing than what was handed
//! over last: when the uniter starts, and once the unit rests, waits, or runs a hook that lasts. So hooks that
//! follow one another are handed over together.
//!
//! What is to be handed over is compared as a whole, so nobody has to remember what changed it, and what
//! failed is tried again until it is done.
//!
//! Storage is the exception: containers lose it before the unit says that it lets go of it, so that whoever takes it
//! back finds nobody there.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

use periapt_engine::failpoint;
use periapt_model::charm::Capability;
use periapt_model::storage::StorageId;
use periapt_model::workload::desired::Desired;

use super::Executor;
use crate::directories;
use crate::error::UniterError;
use crate::files::blocking;
use crate::remote::Heard;
use crate::sandbox::SandboxError;
use crate::storage::{self, Held};
use crate::withheld;
use crate::workloads;

/// How long a unit waits until its supervisor has taken storage from its containers. What is not taken by then goes
/// once it can: whoever takes it back tries again.
const TAKES: Duration = Duration::from_secs(10);
/// How often it looks.
const LOOKS: Duration = Duration::from_millis(50);

/// What tells one thing that is wanted from another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Wanted {
    charm: String,
    generation: u64,
    /// Of the containers, by name.
    numbers: Vec<u64>,
    storage: Held,
    withheld: Vec<Capability>,
}

/// What was handed over last.
#[derive(Debug)]
pub(super) struct HandedOver {
    wanted: Wanted,
    /// As it was written.
    desired: Desired,
}

/// Storage that is attached to a unit, as far as its containers are concerned.
#[derive(Debug, Default)]
pub(super) struct Attachments {
    /// None before the controller was heard.
    all: Option<Held>,
    /// What the unit is about to let go of.
    taken: BTreeSet<StorageId>,
    /// What its application was not granted; nobody knows before the controller says it.
    withheld: Option<Vec<Capability>>,
}

impl Executor {
    /// Takes note of what is attached, and of what is granted; whether that is news, of which containers hear before
    /// any hook that still waits.
    pub fn hear_of_storage(&mut self, heard: &Heard) -> bool {
        let remote = &heard.state;
        let attachments = &mut self.attachments;
        let news = attachments.withheld.as_ref() != Some(&heard.view.withheld);
        if news {
            attachments.withheld = Some(heard.view.withheld.clone());
        }
        if attachments.all.as_ref() != Some(&remote.storage) {
            attachments.all = Some(remote.storage.clone());
        }
        let has = &self.local.operation.storage;
        attachments.taken.retain(|id| has.contains(id));
        news
    }

    /// What the unit has for its containers; none while nobody knows.
    fn storage(&self) -> Option<Held> {
        let (state, attachments) = (&self.local.operation, &self.attachments);
        let Some(all) = &attachments.all else {
            return state.storage.is_empty().then(Held::new);
        };
        let mut held = storage::held(state, all, None);
        let withheld = attachments.withheld.as_deref().unwrap_or_default();
        let lacks = |id: &StorageId| withheld::storage(withheld, id.name());
        held.retain(|id, _| !attachments.taken.contains(id) && !lacks(id));
        Some(held)
    }

    /// Has the unit's containers lose this storage, which it is about to let go of.
    pub(super) async fn take_from_containers(&mut self, storage: BTreeSet<StorageId>) {
        let lacks = |last: &HandedOver| !last.wanted.storage.keys().any(|id| storage.contains(id));
        // What an earlier process handed over nobody knows here.
        if storage.is_empty() || self.handed_over.as_ref().is_some_and(lacks) {
            return;
        }
        self.attachments.taken.extend(storage);
        self.hand_over().await;
        let Some(number) = self.handed_over.as_ref().map(|last| last.desired.number) else {
            return;
        };
        let clock = self.clock();
        let until = clock.monotonic() + TAKES;
        let dying = self.worker.dying().clone();
        while !self.is_seen(number).await && clock.monotonic() < until {
            tokio::select! {
                () = clock.sleep(LOOKS) => {}
                () = dying.cancelled() => return,
            }
        }
    }

    /// Whether the supervisor follows what the unit wants under this number. Where there is none nothing runs.
    async fn is_seen(&self, number: u64) -> bool {
        let (workloads, unit) = (
            self.config.process.workloads().clone(),
            self.config.unit.clone(),
        );
        let seen = blocking(move || Ok(workloads.seen(&unit))).await;
        seen.is_ok_and(|seen| seen.unit.is_empty() || seen.number >= number)
    }

    /// None of a unit whose hooks planned nothing, or whose charm is not in place; none while nobody knows what is
    /// granted: its containers go on with what they were told before.
    fn wanted(&self) -> Option<Wanted> {
        if self.containers.is_empty() {
            return None;
        }
        let operation = &self.local.operation;
        Some(Wanted {
            charm: operation.charm_in_place()?.to_owned(),
            generation: operation.state_generation,
            numbers: self.containers.values().map(|one| one.number).collect(),
            storage: self.storage()?,
            withheld: self.attachments.withheld.clone()?,
        })
    }

    /// Whether the supervisor has yet to be told of what is committed.
    pub fn is_behind(&self) -> bool {
        let wanted = self.wanted();
        let handed_over = self.handed_over.as_ref().map(|last| &last.wanted);
        wanted.is_some() && wanted.as_ref() != handed_over
    }

    /// Hands over what is committed, unless that is done. What fails keeps the unit from nothing: until
    /// it is tried again its containers go on with what they were told before.
    pub async fn hand_over(&mut self) {
        let Some(wanted) = self.wanted() else {
            return;
        };
        if self.handed_over.as_ref().map(|last| &last.wanted) == Some(&wanted) {
            return;
        }
        // Should it fail, the file itself says what was written last.
        let last = self.handed_over.take().map(|last| last.desired);
        failpoint::reach("uniter-before-hand-over");
        let handed_over = self.try_hand_over(&wanted, last).await;
        failpoint::reach("uniter-after-hand-over");
        match handed_over {
            Ok(desired) => self.handed_over = Some(HandedOver { wanted, desired }),
            Err(error) => {
                tracing::warn!(unit = %self.config.unit, %error, "containers are not told of what is committed");
            }
        }
    }

    async fn try_hand_over(
        &self,
        wanted: &Wanted,
        last: Option<Desired>,
    ) -> Result<Desired, UniterError> {
        let charm = self.charm(&wanted.charm).await?;
        let unit = self.config.unit.clone();
        let process = &self.config.process;
        let (storage, withheld) = (&wanted.storage, &wanted.withheld);
        let plans = workloads::plans(&charm.info, &self.containers, storage, withheld);
        let mut components = BTreeMap::new();
        for name in workloads::components(&plans) {
            let (sandbox, connection) = (process.sandbox(), &self.config.connection);
            let found = sandbox.component(connection, charm.files(), &name).await;
            let mut component = found.map_err(|error| match error {
                SandboxError::NotCompiled => UniterError::NotCompiled,
                other => UniterError::Component(other.to_string()),
            })?;
            if let Ok(below) = component.file.strip_prefix(process.directory()) {
                component.file = below.to_owned();
            }
            components.insert(name, component);
        }
        let generation = directories::generation(Path::new(""), &unit, wanted.generation);
        let desired = workloads::desired(&unit, generation, plans, components);
        let workloads = process.workloads().clone();
        blocking(move || workloads.want(desired, last)).await
    }
}
