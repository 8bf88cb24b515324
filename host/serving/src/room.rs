//! How many requests are answered at a time, and how many wait for that.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::{Failure, Limits};

/// The room of one service in an engine that others use as well.
pub(crate) struct Room {
    own: Arc<Semaphore>,
    all: Arc<Semaphore>,
    line: Semaphore,
}

/// A request's place, given back when dropped. It is held until its instance is gone.
pub(crate) struct Place {
    _own: OwnedSemaphorePermit,
    _all: OwnedSemaphorePermit,
}

impl Room {
    pub(crate) fn new(limits: &Limits, all: Arc<Semaphore>) -> Self {
        Self {
            own: Arc::new(Semaphore::new(limits.concurrency.max(1) as usize)),
            all,
            line: Semaphore::new(limits.queue as usize),
        }
    }

    /// Waits for room in the order of asking. Who finds the queue full, or waits for too long, is refused.
    pub(crate) async fn enter(&self, limits: &Limits) -> Result<Place, Failure> {
        if let Some(place) = self.try_enter() {
            return Ok(place);
        }
        let busy = Failure::Busy {
            running: limits.concurrency,
            waiting: limits.queue,
        };
        let Ok(_in_line) = self.line.try_acquire() else {
            return Err(busy);
        };
        let place = async {
            let own = self.own.clone().acquire_owned().await.ok()?;
            let all = self.all.clone().acquire_owned().await.ok()?;
            Some(Place {
                _own: own,
                _all: all,
            })
        };
        match tokio::time::timeout(limits.queue_wait, place).await {
            Ok(Some(place)) => Ok(place),
            Ok(None) | Err(_) => Err(busy),
        }
    }

    fn try_enter(&self) -> Option<Place> {
        Some(Place {
            _own: self.own.clone().try_acquire_owned().ok()?,
            _all: self.all.clone().try_acquire_owned().ok()?,
        })
    }
}
