use proptest::prelude::*;

use super::*;

fn quotas(requests: u64, cpu: u64) -> Quotas {
    Quotas {
        requests,
        cpu: Duration::from_millis(cpu),
    }
}

fn used(requests: u64, cpu: u64) -> Used {
    Used {
        requests,
        cpu: Duration::from_millis(cpu),
    }
}

#[test]
fn a_unit_is_warned_from_four_fifths_on_and_red_beyond_the_quota() {
    let quotas = quotas(100, 0);
    let meter = |requests| quotas.meter([used(requests, 1_000_000), Used::default()]);
    assert_eq!(meter(79), Meter::default());
    assert_eq!(meter(80).code, Code::Amber);
    assert_eq!(meter(100).code, Code::Amber);
    assert_eq!(meter(101).code, Code::Red);
    assert_eq!(
        meter(80).info,
        "80 % or more of 100 requests in a minute (unit-requests-quota)"
    );
    assert_eq!(
        meter(5_000),
        meter(101),
        "how much was used is no news of its own"
    );
}

#[test]
fn the_worse_of_two_minutes_and_of_two_quotas_counts_and_is_named() {
    let quotas = quotas(10, 500);
    let meter = |now, before| quotas.meter([now, before]);
    assert_eq!(meter(used(0, 0), used(11, 0)).code, Code::Red);
    assert_eq!(meter(used(11, 0), used(0, 0)).code, Code::Red);
    let mixed = meter(used(9, 0), used(0, 501));
    assert_eq!(mixed.code, Code::Red);
    assert_eq!(
        mixed.info,
        "more than 500 ms of CPU in a minute (unit-cpu-quota)"
    );
    let both = meter(used(11, 501), Used::default());
    assert_eq!(
        both.info,
        "more than 10 requests in a minute (unit-requests-quota); \
         more than 500 ms of CPU in a minute (unit-cpu-quota)"
    );
    let nobody = Quotas::default();
    assert!(nobody.is_empty());
    assert_eq!(
        nobody.meter([used(u64::MAX, u64::MAX), Used::default()]),
        Meter::default()
    );
}

#[test]
fn quotas_are_options_of_the_model() {
    let options = [
        (REQUESTS.to_owned(), Value::Integer(7)),
        (CPU.to_owned(), Value::Integer(250)),
    ];
    assert_eq!(Quotas::of(&options.into()), quotas(7, 250));
    let defaults = crate::options::MODEL.effective(&Values::new());
    assert!(Quotas::of(&defaults).is_empty());
    for name in [REQUESTS, CPU] {
        assert!(crate::options::MODEL.find(name).is_ok(), "{name}");
    }
}

#[test]
fn an_agent_without_its_controller_warns_and_then_turns_red() {
    let minutes = |minutes: u64| Duration::from_secs(60 * minutes);
    let just_before = minutes(5) - Duration::from_micros(1);
    assert_eq!(isolated(just_before), None);
    let code = |since| isolated(since).map(|meter| meter.code);
    assert_eq!(code(minutes(5)), Some(Code::Amber));
    assert_eq!(code(minutes(14)), Some(Code::Amber));
    assert_eq!(code(minutes(15)), Some(Code::Red));
    assert_eq!(isolated(minutes(15)), isolated(minutes(60)));
    assert_eq!(isolated_next(Duration::ZERO), Some(minutes(5)));
    assert_eq!(isolated_next(minutes(5)), Some(minutes(15)));
    assert_eq!(isolated_next(minutes(15)), None);
}

#[test]
fn a_code_is_read_as_it_is_written() {
    for code in [Code::Green, Code::Amber, Code::Red] {
        assert_eq!(code.as_str().parse(), Ok(code));
        let written = serde_json::to_string(&code).unwrap();
        assert_eq!(written, format!("\"{code}\""));
    }
    assert!("PINK".parse::<Code>().is_err());
}

proptest! {
    #[test]
    fn whoever_uses_more_is_never_told_better(
        quota in (0_u64..1_000, 0_u64..1_000),
        uses in prop::array::uniform4((0_u64..2_000, 0_u64..2_000)),
    ) {
        let quotas = quotas(quota.0, quota.1);
        let [now, before, more, earlier] = uses.map(|(requests, cpu)| used(requests, cpu));
        let plus = |one: Used, other: Used| Used {
            requests: one.requests + other.requests,
            cpu: one.cpu + other.cpu,
        };
        let less = quotas.meter([now, before]);
        let more = quotas.meter([plus(now, more), plus(before, earlier)]);
        prop_assert!(less.code <= more.code);
        prop_assert_eq!(less.code == Code::Green, less.info.is_empty());
        // Which of the two minutes it was does not matter.
        prop_assert_eq!(quotas.meter([before, now]), less);
    }

    #[test]
    fn the_next_step_is_where_the_word_changes(seconds in 0_u64..2_000) {
        let since = Duration::from_secs(seconds);
        match isolated_next(since) {
            Some(next) => {
                prop_assert!(next > since);
                prop_assert_ne!(isolated(next), isolated(since));
                prop_assert_eq!(isolated(next - Duration::from_secs(1)), isolated(since));
            }
            None => prop_assert_eq!(isolated(since), isolated(since * 2)),
        }
    }
}

#[test]
fn of_a_persons_word_and_a_quotas_the_worse_holds() {
    let said = |colour: &str, info: &str| Meter::said(colour, info).unwrap();
    assert_eq!(said("green", "all is well"), Meter::default());
    assert_eq!(said("Red", "pay up").code, Code::Red);
    let why = Meter::said("ambre", "").unwrap_err();
    assert!(why.contains("did you mean \"AMBER\"?"), "{why}");
    let (amber, red) = (said("AMBER", "soon"), said("RED", "now"));
    assert_eq!(amber.clone().worse(red.clone()), red);
    assert_eq!(red.clone().worse(amber.clone()), red);
    assert_eq!(Meter::default().worse(amber.clone()), amber);
    assert_eq!(amber.clone().worse(said("AMBER", "other")), amber);
}
