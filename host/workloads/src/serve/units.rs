//! What each unit serves at the moment.
//!
//! A change makes services anew and leaves the old ones to the requests that they are answering.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, Weak};
use std::time::Duration;

use periapt_model::UnitName;
use periapt_model::reach::Network;
use periapt_model::workload::desired::Stored;
use periapt_sandbox::Artifact;
use periapt_serving::{Limits, LoadedServer, Mount, Service, ServingEngine, Workload};
use tokio::sync::watch;

use super::inside::Inside;
use super::telling::Telling;
use crate::channel::Outbox;
use crate::frames::{FromServe, Place, Serving};

pub struct Units {
    engine: ServingEngine,
    outbox: Outbox<FromServe>,
    network: watch::Sender<Arc<Network>>,
    open: RwLock<Open>,
    /// Components that some unit has loaded.
    loaded: Mutex<HashMap<PathBuf, Weak<LoadedServer>>>,
    telling: Mutex<BTreeMap<Place, Arc<Telling>>>,
}

#[derive(Default)]
struct Open {
    units: BTreeMap<UnitName, Vec<Kept>>,
    /// Ports whose checks are down.
    unready: BTreeMap<UnitName, BTreeSet<u16>>,
}

struct Kept {
    serving: Serving,
    service: Result<Service, String>,
}

impl Units {
    pub fn new(engine: ServingEngine, outbox: Outbox<FromServe>) -> Self {
        Self {
            engine,
            outbox,
            network: watch::Sender::default(),
            open: RwLock::default(),
            loaded: Mutex::default(),
            telling: Mutex::default(),
        }
    }

    fn read(&self) -> std::sync::RwLockReadGuard<'_, Open> {
        self.open.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> std::sync::RwLockWriteGuard<'_, Open> {
        self.open.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn telling(&self) -> MutexGuard<'_, BTreeMap<Place, Arc<Telling>>> {
        self.telling.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn network(&self) -> Arc<Network> {
        self.network.borrow().clone()
    }

    /// Hears of each change of it.
    pub fn networks(&self) -> watch::Receiver<Arc<Network>> {
        self.network.subscribe()
    }

    pub fn set_network(&self, network: Network) {
        self.network.send_replace(Arc::new(network));
    }

    /// Ports of a unit whose checks are down.
    pub fn set_unready(&self, unit: UnitName, ports: BTreeSet<u16>) {
        let mut open = self.write();
        match ports.is_empty() {
            true => open.unready.remove(&unit),
            false => open.unready.insert(unit, ports),
        };
    }

    /// What a unit serves from now on; for each, whether it could be loaded.
    pub fn set(
        self: &Arc<Self>,
        unit: &UnitName,
        serving: Vec<Serving>,
    ) -> Vec<(Place, u64, Option<String>)> {
        let mut told = Vec::new();
        let mut kept = Vec::new();
        for serving in serving {
            let service = self.make(&serving);
            let error = service.as_ref().err().cloned();
            told.push((serving.place.clone(), serving.load, error));
            kept.push(Kept { serving, service });
        }
        let there = |place: &Place| {
            let mut kept = kept.iter();
            place.unit != *unit || kept.any(|kept| kept.serving.place == *place)
        };
        self.telling().retain(|place, _| there(place));
        let mut open = self.write();
        match kept.is_empty() {
            true => open.units.remove(unit),
            false => open.units.insert(unit.clone(), kept),
        };
        told
    }

    /// The service of a unit at a port, or why there is none.
    pub fn find(&self, unit: &UnitName, port: u16) -> Result<Service, String> {
        let open = self.read();
        let kept = open.units.get(unit).map_or(&[][..], Vec::as_slice);
        let kept = kept.iter().find(|kept| kept.serving.port == port);
        match kept {
            Some(kept) => kept.service.clone(),
            None => Err(format!("no service of it listens on {port}")),
        }
    }

    /// Units with the ports at which they serve, and whether their checks let requests come.
    pub fn serving(&self) -> Vec<(UnitName, u16, bool)> {
        let open = self.read();
        let mut serving = Vec::new();
        for (unit, kept) in &open.units {
            let unready = open.unready.get(unit);
            serving.extend(kept.iter().map(|kept| {
                let port = kept.serving.port;
                let ready = !unready.is_some_and(|ports| ports.contains(&port));
                (unit.clone(), port, ready)
            }));
        }
        serving
    }

    fn make(self: &Arc<Self>, serving: &Serving) -> Result<Service, String> {
        let server = self.load(serving)?;
        let telling = self
            .telling()
            .entry(serving.place.clone())
            .or_insert_with(|| Telling::begin(serving.place.clone(), self.outbox.clone()))
            .clone();
        let mounts = serving.files.iter().map(|(below, guest)| {
            let generation = serving.generation.clone();
            let committed = move || -> std::io::Result<PathBuf> { Ok(generation.clone()) };
            Mount::new(Arc::new(committed), PathBuf::from(below), guest.clone()).held()
        });
        let storage = serving.storage.iter();
        let mounts = mounts.chain(storage.filter_map(|(guest, stored)| mount(guest, stored)));
        let deadline = Duration::from_millis(serving.timeout_ms);
        let workload = Workload {
            server,
            limits: Limits {
                concurrency: serving.concurrency,
                deadline,
                ..Limits::default()
            },
            environment: serving.environment.clone().into_iter().collect(),
            mounts: mounts.collect(),
            granted: Arc::new([]),
            connector: Arc::new(Inside {
                from: serving.place.unit.clone(),
                units: Arc::downgrade(self),
            }),
            listener: telling,
        };
        Ok(Service::new(&self.engine, workload))
    }

    fn load(&self, serving: &Serving) -> Result<Arc<LoadedServer>, String> {
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        let known = loaded.get(&serving.component).and_then(Weak::upgrade);
        if let Some(server) = known.filter(|server| server.digest().to_string() == serving.digest) {
            return Ok(server);
        }
        let server = self.read_component(&serving.component, &serving.digest)?;
        loaded.retain(|_, server| server.strong_count() > 0);
        loaded.insert(serving.component.clone(), Arc::downgrade(&server));
        Ok(server)
    }

    fn read_component(&self, file: &Path, digest: &str) -> Result<Arc<LoadedServer>, String> {
        let bytes = std::fs::read(file)
            .map_err(|error| format!("{} cannot be read: {error}", file.display()))?;
        let artifact = Artifact::from_bytes(bytes).map_err(|error| error.to_string())?;
        if artifact.digest().to_string() != digest {
            return Err("the compiled component is another one than was asked for".to_owned());
        }
        self.engine
            .load(&artifact)
            .map_err(|error| error.to_string())
    }

    /// Tells what was not told yet, before the process ends.
    pub async fn tell_the_rest(&self) {
        let telling: Vec<Arc<Telling>> = self.telling().values().cloned().collect();
        for telling in telling {
            telling.tell().await;
        }
        // The writer of the channel has a task of its own.
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// A storage in a workload; its directory is opened below the one of all storages.
fn mount(guest: &str, stored: &Stored) -> Option<Mount> {
    let root = stored.directory.parent()?.to_owned();
    let below = PathBuf::from(stored.directory.file_name()?);
    let all = move || -> std::io::Result<PathBuf> { Ok(root.clone()) };
    let mount = Mount::new(Arc::new(all), below, guest.to_owned());
    Some(match stored.read_only {
        true => mount,
        false => mount.writable(),
    })
}
