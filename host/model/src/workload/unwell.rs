//! What is wrong beside the charm, in words: in a unit's containers, and on the way from outside to what is exposed. It
//! follows the message of the charm wherever that is shown, so that `active` does not hide a server that is gone or that
//! nobody reaches. What the charm said is kept as it said it.

use periapt_plan::layer::Level;

use super::check::Status;
use super::desired::Seen;
use super::service::Current;
use crate::text::clean_line_at_most;

/// Bytes of what is said of one service or check.
const BYTES: usize = 200;
/// So many are named.
const NAMED: usize = 3;

/// Each service of a container that failed or waits to be started again, and each check that is down and says
/// something of its unit.
pub fn unwell(seen: &Seen, level: impl Fn(&str) -> Level) -> Vec<String> {
    let mut found = Vec::new();
    for (name, service) in &seen.services {
        if !matches!(service.current, Current::Backoff | Current::Failed) {
            continue;
        }
        let mut text = format!("{name}: {}", service.current.as_str());
        if let Some(end) = &service.last_end {
            text.push_str(&format!(", {end}"));
        }
        match service.restarts {
            0 => {}
            1 => text.push_str(", 1 restart"),
            many => text.push_str(&format!(", {many} restarts")),
        }
        found.push(clean_line_at_most(&text, BYTES));
    }
    for (name, check) in &seen.checks {
        if check.status != Status::Down || level(name) == Level::Unset {
            continue;
        }
        let message = check.message.as_deref().unwrap_or_default();
        let text = match message {
            "" => format!("check {name}: down"),
            message => format!("check {name}: down, {message}"),
        };
        found.push(clean_line_at_most(&text, BYTES));
    }
    found
}

/// An exposed port of a unit that nothing listens at.
pub fn silent(port: &str, reason: &str) -> String {
    clean_line_at_most(&format!("{port} does not listen: {reason}"), BYTES)
}

/// An exposed application that nobody finds by its name.
pub fn nameless(reason: &str) -> String {
    clean_line_at_most(&format!("not found by name: {reason}"), BYTES)
}

/// The message of a workload with what is wrong.
pub fn with_unwell(message: &str, unwell: &[String]) -> String {
    let mut parts: Vec<&str> = Vec::new();
    parts.extend(Some(message).filter(|message| !message.is_empty()));
    parts.extend(unwell.iter().take(NAMED).map(String::as_str));
    let more = unwell.len().saturating_sub(NAMED);
    let rest = format!("{more} more");
    if more > 0 {
        parts.push(&rest);
    }
    parts.join("; ")
}

#[cfg(test)]
mod tests {
    use super::super::desired::{CheckSeen, ServiceSeen};
    use super::*;

    #[test]
    fn what_is_wrong_follows_what_the_charm_said() {
        let service = |current, last_end: Option<&str>, restarts| ServiceSeen {
            current,
            restarts,
            last_end: last_end.map(str::to_owned),
            ..ServiceSeen::default()
        };
        let check = |status, message: Option<&str>| CheckSeen {
            status,
            message: message.map(str::to_owned),
            ..CheckSeen::default()
        };
        let seen = Seen {
            services: [
                ("site", service(Current::Active, Some("exited: 1"), 7)),
                ("web", service(Current::Backoff, Some("exited: 1"), 4)),
                ("work", service(Current::Failed, None, 1)),
            ]
            .map(|(name, seen)| (name.to_owned(), seen))
            .into(),
            checks: [
                ("alive", check(Status::Down, Some("answered with 500"))),
                ("fine", check(Status::Up, None)),
                ("own", check(Status::Down, None)),
                ("ready", check(Status::Down, None)),
            ]
            .map(|(name, seen)| (name.to_owned(), seen))
            .into(),
            requests: 0,
        };
        let level = |name: &str| match name {
            "own" => Level::Unset,
            "alive" => Level::Alive,
            _ => Level::Ready,
        };
        let unwell = unwell(&seen, level);
        assert_eq!(
            unwell,
            [
                "web: backoff, exited: 1, 4 restarts",
                "work: failed, 1 restart",
                "check alive: down, answered with 500",
                "check ready: down",
            ]
        );
        assert_eq!(with_unwell("serving", &[]), "serving");
        assert_eq!(with_unwell("", &unwell[1..2]), "work: failed, 1 restart");
        assert_eq!(
            with_unwell("serving", &unwell),
            "serving; web: backoff, exited: 1, 4 restarts; work: failed, 1 restart; \
             check alive: down, answered with 500; 1 more"
        );
    }

    #[test]
    fn what_is_exposed_and_not_reached_says_why() {
        let port = silent("80/tcp", "127.77.0.1:80 is in use\nby another program");
        assert_eq!(
            with_unwell("serving", &[port]),
            "serving; 80/tcp does not listen: 127.77.0.1:80 is in use by another program"
        );
        let name = nameless(&"x".repeat(BYTES));
        assert!(name.starts_with("not found by name: xx"), "{name}");
        assert!(name.len() < 2 * BYTES, "{}", name.len());
    }
}
