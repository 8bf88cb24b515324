//! Many alerts at once, and rows of which nobody has use any more.

use periapt_model::alert::{Message, QUIET};
use periapt_model::status::Agent;
use periapt_wire::rest::AlertQuery;

use super::super::REMEMBERED;
use super::{MINUTE, alerts, evaluate, fails, pass, rule, with_receiver};
use crate::db::params;
use crate::testing::{collector, fixtures};
use crate::{Result, Store};

/// Statements of an evaluation that change alerts.
async fn changing(store: &Store) -> usize {
    let (slow, statements) = collector();
    store.set_slow_query(Some(slow));
    evaluate(store).await;
    store.set_slow_query(None);
    let statements = statements.lock().expect("lock");
    let changes_some = |sql: &&String| {
        let changes = ["INSERT INTO alert", "UPDATE alert", "DELETE FROM alert"];
        let by_id = sql.contains("id IN (") || sql.contains("detail)");
        by_id && changes.iter().any(|start| sql.trim().starts_with(start))
    };
    statements.iter().filter(changes_some).count()
}

#[tokio::test]
async fn alerts_of_many_units_are_written_with_few_statements() {
    const UNITS: u32 = 40;
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = fixture.site(UNITS).await;
        let errors = rule("errors", "unit-error", "5m");
        store.add_alert_rule(errors).await.expect("rule");
        for number in 0..UNITS {
            fails(&fixture, &model, number, Agent::Error).await;
        }
        // 40 are 16, 16 and 8.
        assert_eq!(changing(store).await, 3, "they are pending");
        pass(&fixture, 5 * MINUTE);
        assert_eq!(changing(store).await, 3, "they fire");
        let firing = || async {
            let query = AlertQuery {
                state: Some("firing".to_owned()),
                ..AlertQuery::default()
            };
            alerts(store, query).await
        };
        let fired = firing().await;
        assert_eq!(fired.len(), UNITS as usize);
        assert!(fired.iter().all(|one| one.detail.contains("start")));
        for number in 0..UNITS {
            fails(&fixture, &model, number, Agent::Idle).await;
        }
        assert_eq!(changing(store).await, 3, "they are quiet");
        assert_eq!(firing().await.len(), UNITS as usize);
        pass(&fixture, QUIET);
        assert_eq!(changing(store).await, 3, "they resolve");
        assert!(firing().await.is_empty());
        fixture.end().await;
    }
}

#[tokio::test]
async fn tests_of_receivers_are_forgotten_although_no_rule_finds_anything() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        with_receiver(store, "ops").await;
        let written = store.write(|tx| {
            Box::pin(async move {
                let row = |number: i64| {
                    params![-number, "test", "ops", "{}", "sent", "204", 0_i64, 0_i64]
                };
                // Older than whatever the sequence gives.
                let rows = (1..=i64::try_from(REMEMBERED).expect("few"))
                    .map(row)
                    .collect();
                let head = "INSERT INTO alert_delivery
                    (id, rule, receiver, message, state, answer, created_at, ended_at)";
                tx.db.insert_many(head, "", rows).await?;
                Result::Ok(())
            })
        });
        written.await.expect("written");
        let message = Message {
            rule: "test".to_owned(),
            summary: String::new(),
            controller: "lab".to_owned(),
            firing: 0,
            resolved: 0,
            items: Vec::new(),
        };
        let answer = Ok("204".to_owned());
        let tested = store.alert_receiver_tested("ops", &message, answer).await;
        tested.expect("written down");
        let mut db = store.glance().await.expect("a session");
        let sql = "SELECT COUNT(*) FROM alert_delivery";
        let kept = db.count(sql, vec![]).await.expect("counted");
        assert_eq!(kept, REMEMBERED);
        // The database is closed once nobody has a session.
        drop(db);
        fixture.end().await;
    }
}
