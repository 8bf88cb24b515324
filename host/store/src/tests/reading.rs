use std::time::{Duration, Instant};

use periapt_model::config::Value;
use periapt_model::hook::Effects;
use periapt_model::ports::PortRange;
use periapt_model::status::{Agent, Status, Workload};
use periapt_model::uniter::OperationState;
use periapt_model::{AgentName, Tag};
use periapt_wire::agent::log_sink::LogRecord;
use periapt_wire::rest::LogQuery;

use crate::lease::{Manager, Namespace};
use crate::testing::{application, fixtures, fixtures_with, machine, present, unit};

#[tokio::test]
async fn a_status_that_says_the_same_again_is_no_change() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = fixture.site(1).await;
        let site = unit("site/0");
        let first = fixture.clock.clone();
        for _ in 0..3 {
            store
                .set_unit_status(&model, &site, Status::new(Workload::Active, "ready"))
                .await
                .expect("set");
            first.advance(Duration::from_secs(1));
        }
        let history = store
            .last_statuses(&model, &Tag::Unit(site.clone()), 100)
            .await
            .expect("history");
        let words: Vec<&str> = history.iter().map(|entry| entry.status.as_str()).collect();
        assert_eq!(words, ["allocating", "waiting", "active"]);
        let last = store
            .last_statuses(&model, &Tag::Unit(site.clone()), 1)
            .await
            .expect("history");
        assert_eq!(
            (
                last.len(),
                last[0].status.as_str(),
                last[0].message.as_str()
            ),
            (1, "active", "ready")
        );
        let missing = store
            .last_statuses(&model, &Tag::Unit(unit("site/9")), 1)
            .await
            .expect_err("missing");
        assert_eq!(missing.refusal().code(), "unit-not-found");
        fixture.end().await;
    }
}

#[tokio::test]
async fn history_is_pruned_by_age_and_by_size_and_current_statuses_stay() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = fixture.site(1).await;
        let site = unit("site/0");
        fixture.clock.advance(Duration::from_secs(7200));
        let text = "x".repeat(4_000);
        for n in 0..300 {
            // Lines that come faster than a hundred a minute replace each other.
            fixture.clock.advance(Duration::from_secs(1));
            let status = Status::new(Workload::Active, format!("{n} {text}"));
            store
                .set_unit_status(&model, &site, status)
                .await
                .expect("set");
        }
        let gone = store
            .prune_status_history(&model, 3_600_000, 0)
            .await
            .expect("pruned");
        assert!(gone >= 2);
        let gone = store
            .prune_status_history(&model, 0, 1)
            .await
            .expect("pruned");
        let left = store
            .last_statuses(&model, &Tag::Unit(site.clone()), 1000)
            .await
            .expect("history");
        assert_eq!(left.len() as u64 + gone, 300);
        // A MiB of lines of 4000 bytes and a little.
        assert!(left.len() > 245 && left.len() < 257, "{}", left.len());
        assert!(left.last().expect("some").message.starts_with("299 "));
        let info = store.unit(&model, &site, &present).await.expect("unit");
        assert!(info.workload.message.starts_with("299 "));
        fixture.end().await;
    }
}

#[tokio::test]
async fn status_of_two_thousand_units_is_read_quickly() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = fixture.site(2000).await;
        let mut best = Duration::MAX;
        for _ in 0..5 {
            let started = Instant::now();
            let status = store
                .full_status(&model, &[], &present)
                .await
                .expect("status");
            best = best.min(started.elapsed());
            assert_eq!(status.machines.len(), 2000);
            assert_eq!(
                status.applications["site"]
                    .units
                    .as_ref()
                    .expect("units")
                    .len(),
                2000
            );
        }
        println!(
            "{}: full status of 2000 units in {best:?}",
            store.database_kind()
        );
        // Far above what it takes, for a loaded machine.
        assert!(best < Duration::from_millis(500), "{best:?}");
        fixture.end().await;
    }
}

