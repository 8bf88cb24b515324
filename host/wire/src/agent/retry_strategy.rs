//! How a failed hook is tried again.

use serde::{Deserialize, Serialize};

use crate::rpc::Watch;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct RetryStrategy {
    pub should_retry: bool,
    pub min_retry_ms: u64,
    pub max_retry_ms: u64,
    pub jitter: bool,
    pub factor: u32,
}

crate::facade! { "periapt.RetryStrategy" 1 for Agents {
    [Read] RetryStrategy as GetRetryStrategy {} -> RetryStrategy;
    [Watch] WatchRetryStrategy as WatchRetryStrategy {} -> Watch;
} }
