use std::convert::Infallible;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;

fn bag(value: &str) -> Bag {
    [("key".to_owned(), value.to_owned())].into()
}

fn member() -> UnitName {
    "site/0".parse().unwrap()
}

async fn asks(settings: &SharedSettings, version: u64, value: &str) -> Bag {
    let ask = async { Ok::<_, Infallible>(bag(value)) };
    let read = settings.read(7, member(), version, ask).await;
    read.unwrap_or_else(|never| match never {})
}

#[tokio::test]
async fn a_version_is_asked_for_once_by_however_many() {
    let settings = SharedSettings::default();
    let asked = AtomicUsize::new(0);
    let ask = || {
        settings.read(7, member(), 1, async {
            asked.fetch_add(1, Ordering::Relaxed);
            tokio::task::yield_now().await;
            Ok::<_, Infallible>(bag("one"))
        })
    };
    let read = futures::future::join_all((0..1000).map(|_| ask())).await;
    assert!(read.into_iter().all(|read| read == Ok(bag("one"))));
    assert_eq!(asked.into_inner(), 1);
}

#[tokio::test]
async fn what_is_newer_is_asked_for_and_what_is_older_is_not() {
    let settings = SharedSettings::default();
    assert_eq!(asks(&settings, 1, "one").await, bag("one"));
    assert_eq!(asks(&settings, 1, "not asked").await, bag("one"));
    assert_eq!(asks(&settings, 2, "two").await, bag("two"));
    assert_eq!(asks(&settings, 1, "not asked").await, bag("two"));
}

#[tokio::test]
async fn a_question_that_fails_is_asked_by_the_next() {
    let settings = SharedSettings::default();
    let failed = settings.read(7, member(), 1, async { Err("gone") }).await;
    assert_eq!(failed, Err("gone"));
    assert_eq!(asks(&settings, 1, "one").await, bag("one"));
}

#[tokio::test]
async fn what_is_too_much_is_forgotten() {
    let settings = SharedSettings::default();
    let much = "x".repeat(KEPT_BYTES);
    assert_eq!(asks(&settings, 1, &much).await, bag(&much));
    assert_eq!(asks(&settings, 1, "anew").await, bag("anew"));
}
