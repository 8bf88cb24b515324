use periapt_model::hook::{Info, Kind};
use periapt_model::uniter::{Failure, agent_hook_failed};

use super::*;
use crate::testing::{fixtures, machine, present, unit};

#[tokio::test]
async fn a_stopped_unit_keeps_what_is_known_of_its_failed_hook() {
    for fixture in fixtures().await {
        let model = fixture.site(1).await;
        fixture.provision(&model).await;
        let (store, site) = (&fixture.store, unit("site/0"));
        let hook = Info::new(Kind::Start);
        let failure = Failure {
            reason: Some("no disk".to_owned()),
            ..Failure::default()
        };
        store
            .set_agent_status(&model, &site, agent_hook_failed(&hook, &failure))
            .await
            .unwrap();
        store.show_stopped(&model, &site).await.unwrap();
        let shown = store.unit(&model, &site, &present).await.unwrap();
        assert_ne!(shown.agent.status, Agent::Stopped, "nobody stopped it");

        store.stop_unit(&model, &site).await.unwrap();
        store.stop_unit(&model, &site).await.unwrap();
        let units = store.machine_units(&model, &machine("0")).await.unwrap();
        assert!(units[0].stopped);
        store.show_stopped(&model, &site).await.unwrap();
        let shown = store.unit(&model, &site, &present).await.unwrap();
        assert_eq!(shown.agent.status, Agent::Stopped);
        assert!(shown.agent.message.contains("periapt start-unit site/0"));
        let state = store.get_state(&model, &site).await.unwrap();
        assert_eq!(
            Failure::in_status(&state.agent.unwrap(), &hook)
                .reason
                .as_deref(),
            Some("no disk")
        );

        store.start_unit(&model, &site).await.unwrap();
        let units = store.machine_units(&model, &machine("0")).await.unwrap();
        assert!(!units[0].stopped);
        let missing = store.stop_unit(&model, &unit("site/9")).await.unwrap_err();
        assert_eq!(missing.refusal().code(), "unit-not-found");
        fixture.end().await;
    }
}

#[tokio::test]
async fn only_an_agent_that_ended_for_good_is_started_again() {
    for fixture in fixtures().await {
        let model = fixture.site(2).await;
        fixture.provision(&model).await;
        let store = &fixture.store;
        let refused = store.start_agent(&model).await.unwrap_err();
        assert_eq!(refused.refusal().code(), "agent-not-stopped");
        let stopped = Status::new(Machine::Stopped, "ended by SIGABRT");
        // Of a machine that is gone nothing is kept, and the others are shown all the same.
        let statuses = ["0", "1", "7"].map(|name| (machine(name), stopped.clone()));
        store
            .set_instance_statuses(&model, statuses.into())
            .await
            .unwrap();
        let shown = store.get_machines(&model, &[]).await.unwrap();
        assert_eq!(shown.len(), 2);
        for info in shown {
            assert_eq!(info.instance_status.status, Machine::Stopped);
        }
        store.start_agent(&model).await.unwrap();
        for info in store.get_machines(&model, &[]).await.unwrap() {
            assert_eq!(info.instance_status.status, Machine::Pending);
        }
        fixture.end().await;
    }
}

#[tokio::test]
async fn other_data_alone_leave_a_status_its_time_and_no_line() {
    for fixture in fixtures().await {
        let model = fixture.site(1).await;
        fixture.provision(&model).await;
        let (store, site) = (&fixture.store, unit("site/0"));
        let hook = Info::new(Kind::Start);
        let failed = |next_retry| {
            agent_hook_failed(
                &hook,
                &Failure {
                    next_retry: Some(next_retry),
                    ..Failure::default()
                },
            )
        };
        let lines = async || {
            let tag = periapt_model::Tag::Unit(site.clone());
            store.last_statuses(&model, &tag, 100).await.unwrap().len()
        };
        store
            .set_agent_status(&model, &site, failed(1))
            .await
            .unwrap();
        let (before, history) = (store.get_state(&model, &site).await.unwrap(), lines().await);
        fixture.clock.advance(std::time::Duration::from_secs(60));
        store
            .set_agent_status(&model, &site, failed(2))
            .await
            .unwrap();
        let (before, after) = (
            before.agent.unwrap(),
            store.get_state(&model, &site).await.unwrap().agent.unwrap(),
        );
        assert_eq!(after.since, before.since);
        assert_eq!(after.data["next-retry"], periapt_model::time::text(2));
        assert_eq!(lines().await, history);
        fixture.end().await;
    }
}
