//! Codes of refused calls on the websocket, spelled as Juju spells them. Refusals for which Juju has
//! no word go by their own code there too.

pub const UNAUTHORIZED: &str = "unauthorized access";
pub const NOT_FOUND: &str = "not found";
pub const ALREADY_EXISTS: &str = "already exists";
pub const NOT_IMPLEMENTED: &str = "not implemented";
pub const BAD_REQUEST: &str = "bad request";
pub const STOPPED: &str = "stopped";
pub const TRY_AGAIN: &str = "try again";
/// The controller's new version still sets itself up.
pub const UPGRADE_IN_PROGRESS: &str = "upgrade in progress";
/// A person answered a failed hook in between.
pub const ANSWERED: &str = "answered";
/// What was decided on has changed since, and is to be read anew.
pub const STALE: &str = "stale";
pub const LEASE_DENIED: &str = "leadership claim denied";
pub const NOT_EMPTY: &str = "model not empty";
pub const HAS_ASSIGNED_UNITS: &str = "machine has assigned units";
pub const NOT_PROVISIONED: &str = "not provisioned";
/// A block of the model holds it back.
pub const OPERATION_BLOCKED: &str = "operation is blocked";
pub const DEAD: &str = "dead";
pub const INTERNAL: &str = "internal error";
