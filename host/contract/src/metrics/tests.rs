use std::collections::BTreeMap;

use super::{Collected, Kind, MetricsAnswers, is_name};
use crate::CallErrorCode;
use crate::bounds::{METRIC_LABEL_BYTES, METRIC_LABELS, METRIC_VALUES};

fn collected() -> Collected {
    let declared = [("pings", Kind::Gauge), ("bytes-sent", Kind::Absolute)];
    Collected::of(declared.map(|(name, kind)| (name.to_owned(), kind)).into())
}

fn labels(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    pairs.iter().map(owned).collect()
}

#[test]
fn what_was_added_is_there_once_for_each_name_and_labels() {
    let mut collected = collected();
    collected.add("pings".into(), 1.0, vec![]).unwrap();
    collected.add("pings".into(), 2.0, vec![]).unwrap();
    let path = labels(&[("path", "/a"), ("code", "200")]);
    collected.add("pings".into(), 3.0, path.clone()).unwrap();
    let again = path.into_iter().rev().collect();
    collected.add("pings".into(), 4.0, again).unwrap();
    let samples = collected.into_samples();
    let values: Vec<f64> = samples.iter().map(|sample| sample.value).collect();
    assert_eq!(values, [2.0, 4.0]);
    assert_eq!(samples[1].labels["path"], "/a");
}

#[test]
fn a_metric_that_is_not_declared_is_not_found_and_the_nearest_is_named() {
    let refused = collected().add("ping".into(), 1.0, vec![]).unwrap_err();
    assert_eq!(refused.code, CallErrorCode::NotFound);
    assert!(
        refused.message.ends_with("did you mean \"pings\"?"),
        "{refused}"
    );
}

#[test]
fn a_value_is_finite_and_an_absolute_one_not_negative() {
    let mut collected = collected();
    for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let refused = collected.add("pings".into(), value, vec![]).unwrap_err();
        assert_eq!(refused.code, CallErrorCode::Invalid);
    }
    collected.add("pings".into(), -1.0, vec![]).unwrap();
    let refused = collected
        .add("bytes-sent".into(), -1.0, vec![])
        .unwrap_err();
    assert_eq!(refused.code, CallErrorCode::Invalid);
    collected.add("bytes-sent".into(), 0.0, vec![]).unwrap();
}

#[test]
fn labels_are_few_short_and_leave_the_names_of_the_controller_alone() {
    let code = |pairs: &[(&str, &str)]| {
        let added = collected().add("pings".into(), 1.0, labels(pairs));
        added.map_err(|error| error.code)
    };
    assert_eq!(code(&[("path", "/a b \"c\" ü")]), Ok(()));
    for name in [
        "model",
        "unit",
        "application",
        "metric",
        "9",
        "",
        "a-b",
        "_x",
        "ü",
    ] {
        assert_eq!(code(&[(name, "x")]), Err(CallErrorCode::Invalid), "{name}");
    }
    assert_eq!(code(&[("a", "1"), ("a", "2")]), Err(CallErrorCode::Invalid));
    assert_eq!(code(&[("a", "line\nbreak")]), Err(CallErrorCode::Invalid));
    let long = "x".repeat(METRIC_LABEL_BYTES.length() + 1);
    assert_eq!(code(&[("a", &long)]), Err(CallErrorCode::Limit));
    let names: Vec<String> = (0..=METRIC_LABELS.most).map(|n| format!("l{n}")).collect();
    let many: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "x")).collect();
    assert_eq!(code(&many), Err(CallErrorCode::Limit));
    assert_eq!(code(&many[1..]), Ok(()));
}

#[test]
fn one_run_adds_so_many_values() {
    let mut collected = collected();
    let mut add = |number: u64| {
        let label = vec![("n".to_owned(), number.to_string())];
        let added = collected.add("pings".into(), 1.0, label);
        added.map_err(|error| error.code)
    };
    for number in 0..METRIC_VALUES.most {
        assert_eq!(add(number), Ok(()));
    }
    assert_eq!(add(METRIC_VALUES.most), Err(CallErrorCode::Limit));
    assert_eq!(add(0), Ok(()), "takes the place of another");
}

#[test]
fn names_are_letters_digits_and_dashes() {
    for name in ["pings", "bytes-sent", "p99", "A-1"] {
        assert!(is_name(name), "{name}");
    }
    for name in ["", "9", "-a", "a-", "a_b", "a b", "ü", &"x".repeat(129)] {
        assert!(!is_name(name), "{name}");
    }
}

#[test]
fn no_other_hook_adds_any() {
    struct Other;
    impl MetricsAnswers for Other {}
    let refused = Other.add_metric("pings".into(), 1.0, vec![]).unwrap_err();
    assert_eq!(refused.code, CallErrorCode::Denied);
    assert!(Collected::of(BTreeMap::new()).into_samples().is_empty());
}
