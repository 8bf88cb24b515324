//! What becomes of what hooks ask of their containers: files for the supervisor.

use periapt_contract::workload::{Change, Layers, layer};
use periapt_model::charm;
use periapt_model::hook::Effects;
use periapt_model::workload::desired::Desired;

use super::*;
use crate::testing::failure;

fn planned(port: u16) -> Effects {
    let text = format!(
        "services: {{site: {{override: replace, kind: http, component: server.wasm, port: {port}, startup: enabled}}}}"
    );
    let mut layers = Layers::default();
    layers
        .add("site", layer::Layer::parse(&text).unwrap(), true)
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

impl World {
    /// A world whose charm has a container for a server.
    fn with_a_server() -> Self {
        let world = Self::new();
        world.add_web_charm(0, &["server.wasm"]);
        world
    }

    fn add_web_charm(&self, revision: u32, components: &[&str]) {
        let bytes = archive("site", &revision.to_string());
        let url = CharmUrl::new("site", revision).unwrap();
        let mut info = charm_info(&bytes, &url, ALL_HOOKS).unwrap();
        let may = charm::Workload {
            ports: vec!["80-81/tcp".parse().unwrap()],
            ..charm::Workload::default()
        };
        info.metadata
            .containers
            .insert("web".to_owned(), charm::Container::default());
        info.workload.insert("web".to_owned(), may);
        info.components = components.iter().map(|one| (*one).to_owned()).collect();
        self.controller.add_charm(info, bytes);
    }

    fn refresh(&self, revision: u32) {
        self.controller.change(&unit(), |record| {
            record.remote.charm_url = format!("local:site-{revision}");
            record.remote.charm_modified_version += 1;
        });
    }

    fn desired(&self) -> Option<Desired> {
        let path = self.directory.path().join("workloads/desired/site-0.json");
        serde_json::from_slice(&std::fs::read(path).ok()?).unwrap()
    }

    /// What is wanted once it is that: it is written a moment after the commit.
    async fn desired_once(&self, right: impl Fn(&Desired) -> bool) -> Desired {
        let begun = std::time::Instant::now();
        loop {
            match self.desired() {
                Some(desired) if right(&desired) => return desired,
                other => assert!(begun.elapsed() < LIMIT, "{other:?}"),
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_supervisor_is_told_of_what_is_committed_and_of_nothing_else() {
    let world = World::with_a_server();
    world.sandbox.script(|seen, _| match seen.hook.as_str() {
        "install" => Ok(planned(80)),
        "config-changed" => {
            std::fs::write(seen.state()?.join("page"), "new").unwrap();
            Ok(Effects::default())
        }
        "start" => Err(failure("no disk")),
        _ => Ok(planned(81)),
    });
    let agent = world.start();
    world
        .until(|record| record.agent.status == periapt_model::status::Agent::Error)
        .await;
    // Hooks that follow one another may be told of together.
    let desired = world
        .desired_once(|desired| desired.generation.ends_with("1"))
        .await;
    let web = &desired.containers["web"];
    assert_eq!(desired.unit, "site/0");
    assert_eq!(web.plan.services["site"].port, Some(80));
    assert!(
        desired.components["server.wasm"]
            .file
            .ends_with("server.wasm")
    );
    let page = world
        .directory
        .path()
        .join(&desired.generation)
        .join("page");
    assert_eq!(
        std::fs::read_to_string(page).unwrap(),
        "new",
        "the files of the newest hook"
    );
    agent.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_container_that_is_not_granted_is_not_started_until_it_is() {
    let world = World::with_a_server();
    let withheld = |texts: &[&str]| {
        let all = texts.iter().map(|text| text.parse().unwrap()).collect();
        world
            .controller
            .change(&unit(), |record| record.withheld = all);
    };
    withheld(&["workload/web"]);
    world.sandbox.script(|seen, _| match seen.hook.as_str() {
        "install" => Ok(planned(80)),
        _ => Ok(Effects::default()),
    });
    let agent = world.start();
    world.settle_with(1).await;
    world
        .desired_once(|desired| desired.containers.is_empty())
        .await;
    withheld(&[]);
    let desired = world
        .desired_once(|desired| !desired.containers.is_empty())
        .await;
    assert_eq!(
        desired.containers["web"].plan.services["site"].port,
        Some(80)
    );
    agent.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_container_that_was_revoked_is_not_started_by_an_agent_that_begins_anew() {
    let world = World::with_a_server();
    world.sandbox.script(|seen, _| match seen.hook.as_str() {
        "install" => Ok(planned(80)),
        _ => Ok(Effects::default()),
    });
    let agent = world.start();
    world
        .desired_once(|desired| !desired.containers.is_empty())
        .await;
    world.settle().await;
    world.controller.change(&unit(), |record| {
        record.withheld = vec!["workload/web".parse().unwrap()];
    });
    world
        .desired_once(|desired| desired.containers.is_empty())
        .await;
    agent.stop().await;
    let path = world.directory.path().join("workloads/desired/site-0.json");
    let wanted = Arc::new(std::sync::Mutex::new(None));
    let telling = Arc::clone(&wanted);
    world.sandbox.script(move |_, _| {
        let desired: Desired = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        *telling.lock().unwrap() = Some(desired.containers.len());
        Ok(Effects::default())
    });
    // The hook is due at once, before anything else tells the supervisor what is wanted.
    world.controller.set_title(&unit(), "another");
    let again = world.start();
    world.until(|_| wanted.lock().unwrap().is_some()).await;
    again.stop().await;
    assert_eq!(*wanted.lock().unwrap(), Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_may_open_the_ports_that_its_charm_declares() {
    let world = World::new();
    let bytes = archive("site", "ports");
    let url = CharmUrl::new("site", 0).unwrap();
    let mut info = charm_info(&bytes, &url, ALL_HOOKS).unwrap();
    let port = charm::Declared {
        capability: "port/8080/tcp".parse().unwrap(),
        why: None,
    };
    info.declared = vec![port].into();
    world.controller.add_charm(info, bytes);
    let told = Arc::new(std::sync::Mutex::new(None));
    let telling = Arc::clone(&told);
    world.sandbox.script(move |_, context| {
        *telling.lock().unwrap() = Some(context.declared_ports());
        Ok(Effects::default())
    });
    let agent = world.start();
    world.settle_with(1).await;
    agent.stop().await;
    let told = told.lock().unwrap().take();
    assert_eq!(told, Some(Some(vec!["8080/tcp".parse().unwrap()])));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_is_lost_is_written_anew_and_goes_with_its_unit() {
    let mut world = World::with_a_server();
    world.sandbox.script(|seen, _| match seen.hook.as_str() {
        "install" => Ok(planned(80)),
        _ => Ok(Effects::default()),
    });
    let agent = world.start();
    world.settle().await;
    let told = world.desired_once(|_| true).await;
    agent.stop().await;
    std::fs::remove_dir_all(world.directory.path().join("workloads")).unwrap();
    world.kill_process();
    let agent = world.start();
    let again = world.desired_once(|_| true).await;
    assert_eq!(again.containers, told.containers);
    agent.stop().await;
    assert!(world.process.remove_unit(&unit()).await.unwrap());
    assert_eq!(world.desired(), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn another_revision_brings_its_components_and_loses_what_it_does_not_declare() {
    let world = World::with_a_server();
    world.sandbox.script(|seen, _| match seen.hook.as_str() {
        "install" => Ok(planned(80)),
        _ => Ok(Effects::default()),
    });
    let agent = world.start();
    let first = world.desired_once(|_| true).await;
    world.settle().await;
    world.add_web_charm(1, &["server.wasm"]);
    world.refresh(1);
    let second = world
        .desired_once(|desired| desired.components != first.components)
        .await;
    assert_eq!(second.containers, first.containers);
    world.add_web_charm(2, &[]);
    world.refresh(2);
    world
        .desired_once(|desired| desired.containers["web"].plan.services.is_empty())
        .await;
    agent.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_could_not_be_handed_over_is_tried_again_and_nothing_is_taken_back_meanwhile() {
    let world = World::with_a_server();
    world.sandbox.script(|seen, _| match seen.hook.as_str() {
        "install" => Ok(planned(80)),
        _ => Ok(Effects::default()),
    });
    let agent = world.start();
    let told = world.desired_once(|_| true).await;
    world.settle().await;
    world.add_web_charm(1, &["server.wasm"]);
    world.sandbox.components(false);
    world.refresh(1);
    world
        .until(|record| record.charm_in_place.as_deref() == Some("local:site-1"))
        .await;
    assert_eq!(
        world.desired().as_ref(),
        Some(&told),
        "it goes on with what it has"
    );
    world.sandbox.components(true);
    let begun = std::time::Instant::now();
    while world.desired().as_ref() == Some(&told) {
        assert!(begun.elapsed() < LIMIT);
        world.clock.advance(Duration::from_secs(5));
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    agent.stop().await;
}

/// A machine that reboots: what is served ends with its engine and begins anew with the next one.
#[tokio::test(flavor = "multi_thread")]
async fn what_is_served_ends_with_a_reboot_and_begins_anew_with_the_next_engine() {
    let world = World::with_a_server();
    world.sandbox.script(|seen, _| match seen.hook.as_str() {
        "install" => Ok(planned(80)),
        _ => Ok(Effects::default()),
    });
    let agent = world.start();
    let before = world
        .desired_once(|desired| !desired.containers.is_empty())
        .await;
    world.settle().await;
    world.process.end_workloads(&unit()).unwrap();
    let ended = world.desired().unwrap();
    assert!(ended.containers.is_empty() && ended.number > before.number);
    agent.stop().await;
    let agent = world.start();
    let after = world
        .desired_once(|desired| !desired.containers.is_empty())
        .await;
    assert_eq!(after.containers, before.containers);
    assert!(after.number > ended.number);
    agent.stop().await;
    let none: UnitName = "site/9".parse().unwrap();
    world.process.end_workloads(&none).unwrap();
}
