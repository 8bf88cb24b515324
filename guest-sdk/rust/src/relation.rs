//! Relations: what happens to them, and what both ends tell each other.

use std::collections::BTreeMap;
use std::fmt;

use crate::event::attribute;
use crate::host::HostRef;
use crate::{Error, Level, Result};
#[cfg(target_family = "wasm")]
use crate::{log::LogHost, unit::UnitHost};

pub(crate) mod data;
mod host;
#[cfg(test)]
mod tests;

pub use data::{RelationData, VERSION_KEY};
pub use host::RelationHost;

/// What happened to a relation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RelationHook {
    /// The relation is there. Nobody has been seen in it yet.
    Created,
    /// A unit at the other end came.
    Joined,
    /// A unit or the application at the other end said something new; once after each join in
    /// any case.
    Changed,
    /// A unit at the other end went, or this one is going.
    Departed,
    /// The relation is over; the last hook of it.
    Broken,
}

impl RelationHook {
    /// All of them, in the order in which a relation sees them.
    pub const ALL: &'static [RelationHook] = &[
        RelationHook::Created,
        RelationHook::Joined,
        RelationHook::Changed,
        RelationHook::Departed,
        RelationHook::Broken,
    ];

    /// The word at the end of the hook's name.
    pub const fn as_str(self) -> &'static str {
        match self {
            RelationHook::Created => "created",
            RelationHook::Joined => "joined",
            RelationHook::Changed => "changed",
            RelationHook::Departed => "departed",
            RelationHook::Broken => "broken",
        }
    }

    /// The hook's name at an endpoint: `website-relation-joined`.
    pub fn name_at(self, endpoint: &str) -> String {
        format!("{endpoint}-relation-{}", self.as_str())
    }

    /// Endpoint and hook of a name, where it is one of a relation.
    pub fn split(name: &str) -> Option<(&str, RelationHook)> {
        let (endpoint, word) = name.rsplit_once("-relation-")?;
        let hook = RelationHook::ALL
            .iter()
            .find(|hook| hook.as_str() == word)?;
        Some((endpoint, *hook))
    }
}

impl fmt::Display for RelationHook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What happened to which relation, and who did it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelationEvent {
    /// What happened.
    pub hook: RelationHook,
    /// The endpoint of this charm.
    pub endpoint: String,
    /// The relation's id, `website:3`. [`Context::relation`](crate::Context::relation) takes it.
    pub relation: String,
    /// The application at the other end; in a peer relation the unit's own.
    pub remote_application: String,
    /// The unit that joined, changed or departed. None in created and broken, and in a changed
    /// that is about what the application said.
    pub remote_unit: Option<String>,
    /// In departed, the unit that goes: the remote one, or this one when it leaves itself.
    pub departing_unit: Option<String>,
}

impl RelationEvent {
    /// Whether this is about the unit leaving, not about others leaving it.
    pub fn is_departing(&self, unit: &str) -> bool {
        self.departing_unit.as_deref() == Some(unit)
    }

    pub(crate) fn read(
        endpoint: &str,
        hook: RelationHook,
        attributes: &[(String, String)],
    ) -> Result<Self, String> {
        let demand = |name| {
            attribute(attributes, name)
                .map(str::to_owned)
                .ok_or_else(|| format!("{}: the host gave no {name}", hook.name_at(endpoint)))
        };
        let optional = |name| attribute(attributes, name).map(str::to_owned);
        Ok(Self {
            hook,
            endpoint: endpoint.to_owned(),
            relation: demand("relation-id")?,
            remote_application: demand("remote-application")?,
            remote_unit: optional("remote-unit"),
            departing_unit: optional("departing-unit"),
        })
    }

    pub(crate) fn attributes(&self) -> Vec<(String, String)> {
        [
            ("relation", Some(&self.endpoint)),
            ("relation-id", Some(&self.relation)),
            ("remote-unit", self.remote_unit.as_ref()),
            ("remote-application", Some(&self.remote_application)),
            ("departing-unit", self.departing_unit.as_ref()),
        ]
        .into_iter()
        .filter_map(|(name, value)| Some((name.to_owned(), value?.clone())))
        .collect()
    }
}

/// A bag of settings that a unit may write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Bag {
    /// The unit's own.
    Unit,
    /// The one all units of its application share; the leader's alone to write.
    Application,
}

/// One relation of the unit.
///
/// Data goes as structs: see [`RelationData`]. What is published becomes visible to the other
/// end when the hook returns `Ok`, all of it together; this hook reads its own writes.
pub struct Relation<'a> {
    host: HostRef<'a>,
    id: String,
}

impl<'a> Relation<'a> {
    pub(crate) fn new(host: HostRef<'a>, id: impl Into<String>) -> Self {
        Self {
            host,
            id: id.into(),
        }
    }

    /// `website:3`.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Units at the other end that have joined and not departed, in order; in a peer relation
    /// the other units of the application.
    pub fn units(&self) -> Result<Vec<String>> {
        Ok(self.host.relation_units(&self.id)?)
    }

