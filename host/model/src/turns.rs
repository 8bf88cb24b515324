//! Whose hook is next: the machines, of which each runs one hook at a time, and the places that
//! the hooks of all machines share.
//!
//! A pure queue. Whoever runs hooks says who asks, who gives up and who has ended, and is told
//! whose turn has come. There is no clock in it and nothing waits in it.
//!
//! Two kinds of places bound what runs at once. The shared ones go to the application that has
//! the fewest hooks running. When they are taken, an application without a running hook gets one
//! in reserve, so that slow hooks of one application delay another by no more than what the cores
//! are slower. The last quarter of the reserve is kept from applications whose last hook was
//! slow, so that many slow applications together cannot take all of it.
//!
//! On one machine hooks come in the order in which they were asked for, but for those that have
//! no place yet: whoever has one may go first.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use crate::{ApplicationName, MachineId, UnitName};

#[cfg(test)]
mod tests;

/// A hook that took longer was slow.
pub const SLOW: Duration = Duration::from_secs(1);

/// Names a request; later ones are greater.
pub type Ticket = u64;

/// How many hooks run at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// Places for whoever comes.
    pub shared: usize,
    /// Further places, of which an application without a running hook gets one.
    pub reserve: usize,
}

impl Room {
    /// The most hooks that ever run at once.
    pub fn all(self) -> usize {
        self.shared + self.reserve
    }
}

/// Who wants to run what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    pub unit: UnitName,
    pub machine: MachineId,
    /// The hook's name.
    pub hook: String,
}

/// What a request waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WaitsFor {
    /// The lock of its machine, and who has it.
    Machine { unit: UnitName, hook: String },
    /// A place; so many hooks have one.
    Place { running: usize },
}

impl std::fmt::Display for WaitsFor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            WaitsFor::Machine { unit, hook } => {
                write!(f, "waiting for the machine's lock, held by {unit} {hook}")
            }
            WaitsFor::Place { running: 1 } => f.write_str("waiting for a turn: 1 hook is running"),
            WaitsFor::Place { running } => {
                write!(f, "waiting for a turn: {running} hooks are running")
            }
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Shared,
    Reserve,
}

/// The queue.
#[derive(Debug)]
pub struct Turns {
    room: Room,
    last: Ticket,
    waiting: BTreeMap<Ticket, Request>,
    running: BTreeMap<Ticket, (Request, Place)>,
    machines: BTreeMap<MachineId, Line>,
    /// Those who wait while their machine is free, by application.
    ready: BTreeMap<ApplicationName, BTreeSet<Ticket>>,
    /// Hooks that run, by application; none is no entry.
    active: BTreeMap<ApplicationName, usize>,
    in_reserve: usize,
    /// Applications whose last hook was slow.
    slow: BTreeSet<ApplicationName>,
}

#[derive(Debug, Default)]
struct Line {
    holder: Option<Ticket>,
    waiting: BTreeSet<Ticket>,
}

impl Turns {
    pub fn new(room: Room) -> Self {
        Self {
            room,
            last: 0,
            waiting: BTreeMap::new(),
            running: BTreeMap::new(),
            machines: BTreeMap::new(),
            ready: BTreeMap::new(),
            active: BTreeMap::new(),
            in_reserve: 0,
            slow: BTreeSet::new(),
        }
    }

    /// Lines a request up. Its turn comes with a later [`Turns::grant`].
    pub fn ask(&mut self, request: Request) -> Ticket {
        self.last += 1;
        let ticket = self.last;
        let line = self.machines.entry(request.machine.clone()).or_default();
        line.waiting.insert(ticket);
        if line.holder.is_none() {
            self.ready
                .entry(request.unit.application())
                .or_default()
                .insert(ticket);
        }
        self.waiting.insert(ticket, request);
        ticket
    }

    /// Another hook is to be run in the same turn.
    pub fn rename(&mut self, ticket: Ticket, hook: &str) {
        let running = self.running.get_mut(&ticket).map(|(request, _)| request);
        if let Some(request) = running.or(self.waiting.get_mut(&ticket)) {
            hook.clone_into(&mut request.hook);
        }
    }

    /// Takes a request out of the line, or ends its turn; `took` is how long its hook ran.
    pub fn end(&mut self, ticket: Ticket, took: Duration) {
        if let Some(request) = self.waiting.remove(&ticket) {
            self.not_ready(&request.unit.application(), ticket);
            self.leave(&request.machine, |line| {
                line.waiting.remove(&ticket);
            });
            return;
        }
        let Some((request, place)) = self.running.remove(&ticket) else {
            return;
        };
        if place == Place::Reserve {
            self.in_reserve -= 1;
        }
        let application = request.unit.application();
        if let Some(active) = self.active.get_mut(&application) {
            *active -= 1;
            if *active == 0 {
                self.active.remove(&application);
            }
        }
        if took > SLOW {
            self.slow.insert(application);
        } else {
            self.slow.remove(&application);
        }
        let waiting = self.leave(&request.machine, |line| line.holder = None);
        for ticket in waiting {
            if let Some(request) = self.waiting.get(&ticket) {
                self.ready
                    .entry(request.unit.application())
                    .or_default()
                    .insert(ticket);
            }
        }
    }

