use std::time::Duration;

use periapt_model::cause::Cause;
use periapt_model::hook::Effects;
use periapt_model::status::{Agent, Status};
use periapt_model::uniter::{OperationState, RemoteState};
use periapt_model::{Tag, UnitName};
use periapt_wire::agent::uniter::{HookReport, Known};
use periapt_wire::rest::{HookQuery, HookUsage};

use crate::Interest;
use crate::changes::namespace;
use crate::testing::{Fixture, fixtures, unit};
use crate::{HookCommit, Store};

const USAGE: HookUsage = HookUsage {
    memory_bytes: 1_114_112,
    host_calls: 12,
    output_bytes: 3,
    state_directory_bytes: 0,
};

fn report(hook: &str, started_at: i64, code: &str) -> HookReport {
    HookReport {
        hook: hook.to_owned(),
        about: String::new(),
        charm: "local:site-0".to_owned(),
        started_at,
        duration: 1_500,
        waited: 250,
        code: code.to_owned(),
        message: if code.is_empty() { "" } else { "it fell" }.to_owned(),
        effects: vec!["opened 80/tcp".to_owned()],
        usage: code.is_empty().then_some(USAGE),
        cause: Cause::Unknown,
    }
}

fn commit(from: u64, run: HookReport) -> HookCommit {
    HookCommit {
        from,
        run: Some(run),
        ..HookCommit::default()
    }
}

async fn ran(fixture: &Fixture, model: &periapt_model::ModelUuid, name: &UnitName, hook: &str) {
    let now = fixture.clock.shared().now().as_microsecond();
    let store = &fixture.store;
    let from = store.sequence(model, name).await;
    store
        .commit_hook_run(model, name, commit(from, report(hook, now, "")))
        .await
        .expect("committed");
}

#[tokio::test]
async fn a_run_keeps_what_it_used() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = fixture.site(1).await;
        let site = unit("site/0");
        ran(&fixture, &model, &site, "install").await;
        let page = store.hook_runs(&model, &HookQuery::default()).await;
        let run = &page.expect("page").items[0];
        assert_eq!((run.usage, run.limits), (Some(USAGE), None));
        let same = store.hook_run(&model, run.id).await.expect("run");
        assert_eq!(&same, run);
        fixture.end().await;
    }
}

async fn hooks(store: &Store, model: &periapt_model::ModelUuid, query: HookQuery) -> Vec<String> {
    let page = store.hook_runs(model, &query).await.expect("page");
    page.items
        .iter()
        .map(|run| format!("{} {} {}", run.unit, run.hook, run.result))
        .collect()
}

#[tokio::test]
async fn runs_are_listed_newest_first_and_by_what_is_asked_for() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = fixture.site(2).await;
        let mut heard = store
            .changes()
            .subscribe(Interest::model(&model).all(namespace::HOOK));
        ran(&fixture, &model, &unit("site/0"), "install").await;
        ran(&fixture, &model, &unit("site/1"), "install").await;
        let error = Status::new(Agent::Error, "hook failed: \"start\"");
        store
            .fail_hook(
                &model,
                &unit("site/0"),
                1,
                &OperationState::default(),
                error,
                report("start", 7, "trap"),
            )
            .await
            .expect("failed");
        fixture.settle().await;
        let changes = heard.next().await.expect("changes");
        let all = store
            .hook_runs(&model, &HookQuery::default())
            .await
            .expect("page");
        let mut ids: Vec<String> = all.items.iter().map(|run| run.id.to_string()).collect();
        ids.reverse();
        let keys: Vec<String> = changes.into_iter().map(|change| change.key).collect();
        assert_eq!(keys, ids, "each run is a change");
        assert_eq!(all.next, None);
        assert_eq!(
            hooks(store, &model, HookQuery::default()).await,
            [
                "site/0 start failed",
                "site/1 install ok",
                "site/0 install ok"
            ]
        );
        let failed = &all.items[0];
        assert_eq!(
            (
                failed.code.as_str(),
                failed.message.as_str(),
                failed.duration
            ),
            ("trap", "it fell", 1_500)
        );
        assert_eq!(failed.effects, ["opened 80/tcp"]);
        assert_eq!(
            &store.hook_run(&model, failed.id).await.expect("run"),
            failed
        );
        let missing = store.hook_run(&model, 1).await.expect_err("no such run");
        assert_eq!(missing.refusal().code(), "hook-not-found");

        let ask = |set: fn(&mut HookQuery)| {
            let mut query = HookQuery::default();
            set(&mut query);
            query
        };
        let of_unit = ask(|query| query.unit = Some("site/1".to_owned()));
        assert_eq!(hooks(store, &model, of_unit).await, ["site/1 install ok"]);
        let of_application = ask(|query| query.application = Some("site".to_owned()));
        assert_eq!(hooks(store, &model, of_application).await.len(), 3);
        let other = ask(|query| query.application = Some("other".to_owned()));
        assert!(hooks(store, &model, other).await.is_empty());
        let failures = ask(|query| query.result = Some("failed".to_owned()));
        assert_eq!(
            hooks(store, &model, failures).await,
            ["site/0 start failed"]
        );
        let installs = ask(|query| query.hook = Some("install".to_owned()));
        assert_eq!(hooks(store, &model, installs).await.len(), 2);
        let recent = ask(|query| query.since = Some(8));
        assert_eq!(hooks(store, &model, recent).await.len(), 2);
        let wrong = ask(|query| query.result = Some("bad".to_owned()));
        assert!(store.hook_runs(&model, &wrong).await.is_err());

        let mut query = ask(|query| query.limit = Some(2));
        let first = store.hook_runs(&model, &query).await.expect("page");
        assert_eq!(first.items.len(), 2);
        query.after = first.next;
        let second = store.hook_runs(&model, &query).await.expect("page");
        assert_eq!((second.items.len(), second.next), (1, None));
        fixture.end().await;
    }
}

