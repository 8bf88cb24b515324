//! Secrets of people and of charms: read by whom they were granted, heard of when they change, and of nobody
//! else afterwards.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use periapt_tests::files::holding;
use periapt_tests::secrets::{committed, is_refused, revisions, says, shown, until_committed};
use periapt_tests::{Home, PATIENCE, account, assert_three_lines, charm};
use serde_json::{Value, json};

const READY: &str = "script=start: status active ready";

fn deploy(home: &Home, charm_name: &str, name: &str, more: &[&str]) -> Result<()> {
    let file = charm(charm_name).display().to_string();
    home.ok([&["deploy", &file, name], more].concat())?;
    home.until_workload(&format!("{name}/0"), "active")?;
    Ok(())
}

/// A home with a unit of each of these applications, all of the charm `probe`.
fn probes(names: &[&str]) -> Result<Home> {
    let home = Home::started()?;
    for name in names {
        deploy(&home, "probe", name, &["--config", READY])?;
    }
    Ok(home)
}

/// The name by which a unit knows its relation at an endpoint, once somebody is there.
fn relation(home: &Home, unit: &str, endpoint: &str) -> Result<String> {
    let joined = || -> Result<u64> {
        let shown = home.json(["show-unit", unit])?;
        let all = shown[unit]["relation-info"].as_array();
        let found = all.context("no relations")?.iter().find(|one| {
            let others = one["related-units"].as_object();
            one["endpoint"] == endpoint && others.is_some_and(|units| !units.is_empty())
        });
        found
            .and_then(|one| one["relation-id"].as_u64())
            .context("nobody is there")
    };
    home.until(&format!("{unit} to meet somebody at {endpoint}"), |_| {
        joined().is_ok()
    })?;
    Ok(format!("{endpoint}:{}", joined()?))
}

fn owned(home: &Home, owner: &str) -> Result<Vec<Value>> {
    let all = home.json(["secrets", "--owner", owner])?;
    let all = all.as_object().context("no list of secrets")?;
    Ok(all.values().cloned().collect())
}

#[test]
fn a_persons_secret_is_read_by_whom_it_is_granted_until_it_is_taken_back() -> Result<()> {
    let home = probes(&["probe"])?;
    let file = home.path().join("password");
    std::fs::write(&file, "first")?;
    let password = format!("password#file={}", file.display());
    let words = [
        "add-secret",
        "database",
        &password,
        "username=ann",
        "--info",
        "of the shop",
    ];
    let uri = home.ok(words)?.trim().to_owned();
    ensure!(uri.starts_with("secret:"), "{uri}");
    let again = home.periapt(["add-secret", "database", "password=other"])?;
    assert_three_lines(&again, 4, &["database"]);
    let nothing = home.periapt(["add-secret", "empty"])?;
    assert_three_lines(&nothing, 2, &["password#file="]);

    let get = ["secret-get", uri.as_str()];
    is_refused(&home, "probe/0", &get, "may not read")?;
    let nobody = home.periapt(["grant-secret", "database", "prob"])?;
    assert_three_lines(&nobody, 3, &["prob"]);
    home.ok(["grant-secret", "database", "probe"])?;
    ensure!(says(&home, "probe/0", &get)? == "password=first\nusername=ann");
    let secret = shown(&home, "database")?;
    ensure!(
        secret["access"]
            == json!([{ "target": "application-probe", "scope": "model-test", "role": "view" }])
            && secret["owner"] == "<model>"
            && secret["description"] == "of the shop"
            && secret["revisions"][0]["readers"] == json!(["probe/0"]),
        "{secret:#}"
    );

    // The unit hears of another revision, and is on the one it read until it asks for the new one.
    home.ok(["update-secret", "database", "password=second"])?;
    home.ok(["update-secret", "database", "password=second"])?;
    ensure!(revisions(&home, "database")? == [1, 2]);
    until_committed(&home, "probe/0", "secret-changed", 1)?;
    let asked = |mode| says(&home, "probe/0", &["secret-get", uri.as_str(), mode]);
    ensure!(asked("kept")? == "password=first\nusername=ann");
    ensure!(asked("peek")? == "password=second");
    ensure!(asked("kept")? == "password=first\nusername=ann");
    ensure!(asked("refresh")? == "password=second");
    ensure!(asked("kept")? == "password=second");
    ensure!(committed(&home, "probe/0", "secret-changed")? == 1);

    // Nobody is on the first any more.
    home.ok(["update-secret", "database", "--auto-prune"])?;
    ensure!(revisions(&home, "database")? == [2]);
    home.ok(["update-secret", "database", "--name", "databases"])?;
    assert_three_lines(
        &home.periapt(["show-secret", "database"])?,
        3,
        &["did you mean \"databases\"?"],
    );

    home.ok(["revoke-secret", "databases", "probe"])?;
    is_refused(&home, "probe/0", &get, "may not read")?;
    home.ok(["grant-secret", "databases", "probe"])?;
    home.ok(["remove-secret", "databases"])?;
    is_refused(&home, "probe/0", &get, "not found")?;
    ensure!(home.json(["secrets"])? == json!({}));
    home.until_workload("probe/0", "active")?;
    Ok(())
}

