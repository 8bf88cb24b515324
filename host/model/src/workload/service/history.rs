//! What a service went through, as far back as is kept.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::Current;

/// Passages that are kept of one service; the oldest are forgotten.
pub const HISTORY: usize = 32;

/// That a service came to be somewhere.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Passage {
    pub at: Duration,
    pub current: Current,
    /// How its process ended, if that is what it left this place by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<String>,
}

/// Adds one and forgets the oldest beyond those that are kept.
pub(super) fn remember(history: &mut Vec<Passage>, passage: Passage) {
    history.push(passage);
    let beyond = history.len().saturating_sub(HISTORY);
    history.drain(..beyond);
}
