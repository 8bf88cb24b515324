//! Alerts on both databases.

use std::time::Duration;

use periapt_model::ModelUuid;
use periapt_model::alert::{GATHER, QUIET, SECOND, SPACING, State, TRIES, retry_after};
use periapt_model::status::{Agent, Status};
use periapt_wire::rest::{
    AlertDelivery, AlertDeliveryQuery, AlertInfo, AlertQuery, NewAlertRule, SilenceAlertRule,
};

use crate::secret::SealedKey;
use crate::testing::{Fixture, fixtures, unit};
use crate::{DueDelivery, Interest, Reach, Store, namespace};

mod given_up;
mod many;

const MINUTE: i64 = 60 * SECOND;

fn rule(name: &str, condition: &str, threshold: &str) -> NewAlertRule {
    NewAlertRule {
        name: name.to_owned(),
        condition: condition.to_owned(),
        threshold: threshold.to_owned(),
        model: None,
        receivers: Vec::new(),
    }
}

fn sealed() -> SealedKey {
    SealedKey {
        under: "first".to_owned(),
        sealed: "sealed".to_owned(),
    }
}

async fn with_receiver(store: &Store, name: &str) {
    let added = store.add_alert_receiver(name, "webhook", Default::default(), sealed());
    added.await.expect("receiver");
}

fn telling(rule: NewAlertRule, receivers: &[&str]) -> NewAlertRule {
    NewAlertRule {
        receivers: receivers.iter().map(|name| (*name).to_owned()).collect(),
        ..rule
    }
}

fn pass(fixture: &Fixture, microseconds: i64) {
    let time = u64::try_from(microseconds).expect("forward");
    fixture.clock.advance(Duration::from_micros(time));
}

async fn fails(fixture: &Fixture, model: &ModelUuid, number: u32, agent: Agent) {
    is_now(&fixture.store, model, number, agent).await;
}

async fn is_now(store: &Store, model: &ModelUuid, number: u32, agent: Agent) {
    let status = Status {
        since: store.now(),
        ..Status::new(agent, "hook failed: \"start\"")
    };
    let name = unit(&format!("site/{number}"));
    let set = store.set_agent_status(model, &name, status).await;
    set.expect("status");
}

async fn evaluate(store: &Store) -> Option<i64> {
    let said = store.evaluate_alerts(None, "lab").await.expect("evaluated");
    said.next
}

async fn alerts(store: &Store, query: AlertQuery) -> Vec<AlertInfo> {
    let page = store.alerts(&Reach::Everything, &query).await;
    page.expect("alerts").items
}

/// When the first message of each receiver is due.
async fn waiting(store: &Store) -> Vec<(String, i64)> {
    let waiting = store.waiting_alert_receivers().await.expect("waiting");
    let mut waiting: Vec<(String, i64)> = waiting
        .into_iter()
        .map(|one| (one.receiver, one.next))
        .collect();
    waiting.sort();
    waiting
}

/// Messages that are due, whoever their receiver is.
async fn due(store: &Store) -> Vec<DueDelivery> {
    let mut due = Vec::new();
    for (receiver, _) in waiting(store).await {
        let taken = store.take_alert_deliveries(&receiver).await;
        due.extend(taken.expect("deliveries"));
    }
    due
}

async fn deliveries(store: &Store) -> Vec<AlertDelivery> {
    let all = AlertDeliveryQuery::default();
    store.alert_deliveries(&all).await.expect("page").items
}

/// Messages that are due, all taken by their receiver.
async fn taken(store: &Store) -> Vec<DueDelivery> {
    let due = due(store).await;
    for one in &due {
        let answer = Ok("204".to_owned());
        let tried = store.alert_delivery_tried(one.id, answer).await;
        tried.expect("written down");
    }
    due
}

