//! The minimum of an application, kept by the engine.

use periapt_model::UnitName;

use super::bench::Bench;
use crate::model::applicationscaler;

/// applicationscaler: "when min-units=2 and one of two units is removed, then a new unit appears in status
/// without user action".
#[tokio::test]
async fn when_min_units_is_2_and_one_of_two_units_is_removed_a_new_unit_appears() {
    let bench = Bench::new().await;
    let engine = bench.engine();
    bench.until_running(&engine, applicationscaler::NAME).await;
    let site = bench.deploy("site", 2).await;
    bench
        .store
        .set_min_units(&bench.model, &site, 2)
        .await
        .unwrap();
    bench
        .until("both have machines", || async {
            (bench.machines().await.len() == 2).then_some(())
        })
        .await;
    let first: UnitName = "site/0".parse().unwrap();
    let added: UnitName = "site/2".parse().unwrap();
    bench
        .store
        .remove_unit(&bench.model, &first, false)
        .await
        .unwrap();
    let units = || async {
        bench
            .store
            .application(&bench.model, &site)
            .await
            .unwrap()
            .units
    };
    bench
        .until("another unit", || async {
            units().await.contains(&added).then_some(())
        })
        .await;
    bench
        .until("it has a machine of its own", || async {
            let unit = bench.store.unit(&bench.model, &added, &|_| true).await;
            unit.unwrap().machine
        })
        .await;
    let more: UnitName = "site/3".parse().unwrap();
    assert!(
        !units().await.contains(&more),
        "exactly those that were missing"
    );
    bench.close(engine).await;
}
