//! Whatever happens to a service.

use super::*;

fn event() -> impl Strategy<Value = Event> {
    let timer = prop::sample::select(vec![
        Timer::Okay,
        Timer::Ready,
        Timer::Backoff,
        Timer::Reset,
        Timer::Kill,
        Timer::FenceStop,
        Timer::FenceCut,
    ]);
    let change = prop::sample::select(vec![
        Change::Restart,
        Change::Reload(hup()),
        Change::InPlace,
        Change::Removed,
    ]);
    let check = prop::sample::select(vec!["up".to_owned(), "other".to_owned()]);
    prop_oneof![
        3 => any::<bool>().prop_map(Event::Wanted),
        2 => any::<bool>().prop_map(Event::Requirements),
        1 => Just(Event::Start),
        1 => Just(Event::Restart),
        2 => Just(Event::Ready),
        4 => (0..2_u8, 0.0..1.0).prop_map(|(code, jitter)| Event::Exited { end: End::exited(code), jitter }),
        6 => timer.prop_map(Event::Timer),
        2 => change.prop_map(Event::Changed),
        1 => check.clone().prop_map(Event::CheckFailed),
        1 => check.prop_map(Event::CheckSucceeded),
        1 => (990..1100_u64).prop_map(|at| Event::Leadership(Leadership::Until(seconds(at)))),
        1 => (990..1100_u64).prop_map(|at| Event::Leadership(Leadership::LostBy(seconds(at)))),
    ]
}

fn definition() -> impl Strategy<Value = Service> {
    prop::sample::select(vec![
        "",
        "once: true",
        "ready: notify, on-check-failure: {up: restart, other: shutdown}",
        "fence: leader, on-check-failure: {up: restart}",
        "on-success: ignore, on-failure: ignore",
        "on-success: shutdown, on-failure: success-shutdown",
    ])
    .prop_map(service)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    /// A process is there from each spawn to the exit after it; one that is not wanted comes to
    /// rest with its exit; one with a fence does not begin while the unit may not lead.
    #[test]
    fn the_invariants_hold(
        service in definition(),
        story in prop::collection::vec((event(), 0..20_u64), 1..80),
    ) {
        let mut state = State::default();
        let mut now = seconds(1000);
        let mut process = false;
        let mut leads_until = Duration::ZERO;
        for (event, later) in story {
            now += seconds(later);
            // Nobody reports the end of what does not run.
            let exit = matches!(event, Event::Exited { .. });
            if exit && !process {
                continue;
            }
            process &= !exit;
            match event {
                Event::Leadership(Leadership::Until(at)) => leads_until = at,
                Event::Leadership(Leadership::LostBy(_)) => leads_until = Duration::ZERO,
                _ => {}
            }
            let (next, actions) = state.step(&service, event.clone(), now);
            let spawns = actions.iter().filter(|action| **action == Action::Spawn).count();
            prop_assert!(spawns <= 1 && (spawns == 0 || !process), "{event:?} on {state:?}");
            process |= spawns == 1;
            prop_assert_eq!(next.current().runs(), process, "{:?} on {:?}", event, state);
            let fenced = service.fence.is_some();
            prop_assert!(spawns == 0 || !fenced || !matches!(event, Event::Leadership(_)) || leads_until > now);
            let signals = actions.iter().any(|action| matches!(action, Action::Signal(_) | Action::Kill));
            prop_assert!(!signals || process, "{event:?} on {state:?}");
            if !next.wanted() {
                prop_assert!(matches!(next.current(), Current::Inactive | Current::Stopping));
            }
            if next.current() == Current::Stopping {
                let killed = |timer: &Timer| *timer == Timer::Kill;
                let armed = next.timers().any(|(timer, _)| killed(&timer));
                let before = state.current() == Current::Stopping || actions.contains(&Action::Kill);
                prop_assert!(armed || before, "nothing would end it: {event:?} on {state:?}");
            }
            prop_assert!(next.history().len() <= HISTORY);
            let json = serde_json::to_string(&next).unwrap();
            prop_assert_eq!(&serde_json::from_str::<State>(&json).unwrap(), &next);
            state = next;
        }
        // In the end nobody wants it.
        state = state.step(&service, Event::Wanted(false), now).0;
        if process {
            prop_assert_eq!(state.current(), Current::Stopping);
            let exited = Event::Exited { end: End::exited(1), jitter: 0.0 };
            state = state.step(&service, exited, now).0;
        }
        prop_assert_eq!(state.current(), Current::Inactive);
    }

    #[test]
    fn each_wait_is_at_least_the_one_before_and_never_beyond_the_limit(
        delay in 1..2_000_u64,
        factor in 1.0..4.0_f64,
        limit in 2_000..60_000_u64,
        jitter in 0.0..1.0_f64,
        failures in 1..40_usize,
    ) {
        let mut course = Course::wanted("");
        course.service.backoff_delay = Some(Duration::from_millis(delay));
        course.service.backoff_factor = Some(factor);
        course.service.backoff_limit = Some(Duration::from_millis(limit));
        let mut before = Duration::ZERO;
        for _ in 0..failures {
            let end = End::exited(1);
            course.step(Event::Exited { end, jitter });
            let wait = course.state.backoff().unwrap();
            prop_assert!(wait >= before && wait <= course.service.backoff_limit());
            let begun = course.now;
            course.due(Timer::Backoff);
            let waited = course.now - begun;
            prop_assert!(waited <= wait && waited * 10 >= wait * 9);
            before = wait;
        }
    }
}
