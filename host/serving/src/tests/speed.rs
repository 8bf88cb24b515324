//! Not a bound, a figure: what one request takes. With `--nocapture` it is shown.

use std::time::Instant;

use super::guest::Guest;
use super::stage::{Setting, get};

#[tokio::test]
async fn a_request_takes_microseconds() {
    let stage = Setting::default().stage(Guest::default());
    stage.goes_on().await;
    const REQUESTS: u32 = 2000;
    let begun = Instant::now();
    for _ in 0..REQUESTS {
        assert_eq!(stage.ask(get("/")).await.0, 200);
    }
    eprintln!("one request: {:?}", begun.elapsed() / REQUESTS);
}
