//! **agent**: the identity and configuration of this controller, lent to every other node.
//!
//! Trigger: the engine's start. Action: none. It never changes while the process lives.

use periapt_engine::{Manifold, ValueWorker};

use crate::ControllerContext;

pub const NAME: &str = "agent";

/// Lends the [`ControllerContext`].
pub fn manifold(controller: &ControllerContext) -> Manifold {
    let controller = controller.clone();
    Manifold::new(move |_| {
        let controller = controller.clone();
        async move { Ok(ValueWorker::lend(controller)) }
    })
}
