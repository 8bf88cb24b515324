//! Why a hook failed, in words for the operator and in codes for programs.

use std::io;
use std::time::Duration;

use rustix::io::Errno;
use thiserror::Error;
use wasmtime::Trap;

/// A failed hook. Nothing it asked for is committed, except what takes effect at once.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum HookFailure {
    /// The charm returned an error; the text is the charm's.
    #[error("{0}")]
    Charm(String),
    /// The charm's code trapped. `last_output` is the last line it wrote to stderr, where a
    /// panic message would be.
    #[error("the charm crashed: {reason}{}", last_words(.last_output))]
    Trap {
        reason: String,
        last_output: Option<String>,
    },
    /// The charm ended itself instead of returning.
    #[error("the charm exited with status {status} instead of returning{}", last_words(.last_output))]
    Exited {
        status: i32,
        last_output: Option<String>,
    },
    #[error("the hook did not end within {} s", .limit.as_secs_f64())]
    Deadline { limit: Duration },
    /// Nobody wants its result any more.
    #[error("it was cancelled")]
    Cancelled,
    /// It asked for a reboot at once, which ends it: it is to be run again afterwards.
    #[error("it asked for an immediate reboot of its machine")]
    Reboot,
    #[error("the charm needs more than its limit of {limit} bytes of memory")]
    MemoryLimit { limit: u64 },
    #[error("the charm needs more than its limit of {limit} table elements")]
    TableLimit { limit: u64 },
    #[error("the hook wrote more than its limit of {limit} bytes of output and log")]
    OutputLimit { limit: u64 },
    #[error("the hook made more than its limit of {limit} host calls")]
    HostCallLimit { limit: u64 },
    #[error("the hook left more than {limit} bytes in {directory}")]
    DirectoryLimit { directory: String, limit: u64 },
    #[error("the hook left directories more than {levels} levels deep in {directory}")]
    DirectoryLevels { directory: String, levels: u64 },
    /// What cannot be measured may be more than the limit.
    #[error("cannot measure the hook's files in {directory}: {reason}")]
    DirectoryUnreadable { directory: String, reason: String },
    /// The component could not be started.
    #[error("the charm could not be started: {0}")]
    Instantiate(String),
    /// The unit's directories could not be made available.
    #[error("the directories of the unit could not be prepared: {0}")]
    Directories(String),
    /// The directory of a storage that the unit has cannot be opened.
    #[error("the directory of storage {storage} is missing: {reason}")]
    StorageMissing { storage: String, reason: String },
    /// The process has no file descriptor left, or the machine. No fault of the charm: the hook is
    /// to be run again later.
    #[error("the agent has no file descriptors left: {0}")]
    Descriptors(String),
    /// A host call gave no answer that fits any of the above.
    #[error("the hook ended unexpectedly: {0}")]
    Unknown(String),
}

fn last_words(line: &Option<String>) -> String {
    line.as_ref()
        .map(|line| format!(" (last output: {line})"))
        .unwrap_or_default()
}

impl HookFailure {
    /// A stable name for programs.
    pub fn code(&self) -> &'static str {
        match self {
            HookFailure::Charm(_) => "charm-error",
            HookFailure::Trap { .. } => "trap",
            HookFailure::Exited { .. } => "exited",
            HookFailure::Deadline { .. } => "deadline",
            HookFailure::Cancelled => "cancelled",
            HookFailure::Reboot => "reboot",
            HookFailure::MemoryLimit { .. } => "memory-limit",
            HookFailure::TableLimit { .. } => "table-limit",
            HookFailure::OutputLimit { .. } => "output-limit",
            HookFailure::HostCallLimit { .. } => "host-call-limit",
            HookFailure::DirectoryLimit { .. } => "directory-limit",
            HookFailure::DirectoryLevels { .. } => "directory-levels",
            HookFailure::DirectoryUnreadable { .. } => "directory-unreadable",
            HookFailure::Instantiate(_) => "instantiate",
            HookFailure::Directories(_) => "directories",
            HookFailure::StorageMissing { .. } => "storage-missing",
            HookFailure::Descriptors(_) => "descriptors",
            HookFailure::Unknown(_) => "unknown",
        }
    }
}

/// Whether the lack of file descriptors is among the causes.
pub fn out_of_descriptors(error: &wasmtime::Error) -> bool {
    error.chain().any(|cause| {
        let code = cause
            .downcast_ref::<io::Error>()
            .and_then(io::Error::raw_os_error)
            .or_else(|| Some(cause.downcast_ref::<Errno>()?.raw_os_error()));
        code.is_some_and(|code| {
            periapt_files::out_of_descriptors(&io::Error::from_raw_os_error(code))
        })
    })
}

/// A trap in words that the author of a guest can act on.
pub fn trap_reason(trap: Trap) -> String {
    match trap {
        Trap::StackOverflow => "its call stack is exhausted".to_owned(),
        Trap::UnreachableCodeReached => "it panicked or aborted".to_owned(),
        Trap::MemoryOutOfBounds => "it used memory outside its own".to_owned(),
        Trap::IntegerDivisionByZero => "it divided by zero".to_owned(),
        other => {
            let text = other.to_string();
            text.strip_prefix("wasm trap: ").unwrap_or(&text).to_owned()
        }
    }
}
