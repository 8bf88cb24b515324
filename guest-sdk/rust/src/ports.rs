//! Port ranges.

use std::fmt;

use crate::world::World;
use crate::world::bindings::periapt::charm::ports as wit;
use crate::{Context, HostError, Result};

/// The protocol of a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Protocol {
    /// TCP.
    Tcp,
    /// UDP.
    Udp,
    /// ICMP, which has no ports.
    Icmp,
}

/// An inclusive range of ports; `icmp` carries no numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PortRange {
    /// The first port.
    pub start: u16,
    /// The last port, itself included.
    pub end: u16,
    /// Its protocol.
    pub protocol: Protocol,
}

impl PortRange {
    /// One TCP port.
    pub const fn tcp(port: u16) -> Self {
        Self {
            start: port,
            end: port,
            protocol: Protocol::Tcp,
        }
    }

    /// One UDP port.
    pub const fn udp(port: u16) -> Self {
        Self {
            start: port,
            end: port,
            protocol: Protocol::Udp,
        }
    }

    /// ICMP as a whole.
    pub const fn icmp() -> Self {
        Self {
            start: 0,
            end: 0,
            protocol: Protocol::Icmp,
        }
    }
}

impl fmt::Display for PortRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let protocol = match self.protocol {
            Protocol::Tcp => "tcp",
            Protocol::Udp => "udp",
            Protocol::Icmp => return f.write_str("icmp"),
        };
        if self.start == self.end {
            write!(f, "{}/{protocol}", self.start)
        } else {
            write!(f, "{}-{}/{protocol}", self.start, self.end)
        }
    }
}

/// Ports that are open, and for which endpoints or bindings of the charm.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening {
    /// The ports.
    pub ports: PortRange,
    /// Empty for all of them, also those that later revisions of the charm add.
    pub endpoints: Vec<String>,
}

/// What a charm may ask of the host about ports.
#[allow(missing_docs)]
pub trait PortsHost {
    fn open_ports(&self, ports: PortRange) -> Result<(), HostError>;
    fn close_ports(&self, ports: PortRange) -> Result<(), HostError>;
    fn opened_ports(&self) -> Result<Vec<PortRange>, HostError>;
    fn open_ports_for(&self, ports: PortRange, endpoints: &[&str]) -> Result<(), HostError>;
    fn close_ports_for(&self, ports: PortRange, endpoints: &[&str]) -> Result<(), HostError>;
    fn openings(&self) -> Result<Vec<Opening>, HostError>;
}

impl PortsHost for World {
    fn open_ports(&self, range: PortRange) -> Result<(), HostError> {
        Ok(wit::open(range.into())?)
    }

    fn close_ports(&self, range: PortRange) -> Result<(), HostError> {
        Ok(wit::close(range.into())?)
    }

    fn opened_ports(&self) -> Result<Vec<PortRange>, HostError> {
        Ok(wit::opened()?.into_iter().map(PortRange::from).collect())
    }

    fn open_ports_for(&self, range: PortRange, endpoints: &[&str]) -> Result<(), HostError> {
        Ok(wit::open_for(range.into(), &owned(endpoints))?)
    }

    fn close_ports_for(&self, range: PortRange, endpoints: &[&str]) -> Result<(), HostError> {
        Ok(wit::close_for(range.into(), &owned(endpoints))?)
    }

    fn openings(&self) -> Result<Vec<Opening>, HostError> {
        let openings = wit::openings()?.into_iter();
        Ok(openings
            .map(|opening| Opening {
                ports: opening.ports.into(),
                endpoints: opening.endpoints,
            })
            .collect())
    }
}

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

impl<C> Context<'_, C> {
    /// Asks to have ports opened.
    pub fn open_ports(&self, ports: PortRange) -> Result<()> {
        Ok(self.host.open_ports(ports)?)
    }

    /// Takes a request to open ports back.
    pub fn close_ports(&self, ports: PortRange) -> Result<()> {
        Ok(self.host.close_ports(ports)?)
    }

    /// The ports this unit has opened, this hook's own changes included.
    pub fn opened_ports(&self) -> Result<Vec<PortRange>> {
        Ok(self.host.opened_ports()?)
    }

    /// Asks to have ports opened for some endpoints or bindings of the charm, beside those that they
    /// are open for: they show to the units that are related there, and outside when the operator
    /// exposes the endpoint. An empty list stands for all endpoints, as [`Context::open_ports`] does.
    ///
    /// # Errors
    /// `invalid` where the ports overlap another open range, `not-found` for a name that the charm's
    /// metadata does not declare, `limit` when it is one range too many.
    pub fn open_ports_for(&self, ports: PortRange, endpoints: &[&str]) -> Result<()> {
        Ok(self.host.open_ports_for(ports, endpoints)?)
    }

    /// Takes a request to open ports back for some endpoints; they stay open for the others.
    ///
    /// # Errors
    /// `invalid` for a part of an open range, `not-found` for a name that is not declared.
    pub fn close_ports_for(&self, ports: PortRange, endpoints: &[&str]) -> Result<()> {
        Ok(self.host.close_ports_for(ports, endpoints)?)
    }

    /// The ports this unit has opened and for which endpoints, this hook's own changes included.
    pub fn openings(&self) -> Result<Vec<Opening>> {
        Ok(self.host.openings()?)
    }
}

impl From<PortRange> for wit::PortRange {
    fn from(range: PortRange) -> Self {
        let protocol = match range.protocol {
            Protocol::Tcp => wit::Protocol::Tcp,
            Protocol::Udp => wit::Protocol::Udp,
            Protocol::Icmp => wit::Protocol::Icmp,
        };
        wit::PortRange {
            start: range.start,
            end: range.end,
            protocol,
        }
    }
}

impl From<wit::PortRange> for PortRange {
    fn from(range: wit::PortRange) -> Self {
        let protocol = match range.protocol {
            wit::Protocol::Tcp => Protocol::Tcp,
            wit::Protocol::Udp => Protocol::Udp,
            wit::Protocol::Icmp => Protocol::Icmp,
        };
        PortRange {
            start: range.start,
            end: range.end,
            protocol,
        }
    }
}
