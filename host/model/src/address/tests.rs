use super::*;

#[test]
fn hosts_are_read_with_and_without_port() {
    for (text, shown) in [
        ("logs.example:10514", "logs.example:10514"),
        (" logs.example ", "logs.example"),
        ("10.0.0.1:514", "10.0.0.1:514"),
        ("[::1]:5", "[::1]:5"),
        ("[::1]", "[::1]"),
    ] {
        assert_eq!(HostPort::parse(text).unwrap().to_string(), shown);
    }
    for bad in [
        "",
        ":514",
        "host:",
        "host:0",
        "host:x",
        "host:99999",
        "::1",
        "[::1",
        "[::1]x",
        "[host]",
        "a b",
        "http://host",
        "host/path",
        "user@host",
        "host?x",
        "a,b",
    ] {
        assert_eq!(HostPort::parse(bad), None, "{bad}");
    }
}

#[test]
fn an_entry_without_a_port_stands_for_all_of_them() {
    let wanted = HostPort::parse("Logs.example:6514").unwrap();
    assert!(wanted.is_listed(["other", "logs.example"]));
    assert!(wanted.is_listed(["logs.example:6514"]));
    assert!(!wanted.is_listed(["logs.example:514", "example", "xlogs.example"]));
    assert!(!wanted.is_listed([]));
}

#[test]
fn no_name_stands_for_this_host_or_for_services_of_the_network() {
    let means = |host, address: &str| may_mean(host, address.parse().unwrap());
    for address in [
        "127.0.0.1",
        "127.1.2.3",
        "::1",
        "::ffff:127.0.0.1",
        "0.0.0.0",
        "::",
        "169.254.169.254",
        "fe80::1",
        "::ffff:169.254.169.254",
        "224.0.0.1",
        "ff02::1",
        "255.255.255.255",
    ] {
        assert!(!means("logs.example", address), "{address}");
        // Notations that a resolver reads as an address are names like any other.
        assert!(
            !means("127.1", address) && !means("2130706433", address),
            "{address}"
        );
    }
    for address in [
        "10.0.0.1",
        "192.168.1.1",
        "203.0.113.7",
        "2001:db8::1",
        "fd00::1",
    ] {
        assert!(means("logs.example", address), "{address}");
        assert!(!means("localhost", address), "{address}");
        assert!(means(address, address), "{address}");
    }
    assert!(means("localhost", "127.0.0.1") && means("LOCALHOST", "::1"));
    assert!(means("127.0.0.1", "127.0.0.1") && means("169.254.1.1", "169.254.1.1"));
    assert!(!means("127.0.0.1", "127.0.0.2"));
}
