//! Workload status.

use std::fmt;

use crate::world::World;
use crate::world::bindings::periapt::charm::status as wit;
use crate::{Context, HostError, Result};

/// The word of a status.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StatusKind {
    /// The charm is at work on the workload.
    Maintenance,
    /// A person must do something.
    Blocked,
    /// Something else must happen first.
    Waiting,
    /// The workload serves.
    Active,
    /// The charm has not said.
    Unknown,
    /// A hook failed; the host says so.
    Error,
    /// The workload ended for good.
    Terminated,
}

impl StatusKind {
    /// The word.
    pub const fn as_str(self) -> &'static str {
        match self {
            StatusKind::Maintenance => "maintenance",
            StatusKind::Blocked => "blocked",
            StatusKind::Waiting => "waiting",
            StatusKind::Active => "active",
            StatusKind::Unknown => "unknown",
            StatusKind::Error => "error",
            StatusKind::Terminated => "terminated",
        }
    }
}

impl fmt::Display for StatusKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A status with its message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// The word.
    pub kind: StatusKind,
    /// What a person reads beside it.
    pub message: String,
}

impl Status {
    /// Any status.
    pub fn new(kind: StatusKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
        }
    }

    /// The workload serves.
    pub fn active(message: impl Into<String>) -> Self {
        Self::new(StatusKind::Active, message)
    }

    /// A person must do what the message says.
    pub fn blocked(message: impl Into<String>) -> Self {
        Self::new(StatusKind::Blocked, message)
    }

    /// Something else must happen first.
    pub fn waiting(message: impl Into<String>) -> Self {
        Self::new(StatusKind::Waiting, message)
    }

    /// The charm is at work.
    pub fn maintenance(message: impl Into<String>) -> Self {
        Self::new(StatusKind::Maintenance, message)
    }
}

/// What a charm may ask of the host about status.
#[allow(missing_docs)]
pub trait StatusHost {
    fn unit_status(&self) -> Result<Status, HostError>;
    fn set_unit_status(&self, status: &Status) -> Result<(), HostError>;
    fn application_status(&self) -> Result<Status, HostError>;
    fn set_application_status(&self, status: &Status) -> Result<(), HostError>;
}

impl StatusHost for World {
    fn unit_status(&self) -> Result<Status, HostError> {
        Ok(wit::unit_get()?.into())
    }

    fn set_unit_status(&self, status: &Status) -> Result<(), HostError> {
        Ok(wit::unit_set(status.kind.into(), &status.message)?)
    }

    fn application_status(&self) -> Result<Status, HostError> {
        Ok(wit::application_get()?.into())
    }

    fn set_application_status(&self, status: &Status) -> Result<(), HostError> {
        Ok(wit::application_set(status.kind.into(), &status.message)?)
    }
}

impl<C> Context<'_, C> {
    /// The unit's status as last set.
    pub fn status(&self) -> Result<Status> {
        Ok(self.host.unit_status()?)
    }

    /// Sets the unit's status. At once: it stays when the hook fails later.
    pub fn set_status(&self, status: Status) -> Result<()> {
        Ok(self.host.set_unit_status(&status)?)
    }

    /// The application's status. Leader only.
    pub fn application_status(&self) -> Result<Status> {
        Ok(self.host.application_status()?)
    }

    /// Sets the application's status, at once. Leader only.
    pub fn set_application_status(&self, status: Status) -> Result<()> {
        Ok(self.host.set_application_status(&status)?)
    }
}

impl From<wit::Info> for Status {
    fn from(info: wit::Info) -> Self {
        let kind = match info.kind {
            wit::Kind::Maintenance => StatusKind::Maintenance,
            wit::Kind::Blocked => StatusKind::Blocked,
            wit::Kind::Waiting => StatusKind::Waiting,
            wit::Kind::Active => StatusKind::Active,
            wit::Kind::Unknown => StatusKind::Unknown,
            wit::Kind::Error => StatusKind::Error,
            wit::Kind::Terminated => StatusKind::Terminated,
        };
        Status {
            kind,
            message: info.message,
        }
    }
}

impl From<StatusKind> for wit::Kind {
    fn from(kind: StatusKind) -> Self {
        match kind {
            StatusKind::Maintenance => wit::Kind::Maintenance,
            StatusKind::Blocked => wit::Kind::Blocked,
            StatusKind::Waiting => wit::Kind::Waiting,
            StatusKind::Active => wit::Kind::Active,
            StatusKind::Unknown => wit::Kind::Unknown,
            StatusKind::Error => wit::Kind::Error,
            StatusKind::Terminated => wit::Kind::Terminated,
        }
    }
}
