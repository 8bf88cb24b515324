//! The sockets at which strangers are waited for: one for names, and one for each exposed port of a unit that
//! has an address. They outlive the gate, so that nobody is refused while it is started again.

use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use periapt_engine::descriptors;
use periapt_model::ports::{PortRange, Protocol};
use periapt_model::reach::published::{Answer, Listening, NotListening, Published};
use periapt_model::{ModelUuid, UnitName};
use rustix::net::Shutdown;

use super::process::Process;
use crate::frames::{Leads, ToGate};

/// Ports of one unit that are listened on.
const UNIT: u16 = 64;
/// Of the descriptors this process may have, one in so many is a listener at most.
const SHARE: usize = 4;
/// Descriptors that are counted on, however many it may have.
const UNLIMITED: usize = 1 << 16;
/// What failed is tried again after so long, and from then on after twice as long each time, up to the longest.
const AGAIN: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_secs(30);
/// Ports below this are the system's; where the right to them is lacking, so much is added.
const SYSTEM: u16 = 1024;
const INSTEAD: u16 = 10_000;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Names(SocketAddr),
    Port(ModelUuid, UnitName, u16, Ipv4Addr),
}

struct Open {
    number: u64,
    listener: TcpListener,
    address: SocketAddr,
}

pub struct Listeners {
    last: u64,
    open: BTreeMap<Key, Open>,
    failed: BTreeMap<Key, String>,
    /// Listeners there are at most.
    most: usize,
    wait: Duration,
    again: Option<Instant>,
}

impl Default for Listeners {
    fn default() -> Self {
        let descriptors = usize::try_from(descriptors::limit()).unwrap_or(usize::MAX);
        Self {
            last: 0,
            open: BTreeMap::new(),
            failed: BTreeMap::new(),
            most: descriptors.min(UNLIMITED) / SHARE,
            wait: AGAIN,
            again: None,
        }
    }
}

impl Listeners {
    /// Opens what these documents ask for, and closes everything else. Whether there is a listener now that
    /// could not be had before.
    pub fn set<'a>(
        &mut self,
        documents: impl Iterator<Item = (&'a ModelUuid, &'a Published)>,
        gate: Option<&Process<ToGate>>,
    ) -> bool {
        let wanted = wanted(documents);
        let before = std::mem::take(&mut self.failed);
        // The gate has its share of them for a moment yet, so nobody else could listen there; who wants the same
        // address takes the listener over.
        let mut closed = self.close_others(&wanted, gate);
        let (mut taken, mut missing) = (Vec::new(), Vec::new());
        for key in wanted {
            if self.open.contains_key(&key) {
                continue;
            }
            let same = closed
                .iter()
                .position(|open| addresses(&key).contains(&open.address));
            match same {
                Some(at) => taken.push((key, closed.swap_remove(at))),
                None => missing.push(key),
            }
        }
        for open in closed {
            // At once, whoever else has a share of it: others may want its port at another address.
            let _ = rustix::net::shutdown(&open.listener, Shutdown::Both);
        }
        for (key, open) in taken {
            self.insert(key, open.listener, open.address, gate);
        }
        for key in missing {
            self.try_open(key, gate);
        }
        if self.failed.keys().any(|key| !before.contains_key(key)) {
            self.wait = AGAIN;
            self.again = None;
        }
        self.plan();
        before.keys().any(|key| self.open.contains_key(key))
    }

    fn close_others(
        &mut self,
        wanted: &BTreeSet<Key>,
        gate: Option<&Process<ToGate>>,
    ) -> Vec<Open> {
        let others = self.open.keys().filter(|key| !wanted.contains(key));
        let others: Vec<Key> = others.cloned().collect();
        let closed = others.iter().filter_map(|key| self.open.remove(key));
        let closed: Vec<Open> = closed.collect();
        for open in &closed {
            if let Some(gate) = gate {
                gate.tell(&ToGate::Close(open.number), Vec::new());
            }
        }
        closed
    }

    fn insert(
        &mut self,
        key: Key,
        listener: TcpListener,
        address: SocketAddr,
        gate: Option<&Process<ToGate>>,
    ) {
        self.last += 1;
        let open = Open {
            number: self.last,
            listener,
            address,
        };
        if let Some(gate) = gate {
            tell(gate, &key, &open);
        }
        self.open.insert(key, open);
    }

    fn try_open(&mut self, key: Key, gate: Option<&Process<ToGate>>) {
        // There is room for names, or nobody is reached at all.
        let full = self.open.len() >= self.most && matches!(key, Key::Port(..));
        let bound = match full {
            true => Err(format!(
                "{} ports at most are listened on, of all units together",
                self.most
            )),
            false => bind(&key),
        };
        match bound {
            Ok((listener, address)) => self.insert(key, listener, address, gate),
            Err(reason) => {
                tracing::debug!(?key, reason, "no listener");
                self.failed.insert(key, reason);
            }
        }
    }

    pub fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// When what failed is to be tried again.
    pub fn due(&self) -> Option<Instant> {
        self.again
    }

    /// Tries what failed again, if it is time to; whether something came of it.
    pub fn tick(&mut self, gate: Option<&Process<ToGate>>) -> bool {
        if self.again.is_none_or(|at| at > Instant::now()) {
            return false;
        }
        let failed = std::mem::take(&mut self.failed);
        let before = failed.len();
        for key in failed.into_keys() {
            self.try_open(key, gate);
        }
        self.wait = (self.wait * 2).min(LONGEST);
        self.again = None;
        self.plan();
        self.failed.len() < before
    }

    fn plan(&mut self) {
        self.again = match self.failed.is_empty() {
            true => None,
            false => Some(self.again.unwrap_or_else(|| Instant::now() + self.wait)),
        };
    }

    /// Hands all of them to a gate.
    pub fn tell(&self, gate: &Process<ToGate>) {
        for (key, open) in &self.open {
            tell(gate, key, open);
        }
    }

    /// What is told to the provider of a model.
    pub fn answer(&self, number: u64, model: &ModelUuid, document: &Published) -> Answer {
        let names = Key::Names(document.ingress);
        let mut answer = Answer {
            number,
            ingress: self.open.get(&names).map(|open| open.address),
            ingress_failed: self.failed.get(&names).cloned(),
            listening: Vec::new(),
            not_listening: Vec::new(),
        };
        for (unit, range, ports) in shown(document) {
            let Some(address) = document.addresses.get(&unit) else {
                continue;
            };
            let ports = match ports {
                Ok(ports) => ports,
                Err(reason) => {
                    answer.not_listening.push(NotListening {
                        unit,
                        port: range,
                        reason,
                    });
                    continue;
                }
            };
            for port in ports {
                let one = PortRange {
                    start: port,
                    end: port,
                    ..range
                };
                let key = Key::Port(model.clone(), unit.clone(), port, *address);
                match self.open.get(&key) {
                    Some(open) => answer.listening.push(Listening {
                        unit: unit.clone(),
                        port: one,
                        address: open.address,
                    }),
                    None => answer.not_listening.push(NotListening {
                        unit: unit.clone(),
                        port: one,
                        reason: self.failed.get(&key).cloned().unwrap_or_default(),
                    }),
                }
            }
        }
        answer
    }
}

