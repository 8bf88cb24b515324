//! When each machine is asked about next.
//!
//! A machine that is not complete has a wait of its own, from 3 s, doubling to a minute. All others share
//! one, so that a model at rest costs one question in 15 minutes, however many machines it has and
//! whenever they came.

use std::collections::BTreeMap;
use std::time::Duration;

use periapt_model::MachineId;

pub const FIRST: Duration = Duration::from_secs(3);
pub const LONGEST: Duration = Duration::from_secs(60);
pub const SETTLED: Duration = Duration::from_secs(15 * 60);

/// Of one machine.
#[derive(Debug)]
struct Entry {
    instance: String,
    wait: Wait,
}

#[derive(Debug)]
enum Wait {
    /// For that long, until a time of the clock.
    Short(Duration, Duration),
    /// With the others.
    Settled,
}

#[derive(Debug, Default)]
pub struct Schedule {
    machines: BTreeMap<MachineId, Entry>,
    /// When those are asked about that have settled.
    long: Option<Duration>,
}

impl Schedule {
    /// A machine has an instance. One that is known with it waits on.
    pub fn heard(&mut self, machine: MachineId, instance: &str, now: Duration) {
        let known = self.machines.get(&machine);
        if known.is_some_and(|known| known.instance == instance) {
            return;
        }
        let entry = Entry {
            instance: instance.to_owned(),
            wait: Wait::Short(FIRST, now + FIRST),
        };
        self.machines.insert(machine, entry);
    }

    pub fn forget(&mut self, machine: &MachineId) {
        self.machines.remove(machine);
    }

    /// Its provider was asked about it.
    pub fn asked(&mut self, machine: &MachineId, settled: bool, now: Duration) {
        let Some(entry) = self.machines.get_mut(machine) else {
            return;
        };
        entry.wait = match (settled, &entry.wait) {
            (true, _) => {
                self.long.get_or_insert(now + SETTLED);
                Wait::Settled
            }
            (false, Wait::Settled) => Wait::Short(FIRST, now + FIRST),
            (false, Wait::Short(wait, _)) => {
                let wait = (*wait * 2).min(LONGEST);
                Wait::Short(wait, now + wait)
            }
        };
    }

    /// Those to be asked about now. Whoever takes them says [`Schedule::asked`] of each.
    pub fn due(&mut self, now: Duration) -> Vec<MachineId> {
        let long = self.long.take_if(|due| *due <= now).is_some();
        let due = self.machines.iter().filter(|(_, entry)| match entry.wait {
            Wait::Short(_, due) => due <= now,
            Wait::Settled => long,
        });
        due.map(|(machine, _)| machine.clone()).collect()
    }

    /// When somebody is to be asked about next.
    pub fn next(&self) -> Option<Duration> {
        let short = self.machines.values().filter_map(|entry| match entry.wait {
            Wait::Short(_, due) => Some(due),
            Wait::Settled => None,
        });
        let settled = self.long.filter(|_| self.settled() > 0);
        short.chain(settled).min()
    }

    /// How many have settled.
    pub fn settled(&self) -> usize {
        let entries = self.machines.values();
        entries
            .filter(|entry| matches!(entry.wait, Wait::Settled))
            .count()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.machines.len()
    }
}
