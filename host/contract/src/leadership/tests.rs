use std::collections::BTreeMap;

use super::leader_only;
use crate::bounds::{EFFECTS_BYTES, SETTING_VALUE_BYTES, SETTINGS_BYTES};
use crate::settings::Settings;
use crate::testing::{Unit, bag, unit};
use crate::{
    CallError, CallErrorCode, Effect, Effects, HookTxn, LeadershipAnswers, Member, OwnBag,
    RelationInfo,
};

/// One that counts what it is asked.
#[derive(Default)]
struct Agent {
    leads: bool,
    told: Settings,
    asked: (u32, u32),
}

impl LeadershipAnswers for Agent {
    fn is_leader(&mut self) -> Result<bool, CallError> {
        self.asked.0 += 1;
        Ok(self.leads)
    }

    fn leader_settings(&mut self) -> Result<Settings, CallError> {
        self.asked.1 += 1;
        Ok(self.told.clone())
    }
}

fn leader() -> Agent {
    Agent {
        leads: true,
        told: bag(&[("old", "1"), ("term", "3")]),
        ..Agent::default()
    }
}

fn set(key: &str, value: &str) -> Vec<(String, Option<String>)> {
    vec![(key.to_owned(), Some(value.to_owned()))]
}

#[test]
fn the_leader_sees_its_own_writes_and_effects_hold_only_changes() {
    let (mut txn, mut agent) = (HookTxn::default(), leader());
    txn.leader_set(&mut agent, set("new", "x")).unwrap();
    // An empty value deletes, and so does none.
    txn.leader_set(&mut agent, set("old", "")).unwrap();
    txn.leader_set(&mut agent, vec![("never".to_owned(), None)])
        .unwrap();
    assert_eq!(
        txn.leader_get(&mut agent).unwrap(),
        bag(&[("new", "x"), ("term", "3")])
    );
    // Back to what is committed: nothing to do.
    txn.leader_set(&mut agent, set("term", "4")).unwrap();
    txn.leader_set(&mut agent, set("term", "3")).unwrap();
    assert_eq!(agent.asked.1, 1, "what was told is read once");

    let effects = txn.into_effects();
    let changes: BTreeMap<_, _> = effects.leader.clone().into_iter().collect();
    assert_eq!(
        changes,
        [
            ("new".to_owned(), Some("x".to_owned())),
            ("old".to_owned(), None)
        ]
        .into()
    );
    assert_eq!(
        effects.in_words(),
        ["leader setting new", "leader setting old deleted"]
    );
}

#[test]
fn only_what_changes_something_needs_the_lease_at_the_commit() {
    let (mut txn, mut agent) = (HookTxn::default(), leader());
    txn.leader_get(&mut agent).unwrap();
    txn.leader_set(&mut agent, set("term", "3")).unwrap();
    let nothing = txn.into_effects();
    assert_eq!(nothing, Effects::default());
    assert!(nothing.leader.changes_nothing() && !nothing.needs_leadership());

    let mut txn = HookTxn::default();
    txn.leader_set(&mut agent, set("term", "4")).unwrap();
    let effects = txn.into_effects();
    assert!(!effects.leader.changes_nothing() && effects.needs_leadership());
}

#[test]
fn who_does_not_lead_reads_and_is_refused_to_write_before_anything_is_read() {
    let mut agent = Agent {
        leads: false,
        ..leader()
    };
    let mut txn = HookTxn::default();
    let refused = txn.leader_set(&mut agent, set("term", "4")).unwrap_err();
    assert_eq!(refused.code, CallErrorCode::Denied);
    assert_eq!(
        refused.message,
        "only the leader can set the leader's settings"
    );
    assert_eq!(agent.asked, (1, 0));
    assert_eq!(txn.leader_get(&mut agent).unwrap(), agent.told);
    assert_eq!(txn.into_effects(), Effects::default());

    assert!(leader_only(&mut leader(), "may").is_ok());
    let refused = leader_only(&mut agent, "can rest").unwrap_err();
    assert_eq!(refused.message, "only the leader can rest");
}

