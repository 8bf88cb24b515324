use std::collections::BTreeMap;

use super::*;
use crate::charm::CharmMetadata;
use crate::name::ApplicationName;
use crate::reach::{ExposedEndpoints, Exposure};

mod capabilities;
mod revisions;

const BUNDLE: &str = "
name: sites
applications:
  site:
    charm: ./site.charm
    num_units: 2
    options: {title: One, theme: dark}
    constraints: mem=2G
    bindings: {website: lan}
  front: {charm: ./front.charm, scale: 1, to: '0', expose: true}
  shipper: {charm: ./shipper.charm}
machines: {'0': {}}
relations:
- [front:website, site:website]
- [[shipper], [site, front]]
";

fn charms() -> BTreeMap<ApplicationName, (CharmMetadata, String)> {
    let metadata = [
        ("site", "{name: site, provides: {website: http}}"),
        ("front", "{name: front, requires: {website: http}}"),
        (
            "shipper",
            "{name: shipper, subordinate: true, requires: {logs: {interface: juju-info, scope: container}}}",
        ),
    ];
    metadata
        .into_iter()
        .map(|(name, yaml)| {
            let charm = serde_saphyr::from_str(yaml).unwrap();
            (name.parse().unwrap(), (charm, format!("digest of {name}")))
        })
        .collect()
}

fn shown(steps: &[Step]) -> Vec<String> {
    steps.iter().map(Step::to_string).collect()
}

/// The model once the steps were taken.
fn applied(mut model: CurrentModel, steps: &[Step]) -> CurrentModel {
    for step in steps {
        match step.clone() {
            Step::Deploy {
                application,
                units,
                options,
                constraints,
                trust,
                ..
            } => {
                let charm_digest = format!("digest of {application}");
                let current = CurrentApplication {
                    charm_digest,
                    units,
                    settings: options,
                    exposed: ExposedEndpoints::new(),
                    constraints,
                    trust,
                    ..CurrentApplication::default()
                };
                model.applications.insert(application, current);
            }
            Step::Refresh {
                application,
                channel,
                ..
            } => {
                let digest = format!("digest of {application}");
                let current = model.applications.get_mut(&application).unwrap();
                current.charm_digest = digest;
                if let Some(channel) = channel {
                    current.channel = channel;
                }
            }
            Step::Configure { application, set } => model
                .applications
                .get_mut(&application)
                .unwrap()
                .settings
                .extend(set),
            Step::AddUnits {
                application, count, ..
            } => model.applications.get_mut(&application).unwrap().units += count,
            Step::Expose {
                application,
                endpoints,
            } => {
                let exposure = Exposure::read(&endpoints).unwrap();
                let current = model.applications.get_mut(&application).unwrap();
                current.exposed.extend(exposure.shown());
            }
            Step::Attach {
                application,
                resource,
            } => {
                let attached = CurrentResource {
                    revision: 1,
                    sha256: format!("digest of {resource}"),
                };
                let current = model.applications.get_mut(&application).unwrap();
                current.resources.insert(resource, attached);
            }
            Step::Annotate { application, set } => model
                .applications
                .get_mut(&application)
                .unwrap()
                .annotations
                .extend(set),
            Step::Constrain {
                application,
                constraints,
            } => {
                model
                    .applications
                    .get_mut(&application)
                    .unwrap()
                    .constraints = constraints;
            }
            Step::Trust { application } => {
                model.applications.get_mut(&application).unwrap().trust = true;
            }
            Step::Integrate { pair } => {
                model.relations.insert(pair.to_string());
            }
        }
    }
    model
}

#[test]
fn a_bundle_for_an_empty_model_deploys_before_it_integrates() {
    let bundle = Bundle::parse(BUNDLE, &[]).unwrap();
    let steps = bundle.plan(&CurrentModel::default(), &charms()).unwrap();
    assert_eq!(
        shown(&steps),
        [
            "deploy front with 1 unit",
            "expose front",
            "deploy shipper with 0 units",
            "deploy site with 2 units",
            "integrate front:website site:website",
            "integrate shipper:logs site:juju-info",
            "integrate shipper:logs front:juju-info",
        ]
    );
    assert_eq!(
        bundle.ignored.iter().collect::<Vec<_>>(),
        ["applications.site.bindings"]
    );
}

