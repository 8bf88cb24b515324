//! Why a request was not answered by its guest: for the client as a status, for the operator in words,
//! for programs as a code.

use std::time::Duration;

use hyper::StatusCode;
use periapt_sandbox::{Meter, out_of_descriptors, trap_reason};
use thiserror::Error;
use wasmtime::Trap;
use wasmtime_wasi::I32Exit;

/// The most that is kept of what is said about a guest, bytes.
const MESSAGE_BYTES: usize = 500;

#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum Failure {
    #[error("the request is malformed: {0}")]
    Malformed(&'static str),
    #[error("the request has more than {limit} header fields")]
    HeaderCount { limit: u32 },
    #[error("the request has more than {limit} bytes of header fields")]
    HeaderSize { limit: u32 },
    #[error("the request has a body of more than {limit} bytes")]
    RequestBody { limit: u64 },
    /// As many requests as may be are under way, and as many wait, or this one waited too long.
    #[error("busy: {running} requests are being answered and {waiting} are waiting")]
    Busy { running: u32, waiting: u32 },
    #[error("the request was not answered within {} s", .limit.as_secs_f64())]
    Deadline { limit: Duration },
    #[error("the workload crashed: {0}")]
    Trap(String),
    #[error("the workload exited with status {0} instead of answering")]
    Exited(i32),
    #[error("the workload needs more than its limit of {limit} bytes of memory")]
    Memory { limit: u64 },
    #[error("the workload needs more than its limit of {limit} table elements")]
    Table { limit: u64 },
    #[error("the workload returned without an answer")]
    NoAnswer,
    /// The guest said so itself, by a code of `wasi:http`.
    #[error("the workload answered with an error: {0}")]
    Refused(String),
    #[error("the answer has more than {limit} header fields")]
    AnswerHeaders { limit: u32 },
    #[error("the answer has a body of more than {limit} bytes")]
    AnswerBody { limit: u64 },
    /// The guest gave its body up, or wrote another length than it said.
    #[error("the workload did not complete its answer")]
    Incomplete,
    #[error("the workload could not be started: {0}")]
    Start(String),
    #[error("the files of the workload cannot be opened: {0}")]
    Files(String),
    /// Nothing of the guest's: its unit committed others so often meanwhile that these were removed.
    #[error("the files that the request began with are gone: the unit has committed others since")]
    Outdated,
    /// Nothing of the guest's: the process or the machine has none left.
    #[error("no file descriptors are left: {0}")]
    Descriptors(String),
    /// A fault of this program, caught; the process goes on.
    #[error("answering the request failed inside Periapt")]
    Panicked,
}

impl Failure {
    /// A stable name for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Failure::Malformed(_) => "request-malformed",
            Failure::HeaderCount { .. } => "request-header-count",
            Failure::HeaderSize { .. } => "request-header-size",
            Failure::RequestBody { .. } => "request-body-size",
            Failure::Busy { .. } => "busy",
            Failure::Deadline { .. } => "deadline",
            Failure::Trap(_) => "trap",
            Failure::Exited(_) => "exited",
            Failure::Memory { .. } => "memory-limit",
            Failure::Table { .. } => "table-limit",
            Failure::NoAnswer => "no-answer",
            Failure::Refused(_) => "refused",
            Failure::AnswerHeaders { .. } => "answer-header-count",
            Failure::AnswerBody { .. } => "answer-body-size",
            Failure::Incomplete => "answer-incomplete",
            Failure::Start(_) => "start",
            Failure::Files(_) => "files",
            Failure::Outdated => "files-outdated",
            Failure::Descriptors(_) => "descriptors",
            Failure::Panicked => "panicked",
        }
    }

    /// What the client is told.
    pub fn status(&self) -> StatusCode {
        match self {
            Failure::Malformed(_) => StatusCode::BAD_REQUEST,
            Failure::HeaderCount { .. } | Failure::HeaderSize { .. } => {
                StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE
            }
            Failure::RequestBody { .. } => StatusCode::PAYLOAD_TOO_LARGE,
            Failure::Busy { .. } | Failure::Outdated | Failure::Descriptors(_) => {
                StatusCode::SERVICE_UNAVAILABLE
            }
            Failure::Deadline { .. } => StatusCode::GATEWAY_TIMEOUT,
            _ => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// The reason in words for a stranger: nothing of what is inside.
    pub fn public(&self) -> String {
        match self {
            Failure::Deadline { limit } => {
                format!("it gave no answer within {} s", limit.as_secs_f64())
            }
            Failure::Outdated => "its pages changed meanwhile".to_owned(),
            _ if self.status().is_client_error() => self.to_string(),
            _ if self.status() == StatusCode::SERVICE_UNAVAILABLE => "it is busy".to_owned(),
            _ => "it failed".to_owned(),
        }
    }

    /// Of an instance that ended with an error; `running` when it had been made.
    pub(crate) fn of(
        error: &wasmtime::Error,
        running: bool,
        meter: &Meter,
        limits: &crate::Limits,
    ) -> Self {
        let memory = Failure::Memory {
            limit: limits.memory_bytes,
        };
        let table = Failure::Table {
            limit: limits.table_elements,
        };
        if let Some(exit) = error.downcast_ref::<I32Exit>() {
            return match meter.memory_refused() && exit.0 != 0 {
                true => memory,
                false => Failure::Exited(exit.0),
            };
        }
        if let Some(trap) = error.downcast_ref::<Trap>() {
            return match trap {
                Trap::Interrupt => Failure::Deadline {
                    limit: limits.deadline,
                },
                // What an allocator does that was refused memory.
                Trap::UnreachableCodeReached | Trap::MemoryOutOfBounds
                    if meter.memory_refused() =>
                {
                    memory
                }
                Trap::UnreachableCodeReached | Trap::TableOutOfBounds if meter.table_refused() => {
                    table
                }
                trap => Failure::Trap(trap_reason(*trap)),
            };
        }
        let text = format!("{:#}", error.root_cause());
        let text = periapt_model::text::clean_line_at_most(&text, MESSAGE_BYTES);
        match running {
            _ if out_of_descriptors(error) => Failure::Descriptors(text),
            true => Failure::Trap(text),
            false if meter.memory_refused() => memory,
            false if meter.table_refused() => table,
            false => Failure::Start(text),
        }
    }
}
