//! A model with related applications, and units that answer their relation hooks as an agent
//! would: by the pure rule that says which is due.

use std::collections::BTreeMap;
use std::time::Duration;

use bytes::Bytes;
use periapt_model::charm::{CharmInfo, CharmMetadata, CharmUrl};
use periapt_model::hook::RelationEvent;
use periapt_model::hook::{Effects, Info, RelationSettings};
use periapt_model::relation::{HookKind, RelationHook, RelationState, RemoteRelation};
use periapt_model::uniter::{OperationKind, OperationState, OperationStep, Resolved};
use periapt_model::{AgentName, Life, ModelUuid, UnitName};
use periapt_wire::rest::RelationInfo;

use crate::lease::{Manager, Namespace};
use crate::testing::{Fixture, application, charm, request, unit};
use crate::{Committed, HookBegin, HookCommit, Result, StoreError};

mod ends;
mod leaders;
pub(crate) mod property;
mod rules;
mod scopes;

/// Metadata of the charms there are.
const CHARMS: [(&str, &str); 6] = [
    (
        "site",
        r#"{"name":"site","provides":{"website":{"interface":"http","limit":2}},
            "peers":{"cluster":{"interface":"site-peer"}}}"#,
    ),
    (
        "front",
        r#"{"name":"front","requires":{"website":{"interface":"http"}}}"#,
    ),
    (
        "shipper",
        r#"{"name":"shipper","subordinate":true,"provides":{"tags":{"interface":"tags","scope":"container"}},
            "requires":{"logs":{"interface":"juju-info","scope":"container"}}}"#,
    ),
    (
        "tagger",
        r#"{"name":"tagger","subordinate":true,"requires":{"tags":{"interface":"tags","scope":"container"}}}"#,
    ),
    ("bare", r#"{"name":"bare"}"#),
    (
        "back",
        r#"{"name":"back","requires":{"website":{"interface":"http"}}}"#,
    ),
];

pub(crate) fn metadata(name: &str, text: &str) -> CharmInfo {
    let metadata: CharmMetadata = serde_json::from_str(text).expect("metadata");
    CharmInfo {
        subordinate: metadata.subordinate,
        metadata,
        ..charm(name)
    }
}

/// One model and what its units have seen.
pub(crate) struct House<'a> {
    pub fixture: &'a Fixture,
    pub model: ModelUuid,
    seen: BTreeMap<UnitName, BTreeMap<u64, RelationState>>,
    /// Hooks that ran: `site/0 website-relation-joined front/0`.
    pub ran: Vec<String>,
    /// The status when it was last looked at, with the commit that it was of.
    shown: Option<(i64, serde_json::Value)>,
}

impl<'a> House<'a> {
    pub async fn new(fixture: &'a Fixture, name: &str) -> Self {
        let model = fixture.model(name).await;
        for (name, text) in CHARMS {
            let info = metadata(name, text);
            let archive = Bytes::copy_from_slice(name.as_bytes());
            fixture
                .store
                .add_charm(&model, info, archive)
                .await
                .expect("charm");
        }
        Self {
            fixture,
            model,
            seen: BTreeMap::new(),
            ran: Vec::new(),
            shown: None,
        }
    }

    pub async fn deploy(&self, name: &str, units: u32) {
        self.fixture
            .store
            .deploy(&self.model, request(name, units))
            .await
            .expect("deployed");
        self.place().await;
    }

    /// Every unit gets a machine that runs.
    pub async fn place(&self) {
        let store = &self.fixture.store;
        let staged = store.unit_assignments(&self.model).await.expect("staged");
        store
            .assign_units(&self.model, &staged)
            .await
            .expect("assigned");
        let machines = store.machines(&self.model, &crate::testing::present).await;
        for machine in machines.expect("machines") {
            if machine.life != Life::Dead {
                let addresses = ["127.0.0.1".to_owned()];
                store
                    .set_instance_info(
                        &self.model,
                        &machine.id,
                        &AgentName::Host,
                        "local",
                        &addresses,
                        "",
                    )
                    .await
                    .expect("instance");
            }
        }
    }

    pub async fn integrate(&self, one: &str, other: &str) -> Result<RelationInfo> {
        let names = [
            one.parse().expect("endpoint"),
            other.parse().expect("endpoint"),
        ];
        self.fixture.store.integrate(&self.model, names).await
    }

