use proptest::prelude::*;

use super::*;

fn leaving() -> impl Strategy<Value = Leaving> {
    let life = prop::sample::select(vec![Life::Alive, Life::Dying, Life::Dead]);
    (life, any::<bool>(), any::<bool>(), any::<bool>()).prop_map(
        |(life, forced, never_started, provisioned)| Leaving {
            life,
            forced,
            never_started,
            provisioned,
        },
    )
}

fn force() -> impl Strategy<Value = Force> {
    prop::sample::select(vec![Force::No, Force::Waiting, Force::AtOnce])
}

/// The unit after its removal was asked for; none when it is gone.
fn asked(unit: Leaving, force: Force) -> Option<Leaving> {
    match unit.departure(force) {
        Departure::Gone => None,
        Departure::Dying(step) => Some(Leaving {
            life: unit.life.max(Life::Dying),
            forced: unit.forced || step == NextStep::Now,
            ..unit
        }),
    }
}

#[test]
fn a_bound_of_nothing_waits_for_nobody() {
    assert_eq!(Force::within(true, Some(0)), Force::AtOnce);
    assert_eq!(Force::within(true, Some(1)), Force::Waiting);
    assert_eq!(Force::within(true, None), Force::Waiting);
    assert_eq!(Force::within(false, Some(0)), Force::No);
}

proptest! {
    /// A hook that runs is never cut off by a removal that waits.
    #[test]
    fn a_unit_is_gone_at_once_only_when_no_agent_can_be_at_work(
        unit in leaving(), force in force()
    ) {
        let idle = unit.never_started && !unit.provisioned;
        prop_assert_eq!(unit.departure(force) == Departure::Gone, idle);
    }

    /// Removal always ends: whoever stays has a step of force before it.
    #[test]
    fn a_unit_that_stays_has_a_step_to_come(unit in leaving(), force in force()) {
        if let Departure::Dying(NextStep::Queued) = unit.departure(force) {
            prop_assert!(unit.forced);
        }
    }

    #[test]
    fn asked_again_it_is_the_same(unit in leaving(), force in force()) {
        if let Some(once) = asked(unit, force) {
            prop_assert_eq!(asked(once, force), Some(once));
            let again = once.departure(force);
            let kept = match force {
                Force::AtOnce => NextStep::Now,
                Force::Waiting => NextStep::Queued,
                Force::No if once.forced => NextStep::Queued,
                Force::No => NextStep::AtDeadline,
            };
            prop_assert_eq!(again, Departure::Dying(kept));
        }
    }

    #[test]
    fn force_is_never_taken_back(unit in leaving(), forces in prop::collection::vec(force(), 0..6)) {
        let mut now = Some(unit);
        for force in forces {
            let before = now;
            now = before.and_then(|unit| asked(unit, force));
            if let (Some(before), Some(after)) = (before, now) {
                prop_assert!(after.forced || !before.forced);
                prop_assert!(after.life >= before.life);
            }
        }
    }

    #[test]
    fn a_unit_that_may_still_work_is_not_taken_away(unit in leaving()) {
        if unit.is_removable() {
            prop_assert!(unit.life == Life::Dead || unit.never_started);
            prop_assert!(unit.life != Life::Alive);
        }
    }
}
