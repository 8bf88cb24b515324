//! Sealing between store and keys, and keys that are replaced whatever happens in between.

use periapt_engine::FakeClock;
use periapt_store::{BackendChange, SecretBackend, StoreOptions};
use periapt_wire::rest::AddModel;

use super::*;

/// A controller's directory with its database; processes are what is opened on it.
struct House {
    directory: tempfile::TempDir,
    clock: FakeClock,
    store: Store,
    model: ModelUuid,
}

impl House {
    async fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let clock = FakeClock::new();
        let path = directory.path().join("controller.db");
        let options = StoreOptions::sqlite(path, clock.shared());
        let store = Store::open(options).await.unwrap();
        let model = AddModel::new("lab".parse().unwrap());
        let model = store
            .add_model(model, &"admin".parse().unwrap())
            .await
            .unwrap();
        Self {
            directory,
            clock,
            store,
            model: model.uuid,
        }
    }

    /// The process as it is after a start.
    fn start(&self) -> Secrets {
        self.at(self.directory.path(), 0)
    }

    fn at(&self, directory: &std::path::Path, node: u32) -> Secrets {
        let keyring = Keyring::open(directory, "authority", 1).unwrap();
        Secrets::new(
            self.store.clone(),
            Arc::new(keyring),
            self.clock.shared(),
            node,
        )
    }

    async fn add(&self, secrets: &Secrets, number: u8) -> (SecretId, Sealed) {
        let id = SecretId::of_random([number; 12]);
        let values = [("password".to_owned(), format!("hush-{number}"))];
        let kept = secrets.seal(&self.model, &id, values).await.unwrap();
        (id, kept)
    }

    /// A back end at which nobody answers.
    async fn add_vault(&self, secrets: &Secrets) -> SecretBackend {
        let about = super::backends::about("vault");
        let token = br#"{"token":"first"}"#;
        let endpoint = ("endpoint".to_owned(), "http://127.0.0.1:1".to_owned());
        let change = BackendChange {
            config: [endpoint].into(),
            secret_config: secrets.seal_own(&about, token).unwrap(),
            token_rotate_interval: None,
        };
        let added = self.store.add_secret_backend("vault", "vault", change);
        added.await.unwrap()
    }

    async fn reads(&self, secrets: &Secrets, (id, kept): &(SecretId, Sealed)) -> String {
        let content = secrets.open(&self.model, id, kept).await.unwrap();
        content.values()["password"].clone()
    }
}

#[tokio::test]
async fn values_are_sealed_for_their_place_and_equal_ones_are_known_as_equal() {
    let house = House::new().await;
    let secrets = house.start();
    let one = house.add(&secrets, 1).await;
    assert!(!format!("{:?}", one.1).contains("hush"));
    assert_eq!(house.reads(&secrets, &one).await, "hush-1");
    let again = house.add(&secrets, 1).await;
    assert_eq!(one.1.checksum, again.1.checksum);
    assert_ne!(one.1.sealed, again.1.sealed);
    let other = house.add(&secrets, 2).await;
    assert_ne!(one.1.checksum, other.1.checksum);
    let misplaced = secrets.open(&house.model, &other.0, &one.1).await;
    assert_eq!(misplaced.unwrap_err().refusal(), Refusal::InternalError);
    let none = secrets.seal(&house.model, &one.0, []).await;
    assert_eq!(none.unwrap_err().refusal(), Refusal::SecretInvalid);
}

#[tokio::test]
async fn values_are_taken_out_of_effects_before_anybody_else_sees_them() {
    use periapt_model::secret::{ChangedSecret, CharmOwner, Described, NewSecret};
    let house = House::new().await;
    let secrets = house.start();
    let content = || Content::new([("password".to_owned(), "hush".to_owned())]).unwrap();
    let (new, old) = (SecretId::of_random([1; 12]), SecretId::of_random([2; 12]));
    let mut effects = Effects::default();
    let added = NewSecret {
        owner: CharmOwner::Unit,
        content: content(),
        described: Described::default(),
    };
    effects.secrets.added.insert(new.clone(), added);
    let changed = ChangedSecret {
        owner: CharmOwner::Unit,
        content: Some(content()),
        described: Described::default(),
    };
    effects.secrets.changed.insert(old.clone(), changed);
    let sealed = secrets.take(&house.model, &mut effects).await.unwrap();
    assert!(!serde_json::to_string(&effects).unwrap().contains("hush"));
    assert!(effects.secrets.changed[&old].content.is_some());
    for id in [new, old] {
        let opened = secrets.open(&house.model, &id, &sealed[&id]).await;
        assert_eq!(opened.unwrap(), content());
    }
}

