//! What is said of applications, machines and models beside their options, with the real program.

use anyhow::{Result, ensure};
use periapt_tests::{Home, charm};
use serde_json::{Value, json};

use super::two_sites;

#[test]
fn a_unit_that_is_removed_below_the_minimum_goes_and_another_comes() -> Result<()> {
    let home = two_sites()?;
    home.ok(["min-units", "site", "2"])?;
    ensure!(home.ok(["min-units", "site"])?.trim() == "2");
    let shown = home.json(["show-application", "site"])?;
    ensure!(shown["site"]["min-units"] == 2, "{shown:#}");
    home.ok(["remove-unit", "site/0", "--no-prompt"])?;
    home.until("another unit in its place", |status| {
        let units = &status["applications"]["site"]["units"];
        units["site/0"].is_null()
            && units["site/2"]["workload-status"]["current"] == "active"
            && units["site/3"].is_null()
    })?;
    home.ok(["min-units", "site", "0"])?;
    home.ok(["remove-unit", "site/1", "--no-prompt"])?;
    home.until("one unit", |status| {
        let units = &status["applications"]["site"]["units"];
        units["site/1"].is_null() && units["site/3"].is_null()
    })?;
    Ok(())
}

#[test]
fn trust_is_shown_and_heard_as_a_change_of_configuration() -> Result<()> {
    let home = Home::started()?;
    let site = charm("site").display().to_string();
    home.ok(["deploy", &site, "site"])?;
    home.until_workload("site/0", "active")?;
    let heard = || -> Result<usize> {
        let hooks = home.json(["hooks", "site/0", "--hook", "config-changed"])?;
        Ok(hooks.as_array().map_or(0, Vec::len))
    };
    let before = heard()?;
    ensure!(home.ok(["config", "site", "trust"])?.trim() == "false");
    home.ok(["trust", "site"])?;
    ensure!(home.ok(["config", "site", "trust"])?.trim() == "true");
    let config = home.json(["config", "site"])?;
    let trust = &config["application-config"]["trust"];
    ensure!(
        trust["value"] == true && trust["source"] == "user",
        "{config:#}"
    );
    home.until("the hook that hears of it", |_| {
        heard().is_ok_and(|heard| heard == before + 1)
    })?;
    let shown = home.json(["show-application", "site"])?;
    ensure!(shown["site"]["trust"] == true, "{shown:#}");
    home.ok(["trust", "site", "--remove"])?;
    home.until("the hook that hears that it is over", |_| {
        heard().is_ok_and(|heard| heard == before + 2)
    })?;
    home.ok(["deploy", &site, "other", "--trust"])?;
    ensure!(home.ok(["config", "other", "trust"])?.trim() == "true");
    Ok(())
}

#[test]
fn constraints_are_merged_shown_and_refused_and_what_cannot_be_says_why() -> Result<()> {
    let home = Home::started()?;
    let unknown = home.periapt(["set-model-constraints", "men=4G"])?;
    ensure!(
        unknown.code == 2 && unknown.err.contains("did you mean \"mem\"?"),
        "{unknown:?}"
    );
    home.ok(["set-model-constraints", "mem=64M", "zones=attic"])?;
    ensure!(home.ok(["model-constraints"])?.trim() == "mem=64M zones=attic");
    let site = charm("site").display().to_string();
    home.ok(["deploy", &site, "site", "--constraints", "cores=1 zones="])?;
    home.until_workload("site/0", "active")?;
    ensure!(home.ok(["constraints", "site"])?.trim() == "cores=1 zones=");
    let constraints = home.json(["constraints", "site"])?;
    ensure!(
        constraints == json!({ "cores": 1, "zones": [] }),
        "{constraints:#}"
    );
    let machine = home.json(["show-machine", "0"])?;
    let of_machine = &machine["machines"]["0"]["constraints"];
    ensure!(*of_machine == "cores=1 mem=64M zones=", "{machine:#}");

    home.ok(["set-constraints", "site", "cores=100000"])?;
    home.ok(["add-unit", "site"])?;
    let why = "constraints cannot be met: cores=100000, and this machine has";
    home.until("a machine that cannot be", |status| {
        let said = &status["machines"]["1"]["machine-status"];
        said["current"] == "provisioning error"
            && said["message"]
                .as_str()
                .is_some_and(|said| said.contains(why))
    })?;
    home.until_workload("site/0", "active")?;
    home.ok(["set-constraints", "site"])?;
    ensure!(home.ok(["constraints", "site"])?.trim().is_empty());
    home.ok(["add-unit", "site"])?;
    home.until_workload("site/2", "active")?;
    let missing = home.periapt(["show-machine", "9"])?;
    ensure!(missing.code == 3, "{missing:?}");
    Ok(())
}

