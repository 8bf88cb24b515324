use bytes::Bytes;
use periapt_model::config::Value;
use periapt_model::{ModelUuid, UnitName};
use periapt_wire::rest::{ApplicationConfig, AuditQuery, AuditRecord, ConfigChange};

use crate::namespace;
use crate::testing::{Fixture, application, fixtures};
use crate::{Definition, Guard, KeptAnswer, Remembered, RequestMark, Store, version_tag};

fn mark() -> RequestMark {
    RequestMark {
        account: "admin".parse().unwrap(),
        key: "k1".to_owned(),
        request: "a".to_owned(),
    }
}

fn record(time: i64) -> AuditRecord {
    AuditRecord {
        id: 0,
        time,
        who: "user-admin".to_owned(),
        from: String::new(),
        model: None,
        what: "PATCH".to_owned(),
        target: String::new(),
        result: String::new(),
        ..AuditRecord::default()
    }
}

fn answer(body: &'static str) -> KeptAnswer {
    KeptAnswer {
        status: 200,
        content_type: "application/json".to_owned(),
        etag: String::new(),
        body: Bytes::from_static(body.as_bytes()),
    }
}

/// A request that sets an option and whose answer is kept.
async fn change(store: &Store, model: &ModelUuid, port: i64) {
    let change = ConfigChange {
        set: [("port".to_owned(), Value::Integer(port))].into(),
        reset: Vec::new(),
    };
    let site = application("site");
    let write = store.set_application_config(model, &site, change);
    Guard::answering(|_: &ApplicationConfig| Some(answer("set")), write)
        .await
        .unwrap();
}

async fn add_unit(store: &Store, model: &ModelUuid) -> Vec<UnitName> {
    let site = application("site");
    store.add_units(model, &site, 1).await.unwrap()
}

/// Results in the audit log, newest first.
async fn results(store: &Store) -> Vec<String> {
    let all = store.audit(None, &AuditQuery::default()).await.unwrap();
    all.items.into_iter().map(|record| record.result).collect()
}

async fn begin(fixture: &Fixture) -> (ModelUuid, Guard) {
    let model = fixture.site(1).await;
    let definition = Definition::new(&model, namespace::APPLICATION_CONFIG, "site");
    let guard = fixture.store.recording(record(fixture.store.now()));
    let guard = guard.about(definition, None, true).once(mark(), true);
    (model, guard)
}

#[tokio::test]
async fn a_change_its_kept_answer_and_its_audit_row_are_one_commit() {
    for fixture in fixtures().await {
        let (model, guard) = begin(&fixture).await;
        let store = &fixture.store;
        let before = store.measures();
        guard.around(change(store, &model, 81)).await;
        let after = store.measures();
        assert_eq!(
            (after.jobs - before.jobs, after.commits - before.commits),
            (1, 1)
        );
        assert_eq!(results(store).await, ["200"]);
        let kept = KeptAnswer {
            etag: version_tag(guard.version().unwrap()),
            ..answer("set")
        };
        assert_eq!(
            store.remembered(&mark()).await.unwrap(),
            Remembered::Answered(kept)
        );
        fixture.end().await;
    }
}

#[tokio::test]
async fn a_change_whose_request_goes_on_is_interrupted_until_it_ends() {
    for fixture in fixtures().await {
        let (model, guard) = begin(&fixture).await;
        let store = &fixture.store;
        // What one write said of the request, the next takes back.
        guard
            .around(async {
                change(store, &model, 81).await;
                add_unit(store, &model).await;
            })
            .await;
        assert_eq!(guard.said(), None);
        assert_eq!(results(store).await, ["interrupted"]);
        assert!(matches!(
            store.remembered(&mark()).await.unwrap(),
            Remembered::Unanswered { .. }
        ));
        store
            .finish(&guard, "503".to_owned(), Some(answer("end")))
            .await
            .unwrap();
        assert_eq!(results(store).await, ["503"]);
        assert_eq!(
            store.remembered(&mark()).await.unwrap(),
            Remembered::Answered(answer("end"))
        );
        fixture.end().await;
    }
}

#[tokio::test]
async fn what_is_refused_leaves_nothing_and_its_demands_stay() {
    for fixture in fixtures().await {
        let (model, guard) = begin(&fixture).await;
        let store = &fixture.store;
        guard
            .around(async {
                let nobody = application("nobody");
                store.add_units(&model, &nobody, 1).await.unwrap_err();
                assert_eq!(results(store).await, [""; 0]);
                add_unit(store, &model).await;
            })
            .await;
        assert!(guard.written());
        assert_eq!(results(store).await, ["interrupted"]);
        fixture.end().await;
    }
}
