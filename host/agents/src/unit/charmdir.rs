//! **fortress** (`charm-dir`): guards the charm's directory.
//!
//! Trigger: the uniter, its guard. Action: open while the unit is started and no charm is being
//! put in place. Effect: whoever else wants to run the charm's code waits at its door, and so
//! never sees half a charm.

use periapt_engine::{Manifold, fortress};

pub const NAME: &str = "charm-dir";

/// Lends a guard and a guest.
#[must_use]
pub fn manifold() -> Manifold {
    fortress::manifold()
}
