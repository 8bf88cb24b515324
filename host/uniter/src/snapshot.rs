//! What a hook sees beside its relations, put together from what the agent has: what the controller
//! said as the hook was chosen, and what the unit committed last. Nothing is asked for.
//!
//! Only the unit itself changes its state and its ports, so that what it committed is what there
//! is. A large state is not kept in memory; it is asked for when a hook begins.

use std::collections::BTreeMap;
use std::sync::Arc;

use periapt_contract::Effect;
use periapt_contract::payloads::Payload;
use periapt_model::charm::Capability;
use periapt_model::config::Values;
use periapt_model::hook::{Effects, Limits};
use periapt_model::ports::Openings;
use periapt_model::quota::Meter;
use periapt_model::status::{Status, Workload};
use periapt_model::{MachineId, UnitName};
use periapt_wire::agent::uniter::UnitState;

use crate::remote::Heard;

/// Bytes of state that a unit keeps in the agent's memory between hooks.
const KEPT_BYTES: usize = 64 << 10;

/// What the hooks of a unit left for the next ones.
#[derive(Clone, Debug, Default)]
pub(crate) struct Kept {
    pub charm_state: BTreeMap<String, String>,
    pub opened_ports: Openings,
    pub payloads: Vec<Payload>,
}

impl Kept {
    pub fn of(state: UnitState) -> Self {
        Self {
            charm_state: state.charm_state,
            opened_ports: state.opened_ports,
            payloads: state.payloads,
        }
    }

    /// What there is once the effects are committed.
    pub fn apply(&mut self, effects: &Effects) {
        for (key, value) in effects.state.iter() {
            match value {
                Some(value) => self.charm_state.insert(key.clone(), value.clone()),
                None => self.charm_state.remove(key),
            };
        }
        if let Ok(opened) = effects.ports.applied(&self.opened_ports) {
            self.opened_ports = opened;
        }
        if !effects.payloads.changes_nothing() {
            self.payloads = effects.payloads.applied(&self.payloads);
        }
    }

    /// Whether it is small enough to stay in memory.
    pub fn stays(&self) -> bool {
        let pairs = self.charm_state.iter();
        pairs
            .map(|(key, value)| key.len() + value.len())
            .sum::<usize>()
            <= KEPT_BYTES
    }
}

/// What one hook sees.
#[derive(Clone, Debug)]
pub(crate) struct HookSnapshot {
    pub config: Arc<Values>,
    pub machine: Option<MachineId>,
    pub principal: Option<UnitName>,
    pub private_address: Option<String>,
    pub public_address: Option<String>,
    pub workload: Status<Workload>,
    /// What a leader set for the application; none while none has.
    pub application: Option<Status<Workload>>,
    /// The workload's version, if the unit and its application show the same.
    pub workload_version: Option<String>,
    /// What the unit is told of its quotas.
    pub meter: Option<Meter>,
    /// Whether an operator trusts the application with the cloud's credential.
    pub trusted: bool,
    /// What its charm declares and the application does not have.
    pub withheld: Vec<Capability>,
    pub state: Arc<Kept>,
    pub limits: Limits,
}

impl HookSnapshot {
    /// Of a hook before which the unit's workload is shown as `workload`, where that is any news.
    pub fn new(
        heard: &Heard,
        state: Arc<Kept>,
        limits: Limits,
        workload: Option<Status<Workload>>,
    ) -> Self {
        let view = heard.view.clone();
        Self {
            config: heard.config.clone(),
            machine: view.machine,
            principal: view.principal,
            private_address: view.private_address,
            public_address: view.public_address,
            workload: workload.unwrap_or(view.workload),
            application: view.application,
            workload_version: view.workload_version,
            meter: view.meter,
            trusted: view.trusted,
            withheld: view.withheld,
            state,
            limits,
        }
    }
}
