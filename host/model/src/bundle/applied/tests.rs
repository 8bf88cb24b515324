use std::collections::BTreeMap;

use super::*;
use crate::bundle::{CurrentApplication, CurrentResource, Exported};
use crate::config::Value;

const TEXT: &str = "
applications:
  site:
    charm: local:site-0
    num_units: 1
    to: ['0']
    options: {title: One}
    resources: {theme: ./theme.css}
  shipper: {charm: local:shipper-0}
machines: {'0': {}}
relations:
- [shipper:logs, site:juju-info]
";

fn model() -> CurrentModel {
    let site = CurrentApplication {
        charm_digest: "s".to_owned(),
        units: 1,
        settings: BTreeMap::from([("title".to_owned(), Value::Text("One".to_owned()))]),
        resources: BTreeMap::from([(
            "theme".to_owned(),
            CurrentResource {
                revision: 1,
                sha256: "css".to_owned(),
            },
        )]),
        ..CurrentApplication::default()
    };
    let shipper = CurrentApplication {
        charm_digest: "l".to_owned(),
        ..CurrentApplication::default()
    };
    CurrentModel {
        applications: BTreeMap::from([
            ("site".parse().unwrap(), site),
            ("shipper".parse().unwrap(), shipper),
        ]),
        relations: BTreeSet::from(["shipper:logs site:juju-info".to_owned()]),
    }
}

fn applied() -> AppliedBundle {
    let mut bundle = Bundle::parse(TEXT, &[]).unwrap();
    for (name, application) in &mut bundle.applications {
        if name.as_str() == "site" {
            application.digests = BTreeMap::from([("theme".to_owned(), "css".to_owned())]);
        }
    }
    let charm = |sha256: &str, subordinate| ComparedCharm {
        sha256: sha256.to_owned(),
        subordinate,
    };
    let charms = BTreeMap::from([
        ("site".parse().unwrap(), charm("s", false)),
        ("shipper".parse().unwrap(), charm("l", true)),
    ]);
    let relations = BTreeSet::from(["shipper:logs site:juju-info".to_owned()]);
    let applied = AppliedBundle::of(&bundle, charms, relations).unwrap();
    // As the store keeps it.
    let kept = serde_json::to_string(&applied).unwrap();
    serde_json::from_str(&kept).unwrap()
}

#[test]
fn a_model_as_it_was_applied_has_no_drift() {
    let drift = applied().drift(&model()).unwrap();
    assert!(drift.is_empty(), "{drift:?}");
}

#[test]
fn whatever_people_changed_since_is_drift() {
    let mut model = model();
    for (name, application) in &mut model.applications {
        if name.as_str() == "site" {
            application.units = 2;
            application
                .settings
                .insert("title".to_owned(), Value::Text("Two".to_owned()));
        }
    }
    model.relations.clear();
    let drift = applied().drift(&model).unwrap();
    let (name, site) = drift.applications.first_key_value().unwrap();
    assert_eq!(name.as_str(), "site");
    let units = site.num_units.as_ref().unwrap();
    assert_eq!((units.bundle, units.model), (1, 2));
    let title = &site.options["title"];
    assert_eq!(title.bundle, Some(Value::Text("One".to_owned())));
    assert_eq!(title.model, Some(Value::Text("Two".to_owned())));
    assert!(site.resources.is_empty() && site.charm.is_none());
    assert_eq!(drift.applications.len(), 1);
    let relations = drift.relations.unwrap();
    assert_eq!(relations.bundle_additions.len(), 1);
}

#[test]
fn an_export_read_again_is_the_model() {
    let model = model();
    let exported = |charm: &str, subordinate| Exported {
        charm: charm.to_owned(),
        subordinate,
        ..Exported::default()
    };
    let exported = BTreeMap::from([
        ("site".parse().unwrap(), exported("local:site-0", false)),
        (
            "shipper".parse().unwrap(),
            exported("local:shipper-0", true),
        ),
    ]);
    let text = Bundle::of_model(&model, &exported).text().unwrap();
    let bundle = Bundle::parse(&text, &[]).unwrap();
    assert!(text.contains("theme: 1"), "{text}");
    let difference = bundle.difference(&model, &applied().charms, &model.relations);
    assert!(difference.is_empty(), "{difference:?}\n{text}");
}
