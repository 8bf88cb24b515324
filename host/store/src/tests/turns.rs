//! Who writes: whoever hands a job in, while the disk is quick, else the writer's own thread. Both
//! are found by the name of the thread that a job runs on.

use std::time::Duration;

use tokio::sync::oneshot;

use crate::testing::{Fixture, fixtures};
use crate::{Store, StoreError};

const WRITER: &str = "store-writer";
/// Far more than any of this takes, also on a machine that does ten things beside it.
const PATIENCE: Duration = Duration::from_secs(300);
/// Jobs on the spot that a test wants to see, and how often it tries: on a busy machine the writer's
/// thread has answered a job and not yet let go of the database when the next one comes, and takes it.
const ENOUGH: u32 = 10;
const ROUNDS: u32 = 5_000;

async fn sqlite() -> Fixture {
    let mut all = fixtures().await;
    let first = all.remove(0);
    for other in all {
        other.end().await;
    }
    first
}

/// Runs a job that says on which thread it ran.
async fn thread_of_a_job(store: &Store) -> String {
    let job = store.write(|_| Box::pin(async { Ok::<_, StoreError>(name_of_this_thread()) }));
    job.await.expect("written")
}

fn name_of_this_thread() -> String {
    let thread = std::thread::current();
    thread.name().unwrap_or_default().to_owned()
}

/// Gives the writer's thread the time to let go.
async fn writer_at_rest() {
    tokio::time::sleep(Duration::from_millis(2)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_job_runs_where_it_is_handed_in_when_nobody_else_writes() {
    let fixture = sqlite().await;
    let mut on_the_spot = 0;
    for _ in 0..ROUNDS {
        let thread = thread_of_a_job(&fixture.store).await;
        on_the_spot += u32::from(thread != WRITER);
        if on_the_spot == ENOUGH {
            break;
        }
        writer_at_rest().await;
    }
    assert_eq!(on_the_spot, ENOUGH);
    fixture.end().await;
}

/// Whoever blocked the only thread would keep all others waiting for the disk.
#[tokio::test]
async fn the_only_thread_of_a_process_never_waits_for_the_disk() {
    let fixture = sqlite().await;
    for _ in 0..20 {
        assert_eq!(thread_of_a_job(&fixture.store).await, WRITER);
    }
    fixture.end().await;
}

/// A job that lets others have their turn is ended by the writer's thread, with all that was handed
/// in behind it, also when nobody waits for it any more.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_job_that_is_given_up_halfway_is_ended_and_holds_nobody_up() {
    let fixture = sqlite().await;
    let mut on_the_spot = 0;
    for _ in 0..ROUNDS {
        let (began, went_on, behind) = given_up_halfway(&fixture.store).await;
        assert_eq!((went_on.as_str(), behind.as_str()), (WRITER, WRITER));
        on_the_spot += u32::from(began != WRITER);
        if on_the_spot == ENOUGH {
            break;
        }
        writer_at_rest().await;
    }
    assert_eq!(on_the_spot, ENOUGH);
    fixture.end().await;
}

/// The threads on which a job began and went on whose caller gave it up meanwhile, and of the job
/// behind it.
async fn given_up_halfway(store: &Store) -> (String, String, String) {
    let (go, going) = oneshot::channel::<()>();
    let (entered, inside) = oneshot::channel();
    let (ended, end) = oneshot::channel::<(String, String)>();
    let first = tokio::spawn({
        let store = store.clone();
        async move {
            let job = store.write(|_| {
                Box::pin(async {
                    let began = name_of_this_thread();
                    entered.send(()).expect("heard");
                    going.await.expect("told to go on");
                    ended.send((began, name_of_this_thread())).expect("heard");
                    Ok::<_, StoreError>(())
                })
            });
            job.await.expect("written");
        }
    });
    inside.await.expect("the job runs");
    first.abort();
    assert!(first.await.expect_err("given up").is_cancelled());
    let behind = tokio::spawn({
        let store = store.clone();
        async move { thread_of_a_job(&store).await }
    });
    while store.measures().queue == 0 {
        tokio::task::yield_now().await;
    }
    go.send(()).expect("heard");
    let end = tokio::time::timeout(PATIENCE, end).await;
    let (began, went_on) = end.expect("ended").expect("said");
    let behind = tokio::time::timeout(PATIENCE, behind).await;
    (began, went_on, behind.expect("in time").expect("joined"))
}

/// Turns change hands all the time, and none is forgotten.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn nothing_is_forgotten_between_threads() {
    const WRITERS: u64 = 8;
    const JOBS: u64 = 400;
    let fixture = sqlite().await;
    let before = fixture.store.report()["jobs"].as_u64().expect("number");
    let writers = (0..WRITERS).map(|writer| {
        let store = fixture.store.clone();
        tokio::spawn(async move {
            for job in 0..JOBS {
                let work = store.write(move |_| {
                    Box::pin(async move {
                        if (writer + job).is_multiple_of(7) {
                            tokio::task::yield_now().await;
                        }
                        Ok::<_, StoreError>(job)
                    })
                });
                assert_eq!(work.await.expect("written"), job);
            }
        })
    });
    for writer in writers.collect::<Vec<_>>() {
        let joined = tokio::time::timeout(PATIENCE, writer).await;
        joined.expect("in time").expect("joined");
    }
    let jobs = fixture.store.report()["jobs"].as_u64().expect("number") - before;
    assert_eq!(jobs, WRITERS * JOBS);
    fixture.store.close().await;
    let late = fixture
        .store
        .write(|_| Box::pin(async { Ok::<_, StoreError>(()) }));
    assert!(late.await.is_err(), "nothing is taken after the end");
    fixture.end().await;
}

/// As when a controller is killed: whoever opens the database next finds no transaction open.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_turn_that_a_process_ends_in_the_middle_of_lets_go_of_the_database() {
    for _ in 0..50 {
        let fixture = sqlite().await;
        fixture.store.close().await;
        let options = fixture.options();
        let life = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_multi_thread()
                .worker_threads(2)
                .enable_all()
                .build()
                .expect("runtime");
            runtime.block_on(async move {
                let store = Store::open(options).await.expect("store");
                let (entered, inside) = oneshot::channel();
                tokio::spawn(async move {
                    let job = store.write(|_| {
                        Box::pin(async move {
                            entered.send(()).expect("heard");
                            std::future::pending::<Result<(), StoreError>>().await
                        })
                    });
                    job.await
                });
                inside.await.expect("the job runs");
            });
            runtime.shutdown_timeout(PATIENCE);
        });
        life.join().expect("ended");
        let again = Store::open(fixture.options()).await.expect("opened");
        assert_ne!(thread_of_a_job(&again).await, "");
        again.close().await;
        fixture.end().await;
    }
}
