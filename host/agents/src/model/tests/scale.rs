//! The minimum of an application and the constraints of machines, kept by the engine.

use periapt_model::UnitName;
use periapt_model::status::Machine;

use super::bench::{Bench, machine};
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

/// provisioner: a machine that its provider says cannot be what it has to be is given up at once with the
/// reason, the others start, and a person who has it tried again hears the same.
#[tokio::test]
async fn a_machine_whose_constraints_cannot_be_met_says_so_and_others_start() {
    let bench = Bench::new().await;
    let engine = bench.engine();
    let set = bench
        .store
        .set_model_constraints(&bench.model, "cores=2")
        .await;
    set.unwrap();
    let site = bench.deploy("site", 1).await;
    let instance = || async { bench.machines().await.first()?.instance_id.clone() };
    bench.until("the first starts", instance).await;

    let set = bench
        .store
        .set_constraints(&bench.model, &site, "arch=arm64")
        .await;
    set.unwrap();
    bench.store.add_units(&bench.model, &site, 1).await.unwrap();
    let second = || async {
        let machines = bench.machines().await;
        let machine = machines
            .into_iter()
            .find(|machine| machine.machine.as_str() == "1")?;
        let status = machine.instance_status;
        (status.status == Machine::ProvisioningError).then_some(status.message)
    };
    let why = bench.until("it is given up", second).await;
    assert_eq!(
        why,
        "constraints cannot be met: arch=arm64, and this machine is amd64"
    );
    assert_eq!(bench.provider.calls("start 1"), 1, "at once");
    let shown = bench
        .store
        .machine(&bench.model, &machine("1"), &|_| true)
        .await
        .unwrap();
    assert_eq!(shown.constraints, "arch=arm64 cores=2");
    let again = bench
        .store
        .retry_provisioning(&bench.model, &machine("1"), |_| true)
        .await;
    again.unwrap();
    bench
        .until("it is tried again", || async {
            (bench.provider.calls("start 1") == 2).then_some(())
        })
        .await;
    bench.until("it is given up again", second).await;
    bench.close(engine).await;
}
