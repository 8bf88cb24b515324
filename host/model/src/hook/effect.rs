//! What a run of a hook changed, as a typed list for people: a difference rather than a sentence.
//!
//! A run remembers its effects in words, which name what changed and never a value; the words are a closed
//! vocabulary of the contract's tools and of [`AtOnce`](super::AtOnce). Here they are read back, so that runs
//! of before have the list as well and a hook writes nothing more for it.

use serde::{Deserialize, Serialize};

/// What kind of thing changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EffectKind {
    Status,
    Version,
    Port,
    State,
    Files,
    Relation,
    Leader,
    Secret,
    Storage,
    Container,
    Payload,
    Reboot,
    Result,
    /// What is only counted.
    Other,
}

/// How it changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EffectChange {
    Added,
    Changed,
    Removed,
}

/// One effect of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct RunEffect {
    pub kind: EffectKind,
    pub change: EffectChange,
    /// What changed: `443/tcp`, `counter`, `relation 3 setting host`.
    pub subject: String,
    /// What it became, where the words say it: the word of a status, a version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub becomes: Option<String>,
}

/// Effects as a run remembers them.
pub fn listed(words: &[String]) -> Vec<RunEffect> {
    words.iter().map(|words| one(words)).collect()
}

fn one(words: &str) -> RunEffect {
    use EffectChange::{Added, Changed, Removed};
    use EffectKind::{
        Container, Files, Leader, Other, Payload, Port, Reboot, Relation, Result, Secret, State,
        Status, Storage, Version,
    };
    let effect = |kind, change, subject: &str| RunEffect {
        kind,
        change,
        subject: subject.to_owned(),
        becomes: None,
    };
    let became = |kind, subject: &str, becomes: &str| RunEffect {
        becomes: Some(becomes.to_owned()),
        ..effect(kind, Changed, subject)
    };
    // A setting that is gone says so at its end.
    let setting = |kind, subject: &str| match subject.strip_suffix(" deleted") {
        Some(subject) => effect(kind, Removed, subject),
        None => effect(kind, Changed, subject),
    };
    let after = |start: &str| words.strip_prefix(start);
    if let Some(status) = after("status to ") {
        became(Status, "unit", status)
    } else if let Some(status) = after("application status to ") {
        became(Status, "application", status)
    } else if let Some(version) = after("workload version to ") {
        became(Version, "workload version", version)
    } else if let Some(port) = after("opened ") {
        effect(Port, Added, port)
    } else if let Some(port) = after("closed ") {
        effect(Port, Removed, port)
    } else if let Some(key) = after("state ") {
        setting(State, key)
    } else if words == "files of its state directory" {
        effect(Files, Changed, words)
    } else if after("relation ").is_some() {
        setting(Relation, words)
    } else if let Some(key) = after("leader setting ") {
        setting(Leader, key)
    } else if let Some(secret) = after("secret ") {
        match secret {
            _ if secret.ends_with(" added") || secret.contains(" granted to ") => {
                effect(Secret, Added, secret)
            }
            _ if secret.ends_with(" removed") || secret.contains(" revoked from ") => {
                effect(Secret, Removed, secret)
            }
            _ => effect(Secret, Changed, secret),
        }
    } else if let Some(storage) = after("added storage ") {
        effect(Storage, Added, storage)
    } else if let Some(container) = after("planned ") {
        effect(Container, Changed, container)
    } else if let Some(payload) = after("unregistered payload ") {
        effect(Payload, Removed, payload)
    } else if let Some(payload) = after("payload ") {
        match payload.rsplit_once(" is ") {
            Some((payload, status)) => became(Payload, payload, status),
            None => effect(Payload, Changed, payload),
        }
    } else if words == "reboot of the machine" {
        effect(Reboot, Changed, "machine")
    } else if let Some(key) = after("result ") {
        effect(Result, Added, key)
    } else if words == "failure" {
        effect(Result, Changed, words)
    } else if after("and ").is_some_and(|rest| rest.ends_with(" more")) {
        effect(Other, Changed, words)
    } else {
        // What is asked of a service: `restart site in web`.
        effect(Container, Changed, words)
    }
}

