//! Who may do what: the one place that gives a meaning to the words in which calls and routes are declared.
//!
//! A call says in its declaration (`periapt_wire::agent`, `periapt_wire::juju`) for whom it is and what it does, a route in its row
//! ([`crate::rest`]); what does not say it does not compile. [`decide`] holds an identity against either. That an agent hosts the entity a call is about is checked by
//! [`crate::rpc::session`], with the store's help.

use periapt_wire::Call;
pub use periapt_wire::access::{Effect, Visitor};
use periapt_wire::juju::pinger::Ping;

use crate::identity::Role;

mod decide;
#[cfg(test)]
mod tests;

pub(crate) use decide::{Denial, Named, decide};

/// Which entity a call is about, and so what an agent must host to make it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// The connection's model, or nothing.
    Model,
    /// The unit in `unit`.
    Unit,
    /// The machine in `machine`.
    Machine,
    /// The tag in `entity`.
    Entity,
    /// The tags in `records`.
    Records,
}

impl Subject {
    /// As the names of a call's parameters say.
    fn of(fields: &[&str]) -> Self {
        let named = |name: &str| fields.contains(&name);
        match () {
            () if named("unit") => Subject::Unit,
            () if named("machine") => Subject::Machine,
            () if named("entity") => Subject::Entity,
            () if named("records") => Subject::Records,
            () => Subject::Model,
        }
    }
}

/// The declaration of a call, as a value.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// The module in which it is declared.
    pub place: &'static str,
    pub facade: &'static str,
    /// One in which the method has these shapes.
    pub version: u32,
    pub method: &'static str,
    pub visitor: Visitor,
    pub subject: Subject,
    pub effect: Effect,
}

impl Rule {
    /// A rule for each version that the call is in.
    pub(crate) fn in_all_versions<C: Call>() -> impl Iterator<Item = Self> {
        C::VERSIONS.iter().map(|version| Self {
            place: C::PLACE,
            facade: C::FACADE,
            version: *version,
            method: C::METHOD,
            visitor: C::VISITOR,
            subject: Subject::of(C::FIELDS),
            effect: C::EFFECT,
        })
    }

    /// Whether others than the controller's own agents may call it while the controller is being
    /// upgraded: what neither reads nor changes what the steps work on.
    #[must_use]
    pub fn during_upgrade(&self) -> bool {
        self.facade == Ping::FACADE
    }

    /// Whether it is for anybody of this kind at all.
    #[must_use]
    pub fn is_for(&self, role: Role) -> bool {
        match self.visitor {
            Visitor::Anyone | Visitor::Everyone => true,
            Visitor::Agents => role != Role::User,
            Visitor::AgentOfModel => role == Role::Agent,
            Visitor::Controller => role == Role::Controller,
            Visitor::Login
            | Visitor::Superuser
            | Visitor::Oneself
            | Visitor::OneselfOrSuperuser
            | Visitor::Model(_) => role == Role::User,
        }
    }
}

/// Every call that the server can run.
pub fn calls() -> impl Iterator<Item = &'static Rule> {
    crate::facades::all().map(|handler| &handler.rule)
}
