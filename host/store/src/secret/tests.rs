//! Secrets on both databases.

use std::collections::BTreeMap;
use std::time::Duration;

use bytes::Bytes;
use periapt_contract::secret::{
    ChangedGrants, ChangedSecret, Changes, Content, Described, Grant, NewSecret, Owner, Reader,
};
use periapt_model::ModelUuid;
use periapt_model::charm::CharmInfo;
use periapt_model::hook::{Effects, Info, SecretEvent};
use periapt_model::secret::{DueSecret, DueSecrets, SecretId};
use periapt_model::uniter::OperationState;
use periapt_wire::agent::secrets::NamedSecret;

use super::{Sealed, StoredSecret};
use crate::lease::{Manager, Namespace};
use crate::relation::tests::metadata;
use crate::testing::{Fixture, fixtures, request, unit};
use crate::unit::removal::remove_unit_now;
use crate::{HookCommit, Result};

mod changing;
mod due;
mod going;
mod outside;
mod people;
mod property;

const SITE: &str = r#"{"name":"site","provides":{"website":{"interface":"http"}}}"#;
const FRONT: &str = r#"{"name":"front","requires":{"website":{"interface":"http"}}}"#;

const SECOND: i64 = 1_000_000;

/// A model with applications whose charms have every hook of secrets.
struct Room<'a> {
    fixture: &'a Fixture,
    model: ModelUuid,
    contents: std::sync::atomic::AtomicU64,
}

