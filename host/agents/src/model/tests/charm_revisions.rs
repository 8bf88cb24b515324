//! charmrevision.

use std::path::Path;
use std::time::Duration;

use periapt_engine::DependencyEngine;
use periapt_model::Digest;
use periapt_model::charm::repository::{CHANNEL, INDEX, Index, Release};
use periapt_model::config::Value;
use periapt_server::{Identity, rpc};
use periapt_wire::agent::charm_revisions::UpdateLatestRevisions;
use periapt_wire::rest::ConfigChange;

use super::bench::Bench;
use crate::model::charmrevision;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Puts an archive of the charm into the index of a directory, which is made.
fn publish(directory: &Path, sha256: Digest) {
    std::fs::create_dir_all(directory).unwrap();
    let file = directory.join(INDEX);
    let text = std::fs::read_to_string(&file).ok();
    let mut index = text.map_or_else(Index::default, |text| Index::read(&text).unwrap());
    let release = Release { sha256, size: 1 };
    index.publish("site", CHANNEL, release, None).unwrap();
    std::fs::write(file, index.write().unwrap()).unwrap();
}

impl Bench {
    async fn can_upgrade_to(&self) -> String {
        let site = "site".parse().unwrap();
        let shown = self.store.application(&self.model, &site).await;
        shown.unwrap().can_upgrade_to
    }

    async fn until_it_shows(&self, wanted: &str) {
        self.until(&format!("{wanted:?} to be shown"), || async {
            (self.can_upgrade_to().await == wanted).then_some(())
        })
        .await;
    }

    /// Waits until the worker waits for its next time, after `reported` is so.
    async fn until_reported(
        &self,
        engine: &DependencyEngine,
        reported: impl Fn(&serde_json::Value) -> bool,
    ) {
        self.until("the report", || async {
            let report = engine.report().manifolds[charmrevision::NAME]
                .report
                .clone();
            (report["next-in-s"].is_u64() && reported(&report)).then_some(())
        })
        .await;
    }
}

/// charmrevision: "when the registry has a newer revision, then status of that app shows can-upgrade-to after
/// one interval or a forced refresh".
#[tokio::test]
async fn the_status_shows_what_an_application_can_upgrade_to_after_one_interval_or_a_forced_refresh()
 {
    let bench = Bench::new().await;
    let engine = bench.engine();
    bench.until_running(&engine, charmrevision::NAME).await;
    bench.deploy("site", 0).await;
    let charms = bench.home.path().join("charms");
    let uploaded = bench.store.charms(&bench.model).await.unwrap();
    publish(&charms, uploaded[0].sha256.parse().unwrap());
    let place = Value::Text(charms.display().to_string());
    let change = ConfigChange {
        set: [("charm-repository".to_owned(), place)].into(),
        reset: Vec::new(),
    };
    bench.store.set_controller_config(change).await.unwrap();

    // A first time some minutes after it began, and nothing is newer.
    bench
        .until_reported(&engine, |report| report["can-upgrade"].is_null())
        .await;
    bench.clock.advance(Duration::from_secs(12 * 60));
    bench
        .until_reported(&engine, |report| report["can-upgrade"] == 0)
        .await;
    assert_eq!(bench.can_upgrade_to().await, "");

    // One interval.
    publish(&charms, Digest::of("newer"));
    bench.clock.advance(DAY.mul_f64(1.1));
    bench.until_it_shows("repository:site-1").await;

    // Forced.
    publish(&charms, Digest::of("newest"));
    let identity = Identity::Controller {
        model: Some(bench.model.clone()),
    };
    let api = rpc::in_process(&bench.state, identity);
    assert_eq!(api.call(&UpdateLatestRevisions {}).await.unwrap(), 1);
    assert_eq!(bench.can_upgrade_to().await, "repository:site-2");

    // What cannot be read is told, and what was known stays.
    bench
        .until_reported(&engine, |report| report["can-upgrade"] == 1)
        .await;
    let index = charms.join(INDEX);
    let text = std::fs::read_to_string(&index).unwrap();
    std::fs::write(&index, "no index").unwrap();
    bench.clock.advance(DAY.mul_f64(1.1));
    bench
        .until_reported(&engine, |report| {
            let error = report["error"].as_str().unwrap_or_default();
            error.contains("cannot be used")
        })
        .await;
    assert_eq!(bench.can_upgrade_to().await, "repository:site-2");
    let refused = api.call(&UpdateLatestRevisions {}).await.unwrap_err();
    assert_eq!(refused.code(), "charm-repository-unavailable");

    // It is looked at again after an hour.
    std::fs::write(&index, text).unwrap();
    publish(&charms, Digest::of("the last"));
    bench.clock.advance(Duration::from_secs(67 * 60));
    bench.until_it_shows("repository:site-3").await;

    // Without a repository nothing is newer.
    let none = ConfigChange {
        reset: vec!["charm-repository".to_owned()],
        ..ConfigChange::default()
    };
    bench.store.set_controller_config(none).await.unwrap();
    assert_eq!(api.call(&UpdateLatestRevisions {}).await.unwrap(), 0);
    assert_eq!(bench.can_upgrade_to().await, "");
    bench.close(engine).await;
}