#[tokio::test]
async fn status_shows_errors_absence_leaders_and_what_was_asked_for() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = fixture.site(2).await;
        fixture.provision(&model).await;
        fixture.charm(&model, "other", b"other").await;
        fixture.deploy(&model, "other", 1).await;
        let failed = Status::new(Agent::Error, "hook failed: \"install\"");
        store
            .set_agent_status(&model, &unit("site/0"), failed)
            .await
            .expect("status");
        store
            .set_agent_status(&model, &unit("site/1"), Status::new(Agent::Idle, ""))
            .await
            .expect("status");
        store
            .set_unit_status(&model, &unit("site/1"), Status::new(Workload::Active, ""))
            .await
            .expect("status");
        let manager = Manager::new(store);
        let (leadership, minute) = (Namespace::ApplicationLeadership, Duration::from_secs(60));
        manager
            .claim(leadership, &model, "site", "site/1", minute)
            .await
            .expect("claimed");

        // The second machine has an agent of its own, which is not there.
        let (second, own) = (machine("1"), AgentName::Machine(machine("1")));
        let addresses = ["127.0.0.1".to_owned()];
        store
            .set_instance_info(&model, &second, &own, "local-1", &addresses, "")
            .await
            .expect("info");
        let only_first = |agent: &AgentName| *agent == AgentName::Host;
        let status = store
            .full_status(&model, &[], &only_first)
            .await
            .expect("status");
        let units = status.applications["site"].units.as_ref().expect("units");
        assert_eq!(units["site/0"].workload_status.status, "error");
        assert_eq!(
            units["site/0"].workload_status.info,
            "hook failed: \"install\""
        );
        assert_eq!(units["site/0"].agent_status.status, "idle");
        assert_eq!(units["site/1"].agent_status.status, "lost");
        assert_eq!(units["site/1"].workload_status.status, "unknown");
        assert!(units["site/1"].leader && !units["site/0"].leader);
        assert_eq!(units["site/0"].public_address, "127.0.0.1");
        assert_eq!(status.machines["0"].agent_status.status, "started");
        assert_eq!(status.machines["1"].agent_status.status, "down");
        assert_eq!(status.model.model_status.status, "available");
        let other = status.applications["other"].units.as_ref().expect("units");
        assert_eq!(other["other/0"].agent_status.status, "allocating");

        let one = store
            .full_status(&model, &["site/0".to_owned()], &present)
            .await
            .expect("status");
        assert_eq!(one.applications.len(), 1);
        assert_eq!(
            one.applications["site"]
                .units
                .as_ref()
                .expect("units")
                .len(),
            1
        );
        assert_eq!(one.machines.keys().collect::<Vec<_>>(), ["0"]);
        let some = store
            .full_status(&model, &["oth*".to_owned()], &present)
            .await
            .expect("status");
        assert_eq!(some.applications.keys().collect::<Vec<_>>(), ["other"]);
        fixture.end().await;
    }
}

#[tokio::test]
async fn a_hook_sees_one_moment_of_the_model() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = fixture.site(2).await;
        fixture.provision(&model).await;
        let site = unit("site/0");
        let port: PortRange = "80/tcp".parse().expect("port");
        let effects = Effects {
            state: [("key".to_owned(), Some("value".to_owned()))].into(),
            ports: periapt_model::ports::Changes {
                open: vec![port.into()],
                close: Vec::new(),
            },
            ..Default::default()
        };
        let operation = OperationState {
            installed: true,
            ..Default::default()
        };
        store
            .commit_effects(&model, &site, effects, &operation)
            .await
            .expect("committed");
        store
            .set_unit_status(
                &model,
                &unit("site/1"),
                Status::new(Workload::Blocked, "no"),
            )
            .await
            .expect("set");
        store
            .set_workload_version(&model, &site, "1.0")
            .await
            .expect("set");
        let told = store.unit_told(&model, &site, "").await;
        let told = told.expect("told").expect("there");
        let (view, remote) = (told.view, told.remote);
        assert_eq!(view.workload_version.as_deref(), Some("1.0"));
        assert_eq!(view.application, None, "no leader has set one");
        assert_eq!(
            told.config.expect("not known")["port"],
            Value::Integer(8080)
        );
        assert_eq!(view.machine, Some(machine("0")));
        assert_eq!(view.private_address.as_deref(), Some("127.0.0.1"));
        assert_eq!(view.workload.status, Workload::Waiting);
        let worst = store
            .get_application_status(&model, &unit("site/0"))
            .await
            .expect("status");
        assert_eq!(worst.status, Workload::Blocked);
        assert_eq!(worst.message, "no");
        let state = store.get_state(&model, &site).await.expect("state");
        assert_eq!(state.charm_state["key"], "value");
        assert_eq!(state.opened_ports, [port].into_iter().collect());
        assert!(state.operation.expect("stored").installed);
        let known = remote.config_hash.as_str();
        let again = store.unit_told(&model, &site, known).await.expect("told");
        let again = again.expect("there");
        assert_eq!(
            (again.config, &again.remote),
            (None, &remote),
            "it is known"
        );
        store
            .set_workload_version(&model, &unit("site/1"), "2.0")
            .await
            .expect("set");
        let told = store.unit_told(&model, &site, "").await;
        let view = told.expect("told").expect("there").view;
        assert_eq!(
            view.workload_version, None,
            "the application shows another unit's"
        );
        fixture.end().await;
    }
}

#[tokio::test]
async fn only_the_leader_speaks_for_the_application() {
    for fixture in fixtures().await {
        let store = &fixture.store;
        let model = fixture.site(2).await;
        let manager = Manager::new(store);
        let (leadership, minute) = (Namespace::ApplicationLeadership, Duration::from_secs(60));
        manager
            .claim(leadership, &model, "site", "site/0", minute)
            .await
            .expect("claimed");
        let active = Status::new(Workload::Active, "all");
        let refused = store
            .set_application_status(&model, &unit("site/1"), active.clone())
            .await;
        assert_eq!(
            refused.expect_err("minion").refusal().call_code(),
            "leadership claim denied"
        );
        store
            .set_application_status(&model, &unit("site/0"), active.clone())
            .await
            .expect("leader");
        let info = store
            .application(&model, &application("site"))
            .await
            .expect("info");
        assert_eq!(
            (info.status.status, info.status.message.as_str()),
            (Workload::Active, "all")
        );
        let told = store.unit_told(&model, &unit("site/1"), "").await;
        let view = told.expect("told").expect("there").view;
        assert_eq!(view.application.expect("set").message, "all");
        fixture.clock.advance(Duration::from_secs(61));
        assert!(
            store
                .set_application_status(&model, &unit("site/0"), active)
                .await
                .is_err()
        );
        fixture.end().await;
    }
}

