//! Lines as bytes.

use jiff::Timestamp;

/// Facility 1, messages of programs of users, as Juju's agents use.
const FACILITY: u8 = 1;

/// The program's name in every line.
pub const PROGRAM: &str = "periapt";

/// Number 32473 is the one that RFC 5612 sets aside for those without one of their own.
const ENTERPRISE: &str = "32473";

/// How bad a line is, by syslog's numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    Error = 3,
    Warning = 4,
    Info = 6,
    Debug = 7,
}

impl Severity {
    /// Of a level of the model's log.
    pub fn of_level(level: &str) -> Self {
        match level {
            "ERROR" | "CRITICAL" => Severity::Error,
            "WARNING" => Severity::Warning,
            "INFO" => Severity::Info,
            _ => Severity::Debug,
        }
    }

    fn priority(self) -> u8 {
        FACILITY * 8 + self as u8
    }
}

/// A line to be sent.
#[derive(Clone, Copy, Debug)]
pub struct Line<'a> {
    pub severity: Severity,
    /// Microseconds UTC.
    pub time: i64,
    pub controller: &'a str,
    pub model: &'a str,
    /// The tag of who wrote it.
    pub entity: &'a str,
    pub module: &'a str,
    pub message: &'a str,
}

/// RFC 5424 with its length in front. The host name is the entity and its model, as Juju has it.
pub fn rfc5424(line: &Line<'_>) -> Vec<u8> {
    let time = Timestamp::from_microsecond(line.time).unwrap_or_default();
    let host = printable(&format!("{}.{}", line.entity, line.model), 255);
    let text = format!(
        "<{priority}>1 {time:.6} {host} {PROGRAM} - - [origin software=\"{PROGRAM}\" swVersion=\"{version}\"][model@{ENTERPRISE} controller-uuid=\"{controller}\" model-uuid=\"{model}\"][log@{ENTERPRISE} module=\"{module}\"] {message}",
        priority = line.severity.priority(),
        version = env!("CARGO_PKG_VERSION"),
        controller = parameter(line.controller),
        model = parameter(line.model),
        module = parameter(line.module),
        message = line.message,
    );
    let mut bytes = format!("{} ", text.len()).into_bytes();
    bytes.extend_from_slice(text.as_bytes());
    bytes
}

/// What the local daemon's socket takes: one datagram, without a host name. A daemon stamps the
/// time of arrival itself, so the local time zone is of no concern.
pub fn local(line: &Line<'_>) -> Vec<u8> {
    let time = Timestamp::from_microsecond(line.time)
        .unwrap_or_default()
        .strftime("%b %e %H:%M:%S");
    format!(
        "<{}>{time} {PROGRAM}[{}]: {} {} {}: {}",
        line.severity.priority(),
        std::process::id(),
        line.model,
        line.entity,
        line.module,
        line.message.replace('\n', " "),
    )
    .into_bytes()
}

/// A header field: printable ASCII without spaces, bounded, never empty.
fn printable(text: &str, most: usize) -> String {
    let field: String = text
        .chars()
        .filter(char::is_ascii_graphic)
        .take(most)
        .collect();
    if field.is_empty() {
        "-".to_owned()
    } else {
        field
    }
}

/// The value of a parameter, its three special characters escaped.
fn parameter(text: &str) -> String {
    let mut value = String::with_capacity(text.len());
    for character in text.chars() {
        if matches!(character, '"' | '\\' | ']') {
            value.push('\\');
        }
        if !character.is_control() {
            value.push(character);
        }
    }
    value
}
