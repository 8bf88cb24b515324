use super::*;

#[test]
fn urls_go_to_text_and_back() {
    for text in [
        "local:site-0",
        "local:my-site-12",
        "local:k8s-a1-4294967295",
    ] {
        let url: CharmUrl = text.parse().expect(text);
        assert_eq!(url.to_string(), text);
        let json = serde_json::to_string(&url).expect("serialises");
        assert_eq!(
            serde_json::from_str::<CharmUrl>(&json).expect("reads back"),
            url
        );
    }
    let url: CharmUrl = "local:my-site-12".parse().expect("valid");
    assert_eq!((url.name(), url.revision()), ("my-site", 12));
}

#[test]
fn anything_else_is_refused_with_the_rule() {
    for bad in [
        "",
        "site",
        "site-0",
        "ch:site-0",
        "local:site",
        "local:site-",
        "local:site-01",
        "local:site--1",
        "local:Site-0",
        "local:-0",
        "local:a/b-0",
        "local:site-4294967296",
        "local:site-+1",
    ] {
        let error = bad.parse::<CharmUrl>().expect_err(bad);
        assert!(error.to_string().contains("local:NAME-REVISION"), "{error}");
    }
}
