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
            let succeeds = ["200", "201", "202"].map(|status| &operation["responses"][status]);
            let ways = succeeds.iter().filter(|way| way.is_object()).count();
            assert!(ways > 0, "{method} {path} never succeeds");
            let id = operation["operationId"].as_str().unwrap();
            let camel = id.starts_with(|c: char| c.is_ascii_lowercase())
                && id.chars().all(|c| c.is_ascii_alphanumeric());
            assert!(camel, "{id} of {method} {path} is no name of a method");
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

#[test]
fn files_are_bytes_and_no_lists_of_numbers() {
    let text = serde_json::to_string(&DOCUMENT["paths"]).unwrap();
    assert!(text.contains(r#""format":"binary""#));
    let lists = DOCUMENT["paths"]
        .as_object()
        .unwrap()
        .iter()
        .filter(|(_, item)| {
            let text = item.to_string();
            text.contains(r#""items":{"format":"int32""#)
        });
    let lists: Vec<&String> = lists.map(|(path, _)| path).collect();
    assert!(lists.is_empty(), "{lists:?}");
}

#[test]
fn times_are_dates_and_never_numbers() {
    const TIMES: &[&str] = &["since", "until", "time", "timestamp", "expires", "at"];
    let mut times = 0;
    for (schema, described) in DOCUMENT["components"]["schemas"].as_object().unwrap() {
        let members = described["properties"].as_object();
        for (name, member) in members.into_iter().flatten() {
            if !(TIMES.contains(&name.as_str()) || name.ends_with("-at")) {
                continue;
            }
            assert_eq!(member["format"], "date-time", "{name} of {schema}");
            times += 1;
        }
    }
    assert!(times > 30, "only {times} times");
}

#[test]
fn every_name_in_a_path_and_every_answer_is_described() {
    for (path, item) in DOCUMENT["paths"].as_object().unwrap() {
        let names = path
            .split('/')
            .filter_map(|segment| segment.strip_prefix('{')?.strip_suffix('}'));
        let names: BTreeSet<&str> = names.collect();
        for (method, operation) in item.as_object().unwrap() {
            let parameters = operation["parameters"].as_array().into_iter().flatten();
            let described: BTreeSet<&str> = parameters
                .filter(|parameter| parameter["in"] == "path")
                .filter_map(|parameter| parameter["name"].as_str())
                .collect();
            assert_eq!(described, names, "{method} {path}");
            for (status, answer) in operation["responses"].as_object().unwrap() {
                let told = answer["description"].is_string() || answer["$ref"].is_string();
                assert!(told, "{method} {path} {status}");
            }
        }
    }
}
