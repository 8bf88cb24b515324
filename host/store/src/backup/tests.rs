use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use periapt_model::hook::Effects;
use periapt_model::uniter::OperationState;

use super::*;
use crate::DatabaseError;
use crate::testing::{Fixture, empty_databases, fixtures, unit};
use crate::{Store, StoreError, StoreOptions};

pub(crate) type Dump = Vec<(Table, Vec<Vec<Cell>>)>;

pub(crate) async fn dump(store: &Store) -> (i64, Dump) {
    let mut moment = store.moment().await.expect("moment");
    let mut dump = Vec::new();
    for table in moment.tables().await.expect("tables") {
        let mut rows = Vec::new();
        let take = |row| {
            rows.push(row);
            Ok::<(), StoreError>(())
        };
        let count = moment.rows(&table, take).await.expect("rows");
        assert_eq!(count, rows.len() as u64);
        rows.sort_by_key(|row| format!("{row:?}"));
        dump.push((table, rows));
    }
    (moment.schema(), dump)
}

/// Restores; how many messages of alerts were given up.
pub(crate) async fn write(
    options: &StoreOptions,
    schema: i64,
    dump: &Dump,
) -> Result<u64, StoreError> {
    let mut restoring = Restoring::begin(options, schema).await?;
    for (table, rows) in dump {
        restoring.table(table.clone()).await?;
        for row in rows {
            restoring.row(row.clone()).await?;
        }
    }
    restoring.finish(0).await
}

/// A model with everything that has a type of its own: nulls, large bytes, many rows.
async fn filled(fixture: &Fixture) {
    let model = fixture.site(3).await;
    fixture.provision(&model).await;
    let blob = bytes::Bytes::from(vec![7_u8; 3 << 20]);
    fixture.store.put_blob(blob).await.expect("blob");
    for generation in 1..=200 {
        let effects = Effects {
            state: [(format!("k{generation}"), Some("ä\0b".replace('\0', " ")))].into(),
            ..Default::default()
        };
        let operation = OperationState {
            state_generation: generation,
            ..Default::default()
        };
        let unit = unit("site/0");
        let committed = fixture
            .store
            .commit_effects(&model, &unit, effects, &operation);
        committed.await.expect("committed");
    }
}

#[tokio::test]
async fn what_was_read_from_either_database_is_the_same_in_the_other() {
    for fixture in fixtures().await {
        filled(&fixture).await;
        let (schema, before) = dump(&fixture.store).await;
        assert!(
            before
                .iter()
                .all(|(table, _)| !LEFT_OUT.contains(&table.name.as_str()))
        );
        assert!(before.iter().any(|(_, rows)| rows.len() >= 200));
        for empty in empty_databases().await {
            let options = StoreOptions::new(empty.database.clone(), fixture.clock.shared());
            write(&options, schema, &before).await.expect("restored");
            let restored = Store::open(options.clone()).await.expect("opened");
            let (_, after) = dump(&restored).await;
            let plain = |dump: &Dump| -> Vec<(String, Vec<String>)> {
                dump.iter()
                    .map(|(table, rows)| {
                        let rows = rows.iter().map(|row| format!("{row:?}")).collect();
                        (table.name.clone(), rows)
                    })
                    .collect()
            };
            assert_eq!(plain(&before), plain(&after));
            // It is a store like any other: ids go on where they stood.
            let models = restored.models().await.expect("models");
            assert_eq!(models.len(), 1);
            restored
                .set_controller_value("a", "b")
                .await
                .expect("written");
            restored.close().await;
            empty.end().await;
        }
        fixture.end().await;
    }
}

