//! The memory of instances, and what follows for a service whose requests take more than there is.
//!
//! To give an instance much memory, and to take it back, keeps a core in the kernel for tens of milliseconds, where
//! nobody can make it give way. Once is not felt by the neighbours; a service where every request does so is. So a
//! service of which one was refused memory goes on as before with requests that take little, and gives much to one
//! at a time, [`PAUSE`] after the last refusal, until there was none for [`REMEMBERED`].

use std::sync::{Arc, Mutex as StdMutex, PoisonError};
use std::time::Duration;

use periapt_sandbox::Meter;
use tokio::sync::{Mutex, OwnedMutexGuard};
use tokio::time::Instant;
use wasmtime::{ResourceLimiter, ResourceLimiterAsync};

/// After a refusal, until the next request gets much memory.
const PAUSE: Duration = Duration::from_secs(1);
/// What was refused before does not count.
const REMEMBERED: Duration = Duration::from_secs(10);
/// Of the memory that an instance may have, what is little.
const LITTLE: u64 = 4;

/// Of one service.
#[derive(Default)]
pub(crate) struct Excess {
    refused: StdMutex<Option<Instant>>,
    turn: Arc<Mutex<()>>,
}

impl Excess {
    fn refused(&self) -> std::sync::MutexGuard<'_, Option<Instant>> {
        self.refused.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until a request may have much; what is returned is kept for as long as it has.
    async fn turn(&self) -> Option<OwnedMutexGuard<()>> {
        let is_recent = |refused: &Instant| refused.elapsed() < REMEMBERED;
        self.refused().filter(is_recent)?;
        let turn = self.turn.clone().lock_owned().await;
        // Perhaps only just now, by the one before.
        let refused = *self.refused();
        if let Some(refused) = refused {
            tokio::time::sleep_until(refused + PAUSE).await;
        }
        Some(turn)
    }
}

/// The memory and tables of one instance.
pub(crate) struct Growth {
    pub(crate) meter: Meter,
    little: u64,
    excess: Arc<Excess>,
    turn: Option<OwnedMutexGuard<()>>,
    is_much: bool,
}

impl Growth {
    pub(crate) fn new(memory_bytes: u64, table_elements: u64, excess: Arc<Excess>) -> Self {
        Self {
            meter: Meter::new(memory_bytes, table_elements),
            little: memory_bytes / LITTLE,
            excess,
            turn: None,
            is_much: false,
        }
    }
}

#[async_trait::async_trait]
impl ResourceLimiterAsync for Growth {
    async fn memory_growing(
        &mut self,
        current: usize,
        desired: usize,
        maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        if !self.is_much && desired as u64 > self.little {
            self.is_much = true;
            self.turn = self.excess.turn().await;
        }
        let granted = self.meter.memory_growing(current, desired, maximum)?;
        if !granted {
            *self.excess.refused() = Some(Instant::now());
        }
        Ok(granted)
    }

    fn memory_grow_failed(&mut self, error: wasmtime::Error) -> wasmtime::Result<()> {
        self.meter.memory_grow_failed(error)
    }

    async fn table_growing(
        &mut self,
        current: usize,
        desired: usize,
        maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        self.meter.table_growing(current, desired, maximum)
    }

    fn table_grow_failed(&mut self, error: wasmtime::Error) -> wasmtime::Result<()> {
        self.meter.table_grow_failed(error)
    }
}
