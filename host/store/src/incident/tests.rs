//! Incidents on both databases.

use std::time::Duration;

use periapt_model::config::Value;
use periapt_model::status::{Agent, Status, Workload};
use periapt_model::uniter::OperationState;
use periapt_model::{ModelUuid, UnitName};
use periapt_wire::agent::uniter::HookReport;
use periapt_wire::rest::{ConfigChange, IncidentInfo, IncidentQuery, SilenceIncident};
use serde_json::json;

use crate::HookCommit;
use crate::testing::{Fixture, application, fixtures, present, unit};

fn failure(reason: &str) -> Status<Agent> {
    let data = json!({ "hook": "start", "reason": reason, "next-retry": 9_000_000 });
    Status {
        data: data.as_object().cloned().unwrap_or_default(),
        ..Status::new(Agent::Error, "hook failed: \"start\"")
    }
}

fn report(fixture: &Fixture, code: &str) -> HookReport {
    HookReport {
        hook: "start".to_owned(),
        started_at: fixture.clock.shared().now().as_microsecond(),
        duration: 1,
        code: code.to_owned(),
        ..HookReport::default()
    }
}

async fn fails(fixture: &Fixture, model: &ModelUuid, name: &UnitName, reason: &str) {
    let store = &fixture.store;
    let from = store.sequence(model, name).await;
    let state = OperationState::default();
    let run = report(fixture, "trap");
    let failed = store.fail_hook(model, name, from, &state, failure(reason), run);
    failed.await.expect("failed");
}

async fn succeeds(fixture: &Fixture, model: &ModelUuid, name: &UnitName) {
    let store = &fixture.store;
    let commit = HookCommit {
        from: store.sequence(model, name).await,
        run: Some(report(fixture, "")),
        ..HookCommit::default()
    };
    store
        .commit_hook_run(model, name, commit)
        .await
        .expect("committed");
}

async fn all(fixture: &Fixture, model: &ModelUuid) -> Vec<IncidentInfo> {
    let query = IncidentQuery::default();
    let page = fixture.store.incidents(model, &query, &present, true).await;
    page.expect("incidents").items
}

#[tokio::test]
async fn units_that_fail_alike_are_one_incident_from_the_first_failure_on() {
    for fixture in fixtures().await {
        let model = fixture.site(3).await;
        fixture.provision(&model).await;
        assert_eq!(all(&fixture, &model).await, []);
        let (first, second) = (unit("site/0"), unit("site/1"));
        fails(&fixture, &model, &first, "no database").await;
        let began = all(&fixture, &model).await[0].since.clone();
        fixture.clock.advance(Duration::from_secs(60));
        fails(&fixture, &model, &first, "no database").await;
        fails(&fixture, &model, &second, "no database").await;
        let incidents = all(&fixture, &model).await;
        assert_eq!(incidents.len(), 1, "{incidents:?}");
        let incident = &incidents[0];
        assert_eq!(incident.units, [first.clone(), second.clone()]);
        assert_eq!(incident.hook.as_deref(), Some("start"));
        assert_eq!(incident.reason, "no database");
        assert_eq!((incident.attempts, incident.retriable), (3, true));
        assert_eq!(incident.since, began, "the first failure counts");
        assert_eq!(incident.next_retry.as_deref(), Some("1970-01-01T00:00:09Z"));
        let run = incident.run.expect("a run");
        let run = fixture.store.hook_run(&model, run).await.expect("run");
        assert_eq!(run.unit, second);
        fails(&fixture, &model, &second, "no disk").await;
        assert_eq!(all(&fixture, &model).await.len(), 2);
        fixture.end().await;
    }
}

#[tokio::test]
async fn what_was_changed_right_before_is_told_and_who_only_to_admins() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = fixture.site(1).await;
        fixture.provision(&model).await;
        let change = ConfigChange {
            set: [("title".to_owned(), Value::Text("Hi".to_owned()))].into(),
            reset: Vec::new(),
        };
        let site = application("site");
        let changed = store.set_application_config(&model, &site, change);
        changed.await.expect("changed");
        fixture.clock.advance(Duration::from_secs(5));
        fails(&fixture, &model, &unit("site/0"), "boom").await;
        let incident = &all(&fixture, &model).await[0];
        let before = &incident.changed_before;
        assert_eq!(before.len(), 1, "{before:?}");
        assert_eq!(before[0].object, "title of site");
        assert_eq!(before[0].becomes.as_deref(), Some("Hi"));
        let query = IncidentQuery::default();
        let page = store.incidents(&model, &query, &present, false).await;
        let page = page.expect("incidents");
        assert!(
            page.items[0]
                .changed_before
                .iter()
                .all(|one| one.who.is_empty())
        );
        fixture.end().await;
    }
}

