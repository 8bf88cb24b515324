//! What leaves the process to tell about it: traces of API calls and hooks for an OpenTelemetry
//! collector that the operator names, and log lines for a syslog daemon.

pub mod syslog;
