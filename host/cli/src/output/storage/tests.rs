use jiff::tz::TimeZone;
use serde_json::json;

use super::*;

/// One that a unit has, one that two units share and that failed, one that nobody has.
fn storages() -> Vec<StorageInfo> {
    let storage = |id: &str, owner: serde_json::Value, status: &str, units: &[&str]| {
        let (name, _) = id.split_once('/').unwrap();
        let attachments: Vec<_> = units
            .iter()
            .map(|unit| {
                json!({
                    "unit": unit, "machine": "0", "location": format!("/srv/{name}"), "read-only": false,
                    "life": "alive",
                })
            })
            .collect();
        json!({
            "id": id, "kind": "filesystem", "owner": owner, "life": "alive",
            "status": { "status": status, "message": "", "data": {}, "since": 0 },
            "pool": "rootfs", "provider": "rootfs", "size": 1536, "limited": false, "persistent": true,
            "provider-id": id.replace('/', "-"), "created-at": 3_600_000_000_i64, "attachments": attachments,
        })
    };
    let mut shared = storage("pool/1", json!("site"), "error", &["site/10", "site/9"]);
    shared["status"]["message"] = json!("the disk is full");
    [
        storage("data/2", json!(null), "detached", &[]),
        shared,
        storage("data/10", json!("site/9"), "attached", &["site/9"]),
    ]
    .map(|storage| serde_json::from_value(storage).unwrap())
    .into()
}

fn times() -> Times {
    Times::in_zone(TimeZone::UTC)
}

#[test]
fn storage_is_a_table_of_units_and_then_of_what_nobody_has() {
    let expected = "\
Unit     Storage ID  Type        Pool    Size    Status    Message
site/9   data/10     filesystem  rootfs  1.5GiB  attached
site/9   pool/1      filesystem  rootfs  1.5GiB  error     the disk is full
site/10  pool/1      filesystem  rootfs  1.5GiB  error     the disk is full
         data/2      filesystem  rootfs  1.5GiB  detached
";
    assert_eq!(table(&storages()).render(false), expected);
}

#[test]
fn filesystems_are_a_table_with_machines_and_mount_points() {
    let table = filesystem_table(&storages()).render(false);
    let words: Vec<Vec<&str>> = table
        .lines()
        .map(|line| line.split_whitespace().collect())
        .collect();
    assert_eq!(
        words[1],
        [
            "0",
            "site/9",
            "data/10",
            "10",
            "data-10",
            "/srv/data",
            "1.5GiB",
            "attached"
        ]
    );
    assert_eq!(
        words[4],
        ["data/2", "2", "data-2", "1.5GiB", "detached"],
        "{table}"
    );
}

#[test]
fn documents_have_jujus_keys_and_no_nulls() {
    let document = serde_json::to_value(Combined::of(&storages(), &times())).unwrap();
    assert!(!document.to_string().contains("null"));
    let unit = json!({ "machine": "0", "location": "/srv/data", "life": "alive" });
    assert_eq!(
        document["storage"]["data/10"],
        json!({
            "kind": "filesystem", "owner": "site/9", "life": "alive", "status": { "current": "attached" },
            "persistent": true, "attachments": { "units": { "site/9": unit } },
        })
    );
    let filesystem = &document["filesystems"]["10"];
    assert_eq!(
        (
            &filesystem["storage"],
            &filesystem["size"],
            &filesystem["provider-id"]
        ),
        (&json!("data/10"), &json!(1536), &json!("data-10"))
    );
    assert_eq!(
        document["filesystems"]["1"]["attachments"]["machines"],
        json!({ "0": { "mount-point": "/srv/pool", "read-only": false, "life": "alive" } })
    );
    assert!(document["storage"]["data/2"].get("attachments").is_none());
    let nothing = serde_json::to_value(Combined::of(&[], &times())).unwrap();
    assert_eq!(nothing, json!({}));
}

#[test]
fn one_that_is_asked_for_is_shown_whole() {
    let storages = storages();
    let shown = serde_json::to_value(StorageDocument::whole(&storages[0], &times())).unwrap();
    assert_eq!(shown["provider-id"], "data-2");
    assert_eq!(shown["created"], "01 Jan 1970 01:00:00Z");
    assert_eq!(shown["limited"], false);
    assert!(shown.get("owner").is_none());
}
