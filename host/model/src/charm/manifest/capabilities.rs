//! What a charm may ask for beyond what every charm has (files of its own, clock, random
//! numbers and the interfaces of its world).
//!
//! What this version cannot grant is refused when the charm is read, instead of failing in a
//! hook. There are `shared`, directories that a principal and its subordinates share, and `workload`,
//! what the services of its containers may have.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use super::{Access, ManifestError};
use crate::bounds::SHARED_DIRECTORIES;
use crate::charm::workload::{self, Workload};

/// The names of the capabilities that can be granted.
pub const KNOWN: &[&str] = &["shared", "workload"];

/// Directories that one charm may share. A principal has a handful of subordinates; more names than
/// this are a mistake.
const DIRECTORIES: usize = SHARED_DIRECTORIES.length();

/// The part of a file, as written: names, or names with what is asked for under each.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum Asked {
    Names(Vec<String>),
    Table(BTreeMap<String, serde_json::Value>),
}

/// What is asked for, checked.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Capabilities {
    pub shared: BTreeMap<String, Access>,
    pub workload: BTreeMap<String, Workload>,
}

impl Capabilities {
    pub fn read(
        asked: Option<Asked>,
        file: &'static str,
        containers: &BTreeSet<&str>,
    ) -> Result<Self, ManifestError> {
        let table = match asked {
            None => return Ok(Self::default()),
            Some(Asked::Table(table)) => table,
            // A name alone asks for nothing in particular, which each capability judges.
            Some(Asked::Names(names)) => {
                let bare = serde_json::Value::Bool(true);
                names.into_iter().map(|name| (name, bare.clone())).collect()
            }
        };
        let mut found = Self::default();
        for (name, what) in table {
            match name.as_str() {
                "shared" => found.shared = shared(&what, file)?,
                "workload" => {
                    let read = workload::read(&what, containers);
                    found.workload = read.map_err(|reason| ManifestError::CapabilityInvalid {
                        file,
                        name: "workload",
                        reason,
                    })?;
                }
                _ => {
                    return Err(ManifestError::Capability {
                        file,
                        name,
                        known: KNOWN.join(", "),
                    });
                }
            }
        }
        Ok(found)
    }
}

impl Capabilities {
    /// What an operator reads: `shared/logs (read-write)`.
    pub fn words(&self) -> Vec<String> {
        let shared = self.shared.iter().map(|(name, access)| {
            let access = match access {
                Access::ReadOnly => "read-only",
                Access::ReadWrite => "read-write",
            };
            format!("shared/{name} ({access})")
        });
        let workload = self.workload.iter();
        let workload = workload.map(|(container, workload)| workload.words(container));
        shared.chain(workload).collect()
    }
}

fn shared(
    what: &serde_json::Value,
    file: &'static str,
) -> Result<BTreeMap<String, Access>, ManifestError> {
    let invalid = |reason: String| ManifestError::CapabilityInvalid {
        file,
        name: "shared",
        reason,
    };
    let entries = match what {
        serde_json::Value::Null => return Ok(BTreeMap::new()),
        serde_json::Value::Object(entries) => entries,
        _ => {
            return Err(invalid(
                "name the directories, as in shared: {NAME: read-only}".to_owned(),
            ));
        }
    };
    if entries.len() > DIRECTORIES {
        return Err(invalid(format!(
            "{} directories, {DIRECTORIES} at most",
            entries.len()
        )));
    }
    entries
        .iter()
        .map(|(name, access)| {
            if !is_directory_name(name) {
                return Err(invalid(format!(
                    "\"{name}\" is not a name of a directory: start with a lower-case letter, go on with lower-case letters, digits and dashes, 64 at most"
                )));
            }
            let access = match access.as_str() {
                Some("read-only") => Access::ReadOnly,
                Some("read-write") => Access::ReadWrite,
                _ => {
                    return Err(invalid(format!(
                        "write read-only or read-write for \"{name}\", not {access}"
                    )));
                }
            };
            Ok((name.clone(), access))
        })
        .collect()
}

/// The name becomes one of a directory on the host and in the sandbox.
fn is_directory_name(name: &str) -> bool {
    name.len() <= 64
        && name.starts_with(|c: char| c.is_ascii_lowercase())
        && name
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
}
