//! One row of an agent's table, and the table.
//!
//! A [`Manifold`] says what a node needs and how its worker is started; it runs nothing itself.
//! [`Manifolds`] is the table: rows in reading order, some of them in groups that share a
//! [`Housing`].

mod context;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::sync::Arc;

use futures::future::BoxFuture;

use crate::engine::{DependencyEngine, InstallError};
use crate::error::{WorkerError, WorkerResult};
use crate::housing::Housing;
use crate::worker::SharedWorker;

pub use context::Context;

/// The name of a node. Mostly constants, so mostly without an allocation.
pub type Name = Cow<'static, str>;

/// What a start function answers.
pub type StartResult = Result<SharedWorker, WorkerError>;

/// How a worker is started. It is always called, also when inputs are absent, and then answers
/// [`WorkerError::Missing`] itself; `context.get(..)?` does that.
pub type StartFn = Arc<dyn Fn(Context) -> BoxFuture<'static, StartResult> + Send + Sync>;

/// Maps the error a node ended with before the engine judges it. Not called for a clean end.
pub type Filter = Arc<dyn Fn(WorkerError) -> WorkerResult + Send + Sync>;

/// One row: inputs, start, filter.
#[derive(Clone)]
pub struct Manifold {
    pub(crate) inputs: Vec<Name>,
    pub(crate) start: StartFn,
    pub(crate) filter: Option<Filter>,
    /// The worker of this node is the engine itself, so the engine's end does not wait for it.
    pub(crate) is_engine: bool,
}

impl Manifold {
    /// A row without inputs.
    ///
    /// `start` is not dropped halfway: when the engine no longer wants the node, it cancels
    /// [`Context::abort`] and still waits for the answer. A start that may take long awaits
    /// through [`Context::or_abort`].
    pub fn new<F, Fut>(start: F) -> Self
    where
        F: Fn(Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = StartResult> + Send + 'static,
    {
        Self {
            inputs: Vec::new(),
            start: Arc::new(move |context| Box::pin(start(context))),
            filter: None,
            is_engine: false,
        }
    }

    /// Adds inputs; one that is there already is not added twice.
    #[must_use]
    pub fn needs<I>(mut self, inputs: I) -> Self
    where
        I: IntoIterator,
        I::Item: Into<Name>,
    {
        for input in inputs {
            let input = input.into();
            if !self.inputs.contains(&input) {
                self.inputs.push(input);
            }
        }
        self
    }

    /// Sets the filter.
    #[must_use]
    pub fn filter(
        mut self,
        filter: impl Fn(WorkerError) -> WorkerResult + Send + Sync + 'static,
    ) -> Self {
        self.filter = Some(Arc::new(filter));
        self
    }

    /// The names of the nodes this one needs.
    #[must_use]
    pub fn inputs(&self) -> &[Name] {
        &self.inputs
    }
}

/// An agent's table.
#[derive(Clone, Default)]
pub struct Manifolds {
    rows: Vec<(Name, Manifold)>,
}

impl Manifolds {
    /// An empty table.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// One row more.
    #[must_use]
    pub fn add(mut self, name: impl Into<Name>, manifold: Manifold) -> Self {
        self.rows.push((name.into(), manifold));
        self
    }

    /// Rows that share a housing. Groups nest; the outer housing is around the inner one.
    #[must_use]
    pub fn group(mut self, housing: Housing, rows: impl FnOnce(Self) -> Self) -> Self {
        let housed = rows(Self::new()).rows;
        self.rows.extend(
            housed
                .into_iter()
                .map(|(name, manifold)| (name, housing.decorate(manifold))),
        );
        self
    }

    /// All rows of another table.
    #[must_use]
    pub fn merge(mut self, other: Self) -> Self {
        self.rows.extend(other.rows);
        self
    }

    /// The names, in the order of the table.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.rows.iter().map(|(name, _)| name.as_ref())
    }

    /// The rows, in the order of the table.
    pub fn rows(&self) -> impl Iterator<Item = (&str, &Manifold)> {
        self.rows
            .iter()
            .map(|(name, manifold)| (name.as_ref(), manifold))
    }

    /// Inputs that no row of the table provides, as (row, input): legal for the engine, yet almost
    /// always a slip of the pen. For the test of a table.
    #[must_use]
    pub fn unknown_inputs(&self) -> Vec<(Name, Name)> {
        let known = |input: &Name| self.rows.iter().any(|(name, _)| name == input);
        self.rows
            .iter()
            .flat_map(|(name, row)| row.inputs.iter().map(move |input| (name, input)))
            .filter(|(_, input)| !known(input))
            .map(|(name, input)| (name.clone(), input.clone()))
            .collect()
    }

    /// Installs all rows in order, before any of them starts. Must be called within a tokio runtime.
    ///
    /// # Errors
    /// The first refusal; the rows before it stay installed, and the caller kills the engine.
    pub fn install(self, engine: &DependencyEngine) -> Result<(), InstallError> {
        engine.install_all(self.rows)
    }
}
