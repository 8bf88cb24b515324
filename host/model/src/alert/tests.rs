use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

const MINUTE: i64 = 60 * SECOND;

fn rule(condition: Condition, threshold: &str) -> Rule {
    Rule::new(condition, threshold).unwrap()
}

fn unit(number: usize, since: i64) -> Observed {
    Observed {
        model: "m".to_owned(),
        subject: format!("unit/web/{number}"),
        since,
        value: 0,
        detail: "hook failed: \"start\"".to_owned(),
    }
}

fn measured(value: i64) -> Vec<Observed> {
    vec![Observed {
        model: String::new(),
        subject: "disk".to_owned(),
        since: 0,
        value,
        detail: String::new(),
    }]
}

/// What is written down between one decision and the next.
#[derive(Default)]
struct Book {
    known: BTreeMap<(String, String), Known>,
    fired: usize,
    resolved: usize,
}

impl Book {
    fn known(&self) -> Vec<Known> {
        self.known.values().cloned().collect()
    }

    fn follow(&mut self, rule: &Rule, observed: &[Observed], now: i64) -> Option<i64> {
        let decision = decide(rule, &self.known(), observed, now);
        for step in &decision.steps {
            let key = (step.model.clone(), step.subject.clone());
            let known = |phase| Known {
                model: step.model.clone(),
                subject: step.subject.clone(),
                phase,
                since: step.since,
                quiet_since: None,
            };
            match step.what {
                Move::Await => drop(self.known.insert(key, known(Phase::Pending))),
                Move::Fire => {
                    self.fired += 1;
                    self.known.insert(key, known(Phase::Firing));
                }
                Move::Hush => self.known.get_mut(&key).unwrap().quiet_since = Some(now),
                Move::Return => self.known.get_mut(&key).unwrap().quiet_since = None,
                Move::Resolve => {
                    self.resolved += 1;
                    self.known.remove(&key);
                }
                Move::Forget => drop(self.known.remove(&key)),
            }
        }
        let again = decide(rule, &self.known(), observed, now);
        assert_eq!(again.steps, [], "it says the same twice");
        again.next
    }
}

#[test]
fn a_unit_fires_once_its_error_has_lasted_and_resolves_once_it_stays_well() {
    let rule = rule(Condition::UnitError, "5m");
    let mut book = Book::default();
    let seen = [unit(0, 0)];
    assert_eq!(book.follow(&rule, &seen, SECOND), Some(5 * MINUTE));
    assert_eq!((book.fired, book.resolved), (0, 0));
    assert_eq!(book.follow(&rule, &seen, 5 * MINUTE), None);
    assert_eq!((book.fired, book.resolved), (1, 0));
    assert_eq!(book.follow(&rule, &seen, 9 * MINUTE), None);
    // It is well, but not for long enough.
    assert_eq!(book.follow(&rule, &[], 10 * MINUTE), Some(11 * MINUTE));
    assert_eq!(
        book.follow(&rule, &[unit(0, 10 * MINUTE)], 10 * MINUTE + SECOND),
        None
    );
    assert_eq!((book.fired, book.resolved), (1, 0));
    assert_eq!(book.follow(&rule, &[], 12 * MINUTE), Some(13 * MINUTE));
    assert_eq!(book.follow(&rule, &[], 13 * MINUTE), None);
    assert_eq!((book.fired, book.resolved), (1, 1));
    assert!(book.known.is_empty());
}

#[test]
fn a_unit_that_retries_its_hook_again_and_again_fires_although_each_error_is_short() {
    let rule = rule(Condition::UnitError, "5m");
    let mut book = Book::default();
    for minute in 0..6 {
        let at = minute * MINUTE;
        book.follow(&rule, &[unit(0, at)], at);
        book.follow(&rule, &[], at + 20 * SECOND);
    }
    assert_eq!(book.fired, 1);
}

#[test]
fn a_short_error_is_forgotten_and_nobody_is_told() {
    let rule = rule(Condition::UnitError, "5m");
    let mut book = Book::default();
    book.follow(&rule, &[unit(0, 0)], 0);
    book.follow(&rule, &[], MINUTE);
    book.follow(&rule, &[], 2 * MINUTE);
    assert!(book.known.is_empty());
    assert_eq!((book.fired, book.resolved), (0, 0));
}

#[test]
fn a_removal_keeps_the_deadline_that_was_first_known() {
    let rule = rule(Condition::RemovalOverdue, "0");
    let mut book = Book::default();
    assert_eq!(
        book.follow(&rule, &[unit(0, 30 * MINUTE)], MINUTE),
        Some(30 * MINUTE)
    );
    // The next step of force has a later time.
    book.follow(&rule, &[unit(0, 31 * MINUTE)], 30 * MINUTE);
    assert_eq!(book.fired, 1);
    book.follow(&rule, &[], 31 * MINUTE);
    book.follow(&rule, &[], 32 * MINUTE);
    assert_eq!(book.resolved, 1);
}

