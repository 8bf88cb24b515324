//! Who stands behind a connection or a request.

use periapt_model::{AgentName, ModelUuid, Tag, UserName};

/// A proven identity. It says who; [`crate::access`] says what that one may do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Identity {
    /// A person or script of the controller.
    User { name: UserName },
    /// An agent of one model, which hosts some or all of its machines.
    Agent { model: ModelUuid, agent: AgentName },
    /// The controller's own agents, in its process: of one model, or of the controller.
    Controller { model: Option<ModelUuid> },
}

/// The kind of an identity, as declarations of calls name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    User,
    Agent,
    Controller,
}

impl Identity {
    pub fn role(&self) -> Role {
        match self {
            Identity::User { .. } => Role::User,
            Identity::Agent { .. } => Role::Agent,
            Identity::Controller { .. } => Role::Controller,
        }
    }
}

/// As shown in the audit log: a tag, or `controller`.
impl std::fmt::Display for Identity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Identity::User { name } => Tag::User(name.clone()).fmt(f),
            Identity::Agent { model, agent } => Tag::Agent(model.clone(), agent.clone()).fmt(f),
            Identity::Controller { model: Some(model) } => {
                write!(f, "controller for {}", Tag::Model(model.clone()))
            }
            Identity::Controller { model: None } => f.write_str("controller"),
        }
    }
}
