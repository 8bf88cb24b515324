//! What a bundle decides about the capabilities of charms.

use super::*;
use crate::charm::capability::Pattern;

#[test]
fn what_is_decided_about_capabilities_goes_with_a_deployment_and_a_refresh() {
    let text = "applications: {site: {charm: ./site.charm, num_units: 1, grants: [tools/*], denies: [tools/reboot]}}";
    let bundle = Bundle::parse(text, &[]).unwrap();
    let steps = bundle.plan(&CurrentModel::default(), &charms()).unwrap();
    let Step::Deploy { capabilities, .. } = &steps[0] else {
        panic!("{steps:?}");
    };
    let told = |patterns: &[Pattern]| -> Vec<String> {
        patterns.iter().map(ToString::to_string).collect()
    };
    assert_eq!(told(&capabilities.grant), ["tools/*"]);
    assert_eq!(told(&capabilities.deny), ["tools/reboot"]);
    assert!(!capabilities.grant_all && steps[0].grants() && !steps[0].trusts());
    let mut model = applied(CurrentModel::default(), &steps);
    for current in model.applications.values_mut() {
        current.charm_digest = "of another".to_owned();
    }
    let steps = bundle.plan(&model, &charms()).unwrap();
    assert_eq!(shown(&steps), ["refresh site"]);
    assert!(steps[0].grants());
    // Trust grants all that a charm declares.
    let trusting = "applications: {site: {charm: ./site.charm, trust: true}}";
    let trusting = Bundle::parse(trusting, &[]).unwrap();
    let steps = trusting.plan(&CurrentModel::default(), &charms()).unwrap();
    assert!(steps[0].grants() && steps[0].trusts());
    let wrong = "applications: {site: {charm: ./site.charm, grants: [toolz/secret]}}";
    assert!(Bundle::parse(wrong, &[]).is_err());
}

#[test]
fn another_channel_of_the_same_charm_decides_nothing_and_another_revision_does() {
    let text =
        "applications: {site: {charm: site, channel: edge, num_units: 1, grants: [tools/*]}}";
    let mut bundle = Bundle::parse(text, &[]).unwrap();
    for application in bundle.applications.values_mut() {
        application.released = Some(3);
    }
    let model = |digest: &str| {
        let site = CurrentApplication {
            charm_digest: digest.to_owned(),
            channel: "stable".to_owned(),
            units: 1,
            ..CurrentApplication::default()
        };
        CurrentModel {
            applications: [("site".parse().unwrap(), site)].into(),
            ..CurrentModel::default()
        }
    };
    let steps = bundle.plan(&model("digest of site"), &charms()).unwrap();
    assert_eq!(shown(&steps), ["refresh site to channel edge"]);
    assert!(!steps[0].grants());
    let steps = bundle.plan(&model("an older one"), &charms()).unwrap();
    assert_eq!(
        shown(&steps),
        ["refresh site to repository revision 3 and channel edge"]
    );
    assert!(steps[0].grants());
}