#[test]
fn a_unit_that_lost_the_lead_in_the_middle_of_its_hook_is_refused() {
    let (mut txn, mut agent) = (HookTxn::default(), leader());
    txn.leader_set(&mut agent, set("term", "4")).unwrap();
    agent.leads = false;
    let refused = txn.leader_set(&mut agent, set("term", "5")).unwrap_err();
    assert_eq!(refused.code(), "denied");
    // What it wrote before stays, and the commit will ask for the lease.
    assert_eq!(txn.leader_get(&mut agent).unwrap()["term"], "4");
    assert!(txn.into_effects().needs_leadership());
}

#[test]
fn what_the_agent_cannot_answer_the_charm_is_told_and_may_ask_again() {
    struct Away(bool);
    impl LeadershipAnswers for Away {
        fn is_leader(&mut self) -> Result<bool, CallError> {
            Ok(true)
        }

        fn leader_settings(&mut self) -> Result<Settings, CallError> {
            match self.0 {
                true => Err(CallError::unavailable("the controller is away")),
                false => Ok(bag(&[("term", "3")])),
            }
        }
    }
    let (mut txn, mut agent) = (HookTxn::default(), Away(true));
    assert_eq!(
        txn.leader_get(&mut agent).unwrap_err().code(),
        "unavailable"
    );
    let set_in_vain = txn.leader_set(&mut agent, set("term", "4"));
    assert_eq!(set_in_vain.unwrap_err().code(), "unavailable");
    agent.0 = false;
    assert_eq!(txn.leader_get(&mut agent).unwrap(), bag(&[("term", "3")]));

    struct Nobody;
    impl LeadershipAnswers for Nobody {}
    let refused = HookTxn::default().leader_set(&mut Nobody, set("term", "4"));
    assert_eq!(refused, Err(CallError::unanswered()));
}

#[test]
fn limits_of_keys_values_and_the_whole() {
    let (mut txn, mut agent) = (HookTxn::default(), leader());
    let most = SETTING_VALUE_BYTES.length();
    let mut set = |key: &str, bytes: usize| {
        txn.leader_set(&mut agent, set(key, &"x".repeat(bytes)))
            .map_err(|error| error.code)
    };
    assert_eq!(set("", 1), Err(CallErrorCode::Invalid));
    assert_eq!(set("a=b", 1), Err(CallErrorCode::Invalid));
    assert_eq!(set(&"k".repeat(257), 1), Err(CallErrorCode::Limit));
    assert_eq!(set(&"k".repeat(256), 1), Ok(()));
    assert_eq!(set("big", most + 1), Err(CallErrorCode::Limit));
    for number in 0..SETTINGS_BYTES.length() / most - 1 {
        assert_eq!(set(&format!("{number:03}"), most), Ok(()));
    }
    assert_eq!(set("full", most), Err(CallErrorCode::Limit));
    // A refused write leaves what was there, and what was deleted makes room.
    assert_eq!(set("000", 0), Ok(()));
    assert_eq!(set("full", most), Ok(()));
    let told = txn.leader_get(&mut agent).unwrap();
    assert!(!told.contains_key("000") && told.contains_key("full"));
}

/// The commit is one message, so what the leader tells shares its room with all else.
#[test]
fn the_room_of_a_commit_is_shared_with_other_tools() {
    let mut unit = Unit {
        leader: true,
        relations: vec![RelationInfo {
            id: 3,
            endpoint: "website".to_owned(),
            remote_application: "proxy".to_owned(),
            members: vec![],
        }],
        ..unit()
    };
    let own = (3, Member::Unit("web/0".into()));
    unit.settings.insert(own, bag(&[]));
    let (mut txn, mut context) = (HookTxn::default(), unit.context());
    let value = "x".repeat(SETTING_VALUE_BYTES.length());
    let half = EFFECTS_BYTES.length() / value.len() / 2;
    for number in 0..half {
        let pair = set(&number.to_string(), &value);
        txn.relation_set(&mut context, "3", OwnBag::Unit, pair)
            .unwrap();
    }
    for number in 1..half {
        txn.leader_set(&mut context, set(&number.to_string(), &value))
            .unwrap();
    }
    let refused = txn.leader_set(&mut context, set("last", &value));
    let refused = refused.unwrap_err();
    assert_eq!(refused.code, CallErrorCode::Limit);
    assert!(refused.message.contains("one hook may"), "{refused}");
    assert_eq!(txn.leader_get(&mut context).unwrap().len(), half - 1);
}
