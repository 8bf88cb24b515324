//! `credential-get`: where the model's cloud is and how its provider is let in.

use periapt_contract::CallError;
use periapt_contract::credential::require_trust;

use super::{Permission::Trusted, Tool, When::Read};
use crate::world::periapt::charm::credential as wit;
use crate::world::{Answer, HookState};

pub(super) const TOOLS: &[Tool] = &[Tool::new(
    "credential-get",
    "credential",
    "get",
    Read,
    Trusted,
)];

/// The cloud of the unit's model with the credential that the model uses there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CloudAccess {
    pub name: String,
    /// Whose provider gives its machines.
    pub kind: String,
    pub region: String,
    pub endpoint: Option<String>,
    /// `empty` where there is nothing to prove who one is with.
    pub auth_type: String,
    pub attributes: Vec<(String, String)>,
}

/// What an agent answers for `credential`.
pub trait CredentialAnswers {
    /// Whether an operator trusts the unit's application with it.
    fn trusted(&self) -> bool {
        false
    }

    /// Only asked of a unit that is trusted.
    fn cloud(&mut self) -> Result<CloudAccess, CallError> {
        Err(CallError::unanswered())
    }
}

impl wit::Host for HookState {
    fn get(&mut self) -> Answer<wit::Cloud> {
        self.context(|context| {
            require_trust(context.trusted())?;
            let known = context.cloud()?;
            Ok(wit::Cloud {
                name: known.name,
                kind: known.kind,
                region: known.region,
                endpoint: known.endpoint,
                auth_type: known.auth_type,
                attributes: known.attributes,
            })
        })
    }
}