    pub async fn relate(&self, one: &str, other: &str) -> u64 {
        self.integrate(one, other).await.expect("related").id
    }

    pub async fn units(&self) -> Vec<UnitName> {
        let units = self
            .fixture
            .store
            .units(&self.model, &crate::testing::present)
            .await;
        units
            .expect("units")
            .into_iter()
            .map(|unit| unit.name)
            .collect()
    }

    pub async fn remote(&self, name: &str) -> BTreeMap<u64, RemoteRelation> {
        let remote = self
            .fixture
            .store
            .get_remote_state(&self.model, &unit(name))
            .await;
        remote.expect("read").expect("there").relations
    }

    pub async fn members(&self, name: &str, relation: u64) -> Vec<String> {
        let remote = self.remote(name).await;
        let members = remote
            .get(&relation)
            .map(|relation| relation.members.clone());
        members
            .unwrap_or_default()
            .into_keys()
            .map(|unit| unit.to_string())
            .collect()
    }

    pub async fn count(&self, sql: &'static str) -> u64 {
        let mut db = self.fixture.store.glance().await.expect("session");
        db.count(sql, crate::db::params![&self.model])
            .await
            .expect("count")
    }

    /// Enters the scope as a unit does whose created hook begins.
    pub async fn begin_created(&self, name: &str, relation: u64) -> Result<()> {
        let (store, unit, info) = (&self.fixture.store, unit(name), created(relation));
        loop {
            let from = store.sequence(&self.model, &unit).await;
            let begun = store.begin_hook(&self.model, &unit, begin(from, pending(&info)));
            match begun.await {
                // Another one of the unit's was first.
                Err(error) if error.refusal().call_code() == "stale" => {}
                begun => return begun,
            }
        }
    }

    pub async fn commit(
        &self,
        name: &str,
        hook: Option<Info>,
        effects: Effects,
    ) -> Result<Committed> {
        self.commit_with(name, hook, Vec::new(), effects).await
    }

    /// The same with hooks after it that the charm does not have.
    pub async fn commit_with(
        &self,
        name: &str,
        hook: Option<Info>,
        absent: Vec<Info>,
        effects: Effects,
    ) -> Result<Committed> {
        let commit = HookCommit {
            from: self.fixture.store.sequence(&self.model, &unit(name)).await,
            effects,
            operation: OperationState {
                installed: true,
                ..OperationState::default()
            },
            hook,
            absent,
            ..HookCommit::default()
        };
        self.fixture
            .store
            .commit_hook_run(&self.model, &unit(name), commit)
            .await
    }

    pub async fn lead(&self, name: &str) -> Result<()> {
        let (manager, name) = (Manager::new(&self.fixture.store), unit(name));
        let namespace = Namespace::ApplicationLeadership;
        let minute = Duration::from_secs(60);
        manager
            .claim(
                namespace,
                &self.model,
                name.application().as_str(),
                name.as_str(),
                minute,
            )
            .await
    }

