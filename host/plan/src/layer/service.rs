//! A service of a layer.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::value::{self, Ready, Reload, Signal};
use super::{Override, Startup, append, extend, take};

/// Requests that a service answers at once: as many as may be, unless it is written. The other services of its model are
/// to have room as well.
pub const CONCURRENCY: u32 = 32;

/// What a service is made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A component that answers requests, `wasi:http/incoming-handler`.
    Http,
    /// A component that runs, `wasi:cli/run`.
    Command,
    /// A program.
    #[default]
    Native,
}

impl Kind {
    /// Its word, as it is written.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Command => "command",
            Self::Native => "native",
        }
    }
}

/// On whom a service may run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Fence {
    /// On the unit that is known to lead, and nowhere else.
    Leader,
}

/// What follows when a service exits with 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnSuccess {
    Restart,
    Shutdown,
    FailureShutdown,
    Ignore,
}

/// What follows when a service ends otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnFailure {
    Restart,
    Shutdown,
    SuccessShutdown,
    Ignore,
}

/// What follows when a check of a service is down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnCheckFailure {
    Restart,
    Shutdown,
    SuccessShutdown,
    Ignore,
}

/// A service as layers have it: the fields are what is written, the methods what holds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct Service {
    #[serde(rename = "override", skip_serializing_if = "Option::is_none")]
    pub overrides: Option<Override>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub startup: Option<Startup>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<Kind>,
    /// The program with its arguments, as Pebble takes it apart.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// A file of the charm, for all kinds but `native`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub component: Option<String>,
    /// Where `http` answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub port: Option<u16>,
    /// For `http`: requests that one instance answers after its first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reuse: Option<u32>,
    /// For `http`: requests that are answered at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub concurrency: Option<u32>,
    #[serde(with = "value::duration", skip_serializing_if = "Option::is_none")]
    pub request_timeout: Option<Duration>,
    #[serde(
        deserialize_with = "value::list",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub after: Vec<String>,
    #[serde(
        deserialize_with = "value::list",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub before: Vec<String>,
    /// Started with this one.
    #[serde(
        deserialize_with = "value::list",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub requires: Vec<String>,
    /// Active before this one starts.
    #[serde(
        deserialize_with = "value::list",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub requires_ready: Vec<String>,
    /// Ended well before this one starts.
    #[serde(
        deserialize_with = "value::list",
        skip_serializing_if = "Vec::is_empty"
    )]
    pub requires_finished: Vec<String>,
    /// It is to end, and to run again only when it is changed or asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub once: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ready: Option<Ready>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reload: Option<Reload>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fence: Option<Fence>,
    #[serde(
        deserialize_with = "value::map",
        skip_serializing_if = "BTreeMap::is_empty"
    )]
    pub environment: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_id: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group_id: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub working_dir: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on_success: Option<OnSuccess>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on_failure: Option<OnFailure>,
    /// By the name of the check.
    #[serde(
        deserialize_with = "value::map",
        skip_serializing_if = "BTreeMap::is_empty"
    )]
    pub on_check_failure: BTreeMap<String, OnCheckFailure>,
    #[serde(with = "value::duration", skip_serializing_if = "Option::is_none")]
    pub backoff_delay: Option<Duration>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub backoff_factor: Option<f64>,
    #[serde(with = "value::duration", skip_serializing_if = "Option::is_none")]
    pub backoff_limit: Option<Duration>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kill_signal: Option<Signal>,
    #[serde(with = "value::duration", skip_serializing_if = "Option::is_none")]
    pub kill_delay: Option<Duration>,
}

impl Service {
    pub(super) fn merge(&mut self, over: &Service) {
        // How it joins the layers below stays as it was.
        take(&mut self.summary, &over.summary);
        take(&mut self.description, &over.description);
        take(&mut self.startup, &over.startup);
        take(&mut self.kind, &over.kind);
        take(&mut self.command, &over.command);
        take(&mut self.component, &over.component);
        take(&mut self.port, &over.port);
        take(&mut self.reuse, &over.reuse);
        take(&mut self.concurrency, &over.concurrency);
        take(&mut self.request_timeout, &over.request_timeout);
        append(&mut self.after, &over.after);
        append(&mut self.before, &over.before);
        append(&mut self.requires, &over.requires);
        append(&mut self.requires_ready, &over.requires_ready);
        append(&mut self.requires_finished, &over.requires_finished);
        take(&mut self.once, &over.once);
        take(&mut self.ready, &over.ready);
        take(&mut self.reload, &over.reload);
        take(&mut self.fence, &over.fence);
        extend(&mut self.environment, &over.environment);
        take(&mut self.user, &over.user);
        take(&mut self.user_id, &over.user_id);
        take(&mut self.group, &over.group);
        take(&mut self.group_id, &over.group_id);
        take(&mut self.working_dir, &over.working_dir);
        take(&mut self.on_success, &over.on_success);
        take(&mut self.on_failure, &over.on_failure);
        extend(&mut self.on_check_failure, &over.on_check_failure);
        take(&mut self.backoff_delay, &over.backoff_delay);
        take(&mut self.backoff_factor, &over.backoff_factor);
        take(&mut self.backoff_limit, &over.backoff_limit);
        take(&mut self.kill_signal, &over.kill_signal);
        take(&mut self.kill_delay, &over.kill_delay);
    }

    pub fn startup(&self) -> Startup {
        self.startup.unwrap_or(Startup::Disabled)
    }

    pub fn kind(&self) -> Kind {
        self.kind.unwrap_or_default()
    }

    /// 0: an instance for each request.
    pub fn reuse(&self) -> u32 {
        self.reuse.unwrap_or(0)
    }

    pub fn concurrency(&self) -> u32 {
        self.concurrency.unwrap_or(CONCURRENCY)
    }

    pub fn request_timeout(&self) -> Duration {
        self.request_timeout.unwrap_or(Duration::from_secs(30))
    }

    pub fn once(&self) -> bool {
        self.once.unwrap_or(false)
    }

    pub fn ready(&self) -> Ready {
        let default = || Ready::After(Duration::from_secs(1));
        self.ready.clone().unwrap_or_else(default)
    }

    pub fn reload(&self) -> Reload {
        self.reload.unwrap_or(Reload::Restart)
    }

    /// One that is to run once is not started again when it ended well.
    pub fn on_success(&self) -> OnSuccess {
        self.on_success.unwrap_or(match self.once() {
            true => OnSuccess::Ignore,
            false => OnSuccess::Restart,
        })
    }

    pub fn on_failure(&self) -> OnFailure {
        self.on_failure.unwrap_or(OnFailure::Restart)
    }

    /// Nothing, unless it is written.
    pub fn on_check_failure(&self, check: &str) -> OnCheckFailure {
        let written = self.on_check_failure.get(check).copied();
        written.unwrap_or(OnCheckFailure::Ignore)
    }

    pub fn backoff_delay(&self) -> Duration {
        self.backoff_delay.unwrap_or(Duration::from_millis(500))
    }

    pub fn backoff_factor(&self) -> f64 {
        self.backoff_factor.unwrap_or(2.0)
    }

    pub fn backoff_limit(&self) -> Duration {
        self.backoff_limit.unwrap_or(Duration::from_secs(30))
    }

    pub fn kill_signal(&self) -> Signal {
        self.kill_signal.unwrap_or(Signal::TERM)
    }

    pub fn kill_delay(&self) -> Duration {
        self.kill_delay.unwrap_or(Duration::from_secs(5))
    }
}
