use std::collections::BTreeSet;

use super::*;

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
fn every_route_under_v1_is_described_and_no_other() {
    let routes: BTreeSet<(String, String)> = crate::rest::routes()
        .filter(|route| route.path.starts_with("/v1/"))
        .map(|route| (route.method.to_owned(), route.path.to_owned()))
        .collect();
    assert_eq!(routes, operations());
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
