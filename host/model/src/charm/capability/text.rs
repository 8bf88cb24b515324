//! The text of a capability, by which people write it and files keep it.
//!
//! It never changes its meaning: grants and policies name capabilities by it. Each text begins with its kind
//! and a slash, and what is written of a value reads back to that value.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::egress::{Egress, Via};
use super::{Capability, MOST_MEBIBYTES, MOST_MILLISECONDS, Tools};
use crate::charm::Access;
use crate::duration;
use crate::nearest::suggestion;
use crate::ports::PortRange;

/// What stands before the slash.
pub(super) const KINDS: [&str; 9] = [
    "shared",
    "storage",
    "workload",
    "port",
    "egress",
    "tools",
    "environment",
    "memory",
    "time",
];

/// A text that is no capability; a sentence about what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct NotACapability(pub(super) String);

impl fmt::Display for Capability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Capability::Shared { directory, access } => {
                write!(f, "shared/{directory}:{}", access.as_str())
            }
            Capability::Storage { name, access } => write!(f, "storage/{name}:{}", access.as_str()),
            Capability::Workload { container } => write!(f, "workload/{container}"),
            Capability::Port(range) => write!(f, "port/{range}"),
            Capability::Egress(egress) => write!(f, "egress/{egress}"),
            Capability::Tools(tools) => write!(f, "tools/{}", tools.as_str()),
            Capability::Environment { name } => write!(f, "environment/{name}"),
            Capability::Memory { mebibytes } => write!(f, "memory/{}", memory_text(*mebibytes)),
            Capability::Time { milliseconds } => write!(f, "time/{}", time_text(*milliseconds)),
        }
    }
}

impl FromStr for Capability {
    type Err = NotACapability;

    fn from_str(text: &str) -> Result<Self, NotACapability> {
        let kinds = || KINDS.join(", ");
        let (kind, rest) = text.split_once('/').ok_or_else(|| {
            NotACapability(format!(
                "\"{text}\" is not a capability: write KIND/WHAT; the kinds are {}",
                kinds()
            ))
        })?;
        Ok(match kind {
            "shared" => {
                let (directory, access) = with_access(rest)?;
                if !is_directory_name(directory) {
                    return Err(not_a_directory(directory));
                }
                Capability::Shared {
                    directory: directory.to_owned(),
                    access,
                }
            }
            "storage" => {
                let (name, access) = with_access(rest)?;
                Capability::Storage {
                    name: word("storage", name)?,
                    access,
                }
            }
            "workload" => Capability::Workload {
                container: word("a container", rest)?,
            },
            "port" => Capability::Port(rest.parse::<PortRange>().map_err(NotACapability)?),
            "egress" => {
                let (destination, via) = rest.rsplit_once('/').ok_or_else(|| {
                    NotACapability(format!(
                        "\"{rest}\" names no protocol: write egress/HOST:PORT/https"
                    ))
                })?;
                Capability::Egress(Egress::of(destination, via.parse::<Via>()?)?)
            }
            "tools" => Capability::Tools(rest.parse::<Tools>()?),
            "environment" => Capability::Environment {
                name: variable(rest)?,
            },
            "memory" => Capability::Memory {
                mebibytes: memory(rest)?,
            },
            "time" => Capability::Time {
                milliseconds: time(rest)?,
            },
            other => {
                return Err(NotACapability(format!(
                    "\"{other}\" is not a kind of capability; there are {}{}",
                    kinds(),
                    suggestion(other, KINDS)
                )));
            }
        })
    }
}

impl TryFrom<String> for Capability {
    type Error = NotACapability;

    fn try_from(text: String) -> Result<Self, NotACapability> {
        text.parse()
    }
}

impl From<Capability> for String {
    fn from(capability: Capability) -> String {
        capability.to_string()
    }
}

fn with_access(text: &str) -> Result<(&str, Access), NotACapability> {
    let found = text
        .rsplit_once(':')
        .and_then(|(name, access)| Some((name, Access::of(access)?)));
    found.ok_or_else(|| {
        NotACapability(format!(
            "\"{text}\" names no access: write NAME:read-only or NAME:read-write"
        ))
    })
}

/// A name as the metadata of charms has them.
fn word(of: &str, name: &str) -> Result<String, NotACapability> {
    let sound = name.len() <= 64
        && name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c));
    match sound {
        true => Ok(name.to_owned()),
        false => Err(NotACapability(format!(
            "\"{name}\" is not a name of {of}: start with a letter, go on with letters, digits, dashes, dots or underscores, 64 at most"
        ))),
    }
}

/// The name becomes one of a directory on the host and in the sandbox.
pub(super) fn is_directory_name(name: &str) -> bool {
    name.len() <= 64
        && name.starts_with(|c: char| c.is_ascii_lowercase())
        && name
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
}

pub(super) fn not_a_directory(name: &str) -> NotACapability {
    NotACapability(format!(
        "\"{name}\" is not a name of a directory: start with a lower-case letter, go on with lower-case letters, digits and dashes, 64 at most"
    ))
}

pub(super) fn variable(name: &str) -> Result<String, NotACapability> {
    let sound = name.len() <= 64
        && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    match sound {
        true => Ok(name.to_owned()),
        false => Err(NotACapability(format!(
            "\"{name}\" is not a name of a variable: start with a letter, go on with letters, digits and underscores, 64 at most"
        ))),
    }
}

/// MiB of `128MiB` or `1GiB`.
pub(super) fn memory(text: &str) -> Result<u32, NotACapability> {
    let number = |digits: &str| {
        let all = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        all.then(|| digits.parse::<u32>().ok()).flatten()
    };
    let mebibytes = match (text.strip_suffix("MiB"), text.strip_suffix("GiB")) {
        (Some(digits), _) => number(digits),
        (None, Some(digits)) => number(digits).and_then(|gibibytes| gibibytes.checked_mul(1024)),
        (None, None) => None,
    };
    let fits = mebibytes.filter(|most| (1..=MOST_MEBIBYTES).contains(most));
    fits.ok_or_else(|| {
        NotACapability(format!(
            "\"{text}\" is not an amount of memory: write 128MiB or 1GiB, {} at most",
            memory_text(MOST_MEBIBYTES)
        ))
    })
}

fn memory_text(mebibytes: u32) -> String {
    match mebibytes % 1024 {
        0 => format!("{}GiB", mebibytes / 1024),
        _ => format!("{mebibytes}MiB"),
    }
}

/// Milliseconds of `5s` or `1500ms`.
pub(super) fn time(text: &str) -> Result<u32, NotACapability> {
    let whole = duration::parse(text).filter(|time| time.subsec_nanos().is_multiple_of(1_000_000));
    let milliseconds = whole.and_then(|time| u32::try_from(time.as_millis()).ok());
    let fits = milliseconds.filter(|most| (1..=MOST_MILLISECONDS).contains(most));
    fits.ok_or_else(|| {
        NotACapability(format!(
            "\"{text}\" is not a time for a hook: write 5s or 1500ms, {} at most",
            time_text(MOST_MILLISECONDS)
        ))
    })
}

fn time_text(milliseconds: u32) -> String {
    match milliseconds % 1000 {
        0 => format!("{}s", milliseconds / 1000),
        _ => format!("{milliseconds}ms"),
    }
}
