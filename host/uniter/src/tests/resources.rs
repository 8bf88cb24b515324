//! What is attached to an application is fetched when a hook asks for it.

use std::fs;

use periapt_model::Digest;
use periapt_sandbox::CallErrorCode;
use periapt_wire::agent::uniter::ResourceContent;

use super::*;

/// Attaches this, and has the charm hear of it.
fn attach(world: &World, revision: u64, content: &str) {
    let sha256 = Digest::of(content.as_bytes()).to_string();
    world.controller.add_blob(&sha256, content.into());
    world.controller.change(&unit(), |record| {
        let known = record.resources.get("theme").and_then(|theme| theme.known);
        let content = ResourceContent {
            revision,
            sha256,
            size: content.len() as u64,
            known,
        };
        record.resources.insert("theme".to_owned(), content);
        record.remote.charm_modified_version += 1;
    });
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_finds_what_is_attached_and_another_revision_in_the_next_one() {
    let world = World::new();
    world.sandbox.script(|seen, context| {
        let path = context.resource("theme").unwrap();
        // It is the same one however often the hook asks.
        assert_eq!(context.resource("theme").unwrap(), path);
        let told = path.map(|path| {
            assert_eq!(path, "/resources/theme/theme.css");
            let directory = seen.resource("theme").unwrap();
            assert_eq!(fs::read_dir(&directory).unwrap().count(), 1);
            fs::read_to_string(directory.join("theme.css")).unwrap()
        });
        let unknown = context.resource("them").unwrap_err();
        assert_eq!(unknown.code, CallErrorCode::NotFound);
        assert!(unknown.message.contains("did you mean"), "{unknown:?}");
        Ok(Effects {
            state: [("theme".to_owned(), told)].into(),
            ..Effects::default()
        })
    });
    let _agent = world.start();
    world.settle().await;
    let theme = |record: &UnitRecord| record.state.charm_state.get("theme").cloned();
    assert_eq!(theme(&world.record()), None);
    for (revision, content) in [(1, "red"), (2, "blue")] {
        attach(&world, revision, content);
        world
            .until(|record| {
                is_idle(record)
                    && theme(record).as_deref() == Some(content)
                    && record.resources["theme"].known == Some(revision)
            })
            .await;
    }
    assert!(world.sandbox.hooks().contains(&"upgrade-charm".to_owned()));
    // What the unit has no more is not kept.
    let kept = fs::read_dir(world.directory.path().join("resources")).unwrap();
    assert!(kept.count() <= 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_comes_with_another_digest_is_fetched_again_and_never_shown() {
    let world = World::new();
    let digest = Digest::of(b"red").to_string();
    world.controller.add_blob(&digest, b"blue".to_vec());
    world.controller.change(&unit(), |record| {
        let content = ResourceContent {
            revision: 1,
            sha256: digest.clone(),
            size: 3,
            known: None,
        };
        record.resources.insert("theme".to_owned(), content);
    });
    world.sandbox.script(|seen, context| {
        let refused = context.resource("theme").unwrap_err();
        assert_eq!(refused.code, CallErrorCode::Unavailable);
        assert_eq!(seen.resource("theme"), None);
        Ok(Effects::default())
    });
    let _agent = world.start();
    world.settle().await;
    assert_eq!(world.record().resources["theme"].known, None);
}
