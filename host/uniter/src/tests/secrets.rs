//! Hooks of secrets: in their time, once, and with what they are about; and what hooks read.

use periapt_contract::secret::Named;
use periapt_model::secret::{
    ChangedSecret, CharmOwner, Content, Described, Reader, RotatePolicy, SecretId,
};

use super::*;

const HOOKS: &[&str] = &[
    "install",
    "config-changed",
    "start",
    "secret-changed",
    "secret-expired",
    "secret-rotate",
    "secret-remove",
];
const HOUR: Duration = Duration::from_secs(3600);

fn content(value: &str) -> Content {
    Content::new([("password".to_owned(), value.to_owned())]).unwrap()
}

/// A new revision.
fn renews(id: &SecretId, value: &str) -> Effects {
    let changed = ChangedSecret {
        owner: CharmOwner::Unit,
        content: Some(content(value)),
        described: Described::default(),
    };
    let mut effects = Effects::default();
    effects.secrets.changed.insert(id.clone(), changed);
    effects
}

/// A unit at rest whose charm has the hooks, in a controller that keeps the test's time.
async fn at_rest() -> (World, Agent) {
    at_rest_with(HOOKS).await
}

async fn at_rest_with(hooks: &[&str]) -> (World, Agent) {
    let world = World::new();
    world.add_charm(0, hooks);
    world.controller.keep_time(world.clock.shared());
    let agent = world.start();
    world.settle().await;
    (world, agent)
}

impl World {
    /// What hooks of secrets ran, with what they were about.
    fn secret_hooks(&self) -> Vec<(String, String, Option<String>)> {
        let seen = self.sandbox.seen().into_iter();
        seen.filter(|seen| seen.hook.starts_with("secret-"))
            .map(|seen| {
                let variable = |name: &str| {
                    let mut all = seen.environment.iter();
                    let found = all.find(|(key, _)| key == name);
                    found.map(|(_, value)| value.clone())
                };
                assert_eq!(
                    variable("JUJU_SECRET_ID").as_deref(),
                    Some(seen.attributes["secret-id"].as_str())
                );
                let revision = seen.attributes.get("secret-revision").cloned();
                assert_eq!(variable("JUJU_SECRET_REVISION"), revision);
                let id = seen.attributes["secret-id"].clone();
                (seen.hook, id, revision)
            })
            .collect()
    }

