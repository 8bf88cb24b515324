//! `unit-get`, `application-version-set`: who is asking, and facts about the workload.

pub use periapt_contract::UnitAnswers;
use periapt_contract::at_once;

use super::Permission::Everybody;
use super::Tool;
use super::When::{AtOnce, Read};
use crate::world::periapt::charm::unit as wit;
use crate::world::{Answer, HookState};

pub(super) const TOOLS: &[Tool] = &[
    Tool::new("JUJU_UNIT_NAME", "unit", "name", Read, Everybody),
    Tool::new("JUJU_MODEL_NAME", "unit", "model-name", Read, Everybody),
    Tool::new(
        "unit-get private-address",
        "unit",
        "private-address",
        Read,
        Everybody,
    ),
    Tool::new(
        "unit-get public-address",
        "unit",
        "public-address",
        Read,
        Everybody,
    ),
    Tool::new(
        "application-version-set",
        "unit",
        "workload-version-set",
        AtOnce,
        Everybody,
    ),
];

impl wit::Host for HookState {
    fn name(&mut self) -> wasmtime::Result<String> {
        self.in_any_context(|context| context.unit_name())
    }

    fn model_name(&mut self) -> wasmtime::Result<String> {
        self.in_any_context(|context| context.model_name())
    }

    fn private_address(&mut self) -> Answer<String> {
        self.context(|context| Ok(context.private_address()?))
    }

    fn public_address(&mut self) -> Answer<String> {
        self.context(|context| Ok(context.public_address()?))
    }

    fn workload_version_set(&mut self, version: String) -> Answer<()> {
        self.at_once(|context| context.set_workload_version(&at_once::message(&version)))
    }
}
