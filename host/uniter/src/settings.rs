//! Settings of others as the unit has read them, so that each is asked for once per version.
//!
//! The controller tells the version of every member's settings with the remote state that a hook
//! is decided on. What was read at that version or later is never older than what the hook is
//! about; a newer version brings a hook of its own. Settings without a version here, the unit's
//! own above all, are kept for one hook only: within a hook they never change.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use periapt_model::bounds::SETTINGS_READ_BYTES;
use periapt_model::relation::RemoteRelation;
use periapt_model::uniter::RemoteState;
use periapt_sandbox::{Bag, Member};

mod shared;
#[cfg(test)]
mod tests;

pub(crate) use shared::SharedSettings;

type Asked = (u64, Member);

/// Bytes of settings that a unit keeps from one hook to the next. Those of a usual relation have some
/// KiB; whoever reads more reads it again.
const KEPT_BYTES: usize = 4 << 20;

/// What a unit knows. Clones are the same.
#[derive(Clone, Default)]
pub(crate) struct KnownSettings {
    inner: Arc<Mutex<Inner>>,
}

#[derive(Default)]
struct Inner {
    relations: BTreeMap<u64, RemoteRelation>,
    /// With the version they have; none for those of this hook alone.
    bags: BTreeMap<Asked, (Option<u64>, Bag)>,
    /// Bytes of all of them.
    bytes: usize,
}

impl KnownSettings {
    /// Starts a hook that was decided on `remote`; drops entries that are stale or of one hook only.
    pub fn begin(&self, remote: &RemoteState) {
        let mut inner = self.lock();
        inner.relations.clone_from(&remote.relations);
        let Inner {
            relations,
            bags,
            bytes,
        } = &mut *inner;
        let kept = *bytes <= KEPT_BYTES;
        bags.retain(|asked, (at, _)| kept && at.is_some() && *at == version(relations, asked));
        *bytes = bags.values().map(|(_, bag)| size(bag)).sum();
    }

    /// The version of what is asked for, as far as the controller told this unit of it.
    pub fn version(&self, asked: &Asked) -> Option<u64> {
        version(&self.lock().relations, asked)
    }

    pub fn get(&self, asked: &Asked) -> Option<Bag> {
        self.lock().bags.get(asked).map(|(_, bag)| bag.clone())
    }

    /// Keeps a bag that is not known yet; false when the hook has read too much.
    pub fn put(&self, asked: Asked, bag: Bag) -> bool {
        let mut inner = self.lock();
        let bytes = inner.bytes + size(&bag);
        if SETTINGS_READ_BYTES.exceeded_by(bytes) {
            return false;
        }
        let at = version(&inner.relations, &asked);
        inner.bytes = bytes;
        inner.bags.insert(asked, (at, bag));
        true
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn size(bag: &Bag) -> usize {
    bag.iter().map(|(key, value)| key.len() + value.len()).sum()
}

fn version(relations: &BTreeMap<u64, RemoteRelation>, (id, of): &Asked) -> Option<u64> {
    let relation = relations.get(id)?;
    match of {
        Member::Unit(name) => relation.members.get(&name.parse().ok()?).copied(),
        Member::Application(name) => relation.applications.get(&name.parse().ok()?).copied(),
    }
}
