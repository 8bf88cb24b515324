//! A unit: what is desired of it, what became of it, and what was told of that.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use periapt_model::UnitName;
use periapt_model::workload::desired::{Desired, Observed, file_name};
use periapt_model::workload::layer::{CONCURRENCY, Probe};
use periapt_model::workload::service::Current;

use super::Shared;
use super::below::Below;
use super::counts::Counts;
use super::folders::Folders;
use super::kept::Record;
use super::life::Life;
use super::logs::Ring;
use super::reading;
use crate::frames::{self, Door, Place, Serving};
use crate::gate::LONGEST;
use crate::serve::SLOTS;

/// What is observed is written so often at most.
const WRITES: Duration = Duration::from_secs(1);
/// More of one service's requests at the same time would leave the others of its model no room; an agent is not believed
/// that it refused what a charm asked for beyond it.
const _: () = assert!(CONCURRENCY <= SLOTS / 2);

pub struct Unit {
    pub name: UnitName,
    desired: Desired,
    lives: BTreeMap<String, Life>,
    boot: u64,
    /// What was told of it to the process that serves and to the gate.
    pub served: Vec<Serving>,
    pub doors: Vec<Door>,
    /// Of what is desired, the number that was sent last to the process that serves, and that it has.
    pub sent: u64,
    pub has: u64,
    recorded: Record,
    written: Option<Observed>,
    written_at: Option<Instant>,
    logs: BTreeMap<(String, String), Ring>,
    pub counts: Counts,
}

/// A probe, and to which check its answer goes.
pub struct Probing {
    pub container: String,
    pub check: String,
    pub number: u64,
    pub how: How,
}

pub enum How {
    /// By a request; the number and the unit are yet to be filled in.
    Ask(frames::Probe),
    /// It is known already.
    Known(Result<(), String>),
}

impl Unit {
    pub fn begin(name: UnitName, mut record: Record, counts: Counts) -> Self {
        record.boot += 1;
        Self {
            counts,
            name,
            desired: Desired::default(),
            lives: BTreeMap::new(),
            boot: record.boot,
            served: Vec::new(),
            doors: Vec::new(),
            sent: 0,
            has: 0,
            recorded: record,
            written: None,
            written_at: None,
            logs: BTreeMap::new(),
        }
    }

    pub fn desire(&mut self, desired: Desired, now: Duration) {
        self.lives
            .retain(|name, _| desired.containers.contains_key(name));
        for (name, container) in &desired.containers {
            let record = self.recorded.containers.get(name);
            self.lives
                .entry(name.clone())
                .or_insert_with(|| Life::new(record.cloned().unwrap_or_default()))
                .desire(container, &desired.components, now);
        }
        self.desired = desired;
    }

    pub fn number(&self) -> u64 {
        self.desired.number
    }

    pub fn loaded(&mut self, place: &Place, load: u64, error: Option<String>, now: Duration) {
        if let Some(life) = self.lives.get_mut(&place.container) {
            life.loaded(&place.service, load, error, now);
        }
    }

    pub fn probed(
        &mut self,
        container: &str,
        check: &str,
        number: u64,
        result: Result<(), String>,
        now: Duration,
    ) {
        if let Some(life) = self.lives.get_mut(container) {
            life.probed(check, number, result, now);
        }
    }

    pub fn tick(&mut self, now: Duration) {
        for life in self.lives.values_mut() {
            if life.due().is_some_and(|due| due <= now) {
                life.tick(now);
            }
        }
    }

    /// When something of it is due; `begun` is when the clock of the lives began.
    pub fn due(&self, begun: Instant) -> Option<Instant> {
        let lives = self.lives.values().filter_map(Life::due);
        lives.min().map(|due| begun + due)
    }

    /// What runs and answers requests; those that cannot are told so to their lives.
    pub fn serving(&mut self, now: Duration) -> Vec<Serving> {
        let mut serving = Vec::new();
        let mut failed = Vec::new();
        for (container, life) in &self.lives {
            for (name, service, current, load) in life.servers() {
                if !matches!(current, Current::Starting | Current::Active) {
                    continue;
                }
                let place = Place {
                    unit: self.name.clone(),
                    container: container.clone(),
                    service: name.to_owned(),
                };
                let wanted = self.desired.containers.get(container);
                let wanted = wanted.map(|wanted| (wanted.files.clone(), wanted.storage.clone()));
                let made = || -> Result<Serving, String> {
                    let component = life
                        .component(service)
                        .ok_or("the charm has no component of this name")?;
                    let (files, storage) = wanted.unwrap_or_default();
                    reading::files(&files)?;
                    reading::storage(&storage)?;
                    Ok(Serving {
                        place: place.clone(),
                        port: service.port.unwrap_or_default(),
                        load,
                        component: reading::artifact(component)?,
                        digest: component.digest.clone(),
                        generation: reading::generation(&self.desired.generation)?,
                        files,
                        storage,
                        environment: service.environment.clone(),
                        concurrency: service.concurrency().min(CONCURRENCY),
                        timeout_ms: milliseconds(service.request_timeout().min(LONGEST)),
                    })
                };
                match made() {
                    Ok(made) => serving.push(made),
                    Err(reason) => failed.push((place, load, reason)),
                }
            }
        }
        for (place, load, reason) in failed {
            self.loaded(&place, load, Some(reason), now);
        }
        serving
    }

