use super::{
    Content, Described, Grant, Mode, Named, OwnedSecret, Owner, ReadSecret, Reader, RotatePolicy,
    SecretId,
};
use crate::bounds::{SECRET_BYTES, SECRETS_CHANGED, SECRETS_READ};
use crate::testing::{Unit, unit};
use crate::{CallErrorCode, Effect, HookTxn, RelationInfo};

fn id(number: u8) -> SecretId {
    SecretId::of_random([number; 12])
}

fn content(values: &[(&str, &str)]) -> Content {
    let values = values.iter();
    Content::new(values.map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))).unwrap()
}

fn labelled(label: &str) -> Described {
    Described {
        label: Some(label.to_owned()),
        ..Described::default()
    }
}

fn owned(number: u8, owner: Owner, label: &str, revisions: &[u32]) -> OwnedSecret {
    OwnedSecret {
        id: id(number),
        owner,
        label: label.to_owned(),
        description: String::new(),
        rotate: RotatePolicy::Never,
        next_rotate: None,
        expires: None,
        revisions: revisions.to_vec(),
        grants: [].into(),
    }
}

fn read(number: u8, revision: u32, value: &str, reader: Option<(u32, &str)>) -> ReadSecret {
    ReadSecret {
        id: id(number),
        revision,
        content: content(&[("password", value)]),
        owned: false,
        reader: reader.map(|(revision, label)| Reader {
            revision,
            label: label.to_owned(),
        }),
    }
}

/// Owns one of each kind, is in one relation, and may read two of others.
fn context() -> Unit {
    let relation = RelationInfo {
        id: 3,
        endpoint: "website".into(),
        remote_application: "blog".into(),
        members: vec!["blog/0".into(), "blog/1".into()],
    };
    Unit {
        leader: true,
        relations: vec![relation],
        secrets: vec![
            owned(101, Owner::Unit, "own", &[1, 2]),
            owned(102, Owner::Application, "shared", &[4]),
        ],
        readable: vec![
            (
                read(201, 1, "old", Some((1, "theirs"))),
                read(201, 2, "new", Some((1, "theirs"))),
            ),
            (read(202, 5, "first", None), read(202, 5, "first", None)),
        ],
        ..unit()
    }
}

fn value(content: &Content) -> &str {
    &content.values()["password"]
}

#[test]
fn ids_are_twenty_characters_and_are_read_with_and_without_their_scheme() {
    let one = SecretId::of_random([0xff; 12]);
    assert_eq!(one.as_str().len(), 20);
    assert_ne!(one, SecretId::of_random([0xfe; 12]));
    assert_eq!(one.uri().parse::<SecretId>().unwrap(), one);
    assert_eq!(one.as_str().parse::<SecretId>().unwrap(), one);
    for wrong in [
        "",
        "secret:",
        "secret:abc",
        "vvvvvvvvvvvvvvvvvvvw",
        "secret://m/vvvvvvvvvvvvvvvvvvvv",
    ] {
        assert!(wrong.parse::<SecretId>().is_err(), "{wrong}");
    }
}

#[test]
fn keys_are_as_in_juju_and_no_value_is_ever_shown() {
    for wrong in ["ab", "1ab", "Abc", "ab-", "a_c", ""] {
        let refused = Content::new([(wrong.to_owned(), "x".to_owned())]).unwrap_err();
        assert_eq!(refused.code, CallErrorCode::Invalid, "{wrong}");
    }
    let twice = [("key", "1"), ("key", "2")].map(|(k, v)| (k.to_owned(), v.to_owned()));
    assert!(Content::new(twice).is_err());
    assert!(Content::new([]).is_err());
    let large = "x".repeat(SECRET_BYTES.length());
    let refused = Content::new([("key".to_owned(), large)]).unwrap_err();
    assert_eq!(refused.code, CallErrorCode::Limit);

    let (mut txn, mut context) = (HookTxn::default(), context());
    let made = content(&[("password", "hunter2")]);
    let added = txn.secret_add(&mut context, Owner::Unit, made, labelled("db"));
    let added = added.unwrap();
    let effects = txn.into_effects();
    let shown = format!("{effects:?} {:?}", effects.in_words());
    assert!(!shown.contains("hunter2"), "{shown}");
    assert_eq!(effects.secrets.words(), [format!("secret {added} added")]);
}