#[test]
fn a_step_says_what_it_is_for_those_who_show_it() {
    let bundle = Bundle::parse(BUNDLE, &[]).unwrap();
    let steps = bundle.plan(&CurrentModel::default(), &charms()).unwrap();
    let told: Vec<String> = steps.iter().map(Step::told).collect();
    assert_eq!(told[0], "deploy front with 1 unit to 0");
    assert_eq!(told[2], "deploy shipper, whose units come with relations");
    let kinds: Vec<StepKind> = steps.iter().map(Step::kind).collect();
    let (deploy, integrate) = (StepKind::Deploy, StepKind::Integrate);
    let wanted = [
        deploy,
        StepKind::Expose,
        deploy,
        deploy,
        integrate,
        integrate,
        integrate,
    ];
    assert_eq!(kinds, wanted);
    assert_eq!(steps[3].units(), Some(2));
    assert_eq!(
        steps[3].application().map(|name| name.as_str()),
        Some("site")
    );
    assert_eq!(steps[4].relation(), ["front:website", "site:website"]);
    assert!(steps[4].application().is_none() && steps[3].relation().is_empty());
    assert!(!steps.iter().any(Step::trusts));
    // What is told of a relation in a difference is what the plan would make.
    let pairs = bundle.pairs(&charms()).unwrap();
    let made: Vec<String> = steps.iter().map(|step| step.relation().join(" ")).collect();
    assert!(pairs.iter().all(|key| made.contains(key)) && pairs.len() == 3);
}

#[test]
fn applied_again_it_changes_nothing() {
    let bundle = Bundle::parse(BUNDLE, &[]).unwrap();
    let steps = bundle.plan(&CurrentModel::default(), &charms()).unwrap();
    let model = applied(CurrentModel::default(), &steps);
    assert_eq!(bundle.plan(&model, &charms()).unwrap(), []);
}

#[test]
fn only_what_differs_is_done() {
    let bundle = Bundle::parse(BUNDLE, &[]).unwrap();
    let steps = bundle.plan(&CurrentModel::default(), &charms()).unwrap();
    let mut model = applied(CurrentModel::default(), &steps);
    let site = model
        .applications
        .get_mut(&"site".parse().unwrap())
        .unwrap();
    site.units = 1;
    site.charm_digest = "an older one".to_owned();
    site.settings.remove("theme");
    site.settings
        .insert("pages".to_owned(), crate::config::Value::Integer(3));
    let steps = bundle.plan(&model, &charms()).unwrap();
    assert_eq!(
        shown(&steps),
        [
            "refresh site",
            "configure site: theme",
            "add 1 unit to site"
        ]
    );
    let model = applied(model, &steps);
    assert_eq!(bundle.plan(&model, &charms()).unwrap(), []);
}

#[test]
fn more_units_than_the_bundle_wants_stay() {
    let bundle = Bundle::parse(BUNDLE, &[]).unwrap();
    let steps = bundle.plan(&CurrentModel::default(), &charms()).unwrap();
    let mut model = applied(CurrentModel::default(), &steps);
    model
        .applications
        .get_mut(&"site".parse().unwrap())
        .unwrap()
        .units = 9;
    assert_eq!(bundle.plan(&model, &charms()).unwrap(), []);
}

#[test]
fn overlays_change_add_and_remove() {
    let overlay = "
applications:
  site: {num_units: 5, options: {title: Two, theme: null}}
  shipper: null
  more: {charm: ./site.charm, num_units: 1}
relations: [[front, more]]
";
    let bundle = Bundle::parse(BUNDLE, &[overlay]).unwrap();
    let site = &bundle.applications[&"site".parse().unwrap()];
    assert_eq!(site.num_units, Some(5));
    assert_eq!(site.charm, "./site.charm");
    assert_eq!(site.options["title"].to_string(), "Two");
    assert!(!site.options.contains_key("theme"));
    assert_eq!(
        bundle.relations,
        [
            ["front:website".to_owned(), "site:website".to_owned()],
            ["front".to_owned(), "more".to_owned()]
        ]
    );
}