    /// Whether something is yet to be loaded.
    pub fn is_starting(&self) -> bool {
        let mut servers = self.lives.values().flat_map(Life::servers);
        servers.any(|(_, _, current, _)| current == Current::Starting)
    }

    pub fn doors(&self) -> Vec<Door> {
        let doors = self.lives.values().flat_map(|life| {
            let ready = life.is_ready();
            life.servers().map(move |(name, service, current, _)| Door {
                port: service.port.unwrap_or_default(),
                service: name.to_owned(),
                current,
                ready,
            })
        });
        doors.collect()
    }

    /// Ports to whose services requests of other units go only where no unit is ready.
    pub fn unready(&self) -> BTreeSet<u16> {
        let doors = self.doors.iter().filter(|door| !door.ready);
        doors.map(|door| door.port).collect()
    }

    /// Probes that are to be made. Who asks nothing wakes nobody: `awake` says whether there is a process that
    /// could be asked, and without one a check stays as it was.
    pub fn probes(&mut self, awake: bool) -> Vec<Probing> {
        let mut probing = Vec::new();
        let doors = self.doors();
        for (container, life) in &mut self.lives {
            for wanted in life.take_probes() {
                let how = match life.probe(&wanted.check) {
                    Some(Probe::Http(_)) if !awake => How::Known(life.as_before(&wanted.check)),
                    Some(Probe::Http(http)) => How::Ask(frames::Probe {
                        number: 0,
                        unit: self.name.clone(),
                        url: http.url.clone().unwrap_or_default(),
                        headers: http.headers.clone(),
                        timeout_ms: milliseconds(wanted.timeout),
                    }),
                    Some(Probe::Tcp(tcp)) => How::Known(tcp_probe(&doors, tcp.port)),
                    Some(Probe::Exec(_)) => How::Known(Err(
                        "checks of kind exec are not offered on this machine".to_owned(),
                    )),
                    None => continue,
                };
                probing.push(Probing {
                    container: container.clone(),
                    check: wanted.check,
                    number: wanted.number,
                    how,
                });
            }
        }
        probing
    }

    pub fn record(&mut self) -> Option<&Record> {
        let containers = self.lives.iter();
        let record = Record {
            boot: self.boot,
            containers: containers
                .map(|(name, life)| (name.clone(), life.record().clone()))
                .collect(),
        };
        let news = self.recorded != record || self.written_at.is_none();
        self.recorded = record;
        news.then_some(&self.recorded)
    }

    /// Writes what is observed, if it is another than before; when to try again, if it is too early.
    pub fn observe(&mut self, shared: &Shared, folder: &Below, serves: bool) -> Option<Instant> {
        let lives = self.lives.iter();
        let observed = Observed {
            unit: self.name.to_string(),
            // What is not served yet by the new number may still be asked for by the old.
            number: match serves && self.sent > self.has {
                true => self.has,
                false => self.desired.number,
            },
            boot: self.boot,
            containers: lives
                .map(|(name, life)| (name.clone(), life.seen(|at| shared.unix(at))))
                .collect(),
        };
        if self.written.as_ref() == Some(&observed) {
            return None;
        }
        if let Some(at) = self.written_at.map(|at| at + WRITES)
            && at > Instant::now()
        {
            return Some(at);
        }
        self.written_at = Some(Instant::now());
        let bytes = serde_json::to_vec(&observed).unwrap_or_default();
        let name = file_name(self.name.as_str());
        if let Err(error) = folder.replace(&name, &bytes) {
            tracing::warn!(unit = %self.name, %error, "what is observed cannot be written");
            return Some(Instant::now() + WRITES);
        }
        self.written = Some(observed);
        None
    }

    /// What was written lies elsewhere, or is somebody else's: it is written anew.
    pub fn begin_files(&mut self) {
        self.written = None;
        self.logs.clear();
        self.counts.begin_file();
    }

    /// Whoever stops writes what is not written yet.
    pub fn hurry(&mut self) {
        self.written_at = None;
    }

    pub fn log(
        &mut self,
        folders: &Folders,
        place: &Place,
        lines: &[(bool, String)],
        dropped: u64,
    ) {
        if !self.plans(place) {
            return;
        }
        if let Err(error) = self.write_log(folders, place, lines, dropped) {
            tracing::warn!(unit = %self.name, %error, "a log cannot be written");
        }
    }

    /// Whether it has such a service.
    pub fn plans(&self, place: &Place) -> bool {
        let known = self.lives.get(&place.container);
        known.is_some_and(|life| life.plan().services.contains_key(&place.service))
    }

    fn write_log(
        &mut self,
        folders: &Folders,
        place: &Place,
        lines: &[(bool, String)],
        dropped: u64,
    ) -> std::io::Result<()> {
        let folder = folders.logs.make(&self.name.as_str().replace('/', "-"))?;
        let key = (place.container.clone(), place.service.clone());
        let ring = match self.logs.entry(key) {
            Entry::Occupied(ring) => ring.into_mut(),
            Entry::Vacant(free) => {
                free.insert(Ring::open(&folder, &place.container, &place.service)?)
            }
        };
        ring.write(&folder, lines, dropped)
    }
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

fn tcp_probe(doors: &[Door], port: Option<u16>) -> Result<(), String> {
    let port = port.unwrap_or_default();
    let open = |door: &Door| {
        door.port == port && matches!(door.current, Current::Starting | Current::Active)
    };
    match doors.iter().any(open) {
        true => Ok(()),
        false => Err(format!("nothing listens on {port}")),
    }
}
