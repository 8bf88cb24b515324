use serde_json::json;

use crate::Call;
use crate::access::{Effect, Visitor};
use crate::rest::ModelPermission;

/// As Juju has them: two versions of one facade, whose shapes differ.
mod charms {
    use crate::rpc::Empty;

    crate::facade! { "Charms" [6, 7] for Model(Read) {
        /// In both.
        [Read] List as ListCharms { names: Vec<String> } -> Vec<String>;
        [Read] ResolveCharms in 6 as ResolveCharms6 {} -> Vec<String>;
        /// Its answer has another shape.
        [Read] ResolveCharms in [7] as ResolveCharms {} -> Empty;
        #[names("PascalCase")]
        [Write] AddCharm as AddCharm for Model(Write) {
            charm_name: String,
            #[serde(rename = "configYAML", default)]
            config: Option<String>,
            #[serde(default, skip_serializing_if = "Option::is_none")]
            force: Option<bool>,
        } -> Empty;
        [Tell] Forget in 6 as Forget for Superuser {} -> Empty;
    } }
}

use charms::{AddCharm, Forget, ListCharms, ResolveCharms, ResolveCharms6};

#[test]
fn a_call_is_in_all_versions_of_its_facade_or_in_those_that_it_names() {
    assert_eq!(
        (ListCharms::VERSIONS, ListCharms::VERSION),
        (&[6, 7][..], 7)
    );
    assert_eq!(
        (ResolveCharms6::VERSIONS, ResolveCharms6::VERSION),
        (&[6][..], 6)
    );
    assert_eq!(ResolveCharms::VERSIONS, [7]);
    assert_eq!(ResolveCharms6::METHOD, ResolveCharms::METHOD);
    assert_eq!(charms::CALLS, 5);
}

#[test]
fn a_call_is_for_whom_its_facade_is_or_for_whom_it_says() {
    assert_eq!(ListCharms::VISITOR, Visitor::Model(ModelPermission::Read));
    assert_eq!(AddCharm::VISITOR, Visitor::Model(ModelPermission::Write));
    assert_eq!(
        (Forget::VISITOR, Forget::EFFECT),
        (Visitor::Superuser, Effect::Tell)
    );
}

#[test]
fn members_are_spelled_as_the_declaration_says() {
    let list = json!({ "names": ["site"] });
    let read: ListCharms = serde_json::from_value(list.clone()).unwrap();
    assert_eq!(serde_json::to_value(read).unwrap(), list);

    let add = json!({ "CharmName": "site", "configYAML": "a: 1" });
    let read: AddCharm = serde_json::from_value(add.clone()).unwrap();
    assert_eq!(serde_json::to_value(read).unwrap(), add);
    assert_eq!(AddCharm::FIELDS, ["charm_name", "config", "force"]);
}

#[test]
fn where_a_facade_is_declared_is_known() {
    assert!(ListCharms::PLACE.ends_with("facade::tests::charms"));
    assert_eq!(
        crate::juju::pinger::Ping::PLACE,
        "periapt_wire::juju::pinger"
    );
}

#[test]
fn a_version_that_the_facade_does_not_have_is_noticed_and_so_is_a_call_in_none() {
    assert!(super::has(&[6, 7], &[7]) && super::has(&[6, 7], &[7, 6]));
    assert!(!super::has(&[6, 7], &[7, 8]) && !super::has(&[6, 7], &[]));
}
