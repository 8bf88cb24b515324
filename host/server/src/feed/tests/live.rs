//! A feed over a store in a temporary directory, on a clock that the test moves.

use std::sync::atomic::Ordering;

use periapt_engine::FakeClock;
use periapt_model::{AgentName, UserName};
use periapt_store::{Reach, Store, StoreOptions};
use periapt_wire::rest::AddModel;
use tokio_util::sync::CancellationToken;

use super::*;
use crate::feed::cache::Snapshot;
use crate::feed::readers::Reading;

pub(super) struct Bench {
    pub store: Store,
    pub clock: FakeClock,
    presence: Presence,
    pub stop: CancellationToken,
    directory: tempfile::TempDir,
    /// Somebody who reads, so that the feed follows.
    reading: Option<Reading>,
}

impl Bench {
    pub async fn open() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let clock = FakeClock::new();
        let presence = Presence::new(clock.shared());
        let store = open(&directory, &clock).await;
        let bench = Bench {
            store,
            clock,
            presence,
            stop: CancellationToken::new(),
            directory,
            reading: None,
        };
        bench.dispatch();
        bench
    }

    fn dispatch(&self) {
        let (changes, stop) = (self.store.changes(), self.stop.clone());
        tokio::spawn(async move { changes.run(stop).await });
    }

    fn feed(&self, limits: Limits) -> Feed {
        let (store, presence) = (self.store.clone(), self.presence.clone());
        Feed::with_limits(store, self.clock.shared(), presence, limits)
    }

    /// A feed that is read, and a picture.
    async fn running(&mut self) -> ModelCache {
        let cache = self.unread(Limits::default()).await;
        let reading = cache.feed().shared.readers.enter();
        reading.followed().await;
        self.reading = Some(reading);
        cache
    }

    /// A feed and a picture that run.
    pub async fn unread(&self, limits: Limits) -> ModelCache {
        let feed = self.feed(limits);
        let cache = ModelCache::new(feed.clone());
        let (stop, kept) = (self.stop.clone(), cache.clone());
        tokio::spawn(async move { tokio::join!(feed.run(stop.clone()), kept.run(stop)) });
        cache.initialised().unlocked().await;
        cache
    }

    pub async fn model(&self, name: &str) -> ModelUuid {
        let request = AddModel::new(name.parse().unwrap());
        let owner: UserName = "admin".parse().unwrap();
        self.store.add_model(request, &owner).await.unwrap().uuid
    }

    /// Lets time pass until the feed, which is read, has come to the last commit.
    async fn settle(&self, cache: &ModelCache, model: &ModelUuid) {
        self.settle_all(cache, std::slice::from_ref(model)).await;
    }

    /// The same of several models, and of the picture.
    pub async fn settle_all(&self, cache: &ModelCache, models: &[ModelUuid]) {
        let feed = cache.feed();
        let commits = models.iter().map(|model| self.store.last_commit(model));
        let last = commits.max().unwrap_or_default();
        let behind = || {
            let head = feed.head();
            head < last || cache.snapshot(|_| false).cursor < Cursor::end(head)
        };
        let mut told = feed.told();
        while !feed.shared.readers.follows() || behind() {
            tokio::select! {
                _ = told.changed() => {}
                () = tokio::time::sleep(Duration::from_millis(2)) => self.clock.advance(PACE),
            }
        }
    }
}

async fn open(directory: &tempfile::TempDir, clock: &FakeClock) -> Store {
    let path = directory.path().join("controller.db");
    Store::open(StoreOptions::sqlite(path, clock.shared()))
        .await
        .unwrap()
}

fn names(snapshot: &Snapshot) -> Vec<String> {
    let mut names: Vec<String> = snapshot
        .entries
        .iter()
        .map(|entry| entry.name.clone())
        .collect();
    names.sort();
    names
}