/// The value at or below which a part of the values is; none of no values. `values` need no order.
pub fn percentile(mut values: Vec<i64>, part: f64) -> Option<i64> {
    values.sort_unstable();
    let last = values.len().checked_sub(1)?;
    let place = (last as f64 * part.clamp(0.0, 1.0)).floor() as usize;
    values.get(place).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hook::AtOnce;
    use crate::status::Workload;

    fn told(words: &str) -> (EffectKind, EffectChange, String, Option<String>) {
        let RunEffect {
            kind,
            change,
            subject,
            becomes,
        } = one(words);
        (kind, change, subject, becomes)
    }

    #[test]
    fn words_of_every_tool_are_read_back() {
        use EffectChange::{Added, Changed, Removed};
        use EffectKind::*;
        for (words, kind, change, subject) in [
            ("closed 80/tcp", Port, Removed, "80/tcp"),
            ("opened 443/tcp", Port, Added, "443/tcp"),
            ("state a to b", State, Changed, "a to b"),
            ("state old deleted", State, Removed, "old"),
            (
                "relation 3 setting host",
                Relation,
                Changed,
                "relation 3 setting host",
            ),
            (
                "relation 3 application setting url deleted",
                Relation,
                Removed,
                "relation 3 application setting url",
            ),
            ("leader setting token", Leader, Changed, "token"),
            (
                "secret 0, a revision removed",
                Secret,
                Removed,
                "0, a revision removed",
            ),
            (
                "secret 0 granted to site",
                Secret,
                Added,
                "0 granted to site",
            ),
            (
                "secret 0, a new revision",
                Secret,
                Changed,
                "0, a new revision",
            ),
            ("added storage data 2 times", Storage, Added, "data 2 times"),
            ("planned web", Container, Changed, "web"),
            ("stop site in web", Container, Changed, "stop site in web"),
            (
                "unregistered payload monitor a",
                Payload,
                Removed,
                "monitor a",
            ),
            (
                "payload monitor a is running",
                Payload,
                Changed,
                "monitor a",
            ),
            ("reboot of the machine", Reboot, Changed, "machine"),
            ("result built", Result, Added, "built"),
            (
                "files of its state directory",
                Files,
                Changed,
                "files of its state directory",
            ),
            ("and 7 more", Other, Changed, "and 7 more"),
        ] {
            let (found, how, what, _) = told(words);
            assert_eq!(
                (found, how, what.as_str()),
                (kind, change, subject),
                "{words}"
            );
        }
    }

    #[test]
    fn what_changes_at_once_says_what_it_became() {
        for (at_once, subject, becomes) in [
            (AtOnce::UnitStatus(Workload::Blocked), "unit", "blocked"),
            (
                AtOnce::ApplicationStatus(Workload::Active),
                "application",
                "active",
            ),
            (
                AtOnce::WorkloadVersion("1.2".to_owned()),
                "workload version",
                "1.2",
            ),
        ] {
            let (_, change, what, became) = told(&at_once.to_string());
            assert_eq!((what.as_str(), became.as_deref()), (subject, Some(becomes)));
            assert_eq!(change, EffectChange::Changed);
        }
    }

    #[test]
    fn half_of_the_values_are_no_more_than_the_median() {
        assert_eq!(percentile(Vec::new(), 0.5), None);
        assert_eq!(percentile(vec![7], 0.5), Some(7));
        assert_eq!(percentile(vec![30, 10, 20], 0.5), Some(20));
        assert_eq!(percentile((1..=100).collect(), 0.99), Some(99));
        assert_eq!(percentile((1..=100).collect(), 1.0), Some(100));
    }
}
