//! A tomb which owns other workers: they die with it, and it dies with an error of any of them.
//!
//! Two rules for those who build on it. A watcher is added before its first read, so that it is
//! never left behind. And a watcher's closed channel, while one is not dying, is an error: the
//! catacomb ignores a child that ends cleanly, only its parent knows that this was too early.

#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures::FutureExt;
use futures::future::lazy;
use tokio_util::sync::CancellationToken;

use crate::error::{WorkerError, WorkerResult};
use crate::panics::catch;
use crate::tomb::Tomb;
use crate::worker::SharedWorker;

/// The site at which a worker and its children live and die together. Clones are the same site.
#[derive(Clone, Default)]
pub struct Catacomb {
    tomb: Tomb,
    invoked: Arc<AtomicBool>,
}

impl Catacomb {
    /// A site that has not been used yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the initial children and runs `work` until it ends, which is the end of the whole
    /// catacomb. The children are taken also when this fails: then they are killed.
    ///
    /// # Errors
    /// When the site was invoked before.
    pub fn invoke(
        &self,
        children: impl IntoIterator<Item = SharedWorker>,
        work: impl Future<Output = WorkerResult> + Send + 'static,
    ) -> WorkerResult {
        if self.invoked.swap(true, Ordering::AcqRel) {
            children.into_iter().for_each(|child| child.kill());
            return Err(WorkerError::text("catacomb already invoked"));
        }
        let children: Vec<SharedWorker> = children.into_iter().collect();
        let (site, parent) = (self.clone(), self.clone());
        let work = catch(work).map(move |result| {
            site.kill(result.err());
            Ok(())
        });
        self.tomb.spawn(
            lazy(move |_| {
                for child in children {
                    // Refused only if killed before the work began; the child is taken care of.
                    let _ = parent.add(child);
                }
            })
            .then(move |()| work),
        );
        Ok(())
    }

    /// Hands over a child. It is this catacomb's from now on, whatever the answer.
    ///
    /// # Errors
    /// [`WorkerError::Dying`] when the catacomb is dying or dead; the child has been killed.
    pub fn add(&self, child: SharedWorker) -> WorkerResult {
        let dying = self.tomb.dying().clone();
        let refused = dying.is_cancelled();
        if refused {
            child.kill();
        }
        let owned = Arc::clone(&child);
        let added = self.tomb.spawn(async move {
            tokio::select! {
                biased;
                result = catch(owned.wait()) => return result,
                () = dying.cancelled() => owned.kill(),
            }
            owned.wait().await
        });
        if !added {
            child.kill();
        }
        if refused || !added {
            Err(WorkerError::Dying)
        } else {
            Ok(())
        }
    }

    /// Asks everything to stop; see [`Tomb::kill`].
    pub fn kill(&self, reason: Option<WorkerError>) {
        self.tomb.kill(reason);
    }

    /// Cancelled from the moment the catacomb is dying.
    #[must_use]
    pub fn dying(&self) -> &CancellationToken {
        self.tomb.dying()
    }

    /// True from the first kill, or the end of the work, on.
    #[must_use]
    pub fn is_dying(&self) -> bool {
        self.tomb.is_dying()
    }

    /// Waits until the work and all children have ended.
    ///
    /// # Errors
    /// The first error of the work, of a child, or given to [`kill`](Self::kill).
    pub async fn wait(&self) -> WorkerResult {
        self.tomb.wait().await
    }
}
