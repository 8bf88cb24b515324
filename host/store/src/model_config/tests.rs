use super::*;

#[test]
fn durations_read_as_go_writes_them() {
    assert_eq!(parse_duration("5m"), Some(Duration::from_secs(300)));
    assert_eq!(parse_duration("1h30m"), Some(Duration::from_secs(5400)));
    assert_eq!(parse_duration("250ms"), Some(Duration::from_millis(250)));
    for bad in ["", "5", "m", "5x", "-1m", "5m3"] {
        assert_eq!(parse_duration(bad), None, "{bad}");
    }
}

#[test]
fn sizes_are_megabytes() {
    assert_eq!(parse_size_mb("5G"), Some(5 << 10));
    assert_eq!(parse_size_mb("20"), Some(20));
    assert_eq!(parse_size_mb("1T"), Some(1 << 20));
    assert_eq!(parse_size_mb("many"), None);
}

#[test]
fn every_default_passes_its_own_check() {
    for key in KEYS {
        assert!(key.check(&key.default()).is_ok(), "{}", key.name);
    }
}
