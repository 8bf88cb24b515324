//! The rows that a status is made of, and how they hang together.

use std::collections::{BTreeMap, BTreeSet};

use periapt_model::{ApplicationName, MachineId, ModelUuid, UnitName};
use periapt_wire::rest::RelationInfo;

use crate::db::{Session, Which};
use crate::views::application::{self, ApplicationRow};
use crate::views::machine::{self, MachineRow};
use crate::views::model::{self, ModelRow};
use crate::views::unit::{self, UnitRow};
use crate::{Result, lease, views};

/// Everything a status is made of, as of one moment.
pub(super) struct Rows {
    pub model: ModelRow,
    pub applications: BTreeMap<ApplicationName, ApplicationRow>,
    /// By application and number.
    pub units: BTreeMap<ApplicationName, BTreeMap<u64, UnitRow>>,
    pub machines: BTreeMap<MachineId, MachineRow>,
    pub relations: BTreeMap<u64, RelationInfo>,
    /// Who leads each application.
    pub leaders: BTreeMap<ApplicationName, String>,
    /// The units of each machine, by application and number.
    inhabitants: BTreeMap<MachineId, BTreeSet<(ApplicationName, u64)>>,
    /// The subordinates of each principal.
    contained: BTreeMap<UnitName, BTreeSet<UnitName>>,
    /// The relations of each application.
    related: BTreeMap<ApplicationName, BTreeSet<u64>>,
}

impl Rows {
    /// All of a model.
    pub async fn load(db: &mut Session, of: &ModelUuid) -> Result<Self> {
        let applications = application::rows(db, of, Which::All).await?.into_iter();
        let leaders = lease::rows::leaders(db, of, Which::All).await?;
        let mut rows = Self {
            model: model::row(db, of).await?,
            applications: applications.map(|row| (row.name.clone(), row)).collect(),
            units: BTreeMap::new(),
            machines: BTreeMap::new(),
            relations: BTreeMap::new(),
            leaders: leaders.into_iter().collect(),
            inhabitants: BTreeMap::new(),
            contained: BTreeMap::new(),
            related: BTreeMap::new(),
        };
        for unit in unit::rows(db, of, Which::All).await? {
            rows.put_unit(unit);
        }
        let machines = machine::rows(db, of, Which::All).await?.into_iter();
        rows.machines = machines.map(|row| (row.id.clone(), row)).collect();
        for relation in views::relation::without_versions(db, of, None).await? {
            rows.put_relation(relation);
        }
        Ok(rows)
    }

    pub fn unit(&self, name: &UnitName) -> Option<&UnitRow> {
        self.units.get(&name.application())?.get(&name.number())
    }

    pub fn units_of(&self, application: &ApplicationName) -> impl Iterator<Item = &UnitRow> {
        self.units
            .get(application)
            .into_iter()
            .flat_map(BTreeMap::values)
    }

    pub fn units_on(&self, machine: &MachineId) -> impl Iterator<Item = UnitName> {
        let there = self.inhabitants.get(machine).into_iter().flatten();
        there.map(|(application, number)| UnitName::new(application, *number))
    }

    pub fn subordinates(&self, principal: &UnitName) -> impl Iterator<Item = &UnitRow> {
        let within = self.contained.get(principal).into_iter().flatten();
        within.filter_map(|name| self.unit(name))
    }

    pub fn relations_of(&self, application: &ApplicationName) -> Vec<&RelationInfo> {
        let own = self.related.get(application).into_iter().flatten();
        own.filter_map(|id| self.relations.get(id)).collect()
    }

    /// Puts a unit in the place of its row of before, which is returned.
    pub fn put_unit(&mut self, row: UnitRow) -> Option<UnitRow> {
        let before = self.take_unit(&row.name);
        let (application, number) = (row.name.application(), row.name.number());
        if let Some(machine) = &row.machine {
            let there = self.inhabitants.entry(machine.clone()).or_default();
            there.insert((application.clone(), number));
        }
        if let Some(principal) = &row.principal {
            let within = self.contained.entry(principal.clone()).or_default();
            within.insert(row.name.clone());
        }
        let own = self.units.entry(application).or_default();
        own.insert(number, row);
        before
    }

    pub fn take_unit(&mut self, name: &UnitName) -> Option<UnitRow> {
        let (application, number) = (name.application(), name.number());
        let row = take(&mut self.units, &application, |units| {
            (units.remove(&number), units.is_empty())
        })?;
        if let Some(machine) = &row.machine {
            take(&mut self.inhabitants, machine, |there| {
                there.remove(&(application, number));
                (None::<()>, there.is_empty())
            });
        }
        if let Some(principal) = &row.principal {
            take(&mut self.contained, principal, |within| {
                within.remove(name);
                (None::<()>, within.is_empty())
            });
        }
        Some(row)
    }

    pub fn put_relation(&mut self, relation: RelationInfo) -> Option<RelationInfo> {
        let before = self.take_relation(relation.id);
        for end in &relation.endpoints {
            let own = self.related.entry(end.application.clone()).or_default();
            own.insert(relation.id);
        }
        self.relations.insert(relation.id, relation);
        before
    }

    pub fn take_relation(&mut self, id: u64) -> Option<RelationInfo> {
        let relation = self.relations.remove(&id)?;
        for end in &relation.endpoints {
            take(&mut self.related, &end.application, |own| {
                own.remove(&id);
                (None::<()>, own.is_empty())
            });
        }
        Some(relation)
    }
}

/// What `from` takes out of the part at `key`; an empty part goes.
fn take<K: Ord, P, T>(
    parts: &mut BTreeMap<K, P>,
    key: &K,
    from: impl FnOnce(&mut P) -> (Option<T>, bool),
) -> Option<T> {
    let (taken, empty) = from(parts.get_mut(key)?);
    if empty {
        parts.remove(key);
    }
    taken
}
