//! Settings of others as the unit has read them, so that each is asked for once per version.
//!
//! The controller tells the version of every member's settings with the remote state that a hook
//! is decided on. What was read at that version or later is never older than what the hook is
//! about; a newer version brings a hook of its own. Settings without a version here, the unit's
//! own above all, are kept for one hook only: within a hook they never change.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use periapt_model::relation::RemoteRelation;
use periapt_model::uniter::RemoteState;
use periapt_sandbox::{Bag, Member};

#[cfg(test)]
mod tests;

type Asked = (u64, Member);

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
}

impl KnownSettings {
    /// A hook begins that was decided on with `remote`: what is older, or of one hook only, goes.
    pub fn begin(&self, remote: &RemoteState) {
        let mut inner = self.lock();
        inner.relations.clone_from(&remote.relations);
        let Inner { relations, bags } = &mut *inner;
        bags.retain(|asked, (at, _)| at.is_some() && *at == version(relations, asked));
    }

    pub fn get(&self, asked: &Asked) -> Option<Bag> {
        self.lock().bags.get(asked).map(|(_, bag)| bag.clone())
    }

    pub fn put(&self, asked: Asked, bag: Bag) {
        let mut inner = self.lock();
        let at = version(&inner.relations, &asked);
        inner.bags.insert(asked, (at, bag));
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn version(relations: &BTreeMap<u64, RemoteRelation>, (id, of): &Asked) -> Option<u64> {
    let relation = relations.get(id)?;
    match of {
        Member::Unit(name) => relation.members.get(&name.parse().ok()?).copied(),
        Member::Application(name) => relation.applications.get(&name.parse().ok()?).copied(),
    }
}
