//! The script: lines of `HOOK: ACTION`.

use periapt_charm::{Bag, Hook, PortRange, Protocol, RelationHook, StatusKind, StorageHook};

use crate::ENDPOINTS;
use crate::reach::Extent;
use crate::storage::STORAGE;

#[cfg(test)]
mod tests;

/// One line.
#[derive(Debug, PartialEq)]
pub struct Line {
    /// None stands for every hook.
    hook: Option<String>,
    pub action: Action,
}

impl Line {
    pub fn applies_to(&self, hook: &str) -> bool {
        self.hook.as_deref().is_none_or(|own| own == hook)
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    Succeed,
    /// Fails the first so many times; none means always.
    Fail(Option<u64>),
    Trap,
    Loop,
    Sleep(u64),
    /// None means until there is no more.
    Allocate(Option<u64>),
    Write(u64),
    Append(String),
    StateSize(u64),
    StateValue(u64),
    Log(u64),
    Flood,
    HostCalls(u64),
    Reboot,
    RebootNow,
    /// None stands for all endpoints.
    OpenPort(PortRange, Option<String>),
    ClosePort(PortRange, Option<String>),
    Status(StatusKind, String),
    Version(String),
    /// Shows a variable of the environment as the status.
    Environment(String),
    Clock,
    Random,
    Escape,
    /// None deletes the key.
    RelationSet {
        bag: Bag,
        key: String,
        value: Option<String>,
        endpoint: Option<String>,
    },
    /// None stands for everybody.
    RelationGet {
        member: Option<String>,
        endpoint: Option<String>,
    },
    /// None deletes the key.
    LeaderSet(String, Option<String>),
    LeaderGet,
    IsLeader,
    GoalState,
    /// None stands for the endpoint of the hook.
    NetworkGet(Option<String>),
    SharedWrite {
        name: String,
        file: String,
        text: String,
    },
    SharedRead {
        name: String,
        file: String,
    },
    SharedEscape(String),
    /// Tries to get at paths.
    Reach(Extent, Vec<String>),
    /// Leaves links to the targets in a shared directory.
    Plant {
        name: String,
        targets: Vec<String>,
    },
}

/// Reads a script; blank lines and lines that start with `#` say nothing.
pub fn parse(script: &str) -> Result<Vec<Line>, String> {
    let lines = script
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|line| parse_line(line).map_err(|reason| format!("script line \"{line}\": {reason}")))
        .collect()
}

fn parse_line(line: &str) -> Result<Line, String> {
    let (hook, action) = line.split_once(':').ok_or("write HOOK: ACTION")?;
    let hook = match hook.trim() {
        "*" => None,
        name => Some(hook_name(name)?),
    };
    Ok(Line {
        hook,
        action: parse_action(action.trim())?,
    })
}

fn parse_action(text: &str) -> Result<Action, String> {
    let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
    let rest = rest.trim();
    Ok(match word {
        "succeed" => Action::Succeed,
        "fail" => Action::Fail(optional_number(rest)?),
        "trap" => Action::Trap,
        "loop" => Action::Loop,
        "sleep" => Action::Sleep(number(rest)?),
        "allocate" => Action::Allocate(optional_number(rest)?),
        "write" => Action::Write(number(rest)?),
        "append" => Action::Append(rest.to_owned()),
        "state-size" => Action::StateSize(number(rest)?),
        "state-value" => Action::StateValue(number(rest)?),
        "log" => Action::Log(number(rest)?),
        "flood" => Action::Flood,
        "reboot" => Action::Reboot,
        "reboot-now" => Action::RebootNow,
        "hostcalls" => Action::HostCalls(number(rest)?),
        "port" => {
            let (rest, endpoint) = at_endpoint(rest);
            match rest.split_once(' ') {
                Some(("open", range)) => Action::OpenPort(port_range(range.trim())?, endpoint),
                Some(("close", range)) => Action::ClosePort(port_range(range.trim())?, endpoint),
                _ => return Err("write port open RANGE or port close RANGE".to_owned()),
            }
        }
        "status" => {
            let (kind, message) = rest.split_once(' ').unwrap_or((rest, ""));
            Action::Status(status_kind(kind)?, message.trim().to_owned())
        }
        "version" => Action::Version(rest.to_owned()),
        "environment" => Action::Environment(rest.to_owned()),
        "clock" => Action::Clock,
        "random" => Action::Random,
        "escape" => Action::Escape,
        "relation-set" => relation_set(Bag::Unit, rest)?,
        "relation-set-app" => relation_set(Bag::Application, rest)?,
        "relation-get" => {
            let (member, endpoint) = at_endpoint(rest);
            Action::RelationGet {
                member: some(member),
                endpoint,
            }
        }
        "leader-set" => {
            let (key, value) = key_value(rest)?;
            Action::LeaderSet(key, value)
        }
        "leader-get" => Action::LeaderGet,
        "is-leader" => Action::IsLeader,
        "goal-state" => Action::GoalState,
        "network-get" => Action::NetworkGet(some(rest)),
        "shared-write" => {
            let mut words = rest.splitn(3, ' ');
            match (words.next(), words.next(), words.next()) {
                (Some(name), Some(file), Some(text)) => Action::SharedWrite {
                    name: name.to_owned(),
                    file: file.to_owned(),
                    text: text.to_owned(),
                },
                _ => return Err("write shared-write NAME FILE TEXT".to_owned()),
            }
        }
        "shared-read" => match rest.split_once(' ') {
            Some((name, file)) => Action::SharedRead {
                name: name.to_owned(),
                file: file.trim().to_owned(),
            },
            None => return Err("write shared-read NAME FILE".to_owned()),
        },
        "shared-escape" if !rest.is_empty() => Action::SharedEscape(rest.to_owned()),
        "shared-escape" => return Err("write shared-escape NAME".to_owned()),
        "reach" => reach(Extent::Reach, rest)?,
        "change" => reach(Extent::Change, rest)?,
        "follow" => reach(Extent::Follow, rest)?,
        "plant" => match words(rest).split_first() {
            Some((name, targets)) if !targets.is_empty() => Action::Plant {
                name: name.clone(),
                targets: targets.to_vec(),
            },
            _ => return Err("write plant NAME TARGET...".to_owned()),
        },
        other => return Err(format!("\"{other}\" is not an action")),
    })
}

