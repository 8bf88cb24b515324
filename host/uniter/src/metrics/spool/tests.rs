use periapt_model::bounds::METRIC_BATCHES;
use periapt_model::charm::metrics::Sample;

use super::*;

fn batch(at: i64) -> MetricBatch {
    MetricBatch {
        at,
        interval: 300,
        samples: vec![Sample {
            name: "pings".to_owned(),
            labels: Default::default(),
            value: 0.1 + at as f64,
        }],
    }
}

#[test]
fn batches_wait_in_their_order_until_they_are_removed() {
    let unit = tempfile::tempdir().unwrap();
    let spool = Spool::new(unit.path());
    assert!(spool.read().unwrap().is_empty(), "nothing was made for it");
    for at in [9, 10, 100] {
        assert_eq!(spool.put(&batch(at)).unwrap(), 0);
    }
    // What a kill left half written, and what a disk damaged.
    fs::write(unit.path().join("metrics/new"), "{").unwrap();
    fs::write(unit.path().join("metrics/00000000000000000050"), "{").unwrap();
    let kept = Spool::new(unit.path()).read().unwrap();
    let batches: Vec<_> = kept.iter().map(|(_, batch)| batch.clone()).collect();
    assert_eq!(batches, [batch(9), batch(10), batch(100)]);
    spool
        .remove(&[kept[0].0.clone(), kept[1].0.clone()])
        .unwrap();
    spool.remove(&[kept[0].0.clone()]).unwrap();
    assert_eq!(spool.read().unwrap().len(), 1);
}

#[test]
fn the_oldest_go_when_more_wait_than_may() {
    let unit = tempfile::tempdir().unwrap();
    let spool = Spool::new(unit.path());
    let most = i64::try_from(METRIC_BATCHES.most).unwrap();
    for at in 0..most {
        assert_eq!(spool.put(&batch(at)).unwrap(), 0);
    }
    assert_eq!(spool.put(&batch(most)).unwrap(), 1);
    let kept = spool.read().unwrap();
    assert_eq!(kept.first().unwrap().1.at, 1);
    assert_eq!(kept.len(), METRIC_BATCHES.length());
}
