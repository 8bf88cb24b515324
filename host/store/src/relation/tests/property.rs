//! Whatever people do, and whenever units answer, no row is left without what it belongs to,
//! and everything that is removed goes.

use periapt_wire::status::FullStatus;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use super::*;
use crate::testing::fixtures;

#[derive(Clone, Debug)]
pub(crate) enum Step {
    Deploy(usize),
    RemoveApplication(usize, bool),
    AddUnit(usize),
    RemoveUnit(prop::sample::Index, bool),
    Integrate(usize, usize),
    RemoveRelation(prop::sample::Index, bool),
    Suspend(prop::sample::Index, bool),
    /// A unit answers so many hooks.
    Work(prop::sample::Index, u8),
    Settle,
    Clean,
    /// All the waits of force pass.
    Force,
}

pub(crate) fn step() -> impl Strategy<Value = Step> {
    let app = || 0..CHARMS.len();
    let any_index = any::<prop::sample::Index>;
    prop_oneof![
        3 => app().prop_map(Step::Deploy),
        1 => (app(), any::<bool>()).prop_map(|(at, force)| Step::RemoveApplication(at, force)),
        2 => app().prop_map(Step::AddUnit),
        2 => (any_index(), any::<bool>()).prop_map(|(at, force)| Step::RemoveUnit(at, force)),
        6 => (app(), app()).prop_map(|(one, other)| Step::Integrate(one, other)),
        2 => (any_index(), any::<bool>()).prop_map(|(at, force)| Step::RemoveRelation(at, force)),
        1 => (any_index(), any::<bool>()).prop_map(|(at, on)| Step::Suspend(at, on)),
        8 => (any_index(), 1..6_u8).prop_map(|(at, hooks)| Step::Work(at, hooks)),
        2 => Just(Step::Settle),
        2 => Just(Step::Clean),
        1 => Just(Step::Force),
    ]
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    prop::collection::vec(step(), 1..40)
}

