use super::*;

fn line() -> Line<'static> {
    Line {
        severity: Severity::Warning,
        time: 1_795_257_480_123_000,
        controller: "c0",
        model: "m0",
        entity: "unit-site-0",
        module: "unit.site/0.\"juju\"]",
        message: "grüezi\nworld",
    }
}

#[test]
fn a_line_is_counted_in_octets_and_its_parameters_are_escaped() {
    let bytes = rfc5424(&line());
    let text = String::from_utf8(bytes).unwrap();
    let (count, rest) = text.split_once(' ').unwrap();
    assert_eq!(count.parse::<usize>().unwrap(), rest.len());
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(
        rest,
        format!(
            "<12>1 2026-11-21T10:38:00.123000Z unit-site-0.m0 periapt - - \
             [origin software=\"periapt\" swVersion=\"{version}\"]\
             [model@32473 controller-uuid=\"c0\" model-uuid=\"m0\"]\
             [log@32473 module=\"unit.site/0.\\\"juju\\\"\\]\"] grüezi\nworld"
        )
    );
}

#[test]
fn the_local_form_has_no_host_and_stays_on_one_line() {
    let text = String::from_utf8(local(&line())).unwrap();
    let expected = format!(
        "<12>Nov 21 10:38:00 periapt[{}]: m0 unit-site-0 unit.site/0.\"juju\"]: grüezi world",
        std::process::id()
    );
    assert_eq!(text, expected);
}

#[test]
fn addresses_are_read_with_and_without_port() {
    for (address, expected) in [
        ("logs.example:10514", "logs.example:10514"),
        ("logs.example", "logs.example:514"),
        ("[::1]:5", "[::1]:5"),
        ("[::1]", "[::1]:514"),
    ] {
        assert_eq!(Target::new(address, None).unwrap().to_string(), expected);
    }
    for bad in [
        "",
        ":514",
        "host:",
        "host:0",
        "host:x",
        "::1",
        "a b",
        "[::1",
        "http://x/",
    ] {
        assert!(Target::new(bad, None).is_err(), "{bad}");
    }
}

#[test]
fn certificates_that_are_none_are_refused_by_name() {
    let error = |authority, certificate, key| {
        let tls = Tls {
            authority,
            certificate,
            key,
        };
        Target::new("logs.example", Some(tls))
            .err()
            .unwrap()
            .to_string()
    };
    assert!(error("nonsense", "", "").contains("syslog-ca-cert"));
}

#[test]
fn levels_become_severities() {
    for (level, severity) in [
        ("ERROR", 3),
        ("WARNING", 4),
        ("INFO", 6),
        ("DEBUG", 7),
        ("TRACE", 7),
    ] {
        assert_eq!(Severity::of_level(level) as u8, severity);
    }
}

#[test]
fn a_name_that_leads_to_this_host_is_not_followed() {
    let target = Target::new("logs.example:514", None).unwrap();
    let address = |text: &str| text.parse::<std::net::SocketAddr>().unwrap();
    let (inside, metadata, outside) = (
        address("127.0.0.1:514"),
        address("169.254.169.254:514"),
        address("192.0.2.7:514"),
    );
    assert_eq!(
        target.meant(vec![inside, outside, metadata]).unwrap(),
        [outside]
    );
    for address in [inside, metadata] {
        let refused = target.meant(vec![address]).unwrap_err();
        assert_eq!(refused.code(), "syslog-host-misleading");
        assert!(refused.to_string().contains(&address.ip().to_string()));
    }
    let local = Target::new("127.0.0.1:514", None).unwrap();
    assert_eq!(local.meant(vec![inside]).unwrap(), [inside]);
    let local = Target::new("localhost", None).unwrap();
    assert_eq!(local.meant(vec![inside]).unwrap(), [inside]);
}
