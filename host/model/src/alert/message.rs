//! What people are told, when, and how often it is tried.

use serde::{Deserialize, Serialize};

use super::SECOND;

/// How long alerts that fire are gathered for one message.
pub const GATHER: i64 = 10 * SECOND;
/// The shortest time from one message of a rule to its next.
pub const SPACING: i64 = 60 * SECOND;
/// How often a message is sent to a receiver that does not take it.
pub const TRIES: u32 = 8;

/// Whether an item is about the beginning of an alert or its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    Firing,
    Resolved,
}

/// One alert in a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Item {
    pub id: i64,
    pub state: State,
    /// The model's name; empty for the controller.
    pub model: String,
    pub subject: String,
    pub detail: String,
    /// RFC 3339.
    pub since: String,
}

/// What a receiver is sent, however it is sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Message {
    /// The rule's name; `test` for one that a person asked for.
    pub rule: String,
    /// What the rule watches for, in words.
    pub summary: String,
    pub controller: String,
    /// So many alerts began; items show the first of them.
    pub firing: u64,
    pub resolved: u64,
    pub items: Vec<Item>,
}

impl Message {
    /// The body of an e-mail.
    pub fn text(&self) -> String {
        let mut text = format!(
            "{}\n\nRule: {}\nController: {}\n",
            self.summary, self.rule, self.controller
        );
        for state in [State::Firing, State::Resolved] {
            let (count, word) = match state {
                State::Firing => (self.firing, "Firing"),
                State::Resolved => (self.resolved, "Resolved"),
            };
            if count == 0 {
                continue;
            }
            text.push_str(&format!("\n{word} ({count}):\n"));
            let mut shown = 0;
            for item in self.items.iter().filter(|item| item.state == state) {
                shown += 1;
                let of = match item.model.is_empty() {
                    true => String::new(),
                    false => format!(" in model {}", item.model),
                };
                let why = match item.detail.is_empty() {
                    true => String::new(),
                    false => format!(": {}", one_line(&item.detail)),
                };
                text.push_str(&format!(
                    "  {}{of}, since {}{why}\n",
                    item.subject, item.since
                ));
            }
            if count > shown {
                text.push_str(&format!("  and {} more\n", count - shown));
            }
        }
        text.push_str("\nperiapt alerts lists what is firing.\n");
        text
    }
}

/// The subject of an e-mail: one line whatever names are in it.
pub fn subject_line(message: &Message) -> String {
    let count = match (message.firing, message.resolved) {
        (0, 0) => "test".to_owned(),
        (firing, 0) => format!("{firing} firing"),
        (0, resolved) => format!("{resolved} resolved"),
        (firing, resolved) => format!("{firing} firing, {resolved} resolved"),
    };
    one_line(&format!(
        "[{}] {}: {count}",
        message.controller, message.rule
    ))
}

fn one_line(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect()
}

/// When the next message of a rule is due whose first news is from `first`.
pub fn message_due(first: i64, last_message: Option<i64>, silenced_until: Option<i64>) -> i64 {
    let gathered = first.saturating_add(GATHER);
    let spaced = last_message.map_or(i64::MIN, |last| last.saturating_add(SPACING));
    gathered.max(spaced).max(silenced_until.unwrap_or(i64::MIN))
}

/// How long after the try with this number, from 1, the next one follows; none after the last.
pub fn retry_after(tried: u32) -> Option<i64> {
    const WAITS: [i64; TRIES as usize - 1] = [10, 30, 60, 5 * 60, 15 * 60, 3600, 3600];
    let place = usize::try_from(tried.checked_sub(1)?).ok()?;
    WAITS.get(place).map(|seconds| seconds * SECOND)
}
