//! Where the unit can be reached.

use serde::{Deserialize, Serialize};

use crate::world::World;
use crate::world::bindings::periapt::charm::network as wit;
use crate::{Context, HostError, Result};

/// Addresses of the unit for one endpoint or extra binding.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Network {
    /// Where the workload listens.
    pub bind_addresses: Vec<String>,
    /// Where others reach it.
    pub ingress_addresses: Vec<String>,
    /// Where its own connections come from, in CIDR notation.
    pub egress_subnets: Vec<String>,
}

/// What a charm may ask of the host about networks.
#[allow(missing_docs)]
pub trait NetworkHost {
    fn network(&self, binding: &str) -> Result<Network, HostError>;
}

impl NetworkHost for World {
    fn network(&self, binding: &str) -> Result<Network, HostError> {
        Ok(wit::get(binding)?.into())
    }
}

impl<C> Context<'_, C> {
    /// Addresses for an endpoint or an extra binding of the charm.
    pub fn network(&self, binding: &str) -> Result<Network> {
        Ok(self.host.network(binding)?)
    }
}

impl From<wit::Info> for Network {
    fn from(info: wit::Info) -> Self {
        Network {
            bind_addresses: info.bind_addresses,
            ingress_addresses: info.ingress_addresses,
            egress_subnets: info.egress_subnets,
        }
    }
}
