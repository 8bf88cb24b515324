use proptest::prelude::*;
use serde::{Deserialize, Serialize};

use super::*;

#[test]
fn times_are_written_in_utc_without_zeros_at_the_end() {
    assert_eq!(text(0), "1970-01-01T00:00:00Z");
    assert_eq!(text(1_793_491_200_250_000), "2026-11-01T00:00:00.25Z");
    assert_eq!(text(951_782_400_000_001), "2000-02-29T00:00:00.000001Z");
    assert_eq!(text(-1), "1969-12-31T23:59:59.999999Z");
    assert_eq!(text(i64::MAX), "9999-12-31T23:59:59.999999Z");
    assert_eq!(text(i64::MIN), "0001-01-01T00:00:00Z");
    assert_eq!(text_of_seconds(60), "1970-01-01T00:01:00Z");
}

#[test]
fn a_time_of_any_zone_is_read() {
    let noon = parse("2026-11-22T12:00:00Z");
    assert!(noon.is_some());
    for same in [
        "2026-11-22t12:00:00z",
        "2026-11-22 12:00:00Z",
        "2026-11-22T13:00:00+01:00",
        "2026-11-22T06:30:00-05:30",
        "2026-11-22T12:00:00.0000009Z",
    ] {
        assert_eq!(parse(same), noon, "{same}");
    }
    assert_eq!(parse("1970-01-01T00:00:00.5Z"), Some(500_000));
    assert_eq!(parse("2016-12-31T23:59:60Z"), parse("2016-12-31T23:59:59Z"));
}

#[test]
fn what_is_no_time_is_refused() {
    for wrong in [
        "",
        "1793491200000000",
        "2026-11-22",
        "2026-11-22T12:00:00",
        "2026-11-22T12:00Z",
        "2026-13-01T00:00:00Z",
        "2026-02-29T00:00:00Z",
        "2026-11-22T24:00:00Z",
        "2026-11-22T12:60:00Z",
        "2026-11-22T12:00:00.Z",
        "2026-11-22T12:00:00.5",
        "2026-11-22T12:00:00+1:00",
        "2026-11-22T12:00:00+24:00",
        "2026-11-22T12:00:00ZZ",
        "+026-11-22T12:00:00Z",
        "0000-01-01T00:00:00Z",
        "２０２６-11-22T12:00:00Z",
    ] {
        assert_eq!(parse(wrong), None, "{wrong}");
    }
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Told {
    #[serde(with = "micros")]
    at: i64,
    #[serde(
        default,
        with = "micros::option",
        skip_serializing_if = "Option::is_none"
    )]
    until: Option<i64>,
    #[serde(with = "micros::list")]
    all: Vec<i64>,
    #[serde(with = "seconds")]
    seconds: i64,
}

#[test]
fn members_travel_as_text_and_come_back_the_same() {
    let told = Told {
        at: 1,
        until: Some(2_000_000),
        all: vec![0],
        seconds: 60,
    };
    let json = serde_json::to_value(&told).unwrap();
    let expected = serde_json::json!({
        "at": "1970-01-01T00:00:00.000001Z",
        "until": "1970-01-01T00:00:02Z",
        "all": ["1970-01-01T00:00:00Z"],
        "seconds": "1970-01-01T00:01:00Z",
    });
    assert_eq!(json, expected);
    assert_eq!(serde_json::from_value::<Told>(json).unwrap(), told);
}

#[test]
fn numbers_of_an_earlier_version_are_read() {
    let told: Told =
        serde_json::from_str(r#"{"at": 1, "until": null, "all": [2], "seconds": 60}"#).unwrap();
    let expected = Told {
        at: 1,
        until: None,
        all: vec![2],
        seconds: 60,
    };
    assert_eq!(told, expected);
}

#[test]
fn a_refused_time_says_what_a_time_looks_like() {
    let error = serde_json::from_str::<Told>(r#"{"at": "yesterday"}"#).unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("\"yesterday\" is not a time in RFC 3339"),
        "{text}"
    );
}

proptest! {
    #[test]
    fn every_time_comes_back(time in FIRST..=LAST) {
        prop_assert_eq!(parse(&text(time)), Some(time));
    }

    #[test]
    fn text_of_any_kind_is_refused_or_read(text in "\\PC{0,40}") {
        let _ = parse(&text);
    }
}
