use std::collections::BTreeSet;

use super::*;

#[test]
fn every_row_of_the_access_table_has_a_handler_and_the_other_way_round() {
    let handlers: Vec<(String, &str)> = rows()
        .iter()
        .map(|(method, path, _)| (method.to_string(), *path))
        .collect();
    let distinct: BTreeSet<_> = handlers.iter().cloned().collect();
    assert_eq!(handlers.len(), distinct.len());
    let table: BTreeSet<_> = table::ROUTES
        .iter()
        .map(|route| (route.method.to_owned(), route.path))
        .collect();
    assert_eq!(distinct, table);
}
