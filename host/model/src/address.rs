//! Hosts outside that the controller connects to because somebody named them, and the addresses
//! that such a name may stand for.
//!
//! Who may name a host is decided when it is named. A name is resolved later and by others, so
//! what it resolves to is held against what a person can have meant: nobody means this host or
//! the network's own services by the name of another.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr};

#[cfg(test)]
mod tests;

/// `HOST`, `HOST:PORT`, `[ADDRESS]` or `[ADDRESS]:PORT`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostPort {
    /// A name or an address, without brackets.
    pub host: String,
    pub port: Option<u16>,
}

impl HostPort {
    /// None unless `text` is such a thing; port 0 is none.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let port = |text: &str| text.parse().ok().filter(|port| *port > 0);
        if let Some(rest) = text.strip_prefix('[') {
            let (host, rest) = rest.split_once(']')?;
            host.parse::<Ipv6Addr>().ok()?;
            let port = match rest.strip_prefix(':') {
                Some(text) => Some(port(text)?),
                None if rest.is_empty() => None,
                None => return None,
            };
            let host = host.to_owned();
            return Some(Self { host, port });
        }
        let (host, port) = match text.split_once(':') {
            Some((host, text)) => (host, Some(port(text)?)),
            None => (text, None),
        };
        let sound = |c: char| c.is_alphanumeric() || ".-_".contains(c);
        (!host.is_empty() && host.len() <= 253 && host.chars().all(sound)).then(|| Self {
            host: host.to_owned(),
            port,
        })
    }

    /// Whether one of `entries` is this host: with this port, or without any.
    pub fn is_listed<'a>(&self, entries: impl IntoIterator<Item = &'a str>) -> bool {
        entries
            .into_iter()
            .filter_map(HostPort::parse)
            .any(|entry| {
                entry.host.eq_ignore_ascii_case(&self.host)
                    && (entry.port.is_none() || entry.port == self.port)
            })
    }
}

impl fmt::Display for HostPort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.host.contains(':') {
            true => write!(f, "[{}]", self.host)?,
            false => f.write_str(&self.host)?,
        }
        match self.port {
            Some(port) => write!(f, ":{port}"),
            None => Ok(()),
        }
    }
}

/// Whether who named `host` can have meant `address`. An address stands for itself and
/// `localhost` for this host; any other name for neither this host nor an address that only means
/// something on this network (link-local, multicast), whatever it resolves to.
pub fn may_mean(host: &str, address: IpAddr) -> bool {
    if let Ok(literal) = host.parse::<IpAddr>() {
        return literal.to_canonical() == address.to_canonical();
    }
    let local = |address: IpAddr| address.is_loopback();
    match address.to_canonical() {
        address if host.eq_ignore_ascii_case("localhost") => local(address),
        IpAddr::V4(v4) => {
            !(v4.is_loopback()
                || v4.is_unspecified()
                || v4.is_link_local()
                || v4.is_multicast()
                || v4.is_broadcast())
        }
        IpAddr::V6(v6) => {
            let link_local = v6
                .segments()
                .first()
                .is_some_and(|first| first & 0xffc0 == 0xfe80);
            !(v6.is_loopback() || v6.is_unspecified() || v6.is_multicast() || link_local)
        }
    }
}
