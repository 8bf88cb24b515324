//! Port ranges.

use std::fmt;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Protocol {
    Tcp,
    Udp,
    Icmp,
}

/// An inclusive range of ports; `icmp` carries no numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PortRange {
    pub start: u16,
    pub end: u16,
    pub protocol: Protocol,
}

impl PortRange {
    pub const fn tcp(port: u16) -> Self {
        Self {
            start: port,
            end: port,
            protocol: Protocol::Tcp,
        }
    }

    pub const fn udp(port: u16) -> Self {
        Self {
            start: port,
            end: port,
            protocol: Protocol::Udp,
        }
    }

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
