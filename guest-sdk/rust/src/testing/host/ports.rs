//! Ports of the unit under test, and both sides' words for them.

use std::cell::RefCell;

use periapt_contract::ports::{self, Endpoints, Openings, Protocol as HostProtocol};
use periapt_contract::{CallError, PortsAnswers};

use super::TestHost;
use crate::ports::PortsHost;
use crate::testing::Harness;
use crate::{Charm, HostError, Opening, PortRange, Protocol};

impl<C: Charm> Harness<C> {
    /// The committed ports, in order.
    pub fn ports(&self) -> Vec<PortRange> {
        let host = self.host.borrow();
        host.ports.ranges().map(PortRange::from).collect()
    }

    /// The committed ports with their endpoints, in order.
    pub fn openings(&self) -> Vec<Opening> {
        let host = self.host.borrow();
        host.ports.iter().map(Opening::from).collect()
    }
}

impl PortsAnswers for TestHost {
    fn opened_ports(&mut self) -> Result<Openings, CallError> {
        Ok(self.ports.clone())
    }

    /// Those of the charm's files and of containers that a test adds. Where there are neither, the charm may open
    /// what it likes.
    fn declared_ports(&mut self) -> Option<Vec<ports::PortRange>> {
        let containers = self.containers.values();
        let of_containers = containers.flat_map(|container| container.ports.iter().copied());
        let files = self.declared.iter().flat_map(|declared| &declared.ports);
        let of_files = files.filter_map(|port| port.parse::<ports::PortRange>().ok());
        let all: Vec<ports::PortRange> = of_containers.chain(of_files).collect();
        (!self.containers.is_empty() || !all.is_empty()).then_some(all)
    }

    fn port_endpoints(&mut self) -> Result<Vec<String>, CallError> {
        Ok(self.endpoints.clone())
    }
}

pub(super) fn commit(host: &mut TestHost, changes: &ports::Changes) -> Result<(), CallError> {
    host.ports = changes.applied(&host.ports)?;
    Ok(())
}

impl PortsHost for RefCell<TestHost> {
    fn open_ports(&self, ports: PortRange) -> Result<(), HostError> {
        self.open_ports_for(ports, &[])
    }

    fn close_ports(&self, ports: PortRange) -> Result<(), HostError> {
        self.close_ports_for(ports, &[])
    }

    fn opened_ports(&self) -> Result<Vec<PortRange>, HostError> {
        let openings = self.openings()?.into_iter();
        Ok(openings.map(|opening| opening.ports).collect())
    }

    fn open_ports_for(&self, ports: PortRange, endpoints: &[&str]) -> Result<(), HostError> {
        let endpoints = Endpoints::of(endpoints.iter().copied());
        self.borrow_mut()
            .transaction(|txn, host| txn.open_port(host, ports.try_into()?, endpoints))
    }

    fn close_ports_for(&self, ports: PortRange, endpoints: &[&str]) -> Result<(), HostError> {
        let endpoints = Endpoints::of(endpoints.iter().copied());
        self.borrow_mut()
            .transaction(|txn, host| txn.close_port(host, ports.try_into()?, &endpoints))
    }

    fn openings(&self) -> Result<Vec<Opening>, HostError> {
        self.borrow_mut()
            .transaction(|txn, host| Ok(txn.openings(host)?.iter().map(Opening::from).collect()))
    }
}

impl From<(ports::PortRange, &Endpoints)> for Opening {
    fn from((ports, endpoints): (ports::PortRange, &Endpoints)) -> Self {
        Self {
            ports: ports.into(),
            endpoints: endpoints.names().map(str::to_owned).collect(),
        }
    }
}

impl From<ports::PortRange> for PortRange {
    fn from(range: ports::PortRange) -> Self {
        Self {
            start: range.start,
            end: range.end,
            protocol: match range.protocol {
                HostProtocol::Tcp => Protocol::Tcp,
                HostProtocol::Udp => Protocol::Udp,
                HostProtocol::Icmp => Protocol::Icmp,
            },
        }
    }
}

impl TryFrom<PortRange> for ports::PortRange {
    type Error = CallError;

    fn try_from(range: PortRange) -> Result<Self, CallError> {
        let protocol = match range.protocol {
            Protocol::Tcp => HostProtocol::Tcp,
            Protocol::Udp => HostProtocol::Udp,
            Protocol::Icmp => HostProtocol::Icmp,
        };
        Self::new(protocol, range.start, range.end).map_err(CallError::invalid)
    }
}
