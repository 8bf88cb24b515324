//! Units that wait for one another: what is shown of it, and who need not wait.

use periapt_model::hook::Effects;

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
    while world
        .process
        .turns()
        .report()
        .iter()
        .filter(|report| !report.queue.is_empty())
        .count()
        < 2
    {
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
