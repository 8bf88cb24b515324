//! What a kept status has to read again after changes: which rows they name, and those rows.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::Hash;

use periapt_model::{ApplicationName, MachineId, ModelUuid, UnitName};
use periapt_wire::rest::RelationInfo;

use crate::changes::namespace as ns;
use crate::db::{Change, Session, Which};
use crate::views::application::{self, ApplicationRow};
use crate::views::machine::{self, MachineRow};
use crate::views::model::{self, ModelRow};
use crate::views::unit::{self, UnitRow};
use crate::{Result, lease, views};

/// Rows by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Names {
    pub model: bool,
    pub applications: BTreeSet<ApplicationName>,
    pub units: BTreeSet<UnitName>,
    pub machines: BTreeSet<MachineId>,
    pub relations: BTreeSet<u64>,
    /// Applications that may have another leader.
    pub leaders: BTreeSet<ApplicationName>,
}

impl Names {
    /// What the changes name; none when one of them may show anywhere.
    pub fn of(changes: &[Change]) -> Option<Self> {
        let mut names = Self::default();
        for change in changes {
            names.add(change.namespace, &change.key)?;
        }
        Some(names)
    }

    fn add(&mut self, namespace: &str, key: &str) -> Option<()> {
        match namespace {
            ns::MODEL => self.model = true,
            ns::APPLICATION | ns::APPLICATION_STATUS => {
                self.applications.insert(key.parse().ok()?);
            }
            ns::UNIT | ns::UNIT_STATUS | ns::PORT | ns::CONTAINER | ns::METER => {
                self.units.insert(key.parse().ok()?);
            }
            ns::MACHINE | ns::MACHINE_STATUS => {
                self.machines.insert(key.parse().ok()?);
            }
            ns::RELATION | ns::RELATION_STATUS => {
                self.relations.insert(key.parse().ok()?);
            }
            ns::LEASE => {
                if let Some(application) = key.strip_prefix(ns::LEADERSHIP) {
                    self.leaders.insert(application.parse().ok()?);
                }
            }
            ns::WAITING => match key.split_once('/')? {
                ("machine", id) => {
                    self.machines.insert(id.parse().ok()?);
                }
                ("relation", id) => {
                    self.relations.insert(id.parse().ok()?);
                }
                // What units wait for is not shown here.
                _ => {}
            },
            // Whether agents are there is asked each time. Nothing of a charm changes that is shown.
            // The others come with a change of what they are about.
            ns::PRESENCE
            | ns::CHARM
            | ns::CLEANUP
            | ns::UNIT_ASSIGNMENT
            | ns::MACHINE_UNITS
            | ns::MACHINE_REMOVAL
            | ns::APPLICATION_RELATIONS => {}
            other if !ns::shows_in_status(other) => {}
            _ => return None,
        }
        Some(())
    }

    pub fn len(&self) -> usize {
        let (applications, units) = (self.applications.len(), self.units.len());
        let (machines, relations) = (self.machines.len(), self.relations.len());
        applications + units + machines + relations + self.leaders.len()
    }
}

/// The named rows as they are now; what is not there is gone.
pub(super) struct News {
    pub names: Names,
    pub model: Option<ModelRow>,
    pub applications: HashMap<ApplicationName, ApplicationRow>,
    pub units: HashMap<UnitName, UnitRow>,
    pub machines: HashMap<MachineId, MachineRow>,
    pub relations: BTreeMap<u64, RelationInfo>,
    pub leaders: BTreeMap<ApplicationName, String>,
}

impl News {
    pub async fn read(db: &mut Session, of: &ModelUuid, names: Names) -> Result<Self> {
        let mut news = Self {
            model: None,
            applications: HashMap::new(),
            units: HashMap::new(),
            machines: HashMap::new(),
            relations: BTreeMap::new(),
            leaders: BTreeMap::new(),
            names,
        };
        let names = &news.names;
        if names.model {
            news.model = Some(model::row(db, of).await?);
        }
        if let Some(wanted) = list(&names.applications) {
            let found = application::rows(db, of, Which::Named(&wanted)).await?;
            news.applications = by(found, |row| row.name.clone());
        }
        if let Some(wanted) = list(&names.units) {
            let found = unit::rows(db, of, Which::Named(&wanted)).await?;
            news.units = by(found, |row| row.name.clone());
        }
        if let Some(wanted) = list(&names.machines) {
            let found = machine::rows(db, of, Which::Named(&wanted)).await?;
            news.machines = by(found, |row| row.id.clone());
        }
        if !names.relations.is_empty() {
            let wanted: Vec<u64> = names.relations.iter().copied().collect();
            let found = views::relation::without_versions(db, of, Some(&wanted)).await?;
            news.relations = found.into_iter().map(|row| (row.id, row)).collect();
        }
        if let Some(wanted) = list(&names.leaders) {
            let found = lease::rows::leaders(db, of, Which::Named(&wanted)).await?;
            news.leaders = found.into_iter().collect();
        }
        Ok(news)
    }
}

/// The names, unless there are none.
fn list<N: ToString>(names: &BTreeSet<N>) -> Option<Vec<String>> {
    (!names.is_empty()).then(|| names.iter().map(N::to_string).collect())
}

fn by<K: Eq + Hash, R>(rows: Vec<R>, key: impl Fn(&R) -> K) -> HashMap<K, R> {
    rows.into_iter().map(|row| (key(&row), row)).collect()
}
