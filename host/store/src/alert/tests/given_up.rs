//! Messages that wait, and what becomes of them when a rule is silenced or goes, a process dies, or a backup is
//! restored.

use std::time::Duration;

use periapt_model::ModelUuid;
use periapt_model::alert::{GATHER, QUIET, TRIES};
use periapt_model::status::Agent;
use periapt_wire::rest::{AlertQuery, AuditQuery, NewAlertRule, SilenceAlertRule};

use super::{
    MINUTE, alerts, deliveries, due, evaluate, fails, is_now, pass, rule, taken, telling, waiting,
    with_receiver,
};
use crate::backup::tests::{dump, write};
use crate::testing::{Fixture, empty_databases, fixtures};
use crate::{Store, StoreOptions, tables};

/// A model with units of which the first is in error, and a message about it that waits for each receiver.
async fn with_message(fixture: &Fixture, units: u32, receivers: &[&str]) -> ModelUuid {
    let model = fixture.site(units).await;
    for receiver in receivers {
        with_receiver(&fixture.store, receiver).await;
    }
    let errors = telling(rule("errors", "unit-error", "0"), receivers);
    fixture.store.add_alert_rule(errors).await.expect("rule");
    first_fails(fixture, &model).await;
    model
}

async fn first_fails(fixture: &Fixture, model: &ModelUuid) {
    fails(fixture, model, 0, Agent::Error).await;
    evaluate(&fixture.store).await;
    pass(fixture, GATHER);
    evaluate(&fixture.store).await;
}

async fn silence(store: &Store, duration: &str) {
    let silence = SilenceAlertRule {
        duration: duration.to_owned(),
    };
    let silenced = store.silence_alert_rule("errors", &silence).await;
    silenced.expect("silenced");
}

async fn refused(store: &Store, id: i64) {
    let tried = store.alert_delivery_tried(id, Err("no".to_owned())).await;
    tried.expect("written down");
}

#[tokio::test]
async fn what_waits_of_a_rule_that_is_removed_is_not_sent() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = with_message(&fixture, 2, &["bob", "ops"]).await;
        // One was tried already, the other not.
        for one in store.take_alert_deliveries("ops").await.expect("due") {
            refused(store, one.id).await;
        }
        assert_eq!(waiting(store).await.len(), 2);
        silence(store, "1h").await;
        // That the first is well again is not told yet, nor that the second fails.
        fails(&fixture, &model, 0, Agent::Idle).await;
        fails(&fixture, &model, 1, Agent::Error).await;
        evaluate(store).await;
        pass(&fixture, QUIET);
        evaluate(store).await;
        store.remove_alert_rule("errors").await.expect("removed");
        assert!(waiting(store).await.is_empty());
        let given_up = deliveries(store).await;
        assert_eq!(given_up.len(), 2);
        assert!(
            given_up.iter().all(|one| one.state == "failed"
                && one.ended_at.is_some()
                && one.answer == "the rule was removed"),
            "{given_up:?}"
        );

        // One that is added under its name tells of what it finds itself.
        let errors = telling(rule("errors", "unit-error", "0"), &["ops"]);
        store.add_alert_rule(errors).await.expect("rule");
        evaluate(store).await;
        pass(&fixture, GATHER);
        evaluate(store).await;
        let messages = taken(store).await;
        assert_eq!(messages.len(), 1, "{messages:?}");
        let message = &messages[0].message;
        assert_eq!((message.firing, message.resolved), (1, 0), "{message:?}");
        fixture.end().await;
    }
}

#[tokio::test]
async fn a_rule_about_a_model_goes_with_it_and_so_do_its_messages() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = fixture.site(1).await;
        with_receiver(store, "ops").await;
        let errors = NewAlertRule {
            model: Some(model.to_string()),
            ..telling(rule("errors", "unit-error", "0"), &["ops"])
        };
        store.add_alert_rule(errors).await.expect("rule");
        first_fails(&fixture, &model).await;
        assert_eq!(waiting(store).await.len(), 1);
        let gone = model.clone();
        let removed =
            store.write(move |tx| Box::pin(async move { tables::remove_model(tx, &gone).await }));
        removed.await.expect("removed");
        assert!(waiting(store).await.is_empty());
        assert!(store.alert_rules().await.expect("rules").is_empty());
        let found = alerts(store, AlertQuery::default()).await;
        assert!(found.iter().all(|one| one.state == "resolved"), "{found:?}");
        // Nothing keeps the receiver.
        store.remove_alert_receiver("ops").await.expect("removed");
        fixture.end().await;
    }
}

#[tokio::test]
async fn what_was_taken_while_its_rule_went_is_written_down_as_sent() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        with_message(&fixture, 1, &["ops"]).await;
        let sending = due(store).await;
        store.remove_alert_rule("errors").await.expect("removed");
        let answer = Ok("204".to_owned());
        let tried = store.alert_delivery_tried(sending[0].id, answer).await;
        tried.expect("written down");
        let found = deliveries(store).await;
        assert_eq!(
            (found[0].state.as_str(), found[0].answer.as_str()),
            ("sent", "204")
        );
        fixture.end().await;
    }
}

