//! A check of a layer.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{Override, Startup, extend, take, value};

/// What a check says of its unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    #[default]
    Unset,
    Alive,
    /// It decides who gets requests.
    Ready,
}

impl Level {
    /// Its word, as it is written; empty where nothing is.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unset => "",
            Self::Alive => "alive",
            Self::Ready => "ready",
        }
    }
}

/// A request that is answered with 2xx.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct HttpProbe {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    #[serde(
        deserialize_with = "value::map",
        skip_serializing_if = "BTreeMap::is_empty"
    )]
    pub headers: BTreeMap<String, String>,
}

/// A port that can be connected to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct TcpProbe {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub port: Option<u16>,
    /// The unit itself, unless it is written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
}

/// A command that exits with 0.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct ExecProbe {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// The service whose user, environment and directory it has unless it says otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service_context: Option<String>,
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
}

/// How a check looks. Exactly one of them is in a check of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Probe<'a> {
    Http(&'a HttpProbe),
    Tcp(&'a TcpProbe),
    Exec(&'a ExecProbe),
}

/// A check as layers have it: the fields are what is written, the methods what holds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct Check {
    #[serde(rename = "override", skip_serializing_if = "Option::is_none")]
    pub overrides: Option<Override>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<Level>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub startup: Option<Startup>,
    #[serde(with = "value::duration", skip_serializing_if = "Option::is_none")]
    pub period: Option<Duration>,
    #[serde(with = "value::duration", skip_serializing_if = "Option::is_none")]
    pub timeout: Option<Duration>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threshold: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub http: Option<HttpProbe>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tcp: Option<TcpProbe>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exec: Option<ExecProbe>,
}

impl Check {
    pub(super) fn merge(&mut self, over: &Check) {
        take(&mut self.level, &over.level);
        take(&mut self.startup, &over.startup);
        take(&mut self.period, &over.period);
        take(&mut self.timeout, &over.timeout);
        take(&mut self.threshold, &over.threshold);
        if let Some(over) = &over.http {
            let below = self.http.get_or_insert_default();
            take(&mut below.url, &over.url);
            extend(&mut below.headers, &over.headers);
        }
        if let Some(over) = &over.tcp {
            let below = self.tcp.get_or_insert_default();
            take(&mut below.port, &over.port);
            take(&mut below.host, &over.host);
        }
        if let Some(over) = &over.exec {
            let below = self.exec.get_or_insert_default();
            take(&mut below.command, &over.command);
            take(&mut below.service_context, &over.service_context);
            extend(&mut below.environment, &over.environment);
            take(&mut below.user, &over.user);
            take(&mut below.user_id, &over.user_id);
            take(&mut below.group, &over.group);
            take(&mut below.group_id, &over.group_id);
            take(&mut below.working_dir, &over.working_dir);
        }
    }

    /// Checks run unless it is written that they do not.
    pub fn startup(&self) -> Startup {
        self.startup.unwrap_or(Startup::Enabled)
    }

    pub fn level(&self) -> Level {
        self.level.unwrap_or_default()
    }

    pub fn period(&self) -> Duration {
        self.period.unwrap_or(Duration::from_secs(10))
    }

    pub fn timeout(&self) -> Duration {
        self.timeout.unwrap_or(Duration::from_secs(3))
    }

    /// Failures one after the other until the check is down.
    pub fn threshold(&self) -> u32 {
        self.threshold.unwrap_or(3)
    }

    /// None unless there is exactly one.
    pub fn probe(&self) -> Option<Probe<'_>> {
        match (&self.http, &self.tcp, &self.exec) {
            (Some(http), None, None) => Some(Probe::Http(http)),
            (None, Some(tcp), None) => Some(Probe::Tcp(tcp)),
            (None, None, Some(exec)) => Some(Probe::Exec(exec)),
            _ => None,
        }
    }
}
