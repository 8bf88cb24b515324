//! How a worker ends.
//!
//! Most errors mean only "try again later". A few carry a wish to the engine (rest, come back at
//! once, leave for good) or to the process (restart, terminate, reboot). They may be wrapped in
//! any number of causes and are found again through the chain: [`WorkerError::kind`] is the only
//! question which the engine asks. Errors are cheap to clone, because everyone who waits for a
//! worker gets the same one.

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::error::Error;
use std::fmt;
use std::sync::Arc;

use crate::manifold::Name;

/// The result of a worker's life. `Ok` means that it had nothing more to do.
pub type WorkerResult = Result<(), WorkerError>;

/// Why a worker, or its start, ended.
#[derive(Debug, Clone)]
pub enum WorkerError {
    /// An input is absent, or present and not yet what is needed. The node rests until one of its
    /// inputs changes.
    Missing(Name),
    /// Start me again at once.
    Bounce,
    /// I shall never be needed here: remove the node.
    Uninstall,
    /// The start was called off before it came to anything.
    Aborted,
    /// "I stopped because I was asked to": what a tomb's own work returns. Anyone else who returns
    /// it has made a mistake, and the tomb says so.
    Dying,
    /// The whole process is concerned.
    Fatal(Fatal),
    /// The entity this worker serves has been removed from the model.
    EntityRemoved,
    /// Any other error: the node is started again after a delay that grows.
    Other(Arc<dyn Error + Send + Sync>),
    /// An error with a word on what was being done. It is of the kind of its cause.
    During {
        /// What was being done, as in "reading the life of unit a/0".
        doing: Cow<'static, str>,
        /// What went wrong.
        cause: Arc<WorkerError>,
    },
}

/// Errors that end a whole agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fatal {
    /// The agent's entity is gone: remove what it left and never start it again.
    TerminateAgent,
    /// Ask the machine to start afresh.
    RebootMachine,
    /// Ask the machine to power off.
    ShutdownMachine,
    /// End the process and let its supervisor start it again.
    RestartAgent,
    /// A fault that no restart of a single worker repairs.
    Explicit(Arc<str>),
    /// The next version of the agent is in place: change over to it.
    UpgradeReady {
        /// The version to run next.
        to: Arc<str>,
    },
}

/// What the engine makes of an error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// See [`WorkerError::Missing`].
    Missing,
    /// See [`WorkerError::Bounce`].
    Bounce,
    /// See [`WorkerError::Uninstall`].
    Uninstall,
    /// See [`WorkerError::Aborted`].
    Aborted,
    /// See [`WorkerError::Dying`].
    Dying,
    /// See [`WorkerError::Fatal`].
    Fatal(Fatal),
    /// See [`WorkerError::EntityRemoved`].
    EntityRemoved,
    /// No wish found in the chain.
    Other,
}

impl WorkerError {
    /// An input is absent or not ready.
    pub fn missing(input: impl Into<Name>) -> Self {
        Self::Missing(input.into())
    }

    /// An ordinary error that has only a text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Other(Arc::from(Box::<dyn Error + Send + Sync>::from(text.into())))
    }

    /// An ordinary error that keeps its cause. If the cause holds a `WorkerError` somewhere in its
    /// chain, the kind of that one counts.
    pub fn other(error: impl Error + Send + Sync + 'static) -> Self {
        Self::Other(Arc::new(error))
    }

    /// A fault that ends the agent.
    pub fn fatal(text: impl Into<Arc<str>>) -> Self {
        Self::Fatal(Fatal::Explicit(text.into()))
    }

    /// The same error with a word on what was being done.
    #[must_use]
    pub fn during(self, doing: impl Into<Cow<'static, str>>) -> Self {
        Self::During {
            doing: doing.into(),
            cause: Arc::new(self),
        }
    }

    /// What the engine makes of this error: the first wish found along the cause chain.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match self.wish() {
            Some(Self::Missing(_)) => Kind::Missing,
            Some(Self::Bounce) => Kind::Bounce,
            Some(Self::Uninstall) => Kind::Uninstall,
            Some(Self::Aborted) => Kind::Aborted,
            Some(Self::Dying) => Kind::Dying,
            Some(Self::Fatal(fatal)) => Kind::Fatal(fatal.clone()),
            Some(Self::EntityRemoved) => Kind::EntityRemoved,
            Some(Self::Other(_) | Self::During { .. }) | None => Kind::Other,
        }
    }

    /// The name of the input that is missing, when that is what this error says.
    #[must_use]
    pub fn missing_input(&self) -> Option<&Name> {
        match self.wish() {
            Some(Self::Missing(input)) => Some(input),
            _ => None,
        }
    }

    /// The first error of type `E` along the cause chain, this one included.
    #[must_use]
    pub fn find<E: Error + 'static>(&self) -> Option<&E> {
        self.chain().find_map(|error| error.downcast_ref::<E>())
    }

    /// A stable name of the kind, for machines.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self.kind() {
            Kind::Missing => "missing",
            Kind::Bounce => "bounce",
            Kind::Uninstall => "uninstall",
            Kind::Aborted => "aborted",
            Kind::Dying => "dying",
            Kind::EntityRemoved => "entity-removed",
            Kind::Other => "error",
            Kind::Fatal(fatal) => fatal.code(),
        }
    }

    fn chain(&self) -> impl Iterator<Item = &(dyn Error + 'static)> {
        let first: &(dyn Error + 'static) = self;
        std::iter::successors(Some(first), |&error| error.source())
    }

    fn wish(&self) -> Option<&Self> {
        self.chain()
            .filter_map(|error| error.downcast_ref::<Self>())
            .find(|error| !matches!(error, Self::Other(_) | Self::During { .. }))
    }
}

