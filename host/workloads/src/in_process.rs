//! The workloads of one model in the process of the caller.
//!
//! Its parts are those of the processes: what an agent wants is read and lived as in the supervisor, whom a
//! stranger reaches is asked of the gate's table, and what answers is what serves a model. What is between
//! processes is missing: listeners, sockets and walls. Nothing happens by itself: [`InProcess::look`] takes
//! the world as it is, and the time it is given for the time there is, so services and checks live on a clock
//! of the caller's. Requests take real time.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use periapt_model::reach::Network;
use periapt_model::reach::published::Published;
use periapt_model::{ModelUuid, UnitName, nearest};
use periapt_sandbox::Settings as EngineSettings;
use periapt_serving::ServingEngine;
use tokio::net::UnixStream;

use crate::Failure;
use crate::channel::{self, Inbox};
use crate::frames::{FROM_CHILD, Facing, FromServe};
use crate::gate::names::{Named, Target, named};
use crate::gate::pages::Page;
use crate::gate::table::{Table, Ways};
use crate::serve::answer::probe;
use crate::serve::units::Units;
use crate::supervisor::below::Below;
use crate::supervisor::counts::Counts;
use crate::supervisor::folders::{DESIRED, DIRECTORY};
use crate::supervisor::kept::Record;
use crate::supervisor::reading;
use crate::supervisor::unit::{How, Unit};

mod reached;
#[cfg(test)]
mod tests;

pub use reached::{NotReached, Reached};

/// Requests of all units that are answered at the same time.
const SLOTS: u32 = 16;
/// Lines and counts that wait to be taken note of.
const QUEUE: usize = 1024;
/// Of a service that starts, checks included, steps at most until it does nothing more by itself.
const STEPS: usize = 32;
/// Who asks from outside.
const STRANGER: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

/// What the services of a unit wrote.
type Lines = BTreeMap<UnitName, Vec<String>>;

/// The workloads of a model, as far as they were last looked at.
pub struct InProcess {
    model: ModelUuid,
    directory: PathBuf,
    network: Network,
    table: Table,
    lives: BTreeMap<UnitName, Unit>,
    units: Arc<Units>,
    lines: Arc<Mutex<Lines>>,
    turn: usize,
}

impl InProcess {
    /// `directory` is that of the model's agent. Runs in a runtime of tokio.
    ///
    /// # Errors
    /// No engine, or no descriptors.
    pub fn begin(model: ModelUuid, directory: PathBuf) -> Result<Self, Failure> {
        let engine = ServingEngine::new(EngineSettings {
            slots: SLOTS,
            ..EngineSettings::default()
        })?;
        let (telling, hearing) = UnixStream::pair().map_err(Failure::Channel)?;
        let (_, outbox) = channel::open::<(), FromServe>(telling, FROM_CHILD, QUEUE);
        let (inbox, _) = channel::open::<FromServe, ()>(hearing, FROM_CHILD, 1);
        let lines = Arc::default();
        tokio::spawn(hear(inbox, Arc::clone(&lines)));
        Ok(Self {
            model,
            directory,
            network: Network::default(),
            table: Table::default(),
            lives: BTreeMap::new(),
            units: Arc::new(Units::new(engine, outbox)),
            lines,
            turn: 0,
        })
    }

    /// Takes the world as it is: who reaches whom, and what the agent wants of its units. `now` is since
    /// whenever the caller's clock began. What a unit wants that is not understood is left out, as it was.
    ///
    /// # Errors
    /// Files of the agent that cannot be read.
    pub async fn look(&mut self, document: Option<&Published>, now: Duration) -> io::Result<()> {
        self.network = document.map_or_else(Network::default, |known| known.network.clone());
        self.units.set_network(self.network.clone());
        match document {
            Some(known) => {
                let facing = Facing {
                    name: known.name.clone(),
                    network: known.network.clone(),
                    traces: false,
                };
                self.table.insert(self.model.clone(), facing);
            }
            None => self.table.remove(&self.model),
        }
        self.desire(now)?;
        for unit in self.lives.keys().cloned().collect::<Vec<_>>() {
            self.settle(&unit, now).await;
        }
        Ok(())
    }

