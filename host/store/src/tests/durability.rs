use periapt_model::hook::Effects;
use periapt_model::uniter::OperationState;

use crate::DatabaseError;
use crate::testing::{collector, fixtures, fixtures_with, unit};
use crate::{Database, Store, StoreError};

#[tokio::test]
async fn what_was_acknowledged_is_there_after_an_end_without_farewell() {
    for mut fixture in fixtures().await {
        let model = fixture.site(1).await;
        for generation in 1..=20 {
            let operation = OperationState {
                state_generation: generation,
                ..Default::default()
            };
            let effects = Effects {
                state: [("n".to_owned(), Some(generation.to_string()))].into(),
                ..Default::default()
            };
            fixture
                .store
                .commit_effects(&model, &unit("site/0"), effects, &operation)
                .await
                .expect("committed");
        }
        fixture.reopen().await;
        let state = fixture
            .store
            .get_state(&model, &unit("site/0"))
            .await
            .expect("state");
        assert_eq!(state.operation.expect("stored").state_generation, 20);
        assert_eq!(state.charm_state["n"], "20");
        fixture.end().await;
    }
}

#[tokio::test]
async fn writers_at_once_share_commits_and_a_failing_one_spoils_nobody() {
    for fixture in fixtures().await {
        let model = fixture.site(200).await;
        let before = fixture.store.report()["commits"].as_u64().expect("number");
        let jobs = (0..200_u64).map(|n| {
            let (store, model) = (fixture.store.clone(), model.clone());
            tokio::spawn(async move {
                // Every tenth names a unit that is not there.
                let name = if n % 10 == 0 {
                    unit("site/999")
                } else {
                    unit(&format!("site/{n}"))
                };
                let effects = Effects {
                    state: [(format!("k{n}"), Some("v".to_owned()))].into(),
                    ..Default::default()
                };
                store
                    .commit_effects(&model, &name, effects, &OperationState::default())
                    .await
            })
        });
        let mut refused = 0;
        for job in jobs.collect::<Vec<_>>() {
            match job.await.expect("joined") {
                Ok(()) => {}
                Err(StoreError::NotFound { .. }) => refused += 1,
                Err(other) => panic!("{other}"),
            }
        }
        assert_eq!(refused, 20);
        let commits = fixture.store.report()["commits"].as_u64().expect("number") - before;
        assert!(commits < 100, "{commits} commits for 200 jobs");
        let mut written = 0;
        for n in 0..200 {
            let name = unit(&format!("site/{n}"));
            let state = fixture.store.get_state(&model, &name).await;
            written += state.expect("state").charm_state.len();
        }
        assert_eq!(written, 180);
        fixture.end().await;
    }
}

#[tokio::test]
async fn a_full_disk_refuses_writes_wholly_and_passes() {
    for fixture in fixtures().await {
        if !matches!(fixture.options().database, Database::Sqlite { .. }) {
            fixture.end().await;
            continue;
        }
        let store = &fixture.store;
        let model = fixture.site(1).await;
        let pages = store
            .write(|tx| {
                Box::pin(async move {
                    let pages: Option<u64> = tx.db.scalar("PRAGMA page_count", vec![]).await?;
                    let pages = pages.unwrap_or_default();
                    assert!(pages > 10);
                    // No more pages than there are: the next growth finds the disk full.
                    tx.db.raw("PRAGMA max_page_count = 1").await?;
                    Ok(pages)
                })
            })
            .await
            .expect("limited");
        let effects = |size: usize| Effects {
            state: (0..20)
                .map(|n| (format!("k{n}"), Some("x".repeat(size))))
                .collect(),
            ..Default::default()
        };
        let refused = store
            .commit_effects(
                &model,
                &unit("site/0"),
                effects(60_000),
                &OperationState::default(),
            )
            .await
            .expect_err("full");
        assert_eq!(refused, DatabaseError::DiskFull.into());
        assert!(refused.to_string().contains("free some space"));
        let state = store
            .get_state(&model, &unit("site/0"))
            .await
            .expect("readable");
        assert!(state.charm_state.is_empty() && state.operation.is_none());

        store
            .write(|tx| {
                Box::pin(async move { Ok(tx.db.raw("PRAGMA max_page_count = 1000000").await?) })
            })
            .await
            .expect("space again");
        store
            .commit_effects(
                &model,
                &unit("site/0"),
                effects(60_000),
                &OperationState::default(),
            )
            .await
            .expect("works again");
        assert!(pages > 0);
        fixture.end().await;
    }
}

#[tokio::test]
async fn a_newer_schema_is_refused_with_both_versions() {
    for fixture in fixtures().await {
        fixture
            .store
            .write(|tx| {
                Box::pin(async move {
                    let sql = "INSERT INTO schema_version (version, applied_at) VALUES (99, 0)";
                    Ok(tx.db.execute(sql, vec![]).await?)
                })
            })
            .await
            .expect("pretended");
        let refused = Store::open(fixture.options()).await.err().expect("refused");
        assert!(
            matches!(refused, StoreError::Database(DatabaseError::SchemaTooNew { found: 99, supported }) if supported < 99),
            "{refused}"
        );
        fixture.end().await;
    }
}

#[tokio::test]
async fn a_panic_in_a_job_is_an_error_and_the_writer_lives() {
    for fixture in fixtures().await {
        let failed = fixture
            .store
            .write::<(), _>(|_| Box::pin(async { panic!("on purpose") }))
            .await;
        assert_eq!(
            failed.expect_err("failed").refusal().call_code(),
            "internal error"
        );
        fixture.model("default").await;
        fixture.end().await;
    }
}

#[tokio::test]
async fn a_closed_store_says_so() {
    for fixture in fixtures().await {
        let store = fixture.store.clone();
        let mut watch = store
            .changes()
            .subscribe(crate::Interest::any_model().everything());
        fixture.end().await;
        assert_eq!(
            store.set_controller_value("a", "b").await,
            Err(DatabaseError::Stopped.into())
        );
        assert_eq!(
            store.models().await.err(),
            Some(DatabaseError::Stopped.into())
        );
        assert_eq!(watch.next().await, Err(DatabaseError::Stopped));
    }
}

#[tokio::test]
async fn slow_statements_are_reported_with_their_text() {
    let (slow, lines) = collector();
    for fixture in fixtures_with(|options| options.slow_query = Some(slow.clone())).await {
        fixture.store.ping().await.expect("alive");
        assert!(
            lines
                .lock()
                .expect("lock")
                .iter()
                .any(|line| line == "SELECT 1")
        );
        fixture.store.set_slow_query(None);
        lines.lock().expect("lock").clear();
        fixture.store.ping().await.expect("alive");
        assert!(lines.lock().expect("lock").is_empty());
        fixture.end().await;
    }
}

#[tokio::test]
async fn uploads_that_never_ended_leave_nothing() {
    for mut fixture in fixtures().await {
        fixture
            .store
            .write(|tx| {
                Box::pin(async move {
                    let sql =
                        "INSERT INTO blob_chunk (digest, position, data) VALUES ('half', 0, $1)";
                    Ok(tx.db.execute(sql, crate::db::params![vec![1_u8]]).await?)
                })
            })
            .await
            .expect("begun");
        assert_eq!(fixture.store.get_blob("half").await.expect("read"), None);
        if matches!(fixture.options().database, Database::Sqlite { .. }) {
            fixture.reopen().await;
            let mut db = fixture.store.glance().await.expect("session");
            assert_eq!(
                db.count("SELECT COUNT(*) FROM blob_chunk", vec![])
                    .await
                    .expect("count"),
                0
            );
        }
        fixture.end().await;
    }
}
