//! Asking a component for its hooks, in a sandbox where the host answers nothing.

use std::time::Instant;

use periapt_model::bounds::{CHARM_HOOKS, HOOK_NAME_BYTES};
use periapt_model::hook::Limits;
use periapt_model::task::Asked;
use periapt_model::text;

use super::CompileError;
use crate::engine::SandboxEngine;
use crate::run;
use crate::tools::Nobody;
use crate::world::{CharmPre, HookState};

/// Generous for what should be a constant list.
const WALL_CLOCK_MS: u64 = 10_000;
const HOST_CALLS: u64 = 10_000;
const HOOKS: usize = CHARM_HOOKS.length();
const NAME_BYTES: usize = HOOK_NAME_BYTES.length();

/// Names of the hooks the component says it implements, each once, in its order; actions and commands among
/// them, as `actions/NAME` and `commands/NAME`.
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
        Box::new(Nobody),
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
        if !is_hook_name(Asked::of(&name).map_or(&name, Asked::name)) {
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
