//! What the services of a charm's containers may have: `capabilities.workload.NAME`.
//!
//! It says where the container's programs come from, which of the charm's own files it sees, and the
//! ports at which it may answer, with the charm's reason in words. What this version cannot give is
//! refused when the charm is read.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::capability::read::reason;
use crate::ports::{PortRange, Protocol};

#[cfg(test)]
mod tests;

/// Directories that one container sees.
const FILES: usize = 16;
/// Ranges of ports that one container may answer at.
const PORTS: usize = 16;

/// Where the programs of a container come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Root {
    /// There are none: its services are components of the charm.
    #[default]
    None,
}

/// What one container may have.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Workload {
    #[serde(default)]
    #[schema(required = true)]
    pub root: Root,
    /// Paths below the unit's `/state`, and where services find them, to read.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, String>,
    /// The most at which services may answer and that the charm may open.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schema(value_type = Vec<String>)]
    pub ports: Vec<PortRange>,
    /// The charm's reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

impl Workload {
    /// What an operator reads: `answers at 80/tcp, reads /state/site as /site`.
    #[must_use]
    pub fn words(&self) -> String {
        let mut parts = Vec::new();
        if !self.ports.is_empty() {
            let ports: Vec<String> = self.ports.iter().map(PortRange::to_string).collect();
            parts.push(format!("answers at {}", ports.join(" and ")));
        }
        for (from, to) in &self.files {
            parts.push(format!("reads /state/{from} as {to}"));
        }
        if parts.is_empty() {
            parts.push("runs components of the charm".to_owned());
        }
        parts.join(", ")
    }
}

/// The part of a file under `workload`, by the containers that the charm declares.
pub(super) fn read(
    what: &Value,
    containers: &BTreeSet<&str>,
) -> Result<BTreeMap<String, Workload>, String> {
    let entries = match what {
        Value::Null => return Ok(BTreeMap::new()),
        Value::Object(entries) => entries,
        _ => {
            return Err("name the containers, as in workload: {web: {ports: [80/tcp]}}".to_owned());
        }
    };
    let each = entries.iter().map(|(name, value)| {
        if !containers.contains(name.as_str()) {
            return Err(format!(
                "\"{name}\" is not among the containers of the metadata{}",
                crate::nearest::suggestion(name, containers.iter().copied())
            ));
        }
        let workload = container(value).map_err(|reason| format!("\"{name}\": {reason}"))?;
        Ok((name.clone(), workload))
    });
    each.collect()
}

pub(super) const KEYS: &[&str] = &["root", "files", "ports", "why"];

fn container(value: &Value) -> Result<Workload, String> {
    let entries = match value {
        Value::Null => return Ok(Workload::default()),
        Value::Object(entries) => entries,
        _ => return Err("say what it may have, as in {ports: [80/tcp]}".to_owned()),
    };
    let mut found = Workload::default();
    for (key, value) in entries {
        match key.as_str() {
            "root" => root(value)?,
            "files" => found.files = files(value)?,
            "ports" => found.ports = ports(value)?,
            "why" => found.why = Some(why(value)?),
            "programs" => {
                return Err(
                    "programs are of the machine, which this version does not run; components of the charm need no entry"
                        .to_owned(),
                );
            }
            _ => {
                let nearest = crate::nearest::suggestion(key, KEYS.iter().copied());
                return Err(format!(
                    "\"{key}\" is not known; there are {}{nearest}",
                    KEYS.join(", ")
                ));
            }
        }
    }
    Ok(found)
}

fn root(value: &Value) -> Result<(), String> {
    match value.as_str() {
        Some("none") => Ok(()),
        Some(root @ ("machine" | "image")) => Err(format!(
            "root: {root} is for programs, which this version does not run; components of the charm need root: none"
        )),
        _ => Err(format!("root is none, not {value}")),
    }
}

fn files(value: &Value) -> Result<BTreeMap<String, String>, String> {
    let Value::Object(entries) = value else {
        return Err("files is a table, as in {site: /site}".to_owned());
    };
    if entries.len() > FILES {
        return Err(format!(
            "files has {} entries, {FILES} at most",
            entries.len()
        ));
    }
    let each = entries.iter().map(|(from, to)| {
        let to = to.as_str().unwrap_or_default();
        let below = from.split('/').all(is_part);
        let absolute = to.strip_prefix('/').is_some_and(|to| to.split('/').all(is_part));
        match below && absolute {
            true => Ok((from.clone(), to.to_owned())),
            false => Err(format!(
                "\"{from}\": write a path below the unit's /state and an absolute one, as in site: /site"
            )),
        }
    });
    each.collect()
}

fn is_part(part: &str) -> bool {
    !part.is_empty()
        && part.len() <= 64
        && !part.starts_with('.')
        && part
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
}

fn ports(value: &Value) -> Result<Vec<PortRange>, String> {
    let Value::Array(entries) = value else {
        return Err("ports is a list, as in [80/tcp]".to_owned());
    };
    if entries.len() > PORTS {
        return Err(format!(
            "ports has {} entries, {PORTS} at most",
            entries.len()
        ));
    }
    let each = entries.iter().map(|entry| {
        let range: PortRange = entry.as_str().unwrap_or_default().parse()?;
        match range.protocol {
            Protocol::Tcp => Ok(range),
            _ => Err(format!("{range}: services answer over tcp")),
        }
    });
    each.collect()
}

fn why(value: &Value) -> Result<String, String> {
    let text = value.as_str().ok_or("why is a text")?;
    reason(text).ok_or_else(|| "why is empty; say what the container is for".to_owned())
}