impl<'a> Room<'a> {
    async fn new(fixture: &'a Fixture) -> Room<'a> {
        Self::with_hooks(
            fixture,
            &[
                "install",
                "secret-changed",
                "secret-expired",
                "secret-remove",
                "secret-rotate",
            ],
        )
        .await
    }

    async fn with_hooks(fixture: &'a Fixture, hooks: &[&str]) -> Room<'a> {
        let model = fixture.model("room").await;
        for (name, text) in [("site", SITE), ("front", FRONT)] {
            let info = CharmInfo {
                hooks: hooks.iter().map(|hook| (*hook).to_owned()).collect(),
                ..metadata(name, text)
            };
            let archive = Bytes::copy_from_slice(name.as_bytes());
            let added = fixture.store.add_charm(&model, info, archive).await;
            added.expect("charm");
        }
        let room = Room {
            fixture,
            model,
            contents: 0.into(),
        };
        for name in ["site", "front"] {
            room.deploy(name).await;
        }
        room
    }

    async fn deploy(&self, name: &str) {
        let store = &self.fixture.store;
        let deployed = store.deploy(&self.model, request(name, 2)).await;
        deployed.expect("deployed");
        let staged = store.unit_assignments(&self.model).await.expect("staged");
        let assigned = store.assign_units(&self.model, &staged).await;
        assigned.expect("assigned");
    }

    async fn relate(&self) -> u64 {
        let ends = ["front:website", "site:website"].map(|end| end.parse().expect("endpoint"));
        let related = self.fixture.store.integrate(&self.model, ends).await;
        related.expect("related").id
    }

    async fn lead(&self, name: &str) {
        let of = unit(name);
        let application = of.application();
        let leases = Manager::new(&self.fixture.store);
        let claimed = leases.claim(
            Namespace::ApplicationLeadership,
            &self.model,
            application.as_str(),
            of.as_str(),
            Duration::from_secs(24 * 3600),
        );
        claimed.await.expect("leads");
    }

    /// What the server would have sealed of a text; another content each time.
    fn kept(&self, backend: &str, text: &str) -> Sealed {
        let number = self
            .contents
            .fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        Sealed {
            backend: backend.to_owned(),
            content_id: format!("content-{number}"),
            sealed: match backend {
                "internal" => text.to_owned(),
                _ => String::new(),
            },
            checksum: text.to_owned(),
        }
    }

    async fn commit(&self, name: &str, hook: Option<Info>, changes: Changes) -> Result<()> {
        let store = &self.fixture.store;
        let mut sealed = BTreeMap::new();
        let mut changes = changes;
        for (id, new) in &mut changes.added {
            let text = std::mem::take(&mut new.content);
            sealed.insert(id.clone(), self.kept("internal", &first(&text)));
        }
        for (id, changed) in &mut changes.changed {
            if let Some(content) = &mut changed.content {
                let text = std::mem::take(content);
                sealed.insert(id.clone(), self.kept("internal", &first(&text)));
            }
        }
        let commit = HookCommit {
            from: store.sequence(&self.model, &unit(name)).await,
            effects: Effects {
                secrets: changes,
                ..Effects::default()
            },
            sealed,
            hook,
            operation: OperationState::default(),
            ..HookCommit::default()
        };
        let committed = store
            .commit_hook_run(&self.model, &unit(name), commit)
            .await;
        committed.map(drop)
    }

    async fn add(&self, name: &str, owner: Owner, id: &SecretId, text: &str) {
        let changes = added(owner, id, text, Described::default());
        self.commit(name, None, changes).await.expect("added");
    }

    async fn renew(&self, name: &str, owner: Owner, id: &SecretId, text: &str) {
        let changes = changed(owner, id, Some(text), Described::default());
        self.commit(name, None, changes).await.expect("renewed");
    }

    async fn read(&self, name: &str, id: &SecretId, newest: bool) -> Result<StoredSecret> {
        let of = NamedSecret {
            id: Some(id.clone()),
            label: None,
        };
        let store = &self.fixture.store;
        store
            .unit_secret(&self.model, &unit(name), &of, newest)
            .await
    }

    /// Reads and keeps what was read, as a hook does.
    async fn track(&self, name: &str, id: &SecretId, newest: bool) -> u32 {
        let read = self.read(name, id, newest).await.expect("may read");
        let reader = Reader {
            revision: read.revision,
            label: "mine".to_owned(),
        };
        let changes = Changes {
            read: [(id.clone(), reader)].into(),
            ..Changes::default()
        };
        self.commit(name, None, changes).await.expect("kept");
        read.revision
    }

    async fn code(&self, name: &str, id: &SecretId) -> &'static str {
        match self.read(name, id, true).await {
            Ok(_) => "read",
            Err(error) => error.refusal().call_code(),
        }
    }

    /// The unit is gone, whatever its agent does.
    async fn lose(&self, name: &str) {
        let (model, name) = (self.model.clone(), unit(name));
        let gone = self
            .fixture
            .store
            .write(move |tx| Box::pin(async move { remove_unit_now(tx, &model, &name).await }));
        gone.await.expect("gone");
    }

    async fn due(&self, name: &str) -> DueSecrets {
        let store = &self.fixture.store;
        let remote = store.get_remote_state(&self.model, &unit(name)).await;
        remote.expect("read").expect("there").secrets
    }

    fn now(&self) -> i64 {
        self.fixture.store.now()
    }
}

fn first(content: &Content) -> String {
    content
        .values()
        .values()
        .next()
        .cloned()
        .unwrap_or_default()
}

fn id(number: u8) -> SecretId {
    SecretId::of_random([number; 12])
}

fn content(text: &str) -> Content {
    Content::new([("key".to_owned(), text.to_owned())]).expect("content")
}

fn added(owner: Owner, id: &SecretId, text: &str, described: Described) -> Changes {
    let new = NewSecret {
        owner,
        content: content(text),
        described,
    };
    Changes {
        added: [(id.clone(), new)].into(),
        ..Changes::default()
    }
}

fn changed(owner: Owner, id: &SecretId, text: Option<&str>, described: Described) -> Changes {
    let one = ChangedSecret {
        owner,
        content: text.map(content),
        described,
    };
    Changes {
        changed: [(id.clone(), one)].into(),
        ..Changes::default()
    }
}

fn granted(owner: Owner, id: &SecretId, relation: u64, to: &str, grants: bool) -> Changes {
    let grant = Grant {
        relation,
        to: to.to_owned(),
    };
    let mut one = ChangedGrants {
        owner,
        granted: Default::default(),
        revoked: Default::default(),
    };
    match grants {
        true => one.granted.insert(grant),
        false => one.revoked.insert(grant),
    };
    Changes {
        grants: [(id.clone(), one)].into(),
        ..Changes::default()
    }
}

fn event(id: &SecretId, label: &str, revision: u32, leaders: bool) -> DueSecret {
    DueSecret {
        event: SecretEvent {
            id: id.clone(),
            label: label.to_owned(),
            revision,
        },
        leaders,
    }
}

#[tokio::test]
async fn a_secret_is_read_by_whom_it_was_granted_to_until_it_is_taken_back() {
    for fixture in fixtures().await {
        let room = Room::new(&fixture).await;
        let (relation, secret) = (room.relate().await, id(1));
        room.add("site/0", Owner::Unit, &secret, "one").await;
        assert_eq!(
            room.read("site/0", &secret, false)
                .await
                .expect("own")
                .content
                .sealed,
            "one"
        );
        for other in ["site/1", "front/0", "front/1"] {
            assert_eq!(
                room.code(other, &secret).await,
                "unauthorized access",
                "{other}"
            );
        }
        assert_eq!(room.code("site/0", &id(9)).await, "not found");
        // To a unit, then to all units.
        let one = granted(Owner::Unit, &secret, relation, "front/0", true);
        room.commit("site/0", None, one).await.expect("granted");
        assert_eq!(room.code("front/0", &secret).await, "read");
        assert_eq!(room.code("front/1", &secret).await, "unauthorized access");
        let all = granted(Owner::Unit, &secret, relation, "front", true);
        room.commit("site/0", None, all).await.expect("granted");
        assert_eq!(room.code("front/1", &secret).await, "read");
        // Who takes no part in the relation is granted nothing.
        for stranger in ["site", "site/1", "back"] {
            let refused = granted(Owner::Unit, &secret, relation, stranger, true);
            let refused = room
                .commit("site/0", None, refused)
                .await
                .expect_err(stranger);
            assert_eq!(refused.refusal().call_code(), "unauthorized access");
        }
        // Somebody else's is not to be changed.
        let theirs = changed(Owner::Unit, &secret, Some("two"), Described::default());
        let refused = room
            .commit("site/1", None, theirs)
            .await
            .expect_err("not its own");
        assert_eq!(refused.refusal().call_code(), "unauthorized access");
        // Both are on the first revision, and stay there until they ask.
        assert_eq!(room.track("front/0", &secret, false).await, 1);
        assert_eq!(room.track("front/1", &secret, false).await, 1);
        room.renew("site/0", Owner::Unit, &secret, "two").await;
        assert_eq!(room.track("front/0", &secret, false).await, 1);
        assert_eq!(room.track("front/0", &secret, true).await, 2);
        assert_eq!(
            room.read("front/0", &secret, false)
                .await
                .expect("kept")
                .content
                .sealed,
            "two"
        );
        assert_eq!(
            room.read("front/1", &secret, false)
                .await
                .expect("kept")
                .content
                .sealed,
            "one"
        );
        let by_label = NamedSecret {
            id: None,
            label: Some("mine".to_owned()),
        };
        let found = fixture
            .store
            .unit_secret(&room.model, &unit("front/0"), &by_label, false)
            .await;
        assert_eq!(found.expect("labelled").id, secret);
        // What was granted to the application goes; what was granted to one unit stays.
        let all = granted(Owner::Unit, &secret, relation, "front", false);
        room.commit("site/0", None, all).await.expect("revoked");
        assert_eq!(room.code("front/1", &secret).await, "unauthorized access");
        assert_eq!(room.code("front/0", &secret).await, "read");
        let shown = fixture
            .store
            .secret(&room.model, secret.as_str())
            .await
            .expect("shown");
        let readers: Vec<_> = shown
            .revisions
            .iter()
            .map(|one| one.readers.clone())
            .collect();
        assert_eq!(readers, [vec![], vec!["front/0".to_owned()]]);
        // The rest goes with the relation.
        fixture
            .store
            .remove_relation(&room.model, relation, true)
            .await
            .expect("removed");
        assert_eq!(room.code("front/0", &secret).await, "unauthorized access");
        let shown = fixture
            .store
            .secret(&room.model, secret.as_str())
            .await
            .expect("shown");
        assert!(
            shown.grants.is_empty() && shown.revisions.iter().all(|one| one.readers.is_empty())
        );
        fixture.end().await;
    }
}