    /// Lets time pass in steps of a minute until so many hooks of secrets have run.
    async fn until_secret_hooks(&self, count: usize) -> Duration {
        let began = self.clock.shared().monotonic();
        let hooks = || self.sandbox.seen().len();
        let (before, commits) = (hooks(), self.record().commits.len());
        let ran = async {
            while self.secret_hooks().len() < count {
                self.clock.advance(Duration::from_secs(60));
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        };
        let ran = tokio::time::timeout(LIMIT, ran).await;
        assert!(ran.is_ok(), "{:?}", self.secret_hooks());
        self.settle_with(commits + hooks() - before).await;
        self.clock.shared().monotonic() - began
    }
}

/// secretrotate: "When rotate policy is hourly and the clock passes, then one `secret-rotate` hook runs; next is
/// announced after the charm sets a new value."
#[tokio::test(flavor = "multi_thread")]
async fn when_the_policy_is_hourly_and_the_clock_passes_one_secret_rotate_runs_and_the_next_follows_a_new_value()
 {
    let (world, _agent) = at_rest_with(&HOOKS[..HOOKS.len() - 1]).await;
    let id = world.controller.add_secret("site/0", content("one"), &[]);
    let start = world.clock.shared().now().as_microsecond();
    world.controller.change_secret(&id, |secret| {
        secret.rotate = RotatePolicy::Hourly;
        secret.rotate_at = Some(start + i64::try_from(HOUR.as_micros()).unwrap());
    });
    let renewed = id.clone();
    world
        .sandbox
        .script(move |seen, _| match seen.hook.as_str() {
            "secret-rotate" => Ok(renews(&renewed, "two")),
            _ => Ok(Effects::default()),
        });
    let passed = world.until_secret_hooks(1).await;
    assert!(passed >= HOUR - Duration::from_secs(120), "{passed:?}");
    let expected = ("secret-rotate".to_owned(), id.uri(), None);
    assert_eq!(world.secret_hooks(), std::slice::from_ref(&expected));
    assert_eq!(world.controller.secret(&id).unwrap().contents.len(), 2);

    // The next one has no new value, so it comes again after five minutes.
    world.sandbox.script(|_, _| Ok(Effects::default()));
    let passed = world.until_secret_hooks(2).await;
    assert!(passed >= HOUR - Duration::from_secs(120), "{passed:?}");
    let passed = world.until_secret_hooks(3).await;
    assert!(passed <= Duration::from_secs(600), "{passed:?}");
    assert_eq!(world.secret_hooks()[2], expected);
}

/// secretexpire: "When a revision expires, then `secret-expired` runs with id+revision, and again ~5 min later if the
/// charm kept it."
#[tokio::test(flavor = "multi_thread")]
async fn when_a_revision_expires_secret_expired_runs_with_id_and_revision_and_again_after_five_minutes_if_it_is_kept()
 {
    let (world, _agent) = at_rest().await;
    let id = world.controller.add_secret("site/0", content("one"), &[]);
    let start = world.clock.shared().now().as_microsecond();
    world.controller.change_secret(&id, |secret| {
        let at = start + i64::try_from(HOUR.as_micros()).unwrap();
        secret.expires.insert(1, at);
    });
    let passed = world.until_secret_hooks(1).await;
    assert!(passed >= HOUR - Duration::from_secs(120), "{passed:?}");
    let expected = ("secret-expired".to_owned(), id.uri(), Some("1".to_owned()));
    assert_eq!(world.secret_hooks(), std::slice::from_ref(&expected));
    let passed = world.until_secret_hooks(2).await;
    assert!(
        passed >= Duration::from_secs(240) && passed <= Duration::from_secs(600),
        "{passed:?}"
    );
    assert_eq!(world.secret_hooks()[1], expected);
    world.controller.change_secret(&id, |secret| {
        secret.expires.clear();
    });
    world.clock.advance(2 * HOUR);
    world.settle().await;
    assert_eq!(world.secret_hooks().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_hears_once_of_a_newer_revision_and_its_owner_of_one_that_nobody_is_on() {
    let (world, _agent) = at_rest().await;
    let id = world.controller.add_secret("db", content("one"), &["site"]);
    let own = world
        .controller
        .add_secret("site/0", content("own"), &["db"]);
    let read = id.clone();
    world.sandbox.script(move |seen, context| {
        let mut effects = Effects::default();
        if seen.hook == "config-changed" {
            let of = Named::Id(read.clone());
            let found = context.read_secret(&of, false).unwrap();
            assert_eq!(
                (found.revision, found.owned, &found.reader),
                (1, false, &None)
            );
            let reader = Reader {
                revision: found.revision,
                label: "db".to_owned(),
            };
            effects.secrets.read.insert(read.clone(), reader);
        }
        Ok(effects)
    });
    world.controller.set_title(&unit(), "read");
    world
        .until(|record| {
            record
                .commits
                .iter()
                .any(|one| !one.secrets.read.is_empty())
        })
        .await;
    world.settle().await;
    assert_eq!(world.secret_hooks(), []);
    world.controller.change_secret(&id, |secret| {
        secret.contents.insert(2, content("two"));
    });
    world.until_secret_hooks(1).await;
    let changed = ("secret-changed".to_owned(), id.uri(), None);
    assert_eq!(world.secret_hooks(), [changed]);
    let told = world.sandbox.seen().pop().unwrap();
    assert_eq!(told.attributes["secret-label"], "db");

    world.controller.change_secret(&own, |secret| {
        secret.contents.insert(2, content("newer"));
    });
    world.until_secret_hooks(2).await;
    let unread = ("secret-remove".to_owned(), own.uri(), Some("1".to_owned()));
    assert_eq!(world.secret_hooks()[1], unread);
    world.clock.advance(HOUR);
    world.settle().await;
    assert_eq!(world.secret_hooks().len(), 2, "each once");
}

#[tokio::test(flavor = "multi_thread")]
async fn hooks_of_the_applications_secrets_are_the_leaders() {
    let (world, agent) = at_rest().await;
    let id = world.controller.add_secret("site", content("one"), &[]);
    world.controller.change_secret(&id, |secret| {
        secret.contents.insert(2, content("two"));
    });
    world.clock.advance(HOUR);
    world.settle().await;
    assert_eq!(world.secret_hooks(), []);
    world.controller.set_leader("site", Some(unit()));
    agent.lead();
    world.until_secret_hooks(1).await;
    assert_eq!(world.secret_hooks()[0].0, "secret-remove");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_not_granted_is_denied_and_a_new_id_is_another_each_time() {
    let (world, _agent) = at_rest().await;
    let id = world
        .controller
        .add_secret("db", content("one"), &["front"]);
    world.sandbox.script(move |seen, context| {
        if seen.hook == "config-changed" {
            let denied = context
                .read_secret(&Named::Id(id.clone()), true)
                .unwrap_err();
            assert_eq!(denied.code(), "denied");
            let unknown = context.read_secret(&Named::Label("none".to_owned()), true);
            assert_eq!(unknown.unwrap_err().code(), "not-found");
            assert_eq!(context.owned_secrets().unwrap(), []);
            let ids = [
                context.new_secret_id().unwrap(),
                context.new_secret_id().unwrap(),
            ];
            assert_ne!(ids[0], ids[1]);
        }
        Ok(Effects::default())
    });
    let before = world.record().commits.len();
    world.controller.set_title(&unit(), "denied");
    world.settle_with(before + 1).await;
    assert_eq!(world.record().runs.last().unwrap().code, "");
}