/// The acceptance of modelcache: no login before the gate, no ghosts after a new beginning.
#[tokio::test]
async fn the_gate_opens_with_the_first_full_picture_and_ghosts_are_swept() {
    let mut bench = Bench::open().await;
    let mut models = Vec::new();
    for number in 0..5 {
        models.push(bench.model(&format!("model-{number}")).await);
    }
    let cache = ModelCache::new(bench.feed(Limits::default()));
    assert!(!cache.initialised().is_unlocked());
    let cache = bench.running().await;
    let snapshot = cache.snapshot(|_| true);
    assert_eq!(names(&snapshot), {
        let mut all: Vec<String> = models.iter().map(ModelUuid::to_string).collect();
        all.sort();
        all
    });
    // The feed begins anew and one model is not there any more.
    let everything = bench.store.every_entity(&|_, _| true).await.unwrap();
    let rest: Vec<Found> = everything
        .entities
        .into_iter()
        .filter(|found| found.model != models[2].as_str())
        .collect();
    assert_eq!(cache.begin(Cursor::end(everything.position), &rest), 1);
    assert!(!cache.has(&models[2]) && cache.has(&models[1]));
    bench.stop.cancel();
}

/// The acceptance of multiwatcher: twice in quick succession is one event with the last value,
/// and a removal is an event too.
#[tokio::test]
async fn events_carry_the_last_value_and_go_on_after_a_restart() {
    let mut bench = Bench::open().await;
    let user: UserName = "eve".parse().unwrap();
    bench
        .store
        .set_password(&user, "a long secret")
        .await
        .unwrap();
    assert_eq!(bench.store.reach(&user).await.unwrap(), Reach::Everything);
    let model = bench.model("first").await;
    let cache = bench.running().await;
    let from = cache.snapshot(|_| true).cursor;
    for word in [
        periapt_model::status::Model::Destroying,
        periapt_model::status::Model::Busy,
    ] {
        let status = periapt_model::status::Status::new(word, "again");
        bench.store.set_model_status(&model, status).await.unwrap();
    }
    bench.settle(&cache, &model).await;
    let part = cache.feed().after(&from).unwrap();
    let last: periapt_wire::rest::Event =
        serde_json::from_slice(&part.entries.last().unwrap().data).unwrap();
    assert_eq!(last.entity.unwrap()["message"], "again");
    let here = part.cursor.clone();
    assert_eq!(cache.feed().after(&here).unwrap().entries, []);

    // Another process on the same store: the same place, nothing to send; then what changed.
    bench.stop.cancel();
    bench.store.close().await;
    bench.stop = CancellationToken::new();
    bench.store = open(&bench.directory, &bench.clock).await;
    bench.dispatch();
    let cache = bench.running().await;
    assert_eq!(cache.feed().after(&here).unwrap().entries, []);
    let before: Vec<Cursor> = part
        .entries
        .iter()
        .map(|entry| entry.cursor.clone())
        .collect();
    let again = cache.feed().after(&from).unwrap();
    assert!(
        again
            .entries
            .iter()
            .all(|entry| before.contains(&entry.cursor)),
        "the same events with the same ids"
    );
    let second = bench.model("second").await;
    bench.settle(&cache, &second).await;
    let part = cache.feed().after(&here).unwrap();
    assert_eq!(part.entries.len(), 1);
    assert_eq!(part.entries[0].name, second.as_str());
    bench.stop.cancel();
}

