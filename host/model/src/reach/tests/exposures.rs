//! Who comes from outside.

use std::net::IpAddr;

use super::*;

#[test]
fn ranges_of_addresses_are_read_without_the_bits_that_do_not_count() {
    assert_eq!(cidr("10.1.2.3/8").to_string(), "10.0.0.0/8");
    assert_eq!(cidr("fd00::1/16"), cidr("fd00::/16"));
    assert_eq!(cidr("1.2.3.4/32").to_string(), "1.2.3.4/32");
    assert_eq!(
        (cidr("0.0.0.0/0"), cidr("::/0")),
        (Cidr::ALL_V4, Cidr::ALL_V6)
    );
    for bad in [
        "",
        "10.0.0.0",
        "10.0.0/8",
        "10.0.0.0/33",
        "::/129",
        "x/8",
        "10.0.0.0/",
        "10.0.0.0/+8",
        "1.2.3.4/-1",
    ] {
        assert_eq!(
            bad.parse::<Cidr>().unwrap_err().refusal().code(),
            "cidr-invalid",
            "{bad}"
        );
    }
    let address = |text: &str| text.parse::<IpAddr>().unwrap();
    assert!(cidr("10.0.0.0/8").contains(address("10.255.0.1")));
    assert!(!cidr("10.0.0.0/8").contains(address("11.0.0.1")));
    assert!(!Cidr::ALL_V4.contains(address("::1")));
    assert!(Cidr::ALL_V6.contains(address("::1")));
}

#[test]
fn expose_shows_what_is_open_to_everybody_or_to_some() {
    let site = unit(&[("80/tcp", all()), ("22/tcp", named("admin"))]);
    let mut network = network(
        &[("site/0", site), ("other/0", unit(&[("1/tcp", all())]))],
        &[],
    );
    let site = application("site");
    network.exposures.expose(&site, &all(), []);
    assert_eq!(
        ingress(&network),
        [
            "site/0 22/tcp 0.0.0.0/0",
            "site/0 22/tcp ::/0",
            "site/0 80/tcp 0.0.0.0/0",
            "site/0 80/tcp ::/0"
        ]
    );
    network
        .exposures
        .expose(&site, &all(), [cidr("10.0.0.0/24")]);
    assert_eq!(
        ingress(&network),
        ["site/0 22/tcp 10.0.0.0/24", "site/0 80/tcp 10.0.0.0/24"]
    );
    // An endpoint by name has addresses of its own instead of the wildcard's.
    network
        .exposures
        .expose(&site, &named("admin"), [cidr("192.168.0.0/24")]);
    assert_eq!(
        ingress(&network),
        [
            "site/0 22/tcp 192.168.0.0/24",
            "site/0 80/tcp 10.0.0.0/24",
            "site/0 80/tcp 192.168.0.0/24"
        ]
    );
    let exposed: Vec<&str> = network.exposures.of(&site).map(|(name, _)| name).collect();
    assert_eq!(exposed, ["", "admin"]);
    network.exposures.unexpose(&site, &named("admin")).unwrap();
    assert_eq!(
        ingress(&network),
        ["site/0 22/tcp 10.0.0.0/24", "site/0 80/tcp 10.0.0.0/24"]
    );
    network.exposures.unexpose(&site, &all()).unwrap();
    assert_eq!(ingress(&network), Vec::<String>::new());
    assert!(!network.exposures.is_exposed(&site));
}

#[test]
fn an_exposure_is_read_as_juju_writes_it_and_shown_so() {
    let read = |json: &str| Exposure::read(&serde_json::from_str(json).unwrap());
    let everybody = read("{}").unwrap();
    let shown = serde_json::to_string(&everybody.shown()).unwrap();
    assert_eq!(shown, r#"{"":{"expose-to-cidrs":["0.0.0.0/0","::/0"]}}"#);
    assert_eq!(Exposure::read(&everybody.shown()).unwrap(), everybody);
    let text = r#"{"admin":{},"web":{"expose-to-cidrs":["10.1.2.3/8"]}}"#;
    let some = read(text).unwrap();
    assert_eq!(some.sources(&all()).len(), 3);
    assert_eq!(
        some.sources(&named("web")).into_iter().collect::<Vec<_>>(),
        [cidr("10.0.0.0/8")]
    );
    let refused = |json: &str| read(json).unwrap_err().refusal().code();
    assert_eq!(refused(r#"{"":{"expose-to-spaces":["dmz"]}}"#), "no-spaces");
    assert_eq!(
        refused(r#"{"":{"expose-to-cidrs":["10"]}}"#),
        "cidr-invalid"
    );
    let many: Vec<String> = (0..1_001_u32)
        .map(|n| format!("{}/32", std::net::Ipv4Addr::from_bits(n)))
        .collect();
    let many = serde_json::json!({"": {"expose-to-cidrs": many}}).to_string();
    assert_eq!(refused(&many), "too-many-cidrs");
}

#[test]
fn without_a_wildcard_only_named_endpoints_are_exposed() {
    let site = unit(&[("80/tcp", named("website")), ("22/tcp", named("admin"))]);
    let mut network = network(&[("site/0", site)], &[]);
    let site = application("site");
    network
        .exposures
        .expose(&site, &named("website"), [cidr("10.0.0.0/8")]);
    assert_eq!(ingress(&network), ["site/0 80/tcp 10.0.0.0/8"]);
    let error = network
        .exposures
        .unexpose(&site, &Endpoints::of(["website", "nosuch"]))
        .unwrap_err();
    assert_eq!(error.refusal().code(), "endpoint-not-exposed");
    assert!(
        error.to_string().ends_with("exposed endpoints: website"),
        "{error}"
    );
    assert!(network.exposures.is_exposed(&site));
    network
        .exposures
        .unexpose(&site, &named("website"))
        .unwrap();
    assert!(!network.exposures.is_exposed(&site));
    assert_eq!(network.exposures, Exposures::default());
}
