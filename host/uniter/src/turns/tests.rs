use periapt_engine::FakeClock;
use periapt_model::turns::SLICE;

use super::*;

const ROOM: Room = Room {
    shared: 2,
    reserve: 2,
    aside: 2,
};

fn turns(clock: &FakeClock) -> Turns {
    Turns::new(clock.shared(), ROOM)
}

fn line_up(turns: &Turns, unit: &str, machine: &str) -> Turn {
    let (unit, machine) = (unit.parse().unwrap(), machine.parse().unwrap());
    turns.line_up(&unit, Lock::Machine(machine), "install")
}

fn of(turns: &Turns, machine: &str) -> MachineLockReport {
    let reports = turns.report();
    let found = reports
        .into_iter()
        .find(|report| report.machine.as_str() == machine);
    found.expect("the machine is known")
}

fn reasons(turns: &[LockTurn]) -> Vec<&str> {
    turns.iter().map(|turn| turn.reason.as_str()).collect()
}

#[tokio::test]
async fn a_machine_is_quiet_once_nothing_runs_there_whoever_is_in_line() {
    let turns = turns(&FakeClock::new());
    let machine: MachineId = "0".parse().unwrap();
    turns.quiet(&machine).await;
    let running = line_up(&turns, "site/0", "0");
    let elsewhere = line_up(&turns, "site/9", "1");
    let quiet = turns.quiet(&machine);
    let mut quiet = std::pin::pin!(quiet);
    assert!(futures::poll!(quiet.as_mut()).is_pending());
    drop(running);
    quiet.await;
    drop(elsewhere);
}

#[tokio::test]
async fn holder_queue_and_history_tell_who_had_it_and_for_how_long() {
    let clock = FakeClock::new();
    let turns = turns(&clock);
    let first = line_up(&turns, "site/0", "0");
    assert!(first.has_come());
    let waiting = [
        line_up(&turns, "site/1", "0"),
        line_up(&turns, "site/2", "0"),
    ];
    let report = of(&turns, "0");
    assert_eq!(report.holder.unwrap().reason, "site/0: run install hook");
    assert_eq!(
        reasons(&report.queue),
        ["site/1: run install hook", "site/2: run install hook"]
    );
    clock.advance(Duration::from_secs(3));
    drop(first);
    for next in waiting {
        next.comes().await;
    }
    let report = of(&turns, "0");
    assert_eq!((report.holder, report.queue.len()), (None, 0));
    assert_eq!(
        reasons(&report.history),
        [
            "site/2: run install hook",
            "site/1: run install hook",
            "site/0: run install hook"
        ]
    );
    let oldest = &report.history[2];
    assert_eq!(
        oldest.released_at.unwrap() - oldest.acquired_at.unwrap(),
        3_000_000
    );
    assert_eq!(
        report.history[1].acquired_at.unwrap() - report.history[1].requested_at,
        3_000_000
    );
    turns.forget(&"0".parse().unwrap());
    assert!(turns.report().is_empty());
}

#[tokio::test]
async fn who_gives_up_leaves_the_queue() {
    let turns = turns(&FakeClock::new());
    let held = line_up(&turns, "site/0", "0");
    let waiting = line_up(&turns, "site/1", "0");
    assert_eq!(of(&turns, "0").queue.len(), 1);
    drop(waiting);
    assert!(of(&turns, "0").queue.is_empty());
    drop(held);
    assert_eq!(of(&turns, "0").history.len(), 1);
}

#[tokio::test]
async fn who_waits_for_a_place_does_not_count_as_who_has_the_machine() {
    let turns = turns(&FakeClock::new());
    let running: Vec<Turn> = ["0", "1"]
        .into_iter()
        .map(|number| line_up(&turns, &format!("slow/{number}"), number))
        .collect();
    let waits = line_up(&turns, "slow/2", "2");
    assert!(!waits.has_come());
    let report = of(&turns, "2");
    assert_eq!(report.holder, None);
    assert_eq!(
        reasons(&report.queue),
        ["slow/2: run install hook (waiting for a turn: 2 hooks are running)"]
    );
    drop(running);
    assert!(waits.has_come());
    assert_eq!(
        of(&turns, "2").holder.unwrap().reason,
        "slow/2: run install hook"
    );
}

#[tokio::test]
async fn who_waits_hears_when_the_machine_goes_to_somebody_else() {
    let turns = turns(&FakeClock::new());
    let first = line_up(&turns, "a/0", "0");
    let second = line_up(&turns, "b/0", "0");
    let third = line_up(&turns, "c/0", "0");
    let told = |turn: &Turn| turn.waits_for().unwrap().to_string();
    assert!(!third.comes_or_moves().await, "a first look");
    assert_eq!(
        told(&third),
        "waiting for the machine's lock, held by a/0 install"
    );
    second.rename("start");
    drop(first);
    assert!(!third.comes_or_moves().await);
    assert_eq!(
        told(&third),
        "waiting for the machine's lock, held by b/0 start"
    );
    drop(second);
    assert!(third.comes_or_moves().await);
    assert_eq!(third.waits_for(), None);
}

