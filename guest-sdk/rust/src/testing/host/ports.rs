//! Ports of the unit under test, and both sides' words for them.

use std::cell::RefCell;

use periapt_contract::ports::{self, Protocol as HostProtocol};
use periapt_contract::{CallError, PortsAnswers};

use super::TestHost;
use crate::ports::PortsHost;
use crate::{HostError, PortRange, Protocol};

impl PortsAnswers for TestHost {
    fn opened_ports(&mut self) -> Result<Vec<ports::PortRange>, CallError> {
        let opened = self.ports.iter().copied();
        opened.map(ports::PortRange::try_from).collect()
    }
}

impl PortsHost for RefCell<TestHost> {
    fn open_ports(&self, ports: PortRange) -> Result<(), HostError> {
        self.borrow_mut()
            .transaction(|txn, host| txn.open_port(host, ports.try_into()?))
    }

    fn close_ports(&self, ports: PortRange) -> Result<(), HostError> {
        self.borrow_mut()
            .transaction(|txn, host| txn.close_port(host, ports.try_into()?))
    }

    fn opened_ports(&self) -> Result<Vec<PortRange>, HostError> {
        let opened = self
            .borrow_mut()
            .transaction(|txn, host| txn.opened_ports(host))?;
        Ok(opened.into_iter().map(PortRange::from).collect())
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
