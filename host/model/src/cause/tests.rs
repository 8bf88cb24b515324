use proptest::prelude::*;

use super::*;

fn any_cause() -> impl Strategy<Value = Cause> {
    let timers = prop::sample::select(Timer::ALL.to_vec());
    prop_oneof![
        Just(Cause::Unknown),
        any::<i64>().prop_map(Cause::Deed),
        any::<i64>().prop_map(Cause::Run),
        any::<u64>().prop_map(Cause::Task),
        "[A-Za-z.:]{1,20}".prop_map(Cause::Call),
        timers.prop_map(Cause::Timer),
        Just(Cause::Leadership),
        Just(Cause::Reboot),
        Just(Cause::Unread),
        Just(Cause::Before),
        any::<u64>().prop_map(|relation| Cause::Left {
            relation,
            unit: "front/1".parse().unwrap(),
        }),
        any::<u64>().prop_map(Cause::Removed),
    ]
}

proptest! {
    #[test]
    fn a_cause_is_read_as_it_was_written(cause in any_cause()) {
        let text = cause.to_string();
        prop_assert_eq!(text.parse::<Cause>().unwrap(), cause.clone());
        let json = serde_json::to_string(&cause).unwrap();
        prop_assert_eq!(serde_json::from_str::<Cause>(&json).unwrap(), cause);
    }

    #[test]
    fn whatever_is_written_there_is_read_without_an_error(text in ".{0,40}") {
        let _ = text.parse::<Cause>().unwrap();
    }

    #[test]
    fn a_cause_either_leads_on_or_says_that_it_is_the_end(cause in any_cause()) {
        let leads_on = matches!(cause, Cause::Deed(_) | Cause::Run(_) | Cause::Task(_));
        prop_assert_eq!(cause.end().is_none(), leads_on);
    }
}

#[test]
fn a_cause_of_a_newer_program_is_unknown() {
    for text in ["comet:7", "run:", "run:x", "timer:moon", "left:3", ""] {
        assert_eq!(text.parse::<Cause>().unwrap(), Cause::Unknown, "{text}");
    }
}

#[test]
fn the_later_of_two_causes_has_the_greater_number() {
    let (deed, run) = (Cause::Deed(7), Cause::Run(9));
    let unknown = Cause::Unknown;
    let call = Cause::Call("Cleaner.Cleanup".to_owned());
    assert_eq!(Cause::newest([&run, &deed]), run);
    assert_eq!(Cause::newest([&deed, &unknown]), deed);
    assert_eq!(Cause::newest([&call, &deed]), deed);
    assert_eq!(Cause::newest([&call, &unknown]), call);
    assert_eq!(Cause::newest([]), unknown);
}

fn ran(unit: &str, hook: &str, about: &str) -> Ran {
    Ran {
        unit: unit.parse().unwrap(),
        hook: hook.to_owned(),
        about: about.to_owned(),
    }
}

#[test]
fn a_run_says_what_it_did_to_bring_another_about() {
    let config = ran("front/1", "config-changed", "");
    let changed = ran("site/0", "website-relation-changed", "relation 3, front/1");
    assert_eq!(
        changed.words(),
        "site/0 ran website-relation-changed (relation 3, front/1)"
    );
    let told = [
        (
            changed.clone(),
            "front/1 changed its settings in relation 3, in its hook config-changed",
        ),
        (
            ran("site/0", "website-relation-changed", "relation 3, front"),
            "front/1 changed the settings of its application in relation 3, in its hook config-changed",
        ),
        (
            ran("site/0", "website-relation-departed", "relation 3, front/1"),
            "front/1 left relation 3, in its hook config-changed",
        ),
        (
            ran("site/0", "secret-changed", "secret 9m4e2mr0ui3e8a215n4g"),
            "front/1 gave secret 9m4e2mr0ui3e8a215n4g a new value, in its hook config-changed",
        ),
        (
            ran("front/1", "start", ""),
            "front/1 ran config-changed before it",
        ),
    ];
    for (after, words) in told {
        assert_eq!(config.brought_about(&after), words);
    }
    let action = ran("front/1", "actions/backup", "");
    assert_eq!(
        action.brought_about(&changed),
        "front/1 changed its settings in relation 3, in its action backup"
    );
}
