//! What the gate knows of the models, and whom a stranger may reach.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;

use periapt_model::ports::{PortRange, Protocol};
use periapt_model::workload::service::Current;
use periapt_model::{ApplicationName, ModelUuid, UnitName};
use tokio::sync::watch;

use super::names::{Named, Target, named, parts};
use crate::frames::{Door, Facing};

#[derive(Clone, Debug, Default)]
pub struct Table {
    models: BTreeMap<ModelUuid, Known>,
    /// All that have a name.
    named: BTreeMap<String, Vec<ModelUuid>>,
}

#[derive(Clone, Debug)]
struct Known {
    facing: Arc<Facing>,
    /// The units of each application.
    units: Arc<BTreeMap<ApplicationName, Vec<UnitName>>>,
    doors: Arc<BTreeMap<UnitName, Vec<Door>>>,
}

/// A port of a unit that a request may come to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Way {
    pub model: ModelUuid,
    pub unit: UnitName,
    pub port: u16,
}

/// Where a stranger may come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ways {
    /// Nothing is shown to this address, or there is no such thing; it is not said which.
    Nothing,
    /// All that is shown is not there at the moment: a unit, and where its service is.
    Down(UnitName, Option<(String, Current)>),
    /// To one of these, in the order in which they are to be tried.
    Open(Vec<Way>),
}

impl Table {
    pub fn insert(&mut self, model: ModelUuid, facing: Facing) {
        let doors = self.take(&model).map(|known| known.doors);
        let mut units: BTreeMap<ApplicationName, Vec<UnitName>> = BTreeMap::new();
        for unit in facing.network.units.keys() {
            let of = units.entry(unit.application()).or_default();
            of.push(unit.clone());
        }
        let known = Known {
            facing: Arc::new(facing),
            units: Arc::new(units),
            doors: doors.unwrap_or_default(),
        };
        let name = known.facing.name.as_str().to_owned();
        self.named.entry(name).or_default().push(model.clone());
        self.models.insert(model, known);
    }

    fn take(&mut self, model: &ModelUuid) -> Option<Known> {
        let known = self.models.remove(model)?;
        if let Some(named) = self.named.get_mut(known.facing.name.as_str()) {
            named.retain(|other| other != model);
        }
        self.named.retain(|_, models| !models.is_empty());
        Some(known)
    }

    /// The services of a unit of a model that is known.
    pub fn set_doors(&mut self, model: &ModelUuid, unit: UnitName, doors: Vec<Door>) {
        if let Some(known) = self.models.get_mut(model) {
            let all = Arc::make_mut(&mut known.doors);
            match doors.is_empty() {
                true => all.remove(&unit),
                false => all.insert(unit, doors),
            };
        }
    }

    pub fn remove(&mut self, model: &ModelUuid) {
        self.take(model);
    }

    /// For whom a host is. A name that two models have leads to neither.
    pub fn find(&self, host: &str) -> Option<Target> {
        let (name, model) = parts(host)?;
        let [uuid] = self.named.get(model)?.as_slice() else {
            return None;
        };
        Some(Target {
            model: uuid.clone(),
            named: named(name)?,
            port: None,
        })
    }

    /// Whether somebody wants to hear of traces of a model.
    pub fn traces(&self, model: &ModelUuid) -> bool {
        let known = self.models.get(model);
        known.is_some_and(|known| known.facing.traces)
    }