#[test]
fn mistakes_are_named() {
    let cases = [
        ("applications: [", "bundle-unreadable"),
        ("name: x", "bundle-empty"),
        ("applications: {a: {num_units: 1}}", "bundle-charm-missing"),
        (
            "{applications: {a: {charm: c}}, relations: [[a, b]]}",
            "bundle-relation-invalid",
        ),
        (
            "{applications: {a: {charm: c}}, relations: [[a]]}",
            "bundle-relation-invalid",
        ),
        (
            "applications: {a: {charm: c, num_units: 1, to: ['7']}}",
            "bundle-placement-invalid",
        ),
        (
            "applications: {a: {charm: c, num_units: 1, to: [new, new]}}",
            "bundle-placement-invalid",
        ),
    ];
    for (text, code) in cases {
        let error = Bundle::parse(text, &[]).unwrap_err();
        assert_eq!(error.code(), code, "{text}: {error}");
    }
    let with = |storage: &str| {
        let text = format!("applications: {{a: {{charm: c, storage: {{data: {storage}}}}}}}");
        Bundle::parse(&text, &[]).unwrap_err()
    };
    assert_eq!(with("'1G,2G'").code(), "bundle-storage-invalid");
    // Without quotes it ends at the comma, and nobody meant what follows.
    let codes = ["bundle-storage-invalid", "bundle-unreadable"];
    assert!(codes.contains(&with("loop,1,1G").code()));
    let error = Bundle::parse(
        "applications: {a: {charm: c}}",
        &["applications: {b: null}"],
    );
    assert_eq!(error.unwrap_err().code(), "bundle-overlay-invalid");
}

