//! A controller that is killed while it applies a bundle: what was changed stays, what is known of it is true, and the
//! same bundle goes on from there.

use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use periapt_client::rest::RestClient;
use periapt_tests::account::client;
use periapt_tests::{Home, charm, kill};
use periapt_wire::rest::{BundleApplyState, BundleQuery};

const APPLICATIONS: [&str; 5] = ["a", "b", "c", "d", "e"];

fn bundle(home: &Home) -> Result<String> {
    let path = home.path().join("five.yaml");
    let site = charm("site").display().to_string();
    let one = |name: &str| format!("  {name}: {{charm: '{site}', num_units: 0}}\n");
    let all: String = APPLICATIONS.iter().map(|name| one(name)).collect();
    std::fs::write(&path, format!("name: five\napplications:\n{all}"))?;
    Ok(path.display().to_string())
}

fn until_it_answers(home: &Home) -> Result<()> {
    for _ in 0..600 {
        if home.periapt(["models"])?.code == 0 {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    anyhow::bail!("the controller does not answer")
}

fn there(home: &Home) -> Result<Vec<String>> {
    let model = home.status()?;
    let all = model["applications"].as_object();
    Ok(all
        .into_iter()
        .flatten()
        .map(|(name, _)| name.clone())
        .collect())
}

#[test]
fn a_controller_killed_while_it_applies_a_bundle_says_how_far_it_came_and_goes_on_from_there()
-> Result<()> {
    let home = Home::started()?;
    let path = bundle(&home)?;
    kill(home.controller_pid()?);
    let data = home.controller_directory();
    let mut armed = home
        .command([
            "controller".as_ref(),
            "run".as_ref(),
            "--data-dir".as_ref(),
            data.as_os_str(),
        ])
        // The third step is committed, and nobody has written down that it was taken.
        .env("PERIAPT_FAILPOINT", "bundle-after-step:3")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    until_it_answers(&home)?;
    let broken = home.periapt(["deploy", path.as_str()])?;
    ensure!(
        broken.code != 0,
        "the controller died on the way: {broken:?}"
    );
    let _ = armed.wait();

    let _second = home.restart_controller()?;
    until_it_answers(&home)?;
    ensure!(there(&home)? == ["a", "b", "c"], "{:?}", there(&home)?);
    let runtime = tokio::runtime::Runtime::new()?;
    let newest = |client: &RestClient| {
        let query = BundleQuery::default();
        let page = runtime.block_on(client.bundles("test", &query))?;
        page.items
            .into_iter()
            .next()
            .context("no bundle is remembered")
    };
    let api = runtime.block_on(client(&home))?;
    let left = newest(&api)?;
    ensure!(left.state == BundleApplyState::Interrupted, "{left:?}");
    ensure!(
        left.taken == 2 && left.changes.len() == 5 && left.name == "five",
        "it says what it knows, which is one step less: {left:?}"
    );
    ensure!(left.message.contains("apply the bundle again"), "{left:?}");
    let drift = runtime.block_on(api.bundle_drift("test"))?;
    let missing: Vec<&str> = drift
        .difference
        .applications
        .keys()
        .map(|name| name.as_str())
        .collect();
    ensure!(missing == ["d", "e"], "{missing:?}");

    // Plans are differences, so the same command goes on.
    let again = home.periapt(["deploy", path.as_str()])?;
    ensure!(
        again.code == 0
            && again.err.contains("[1/2] deploy d")
            && again.err.contains("[2/2] deploy e"),
        "{again:?}"
    );
    ensure!(there(&home)? == APPLICATIONS, "{:?}", there(&home)?);
    let ended = newest(&api)?;
    ensure!(
        ended.id == left.id + 1 && ended.state == BundleApplyState::Completed && ended.taken == 2,
        "{ended:?}"
    );
    ensure!(home.ok(["diff-bundle", &path])?.trim() == "{}");
    home.ok([
        "destroy-controller",
        "tester",
        "--destroy-all-models",
        "--no-prompt",
    ])?;
    Ok(())
}
