use super::*;

fn units(list: &[(&str, Life)]) -> Wanted {
    list.iter()
        .map(|(name, life)| (name.parse().unwrap(), (*life, false)))
        .collect()
}

#[test]
fn what_came_went_or_aged_is_named_and_nothing_else() {
    let before = units(&[
        ("site/0", Life::Alive),
        ("site/1", Life::Alive),
        ("site/2", Life::Alive),
    ]);
    let now = units(&[
        ("site/1", Life::Dying),
        ("site/2", Life::Alive),
        ("site/3", Life::Alive),
    ]);
    assert_eq!(differences(&before, &now), ["site/0", "site/1", "site/3"]);
    assert!(differences(&now, &now).is_empty());
}

#[test]
fn a_unit_that_is_stopped_or_started_is_named() {
    let before = units(&[("site/0", Life::Alive), ("site/1", Life::Alive)]);
    let mut now = before.clone();
    now.insert("site/1".parse().unwrap(), (Life::Alive, true));
    assert_eq!(differences(&before, &now), ["site/1"]);
    assert_eq!(differences(&now, &before), ["site/1"]);
}
