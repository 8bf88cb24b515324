//! Asking a component for its hooks, in a sandbox where the host answers nothing.

use std::collections::BTreeMap;
use std::time::Instant;

use periapt_model::bounds::{CHARM_HOOKS, HOOK_NAME_BYTES};
use periapt_model::config::Values;
use periapt_model::hook::Limits;
use periapt_model::ports::PortRange;
use periapt_model::status::{Status, Workload};
use periapt_model::text;

use super::CompileError;
use crate::context::{CallError, Goals, HookContext, LogLevel, Member, Network, RelationInfo};
use crate::contract::{CharmPre, HookState};
use crate::engine::SandboxEngine;
use crate::run;

/// Generous for what should be a constant list.
const WALL_CLOCK_MS: u64 = 10_000;
const HOST_CALLS: u64 = 10_000;
const HOOKS: usize = CHARM_HOOKS.length();
const NAME_BYTES: usize = HOOK_NAME_BYTES.length();

/// Names of the hooks the component says it implements, each once, in its order.
pub(super) fn hooks(
    engine: &SandboxEngine,
    charm: &CharmPre<HookState>,
) -> Result<Vec<String>, CompileError> {
    let settings = engine.settings();
    let limits = Limits {
        memory_bytes: settings.memory_bytes,
        table_elements: settings.table_elements.saturating_mul(4),
        output_bytes: 64 << 10,
        host_calls: HOST_CALLS,
        wall_clock_ms: WALL_CLOCK_MS,
        state_directory_bytes: 0,
    };
    let failed = |error: &dyn std::fmt::Display| CompileError::Inspection(error.to_string());
    let _room = engine.admit();
    let state = run::prepare(
        limits,
        settings.handles,
        &[],
        None,
        Instant::now(),
        Box::new(Refusing::default()),
    );
    let (names, _) = run::enter(engine, charm, state, async |charm, store| {
        charm.call_hooks(store).await
    });
    let names = names.map_err(|error| failed(&error))?;
    if names.len() > HOOKS {
        return Err(failed(&format!(
            "it names {} hooks; at most {HOOKS} are kept",
            names.len()
        )));
    }
    let mut hooks: Vec<String> = Vec::with_capacity(names.len());
    for name in names {
        if !is_hook_name(&name) {
            let name = text::clean_line_at_most(&name, 2 * NAME_BYTES);
            return Err(failed(&format!("\"{name}\" is not the name of a hook")));
        }
        if !hooks.contains(&name) {
            hooks.push(name);
        }
    }
    Ok(hooks)
}

/// Lower case words with dashes, as all hooks are named; new ones may come.
fn is_hook_name(name: &str) -> bool {
    name.len() <= NAME_BYTES
        && name.starts_with(|first: char| first.is_ascii_lowercase())
        && !name.ends_with('-')
        && name
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
}

/// A context of no unit: every question that can be refused is refused.
#[derive(Default)]
struct Refusing {
    none: Values,
}

fn refuse<T>() -> Result<T, CallError> {
    Err(CallError::denied("the host answers only while a hook runs"))
}

impl HookContext for Refusing {
    fn unit_name(&self) -> String {
        String::new()
    }
    fn model_name(&self) -> String {
        String::new()
    }
    fn model_uuid(&self) -> String {
        String::new()
    }
    fn config(&self) -> &Values {
        &self.none
    }
    fn knows_endpoint(&self, _name: &str) -> bool {
        false
    }
    fn relations(&self) -> Vec<RelationInfo> {
        Vec::new()
    }
    fn relation_settings(
        &mut self,
        _relation: u64,
        _of: &Member,
    ) -> Result<BTreeMap<String, String>, CallError> {
        refuse()
    }
    fn leader_settings(&mut self) -> Result<BTreeMap<String, String>, CallError> {
        refuse()
    }
    fn goal_state(&mut self) -> Result<Goals, CallError> {
        refuse()
    }
    fn network(&mut self, _binding: &str) -> Result<Network, CallError> {
        refuse()
    }
    fn knows_option(&self, _name: &str) -> bool {
        false
    }
    fn state(&mut self) -> Result<BTreeMap<String, String>, CallError> {
        refuse()
    }
    fn opened_ports(&mut self) -> Result<Vec<PortRange>, CallError> {
        refuse()
    }
    fn private_address(&mut self) -> Result<String, CallError> {
        refuse()
    }
    fn public_address(&mut self) -> Result<String, CallError> {
        refuse()
    }
    fn is_leader(&mut self) -> Result<bool, CallError> {
        refuse()
    }
    fn unit_status(&mut self) -> Result<Status<Workload>, CallError> {
        refuse()
    }
    fn set_unit_status(&mut self, _status: Workload, _message: &str) -> Result<(), CallError> {
        refuse()
    }
    fn application_status(&mut self) -> Result<Status<Workload>, CallError> {
        refuse()
    }
    fn set_application_status(
        &mut self,
        _status: Workload,
        _message: &str,
    ) -> Result<(), CallError> {
        refuse()
    }
    fn set_workload_version(&mut self, _version: &str) -> Result<(), CallError> {
        refuse()
    }
    fn log(&mut self, _level: LogLevel, _message: &str) {}
}
