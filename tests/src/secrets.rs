//! What units do with secrets when they are asked to: the commands of the charm `probe`.

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::{Answer, Home};

/// What a unit answers to a command.
pub fn asked(home: &Home, unit: &str, words: &[&str]) -> Result<Answer> {
    home.periapt([&["exec", "--unit", unit, "--"], words].concat())
}

/// What a unit prints for a command that it must succeed with.
pub fn says(home: &Home, unit: &str, words: &[&str]) -> Result<String> {
    let told = asked(home, unit, words)?;
    ensure!(told.code == 0, "{unit} {words:?}: {told:?}");
    Ok(told.out.trim_end().to_owned())
}

/// A command must fail with these words.
pub fn is_refused(home: &Home, unit: &str, words: &[&str], why: &str) -> Result<()> {
    let told = asked(home, unit, words)?;
    ensure!(
        told.code != 0 && told.err.contains(why),
        "{unit} {words:?}, \"{why}\": {told:?}"
    );
    Ok(())
}

/// How often a hook of a unit was committed.
pub fn committed(home: &Home, unit: &str, hook: &str) -> Result<usize> {
    let runs = home.json(["hooks", unit, "--limit", "1000"])?;
    let runs = runs.as_array().context("no list of hooks")?;
    let those = runs
        .iter()
        .filter(|run| run["hook"] == hook && run["result"] == "ok");
    Ok(those.count())
}

/// Waits until a hook of a unit was committed so often.
pub fn until_committed(home: &Home, unit: &str, hook: &str, times: usize) -> Result<()> {
    let what = format!("{unit} to have run {hook} {times} times");
    home.until(&what, |_| {
        committed(home, unit, hook).is_ok_and(|found| found >= times)
    })?;
    Ok(())
}

/// A secret as `show-secret` has it, by its id or name.
pub fn shown(home: &Home, secret: &str) -> Result<Value> {
    let all = home.json(["show-secret", secret, "--revisions"])?;
    let all = all.as_object().context("no secret")?;
    let one = all.values().next().context("no secret")?;
    Ok(one.clone())
}

/// Numbers of the revisions that a secret has.
pub fn revisions(home: &Home, secret: &str) -> Result<Vec<u64>> {
    let secret = shown(home, secret)?;
    let all = secret["revisions"].as_array().context("no revisions")?;
    Ok(all
        .iter()
        .filter_map(|one| one["revision"].as_u64())
        .collect())
}
