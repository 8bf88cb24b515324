//! What a unit wants of a container as of its last commit.

use serde::{Deserialize, Serialize};

use super::{Asked, Change, Layers};
use crate::bounds::REQUESTS;

/// The layers of a container, and what was asked to be done with it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct Committed {
    /// Grows with each commit that changes something.
    pub number: u64,
    pub layers: Layers,
    /// The newest of them. Whoever carries them out remembers up to which it has.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub requests: Vec<Asked>,
}

impl Committed {
    /// After a commit.
    #[must_use]
    pub fn with(&self, change: &Change) -> Self {
        let mut after = self.clone();
        after.number += 1;
        if let Some(layers) = &change.layers {
            after.layers = layers.clone();
        }
        for request in &change.requests {
            let last = after.requests.last().map_or(0, |asked| asked.id);
            after.requests.push(Asked {
                id: last + 1,
                request: request.clone(),
            });
        }
        let forgotten = after.requests.len().saturating_sub(REQUESTS.length());
        after.requests.drain(..forgotten);
        after
    }
}
