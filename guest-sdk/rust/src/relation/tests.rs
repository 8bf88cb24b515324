use serde::{Deserialize, Serialize};

use super::*;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Colour {
    Red,
    Mixed { parts: u8 },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Everything {
    plain_text: String,
    looks_like_json: String,
    number: u32,
    ratio: f64,
    truth: bool,
    list: Vec<String>,
    table: BTreeMap<String, u8>,
    colour: Colour,
    mixed: Colour,
    perhaps: Option<u8>,
    nothing: Option<String>,
    #[serde(default)]
    empty: String,
}

impl RelationData for Everything {
    const VERSION: u32 = 2;
}

fn everything() -> Everything {
    Everything {
        plain_text: "a \"quoted\" text".to_owned(),
        looks_like_json: "[1, 2]".to_owned(),
        number: 7,
        ratio: 0.5,
        truth: true,
        list: vec!["x".to_owned()],
        table: BTreeMap::from([("a".to_owned(), 1)]),
        colour: Colour::Red,
        mixed: Colour::Mixed { parts: 3 },
        perhaps: Some(4),
        nothing: None,
        empty: String::new(),
    }
}

fn bag(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    let owned = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
    pairs.iter().map(owned).collect()
}

#[test]
fn a_struct_comes_back_as_it_went() {
    let written = data::write(&everything()).expect("writes");
    assert_eq!(
        written["plain-text"].as_deref(),
        Some("a \"quoted\" text"),
        "text stands as it is"
    );
    assert_eq!(written["table"].as_deref(), Some("{\"a\":1}"));
    assert_eq!(written["colour"].as_deref(), Some("red"));
    assert_eq!(written[VERSION_KEY].as_deref(), Some("2"));
    assert_eq!((&written["nothing"], &written["empty"]), (&None, &None));
    let bag: BTreeMap<String, String> = written
        .clone()
        .into_iter()
        .filter_map(|(key, value)| Some((key, value?)))
        .chain([("unknown".to_owned(), "{".to_owned())])
        .collect();
    assert_eq!(data::read(&bag), Ok(Some(everything())));
    assert_eq!(data::changes(written, &bag), []);
}

#[test]
fn only_what_differs_is_written_and_only_own_keys_are_deleted() {
    let wanted = BTreeMap::from([
        ("same".to_owned(), Some("1".to_owned())),
        ("new".to_owned(), Some("2".to_owned())),
        ("gone".to_owned(), None),
        ("never".to_owned(), None),
    ]);
    let held = bag(&[("same", "1"), ("gone", "x"), ("other", "y")]);
    assert_eq!(
        data::changes(wanted, &held),
        [
            ("gone".to_owned(), None),
            ("new".to_owned(), Some("2".to_owned()))
        ]
    );
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Small {
    name: String,
    #[serde(default)]
    pages: u32,
}

impl RelationData for Small {}

#[test]
fn a_bag_without_the_data_is_none_and_a_wrong_one_an_error() {
    let network = [
        ("ingress-address", "10.0.0.1"),
        ("private-address", "10.0.0.1"),
    ];
    assert_eq!(data::read::<Small>(&bag(&network)), Ok(None));
    assert_eq!(
        data::read::<Small>(&bag(&[("name", "a")])),
        Ok(Some(Small {
            name: "a".to_owned(),
            pages: 0
        }))
    );
    let error = data::read::<Small>(&bag(&[("pages", "2")])).expect_err("no name");
    assert!(error.contains("name"), "{error}");
    let error = data::read::<Small>(&bag(&[("name", "a"), ("pages", "many")]));
    assert!(error.is_err());
    assert!(data::read::<Small>(&bag(&[(VERSION_KEY, "1")])).is_err());
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct OnlyAddress {
    #[serde(rename = "private-address")]
    address: String,
}

impl RelationData for OnlyAddress {}

#[test]
fn what_the_host_writes_can_be_read_as_data_too() {
    let found = data::read::<OnlyAddress>(&bag(&[("private-address", "10.0.0.1")]));
    assert_eq!(found.expect("reads").expect("is there").address, "10.0.0.1");
}

#[test]
fn names_of_hooks_split_at_the_last_place() {
    assert_eq!(
        RelationHook::split("a-relation-b-relation-joined"),
        Some(("a-relation-b", RelationHook::Joined))
    );
    assert_eq!(RelationHook::split("config-changed"), None);
    assert_eq!(RelationHook::split("a-relation-danced"), None);
}
