//! What the provisioner has to do and has under way, per machine. A machine has at most one job.

use std::collections::BTreeMap;
use std::time::Duration;

use periapt_model::MachineId;
use periapt_model::constraints::Constraints;
use periapt_model::provisioning::{START_ATTEMPTS, START_PAUSE};
use periapt_providers::InstanceId;

/// A call to the provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Job {
    /// With what the instance has to be like.
    Start(Constraints),
    /// Start what should be there already.
    Keep,
    /// None for a machine without an instance.
    Stop(Option<InstanceId>),
}

#[derive(Debug)]
struct Entry {
    job: Job,
    /// On the clock's monotonic time; none once it has failed for good.
    due: Option<Duration>,
    running: bool,
    failed: u32,
}

#[derive(Debug, Default)]
pub struct Queue {
    entries: BTreeMap<MachineId, Entry>,
}

impl Queue {
    pub fn start(&mut self, machine: MachineId, constraints: Constraints, now: Duration) {
        // One that waits for its next attempt goes on waiting.
        self.entries
            .entry(machine)
            .or_insert_with(|| Entry::new(Job::Start(constraints), now));
    }

    pub fn keep(&mut self, machine: MachineId, now: Duration) {
        self.entries
            .entry(machine)
            .or_insert_with(|| Entry::new(Job::Keep, now));
    }

    /// Replaces any start that waits.
    pub fn stop(&mut self, machine: MachineId, instance: Option<InstanceId>, now: Duration) {
        let stops = self
            .entries
            .get(&machine)
            .is_some_and(|entry| matches!(entry.job, Job::Stop(_)));
        if !stops {
            self.entries
                .insert(machine, Entry::new(Job::Stop(instance), now));
        }
    }

    pub fn is_running(&self, machine: &MachineId) -> bool {
        self.entries.get(machine).is_some_and(|entry| entry.running)
    }

    /// The earliest time at which something waits to begin.
    pub fn next_due(&self) -> Option<Duration> {
        self.entries
            .values()
            .filter(|entry| !entry.running)
            .filter_map(|entry| entry.due)
            .min()
    }

    /// A job that is due, now under way.
    pub fn begin(&mut self, now: Duration) -> Option<(MachineId, Job)> {
        let (machine, entry) = self
            .entries
            .iter_mut()
            .find(|(_, entry)| !entry.running && entry.due.is_some_and(|due| due <= now))?;
        entry.running = true;
        Some((machine.clone(), entry.job.clone()))
    }

    /// The job of `machine` is over; what follows is said by `forget` or `failed`.
    pub fn end(&mut self, machine: &MachineId) -> Option<Job> {
        let entry = self.entries.get_mut(machine)?;
        entry.running = false;
        entry.due = None;
        Some(entry.job.clone())
    }

    /// Plans the next attempt and says how many have failed. Stops and keeps are tried for ever.
    pub fn failed(&mut self, machine: &MachineId, now: Duration) -> u32 {
        let Some(entry) = self.entries.get_mut(machine) else {
            return START_ATTEMPTS;
        };
        entry.failed = entry.failed.saturating_add(1);
        let starts = matches!(entry.job, Job::Start(_));
        if !starts || entry.failed < START_ATTEMPTS {
            entry.due = Some(now + START_PAUSE);
            return entry.failed.min(START_ATTEMPTS - 1);
        }
        self.entries.remove(machine);
        START_ATTEMPTS
    }

    pub fn forget(&mut self, machine: &MachineId) {
        if !self.is_running(machine) {
            self.entries.remove(machine);
        }
    }

    pub fn waiting(&self) -> Vec<String> {
        self.entries
            .iter()
            .filter(|(_, entry)| !entry.running)
            .map(|(machine, _)| machine.to_string())
            .collect()
    }
}

impl Entry {
    fn new(job: Job, due: Duration) -> Self {
        Self {
            job,
            due: Some(due),
            running: false,
            failed: 0,
        }
    }
}
