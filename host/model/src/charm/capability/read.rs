//! Reading what a charm declares: `capabilities.yaml`, or the key `capabilities` of its main file.
//!
//! Each entry has the charm's reason under `why`. The short form of a shared directory and a container may leave it
//! out; everything else is refused without. Storage is declared in the metadata, where its description is the reason.
//! What this version cannot grant is refused here, where the charm is read, and not in a hook.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::{Map, Value};

use super::egress::{Egress, Via};
use super::text::{is_directory_name, memory, not_a_directory, time, variable};
use super::{Capability, Declaration, Tools};
use crate::bounds::SHARED_DIRECTORIES;
use crate::charm::metadata::CharmMetadata;
use crate::charm::workload::{self, Workload};
use crate::charm::{Access, ManifestError};
use crate::nearest::suggestion;
use crate::ports::PortRange;
use crate::text::clean_line_at_most;

/// The keys.
pub(super) const KEYS: [&str; 8] = [
    "shared",
    "workload",
    "ports",
    "egress",
    "tools",
    "environment",
    "memory",
    "time",
];

/// Directories that one charm may share. A principal has a handful of subordinates; more names than
/// this are a mistake.
const DIRECTORIES: usize = SHARED_DIRECTORIES.length();
/// Entries under `ports`, `egress` and `environment` each.
pub(super) const ENTRIES: usize = 32;
/// Bytes of a reason.
pub(super) const REASON_BYTES: usize = 400;

/// The part of a file, as written: names, or names with what is asked for under each.
#[derive(Deserialize)]
#[serde(untagged)]
pub(in crate::charm) enum Asked {
    Names(Vec<String>),
    Table(BTreeMap<String, Value>),
}

/// What is asked for, checked.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::charm) struct Capabilities {
    pub declared: Declaration,
    pub shared: BTreeMap<String, Access>,
    pub workload: BTreeMap<String, Workload>,
}

impl Capabilities {
    pub fn read(
        asked: Option<Asked>,
        file: &'static str,
        metadata: &CharmMetadata,
    ) -> Result<Self, ManifestError> {
        let table = match asked {
            None => BTreeMap::new(),
            Some(Asked::Table(table)) => table,
            // A name alone asks for nothing in particular, which each capability judges.
            Some(Asked::Names(names)) => names
                .into_iter()
                .map(|name| (name, Value::Bool(true)))
                .collect(),
        };
        let mut found = Self::default();
        found.add_storage(metadata);
        for (name, what) in &table {
            let Some(key) = KEYS.into_iter().find(|key| *key == name.as_str()) else {
                return Err(unknown(file, name));
            };
            let read = match what {
                Value::Null => Ok(()),
                what => found.add(key, what, metadata),
            };
            read.map_err(|reason| ManifestError::CapabilityInvalid {
                file,
                name: key,
                reason,
            })?;
        }
        Ok(found)
    }

    fn add(&mut self, key: &str, what: &Value, metadata: &CharmMetadata) -> Result<(), String> {
        match key {
            "shared" => self.add_shared(what),
            "workload" => self.add_workload(what, metadata),
            "ports" => self.add_named(what, "{80/tcp: {why: …}}", |port| {
                port.parse::<PortRange>().map(Capability::Port)
            }),
            "tools" => self.add_named(what, "{secret: {why: …}}", |name| {
                let tools = name.parse::<Tools>();
                tools
                    .map(Capability::Tools)
                    .map_err(|error| error.to_string())
            }),
            "environment" => self.add_named(what, "{LANG: {why: …}}", |name| {
                let name = variable(name).map_err(|error| error.to_string())?;
                Ok(Capability::Environment { name })
            }),
            "egress" => self.add_egress(what),
            "memory" => self.add_limit(what, "{most: 128MiB, why: …}", |most| {
                let mebibytes = memory(most).map_err(|error| error.to_string())?;
                Ok(Capability::Memory { mebibytes })
            }),
            _ => self.add_limit(what, "{most: 5s, why: …}", |most| {
                let milliseconds = time(most).map_err(|error| error.to_string())?;
                Ok(Capability::Time { milliseconds })
            }),
        }
    }

    /// Storage of the metadata, each with its description as the reason.
    fn add_storage(&mut self, metadata: &CharmMetadata) {
        for (name, storage) in &metadata.storage {
            let access = match storage.read_only {
                true => Access::ReadOnly,
                false => Access::ReadWrite,
            };
            let name = name.clone();
            let capability = Capability::Storage { name, access };
            self.declared
                .insert(capability, reason(&storage.description));
        }
    }

    fn add_shared(&mut self, what: &Value) -> Result<(), String> {
        let Value::Object(entries) = what else {
            return Err("name the directories, as in shared: {NAME: read-only}".to_owned());
        };
        if entries.len() > DIRECTORIES {
            return Err(format!(
                "{} directories, {DIRECTORIES} at most",
                entries.len()
            ));
        }
        for (name, entry) in entries {
            if !is_directory_name(name) {
                return Err(not_a_directory(name).to_string());
            }
            let (access, why) = match entry {
                Value::Object(fields) => {
                    known(fields, name, &["access", "why"])?;
                    (fields.get("access"), Some(reason_of(fields, name)?))
                }
                short => (Some(short), None),
            };
            let read = access.and_then(Value::as_str).and_then(Access::of);
            let access = read.ok_or_else(|| match access {
                Some(other) => format!("write read-only or read-write for \"{name}\", not {other}"),
                None => format!("\"{name}\" has no access; write read-only or read-write"),
            })?;
            self.shared.insert(name.clone(), access);
            let directory = name.clone();
            self.declared
                .insert(Capability::Shared { directory, access }, why);
        }
        Ok(())
    }

