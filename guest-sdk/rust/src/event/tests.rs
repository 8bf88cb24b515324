use super::*;

fn attributes(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    let owned = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
    pairs.iter().map(owned).collect()
}

#[test]
fn hooks_of_relations_carry_what_happened() {
    let given = attributes(&[
        ("relation", "my-site"),
        ("relation-id", "my-site:3"),
        ("remote-unit", "front/1"),
        ("remote-application", "front"),
        ("departing-unit", "front/1"),
    ]);
    let event = Event::read("my-site-relation-departed", given.clone()).expect("reads");
    let relation = event.relation().expect("is one of a relation");
    assert_eq!(
        (relation.hook, relation.endpoint.as_str()),
        (RelationHook::Departed, "my-site")
    );
    assert_eq!(relation.relation, "my-site:3");
    assert_eq!(relation.remote_application, "front");
    assert_eq!(relation.remote_unit.as_deref(), Some("front/1"));
    assert_eq!(relation.departing_unit.as_deref(), Some("front/1"));
    assert_eq!(event.name(), "my-site-relation-departed");
    assert_eq!(event.hook(), None);
    assert_eq!(Event::from(relation.clone()), event);
}

#[test]
fn hooks_of_storage_carry_which_it_is_and_where() {
    let given = attributes(&[
        ("storage-id", "my-data/3"),
        ("storage-location", "/storage/my-data/3"),
        ("storage-kind", "filesystem"),
    ]);
    let event = Event::read("my-data-storage-detaching", given).expect("reads");
    let storage = event.storage().expect("is one of a storage");
    assert_eq!(
        (storage.hook, storage.name.as_str(), storage.id.as_str()),
        (StorageHook::Detaching, "my-data", "my-data/3")
    );
    assert_eq!(storage.location.display().to_string(), "/storage/my-data/3");
    assert_eq!(event.name(), "my-data-storage-detaching");
    assert_eq!((event.hook(), event.relation()), (None, None));
    assert_eq!(Event::from(storage.clone()), event);
    let incomplete = Event::read("data-storage-attached", Vec::new());
    assert!(incomplete.expect_err("incomplete").contains("storage-id"));
}

#[test]
fn attributes_that_do_not_apply_are_none() {
    let given = attributes(&[
        ("relation-id", "site:3"),
        ("remote-application", "front"),
        ("remote-unit", ""),
    ]);
    let event = Event::read("site-relation-changed", given).expect("reads");
    let relation = event.relation().expect("is one of a relation");
    assert_eq!(
        (&relation.remote_unit, &relation.departing_unit),
        (&None, &None)
    );
}

#[test]
fn what_the_sdk_does_not_know_is_named() {
    assert!(
        Event::read("site-pebble-ready", Vec::new())
            .expect_err("unknown")
            .contains("site-pebble-ready")
    );
    assert!(
        Event::read("site-relation-joined", Vec::new())
            .expect_err("incomplete")
            .contains("relation-id")
    );
    for hook in Hook::ALL {
        let event = Event::read(hook.as_str(), Vec::new()).expect("reads");
        assert_eq!(event.hook(), Some(*hook));
    }
}

#[test]
fn what_is_asked_for_may_be_called_like_a_hook() {
    for (name, expected) in [
        ("actions/start", Occasion::Action("start".to_owned())),
        (
            "actions/site-relation-joined",
            Occasion::Action("site-relation-joined".to_owned()),
        ),
        ("commands/list", Occasion::Command("list".to_owned())),
    ] {
        let event = Event::read(name, Vec::new()).expect("reads");
        assert_eq!(event.occasion, expected);
        assert_eq!(event.name(), name);
        assert_eq!((event.hook(), event.relation()), (None, None));
    }
}
