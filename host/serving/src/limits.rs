//! What one service may use.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Bounds of a service and of each of its requests. There is none that is off.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct Limits {
    /// Requests that are answered at the same time.
    pub concurrency: u32,
    /// Requests that wait for that, at most so many and so long. Further ones are answered with 503.
    pub queue: u32,
    pub queue_wait: Duration,
    /// From the moment there is room until the answer is complete; a client that takes it slowly
    /// counts.
    pub deadline: Duration,
    /// Until the head of a request is there, and until the next request of a connection is.
    pub head_wait: Duration,
    /// Bytes of all linear memories of an instance.
    pub memory_bytes: u64,
    pub table_elements: u64,
    /// Handles that an instance may hold at once: files, streams, sets of header fields.
    pub handles: u32,
    /// Header fields of a request, and of an answer.
    pub header_count: u32,
    /// Bytes of those, names and values, on a connection with the first line; also of each set that the
    /// guest makes.
    pub header_bytes: u32,
    pub request_body_bytes: u64,
    pub response_body_bytes: u64,
    /// Bytes that one request may write to the log; the rest is dropped.
    pub output_bytes: u64,
    /// Requests that one request may have under way itself.
    pub outgoing: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            concurrency: 32,
            queue: 128,
            queue_wait: Duration::from_secs(5),
            deadline: Duration::from_secs(30),
            head_wait: Duration::from_secs(30),
            memory_bytes: 64 << 20,
            table_elements: 32 << 10,
            handles: 256,
            header_count: 100,
            header_bytes: 32 << 10,
            request_body_bytes: 8 << 20,
            response_body_bytes: 64 << 20,
            output_bytes: 64 << 10,
            outgoing: 8,
        }
    }
}