#[tokio::test]
async fn a_refused_commit_leaves_no_run_and_a_failure_all_of_itself() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = fixture.site(1).await;
        let site = unit("site/0");
        let too_much = HookCommit {
            effects: Effects {
                state: [(String::new(), Some("x".to_owned()))].into(),
                ..Effects::default()
            },
            ..commit(0, report("install", 1, ""))
        };
        store
            .commit_hook_run(&model, &site, too_much)
            .await
            .expect_err("an empty key");
        assert!(
            hooks(store, &model, HookQuery::default()).await.is_empty(),
            "no half record"
        );
        let error = Status::new(Agent::Error, "hook failed: \"install\"");
        let long = HookReport {
            message: "x".repeat(100_000),
            effects: (0..1_000).map(|n| format!("state {n}")).collect(),
            ..report("install", 1, "trap")
        };
        let operation = OperationState {
            status_set: true,
            ..OperationState::default()
        };
        store
            .fail_hook(&model, &site, 0, &operation, error, long)
            .await
            .expect("told");
        let run = &store
            .hook_runs(&model, &HookQuery::default())
            .await
            .expect("page")
            .items[0];
        assert!(run.message.len() < 5_000 && run.effects.len() == 51);
        let state = store.get_state(&model, &site).await.expect("state");
        assert_eq!(state.operation, Some(operation));
        let history = store
            .last_statuses(&model, &Tag::Unit(site.clone()), 2)
            .await
            .expect("history");
        let lines: Vec<(&str, &str)> = history
            .iter()
            .map(|line| (line.kind.as_str(), line.status.as_str()))
            .collect();
        // As it is displayed: the workload's error, with an agent that is idle.
        assert_eq!(lines, [("workload", "error"), ("juju-unit", "idle")]);
        fixture.end().await;
    }
}

#[tokio::test]
async fn idle_is_set_only_while_nothing_else_is_to_do() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = fixture.site(1).await;
        let site = unit("site/0");
        let remote = store
            .get_remote_state(&model, &site)
            .await
            .expect("read")
            .expect("there");
        let resting = |seen: RemoteState| Known {
            remote: Known::of_remote(&seen),
            ..Known::default()
        };
        let stale = HookCommit {
            rests: true,
            known: resting(RemoteState {
                config_hash: "another".to_owned(),
                ..remote.clone()
            }),
            ..commit(0, report("install", 1, ""))
        };
        let answer = store
            .commit_hook_run(&model, &site, stale)
            .await
            .expect("committed");
        assert!(!answer.idle && answer.told.remote == remote);
        let leader = HookCommit {
            rests: true,
            known: resting(RemoteState {
                leader: true,
                update_status_version: 3,
                ..remote.clone()
            }),
            ..commit(1, report("start", 1, ""))
        };
        let answer = store
            .commit_hook_run(&model, &site, leader)
            .await
            .expect("committed");
        assert!(answer.idle, "what only the agent knows does not matter");
        let info = store
            .unit(&model, &site, &crate::testing::present)
            .await
            .expect("unit");
        assert_eq!(info.agent.status, Agent::Idle);
        fixture.end().await;
    }
}

#[tokio::test]
async fn runs_go_by_age_by_number_and_with_their_unit() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = fixture.site(2).await;
        let (first, second) = (unit("site/0"), unit("site/1"));
        ran(&fixture, &model, &first, "install").await;
        fixture.clock.advance(Duration::from_secs(7_200));
        for _ in 0..1_010 {
            ran(&fixture, &model, &first, "update-status").await;
        }
        ran(&fixture, &model, &second, "start").await;
        let gone = store
            .prune_status_history(&model, 3_600_000, 0)
            .await
            .expect("pruned");
        assert!(gone >= 11, "{gone}");
        let query = HookQuery {
            limit: Some(1_000),
            unit: Some(first.to_string()),
            ..HookQuery::default()
        };
        let left = hooks(store, &model, query).await;
        assert_eq!(left.len(), 1_000);
        assert!(left.iter().all(|run| run == "site/0 update-status ok"));
        store
            .remove_unit(&model, &first, true)
            .await
            .expect("removed");
        store.ensure_unit_dead(&model, &first).await.expect("dead");
        store.remove_dead_unit(&model, &first).await.expect("gone");
        assert_eq!(
            hooks(store, &model, HookQuery::default()).await,
            ["site/1 start ok"]
        );
        fixture.end().await;
    }
}
