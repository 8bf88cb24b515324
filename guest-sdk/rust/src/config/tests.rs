use serde::Deserialize;

use super::*;

#[derive(Debug, Deserialize, PartialEq)]
#[serde(rename_all = "lowercase")]
enum Theme {
    Light,
    Dark,
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(rename_all = "kebab-case")]
struct Config {
    title: String,
    theme: Theme,
    max_pages: u16,
    ratio: f64,
    debug: bool,
    owner: Option<String>,
}

fn values() -> Vec<(String, Value)> {
    vec![
        ("title".to_owned(), "Home".into()),
        ("theme".to_owned(), "dark".into()),
        ("max-pages".to_owned(), 12_i64.into()),
        ("ratio".to_owned(), 0.5.into()),
        ("debug".to_owned(), true.into()),
        ("not-asked-for".to_owned(), "x".into()),
    ]
}

#[test]
fn options_become_fields() {
    let config: Config = into_struct(values()).expect("fits");
    assert_eq!(config.theme, Theme::Dark);
    assert_eq!((config.max_pages, config.owner), (12, None));
    into_struct::<()>(values()).expect("a charm without options ignores them");
}

#[test]
fn what_does_not_fit_is_named() {
    let mut wrong = values();
    wrong[1].1 = "purple".into();
    let error = into_struct::<Config>(wrong)
        .expect_err("refused")
        .to_string();
    assert!(
        error.contains("purple") && error.contains("dark"),
        "{error}"
    );
    let mut missing = values();
    missing.remove(0);
    let error = into_struct::<Config>(missing)
        .expect_err("refused")
        .to_string();
    assert!(error.contains("title"), "{error}");
}