#[test]
fn what_a_hook_adds_and_changes_it_reads_and_nobody_else_before_the_commit() {
    let (mut txn, mut context) = (HookTxn::default(), context());
    let first = content(&[("password", "one")]);
    let added = txn
        .secret_add(&mut context, Owner::Unit, first, labelled("db"))
        .unwrap();
    let uri = added.uri();
    let get = |txn: &mut HookTxn, context: &mut Unit, secret: Option<&str>, label| {
        let found = txn.secret_get(context, secret, label, Mode::Kept).unwrap();
        value(&found).to_owned()
    };
    assert_eq!(get(&mut txn, &mut context, Some(&uri), None), "one");
    let second = Some(content(&[("password", "two")]));
    txn.secret_set(&mut context, &uri, second, Described::default())
        .unwrap();
    assert_eq!(get(&mut txn, &mut context, None, Some("db")), "two");
    let own = id(101).uri();
    let changed = Some(content(&[("password", "three")]));
    txn.secret_set(&mut context, &own, changed, labelled("renamed"))
        .unwrap();
    assert_eq!(get(&mut txn, &mut context, None, Some("renamed")), "three");
    assert!(context.record.lock().unwrap().secrets_read.is_empty());
    assert_eq!(txn.secret_ids(&mut context).unwrap().len(), 3);

    let secrets = txn.into_effects().secrets;
    let new = &secrets.added[&added];
    assert_eq!(value(&new.content), "two");
    assert_eq!(new.described.label.as_deref(), Some("db"));
    let changed = &secrets.changed[&id(101)];
    assert_eq!(changed.described.label.as_deref(), Some("renamed"));
    assert!(secrets.read.is_empty());
}

#[test]
fn a_reader_stays_on_its_revision_until_it_refreshes_and_peeking_leaves_it_there() {
    let (mut txn, mut context) = (HookTxn::default(), context());
    let uri = id(201).uri();
    let mut get = |txn: &mut HookTxn, label, mode| {
        let found = txn.secret_get(&mut context, Some(&uri), label, mode);
        value(&found.unwrap()).to_owned()
    };
    assert_eq!(get(&mut txn, None, Mode::Kept), "old");
    assert_eq!(get(&mut txn, None, Mode::Peek), "new");
    assert_eq!(get(&mut txn, None, Mode::Kept), "old");
    assert_eq!(get(&mut txn, None, Mode::Refresh), "new");
    assert_eq!(get(&mut txn, None, Mode::Kept), "new");
    let kept = txn.into_effects().secrets.read;
    assert_eq!(
        kept[&id(201)],
        Reader {
            revision: 2,
            label: "theirs".into()
        }
    );

    // The first time is remembered, and with the label that is given.
    let mut txn = HookTxn::default();
    let uri = id(202).uri();
    let found = txn.secret_get(&mut context, Some(&uri), Some("mail"), Mode::Kept);
    assert_eq!(value(&found.unwrap()), "first");
    let again = txn.secret_get(&mut context, None, Some("mail"), Mode::Kept);
    assert_eq!(value(&again.unwrap()), "first");
    let asked = context.record.lock().unwrap().secrets_read.clone();
    assert_eq!(asked.last(), Some(&(Named::Id(id(202)), false)));
    let read = txn.into_effects().secrets.read;
    assert_eq!(read[&id(202)].label, "mail");
    assert_eq!(read[&id(202)].revision, 5);

    // What was read as it is on record changes nothing.
    let mut txn = HookTxn::default();
    txn.secret_get(&mut context, None, Some("theirs"), Mode::Kept)
        .unwrap();
    assert!(txn.into_effects().is_empty());
}

