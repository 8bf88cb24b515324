//! A model on this machine: its units, as its agent wants them, and the process that serves them.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use periapt_model::reach::published::Published;
use periapt_model::workload::desired::file_name;
use periapt_model::{ModelUuid, UnitName};

use super::below::Below;
use super::process::{Process, Respawn};
use super::unit::{How, Probing, Unit};
use super::{Event, Shared, reading};
use crate::frames::{FromServe, ToGate, ToServe};

/// Connections that wait for the process that serves.
const WAITING: usize = 512;
/// Directories that do not exist yet are looked for so often.
const LOOKS: Duration = Duration::from_secs(1);

pub struct Model {
    uuid: ModelUuid,
    pub document: Published,
    folders: Option<Folders>,
    /// When to look for them again, and when something is to be written.
    look: Option<Instant>,
    write: Option<Instant>,
    units: BTreeMap<UnitName, Unit>,
    serve: Option<Process<ToServe>>,
    /// So many there were.
    serves: u64,
    respawn: Respawn,
    /// Other ends of these are the gate's.
    waiting: Vec<OwnedFd>,
    probes: BTreeMap<u64, (UnitName, Probing)>,
    probe: u64,
}

/// What lies between the agent and the supervisor.
pub struct Folders {
    desired: Below,
    observed: Below,
    pub logs: Below,
    watch: i32,
}

impl Folders {
    /// Makes what is missing of them, as the user to whom the units' files belong.
    fn open(shared: &Shared, document: &Published) -> std::io::Result<Self> {
        let units = std::fs::metadata(document.directory.join("units"))?;
        let me = rustix::process::geteuid();
        let owner = (me.is_root() && units.uid() != me.as_raw()).then_some(units.uid());
        let top = Below::open(&document.directory, owner)?.make("workloads")?;
        let desired = top.make("desired")?;
        Ok(Self {
            watch: shared.watch.add(desired.as_fd())?,
            observed: top.make("observed")?,
            logs: top.make("logs")?,
            desired,
        })
    }
}

impl Model {
    pub fn open(
        shared: &Shared,
        uuid: ModelUuid,
        document: Published,
        gate: Option<&Process<ToGate>>,
    ) -> Self {
        let mut model = Self {
            uuid,
            document,
            folders: None,
            look: None,
            write: None,
            units: BTreeMap::new(),
            serve: None,
            serves: 0,
            respawn: Respawn::new(shared.settings.respawn()),
            waiting: Vec::new(),
            probes: BTreeMap::new(),
            probe: 0,
        };
        model.look(shared, gate);
        model
    }

    pub fn set_document(
        &mut self,
        shared: &Shared,
        document: Published,
        gate: Option<&Process<ToGate>>,
    ) {
        let moved = self.document.directory != document.directory;
        if self.document.network != document.network
            && let Some(serve) = &self.serve
        {
            let network = Box::new(document.network.clone());
            serve.tell(&ToServe::Network(network), Vec::new());
        }
        self.document = document;
        if moved || self.folders.is_none() {
            self.leave_folders(shared);
            self.look(shared, gate);
        }
    }

    /// Nothing of it runs afterwards.
    pub fn close(mut self, shared: &Shared) {
        self.leave_folders(shared);
        shared.kept.forget_model(&self.uuid);
    }

    fn leave_folders(&mut self, shared: &Shared) {
        if let Some(folders) = self.folders.take() {
            shared.watch.remove(folders.watch);
        }
    }

    pub fn is_watched_by(&self, watch: i32) -> bool {
        let folders = self.folders.as_ref();
        folders.is_some_and(|folders| folders.watch == watch)
    }

    /// Finds the directories of the agent, which makes them when it starts.
    fn look(&mut self, shared: &Shared, gate: Option<&Process<ToGate>>) {
        match Folders::open(shared, &self.document) {
            Ok(folders) => {
                self.folders = Some(folders);
                self.look = None;
                self.read(shared, None, gate);
            }
            Err(error) => {
                tracing::debug!(model = %self.uuid, %error, "no directory of the agent yet");
                self.look = Some(Instant::now() + LOOKS);
            }
        }
    }

