//! A private key that a person gave the controller is in no file beside the database and in nothing
//! that the program prints. The values of secrets are in no file at all.

use anyhow::{Context, Result, ensure};
use periapt_tests::files::holding;
use periapt_tests::{Home, charm};

const SECRET: &str = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC";

#[test]
fn a_private_key_is_printed_by_nothing_and_written_to_no_file() -> Result<()> {
    let home = Home::started()?;
    home.ok(["controller-config", "audit-log-capture-args=true"])?;
    home.ok(["model-config", "logging-config=<root>=TRACE"])?;
    let key = format!("syslog-client-key=-----BEGIN PRIVATE KEY-----\n{SECRET}\n");
    home.ok([
        "model-config",
        &key,
        "syslog-ca-cert=not a certificate",
        "syslog-host=127.0.0.1:9",
        "logforward-enabled=true",
    ])?;
    home.ok(["deploy", &charm("site").display().to_string()])?;
    home.until_workload("site/0", "active")?;

    let wrong = home.periapt(["model-config", &key, "nonsense=1"])?;
    ensure!(wrong.code == 2, "{wrong:?}");
    ensure!(wrong.err.contains("periapt model-config"), "{}", wrong.err);
    let mut printed = vec![wrong.out, wrong.err];
    for arguments in [
        &["model-config"][..],
        &["model-config", "--format", "json"],
        &["model-config", "syslog-client-key"],
        &["audit", "--all", "--format", "json"],
        &["debug-log", "--replay", "--no-tail", "--level", "TRACE"],
        &["export-bundle"],
        &["status", "--format", "json"],
        &["workers"],
    ] {
        printed.push(home.ok(arguments)?);
    }
    ensure!(printed[2].contains("(set, never shown)"), "{}", printed[2]);
    for text in printed {
        ensure!(!text.contains(SECRET), "{text}");
    }
    let database = |name: &str| name.starts_with("controller.db");
    let found = holding(home.path(), SECRET, database)?;
    ensure!(found.is_empty(), "{found:?}");
    Ok(())
}

/// One that a person adds, and one that a charm makes for itself: neither is in the database, in a file of the
/// controller or of an agent, in a log, or in what the program prints to who did not ask for it.
#[test]
fn the_values_of_secrets_are_in_no_file_and_no_list() -> Result<()> {
    const VALUE: &str = "correct-horse-battery-staple-7261";
    let home = Home::started()?;
    home.ok(["controller-config", "audit-log-capture-args=true"])?;
    home.ok(["model-config", "logging-config=<root>=TRACE"])?;
    home.ok(["deploy", &charm("registry").display().to_string()])?;
    home.until_workload("registry/0", "active")?;
    // Out of reach of the search, as with a person's own files.
    let elsewhere = tempfile::tempdir()?;
    let file = elsewhere.path().join("values.yaml");
    std::fs::write(&file, format!("password: {VALUE}\n"))?;
    let file = file.display().to_string();
    home.ok(["add-secret", "database", "--file", &file])?;
    home.ok(["grant-secret", "database", "registry"])?;
    let again = elsewhere.path().join("again.yaml");
    std::fs::write(&again, format!("password: again-{VALUE}\n"))?;
    let again = again.display().to_string();
    home.ok(["update-secret", "database", "--file", &again])?;
    let revealed = home.ok(["show-secret", "database", "--reveal", "--revision", "1"])?;
    ensure!(revealed.contains(VALUE), "{revealed}");

    let of_charm = home.json(["secrets", "--owner", "registry"])?;
    let of_charm = of_charm.as_object().and_then(|all| all.keys().next());
    let of_charm = of_charm.context("the charm has no secret")?.clone();
    let token = home.json(["show-secret", &of_charm, "--reveal"])?;
    let token = token[&of_charm]["content"]["Data"].as_object();
    let token = token.and_then(|content| content.values().next()?.as_str());
    let token = token.context("the charm's secret has no value")?.to_owned();
    ensure!(token.len() > 8, "{token}");

    home.ok(["rotate-encryption-key"])?;
    let again = home.ok(["show-secret", "database", "--reveal", "--revision", "1"])?;
    ensure!(again.contains(VALUE), "{again}");
    let mut printed = Vec::new();
    for arguments in [
        &["secrets", "--format", "json"][..],
        &["show-secret", "database", "--format", "json"],
        &["audit", "--all", "--format", "json"],
        &["debug-log", "--replay", "--no-tail", "--level", "TRACE"],
        &["hooks", "--format", "json"],
        &["export-bundle"],
        &["status", "--format", "json"],
        &["workers"],
    ] {
        printed.push(home.ok(arguments)?);
    }
    for secret in [VALUE, token.as_str()] {
        for text in &printed {
            ensure!(!text.contains(secret), "{text}");
        }
        let found = holding(home.path(), secret, |_| false)?;
        ensure!(found.is_empty(), "{found:?}");
    }
    Ok(())
}
