//! The controller's side of a simulated unit's storage: attached before the unit began or later, made ready by and
//! by, detached, and forced away.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use crate::Life;
use crate::hook::{Info, Kind};
use crate::storage::{Kind as StorageKind, RemoteAttachment, StorageId};

/// Storages that a unit has at a time.
const MOST: usize = 3;

/// What others do.
#[derive(Clone, Debug)]
pub(super) enum Deed {
    Attach,
    MakeReady(usize),
    Detach(usize),
    TakeByForce(usize),
}

pub(super) fn deed() -> impl Strategy<Value = Deed> {
    let which = || 0..MOST;
    prop_oneof![
        3 => Just(Deed::Attach),
        4 => which().prop_map(Deed::MakeReady),
        2 => which().prop_map(Deed::Detach),
        1 => which().prop_map(Deed::TakeByForce),
    ]
}

#[derive(Default)]
pub(super) struct Storages {
    all: BTreeMap<StorageId, RemoteAttachment>,
    next: u64,
}

impl Storages {
    /// Those of a unit that begins with so many.
    pub fn begin(count: usize) -> Self {
        let mut storages = Self::default();
        for _ in 0..count {
            storages.attach();
        }
        storages
    }

    pub fn told(&self) -> BTreeMap<StorageId, RemoteAttachment> {
        self.all.clone()
    }

    /// What happened, for the story; none if it could not.
    pub fn happens(&mut self, deed: &Deed, unit: Life) -> Option<String> {
        match deed {
            Deed::Attach if self.all.len() >= MOST || !unit.is_alive() => None,
            Deed::Attach => {
                let id = self.attach();
                Some(format!("{id} is attached"))
            }
            Deed::MakeReady(which) => {
                let (id, attachment) = self.nth(*which)?;
                attachment.ready = true;
                Some(format!("{id} is ready"))
            }
            Deed::Detach(which) => {
                let (id, attachment) = self.nth(*which)?;
                attachment.life = Life::Dying;
                Some(format!("{id} is being detached"))
            }
            Deed::TakeByForce(which) => {
                let (id, _) = self.nth(*which)?;
                self.all.remove(&id);
                Some(format!("{id} is taken away by force"))
            }
        }
    }

    /// The unit leaves, and with it all that is attached to it.
    pub fn unit_dies(&mut self) {
        for attachment in self.all.values_mut() {
            attachment.life = Life::Dying;
        }
    }

    pub fn make_all_ready(&mut self) {
        for attachment in self.all.values_mut() {
            attachment.ready = true;
        }
    }

    /// The unit's `hook` was committed, which may let go of a storage.
    pub fn commits(&mut self, hook: &Info) {
        if hook.kind == Kind::StorageDetaching
            && let Some(event) = &hook.storage
        {
            self.all.remove(&event.id);
        }
    }

    /// Of a unit that is at rest, or gone, and says that it has `told`.
    pub fn caught_up(&self, told: &BTreeSet<StorageId>) -> Result<(), String> {
        let all: BTreeSet<StorageId> = self.all.keys().cloned().collect();
        if all != *told {
            return Err(format!("the unit has {told:?} of {all:?}"));
        }
        match self.all.iter().find(|(_, one)| !one.life.is_alive()) {
            Some((id, _)) => Err(format!("{id} was never let go of")),
            None => Ok(()),
        }
    }

    fn attach(&mut self) -> StorageId {
        // Numbers and ids are in different orders: `data/10` comes after `data/2`.
        self.next += 7;
        let id = StorageId::new("data", self.next).unwrap();
        let attachment = RemoteAttachment {
            life: Life::Alive,
            ready: false,
            kind: StorageKind::Filesystem,
            location: format!("/storage/{id}"),
            read_only: false,
            directory: id.dashed(),
        };
        self.all.insert(id.clone(), attachment);
        id
    }

    fn nth(&mut self, which: usize) -> Option<(StorageId, &mut RemoteAttachment)> {
        let found = self.all.iter_mut().nth(which);
        found.map(|(id, attachment)| (id.clone(), attachment))
    }
}