#[tokio::test]
async fn who_steps_aside_keeps_the_machine_and_waits_for_a_place_again() {
    let clock = FakeClock::new();
    let turns = turns(&clock);
    let first = line_up(&turns, "slow/0", "0");
    let second = line_up(&turns, "slow/1", "1");
    let third = line_up(&turns, "slow/2", "2");
    assert!(first.has_come() && second.has_come() && !third.has_come());
    first.step_aside();
    assert!(third.has_come() && !first.has_come());
    let behind = line_up(&turns, "other/0", "0");
    assert!(!behind.has_come(), "the machine is still held");
    assert_eq!(
        reasons(&of(&turns, "0").queue),
        ["other/0: run install hook"]
    );

    first.step_in();
    assert!(!first.comes_or_moves().await, "a first look");
    let reason = of(&turns, "0").holder.unwrap().reason;
    assert_eq!(
        reason,
        "slow/0: run install hook (waiting for a turn: 2 hooks are running)"
    );
    drop(second);
    first.comes().await;
    assert_eq!(first.waits_for(), None);
}

#[tokio::test]
async fn who_computes_on_after_a_slice_lets_on_who_computed_less() {
    let clock = FakeClock::new();
    let turns = turns(&clock);
    let first = line_up(&turns, "long/0", "0");
    let second = line_up(&turns, "long/1", "1");
    first.pause();
    assert!(first.has_come(), "nobody waits");
    let next = line_up(&turns, "long/2", "2");
    clock.advance(SLICE);
    assert!(!next.has_come());
    first.pause();
    assert!(next.has_come() && !first.has_come());
    clock.advance(SLICE);
    second.pause();
    assert!(first.has_come() && !second.has_come());
    drop(next);
    second.comes().await;
}

#[tokio::test]
async fn who_sleeps_has_no_place_and_has_used_the_time() {
    let clock = FakeClock::new();
    let turns = turns(&clock);
    let sleeps = line_up(&turns, "slow/0", "0");
    let _other = line_up(&turns, "slow/1", "1");
    let third = line_up(&turns, "slow/2", "2");
    sleeps.rest();
    assert!(third.has_come() && !sleeps.has_come());
    clock.advance(Duration::from_secs(2));
    sleeps.step_in();
    let behind = line_up(&turns, "slow/3", "3");
    drop(third);
    assert!(behind.has_come() && !sleeps.has_come(), "it computed less");
    drop(behind);
    assert!(sleeps.has_come());
}

#[tokio::test]
async fn who_sleeps_for_long_has_used_all_of_it_as_it_wakes() {
    let clock = FakeClock::new();
    let turns = turns(&clock);
    let slept = line_up(&turns, "slow/0", "0");
    slept.rest();
    // Nothing else is asked for meanwhile, by which the queue would hear of the time.
    clock.advance(Duration::from_secs(60));
    slept.step_in();
    slept.step_aside();
    let computes = line_up(&turns, "slow/1", "1");
    let _other = line_up(&turns, "slow/2", "2");
    clock.advance(Duration::from_secs(5));
    slept.step_in();
    computes.pause();
    assert!(computes.has_come() && !slept.has_come(), "5 s are less");
}

#[tokio::test]
async fn who_asks_the_controller_again_and_again_has_used_what_it_computed_in_between() {
    let clock = FakeClock::new();
    let turns = turns(&clock);
    let asks = line_up(&turns, "long/0", "0");
    let _other = line_up(&turns, "long/1", "1");
    for _ in 0..10 {
        clock.advance(SLICE / 10);
        asks.step_aside();
        asks.step_in();
    }
    let next = line_up(&turns, "long/2", "2");
    assert!(!next.has_come());
    asks.pause();
    assert!(next.has_come() && !asks.has_come(), "all of it is a slice");
}

#[tokio::test]
async fn a_hook_that_waited_for_the_controller_is_not_slow() {
    let clock = FakeClock::new();
    let turns = turns(&clock);
    let held = [
        line_up(&turns, "held/0", "8"),
        line_up(&turns, "held/1", "9"),
    ];
    let in_reserve = |unit: &str| {
        let turn = line_up(&turns, unit, "0");
        turn.has_come()
    };
    let run = |computes: Duration, waits: Duration| {
        let turn = line_up(&turns, "site/0", "0");
        clock.advance(computes);
        turn.step_aside();
        clock.advance(waits);
    };
    let (second, long) = (Duration::from_millis(900), Duration::from_secs(60));
    run(second, long);
    let other = line_up(&turns, "other/0", "1");
    assert!(other.has_come() && in_reserve("site/1"));
    run(2 * second, Duration::ZERO);
    assert!(!in_reserve("site/1"), "the last place is not for slow ones");
    drop((held, other));
}
