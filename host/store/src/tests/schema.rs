use crate::Store;
use crate::migrations::MIGRATIONS;
use crate::testing::fixtures;

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
            let rows = db.fetch(sql, vec![]).await.expect("versions");
            // A migration that ran twice would have failed on its own tables.
            let versions: Vec<i64> = rows.iter().map(|row| row.int(0).expect("number")).collect();
            let all: Vec<i64> = (1..).take(MIGRATIONS.len()).collect();
            assert_eq!(versions, all);
        }
        one.close().await;
        other.close().await;
        fixture.end().await;
    }
}
