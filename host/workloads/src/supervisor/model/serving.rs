//! The process that serves a model: when there is one, what it says, and what is asked of it.

use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;

use periapt_model::UnitName;

use super::super::process::Process;
use super::super::unit::{How, Probing, Unit};
use super::super::{Event, Shared};
use super::Model;
use crate::frames::{FromServe, ToGate, ToServe};

/// Connections that wait for the process that serves.
const WAITING: usize = 512;

impl Model {
    /// Makes a probe; whether its result is known already.
    pub(super) fn begin_probe(
        &mut self,
        shared: &Shared,
        unit: &UnitName,
        mut probing: Probing,
    ) -> bool {
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

    pub(super) fn start(&mut self, shared: &Shared) {
        self.serves += 1;
        let (uuid, number) = (self.uuid.clone(), self.serves);
        let wrap = move |said| Event::Serve(uuid.clone(), number, said);
        let directory = &self.document.directory;
        let pulse = shared.settings.pulse();
        let serve = match Process::start("serve", directory, pulse, shared.events.clone(), wrap) {
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
            let unready = unit.unready();
            if !unready.is_empty() {
                serve.tell(&ToServe::Unready(name.clone(), unready), Vec::new());
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
        if let Some(serve) = self.serve.as_mut().filter(|_| current) {
            serve.heard();
        }
        if said.is_none() {
            self.write_counts(true);
        }
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
            // The supervisor gives it to [`Model::count`] and to [`Model::traced`].
            Some(FromServe::Answered { .. } | FromServe::Traced { .. }) => {}
            _ if !current => {}
            Some(FromServe::Alive) => {}
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
                self.rest(shared, gate);
            }
            None if self.serve.take().is_some() => {
                tracing::warn!(model = %self.uuid, "a process that serves is gone");
                self.respawn.ended();
                self.end_probes(shared, "the process that serves ended", gate);
            }
            // One that rested took with it what it had yet to load.
            None if self.respawn.at().is_none() && self.units.values().any(Unit::is_starting) => {
                self.start(shared);
            }
            None => {}
        }
    }

    pub(super) fn rest(&mut self, shared: &Shared, gate: Option<&Process<ToGate>>) {
        if let Some(serve) = self.serve.take() {
            serve.leave();
        }
        self.end_probes(shared, "the process that serves ended", gate);
    }

    fn end_probes(&mut self, shared: &Shared, reason: &str, gate: Option<&Process<ToGate>>) {
        for (unit, probing) in std::mem::take(&mut self.probes).into_values() {
            self.end_probe(shared, &unit, &probing, Err(reason.to_owned()));
            self.settle(shared, &unit, gate);
        }
    }
}
