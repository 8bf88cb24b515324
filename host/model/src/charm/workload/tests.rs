use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::read;

fn refused(what: Value) -> String {
    read(&what, &BTreeSet::from(["web", "db"])).unwrap_err()
}

#[test]
fn what_a_container_may_have_is_read_and_told_in_words() {
    let what = json!({
        "web": {"root": "none", "files": {"site": "/site"}, "ports": ["80/tcp", "8080-8090/tcp"], "why": "serves the pages"},
        "db": null,
    });
    let found = read(&what, &BTreeSet::from(["web", "db"])).unwrap();
    let words: Vec<String> = found.values().map(|one| one.words()).collect();
    assert_eq!(
        words,
        [
            "runs components of the charm",
            "answers at 80/tcp and 8080-8090/tcp, reads /state/site as /site"
        ]
    );
    let text = serde_json::to_string(&found["web"]).unwrap();
    assert_eq!(
        serde_json::from_str::<super::Workload>(&text).unwrap(),
        found["web"]
    );
}

#[test]
fn what_is_unknown_or_cannot_be_given_is_refused_with_what_to_write() {
    for (what, reason) in [
        (json!(true), "name the containers"),
        (json!({"wbe": {}}), "did you mean \"web\"?"),
        (
            json!({"web": {"port": ["80/tcp"]}}),
            "did you mean \"ports\"?",
        ),
        (json!({"web": {"root": "machine"}}), "does not run"),
        (
            json!({"web": {"programs": ["/usr/bin/psql"]}}),
            "does not run",
        ),
        (json!({"web": {"why": " "}}), "why is empty"),
        (json!({"web": {"root": 7}}), "root is none"),
        (json!({"web": {"ports": ["80"]}}), "is not a port range"),
        (json!({"web": {"ports": ["80/udp"]}}), "over tcp"),
        (
            json!({"web": {"files": {"../x": "/x"}}}),
            "below the unit's /state",
        ),
        (json!({"web": {"files": {"x": "x"}}}), "an absolute one"),
        (
            json!({"web": {"files": {"x": "/x/../y"}}}),
            "an absolute one",
        ),
    ] {
        let said = refused(what.clone());
        assert!(said.contains(reason), "{what}: {said}");
    }
}