#[tokio::test]
async fn an_alert_is_told_once_when_it_fires_and_once_when_it_resolves_through_restarts() {
    for mut fixture in fixtures().await {
        let model = fixture.site(3).await;
        with_receiver(&fixture.store, "ops").await;
        let errors = telling(rule("errors", "unit-error", "5m"), &["ops"]);
        fixture.store.add_alert_rule(errors).await.expect("rule");
        for number in 0..3 {
            fails(&fixture, &model, number, Agent::Error).await;
        }
        let began = fixture.store.now();
        assert_eq!(evaluate(&fixture.store).await, Some(began + 5 * MINUTE));
        assert!(
            alerts(&fixture.store, AlertQuery::default())
                .await
                .is_empty()
        );

        pass(&fixture, 5 * MINUTE);
        fixture.restart().await;
        assert_eq!(
            evaluate(&fixture.store).await,
            Some(fixture.store.now() + GATHER)
        );
        assert!(due(&fixture.store).await.is_empty());
        let firing = alerts(&fixture.store, AlertQuery::default()).await;
        assert_eq!(firing.len(), 3);
        assert!(
            firing
                .iter()
                .all(|one| one.state == "firing" && one.model == "default")
        );

        pass(&fixture, GATHER);
        fixture.restart().await;
        evaluate(&fixture.store).await;
        let messages = taken(&fixture.store).await;
        let [message] = messages.as_slice() else {
            panic!("{messages:?}");
        };
        assert_eq!((message.message.firing, message.message.resolved), (3, 0));
        assert!(
            message
                .message
                .items
                .iter()
                .all(|item| item.state == State::Firing)
        );

        // Nothing is told again, however often it is looked.
        for _ in 0..3 {
            pass(&fixture, 10 * MINUTE);
            fixture.restart().await;
            assert_eq!(evaluate(&fixture.store).await, None);
            assert!(due(&fixture.store).await.is_empty());
        }
        for number in 0..3 {
            fails(&fixture, &model, number, Agent::Idle).await;
        }
        evaluate(&fixture.store).await;
        pass(&fixture, QUIET);
        fixture.restart().await;
        evaluate(&fixture.store).await;
        pass(&fixture, GATHER);
        evaluate(&fixture.store).await;
        let messages = taken(&fixture.store).await;
        assert_eq!(messages.len(), 1);
        assert_eq!(messages[0].message.resolved, 3);
        pass(&fixture, 10 * MINUTE);
        assert_eq!(evaluate(&fixture.store).await, None);
        assert!(due(&fixture.store).await.is_empty());
        let resolved = alerts(&fixture.store, AlertQuery::default()).await;
        assert!(resolved.iter().all(|one| one.state == "resolved"));
        let all = AlertDeliveryQuery::default();
        let sent = fixture.store.alert_deliveries(&all).await.expect("page");
        assert_eq!(sent.items.len(), 2);
        assert!(
            sent.items
                .iter()
                .all(|one| one.state == "sent" && one.answer == "204")
        );
        fixture.end().await;
    }
}

#[tokio::test]
async fn without_news_nothing_is_written() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = fixture.site(1).await;
        store
            .add_alert_rule(rule("errors", "unit-error", "5m"))
            .await
            .expect("rule");
        fails(&fixture, &model, 0, Agent::Error).await;
        evaluate(store).await;
        fixture.settle().await;
        let mut heard = store
            .changes()
            .subscribe(Interest::any_model().all(namespace::ALERT));
        for _ in 0..3 {
            evaluate(store).await;
        }
        pass(&fixture, 6 * MINUTE);
        evaluate(store).await;
        fixture.settle().await;
        let changes = heard.next().await.expect("changes");
        assert_eq!(changes.len(), 1, "{changes:?}");
        fixture.end().await;
    }
}

