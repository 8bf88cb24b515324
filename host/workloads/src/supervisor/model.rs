//! A model on this machine: its units, as its agent wants them. The process that serves them is in [`serving`], how
//! many requests it answered in [`counting`], and what is told of single ones in [`traced`].

mod counting;
mod serving;
mod traced;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use periapt_model::reach::published::Published;
use periapt_model::workload::desired::file_name;
use periapt_model::{ModelUuid, UnitName};
use rustix::io::Errno;

use super::counts::Counts;
use super::folders::{Folders, News, owner};
use super::process::{Process, Respawn};
use super::traces::Traces;
use super::unit::{Probing, Unit};
use super::{Shared, reading};
use crate::frames::{ToGate, ToServe};

/// Directories that do not exist yet are looked for so often.
const LOOKS: Duration = Duration::from_secs(1);
/// So often it is looked whether directories get another owner, which the agent gives them soon after it made them.
const OWNERS: u32 = 10;

pub struct Model {
    uuid: ModelUuid,
    pub document: Published,
    folders: Option<Folders>,
    /// When to look for them again, and when something is to be written.
    look: Option<Instant>,
    write: Option<Instant>,
    /// The same of what was counted, and of what was traced.
    write_counts: Option<Instant>,
    write_traces: Option<Instant>,
    traces: Traces,
    /// How often their owner is looked at yet.
    owners: u32,
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
            write_counts: None,
            write_traces: None,
            traces: Traces::begin(),
            owners: OWNERS,
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
            self.owners = OWNERS;
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
            folders.leave(shared);
        }
    }

    /// Something happened in a directory that is watched; below 0 it is not known in which, nor what.
    pub fn changed(
        &mut self,
        shared: &Shared,
        watch: i32,
        name: Option<&OsStr>,
        gate: Option<&Process<ToGate>>,
    ) {
        let Some(folders) = &self.folders else {
            return;
        };
        match folders.news(watch, name) {
            News::All => self.read(shared, None, gate),
            News::One(name) => self.read(shared, Some(name), gate),
            News::Moved => {
                self.leave_folders(shared);
                self.look_later();
            }
            News::None => {}
        }
    }

    /// What is there then is taken as it is; until then nothing is.
    fn look_later(&mut self) {
        self.look = Some(Instant::now() + LOOKS);
    }

    /// Finds the directories of the agent, which makes them when it starts.
    fn look(&mut self, shared: &Shared, gate: Option<&Process<ToGate>>) {
        self.look = None;
        if self.has_same_owner() {
            return self.look_at_owner();
        }
        let before = self.folders.as_ref().map(|folders| folders.owner);
        self.leave_folders(shared);
        match Folders::open(shared, &self.document) {
            Ok(folders) => {
                if before.is_some_and(|before| before != folders.owner) {
                    // It runs as whom the directories belonged to.
                    self.rest(shared, gate);
                }
                self.folders = Some(folders);
                self.units.values_mut().for_each(Unit::begin_files);
                self.look_at_owner();
                self.read(shared, None, gate);
            }
            Err(error) => {
                tracing::debug!(model = %self.uuid, %error, "no directory of the agent yet");
                self.look_later();
            }
        }
    }

    fn has_same_owner(&self) -> bool {
        let folders = self.folders.as_ref();
        let owner = || owner(&self.document).ok();
        folders.is_some_and(|folders| owner() == Some(folders.owner))
    }

    /// Looks at the owner later, if it may be another by then.
    fn look_at_owner(&mut self) {
        let early = self.folders.as_ref().is_some_and(Folders::is_early);
        if early && self.owners > 0 {
            self.owners -= 1;
            self.look_later();
        }
    }

    /// Reads what the agent wrote: one file, or all.
    pub fn read(&mut self, shared: &Shared, name: Option<&OsStr>, gate: Option<&Process<ToGate>>) {
        let Some(folders) = &self.folders else {
            return;
        };
        let names = match name {
            Some(name) => vec![name.to_string_lossy().into_owned()],
            None => match folders.desired.names() {
                Ok(names) => names,
                // What cannot be read is not gone.
                Err(error) => {
                    tracing::warn!(model = %self.uuid, %error, "what an agent wants cannot be read now");
                    self.leave_folders(shared);
                    return self.look_later();
                }
            },
        };
        if name.is_none() {
            let gone = |unit: &&UnitName| !names.contains(&file_name(unit.as_str()));
            let gone: Vec<UnitName> = self.units.keys().filter(gone).cloned().collect();
            for unit in gone {
                self.remove(shared, &unit, gate);
            }
            // Of units that went while no supervisor ran; another of the same name begins anew.
            shared.kept.forget_others(&self.uuid, &names);
            self.forget_counts_of_others(&names);
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
        if let Err(error) = &read
            && passes(error)
        {
            tracing::warn!(model = %self.uuid, name, %error, "what an agent wants cannot be read now");
            self.leave_folders(shared);
            return self.look_later();
        }
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
                    let counts = Counts::begin(&unit, Some(&folders.counted));
                    Unit::begin(unit.clone(), shared.kept.record(&self.uuid, &unit), counts)
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
            serve.tell(&ToServe::Unready(unit.clone(), BTreeSet::new()), Vec::new());
        }
        if let Some(folders) = &self.folders {
            // They may never have been written.
            let _ = folders.observed.remove(&file_name(unit.as_str()));
            let _ = folders.counted.remove(&file_name(unit.as_str()));
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
            let before = unit.unready();
            unit.doors = doors;
            let unready = unit.unready();
            if let Some(serve) = self.serve.as_ref().filter(|_| unready != before) {
                serve.tell(&ToServe::Unready(name.clone(), unready), Vec::new());
            }
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

    /// Does what is due.
    pub fn tick(&mut self, shared: &Shared, gate: Option<&Process<ToGate>>) {
        let now = Instant::now();
        if self.look.is_some_and(|at| at <= now) {
            self.look(shared, gate);
        }
        if let Some(serve) = &mut self.serve {
            serve.look(&ToServe::Alive);
        }
        if self.serve.is_none() && self.respawn.is_due() {
            // Only if somebody needs it; whoever does later starts it at once.
            let starting = self.units.values().any(Unit::is_starting);
            self.respawn.started();
            if starting || !self.waiting.is_empty() {
                self.start(shared);
            }
        }
        if self.write_counts.is_some_and(|at| at <= now) {
            self.write_counts(false);
        }
        if self.write_traces.is_some_and(|at| at <= now) {
            self.write_traces(false);
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
        let serve = match &self.serve {
            Some(serve) => Some(serve.due()),
            None => self.respawn.at(),
        };
        let writes = [self.write, self.write_counts, self.write_traces];
        let own = writes.into_iter().chain([self.look, serve]).flatten();
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
        self.write_counts(true);
        self.write_traces(true);
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

/// Whether the machine, and not the file, is why it cannot be read.
fn passes(error: &std::io::Error) -> bool {
    let errno = Errno::from_io_error(error);
    matches!(
        errno,
        Some(Errno::MFILE | Errno::NFILE | Errno::NOMEM | Errno::IO)
    )
}