/// Statements that find what must not be.
const WRONG: &[&str] = &[
    "SELECT COUNT(*) FROM relation_unit WHERE model_uuid = $1 AND NOT EXISTS (SELECT 1 FROM relation
        WHERE relation.model_uuid = $1 AND relation.id = relation_unit.relation_id)",
    "SELECT COUNT(*) FROM relation_endpoint WHERE model_uuid = $1 AND NOT EXISTS (SELECT 1 FROM relation
        WHERE relation.model_uuid = $1 AND relation.id = relation_endpoint.relation_id)",
    "SELECT COUNT(*) FROM relation_endpoint WHERE model_uuid = $1 AND NOT EXISTS (SELECT 1 FROM application
        WHERE application.model_uuid = $1 AND application.name = relation_endpoint.application)",
    "SELECT COUNT(*) FROM relation_unit WHERE model_uuid = $1 AND in_scope = 1 AND NOT EXISTS (SELECT 1 FROM unit
        WHERE unit.model_uuid = $1 AND unit.name = relation_unit.unit AND unit.life <> 'dead')",
    "SELECT COUNT(*) FROM unit WHERE model_uuid = $1 AND NOT EXISTS (SELECT 1 FROM application
        WHERE application.model_uuid = $1 AND application.name = unit.application)",
    "SELECT COUNT(*) FROM unit WHERE model_uuid = $1 AND principal IS NOT NULL AND NOT EXISTS (
        SELECT 1 FROM unit AS host WHERE host.model_uuid = $1 AND host.name = unit.principal)",
    "SELECT COUNT(*) FROM unit JOIN unit AS host ON host.model_uuid = unit.model_uuid AND host.name = unit.principal
        WHERE unit.model_uuid = $1 AND host.life <> 'alive' AND unit.life = 'alive'",
    "SELECT COUNT(*) FROM unit JOIN unit AS twin ON twin.model_uuid = unit.model_uuid
        AND twin.application = unit.application AND twin.principal = unit.principal AND twin.name <> unit.name
        WHERE unit.model_uuid = $1",
    "SELECT COUNT(*) FROM relation WHERE model_uuid = $1 AND life = 'dying' AND NOT EXISTS (
        SELECT 1 FROM relation_unit WHERE relation_unit.model_uuid = $1
        AND relation_unit.relation_id = relation.id AND relation_unit.in_scope = 1)",
    "SELECT COUNT(*) FROM application WHERE model_uuid = $1 AND life = 'dying'
        AND NOT EXISTS (SELECT 1 FROM unit WHERE unit.model_uuid = $1 AND unit.application = application.name)
        AND NOT EXISTS (SELECT 1 FROM relation_endpoint WHERE relation_endpoint.model_uuid = $1
            AND relation_endpoint.application = application.name AND relation_endpoint.role <> 'peer')",
    "SELECT COUNT(*) FROM cleanup WHERE model_uuid = $1 AND kind = 'force-relation' AND NOT EXISTS (
        SELECT 1 FROM relation WHERE relation.model_uuid = $1 AND CAST(relation.id AS TEXT) = cleanup.subject)",
    "SELECT COUNT(*) FROM cleanup WHERE model_uuid = $1 AND kind IN ('force-destroy-unit', 'force-remove-unit')
        AND NOT EXISTS (SELECT 1 FROM unit WHERE unit.model_uuid = $1 AND unit.name = cleanup.subject)",
    "SELECT COUNT(*) FROM cleanup WHERE model_uuid = $1 AND kind IN ('force-dead-machine', 'force-remove-machine')
        AND NOT EXISTS (SELECT 1 FROM machine WHERE machine.model_uuid = $1 AND machine.id = cleanup.subject)",
    // Whatever goes has a time by which it goes by force.
    "SELECT COUNT(*) FROM unit WHERE model_uuid = $1 AND life <> 'alive' AND NOT EXISTS (
        SELECT 1 FROM cleanup WHERE cleanup.model_uuid = $1 AND cleanup.subject = unit.name
        AND cleanup.kind IN ('force-destroy-unit', 'force-remove-unit'))",
    "SELECT COUNT(*) FROM relation WHERE model_uuid = $1 AND life <> 'alive' AND NOT EXISTS (
        SELECT 1 FROM cleanup WHERE cleanup.model_uuid = $1 AND cleanup.kind = 'force-relation'
        AND cleanup.subject = CAST(relation.id AS TEXT))",
    "SELECT COUNT(*) FROM machine WHERE model_uuid = $1 AND life <> 'alive' AND NOT EXISTS (
        SELECT 1 FROM cleanup WHERE cleanup.model_uuid = $1 AND cleanup.subject = machine.id
        AND cleanup.kind IN ('force-dead-machine', 'force-remove-machine'))
        AND NOT EXISTS (SELECT 1 FROM machine_removal WHERE machine_removal.model_uuid = $1
            AND machine_removal.machine_id = machine.id)",
    "SELECT COUNT(*) FROM leader_settings WHERE model_uuid = $1 AND NOT EXISTS (SELECT 1 FROM application
        WHERE application.model_uuid = $1 AND application.name = leader_settings.application)",
];

/// Statements that find what is left.
const LEFT: &[&str] = &[
    "SELECT COUNT(*) FROM application WHERE model_uuid = $1",
    "SELECT COUNT(*) FROM unit WHERE model_uuid = $1",
    "SELECT COUNT(*) FROM unit_state WHERE model_uuid = $1",
    "SELECT COUNT(*) FROM unit_assignment WHERE model_uuid = $1",
    "SELECT COUNT(*) FROM relation WHERE model_uuid = $1",
    "SELECT COUNT(*) FROM relation_endpoint WHERE model_uuid = $1",
    "SELECT COUNT(*) FROM relation_unit WHERE model_uuid = $1",
    "SELECT COUNT(*) FROM machine WHERE model_uuid = $1 AND life = 'alive'",
    "SELECT COUNT(*) FROM status WHERE model_uuid = $1 AND kind IN ('workload', 'juju-unit', 'application')",
];

