//! Settings of units that the units of this process have read, so that what a thousand of them hear of is
//! asked for once.
//!
//! Who may read them is not decided here: whoever asks has been told of the member and of its version by
//! the controller. What is kept was read at that version or later. Of each member there is one version, and
//! all are forgotten when they become too much.

use std::collections::HashMap;
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};

use periapt_model::UnitName;
use periapt_sandbox::Bag;
use tokio::sync::OnceCell;

use super::size;

/// Bytes of all that is kept.
const KEPT_BYTES: usize = 8 << 20;
/// An entry weighs this besides what was read.
const ENTRY_BYTES: usize = 256;

/// Clones are the same.
#[derive(Clone, Default)]
pub(crate) struct SharedSettings {
    inner: Arc<Mutex<Inner>>,
}

#[derive(Default)]
struct Inner {
    members: HashMap<(u64, UnitName), Read>,
    bytes: usize,
}

#[derive(Clone, Default)]
struct Read {
    version: u64,
    bag: Arc<OnceCell<Bag>>,
}

impl SharedSettings {
    /// The settings of a member of a relation at `version` or later. Those that ask at the same time wait for
    /// the same answer; where the first one's question fails, the next one asks.
    pub async fn read<E>(
        &self,
        relation: u64,
        member: UnitName,
        version: u64,
        ask: impl Future<Output = Result<Bag, E>>,
    ) -> Result<Bag, E> {
        let bag = self.of(relation, member, version);
        let mut asked = false;
        let read = bag.get_or_try_init(|| {
            asked = true;
            ask
        });
        let read = read.await?.clone();
        if asked {
            self.count(size(&read));
        }
        Ok(read)
    }

    fn of(&self, relation: u64, member: UnitName, version: u64) -> Arc<OnceCell<Bag>> {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        let read = inner.members.entry((relation, member)).or_default();
        if read.version < version {
            *read = Read {
                version,
                ..Read::default()
            };
        }
        read.bag.clone()
    }

    fn count(&self, bytes: usize) {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        inner.bytes += bytes + ENTRY_BYTES;
        if inner.bytes > KEPT_BYTES {
            *inner = Inner::default();
        }
    }
}

#[cfg(test)]
mod tests;
