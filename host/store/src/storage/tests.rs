//! Storage on both databases, with a provider and agents that do what they are told.

use std::collections::BTreeSet;
use std::sync::Mutex;

use bytes::Bytes;
use periapt_model::hook::{Effects, Info, Kind};
use periapt_model::refusal::Subject;
use periapt_model::status;
use periapt_model::storage::{Asked, Changes, Removal, StorageId};
use periapt_model::uniter::OperationState;
use periapt_model::{Life, ModelUuid, Refusal, UnitName};
use periapt_wire::agent::storage_provisioner::Wanted;
use periapt_wire::rest::{Deploy, StorageInfo, StorageQuery};

use crate::relation::tests::metadata;
use crate::testing::{Fixture, application, fixtures, request, unit};
use crate::{HookCommit, Result};

mod applications;
mod going;
mod pools;
mod property;
mod units;

const SITE: &str = r#"{"name":"site","storage":{
    "data":{"type":"filesystem","multiple":{"range":"1-3"}},
    "cache":{"type":"filesystem","multiple":{"range":"0-1"}},
    "pool":{"type":"filesystem","shared":true,"multiple":{"range":"0-1"}}}}"#;

/// A model with a charm that has storage, what makes its directories, and what units make of their hooks.
struct Room<'a> {
    fixture: &'a Fixture,
    model: ModelUuid,
    destroyed: Mutex<Vec<StorageId>>,
    given_up: Mutex<Vec<StorageId>>,
}

