use std::time::Duration;

use periapt_model::MachineId;
use periapt_model::constraints::Constraints;
use periapt_model::provisioning::{START_ATTEMPTS, START_PAUSE};
use periapt_providers::InstanceId;

use super::queue::{Job, Queue};

fn zero() -> MachineId {
    "0".parse().unwrap()
}

#[test]
fn a_failed_start_waits_and_is_given_up_after_the_last_attempt() {
    let mut queue = Queue::default();
    let mut now = Duration::ZERO;
    queue.start(zero(), Constraints::default(), now);
    for failed in 1..START_ATTEMPTS {
        assert_eq!(
            queue.begin(now),
            Some((zero(), Job::Start(Constraints::default())))
        );
        assert_eq!(queue.begin(now), None, "one job at a time");
        queue.end(&zero());
        assert_eq!(queue.failed(&zero(), now), failed);
        queue.start(zero(), Constraints::default(), now);
        assert_eq!(
            queue.begin(now),
            None,
            "an event does not shorten the pause"
        );
        now += START_PAUSE;
        assert_eq!(queue.next_due(), Some(now));
    }
    assert!(queue.begin(now).is_some());
    queue.end(&zero());
    assert_eq!(queue.failed(&zero(), now), START_ATTEMPTS);
    assert_eq!(queue.next_due(), None);
}

#[test]
fn a_stop_replaces_a_start_that_waits() {
    let mut queue = Queue::default();
    queue.start(zero(), Constraints::default(), Duration::ZERO);
    queue.begin(Duration::ZERO);
    queue.end(&zero());
    queue.failed(&zero(), Duration::ZERO);
    let instance = Some(InstanceId::new("i"));
    queue.stop(zero(), instance.clone(), Duration::ZERO);
    assert_eq!(
        queue.begin(Duration::ZERO),
        Some((zero(), Job::Stop(instance)))
    );
    queue.forget(&zero());
    assert!(queue.is_running(&zero()), "what runs is not forgotten");
}