    /// Whose turn has come since the last call.
    pub fn grant(&mut self) -> Vec<Ticket> {
        let mut granted = Vec::new();
        while self.running.len() < self.room.all()
            && let Some((ticket, place)) = self.next()
        {
            self.begin(ticket, place);
            granted.push(ticket);
        }
        granted
    }

    /// What a request waits for; none once its turn has come.
    pub fn waits_for(&self, ticket: Ticket) -> Option<WaitsFor> {
        let request = self.waiting.get(&ticket)?;
        let holder = self.machines.get(&request.machine)?.holder;
        let holder = holder.and_then(|holder| self.running.get(&holder));
        Some(match holder {
            Some((holder, _)) => WaitsFor::Machine {
                unit: holder.unit.clone(),
                hook: holder.hook.clone(),
            },
            None => WaitsFor::Place {
                running: self.running.len(),
            },
        })
    }

    /// Who waits for a machine, in the order in which they asked.
    pub fn line(&self, machine: &MachineId) -> Vec<Ticket> {
        let line = self.machines.get(machine);
        line.map(|line| line.waiting.iter().copied().collect())
            .unwrap_or_default()
    }

    /// How many hooks run.
    pub fn running(&self) -> usize {
        self.running.len()
    }

    fn next(&self) -> Option<(Ticket, Place)> {
        let first = |(application, tickets): (&ApplicationName, &BTreeSet<Ticket>)| {
            self.place(application)?;
            let ticket = tickets.first().copied()?;
            Some((self.active_of(application), self.before(ticket)))
        };
        let (_, ticket) = self.ready.iter().filter_map(first).min()?;
        let application = self.waiting.get(&ticket)?.unit.application();
        Some((ticket, self.place(&application)?))
    }

    /// The first of those in the ticket's line who have a place.
    fn before(&self, ticket: Ticket) -> Ticket {
        let line = self
            .waiting
            .get(&ticket)
            .and_then(|request| self.machines.get(&request.machine));
        let has_place = |other: &&Ticket| {
            let request = self.waiting.get(other);
            request.is_some_and(|request| self.place(&request.unit.application()).is_some())
        };
        line.and_then(|line| line.waiting.iter().find(has_place))
            .copied()
            .unwrap_or(ticket)
    }

    /// The place that a hook of the application would get now.
    fn place(&self, application: &ApplicationName) -> Option<Place> {
        if self.running.len() - self.in_reserve < self.room.shared {
            return Some(Place::Shared);
        }
        let kept = match self.slow.contains(application) {
            true => self.room.reserve.div_ceil(4),
            false => 0,
        };
        let free = self.room.reserve.saturating_sub(self.in_reserve);
        (self.active_of(application) == 0 && free > kept).then_some(Place::Reserve)
    }

    fn active_of(&self, application: &ApplicationName) -> usize {
        self.active.get(application).copied().unwrap_or_default()
    }

    fn begin(&mut self, ticket: Ticket, place: Place) {
        let Some(request) = self.waiting.remove(&ticket) else {
            return;
        };
        *self.active.entry(request.unit.application()).or_default() += 1;
        self.in_reserve += usize::from(place == Place::Reserve);
        let line = self.machines.entry(request.machine.clone()).or_default();
        line.waiting.remove(&ticket);
        line.holder = Some(ticket);
        let others: Vec<Ticket> = line.waiting.iter().copied().collect();
        self.not_ready(&request.unit.application(), ticket);
        for other in others {
            if let Some(application) = self
                .waiting
                .get(&other)
                .map(|other| other.unit.application())
            {
                self.not_ready(&application, other);
            }
        }
        self.running.insert(ticket, (request, place));
    }

    fn not_ready(&mut self, application: &ApplicationName, ticket: Ticket) {
        if let Some(tickets) = self.ready.get_mut(application) {
            tickets.remove(&ticket);
            if tickets.is_empty() {
                self.ready.remove(application);
            }
        }
    }

    /// Changes a machine's line; who waits in it then.
    fn leave(&mut self, machine: &MachineId, change: impl FnOnce(&mut Line)) -> Vec<Ticket> {
        let Some(line) = self.machines.get_mut(machine) else {
            return Vec::new();
        };
        change(line);
        let waiting: Vec<Ticket> = line.waiting.iter().copied().collect();
        if line.holder.is_none() && waiting.is_empty() {
            self.machines.remove(machine);
        }
        waiting
    }
}
