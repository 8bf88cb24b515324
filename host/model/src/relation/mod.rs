//! Relations: which endpoints fit together, and which hook of a relation a unit runs next.
//!
//! [`Pair::find`] answers `integrate`: it turns what a person named into two endpoints, or
//! into an error that names what would fit. [`RelationState`] is what a unit has seen of one
//! relation; [`RelationState::next`] compares it with what the controller says and gives the
//! hook that is due, in the order that Juju guarantees. Nothing here knows how settings are
//! kept or when a unit enters a relation's scope.

mod container;
mod endpoint;
mod order;
#[cfg(test)]
mod tests;

pub use container::supported;
pub(crate) use endpoint::JUJU_INFO;
pub use endpoint::{EndpointError, EndpointName, Pair, Role, Side};
pub use order::{Contradiction, HookKind, RelationHook, RelationState, RemoteRelation};