fn line(entity: &str, level: &str, message: &str) -> LogRecord {
    LogRecord {
        time: 1,
        entity: entity.parse().expect("tag"),
        level: level.to_owned(),
        module: "unit".to_owned(),
        message: message.to_owned(),
    }
}

#[tokio::test]
async fn the_log_is_filtered_paged_and_bounded() {
    for fixture in fixtures_with(|options| options.log_lines = 2_000).await {
        let store = &fixture.store;
        let model = fixture.model("default").await;
        let lines = (0..1_500)
            .map(|n| {
                let entity = if n % 2 == 0 {
                    "unit-site-0"
                } else {
                    "machine-3"
                };
                line(
                    entity,
                    if n % 3 == 0 { "DEBUG" } else { "INFO" },
                    &n.to_string(),
                )
            })
            .collect();
        store.write_logs(&model, lines).await.expect("written");
        let messages = |query: LogQuery| {
            let (store, model) = (store.clone(), model.clone());
            async move {
                let page = store.logs(&model, &query, None).await.expect("page");
                page.records
                    .into_iter()
                    .map(|record| record.message)
                    .collect::<Vec<_>>()
            }
        };
        assert_eq!(messages(LogQuery::default()).await.len(), 10);
        let tail = LogQuery {
            tail: Some(2),
            include: Some("site/0".to_owned()),
            ..Default::default()
        };
        assert_eq!(messages(tail).await, ["1496", "1498"]);
        let tail = LogQuery {
            tail: Some(1),
            include: Some("machine-*".to_owned()),
            ..Default::default()
        };
        assert_eq!(messages(tail).await, ["1499"]);
        let tail = LogQuery {
            tail: Some(1),
            exclude: Some("3".to_owned()),
            ..Default::default()
        };
        assert_eq!(messages(tail).await, ["1498"]);
        let first = LogQuery {
            replay: true,
            limit: Some(3),
            level: Some("INFO".to_owned()),
            ..Default::default()
        };
        assert_eq!(messages(first).await, ["1", "2", "4"]);
        assert!(
            store
                .logs(
                    &model,
                    &LogQuery {
                        level: Some("LOUD".to_owned()),
                        ..Default::default()
                    },
                    None
                )
                .await
                .is_err()
        );

        let site = LogQuery {
            tail: Some(1),
            include: Some("site".to_owned()),
            ..Default::default()
        };
        assert_eq!(
            messages(site).await,
            ["1498"],
            "an application is all its units"
        );
        for unknown in ["sitee", "site/7", "machine-9", "nobody"] {
            let query = LogQuery {
                include: Some(unknown.to_owned()),
                ..Default::default()
            };
            let refused = store.logs(&model, &query, None).await.expect_err(unknown);
            let text = refused.to_string();
            assert!(text.contains(unknown), "{text}");
        }
        let none = LogQuery {
            tail: Some(0),
            ..Default::default()
        };
        let end = store.logs(&model, &none, None).await.expect("page");
        assert!(end.records.is_empty() && end.complete);
        store
            .write_logs(&model, vec![line("unit-site-0", "ERROR", "new")])
            .await
            .expect("written");
        let next = store
            .logs(&model, &LogQuery::default(), Some(end.position))
            .await
            .expect("page");
        assert_eq!(next.records.len(), 1);

        for _ in 0..3 {
            let lines = (0..1_500)
                .map(|n| line("unit-site-0", "INFO", &n.to_string()))
                .collect();
            store.write_logs(&model, lines).await.expect("written");
        }
        let all = messages(LogQuery {
            replay: true,
            ..Default::default()
        })
        .await;
        assert_eq!(all.len(), 2_000);

        // What services write has a bound of its own.
        let mut said = line("unit-site-0", "INFO", "from a service");
        said.module = "workload.web.site".to_owned();
        for _ in 0..3 {
            let lines = vec![said.clone(); 1_500];
            store.write_logs(&model, lines).await.expect("written");
        }
        let replay = LogQuery {
            replay: true,
            ..Default::default()
        };
        let others = messages(LogQuery {
            exclude_module: Some("workload".to_owned()),
            ..replay.clone()
        });
        assert_eq!(others.await.len(), 2_000);
        let services = LogQuery {
            include_module: Some("workload.web, workload.webs".to_owned()),
            ..replay.clone()
        };
        assert_eq!(messages(services).await.len(), 2_000);
        for none in ["workload.we", "site", "workload.web.site.other"] {
            let query = LogQuery {
                include_module: Some(none.to_owned()),
                ..replay.clone()
            };
            assert_eq!(messages(query).await, [""; 0], "{none}");
        }
        fixture.end().await;
    }
}
