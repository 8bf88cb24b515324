//! Workload status.

use std::fmt;

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