#[test]
fn a_disk_that_swings_about_the_threshold_fires_once() {
    let rule = rule(Condition::DiskFull, "90%");
    let mut book = Book::default();
    for (minute, percent) in [(0, 90), (1, 91), (2, 90), (3, 88), (6, 91), (9, 89)] {
        book.follow(&rule, &measured(percent), minute * MINUTE);
    }
    assert_eq!((book.fired, book.resolved), (1, 0));
    book.follow(&rule, &measured(87), 10 * MINUTE);
    book.follow(&rule, &measured(87), 11 * MINUTE);
    assert_eq!((book.fired, book.resolved), (1, 1));
}

#[test]
fn five_hundred_units_in_error_are_one_message() {
    let rule = rule(Condition::UnitError, "5m");
    let seen: Vec<Observed> = (0..500).map(|number| unit(number, 0)).collect();
    let decision = decide(&rule, &[], &seen, 6 * MINUTE);
    assert_eq!(decision.steps.len(), 500);
    assert!(decision.steps.iter().all(|step| step.what == Move::Fire));
    let first = 6 * MINUTE;
    assert_eq!(message_due(first, None, None), first + GATHER);
    assert_eq!(
        message_due(first, Some(first - SECOND), None),
        first - SECOND + SPACING
    );
    assert_eq!(
        message_due(first, None, Some(first + SPACING)),
        first + SPACING
    );
    let message = Message {
        rule: "errors".to_owned(),
        summary: rule.in_words(),
        controller: "lab".to_owned(),
        firing: 500,
        resolved: 0,
        items: vec![Item {
            id: 1,
            state: State::Firing,
            model: "site\r\nBcc: x@y".to_owned(),
            subject: "unit/web/0".to_owned(),
            detail: "hook\nfailed".to_owned(),
            since: "2026-11-22T21:50:00Z".to_owned(),
        }],
    };
    assert_eq!(subject_line(&message), "[lab] errors: 500 firing");
    let text = message.text();
    assert!(text.contains("unit in error for longer than 5m"), "{text}");
    assert!(text.contains("and 499 more"), "{text}");
    assert!(text.contains("hook failed"), "{text}");
}

#[test]
fn a_subject_line_is_one_line() {
    let message = Message {
        rule: "r".to_owned(),
        summary: String::new(),
        controller: "lab\r\nBcc: somebody@example.com".to_owned(),
        firing: 0,
        resolved: 2,
        items: Vec::new(),
    };
    assert!(!subject_line(&message).contains(['\r', '\n']));
}

#[test]
fn thresholds_are_read_as_their_condition_has_them() {
    assert_eq!(rule(Condition::UnitError, "5m").threshold, 5 * MINUTE);
    assert_eq!(
        rule(Condition::UnitError, "1h30m").threshold_text(),
        "1h30m"
    );
    assert_eq!(rule(Condition::HookP99, "250ms").threshold_text(), "250ms");
    assert_eq!(rule(Condition::DiskFull, "90").threshold_text(), "90%");
    assert_eq!(rule(Condition::RemovalOverdue, "0").threshold_text(), "0s");
    for (condition, text) in [
        (Condition::UnitError, "5"),
        (Condition::UnitError, "90%"),
        (Condition::HookP99, "0"),
        (Condition::DiskFull, "100%"),
        (Condition::DiskFull, "5m"),
        (Condition::RemovalOverdue, "1000d"),
    ] {
        let refused = Rule::new(condition, text).unwrap_err().to_string();
        assert!(refused.contains("is not a threshold"), "{refused}");
    }
    let refused = "unit-eror".parse::<Condition>().unwrap_err().to_string();
    assert!(
        refused.ends_with("did you mean \"unit-error\"?"),
        "{refused}"
    );
    for condition in Condition::ALL {
        assert_eq!(condition.as_str().parse::<Condition>(), Ok(*condition));
        let written = serde_json::to_value(condition).unwrap();
        assert_eq!(written, condition.as_str());
    }
}

#[test]
fn a_percentile_needs_enough_runs() {
    assert_eq!(p99(vec![5; 9]), None);
    let mut times: Vec<i64> = (1..=100).rev().collect();
    assert_eq!(p99(times.clone()), Some(99));
    times.truncate(10);
    assert_eq!(p99(times), Some(100));
}

#[test]
fn tries_become_rarer_and_end() {
    let waits: Vec<i64> = (1..TRIES)
        .map(|tried| retry_after(tried).unwrap())
        .collect();
    assert!(waits.is_sorted());
    assert_eq!((retry_after(TRIES), retry_after(0)), (None, None));
}

fn config(options: &[(&str, &str)]) -> BTreeMap<String, String> {
    let pair = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    options.iter().map(pair).collect()
}

