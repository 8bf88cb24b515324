use periapt_contract::reboot::Changes;
use periapt_model::hook::{Effects, Info, Kind};
use periapt_model::status::Agent;
use periapt_model::uniter::{OperationKind, OperationState, OperationStep, agent_rebooting};

use crate::testing::{fixtures, machine, present, unit};
use crate::{HookCommit, Interest, namespace};

fn asking() -> Effects {
    Effects {
        reboot: Changes { wanted: true },
        ..Effects::default()
    }
}

#[tokio::test]
async fn a_reboot_is_asked_for_with_the_commit_and_counted_as_it_is_carried_out() {
    for fixture in fixtures().await {
        let model = fixture.site(2).await;
        fixture.provision(&model).await;
        let (store, zero, other) = (&fixture.store, machine("0"), machine("1"));
        assert!(!store.reboots(&model, &zero).await.unwrap().unwrap().wanted);
        store.clear_reboot(&model, &zero).await.unwrap();
        let interest = Interest::model(&model).key(namespace::REBOOT, &zero);
        let mut heard = store.changes().subscribe(interest);
        let commit = HookCommit {
            effects: asking(),
            ..HookCommit::default()
        };
        let site = unit("site/0");
        let told = store.commit_hook_run(&model, &site, commit).await.unwrap();
        let remote = told.told.remote;
        assert_eq!((remote.reboot_wanted, remote.reboots), (true, 0));
        fixture.settle().await;
        heard.next().await.unwrap();
        assert!(store.reboots(&model, &zero).await.unwrap().unwrap().wanted);
        assert!(!store.reboots(&model, &other).await.unwrap().unwrap().wanted);
        let seen = store
            .get_remote_state(&model, &site)
            .await
            .unwrap()
            .unwrap();
        assert!(seen.reboot_wanted);

        store.clear_reboot(&model, &zero).await.unwrap();
        store.clear_reboot(&model, &zero).await.unwrap();
        fixture.settle().await;
        heard.next().await.unwrap();
        let seen = store
            .get_remote_state(&model, &site)
            .await
            .unwrap()
            .unwrap();
        assert_eq!((seen.reboot_wanted, seen.reboots), (false, 1));
        assert_eq!(store.reboots(&model, &machine("9")).await.unwrap(), None);
        fixture.end().await;
    }
}

#[tokio::test]
async fn a_hook_that_is_not_committed_asks_for_nothing() {
    for fixture in fixtures().await {
        let model = fixture.site(1).await;
        fixture.provision(&model).await;
        let store = &fixture.store;
        let late = HookCommit {
            from: 7,
            effects: asking(),
            ..HookCommit::default()
        };
        let refused = store.commit_hook_run(&model, &unit("site/0"), late).await;
        assert_eq!(refused.unwrap_err().refusal().code(), "stale");
        assert!(
            !store
                .reboots(&model, &machine("0"))
                .await
                .unwrap()
                .unwrap()
                .wanted
        );
        fixture.end().await;
    }
}

#[tokio::test]
async fn a_reboot_at_once_queues_the_hook_and_is_asked_for_in_one_write() {
    for fixture in fixtures().await {
        let model = fixture.site(1).await;
        fixture.provision(&model).await;
        let (store, site, zero) = (&fixture.store, unit("site/0"), machine("0"));
        let queued = OperationState {
            kind: OperationKind::RunHook,
            step: OperationStep::Queued,
            hook: Some(Info::new(Kind::Start)),
            ..OperationState::default()
        };
        let late = store.request_reboot(&model, &site, 3, &queued, agent_rebooting());
        assert_eq!(late.await.unwrap_err().refusal().code(), "stale");
        assert!(!store.reboots(&model, &zero).await.unwrap().unwrap().wanted);
        store
            .request_reboot(&model, &site, 0, &queued, agent_rebooting())
            .await
            .unwrap();
        assert!(store.reboots(&model, &zero).await.unwrap().unwrap().wanted);
        let state = store.get_state(&model, &site).await.unwrap();
        assert_eq!(state.operation, Some(queued));
        let shown = store.unit(&model, &site, &present).await.unwrap();
        assert_eq!(shown.agent.status, Agent::Rebooting);
        fixture.end().await;
    }
}
