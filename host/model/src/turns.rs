//! Whose hook is next: the machines, of which each runs one hook at a time, and the places in which
//! the hooks of all machines compute.
//!
//! A task that a person asked for is run in a turn like a hook. Where it may run beside others it takes
//! another lock than the machine's: that of its group, or none but its unit's.
//!
//! A pure queue. Whoever runs hooks says who asks, who steps aside, who gives up and who has
//! ended, how long each had its place and what time it is, and is told whose turn has come. There is
//! no clock in it and nothing waits in it.
//!
//! A turn begins when its machine and a place are free, and keeps the machine to its end. The
//! place it has only while the hook computes: who waits for the controller or a disk steps aside
//! and steps in again. So that this ends well, the hooks under way have a bound of their own, and
//! one that steps in goes before one that begins.
//!
//! Nobody keeps a place for longer than a slice while others want it: a hook that goes on to compute
//! steps aside after each slice and steps in again. Units that computed little lately go first, and
//! of the others the one that computed the least, so a hook of a unit that computes little waits for
//! the end of one slice and not for the end of a hook. What a unit computed counts half after ten
//! seconds, so a unit is behind others for a minute or so and never for good.
//!
//! Two kinds of places bound what computes at once. The shared ones go to the application that has
//! the fewest. When they are taken, an application without a place gets one in reserve, unless its
//! unit computed much lately; what may be under way has the same reserve. The last quarter of the
//! reserve is kept for applications whose last hook was quick, so that many others together, slow
//! or not known yet, cannot take all of it.
//!
//! On one machine hooks come in the order in which they were asked for, but for those that cannot
//! begin yet: whoever can may go first.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use crate::ApplicationName;

mod request;
#[cfg(test)]
mod tests;
mod used;

pub use request::{Lock, Request, WaitsFor};
use used::Used;

/// A hook that computed for longer was slow.
pub const SLOW: Duration = Duration::from_secs(1);
/// For so long a hook keeps its place while others want it.
pub const SLICE: Duration = Duration::from_millis(50);
/// A unit that computed for longer lately goes behind those that did not: less than a slice.
pub const LITTLE: Duration = Duration::from_millis(25);

/// Names a request; later ones are greater.
pub type Ticket = u64;

/// How many hooks run at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// Places for whoever comes.
    pub shared: usize,
    /// Further places, of which an application without one gets one.
    pub reserve: usize,
    /// Hooks that may be under way beyond the shared places, because others have stepped aside.
    pub aside: usize,
}

impl Room {
    /// The most hooks that are ever under way at once.
    pub fn all(self) -> usize {
        self.shared + self.reserve + self.aside
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
    /// Hooks whose turn it is; none for a place is one that stepped aside.
    under_way: BTreeMap<Ticket, (Request, Option<Place>)>,
    locks: BTreeMap<Lock, Line>,
    /// Those who wait while their lock is free.
    ready: Tickets,
    /// Those under way who want a place again.
    stepping_in: Tickets,
    /// Applications with hooks under way.
    shares: BTreeMap<ApplicationName, Share>,
    in_shared: usize,
    in_reserve: usize,
    /// Applications whose last hook was not slow.
    quick: BTreeSet<ApplicationName>,
    /// What units computed lately.
    used: Used,
}

/// Hooks of one application.
#[derive(Clone, Copy, Debug, Default)]
struct Share {
    under_way: usize,
    /// Of these, those that have a place.
    computing: usize,
}

#[derive(Debug, Default)]
struct Line {
    holder: Option<Ticket>,
    waiting: BTreeSet<Ticket>,
}

/// Tickets by application.
#[derive(Debug, Default)]
struct Tickets(BTreeMap<ApplicationName, BTreeSet<Ticket>>);

impl Tickets {
    fn insert(&mut self, application: ApplicationName, ticket: Ticket) {
        self.0.entry(application).or_default().insert(ticket);
    }

