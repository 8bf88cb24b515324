//! The texts that an answer is put together of: one for everything that has a name in it.

use std::collections::{BTreeMap, BTreeSet};

use periapt_model::{ApplicationName, MachineId, UnitName};
use periapt_wire::rest::RelationInfo;
use periapt_wire::status::FullStatus;
use serde::Serialize;

use super::assemble::container;
use super::shown::View;
use crate::db::to_json;
use crate::views::unit::UnitRow;
use crate::{DatabaseError, Result};

/// JSON, each with its name in front where it is a member.
#[derive(Default)]
pub(super) struct Texts {
    /// Principal units with those in their containers, by application.
    units: BTreeMap<ApplicationName, BTreeMap<UnitName, String>>,
    /// Up to the units, and what follows them.
    applications: BTreeMap<ApplicationName, [String; 2]>,
    machines: BTreeMap<MachineId, String>,
    relations: BTreeMap<u64, String>,
    /// Of the last answer.
    length: usize,
}

/// Bytes beyond the last answer that the next one may have.
const ROOM: usize = 4_096;

/// What has to be written anew.
#[derive(Default)]
pub(super) struct Stale {
    pub applications: BTreeSet<ApplicationName>,
    pub units: BTreeSet<UnitName>,
    pub machines: BTreeSet<MachineId>,
    pub relations: BTreeSet<u64>,
}

impl Stale {
    /// A unit is in the text of its principal, in its application's status and, while its machine
    /// goes, among what that waits for.
    pub fn unit(&mut self, name: &UnitName, row: Option<&UnitRow>) {
        self.units.insert(name.clone());
        self.applications.insert(name.application());
        self.units.extend(row.and_then(|row| row.principal.clone()));
        self.machines
            .extend(row.and_then(|row| row.machine.clone()));
    }

    /// The ends of a relation name it, and those that are subordinate each other.
    pub fn ends(&mut self, relation: &RelationInfo) {
        let ends = relation.endpoints.iter();
        self.applications
            .extend(ends.map(|end| end.application.clone()));
    }
}

impl Texts {
    /// Writes anew what is stale; what is not there any more goes.
    pub fn write(&mut self, view: &View<'_>, stale: Stale) -> Result<()> {
        let rows = view.rows;
        for name in stale.applications {
            match rows.applications.get(&name) {
                Some(row) => {
                    let text = member(&name, &view.application(row, BTreeMap::new()))?;
                    let parts = match row.subordinate {
                        true => [text, String::new()],
                        false => around(text, "units")?,
                    };
                    self.applications.insert(name, parts);
                }
                None => {
                    self.applications.remove(&name);
                }
            }
        }
        let containers: BTreeSet<UnitName> = stale
            .units
            .into_iter()
            .map(|name| {
                let principal = rows.unit(&name).and_then(|row| row.principal.clone());
                principal.unwrap_or(name)
            })
            .collect();
        for name in containers {
            let own = self.units.entry(name.application()).or_default();
            match rows.unit(&name).filter(|row| row.principal.is_none()) {
                Some(row) => {
                    let unit = container(view, row, rows.subordinates(&name));
                    own.insert(name.clone(), member(&name, &unit)?);
                }
                None => {
                    own.remove(&name);
                }
            }
            if own.is_empty() {
                self.units.remove(&name.application());
            }
        }
        for id in stale.machines {
            match rows.machines.get(&id) {
                Some(row) => {
                    let text = member(&id, &view.machine(row))?;
                    self.machines.insert(id, text);
                }
                None => {
                    self.machines.remove(&id);
                }
            }
        }
        for id in stale.relations {
            match rows.relations.get(&id).filter(|of| view.has_end(of)) {
                Some(relation) => {
                    self.relations
                        .insert(id, to_json(&view.relation(relation))?);
                }
                None => {
                    self.relations.remove(&id);
                }
            }
        }
        Ok(())
    }

    /// The whole answer, as of a time in words.
    pub fn answer(&mut self, view: &View<'_>, time: String) -> Result<Vec<u8>> {
        let frame = to_json(&FullStatus {
            model: view.model(),
            controller_timestamp: time,
            ..FullStatus::default()
        })?;
        let [to_machines, rest] = around(frame, "machines")?;
        let [to_applications, rest] = around(rest, "applications")?;
        let [to_relations, end] = around(rest, "relations")?;
        // A little may have come since.
        let mut answer = Vec::with_capacity(self.length + self.length / 64 + ROOM);
        answer.extend_from_slice(to_machines.as_bytes());
        list(&mut answer, self.machines.values());
        answer.extend_from_slice(to_applications.as_bytes());
        for (number, (name, [head, tail])) in self.applications.iter().enumerate() {
            if number > 0 {
                answer.push(b',');
            }
            answer.extend_from_slice(head.as_bytes());
            // Those of a subordinate application are within their principals.
            if !tail.is_empty() {
                let own = self.units.get(name).into_iter();
                list(&mut answer, own.flat_map(BTreeMap::values));
            }
            answer.extend_from_slice(tail.as_bytes());
        }
        answer.extend_from_slice(to_relations.as_bytes());
        list(&mut answer, self.relations.values());
        answer.extend_from_slice(end.as_bytes());
        self.length = answer.len();
        Ok(answer)
    }
}

fn list<'a>(answer: &mut Vec<u8>, texts: impl Iterator<Item = &'a String>) {
    for (number, text) in texts.enumerate() {
        if number > 0 {
            answer.push(b',');
        }
        answer.extend_from_slice(text.as_bytes());
    }
}

/// `"name":value`.
fn member(name: &impl Serialize, value: &impl Serialize) -> Result<String> {
    let (mut text, value) = (to_json(name)?, to_json(value)?);
    text.reserve(value.len() + 1);
    text.push(':');
    text.push_str(&value);
    Ok(text)
}

/// A text in two, between the brackets of a member that is empty. No text in it can repeat the mark,
/// since its quotes are escaped.
fn around(text: String, member: &str) -> Result<[String; 2]> {
    for empty in ["{}", "[]"] {
        let mark = format!("\"{member}\":{empty}");
        if let Some(at) = text.find(&mark) {
            let (before, after) = text.split_at(at + mark.len() - 1);
            return Ok([before.to_owned(), after.to_owned()]);
        }
    }
    Err(DatabaseError::Internal {
        message: format!("a status has no \"{member}\" that is empty"),
    }
    .into())
}
