use super::*;
use crate::bundle::Bundle;

#[test]
fn a_mistake_is_at_its_line() {
    for (text, line) in [
        ("applications:\n  a: {charm: ./a.charm\n", None),
        ("name: x\napplications: {}\n", Some(2)),
        (
            "applications:\n  web:\n    charm: ./web.charm\n  site:\n    num_units: 1\n",
            Some(4),
        ),
        (
            "applications:\n  a: {charm: x}\n# a: commented\nrelations:\n- [a:x, 'a:y']\n- [a:x, b:y]\n",
            Some(6),
        ),
        (
            "applications:\n  a:\n    charm: x\n    to: ['7']\n    num_units: 1\n",
            Some(2),
        ),
        (
            "applications:\n  a: {charm: x, storage: {'d,e': 1G}}\n",
            Some(2),
        ),
        (
            "applications:\n  a: {charm: x}\nrelations:\n- [[a, a], [a, a]]\n",
            Some(4),
        ),
    ] {
        let error = Bundle::parse(text, &[]).unwrap_err();
        let found = line_of(&error, text);
        match line {
            Some(line) => assert_eq!(found, Some(line), "{error}: {text}"),
            // The reader's own: it may point at the line that is open or at the end.
            None => assert!(found.is_some(), "{error}: {text}"),
        }
    }
}

#[test]
fn a_key_is_one_only_before_a_colon_and_outside_of_comments() {
    let text = "# site: no\nx: site\nmysite: {}\nsite2: {}\n  'site' : {}\n";
    assert_eq!(line_of_key(text, "site"), Some(5));
    assert_eq!(line_of_key(text, "other"), None);
    assert_eq!(line_of_key("a: {b: 1,site: {}}", "site"), Some(1));
}

#[test]
fn what_only_the_charms_tell_is_found_too() {
    let text = "applications:\n  a: {charm: x}\n  b: {charm: y}\nrelations:\n- [a:x, b:y]\n";
    let error = PlanError::Subordinate("b".parse().unwrap());
    assert_eq!(line_of_plan(&error, text), Some(3));
    let why = "9".parse::<crate::name::ApplicationName>().unwrap_err();
    let error = PlanError::Relation {
        relation: "a:x b:y".to_owned(),
        why: why.into(),
    };
    assert_eq!(line_of_plan(&error, text), Some(5));
}
