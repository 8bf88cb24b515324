//! `resource-get`: where a file is that the operator attached.

use periapt_contract::CallError;

use super::{Permission::Everybody, Tool, When::Read};
use crate::world::periapt::charm::resources as wit;
use crate::world::{Answer, HookState};

pub(super) const TOOLS: &[Tool] = &[Tool::new(
    "resource-get",
    "resources",
    "get",
    Read,
    Everybody,
)];

/// What an agent answers for `resource-get`.
pub trait ResourcesAnswers {
    /// Makes the file ready, so that [`resource`](crate::UnitFiles::resource) has its directory from now
    /// on: its path for the guest. None where nobody attached one.
    fn resource(&mut self, _name: &str) -> Result<Option<String>, CallError> {
        Err(CallError::unanswered())
    }
}

impl wit::Host for HookState {
    fn get(&mut self, name: String) -> Answer<Option<String>> {
        self.context(|context| Ok(context.resource(&name)?))
    }
}