#[tokio::test]
async fn a_moment_is_one_moment_and_ends_although_everything_is_written_to() {
    for fixture in fixtures().await {
        let model = fixture.site(1).await;
        let stop = Arc::new(AtomicBool::new(false));
        let writer = {
            let (store, model, stop) = (fixture.store.clone(), model.clone(), Arc::clone(&stop));
            tokio::spawn(async move {
                let mut generation = 0;
                while !stop.load(Ordering::Relaxed) {
                    generation += 1;
                    let effects = Effects {
                        state: [("n".to_owned(), Some(generation.to_string()))].into(),
                        ..Default::default()
                    };
                    let operation = OperationState {
                        state_generation: generation,
                        ..Default::default()
                    };
                    let unit = unit("site/0");
                    let committed = store.commit_effects(&model, &unit, effects, &operation);
                    committed.await.expect("committed");
                }
            })
        };
        while fixture.store.report()["commits"].as_u64() < Some(40) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        for _ in 0..5 {
            let mut moment = fixture.store.moment().await.expect("moment");
            let generations = moment.generations().await.expect("generations");
            tokio::time::sleep(Duration::from_millis(50)).await;
            // Much later, and in another table, it is still the same moment.
            let tables = moment.tables().await.expect("tables");
            let table = tables.iter().find(|table| table.name == "charm_state");
            let mut found = Vec::new();
            let take = |row: Vec<Cell>| {
                found.extend(row);
                Ok::<(), StoreError>(())
            };
            moment
                .rows(table.expect("table"), take)
                .await
                .expect("rows");
            let expected = Cell::Text(generations[0].2.to_string());
            assert!(found.contains(&expected), "{generations:?} {found:?}");
        }
        stop.store(true, Ordering::Relaxed);
        writer.await.expect("joined");
        fixture.end().await;
    }
}

#[tokio::test]
async fn a_database_that_holds_something_is_not_written_over() {
    for fixture in fixtures().await {
        fixture.site(1).await;
        let (schema, before) = dump(&fixture.store).await;
        let refused = write(&fixture.options(), schema, &before).await;
        assert!(
            matches!(refused, Err(StoreError::AlreadyExists { .. })),
            "{refused:?}"
        );
        let (_, after) = dump(&fixture.store).await;
        assert_eq!(before, after);
        fixture.end().await;
    }
}

#[tokio::test]
async fn what_does_not_fit_is_refused_and_nothing_is_left() {
    for empty in empty_databases().await {
        let clock = periapt_engine::FakeClock::new();
        let options = StoreOptions::new(empty.database.clone(), clock.shared());
        let table = |name: &str, columns: &[(&str, ColumnKind)]| Table {
            name: name.to_owned(),
            columns: columns
                .iter()
                .map(|(name, kind)| ((*name).to_owned(), *kind))
                .collect(),
        };
        let text = Cell::Text("x".to_owned());
        let values = table(
            "controller_value",
            &[("key", ColumnKind::Text), ("value", ColumnKind::Text)],
        );
        let cases: Vec<Dump> = vec![
            vec![(table("nothing", &[]), vec![])],
            vec![(table("model", &[("nothing", ColumnKind::Text)]), vec![])],
            vec![(table("schema_version", &[]), vec![])],
            vec![(table("controller_value; DROP TABLE model", &[]), vec![])],
            vec![(values.clone(), vec![vec![text.clone()]])],
            vec![(values.clone(), vec![vec![text.clone(), Cell::Integer(1)]])],
        ];
        for case in cases {
            let refused = write(&options, 4, &case).await;
            assert!(
                matches!(
                    refused,
                    Err(StoreError::Database(DatabaseError::Corrupt { .. }))
                ),
                "{case:?} {refused:?}"
            );
        }
        let newer = write(&options, 9_999, &Vec::new()).await;
        assert!(
            matches!(
                newer,
                Err(StoreError::Database(DatabaseError::SchemaTooNew { .. }))
            ),
            "{newer:?}"
        );
        // An older one is brought up to date.
        write(&options, 4, &vec![(values, vec![vec![text.clone(), text]])])
            .await
            .expect("restored");
        let store = Store::open(StoreOptions {
            existing: true,
            ..options
        })
        .await
        .expect("store");
        let value = store.controller_value("x").await.expect("read");
        assert_eq!(value.as_deref(), Some("x"));
        store.close().await;
        empty.end().await;
    }
}
