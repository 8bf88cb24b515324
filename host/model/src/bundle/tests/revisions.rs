//! Charms of the charm repository: which revision, and which channel is followed.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;

const NAMED: &str = "
applications:
  site: {charm: site, channel: edge, revision: 3, num_units: 1}
  shipper: {charm: shipper, revision: 0}
";

/// Once the charm repository was read: each charm is this revision.
fn released(mut bundle: Bundle, revision: u32) -> Bundle {
    for application in bundle.applications.values_mut() {
        application.released = Some(revision);
    }
    bundle
}

/// The site as a model has it.
fn site(digest: &str, channel: &str, revision: Option<u32>) -> CurrentModel {
    let site = CurrentApplication {
        charm_digest: digest.to_owned(),
        channel: channel.to_owned(),
        revision,
        units: 1,
        ..CurrentApplication::default()
    };
    CurrentModel {
        applications: [("site".parse().unwrap(), site)].into(),
        ..CurrentModel::default()
    }
}

fn only_site(text: &str) -> BundleApplication {
    let bundle = Bundle::parse(text, &[]).unwrap();
    let mut applications = bundle.applications.into_iter();
    applications
        .find(|(name, _)| name.as_str() == "site")
        .unwrap()
        .1
}

#[test]
fn a_plan_says_which_revision_of_the_repository_is_deployed() {
    let bundle = Bundle::parse(NAMED, &[]).unwrap();
    assert!(bundle.ignored.is_empty(), "{:?}", bundle.ignored);
    let bundle = released(bundle, 3);
    let steps = bundle.plan(&CurrentModel::default(), &charms()).unwrap();
    let told: Vec<String> = steps.iter().map(Step::told).collect();
    assert_eq!(
        told,
        [
            "deploy shipper from repository revision 3, whose units come with relations",
            "deploy site from repository revision 3 with 1 unit",
        ]
    );
}

#[test]
fn another_revision_is_a_refresh_and_another_channel_is_followed_once() {
    let text = "applications: {site: {charm: site, channel: edge, revision: 3}}";
    let bundle = released(Bundle::parse(text, &[]).unwrap(), 3);
    for (model, words) in [
        (
            site("an older one", "edge", Some(1)),
            "refresh site to repository revision 3",
        ),
        (
            site("an older one", "stable", Some(1)),
            "refresh site to repository revision 3 and channel edge",
        ),
        (
            site("an uploaded one", "", None),
            "refresh site to repository revision 3 and channel edge",
        ),
        (
            site("digest of site", "stable", Some(3)),
            "refresh site to channel edge",
        ),
    ] {
        let steps = bundle.plan(&model, &charms()).unwrap();
        assert_eq!(shown(&steps), [words]);
        let model = applied(model, &steps);
        assert_eq!(bundle.plan(&model, &charms()).unwrap(), []);
    }
    // A bundle that names no channel is content with any.
    let text = "applications: {site: {charm: site, revision: 3}}";
    let silent = released(Bundle::parse(text, &[]).unwrap(), 3);
    let model = site("digest of site", "edge", Some(3));
    assert_eq!(silent.plan(&model, &charms()).unwrap(), []);
}

#[test]
fn what_is_no_revision_of_a_repository_is_refused() {
    for (application, told) in [
        ("{charm: site, revision: one}", "\"one\""),
        ("{charm: site, revision: '3'}", "\"3\""),
        ("{charm: site, revision: -1}", "-1"),
        ("{charm: site, revision: 1.5}", "1.5"),
        ("{charm: site, revision: true}", "true"),
        ("{charm: site, revision: [3]}", "[3]"),
        ("{charm: site, revision: 4294967296}", "4294967296"),
        ("{charm: ./site.charm, revision: 3}", "./site.charm"),
        ("{charm: 'local:site-0', revision: 3}", "local:site-0"),
    ] {
        let text = format!("applications:\n  front: {{charm: front}}\n  site: {application}\n");
        let error = Bundle::parse(&text, &[]).unwrap_err();
        assert_eq!(error.code(), "bundle-revision-invalid", "{text}: {error}");
        let words = error.to_string();
        assert!(
            words.contains("\"site\"") && words.contains(told),
            "{words}"
        );
        assert_eq!(line_of(&error, &text), Some(3), "{words}");
    }
}

#[test]
fn a_channel_of_a_file_is_ignored_and_told() {
    for charm in ["./site.charm", "'local:site-0'"] {
        let text = format!("applications: {{site: {{charm: {charm}, channel: edge}}}}");
        let bundle = Bundle::parse(&text, &[]).unwrap();
        let ignored: Vec<&String> = bundle.ignored.iter().collect();
        assert_eq!(ignored, ["applications.site.channel"]);
        // It is neither applied nor compared.
        let model = site("digest of site", "", None);
        assert_eq!(bundle.plan(&model, &charms()).unwrap(), []);
        let charms = ComparedCharm::all(&charms());
        let difference = bundle.difference(&model, &charms, &BTreeSet::new());
        assert!(difference.is_empty(), "{difference:?}");
    }
}

