//! The web interface in a real browser against the real program.
//!
//! Each test has a controller of its own and runs one spec of `web-ui/e2e/specs` in Chromium,
//! through Playwright. The specs say what a person does; here is only what they stand on.

mod actions;
mod bundles;
mod charms;
mod fleet;
mod front_door;
mod incidents;
mod operators;
mod secrets;
mod storage;

use std::path::Path;

use anyhow::{Result, bail};
use periapt_tests::{Home, browser};

/// Runs a spec against a fresh controller with the model `test`.
fn run(spec: &str) -> Result<()> {
    let home = Home::started()?;
    let own = home.path().join("charms");
    charms::write(&own)?;
    run_on(&home, spec, Some(&own))
}

/// The same with this home's controller. Charms in `own` come before the project's.
fn run_on(home: &Home, spec: &str, own: Option<&Path>) -> Result<()> {
    let mut call = browser::spec(home, spec)?;
    if let Some(own) = own {
        call.env("PERIAPT_TEST_OWN_CHARMS", own);
    }
    let output = call.output()?;
    let said = String::from_utf8_lossy(&output.stdout);
    print!("{said}");
    if !output.status.success() {
        let status = home.ok(["status"]).unwrap_or_default();
        bail!(
            "{spec} failed:\n{said}{}\n{status}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
    Ok(())
}

#[test]
fn sign_in_deploy_watch_and_configure() -> Result<()> {
    run("deploy")
}

#[test]
fn a_charm_of_the_repository_is_deployed_from_the_page() -> Result<()> {
    run("repository")
}

#[test]
fn a_visitor_clicks_from_front_to_a_page_of_blog() -> Result<()> {
    run_on(&Home::started()?, "visit", None)
}

#[test]
fn an_application_is_exposed_told_why_it_is_not_found_opened_and_closed_again() -> Result<()> {
    run("expose")
}

#[test]
fn what_runs_in_a_unit_is_shown_with_what_it_went_through() -> Result<()> {
    run_on(&Home::started()?, "workloads", None)
}

#[test]
fn a_broken_unit_is_found_and_resolved() -> Result<()> {
    run("resolve")
}

#[test]
fn removal_says_what_goes_and_goes_before_ones_eyes() -> Result<()> {
    run("remove")
}

#[test]
fn relations_are_made_suspended_and_removed() -> Result<()> {
    run("relate")
}

#[test]
fn two_browsers_see_the_same() -> Result<()> {
    run("together")
}

#[test]
fn the_page_catches_up_after_the_controller_restarted() -> Result<()> {
    run("restart")
}

#[test]
fn axe_finds_nothing_serious_on_any_page() -> Result<()> {
    run("accessible")
}

/// Not a test but a tool: `cargo xtask screenshots`.
#[test]
#[ignore = "makes pictures for people to look at"]
fn screenshots() -> Result<()> {
    run("screenshots")
}
