//! Flags and a fortress put around a group of rows.
//!
//! A housed node gets the names of its flags and of its fortress as further inputs. Before it
//! starts, each flag must be there and be true, else the node rests on that flag; then it enters
//! the fortress, then it starts. The last flag listed is asked first and the fortress is
//! innermost, so that nobody waits at the door of a fortress whose flags forbid the visit.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use crate::error::{WorkerError, WorkerResult};
use crate::flag::Flag;
use crate::fortress::{FortressError, Guest};
use crate::manifold::{Context, Filter, Manifold, Name, StartFn, StartResult};

/// What is put around a manifold.
#[derive(Clone, Default)]
pub struct Housing {
    flags: Vec<Name>,
    fortress: Option<Name>,
    filter: Option<Filter>,
}

impl Housing {
    /// A housing that adds nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The node runs only while flag `name` is true.
    #[must_use]
    pub fn flag(mut self, name: impl Into<Name>) -> Self {
        self.flags.push(name.into());
        self
    }

    /// The node lives inside a visit to fortress `name`.
    #[must_use]
    pub fn occupy(mut self, name: impl Into<Name>) -> Self {
        self.fortress = Some(name.into());
        self
    }

    /// Replaces the node's own filter. Silently: a node that needs its own is not put in here.
    #[must_use]
    pub fn filter(
        mut self,
        filter: impl Fn(WorkerError) -> WorkerResult + Send + Sync + 'static,
    ) -> Self {
        self.filter = Some(Arc::new(filter));
        self
    }

    /// Puts the housing around `manifold`.
    #[must_use]
    pub fn decorate(&self, manifold: Manifold) -> Manifold {
        let start = Arc::clone(&manifold.start);
        let rules: Arc<Self> = Arc::new(Self {
            filter: None,
            ..self.clone()
        });
        let mut housed = manifold.needs(self.flags.iter().chain(&self.fortress).cloned());
        housed.start = Arc::new(move |context| {
            Box::pin(start_housed(
                Arc::clone(&rules),
                Arc::clone(&start),
                context,
            ))
        });
        if self.filter.is_some() {
            housed.filter.clone_from(&self.filter);
        }
        housed
    }
}

async fn start_housed(housing: Arc<Housing>, start: StartFn, context: Context) -> StartResult {
    for flag in housing.flags.iter().rev() {
        if !context.get::<Flag>(flag)?.check() {
            return Err(WorkerError::Missing(flag.clone()));
        }
    }
    let Some(fortress) = &housing.fortress else {
        return start(context).await;
    };
    let guest: Guest = context.get(fortress)?;
    let abort = context.abort().clone();
    let started = guest.occupy(&abort, || start(context)).await;
    started.map_err(|error| match error {
        // A fortress that shuts down is about to be seen as stopped: rest until it is back.
        WorkerError::Other(ref cause) => match cause.downcast_ref::<FortressError>() {
            Some(FortressError::Aborted) => WorkerError::Aborted,
            Some(FortressError::Shutdown) => WorkerError::Missing(fortress.clone()),
            None => error,
        },
        error => error,
    })
}
