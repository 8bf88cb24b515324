//! What values an option takes.

use super::methods;
use crate::charm::capability::Policy;
use crate::charm::repository;
use crate::config::Value;
use crate::{duration, proxy};

/// Levels of a logging configuration.
const LEVELS: &[&str] = &["TRACE", "DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"];

/// What values an option takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Boolean,
    /// A whole number, zero or more.
    Count,
    /// A whole number, one or more.
    Number,
    /// A TCP port; 0 for none.
    Port,
    /// An IP address at which a process listens.
    Address,
    /// Go's notation: `5m`, `1h30m`, `500ms`.
    Duration,
    /// The same, so many seconds or more.
    DurationFrom(u64),
    /// `512M`, `5G`; without a suffix megabytes. Zero only where the flag says so.
    Size {
        zero: bool,
    },
    /// One of a few words.
    Choice(&'static [&'static str]),
    /// `<root>=INFO;unit=DEBUG`.
    Logging,
    /// `database`, `syslog` or both, separated by a comma.
    Outputs,
    /// `Facade.Method` names and the names of groups, separated by commas.
    Methods,
    /// Nothing, `unix:PATH` or `tcp:HOST:PORT`.
    SyslogTarget,
    /// `HOST` or `HOST:PORT`, separated by commas.
    Hosts,
    /// Nothing, the absolute path of a charm repository, or its URL.
    CharmRepository,
    /// Capabilities in words, separated by commas.
    Capabilities,
    /// Nothing, or the URL of a proxy.
    Proxy,
    /// Hosts, domains and ranges of addresses that are reached without a proxy, separated by commas.
    NoProxy,
    /// Text that is written and never read again but by the one worker that needs it.
    Secret,
    /// Whatever it is, its user judges it.
    Text,
}

impl Kind {
    /// The word of the API.
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Boolean => "boolean",
            Kind::Count | Kind::Number | Kind::Port => "integer",
            Kind::Duration | Kind::DurationFrom(_) => "duration",
            Kind::Size { .. } => "size",
            Kind::Choice(_) => "choice",
            Kind::Secret => "secret",
            Kind::Logging
            | Kind::Outputs
            | Kind::Methods
            | Kind::SyslogTarget
            | Kind::Hosts
            | Kind::CharmRepository
            | Kind::Capabilities
            | Kind::Address
            | Kind::Proxy
            | Kind::NoProxy
            | Kind::Text => "text",
        }
    }

    /// The words of a choice.
    pub fn choices(self) -> Vec<String> {
        match self {
            Kind::Choice(words) => words.iter().map(|word| (*word).to_owned()).collect(),
            _ => Vec::new(),
        }
    }

    /// The value in `text`; the error says what was expected.
    pub(super) fn check(self, text: &str) -> Result<Value, String> {
        let plain = text.trim();
        let keep = |sound: bool, expected: &str| match sound {
            true => Ok(Value::Text(plain.to_owned())),
            false => Err(expected.to_owned()),
        };
        match self {
            Kind::Boolean => match plain.to_ascii_lowercase().as_str() {
                "true" | "yes" | "on" => Ok(Value::Boolean(true)),
                "false" | "no" | "off" => Ok(Value::Boolean(false)),
                _ => Err("true or false".to_owned()),
            },
            Kind::Count => match plain.parse::<u32>() {
                Ok(number) => Ok(Value::Integer(i64::from(number))),
                Err(_) => Err("a whole number".to_owned()),
            },
            Kind::Number => match plain.parse::<u32>() {
                Ok(number) if number > 0 => Ok(Value::Integer(i64::from(number))),
                _ => Err("a whole number, 1 or more".to_owned()),
            },
            Kind::Port => match plain.parse::<u16>() {
                Ok(port) => Ok(Value::Integer(i64::from(port))),
                Err(_) => Err("a port from 1 to 65535, or 0 for none".to_owned()),
            },
            Kind::Address => keep(
                plain.parse::<std::net::IpAddr>().is_ok(),
                "an IP address of this machine, such as 127.0.0.1, or 0.0.0.0 for all of them",
            ),
            Kind::Duration => keep(
                duration::parse(plain).is_some(),
                "a duration such as 5m or 336h",
            ),
            Kind::DurationFrom(least) => keep(
                duration::parse(plain).is_some_and(|found| found.as_secs() >= least),
                &format!("a duration of {least}s or more, such as 5m"),
            ),
            Kind::Size { zero } => keep(
                parse_size_mb(plain).is_some_and(|size| zero || size > 0),
                "a size such as 512M or 5G",
            ),
            Kind::Choice(words) => keep(
                words.contains(&plain),
                &format!("one of {}", words.join(", ")),
            ),
            Kind::Logging => keep(
                is_logging(plain),
                "MODULE=LEVEL separated by semicolons, as in <root>=INFO",
            ),
            Kind::Outputs => keep(
                plain
                    .split(',')
                    .all(|part| ["", "database", "syslog"].contains(&part.trim())),
                "database, syslog or both",
            ),
            Kind::Methods => match methods(plain).all(is_method) {
                true => Ok(Value::Text(methods(plain).collect::<Vec<_>>().join(","))),
                false => Err(
                    "names such as periapt.Uniter.CommitHook, ReadOnlyMethods or AgentMethods, separated by commas"
                        .to_owned(),
                ),
            },
            Kind::SyslogTarget => keep(
                is_syslog_target(plain),
                "nothing, unix:PATH or tcp:HOST:PORT",
            ),
            Kind::Hosts => keep(
                hosts(plain).all(is_host),
                "names or addresses, each with or without a port, separated by commas",
            ),
            Kind::CharmRepository => keep(
                repository::is_place(plain),
                "nothing, an absolute path, or a URL such as https://charms.example/shop",
            ),
            Kind::Capabilities if plain.is_empty() => Ok(Value::Text(String::new())),
            Kind::Capabilities => match plain.parse::<Policy>() {
                Ok(policy) => Ok(Value::Text(policy.to_string())),
                Err(error) => Err(format!(
                    "capabilities such as tools/secret, storage/* or *, separated by commas: {error}"
                )),
            },
            Kind::Proxy => keep(
                proxy::is_proxy(plain),
                "nothing, or a URL such as http://proxy.example:3128",
            ),
            Kind::NoProxy => proxy::no_proxy(plain).map(Value::Text).ok_or_else(|| {
                "hosts, .domains and address ranges, separated by commas".to_owned()
            }),
            // Not trimmed: what a person gave is what is used.
            Kind::Secret | Kind::Text => Ok(Value::Text(text.to_owned())),
        }
    }
}