#[test]
fn an_overlay_names_another_revision_or_takes_it_back() {
    let laid = |overlay: &str| Bundle::parse(NAMED, &[overlay]).unwrap();
    let site = |bundle: &Bundle| bundle.applications[&"site".parse().unwrap()].clone();
    let other = site(&laid("applications: {site: {revision: 4}}"));
    assert_eq!(
        (other.channel.as_deref(), other.revision),
        (Some("edge"), Some(4))
    );
    let none = site(&laid("applications: {site: {num_units: 2}}"));
    assert_eq!(
        (none.channel.as_deref(), none.revision),
        (Some("edge"), Some(3))
    );
    let path = laid("applications: {site: {charm: ./site.charm, channel: null, revision: null}}");
    let taken = site(&path);
    assert_eq!((taken.channel, taken.revision), (None, None));
    assert!(path.ignored.is_empty(), "{:?}", path.ignored);
}

#[test]
fn revisions_and_channels_are_compared() {
    let text = "applications: {site: {charm: site, channel: edge, revision: 3}}";
    let bundle = released(Bundle::parse(text, &[]).unwrap(), 3);
    let known = ComparedCharm::all(&charms());
    let compared = |bundle: &Bundle, model: &CurrentModel| {
        let difference = bundle.difference(model, &known, &BTreeSet::new());
        serde_json::to_value(&difference).unwrap()["applications"]["site"].clone()
    };
    let same = compared(&bundle, &site("digest of site", "edge", Some(3)));
    assert!(same.is_null(), "{same}");
    let other = compared(&bundle, &site("an older one", "stable", Some(1)));
    let (edge, stable) = ("edge", "stable");
    assert_eq!(
        other,
        serde_json::json!({
            "charm": { "bundle": "digest of site", "model": "an older one" },
            "channel": { "bundle": edge, "model": stable },
            "revision": { "bundle": 3, "model": 1 },
        })
    );
    // A charm of elsewhere has no revision, and follows nothing.
    let uploaded = compared(&bundle, &site("an uploaded one", "", None));
    assert!(uploaded["revision"].is_null(), "{uploaded}");
    assert_eq!(
        uploaded["channel"],
        serde_json::json!({ "bundle": edge, "model": null })
    );
    // What a model remembers of a bundle is compared without the repository.
    let applied = AppliedBundle::of(&bundle, known.clone(), BTreeSet::new()).unwrap();
    let drift = applied
        .drift(&site("digest of site", "edge", None))
        .unwrap();
    assert!(drift.is_empty(), "{drift:?}");
    let drift = applied.drift(&site("an older one", "stable", None));
    let drift = serde_json::to_value(drift.unwrap()).unwrap();
    let drift = &drift["applications"]["site"];
    assert_eq!(drift["charm"]["model"], "an older one");
    assert_eq!(drift["channel"]["model"], stable);
}

proptest! {
    #[test]
    fn an_export_deploys_the_same_revision_again(
        revision in any::<u32>(),
        channel in "[a-zA-Z][a-zA-Z0-9./-]{0,20}",
    ) {
        let model = site("digest of site", &channel, Some(revision));
        let exported = Exported {
            charm: "site".to_owned(),
            channel: Some(channel.clone()),
            revision: Some(revision),
            ..Exported::default()
        };
        let exported = [("site".parse().unwrap(), exported)].into();
        let text = Bundle::of_model(&model, &exported).text().unwrap();
        let read = only_site(&text);
        prop_assert_eq!(&read.charm, "site");
        prop_assert_eq!(read.channel.as_ref(), Some(&channel));
        prop_assert_eq!(read.revision, Some(revision));
        let again = released(Bundle::parse(&text, &[]).unwrap(), revision);
        prop_assert!(again.ignored.is_empty());
        prop_assert!(again.plan(&model, &charms()).unwrap().is_empty());
        let charms = ComparedCharm::all(&charms());
        prop_assert!(again.difference(&model, &charms, &BTreeSet::new()).is_empty());
    }

    #[test]
    fn only_a_whole_number_is_a_revision(revision in prop_oneof![any::<i64>(), 0..=i64::from(u32::MAX)]) {
        let text = format!("applications: {{site: {{charm: site, revision: {revision}}}}}");
        let read = Bundle::parse(&text, &[]);
        match u32::try_from(revision) {
            Ok(revision) => prop_assert_eq!(only_site(&text).revision, Some(revision)),
            Err(_) => prop_assert_eq!(read.unwrap_err().code(), "bundle-revision-invalid"),
        }
    }
}
