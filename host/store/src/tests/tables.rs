use std::collections::BTreeSet;

use crate::backup;
use crate::tables::{ALL, Table, With};
use crate::testing::fixtures;

/// Rows about a model that do not go with it: the audit log outlives it, the change log tells of
/// its end, and what back ends keep of its secrets is removed after it.
const STAY: [&str; 3] = ["audit", "change_log", "secret_leftover"];

/// Rows about a unit that go with something else: what it told a relation with that.
const LATER: [&str; 1] = ["relation_unit"];

#[tokio::test]
async fn what_a_model_has_goes_with_it_and_what_a_unit_has_with_that() {
    for fixture in fixtures().await {
        let mut db = fixture.store.snapshot().await.expect("session");
        let schema = backup::tables(&mut db).await.expect("tables");
        drop(db);
        let listed: Vec<&Table> = ALL.iter().copied().flatten().collect();
        let names: BTreeSet<&str> = listed.iter().map(|table| table.name).collect();
        assert_eq!(names.len(), listed.len(), "one is listed twice");
        let missing: Vec<&str> = schema
            .iter()
            .filter(|table| has(table, "model_uuid") || table.name == "model")
            .map(|table| table.name.as_str())
            .filter(|name| !names.contains(name) && !STAY.contains(name))
            .collect();
        assert!(missing.is_empty(), "these outlive their model: {missing:?}");
        for table in listed {
            let found = schema.iter().find(|known| known.name == table.name);
            let found = found.unwrap_or_else(|| panic!("there is no table {}", table.name));
            let goes = table.goes.iter().any(|goes| goes.with == With::Unit);
            let of_unit = has(found, "unit") && !LATER.contains(&table.name);
            assert!(goes || !of_unit, "{} outlives its unit", table.name);
        }
        fixture.end().await;
    }
}

fn has(table: &backup::Table, column: &str) -> bool {
    table.columns.iter().any(|(name, _)| name == column)
}
