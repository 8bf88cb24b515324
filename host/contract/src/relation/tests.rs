//! Settings: read with the hook's own writes, changed by who may, within limits.

use std::collections::BTreeMap;

use crate::bounds::{EFFECTS_BYTES, SETTING_VALUE_BYTES, SETTINGS_BYTES, SETTINGS_KEYS};
use crate::testing::{Unit, bag, unit};
use crate::{CallErrorCode, HookTxn, Member, OwnBag, RelationInfo};

fn change(settings: &[(&str, &str)]) -> Vec<(String, Option<String>)> {
    let pairs = settings.iter();
    pairs
        .map(|(key, value)| ((*key).to_owned(), Some((*value).to_owned())))
        .collect()
}

fn relation(id: u64, endpoint: &str, remote: &str) -> RelationInfo {
    RelationInfo {
        id,
        endpoint: endpoint.to_owned(),
        remote_application: remote.to_owned(),
        members: vec![format!("{remote}/1")],
    }
}

/// `web/0` with peers and with a proxy.
fn related() -> Unit {
    let mut unit = unit();
    unit.relations = vec![
        relation(1, "cluster", "web"),
        relation(3, "website", "proxy"),
    ];
    let settings = [
        (1, Member::Unit("web/0".into()), bag(&[("who", "me")])),
        (1, Member::Unit("web/1".into()), bag(&[("who", "peer")])),
        (1, Member::Application("web".into()), bag(&[("all", "1")])),
        (3, Member::Unit("web/0".into()), bag(&[("port", "80")])),
        (3, Member::Unit("proxy/1".into()), bag(&[("up", "yes")])),
        (3, Member::Application("web".into()), bag(&[])),
        (3, Member::Application("proxy".into()), bag(&[("v", "2")])),
    ];
    let known = settings.into_iter();
    unit.settings = known
        .map(|(id, member, settings)| ((id, member), settings))
        .collect();
    unit
}

#[test]
fn own_settings_are_read_with_own_writes_and_only_changes_are_effects() {
    let unit = related();
    let (mut txn, mut context) = (HookTxn::default(), unit.context());
    txn.relation_set(
        &mut context,
        "website:3",
        OwnBag::Unit,
        change(&[("host", "a"), ("port", "")]),
    )
    .unwrap();
    assert_eq!(
        txn.relation_get(&mut context, "3", "web/0").unwrap(),
        bag(&[("host", "a")])
    );
    // Back to what is committed: nothing to do.
    txn.relation_set(
        &mut context,
        "3",
        OwnBag::Unit,
        change(&[("port", "80"), ("gone", "")]),
    )
    .unwrap();
    assert_eq!(
        txn.relation_get(&mut context, "website:3", "proxy/1")
            .unwrap(),
        bag(&[("up", "yes")])
    );
    let own = (3, Member::Unit("web/0".into()));
    let reads = unit.record.lock().unwrap().settings_reads.clone();
    assert_eq!(reads.iter().filter(|read| **read == own).count(), 1);
    let effects = txn.into_effects();
    assert_eq!(
        effects.relations[&3].unit,
        BTreeMap::from([("host".to_owned(), Some("a".to_owned()))])
    );
    assert_eq!(effects.relations.len(), 1);
    assert!(!effects.needs_leadership());
}

#[test]
fn what_all_units_share_is_the_leaders_to_change() {
    let mut unit = related();
    let set = |unit: &Unit, relation: &str| {
        let (mut txn, mut context) = (HookTxn::default(), unit.context());
        let change = change(&[("url", "x")]);
        let set = txn.relation_set(&mut context, relation, OwnBag::Application, change);
        set.map(|()| txn.into_effects())
            .map_err(|error| error.code())
    };
    let read = |unit: &Unit, relation: &str| {
        let (mut txn, mut context) = (HookTxn::default(), unit.context());
        let read = txn.relation_get(&mut context, relation, "web");
        read.map_err(|error| error.code())
    };
    assert_eq!(set(&unit, "3"), Err("denied"));
    assert_eq!(read(&unit, "3"), Err("denied"));
    assert_eq!(read(&unit, "1"), Ok(bag(&[("all", "1")])), "peers are told");
    let (mut txn, mut context) = (HookTxn::default(), unit.context());
    let told = txn.leader_set(&mut context, change(&[("key", "x")]));
    assert_eq!(told.unwrap_err().code(), "denied");

    unit.leader = true;
    unit.told = bag(&[("old", "1")]);
    assert!(set(&unit, "3").unwrap().needs_leadership());
    assert_eq!(read(&unit, "3"), Ok(bag(&[])));
    let (mut txn, mut context) = (HookTxn::default(), unit.context());
    txn.leader_set(&mut context, change(&[("key", "x"), ("old", "1")]))
        .unwrap();
    assert_eq!(
        txn.leader_get(&mut context).unwrap(),
        bag(&[("key", "x"), ("old", "1")])
    );
    let effects = txn.into_effects();
    assert_eq!(effects.leader.len(), 1, "what is so already is no change");
}

