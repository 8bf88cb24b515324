use std::collections::BTreeSet;

use periapt_wire::rest::paths;

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
    assert_eq!(conditional.count(), 28);
}

#[test]
fn every_path_has_a_route_and_every_route_a_path() {
    let routed: BTreeSet<&str> = routes().map(|route| route.path).collect();
    let named: BTreeSet<&str> = paths::ALL.iter().map(|(_, path)| *path).collect();
    assert_eq!(routed, named);
}

#[test]
fn who_misses_a_path_is_told_the_one_that_was_meant() {
    assert_eq!(meant("/v1/modles"), Some("/v1/models"));
    assert_eq!(
        meant("/v1/models/lab/units/site"),
        Some("/v1/models/{model}/units/{name}/{number}")
    );
    assert_eq!(
        meant("/v1/models/lab/aplications"),
        Some("/v1/models/{model}/applications")
    );
    assert_eq!(meant("/nothing/like/it"), None);
}

/// What posts do whose answer is the whole of it: nothing new has an address, and nothing goes on.
const DONE_AT_ONCE: &[&str] = &[
    "/v1/alert-receivers/{receiver}/test",
    "/v1/alert-rules/{rule}/silence",
    "/v1/alerts/{alert}/acknowledge",
    "/v1/controller/encryption-key/rotate",
    "/v1/login",
    "/v1/models/{model}/agent/start",
    "/v1/models/{model}/applications/{name}/expose",
    "/v1/models/{model}/applications/{name}/grants",
    "/v1/models/{model}/applications/{name}/grants/revoke",
    "/v1/models/{model}/applications/{name}/refresh",
    "/v1/models/{model}/applications/{name}/unexpose",
    // A dry run is; what is carried out is answered with 202.
    "/v1/models/{model}/bundles",
    "/v1/models/{model}/charm-revisions",
    "/v1/models/{model}/incidents/{id}/retry",
    "/v1/models/{model}/incidents/{id}/silence",
    "/v1/models/{model}/incidents/{id}/skip",
    "/v1/models/{model}/machines/{machine}/retry-provisioning",
    "/v1/models/{model}/resources",
    "/v1/models/{model}/secrets/{secret}/grants",
    "/v1/models/{model}/secrets/{secret}/reveal",
    "/v1/models/{model}/storage/{name}/{number}/attach",
    // Looks that are on record as changes are.
    "/v1/models/{model}/units/{name}/{number}/files/list",
    "/v1/models/{model}/units/{name}/{number}/files/read",
    "/v1/models/{model}/units/{name}/{number}/resolved",
    "/v1/models/{model}/units/{name}/{number}/start",
    "/v1/models/{model}/units/{name}/{number}/stop",
    "/v1/register",
    "/v1/users/{user}/registration",
];

#[test]
fn every_post_creates_or_begins_something_or_is_known_to_be_done_at_once() {
    for route in routes().filter(|route| route.method == "POST") {
        let done = DONE_AT_ONCE.contains(&route.path);
        assert_eq!(route.success == 200, done, "{}", route.path);
    }
}

#[test]
fn what_is_made_can_be_looked_at() {
    let looked: BTreeSet<&str> = routes()
        .filter(|route| route.method == "GET")
        .map(|route| route.path)
        .collect();
    let mut places = 0;
    for route in routes() {
        let Some(place) = route.place else {
            assert_ne!(route.success, 201, "{} does not say where", route.path);
            continue;
        };
        assert!(looked.contains(place.path), "{} is nowhere", place.path);
        let lacks = place
            .path
            .split('/')
            .filter(|part| part.starts_with('{') && !route.path.contains(part));
        // An id such as `data/0` has two of them.
        assert!(lacks.count() >= place.parts.len(), "{}", route.path);
        places += 1;
    }
    assert!(places >= 16, "only {places} say where");
}

/// The methods of the client by what they do.
const VERBS: &[(&str, &[&str])] = &[
    (
        "GET",
        &[".get(", ".list(", ".text(", ".history(", "Method::GET"],
    ),
    ("POST", &[".post(", "Method::POST"]),
    ("PUT", &[".put(", "Method::PUT"]),
    ("PATCH", &[".patch(", "Method::PATCH"]),
    ("DELETE", &[".delete(", ".remove(", "Method::DELETE"]),
];

#[test]
fn what_the_client_asks_for_is_there() {
    let there: BTreeSet<(&str, &str)> = routes().map(|route| (route.method, route.path)).collect();
    let client = concat!(env!("CARGO_MANIFEST_DIR"), "/../client/src/rest");
    let mut asked = 0;
    for file in std::fs::read_dir(client).unwrap() {
        let file = file.unwrap().path();
        if file.is_dir() || file.ends_with("tests.rs") {
            continue;
        }
        let source = std::fs::read_to_string(&file).unwrap();
        assert!(!source.contains("\"v1\""), "{} has a path", file.display());
        assert!(!source.contains("\"/v1"), "{} has a path", file.display());
        for function in source.split("fn ") {
            let of_function =
                |verb: &&(&str, &[&str])| verb.1.iter().any(|call| function.contains(call));
            let verbs: Vec<&str> = VERBS
                .iter()
                .filter(of_function)
                .map(|verb| verb.0)
                .collect();
            for (name, path) in paths::ALL {
                if !function.contains(&format!("paths::{name}.")) {
                    continue;
                }
                let known = verbs.iter().any(|verb| there.contains(&(*verb, *path)));
                assert!(known, "the client asks {verbs:?} for {path}");
                asked += 1;
            }
        }
    }
    assert!(asked > 70, "only {asked} calls were found");
}