    fn remove(&mut self, application: &ApplicationName, ticket: Ticket) {
        if let Some(tickets) = self.0.get_mut(application) {
            tickets.remove(&ticket);
            if tickets.is_empty() {
                self.0.remove(application);
            }
        }
    }
}

impl Turns {
    pub fn new(room: Room) -> Self {
        Self {
            room,
            last: 0,
            waiting: BTreeMap::new(),
            under_way: BTreeMap::new(),
            locks: BTreeMap::new(),
            ready: Tickets::default(),
            stepping_in: Tickets::default(),
            shares: BTreeMap::new(),
            in_shared: 0,
            in_reserve: 0,
            quick: BTreeSet::new(),
            used: Used::new(),
        }
    }

    /// Says what time it is, on a clock that never goes back.
    pub fn pass(&mut self, now: Duration) {
        self.used.pass(now);
    }

    /// Writes down for how long a turn has just had a place. False where that is too short to be written
    /// down: then it is said again with what follows, or a hook that steps aside often enough would compute
    /// for nothing.
    pub fn charge(&mut self, ticket: Ticket, computed: Duration) -> bool {
        match self.under_way.get(&ticket) {
            Some((request, _)) => self.used.charge(&request.unit, computed),
            None => false,
        }
    }

    /// Lines a request up. Its turn comes with a later [`Turns::grant`].
    pub fn ask(&mut self, request: Request) -> Ticket {
        self.last += 1;
        let ticket = self.last;
        let line = self.locks.entry(request.lock.clone()).or_default();
        line.waiting.insert(ticket);
        if line.holder.is_none() {
            self.ready.insert(request.unit.application(), ticket);
        }
        self.waiting.insert(ticket, request);
        ticket
    }

    /// Another hook is to be run in the same turn.
    pub fn rename(&mut self, ticket: Ticket, hook: &str) {
        let under_way = self.under_way.get_mut(&ticket).map(|(request, _)| request);
        if let Some(request) = under_way.or(self.waiting.get_mut(&ticket)) {
            hook.clone_into(&mut request.hook);
        }
    }

    /// Gives the place of a turn back, or the wish for one; the turn goes on.
    pub fn step_aside(&mut self, ticket: Ticket) {
        let Some((request, place)) = self.under_way.get_mut(&ticket) else {
            return;
        };
        let (application, place) = (request.unit.application(), place.take());
        self.stepping_in.remove(&application, ticket);
        let Some(place) = place else {
            return;
        };
        match place {
            Place::Shared => self.in_shared -= 1,
            Place::Reserve => self.in_reserve -= 1,
        }
        if let Some(share) = self.shares.get_mut(&application) {
            share.computing -= 1;
        }
    }

    /// Asks for a place for a turn that has none. It comes with a later [`Turns::grant`].
    pub fn step_in(&mut self, ticket: Ticket) {
        if let Some((request, None)) = self.under_way.get(&ticket) {
            self.stepping_in.insert(request.unit.application(), ticket);
        }
    }

    /// Takes a request out of the line, or ends its turn; `computed` is how long it had a place.
    pub fn end(&mut self, ticket: Ticket, computed: Duration) {
        if let Some(request) = self.waiting.remove(&ticket) {
            self.ready.remove(&request.unit.application(), ticket);
            self.leave(&request.lock, |line| {
                line.waiting.remove(&ticket);
            });
            return;
        }
        self.step_aside(ticket);
        let Some((request, _)) = self.under_way.remove(&ticket) else {
            return;
        };
        let application = request.unit.application();
        if let Some(share) = self.shares.get_mut(&application) {
            share.under_way -= 1;
            if share.under_way == 0 {
                self.shares.remove(&application);
            }
        }
        if computed > SLOW {
            self.quick.remove(&application);
        } else {
            self.quick.insert(application);
        }
        let waiting = self.leave(&request.lock, |line| line.holder = None);
        for ticket in waiting {
            if let Some(request) = self.waiting.get(&ticket) {
                self.ready.insert(request.unit.application(), ticket);
            }
        }
    }

    /// Who has got a place since the last call: to begin, or to go on.
    pub fn grant(&mut self) -> Vec<Ticket> {
        let mut granted = Vec::new();
        while self.computing() < self.room.shared + self.room.reserve
            && let Some((ticket, place)) = self.next()
        {
            self.begin(ticket);
            self.take(ticket, place);
            granted.push(ticket);
        }
        granted
    }

