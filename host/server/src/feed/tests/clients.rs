//! Readers that come and go, over a store in a temporary directory: what they are told, and what
//! the store is asked while there are none.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use futures::FutureExt;
use periapt_model::charm::{CharmInfo, CharmMetadata, CharmUrl};
use periapt_model::status::{Model as Word, Status};
use periapt_model::uniter::OperationState;
use periapt_store::{HookCommit, Reach, SlowQuery, SlowStatement};
use periapt_wire::agent::uniter::HookReport;
use periapt_wire::rest::{Deploy, Event};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use super::live::Bench;
use crate::feed::*;

/// The entities of a client: kind and name, and the body.
type Entities = BTreeMap<(String, String), serde_json::Value>;

/// A client as a browser is one: it keeps the last id, and applies what it gets.
#[derive(Default)]
struct Client {
    reader: Option<Reader>,
    last: Option<Cursor>,
    entities: Entities,
    /// A snapshot of which not everything has come.
    snapshot: Entities,
    /// Names of the changes heard since the last snapshot, in order.
    heard: Vec<String>,
}

impl Client {
    fn come(&mut self, cache: &ModelCache) {
        let audience = Audience {
            user: "admin".parse().unwrap(),
            reach: Reach::Everything,
            scope: Scope::Everything,
            filter: Filter {
                // A reader may ask for another form each time.
                lists: self.heard.len() % 2 == 1,
                ..Filter::default()
            },
        };
        let ending = Box::pin(std::future::pending());
        let reader = Reader::new(cache.clone(), audience, self.last.clone(), ending);
        self.reader = Some(reader);
    }

    /// Reads what there is, `most` blocks of it at most.
    async fn read(&mut self, most: usize) {
        let mut left = most;
        while left > 0 {
            tokio::task::yield_now().await;
            let Some(reader) = &mut self.reader else {
                return;
            };
            match reader.next().now_or_never() {
                None => return,
                Some(None) => self.reader = None,
                Some(Some(bytes)) => left = self.apply(&bytes, left),
            }
        }
    }

    fn apply(&mut self, bytes: &Bytes, mut left: usize) -> usize {
        let text = std::str::from_utf8(bytes).unwrap();
        for block in text.split_terminator("\n\n") {
            if left == 0 {
                break;
            }
            left -= 1;
            let field = |name: &str| {
                let mut lines = block.lines();
                lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
            };
            let id: Option<Cursor> = field("id").map(|id| id.parse().unwrap());
            let event = || serde_json::from_str::<Event>(field("data").unwrap()).unwrap();
            match field("event") {
                // The beginning of a snapshot, or nothing.
                None | Some("reset" | "dropped") => self.snapshot.clear(),
                Some("snapshot") => put(&mut self.snapshot, event()),
                Some("snapshots") => {
                    let data = field("data").unwrap();
                    for event in serde_json::from_str::<Vec<Event>>(data).unwrap() {
                        put(&mut self.snapshot, event);
                    }
                }
                Some("current") => {
                    self.entities = std::mem::take(&mut self.snapshot);
                    self.heard.clear();
                    self.last = None;
                }
                Some("change") => {
                    assert!(id > self.last, "{block} after {:?}", self.last);
                    let event = event();
                    self.heard.push(format!("{} {}", event.kind, event.key));
                    put(&mut self.entities, event);
                }
                Some(other) => panic!("{other}"),
            }
            self.last = id.or(self.last.take());
        }
        left
    }

    /// What the client knows the models to say.
    fn messages(&self) -> BTreeMap<&str, &str> {
        let models = self
            .entities
            .iter()
            .filter(|((kind, _), _)| kind == "model");
        models
            .map(|((_, name), body)| (name.as_str(), body["status"]["message"].as_str().unwrap()))
            .collect()
    }
}

fn put(entities: &mut Entities, event: Event) {
    let key = (event.kind.to_string(), event.key);
    match event.entity {
        Some(entity) => entities.insert(key, entity),
        None => entities.remove(&key),
    };
}

#[derive(Clone, Debug)]
enum Step {
    /// A model says something new.
    Say(usize),
    /// A client connects.
    Come(usize),
    /// A client reads all there is.
    Read(usize),
    /// A client is cut off after so many blocks.
    Go(usize, usize),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => (0..3_usize).prop_map(Step::Say),
        2 => (0..2_usize).prop_map(Step::Come),
        2 => (0..2_usize).prop_map(Step::Read),
        3 => (0..2_usize, 0..6_usize).prop_map(|(client, most)| Step::Go(client, most)),
    ];
    prop::collection::vec(step, 1..30)
}

