use serde_json::json;

use super::*;
use crate::rest::routes;

fn told(method: &str, path: &str, target: &str, body: Value) -> Told {
    let route = routes().find(|route| route.method == method && route.path == path);
    of_request(route.expect("a route"), target, Some(&body))
}

#[test]
fn every_route_that_changes_something_has_its_words_and_no_other() {
    let missing: Vec<String> = routes()
        .filter(|route| route.changes() && of(route.method, route.path).is_none())
        .map(|route| format!("{} {}", route.method, route.path))
        .collect();
    assert_eq!(missing, [""; 0], "add a row to audit/words.rs");
    for words in WORDS {
        let known = routes().any(|route| route.method == words.method && route.path == words.path);
        assert!(known, "{} {} is no route", words.method, words.path);
        assert!(
            matches!(words.verbs.last(), Some(("", _))),
            "{}",
            words.path
        );
        for (_, verb) in words.verbs {
            let tried = periapt_store::told_in_audit(verb, "409");
            assert!(
                tried.starts_with("tried to "),
                "add \"{verb}\" to the store's audit/ended.rs"
            );
        }
        let last = words.objects.last().copied().unwrap_or_default();
        assert!(!last.contains("{body."), "{last} may be without its body");
        for object in words.objects {
            for part in object.split('{').skip(1) {
                let name = part.split('}').next().unwrap_or_default();
                let in_path = words.path.contains(&format!("{{{name}}}"));
                assert!(
                    in_path || name.starts_with("body."),
                    "{object} of {}",
                    words.path
                );
            }
        }
    }
}

#[test]
fn a_change_is_a_verb_and_an_object() {
    let relations = "/v1/models/shop/relations";
    let body = json!({ "endpoints": ["front:db", "blog"] });
    let integrated = told("POST", paths::RELATIONS.text, relations, body);
    assert_eq!(integrated.verb, "integrated");
    assert_eq!(integrated.object, "front:db with blog");
    assert_eq!(integrated.about, ["front", "blog"]);
    assert_eq!(integrated.kind, AuditKind::Change);

    let target = "/v1/models/shop/applications/front/config";
    let body = json!({ "set": { "title": "SECRET", "pages": 3 }, "reset": [] });
    let changed = told("PATCH", paths::APPLICATION_CONFIG.text, target, body);
    assert_eq!(changed.object, "pages, title of front");
    assert_eq!(changed.about, ["front"]);

    let target = "/v1/models/shop/charms";
    let uploaded = |body: Value| told("POST", paths::CHARMS.text, target, body).object;
    assert_eq!(
        uploaded(json!({ "name": "site.charm" })),
        "charm site.charm"
    );
    assert_eq!(uploaded(Value::Null), "a charm");

    let target = "/v1/models/shop/units/front/3/resolved";
    let resolved = |retry: bool| {
        let body = json!({ "retry": retry });
        told("POST", paths::UNIT_RESOLVED.text, target, body)
    };
    assert_eq!(resolved(true).verb, "retried");
    assert_eq!(resolved(false).verb, "skipped");
    assert_eq!(resolved(true).object, "the failed hook of front/3");
    assert_eq!(resolved(true).about, ["front/3", "front"]);
}

#[test]
fn what_the_body_does_not_say_is_left_out() {
    let target = "/v1/models/shop/relations";
    let odd = told(
        "POST",
        paths::RELATIONS.text,
        target,
        json!({ "endpoints": 7 }),
    );
    assert_eq!(odd.object, "7");
    let none = told("POST", paths::RELATIONS.text, target, Value::Null);
    assert_eq!(
        (none.object.as_str(), none.about.len()),
        ("two applications", 0)
    );
    let long = json!({ "name": "x".repeat(1_000) });
    let cut = told("POST", paths::MODELS.text, "/v1/models", long);
    assert!(
        cut.object.len() <= OBJECT + '…'.len_utf8(),
        "{}",
        cut.object.len()
    );
}

#[test]
fn signing_in_is_no_change() {
    let body = json!({ "user": "admin", "password": "SECRET" });
    let signed = told("POST", paths::LOGIN.text, "/v1/login", body);
    assert_eq!(signed.kind, AuditKind::SignIn);
    assert_eq!(
        (signed.verb.as_str(), signed.object.as_str()),
        ("signed in", "")
    );
    assert_eq!(of_call("Uniter", "Commit", false).kind, AuditKind::Call);
    assert_eq!(
        of_call("Application", "Deploy", true).object,
        "Application.Deploy"
    );
}
