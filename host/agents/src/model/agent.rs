//! **agent**: the identity of this engine, lent to every other node.
//!
//! Trigger: the engine's start. Action: none. Effect: each node that acts for the model names
//! `agent` among its inputs, directly or through the api-caller. It never changes while the
//! engine lives and never talks to anyone.

use periapt_engine::{Manifold, ValueWorker};

use super::ModelContext;

pub const NAME: &str = "agent";

/// Lends the [`ModelContext`].
pub fn manifold(model: &ModelContext) -> Manifold {
    let model = model.clone();
    Manifold::new(move |_| {
        let model = model.clone();
        async move { Ok(ValueWorker::lend(model)) }
    })
}
