use super::*;

fn release(text: &str) -> Release {
    Release {
        sha256: Digest::of(text),
        size: text.len() as u64,
    }
}

#[test]
fn revisions_count_up_and_the_same_archive_keeps_its_own() {
    let mut index = Index::default();
    let mut publish =
        |channel: &str, text: &str, wanted| index.publish("site", channel, release(text), wanted);
    assert_eq!(publish("edge", "a", None), Ok(0));
    assert_eq!(publish("edge", "b", None), Ok(1));
    assert_eq!(publish("edge", "b", Some(1)), Ok(1));
    assert_eq!(publish("stable", "a", None), Ok(0));
    assert_eq!(publish("stable", "b", None), Ok(1));
    assert_eq!(publish("edge", "c", Some(7)), Ok(7));
    assert_eq!(index.newest("site", "edge"), Ok((7, &release("c"))));
    assert_eq!(index.newest("site", "stable"), Ok((1, &release("b"))));
    assert_eq!(
        index.channels("site").unwrap(),
        [("edge", 7, &release("c")), ("stable", 1, &release("b"))]
    );
    let missing = index.channels("sitte").unwrap_err().to_string();
    assert!(missing.contains("site"), "{missing}");
}

#[test]
fn what_is_not_newer_is_refused_and_leaves_the_index_as_it_was() {
    let mut index = Index::default();
    for text in ["a", "b"] {
        index.publish("site", CHANNEL, release(text), None).unwrap();
    }
    let before = index.clone();
    for (charm, channel, text, wanted, why) in [
        ("site", CHANNEL, "c", Some(1), "is not newer than 1"),
        ("site", CHANNEL, "c", Some(0), "is not newer than 1"),
        ("site", CHANNEL, "b", Some(2), "is already revision 1"),
        ("site", CHANNEL, "a", None, "is at revision 1"),
        ("Site", CHANNEL, "c", None, "is not a charm's name"),
        ("site", "", "c", None, "is not a valid name"),
        ("site", "../edge", "c", None, "is not a valid name"),
    ] {
        let refused = index.publish(charm, channel, release(text), wanted);
        let refused = refused.unwrap_err().to_string();
        assert!(refused.contains(why), "{refused}");
        assert_eq!(index, before);
    }
}

#[test]
fn the_last_revision_has_none_after_it() {
    let mut index = Index::default();
    let last = index.publish("site", CHANNEL, release("a"), Some(u32::MAX));
    assert_eq!(last, Ok(u32::MAX));
    let full = index.publish("site", CHANNEL, release("b"), None);
    assert!(
        matches!(full, Err(RepositoryError::Full { .. })),
        "{full:?}"
    );
}

#[test]
fn an_index_goes_to_text_and_back_and_is_the_same_text_again() {
    let mut index = Index::default();
    for (charm, text) in [("site", "a"), ("front", "b"), ("site", "c")] {
        index.publish(charm, CHANNEL, release(text), None).unwrap();
    }
    let text = index.write().unwrap();
    let read = Index::read(&text).unwrap();
    assert_eq!(read, index);
    assert_eq!(read.write().unwrap(), text);
}