#[tokio::test]
async fn what_waits_of_a_rule_that_is_silenced_is_sent_when_the_silence_ends() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        with_message(&fixture, 1, &["ops"]).await;
        silence(store, "1h").await;
        let until = store.now() + 60 * MINUTE;
        assert!(due(store).await.is_empty());
        assert_eq!(waiting(store).await, [("ops".to_owned(), until)]);
        pass(&fixture, 60 * MINUTE);
        let sending = due(store).await;
        assert_eq!(sending.len(), 1);
        // It is refused and silenced again, and a person ends the silence.
        refused(store, sending[0].id).await;
        silence(store, "1h").await;
        pass(&fixture, MINUTE);
        assert!(due(store).await.is_empty());
        silence(store, "0").await;
        assert_eq!(due(store).await.len(), 1);
        fixture.end().await;
    }
}

#[tokio::test]
async fn a_message_that_is_being_sent_leaves_those_of_other_receivers_due() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        with_message(&fixture, 1, &["hangs", "ops"]).await;
        let sending = store.take_alert_deliveries("hangs").await.expect("due");
        assert_eq!(sending.len(), 1);
        let now = store.now();
        let due_at: Vec<(String, bool)> = waiting(store)
            .await
            .into_iter()
            .map(|(receiver, next)| (receiver, next <= now))
            .collect();
        let expected = [("hangs".to_owned(), false), ("ops".to_owned(), true)];
        assert_eq!(due_at, expected);
        let other = store.take_alert_deliveries("ops").await.expect("due");
        assert_eq!(other.len(), 1);
        assert_eq!(other[0].receiver, "ops");
        fixture.end().await;
    }
}

#[tokio::test]
async fn tries_whose_end_nobody_wrote_down_are_counted_as_well() {
    for mut fixture in fixtures().await {
        with_message(&fixture, 1, &["ops"]).await;
        for tried in 1..=TRIES {
            assert_eq!(due(&fixture.store).await.len(), 1, "try {tried}");
            // The process dies while it sends.
            fixture.restart().await;
            pass(&fixture, MINUTE);
        }
        assert!(due(&fixture.store).await.is_empty());
        assert!(waiting(&fixture.store).await.is_empty());
        let found = deliveries(&fixture.store).await;
        assert_eq!(
            (found[0].state.as_str(), found[0].tried),
            ("failed", u64::from(TRIES))
        );
        fixture.end().await;
    }
}

#[tokio::test]
async fn a_restored_controller_sends_nothing_that_waited_and_announces_anew_what_holds() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = with_message(&fixture, 3, &["ops"]).await;
        // The first was told of in vain, the second waits to be told of, the third was taken on by a person.
        refused(store, due(store).await[0].id).await;
        for number in [1, 2] {
            fails(&fixture, &model, number, Agent::Error).await;
        }
        evaluate(store).await;
        let before = alerts(store, AlertQuery::default()).await;
        let third = before.iter().find(|one| one.subject == "unit/site/2");
        let ann = "ann".parse().expect("user");
        let id = third.expect("it fires").id.to_string();
        store.acknowledge_alert(&id, &ann).await.expect("there");
        let (schema, backup) = dump(store).await;

        pass(&fixture, 3 * 24 * 60 * MINUTE);
        for empty in empty_databases().await {
            let options = StoreOptions::new(empty.database.clone(), fixture.clock.shared());
            let given_up = write(&options, schema, &backup).await.expect("restored");
            assert_eq!(given_up, 1);
            let restored = Store::open(options).await.expect("opened");
            let found = deliveries(&restored).await;
            assert_eq!(found.len(), 1);
            assert_eq!(found[0].state, "failed");
            assert!(found[0].answer.contains("restored"), "{found:?}");
            let audit = restored.audit(None, &AuditQuery::default()).await;
            let audit = audit.expect("page").items;
            let lines: Vec<_> = audit.iter().filter(|one| one.verb == "gave up").collect();
            assert_eq!(lines.len(), 1, "{audit:?}");
            assert!(lines[0].object.starts_with("1 message "), "{lines:?}");

            // What is well by now is nobody's news.
            is_now(&restored, &model, 1, Agent::Idle).await;
            evaluate(&restored).await;
            assert!(waiting(&restored).await.is_empty());
            let all = alerts(&restored, AlertQuery::default()).await;
            let firing: Vec<_> = all.iter().filter(|one| one.state == "firing").collect();
            assert_eq!(firing.len(), 2, "{all:?}");
            assert!(
                firing
                    .iter()
                    .all(|one| before.iter().all(|other| other.id != one.id)),
                "{firing:?}"
            );
            fixture
                .clock
                .advance(Duration::from_micros(GATHER.unsigned_abs()));
            evaluate(&restored).await;
            let messages = taken(&restored).await;
            assert_eq!(messages.len(), 1, "{messages:?}");
            let message = &messages[0].message;
            assert_eq!((message.firing, message.resolved), (2, 0), "{message:?}");
            evaluate(&restored).await;
            assert!(waiting(&restored).await.is_empty());
            restored.close().await;
            empty.end().await;
        }
        fixture.end().await;
    }
}
