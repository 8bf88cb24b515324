//! What an application was not granted: hooks and containers do without it from the next hook on.

use std::collections::BTreeMap;
use std::sync::Mutex;

use periapt_model::charm::{self, Access, Capability};

use super::*;
use crate::testing::failure;

const NOT_GRANTED: &str =
    "tools/secret is not granted to site: periapt grant-capability site tools/secret";

fn capability(text: &str) -> Capability {
    text.parse().unwrap()
}

impl World {
    /// A world whose charm declares these, and whose application does not have the ones that are withheld.
    fn that_declares(declared: &[&str], withheld: &[&str]) -> Self {
        let world = Self::new();
        let bytes = archive("site", "grants");
        let url = CharmUrl::new("site", 0).unwrap();
        let mut info = charm_info(&bytes, &url, ALL_HOOKS).unwrap();
        let declared = declared.iter().map(|text| charm::Declared {
            capability: capability(text),
            why: None,
        });
        info.declared = declared.collect::<Vec<_>>().into();
        info.shared = BTreeMap::from([
            ("logs".to_owned(), Access::ReadWrite),
            ("spool".to_owned(), Access::ReadWrite),
        ]);
        world.controller.add_charm(info, bytes);
        world.withhold(withheld);
        world
    }

    fn withhold(&self, texts: &[&str]) {
        let withheld: Vec<Capability> = texts.iter().map(|text| capability(text)).collect();
        self.controller
            .change(&unit(), |record| record.withheld = withheld);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_that_ends_with_an_error_after_a_refusal_shows_what_to_grant() {
    let world = World::that_declares(&["tools/secret"], &["tools/secret"]);
    world.sandbox.script(|_, context| {
        let refused = context.withheld("secret").unwrap();
        assert_eq!(refused, NOT_GRANTED);
        assert_eq!(context.withheld("reboot"), None);
        Err(failure("no secret"))
    });
    let agent = world.start();
    world
        .until(|record| record.agent.status == periapt_model::status::Agent::Error)
        .await;
    let shown = world.record().agent.message;
    assert!(
        shown.starts_with("hook failed: \"install\"; ") && shown.ends_with(NOT_GRANTED),
        "{shown}"
    );
    agent.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_grant_holds_from_the_next_hook_on_and_so_does_its_revocation() {
    let world = World::that_declares(&["tools/secret"], &["tools/secret"]);
    let told = Arc::new(Mutex::new(Vec::new()));
    let telling = Arc::clone(&told);
    world.sandbox.script(move |seen, context| {
        let withheld = context.withheld("secret").is_some();
        telling.lock().unwrap().push((seen.hook.clone(), withheld));
        Ok(Effects::default())
    });
    let changed = |withheld: bool| {
        let told = told.lock().unwrap();
        let mut changes = told.iter().filter(|(hook, _)| hook == "config-changed");
        changes.next_back().is_some_and(|(_, was)| *was == withheld)
    };
    let agent = world.start();
    world.until(|_| changed(true)).await;
    world.withhold(&[]);
    world.controller.set_title(&unit(), "another");
    world.until(|_| changed(false)).await;
    world.withhold(&["tools/secret"]);
    world.controller.set_title(&unit(), "a third");
    world.until(|_| changed(true)).await;
    agent.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_directory_and_a_port_that_are_not_granted_are_not_there() {
    let declared = [
        "shared/logs:read-write",
        "shared/spool:read-write",
        "port/80/tcp",
        "port/443/tcp",
    ];
    let world = World::that_declares(&declared, &["shared/spool:read-write", "port/443/tcp"]);
    world.sandbox.script(|seen, context| {
        let names: Vec<&str> = seen.shared.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["logs"]);
        assert_eq!(context.withheld_port("80/tcp".parse().unwrap()), None);
        assert_eq!(
            context.withheld_port("443/tcp".parse().unwrap()).unwrap(),
            "port/443/tcp is not granted to site: periapt grant-capability site port/443/tcp"
        );
        Ok(Effects::default())
    });
    let agent = world.start();
    world.settle_with(1).await;
    agent.stop().await;
}
