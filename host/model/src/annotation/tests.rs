use super::*;

#[test]
fn an_entity_is_named_by_its_tag_or_as_people_name_it() {
    for (text, tag) in [
        ("site", "application-site"),
        ("application-site", "application-site"),
        (
            "application-application-site",
            "application-application-site",
        ),
        ("site/0", "unit-site-0"),
        ("unit-site-0", "unit-site-0"),
        ("0", "machine-0"),
        ("0/lxd/1", "machine-0-lxd-1"),
        ("machine-0-lxd-1", "machine-0-lxd-1"),
        // Names of applications that begin as tags of other kinds do.
        ("user-bob", "application-user-bob"),
        ("machine-shop", "application-machine-shop"),
        (
            "model-6f1c4d2e-0b1a-4c57-9f0e-2d3c4b5a6978",
            "model-6f1c4d2e-0b1a-4c57-9f0e-2d3c4b5a6978",
        ),
    ] {
        assert_eq!(entity(text).map(|tag| tag.to_string()).as_deref(), Ok(tag));
    }
    for bad in ["", "Site", "site/x", "0/1"] {
        assert!(entity(bad).is_err(), "{bad}");
    }
}

#[test]
fn keys_and_texts_have_bounds() {
    assert_eq!(check("owner.team-1", "anything, = included\n"), Ok(()));
    let long_key = "k".repeat(ANNOTATION_KEY_BYTES.length() + 1);
    let long_value = "v".repeat(ANNOTATION_VALUE_BYTES.length() + 1);
    for (key, value) in [
        ("", "x"),
        ("a b", "x"),
        ("a=b", "x"),
        ("a\u{1b}", "x"),
        (long_key.as_str(), "x"),
        ("key", long_value.as_str()),
    ] {
        assert!(check(key, value).is_err(), "{key}");
    }
}