#[test]
fn a_label_that_a_reader_gives_is_of_one_secret_and_of_none_that_was_read_in_the_same_hook() {
    let (mut txn, mut context) = (HookTxn::default(), context());
    let (one, other) = (id(201).uri(), id(202).uri());
    let mut get = |txn: &mut HookTxn, secret: Option<&str>, label, mode| {
        let found = txn.secret_get(&mut context, secret, label, mode);
        value(&found.unwrap()).to_owned()
    };
    get(&mut txn, Some(&one), None, Mode::Refresh);
    get(&mut txn, Some(&other), None, Mode::Kept);
    // Also to one that was read before without.
    get(&mut txn, Some(&other), Some("theirs"), Mode::Kept);
    for mode in [Mode::Kept, Mode::Peek] {
        let found = get(&mut txn, None, Some("theirs"), mode);
        assert_ne!(found, "new", "the other has the label");
    }
    get(&mut txn, Some(&one), None, Mode::Refresh);
    let read = txn.into_effects().secrets.read;
    assert_eq!(read[&id(201)].label, "");
    assert_eq!(read[&id(202)].label, "theirs");

    // One that is read afterwards has it no more either; given back, all is as it is on record.
    let mut txn = HookTxn::default();
    get(&mut txn, Some(&other), Some("theirs"), Mode::Kept);
    get(&mut txn, Some(&one), None, Mode::Refresh);
    get(&mut txn, Some(&one), Some("theirs"), Mode::Refresh);
    let read = txn.into_effects().secrets.read;
    assert_eq!(read[&id(201)].label, "theirs");
    assert_eq!(read[&id(202)].label, "");
}

#[test]
fn what_is_the_applications_is_the_leaders_to_add_and_to_change() {
    let (mut txn, mut context) = (HookTxn::default(), context());
    context.leader = false;
    let some = || content(&[("password", "x")]);
    let denied = txn.secret_add(
        &mut context,
        Owner::Application,
        some(),
        Described::default(),
    );
    assert_eq!(denied.unwrap_err().code, CallErrorCode::Denied);
    let shared = id(102).uri();
    let set = txn.secret_set(&mut context, &shared, Some(some()), Described::default());
    assert_eq!(set.unwrap_err().code, CallErrorCode::Denied);
    let removed = txn.secret_remove(&mut context, &shared, None);
    assert_eq!(removed.unwrap_err().code, CallErrorCode::Denied);
    // Every unit is told of it.
    let info = txn.secret_info(&mut context, None, Some("shared")).unwrap();
    assert_eq!(info.id, id(102));
    assert!(txn.into_effects().is_empty());

    let mut txn = HookTxn::default();
    context.leader = true;
    txn.secret_set(&mut context, &shared, Some(some()), Described::default())
        .unwrap();
    assert!(txn.into_effects().needs_leadership());
    let mut txn = HookTxn::default();
    txn.secret_remove(&mut context, &id(101).uri(), Some(1))
        .unwrap();
    assert!(!txn.into_effects().needs_leadership());
}

#[test]
fn grants_are_of_a_relation_and_what_is_taken_back_in_the_same_hook_was_never_granted() {
    let (mut txn, mut context) = (HookTxn::default(), context());
    let own = id(101).uri();
    txn.secret_grant(&mut context, &own, "website:3", None)
        .unwrap();
    txn.secret_grant(&mut context, &own, "3", Some("blog/1"))
        .unwrap();
    let nobody = txn.secret_grant(&mut context, &own, "3", Some("mail/0"));
    assert_eq!(nobody.unwrap_err().code, CallErrorCode::NotFound);
    let nowhere = txn.secret_grant(&mut context, &own, "website:9", None);
    assert_eq!(nowhere.unwrap_err().code, CallErrorCode::NotFound);
    txn.secret_revoke(&mut context, &own, None, Some("blog/1"))
        .unwrap();
    let info = txn.secret_info(&mut context, Some(&own), None).unwrap();
    let blog = Grant {
        relation: 3,
        to: "blog".into(),
    };
    assert_eq!(info.grants, [blog.clone()].into());
    let grants = txn.into_effects().secrets.grants;
    assert_eq!(grants[&id(101)].granted, [blog.clone()].into());
    assert!(grants[&id(101)].revoked.is_empty());

    let mut txn = HookTxn::default();
    context.secrets[0].grants = [blog.clone()].into();
    txn.secret_grant(&mut context, &own, "3", None).unwrap();
    assert!(
        txn.into_effects().is_empty(),
        "what was granted before is no change"
    );
    let mut txn = HookTxn::default();
    txn.secret_revoke(&mut context, &own, Some("3"), None)
        .unwrap();
    let grants = txn.into_effects().secrets.grants;
    assert_eq!(grants[&id(101)].revoked, [blog].into());
}