#[test]
fn who_saw_a_value_is_on_record_and_the_value_is_nowhere() -> Result<()> {
    const VALUE: &str = "four-unlikely-words-5093";
    let home = Home::started()?;
    home.ok(["controller-config", "audit-log-capture-args=true"])?;
    // Out of reach of the search, as a person's own files are.
    let elsewhere = tempfile::tempdir()?;
    let file = elsewhere.path().join("values.yaml");
    std::fs::write(&file, format!("password: {VALUE}\n"))?;
    let file = file.display().to_string();

    let told = tokio::runtime::Runtime::new()?.block_on(async {
        let client = account::client(&home).await?;
        let mut events = client.events(Some("test"), None).await?;
        home.ok(["add-secret", "database", "--file", &file])?;
        home.ok(["update-secret", "database", "again=more", "--file", &file])?;
        let revealed = home.ok(["show-secret", "database", "--reveal", "--revision", "1"])?;
        ensure!(revealed.contains(VALUE), "{revealed}");
        home.ok(["add-secret", "another", "--file", &file])?;
        home.ok(["remove-secret", "another"])?;
        let mut told = Vec::new();
        let mut gone = false;
        while !gone {
            let next = tokio::time::timeout(PATIENCE, events.next());
            let message = next.await?.context("the stream ends")??;
            let event: Value = message.json()?;
            gone = event["kind"] == "secret" && event["entity"].is_null();
            told.push(message.data);
        }
        anyhow::Ok(told)
    })?;
    ensure!(
        told.iter()
            .any(|data| data.contains("\"label\":\"database\"")),
        "{told:#?}"
    );
    let audit = home.ok(["audit"])?;
    ensure!(audit.contains("revealed secret"), "{audit}");
    let mut printed = told;
    for arguments in [
        &["audit", "--format", "json"][..],
        &["hooks", "--format", "json"],
        &["debug-log", "--replay", "--no-tail", "--level", "TRACE"],
        &["secrets", "--format", "json"],
        &["show-secret", "database", "--revisions"],
    ] {
        printed.push(home.ok(arguments)?);
    }
    for text in printed {
        ensure!(!text.contains(VALUE), "{text}");
    }
    // The controller's directory and the client's.
    let found = holding(home.path(), VALUE, |_| false)?;
    ensure!(found.is_empty(), "{found:?}");
    Ok(())
}