#[tokio::test]
async fn a_key_is_replaced_and_nothing_is_lost_wherever_the_process_ends() {
    let house = House::new().await;
    let secrets = house.start();
    let one = house.add(&secrets, 1).await;
    // The process ends once the new key is on the disk.
    let (first, _) = secrets.inner.keyring.current();
    secrets.inner.keyring.add(2).unwrap();
    let secrets = house.start();
    secrets.catch_up().await.unwrap();
    assert_eq!(house.reads(&secrets, &one).await, "hush-1");
    // It ends once all is sealed again, before the file says so.
    let next = secrets.inner.keyring.add(3).unwrap();
    let resealed = secrets.reseal(&next, 3).await.unwrap();
    house.store.reseal_secret_keys(resealed).await.unwrap();
    let secrets = house.start();
    assert_eq!(secrets.inner.keyring.current().0, first);
    assert_eq!(house.reads(&secrets, &one).await, "hush-1");
    secrets.catch_up().await.unwrap();
    assert_eq!(secrets.inner.keyring.current().0, next);
    // And it is replaced as a whole.
    let done = secrets.rotate_key().await.unwrap();
    assert_eq!(done.sealed_again, 1);
    assert_ne!(done.id, next);
    let secrets = house.start();
    assert_eq!(secrets.inner.keyring.current().0, done.id);
    assert!(!secrets.inner.keyring.has(&first) && !secrets.inner.keyring.has(&next));
    assert_eq!(house.reads(&secrets, &one).await, "hush-1");
    let two = house.add(&secrets, 2).await;
    assert_eq!(house.reads(&house.start(), &two).await, "hush-2");
}

#[tokio::test]
async fn another_process_takes_the_key_over_when_it_meets_it() {
    let house = House::new().await;
    let elsewhere = tempfile::tempdir().unwrap();
    let second = house.store.add_controller_node().await.unwrap();
    let announced = house.store.announce_controller_node(0, "127.0.0.1:1", "");
    announced.await.unwrap();
    let (one, other) = (house.start(), house.at(elsewhere.path(), second));
    let kept = house.add(&one, 1).await;
    assert_eq!(house.reads(&other, &kept).await, "hush-1");
    let done = one.rotate_key().await.unwrap();
    let again = one.rotate_key().await.unwrap();
    assert_eq!(house.store.secret_successions().await.unwrap().len(), 2);
    // It opens what it has not opened before, and begins a model of its own.
    let other = house.at(elsewhere.path(), second);
    assert!(!other.inner.keyring.has(&done.id));
    assert_eq!(house.reads(&other, &kept).await, "hush-1");
    assert_eq!(other.inner.keyring.current().0, again.id);
    assert_eq!(house.store.secret_successions().await.unwrap(), []);
    let third = other.rotate_key().await.unwrap();
    let fresh = AddModel::new("fresh".parse().unwrap());
    let admin = "admin".parse().unwrap();
    let fresh = house.store.add_model(fresh, &admin).await.unwrap().uuid;
    let id = SecretId::of_random([9; 12]);
    let values = [("password".to_owned(), "late".to_owned())];
    let late = one.seal(&fresh, &id, values).await.unwrap();
    assert_eq!(one.inner.keyring.current().0, third.id);
    let opened = other.open(&fresh, &id, &late).await.unwrap();
    assert_eq!(opened.values()["password"], "late");
}

#[tokio::test]
async fn without_its_file_of_keys_a_controller_says_what_is_missing() {
    let house = House::new().await;
    let secrets = house.start();
    let one = house.add(&secrets, 1).await;
    secrets.rotate_key().await.unwrap();
    std::fs::remove_file(house.directory.path().join(periapt_secrets::KEY_FILE)).unwrap();
    // It is not made anew in silence, with another key.
    let secrets = house.start();
    let lost = secrets.open(&house.model, &one.0, &one.1).await;
    assert_eq!(lost.unwrap_err().refusal(), Refusal::SecretKeyMissing);
}

#[tokio::test]
async fn what_was_read_before_the_key_was_replaced_is_read_anew() {
    let house = House::new().await;
    let secrets = house.start();
    house.add(&secrets, 1).await;
    let row = house.add_vault(&secrets).await;
    let kept = house.store.secret_key(&house.model).await.unwrap().unwrap();
    secrets.rotate_key().await.unwrap();
    assert!(!secrets.inner.keyring.has(&kept.under));
    let opened = secrets.open_model_key(&house.model, &kept).await;
    assert_eq!(opened.unwrap().len(), 32);
    let config = secrets.whole_config(&row).await.unwrap();
    assert_eq!(config["token"], "first");
}

#[tokio::test]
async fn values_that_are_moved_between_two_looks_are_looked_for_once_more() {
    use std::sync::atomic::{AtomicUsize, Ordering};
    let house = House::new().await;
    let secrets = house.start();
    house.add_vault(&secrets).await;
    let (id, kept) = house.add(&secrets, 1).await;
    let looks = AtomicUsize::new(0);
    let find = |outside: usize| {
        let before = looks.fetch_add(1, Ordering::SeqCst) < outside;
        let mut content = kept.clone();
        if before {
            content.backend = "vault".to_owned();
        }
        let found = StoredSecret {
            id: id.clone(),
            revision: 1,
            content,
            owned: false,
            reader: None,
        };
        std::future::ready(Ok(found))
    };
    let read = secrets.read(&house.model, || find(1)).await.unwrap();
    assert_eq!(read.content.values()["password"], "hush-1");
    assert_eq!(looks.swap(0, Ordering::SeqCst), 2);
    let gone = secrets.read(&house.model, || find(usize::MAX)).await;
    let gone = gone.unwrap_err().refusal();
    assert_eq!(gone, Refusal::SecretBackendUnavailable);
    assert_eq!(looks.load(Ordering::SeqCst), 2);
}
