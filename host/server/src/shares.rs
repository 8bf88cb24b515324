//! Bytes of strangers that are held for a while, shared among accounts so that none has them all.
//!
//! Nobody waits for a share: what cannot be had is refused, and its sender told to come back.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use periapt_model::bounds::Bound;

/// What there is to share. Clones are the same.
#[derive(Clone)]
pub(crate) struct Shares {
    inner: Arc<Inner>,
}

struct Inner {
    all: Bound,
    of_one: Bound,
    taken: Mutex<Taken>,
}

#[derive(Default)]
struct Taken {
    all: u64,
    of_one: HashMap<String, u64>,
}

impl Shares {
    pub(crate) fn new(all: Bound, of_one: Bound) -> Self {
        Self {
            inner: Arc::new(Inner {
                all,
                of_one,
                taken: Mutex::default(),
            }),
        }
    }

    /// An empty share of an account.
    pub(crate) fn of(&self, who: impl ToString) -> Share {
        Share {
            shares: self.clone(),
            who: who.to_string(),
            bytes: 0,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Taken> {
        self.inner
            .taken
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// What one account holds; given back when dropped.
pub(crate) struct Share {
    shares: Shares,
    who: String,
    bytes: u64,
}

impl Share {
    /// Takes more, or says which bound is in the way.
    pub(crate) fn take(&mut self, bytes: u64) -> Result<(), Bound> {
        let Inner { all, of_one, .. } = &*self.shares.inner;
        let mut taken = self.shares.lock();
        let own = taken.of_one.get(&self.who).copied().unwrap_or_default();
        if own.saturating_add(bytes) > of_one.most {
            return Err(*of_one);
        }
        if taken.all.saturating_add(bytes) > all.most {
            return Err(*all);
        }
        taken.all += bytes;
        taken.of_one.insert(self.who.clone(), own + bytes);
        self.bytes += bytes;
        Ok(())
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        let mut taken = self.shares.lock();
        taken.all -= self.bytes;
        let left = taken.of_one.get(&self.who).copied().unwrap_or_default();
        match left.saturating_sub(self.bytes) {
            0 => drop(taken.of_one.remove(&self.who)),
            left => drop(taken.of_one.insert(self.who.clone(), left)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: Bound = Bound::new("all", 10, "bytes", "refused");
    const ONE: Bound = Bound::new("one", 6, "bytes", "refused");

    #[test]
    fn an_account_has_its_share_and_gives_it_back() {
        let shares = Shares::new(ALL, ONE);
        let (mut first, mut same) = (shares.of("a"), shares.of("a"));
        first.take(4).unwrap();
        assert_eq!(same.take(4), Err(ONE));
        same.take(2).unwrap();
        let (mut second, mut third) = (shares.of("b"), shares.of("c"));
        second.take(4).unwrap();
        assert_eq!(third.take(1), Err(ALL));
        drop(first);
        third.take(4).unwrap();
        drop((same, second, third));
        assert!(shares.lock().of_one.is_empty());
        assert_eq!(shares.lock().all, 0);
    }
}
