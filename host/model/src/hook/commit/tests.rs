use periapt_contract::ports::{Changes, Openings, PortRange};

use super::*;
use crate::relation::{HookKind, RelationHook};

fn unit() -> UnitName {
    "site/0".parse().unwrap()
}

fn of_relation(kind: HookKind, relation: u64) -> Info {
    Info::relation(RelationEvent {
        endpoint: "website".to_owned(),
        remote_application: "front".parse().unwrap(),
        hook: RelationHook {
            relation,
            kind,
            unit: None,
            application: None,
            version: 0,
        },
        departing: None,
    })
}

#[test]
fn a_hook_enters_writes_and_leaves_before_those_that_the_charm_does_not_have() {
    let created = of_relation(HookKind::Created, 1);
    let absent = [of_relation(HookKind::Broken, 2)];
    let steps: Vec<Step> = steps(Some(&created), &absent).collect();
    assert_eq!(
        steps,
        [
            Step::Enter(&created),
            Step::Effects,
            Step::Leave(&created),
            Step::Enter(&absent[0]),
            Step::Leave(&absent[0]),
            Step::Operation,
            Step::Record,
        ]
    );
}

#[test]
fn a_dead_unit_changes_nothing_and_its_hooks_end() {
    let none = Effects::default();
    let some = Effects {
        leader: [("key".to_owned(), None)].into(),
        ..Effects::default()
    };
    assert_eq!(may_change(&unit(), Life::Dying, &some), Ok(()));
    assert_eq!(may_change(&unit(), Life::Dead, &none), Ok(()));
    let refused = may_change(&unit(), Life::Dead, &some).unwrap_err();
    assert_eq!(refused.refusal, Refusal::Dead(Subject::Unit));
    assert_eq!(refused.to_string(), "unit \"site/0\" is dead");
}

#[test]
fn who_may_not_enter_waits() {
    use Life::{Alive, Dying};
    assert_eq!(may_enter(&unit(), Alive, 1, (Alive, false)), Ok(()));
    for (life, relation, why) in [
        (Alive, (Alive, true), "it is suspended"),
        (Alive, (Dying, false), "it is dying"),
        (Dying, (Alive, false), "site/0 is dying"),
    ] {
        let refused = may_enter(&unit(), life, 1, relation).unwrap_err();
        assert_eq!(refused.refusal, Refusal::TryAgain);
        assert!(refused.why.ends_with(why), "{refused}");
    }
}

#[test]
fn of_a_relation_that_is_gone_only_a_hook_ends_that_has_begun() {
    let created = of_relation(HookKind::Created, 1);
    let other = of_relation(HookKind::Created, 2);
    let begun = OperationState {
        hook: Some(created.clone()),
        ..OperationState::default()
    };
    assert_eq!(enters_gone(&unit(), 1, &created, Some(&begun)), Ok(()));
    for (hook, recorded) in [(&created, None), (&other, Some(&begun))] {
        let refused = enters_gone(&unit(), 1, hook, recorded).unwrap_err();
        assert_eq!(refused.refusal, Refusal::TryAgain);
    }
}

#[test]
fn a_unit_says_where_it_is() {
    assert_eq!(published(None), BTreeMap::new());
    let said = published(Some("10.0.0.5"));
    assert_eq!(said["private-address"], "10.0.0.5");
    assert_eq!(said["ingress-address"], "10.0.0.5");
    assert_eq!(said["egress-subnets"], "10.0.0.5/32");
    assert_eq!(published(Some("fd00::5"))["egress-subnets"], "fd00::5/128");
}

#[test]
fn who_is_in_no_scope_writes_nothing_there() {
    let broken = of_relation(HookKind::Broken, 1);
    let departed = of_relation(HookKind::Departed, 1);
    for (standing, hook, written) in [
        (Standing::InScope, None, Ok(true)),
        (Standing::InScope, Some(&broken), Ok(true)),
        (Standing::Gone, None, Ok(false)),
        (Standing::Outside, Some(&broken), Ok(false)),
        (Standing::Outside, None, Err(Refusal::NotInScope)),
        (Standing::Outside, Some(&departed), Err(Refusal::NotInScope)),
    ] {
        let found = writes(&unit(), 1, standing, hook).map_err(|refused| refused.refusal);
        assert_eq!(found, written, "{standing:?} {hook:?}");
    }
    let other = writes(&unit(), 2, Standing::Outside, Some(&broken));
    assert_eq!(other.unwrap_err().refusal, Refusal::NotInScope);
}

#[test]
fn settings_need_keys_and_have_bounds() {
    let before = settings::Settings::from([("a".to_owned(), "1".to_owned())]);
    let change =
        |key: &str, value: String| changed(&before, &[(key.to_owned(), Some(value))].into());
    assert_eq!(change("a", "1".to_owned()), Ok(None));
    let after = change("a", "2".to_owned()).unwrap().unwrap();
    assert_eq!(after["a"], "2");
    let refusal = |refused: Refused| refused.refusal;
    assert_eq!(
        change("", "1".to_owned()).map_err(refusal),
        Err(Refusal::BadRequest)
    );
    let long = "x".repeat(64 * 1024 * 1024);
    assert_eq!(
        change("b", long).map_err(refusal),
        Err(Refusal::QuotaLimitExceeded)
    );
}

#[test]
fn ports_that_cannot_be_opened_are_refused_by_what_is_wrong() {
    let range = |text: &str| text.parse::<PortRange>().unwrap();
    let open = |before: &Openings, ranges: Vec<PortRange>| {
        let changes = Changes {
            open: ranges.into_iter().map(Into::into).collect(),
            close: Vec::new(),
        };
        opened(&unit(), before, &changes)
    };
    let some = open(&Openings::default(), vec![range("80-90/tcp")]).unwrap();
    let part = open(&some, vec![range("85-95/tcp")]).unwrap_err();
    assert_eq!(part.refusal, Refusal::PortConflict);
    assert!(part.why.starts_with("site/0: "), "{part}");
    let many = (1..=200).map(|n| range(&format!("{}/udp", 2 * n)));
    let many = open(&Openings::default(), many.collect()).unwrap_err();
    assert_eq!(many.refusal, Refusal::TooManyPorts);
}

#[test]
fn charm_state_has_bounds_for_each_key_and_for_all() {
    let set = |key: &str, value: String| state_is_sound(&[(key.to_owned(), Some(value))].into());
    assert_eq!(set("k", "v".to_owned()), Ok(()));
    let value = "x".repeat(usize::try_from(STATE_VALUE_BYTES.most).unwrap() + 1);
    let key = "k".repeat(usize::try_from(STATE_KEY_BYTES.most).unwrap() + 1);
    for refused in [
        set("", "v".to_owned()),
        set("k", value),
        set(&key, "v".to_owned()),
        state_fits(STATE_KEYS.most + 1, 0),
        state_fits(0, STATE_BYTES.most + 1),
    ] {
        assert_eq!(refused.unwrap_err().refusal, Refusal::QuotaLimitExceeded);
    }
    assert_eq!(state_fits(STATE_KEYS.most, STATE_BYTES.most), Ok(()));
}