    /// Reads what the agent wrote: one file, or all.
    pub fn read(&mut self, shared: &Shared, name: Option<&OsStr>, gate: Option<&Process<ToGate>>) {
        let Some(folders) = &self.folders else {
            return;
        };
        let names = match name {
            Some(name) => vec![name.to_string_lossy().into_owned()],
            None => folders.desired.names().unwrap_or_default(),
        };
        if name.is_none() {
            let gone = |unit: &&UnitName| !names.contains(&file_name(unit.as_str()));
            let gone: Vec<UnitName> = self.units.keys().filter(gone).cloned().collect();
            for unit in gone {
                self.remove(shared, &unit, gate);
            }
            // Of units that went while no supervisor ran; another of the same name begins anew.
            shared.kept.forget_others(&self.uuid, &names);
        }
        for name in names {
            if name.ends_with(".json") {
                self.read_one(shared, &name, gate);
            }
        }
    }

    fn read_one(&mut self, shared: &Shared, name: &str, gate: Option<&Process<ToGate>>) {
        let Some(folders) = &self.folders else {
            return;
        };
        let read = folders.desired.read(name, reading::BYTES);
        let read = read.map_err(|error| error.to_string());
        let read = read.and_then(|bytes| match bytes {
            Some(bytes) => reading::desired(name, &bytes).map(Some),
            None => Ok(None),
        });
        match read {
            Ok(Some((unit, _)))
                if self.units.len() >= reading::MOST && !self.units.contains_key(&unit) =>
            {
                tracing::warn!(model = %self.uuid, %unit, "there are too many units");
            }
            Ok(Some((unit, desired))) => {
                let known = self.units.entry(unit.clone()).or_insert_with(|| {
                    Unit::begin(unit.clone(), shared.kept.record(&self.uuid, &unit))
                });
                known.desire(desired, shared.now());
                self.settle(shared, &unit, gate);
            }
            Ok(None) => {
                let gone = self
                    .units
                    .keys()
                    .find(|unit| file_name(unit.as_str()) == name);
                if let Some(unit) = gone.cloned() {
                    self.remove(shared, &unit, gate);
                }
            }
            Err(reason) => {
                tracing::warn!(model = %self.uuid, name, reason, "what an agent wants is not understood");
            }
        }
    }

    fn remove(&mut self, shared: &Shared, unit: &UnitName, gate: Option<&Process<ToGate>>) {
        self.units.remove(unit);
        shared.kept.forget_unit(&self.uuid, unit);
        if let Some(gate) = gate {
            let doors = ToGate::Doors(self.uuid.clone(), unit.clone(), Vec::new());
            gate.tell(&doors, Vec::new());
        }
        if let Some(serve) = &self.serve {
            serve.tell(&ToServe::Unit(unit.clone(), 0, Vec::new()), Vec::new());
        }
        if let Some(folders) = &self.folders {
            // It may never have been written.
            let _ = folders.observed.remove(&file_name(unit.as_str()));
        }
    }

    /// Tells everybody what changed of a unit.
    fn settle(&mut self, shared: &Shared, name: &UnitName, gate: Option<&Process<ToGate>>) {
        let Some(unit) = self.units.get_mut(name) else {
            return;
        };
        let served = unit.serving(shared.now());
        let starts = unit.is_starting() && !served.is_empty();
        if served != unit.served {
            unit.served = served;
            unit.sent = unit.number();
            if let Some(serve) = &self.serve {
                let served = unit.served.clone();
                serve.tell(&ToServe::Unit(name.clone(), unit.sent, served), Vec::new());
            }
        }
        let doors = unit.doors();
        if doors != unit.doors {
            unit.doors = doors;
            if let Some(gate) = gate {
                let doors = unit.doors.clone();
                gate.tell(
                    &ToGate::Doors(self.uuid.clone(), name.clone(), doors),
                    Vec::new(),
                );
            }
        }
        let probes = unit.probes(self.serve.is_some());
        if let Some(record) = unit.record() {
            shared.kept.set_record(&self.uuid, name, record);
        }
        if let Some(folders) = &self.folders {
            let later = unit.observe(shared, &folders.observed, self.serve.is_some());
            self.write = self.write.into_iter().chain(later).min();
        }
        let mut known = false;
        for probing in probes {
            known |= self.begin_probe(shared, name, probing);
        }
        if starts && self.serve.is_none() && self.respawn.at().is_none() {
            self.start(shared);
        }
        if known {
            self.settle(shared, name, gate);
        }
    }

