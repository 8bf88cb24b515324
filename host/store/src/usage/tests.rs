use std::time::Duration;

use periapt_model::bounds::{METRIC_BATCHES, METRIC_VALUES};
use periapt_model::charm::metrics::Sample;
use periapt_model::{ModelUuid, UnitName};
use periapt_wire::agent::metrics::MetricBatch;

use crate::testing::{Fixture, fixtures, unit};

fn sample(name: &str, label: &str, value: f64) -> Sample {
    let labels = match label {
        "" => Default::default(),
        label => [("path".to_owned(), label.to_owned())].into(),
    };
    Sample {
        name: name.to_owned(),
        labels,
        value,
    }
}

fn batch(at: i64, samples: Vec<Sample>) -> MetricBatch {
    MetricBatch {
        at,
        interval: 300,
        samples,
    }
}

fn now(fixture: &Fixture) -> i64 {
    fixture.clock.shared().now().as_second()
}

async fn values(fixture: &Fixture, model: &ModelUuid, name: &UnitName) -> Vec<Vec<f64>> {
    let found = fixture.store.metric_history(model, name, 100).await;
    let values = found.expect("history").into_iter().map(|one| one.values);
    values
        .map(|values| values.iter().map(|one| one.value).collect())
        .collect()
}

#[tokio::test]
async fn a_batch_that_was_sent_twice_is_kept_once_and_the_newest_is_shown() {
    for fixture in fixtures().await {
        let (store, model) = (&fixture.store, fixture.site(2).await);
        let (first, at) = (unit("site/0"), now(&fixture));
        let old = batch(at - 600, vec![sample("pings", "", 0.1)]);
        let new = batch(
            at - 300,
            vec![sample("pings", "", 2.5), sample("pings", "/", -3.0)],
        );
        for batches in [vec![new.clone()], vec![old.clone(), new.clone()], vec![old]] {
            store
                .add_metrics(&model, &first, batches)
                .await
                .expect("kept");
        }
        assert_eq!(
            values(&fixture, &model, &first).await,
            [vec![0.1, 2.5], vec![-3.0]]
        );
        let last = store
            .metric_history(&model, &first, 1)
            .await
            .expect("history");
        assert_eq!(last[0].values.len(), 1);
        assert_eq!(last[0].values[0].value, 2.5);
        let shown = store.metrics(&model).await.expect("list");
        let shown: Vec<_> = shown
            .iter()
            .map(|one| (one.name.as_str(), one.value))
            .collect();
        assert_eq!(
            shown,
            [("site/0:pings", 2.5), ("site/0:pings{path=/}", -3.0)]
        );
        let missing = store.metric_history(&model, &unit("site/9"), 1).await;
        assert_eq!(
            missing.expect_err("gone").refusal().code(),
            "unit-not-found"
        );
        fixture.end().await;
    }
}

#[tokio::test]
async fn a_value_is_exposed_until_three_more_should_have_come() {
    for fixture in fixtures().await {
        let (store, model) = (&fixture.store, fixture.site(1).await);
        let batches = vec![batch(now(&fixture), vec![sample("pings", "/", 7.0)])];
        store
            .add_metrics(&model, &unit("site/0"), batches)
            .await
            .expect("kept");
        fixture.clock.advance(Duration::from_secs(899));
        let exposed = store.exposed_metrics(now(&fixture)).await.expect("read");
        assert_eq!(exposed.len(), 1);
        assert_eq!(
            (exposed[0].model.as_str(), exposed[0].value),
            ("default", 7.0)
        );
        fixture.clock.advance(Duration::from_secs(1));
        assert!(
            store
                .exposed_metrics(now(&fixture))
                .await
                .expect("read")
                .is_empty()
        );
        assert_eq!(store.metrics(&model).await.expect("list").len(), 1);
        fixture.end().await;
    }
}

#[tokio::test]
async fn what_no_charm_could_have_added_is_refused_and_the_future_is_not_kept() {
    for fixture in fixtures().await {
        let (store, model) = (&fixture.store, fixture.site(1).await);
        let (name, at) = (unit("site/0"), now(&fixture));
        let many = (0..=METRIC_VALUES.most).map(|n| sample("pings", &n.to_string(), 1.0));
        let long = vec![batch(at, vec![sample("pings", "", 1.0)]); METRIC_BATCHES.length() + 1];
        for batches in [
            vec![batch(at, vec![sample("no name", "", 1.0)])],
            vec![batch(at, vec![sample("pings", "a\nb", 1.0)])],
            vec![batch(at, vec![sample("pings", "", f64::NAN)])],
            vec![batch(at, many.collect())],
            long,
        ] {
            let refused = store.add_metrics(&model, &name, batches).await;
            assert_eq!(
                refused.expect_err("refused").refusal().call_code(),
                "bad request"
            );
        }
        let ahead = vec![batch(at + 3600, vec![sample("pings", "", 1.0)])];
        store
            .add_metrics(&model, &name, ahead)
            .await
            .expect("left out");
        assert!(values(&fixture, &model, &name).await.is_empty());
        fixture.end().await;
    }
}

#[tokio::test]
async fn metrics_go_by_age() {
    for fixture in fixtures().await {
        let (store, model) = (&fixture.store, fixture.site(1).await);
        let (name, at) = (unit("site/0"), now(&fixture));
        let batches = vec![
            batch(
                at - 7200,
                vec![sample("old", "", 1.0), sample("pings", "", 1.0)],
            ),
            batch(at, vec![sample("pings", "", 2.0)]),
        ];
        store
            .add_metrics(&model, &name, batches)
            .await
            .expect("kept");
        assert_eq!(
            store
                .prune_metrics(&model, 3_600_000)
                .await
                .expect("pruned"),
            2
        );
        assert_eq!(values(&fixture, &model, &name).await, [vec![2.0]]);
        assert_eq!(store.metrics(&model).await.expect("list").len(), 1);
        fixture.end().await;
    }
}