impl<'a> Room<'a> {
    async fn new(fixture: &'a Fixture) -> Room<'a> {
        let room = Room {
            fixture,
            model: fixture.model("room").await,
            destroyed: Mutex::default(),
            given_up: Mutex::default(),
        };
        room.charm(SITE).await;
        room
    }

    /// Its URL.
    async fn charm(&self, text: &'static str) -> String {
        let archive = Bytes::from_static(text.as_bytes());
        let store = &self.fixture.store;
        let added = store.add_charm(&self.model, metadata("site", text), archive);
        added.await.expect("charm").url.to_string()
    }

    /// With `name=POOL,COUNT,SIZE` each.
    async fn deploy(&self, units: u32, storage: &[(&str, &str)]) -> Result<()> {
        let asked = storage
            .iter()
            .map(|(name, text)| ((*name).to_owned(), text.parse::<Asked>().expect("asked")));
        let deploy = Deploy {
            storage: asked.collect(),
            ..request("site", units)
        };
        self.fixture.store.deploy(&self.model, deploy).await?;
        self.place().await;
        Ok(())
    }

    /// Every unit gets a machine that runs.
    async fn place(&self) {
        let store = &self.fixture.store;
        let staged = store.unit_assignments(&self.model).await.expect("staged");
        let assigned = store.assign_units(&self.model, &staged).await;
        assigned.expect("assigned");
        self.fixture.provision(&self.model).await;
    }

    /// The agent of a unit has begun to work for it.
    async fn start(&self, name: &str) {
        let store = &self.fixture.store;
        let of = unit(name);
        if store.sequence(&self.model, &of).await == 0 {
            let state = OperationState::default();
            let set = store.set_state(&self.model, &of, 0, &state, false).await;
            set.expect("state");
        }
    }

    /// The provider does all that there is to do.
    async fn provide(&self) {
        let store = &self.fixture.store;
        let work = store.storage_work(&self.model, &[]).await.expect("work");
        for one in work {
            match one.wanted {
                Wanted::There if one.provisioned => {}
                Wanted::There => {
                    let told = store.set_storage_provisioned(&self.model, &one.id, None);
                    told.await.expect("told");
                }
                Wanted::Imported => {
                    let told = store.set_storage_provisioned(&self.model, &one.id, Some(64));
                    told.await.expect("told");
                }
                Wanted::Destroyed | Wanted::Released => {
                    let list = match one.wanted {
                        Wanted::Released => &self.given_up,
                        _ => &self.destroyed,
                    };
                    list.lock().expect("lock").push(one.id.clone());
                    let told = store.forget_storage(&self.model, &one.id);
                    told.await.expect("told");
                }
            }
        }
    }

    /// The unit lets go of all that it has to.
    async fn let_go(&self, name: &str) {
        let store = &self.fixture.store;
        let of = unit(name);
        let remote = store
            .get_remote_state(&self.model, &of)
            .await
            .expect("read");
        let Some(remote) = remote else {
            return;
        };
        for (id, theirs) in &remote.storage {
            if theirs.life.is_alive() && remote.life.is_alive() {
                continue;
            }
            let commit = HookCommit {
                from: store.sequence(&self.model, &of).await,
                hook: Some(Info::storage(Kind::StorageDetaching, theirs.event(id))),
                operation: OperationState::default(),
                ..HookCommit::default()
            };
            let committed = store.commit_hook_run(&self.model, &of, commit).await;
            let told = committed.expect("committed").told;
            assert!(!told.remote.storage.contains_key(id), "{id}");
        }
    }

    /// A hook of the unit asks for more.
    async fn ask(&self, name: &str, storage: &str, count: u32) -> Result<()> {
        let effects = Effects {
            storage: Changes::from([(storage.to_owned(), count)]),
            ..Effects::default()
        };
        let state = OperationState::default();
        let store = &self.fixture.store;
        store
            .commit_effects(&self.model, &unit(name), effects, &state)
            .await
    }

    async fn all(&self) -> Vec<StorageInfo> {
        let query = StorageQuery::default();
        let page = self.fixture.store.storages(&self.model, &query).await;
        page.expect("page").items
    }

    async fn one(&self, text: &str) -> StorageInfo {
        let shown = self.fixture.store.storage(&self.model, &id(text)).await;
        shown.expect("shown")
    }

    async fn status(&self, text: &str) -> status::Storage {
        self.one(text).await.status.status
    }

    /// Ids with the units that have them.
    async fn held(&self) -> Vec<(String, Vec<String>)> {
        let all = self.all().await.into_iter();
        all.map(|one| {
            let units = one.attachments.iter();
            let units = units.map(|attachment| attachment.unit.to_string());
            (one.id.to_string(), units.collect())
        })
        .collect()
    }

    async fn attach(&self, text: &str, to: &str) -> Result<StorageInfo> {
        let store = &self.fixture.store;
        store
            .attach_storage(&self.model, &id(text), &unit(to))
            .await
    }

    async fn detach(&self, text: &str, force: bool) -> Result<StorageInfo> {
        let store = &self.fixture.store;
        store.detach_storage(&self.model, &id(text), force).await
    }

    async fn remove(&self, text: &str, force: bool, destroy: bool) -> Result<()> {
        let removal = Removal { force, destroy };
        let store = &self.fixture.store;
        store.remove_storage(&self.model, &id(text), removal).await
    }

    fn destroyed(&self) -> Vec<String> {
        let list = self.destroyed.lock().expect("lock");
        list.iter().map(StorageId::to_string).collect()
    }

    fn given_up(&self) -> Vec<String> {
        let list = self.given_up.lock().expect("lock");
        list.iter().map(StorageId::to_string).collect()
    }
}

fn id(text: &str) -> StorageId {
    text.parse().expect("id")
}

fn code<T>(answer: Result<T>) -> Refusal {
    match answer {
        Ok(_) => panic!("it was not refused"),
        Err(error) => error.refusal(),
    }
}

fn held(pairs: &[(&str, &[&str])]) -> Vec<(String, Vec<String>)> {
    let pairs = pairs.iter();
    pairs
        .map(|(id, units)| {
            let units = units.iter().map(|unit| (*unit).to_owned());
            ((*id).to_owned(), units.collect())
        })
        .collect()
}