#[tokio::test]
async fn an_agent_that_comes_or_goes_has_its_place_in_the_feed() {
    let mut bench = Bench::open().await;
    let model = bench.model("first").await;
    let cache = bench.running().await;
    let before = bench.store.last_commit(&model);
    // Its first look, then the end of the grace after the start.
    while bench.clock.sleepers() == 0 {
        tokio::task::yield_now().await;
    }
    tokio::time::sleep(Duration::from_millis(50)).await;
    bench.clock.advance(GRACE);
    while bench.store.last_commit(&model) == before {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    let absent = bench.store.last_commit(&model);
    let guard = bench.presence.enter(&model, &AgentName::Host);
    while bench.store.last_commit(&model) == absent {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    drop(guard);
    assert_eq!(cache.feed().shared.restarts.load(Ordering::Relaxed), 0);
    bench.stop.cancel();
}

#[tokio::test]
async fn a_status_is_shared_until_a_commit_and_its_time_goes_on() {
    let mut bench = Bench::open().await;
    let model = bench.model("first").await;
    let cache = bench.running().await;
    let statuses = cache.statuses();
    let first = statuses.of(&model).await.unwrap();
    let asked: Vec<_> = futures::future::join_all((0..20).map(|_| statuses.of(&model))).await;
    assert!(
        asked
            .into_iter()
            .all(|status| status.unwrap().json() == first.json())
    );
    assert_eq!(statuses.report(), json!({ "read": 1, "shared": 20 }));
    bench.clock.advance(Duration::from_secs(2));
    let later = statuses.of(&model).await.unwrap();
    let value = |status: &SharedStatus| -> serde_json::Value {
        serde_json::from_slice(&status.json()).unwrap()
    };
    let (mut one, mut other) = (value(&first), value(&later));
    assert_ne!(one["controller-timestamp"], other["controller-timestamp"]);
    for status in [&mut one, &mut other] {
        status["controller-timestamp"] = json!("");
    }
    assert_eq!(one, other);
    // Whoever has written reads what they wrote, at once.
    let status = periapt_model::status::Status::new(periapt_model::status::Model::Busy, "hello");
    bench.store.set_model_status(&model, status).await.unwrap();
    let after = statuses.of(&model).await.unwrap();
    assert_eq!(after.status().model.model_status.info, "hello");
    assert_eq!(statuses.report()["read"], 2);
    let nobody: ModelUuid = MODEL.parse().unwrap();
    assert!(statuses.of(&nobody).await.is_err());
    bench.stop.cancel();
}

/// A reader's whole life: snapshot, heartbeat with its place, changes, the end.
#[tokio::test]
async fn a_reader_begins_with_a_snapshot_and_is_kept_alive() {
    let mut bench = Bench::open().await;
    let model = bench.model("first").await;
    let cache = bench.running().await;
    let audience = Audience {
        user: "admin".parse().unwrap(),
        reach: Reach::Everything,
        scope: Scope::Model(model.clone()),
        filter: Filter::default(),
    };
    let (end, ending) = tokio::sync::oneshot::channel::<()>();
    let ending = Box::pin(async move {
        let _ = ending.await;
    });
    let mut reader = Reader::new(cache.clone(), audience, None, ending);
    let text = |bytes: Option<bytes::Bytes>| String::from_utf8(bytes.unwrap().to_vec()).unwrap();
    assert_eq!(text(reader.next().await), "retry: 1000\n\n");
    let snapshot = text(reader.next().await);
    assert!(
        snapshot.starts_with("event: snapshot\ndata: {\"sequence\":"),
        "{snapshot}"
    );
    let place = cache.feed().head();
    let current = format!("id: {place}\nevent: current\ndata: {{\"sequence\":{place}}}\n\n");
    assert!(snapshot.ends_with(&current), "{snapshot}");
    {
        let next = reader.next();
        tokio::pin!(next);
        let early = bench.clock.next_wake();
        assert!(futures::poll!(&mut next).is_pending() && early.is_some());
        bench.clock.advance(HEARTBEAT);
        assert_eq!(text(next.await), format!(": heartbeat\nid: {place}\n\n"));
    }
    // Of another model it hears nothing; its place moves on all the same.
    let other = bench.model("second").await;
    bench.settle(&cache, &other).await;
    let status = periapt_model::status::Status::new(periapt_model::status::Model::Busy, "hi");
    bench.store.set_model_status(&model, status).await.unwrap();
    bench.settle(&cache, &model).await;
    let change = loop {
        let bytes = text(reader.next().await);
        if !bytes.starts_with(": heartbeat") {
            break bytes;
        }
    };
    let head = cache.feed().head();
    assert!(
        change.starts_with(&format!("id: {head}\nevent: change\ndata: ")),
        "{change}"
    );
    assert_eq!(change.matches("event:").count(), 1);
    end.send(()).unwrap();
    assert!(text(reader.next().await).contains("\"code\":\"stopped\""));
    assert!(reader.next().await.is_none());
    bench.stop.cancel();
}