    /// What a request waits for; none while it has what it asked for.
    pub fn waits_for(&self, ticket: Ticket) -> Option<WaitsFor> {
        let Some(request) = self.waiting.get(&ticket) else {
            let (request, _) = self.under_way.get(&ticket)?;
            let wants = self.stepping_in.0.get(&request.unit.application())?;
            let running = self.computing();
            return wants
                .contains(&ticket)
                .then_some(WaitsFor::Place { running });
        };
        let holder = self.locks.get(&request.lock)?.holder;
        let holder = holder.and_then(|holder| self.under_way.get(&holder));
        Some(match (holder, &request.lock) {
            (Some((holder, _)), Lock::Group(_, group)) => WaitsFor::Group {
                group: group.clone(),
                unit: holder.unit.clone(),
                hook: holder.hook.clone(),
            },
            (Some((holder, _)), _) => WaitsFor::Machine {
                unit: holder.unit.clone(),
                hook: holder.hook.clone(),
            },
            (None, _) => WaitsFor::Place {
                running: match self
                    .may_be_under_way(&request.unit.application(), self.behind(ticket))
                {
                    true => self.computing(),
                    false => self.under_way.len(),
                },
            },
        })
    }

    /// Whether it is a turn and has a place.
    pub fn has_place(&self, ticket: Ticket) -> bool {
        matches!(self.under_way.get(&ticket), Some((_, Some(_))))
    }

    /// Who waits for a lock, in the order in which they asked.
    pub fn line(&self, lock: &Lock) -> Vec<Ticket> {
        let line = self.locks.get(lock);
        line.map(|line| line.waiting.iter().copied().collect())
            .unwrap_or_default()
    }

    fn computing(&self) -> usize {
        self.in_shared + self.in_reserve
    }

    fn next(&self) -> Option<(Ticket, Place)> {
        let back = self
            .firsts(&self.stepping_in)
            .filter_map(|(application, ticket, behind)| {
                let place = self.place(application, behind)?;
                Some((self.rank(application, behind, false), ticket, place))
            });
        let new = self
            .firsts(&self.ready)
            .filter_map(|(application, ticket, behind)| {
                self.may_begin(application, behind)?;
                let first = self.before(ticket);
                let owner = self.waiting.get(&first)?.unit.application();
                let place = self.may_begin(&owner, self.behind(first))?;
                Some((self.rank(application, behind, true), first, place))
            });
        let next = back
            .chain(new)
            .min_by_key(|(rank, ticket, _)| (*rank, *ticket));
        next.map(|(_, ticket, place)| (ticket, place))
    }

    /// Who goes first: whose unit computed little, then whose application has few places, then whose
    /// unit computed the least, then who has begun.
    fn rank(
        &self,
        application: &ApplicationName,
        behind: Duration,
        begins: bool,
    ) -> (bool, usize, Duration, bool) {
        let computing = self.share(application).computing;
        (!behind.is_zero(), computing, behind, begins)
    }

    /// Of each application the request that is the least behind, and of these the first.
    fn firsts<'a>(
        &'a self,
        tickets: &'a Tickets,
    ) -> impl Iterator<Item = (&'a ApplicationName, Ticket, Duration)> {
        tickets.0.iter().filter_map(move |(application, tickets)| {
            let mut first: Option<(Duration, Ticket)> = None;
            for ticket in tickets {
                let behind = self.behind(*ticket);
                if first.is_none_or(|(least, _)| behind < least) {
                    first = Some((behind, *ticket));
                }
                if behind.is_zero() {
                    break;
                }
            }
            let (behind, ticket) = first?;
            Some((application, ticket, behind))
        })
    }

    /// What the unit of a request computed lately; nothing if that is little.
    fn behind(&self, ticket: Ticket) -> Duration {
        if self.used.is_empty() {
            return Duration::ZERO;
        }
        let under_way = self.under_way.get(&ticket).map(|(request, _)| request);
        let request = self.waiting.get(&ticket).or(under_way);
        request.map_or(Duration::ZERO, |request| self.used.behind(&request.unit))
    }