#[tokio::test]
async fn all_failed_hooks_of_an_incident_are_answered_at_once() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = fixture.site(3).await;
        fixture.provision(&model).await;
        for name in ["site/0", "site/1"] {
            fails(&fixture, &model, &unit(name), "boom").await;
        }
        let id = all(&fixture, &model).await[0].id.clone();
        let retry = || store.answer_incident(&model, &id, true, &present);
        let told = retry().await.expect("answered").units;
        assert_eq!(told, [unit("site/0"), unit("site/1")]);
        let again = retry().await.expect("answered").units;
        assert_eq!(again, [], "each is answered once");
        let missing = store
            .answer_incident(&model, "site-start-00000000", true, &present)
            .await;
        let missing = missing.expect_err("no incident");
        assert_eq!(missing.refusal().code(), "incident-not-found");

        let blocked = Status::new(Workload::Blocked, "needs a database");
        let third = unit("site/2");
        let set = store.set_unit_status(&model, &third, blocked).await;
        set.expect("blocked");
        let incidents = all(&fixture, &model).await;
        let blocked = incidents.iter().find(|one| one.status == "blocked");
        let blocked = &blocked.expect("an incident").id;
        let refused = store
            .answer_incident(&model, blocked, false, &present)
            .await;
        let refused = refused.expect_err("no failed hook");
        assert_eq!(refused.refusal().code(), "unit-not-in-error");
        fixture.end().await;
    }
}

#[tokio::test]
async fn a_silence_ends_by_itself_and_by_hand() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = fixture.site(3).await;
        fixture.provision(&model).await;
        let (first, second) = (unit("site/0"), unit("site/1"));
        fails(&fixture, &model, &first, "boom").await;
        let id = all(&fixture, &model).await[0].id.clone();
        let silence = |seconds| {
            let request = SilenceIncident { seconds };
            let id = id.clone();
            let model = model.clone();
            async move {
                let set = store.silence_incident(&model, &id, &request, &present);
                set.await.expect("silenced")
            }
        };
        let is_silenced = || async {
            let incidents = all(&fixture, &model).await;
            incidents
                .iter()
                .any(|one| one.id == id && one.silenced.is_some())
        };
        assert!(silence(Some(60)).await.until.is_some());
        assert!(is_silenced().await);
        fixture.clock.advance(Duration::from_secs(61));
        assert!(!is_silenced().await, "its time is over");

        assert_eq!(silence(None).await.until, None);
        fixture.clock.advance(Duration::from_secs(1));
        fails(&fixture, &model, &first, "boom").await;
        assert!(is_silenced().await, "the same again is no news");
        fails(&fixture, &model, &second, "boom").await;
        assert!(!is_silenced().await, "another unit is");

        silence(None).await;
        store.end_silence(&model, &id).await.expect("ended");
        assert!(!is_silenced().await);
        let again = store.end_silence(&model, &id).await.expect_err("no more");
        assert_eq!(again.refusal().code(), "incident-not-found");

        silence(None).await;
        fixture.clock.advance(Duration::from_secs(1));
        succeeds(&fixture, &model, &first).await;
        fails(&fixture, &model, &first, "boom").await;
        assert!(!is_silenced().await, "it had been well");
        for seconds in [0, u64::MAX] {
            let request = SilenceIncident {
                seconds: Some(seconds),
            };
            let refused = store
                .silence_incident(&model, &id, &request, &present)
                .await;
            assert!(refused.is_err(), "{seconds}");
        }
        fixture.end().await;
    }
}

#[tokio::test]
async fn a_page_goes_on_where_the_one_before_ended() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = fixture.site(3).await;
        fixture.provision(&model).await;
        for (name, reason) in [("site/0", "a"), ("site/1", "b"), ("site/2", "c")] {
            fails(&fixture, &model, &unit(name), reason).await;
        }
        let mut query = IncidentQuery {
            limit: Some(2),
            ..IncidentQuery::default()
        };
        let mut ids = Vec::new();
        loop {
            let page = store.incidents(&model, &query, &present, true).await;
            let page = page.expect("incidents");
            ids.extend(page.items.into_iter().map(|incident| incident.id));
            query.after = page.next;
            if query.after.is_none() {
                break;
            }
        }
        let whole: Vec<String> = all(&fixture, &model)
            .await
            .into_iter()
            .map(|one| one.id)
            .collect();
        assert_eq!(ids, whole);
        assert_eq!(ids.len(), 3);
        let other = IncidentQuery {
            application: Some("other".to_owned()),
            ..IncidentQuery::default()
        };
        let none = store.incidents(&model, &other, &present, true).await;
        assert_eq!(none.expect("incidents").items, []);
        fixture.end().await;
    }
}
