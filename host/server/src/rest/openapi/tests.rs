use std::collections::BTreeSet;

use super::*;
use crate::access::ROUTES;

fn operations() -> BTreeSet<(String, String)> {
    let mut all = BTreeSet::new();
    for (path, item) in DOCUMENT["paths"].as_object().unwrap() {
        for method in item.as_object().unwrap().keys() {
            all.insert((method.to_uppercase(), path.clone()));
        }
    }
    all
}

#[test]
fn every_route_under_v1_is_described_and_the_other_way_round() {
    let routes: BTreeSet<(String, String)> = ROUTES
        .iter()
        .filter(|route| route.path.starts_with("/v1/"))
        .map(|route| (route.method.to_owned(), route.path.to_owned()))
        .collect();
    let described = operations();
    let undescribed: Vec<_> = routes.difference(&described).collect();
    assert!(
        undescribed.is_empty(),
        "put #[utoipa::path] on the handlers of these and their names into `Described`: {undescribed:?}"
    );
    let unserved: Vec<_> = described.difference(&routes).collect();
    assert!(
        unserved.is_empty(),
        "described but not served: {unserved:?}"
    );
}

#[test]
fn every_reference_leads_somewhere() {
    fn references<'v>(value: &'v Value, found: &mut BTreeSet<&'v str>) {
        match value {
            Value::Object(members) => {
                found.extend(members.get("$ref").and_then(Value::as_str));
                members.values().for_each(|value| references(value, found));
            }
            Value::Array(items) => items.iter().for_each(|value| references(value, found)),
            _ => {}
        }
    }
    let mut found = BTreeSet::new();
    references(&DOCUMENT, &mut found);
    assert!(found.len() > 40, "{found:?}");
    for reference in found {
        let pointer = reference.strip_prefix('#').unwrap();
        assert!(DOCUMENT.pointer(pointer).is_some(), "{reference}");
    }
}

#[test]
fn every_operation_says_what_it_does_and_has_a_name_of_its_own() {
    let mut ids = BTreeSet::new();
    for (path, item) in DOCUMENT["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            assert!(
                operation["summary"]
                    .as_str()
                    .is_some_and(|text| text.ends_with('.')),
                "{method} {path} has no summary: write a sentence above its handler"
            );
            assert!(operation["responses"]["200"].is_object(), "{method} {path}");
            let id = operation["operationId"].as_str().unwrap();
            assert!(ids.insert(id), "{id} twice");
        }
    }
}

#[test]
fn the_page_shows_every_operation_and_loads_nothing() {
    let page = std::str::from_utf8(&PAGE.html).unwrap();
    for (method, path) in operations() {
        let shown = format!("<b>{method}</b> <code>{path}</code>");
        assert!(page.contains(&shown), "{method} {path}");
    }
    for loading in ["<script", "src=", "url(", "http://", "https://", "@import"] {
        assert!(!page.contains(loading), "{loading}");
    }
}
