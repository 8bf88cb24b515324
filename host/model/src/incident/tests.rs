use proptest::prelude::*;

use super::*;

fn unit(name: &str) -> UnitName {
    name.parse().expect("a unit")
}

fn failed(name: &str, hook: &str, reason: &str, since: i64) -> Trouble {
    Trouble {
        about: About::Application(unit(name).application()),
        unit: Some(unit(name)),
        status: "error".to_owned(),
        hook: Some(hook.to_owned()),
        reason: reason.to_owned(),
        since,
        attempts: 2,
        next_retry: Some(since + 100),
        waiting_for: None,
    }
}

#[test]
fn units_that_fail_alike_are_one_incident() {
    let incidents = grouped([
        failed("front/10", "start", "no database", 30),
        failed("front/2", "start", "no database", 20),
        failed("front/3", "start", "no disk", 10),
        failed("back/0", "start", "no database", 40),
    ]);
    let told: Vec<(String, usize, i64)> = incidents
        .iter()
        .map(|one| {
            (
                format!("{}: {}", one.about.words(), one.reason),
                one.units.len(),
                one.since,
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            ("front: no disk".to_owned(), 1, 10),
            ("front: no database".to_owned(), 2, 20),
            ("back: no database".to_owned(), 1, 40),
        ]
    );
    let two = &incidents[1];
    assert_eq!(two.units, [unit("front/2"), unit("front/10")]);
    assert_eq!((two.attempts, two.next_retry), (4, Some(120)));
    assert!(two.is_failed_hook());
}

#[test]
fn a_reason_that_names_its_unit_makes_no_incident_of_its_own() {
    let reason = |name: &str| format!("cannot reach {name} at all");
    let names = ["front/0", "front/1", "front/2"];
    let incidents = grouped(names.map(|name| failed(name, "start", &reason(name), 1)));
    assert_eq!(incidents.len(), 1);
    assert_eq!(incidents[0].reason, "cannot reach front/0 at all");
    let (words, digits) = incidents[0].id.rsplit_once('-').expect("words and digits");
    assert_eq!((words, digits.len()), ("front-start", ID_DIGITS));
}

#[test]
fn numbers_in_a_reason_make_no_other_incident() {
    let first = failed("front/0", "start", "start: attempt 9", 1);
    let second = failed("front/1", "start", "start: attempt 10", 2);
    assert_eq!(grouped([first, second]).len(), 1);
}

#[test]
fn what_is_worse_comes_first_and_only_hooks_are_retried() {
    let blocked = Trouble {
        status: "blocked".to_owned(),
        hook: None,
        since: 1,
        ..failed("front/0", "", "needs a database", 1)
    };
    let machine = Trouble {
        about: About::Machine("3".parse().expect("a machine")),
        unit: None,
        status: "provisioning error".to_owned(),
        hook: None,
        ..failed("front/0", "", "no room", 1)
    };
    let incidents = grouped([blocked, machine, failed("back/0", "start", "boom", 99)]);
    let words: Vec<&str> = incidents.iter().map(|one| one.status.as_str()).collect();
    assert_eq!(words, ["error", "provisioning error", "blocked"]);
    assert_eq!(incidents[1].about.words(), "machine 3");
    let retried: Vec<bool> = incidents.iter().map(Incident::is_failed_hook).collect();
    assert_eq!(retried, [true, false, false]);
}

#[test]
fn a_silence_ends_with_its_time_or_with_the_first_change() {
    let incident = |names: &[&str]| {
        let troubles = names.iter().map(|name| failed(name, "start", "boom", 1));
        grouped(troubles).remove(0)
    };
    let both = incident(&["front/0", "front/1"]);
    let timed = Silence {
        at: 100,
        until: Some(200),
        units: BTreeSet::new(),
    };
    assert!(timed.holds(&both, 199, Some(150)));
    assert!(!timed.holds(&both, 200, None));
    let lasting = Silence {
        at: 100,
        until: None,
        units: BTreeSet::from([unit("front/0"), unit("front/1")]),
    };
    assert!(lasting.holds(&both, i64::MAX, None));
    assert!(lasting.holds(&incident(&["front/1"]), 101, Some(100)));
    assert!(!lasting.holds(&both, 101, Some(101)), "it had recovered");
    assert!(!lasting.holds(&incident(&["front/0", "front/2"]), 101, None));
}

struct At(i64, Option<&'static str>);

impl Change for At {
    fn time(&self) -> i64 {
        self.0
    }
    fn is_about(&self, application: &ApplicationName) -> bool {
        self.1 == Some(application.as_str())
    }
    fn is_general(&self) -> bool {
        self.1.is_none()
    }
}

#[test]
fn only_what_changed_right_before_is_shown_and_its_own_first() {
    let since = 2 * BEFORE;
    let mut incident = grouped([failed("front/0", "start", "boom", since)]).remove(0);
    let changes = || {
        vec![
            At(since + 1, Some("front")),
            At(since, None),
            At(since - 1, Some("back")),
            At(since - 2, Some("front")),
            At(since - BEFORE - 1, Some("front")),
        ]
    };
    let told = |incident: &Incident| -> Vec<i64> {
        let found = before(changes(), incident);
        found.iter().map(|change| change.0 - since).collect()
    };
    assert_eq!(told(&incident), [-2, 0]);
    incident.about = About::Machine("3".parse().expect("a machine"));
    assert_eq!(told(&incident), [0]);
}

proptest! {
    #[test]
    fn no_unit_is_lost_or_told_twice_however_they_come(
        of in prop::collection::vec((0u8..3, 0u8..3, 0i64..50), 1..40),
    ) {
        let trouble = |(number, (hook, reason, since)): (usize, &(u8, u8, i64))| {
            let reason = ["full", "gone", "late"][usize::from(*reason)];
            failed(&format!("front/{number}"), &format!("hook-{hook}"), reason, *since)
        };
        let troubles: Vec<Trouble> = of.iter().enumerate().map(trouble).collect();
        let incidents = grouped(troubles.clone());
        let mut told: Vec<UnitName> =
            incidents.iter().flat_map(|one| one.units.clone()).collect();
        told.sort();
        let mut all: Vec<UnitName> =
            troubles.iter().filter_map(|one| one.unit.clone()).collect();
        all.sort();
        prop_assert_eq!(told, all);
        let mut backwards = troubles;
        backwards.reverse();
        prop_assert_eq!(grouped(backwards), incidents);
    }
}