#[test]
fn defaults_of_models_hold_where_a_model_says_nothing() -> Result<()> {
    let home = Home::started()?;
    let option = |name: &str| -> Result<Value> {
        let config = home.json(["model-config"])?;
        Ok(config[name].clone())
    };
    home.ok([
        "model-defaults",
        "force-wait=2m",
        "max-status-history-age=1h",
    ])?;
    home.ok(["model-defaults", "force-wait=3m", "--region", "default"])?;
    home.ok(["model-config", "max-status-history-age=2h"])?;
    for (name, value, source) in [
        ("force-wait", "3m", "region"),
        ("max-status-history-age", "2h", "model"),
        ("removal-deadline", "24h", "default"),
    ] {
        let found = option(name)?;
        ensure!(
            found == json!({ "Value": value, "Source": source }),
            "{name}: {found}"
        );
    }
    home.ok([
        "model-defaults",
        "--reset",
        "force-wait",
        "--region",
        "default",
    ])?;
    ensure!(option("force-wait")?["Source"] == "controller");
    let shown = home.json(["model-defaults", "force-wait"])?;
    ensure!(
        shown["force-wait"] == json!({ "default": "1m", "controller": "2m" }),
        "{shown:#}"
    );
    let unknown = home.periapt(["model-defaults", "force-weight=2m"])?;
    ensure!(unknown.code == 1 || unknown.code == 2, "{unknown:?}");
    ensure!(unknown.err.contains("force-wait"), "{unknown:?}");
    Ok(())
}

#[test]
fn a_model_is_shown_things_are_found_and_a_base_stays() -> Result<()> {
    let home = two_sites()?;
    let shown = home.json(["show-model"])?;
    let model = &shown["test"];
    ensure!(
        model["short-name"] == "test"
            && model["cloud"] == "local"
            && model["type"] == "local"
            && model["life"] == "alive"
            && model["status"]["current"] == "available"
            && model["users"]["admin"]["access"] == "admin"
            && model["machines"]["1"].is_object()
            && model["credential"]["validity-check"] == "valid",
        "{shown:#}"
    );
    let found = home.json(["find", "SITE"])?;
    let kinds: Vec<&str> = found
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|found| found["kind"].as_str())
        .collect();
    ensure!(kinds == ["charm", "application"], "{found:#}");
    let nothing = home.periapt(["find", "site", "nowhere"])?;
    ensure!(nothing.code == 0 && nothing.out.is_empty(), "{nothing:?}");

    ensure!(home.ok(["set-application-base", "site"])?.trim() == "wasi@0.2");
    home.ok(["set-application-base", "site", "wasi@0.2"])?;
    let refused = home.periapt(["set-application-base", "site", "ubuntu@24.04"])?;
    ensure!(
        refused.code == 4 && refused.err.contains("sandbox"),
        "{refused:?}"
    );
    Ok(())
}

#[test]
fn a_meter_status_is_shown_until_it_is_taken_back() -> Result<()> {
    let home = two_sites()?;
    home.ok(["set-meter-status", "site/0", "red", "pay", "up"])?;
    let unit = home.unit("site/0")?;
    ensure!(
        unit["meter-status"] == json!({ "color": "red", "message": "pay up" }),
        "{unit:#}"
    );
    home.ok(["set-meter-status", "site", "AMBER", "soon"])?;
    for name in ["site/0", "site/1"] {
        let unit = home.unit(name)?;
        ensure!(unit["meter-status"]["color"] == "amber", "{name}: {unit:#}");
    }
    let refused = home.periapt(["set-meter-status", "site", "grey"])?;
    ensure!(
        refused.code != 0 && refused.err.contains("GREEN, AMBER"),
        "{refused:?}"
    );
    home.ok(["set-meter-status", "site", "GREEN"])?;
    let unit = home.unit("site/1")?;
    ensure!(unit["meter-status"].is_null(), "{unit:#}");
    Ok(())
}

#[test]
fn a_bundle_brings_constraints_and_trusts_only_when_it_is_told_to() -> Result<()> {
    let home = Home::started()?;
    let site = charm("site").display().to_string();
    let bundle = home.path().join("sites.yaml");
    std::fs::write(
        &bundle,
        format!(
            "applications:\n  site: {{charm: {site}, num_units: 1, constraints: mem=64M, trust: true}}\n"
        ),
    )?;
    let bundle = bundle.display().to_string();
    let refused = home.periapt(["deploy", &bundle])?;
    ensure!(
        refused.code == 2 && refused.err.contains("deploy it with --trust"),
        "{refused:?}"
    );
    home.ok(["deploy", &bundle, "--trust"])?;
    home.until_workload("site/0", "active")?;
    ensure!(home.ok(["constraints", "site"])?.trim() == "mem=64M");
    ensure!(home.ok(["config", "site", "trust"])?.trim() == "true");
    let exported = home.ok(["export-bundle"])?;
    ensure!(
        exported.contains("mem=64M") && exported.contains("trust: true"),
        "{exported}"
    );
    let differs = home.ok(["diff-bundle", &bundle])?;
    ensure!(differs.trim() == "{}", "{differs}");
    home.ok(["deploy", &bundle])?;
    Ok(())
}
