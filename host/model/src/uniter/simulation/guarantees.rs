//! What relations and storage promise a charm, told as a small machine that is shown every hook that was
//! committed and says what is wrong with it. It shares no code with what it checks.

use std::collections::{BTreeMap, BTreeSet};

use crate::UnitName;
use crate::hook::{Info, Kind};
use crate::relation::HookKind;
use crate::storage::StorageId;

/// One relation, from its created hook to its broken one.
#[derive(Default)]
struct Seen {
    members: BTreeSet<UnitName>,
    /// Joined, and not yet followed by its changed.
    pair: Option<UnitName>,
}

#[derive(Default)]
pub(super) struct Guarantees {
    relations: BTreeMap<u64, Seen>,
    storage: BTreeSet<StorageId>,
    installed: bool,
    started: bool,
    stopped: bool,
}

impl Guarantees {
    pub fn see(&mut self, hook: &Info, peers: u64, dying: bool) -> Result<(), String> {
        match hook.kind {
            Kind::Install => self.installed = true,
            Kind::Start => self.started = true,
            Kind::Stop => self.stopped = true,
            _ => {}
        }
        let Some(event) = &hook.relation else {
            return Ok(());
        };
        let relation = event.hook.relation;
        let must = |holds: bool, rule: &str| match holds {
            true => Ok(()),
            false => Err(format!("{} in relation {relation}: {rule}", hook.name())),
        };
        must(self.installed, "install comes first")?;
        must(!self.stopped, "nothing comes after stop")?;
        let kind = event.hook.kind;
        if kind == HookKind::Created {
            must(
                !self.relations.contains_key(&relation),
                "created once until it is broken",
            )?;
            self.relations.insert(relation, Seen::default());
            return Ok(());
        }
        must(self.started || dying, "only created comes before start")?;
        let seen = self.relations.get_mut(&relation);
        let seen = seen.ok_or_else(|| format!("{} before created", hook.name()))?;
        if let Some(joined) = seen.pair.take() {
            let follows = kind == HookKind::Changed && event.hook.unit.as_ref() == Some(&joined);
            must(
                follows,
                "joined is followed by the changed of the same unit",
            )?;
        }
        match (kind, &event.hook.unit) {
            (HookKind::Joined, Some(unit)) => {
                must(seen.members.insert(unit.clone()), "joined twice")?;
                seen.pair = Some(unit.clone());
            }
            (HookKind::Changed, Some(unit)) => {
                must(seen.members.contains(unit), "changed of who is no member")?;
            }
            (HookKind::Changed, None) => {
                must(event.hook.application.is_some(), "changed of nobody")?;
            }
            (HookKind::Departed, Some(unit)) => {
                must(seen.members.remove(unit), "departed of who is no member")?;
                must(event.departing.is_some(), "departed names who leaves")?;
            }
            (HookKind::Broken, _) => {
                must(relation != peers, "a peer relation is never broken")?;
                must(seen.members.is_empty(), "broken is last")?;
                self.relations.remove(&relation);
            }
            _ => must(false, "no such hook")?,
        }
        Ok(())
    }

    /// The hook of a storage that ended, with whether the charm ran; every other hook.
    pub fn see_storage(&mut self, hook: &Info, ran: bool) -> Result<(), String> {
        if hook.kind == Kind::Stop && !self.storage.is_empty() {
            return Err(format!("stop comes before {:?} is let go of", self.storage));
        }
        let Some(event) = &hook.storage else {
            return Ok(());
        };
        let must = |holds: bool, rule: &str| match holds {
            true => Ok(()),
            false => Err(format!("{} of {}: {rule}", hook.name(), event.id)),
        };
        must(!self.stopped, "nothing comes after stop")?;
        match hook.kind {
            Kind::StorageAttached => {
                let new = self.storage.insert(event.id.clone());
                must(new, "attached once until it is let go of")
            }
            Kind::StorageDetaching => {
                let had = self.storage.remove(&event.id);
                must(had || !ran, "only what was attached is detached")
            }
            _ => must(false, "no such hook"),
        }
    }

    /// Members of each relation that is not broken.
    pub fn members(&self) -> BTreeMap<u64, BTreeSet<UnitName>> {
        let seen = self.relations.iter();
        seen.map(|(relation, seen)| (*relation, seen.members.clone()))
            .collect()
    }
}
