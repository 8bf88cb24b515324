//! The sockets at which strangers are waited for: one for names, and one for each exposed port of a unit that
//! has an address. They outlive the gate, so that nobody is refused while it is started again.

use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::os::fd::OwnedFd;

use periapt_model::ports::{PortRange, Protocol};
use periapt_model::reach::published::{Answer, Listening, NotListening, Published};
use periapt_model::{ModelUuid, UnitName};

use super::process::Process;
use crate::frames::{Leads, ToGate};

/// Ports of one range that are listened on.
const RANGE: u16 = 64;
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

#[derive(Default)]
pub struct Listeners {
    last: u64,
    open: BTreeMap<Key, Open>,
    failed: BTreeMap<Key, String>,
}

impl Listeners {
    /// Opens what these documents ask for, and closes everything else.
    pub fn set<'a>(
        &mut self,
        documents: impl Iterator<Item = (&'a ModelUuid, &'a Published)>,
        gate: Option<&Process<ToGate>>,
    ) {
        let mut wanted = BTreeSet::new();
        for (model, document) in documents {
            wanted.insert(Key::Names(document.ingress));
            for (unit, _, ports) in shown(document) {
                if let (Some(address), Ok(ports)) = (document.addresses.get(&unit), ports) {
                    wanted.extend(
                        ports.map(|port| Key::Port(model.clone(), unit.clone(), port, *address)),
                    );
                }
            }
        }
        self.failed.clear();
        let closed: Vec<Key> = self
            .open
            .keys()
            .filter(|key| !wanted.contains(key))
            .cloned()
            .collect();
        // The gate has its share of them for a moment yet, so nobody else could listen there; who wants the same
        // address takes the listener over.
        let mut closed: Vec<Open> = closed
            .iter()
            .filter_map(|key| self.open.remove(key))
            .collect();
        for open in &closed {
            if let Some(gate) = gate {
                gate.tell(&ToGate::Close(open.number), Vec::new());
            }
        }
        for key in wanted {
            if self.open.contains_key(&key) {
                continue;
            }
            let same = closed
                .iter()
                .position(|open| addresses(&key).contains(&open.address));
            let bound = match same.map(|at| closed.swap_remove(at)) {
                Some(open) => Ok((open.listener, open.address)),
                None => bind(&key),
            };
            match bound {
                Ok((listener, address)) => {
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
                Err(reason) => {
                    tracing::warn!(?key, reason, "no listener");
                    self.failed.insert(key, reason);
                }
            }
        }
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

/// The exposed ranges of each unit, and which of their ports are listened on.
fn shown(document: &Published) -> Vec<(UnitName, PortRange, Ports)> {
    let ingress = document.network.ingress();
    let ranges: BTreeSet<(UnitName, PortRange)> =
        ingress.into_iter().map(|way| (way.to, way.ports)).collect();
    let shown = ranges.into_iter().map(|(unit, range)| {
        let ports = match range.protocol {
            Protocol::Tcp if range.end - range.start < RANGE => Ok(range.start..=range.end),
            Protocol::Tcp => Err(format!(
                "of one range, {RANGE} ports at most are listened on"
            )),
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
                failed = format!("{address}: {error}");
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
