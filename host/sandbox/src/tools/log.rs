//! `juju-log`: lines for `debug-log`, within the hook's budget of output.

use super::{Permission::Everybody, Tool, When::AtOnce};
use crate::failure::HookFailure;
use crate::journal::lock;
use crate::world::HookState;
use crate::world::periapt::charm::log as wit;

pub(super) const TOOLS: &[Tool] = &[Tool::new("juju-log", "log", "write", AtOnce, Everybody)];

/// Severity of a log line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogLevel {
    Trace,
    Debug,
    Info,
    Warning,
    Error,
}

impl LogLevel {
    /// At which a line that a guest wrote is logged.
    pub fn of(output: Output) -> Self {
        match output {
            Output::Stdout => LogLevel::Info,
            Output::Stderr => LogLevel::Warning,
        }
    }

    /// As `debug-log` spells it.
    pub fn as_str(self) -> &'static str {
        match self {
            LogLevel::Trace => "TRACE",
            LogLevel::Debug => "DEBUG",
            LogLevel::Info => "INFO",
            LogLevel::Warning => "WARNING",
            LogLevel::Error => "ERROR",
        }
    }
}

/// What a guest writes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    Stdout,
    Stderr,
}

/// What an agent does with lines.
pub trait LogAnswers {
    /// One line for `debug-log`, free of control characters.
    fn log(&mut self, _level: LogLevel, _message: &str) {}

    /// One line that the guest wrote, free of control characters. It is logged, unless the agent wants
    /// it for itself.
    fn output(&mut self, of: Output, line: &str) {
        self.log(LogLevel::of(of), line);
    }
}

impl wit::Host for HookState {
    fn write(&mut self, level: wit::Level, message: String) -> wasmtime::Result<()> {
        self.enter()?;
        let level = match level {
            wit::Level::Trace => LogLevel::Trace,
            wit::Level::Debug => LogLevel::Debug,
            wit::Level::Info => LogLevel::Info,
            wit::Level::Warning => LogLevel::Warning,
            wit::Level::Error => LogLevel::Error,
        };
        let logged = lock(&self.journal).log(level, &message);
        logged.map_err(|_| {
            self.stop(HookFailure::OutputLimit {
                limit: self.limits.output_bytes,
            })
        })
    }
}