/// A size in megabytes: `512M`, `5G`, `1T`, or a plain number of megabytes.
pub fn parse_size_mb(text: &str) -> Option<u64> {
    let text = text.trim();
    let (digits, factor) = match text.chars().last()? {
        'M' => (&text[..text.len() - 1], 1),
        'G' => (&text[..text.len() - 1], 1 << 10),
        'T' => (&text[..text.len() - 1], 1 << 20),
        'P' => (&text[..text.len() - 1], 1 << 30),
        _ => (text, 1),
    };
    digits.parse::<u64>().ok()?.checked_mul(factor)
}

fn is_logging(text: &str) -> bool {
    let mut parts = text
        .split([';', '\n'])
        .map(str::trim)
        .filter(|part| !part.is_empty());
    parts.all(|part| {
        let level = part.split_once('=').map(|(_, level)| level.trim());
        level.is_some_and(|level| LEVELS.contains(&level.to_ascii_uppercase().as_str()))
    })
}

fn is_method(name: &str) -> bool {
    let word = |word: &str| !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric());
    [super::READ_ONLY_METHODS, super::AGENT_METHODS].contains(&name)
        || name
            .rsplit_once('.')
            .is_some_and(|(facade, method)| facade.split('.').all(word) && word(method))
}

fn is_syslog_target(text: &str) -> bool {
    let unix = text
        .strip_prefix("unix:")
        .is_some_and(|path| path.starts_with('/'));
    let tcp = text
        .strip_prefix("tcp:")
        .and_then(|address| address.rsplit_once(':'))
        .is_some_and(|(host, port)| !host.is_empty() && port.parse::<u16>().is_ok());
    text.is_empty() || unix || tcp
}

/// The entries of a list of hosts.
pub fn hosts(text: &str) -> impl Iterator<Item = &str> {
    text.split([',', ' ', '\n'])
        .map(str::trim)
        .filter(|host| !host.is_empty())
}

fn is_host(text: &str) -> bool {
    crate::address::HostPort::parse(text).is_some()
}
