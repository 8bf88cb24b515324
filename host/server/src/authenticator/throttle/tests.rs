use periapt_engine::FakeClock;

use super::*;

const HERE: Option<IpAddr> = Some(IpAddr::V4(std::net::Ipv4Addr::new(10, 0, 0, 1)));
const THERE: Option<IpAddr> = Some(IpAddr::V4(std::net::Ipv4Addr::new(10, 0, 0, 2)));

#[test]
fn a_few_mistakes_cost_nothing_then_each_doubles_the_wait() {
    let clock = FakeClock::new();
    let throttle = Throttle::new(clock.shared());
    for _ in 0..FREE - 1 {
        throttle.failed("user-admin", HERE);
        throttle.check("user-admin", HERE).unwrap();
    }
    throttle.failed("user-admin", HERE);
    assert_eq!(
        throttle.check("user-admin", HERE),
        Err(Duration::from_secs(1))
    );
    throttle.check("user-admin", THERE).unwrap();
    throttle.check("user-other", HERE).unwrap();
    clock.advance(Duration::from_secs(1));
    throttle.check("user-admin", HERE).unwrap();
    throttle.failed("user-admin", HERE);
    assert_eq!(
        throttle.check("user-admin", HERE),
        Err(Duration::from_secs(2))
    );
    for _ in 0..20 {
        throttle.failed("user-admin", HERE);
    }
    assert_eq!(throttle.check("user-admin", HERE), Err(LONGEST));
}

#[test]
fn success_and_time_forgive() {
    let clock = FakeClock::new();
    let throttle = Throttle::new(clock.shared());
    for _ in 0..FREE {
        throttle.failed("user-admin", HERE);
    }
    throttle.succeeded("user-admin", HERE);
    throttle.check("user-admin", HERE).unwrap();
    for _ in 0..FREE {
        throttle.failed("user-admin", HERE);
    }
    clock.advance(MEMORY);
    throttle.failed("user-admin", HERE);
    throttle.check("user-admin", HERE).unwrap();
}

#[test]
fn memory_is_bounded() {
    let clock = FakeClock::new();
    let throttle = Throttle::new(clock.shared());
    for number in 0..KEYS + 10 {
        throttle.failed(&format!("user-{number}"), HERE);
    }
    assert!(throttle.lock().len() <= KEYS);
}
