//! Units that wait for one another: what is shown of it, and who need not wait.

use periapt_model::hook::{self, Effects, Info};
use periapt_model::uniter::{OperationState, OperationStep, Resolved};

use super::*;

/// Adds a unit on a machine, which may be there already.
fn add(world: &World, name: &str, on: &str) -> UnitName {
    let (unit, machine): (UnitName, MachineId) = (name.parse().unwrap(), on.parse().unwrap());
    world.controller.add_machine(&machine);
    world.controller.add_unit(&unit, &machine, "local:site-0");
    unit
}

/// Hooks of units of this application wait at the barrier.
fn hold(world: &World, application: &'static str) -> Barrier {
    let (barrier, pass) = Barrier::new();
    world.sandbox.script(move |seen, _| {
        if seen.unit.starts_with(application) {
            pass();
        }
        Ok(Effects::default())
    });
    barrier
}

/// How many units wait for a place, to begin or to go on.
fn waiting_for_a_turn(world: &World) -> usize {
    let reports = world.process.turns().report();
    let turns = reports
        .iter()
        .flat_map(|report| report.holder.iter().chain(&report.queue));
    turns
        .filter(|turn| turn.reason.contains("(waiting for a turn: "))
        .count()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_unit_shows_whom_it_waits_for_and_its_hook_does_not_count_the_wait() {
    let world = World::new();
    let other = add(&world, "other/0", "0");
    let mut barrier = hold(&world, "other");
    let holder = world.start_unit(&other);
    barrier.entered().await;
    let agent = world.start();
    while world.process.turns().report()[0].queue.is_empty() {
        tokio::task::yield_now().await;
    }
    let before = world.record().agent;
    world.clock.advance(Duration::from_millis(900));
    tokio::time::sleep(Duration::from_millis(20)).await;
    assert_eq!(
        world.record().agent,
        before,
        "a short wait is not worth a word"
    );
    world.clock.advance(Duration::from_millis(200));
    world
        .until(|record| {
            record.agent.message == "waiting for the machine's lock, held by other/0 install"
        })
        .await;
    world.clock.advance(Duration::from_secs(10));
    for _ in 0..3 {
        barrier.open();
    }
    world.settle().await;
    let run = world.record().runs.remove(0);
    assert_eq!(run.hook, "install");
    assert!(run.waited >= 11_000_000, "{run:?}");
    assert_eq!(run.duration, 0, "no time passed while it ran");
    agent.stop().await;
    holder.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn slow_hooks_of_one_application_do_not_keep_another_waiting() {
    let world = World::new();
    let slow: Vec<UnitName> = (0..4)
        .map(|number| add(&world, &format!("slow/{number}"), &(number + 1).to_string()))
        .collect();
    let mut barrier = hold(&world, "slow");
    let agents: Vec<Agent> = slow.iter().map(|unit| world.start_unit(unit)).collect();
    for _ in 0..ROOM.shared {
        barrier.entered().await;
    }
    let agent = world.start();
    world.settle().await;
    assert_eq!(
        world.record().runs.len(),
        3,
        "all its hooks ran beside the slow ones"
    );

    let waits = |unit: &UnitName| {
        let record = world.controller.unit(unit).unwrap();
        record.agent.message == "waiting for a turn: 2 hooks are running"
    };
    while waiting_for_a_turn(&world) < 2 {
        tokio::task::yield_now().await;
    }
    world.clock.advance(Duration::from_secs(2));
    let all = world
        .controller
        .until(|_| slow.iter().filter(|unit| waits(unit)).count() == 2);
    tokio::time::timeout(LIMIT, all)
        .await
        .expect("the two that wait say so");
    for _ in 0..12 {
        barrier.open();
    }
    for unit in &slow {
        world.controller.until_unit(unit, is_idle).await;
    }
    for agent in agents.iter().chain([&agent]) {
        agent.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn hooks_that_wait_for_the_controller_leave_their_places_to_others() {
    let world = World::new();
    let most = ROOM.shared + ROOM.aside;
    let all: Vec<UnitName> = (0..=most)
        .map(|number| add(&world, &format!("asks/{number}"), &(number + 1).to_string()))
        .collect();
    let beside = add(&world, "beside/0", "1");
    world.sandbox.script(|seen, context| {
        if seen.unit.starts_with("asks") {
            context.leader_settings().unwrap();
        }
        Ok(Effects::default())
    });
    world.controller.hold("LeaderSettings", true);
    let mut agents: Vec<Agent> = all[..most]
        .iter()
        .map(|unit| world.start_unit(unit))
        .collect();
    while world.sandbox.seen().len() < most {
        tokio::task::yield_now().await;
    }
    agents.extend([world.start_unit(&all[most]), world.start_unit(&beside)]);
    let agent = world.start();
    world.settle().await;
    assert_eq!(world.record().runs.len(), 3, "another application's ran");
    let seen = world.sandbox.seen();
    let units: Vec<&str> = seen.iter().map(|seen| seen.unit.as_str()).collect();
    assert!(
        !units.contains(&"beside/0"),
        "the machine is held: {units:?}"
    );
    assert!(
        !units.contains(&all[most].as_str()),
        "so many are under way: {units:?}"
    );
    world.controller.hold("LeaderSettings", false);
    for unit in all.iter().chain([&beside]) {
        world.controller.until_unit(unit, is_idle).await;
    }
    for agent in agents.iter().chain([&agent]) {
        agent.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_goes_on_once_it_has_a_place_and_does_not_answer_for_the_wait() {
    let world = World::new();
    let asks = add(&world, "slow/0", "1");
    let slow = [add(&world, "slow/1", "2"), add(&world, "slow/2", "3")];
    let (mut barrier, pass) = Barrier::new();
    let (told, waited) = std::sync::mpsc::channel();
    world.sandbox.script(move |seen, context| {
        match (seen.unit.as_str(), seen.hook.as_str()) {
            ("slow/0", "install") => {
                context.leader_settings().unwrap();
                told.send(context.waited()).unwrap();
            }
            (_, "install") => pass(),
            _ => {}
        }
        Ok(Effects::default())
    });
    world.controller.hold("LeaderSettings", true);
    let mut agents = vec![world.start_unit(&asks)];
    while world.sandbox.seen().is_empty() {
        tokio::task::yield_now().await;
    }
    for unit in &slow {
        agents.push(world.start_unit(unit));
        barrier.entered().await;
    }
    world.controller.hold("LeaderSettings", false);
    while waiting_for_a_turn(&world) == 0 {
        tokio::task::yield_now().await;
    }
    world.clock.advance(Duration::from_secs(100));
    assert!(waited.try_recv().is_err(), "it waits for a place");
    barrier.open();
    let waited = tokio::task::spawn_blocking(move || waited.recv_timeout(LIMIT));
    assert_eq!(waited.await.unwrap().unwrap(), Duration::from_secs(100));
    barrier.open();
    for unit in slow.iter().chain([&asks]) {
        world.controller.until_unit(unit, is_idle).await;
    }
    let run = world.controller.unit(&asks).unwrap().runs.remove(0);
    assert_eq!(
        (run.waited, run.duration),
        (100_000_000, 0),
        "waiting is not running"
    );
    for agent in &agents {
        agent.stop().await;
    }
}

/// Three hooks that are tried again together, of which two compute and the third has no place.
async fn begun_without_a_place(world: &World) -> (Vec<UnitName>, Vec<Agent>, Barrier) {
    let units: Vec<UnitName> = (0..3)
        .map(|number| add(world, &format!("slow/{number}"), &(number + 1).to_string()))
        .collect();
    for unit in &units {
        world.controller.change(unit, |record| {
            record.state.operation = Some(OperationState {
                kind: OperationKind::RunHook,
                step: OperationStep::Pending,
                hook: Some(Info::new(hook::Kind::Install)),
                charm_url: Some("local:site-0".to_owned()),
                ..OperationState::default()
            });
            record.remote.resolved = Resolved::RetryHooks;
        });
    }
    let mut barrier = hold(world, "slow");
    world.controller.hold("BeginHook", true);
    let agents = units.iter().map(|unit| world.start_unit(unit)).collect();
    let turns = world.process.turns();
    while turns
        .report()
        .iter()
        .filter(|report| report.holder.is_some())
        .count()
        < 3
    {
        tokio::task::yield_now().await;
    }
    world.controller.hold("BeginHook", false);
    for _ in 0..ROOM.shared {
        barrier.entered().await;
    }
    while waiting_for_a_turn(world) == 0 {
        tokio::task::yield_now().await;
    }
    (units, agents, barrier)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_that_has_begun_and_has_no_place_says_so_until_it_runs() {
    let world = World::new();
    let (units, agents, barrier) = begun_without_a_place(&world).await;
    world.clock.advance(Duration::from_secs(2));
    let shown = |message: &'static str| {
        let units = units.clone();
        world.controller.until(move |controller| {
            let records = units.iter().filter_map(|unit| controller.unit(unit));
            records
                .filter(|record| record.agent.message == message)
                .count()
                > 0
        })
    };
    let limit = |wait| tokio::time::timeout(LIMIT, wait);
    let words = "waiting for a turn: 2 hooks are running";
    limit(shown(words))
        .await
        .expect("it says what it waits for");
    for _ in 0..9 {
        barrier.open();
    }
    let mut runs = Vec::new();
    for unit in &units {
        world.controller.until_unit(unit, is_idle).await;
        let install = world.controller.unit(unit).unwrap().runs.remove(0);
        runs.push((install.waited, install.duration));
    }
    runs.sort_unstable();
    let time = 2_000_000;
    assert_eq!(runs, [(0, time), (0, time), (time, 0)]);
    for agent in &agents {
        agent.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_that_waits_for_its_place_as_the_agent_stops_has_not_failed() {
    let world = World::new();
    let (units, agents, barrier) = begun_without_a_place(&world).await;
    let seen = world.sandbox.seen();
    let waits = |unit: &&UnitName| !seen.iter().any(|seen| seen.unit == unit.as_str());
    let number = units.iter().position(|unit| waits(&unit)).unwrap();
    agents[number].stop().await;
    let record = world.controller.unit(&units[number]).unwrap();
    let operation = record.state.operation.unwrap();
    assert_eq!(operation.step, OperationStep::Queued, "{operation:?}");
    for _ in 0..6 {
        barrier.open();
    }
    for (unit, agent) in units.iter().zip(&agents) {
        if *unit != units[number] {
            world.controller.until_unit(unit, is_idle).await;
            agent.stop().await;
        }
    }
    assert_eq!(world.sandbox.seen().len(), 6, "it ran nothing");
}