    /// Where a stranger of this address may come; `turn` says who is first among several.
    pub fn ways(&self, target: &Target, from: IpAddr, turn: usize) -> Ways {
        let Some(known) = self.models.get(&target.model) else {
            return Ways::Nothing;
        };
        let facing = &known.facing;
        let (mut open, mut unready) = (Vec::new(), Vec::new());
        let mut down = None;
        for unit in known.named(&target.named) {
            let doors = known.doors.get(unit).map_or(&[][..], Vec::as_slice);
            let mut shown = doors
                .iter()
                .filter(|door| target.port.is_none_or(|port| port == door.port))
                .filter(|door| admits(facing, unit, door.port, from))
                .peekable();
            if shown.peek().is_none() && shows_any(facing, unit, target.port, from) {
                down.get_or_insert((unit, None));
            }
            // The first port alone, by which a unit has one place among the others.
            let mut doors: Vec<_> = shown.collect();
            doors.sort_by_key(|door| (door.current != Current::Active, door.port));
            match doors.first() {
                Some(door) if door.current == Current::Active => {
                    let way = Way {
                        model: target.model.clone(),
                        unit: unit.clone(),
                        port: door.port,
                    };
                    match door.ready {
                        true => open.push(way),
                        false => unready.push(way),
                    }
                }
                Some(door) => down = Some((unit, Some((door.service.clone(), door.current)))),
                None => {}
            }
        }
        // Where none is ready all are asked: checks do not wake, so one that nobody asks would never be again.
        if open.is_empty() {
            open = unready;
        }
        if !open.is_empty() {
            let first = turn % open.len();
            open.rotate_left(first);
            return Ways::Open(open);
        }
        match down {
            Some((unit, service)) => Ways::Down(unit.clone(), service),
            None => Ways::Nothing,
        }
    }

    /// The service that answers there.
    pub fn service(&self, way: &Way) -> Option<&str> {
        let doors = self.models.get(&way.model)?.doors.get(&way.unit)?;
        let door = doors.iter().find(|door| door.port == way.port)?;
        Some(&door.service)
    }

    /// Whether a stranger may still come somewhere by this.
    pub fn shows(&self, target: &Target, from: IpAddr) -> bool {
        self.ways(target, from, 0) != Ways::Nothing
    }

    /// Whether a stranger may still be where a request of theirs is.
    pub fn keeps(&self, way: &Way, from: IpAddr) -> bool {
        let facing = self.models.get(&way.model);
        facing.is_some_and(|known| admits(&known.facing, &way.unit, way.port, from))
    }
}

impl Known {
    /// All that are meant by a name, in their order.
    fn named<'a>(&'a self, named: &'a Named) -> &'a [UnitName] {
        match named {
            Named::Unit(unit) => std::slice::from_ref(unit),
            Named::Application(application) => {
                self.units.get(application).map_or(&[], Vec::as_slice)
            }
        }
    }
}

fn admits(facing: &Facing, unit: &UnitName, port: u16, from: IpAddr) -> bool {
    let port = PortRange::new(Protocol::Tcp, port, port);
    port.is_ok_and(|port| facing.network.admits(unit, port, from))
}

/// Whether any TCP port of a unit is shown, whatever is behind it.
fn shows_any(facing: &Facing, unit: &UnitName, port: Option<u16>, from: IpAddr) -> bool {
    if let Some(port) = port {
        return admits(facing, unit, port, from);
    }
    let Some(known) = facing.network.units.get(unit) else {
        return false;
    };
    known.openings.iter().any(|(range, _)| {
        range.protocol == Protocol::Tcp && admits(facing, unit, range.start, from)
    })
}

/// The table of the moment, for all who look at it.
#[derive(Clone)]
pub struct Tables {
    now: watch::Sender<Arc<Table>>,
}

impl Tables {
    pub fn new(table: Table) -> Self {
        Self {
            now: watch::Sender::new(Arc::new(table)),
        }
    }

    pub fn change(&self, change: impl FnOnce(&mut Table)) -> Arc<Table> {
        let mut table = Table::clone(&self.now.borrow());
        change(&mut table);
        let table = Arc::new(table);
        self.now.send_replace(table.clone());
        table
    }

    pub fn now(&self) -> Arc<Table> {
        self.now.borrow().clone()
    }

    pub fn watch(&self) -> watch::Receiver<Arc<Table>> {
        self.now.subscribe()
    }
}
