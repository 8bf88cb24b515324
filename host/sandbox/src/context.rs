//! What an agent provides to a running hook: facts, and the few calls that take effect at once.
//!
//! Methods are synchronous and may block (the hook runs on a thread for blocking work, with the
//! runtime of its caller entered but not driven, so `Handle::block_on` is allowed). They are
//! called from one thread at a time, on a stack of a few MiB. Limits, budgets and the buffering
//! of effects are not their concern: that is done before they are reached. A method that does
//! not return holds the hook beyond its deadline, so calls to the controller need one of their
//! own.

use std::collections::BTreeMap;
use std::time::Duration;

use periapt_model::config::Values;
use periapt_model::ports::PortRange;
use periapt_model::status::{Status, Workload};
use thiserror::Error;

/// Why the host refuses a call; the charm sees the code and the message.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{message}")]
pub struct CallError {
    pub code: CallErrorCode,
    pub message: String,
}

/// The codes of the contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallErrorCode {
    /// An argument is malformed.
    Invalid,
    /// The thing asked for does not exist.
    NotFound,
    /// The charm may not do this here.
    Denied,
    /// A limit was reached.
    Limit,
    /// The controller cannot be reached or could not answer.
    Unavailable,
}

impl CallErrorCode {
    pub fn as_str(self) -> &'static str {
        match self {
            CallErrorCode::Invalid => "invalid",
            CallErrorCode::NotFound => "not-found",
            CallErrorCode::Denied => "denied",
            CallErrorCode::Limit => "limit",
            CallErrorCode::Unavailable => "unavailable",
        }
    }
}

impl CallError {
    pub fn new(code: CallErrorCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
        }
    }

    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(CallErrorCode::Invalid, message)
    }

    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new(CallErrorCode::NotFound, message)
    }

    pub fn denied(message: impl Into<String>) -> Self {
        Self::new(CallErrorCode::Denied, message)
    }

    pub fn limit(message: impl Into<String>) -> Self {
        Self::new(CallErrorCode::Limit, message)
    }

    pub fn unavailable(message: impl Into<String>) -> Self {
        Self::new(CallErrorCode::Unavailable, message)
    }

    pub fn code(&self) -> &'static str {
        self.code.as_str()
    }
}

/// Severity of a log line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogLevel {
    Trace,
    Debug,
    Info,
    Warning,
    Error,
}

impl LogLevel {
    /// As `debug-log` spells it.
    pub fn as_str(self) -> &'static str {
        match self {
            LogLevel::Trace => "TRACE",
            LogLevel::Debug => "DEBUG",
            LogLevel::Info => "INFO",
            LogLevel::Warning => "WARNING",
            LogLevel::Error => "ERROR",
        }
    }
}

/// A relation as far as the unit's hooks were told of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelationInfo {
    pub id: u64,
    /// The endpoint of the unit's own charm.
    pub endpoint: String,
    /// The application at the other end; the unit's own in a peer relation.
    pub remote_application: String,
    /// Units at the other end that have joined and not departed, in order of their names.
    pub members: Vec<String>,
}

impl RelationInfo {
    /// As a charm names it: `website:3`.
    pub fn name(&self) -> String {
        format!("{}:{}", self.endpoint, self.id)
    }
}

/// Whose settings in a relation.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Member {
    Unit(String),
    /// What the leader of the application set for all its units.
    Application(String),
}

/// Settings of a relation, or of a leader.
pub type Settings = BTreeMap<String, String>;

/// A unit or an application that will be there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Goal {
    pub name: String,
    pub status: String,
    /// Seconds since the epoch.
    pub since: i64,
}

/// What will be there once the model has settled.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Goals {
    pub units: Vec<Goal>,
    /// By endpoint of the unit's charm.
    pub relations: Vec<(String, Vec<Goal>)>,
}

/// Addresses of the unit for one binding.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Network {
    pub bind_addresses: Vec<String>,
    pub ingress_addresses: Vec<String>,
    pub egress_subnets: Vec<String>,
}

/// The agent's side of one hook.
pub trait HookContext: Send {
    fn unit_name(&self) -> String;
    fn model_name(&self) -> String;
    fn model_uuid(&self) -> String;

    /// Effective configuration as it was when the hook began: set values over defaults.
    fn config(&self) -> &Values;
    /// Whether the charm's schema has this option, with or without a value.
    fn knows_option(&self, name: &str) -> bool;

    /// The unit's state as of the last commit. Asked at most once in a hook, on first use.
    fn state(&mut self) -> Result<BTreeMap<String, String>, CallError>;
    /// Ports the unit has opened as of the last commit. Asked at most once, on first use.
    fn opened_ports(&mut self) -> Result<Vec<PortRange>, CallError>;

    /// Whether the charm has this endpoint.
    fn knows_endpoint(&self, name: &str) -> bool;
    /// Relations of the unit that the hook may speak of, in order of their numbers.
    fn relations(&self) -> Vec<RelationInfo>;
    /// Settings in one of [`HookContext::relations`] as they are now. Asked again for the same
    /// member, the answer of the first time is given.
    fn relation_settings(&mut self, relation: u64, of: &Member) -> Result<Settings, CallError>;
    /// What the leader told its units, as of the last commit. Asked at most once, on first use.
    fn leader_settings(&mut self) -> Result<Settings, CallError>;
    fn goal_state(&mut self) -> Result<Goals, CallError>;
    /// `NotFound` for a binding that the charm does not declare.
    fn network(&mut self, binding: &str) -> Result<Network, CallError>;

    fn private_address(&mut self) -> Result<String, CallError>;
    fn public_address(&mut self) -> Result<String, CallError>;

    /// True promises that the unit stays leader for at least 30 seconds.
    fn is_leader(&mut self) -> Result<bool, CallError>;

    fn unit_status(&mut self) -> Result<Status<Workload>, CallError>;
    /// Takes effect at once. Which words a charm may set is checked before.
    fn set_unit_status(&mut self, status: Workload, message: &str) -> Result<(), CallError>;
    /// Called only when [`HookContext::is_leader`] answered true just before.
    fn application_status(&mut self) -> Result<Status<Workload>, CallError>;
    /// Called only when [`HookContext::is_leader`] answered true just before. Takes effect at once.
    fn set_application_status(&mut self, status: Workload, message: &str) -> Result<(), CallError>;
    /// Takes effect at once.
    fn set_workload_version(&mut self, version: &str) -> Result<(), CallError>;

    /// One line for `debug-log`, free of control characters. Lines of the guest's stdout come
    /// as [`LogLevel::Info`], of its stderr as [`LogLevel::Warning`].
    fn log(&mut self, level: LogLevel, message: &str);

    /// How long calls have waited until the hook could go on with what they had found, because
    /// other hooks were at work. It is no part of the hook's time limit.
    fn waited(&self) -> Duration {
        Duration::ZERO
    }
}