impl fmt::Display for WorkerError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(input) => write!(formatter, "waiting for {input}"),
            Self::Bounce => formatter.write_str("restart immediately"),
            Self::Uninstall => formatter.write_str("not needed here"),
            Self::Aborted => formatter.write_str("start called off"),
            Self::Dying => formatter.write_str("stopping as asked"),
            Self::Fatal(fatal) => fatal.fmt(formatter),
            Self::EntityRemoved => formatter.write_str("entity removed"),
            Self::Other(error) => error.fmt(formatter),
            Self::During { doing, cause } => write!(formatter, "{doing}: {cause}"),
        }
    }
}

impl Error for WorkerError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Other(error) => Some(error.as_ref()),
            Self::During { cause, .. } => Some(cause.as_ref()),
            _ => None,
        }
    }
}

impl From<Fatal> for WorkerError {
    fn from(fatal: Fatal) -> Self {
        Self::Fatal(fatal)
    }
}

impl Fatal {
    /// A stable name, for machines.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::TerminateAgent => "terminate-agent",
            Self::RebootMachine => "reboot-machine",
            Self::ShutdownMachine => "shutdown-machine",
            Self::RestartAgent => "restart-agent",
            Self::Explicit(_) => "fatal",
            Self::UpgradeReady { .. } => "upgrade-ready",
        }
    }
}

impl fmt::Display for Fatal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TerminateAgent => formatter.write_str("agent should be terminated"),
            Self::RebootMachine => formatter.write_str("machine needs to reboot"),
            Self::ShutdownMachine => formatter.write_str("machine needs to shut down"),
            Self::RestartAgent => formatter.write_str("agent should be restarted"),
            Self::Explicit(text) => formatter.write_str(text),
            Self::UpgradeReady { to } => write!(formatter, "agent version {to} is ready to run"),
        }
    }
}

/// How much an error matters to the process: nothing 0, ordinary 1, upgrade ready 2, reboot or
/// shutdown 3, terminate 4.
#[must_use]
pub fn importance(error: Option<&WorkerError>) -> u8 {
    let Some(error) = error else { return 0 };
    match error.kind() {
        Kind::Fatal(Fatal::TerminateAgent) => 4,
        Kind::Fatal(Fatal::RebootMachine | Fatal::ShutdownMachine) => 3,
        Kind::Fatal(Fatal::UpgradeReady { .. }) => 2,
        _ => 1,
    }
}

/// The more important of a new error and the worst one so far. Among equals the earlier stays.
#[must_use]
pub fn worst_error(new: WorkerError, worst: Option<WorkerError>) -> WorkerError {
    match worst {
        Some(worst) if importance(Some(&worst)) >= importance(Some(&new)) => worst,
        _ => new,
    }
}

/// Makes the errors of other crates a worker's errors.
pub trait ResultExt<T> {
    /// The error as an ordinary worker error; a wish in its chain still counts.
    ///
    /// # Errors
    /// The error of `self`, wrapped.
    fn worker_error(self) -> Result<T, WorkerError>;

    /// The same with a word on what was being done, as in `while_doing("claiming the lease")`.
    ///
    /// # Errors
    /// The error of `self`, wrapped.
    fn while_doing(self, doing: impl Into<Cow<'static, str>>) -> Result<T, WorkerError>;
}

impl<T, E: Error + Send + Sync + 'static> ResultExt<T> for Result<T, E> {
    fn worker_error(self) -> Result<T, WorkerError> {
        self.map_err(WorkerError::other)
    }

    fn while_doing(self, doing: impl Into<Cow<'static, str>>) -> Result<T, WorkerError> {
        self.map_err(|error| WorkerError::other(error).during(doing))
    }
}
