//! Every charm of the project, told as a scenario.

use std::time::Duration;

use crate::common::{Done, charm, hooks};
use periapt_testing::Scenario;

#[tokio::test(flavor = "multi_thread")]
async fn noop_does_nothing_and_goes_again() -> Done {
    let scenario = Scenario::start().await?;
    scenario.deploy(charm("noop"), "noop", 1).await?;
    scenario
        .until("the unit to rest", |status| {
            let units = status.applications["noop"].units.iter().flatten();
            units
                .into_iter()
                .any(|(_, unit)| unit.agent_status.status == "idle")
        })
        .await?;
    scenario.remove_unit("noop/0", false).await?;
    scenario
        .until("the unit to be gone", |status| {
            status.applications["noop"].units.iter().flatten().count() == 0
        })
        .await?;
    scenario.stop().await
}

#[tokio::test(flavor = "multi_thread")]
async fn site_is_rendered_anew_when_its_title_changes() -> Done {
    let scenario = Scenario::start().await?;
    scenario.deploy(charm("site"), "site", 2).await?;
    scenario.until_active("site").await?;
    let refused = scenario.configure("site", &[("no-such", "x")]).await;
    assert_eq!(refused.unwrap_err().code(), "scenario-refused");
    scenario.configure("site", &[("title", "Virtual")]).await?;
    let mut page = String::new();
    for _ in 0..200 {
        scenario.until_active("site").await?;
        let state = scenario.state_directory("site/1").await?;
        page = std::fs::read_to_string(state.join("site/index.html")).unwrap_or_default();
        if page.contains("Virtual") {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert!(page.contains("Virtual"), "{page}");
    scenario.remove_application("site", false).await?;
    scenario
        .until("nothing to be left", |status| {
            status.applications.is_empty() && status.machines.is_empty()
        })
        .await?;
    scenario.stop().await
}

#[tokio::test(flavor = "multi_thread")]
async fn five_minutes_until_update_status_take_no_time() -> Done {
    let scenario = Scenario::start().await?;
    scenario
        .deploy_with(
            charm("probe"),
            "probe",
            1,
            &[("script", "start: status active ready")],
        )
        .await?;
    scenario.until_active("probe").await?;
    scenario.pass(Duration::from_secs(400)).await?;
    let hooks = hooks(&scenario, "probe/0").await?;
    assert!(
        hooks.iter().any(|hook| hook == "update-status"),
        "{hooks:?}"
    );
    scenario.stop().await
}

#[tokio::test(flavor = "multi_thread")]
async fn front_lists_the_sites_it_is_related_to_and_forgets_them() -> Done {
    let scenario = Scenario::start().await?;
    scenario.deploy(charm("front"), "front", 1).await?;
    scenario.until_says("front/0", "waiting").await?;
    for (name, title) in [("tea", "All about tea"), ("toast", "All about toast")] {
        scenario
            .deploy_with(charm("site"), name, 1, &[("title", title)])
            .await?;
        scenario.integrate("front", name).await?;
    }
    scenario.until_says("front/0", "active: 2 sites").await?;
    let state = scenario.state_directory("front/0").await?;
    let page = std::fs::read_to_string(state.join("front/index.html")).unwrap_or_default();
    assert!(
        page.contains("All about tea") && page.contains("All about toast"),
        "{page}"
    );

    // What a site says of itself is in its bag, and what it says anew arrives.
    let unit = scenario.unit("front/0").await?;
    assert_eq!(unit.relations.len(), 2);
    let again = scenario.integrate("front", "tea").await;
    assert_eq!(again.unwrap_err().code(), "scenario-refused");

    scenario.remove_application("toast", false).await?;
    scenario.until_says("front/0", "active: 1 site").await?;
    scenario.stop().await
}

#[tokio::test(flavor = "multi_thread")]
async fn log_shipper_lives_beside_each_site_and_reads_its_logs() -> Done {
    let scenario = Scenario::start().await?;
    scenario.deploy(charm("site"), "site", 2).await?;
    scenario
        .deploy(charm("log-shipper"), "log-shipper", 0)
        .await?;
    scenario.deploy(charm("noop"), "mute", 1).await?;
    scenario.integrate("log-shipper", "site").await?;
    scenario.integrate("log-shipper", "mute").await?;
    scenario
        .until("a shipper beside each unit", |status| {
            let beside = |application: &str| {
                let units = status.applications[application].units.iter().flatten();
                units
                    .map(|(_, unit)| unit.subordinates.iter().flatten().count())
                    .collect::<Vec<_>>()
            };
            beside("site") == [1, 1] && beside("mute") == [1]
        })
        .await?;
    scenario.until_active("log-shipper").await?;
    scenario.pass(Duration::from_secs(900)).await?;
    let status = scenario.until_active("log-shipper").await?;
    let said: Vec<String> = status
        .applications
        .values()
        .flat_map(|application| application.units.iter().flatten())
        .flat_map(|(_, unit)| unit.subordinates.iter().flatten())
        .map(|(_, unit)| unit.workload_status.info.clone())
        .collect();
    assert_eq!(said.len(), 3, "{said:?}");
    assert_eq!(
        said.iter().filter(|said| said.starts_with("read ")).count(),
        2,
        "{said:?}"
    );
    assert!(said.contains(&"nothing shared yet".to_owned()), "{said:?}");
    assert!(status.applications["log-shipper"].units.is_none());

    scenario.remove_application("site", false).await?;
    scenario
        .until("the sites to be gone with their shippers", |status| {
            !status.applications.contains_key("site")
        })
        .await?;
    scenario.stop().await
}
