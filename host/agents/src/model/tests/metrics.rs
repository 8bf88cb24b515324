//! Metrics of charms, and how long they are kept.

use std::time::Duration;

use periapt_model::UnitName;
use periapt_model::charm::metrics::Sample;
use periapt_wire::agent::metrics::MetricBatch;

use super::bench::Bench;
use crate::model::metricworker;

/// metricworker: "When metric rows are older than the retention, then they vanish after the
/// clean-up tick".
#[tokio::test]
async fn metrics_older_than_the_retention_vanish_after_the_clean_up_tick() {
    let bench = Bench::new().await;
    let engine = bench.engine();
    bench.until_running(&engine, metricworker::NAME).await;
    bench.deploy("site", 1).await;
    let unit: UnitName = "site/0".parse().unwrap();
    let batch = |hours: i64| MetricBatch {
        at: bench.clock.shared().now().as_second() - hours * 3600,
        interval: 300,
        samples: vec![Sample {
            name: "pings".to_owned(),
            labels: Default::default(),
            value: hours as f64,
        }],
    };
    let batches = vec![batch(25), batch(0)];
    let kept = bench.store.add_metrics(&bench.model, &unit, batches).await;
    kept.unwrap();
    let history = || async {
        let found = bench.store.metric_history(&bench.model, &unit, 10).await;
        let values = found.unwrap().into_iter().flat_map(|one| one.values);
        values.map(|one| one.value).collect::<Vec<_>>()
    };
    assert_eq!(history().await, [25.0, 0.0]);
    let left = bench
        .until("the old one goes", || async {
            // A tick is an hour; the newest is kept for a day.
            bench.clock.advance(Duration::from_secs(5 * 60));
            Some(history().await).filter(|left| left.len() < 2)
        })
        .await;
    assert_eq!(left, [0.0]);
    bench.close(engine).await;
}