    /// Makes a probe; whether its result is known already.
    fn begin_probe(&mut self, shared: &Shared, unit: &UnitName, mut probing: Probing) -> bool {
        match (&mut probing.how, &self.serve) {
            (How::Ask(probe), Some(serve)) => {
                self.probe += 1;
                probe.number = self.probe;
                serve.tell(&ToServe::Probe(probe.clone()), Vec::new());
                self.probes.insert(self.probe, (unit.clone(), probing));
                false
            }
            (How::Known(result), _) => {
                let result = result.clone();
                self.end_probe(shared, unit, &probing, result);
                true
            }
            (How::Ask(_), None) => {
                self.end_probe(shared, unit, &probing, Err("nobody serves".to_owned()));
                true
            }
        }
    }

    fn end_probe(
        &mut self,
        shared: &Shared,
        unit: &UnitName,
        probing: &Probing,
        result: Result<(), String>,
    ) {
        if let Some(unit) = self.units.get_mut(unit) {
            let Probing {
                container,
                check,
                number,
                ..
            } = probing;
            unit.probed(container, check, *number, result, shared.now());
        }
    }

    /// A pair of which the process that serves has one end, now or as soon as there is one; the other.
    pub fn connection(&mut self, shared: &Shared) -> Option<OwnedFd> {
        if self.waiting.len() >= WAITING {
            return None;
        }
        let (ours, theirs) = UnixStream::pair().ok()?;
        if self.serve.is_none() && self.respawn.at().is_none() {
            self.start(shared);
        }
        match &self.serve {
            Some(serve) => serve.tell(&ToServe::Connection, vec![ours.into()]),
            None => self.waiting.push(ours.into()),
        }
        Some(theirs.into())
    }

    fn start(&mut self, shared: &Shared) {
        self.serves += 1;
        let (uuid, number) = (self.uuid.clone(), self.serves);
        let wrap = move |said| Event::Serve(uuid.clone(), number, said);
        let directory = &self.document.directory;
        let serve = match Process::start("serve", directory, shared.events.clone(), wrap) {
            Ok(serve) => serve,
            Err(error) => {
                tracing::warn!(model = %self.uuid, %error, "a process that serves cannot be started");
                self.respawn.ended();
                return;
            }
        };
        self.respawn.started();
        serve.tell(&ToServe::Settings(shared.settings.clone()), Vec::new());
        let network = Box::new(self.document.network.clone());
        serve.tell(&ToServe::Network(network), Vec::new());
        for (name, unit) in &mut self.units {
            unit.has = unit.sent;
            if !unit.served.is_empty() {
                let served = unit.served.clone();
                serve.tell(&ToServe::Unit(name.clone(), unit.sent, served), Vec::new());
            }
        }
        for waiting in std::mem::take(&mut self.waiting) {
            serve.tell(&ToServe::Connection, vec![waiting]);
        }
        self.serve = Some(serve);
    }