impl House<'_> {
    pub(crate) async fn take(&mut self, step: &Step) {
        let store = &self.fixture.store;
        let name = |at: usize| application(CHARMS[at].0);
        match step {
            Step::Deploy(at) => {
                let units = u32::from(!CHARMS[*at].1.contains("subordinate"));
                // Again it is refused, as other steps below are when they come at a wrong time.
                let _ = store
                    .deploy(&self.model, request(CHARMS[*at].0, units))
                    .await;
                self.place().await;
            }
            Step::RemoveApplication(at, force) => {
                let _ = store
                    .remove_application(&self.model, &name(*at), *force)
                    .await;
            }
            Step::AddUnit(at) => {
                let _ = store.add_units(&self.model, &name(*at), 1).await;
                self.place().await;
            }
            Step::RemoveUnit(at, force) => {
                let units = self.units().await;
                if !units.is_empty() {
                    let _ = store.remove_unit(&self.model, at.get(&units), *force).await;
                }
            }
            Step::Integrate(one, other) => {
                let _ = self.integrate(CHARMS[*one].0, CHARMS[*other].0).await;
            }
            Step::RemoveRelation(at, force) => {
                if let Some(id) = self.some_relation(at).await {
                    let _ = store.remove_relation(&self.model, id, *force).await;
                }
            }
            Step::Suspend(at, suspended) => {
                if let Some(id) = self.some_relation(at).await {
                    let _ = store.change_relation(&self.model, id, *suspended, "").await;
                }
            }
            Step::Work(at, hooks) => {
                let units = self.units().await;
                if !units.is_empty() {
                    for _ in 0..*hooks {
                        self.step(at.get(&units)).await;
                    }
                }
            }
            Step::Settle => self.settle().await,
            Step::Clean => {
                store.cleanup(&self.model).await.expect("clean-up");
            }
            Step::Force => self.force_through().await,
        }
    }

    async fn some_relation(&self, at: &prop::sample::Index) -> Option<u64> {
        let all = self
            .fixture
            .store
            .relations(&self.model)
            .await
            .expect("relations");
        (!all.is_empty()).then(|| at.get(&all).id)
    }

    async fn check(&mut self, after: &str) {
        for sql in WRONG {
            assert_eq!(self.count(sql).await, 0, "after {after}: {sql}");
        }
        let store = &self.fixture.store;
        let commit = store.last_commit(&self.model);
        let status = store.full_status(&self.model, &[], &crate::testing::present);
        let status = FullStatus {
            controller_timestamp: String::new(),
            ..status.await.expect("status")
        };
        let now = (commit, serde_json::to_value(&status).expect("JSON"));
        if let Some(before) = self.shown.replace(now.clone())
            && before.0 == now.0
        {
            assert_eq!(before.1, now.1, "after {after} a kept status is wrong");
        }
    }

    async fn remove_everything(&mut self) {
        let store = &self.fixture.store;
        for (name, _) in CHARMS {
            let _ = store
                .remove_application(&self.model, &application(name), false)
                .await;
        }
        for _ in 0..3 {
            self.fixture
                .store
                .cleanup(&self.model)
                .await
                .expect("clean-up");
            self.settle().await;
        }
        for sql in LEFT {
            assert_eq!(self.count(sql).await, 0, "left: {sql}");
        }
    }
}

#[test]
fn nothing_is_orphaned_and_everything_removed_goes() {
    let runtime = tokio::runtime::Runtime::new().expect("runtime");
    runtime.block_on(async {
        for fixture in fixtures().await {
            let cases = std::sync::atomic::AtomicU32::new(0);
            let mut runner = TestRunner::new(Config {
                max_shrink_iters: 200,
                ..Config::with_cases(40)
            });
            let outcome = tokio::task::block_in_place(|| {
                runner.run(&steps(), |steps| {
                    let case = cases.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    tokio::runtime::Handle::current().block_on(async {
                        let mut house = House::new(&fixture, &format!("case-{case}")).await;
                        for step in &steps {
                            house.take(step).await;
                            house.check(&format!("{step:?}")).await;
                        }
                        house.remove_everything().await;
                    });
                    Ok(())
                })
            });
            if let Err(error) = outcome {
                panic!("{error}");
            }
            fixture.end().await;
        }
    });
}
