use super::*;
use crate::options::MODEL;

fn values(set: &[(&str, &str)]) -> Values {
    let set = set.iter();
    let set = set.map(|(name, value)| ((*name).to_owned(), Value::Text((*value).to_owned())));
    set.collect()
}

fn variables(set: &[(&str, &str)]) -> Vec<String> {
    let settings = ProxySettings::of(&MODEL.effective(&values(set)));
    let settings = settings.without(&["192.0.2.1:17070".into(), "[fd00::1]:17070".into()]);
    let variables = settings.variables().into_iter();
    variables
        .map(|(name, value)| format!("{name}={value}"))
        .collect()
}

#[test]
fn a_set_that_is_used_has_variables_of_its_own_and_the_controller_is_reached_without_a_proxy() {
    assert_eq!(variables(&[]), [""; 0]);
    assert_eq!(variables(&[("juju-no-proxy", "a.example")]), [""; 0]);
    assert_eq!(
        variables(&[("juju-http-proxy", "http://proxy.example:3128")]),
        [
            "JUJU_CHARM_HTTP_PROXY=http://proxy.example:3128",
            "JUJU_CHARM_NO_PROXY=127.0.0.1,localhost,::1,192.0.2.1,fd00::1",
        ]
    );
    let legacy = [
        ("https-proxy", "http://proxy.example"),
        ("no-proxy", "192.0.2.1,.example"),
    ];
    assert_eq!(
        variables(&legacy),
        [
            "https_proxy=http://proxy.example",
            "no_proxy=192.0.2.1,.example,fd00::1",
            "HTTPS_PROXY=http://proxy.example",
            "NO_PROXY=192.0.2.1,.example,fd00::1",
        ]
    );
}

#[test]
fn one_set_is_used_and_not_both() {
    let one = ("ftp-proxy", "http://a.example");
    let other = ("juju-https-proxy", "http://b.example");
    assert_eq!(conflict(&values(&[one])), None);
    assert_eq!(conflict(&values(&[other])), None);
    let empty = ("juju-https-proxy", "");
    assert_eq!(conflict(&values(&[one, empty])), None);
    // Both lists have a default, so they say nothing of which set is meant.
    assert_eq!(conflict(&values(&[one, ("juju-no-proxy", "x")])), None);
    let both = conflict(&values(&[one, other])).unwrap();
    assert_eq!(both, (one.0.to_owned(), other.0.to_owned()));
    let refused = MODEL.check_together(&values(&[one, other])).unwrap_err();
    assert_eq!(refused.refusal().code(), "proxy-options-conflict");
    assert_eq!(
        refused.to_string(),
        "model options \"ftp-proxy\" and \"juju-https-proxy\" cannot both be set"
    );
}

#[test]
fn proxies_are_urls_and_who_needs_none_is_a_list() {
    let check = |name: &str, text: &str| MODEL.check(name, &Value::Text(text.to_owned()));
    for sound in [
        "",
        "http://proxy.example",
        "http://proxy.example:3128/",
        "https://user:pa%20ss@[fd00::1]:3128",
        "ftp://10.0.0.1:21",
    ] {
        assert!(check("http-proxy", sound).is_ok(), "{sound}");
    }
    for bad in [
        "proxy.example:3128",
        "gopher://proxy.example",
        "http://",
        "http://proxy.example/path",
        "http://proxy.example:0",
        "http://a b",
        "http:// proxy.example",
        "http://a@b@c.example",
        "http://proxy.example:3128\nX: y",
    ] {
        let refused = check("juju-ftp-proxy", bad).unwrap_err();
        assert_eq!(refused.refusal().code(), "model-option-invalid", "{bad}");
    }
    let kept = check(
        "no-proxy",
        " localhost, .example,10.0.0.0/8 ,::1,*.b.example,",
    )
    .unwrap();
    assert_eq!(
        kept.to_string(),
        "localhost,.example,10.0.0.0/8,::1,*.b.example"
    );
    for bad in ["http://a", "a b", "10.0.0.0/99", "a,;"] {
        assert!(check("juju-no-proxy", bad).is_err(), "{bad}");
    }
}
