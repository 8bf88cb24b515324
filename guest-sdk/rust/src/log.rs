//! Lines for `periapt debug-log`.

/// How much a line matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    Trace,
    Debug,
    Info,
    Warning,
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
