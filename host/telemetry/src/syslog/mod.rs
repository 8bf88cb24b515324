//! Log lines for a syslog daemon, in the two forms such daemons understand.
//!
//! Over a network, RFC 5424 with octet counting (RFC 6587, RFC 5425), plain or over TLS. To the
//! local daemon's socket the older form without a host name, which is what journald and rsyslog
//! expect there. This module formats and sends; which lines, when again and until where is its
//! callers' business.

mod connection;
mod format;
#[cfg(test)]
mod tests;

pub use connection::{Local, Remote, SyslogError, Target, Tls};
pub use format::{Line, Severity, local, rfc5424};
