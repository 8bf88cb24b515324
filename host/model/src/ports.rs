//! Port ranges a unit asks to have opened.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Protocol {
    Tcp,
    Udp,
    Icmp,
}

impl Protocol {
    pub fn as_str(self) -> &'static str {
        match self {
            Protocol::Tcp => "tcp",
            Protocol::Udp => "udp",
            Protocol::Icmp => "icmp",
        }
    }
}

/// An inclusive range of ports of one protocol; `icmp` carries no numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PortRange {
    pub protocol: Protocol,
    pub start: u16,
    pub end: u16,
}

impl PortRange {
    /// Checks the range; the error text names what is wrong.
    pub fn new(protocol: Protocol, start: u16, end: u16) -> Result<Self, String> {
        match protocol {
            Protocol::Icmp => Ok(Self {
                protocol,
                start: 0,
                end: 0,
            }),
            _ if start == 0 || end < start => Err(format!(
                "\"{start}-{end}\" is not a port range: use numbers from 1 to 65535, lowest first"
            )),
            _ => Ok(Self {
                protocol,
                start,
                end,
            }),
        }
    }

    /// True where both ranges claim a port and are not the same range.
    pub fn conflicts_with(&self, other: &PortRange) -> bool {
        self != other
            && self.protocol == other.protocol
            && self.protocol != Protocol::Icmp
            && self.start <= other.end
            && other.start <= self.end
    }
}

impl fmt::Display for PortRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let protocol = self.protocol.as_str();
        match self.protocol {
            Protocol::Icmp => f.write_str(protocol),
            _ if self.start == self.end => write!(f, "{}/{protocol}", self.start),
            _ => write!(f, "{}-{}/{protocol}", self.start, self.end),
        }
    }
}

impl FromStr for PortRange {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "icmp" {
            return PortRange::new(Protocol::Icmp, 0, 0);
        }
        let bad = || format!("\"{text}\" is not a port range: use PORT/tcp or FIRST-LAST/udp");
        let (range, protocol) = text.split_once('/').ok_or_else(bad)?;
        let protocol = match protocol {
            "tcp" => Protocol::Tcp,
            "udp" => Protocol::Udp,
            _ => return Err(bad()),
        };
        let (start, end) = range.split_once('-').unwrap_or((range, range));
        PortRange::new(
            protocol,
            start.parse().map_err(|_| bad())?,
            end.parse().map_err(|_| bad())?,
        )
    }
}

impl TryFrom<String> for PortRange {
    type Error = String;
    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<PortRange> for String {
    fn from(range: PortRange) -> String {
        range.to_string()
    }
}
