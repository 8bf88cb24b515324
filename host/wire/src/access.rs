//! For whom a call or a route is, and what a call does: the words in which the facades of the RPC and the
//! routes of the HTTP API are declared. What they mean is decided by the server, in one place for both.

use crate::rest::ModelPermission;

/// For whom a call or a route is. The model is that of the connection, or the one in the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visitor {
    /// No credential is asked for.
    Anyone,
    /// Whoever has logged in.
    Everyone,
    /// People of the controller.
    Login,
    /// People who may do everything.
    Superuser,
    /// The user in the path, and nobody else.
    Oneself,
    /// The user in the path, or a superuser.
    OneselfOrSuperuser,
    /// People with this access to the model. For those without any there is no such model.
    Model(ModelPermission),
    /// The agent of the model.
    AgentOfModel,
    /// The agent of the model about what it hosts, and the controller's own workers about anything in
    /// their model.
    Agents,
    /// The controller's own workers.
    Controller,
}

/// What a call does to the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    Read,
    /// Changes the model: audited.
    Write,
    /// Changes only what is shown about agents: not audited, there is a lot of it.
    Tell,
    /// Makes a watcher.
    Watch,
    /// Waits for somebody else; does not count against the running calls of a connection and is
    /// ended with `stopped` when the connection closes.
    Wait,
}
