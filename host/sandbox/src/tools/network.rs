//! `network-get`: addresses of the unit, by endpoint or extra binding of the charm.

use periapt_contract::CallError;

use super::{Permission::Everybody, Tool, When::Read};
use crate::world::periapt::charm::network as wit;
use crate::world::{Answer, HookState};

pub(super) const TOOLS: &[Tool] = &[Tool::new("network-get", "network", "get", Read, Everybody)];

/// Addresses of the unit for one binding.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Network {
    pub bind_addresses: Vec<String>,
    pub ingress_addresses: Vec<String>,
    pub egress_subnets: Vec<String>,
}

/// What an agent answers for `network`.
pub trait NetworkAnswers {
    /// `NotFound` for a binding that the charm does not declare.
    fn network(&mut self, _binding: &str) -> Result<Network, CallError> {
        Err(CallError::unanswered())
    }
}

impl wit::Host for HookState {
    fn get(&mut self, binding: String) -> Answer<wit::Info> {
        self.context(|context| {
            let known = context.network(&binding)?;
            Ok(wit::Info {
                bind_addresses: known.bind_addresses,
                ingress_addresses: known.ingress_addresses,
                egress_subnets: known.egress_subnets,
            })
        })
    }
}