#[test]
fn a_charms_secret_is_read_at_the_other_end_for_as_long_as_the_relation_is_there() -> Result<()> {
    let home = probes(&["owner", "reader"])?;
    home.ok(["integrate", "owner:downstream", "reader:upstream"])?;
    let there = relation(&home, "owner/0", "downstream")?;
    let words = ["secret-add", "application", "token=first", "label=api"];
    let uri = says(&home, "owner/0", &words)?;
    let get = ["secret-get", uri.as_str()];
    is_refused(&home, "reader/0", &get, "may not read")?;
    says(&home, "owner/0", &["secret-grant", &uri, &there])?;
    ensure!(says(&home, "reader/0", &get)? == "token=first");
    let not_ours = home.periapt(["update-secret", &uri, "token=mine"])?;
    assert_three_lines(&not_ours, 4, &["owner"]);

    says(&home, "owner/0", &["secret-set", &uri, "token=second"])?;
    until_committed(&home, "reader/0", "secret-changed", 1)?;
    let asked = |mode| says(&home, "reader/0", &["secret-get", uri.as_str(), mode]);
    ensure!(asked("kept")? == "token=first");
    ensure!(asked("peek")? == "token=second");
    ensure!(asked("kept")? == "token=first");
    // Its owner reads the newest, and finds it by its label.
    ensure!(says(&home, "owner/0", &["secret-get", "label=api"])? == "token=second");
    ensure!(committed(&home, "owner/0", "secret-remove")? == 0);
    ensure!(asked("refresh")? == "token=second");
    until_committed(&home, "owner/0", "secret-remove", 1)?;
    says(&home, "owner/0", &["secret-remove", &uri, "1"])?;
    ensure!(revisions(&home, &uri)? == [2]);

    says(&home, "owner/0", &["secret-revoke", &uri, &there])?;
    is_refused(&home, "reader/0", &get, "may not read")?;
    // To one unit alone.
    says(
        &home,
        "owner/0",
        &["secret-grant", &uri, &there, "reader/0"],
    )?;
    ensure!(says(&home, "reader/0", &get)? == "token=second");
    let access = shown(&home, &uri)?["access"].clone();
    ensure!(access[0]["target"] == "unit-reader-0", "{access:#}");
    home.ok(["remove-relation", "owner", "reader"])?;
    home.until("the grant to go with the relation", |_| {
        shown(&home, &uri).is_ok_and(|secret| secret["access"].is_null())
    })?;
    is_refused(&home, "reader/0", &get, "may not read")?;
    home.ok(["remove-application", "owner", "--no-prompt"])?;
    home.until("the secret to go with its owner", |_| {
        home.json(["secrets"]).is_ok_and(|all| all == json!({}))
    })?;
    Ok(())
}

#[test]
fn a_secret_that_expires_is_its_owners_to_replace_at_that_moment() -> Result<()> {
    let home = probes(&["probe"])?;
    let words = ["secret-add", "unit", "token=brief", "expires=3"];
    let uri = says(&home, "probe/0", &words)?;
    let secret = shown(&home, &uri)?;
    ensure!(
        secret["owner"] == "probe/0" && secret["expires"].is_string(),
        "{secret:#}"
    );
    until_committed(&home, "probe/0", "secret-expired", 1)?;
    // Nothing is removed but by the charm, which hears of it again later and not at once.
    std::thread::sleep(Duration::from_secs(2));
    ensure!(committed(&home, "probe/0", "secret-expired")? == 1);
    ensure!(says(&home, "probe/0", &["secret-get", &uri])? == "token=brief");
    says(&home, "probe/0", &["secret-set", &uri, "token=lasting"])?;
    says(&home, "probe/0", &["secret-remove", &uri, "1"])?;
    ensure!(revisions(&home, &uri)? == [2]);
    ensure!(says(&home, "probe/0", &["secret-ids"])? == uri);
    ensure!(home.log()?.contains("hook secret-expired"));
    Ok(())
}

#[test]
fn two_applications_have_credentials_that_the_other_cannot_read() -> Result<()> {
    let home = probes(&["blog", "shop"])?;
    deploy(&home, "vault", "vault", &[])?;
    for application in ["blog", "shop"] {
        let other = format!("{application}:credentials");
        home.ok(["integrate", "vault:credentials", &other])?;
    }
    home.until("credentials for both", |model| {
        let unit = &model["applications"]["vault"]["units"]["vault/0"];
        unit["workload-status"]["message"] == "credentials for 2 applications"
            && unit["juju-status"]["current"] == "idle"
    })?;
    let all = home.json(["secrets", "--owner", "vault"])?;
    let all = all.as_object().context("no list of secrets")?;
    ensure!(all.len() == 2, "{all:#?}");
    for (id, secret) in all {
        ensure!(
            secret["rotation"] == "daily" && secret["rotates"].is_string(),
            "{secret:#}"
        );
        let to = secret["access"][0]["target"].as_str().unwrap_or_default();
        let (own, other) = match to {
            "application-blog" => ("blog", "shop/0"),
            "application-shop" => ("shop", "blog/0"),
            _ => anyhow::bail!("{secret:#}"),
        };
        let values = says(&home, &format!("{own}/0"), &["secret-get", id])?;
        ensure!(values.contains(&format!("username={own}")), "{values}");
        is_refused(&home, other, &["secret-get", id], "may not read")?;
    }
    home.ok(["remove-relation", "vault", "blog"])?;
    home.until("the credentials of one to go", |_| {
        owned(&home, "vault").is_ok_and(|all| all.len() == 1)
    })?;
    let left = owned(&home, "vault")?;
    ensure!(
        left[0]["access"][0]["target"] == "application-shop",
        "{left:#?}"
    );
    Ok(())
}