#[test]
fn who_takes_no_part_and_what_is_no_relation_is_said() {
    let unit = related();
    let (mut txn, mut context) = (HookTxn::default(), unit.context());
    let mut get = |relation: &str, member: &str| {
        let read = txn.relation_get(&mut context, relation, member);
        read.map_err(|error| error.to_string())
    };
    for (relation, member, said) in [
        ("7", "proxy/1", "the unit is not in relation 7"),
        (
            "cluster:3",
            "proxy/1",
            "the unit is not in relation cluster:3",
        ),
        (
            "site",
            "proxy/1",
            "\"site\" is not a relation; one is named like \"website:3\"",
        ),
        ("3", "db/0", "\"db/0\" takes no part in relation website:3"),
        ("3", "db", "\"db\" takes no part in relation website:3"),
        ("3", "proxy/9", "never was in scope"),
    ] {
        assert_eq!(get(relation, member), Err(said.to_owned()));
    }
    assert_eq!(get("3", "proxy"), Ok(bag(&[("v", "2")])));
}

#[test]
fn limits_of_keys_values_and_a_whole_bag() {
    let unit = related();
    let (mut txn, mut context) = (HookTxn::default(), unit.context());
    let mut set = |pairs: &[(String, usize)]| {
        let pairs = pairs.iter();
        let settings = pairs
            .map(|(key, bytes)| (key.clone(), Some("x".repeat(*bytes))))
            .collect();
        txn.relation_set(&mut context, "3", OwnBag::Unit, settings)
            .map_err(|error| error.code)
    };
    let one = |key: &str, bytes: usize| [(key.to_owned(), bytes)];
    assert_eq!(set(&one("", 1)), Err(CallErrorCode::Invalid));
    assert_eq!(set(&one("a=b", 1)), Err(CallErrorCode::Invalid));
    assert_eq!(set(&one(&"k".repeat(257), 1)), Err(CallErrorCode::Limit));
    assert_eq!(set(&one(&"k".repeat(256), 1)), Ok(()));
    let most = SETTING_VALUE_BYTES.length();
    assert_eq!(set(&one("big", most + 1)), Err(CallErrorCode::Limit));
    for number in 0..SETTINGS_BYTES.length() / most - 1 {
        assert_eq!(set(&one(&format!("{number:03}"), most)), Ok(()));
    }
    let two = [("small".to_owned(), 1), ("full".to_owned(), most)];
    assert_eq!(set(&two), Err(CallErrorCode::Limit));
    assert_eq!(set(&one("000", 0)), Ok(()));
    assert_eq!(set(&two[1..]), Ok(()), "what was deleted makes room");
    let read = txn.relation_get(&mut context, "3", "web/0").unwrap();
    assert!(!read.contains_key("small"), "all of a call or nothing");
}

/// What a bag takes is counted as it is sent, so that a bag that is kept can be read.
#[test]
fn a_bag_is_bounded_as_it_is_sent_and_so_is_all_that_a_hook_changes() {
    let mut unit = related();
    unit.relations.push(relation(4, "website", "proxy"));
    let own = (4, Member::Unit("web/0".into()));
    unit.settings.insert(own, bag(&[]));
    let (mut txn, mut context) = (HookTxn::default(), unit.context());
    let mut set = |relation: &str, key: String, value: String| {
        let settings = vec![(key, Some(value))];
        txn.relation_set(&mut context, relation, OwnBag::Unit, settings)
            .map_err(|error| error.code)
    };
    // A control character takes six bytes.
    let control = "\u{1}".repeat(SETTING_VALUE_BYTES.length());
    assert_eq!(set("3", "one".into(), control.clone()), Ok(()));
    assert_eq!(
        set("3", "two".into(), control.clone()),
        Err(CallErrorCode::Limit)
    );
    assert_eq!(
        set("4", "one".into(), control.clone()),
        Err(CallErrorCode::Limit)
    );
    let plain = "x".repeat(SETTING_VALUE_BYTES.length());
    assert!(EFFECTS_BYTES.length() <= 2 * 6 * plain.len());
    assert_eq!(set("4", "one".into(), plain.clone()), Ok(()));
    assert_eq!(set("3", "one".into(), String::new()), Ok(()));
    assert_eq!(
        set("4", "two".into(), control),
        Ok(()),
        "what was taken back makes room"
    );
}

#[test]
fn a_bag_has_a_bound_on_its_keys_and_a_refused_call_leaves_it_as_it_was() {
    let unit = related();
    let (mut txn, mut context) = (HookTxn::default(), unit.context());
    let before = txn.relation_get(&mut context, "3", "web/0").unwrap();
    let many = |count: u64| {
        let keys = 0..count;
        keys.map(|key| (format!("k{key}"), Some("v".to_owned())))
            .collect::<Vec<_>>()
    };
    let room = SETTINGS_KEYS.most - before.len() as u64;
    let refused = txn.relation_set(&mut context, "3", OwnBag::Unit, many(room + 1));
    assert_eq!(refused.unwrap_err().code, CallErrorCode::Limit);
    let after = txn.relation_get(&mut context, "3", "web/0").unwrap();
    assert_eq!(after, before);
    txn.relation_set(&mut context, "3", OwnBag::Unit, many(room))
        .unwrap();
    let effects = txn.into_effects();
    assert_eq!(effects.relations[&3].unit.len() as u64, room);
}
