//! A PostgreSQL server that restarts, stops answering, or is lost in the middle of a commit.

use std::time::{Duration, Instant};

use crate::DatabaseError;
use crate::db::{self, Probe};
use crate::testing::proxy::{Network, Proxy};
use crate::testing::{Fixture, fixtures};
use crate::{Store, StoreError};

/// The fixtures with a server behind them.
async fn servers() -> Vec<Fixture> {
    let mut found = Vec::new();
    for fixture in fixtures().await {
        if fixture.is_postgres() {
            found.push(fixture);
        } else {
            fixture.end().await;
        }
    }
    found
}

async fn behind(fixture: &Fixture) -> (Proxy, Store) {
    let mut options = fixture.options();
    let proxy = Proxy::before(&options.database).await;
    options.database = proxy.database(&options.database);
    let store = Store::open(options).await.expect("store");
    (proxy, store)
}

/// A connection that writes beside the store, as another process has one.
async fn other_writer(fixture: &Fixture) -> db::Session {
    let probe = Probe::new(fixture.clock.shared(), None);
    db::writer(&fixture.options().database, &probe)
        .await
        .expect("connection")
}

const PID: &str = "SELECT CAST(pg_backend_pid() AS BIGINT)";

#[tokio::test]
async fn a_writer_that_falls_silent_in_its_transaction_holds_others_up_for_seconds_only() {
    for fixture in servers().await {
        let mut silent = other_writer(&fixture).await;
        silent
            .raw("BEGIN; SELECT pg_advisory_xact_lock(8099005301827597314)")
            .await
            .expect("locked");
        let began = Instant::now();
        fixture
            .store
            .set_controller_value("written", "all the same")
            .await
            .expect("written");
        let took = began.elapsed();
        assert!(took < Duration::from_secs(15), "{took:?}");
        assert!(took > Duration::from_secs(1), "it was locked: {took:?}");
        // The silent one is told when it speaks again.
        let late = silent.raw("COMMIT").await;
        assert!(
            matches!(late, Err(DatabaseError::Unavailable { .. })),
            "{late:?}"
        );
        fixture.end().await;
    }
}

#[tokio::test]
async fn every_session_has_its_deadlines() {
    for fixture in servers().await {
        let mut writer = other_writer(&fixture).await;
        let mut reader = fixture.store.glance().await.expect("reader");
        for setting in [
            "SHOW idle_in_transaction_session_timeout",
            "SHOW statement_timeout",
            "SHOW lock_timeout",
            "SHOW tcp_user_timeout",
            "SHOW tcp_keepalives_idle",
        ] {
            for session in [&mut writer, &mut reader] {
                let shown = session.scalar(setting, vec![]).await.expect("shown");
                let value: String = shown.expect("a row");
                // On a socket of this machine there is no TCP to set.
                let set = !value.starts_with('0') || setting.contains("tcp_");
                assert!(set, "{setting}: {value}");
            }
        }
        fixture.end().await;
    }
}

#[tokio::test]
async fn connections_that_the_server_ended_while_idle_cost_nobody_an_error() {
    for fixture in servers().await {
        let store = &fixture.store;
        for _ in 0..5 {
            let writer = store
                .write(|tx| {
                    Box::pin(async move {
                        let pid: Option<i64> = tx.db.scalar(PID, vec![]).await?;
                        Ok(pid.expect("row"))
                    })
                })
                .await
                .expect("number");
            let mut reader = store.glance().await.expect("reader");
            let read: Option<i64> = reader.scalar(PID, vec![]).await.expect("read");
            let read = read.expect("row");
            let mut other = other_writer(&fixture).await;
            for pid in [writer, read] {
                other
                    .fetch(
                        "SELECT CAST(pg_terminate_backend(CAST($1 AS INTEGER)) AS TEXT)",
                        db::params![pid],
                    )
                    .await
                    .expect("ended");
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
            // The one at hand, and one that is lent.
            reader.fetch(PID, vec![]).await.expect("asked again");
            drop(reader);
            store.models().await.expect("read");
            store
                .set_controller_value("key", "value")
                .await
                .expect("written");
        }
        fixture.end().await;
    }
}

#[tokio::test]
async fn a_commit_whose_answer_was_lost_is_told_as_it_ended() {
    for fixture in servers().await {
        let (proxy, store) = behind(&fixture).await;
        proxy.set(Network::EndsAfter(b"COMMIT"));
        store
            .set_controller_value("arrived", "yes")
            .await
            .expect("the commit stands, and so it is told");
        let value = fixture.store.controller_value("arrived").await;
        assert_eq!(value.expect("read").as_deref(), Some("yes"));

        proxy.set(Network::EndsBefore(b"COMMIT"));
        let refused = store.set_controller_value("lost", "yes").await;
        assert!(
            matches!(
                refused,
                Err(StoreError::Database(DatabaseError::Unavailable { .. }))
            ),
            "{refused:?}"
        );
        let value = fixture.store.controller_value("lost").await;
        assert_eq!(value.expect("read"), None);

        // Lost before anything was asked: it is asked again, and nobody hears of it.
        store
            .set_controller_value("between", "yes")
            .await
            .expect("written");
        proxy.set(Network::EndsBefore(b"BEGIN; SELECT pg_advisory_xact_lock"));
        store
            .set_controller_value("again", "yes")
            .await
            .expect("begun again");
        store.close().await;
        fixture.end().await;
    }
}

#[tokio::test]
async fn a_server_that_says_nothing_is_given_up_after_a_while_and_found_again() {
    for fixture in servers().await {
        let (proxy, store) = behind(&fixture).await;
        store.models().await.expect("read");
        proxy.set(Network::Hole);
        let began = Instant::now();
        let (written, read) = futures::join!(
            store.set_controller_value("hole", "yes"),
            store.controller_value("hole")
        );
        for refused in [written, read.map(|_| ())] {
            assert!(
                matches!(
                    refused,
                    Err(StoreError::Database(DatabaseError::Unavailable { .. }))
                ),
                "{refused:?}"
            );
        }
        let took = began.elapsed();
        assert!(took < Duration::from_secs(60), "{took:?}");
        // Meanwhile the other process writes.
        let others = fixture.store.set_controller_value("other", "yes").await;
        others.expect("written");
        proxy.set(Network::Good);
        store
            .set_controller_value("hole", "over")
            .await
            .expect("written");
        let value = store.controller_value("hole").await.expect("read");
        assert_eq!(value.as_deref(), Some("over"));
        store.close().await;
        fixture.end().await;
    }
}

#[tokio::test]
async fn a_store_lets_go_of_a_server_that_says_nothing() {
    for fixture in servers().await {
        let (proxy, store) = behind(&fixture).await;
        proxy.set(Network::Hole);
        let waiting = store.clone();
        let write = tokio::spawn(async move { waiting.set_controller_value("a", "b").await });
        tokio::time::sleep(Duration::from_millis(200)).await;
        let began = Instant::now();
        store.close().await;
        let took = began.elapsed();
        assert!(took < Duration::from_secs(30), "{took:?}");
        assert!(write.await.expect("joined").is_err());
        fixture.end().await;
    }
}