#[tokio::test]
async fn what_is_acknowledged_before_it_was_told_is_not_told_and_readers_see_their_models() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = fixture.site(1).await;
        with_receiver(store, "ops").await;
        let errors = telling(rule("errors", "unit-error", "0"), &["ops"]);
        store.add_alert_rule(errors).await.expect("rule");
        let disk = telling(rule("disk", "disk-full", "90%"), &["ops"]);
        store.add_alert_rule(disk).await.expect("rule");
        fails(&fixture, &model, 0, Agent::Error).await;
        let said = store.evaluate_alerts(Some(95), "lab").await;
        let said = said.expect("evaluated");
        assert!(said.disk && said.facts && !said.hooks);
        assert_eq!(said.firing, 2);
        let of_model = AlertQuery {
            rule: Some("errors".to_owned()),
            ..AlertQuery::default()
        };
        let found = alerts(store, of_model).await;
        let id = found[0].id.to_string();
        let ann = "ann".parse().expect("user");
        let acknowledged = store.acknowledge_alert(&id, &ann).await.expect("there");
        assert_eq!(acknowledged.acknowledged_by.as_deref(), Some("ann"));
        let bob = "bob".parse().expect("user");
        let again = store.acknowledge_alert(&id, &bob).await.expect("there");
        assert_eq!(again.acknowledged_by.as_deref(), Some("ann"));
        let missing = store.acknowledge_alert("12", &bob).await;
        let missing = missing.expect_err("there is none");
        assert_eq!(missing.refusal().code(), "alert-not-found");

        pass(&fixture, GATHER);
        store
            .evaluate_alerts(Some(95), "lab")
            .await
            .expect("evaluated");
        let messages = taken(store).await;
        assert_eq!(messages.len(), 1, "{messages:?}");
        assert_eq!(messages[0].message.rule, "disk");

        let own = Reach::Models([model.clone()].into());
        let seen = store.alerts(&own, &AlertQuery::default()).await;
        let seen = seen.expect("page").items;
        assert_eq!(seen.len(), 1, "the disk is the controller's");
        let nobody = store.alerts(&Reach::Nothing, &AlertQuery::default()).await;
        assert_eq!(nobody.expect("page").items, []);
        fixture.end().await;
    }
}

#[tokio::test]
async fn a_silenced_rule_tells_what_still_fires_when_the_silence_ends() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = fixture.site(2).await;
        with_receiver(store, "ops").await;
        let errors = telling(rule("errors", "unit-error", "0"), &["ops"]);
        store.add_alert_rule(errors).await.expect("rule");
        let silence = |text: &str| SilenceAlertRule {
            duration: text.to_owned(),
        };
        let silenced = store.silence_alert_rule("errors", &silence("1h")).await;
        assert!(silenced.expect("silenced").silenced_until.is_some());
        let unread = store.silence_alert_rule("errors", &silence("soon")).await;
        assert_eq!(
            unread.expect_err("no time").refusal().code(),
            "alert-rule-invalid"
        );
        for number in 0..2 {
            fails(&fixture, &model, number, Agent::Error).await;
        }
        let until = store.now() + 60 * MINUTE;
        assert_eq!(evaluate(store).await, Some(until));
        // One is well again before anybody was told of it.
        fails(&fixture, &model, 1, Agent::Idle).await;
        evaluate(store).await;
        pass(&fixture, 30 * MINUTE);
        evaluate(store).await;
        assert!(due(store).await.is_empty());
        pass(&fixture, 30 * MINUTE);
        evaluate(store).await;
        let messages = taken(store).await;
        assert_eq!(messages.len(), 1);
        assert_eq!(
            (messages[0].message.firing, messages[0].message.resolved),
            (1, 0)
        );
        fixture.end().await;
    }
}

#[tokio::test]
async fn a_receiver_that_fails_is_tried_ever_more_rarely_and_given_up() {
    for mut fixture in fixtures().await {
        let model = fixture.site(1).await;
        with_receiver(&fixture.store, "ops").await;
        let errors = telling(rule("errors", "unit-error", "0"), &["ops"]);
        fixture.store.add_alert_rule(errors).await.expect("rule");
        fails(&fixture, &model, 0, Agent::Error).await;
        evaluate(&fixture.store).await;
        pass(&fixture, GATHER);
        evaluate(&fixture.store).await;
        for tried in 1..=TRIES {
            let taken = due(&fixture.store).await;
            assert_eq!(taken.len(), 1, "try {tried}");
            // A process that dies in the middle does not try again at once.
            assert!(due(&fixture.store).await.is_empty());
            fixture.restart().await;
            let answer = Err(format!("no, for the {tried}th time"));
            let written = fixture.store.alert_delivery_tried(taken[0].id, answer);
            written.await.expect("written down");
            let left = waiting(&fixture.store).await;
            let left = left.first().map(|(_, next)| next - fixture.store.now());
            assert_eq!(left, retry_after(tried), "after try {tried}");
            pass(&fixture, left.unwrap_or_default());
        }
        assert!(due(&fixture.store).await.is_empty());
        let all = AlertDeliveryQuery::default();
        let sent = fixture.store.alert_deliveries(&all).await.expect("page");
        assert_eq!(
            (sent.items[0].state.as_str(), sent.items[0].tried),
            ("failed", u64::from(TRIES))
        );
        assert!(
            sent.items[0].answer.starts_with("no, for the 8th"),
            "{sent:?}"
        );
        fixture.end().await;
    }
}

