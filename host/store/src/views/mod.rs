//! What is shown of each entity: one file for each, with the columns of its rows and what they become.
//!
//! Lists, single answers, events and `status` are all made here, so an entity looks the same on every
//! road. `status` has rows of its own beside those of the others: it shows all entities of a model and
//! puts them together in memory, where the others have what they show of their neighbours joined to them.

pub(crate) mod application;
pub(crate) mod machine;
mod metric;
pub(crate) mod model;
pub(crate) mod relation;
pub(crate) mod unit;
pub(crate) mod user;
mod workload;

pub use workload::SeenContainer;
