//! Lines for `periapt debug-log`.

use crate::Context;
use crate::world::World;
use crate::world::bindings::periapt::charm::log as wit;

/// How much a line matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Every step, for who writes the charm.
    Trace,
    /// What helps to find a fault.
    Debug,
    /// What a person may like to know.
    Info,
    /// Something is odd and the charm goes on.
    Warning,
    /// Something went wrong.
    Error,
}

/// Logs a line at [`Level::Debug`]: `debug!(context, "rendered {count} pages")`.
#[macro_export]
macro_rules! debug {
    ($context:expr, $($text:tt)+) => { $context.log($crate::Level::Debug, &::std::format!($($text)+)) };
}

/// Logs a line at [`Level::Info`].
#[macro_export]
macro_rules! info {
    ($context:expr, $($text:tt)+) => { $context.log($crate::Level::Info, &::std::format!($($text)+)) };
}

/// Logs a line at [`Level::Warning`].
#[macro_export]
macro_rules! warning {
    ($context:expr, $($text:tt)+) => { $context.log($crate::Level::Warning, &::std::format!($($text)+)) };
}

/// Logs a line at [`Level::Error`].
#[macro_export]
macro_rules! error {
    ($context:expr, $($text:tt)+) => { $context.log($crate::Level::Error, &::std::format!($($text)+)) };
}

/// What a charm may ask of the host about log lines.
#[allow(missing_docs)]
pub trait LogHost {
    fn log(&self, level: Level, message: &str);
}

impl LogHost for World {
    fn log(&self, level: Level, message: &str) {
        let level = match level {
            Level::Trace => wit::Level::Trace,
            Level::Debug => wit::Level::Debug,
            Level::Info => wit::Level::Info,
            Level::Warning => wit::Level::Warning,
            Level::Error => wit::Level::Error,
        };
        wit::write(level, message);
    }
}

impl<C> Context<'_, C> {
    /// A line for `periapt debug-log`, at once. See also [`info!`](crate::info).
    pub fn log(&self, level: Level, message: &str) {
        self.host.log(level, message);
    }
}
