//! Files that are missing, damaged, deep or in the way, and a process without file descriptors.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::AtomicUsize;

use periapt_model::hook::Effects;
use periapt_model::status;
use periapt_model::uniter::Resolved;
use periapt_sandbox::HookFailure;
use periapt_wire::agent::host::{FileAnswer, FileQuestion, WantedFiles};

use super::*;

/// A world whose hooks have each written a generation, with no agent running.
async fn written() -> World {
    let world = World::new();
    world.sandbox.script(|seen, _| {
        fs::write(seen.state()?.join("file"), &seen.hook).unwrap();
        Ok(Effects::default())
    });
    let agent = world.start();
    world.settle().await;
    agent.stop().await;
    world
}

fn state(world: &World) -> PathBuf {
    world.process.unit_directory(&unit()).join("state")
}

fn generation(world: &World) -> u64 {
    world.record().state.operation.unwrap().state_generation
}

/// Lets the record name a generation that is not there, as after a restore.
fn restore(world: &World, generation: u64) {
    world.controller.change(&unit(), |record| {
        let operation = record.state.operation.as_mut().unwrap();
        operation.state_generation = generation;
        record.agent = status::Status::new(status::Agent::Idle, "");
    });
}

async fn until_asked(world: &World, words: &str) {
    world
        .until(|record| {
            record.agent.status == status::Agent::Error && record.agent.message.contains(words)
        })
        .await;
}

fn answer(world: &World, resolved: Resolved) {
    world.controller.change(&unit(), |record| {
        record.remote.resolved = resolved;
    });
}