    /// The first of those in the ticket's line who can begin.
    fn before(&self, ticket: Ticket) -> Ticket {
        let line = self
            .waiting
            .get(&ticket)
            .and_then(|request| self.locks.get(&request.lock));
        let can_begin = |other: &&Ticket| {
            let request = self.waiting.get(other);
            request.is_some_and(|request| {
                let application = request.unit.application();
                self.may_begin(&application, self.behind(**other)).is_some()
            })
        };
        line.and_then(|line| line.waiting.iter().find(can_begin))
            .copied()
            .unwrap_or(ticket)
    }

    /// The place in which a hook of the application, whose unit is so far behind, could begin now.
    fn may_begin(&self, application: &ApplicationName, behind: Duration) -> Option<Place> {
        let place = self.place(application, behind)?;
        self.may_be_under_way(application, behind).then_some(place)
    }

    /// Whether one more hook of the application, whose unit is so far behind, could be under way.
    fn may_be_under_way(&self, application: &ApplicationName, behind: Duration) -> bool {
        let open = self.room.shared + self.room.aside;
        let beyond = match self.under_way.len().checked_sub(open) {
            None => return true,
            Some(beyond) => beyond,
        };
        behind.is_zero()
            && self.share(application).under_way == 0
            && self.in_reserve_is_room(application, beyond)
    }

    /// The place that a hook of the application, whose unit is so far behind, would get now.
    fn place(&self, application: &ApplicationName, behind: Duration) -> Option<Place> {
        if self.in_shared < self.room.shared {
            return Some(Place::Shared);
        }
        if !behind.is_zero() {
            return None;
        }
        let share = self.share(application);
        (share.computing == 0 && self.in_reserve_is_room(application, self.in_reserve))
            .then_some(Place::Reserve)
    }

    /// Whether the reserve, of which so much is taken, has something for the application.
    fn in_reserve_is_room(&self, application: &ApplicationName, taken: usize) -> bool {
        let kept = match self.quick.contains(application) {
            true => 0,
            false => self.room.reserve.div_ceil(4),
        };
        self.room.reserve.saturating_sub(taken) > kept
    }

    fn share(&self, application: &ApplicationName) -> Share {
        self.shares.get(application).copied().unwrap_or_default()
    }

    /// Makes it a turn if it is none.
    fn begin(&mut self, ticket: Ticket) {
        let Some(request) = self.waiting.remove(&ticket) else {
            return;
        };
        self.shares
            .entry(request.unit.application())
            .or_default()
            .under_way += 1;
        let line = self.locks.entry(request.lock.clone()).or_default();
        line.waiting.remove(&ticket);
        line.holder = Some(ticket);
        let others: Vec<Ticket> = line.waiting.iter().copied().collect();
        self.ready.remove(&request.unit.application(), ticket);
        for other in others {
            if let Some(request) = self.waiting.get(&other) {
                self.ready.remove(&request.unit.application(), other);
            }
        }
        self.under_way.insert(ticket, (request, None));
    }

    fn take(&mut self, ticket: Ticket, place: Place) {
        let Some((request, has)) = self.under_way.get_mut(&ticket) else {
            return;
        };
        *has = Some(place);
        let application = request.unit.application();
        match place {
            Place::Shared => self.in_shared += 1,
            Place::Reserve => self.in_reserve += 1,
        }
        if let Some(share) = self.shares.get_mut(&application) {
            share.computing += 1;
        }
        self.stepping_in.remove(&application, ticket);
    }

    /// Changes the line of a lock; who waits in it then.
    fn leave(&mut self, lock: &Lock, change: impl FnOnce(&mut Line)) -> Vec<Ticket> {
        let Some(line) = self.locks.get_mut(lock) else {
            return Vec::new();
        };
        change(line);
        let waiting: Vec<Ticket> = line.waiting.iter().copied().collect();
        if line.holder.is_none() && waiting.is_empty() {
            self.locks.remove(lock);
        }
        waiting
    }
}
