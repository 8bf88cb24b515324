use super::*;
use crate::bundle::CurrentApplication;

fn charm(sha256: &str) -> ComparedCharm {
    ComparedCharm {
        sha256: sha256.to_owned(),
        subordinate: false,
    }
}

#[test]
fn both_ways_and_only_what_differs() {
    let bundle = Bundle::parse(
        "applications:\n  site: {charm: ./site.charm, num_units: 2, options: {title: One, theme: dark}}\n  new: {charm: ./site.charm}\n",
        &[],
    )
    .unwrap();
    let charms = BTreeMap::from([
        ("site".parse().unwrap(), charm("a")),
        ("new".parse().unwrap(), charm("a")),
    ]);
    let there = CurrentApplication {
        charm_digest: "a".to_owned(),
        units: 3,
        settings: BTreeMap::from([
            ("title".to_owned(), Value::Text("One".to_owned())),
            ("extra".to_owned(), Value::Boolean(true)),
        ]),
        ..CurrentApplication::default()
    };
    let model = CurrentModel {
        applications: BTreeMap::from([
            ("site".parse().unwrap(), there.clone()),
            ("old".parse().unwrap(), there),
        ]),
        relations: BTreeSet::from(["x:a y:b".to_owned(), "x:a z:b".to_owned()]),
    };
    let pairs = BTreeSet::from(["x:a y:b".to_owned(), "x:a q:b".to_owned()]);
    let difference = bundle.difference(&model, &charms, &pairs);
    let found = serde_json::to_value(&difference).unwrap();
    assert_eq!(
        found,
        serde_json::json!({
            "applications": {
                "new": {"missing": "model"},
                "old": {"missing": "bundle"},
                "site": {
                    "num_units": {"bundle": 2, "model": 3},
                    "options": {
                        "extra": {"bundle": null, "model": true},
                        "theme": {"bundle": "dark", "model": null},
                    },
                },
            },
            "relations": {
                "bundle-additions": [["x:a", "q:b"]],
                "model-additions": [["x:a", "z:b"]],
            },
        })
    );
    // As a client reads it.
    let read: BundleDifference = serde_json::from_value(found).unwrap();
    assert_eq!(read, difference);
}

#[test]
fn nothing_differs_from_itself() {
    let bundle = Bundle::parse("applications:\n  site: {charm: ./site.charm}\n", &[]).unwrap();
    let name: ApplicationName = "site".parse().unwrap();
    let charms = BTreeMap::from([(name.clone(), charm("a"))]);
    let there = CurrentApplication {
        charm_digest: "a".to_owned(),
        units: 1,
        ..CurrentApplication::default()
    };
    let model = CurrentModel {
        applications: BTreeMap::from([(name, there)]),
        relations: BTreeSet::new(),
    };
    assert!(
        bundle
            .difference(&model, &charms, &BTreeSet::new())
            .is_empty()
    );
}
