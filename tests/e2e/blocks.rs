//! Commands that are disabled in a model, and what people note of it.

use anyhow::{Result, ensure};
use periapt_tests::{Home, charm};
use serde_json::json;

use super::two_sites;

/// Refused as a conflict, with the words of who disabled it and how to enable it.
fn refused(home: &Home, arguments: &[&str], kind: &str) -> Result<()> {
    let told = home.periapt(arguments)?;
    let enable = format!("periapt enable-command {kind}");
    ensure!(
        told.code == 4 && told.err.contains("ask Ann first") && told.err.contains(&enable),
        "{arguments:?}: {told:?}"
    );
    Ok(())
}

const REMOVE_UNIT: &[&str] = &["remove-unit", "site/1", "--no-prompt"];
const DESTROY: &[&str] = &["destroy-model", "test", "--no-prompt"];

#[test]
fn what_is_disabled_is_refused_until_it_is_enabled_again() -> Result<()> {
    let home = two_sites()?;
    let none = home.periapt(["disabled-commands"])?;
    ensure!(
        none.code == 0 && none.err.contains("No commands are currently disabled"),
        "{none:?}"
    );

    home.ok(["disable-command", "destroy-model", "ask", "Ann", "first"])?;
    refused(&home, DESTROY, "destroy-model")?;
    let controller = [
        "destroy-controller",
        "tester",
        "--destroy-all-models",
        "--force",
        "--no-prompt",
    ];
    refused(&home, &controller, "destroy-model")?;
    home.ok(["config", "site", "title=Handbook"])?;

    home.ok(["disable-command", "remove-object", "ask Ann first"])?;
    home.ok(["enable-command", "destroy-model"])?;
    refused(&home, DESTROY, "remove-object")?;
    refused(&home, REMOVE_UNIT, "remove-object")?;
    refused(
        &home,
        &["remove-application", "site", "--no-prompt"],
        "remove-object",
    )?;
    home.ok(["expose", "site"])?;

    home.ok(["disable-command", "all", "ask Ann first"])?;
    home.ok(["enable-command", "remove-object"])?;
    for change in [
        &["add-unit", "site"] as &[&str],
        &["config", "site", "title=Guide"],
        &["run", "site/0", "rebuild"],
        &["unexpose", "site"],
        &["annotate", "site", "team=web"],
        REMOVE_UNIT,
        DESTROY,
    ] {
        refused(&home, change, "all")?;
    }
    let again = charm("site").display().to_string();
    refused(&home, &["deploy", &again, "other"], "all")?;
    let disabled = home.ok(["disabled-commands"])?;
    ensure!(
        disabled.lines().count() == 2 && disabled.contains("ask Ann first"),
        "{disabled}"
    );
    let disabled = home.json(["disabled-commands", "--all"])?;
    ensure!(
        disabled[0]["name"]
            .as_str()
            .is_some_and(|name| name.ends_with("/test"))
            && disabled[0]["disabled-commands"]
                == json!([{ "command-set": "all", "message": "ask Ann first" }]),
        "{disabled:#}"
    );
    // The units themselves go on, and so does who looks.
    home.until_workload("site/0", "active")?;

    // As in Juju: who forces a removal is not held back.
    home.ok(["remove-unit", "site/1", "--force", "--no-prompt"])?;
    home.ok(["enable-command", "all"])?;
    let twice = home.periapt(["enable-command", "all"])?;
    ensure!(twice.code == 3, "{twice:?}");
    home.ok(["remove-application", "site", "--no-prompt"])?;
    home.ok(DESTROY)?;
    Ok(())
}

#[test]
fn what_is_noted_is_shown_and_goes_with_what_it_is_about() -> Result<()> {
    let home = two_sites()?;
    home.ok(["annotate", "site/1", "owner=ann", "rack=7"])?;
    home.ok(["annotate", "site", "team=web"])?;
    home.ok(["annotate", "1", "where=attic"])?;
    home.ok(["annotate", "site/1", "rack=", "owner=bob"])?;
    let table = home.ok(["annotations"])?;
    ensure!(
        table.contains("unit-site-1") && !table.contains("rack"),
        "{table}"
    );
    let of_unit = home.json(["annotations", "site/1"])?;
    ensure!(
        of_unit == json!({ "unit-site-1": { "owner": "bob" } }),
        "{of_unit:#}"
    );
    let nobody = home.periapt(["annotate", "site/9", "owner=ann"])?;
    ensure!(nobody.code == 3, "{nobody:?}");
    home.ok(["remove-unit", "site/1", "--no-prompt"])?;
    home.until("a unit that is gone", |status| {
        status["applications"]["site"]["units"]["site/1"].is_null()
    })?;
    let left = home.json(["annotations"])?;
    ensure!(
        left["application-site"] == json!({ "team": "web" }) && left["unit-site-1"].is_null(),
        "{left:#}"
    );
    Ok(())
}
