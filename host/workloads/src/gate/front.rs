//! The connections of strangers: how many there are, which have nothing to do, and which are cut.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::names::Target;
use super::table::{Table, Way};
use super::waits::Waits;

/// How long a cut waits for the connections to be gone, which takes as long as a task is not run.
const CUT: Duration = Duration::from_millis(500);

#[derive(Clone)]
pub struct Fronts {
    all: Arc<Mutex<All>>,
    /// There is one with nothing to do.
    idle: Arc<Notify>,
    /// There is one with something to do.
    busy: Arc<Notify>,
    most: usize,
}

#[derive(Default)]
struct All {
    next: u64,
    fronts: HashMap<u64, Front>,
    /// Those with nothing under way, the oldest first.
    idle: BTreeSet<(Instant, u64)>,
}

struct Front {
    peer: IpAddr,
    listener: u64,
    cut: CancellationToken,
    idle: Option<Instant>,
    targets: BTreeSet<Target>,
    flights: BTreeMap<u64, Going>,
}

struct Going {
    way: Option<Way>,
    waits: Waits,
}

/// A connection. It is forgotten when this is dropped.
pub struct Connection {
    number: u64,
    /// The connection is to be closed.
    pub cut: CancellationToken,
    fronts: Fronts,
}

/// A request under way, up to the end of its answer.
pub struct Flight {
    number: u64,
    connection: u64,
    pub waits: Waits,
    fronts: Fronts,
}

impl Fronts {
    pub fn new(most: usize) -> Self {
        Self {
            all: Arc::default(),
            idle: Arc::default(),
            busy: Arc::default(),
            most,
        }
    }

    fn lock(&self) -> MutexGuard<'_, All> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a connection up. Where there are as many as may be, the one that has had nothing to do for the
    /// longest time goes; none is taken where all have.
    pub fn take(&self, peer: IpAddr, listener: u64) -> Option<Connection> {
        let mut all = self.lock();
        if all.fronts.len() >= self.most {
            let (_, oldest) = all.idle.pop_first()?;
            let gone = all.fronts.remove(&oldest)?;
            gone.cut.cancel();
        }
        let (number, now) = (all.number(), Instant::now());
        let cut = CancellationToken::new();
        let front = Front {
            peer,
            listener,
            cut: cut.clone(),
            idle: Some(now),
            targets: BTreeSet::new(),
            flights: BTreeMap::new(),
        };
        all.fronts.insert(number, front);
        all.idle.insert((now, number));
        drop(all);
        self.idle.notify_one();
        Some(Connection {
            number,
            cut,
            fronts: self.clone(),
        })
    }

    /// Closes what has had nothing to do for so long, for ever. Where there is nothing of the kind, it waits.
    pub async fn sweep(self, most: Duration) {
        loop {
            let first = self.lock().idle.first().copied();
            let Some((since, number)) = first else {
                self.idle.notified().await;
                continue;
            };
            if since.elapsed() < most {
                tokio::time::sleep_until(since + most).await;
                continue;
            }
            let mut all = self.lock();
            // It may have got something to do meanwhile.
            if all.idle.remove(&(since, number))
                && let Some(front) = all.fronts.get(&number)
            {
                front.cut.cancel();
            }
        }
    }

    /// Closes what has not taken any of its answers for so long, for ever. Where nothing is under way, it waits.
    pub async fn sweep_unread(self, most: Duration) {
        loop {
            let busy = |all: &All| all.fronts.len() > all.idle.len();
            if !busy(&self.lock()) {
                self.busy.notified().await;
                continue;
            }
            tokio::time::sleep(most / 4).await;
            self.cut_unread(most).await;
        }
    }

    /// One answer is enough: of a connection nobody can say which of them keeps the others.
    pub async fn cut_unread(&self, most: Duration) {
        self.cut(|front| front.flights.values().any(|going| going.waits.last(most)))
            .await;
    }

    /// Cuts those that are not shown any more what they came for.
    pub async fn cut_what_may_not(&self, table: &Table) {
        // Many come from few addresses to few places.
        let mut known: HashMap<(Target, IpAddr), bool> = HashMap::new();
        self.cut(|front| {
            let peer = front.peer;
            let mut shows = |to: &Target| {
                let shows = known.entry((to.clone(), peer));
                *shows.or_insert_with(|| table.shows(to, peer))
            };
            let lost = |way: &Way| !table.keeps(way, peer);
            let mut ways = front
                .flights
                .values()
                .filter_map(|going| going.way.as_ref());
            !front.targets.iter().all(&mut shows) || ways.any(lost)
        })
        .await;
    }

    pub async fn cut_listener(&self, listener: u64) {
        self.cut(|front| front.listener == listener).await;
    }

    async fn cut(&self, mut which: impl FnMut(&Front) -> bool) {
        let mut cut: Vec<u64> = Vec::new();
        for (number, front) in &self.lock().fronts {
            if which(front) {
                front.cut.cancel();
                cut.push(*number);
            }
        }
        let until = Instant::now() + CUT;
        loop {
            cut.retain(|number| self.lock().fronts.contains_key(number));
            if cut.is_empty() || Instant::now() >= until {
                return;
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }
}

impl All {
    fn number(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    /// Puts a connection in its place among those with nothing to do.
    fn settle(&mut self, number: u64) {
        let Some(front) = self.fronts.get_mut(&number) else {
            return;
        };
        let idle = front.flights.is_empty();
        if let Some(since) = front.idle.take() {
            self.idle.remove(&(since, number));
        }
        if idle {
            let now = Instant::now();
            front.idle = Some(now);
            self.idle.insert((now, number));
        }
    }
}

impl Front {
    fn aims(&mut self, target: &Target) {
        if !self.targets.contains(target) {
            self.targets.insert(target.clone());
        }
    }
}

impl Connection {
    /// For whom all of its requests are. It is closed once that is not shown to it any more.
    pub fn aims(&self, target: &Target) {
        if let Some(front) = self.fronts.lock().fronts.get_mut(&self.number) {
            front.aims(target);
        }
    }

    /// A request begins.
    pub fn begin(&self) -> Flight {
        let mut all = self.fronts.lock();
        let number = all.number();
        let waits = Waits::default();
        if let Some(front) = all.fronts.get_mut(&self.number) {
            let waits = waits.clone();
            front.flights.insert(number, Going { way: None, waits });
        }
        all.settle(self.number);
        drop(all);
        self.fronts.busy.notify_one();
        Flight {
            number,
            connection: self.number,
            waits,
            fronts: self.fronts.clone(),
        }
    }
}

impl Flight {
    /// For whom it is.
    pub fn aims(&self, target: &Target) {
        if let Some(front) = self.fronts.lock().fronts.get_mut(&self.connection) {
            front.aims(target);
        }
    }

    /// Where it is now, and for whom.
    pub fn goes(&self, target: &Target, way: &Way) {
        if let Some(front) = self.fronts.lock().fronts.get_mut(&self.connection) {
            front.aims(target);
            if let Some(going) = front.flights.get_mut(&self.number) {
                going.way = Some(way.clone());
            }
        }
    }
}

impl Drop for Flight {
    fn drop(&mut self) {
        let mut all = self.fronts.lock();
        if let Some(front) = all.fronts.get_mut(&self.connection) {
            front.flights.remove(&self.number);
        }
        all.settle(self.connection);
        drop(all);
        self.fronts.idle.notify_one();
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        let mut all = self.fronts.lock();
        if let Some(front) = all.fronts.remove(&self.number)
            && let Some(since) = front.idle
        {
            all.idle.remove(&(since, self.number));
        }
    }
}
