//! What hooks and settings cost, in statements, jobs and commits: counts that no other load of
//! the machine changes.

use periapt_model::hook::{Effects, Info, Kind, Limits};
use periapt_model::uniter::{
    OperationKind, OperationState, OperationStep, RemoteState, Resolved, agent_executing,
};
use periapt_model::{ModelUuid, UnitName};
use periapt_wire::agent::uniter::HookReport;

use crate::testing::{Fixture, fixtures, unit};
use crate::{HookCommit, Store};

/// A unit whose hooks change nothing.
#[derive(Clone)]
struct Idler {
    store: Store,
    model: ModelUuid,
    name: UnitName,
}

impl Idler {
    fn new(fixture: &Fixture, model: &ModelUuid, name: &str) -> Self {
        Self {
            store: fixture.store.clone(),
            model: model.clone(),
            name: unit(name),
        }
    }

    fn operation(step: OperationStep) -> OperationState {
        OperationState {
            installed: true,
            started: true,
            kind: OperationKind::RunHook,
            step,
            hook: Some(Info::new(Kind::ConfigChanged)),
            ..Default::default()
        }
    }

    async fn look(&self) -> RemoteState {
        let remote = self.store.get_remote_state(&self.model, &self.name).await;
        remote.unwrap().unwrap()
    }

    async fn begin(&self) {
        let operation = Self::operation(OperationStep::Pending);
        let executing = agent_executing(&Info::new(Kind::ConfigChanged), None);
        let begun = self.store.begin_hook(
            &self.model,
            &self.name,
            &operation,
            Resolved::None,
            executing,
            None,
        );
        begun.await.unwrap();
    }

    /// Whether the agent then rests.
    async fn commit(&self, seen: RemoteState) -> bool {
        let commit = HookCommit {
            effects: Effects::default(),
            operation: Self::operation(OperationStep::Done),
            workload: None,
            hook: Some(Info::new(Kind::ConfigChanged)),
            run: Some(HookReport {
                hook: "config-changed".to_owned(),
                charm: "local:site-0".to_owned(),
                started_at: 1,
                duration: 1_500,
                waited: 250,
                code: String::new(),
                message: String::new(),
                effects: Vec::new(),
            }),
            idle_at: Some(seen),
        };
        let committed = self.store.commit_hook_run(&self.model, &self.name, commit);
        committed.await.unwrap().idle
    }

    async fn run(&self) {
        let seen = self.look().await;
        self.begin().await;
        let limits = Limits::default();
        let store = &self.store;
        let snapshot = store.get_hook_snapshot(&self.model, &self.name, &limits);
        snapshot.await.unwrap();
        assert!(self.commit(seen).await, "nothing else is to do");
    }
}

/// That a store's connections plan nothing twice is checked as each test of the store ends.
#[tokio::test]
async fn the_statements_of_a_hook_are_planned_once_however_many_hooks_run() {
    for fixture in fixtures().await {
        let model = fixture.site(2).await;
        for _ in 0..5 {
            Idler::new(&fixture, &model, "site/0").run().await;
            Idler::new(&fixture, &model, "site/1").run().await;
        }
        assert_eq!(fixture.replanned(), [""; 0]);
        fixture.end().await;
    }
}
