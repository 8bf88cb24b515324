//! The keys under which secrets are sealed, sealing and opening, and the back ends outside that keep them.
//!
//! It knows no model's rules and no SQL: what belongs where, and who may read it, others decide. A value is
//! sealed under a key of its model, that key under one of the controller, which is in a file of the controller's
//! directory and nowhere else. So whoever has the database alone has nothing to read, and the controller's key is
//! replaced without touching a value.

pub mod backend;
mod keyring;
mod seal;
mod vault;

pub use backend::{Backend, BackendError, ConfigError};
pub use keyring::{KEY_FILE, KeyError, Keyring, put, union};
pub use seal::{Key, SealError};