/// The name of a hook that the probe has.
fn hook_name(name: &str) -> Result<String, String> {
    match RelationHook::split(name) {
        Some((endpoint, _)) if ENDPOINTS.contains(&endpoint) => {}
        Some((endpoint, _)) => return Err(format!("\"{endpoint}\" is not an endpoint")),
        None => match StorageHook::split(name) {
            Some((storage, _)) if STORAGE.contains(&storage) => {}
            Some((storage, _)) => return Err(format!("\"{storage}\" is not a storage")),
            None => {
                name.parse::<Hook>()?;
            }
        },
    }
    Ok(name.to_owned())
}

fn relation_set(bag: Bag, rest: &str) -> Result<Action, String> {
    let (rest, endpoint) = at_endpoint(rest);
    let (key, value) = key_value(rest)?;
    Ok(Action::RelationSet {
        bag,
        key,
        value,
        endpoint,
    })
}

fn reach(extent: Extent, rest: &str) -> Result<Action, String> {
    let paths = words(rest);
    if paths.is_empty() {
        return Err(format!("write {} PATH...", extent.word()));
    }
    Ok(Action::Reach(extent, paths))
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

/// Splits `in ENDPOINT` off the end.
fn at_endpoint(text: &str) -> (&str, Option<String>) {
    let split = text
        .strip_prefix("in ")
        .map(|endpoint| ("", endpoint))
        .or_else(|| text.rsplit_once(" in "));
    match split {
        Some((rest, endpoint)) if ENDPOINTS.contains(&endpoint.trim()) => {
            (rest.trim(), Some(endpoint.trim().to_owned()))
        }
        _ => (text, None),
    }
}

fn key_value(text: &str) -> Result<(String, Option<String>), String> {
    let (key, value) = text.split_once(' ').unwrap_or((text, ""));
    if key.is_empty() {
        return Err("write KEY VALUE, or KEY alone to delete it".to_owned());
    }
    Ok((key.to_owned(), some(value.trim())))
}

fn some(text: &str) -> Option<String> {
    Some(text.to_owned()).filter(|text| !text.is_empty())
}

fn number(text: &str) -> Result<u64, String> {
    text.replace('_', "")
        .parse()
        .map_err(|_| format!("\"{text}\" is not a number"))
}

fn optional_number(text: &str) -> Result<Option<u64>, String> {
    if text.is_empty() {
        Ok(None)
    } else {
        number(text).map(Some)
    }
}

fn port_range(text: &str) -> Result<PortRange, String> {
    if text == "icmp" {
        return Ok(PortRange::icmp());
    }
    let bad = || format!("\"{text}\" is not a port range");
    let (range, protocol) = text.split_once('/').ok_or_else(bad)?;
    let protocol = match protocol {
        "tcp" => Protocol::Tcp,
        "udp" => Protocol::Udp,
        _ => return Err(bad()),
    };
    let (start, end) = range.split_once('-').unwrap_or((range, range));
    // Whether the numbers make sense is the host's to judge: tests ask it.
    Ok(PortRange {
        start: start.parse().map_err(|_| bad())?,
        end: end.parse().map_err(|_| bad())?,
        protocol,
    })
}

fn status_kind(text: &str) -> Result<StatusKind, String> {
    [
        StatusKind::Maintenance,
        StatusKind::Blocked,
        StatusKind::Waiting,
        StatusKind::Active,
        StatusKind::Unknown,
        StatusKind::Error,
        StatusKind::Terminated,
    ]
    .into_iter()
    .find(|kind| kind.as_str() == text)
    .ok_or_else(|| format!("\"{text}\" is not a status"))
}
