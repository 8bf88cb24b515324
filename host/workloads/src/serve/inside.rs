//! Requests from one unit to another of the same model, which leave neither the process nor its memory.

use std::io;
use std::sync::Weak;

use async_trait::async_trait;
use periapt_model::UnitName;
use periapt_model::ports::{PortRange, Protocol};
use periapt_serving::{Connector, Destination, Link};

use super::units::Units;

/// `docs-0.internal` and `docs.internal`.
const ROOT: &str = ".internal";
/// Without one in the address.
const PORT: u16 = 80;
/// Bytes that wait between the two.
const PIPE_BYTES: usize = 64 << 10;

/// What a unit reaches.
pub struct Inside {
    pub from: UnitName,
    pub units: Weak<Units>,
}

impl Inside {
    /// The units that an address names and that this one reaches there: those that are ready, and all where
    /// none is, as at the gate.
    pub(super) fn found(&self, units: &Units, authority: &str) -> Vec<(UnitName, PortRange)> {
        let Some((name, port)) = address(authority) else {
            return Vec::new();
        };
        let Ok(range) = PortRange::new(Protocol::Tcp, port, port) else {
            return Vec::new();
        };
        let network = units.network();
        let meant = |unit: &UnitName| {
            unit.as_str().replace('/', "-") == name || unit.application().as_str() == name
        };
        let mut found = units.serving();
        found.retain(|(unit, at, _)| {
            *at == port && meant(unit) && network.allows(&self.from, unit, range)
        });
        if found.iter().any(|(_, _, ready)| *ready) {
            found.retain(|(_, _, ready)| *ready);
        }
        found.into_iter().map(|(unit, ..)| (unit, range)).collect()
    }
}

/// The name before `.internal`, and the port.
fn address(authority: &str) -> Option<(&str, u16)> {
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) => (host, port.parse().ok()?),
        None => (authority, PORT),
    };
    Some((host.strip_suffix(ROOT)?, port))
}

#[async_trait]
impl Connector for Inside {
    fn grants(&self, to: &Destination) -> bool {
        let units = self.units.upgrade();
        !to.tls && units.is_some_and(|units| !self.found(&units, &to.authority).is_empty())
    }

    async fn connect(&self, to: &Destination) -> io::Result<Box<dyn Link>> {
        let refused = || io::Error::from(io::ErrorKind::ConnectionRefused);
        let units = self.units.upgrade().ok_or_else(refused)?;
        let found = self.found(&units, &to.authority);
        let turn = rand::random_range(0..found.len().max(1));
        let (unit, range) = found.get(turn).cloned().ok_or_else(refused)?;
        let service = units.find(&unit, range.start).map_err(|_| refused())?;
        let (here, there) = tokio::io::duplex(PIPE_BYTES);
        let (from, mut networks) = (self.from.clone(), units.networks());
        tokio::spawn(async move {
            // It ends with the connection; how, its own listener hears.
            tokio::select! {
                _ = service.serve_connection(there) => {}
                // It ends with the relation as well, or the port: what is open is cut, as at the gate.
                _ = networks.wait_for(|network| !network.allows(&from, &unit, range)) => {}
            }
        });
        Ok(Box::new(here))
    }
}

#[cfg(test)]
mod tests {
    use super::address;

    #[test]
    fn an_address_inside_has_a_name_and_a_port() {
        assert_eq!(address("docs-0.internal"), Some(("docs-0", 80)));
        assert_eq!(address("docs.internal:8080"), Some(("docs", 8080)));
        for text in [
            "docs",
            "docs.internal:x",
            "docs.internal.example.com",
            ":80",
        ] {
            assert_eq!(address(text), None, "{text}");
        }
    }
}