#[test]
fn of_an_address_only_the_host_is_shown_and_what_repeats_the_rest_is_hidden() {
    for (url, shown) in [
        (
            "https://hooks.example.com/T0/B0/xoxb-token",
            "https://hooks.example.com/…",
        ),
        (
            "https://hooks.example.com:8443?token=abc",
            "https://hooks.example.com:8443/…",
        ),
        ("http://127.0.0.1:9000/", "http://127.0.0.1:9000"),
        ("http://127.0.0.1:9000", "http://127.0.0.1:9000"),
        ("https://ä.example/…", "https://ä.example/…"),
    ] {
        assert_eq!(origin(url), shown);
    }
    let webhook = Webhook {
        url: "https://hooks.example.com/v1/secret-token?key=another-token".to_owned(),
        key: "0123456789abcdef".to_owned(),
        ca_cert: None,
    };
    assert_eq!(
        webhook.hide("Cannot POST /v1/secret-token?key=another-token with 0123456789abcdef"),
        "Cannot POST /v1/…?key=… with …"
    );
    assert_eq!(webhook.hide("wrong key"), "wrong key");
}

#[test]
fn a_receiver_says_what_it_needs() {
    let url = ("url", "https://hooks.example.com/x");
    let key = ("key", "0123456789abcdef");
    assert!(Receiver::of(ReceiverKind::Webhook, &config(&[url, key])).is_ok());
    let mail = [
        ("host", "mail.example.com"),
        ("from", "a@b.c"),
        ("to", "d@e.f, g@h.i"),
    ];
    let found = Receiver::of(ReceiverKind::Email, &config(&mail)).unwrap();
    let Receiver::Email(found) = found else {
        panic!("it is no e-mail");
    };
    assert_eq!((found.port, found.encryption), (587, Encryption::StartTls));
    assert_eq!(found.to, ["d@e.f", "g@h.i"]);
    let with = |more: &[(&str, &str)]| config(&[&mail[..], more].concat());
    let (webhook, email) = (ReceiverKind::Webhook, ReceiverKind::Email);
    for (kind, config, why) in [
        (webhook, config(&[url]), "key is missing"),
        (webhook, config(&[url, ("key", "short")]), "16 bytes"),
        (webhook, config(&[("url", "ftp://x"), key]), "https://"),
        (
            webhook,
            config(&[("url", "https://u:p@x/"), key]),
            "no user",
        ),
        (
            webhook,
            config(&[url, key, ("ulr", "x")]),
            "did you mean \"url\"?",
        ),
        (email, config(&mail[1..]), "host is missing"),
        (email, with(&[("user", "ann")]), "together"),
        (email, with(&[("port", "0")]), "65535"),
        (
            email,
            with(&[("encryption", "startls")]),
            "did you mean \"starttls\"?",
        ),
        (
            email,
            with(&[
                ("encryption", "none"),
                ("user", "ann"),
                ("password", "hush-77"),
            ]),
            "to this machine alone",
        ),
    ] {
        let refused = Receiver::of(kind, &config).err().unwrap().to_string();
        assert!(refused.contains(why), "{refused}");
        assert!(!refused.contains("hush-77"), "{refused}");
    }
    assert!(is_secret("key") && is_secret("password") && is_secret("url") && !is_secret("to"));
}

proptest! {
    /// Whatever is observed when: an alert resolves no more often than it fired, and no time to wake at is in the past.
    #[test]
    fn alerts_resolve_no_more_often_than_they_fire(
        seen in prop::collection::vec((1..90_i64, any::<bool>()), 1..60),
    ) {
        let rule = rule(Condition::UnitError, "1m");
        let mut book = Book::default();
        let (mut now, mut since) = (0, 0);
        let mut was = false;
        for (wait, bad) in seen {
            now += wait * SECOND;
            if bad && !was {
                since = now;
            }
            was = bad;
            let observed: Vec<Observed> = bad.then(|| unit(0, since)).into_iter().collect();
            if let Some(next) = book.follow(&rule, &observed, now) {
                prop_assert!(next > now);
            }
            let open = book.known.values().filter(|known| known.phase == Phase::Firing).count();
            prop_assert_eq!(book.fired, book.resolved + open);
        }
    }
}

#[test]
fn of_what_a_charm_says_an_alert_keeps_the_beginning() {
    let errors = rule(Condition::UnitError, "0");
    let told = |detail: String| {
        let seen = Observed {
            detail,
            ..unit(0, 0)
        };
        let mut steps = decide(&errors, &[], &[seen], MINUTE).steps;
        steps.remove(0).detail
    };
    let long = told("ä".repeat(16 << 10));
    assert_eq!(long.chars().count(), 501);
    assert!(long.ends_with('…'));
    let short = "ä".repeat(500);
    assert_eq!(told(short.clone()), short);
}
