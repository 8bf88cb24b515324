//! Timelines on both databases.

use std::time::Duration;

use periapt_model::ModelUuid;
use periapt_model::config::Value;
use periapt_model::status::{Status, Workload};
use periapt_wire::agent::log_sink::LogRecord;
use periapt_wire::agent::uniter::HookReport;
use periapt_wire::rest::{AuditRecord, ConfigChange, TimelineKind, TimelineQuery};

use crate::HookCommit;
use crate::testing::{Fixture, application, fixtures, unit};

fn now(fixture: &Fixture) -> i64 {
    fixture.clock.shared().now().as_microsecond()
}

/// One of each kind, a minute apart.
async fn something_happens(fixture: &Fixture) -> ModelUuid {
    let store = &fixture.store;
    let model = fixture.site(1).await;
    let minute = || fixture.clock.advance(Duration::from_secs(60));
    minute();
    let record = AuditRecord {
        time: now(fixture),
        who: "user-admin".to_owned(),
        model: Some(model.clone()),
        what: "PATCH".to_owned(),
        result: "200".to_owned(),
        verb: "changed".to_owned(),
        object: "title of site".to_owned(),
        about: vec!["site".to_owned()],
        ..AuditRecord::default()
    };
    store.write_audit(vec![record]).await.expect("recorded");
    minute();
    let change = ConfigChange {
        set: [("title".to_owned(), Value::Text("Hi".to_owned()))].into(),
        reset: Vec::new(),
    };
    let site = application("site");
    let changed = store.set_application_config(&model, &site, change);
    changed.await.expect("changed");
    minute();
    let said = Status::new(Workload::Active, "ready");
    store
        .set_unit_status(&model, &unit("site/0"), said)
        .await
        .expect("set");
    minute();
    let line = LogRecord {
        time: now(fixture) + 1,
        entity: "unit-site-0".parse().expect("a tag"),
        level: "INFO".to_owned(),
        module: "unit.site/0.charm".to_owned(),
        message: "it runs".to_owned(),
    };
    let commit = HookCommit {
        from: store.sequence(&model, &unit("site/0")).await,
        run: Some(HookReport {
            hook: "config-changed".to_owned(),
            about: "relation 3, back/0".to_owned(),
            started_at: now(fixture),
            duration: 10,
            effects: vec!["opened 80/tcp".to_owned()],
            ..HookReport::default()
        }),
        records: vec![line],
        ..HookCommit::default()
    };
    let first = unit("site/0");
    let committed = store.commit_hook_run(&model, &first, commit);
    committed.await.expect("committed");
    model
}

fn query(adjust: impl FnOnce(&mut TimelineQuery)) -> TimelineQuery {
    let mut query = TimelineQuery::default();
    adjust(&mut query);
    query
}

async fn lines(fixture: &Fixture, model: &ModelUuid, query: TimelineQuery) -> Vec<String> {
    let page = fixture.store.timeline(model, &query, true).await;
    let entries = page.expect("timeline").items;
    let line = entries.into_iter().map(|entry| {
        let becomes = entry.becomes.unwrap_or_default();
        let words = [
            entry.who.as_str(),
            &entry.verb,
            &entry.object,
            &becomes,
            &entry.message,
        ];
        let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
        words.join(" ")
    });
    line.collect()
}

#[tokio::test]
async fn everything_that_changed_is_one_list_newest_first() {
    for fixture in fixtures().await {
        let model = something_happens(&fixture).await;
        let told = lines(&fixture, &model, TimelineQuery::default()).await;
        assert_eq!(
            told[..4],
            [
                "ran config-changed of site/0 opened 80/tcp",
                "became site/0 active ready",
                "changed title of site Hi",
                "admin changed title of site",
            ]
        );
        let kinds = query(|query| query.kinds = Some("hook, config".to_owned()));
        assert_eq!(lines(&fixture, &model, kinds).await.len(), 2);
        let of_site = query(|query| query.application = Some("site".to_owned()));
        assert_eq!(lines(&fixture, &model, of_site).await[..4], told[..4]);
        let of_other = query(|query| query.application = Some("other".to_owned()));
        assert_eq!(lines(&fixture, &model, of_other).await, [""; 0]);
        let store = &fixture.store;
        let page = store
            .timeline(&model, &TimelineQuery::default(), false)
            .await;
        let entries = page.expect("timeline").items;
        let audited = |kind| kind == TimelineKind::Audit;
        assert!(!entries.iter().any(|entry| audited(entry.kind)));
        fixture.end().await;
    }
}

#[tokio::test]
async fn a_timeline_is_cut_by_time_and_read_page_by_page() {
    for fixture in fixtures().await {
        let model = something_happens(&fixture).await;
        let store = &fixture.store;
        let all = TimelineQuery::default();
        let whole = store.timeline(&model, &all, true).await.expect("timeline");
        let ids: Vec<String> = whole.items.iter().map(|entry| entry.id.clone()).collect();
        let mut paged = query(|query| query.limit = Some(1));
        let mut found = Vec::new();
        loop {
            let page = store.timeline(&model, &paged, true).await.expect("page");
            found.extend(page.items.into_iter().map(|entry| entry.id));
            paged.after = page.next;
            if paged.after.is_none() {
                break;
            }
        }
        assert_eq!(found, ids);
        let (from, to) = (whole.items[2].time.clone(), whole.items[1].time.clone());
        let within = query(|query| {
            query.from = Some(from);
            query.to = Some(to);
        });
        assert_eq!(lines(&fixture, &model, within).await.len(), 2);
        for odd in [
            query(|query| query.from = Some("yesterday".to_owned())),
            query(|query| query.kinds = Some("hooks".to_owned())),
            query(|query| query.after = Some("x".to_owned())),
        ] {
            let refused = store.timeline(&model, &odd, true).await;
            assert!(refused.is_err(), "{odd:?}");
        }
        fixture.end().await;
    }
}

#[tokio::test]
async fn a_run_is_told_with_its_lines_and_what_was_changed_before() {
    for fixture in fixtures().await {
        let model = something_happens(&fixture).await;
        let store = &fixture.store;
        let runs = store.hook_runs(&model, &Default::default()).await;
        let id = runs.expect("runs").items[0].id;
        let details = store.hook_details(&model, id).await.expect("details");
        assert_eq!(details.run.about, "relation 3, back/0");
        assert_eq!(details.effects[0].subject, "80/tcp");
        let typical = details.typical.expect("it went well");
        assert_eq!((typical.runs, typical.p50), (1, 10));
        assert_eq!(details.last_good, None);
        assert_eq!(details.changed_since.len(), 1);
        assert_eq!(details.changed_since[0].object, "title of site");
        let messages: Vec<&str> = details
            .lines
            .iter()
            .map(|line| line.message.as_str())
            .collect();
        assert_eq!((messages, details.more_lines), (vec!["it runs"], false));
        let missing = store.hook_details(&model, id + 1_000).await;
        assert!(missing.is_err());
        fixture.end().await;
    }
}
