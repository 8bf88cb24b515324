use periapt_model::hook::Kind;
use periapt_model::uniter::OperationKind;

use super::*;

fn unit(number: u32) -> UnitName {
    format!("site/{number}").parse().unwrap()
}

fn rests() -> OperationState {
    OperationState {
        installed: true,
        kind: OperationKind::Continue,
        ..OperationState::default()
    }
}

fn hook() -> Info {
    Info::new(Kind::ConfigChanged)
}

#[test]
fn what_a_killed_process_was_about_to_do_is_found_while_nothing_else_is_recorded() {
    let directory = tempfile::tempdir().unwrap();
    let open = || Intents::open(directory.path()).unwrap();
    let before = open();
    for number in 0..3 {
        assert!(before.say(&unit(number), 7, &rests(), &hook()));
    }
    assert_eq!(
        before.unfinished(&unit(0), 7, &rests()),
        None,
        "this process knows what it does"
    );
    let after = open();
    assert_eq!(after.unfinished(&unit(0), 7, &rests()), Some(hook()));
    assert_eq!(after.unfinished(&unit(1), 8, &rests()), None, "committed");
    let other = OperationState::default();
    assert_eq!(after.unfinished(&unit(2), 7, &other), None, "restored");
}

#[test]
fn an_intent_that_was_withdrawn_is_not_found_and_its_place_is_used_again() {
    let directory = tempfile::tempdir().unwrap();
    let intents = Intents::open(directory.path()).unwrap();
    for number in 0..4 {
        assert!(intents.say(&unit(number), 1, &rests(), &hook()));
        assert!(intents.say(&unit(number), 2, &rests(), &hook()));
        if number < 3 {
            intents.withdraw(&unit(number));
        }
    }
    let path = directory.path().join("intents/hooks");
    assert_eq!(std::fs::metadata(&path).unwrap().len(), SLOT as u64);
    let again = Intents::open(directory.path()).unwrap();
    assert_eq!(again.unfinished(&unit(0), 2, &rests()), None);
    assert_eq!(again.unfinished(&unit(3), 2, &rests()), Some(hook()));
}

#[test]
fn a_torn_intent_says_nothing_and_harms_no_other() {
    let directory = tempfile::tempdir().unwrap();
    let intents = Intents::open(directory.path()).unwrap();
    for number in 0..2 {
        assert!(intents.say(&unit(number), 1, &rests(), &hook()));
    }
    let path = directory.path().join("intents/hooks");
    let mut bytes = std::fs::read(&path).unwrap();
    for torn in [HEAD, HEAD + 30, 0, 3] {
        bytes[torn] ^= 1;
        std::fs::write(&path, &bytes).unwrap();
        let again = Intents::open(directory.path()).unwrap();
        assert_eq!(again.unfinished(&unit(0), 1, &rests()), None);
        assert_eq!(again.unfinished(&unit(1), 1, &rests()), Some(hook()));
        assert!(
            again.say(&unit(5), 1, &rests(), &hook()),
            "its slot is free"
        );
    }
}

#[test]
fn an_intent_that_fits_no_slot_is_not_said() {
    let directory = tempfile::tempdir().unwrap();
    let intents = Intents::open(directory.path()).unwrap();
    let long = serde_json::json!({
        "kind": "relation-joined",
        "relation": {
            "endpoint": "e".repeat(SLOT),
            "remote-application": "db",
            "hook": { "kind": "joined", "relation": 1, "unit": "db/0" },
        },
    });
    let long: Info = serde_json::from_value(long).unwrap();
    assert!(!intents.say(&unit(0), 1, &rests(), &long));
}