#[test]
fn endpoints_are_exposed_as_the_bundle_says_and_once() {
    let overlay = "
applications:
  site: {exposed-endpoints: {website: {expose-to-cidrs: [10.1.0.0/8]}, \"\": {}}}
";
    let bundle = Bundle::parse(BUNDLE, &[overlay]).unwrap();
    let steps = bundle.plan(&CurrentModel::default(), &charms()).unwrap();
    let exposed = |steps: &[Step]| {
        let shown = shown(steps).into_iter();
        shown
            .filter(|step| step.starts_with("expose"))
            .collect::<Vec<_>>()
    };
    assert_eq!(exposed(&steps), ["expose front", "expose site: website"]);
    let mut model = applied(CurrentModel::default(), &steps);
    assert_eq!(exposed(&bundle.plan(&model, &charms()).unwrap()), [""; 0]);
    // Whoever narrowed it meanwhile is followed where the bundle says only that it is exposed.
    for name in ["front", "site"] {
        let application: ApplicationName = name.parse().unwrap();
        let current = model.applications.get_mut(&application).unwrap();
        current.exposed = Exposure::read(&ExposedEndpoints::new()).unwrap().shown();
    }
    let again = bundle.plan(&model, &charms()).unwrap();
    assert_eq!(exposed(&again), ["expose site: website"]);
}

const FILES: &str = "
applications:
  site:
    charm: ./site.charm
    resources: {theme: ./theme.css, words: 3}
    annotations: {owner: ann, rack: 7}
";

#[test]
fn files_are_attached_and_notes_made_where_they_differ() {
    let mut bundle = Bundle::parse(FILES, &[]).unwrap();
    assert!(bundle.ignored.is_empty(), "{:?}", bundle.ignored);
    let site: ApplicationName = "site".parse().unwrap();
    let wanted = bundle.applications.get_mut(&site).unwrap();
    wanted
        .digests
        .insert("theme".to_owned(), "digest of theme".to_owned());
    // A revision is one that is there.
    let empty = bundle.plan(&CurrentModel::default(), &charms());
    assert!(matches!(
        empty,
        Err(PlanError::NoRevision { revision: 3, .. })
    ));
    let words = CurrentResource {
        revision: 3,
        sha256: "words".to_owned(),
    };
    let theme = CurrentResource {
        revision: 1,
        sha256: "another".to_owned(),
    };
    let there = CurrentApplication {
        charm_digest: "digest of site".to_owned(),
        units: 1,
        resources: [("words".to_owned(), words), ("theme".to_owned(), theme)].into(),
        annotations: [("owner".to_owned(), "ann".to_owned())].into(),
        ..CurrentApplication::default()
    };
    let model = CurrentModel {
        applications: [(site, there)].into(),
        ..CurrentModel::default()
    };
    let steps = bundle.plan(&model, &charms()).unwrap();
    assert_eq!(
        shown(&steps),
        ["attach theme to site", "annotate site: rack"]
    );
    let model = applied(model, &steps);
    assert_eq!(bundle.plan(&model, &charms()).unwrap(), []);
}

#[test]
fn storage_is_asked_for_where_an_application_is_deployed() {
    let text = "
applications:
  site:
    charm: ./site.charm
    storage: {data: 'loop,1,1G', logs: 2, cache: tmpfs}
";
    let overlay = "applications: {site: {storage: {logs: 5G, cache: null}}}";
    let bundle = Bundle::parse(text, &[overlay]).unwrap();
    assert!(bundle.ignored.is_empty(), "{:?}", bundle.ignored);
    let steps = bundle.plan(&CurrentModel::default(), &charms()).unwrap();
    let Step::Deploy { storage, .. } = &steps[0] else {
        panic!("{steps:?}");
    };
    let shown: Vec<String> = storage
        .iter()
        .map(|(name, asked)| format!("{name}={asked}"))
        .collect();
    assert_eq!(shown, ["data=loop,1,1024M", "logs=5120M"]);
    // What an application that is there was given is not changed.
    let model = applied(CurrentModel::default(), &steps);
    let more = Bundle::parse(text, &[]).unwrap();
    assert_eq!(more.plan(&model, &charms()).unwrap(), []);
    let written = serde_saphyr::to_string(&bundle).unwrap();
    assert_eq!(Bundle::parse(&written, &[]).unwrap(), bundle);
}

#[test]
fn an_overlay_changes_files_and_notes() {
    let overlay = "applications:\n  site:\n    resources: {words: ./words.txt, theme: null}\n    annotations: {rack: null}\n";
    let bundle = Bundle::parse(FILES, &[overlay]).unwrap();
    let site = bundle.applications.values().next().unwrap();
    let words = BundleResource::File("./words.txt".to_owned());
    assert_eq!(site.resources, [("words".to_owned(), words)].into());
    assert_eq!(
        site.annotations,
        [("owner".to_owned(), "ann".to_owned())].into()
    );
}

#[test]
fn constraints_and_trust_are_said_once_and_constraints_before_units_are_added() {
    let read = |text: &str| Bundle::parse(text, &[]).unwrap();
    let plan = |bundle: &Bundle, model: &CurrentModel| bundle.plan(model, &charms()).unwrap();
    let bundle =
        read("applications: {site: {charm: ./site.charm, num_units: 1, constraints: mem=2G}}");
    let empty = CurrentModel::default();
    let steps = plan(&bundle, &empty);
    let Step::Deploy {
        constraints, trust, ..
    } = &steps[0]
    else {
        panic!("{steps:?}");
    };
    assert_eq!((constraints.as_str(), *trust), ("mem=2048M", false));
    let model = applied(empty, &steps);
    assert_eq!(plan(&bundle, &model), []);

    let more = read(
        "applications: {site: {charm: ./site.charm, num_units: 2, constraints: cores=2, trust: true}}",
    );
    let steps = plan(&more, &model);
    let expected = [
        "constrain site: cores=2",
        "trust site",
        "add 1 unit to site",
    ];
    assert_eq!(shown(&steps), expected);
    let model = applied(model, &steps);
    assert_eq!(plan(&more, &model), []);
    // A bundle that says nothing takes nothing back.
    let silent = read("applications: {site: {charm: ./site.charm, num_units: 2}}");
    assert_eq!(plan(&silent, &model), []);
}

#[test]
fn constraints_that_cannot_be_are_refused_before_anything_is_done() {
    let plan = |text: &str, model: &CurrentModel| {
        let bundle = Bundle::parse(text, &[]).unwrap();
        bundle.plan(model, &charms())
    };
    let good = "applications: {site: {charm: ./site.charm}}";
    let empty = CurrentModel::default();
    let model = applied(empty.clone(), &plan(good, &empty).unwrap());
    let bad = "applications: {front: {charm: ./front.charm}, site: {charm: ./site.charm, constraints: men=2G}}";
    for model in [&empty, &model] {
        let error = plan(bad, model).unwrap_err();
        assert!(matches!(&error, PlanError::Constraints { .. }), "{error}");
        let told = error.to_string();
        assert!(
            told.contains("\"site\"") && told.contains("did you mean \"mem\""),
            "{told}"
        );
    }
    let subordinate = "applications: {shipper: {charm: ./shipper.charm, constraints: mem=2G}}";
    assert_eq!(
        plan(subordinate, &empty),
        Err(PlanError::Subordinate("shipper".parse().unwrap()))
    );
}
