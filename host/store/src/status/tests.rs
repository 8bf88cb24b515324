use std::time::Duration;

use periapt_model::Tag;

use super::*;
use crate::testing::{Fixture, application, fixtures, form, unit};

/// The history of an entity, oldest first: kind, word and text.
async fn history(
    fixture: &Fixture,
    model: &ModelUuid,
    entity: Tag,
) -> Vec<(String, String, String)> {
    let lines = fixture.store.last_statuses(model, &entity, 10_000).await;
    let lines = lines.expect("history").into_iter();
    lines
        .map(|line| (line.kind, line.status, line.message))
        .collect()
}

/// The words of the unit's workload since it was made.
async fn words(fixture: &Fixture, model: &ModelUuid, kind: &str) -> Vec<String> {
    let lines = history(fixture, model, Tag::Unit(unit("site/0"))).await;
    let of_kind = lines.into_iter().filter(|(of, ..)| of == kind);
    of_kind.map(|(_, word, _)| word).skip(1).collect()
}

#[tokio::test]
async fn the_history_of_a_unit_ends_its_error() {
    for fixture in fixtures().await {
        let (model, site) = (fixture.site(1).await, unit("site/0"));
        let store = &fixture.store;
        let agent = async |word, message: &str| {
            let said = store.set_agent_status(&model, &site, Status::new(word, message));
            said.await.expect("said");
        };
        let installing = Status::new(Workload::Maintenance, "installing");
        store
            .set_unit_status(&model, &site, installing.clone())
            .await
            .expect("said");
        agent(Agent::Executing, "running install hook").await;
        agent(Agent::Error, "hook failed: \"install\"").await;
        // It is tried again, and fails again.
        agent(Agent::Executing, "running install hook").await;
        agent(Agent::Error, "hook failed: \"install\"").await;
        // A person skips it: the agent is idle, and nobody says anything of the workload.
        agent(Agent::Idle, "").await;
        assert_eq!(
            words(&fixture, &model, "workload").await,
            [
                "maintenance",
                "error",
                "maintenance",
                "error",
                "maintenance"
            ]
        );
        // The agent's own history has what was displayed, too.
        assert_eq!(
            words(&fixture, &model, "juju-unit").await,
            ["executing", "idle", "executing", "idle", "idle"]
        );
        // What the charm says as it comes back is one line and not two.
        agent(Agent::Error, "hook failed: \"start\"").await;
        let ready = Status::new(Workload::Active, "ready");
        store
            .set_unit_status(&model, &site, ready)
            .await
            .expect("said");
        agent(Agent::Idle, "").await;
        let said = words(&fixture, &model, "workload").await;
        assert_eq!(said[5..], ["error", "active"]);
        fixture.end().await;
    }
}

#[tokio::test]
async fn a_charm_that_chatters_fills_no_history() {
    for fixture in fixtures().await {
        let (model, site) = (fixture.site(1).await, unit("site/0"));
        let store = &fixture.store;
        let say = async |number: u64| {
            let said = Status::new(
                Workload::Maintenance,
                format!("{number} {}", "x".repeat(9_000)),
            );
            store
                .set_unit_status(&model, &site, said)
                .await
                .expect("said");
        };
        let lines = async || words(&fixture, &model, "workload").await.len() as u64 + 1;
        for number in 0..STATUS_LINES.most * 3 {
            say(number).await;
        }
        assert_eq!(lines().await, STATUS_LINES.most);
        // The newest line and the status itself have what was said last, no longer than it may be.
        let newest = history(&fixture, &model, Tag::Unit(site.clone())).await;
        let last = format!("{} xxx", STATUS_LINES.most * 3 - 1);
        let (_, _, message) = newest.last().expect("a line");
        assert!(message.starts_with(&last));
        assert!(message.len() as u64 <= TEXT_BYTES.most);
        let shown = store.unit(&model, &site, &|_| true).await.expect("unit");
        assert_eq!(shown.workload.message, *message);
        fixture.clock.advance(Duration::from_secs(61));
        say(1_000_000).await;
        assert_eq!(
            lines().await,
            STATUS_LINES.most + 1,
            "a minute later there is room"
        );
        fixture.end().await;
    }
}

#[tokio::test]
async fn a_charms_trouble_goes_with_its_cause() {
    for fixture in fixtures().await {
        let model = fixture.site(1).await;
        let (store, site) = (&fixture.store, application("site"));
        let charm = store.application_charm(&model, &site).await.expect("charm");
        let shown = async || {
            let shown = store
                .application(&model, &site)
                .await
                .expect("there")
                .status;
            (shown.status, shown.message)
        };
        let ready = Status::new(Workload::Active, "ready");
        store
            .set_unit_status(&model, &unit("site/0"), ready)
            .await
            .expect("said");
        let said = Status::new(Workload::Waiting, "for the others");
        put(&fixture, &model, &site, &said).await;
        let waiting = (Workload::Waiting, "for the others".to_owned());
        assert_eq!(shown().await, waiting);

        let trouble = async |engine: &str| {
            let told = store.set_charm_trouble(&model, &site, engine, "compiler died");
            told.await.expect("told");
        };
        trouble("engine").await;
        trouble("engine").await;
        assert_eq!(shown().await, (Workload::Error, "compiler died".to_owned()));
        let digest = store
            .put_blob(bytes::Bytes::from_static(b"code"))
            .await
            .expect("blob");
        store
            .put_compiled(&charm.sha256, form("engine", &digest))
            .await
            .expect("compiled");
        assert_eq!(
            shown().await,
            waiting,
            "what the leader said was never lost"
        );
        let lines = history(&fixture, &model, Tag::Application(site.clone())).await;
        let words: Vec<&str> = lines.iter().map(|(_, word, _)| word.as_str()).collect();
        assert_eq!(words[words.len() - 3..], ["waiting", "error", "waiting"]);
        // Who is late with a failure that is over by now changes nothing.
        trouble("engine").await;
        assert_eq!(shown().await, waiting);
        trouble("the next engine").await;
        assert_eq!(shown().await.0, Workload::Error);
        let none = application("none");
        let missing = store.set_charm_trouble(&model, &none, "engine", "");
        assert_eq!(
            missing.await.unwrap_err().refusal().code(),
            "application-not-found"
        );
        fixture.end().await;
    }
}

/// What the leader says, without a lease.
async fn put(
    fixture: &Fixture,
    model: &ModelUuid,
    name: &ApplicationName,
    said: &Status<Workload>,
) {
    let (model, name, said) = (model.clone(), name.clone(), said.clone());
    let written = fixture
        .store
        .write(move |tx| Box::pin(async move { put_application(tx, &model, &name, &said).await }));
    written.await.expect("written");
}
