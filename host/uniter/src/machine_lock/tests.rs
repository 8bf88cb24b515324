use std::time::Duration;

use periapt_engine::FakeClock;

use super::*;

fn machine() -> MachineId {
    "0".parse().unwrap()
}

fn reasons(turns: &[LockTurn]) -> Vec<&str> {
    turns.iter().map(|turn| turn.reason.as_str()).collect()
}

#[tokio::test]
async fn holder_queue_and_history_tell_who_had_it_and_for_how_long() {
    let clock = FakeClock::new();
    let lock = MachineLock::new(clock.shared());
    let first = lock.acquire("site/0: run install hook".into()).await;
    let waiting: Vec<_> = ["site/1: run install hook", "site/2: run install hook"]
        .into_iter()
        .map(|reason| {
            let lock = lock.clone();
            tokio::spawn(async move { lock.acquire(reason.to_owned()).await })
        })
        .collect();
    while lock.report(&machine()).queue.len() < 2 {
        tokio::task::yield_now().await;
    }
    let report = lock.report(&machine());
    assert_eq!(report.holder.unwrap().reason, "site/0: run install hook");
    assert_eq!(
        reasons(&report.queue),
        ["site/1: run install hook", "site/2: run install hook"]
    );
    clock.advance(Duration::from_secs(3));
    drop(first);
    for next in waiting {
        drop(next.await.unwrap());
    }
    let report = lock.report(&machine());
    assert_eq!((report.holder, report.queue.len()), (None, 0));
    assert_eq!(
        reasons(&report.history),
        [
            "site/2: run install hook",
            "site/1: run install hook",
            "site/0: run install hook"
        ]
    );
    let oldest = &report.history[2];
    assert_eq!(
        oldest.released_at.unwrap() - oldest.acquired_at.unwrap(),
        3_000_000
    );
    assert_eq!(
        report.history[1].acquired_at.unwrap() - report.history[1].requested_at,
        3_000_000
    );
}

#[tokio::test]
async fn who_gives_up_leaves_the_queue() {
    let lock = MachineLock::new(FakeClock::new().shared());
    let held = lock.acquire("site/0: run install hook".into()).await;
    {
        let mut waiting = Box::pin(lock.acquire("site/1: run install hook".into()));
        assert!(futures::poll!(&mut waiting).is_pending());
        assert_eq!(lock.report(&machine()).queue.len(), 1);
    }
    assert!(lock.report(&machine()).queue.is_empty());
    drop(held);
    assert_eq!(lock.report(&machine()).history.len(), 1);
}