    /// A container, and the ports at which its services may answer: the charm opens those as well.
    fn add_workload(&mut self, what: &Value, metadata: &CharmMetadata) -> Result<(), String> {
        let containers: BTreeSet<&str> = metadata.containers.keys().map(String::as_str).collect();
        self.workload = workload::read(what, &containers)?;
        for (name, one) in &self.workload {
            let container = name.clone();
            self.declared
                .insert(Capability::Workload { container }, one.why.clone());
            for port in &one.ports {
                self.declared
                    .insert(Capability::Port(*port), one.why.clone());
            }
        }
        Ok(())
    }

    /// Entries that have nothing but a name and a reason.
    fn add_named(
        &mut self,
        what: &Value,
        example: &str,
        read: impl Fn(&str) -> Result<Capability, String>,
    ) -> Result<(), String> {
        let Value::Object(entries) = what else {
            return Err(format!("write a table, as in {example}"));
        };
        at_most(entries.len())?;
        for (name, entry) in entries {
            let capability = read(name)?;
            let Value::Object(fields) = entry else {
                return Err(format!(
                    "\"{name}\" has no reason; write it, as in {example}"
                ));
            };
            known(fields, name, &["why"])?;
            let why = reason_of(fields, name)?;
            self.declared.insert(capability, Some(why));
        }
        Ok(())
    }

    fn add_egress(&mut self, what: &Value) -> Result<(), String> {
        let Value::Array(entries) = what else {
            return Err(
                "write a list, as in [{to: api.example.com:443, via: https, why: …}]".to_owned(),
            );
        };
        at_most(entries.len())?;
        for entry in entries {
            let none = Map::new();
            let fields = entry.as_object().unwrap_or(&none);
            let to = fields.get("to").and_then(Value::as_str).ok_or_else(|| {
                format!("{entry} names no destination; write {{to: api.example.com:443, via: https, why: …}}")
            })?;
            known(fields, to, &["to", "via", "why"])?;
            let via = fields.get("via").and_then(Value::as_str);
            let via =
                via.ok_or_else(|| format!("\"{to}\" has no via: write tcp, http or https"))?;
            let via = via.parse::<Via>().map_err(|error| error.to_string())?;
            let egress = Egress::of(to, via).map_err(|error| error.to_string())?;
            let why = reason_of(fields, to)?;
            self.declared.insert(Capability::Egress(egress), Some(why));
        }
        Ok(())
    }

    fn add_limit(
        &mut self,
        what: &Value,
        example: &str,
        read: impl Fn(&str) -> Result<Capability, String>,
    ) -> Result<(), String> {
        let Value::Object(fields) = what else {
            return Err(format!("write {example}, not {what}"));
        };
        known(fields, "it", &["most", "why"])?;
        let most = fields.get("most").and_then(Value::as_str);
        let most = most.ok_or_else(|| format!("it has no most; write {example}"))?;
        let capability = read(most)?;
        let why = reason_of(fields, most)?;
        self.declared.insert(capability, Some(why));
        Ok(())
    }
}

fn unknown(file: &'static str, name: &str) -> ManifestError {
    let hint = match name {
        "storage" => {
            "; storage is declared in the metadata, and its description is the reason".to_owned()
        }
        name => suggestion(name, KEYS),
    };
    ManifestError::Capability {
        file,
        name: name.to_owned(),
        known: KEYS.join(", "),
        hint,
    }
}

/// Refuses keys of an entry that nothing reads.
fn known(fields: &Map<String, Value>, of: &str, keys: &[&str]) -> Result<(), String> {
    match fields.keys().find(|key| !keys.contains(&key.as_str())) {
        None => Ok(()),
        Some(key) => Err(format!(
            "\"{key}\" of \"{of}\" is not known; there are {}{}",
            keys.join(", "),
            suggestion(key, keys.iter().copied())
        )),
    }
}

fn reason_of(fields: &Map<String, Value>, of: &str) -> Result<String, String> {
    let text = fields.get("why").and_then(Value::as_str);
    text.and_then(reason).ok_or_else(|| {
        format!(
            "\"{of}\" has no reason; write why: and what it is for, for the operator who reads it"
        )
    })
}

/// A reason as it is kept, unless there are no words in it.
pub(in crate::charm) fn reason(text: &str) -> Option<String> {
    let words = clean_line_at_most(text.trim(), REASON_BYTES);
    (!words.is_empty()).then_some(words)
}

fn at_most(entries: usize) -> Result<(), String> {
    match entries > ENTRIES {
        true => Err(format!("{entries} entries, {ENTRIES} at most")),
        false => Ok(()),
    }
}