type Ports = Result<std::ops::RangeInclusive<u16>, String>;

fn wanted<'a>(documents: impl Iterator<Item = (&'a ModelUuid, &'a Published)>) -> BTreeSet<Key> {
    let mut wanted = BTreeSet::new();
    for (model, document) in documents {
        let shown = shown(document);
        // Names of which none leads anywhere need no port, which others may have use for.
        if !shown.is_empty() {
            wanted.insert(Key::Names(document.ingress));
        }
        for (unit, _, ports) in shown {
            if let (Some(address), Ok(ports)) = (document.addresses.get(&unit), ports) {
                let keys = ports.map(|port| Key::Port(model.clone(), unit.clone(), port, *address));
                wanted.extend(keys);
            }
        }
    }
    wanted
}

/// The exposed ranges of each unit, and which of their ports are listened on.
fn shown(document: &Published) -> Vec<(UnitName, PortRange, Ports)> {
    let ingress = document.network.ingress();
    let ranges: BTreeSet<(UnitName, PortRange)> =
        ingress.into_iter().map(|way| (way.to, way.ports)).collect();
    let mut room: BTreeMap<UnitName, u16> = BTreeMap::new();
    let shown = ranges.into_iter().map(|(unit, range)| {
        let room = room.entry(unit.clone()).or_insert(UNIT);
        let more = range.end.saturating_sub(range.start);
        let ports = match range.protocol {
            Protocol::Tcp if more < *room => {
                *room -= more + 1;
                Ok(range.start..=range.end)
            }
            Protocol::Tcp => Err(format!("of one unit, {UNIT} ports at most are listened on")),
            other => Err(format!("{} is not passed on", other.as_str())),
        };
        (unit, range, ports)
    });
    shown.collect()
}

/// Where to listen, and where instead if the right to that is lacking.
fn addresses(key: &Key) -> Vec<SocketAddr> {
    match key {
        Key::Names(address) => vec![*address],
        Key::Port(_, _, port, address) if *port < SYSTEM => vec![
            SocketAddr::from((*address, *port)),
            SocketAddr::from((*address, *port + INSTEAD)),
        ],
        Key::Port(_, _, port, address) => vec![SocketAddr::from((*address, *port))],
    }
}

fn bind(key: &Key) -> Result<(TcpListener, SocketAddr), String> {
    let addresses = addresses(key);
    let mut failed = String::new();
    for address in addresses {
        let bound =
            TcpListener::bind(address).and_then(|listener| Ok((listener.local_addr()?, listener)));
        match bound {
            Ok((address, listener)) => return Ok((listener, address)),
            Err(error) => {
                failed = match error.kind() {
                    ErrorKind::AddrInUse => format!("{address} is in use by another program"),
                    _ => format!("{address}: {error}"),
                };
                if error.kind() != ErrorKind::PermissionDenied {
                    break;
                }
            }
        }
    }
    Err(failed)
}

fn tell(gate: &Process<ToGate>, key: &Key, open: &Open) {
    let leads = match key {
        Key::Names(_) => Leads::ByName,
        Key::Port(model, unit, port, _) => Leads::To(model.clone(), unit.clone(), *port),
    };
    match open.listener.try_clone() {
        Ok(listener) => gate.tell(
            &ToGate::Listen(open.number, leads),
            vec![OwnedFd::from(listener)],
        ),
        Err(error) => tracing::warn!(%error, "a listener cannot be handed on"),
    }
}

#[cfg(test)]
mod tests;