    fn desire(&mut self, now: Duration) -> io::Result<()> {
        let folder = self.directory.join(DIRECTORY).join(DESIRED);
        let mut known = BTreeSet::new();
        match Below::open(&folder, None) {
            Ok(folder) => {
                for name in folder.names()? {
                    let read = folder.read(&name, reading::BYTES)?;
                    let Some(Ok((unit, desired))) =
                        read.map(|bytes| reading::desired(&name, &bytes))
                    else {
                        continue;
                    };
                    let counts = || Counts::begin(&unit, None);
                    let begin = || Unit::begin(unit.clone(), Record::default(), counts());
                    let life = self.lives.entry(unit.clone()).or_insert_with(begin);
                    life.desire(desired, now);
                    known.insert(unit);
                }
            }
            // The agent makes it when it begins.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        self.lives.retain(|unit, _| {
            let there = known.contains(unit);
            if !there {
                self.units.set(unit, Vec::new());
                self.table.set_doors(&self.model, unit.clone(), Vec::new());
            }
            there
        });
        Ok(())
    }

    /// Has a unit's services begin and end, and its checks ask, until nothing follows any more.
    async fn settle(&mut self, name: &UnitName, now: Duration) {
        let Some(unit) = self.lives.get_mut(name) else {
            return;
        };
        unit.tick(now);
        for _ in 0..STEPS {
            let mut serving = unit.serving(now);
            for service in &mut serving {
                service.component = self.directory.join(&service.component);
                service.generation = self.directory.join(&service.generation);
                for stored in service.storage.values_mut() {
                    stored.directory = self.directory.join(&stored.directory);
                }
            }
            let mut news = serving != unit.served;
            if news {
                unit.served.clone_from(&serving);
                for (place, load, error) in self.units.set(name, serving) {
                    unit.loaded(&place, load, error, now);
                }
            }
            for probing in unit.probes(true) {
                let result = match probing.how {
                    How::Known(result) => result,
                    How::Ask(ask) => probe(&self.units, ask).await,
                };
                unit.probed(
                    &probing.container,
                    &probing.check,
                    probing.number,
                    result,
                    now,
                );
                news = true;
            }
            if !news {
                break;
            }
        }
        self.table
            .set_doors(&self.model, name.clone(), unit.doors());
    }

    /// Where a request from outside comes that names an application, `docs`, a unit, `docs/0`, or one of these
    /// with a port, `docs:8080`; of several units each has its turn.
    ///
    /// # Errors
    /// Why it comes nowhere.
    pub fn find(&mut self, to: &str) -> Result<Reached, NotReached> {
        let unknown = || NotReached::Unknown {
            name: to.to_owned(),
            meant: self.suggestion(to),
        };
        let (name, port) = match to.rsplit_once(':') {
            Some((name, port)) => (name, Some(port.parse().map_err(|_| unknown())?)),
            None => (to, None),
        };
        let named = named(&name.replace('/', "-")).ok_or_else(unknown)?;
        let application = match &named {
            Named::Application(application) => application.clone(),
            Named::Unit(unit) => unit.application(),
        };
        let known = |unit: &UnitName| match &named {
            Named::Application(application) => unit.application() == *application,
            Named::Unit(named) => unit == named,
        };
        if !self.network.units.keys().any(known) {
            return Err(unknown());
        }
        if !self.network.exposures.is_exposed(&application) {
            return Err(NotReached::NotExposed(application));
        }
        self.turn = self.turn.wrapping_add(1);
        let target = Target {
            model: self.model.clone(),
            named,
            port,
        };
        let ways = match self.table.ways(&target, STRANGER, self.turn) {
            Ways::Open(ways) => ways,
            Ways::Nothing => return Err(NotReached::Closed(to.to_owned())),
            Ways::Down(unit, service) => {
                let page = Page::down(unit.as_str(), service.as_ref());
                return Err(NotReached::Down(page.text));
            }
        };
        let mut failed = NotReached::Closed(to.to_owned());
        for way in ways {
            match self.units.find(&way.unit, way.port) {
                Ok(service) => return Ok(Reached::new(service, way.unit, way.port)),
                Err(reason) => failed = NotReached::Down(format!("{}: {reason}", way.unit)),
            }
        }
        Err(failed)
    }

    /// The name that was probably meant, as the end of a sentence.
    fn suggestion(&self, name: &str) -> String {
        let units = self.network.units.keys();
        let applications: BTreeSet<_> = units.clone().map(UnitName::application).collect();
        let applications = applications.iter().map(|name| name.as_str());
        nearest::suggestion(name, applications.chain(units.map(UnitName::as_str)))
    }

    /// What the services of a unit wrote so far, and why requests to them failed.
    pub fn lines(&self, unit: &UnitName) -> Vec<String> {
        lock(&self.lines).get(unit).cloned().unwrap_or_default()
    }
}

async fn hear(mut inbox: Inbox<FromServe>, heard: Arc<Mutex<Lines>>) {
    // Whoever tells is a part of this process; it ends by being gone.
    while let Ok(Some((said, _))) = inbox.next().await {
        if let FromServe::Lines { place, lines, .. } = said {
            let mut heard = lock(&heard);
            let of = heard.entry(place.unit).or_default();
            of.extend(lines.into_iter().map(|(_, line)| line));
        }
    }
}

fn lock(lines: &Mutex<Lines>) -> MutexGuard<'_, Lines> {
    lines.lock().unwrap_or_else(PoisonError::into_inner)
}
