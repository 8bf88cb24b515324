//! Port ranges.

use std::fmt;

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