#[tokio::test]
async fn rules_and_receivers_that_make_no_sense_are_refused_with_the_nearest_name() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        fixture.model("site").await;
        with_receiver(store, "ops").await;
        for (new, code, why) in [
            (
                rule("errors", "unit-eror", "5m"),
                "alert-rule-invalid",
                "did you mean \"unit-error\"?",
            ),
            (
                rule("errors", "unit-error", "90%"),
                "alert-rule-invalid",
                "threshold",
            ),
            (
                rule("Errors", "unit-error", "5m"),
                "alert-rule-invalid",
                "lower-case",
            ),
            (
                rule("test", "unit-error", "5m"),
                "alert-rule-invalid",
                "leave \"test\"",
            ),
            (
                telling(rule("errors", "unit-error", "5m"), &["opps"]),
                "alert-receiver-not-found",
                "did you mean \"ops\"?",
            ),
            (
                NewAlertRule {
                    model: Some("siet".to_owned()),
                    ..rule("errors", "unit-error", "5m")
                },
                "model-not-found",
                "did you mean \"site\"?",
            ),
            (
                NewAlertRule {
                    model: Some("site".to_owned()),
                    ..rule("disk", "disk-full", "90%")
                },
                "alert-rule-invalid",
                "watches no model",
            ),
        ] {
            let refused = store.add_alert_rule(new).await.expect_err(why);
            assert_eq!(refused.refusal().code(), code);
            assert!(refused.to_string().contains(why), "{refused}");
        }
        let errors = telling(rule("errors", "unit-error", "5m"), &["ops"]);
        store.add_alert_rule(errors.clone()).await.expect("rule");
        let again = store.add_alert_rule(errors).await.expect_err("it is there");
        assert_eq!(again.refusal().code(), "alert-rule-already-exists");
        let used = store.remove_alert_receiver("ops").await.expect_err("used");
        assert_eq!(used.refusal().code(), "alert-receiver-in-use");
        store.remove_alert_rule("errors").await.expect("removed");
        store.remove_alert_receiver("ops").await.expect("removed");
        let gone = store.remove_alert_rule("errors").await.expect_err("gone");
        assert_eq!(gone.refusal().code(), "alert-rule-not-found");
        fixture.end().await;
    }
}

#[tokio::test]
async fn alerts_of_a_rule_that_goes_end_without_a_word() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = fixture.site(1).await;
        with_receiver(store, "ops").await;
        let errors = telling(rule("errors", "unit-error", "0"), &["ops"]);
        store.add_alert_rule(errors).await.expect("rule");
        fails(&fixture, &model, 0, Agent::Error).await;
        evaluate(store).await;
        pass(&fixture, SPACING);
        evaluate(store).await;
        assert_eq!(taken(store).await.len(), 1);
        store.remove_alert_rule("errors").await.expect("removed");
        let found = alerts(store, AlertQuery::default()).await;
        assert_eq!(found[0].state, "resolved");
        pass(&fixture, 10 * MINUTE);
        assert_eq!(evaluate(store).await, None);
        assert!(due(store).await.is_empty());
        fixture.end().await;
    }
}

#[tokio::test]
async fn a_removal_past_its_deadline_fires() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = fixture.site(1).await;
        fixture.provision(&model).await;
        fails(&fixture, &model, 0, Agent::Idle).await;
        store
            .add_alert_rule(rule("late", "removal-overdue", "10m"))
            .await
            .expect("rule");
        let force = periapt_model::removal::Force::No;
        let removed = store.remove_unit(&model, &unit("site/0"), force).await;
        removed.expect("begun");
        let deadline = evaluate(store).await.expect("there is a deadline");
        assert!(deadline > store.now() + 10 * MINUTE);
        pass(&fixture, deadline - store.now());
        evaluate(store).await;
        let found = alerts(store, AlertQuery::default()).await;
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].subject, "unit/site/0");
        fixture.end().await;
    }
}
