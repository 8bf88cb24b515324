//! Hands the current leaf to each new handshake, and a fresh one where the current one is due.
//!
//! The look at the calendar belongs here and not to a timer alone: a machine sleeps, its clock is
//! set, and the next client must not be shown a leaf that ended meanwhile. It costs a comparison
//! per handshake, and a signature once in years.

use std::sync::{Arc, Mutex, TryLockError};

use arc_swap::ArcSwap;
use periapt_engine::SharedClock;
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;

use super::{Authority, Leaf};
use crate::error::ServerError;

/// Hands out leaves. Clones share the current one.
#[derive(Clone)]
pub struct LeafResolver {
    inner: Arc<Inner>,
}

struct Inner {
    current: ArcSwap<Leaf>,
    authority: Authority,
    clock: SharedClock,
    /// One renews at a time.
    turn: Mutex<()>,
}

impl LeafResolver {
    /// Begins with a leaf for these addresses.
    ///
    /// # Errors
    /// An address that no certificate can carry.
    pub fn new(
        authority: Authority,
        addresses: &[String],
        clock: SharedClock,
    ) -> Result<Self, ServerError> {
        let leaf = authority.issue(addresses, clock.now().into())?;
        Ok(Self {
            inner: Arc::new(Inner {
                current: ArcSwap::from_pointee(leaf),
                authority,
                clock,
                turn: Mutex::default(),
            }),
        })
    }

    /// Shows a leaf for these addresses from now on; connections that stand are not touched.
    ///
    /// # Errors
    /// An address that no certificate can carry; the old leaf stays.
    pub fn renew(&self, addresses: &[String]) -> Result<(), ServerError> {
        let now = self.inner.clock.now().into();
        let leaf = self.inner.authority.issue(addresses, now)?;
        self.inner.current.store(Arc::new(leaf));
        Ok(())
    }

    /// Replaces the leaf if it is due; whether it was.
    ///
    /// # Errors
    /// No leaf could be issued; the old one stays.
    pub fn renew_if_due(&self) -> Result<bool, ServerError> {
        if !self.is_due() {
            return Ok(false);
        }
        let _turn = match self.inner.turn.try_lock() {
            Err(TryLockError::WouldBlock) => return Ok(false),
            Ok(turn) => turn,
            Err(TryLockError::Poisoned(turn)) => turn.into_inner(),
        };
        // Somebody may have renewed it between the look and the lock.
        if !self.is_due() {
            return Ok(false);
        }
        let names = self.current().names().to_vec();
        self.renew(&names)?;
        tracing::info!(?names, "the certificate was renewed");
        Ok(true)
    }

    fn is_due(&self) -> bool {
        let now = self.inner.clock.now().into();
        self.inner.current.load().is_due(now)
    }

    /// The leaf shown now.
    pub fn current(&self) -> Arc<Leaf> {
        self.inner.current.load_full()
    }
}

impl std::fmt::Debug for LeafResolver {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LeafResolver")
            .field("names", &self.current().names())
            .finish()
    }
}

impl ResolvesServerCert for LeafResolver {
    fn resolve(&self, _hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        if let Err(error) = self.renew_if_due() {
            tracing::error!(%error, "the certificate cannot be renewed");
        }
        Some(Arc::clone(&self.inner.current.load().key))
    }
}