async fn play(steps: &[Step], limits: Limits) {
    let bench = Bench::open().await;
    let mut models = Vec::new();
    for number in 0..3 {
        models.push(bench.model(&format!("model-{number}")).await);
    }
    let cache = bench.unread(limits).await;
    let mut said: BTreeMap<String, String> = BTreeMap::new();
    for model in &models {
        said.insert(model.to_string(), String::new());
    }
    let mut clients: [Client; 2] = Default::default();
    let all = (0..2).flat_map(|client| [Step::Come(client), Step::Read(client)]);
    for (number, step) in steps.iter().cloned().chain(all).enumerate() {
        match step {
            Step::Say(at) => {
                let message = format!("said {number}");
                let status = Status::new(Word::Busy, message.clone());
                let store = &bench.store;
                store.set_model_status(&models[at], status).await.unwrap();
                said.insert(models[at].to_string(), message);
            }
            Step::Come(at) => {
                if clients[at].reader.is_none() {
                    clients[at].come(&cache);
                }
            }
            Step::Read(at) => {
                for _ in 0..2 {
                    if clients[at].reader.is_some() {
                        bench.settle_all(&cache, &models).await;
                        clients[at].read(usize::MAX).await;
                    }
                    if clients[at].reader.is_some() {
                        break;
                    }
                    // It was too slow, or was not there.
                    clients[at].come(&cache);
                }
                let known = clients[at].messages();
                let said = said
                    .iter()
                    .map(|(name, text)| (name.as_str(), text.as_str()));
                assert_eq!(known, said.collect());
            }
            Step::Go(at, most) => {
                if clients[at].reader.is_some() {
                    bench.settle_all(&cache, &models).await;
                    clients[at].read(most).await;
                    clients[at].reader = None;
                }
            }
        }
    }
    bench.stop.cancel();
}

/// The whole of it, from the store to the client, and however short the ring is.
#[test]
fn whoever_comes_and_goes_knows_in_the_end_what_there_is_and_hears_nothing_twice() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let mut runner = TestRunner::new(Config::with_cases(24));
    let cases = (steps(), 2..12_usize);
    let outcome = runner.run(&cases, |(steps, events)| {
        let limits = Limits {
            events,
            ..Limits::default()
        };
        runtime.block_on(play(&steps, limits));
        Ok(())
    });
    outcome.unwrap();
}

fn charm() -> CharmInfo {
    CharmInfo {
        shared: Default::default(),
        workload: Default::default(),
        components: Vec::new(),
        metrics: Default::default(),
        url: CharmUrl::new("site", 0).unwrap(),
        name: "site".to_owned(),
        revision: 0,
        sha256: String::new(),
        size: 0,
        metadata: CharmMetadata {
            name: "site".to_owned(),
            ..CharmMetadata::default()
        },
        config: Default::default(),
        actions: Default::default(),
        capabilities: Vec::new(),
        declared: Default::default(),
        unused: Vec::new(),
        hooks: Vec::new(),
        subordinate: false,
    }
}

fn ran(number: u64) -> HookCommit {
    HookCommit {
        from: number,
        operation: OperationState {
            state_generation: number,
            ..Default::default()
        },
        run: Some(HookReport {
            hook: "config-changed".to_owned(),
            charm: "local:site-0".to_owned(),
            started_at: 1,
            duration: 1,
            ..HookReport::default()
        }),
        ..HookCommit::default()
    }
}

/// On one thread, so that the writer has its own and its statements are told from others.
#[tokio::test]
async fn while_nobody_reads_a_thousand_hooks_cost_no_look_at_the_store() {
    const HOOKS: u64 = 1_000;
    let bench = Bench::open().await;
    let (store, model) = (&bench.store, bench.model("first").await);
    let archive = Bytes::from_static(b"archive");
    store.add_charm(&model, charm(), archive).await.unwrap();
    let request = Deploy {
        channel: None,
        resources: Default::default(),
        trust: false,
        constraints: String::new(),
        placement: Vec::new(),
        application: "site".parse().unwrap(),
        charm: "local:site-0".to_owned(),
        units: 1,
        config: Default::default(),
        storage: Default::default(),
        attach_storage: Vec::new(),
        capabilities: Default::default(),
    };
    store.deploy(&model, request).await.unwrap();
    let cache = bench.unread(Limits::default()).await;
    let mut client = Client::default();
    client.come(&cache);
    bench.settle_all(&cache, std::slice::from_ref(&model)).await;
    client.read(usize::MAX).await;
    client.reader = None;
    let before = cache.feed().report();
    // It is cut off once the feed has seen that nobody is there.
    while cache.feed().shared.readers.still() {
        bench.clock.advance(PACE);
        tokio::task::yield_now().await;
    }

    let looks = Arc::new(AtomicU64::new(0));
    let count = Arc::clone(&looks);
    store.set_slow_query(Some(SlowQuery {
        threshold: Duration::ZERO,
        report: Arc::new(move |slow: SlowStatement| {
            let writes = std::thread::current().name() == Some("store-writer");
            if !writes && !slow.sql.contains("change_log") {
                count.fetch_add(1, Ordering::Relaxed);
            }
        }),
    }));
    let unit = "site/0".parse().unwrap();
    for number in 0..HOOKS {
        let committed = store.commit_hook_run(&model, &unit, ran(number));
        committed.await.unwrap();
    }
    // Everything has been handed out.
    while store.changes().position() < store.measures().written {
        tokio::task::yield_now().await;
    }
    store.set_slow_query(None);
    assert_eq!(looks.load(Ordering::Relaxed), 0);
    assert_eq!(cache.feed().report()["batches"], before["batches"]);

    client.come(&cache);
    bench.settle_all(&cache, std::slice::from_ref(&model)).await;
    while client.heard.len() < HOOKS as usize {
        client.read(usize::MAX).await;
    }
    let hooks: std::collections::BTreeSet<_> = client.heard.iter().collect();
    assert_eq!(hooks.len(), client.heard.len(), "each name once");
    assert!(hooks.iter().all(|name| name.starts_with("hook ")));
    assert_eq!(hooks.len(), HOOKS as usize);
    bench.stop.cancel();
}
