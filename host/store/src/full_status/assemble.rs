//! A status as a value: everything, or what patterns name with what stands or falls with it.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use periapt_model::{ApplicationName, MachineId, UnitName};
use periapt_wire::status::{FullStatus, UnitStatus};

use super::Presence;
use super::pattern::Patterns;
use super::rfc3339;
use super::rows::Rows;
use super::shown::View;
use crate::views::unit::UnitRow;

/// The machines whose agent is away.
pub(super) fn lost(rows: &Rows, presence: Presence<'_>) -> BTreeSet<MachineId> {
    let machines = rows.machines.values();
    machines
        .filter(|machine| !presence(&machine.host))
        .map(|machine| machine.id.clone())
        .collect()
}

pub(super) fn full_status(view: &View<'_>, patterns: &Patterns<'_>, now: i64) -> FullStatus {
    let rows = view.rows;
    let shown = Shown::new(view, patterns);
    let mut full = FullStatus {
        model: view.model(),
        controller_timestamp: rfc3339(now),
        ..FullStatus::default()
    };
    for row in rows.applications.values() {
        let name = row.name.as_str();
        let wanted = patterns.is_empty()
            || patterns.name(name)
            || shown.applications.contains(&row.name)
            || patterns.name(view.derived(row).status.as_str());
        if !wanted {
            continue;
        }
        let units = shown.units(view, &row.name);
        full.applications
            .insert(name.to_owned(), view.application(row, units));
    }
    full.relations = rows
        .relations
        .values()
        .filter(|relation| {
            let mut ends = relation.endpoints.iter();
            ends.any(|end| full.applications.contains_key(end.application.as_str()))
        })
        .map(|relation| view.relation(relation))
        .collect();
    for row in rows.machines.values() {
        let wanted = patterns.is_empty()
            || shown.machines.contains(&row.id)
            || patterns.name(row.id.as_str())
            || patterns.name(row.instance.status.as_str())
            || patterns.name(view.agent(row).status.as_str());
        if wanted {
            full.machines.insert(row.id.to_string(), view.machine(row));
        }
    }
    full
}

/// What the patterns name, and what stands or falls with it.
struct Shown {
    everything: bool,
    units: HashSet<UnitName>,
    applications: HashSet<ApplicationName>,
    machines: HashSet<MachineId>,
}

impl Shown {
    /// A unit is shown when a pattern names it, its application, its machine, or the status that
    /// its workload or its agent shows. It brings its principal along, or its subordinates.
    fn new(view: &View<'_>, patterns: &Patterns<'_>) -> Self {
        let mut shown = Self {
            everything: patterns.is_empty(),
            units: HashSet::new(),
            applications: HashSet::new(),
            machines: HashSet::new(),
        };
        if shown.everything {
            return shown;
        }
        let rows = || view.rows.units.values().flat_map(BTreeMap::values);
        let has_status = |row: &UnitRow| {
            let (workload, agent) = view.said(row);
            patterns.name(workload.status.as_str()) || patterns.name(agent.status.as_str())
        };
        let named = |row: &&UnitRow| {
            patterns.name(row.name.as_str())
                || patterns.name(row.name.application().as_str())
                || (row.machine.as_ref()).is_some_and(|machine| patterns.name(machine.as_str()))
                || has_status(row)
        };
        let named: HashSet<&UnitName> = rows().filter(named).map(|row| &row.name).collect();
        let brought = |row: &&UnitRow| {
            (row.principal.as_ref()).is_some_and(|principal| named.contains(principal))
        };
        shown.units = named.iter().map(|name| (*name).clone()).collect();
        shown
            .units
            .extend(rows().filter(brought).map(|row| row.name.clone()));
        let principals = rows().filter(|row| named.contains(&row.name));
        shown
            .units
            .extend(principals.filter_map(|row| row.principal.clone()));
        let found = || rows().filter(|row| shown.units.contains(&row.name));
        shown.applications = found().map(|row| row.name.application()).collect();
        shown.machines = found().filter_map(|row| row.machine.clone()).collect();
        shown
    }

    fn has(&self, unit: &UnitName) -> bool {
        self.everything || self.units.contains(unit)
    }

    /// The principal units of an application, each with its subordinates within.
    fn units(
        &self,
        view: &View<'_>,
        application: &ApplicationName,
    ) -> BTreeMap<String, UnitStatus> {
        let principals = view.rows.units_of(application);
        principals
            .filter(|row| row.principal.is_none() && self.has(&row.name))
            .map(|row| {
                let within = view.rows.subordinates(&row.name);
                let within = within.filter(|row| self.has(&row.name));
                (row.name.to_string(), container(view, row, within))
            })
            .collect()
    }
}

/// A principal unit with subordinates.
pub(super) fn container<'a>(
    view: &View<'_>,
    principal: &UnitRow,
    within: impl Iterator<Item = &'a UnitRow>,
) -> UnitStatus {
    let within: BTreeMap<String, UnitStatus> = within
        .map(|row| (row.name.to_string(), view.unit(row)))
        .collect();
    UnitStatus {
        subordinates: (!within.is_empty()).then_some(within),
        ..view.unit(principal)
    }
}
