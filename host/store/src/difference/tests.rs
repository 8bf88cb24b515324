//! What settings and charms were before, on both databases.

use std::collections::BTreeMap;
use std::time::Duration;

use periapt_model::config::Value;
use periapt_wire::rest::{ConfigChange, TimelineEntry, TimelineQuery};

use crate::Setter;
use crate::testing::{Fixture, application, fixtures};

fn set(name: &str, value: &str) -> ConfigChange {
    ConfigChange {
        set: BTreeMap::from([(name.to_owned(), Value::Text(value.to_owned()))]),
        reset: Vec::new(),
    }
}

async fn told(fixture: &Fixture, model: &periapt_model::ModelUuid) -> Vec<TimelineEntry> {
    let query = TimelineQuery {
        kinds: Some("config,revision".to_owned()),
        ..TimelineQuery::default()
    };
    let page = fixture.store.timeline(model, &query, false).await;
    page.expect("timeline").items
}

#[tokio::test]
async fn a_setting_is_told_with_what_it_was_and_what_changed_nothing_is_not() {
    for fixture in fixtures().await {
        let (store, site) = (&fixture.store, application("site"));
        let model = fixture.site(1).await;
        for title in ["first", "second", "second"] {
            let change = set("title", title);
            let changed = store.set_application_config(&model, &site, change).await;
            changed.expect("changed");
        }
        let entries = told(&fixture, &model).await;
        let lines: Vec<(&str, Option<&str>, Option<&str>)> = entries
            .iter()
            .map(|one| {
                (
                    one.object.as_str(),
                    one.was.as_deref(),
                    one.becomes.as_deref(),
                )
            })
            .collect();
        assert_eq!(
            lines,
            [
                ("title of site", Some("first"), Some("second")),
                ("title of site", None, Some("first")),
            ]
        );
        assert_eq!(entries[0].about, ["site"]);
        fixture.end().await;
    }
}

#[tokio::test]
async fn the_value_of_a_secret_option_is_in_no_row() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = fixture.site(1).await;
        let change = set("syslog-client-key", "PRIVATE");
        let changed = store
            .set_model_config(&model, change, Setter::Superuser)
            .await;
        changed.expect("changed");
        let entries = told(&fixture, &model).await;
        assert_eq!(entries.len(), 1);
        assert_eq!(entries[0].object, "syslog-client-key of the model");
        assert_eq!(entries[0].becomes.as_deref(), Some("(hidden)"));
        let mut db = fixture.store.snapshot().await.expect("session");
        let sql = "SELECT COUNT(*) FROM difference WHERE becomes LIKE '%PRIVATE%'";
        assert_eq!(db.count(sql, vec![]).await.expect("count"), 0);
        drop(db);
        fixture.end().await;
    }
}

#[tokio::test]
async fn what_is_too_old_goes_with_the_history() {
    for fixture in fixtures().await {
        let (store, site) = (&fixture.store, application("site"));
        let model = fixture.site(1).await;
        let change = |title: &str| store.set_application_config(&model, &site, set("title", title));
        change("old").await.expect("changed");
        fixture.clock.advance(Duration::from_secs(3600));
        change("new").await.expect("changed");
        store
            .prune_status_history(&model, 60_000, 0)
            .await
            .expect("pruned");
        let entries = told(&fixture, &model).await;
        assert_eq!(entries.len(), 1);
        assert_eq!(entries[0].becomes.as_deref(), Some("new"));
        fixture.end().await;
    }
}
