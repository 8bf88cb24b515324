use std::collections::HashSet;
use std::time::Duration;

use periapt_engine::FakeClock;

use super::*;

fn model() -> ModelUuid {
    "11111111-2222-4333-8444-555555555555".parse().unwrap()
}

fn text(metrics: &Metrics) -> String {
    let mut text = String::new();
    prometheus_client::encoding::text::encode(&mut text, &metrics.inner.registry).unwrap();
    text
}

#[test]
fn requests_are_counted_by_route_and_status() {
    let metrics = Metrics::new(FakeClock::new().shared());
    metrics.request("GET", "/v1/models/{model}", 200, Duration::from_millis(3));
    metrics.request("GET", "/v1/models/{model}", 404, Duration::from_millis(1));
    let text = text(&metrics);
    assert!(
        text.contains(
            r#"periapt_http_requests_total{method="GET",route="/v1/models/{model}",status="404"} 1"#
        ),
        "{text}"
    );
    assert!(
        text.contains(
            r#"periapt_http_request_seconds_count{method="GET",route="/v1/models/{model}"} 2"#
        ),
        "{text}"
    );
}

#[test]
fn an_application_that_is_removed_drops_out() {
    let metrics = Metrics::new(FakeClock::new().shared());
    for unit in ["site/0", "shop/0"] {
        let unit: UnitName = unit.parse().unwrap();
        metrics.hook(&model(), &unit, "install", Duration::from_millis(20), true);
        metrics.hook(&model(), &unit, "start", Duration::from_millis(20), false);
    }
    assert!(text(&metrics).contains(r#"application="shop",hook="start",result="failed"} 1"#));
    metrics.retain(&HashSet::from([(model().to_string(), "site".to_owned())]));
    let text = text(&metrics);
    assert!(text.contains(r#"application="site""#), "{text}");
    assert!(!text.contains(r#"application="shop""#), "{text}");
}

#[test]
fn the_number_of_hook_series_is_bounded() {
    let metrics = Metrics::new(FakeClock::new().shared());
    let unit: UnitName = "site/0".parse().unwrap();
    for number in 0..HOOK_SERIES + 100 {
        metrics.hook(
            &model(),
            &unit,
            &format!("hook-{number}"),
            Duration::ZERO,
            true,
        );
    }
    assert_eq!(lock(&metrics.inner.hook_labels).len(), HOOK_SERIES + 1);
    assert!(text(&metrics).contains(r#"hook="other",result="ok"} 100"#));
}

#[test]
fn what_is_there_is_counted_while_it_is() {
    let metrics = Metrics::new(FakeClock::new().shared());
    let (one, other) = (metrics.session("agent"), metrics.session("agent"));
    drop(one);
    assert!(text(&metrics).contains(r#"periapt_sessions{kind="agent"} 1"#));
    drop(other);
    assert!(text(&metrics).contains(r#"periapt_sessions{kind="agent"} 0"#));
}

#[test]
fn the_process_tells_its_figures() {
    let figures = process::read();
    assert!(figures.resident_bytes.unwrap() > 1 << 20);
    assert!(figures.threads.unwrap() >= 1);
    assert!(figures.open_files.unwrap() >= 3);
    assert!(figures.max_files.unwrap() >= figures.open_files.unwrap());
    // A name with a bracket and spaces in it, 2.5 s in user mode and 0.5 s in the kernel.
    let stat = "7 (a) b) S 1 7 7 0 -1 4194304 10 0 0 0 250 50 0 0 20 0 1 0 5 0 0";
    assert_eq!(process::cpu_seconds(stat), Some(3.0));
}
