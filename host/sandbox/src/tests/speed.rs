//! What a hook costs when the charm does nothing. Prints figures; the bounds only catch a
//! mistake of another order (a thread or a compilation per hook).

use std::time::{Duration, Instant};

use super::agent::{Unit, load};
use super::guest::{Guest, OK};

fn median(component: &[u8]) -> Duration {
    let unit = Unit::new();
    let charm = load(component);
    let mut times: Vec<Duration> = (0..2000)
        .map(|_| {
            let begun = Instant::now();
            unit.run_loaded(&charm).result.unwrap();
            begun.elapsed()
        })
        .collect();
    times.sort();
    times[times.len() / 2]
}

#[test]
fn an_empty_hook_is_cheap() {
    let bare = median(&Guest::default().component());
    println!("empty hook, median: {bare:?}");
    assert!(bare < Duration::from_millis(20), "{bare:?}");
    let files = median(
        &Guest {
            imports: r#"(import "wasi_snapshot_preview1" "fd_close" (func $close (param i32) (result i32)))"#,
            dispatch: &format!("(drop (call $close (i32.const 99))) {OK}"),
            ..Guest::default()
        }
        .component(),
    );
    println!("empty hook with directories, median: {files:?}");
    assert!(files < Duration::from_millis(20), "{files:?}");
}
