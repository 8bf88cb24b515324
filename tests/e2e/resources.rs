//! Files beside a charm: there for the first hook, replaced while the application runs, and refused where the
//! charm knows nothing of them.

use std::fs;

use anyhow::{Result, ensure};
use periapt_tests::web::{free_port, get};
use periapt_tests::{Home, charm};
use serde_json::Value;

fn resources(home: &Home) -> Result<Value> {
    home.json(["resources", "site"])
}

fn until_styled(home: &Home, port: u16, rules: &str) -> Result<()> {
    let what = format!("a page with {rules}");
    home.until(&what, |_| {
        get(port, "site.test.localhost", "/style.css")
            .is_ok_and(|(status, body)| status == 200 && body.contains(rules))
    })?;
    Ok(())
}

#[test]
fn a_site_is_deployed_with_a_theme_and_given_another() -> Result<()> {
    let home = Home::started()?;
    let port = free_port()?;
    home.ok(["controller-config", &format!("ingress-port={port}")])?;
    let (red, blue) = (home.path().join("red.css"), home.path().join("blue.css"));
    fs::write(&red, "body { color: red }\n")?;
    fs::write(&blue, "body { color: blue }\n")?;
    let site = charm("site").display().to_string();

    let wrong = format!("them={}", red.display());
    let refused = home.periapt(["deploy", &site, "site", "--resource", &wrong])?;
    ensure!(
        refused.code == 3 && refused.err.contains("did you mean \"theme\"?"),
        "{refused:?}"
    );
    let theme = format!("theme={}", red.display());
    home.ok(["deploy", &site, "site", "--resource", &theme])?;
    home.until_workload("site/0", "active")?;
    home.ok(["expose", "site"])?;
    until_styled(&home, port, "color: red")?;
    let hooks = home.ok(["hooks", "site/0"])?;
    ensure!(!hooks.contains("upgrade-charm"), "{hooks}");

    let theme = format!("theme={}", blue.display());
    let told = home.periapt(["attach-resource", "site", &theme])?;
    ensure!(
        told.code == 0 && told.err.contains("revision 2"),
        "{told:?}"
    );
    until_styled(&home, port, "color: blue")?;
    let hooks = home.ok(["hooks", "site/0"])?;
    ensure!(hooks.contains("upgrade-charm"), "{hooks}");
    home.until("the unit's word of what it has", |_| {
        resources(&home).is_ok_and(|all| all["resources"][0]["units"][0]["revision"] == 2)
    })?;
    let all = resources(&home)?;
    let attached = &all["resources"][0]["attached"];
    let digest = attached["sha256"].as_str().unwrap_or_default();
    ensure!(digest.len() == 64 && attached["revision"] == 2, "{all:#}");
    let details = home.ok(["resources", "site", "--details"])?;
    ensure!(
        details.contains(digest) && details.contains("site/0"),
        "{details}"
    );

    // The same bytes are nothing new, and a refresh may bring a file and no charm.
    let told = home.periapt(["attach-resource", "site", &theme])?;
    ensure!(told.err.contains("already has this"), "{told:?}");
    let theme = format!("theme={}", red.display());
    home.ok(["refresh", "site", "--resource", &theme])?;
    until_styled(&home, port, "color: red")?;

    let missing = home.periapt(["attach-resource", "site", "theme=/nowhere.css"])?;
    ensure!(missing.code == 3, "{missing:?}");
    let audit = home.ok(["audit"])?;
    ensure!(audit.contains("attached resource theme to site"), "{audit}");
    Ok(())
}
