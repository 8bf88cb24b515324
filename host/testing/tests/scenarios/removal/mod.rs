//! Removal always ends: things are removed in random order at random moments, by force and
//! without, with units in error and agents dead, and in the end nothing is left: not in the
//! store, not on disk, and of the model neither.
//!
//! Each story is made from a seed, which a failure prints; `PERIAPT_TEST_SEED` tells one again.

mod left;
mod story;

use std::time::Duration;

use crate::common::{Done, charm};
use periapt_client::rest::Removing;
use periapt_testing::{Scenario, ScenarioError};
use rand::Rng;
use story::Story;

/// Stories told by one run, and at the same time.
const STORIES: u64 = 24;
const AT_ONCE: usize = 3;

async fn tell(seed: u64) -> Result<(), String> {
    let failed = |told: &[String], error: ScenarioError| {
        format!("PERIAPT_TEST_SEED={seed}\n{}\n{error}", told.join("\n"))
    };
    let mut story = Story::begin(seed)
        .await
        .map_err(|error| failed(&[], error))?;
    let steps = story.random.random_range(3..12);
    for _ in 0..steps {
        let pause = story.random.random_range(0..60);
        tokio::time::sleep(Duration::from_millis(pause)).await;
        let taken = story.step().await;
        taken.map_err(|error| failed(&story.told, error))?;
    }
    let ended = story.end().await;
    ended.map_err(|error| failed(&story.told, error))?;
    let Story { scenario, told, .. } = story;
    scenario.stop().await.map_err(|error| failed(&told, error))
}

#[tokio::test(flavor = "multi_thread")]
async fn whatever_is_removed_whenever_nothing_is_left() -> Done {
    let mut seeds = match std::env::var("PERIAPT_TEST_SEED") {
        Ok(seed) => vec![seed.parse().unwrap()],
        Err(_) => (0..STORIES).collect::<Vec<u64>>(),
    }
    .into_iter();
    let mut telling = tokio::task::JoinSet::new();
    loop {
        while telling.len() < AT_ONCE
            && let Some(seed) = seeds.next()
        {
            telling.spawn(tell(seed));
        }
        match telling.join_next().await {
            None => return Ok(()),
            Some(told) => {
                if let Err(story) = told.unwrap() {
                    panic!("{story}");
                }
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_that_comes_back_removes_what_units_left_that_went_without_it() -> Done {
    let scenario = Scenario::start().await?;
    let script = [("script", "start: status active ready")];
    let deployed = scenario.deploy_with(charm("probe"), "site", 2, &script);
    deployed.await?;
    scenario.until_active("site").await?;
    let units = scenario.agent_directory().await?.join("units");
    let [gone, kept] = ["site-0", "site-1"].map(|name| units.join(name));
    assert!(gone.is_dir() && kept.is_dir());
    // Somebody else's business.
    std::fs::create_dir(units.join("notes")).unwrap();
    scenario.stop_agents().await;
    let client = scenario.client();
    let unit = "site/0".parse().unwrap();
    let removed = client
        .remove_unit("test", &unit, Removing::within(true, Some(0)))
        .await;
    removed.unwrap();
    scenario
        .until("one unit to be left", |status| {
            status.applications["site"].units.iter().flatten().count() == 1
                && status.machines.len() == 1
        })
        .await?;
    assert!(gone.is_dir(), "nobody was there to remove it");
    scenario.start_agents().await?;
    let looked = scenario.until_true("the directory to be gone", || {
        let there = gone.exists();
        async move { Ok(!there) }
    });
    looked.await?;
    scenario.until_active("site").await?;
    assert!(kept.is_dir() && units.join("notes").is_dir());
    scenario.stop().await
}
