//! Port ranges, and sets of them in which it is soon known whether one more fits.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

#[cfg(test)]
mod tests;

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
}

/// Ranges that are open, each with its owner, no two of which claim the same port: whether one more
/// fits is known in logarithmic time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenPorts<O = ()> {
    /// By protocol and first port; the last port and the owner.
    ranges: BTreeMap<(Protocol, u16), (u16, O)>,
}

impl<O> Default for OpenPorts<O> {
    fn default() -> Self {
        Self {
            ranges: BTreeMap::new(),
        }
    }
}

impl<O> OpenPorts<O> {
    /// Adds a range that [`OpenPorts::meets`] none of the others.
    pub fn insert(&mut self, range: PortRange, owner: O) {
        let key = (range.protocol, range.start);
        self.ranges.insert(key, (range.end, owner));
    }

    /// Takes away exactly this range; whether it was there.
    pub fn remove(&mut self, range: &PortRange) -> bool {
        let key = (range.protocol, range.start);
        let there = self
            .ranges
            .get(&key)
            .is_some_and(|(end, _)| *end == range.end);
        if there {
            self.ranges.remove(&key);
        }
        there
    }

    /// An open range that claims a port of `range`, maybe `range` itself.
    pub fn meets(&self, range: &PortRange) -> Option<(PortRange, &O)> {
        // The ranges do not overlap: of those that begin in time the last one ends last.
        let until = (range.protocol, range.end);
        let ((protocol, start), (end, owner)) = self.ranges.range(..=until).next_back()?;
        let met = *protocol == range.protocol && *end >= range.start;
        let found = PortRange {
            protocol: *protocol,
            start: *start,
            end: *end,
        };
        met.then_some((found, owner))
    }

    pub fn len(&self) -> usize {
        self.ranges.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// In order.
    pub fn iter(&self) -> impl Iterator<Item = PortRange> {
        self.entries().map(|(range, _)| range)
    }

    /// In order, each with its owner.
    pub fn entries(&self) -> impl Iterator<Item = (PortRange, &O)> {
        self.ranges.iter().map(|((protocol, start), (end, owner))| {
            let range = PortRange {
                protocol: *protocol,
                start: *start,
                end: *end,
            };
            (range, owner)
        })
    }
}

impl FromIterator<PortRange> for OpenPorts {
    fn from_iter<I: IntoIterator<Item = PortRange>>(ranges: I) -> Self {
        let mut open = Self::default();
        for range in ranges {
            open.insert(range, ());
        }
        open
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
