//! Storage: its hooks in their order, what they and others find of it, and how a unit lets go of it.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

use periapt_contract::workload::{Change, Layers, layer};
use periapt_model::charm::{self, Storage};
use periapt_model::status;
use periapt_model::task::TaskStatus;
use periapt_model::uniter::Resolved;
use periapt_model::workload::desired::{Desired, Observed};
use periapt_model::{Life, storage};
use periapt_sandbox::CallErrorCode;

use super::*;
use crate::testing::failure;

const HOOKS: &[&str] = &[
    "install",
    "config-changed",
    "start",
    "stop",
    "remove",
    "data-storage-attached",
    "data-storage-detaching",
];

fn declared(text: &str) -> Storage {
    serde_json::from_str(text).unwrap()
}

impl World {
    /// A world whose charm has up to three storages `data`, one `pool` for reading, and these hooks.
    fn with_storage(hooks: &[&str]) -> Self {
        let world = Self::new();
        let bytes = archive("site", "storage");
        let url = CharmUrl::new("site", 0).unwrap();
        let mut info = charm_info(&bytes, &url, hooks).unwrap();
        info.metadata.storage = [
            (
                "data".to_owned(),
                declared(r#"{"type": "filesystem", "multiple": {"range": "0-3"}}"#),
            ),
            (
                "pool".to_owned(),
                declared(r#"{"type": "filesystem", "shared": true, "read-only": true, "location": "/srv/pool"}"#),
            ),
        ]
        .into();
        let may = charm::Workload {
            ports: vec!["80/tcp".parse().unwrap()],
            ..charm::Workload::default()
        };
        info.metadata
            .containers
            .insert("web".to_owned(), charm::Container::default());
        info.workload.insert("web".to_owned(), may);
        info.components = vec!["server.wasm".to_owned()];
        world.controller.add_charm(info, bytes);
        world
    }

    fn attach(&self, id: &str, ready: bool) {
        self.controller.attach_storage(&unit(), id, ready).unwrap();
    }

    /// What is attached to the unit, as the controller knows it.
    fn attached(&self) -> Vec<String> {
        let attached = self.record().remote.storage;
        attached.keys().map(ToString::to_string).collect()
    }

    /// The hooks that ran, those of storage with what they were about.
    fn told(&self) -> Vec<String> {
        let seen = self.sandbox.seen().into_iter();
        seen.map(|seen| match seen.attributes.get("storage-id") {
            Some(id) => format!("{} {id}", seen.hook),
            None => seen.hook,
        })
        .collect()
    }
}

/// What a hook has of storage.
fn has(seen: &crate::testing::Seen) -> Vec<&str> {
    seen.storage.iter().map(|one| one.id.as_str()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn storage_is_attached_before_install_and_every_hook_finds_what_the_unit_was_told_of() {
    let world = World::with_storage(HOOKS);
    world.attach("data/0", true);
    world.attach("data/1", true);
    let agent = world.start();
    world.settle().await;
    let expected = [
        "data-storage-attached data/0",
        "data-storage-attached data/1",
        "install",
        "config-changed",
        "start",
    ];
    assert_eq!(world.told(), expected);
    let seen = world.sandbox.seen();
    assert_eq!(has(&seen[0]), ["data/0"]);
    for later in &seen[1..] {
        assert_eq!(has(later), ["data/0", "data/1"], "{}", later.hook);
    }
    let variable = |name: &str| {
        let mut all = seen[1].environment.iter();
        let found = all.find(|(key, _)| key == name);
        found.map(|(_, value)| value.clone()).unwrap_or_default()
    };
    for (attribute, name, value) in [
        ("storage-id", "JUJU_STORAGE_ID", "data/1"),
        (
            "storage-location",
            "JUJU_STORAGE_LOCATION",
            "/storage/data/1",
        ),
        ("storage-kind", "JUJU_STORAGE_KIND", "filesystem"),
    ] {
        assert_eq!(seen[1].attributes[attribute], value);
        assert_eq!(variable(name), value);
    }
    let first = &seen[0].storage[0];
    assert_eq!(first.root, world.directory.path().join("storage"));
    assert_eq!(first.directory, "data-0");
    agent.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn install_waits_for_storage_that_is_not_ready_and_a_later_one_holds_nothing_up() {
    let world = World::with_storage(HOOKS);
    world.attach("data/0", false);
    let agent = world.start();
    world
        .until(|record| record.agent.message == "waiting for storage data/0")
        .await;
    assert!(world.told().is_empty());
    assert_ne!(world.record().agent.status, status::Agent::Idle);
    world.attach("data/0", true);
    world.settle().await;
    assert_eq!(
        world.told()[..2],
        ["data-storage-attached data/0", "install"]
    );
    world.attach("pool/1", false);
    world.controller.set_title(&unit(), "later");
    world.settle_with(5).await;
    assert_eq!(has(world.sandbox.seen().last().unwrap()), ["data/0"]);
    agent.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_detached_is_let_go_of_with_its_hook_which_still_finds_it() {
    let world = World::with_storage(HOOKS);
    world.attach("data/0", true);
    let agent = world.start();
    world.settle().await;
    world.controller.detach_storage(&unit());
    world
        .until(|record| record.remote.storage.is_empty() && is_idle(record))
        .await;
    let seen = world.sandbox.seen();
    let last = seen.last().unwrap();
    assert_eq!(last.hook, "data-storage-detaching");
    assert_eq!(has(last), ["data/0"]);
    world.controller.set_title(&unit(), "without");
    world.settle_with(6).await;
    assert!(has(world.sandbox.seen().last().unwrap()).is_empty());
    agent.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_charm_without_hooks_of_storage_has_it_and_lets_go_of_it_as_well() {
    let world = World::with_storage(ALL_HOOKS);
    world.attach("pool/0", true);
    let agent = world.start();
    world.settle().await;
    let seen = world.sandbox.seen();
    assert_eq!(seen[0].hook, "install");
    let pool = &seen[0].storage[0];
    assert_eq!(pool.location, "/srv/pool");
    assert_eq!(pool.access, charm::Access::ReadOnly);
    world.controller.detach_storage(&unit());
    world
        .until(|record| record.remote.storage.is_empty() && is_idle(record))
        .await;
    assert!(world.record().state.operation.unwrap().storage.is_empty());
    agent.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_unit_that_goes_lets_go_of_its_storage_before_it_stops() {
    let world = World::with_storage(HOOKS);
    world.attach("data/0", true);
    let agent = world.start();
    world.settle().await;
    world
        .controller
        .change(&unit(), |record| record.remote.life = Life::Dying);
    agent.terminated().await;
    let told = world.told();
    assert_eq!(
        told[told.len() - 3..],
        ["data-storage-detaching data/0", "stop", "remove"]
    );
    assert!(world.attached().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_unit_that_goes_before_its_charm_is_there_lets_go_without_a_hook() {
    let world = World::with_storage(HOOKS);
    world.attach("data/0", false);
    world.attach("pool/1", true);
    world
        .controller
        .change(&unit(), |record| record.remote.life = Life::Dying);
    let agent = world.start();
    agent.terminated().await;
    assert!(world.told().is_empty());
    assert!(world.attached().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn storage_stays_while_its_detaching_fails_and_goes_when_a_person_says_to_go_on() {
    let mut world = World::with_storage(HOOKS);
    world.retry.should_retry = false;
    world.attach("data/0", true);
    world.sandbox.script(|seen, _| match seen.hook.as_str() {
        "data-storage-detaching" => Err(failure("busy")),
        _ => Ok(Effects::default()),
    });
    let agent = world.start();
    world.settle().await;
    world.controller.detach_storage(&unit());
    world
        .until(|record| record.agent.status == status::Agent::Error)
        .await;
    assert_eq!(world.attached(), ["data/0"]);
    world
        .controller
        .change(&unit(), |record| record.remote.resolved = Resolved::NoHooks);
    world
        .until(|record| record.remote.storage.is_empty() && is_idle(record))
        .await;
    agent.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_hook_adds_is_attached_after_it() {
    let world = World::with_storage(HOOKS);
    world.sandbox.script(|seen, context| {
        let mut effects = Effects::default();
        if seen.hook == "start" {
            let declared = context.declared_storage().unwrap();
            assert_eq!(declared["data"].room, Some(3));
            assert!(declared["pool"].shared);
            effects.storage = storage::Changes::from([("data".to_owned(), 2)]);
        }
        if seen.hook == "data-storage-attached" {
            let about = context.hook_storage().unwrap();
            let attached = context.attached_storage().unwrap();
            assert!(attached.iter().any(|one| one.id == about));
        }
        Ok(effects)
    });
    let agent = world.start();
    world
        .until(|record| record.commits.len() >= 5 && is_idle(record))
        .await;
    let expected = [
        "data-storage-attached data/1",
        "data-storage-attached data/2",
    ];
    assert_eq!(world.told()[3..], expected);
    // More than the charm declares is refused, and the hook with it.
    world.sandbox.script(|_, _| {
        Ok(Effects {
            storage: storage::Changes::from([("data".to_owned(), 2)]),
            ..Effects::default()
        })
    });
    world.controller.set_title(&unit(), "more");
    world
        .until(|record| record.agent.status == status::Agent::Error)
        .await;
    let run = world.record().runs.pop().unwrap();
    assert_eq!(run.code, "commit-refused");
    agent.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_finds_the_storage_of_its_unit() {
    let hooks: Vec<&str> = HOOKS.iter().copied().chain(["commands/look"]).collect();
    let world = World::with_storage(&hooks);
    world.attach("data/0", true);
    world.sandbox.script(|seen, context| {
        if seen.hook == "commands/look" {
            assert!(context.hook_storage().is_none());
            let attached = context.attached_storage().unwrap();
            assert_eq!(attached[0].location, "/storage/data/0");
        }
        Ok(Effects::default())
    });
    let agent = world.start();
    world.settle().await;
    let task = crate::testing::TaskRecord::new("commands/look");
    let number = world.controller.enqueue(&unit(), task);
    world
        .until(|record| record.tasks[&number].status.has_ended())
        .await;
    let seen = world.sandbox.seen();
    assert_eq!(has(seen.last().unwrap()), ["data/0"]);
    assert_eq!(world.record().tasks[&number].status, TaskStatus::Completed);
    agent.stop().await;
}

fn planned() -> Effects {
    let text = "services: {site: {override: replace, kind: http, component: server.wasm, port: 80, startup: enabled}}";
    let mut layers = Layers::default();
    layers
        .add("site", layer::Layer::parse(text).unwrap(), true)
        .unwrap();
    let change = Change {
        layers: Some(layers),
        requests: Vec::new(),
    };
    Effects {
        workload: [("web".to_owned(), change)].into(),
        ..Effects::default()
    }
}

/// What the supervisor was told of storage, and under which number.
fn wanted(world: &World) -> Option<(Vec<String>, u64)> {
    let path = world.directory.path().join("workloads/desired/site-0.json");
    let desired: Desired = serde_json::from_slice(&std::fs::read(path).ok()?).ok()?;
    let web = desired.containers.get("web")?;
    Some((web.storage.keys().cloned().collect(), desired.number))
}

/// The supervisor follows what is wanted under this number.
fn observe(world: &World, number: u64) {
    let path = world
        .directory
        .path()
        .join("workloads/observed/site-0.json");
    let observed = Observed {
        unit: "site/0".to_owned(),
        number,
        ..Observed::default()
    };
    std::fs::write(path, serde_json::to_vec(&observed).unwrap()).unwrap();
}

async fn until_wanted(world: &World, right: impl Fn(&[String]) -> bool) -> u64 {
    let begun = std::time::Instant::now();
    loop {
        match wanted(world) {
            Some((storage, number)) if right(&storage) => return number,
            other => assert!(begun.elapsed() < LIMIT, "{other:?}"),
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn containers_lose_storage_before_the_unit_lets_go_of_it() {
    let world = World::with_storage(HOOKS);
    world.attach("data/0", true);
    world.sandbox.script(|seen, _| match seen.hook.as_str() {
        "install" => Ok(planned()),
        _ => Ok(Effects::default()),
    });
    let agent = world.start();
    world.settle().await;
    let with = until_wanted(&world, |storage| storage == ["/storage/data/0"]).await;
    observe(&world, with);
    let committed = world.controller.count("CommitHook");
    world.controller.detach_storage(&unit());
    let without = until_wanted(&world, <[String]>::is_empty).await;
    assert!(without > with);
    // It waits for the supervisor, which has not looked yet.
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert_eq!(world.attached(), ["data/0"]);
    assert_eq!(world.controller.count("CommitHook"), committed);
    observe(&world, without);
    let begun = std::time::Instant::now();
    while !world.attached().is_empty() {
        assert!(begun.elapsed() < LIMIT, "{:?}", world.told());
        world.clock.advance(Duration::from_millis(50));
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    world.settle().await;
    agent.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_supervisor_that_says_nothing_keeps_no_storage_for_long() {
    let world = World::with_storage(HOOKS);
    world.attach("data/0", true);
    world.sandbox.script(|seen, _| match seen.hook.as_str() {
        "install" => Ok(planned()),
        _ => Ok(Effects::default()),
    });
    let agent = world.start();
    world.settle().await;
    let with = until_wanted(&world, |storage| !storage.is_empty()).await;
    observe(&world, with);
    let before = world.clock.shared().monotonic();
    world.controller.detach_storage(&unit());
    let begun = std::time::Instant::now();
    while !world.attached().is_empty() {
        assert!(begun.elapsed() < LIMIT, "{:?}", world.told());
        world.clock.advance(Duration::from_millis(500));
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let passed = world.clock.shared().monotonic() - before;
    assert!(passed >= Duration::from_secs(10), "{passed:?}");
    agent.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_charm_asks_for_no_storage_that_it_does_not_declare() {
    let world = World::with_storage(HOOKS);
    world.sandbox.script(|seen, context| {
        if seen.hook == "install" {
            let mut txn = periapt_sandbox::HookTxn::default();
            let refused = txn.storage_ids(context, Some("dat")).unwrap_err();
            assert_eq!(refused.code, CallErrorCode::NotFound);
            assert!(refused.message.contains("\"data\""), "{refused:?}");
        }
        Ok(Effects::default())
    });
    let agent = world.start();
    world.settle().await;
    agent.stop().await;
}

/// Closes or opens the directory of a storage, as it is before and after its provider has mounted it; whether that
/// keeps anybody out here.
fn set_mode(world: &World, mode: u32) -> bool {
    let directory = world.directory.path().join("storage").join("data-0");
    fs::create_dir_all(&directory).unwrap();
    fs::set_permissions(&directory, Permissions::from_mode(mode)).unwrap();
    fs::read_dir(&directory).is_err()
}

#[tokio::test(flavor = "multi_thread")]
async fn hooks_wait_for_storage_that_is_mounted_after_a_new_start_of_the_machine() {
    let world = World::with_storage(HOOKS);
    world.attach("data/0", true);
    if !set_mode(&world, 0o000) {
        return;
    }
    let agent = world.start();
    for _ in 0..3 {
        world.pass(2, Duration::from_secs(5)).await;
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert!(world.told().is_empty(), "{:?}", world.told());
    assert_eq!(world.record().agent.message, "waiting for storage data/0");
    set_mode(&world, 0o700);
    while world.told().is_empty() {
        world.pass(2, Duration::from_secs(5)).await;
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    world.settle().await;
    let expected = [
        "data-storage-attached data/0",
        "install",
        "config-changed",
        "start",
    ];
    assert_eq!(world.told(), expected);
    assert_eq!(world.controller.count("FailHook"), 0);
    agent.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn storage_that_stays_closed_is_waited_for_no_longer_than_a_minute() {
    let world = World::with_storage(HOOKS);
    world.attach("data/0", true);
    if !set_mode(&world, 0o000) {
        return;
    }
    let began = world.clock.shared().monotonic();
    let agent = world.start();
    while world.told().is_empty() {
        world.pass(2, Duration::from_secs(5)).await;
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let waited = world.clock.shared().monotonic() - began;
    assert!(waited >= Duration::from_secs(60), "{waited:?}");
    world.settle().await;
    set_mode(&world, 0o700);
    agent.stop().await;
}
