use std::net::Ipv4Addr;

use periapt_engine::FakeClock;

use super::*;

fn address(last: u8) -> Option<IpAddr> {
    Some(IpAddr::V4(Ipv4Addr::new(10, 0, 0, last)))
}

fn admin(last: u8) -> Attempt {
    Attempt::of_person("user-admin", address(last))
}

#[test]
fn a_few_mistakes_cost_nothing_then_each_doubles_the_wait() {
    let clock = FakeClock::new();
    let throttle = Throttle::new(clock.shared());
    let (here, there) = (admin(1), admin(2));
    for _ in 0..FREE - 1 {
        throttle.failed(&here);
        throttle.check(&here).unwrap();
    }
    throttle.failed(&here);
    assert_eq!(throttle.check(&here), Err(Duration::from_secs(1)));
    throttle.check(&there).unwrap();
    throttle
        .check(&Attempt::of_person("user-other", address(1)))
        .unwrap();
    clock.advance(Duration::from_secs(1));
    throttle.check(&here).unwrap();
    throttle.failed(&here);
    assert_eq!(throttle.check(&here), Err(Duration::from_secs(2)));
    for _ in 0..20 {
        throttle.failed(&here);
    }
    assert_eq!(throttle.check(&here), Err(LONGEST));
}

#[test]
fn an_address_that_guesses_many_accounts_waits_for_all_of_them() {
    let clock = FakeClock::new();
    let throttle = Throttle::new(clock.shared());
    for number in 0..FREE_AT_LARGE {
        let attempt = Attempt::of_person(format!("user-u{number}"), address(1));
        throttle.check(&attempt).unwrap();
        throttle.failed(&attempt);
    }
    let fresh = Attempt::of_person("user-nobody-tried", address(1));
    assert_eq!(throttle.check(&fresh), Err(Duration::from_secs(1)));
    // A success of the guesser's own does not buy more guesses.
    throttle.succeeded(&Attempt::of_person("user-guesser", address(1)));
    assert_eq!(throttle.check(&fresh), Err(Duration::from_secs(1)));
    throttle
        .check(&Attempt::of_person("user-nobody-tried", address(2)))
        .unwrap();
    clock.advance(MEMORY);
    throttle.check(&fresh).unwrap();
}

#[test]
fn an_account_guessed_from_many_addresses_waits_everywhere_but_at_its_own() {
    let clock = FakeClock::new();
    let throttle = Throttle::new(clock.shared());
    throttle.succeeded(&admin(200));
    for last in 0..FREE_AT_LARGE {
        let attempt = admin(u8::try_from(last).unwrap());
        throttle.check(&attempt).unwrap();
        throttle.failed(&attempt);
    }
    assert_eq!(throttle.check(&admin(100)), Err(Duration::from_secs(1)));
    throttle.check(&admin(200)).unwrap();
    // Its own mistakes still count there.
    for _ in 0..FREE {
        throttle.failed(&admin(200));
    }
    assert_eq!(throttle.check(&admin(200)), Err(Duration::from_secs(1)));
    // But never for long, however many there are.
    for _ in 0..100 {
        throttle.failed(&admin(200));
    }
    assert_eq!(throttle.check(&admin(200)), Err(LONGEST_AT_HOME));
    clock.advance(OWN);
    for _ in 0..FREE_AT_LARGE {
        throttle.failed(&admin(3));
    }
    assert!(throttle.check(&admin(200)).is_err());
}

#[test]
fn a_network_of_ipv6_is_one_address_and_mapped_ipv4_is_ipv4() {
    let clock = FakeClock::new();
    let throttle = Throttle::new(clock.shared());
    for number in 0..FREE_AT_LARGE {
        let from = format!("2001:db8::{number:x}").parse().ok();
        throttle.failed(&Attempt::of_person(format!("user-u{number}"), from));
    }
    let same = "2001:db8::ffff".parse().ok();
    let other = "2001:db8:0:1::1".parse().ok();
    assert!(
        throttle
            .check(&Attempt::of_person("user-admin", same))
            .is_err()
    );
    throttle
        .check(&Attempt::of_person("user-admin", other))
        .unwrap();
    assert_eq!(
        Attempt::of_person("user-admin", "::ffff:10.0.0.1".parse().ok()),
        admin(1)
    );
}

#[test]
fn failures_under_an_agents_name_slow_down_nobody_else() {
    let clock = FakeClock::new();
    let throttle = Throttle::new(clock.shared());
    let agent = Attempt::of_agent("agent-x", address(1));
    for _ in 0..FREE_AT_LARGE * 2 {
        throttle.failed(&agent);
    }
    assert!(throttle.check(&agent).is_err());
    throttle.check(&admin(1)).unwrap();
}

#[test]
fn success_and_time_forgive() {
    let clock = FakeClock::new();
    let throttle = Throttle::new(clock.shared());
    let here = admin(1);
    for _ in 0..FREE {
        throttle.failed(&here);
    }
    throttle.succeeded(&here);
    throttle.check(&here).unwrap();
    for _ in 0..FREE {
        throttle.failed(&here);
    }
    clock.advance(MEMORY);
    throttle.failed(&here);
    throttle.check(&here).unwrap();
}

#[test]
fn a_neighbour_behind_the_same_address_does_not_slow_down_who_is_at_home_there() {
    let clock = FakeClock::new();
    let throttle = Throttle::new(clock.shared());
    throttle.succeeded(&admin(1));
    assert!(throttle.is_at_home(&admin(1)) && !throttle.is_at_home(&admin(2)));
    for number in 0..FREE_AT_LARGE {
        throttle.failed(&Attempt::of_person(format!("user-u{number}"), address(1)));
    }
    throttle.check(&admin(1)).unwrap();
    let other = Attempt::of_person("user-other", address(1));
    assert!(throttle.check(&other).is_err());
}

#[test]
fn memory_is_bounded() {
    let clock = FakeClock::new();
    let throttle = Throttle::new(clock.shared());
    for number in 0..KEYS + 10 {
        let attempt = Attempt::of_person(format!("user-{number}"), address(1));
        throttle.failed(&attempt);
        throttle.succeeded(&attempt);
    }
    assert!(throttle.lock().failures.len() <= KEYS);
    assert!(throttle.lock().own.len() <= KEYS);
}