    /// The application at the other end; in a peer relation the unit's own.
    pub fn application(&self) -> Result<String> {
        Ok(self.host.relation_application(&self.id)?)
    }

    /// The model of the application at the other end.
    pub fn model_uuid(&self) -> Result<String> {
        Ok(self.host.relation_model_uuid(&self.id)?)
    }

    /// What a member published: a unit by its name, or an application for what its leader
    /// said. None while it has published nothing of `T`.
    ///
    /// A member whose data is newer than `T` is read as far as `T` knows it, with a warning in
    /// the log.
    ///
    /// # Errors
    /// [`Error::Relation`] where what it published does not fit `T`; it says whether the member
    /// is newer than this charm.
    pub fn data<T: RelationData>(&self, member: &str) -> Result<Option<T>> {
        let bag = self.settings(member)?;
        let version = data::version_of(&bag);
        let known = T::VERSION;
        let read = data::read(&bag).map_err(|reason| Error::Relation {
            relation: self.id.clone(),
            member: member.to_owned(),
            reason: match version {
                Some(version) if version > known => format!(
                    "{reason}; its data has version {version}, this charm knows version {known}: refresh this charm"
                ),
                _ => reason,
            },
        })?;
        if let (Some(version), Some(_)) = (version.filter(|version| *version > known), &read) {
            let text = format!(
                "{}: {member} publishes version {version} of its data, this charm knows version \
                 {known}: what is new in it is not read",
                self.id
            );
            self.host.log(Level::Warning, &text);
        }
        Ok(read)
    }

    /// What the application at the other end says by its leader.
    pub fn application_data<T: RelationData>(&self) -> Result<Option<T>> {
        self.data(&self.application()?)
    }

    /// What each joined unit published, those left out that published nothing yet. One whose data does not
    /// fit `T` fails the call: see [`Relation::each_units_data`].
    pub fn units_data<T: RelationData>(&self) -> Result<BTreeMap<String, T>> {
        let mut found = BTreeMap::new();
        for unit in self.units()? {
            if let Some(data) = self.data(&unit)? {
                found.insert(unit, data);
            }
        }
        Ok(found)
    }

    /// As [`Relation::units_data`], where a unit whose data does not fit `T` stands with its error among the
    /// others and fails nothing.
    pub fn each_units_data<T: RelationData>(&self) -> Result<BTreeMap<String, Result<T>>> {
        let mut found = BTreeMap::new();
        for unit in self.units()? {
            match self.data(&unit) {
                Ok(Some(data)) => found.insert(unit, Ok(data)),
                Ok(None) => None,
                Err(error @ Error::Relation { .. }) => found.insert(unit, Err(error)),
                // The host refuses, which is no unit's doing.
                Err(error) => return Err(error),
            };
        }
        Ok(found)
    }

    /// The version of the data that a member published; none where it says none.
    pub fn data_version(&self, member: &str) -> Result<Option<u32>> {
        Ok(data::version_of(&self.settings(member)?))
    }

    /// Publishes `data` as this unit's. Only what changed is written; true says that something
    /// did. Keys of the bag that `T` does not have stay as they are.
    pub fn publish<T: RelationData>(&self, data: &T) -> Result<bool> {
        self.write(Bag::Unit, &self.host.unit_name(), data)
    }

    /// Publishes `data` as the application's. Leader only.
    pub fn publish_application<T: RelationData>(&self, data: &T) -> Result<bool> {
        let own = own_application(self.host);
        self.write(Bag::Application, &own, data)
    }

    /// The bag of a member as text, without a struct. Every unit's holds `ingress-address`,
    /// `private-address` and `egress-subnets`, which the host writes.
    pub fn settings(&self, member: &str) -> Result<BTreeMap<String, String>> {
        let bag = self.host.relation_get(&self.id, member)?;
        Ok(bag.into_iter().collect())
    }

    /// Changes keys of an own bag as text; none, or an empty text, deletes.
    pub fn set(&self, bag: Bag, settings: &[(&str, Option<&str>)]) -> Result<()> {
        let owned: Vec<(String, Option<String>)> = settings
            .iter()
            .map(|(key, value)| ((*key).to_owned(), value.map(str::to_owned)))
            .collect();
        Ok(self.host.relation_set(&self.id, bag, &owned)?)
    }

    fn write<T: RelationData>(&self, bag: Bag, own: &str, data: &T) -> Result<bool> {
        let wanted = data::write(data).map_err(|reason| Error::Relation {
            relation: self.id.clone(),
            member: own.to_owned(),
            reason,
        })?;
        let changes = data::changes(wanted, &self.settings(own)?);
        if changes.is_empty() {
            return Ok(false);
        }
        self.host.relation_set(&self.id, bag, &changes)?;
        Ok(true)
    }
}

/// The application of the unit that runs the hook.
pub(crate) fn own_application(host: HostRef<'_>) -> String {
    let unit = host.unit_name();
    match unit.rsplit_once('/') {
        Some((application, _)) => application.to_owned(),
        None => unit,
    }
}