#[test]
fn a_secret_goes_with_its_last_revision_and_one_that_was_added_here_was_never_there() {
    let (mut txn, mut context) = (HookTxn::default(), context());
    let own = id(101).uri();
    let unknown = txn.secret_remove(&mut context, &own, Some(9));
    assert_eq!(unknown.unwrap_err().code, CallErrorCode::NotFound);
    txn.secret_remove(&mut context, &own, Some(1)).unwrap();
    let info = txn.secret_info(&mut context, Some(&own), None).unwrap();
    assert_eq!(info.revisions, [2]);
    txn.secret_remove(&mut context, &own, Some(2)).unwrap();
    let gone = txn.secret_info(&mut context, Some(&own), None);
    assert_eq!(gone.unwrap_err().code, CallErrorCode::NotFound);
    let gone = txn.secret_get(&mut context, Some(&own), None, Mode::Kept);
    assert_eq!(gone.unwrap_err().code, CallErrorCode::NotFound);
    let some = content(&[("password", "x")]);
    let added = txn.secret_add(&mut context, Owner::Unit, some, Described::default());
    let added = added.unwrap().uri();
    txn.secret_remove(&mut context, &added, None).unwrap();
    let secrets = txn.into_effects().secrets;
    assert!(secrets.added.is_empty());
    assert!(secrets.removed[&id(101)].revisions.is_empty(), "all of it");
    assert_eq!(secrets.words(), [format!("secret {} removed", id(101))]);
}

#[test]
fn a_label_is_its_owners_once_and_one_line() {
    let (mut txn, mut context) = (HookTxn::default(), context());
    let some = || content(&[("password", "x")]);
    for wrong in ["own", "two\nlines"] {
        let refused = txn.secret_add(&mut context, Owner::Unit, some(), labelled(wrong));
        assert_eq!(refused.unwrap_err().code, CallErrorCode::Invalid, "{wrong}");
    }
    // The other owner's is another.
    txn.secret_add(&mut context, Owner::Application, some(), labelled("own"))
        .unwrap();
    txn.secret_set(&mut context, &id(101).uri(), None, labelled("own"))
        .unwrap();
    let nothing = txn.secret_get(&mut context, None, None, Mode::Kept);
    assert_eq!(nothing.unwrap_err().code, CallErrorCode::Invalid);
}

#[test]
fn a_hook_changes_and_reads_so_many() {
    let (mut txn, mut context) = (HookTxn::default(), context());
    let uri = id(201).uri();
    for _ in 0..SECRETS_READ.most {
        txn.secret_get(&mut context, Some(&uri), None, Mode::Peek)
            .unwrap();
    }
    let refused = txn.secret_get(&mut context, Some(&uri), None, Mode::Peek);
    assert_eq!(refused.unwrap_err().code, CallErrorCode::Limit);
    let own = id(101).uri();
    txn.secret_grant(&mut context, &own, "3", None).unwrap();
    let mut refused = None;
    for _ in 0..=SECRETS_CHANGED.most {
        let some = content(&[("password", "x")]);
        context.record.lock().unwrap().secrets_made = 0;
        let secrets = txn.secret_add(&mut context, Owner::Unit, some, Described::default());
        refused = secrets.err();
        if refused.is_some() {
            break;
        }
        // Ids of this context come again, so each is made another's.
        let added = std::mem::take(&mut txn.secrets.changes.added);
        let moved = added.into_values().enumerate();
        txn.secrets.changes.added = moved
            .map(|(number, new)| {
                let mut bytes = [7; 12];
                bytes[..8].copy_from_slice(&(number as u64).to_be_bytes());
                (SecretId::of_random(bytes), new)
            })
            .collect();
    }
    assert_eq!(refused.unwrap().code, CallErrorCode::Limit);
}

#[test]
fn a_secret_expires_at_a_time_that_there_is() {
    for (seconds, micros) in [
        (0, 0),
        (1_800_000_000, 1_800_000_000_000_000),
        (253_370_764_799, 253_370_764_799_000_000),
    ] {
        assert_eq!(Described::expires_at(seconds).unwrap(), micros);
    }
    for wrong in [
        -1,
        i64::MIN,
        253_370_764_800,
        i64::MAX / 1_000_000 + 1,
        i64::MAX,
    ] {
        let refused = Described::expires_at(wrong).unwrap_err();
        assert_eq!(refused.code, CallErrorCode::Invalid, "{wrong}");
    }
}
