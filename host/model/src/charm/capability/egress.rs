//! Where a charm may connect to: a host, a port and what is spoken there.

use std::fmt;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

use super::NotACapability;

/// A destination.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Egress {
    pub host: Host,
    pub port: u16,
    pub via: Via,
}

/// What is spoken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Via {
    /// A plain connection, over which anything may be spoken.
    Tcp,
    Http,
    Https,
}

impl Via {
    pub const ALL: [Via; 3] = [Via::Tcp, Via::Http, Via::Https];

    pub const fn as_str(self) -> &'static str {
        match self {
            Via::Tcp => "tcp",
            Via::Http => "http",
            Via::Https => "https",
        }
    }
}

/// Whose address is connected to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Host {
    /// A name, in lower case.
    Name(String),
    /// Every name below this one, which is not among them: `*.example.com`.
    Below(String),
    V4(Ipv4Addr),
    V6(Ipv6Addr),
}

impl Egress {
    /// Whether every connection that `other` allows is one of these.
    pub(super) fn covers(&self, other: &Self) -> bool {
        self.port == other.port
            && (self.via == other.via || self.via == Via::Tcp)
            && self.host.covers(&other.host)
    }

    /// `HOST:PORT`, as capabilities and their text have it.
    ///
    /// # Errors
    /// A text that is not a host and a port.
    pub(super) fn of(destination: &str, via: Via) -> Result<Self, NotACapability> {
        let bad = || {
            NotACapability(format!(
                "\"{destination}\" is not HOST:PORT, as in api.example.com:443"
            ))
        };
        let (host, port) = destination.rsplit_once(':').ok_or_else(bad)?;
        let digits = !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
        let port = port.parse::<u16>().ok().filter(|port| digits && *port > 0);
        Ok(Self {
            host: host.parse()?,
            port: port.ok_or_else(bad)?,
            via,
        })
    }
}

impl fmt::Display for Egress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}/{}", self.host, self.port, self.via.as_str())
    }
}

impl FromStr for Via {
    type Err = NotACapability;

    fn from_str(text: &str) -> Result<Self, NotACapability> {
        let found = Via::ALL.into_iter().find(|via| via.as_str() == text);
        found.ok_or_else(|| {
            NotACapability(format!(
                "\"{text}\" is not a protocol; there are tcp, http and https"
            ))
        })
    }
}

impl Host {
    fn covers(&self, other: &Self) -> bool {
        let below = |name: &str, above: &str| {
            name.strip_suffix(above)
                .is_some_and(|rest| rest.ends_with('.'))
        };
        match (self, other) {
            (Host::Below(above), Host::Name(name) | Host::Below(name)) => {
                below(name, above) || (matches!(other, Host::Below(_)) && name == above)
            }
            (this, other) => this == other,
        }
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Host::Name(name) => f.write_str(name),
            Host::Below(name) => write!(f, "*.{name}"),
            Host::V4(address) => write!(f, "{address}"),
            Host::V6(address) => write!(f, "[{address}]"),
        }
    }
}

impl FromStr for Host {
    type Err = NotACapability;

    fn from_str(text: &str) -> Result<Self, NotACapability> {
        let bad = || {
            NotACapability(format!(
                "\"{text}\" is not a host: write a name, *.NAME for every name below it, or an address"
            ))
        };
        if let Some(address) = text
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'))
        {
            return address.parse().map(Host::V6).map_err(|_| bad());
        }
        if let Ok(address) = text.parse() {
            return Ok(Host::V4(address));
        }
        let lower = text.to_ascii_lowercase();
        let (name, below) = match lower.strip_prefix("*.") {
            Some(rest) => (rest, true),
            None => (lower.as_str(), false),
        };
        match (is_name(name), below) {
            (false, _) => Err(bad()),
            (true, true) => Ok(Host::Below(name.to_owned())),
            (true, false) => Ok(Host::Name(name.to_owned())),
        }
    }
}

/// A name as the DNS has them. One whose last part begins with a digit is refused: some resolvers take `127.1` and
/// `0x7f.1` for addresses, so that it would not be what an operator reads.
fn is_name(name: &str) -> bool {
    let is_label = |label: &str| {
        (1..=63).contains(&label.len())
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
    };
    let last = name.rsplit('.').next().unwrap_or_default();
    name.len() <= 253
        && name.split('.').all(is_label)
        && !last.starts_with(|first: char| first.is_ascii_digit())
}