#[test]
fn an_index_that_is_not_sound_is_refused() {
    for (text, why) in [
        ("", "cannot be read"),
        (r#"{"format":1,"charms":{},"more":1}"#, "more"),
        (r#"{"format":2,"charms":{}}"#, "format 2"),
        (
            r#"{"format":1,"charms":{"../x":{"channels":{},"revisions":{}}}}"#,
            "not a charm's name",
        ),
        (
            r#"{"format":1,"charms":{"x":{"channels":{"edge":3},"revisions":{}}}}"#,
            "does not exist",
        ),
        (
            r#"{"format":1,"charms":{"x":{"channels":{},"revisions":{"0":{"sha256":"../x","size":1}}}}}"#,
            "SHA-256",
        ),
    ] {
        let refused = Index::read(text).unwrap_err().to_string();
        assert!(refused.contains(why), "{text}: {refused}");
    }
}

#[test]
fn who_misspells_is_told_the_nearest_name() {
    let mut index = Index::default();
    index.publish("site", CHANNEL, release("a"), None).unwrap();
    let charm = index.newest("sit", CHANNEL).unwrap_err().to_string();
    assert!(charm.ends_with("did you mean \"site\"?"), "{charm}");
    let channel = index.newest("site", "stabel").unwrap_err().to_string();
    assert!(channel.ends_with("did you mean \"stable\"?"), "{channel}");
}

#[test]
fn an_older_revision_is_found_by_its_number_and_an_unknown_one_is_refused_with_those_that_exist() {
    let mut index = Index::default();
    for (text, wanted) in [("a", None), ("b", None), ("c", Some(7))] {
        index
            .publish("site", CHANNEL, release(text), wanted)
            .unwrap();
    }
    index.publish("site", "edge", release("d"), None).unwrap();
    let find = |channel, wanted| index.find("site", channel, wanted);
    assert_eq!(find(CHANNEL, None), Ok((7, &release("c"))));
    assert_eq!(find(CHANNEL, Some(7)), Ok((7, &release("c"))));
    assert_eq!(find(CHANNEL, Some(0)), Ok((0, &release("a"))));
    assert_eq!(find("edge", Some(1)), Ok((1, &release("b"))));
    assert_eq!(find(CHANNEL, Some(8)), Ok((8, &release("d"))));
    let unknown = find(CHANNEL, Some(5)).unwrap_err().to_string();
    assert_eq!(unknown, "charm \"site\" has no revision 5; it has 0-1, 7-8");
    let channel = find("beta", Some(0)).unwrap_err();
    assert!(matches!(channel, RepositoryError::NoChannel { .. }));
    assert_eq!(index.revisions("site"), Ok(vec![0, 1, 7, 8]));
    assert!(index.revisions("front").is_err());
}

#[test]
fn an_archive_has_the_revision_under_which_it_was_published() {
    let mut index = Index::default();
    for text in ["a", "b"] {
        index.publish("site", CHANNEL, release(text), None).unwrap();
    }
    let of = |charm: &str, text: &str| index.revision_of(charm, &release(text).sha256.to_string());
    assert_eq!(of("site", "a"), Some(0));
    assert_eq!(of("site", "b"), Some(1));
    assert_eq!(of("site", "c"), None);
    assert_eq!(of("front", "a"), None);
    assert_eq!(index.revision_of("site", "no digest"), None);
}

#[test]
fn of_many_revisions_a_refusal_names_the_newest() {
    let named = ranges((0..100).map(|number| number * 2));
    assert!(named.starts_with("older ones, 176, "), "{named}");
    assert!(named.ends_with(", 196, 198"), "{named}");
    assert_eq!(ranges(0..10_000), "0-9999");
    assert_eq!(
        ranges([u32::MAX - 1, u32::MAX].into_iter()),
        format!("{}-{}", u32::MAX - 1, u32::MAX)
    );
}

#[test]
fn an_application_is_told_of_what_its_channel_is_at() {
    let mut index = Index::default();
    let sum = |text: &str| release(text).sha256.to_string();
    for (text, channel) in [("a", CHANNEL), ("b", "edge"), ("c", "edge")] {
        index.publish("site", channel, release(text), None).unwrap();
    }
    let upgrade = |channel, text| index.upgrade("site", channel, &sum(text));
    assert_eq!(upgrade(Some("edge"), "a"), Some(2));
    assert_eq!(upgrade(Some("edge"), "c"), None, "it is there already");
    assert_eq!(upgrade(None, "a"), None);
    assert_eq!(upgrade(None, "b"), None, "never back to an older one");
    assert_eq!(upgrade(Some(CHANNEL), "c"), None);
    assert_eq!(upgrade(Some("beta"), "a"), None, "no such channel");
    // An archive of elsewhere: only who chose a channel follows one.
    assert_eq!(upgrade(None, "z"), None);
    assert_eq!(upgrade(Some(CHANNEL), "z"), Some(0));
    assert_eq!(index.upgrade("front", Some("edge"), &sum("a")), None);
    index.publish("site", CHANNEL, release("c"), None).unwrap();
    assert_eq!(index.upgrade("site", None, &sum("a")), Some(2));
    assert_eq!(shown("site", 2), "repository:site-2");
}

#[test]
fn a_place_is_a_path_or_an_address() {
    for sound in [
        "",
        "/srv/charms",
        "http://127.0.0.1:8000",
        "https://charms.example/shop/",
        "http://[::1]:8000/x",
        "http://[::1]/x",
    ] {
        assert!(is_place(sound), "{sound}");
    }
    for bad in [
        "charms",
        "./charms",
        "ftp://charms.example",
        "https://",
        "https:///charms",
        "https://user:word@charms.example/",
        "https://charms.example/?token=x",
        "https://charms.example/#x",
        "https://charms.example:port/",
        "https://charms.example/a b",
        "/srv/\ncharms",
    ] {
        assert!(!is_place(bad), "{bad}");
    }
}
