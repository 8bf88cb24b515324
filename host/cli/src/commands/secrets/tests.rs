use clap::Parser;
use jiff::tz::TimeZone;
use periapt_wire::rest::{RevealedSecret, SecretValues};
use serde_json::json;

use super::*;
use crate::arguments::{Arguments, Command};

fn secrets() -> Vec<SecretInfo> {
    let of_people = json!({
        "id": "00000000000000000001", "owner": { "kind": "model", "name": "test" },
        "label": "mail", "description": "the relay", "rotate": "never", "auto-prune": true,
        "created-at": 1_000_000, "updated-at": 1_000_000,
        "revisions": [{ "revision": 3, "backend": "internal", "created-at": 0, "readers": ["blog/0"] }],
        "grants": [{ "to": "blog" }],
    });
    let of_charm = json!({
        "id": "00000000000000000002", "owner": { "kind": "unit", "name": "db/0" },
        "label": "", "description": "", "rotate": "hourly", "next-rotate": 3_600_000_000_i64,
        "auto-prune": false, "created-at": 1_000_000, "updated-at": 1_000_000,
        "revisions": [{ "revision": 1, "backend": "internal", "created-at": 0 }],
        "grants": [{ "to": "blog/1", "relation": 4 }],
    });
    [of_people, of_charm]
        .map(|secret| serde_json::from_value(secret).unwrap())
        .into()
}

fn times() -> Times {
    Times::in_zone(TimeZone::UTC)
}

#[test]
fn secrets_are_a_table_without_values() {
    let expected = "\
ID                    Name  Owner    Rotation  Revision  Last updated
00000000000000000001  mail  <model>  never            3  01 Jan 1970 00:00:01Z
00000000000000000002  -     db/0     hourly           1  01 Jan 1970 00:00:01Z
";
    assert_eq!(table(&secrets(), &times()).render(false), expected);
}

#[test]
fn a_secret_is_shown_by_its_id_and_its_values_only_where_they_were_asked_for() {
    let secrets = secrets();
    let mut document = SecretDocument::of(&secrets[0], &times());
    assert_eq!(
        serde_json::to_value(&document).unwrap(),
        json!({
            "revision": 3, "owner": "<model>", "description": "the relay", "name": "mail",
            "auto-prune": true, "created": "01 Jan 1970 00:00:01Z",
            "updated": "01 Jan 1970 00:00:01Z",
            "access": [{ "target": "application-blog", "scope": "model-test", "role": "view" }],
        })
    );
    document.show_revisions(&secrets[0], &times());
    document.reveal(RevealedSecret {
        revision: 2,
        values: SecretValues([("password".to_owned(), "hunter2".to_owned())].into()),
    });
    let shown = serde_json::to_value(&document).unwrap();
    assert_eq!(shown["revision"], 2);
    assert_eq!(shown["content"], json!({ "password": "hunter2" }));
    assert_eq!(shown["revisions"][0]["readers"], json!(["blog/0"]));
    assert_eq!(
        shown["revisions"][0]["updated"],
        shown["revisions"][0]["created"]
    );
    let nested = serde_json::to_value(document.nested()).unwrap();
    assert_eq!(
        nested["content"],
        json!({ "Data": { "password": "hunter2" } })
    );
    let shown = serde_json::to_value(SecretDocument::of(&secrets[1], &times())).unwrap();
    assert_eq!(
        shown["access"],
        json!([{ "target": "unit-blog-1", "scope": "relation-4", "role": "view" }])
    );
    assert_eq!(shown["rotation"], "hourly");
}

#[test]
fn arguments_are_what_they_say() {
    let parsed = |line: &str| {
        let words = std::iter::once("periapt").chain(line.split(' '));
        Arguments::try_parse_from(words).map(|arguments| arguments.command)
    };
    match parsed("grant-secret mail blog,shop").unwrap() {
        Command::Secrets(Verb::GrantSecret(arguments)) => {
            assert_eq!(arguments.applications, ["blog", "shop"]);
        }
        other => panic!("{other:?}"),
    }
    for (line, expected) in [
        ("update-secret mail --auto-prune", Some(true)),
        ("update-secret mail --auto-prune=false", Some(false)),
        ("update-secret mail key=value", None),
    ] {
        match parsed(line).unwrap() {
            Command::Secrets(Verb::UpdateSecret(arguments)) => {
                assert_eq!(arguments.auto_prune, expected, "{line}");
            }
            other => panic!("{other:?}"),
        }
    }
    assert!(parsed("grant-secret mail").is_err());
    assert!(parsed("show-secret mail --revision 2 --revisions").is_err());
    assert!(parsed("show-secret mail --revision 2").is_ok());
    assert!(parsed("show-secret mail --reveal --revision 2").is_ok());
}