    /// What a process that serves says, or that it is gone.
    pub fn heard(
        &mut self,
        shared: &Shared,
        number: u64,
        said: Option<FromServe>,
        gate: Option<&Process<ToGate>>,
    ) {
        let current = number == self.serves;
        match said {
            // Also of one that is about to end.
            Some(FromServe::Lines {
                place,
                lines,
                dropped,
            }) => {
                let unit = self.units.get_mut(&place.unit);
                if let (Some(unit), Some(folders)) = (unit, &self.folders) {
                    unit.log(folders, &place, &lines, dropped);
                }
            }
            Some(FromServe::Answered { place, answered }) => {
                tracing::debug!(unit = %place.unit, ?answered, "requests were answered");
            }
            _ if !current => {}
            Some(FromServe::Loaded { place, load, error }) => {
                if let Some(unit) = self.units.get_mut(&place.unit) {
                    unit.loaded(&place, load, error, shared.now());
                    self.settle(shared, &place.unit, gate);
                }
            }
            Some(FromServe::Has(unit, has)) => {
                if let Some(known) = self.units.get_mut(&unit) {
                    known.has = has;
                    self.settle(shared, &unit, gate);
                }
            }
            Some(FromServe::Probed(number, result)) => {
                if let Some((unit, probing)) = self.probes.remove(&number) {
                    self.end_probe(shared, &unit, &probing, result);
                    self.settle(shared, &unit, gate);
                }
            }
            Some(FromServe::Resting) => {
                // What was asked of it before it hears of this it still does.
                if let Some(serve) = self.serve.take() {
                    serve.leave();
                }
                self.end_probes(shared, "the process that serves ended", gate);
            }
            None if self.serve.take().is_some() => {
                tracing::warn!(model = %self.uuid, "a process that serves is gone");
                self.respawn.ended();
                self.end_probes(shared, "the process that serves ended", gate);
            }
            None => {}
        }
    }

    fn end_probes(&mut self, shared: &Shared, reason: &str, gate: Option<&Process<ToGate>>) {
        for (unit, probing) in std::mem::take(&mut self.probes).into_values() {
            self.end_probe(shared, &unit, &probing, Err(reason.to_owned()));
            self.settle(shared, &unit, gate);
        }
    }

    /// Does what is due.
    pub fn tick(&mut self, shared: &Shared, gate: Option<&Process<ToGate>>) {
        let now = Instant::now();
        if self.look.is_some_and(|at| at <= now) {
            self.look(shared, gate);
        }
        if self.serve.is_none() && self.respawn.is_due() {
            // Only if somebody needs it; whoever does later starts it at once.
            let starting = self.units.values().any(Unit::is_starting);
            self.respawn.started();
            if starting || !self.waiting.is_empty() {
                self.start(shared);
            }
        }
        let writes = self.write.is_some_and(|at| at <= now);
        if writes {
            self.write = None;
        }
        let begun = shared.begun;
        let due = self
            .units
            .iter()
            .filter(|(_, unit)| writes || unit.due(begun).is_some_and(|due| due <= now));
        for name in due.map(|(name, _)| name.clone()).collect::<Vec<_>>() {
            if let Some(unit) = self.units.get_mut(&name) {
                unit.tick(shared.now());
            }
            self.settle(shared, &name, gate);
        }
    }

    /// When something is due next.
    pub fn due(&self, begun: Instant) -> Option<Instant> {
        let respawn = self.respawn.at().filter(|_| self.serve.is_none());
        let own = [self.look, self.write, respawn].into_iter().flatten();
        let units = self.units.values().filter_map(|unit| unit.due(begun));
        own.chain(units).min()
    }

    pub fn tell_doors(&self, gate: &Process<ToGate>) {
        for (name, unit) in &self.units {
            if !unit.doors.is_empty() {
                let doors = unit.doors.clone();
                gate.tell(
                    &ToGate::Doors(self.uuid.clone(), name.clone(), doors),
                    Vec::new(),
                );
            }
        }
    }

    /// Writes what could wait so far.
    pub fn write_all(&mut self, shared: &Shared) {
        let Some(folders) = &self.folders else {
            return;
        };
        for unit in self.units.values_mut() {
            unit.hurry();
            // Not again.
            let _ = unit.observe(shared, &folders.observed, self.serve.is_some());
        }
    }
}