    /// The unit answers one hook, or takes one step on its way out. Whether there was any.
    pub async fn step(&mut self, name: &UnitName) -> bool {
        let store = &self.fixture.store;
        let Some(remote) = store
            .get_remote_state(&self.model, name)
            .await
            .expect("remote")
        else {
            self.seen.remove(name);
            return false;
        };
        if remote.life == Life::Dead {
            return store.remove_dead_unit(&self.model, name).await.is_ok();
        }
        if store
            .unit_agent(&self.model, name)
            .await
            .expect("placed")
            .flatten()
            .is_none()
        {
            return false;
        }
        let seen = self.seen.entry(name.clone()).or_default();
        // What was taken away by force is forgotten.
        seen.retain(|id, _| remote.relations.contains_key(id));
        for (id, relation) in &remote.relations {
            let leaving = remote.life != Life::Alive;
            let Some(hook) = RelationState::next(seen.get(id), *id, relation, leaving) else {
                continue;
            };
            let who = hook
                .unit
                .as_ref()
                .map(UnitName::to_string)
                .unwrap_or_default();
            let info = event(relation, hook.clone());
            let shown = format!("{name} {} {who}", info.name());
            let from = store.sequence(&self.model, name).await;
            // As an agent does, it says on which answer it decided.
            let begin = HookBegin {
                answer: remote.resolved,
                ..begin(from, pending(&info))
            };
            let begun = store.begin_hook(&self.model, name, begin).await;
            match begun {
                Err(error) if error.refusal().call_code() == "try again" => continue,
                other => other.expect("begun"),
            }
            let commit = HookCommit {
                from: store.sequence(&self.model, name).await,
                operation: OperationState {
                    installed: true,
                    ..OperationState::default()
                },
                hook: Some(info),
                ..HookCommit::default()
            };
            store
                .commit_hook_run(&self.model, name, commit)
                .await
                .expect("committed");
            match RelationState::after(seen.remove(id), &hook).expect("in order") {
                Some(next) => {
                    seen.insert(*id, next);
                }
                None => {
                    seen.remove(id);
                }
            }
            self.ran.push(shown.trim_end().to_owned());
            return true;
        }
        match remote.life {
            Life::Dying => match store.ensure_unit_dead(&self.model, name).await {
                Ok(()) => true,
                Err(StoreError::HasSubordinates { .. }) => false,
                Err(error) => panic!("{error}"),
            },
            _ => false,
        }
    }

    /// Every unit answers everything, until nothing happens any more.
    pub async fn settle(&mut self) {
        for _ in 0..500 {
            let mut moved = false;
            for name in self.units().await {
                moved |= self.step(&name).await;
            }
            if !moved {
                return;
            }
        }
        panic!("it never settles: {:?}", self.ran);
    }

    /// Time passes and clean-ups run.
    pub async fn force_through(&self) {
        for _ in 0..4 {
            self.fixture
                .store
                .cleanup(&self.model)
                .await
                .expect("clean-up");
            self.fixture.clock.advance(Duration::from_secs(61));
        }
        let report = self
            .fixture
            .store
            .cleanup(&self.model)
            .await
            .expect("clean-up");
        assert!(report.errors.is_empty(), "{:?}", report.errors);
    }
}

pub(super) fn event(relation: &RemoteRelation, hook: RelationHook) -> Info {
    Info::relation(RelationEvent {
        endpoint: relation.endpoint.clone(),
        remote_application: relation.remote_application.clone(),
        hook,
        departing: None,
    })
}

fn of_kind(kind: HookKind, relation: u64) -> Info {
    Info::relation(RelationEvent {
        endpoint: "website".to_owned(),
        remote_application: application("other"),
        hook: RelationHook {
            kind,
            relation,
            unit: None,
            application: None,
            version: 0,
        },
        departing: None,
    })
}

pub(super) fn created(relation: u64) -> Info {
    of_kind(HookKind::Created, relation)
}

pub(super) fn broken(relation: u64) -> Info {
    of_kind(HookKind::Broken, relation)
}

fn begin(from: u64, operation: OperationState) -> HookBegin {
    HookBegin {
        from,
        operation,
        answer: Resolved::None,
        agent: None,
        workload: None,
    }
}

fn pending(hook: &Info) -> OperationState {
    OperationState {
        kind: OperationKind::RunHook,
        step: OperationStep::Pending,
        hook: Some(hook.clone()),
        installed: true,
        ..OperationState::default()
    }
}

pub(super) fn unit_setting(relation: u64, key: &str, value: Option<&str>) -> Effects {
    let settings = RelationSettings {
        unit: [(key.to_owned(), value.map(str::to_owned))].into(),
        ..RelationSettings::default()
    };
    Effects {
        relations: [(relation, settings)].into(),
        ..Effects::default()
    }
}

pub(super) fn application_setting(relation: u64, key: &str, value: &str) -> Effects {
    let settings = RelationSettings {
        application: [(key.to_owned(), Some(value.to_owned()))].into(),
        ..RelationSettings::default()
    };
    Effects {
        relations: [(relation, settings)].into(),
        ..Effects::default()
    }
}

pub(super) fn leader_setting(key: &str, value: &str) -> Effects {
    Effects {
        leader: [(key.to_owned(), Some(value.to_owned()))].into(),
        ..Effects::default()
    }
}

pub(super) fn upgraded(name: &str) -> CharmUrl {
    CharmUrl::new(name, 1).expect("url")
}
