//! A layer as a charm writes it: Pebble's services and checks, with keys of ours.
//!
//! Every key but `override` may be left out, so that a layer can merge into those below; what a
//! missing key means is asked of the methods of [`Service`] and [`Check`], and nowhere written
//! down. So a plan shows what its charm wrote, as Pebble's does, and an explicit default is no
//! difference. Values have one way to be written (`60s` and `1m` are the same `60s`) and names are
//! in order: equal values are equal text.
//!
//! Source: Pebble's public layer specification.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

mod check;
mod read;
mod service;
#[cfg(test)]
mod tests;
mod value;

pub use check::{Check, ExecProbe, HttpProbe, Level, Probe, TcpProbe};
pub use service::{CONCURRENCY, Fence, Kind, OnCheckFailure, OnFailure, OnSuccess, Service};
pub use value::{Ready, Reload, Signal};

/// How an entry joins one of the same name in the layers below.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Override {
    /// What it says wins, key by key; lists grow, and maps merge.
    Merge,
    Replace,
}

/// Whether a service or a check is started without being asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Startup {
    Enabled,
    Disabled,
}

impl Startup {
    /// Its word, as it is written.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Enabled => "enabled",
            Self::Disabled => "disabled",
        }
    }
}

/// One layer. It is sound by itself once it came from [`Layer::parse`]; whether all layers together
/// are is the plan's to say.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case", deny_unknown_fields)]
pub struct Layer {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    #[serde(
        skip_serializing_if = "BTreeMap::is_empty",
        deserialize_with = "value::map"
    )]
    pub services: BTreeMap<String, Service>,
    #[serde(
        skip_serializing_if = "BTreeMap::is_empty",
        deserialize_with = "value::map"
    )]
    pub checks: BTreeMap<String, Check>,
    /// Known, so that it is refused with its own words.
    #[serde(skip_serializing)]
    log_targets: Option<serde::de::IgnoredAny>,
}

impl Layer {
    /// Puts `over` on top: entry by entry, each as its `override` says.
    pub fn merge(&mut self, over: &Layer) {
        take(&mut self.summary, &over.summary);
        take(&mut self.description, &over.description);
        for (name, service) in &over.services {
            match self.services.get_mut(name) {
                Some(below) if service.overrides == Some(Override::Merge) => below.merge(service),
                _ => {
                    self.services.insert(name.clone(), service.clone());
                }
            }
        }
        for (name, check) in &over.checks {
            match self.checks.get_mut(name) {
                Some(below) if check.overrides == Some(Override::Merge) => below.merge(check),
                _ => {
                    self.checks.insert(name.clone(), check.clone());
                }
            }
        }
    }
}

/// `over`, where it says something.
fn take<T: Clone>(below: &mut Option<T>, over: &Option<T>) {
    if over.is_some() {
        below.clone_from(over);
    }
}

/// What `over` has and `below` has not, at the end.
fn append(below: &mut Vec<String>, over: &[String]) {
    for name in over {
        if !below.contains(name) {
            below.push(name.clone());
        }
    }
}

/// The keys of both; a key of both as `over` has it.
fn extend<V: Clone>(below: &mut BTreeMap<String, V>, over: &BTreeMap<String, V>) {
    below.extend(over.iter().map(|(key, value)| (key.clone(), value.clone())));
}
