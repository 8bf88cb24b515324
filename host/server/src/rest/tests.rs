use std::collections::BTreeSet;

use super::*;

#[test]
fn every_route_is_listed_once_and_says_where_it_is() {
    let all: Vec<_> = routes().map(|route| (route.method, route.path)).collect();
    let distinct: BTreeSet<_> = all.iter().collect();
    assert_eq!(distinct.len(), all.len());
    for (method, path) in all {
        assert!(
            ["GET", "POST", "PUT", "PATCH", "DELETE"].contains(&method),
            "{method} {path}"
        );
        assert!(path.starts_with('/'), "{method} {path}");
    }
}

#[test]
fn what_shows_or_changes_a_definition_says_so() {
    let conditional = routes().filter(|route| route.about.is_some());
    assert_eq!(conditional.count(), 18);
}
