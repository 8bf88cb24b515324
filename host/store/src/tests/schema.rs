use periapt_engine::FakeClock;

use crate::db::{self, Probe};
use crate::migrations::MIGRATIONS;
use crate::testing::{empty_databases, fixtures};
use crate::{Store, StoreOptions};

/// upgradedatabase: "when two nodes start with a new binary, then exactly one logs the migrations,
/// both unlock, and version rows equal the binary's schema version".
#[tokio::test]
async fn of_two_programs_that_start_at_once_one_migrates() {
    for fixture in fixtures().await {
        if !fixture.is_postgres() {
            // A file serves one program: there is no other to wait for.
            fixture.end().await;
            continue;
        }
        fixture.store.close().await;
        fixture.make_empty().await;
        let open = || Store::open(fixture.options());
        let (one, other) = tokio::join!(open(), open());
        let (one, other) = (one.expect("opened"), other.expect("opened"));
        for store in [&one, &other] {
            let mut db = store.snapshot().await.expect("session");
            let sql = "SELECT version FROM schema_version ORDER BY version";
            // A migration that ran twice would have failed on its own tables.
            let versions: Vec<i64> = db.scalars(sql, vec![]).await.expect("versions");
            let all: Vec<i64> = (1..).take(MIGRATIONS.len()).collect();
            assert_eq!(versions, all);
        }
        one.close().await;
        other.close().await;
        fixture.end().await;
    }
}

#[tokio::test]
async fn what_was_written_before_rows_were_kept_by_number_is_kept() {
    let before = MIGRATIONS
        .iter()
        .position(|migration| migration.contains("hook_run_before"))
        .expect("the migration");
    for empty in empty_databases().await {
        let clock = FakeClock::new();
        let probe = Probe::new(clock.shared(), None);
        let mut db = db::writer(&empty.database, &probe)
            .await
            .expect("connection");
        db::begin_schema(&mut db).await.expect("begun");
        let before = i64::try_from(before).ok();
        db::migrate_to(&mut db, MIGRATIONS, 0, before)
            .await
            .expect("the older schema");
        for sql in [
            "INSERT INTO change_log VALUES (9, 'm', 'unit', 'site/0', 1), (7, 'm', 'unit', 'a', 1)",
            "INSERT INTO log VALUES (7, 'm', 1, 'unit-site-0', 3, 'module', 'words')",
            "INSERT INTO status_history VALUES (7, 'm', 'workload', 'site/0', 'active', '', 1, 9)",
            "INSERT INTO hook_run VALUES (7, 'm', 'site/0', 'site', 'start', 'c', 1, 2, 'ok', '', '', '[]', 5)",
        ] {
            db.execute(sql, vec![]).await.expect("a row");
        }
        db.raw("COMMIT").await.expect("committed");
        drop(db);

        let options = StoreOptions::new(empty.database.clone(), clock.shared());
        let store = Store::open(options).await.expect("migrated");
        let mut db = store.snapshot().await.expect("session");
        for sql in [
            "SELECT MIN(id), MAX(time) FROM change_log",
            "SELECT id, time FROM log WHERE message = 'words' AND level = 3",
            "SELECT id, time FROM status_history WHERE entity = 'site/0' AND size = 9",
            "SELECT id, started_at FROM hook_run WHERE unit = 'site/0' AND waited = 5",
        ] {
            let rows = db.fetch(sql, vec![]).await.expect("rows");
            assert_eq!(rows.len(), 1, "{sql}");
            let mut cells = rows[0].cells();
            let found = (cells.int(), cells.int());
            assert_eq!(found, (Ok(7), Ok(1)), "{sql}");
        }
        drop(db);
        store.close().await;
        empty.end().await;
    }
}
