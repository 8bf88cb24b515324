//! The script: lines of `HOOK: ACTION`.

use periapt_charm::{Hook, PortRange, Protocol, StatusKind};

#[cfg(test)]
mod tests;

/// One line.
#[derive(Debug, PartialEq)]
pub struct Line {
    /// None stands for every hook.
    hook: Option<Hook>,
    pub action: Action,
}

impl Line {
    pub fn applies_to(&self, hook: Hook) -> bool {
        self.hook.is_none_or(|own| own == hook)
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
    OpenPort(PortRange),
    ClosePort(PortRange),
    Status(StatusKind, String),
    Version(String),
    Clock,
    Random,
    Escape,
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
        name => Some(name.parse()?),
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
        "hostcalls" => Action::HostCalls(number(rest)?),
        "port" => match rest.split_once(' ') {
            Some(("open", range)) => Action::OpenPort(port_range(range.trim())?),
            Some(("close", range)) => Action::ClosePort(port_range(range.trim())?),
            _ => return Err("write port open RANGE or port close RANGE".to_owned()),
        },
        "status" => {
            let (kind, message) = rest.split_once(' ').unwrap_or((rest, ""));
            Action::Status(status_kind(kind)?, message.trim().to_owned())
        }
        "version" => Action::Version(rest.to_owned()),
        "clock" => Action::Clock,
        "random" => Action::Random,
        "escape" => Action::Escape,
        other => return Err(format!("\"{other}\" is not an action")),
    })
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
