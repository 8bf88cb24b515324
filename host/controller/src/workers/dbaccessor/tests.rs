use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use periapt_engine::testing::settle;
use periapt_engine::{
    Delays, DependencyEngine, EngineConfig, FakeClock, Manifold, Manifolds, NodeState, SharedClock,
    SharedWorker,
};

use super::*;

/// What the next pings do; those after them succeed.
#[derive(Clone, Default)]
struct Database {
    next: Arc<Mutex<Vec<Answer>>>,
    pings: Arc<AtomicUsize>,
}

#[derive(Clone, Copy)]
enum Answer {
    Well,
    Fails,
    Never,
}

impl Database {
    fn will(&self, answers: &[Answer]) {
        *self.next.lock().unwrap() = answers.iter().rev().copied().collect();
    }

    async fn ping(&self) -> Result<(), StoreError> {
        self.pings.fetch_add(1, Ordering::SeqCst);
        let answer = self.next.lock().unwrap().pop().unwrap_or(Answer::Well);
        match answer {
            Answer::Well => Ok(()),
            Answer::Fails => Err(periapt_store::DatabaseError::Locked.into()),
            Answer::Never => std::future::pending().await,
        }
    }

    fn pings(&self) -> usize {
        self.pings.load(Ordering::SeqCst)
    }

    fn worker(&self, clock: SharedClock) -> SharedWorker {
        let database = self.clone();
        TaskWorker::lending(Outputs::of(()), move |worker| async move {
            let ping = || {
                let database = database.clone();
                async move { database.ping().await }
            };
            watch(&worker, clock.as_ref(), ping).await
        })
    }
}

async fn pass(clock: &FakeClock, seconds: u64) {
    for _ in 0..seconds {
        settle().await;
        clock.advance(Duration::from_secs(1));
    }
    settle().await;
}

#[tokio::test(start_paused = true)]
async fn it_asks_every_ten_seconds_and_ends_when_told() {
    let (clock, database) = (FakeClock::new(), Database::default());
    let worker = database.worker(clock.shared());
    pass(&clock, 9).await;
    assert_eq!(database.pings(), 0);
    pass(&clock, 1).await;
    assert_eq!(database.pings(), 1);
    pass(&clock, 30).await;
    assert_eq!(database.pings(), 4);
    worker.kill();
    worker.wait().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn two_failures_are_forgiven_and_the_third_ends_it() {
    let (clock, database) = (FakeClock::new(), Database::default());
    let worker = database.worker(clock.shared());
    database.will(&[Answer::Fails, Answer::Fails, Answer::Well]);
    pass(&clock, 12).await;
    assert_eq!(database.pings(), 3);
    // The count begins anew.
    database.will(&[Answer::Fails, Answer::Fails, Answer::Well]);
    pass(&clock, 12).await;
    assert_eq!(database.pings(), 6);
    database.will(&[Answer::Fails, Answer::Fails, Answer::Fails]);
    pass(&clock, 12).await;
    assert_eq!(database.pings(), 9);
    let error = worker.wait().await.unwrap_err();
    assert!(error.to_string().contains("sign of life"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_database_that_never_answers_is_given_up_within_half_a_minute() {
    let (clock, database) = (FakeClock::new(), Database::default());
    let worker = database.worker(clock.shared());
    database.will(&[Answer::Never, Answer::Never, Answer::Never]);
    pass(&clock, 27).await;
    let error = worker.wait().await.unwrap_err();
    assert!(
        error.to_string().contains("no answer within 5 s"),
        "{error}"
    );
    assert_eq!(database.pings(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_lost_database_restarts_it_and_everything_that_stands_on_it() {
    let (clock, database) = (FakeClock::new(), Database::default());
    let config = EngineConfig::new("controller", clock.shared()).delays(Delays::DEFAULT);
    let engine = DependencyEngine::new(config);
    let (store, time) = (database.clone(), clock.shared());
    let accessor = Manifold::new(move |_| {
        let (store, time) = (store.clone(), time.clone());
        async move { Ok(store.worker(time)) }
    });
    let starts = Arc::new(AtomicUsize::new(0));
    let started = Arc::clone(&starts);
    let dependent = Manifold::new(move |context| {
        let started = Arc::clone(&started);
        async move {
            context.require(NAME)?;
            started.fetch_add(1, Ordering::SeqCst);
            Ok(TaskWorker::spawn(|worker| async move {
                worker.dying().cancelled().await;
                Ok(())
            }))
        }
    })
    .needs([NAME]);
    Manifolds::new()
        .add(NAME, accessor)
        .add("dependent", dependent)
        .install(&engine)
        .unwrap();
    pass(&clock, 5).await;
    assert_eq!(starts.load(Ordering::SeqCst), 1);
    database.will(&[Answer::Never; 3]);
    pass(&clock, 40).await;
    assert_eq!(
        starts.load(Ordering::SeqCst),
        2,
        "once, after the store is back"
    );
    let report = engine.report();
    for name in [NAME, "dependent"] {
        assert_eq!(report.manifolds[name].state, NodeState::Started, "{name}");
    }
    engine.kill();
    settle().await;
    engine.wait().await.unwrap();
}
