//! Secrets on both databases.

use std::collections::BTreeMap;
use std::time::Duration;

use bytes::Bytes;
use periapt_contract::secret::{
    ChangedGrants, ChangedSecret, Changes, Content, Described, Grant, NewSecret, Owner, Reader,
    RemovedSecret, RotatePolicy,
};
use periapt_model::ModelUuid;
use periapt_model::charm::CharmInfo;
use periapt_model::hook::{Effects, Info, Kind, SecretEvent};
use periapt_model::secret::{DUE_AGAIN, DueSecret, DueSecrets, SecretId};
use periapt_model::uniter::OperationState;
use periapt_wire::agent::secrets::NamedSecret;

use super::{Sealed, StoredSecret};
use crate::lease::{Manager, Namespace};
use crate::relation::tests::metadata;
use crate::testing::{Fixture, application, fixtures, request, unit};
use crate::unit::removal::remove_unit_now;
use crate::{HookCommit, Result};

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
        let leases = Manager::new(&self.fixture.store);
        let claimed = leases.claim(
            Namespace::ApplicationLeadership,
            &self.model,
            of.application().as_str(),
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

fn ran(kind: Kind, id: &SecretId, revision: u32) -> Option<Info> {
    Some(Info::secret(kind, event(id, "", revision, false).event))
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

#[tokio::test]
async fn the_same_value_makes_no_revision_and_a_label_is_its_owners_alone() {
    for fixture in fixtures().await {
        let room = Room::new(&fixture).await;
        let (one, two, other) = (id(1), id(2), id(3));
        let labelled = || Described {
            label: Some("db".to_owned()),
            ..Described::default()
        };
        let first = added(Owner::Unit, &one, "one", labelled());
        room.commit("site/0", None, first).await.expect("added");
        let taken = added(Owner::Unit, &two, "two", labelled());
        let taken = room.commit("site/0", None, taken).await.expect_err("taken");
        assert_eq!(taken.refusal().code(), "secret-already-exists");
        let elsewhere = added(Owner::Unit, &other, "two", labelled());
        room.commit("site/1", None, elsewhere)
            .await
            .expect("another owner");
        room.renew("site/0", Owner::Unit, &one, "one").await;
        let owned = fixture
            .store
            .owned_secrets(&room.model, &unit("site/0"))
            .await
            .expect("owned");
        assert_eq!((owned.len(), owned[0].revisions.clone()), (1, vec![1]));
        room.renew("site/0", Owner::Unit, &one, "two").await;
        room.renew("site/0", Owner::Unit, &one, "one").await;
        let owned = fixture
            .store
            .owned_secrets(&room.model, &unit("site/0"))
            .await
            .expect("owned");
        assert_eq!(
            (owned[0].label.as_str(), owned[0].revisions.clone()),
            ("db", vec![1, 2, 3])
        );
        // The numbers of revisions that went are not given again.
        let removed = RemovedSecret {
            owner: Owner::Unit,
            revisions: [3].into(),
        };
        let removed = Changes {
            removed: [(one.clone(), removed)].into(),
            ..Changes::default()
        };
        room.commit("site/0", None, removed).await.expect("removed");
        assert_eq!(
            room.read("site/0", &one, true).await.expect("own").revision,
            2
        );
        room.renew("site/0", Owner::Unit, &one, "four").await;
        assert_eq!(
            room.read("site/0", &one, true).await.expect("own").revision,
            4
        );
        let whole = RemovedSecret {
            owner: Owner::Unit,
            revisions: Default::default(),
        };
        let whole = Changes {
            removed: [(one.clone(), whole)].into(),
            ..Changes::default()
        };
        room.commit("site/0", None, whole).await.expect("removed");
        assert_eq!(room.code("site/0", &one).await, "not found");
        fixture.end().await;
    }
}

/// What a charm does to one that expired: the same value once more, in place of the revision that goes.
#[tokio::test]
async fn a_revision_that_follows_one_which_goes_is_there_also_with_the_same_value() {
    for fixture in fixtures().await {
        let room = Room::new(&fixture).await;
        let secret = id(1);
        room.add("site/0", Owner::Unit, &secret, "one").await;
        let removed = RemovedSecret {
            owner: Owner::Unit,
            revisions: [1].into(),
        };
        let changes = Changes {
            removed: [(secret.clone(), removed)].into(),
            ..changed(Owner::Unit, &secret, Some("one"), Described::default())
        };
        room.commit("site/0", None, changes)
            .await
            .expect("replaced");
        let read = room.read("site/0", &secret, true).await.expect("own");
        assert_eq!((read.revision, read.content.sealed.as_str()), (2, "one"));
        // A label is free for another in the hook that removes the secret which has it.
        let labelled = Described {
            label: Some("db".to_owned()),
            ..Described::default()
        };
        let named = changed(Owner::Unit, &secret, None, labelled.clone());
        room.commit("site/0", None, named).await.expect("named");
        let removed = RemovedSecret {
            owner: Owner::Unit,
            revisions: Default::default(),
        };
        let changes = Changes {
            removed: [(secret.clone(), removed)].into(),
            ..added(Owner::Unit, &id(2), "two", labelled)
        };
        room.commit("site/0", None, changes)
            .await
            .expect("replaced");
        assert_eq!(room.code("site/0", &secret).await, "not found");
        assert_eq!(room.code("site/0", &id(2)).await, "read");
        fixture.end().await;
    }
}

#[tokio::test]
async fn the_leader_alone_changes_what_is_the_applications() {
    for fixture in fixtures().await {
        let room = Room::new(&fixture).await;
        let secret = id(1);
        let nobodys = added(Owner::Application, &secret, "one", Described::default());
        let refused = room
            .commit("site/0", None, nobodys)
            .await
            .expect_err("leads not");
        assert_eq!(refused.refusal().call_code(), "leadership claim denied");
        room.lead("site/0").await;
        room.add("site/0", Owner::Application, &secret, "one").await;
        assert_eq!(room.code("site/1", &secret).await, "read");
        let theirs = changed(
            Owner::Application,
            &secret,
            Some("two"),
            Described::default(),
        );
        room.commit("site/1", None, theirs)
            .await
            .expect_err("leads not");
        // What says that it is a unit's is not taken for it.
        let claimed = changed(Owner::Unit, &secret, Some("two"), Described::default());
        let refused = room
            .commit("site/1", None, claimed)
            .await
            .expect_err("not a unit's");
        assert_eq!(refused.refusal().call_code(), "unauthorized access");
        fixture.end().await;
    }
}

#[tokio::test]
async fn hooks_of_secrets_are_due_in_their_time_until_they_ran() {
    for fixture in fixtures().await {
        let room = Room::new(&fixture).await;
        let (relation, secret) = (room.relate().await, id(1));
        room.lead("site/0").await;
        let begun = room.now();
        let described = Described {
            label: Some("db".to_owned()),
            rotate: Some(RotatePolicy::Hourly),
            expires: Some(begun + 10 * SECOND),
            ..Described::default()
        };
        let new = added(Owner::Application, &secret, "one", described);
        room.commit("site/0", None, new).await.expect("added");
        let to_front = granted(Owner::Application, &secret, relation, "front", true);
        room.commit("site/0", None, to_front)
            .await
            .expect("granted");
        room.track("front/0", &secret, false).await;
        assert!(room.due("front/0").await.is_empty());
        let due = room.due("site/1").await;
        assert_eq!(
            (due.clone().next, due.expired.len()),
            (Some(begun + 10 * SECOND), 0)
        );
        // It expires, and again until the charm removes it.
        fixture.clock.advance(Duration::from_secs(10));
        let of_leaders = |revision| vec![event(&secret, "db", revision, true)];
        assert_eq!(room.due("site/0").await.expired, of_leaders(1));
        room.commit(
            "site/0",
            ran(Kind::SecretExpired, &secret, 1),
            Changes::default(),
        )
        .await
        .expect("ran");
        let due = room.due("site/0").await;
        assert_eq!(
            (due.expired.clone(), due.next),
            (vec![], Some(begun + 10 * SECOND + DUE_AGAIN))
        );
        fixture
            .clock
            .advance(Duration::from_micros(DUE_AGAIN.unsigned_abs()));
        assert_eq!(room.due("site/0").await.expired, of_leaders(1));
        // A new value: its readers are told, and nobody is told of the first until nobody is on it.
        room.renew("site/0", Owner::Application, &secret, "two")
            .await;
        assert_eq!(
            room.due("front/0").await.changed,
            [event(&secret, "mine", 2, false)]
        );
        assert!(room.due("front/1").await.is_empty());
        assert_eq!(room.due("site/0").await.remove, []);
        room.commit(
            "front/0",
            ran(Kind::SecretChanged, &secret, 2),
            Changes::default(),
        )
        .await
        .expect("ran");
        assert!(room.due("front/0").await.changed.is_empty());
        assert_eq!(room.due("site/0").await.remove, []);
        room.track("front/0", &secret, true).await;
        assert_eq!(room.due("site/0").await.remove, of_leaders(1));
        room.commit(
            "site/0",
            ran(Kind::SecretRemove, &secret, 1),
            Changes::default(),
        )
        .await
        .expect("ran");
        assert_eq!(room.due("site/0").await.remove, []);
        // An hour is over: soon again without a new value, and after an hour with one.
        fixture.clock.advance(Duration::from_secs(3600));
        assert_eq!(room.due("site/0").await.rotate, of_leaders(2));
        room.commit(
            "site/0",
            ran(Kind::SecretRotate, &secret, 2),
            Changes::default(),
        )
        .await
        .expect("ran");
        assert_eq!(room.due("site/0").await.rotate, []);
        fixture
            .clock
            .advance(Duration::from_micros(DUE_AGAIN.unsigned_abs()));
        assert_eq!(room.due("site/0").await.rotate, of_leaders(2));
        let renewed = changed(
            Owner::Application,
            &secret,
            Some("three"),
            Described::default(),
        );
        room.commit("site/0", ran(Kind::SecretRotate, &secret, 2), renewed)
            .await
            .expect("ran");
        fixture.clock.advance(Duration::from_secs(3599));
        assert_eq!(room.due("site/0").await.rotate, []);
        fixture.clock.advance(Duration::from_secs(1));
        assert_eq!(room.due("site/0").await.rotate, of_leaders(3));
        fixture.end().await;
    }
}

#[tokio::test]
async fn a_hook_that_a_charm_does_not_have_is_never_due() {
    for fixture in fixtures().await {
        let room = Room::with_hooks(&fixture, &["install"]).await;
        let secret = id(1);
        let described = Described {
            rotate: Some(RotatePolicy::Hourly),
            expires: Some(room.now() + SECOND),
            ..Described::default()
        };
        let new = added(Owner::Unit, &secret, "one", described);
        room.commit("site/0", None, new).await.expect("added");
        room.renew("site/0", Owner::Unit, &secret, "two").await;
        fixture.clock.advance(Duration::from_secs(7200));
        assert!(room.due("site/0").await.is_empty());
        fixture.end().await;
    }
}

#[tokio::test]
async fn a_secret_goes_with_its_owner_and_a_reader_with_the_unit() {
    for fixture in fixtures().await {
        let room = Room::new(&fixture).await;
        let (relation, of_unit, of_all) = (room.relate().await, id(1), id(2));
        room.lead("site/0").await;
        room.add("site/1", Owner::Unit, &of_unit, "one").await;
        room.add("site/0", Owner::Application, &of_all, "two").await;
        let one = granted(Owner::Unit, &of_unit, relation, "front", true);
        room.commit("site/1", None, one).await.expect("granted");
        let all = granted(Owner::Application, &of_all, relation, "front/1", true);
        room.commit("site/0", None, all).await.expect("granted");
        room.track("front/1", &of_all, false).await;
        let store = &fixture.store;
        room.lose("front/1").await;
        let shown = store
            .secret(&room.model, of_all.as_str())
            .await
            .expect("there");
        assert!(shown.grants.is_empty() && shown.revisions[0].readers.is_empty());
        room.lose("site/1").await;
        assert_eq!(room.code("front/0", &of_unit).await, "not found");
        store
            .remove_application(&room.model, &application("site"), true)
            .await
            .expect("removed");
        let report = store.cleanup(&room.model).await.expect("cleaned");
        assert_eq!(report.errors, [""; 0]);
        room.lose("site/0").await;
        assert_eq!(room.code("front/0", &of_all).await, "not found");
        for sql in [
            "SELECT COUNT(*) FROM secret",
            "SELECT COUNT(*) FROM secret_revision",
            "SELECT COUNT(*) FROM secret_reader",
            "SELECT COUNT(*) FROM secret_grant",
        ] {
            let left = store
                .glance()
                .await
                .expect("session")
                .count(sql, vec![])
                .await;
            assert_eq!(left.expect("counted"), 0, "{sql}");
        }
        fixture.end().await;
    }
}
