//! Storage over the lives of units: attached before anything else, kept when they go, found by the next.

use std::fs;

use periapt_model::status::Storage;
use periapt_testing::Scenario;

use crate::common::{Done, begun_hooks, charm, hooks, until_ran, until_ran_times};

const READY: [(&str, &str); 1] = [("script", "start: status active ready")];

async fn until_shown(scenario: &Scenario, storage: &str, shown: Storage) -> Done {
    let what = format!("{storage} to be {shown:?}");
    let found = scenario.until_true(&what, async || {
        Ok(scenario.storage(storage).await?.status.status == shown)
    });
    found.await
}

#[tokio::test(flavor = "multi_thread")]
async fn what_one_unit_kept_the_next_one_finds() -> Done {
    let scenario = Scenario::start().await?;
    scenario
        .deploy_with_storage(charm("probe"), "probe", 1, &READY, &[("data", "1")])
        .await?;
    scenario.until_active("probe").await?;
    let ran = hooks(&scenario, "probe/0").await?;
    assert_eq!(ran[..2], ["data-storage-attached", "install"]);
    until_shown(&scenario, "data/0", Storage::Attached).await?;
    let directory = scenario.storage_directory("data/0").await?;
    fs::write(directory.join("note"), "kept").unwrap();

    scenario.remove_unit("probe/0", false).await?;
    until_shown(&scenario, "data/0", Storage::Detached).await?;
    let free = scenario.storage("data/0").await?;
    assert!(free.owner.is_none() && free.attachments.is_empty());
    let ran = begun_hooks(&scenario, "probe/0").await?;
    let place = |hook: &str| ran.iter().position(|ran| ran == hook);
    assert!(place("data-storage-detaching") < place("stop"), "{ran:?}");

    scenario.add_units("probe", 1).await?;
    scenario.until_active("probe").await?;
    scenario.attach_storage("probe/1", "data/0").await?;
    until_ran_times(&scenario, "probe/1", "data-storage-attached", 2).await?;
    assert_eq!(fs::read_to_string(directory.join("note")).unwrap(), "kept");
    let found = scenario.storage("data/0").await?;
    assert_eq!(found.attachments[0].unit.as_str(), "probe/1");
    scenario.stop().await
}

#[tokio::test(flavor = "multi_thread")]
async fn storage_comes_and_goes_while_a_unit_runs_also_across_a_new_start() -> Done {
    let scenario = Scenario::start().await?;
    scenario
        .deploy_with(charm("probe"), "probe", 1, &READY)
        .await?;
    scenario.until_active("probe").await?;
    assert!(scenario.storages().await?.is_empty());
    let added = scenario.add_storage("probe/0", "data", "2").await?;
    assert_eq!(added.len(), 2);
    until_ran_times(&scenario, "probe/0", "data-storage-attached", 2).await?;
    let refused = scenario.add_storage("probe/0", "data", "2").await;
    assert!(refused.is_err(), "three at most: {refused:?}");

    scenario.restart_agents().await?;
    scenario.detach_storage("data/0", false).await?;
    until_ran(&scenario, "probe/0", "data-storage-detaching").await?;
    until_shown(&scenario, "data/0", Storage::Detached).await?;
    let directory = scenario.storage_directory("data/0").await?;
    scenario.remove_storage("data/0", false).await?;
    let gone = scenario.until_true("the storage to be gone", async || {
        Ok(scenario.storages().await?.len() < 2)
    });
    gone.await?;
    assert!(!directory.exists(), "its directory went before it");
    let left = scenario.storages().await?;
    assert_eq!(left.len(), 1, "{left:?}");
    assert_eq!(left[0].id.to_string(), "data/1");
    let ran = hooks(&scenario, "probe/0").await?;
    let attached = ran.iter().filter(|hook| *hook == "data-storage-attached");
    assert_eq!(attached.count(), 2, "told of each once");
    scenario.stop().await
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_given_up_is_imported_and_attached_with_what_is_in_it() -> Done {
    let scenario = Scenario::start().await?;
    scenario
        .deploy_with_storage(charm("probe"), "probe", 1, &READY, &[("data", "1")])
        .await?;
    scenario.until_active("probe").await?;
    until_shown(&scenario, "data/0", Storage::Attached).await?;
    let directory = scenario.storage_directory("data/0").await?;
    fs::write(directory.join("note"), "kept").unwrap();
    let refused = scenario.give_up_storage("data/0").await;
    assert!(refused.is_err(), "a unit has it: {refused:?}");

    scenario.detach_storage("data/0", false).await?;
    until_shown(&scenario, "data/0", Storage::Detached).await?;
    scenario.give_up_storage("data/0").await?;
    let gone = scenario.until_true("the storage to be gone", async || {
        Ok(scenario.storages().await?.is_empty())
    });
    gone.await?;
    let imported = scenario.import_storage("data-0", "data").await?;
    assert_eq!(imported.id.to_string(), "data/1");
    until_shown(&scenario, "data/1", Storage::Detached).await?;
    scenario.attach_storage("probe/0", "data/1").await?;
    until_ran_times(&scenario, "probe/0", "data-storage-attached", 2).await?;
    assert_eq!(fs::read_to_string(directory.join("note")).unwrap(), "kept");
    assert_eq!(scenario.storage_directory("data/1").await?, directory);

    // One that is not there is said to be missing, and goes again.
    scenario.import_storage("data-9", "data").await?;
    until_shown(&scenario, "data/2", Storage::Error).await?;
    let missing = scenario.storage("data/2").await?.status.message;
    assert!(missing.contains("data-9"), "{missing}");
    scenario.remove_storage("data/2", false).await?;
    let gone = scenario.until_true("what was never there to be gone", async || {
        Ok(scenario.storages().await?.len() == 1)
    });
    gone.await?;
    scenario.stop().await
}
