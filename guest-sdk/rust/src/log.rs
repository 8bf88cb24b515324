//! Lines for `periapt debug-log`.

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