#[tokio::test(flavor = "multi_thread")]
async fn a_unit_whose_files_are_missing_waits_for_a_person_and_goes_on_with_the_newest() {
    let mut world = written().await;
    let newest = generation(&world);
    restore(&world, newest + 5);
    let hooks = world.sandbox.hooks().len();
    world.kill_process();
    let agent = world.start();
    until_asked(&world, &format!("continues with generation {newest}")).await;
    assert!(state(&world).join(newest.to_string()).exists());
    assert_eq!(world.sandbox.hooks().len(), hooks, "nothing runs");
    answer(&world, Resolved::RetryHooks);
    world.settle().await;
    let file = state(&world).join(format!("{}/file", newest + 5));
    assert_eq!(fs::read_to_string(file).unwrap(), "start");
    assert_eq!(world.record().remote.resolved, Resolved::None);
    agent.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_unit_whose_files_are_missing_begins_with_none_only_when_told_so() {
    let mut world = written().await;
    let newest = generation(&world);
    restore(&world, newest + 5);
    // An answer to something else is none to this.
    answer(&world, Resolved::NoHooks);
    world.kill_process();
    let agent = world.start();
    until_asked(&world, "is missing").await;
    assert!(!state(&world).join((newest + 5).to_string()).exists());
    answer(&world, Resolved::NoHooks);
    world.settle().await;
    let files = fs::read_dir(state(&world).join((newest + 5).to_string())).unwrap();
    assert_eq!(files.count(), 0);
    agent.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_unit_whose_files_are_missing_can_be_removed() {
    let mut world = written().await;
    restore(&world, generation(&world) + 5);
    world.kill_process();
    let agent = world.start();
    until_asked(&world, "is missing").await;
    let (connection, _) = world.controller.connect();
    connection
        .call(&periapt_wire::agent::deployer::RemoveUnit { unit: unit() })
        .await
        .unwrap();
    agent.terminated().await;
    assert!(!world.process.unit_directory(&unit()).exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_restored_from_the_moment_before_finds_its_files() {
    let mut world = written().await;
    let last = generation(&world);
    assert!(last >= 3, "each hook wrote");
    restore(&world, last - 2);
    world.kill_process();
    let commits = world.record().commits.len();
    world.controller.set_title(&unit(), "later");
    let agent = world.start();
    world.settle_with(commits + 1).await;
    let content = |generation: u64| {
        fs::read_to_string(state(&world).join(generation.to_string()).join("file")).unwrap()
    };
    assert_eq!(generation(&world), last - 1);
    assert_eq!(content(last - 2), "install");
    assert_eq!(content(last - 1), "config-changed");
    agent.stop().await;
}

#[test]
fn a_file_is_read_to_its_end_though_50_hooks_are_committed_meanwhile() {
    let (directory, clock) = (tempfile::tempdir().unwrap(), FakeClock::new());
    let sandbox: Arc<dyn Sandbox> = Arc::new(ScriptedSandbox::default());
    let process = open(&clock, &directory, sandbox);
    let kept = process.state_directory(&unit());
    kept.settle(0).unwrap();
    let commit = |number: u64| {
        let stage = kept.stage(number - 1).unwrap();
        fs::write(stage.path().join("file"), format!("generation {number}")).unwrap();
        assert_eq!(stage.seal().unwrap(), number);
        process.reads().end_late(process.clock().monotonic());
        kept.drop_others(number).unwrap();
        crate::behind::caught_up();
    };
    let part = |offset: u64| {
        let answer = process.files(&FileQuestion {
            unit: unit(),
            generation: 1,
            path: "file".to_owned(),
            wanted: WantedFiles::Part { offset, most: 4 },
        });
        answer.unwrap()
    };
    let is_there = |offset: u64| matches!(part(offset), FileAnswer::Part { total: 12, .. });
    commit(1);
    assert!(is_there(0));
    (2..=51).for_each(commit);
    assert!(is_there(4));
    clock.advance(Duration::from_secs(30));
    commit(52);
    assert!(is_there(8), "within 30 s");
    clock.advance(Duration::from_secs(31));
    commit(53);
    assert_eq!(part(8), FileAnswer::Outdated);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_that_uses_no_files_does_without_them() {
    let world = World::new();
    let agent = world.start();
    world.settle().await;
    let (root, aside) = (state(&world), state(&world).with_extension("aside"));
    fs::rename(&root, &aside).unwrap();
    let commits = world.record().commits.len();
    world.controller.set_title(&unit(), "later");
    world.settle_with(commits + 1).await;
    assert_eq!(generation(&world), 0);
    assert!(!root.exists(), "nothing was made");
    assert_eq!(world.controller.count("FailHook"), 0);
    fs::rename(&aside, &root).unwrap();
    agent.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_without_file_descriptors_is_run_again_and_is_no_error() {
    let world = World::new();
    let tries = Arc::new(AtomicUsize::new(0));
    world.sandbox.script({
        let tries = tries.clone();
        move |seen, _| match tries.fetch_add(1, Ordering::SeqCst) {
            0 | 1 => Err(HookFailure::Descriptors("too many open files".to_owned())),
            _ => {
                fs::write(seen.state()?.join("file"), "").unwrap();
                Ok(Effects::default())
            }
        }
    });
    let agent = world.start();
    while tries.load(Ordering::SeqCst) < 3 {
        world.pass(2, Duration::from_secs(5)).await;
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    world.settle().await;
    assert_eq!(
        world.sandbox.hooks(),
        ["install", "install", "install", "config-changed", "start"]
    );
    let failed = world.record().runs;
    assert!(failed.iter().all(|run| run.code.is_empty()), "{failed:?}");
    agent.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_broken_off_stays_blameless_when_the_next_start_fails() {
    let world = World::new();
    let (agent, barrier) = world.start_into_a_hook().await;
    agent.cut_off().await;
    barrier.open();
    // For once the state directory cannot be looked at.
    let (root, aside) = (state(&world), state(&world).with_extension("aside"));
    fs::rename(&root, &aside).unwrap();
    fs::write(&root, "in the way").unwrap();
    let agent = world.start();
    assert!(
        tokio::time::timeout(LIMIT, agent.worker.wait())
            .await
            .unwrap()
            .is_err()
    );
    fs::remove_file(&root).unwrap();
    fs::rename(&aside, &root).unwrap();
    let agent = world.start_over().await;
    assert_eq!(world.controller.count("FailHook"), 0, "nothing failed");
    agent.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_damaged_charm_is_fetched_again() {
    let mut world = written().await;
    let charms = world.directory.path().join("charms");
    let unpacked = fs::read_dir(&charms)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.is_dir())
        .unwrap();
    for damage in ["metadata.yaml", "charm.wasm"] {
        let file = unpacked.join(damage);
        let whole = fs::read(&file).unwrap();
        fs::remove_file(&file).unwrap();
        fs::write(&file, &whole[..whole.len() / 2]).unwrap();
        world.kill_process();
        world.controller.set_title(&unit(), damage);
        let commits = world.record().commits.len();
        let agent = world.start();
        world.settle_with(commits + 1).await;
        assert_eq!(fs::read(&file).unwrap(), whole, "{damage}");
        agent.stop().await;
    }
}

#[test]
fn leftovers_of_any_depth_do_not_keep_a_process_from_starting() {
    let directory = tempfile::tempdir().unwrap();
    let sandbox: Arc<dyn Sandbox> = Arc::new(ScriptedSandbox::default());
    let tmp = directory.path().join("tmp");
    fs::create_dir_all(tmp.join("hook-1-1").join("d/".repeat(1_000))).unwrap();
    open(&FakeClock::new(), &directory, sandbox);
    assert_eq!(fs::read_dir(&tmp).unwrap().count(), 0, "gone at once");
    let discarded = directory.path().join("discarded");
    let begun = std::time::Instant::now();
    while fs::read_dir(&discarded).unwrap().count() > 0 {
        assert!(begun.elapsed() < LIMIT, "not removed behind");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_shared_directory_that_an_earlier_process_left_too_deep_is_cut() {
    let directory = tempfile::tempdir().unwrap();
    let sandbox: Arc<dyn Sandbox> = Arc::new(ScriptedSandbox::default());
    let process = open(&FakeClock::new(), &directory, sandbox);
    let shared = directory.path().join("shared/main-0/spool");
    fs::create_dir_all(shared.join("d/".repeat(1_000))).unwrap();
    process.prepare_shared(&shared).unwrap();
    assert!(shared.join("d/".repeat(256)).is_dir());
    assert!(!shared.join("d/".repeat(257)).exists());
}
