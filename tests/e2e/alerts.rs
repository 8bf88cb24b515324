//! Alerts: a unit in error is told to real receivers on this machine, once when it begins and once when it has ended.

use std::io::Read;

use anyhow::{Context, Result, ensure};
use periapt_tests::files::holding;
use periapt_tests::receivers::{MailServer, Webhook};
use periapt_tests::{Home, PATIENCE, assert_three_lines, charm, kill};
use serde_json::Value;

/// With which messages are signed.
const KEY: &str = "hush-hush-hush-of-the-webhook-4471";

/// In the address of the webhook.
const TOKEN: &str = "hush-of-the-address-6120";

/// The password of the mail server.
const PASSWORD: &str = "hush-of-the-mail-server-9035";

/// The user `ann` with it, as `AUTH PLAIN` has it: an empty text, the user, the password, with zeros between them.
const LOGIN: &str = "AGFubgBodXNoLW9mLXRoZS1tYWlsLXNlcnZlci05MDM1";

/// A home with a unit whose hook `start` failed for good.
fn failed() -> Result<Home> {
    let home = Home::started()?;
    home.ok(["model-config", "automatically-retry-hooks=false"])?;
    let probe = charm("probe").display().to_string();
    home.ok([
        "deploy",
        &probe,
        "probe",
        "--config",
        "script=start: fail 1",
    ])?;
    home.until_hook_error("probe/0")?;
    Ok(home)
}

/// A file beside the home's own, which are searched.
fn file(text: &str) -> Result<(tempfile::TempDir, String)> {
    let elsewhere = tempfile::tempdir()?;
    let path = elsewhere.path().join("text");
    std::fs::write(&path, text)?;
    Ok((elsewhere, path.display().to_string()))
}

fn add_webhook(home: &Home, webhook: &Webhook) -> Result<()> {
    let (_kept, key) = file(KEY)?;
    let (_address, url) = file(&format!("{}?token={TOKEN}", webhook.url()))?;
    let (url, key) = (format!("url#file={url}"), format!("key#file={key}"));
    home.ok(["add-alert-receiver", "ops", "webhook", &url, &key])?;
    Ok(())
}

fn add_mail(home: &Home, name: &str, server: &MailServer, more: &[&str]) -> Result<()> {
    let port = format!("port={}", server.port);
    let words = [
        "add-alert-receiver",
        name,
        "email",
        "host=localhost",
        &port,
        "from=periapt@example.com",
        "to=ann@example.com,bob@example.com",
    ];
    home.ok([&words[..], more].concat())?;
    Ok(())
}

fn firing(home: &Home) -> Result<Vec<Value>> {
    let all = home.json(["alerts"])?;
    Ok(all.as_array().cloned().unwrap_or_default())
}

fn until_firing(home: &Home, count: usize) -> Result<Vec<Value>> {
    let started = std::time::Instant::now();
    loop {
        let found = firing(home)?;
        if found.len() == count {
            return Ok(found);
        }
        ensure!(started.elapsed() < PATIENCE, "{count} alerts: {found:#?}");
        std::thread::sleep(std::time::Duration::from_millis(200));
    }
}

/// Takes two minutes: an alert resolves when its condition has been gone for one, and messages are a minute apart.
/// That is time of the controller's own clock, which a whole system has no other than the machine's.
#[test]
fn a_webhook_and_a_mail_server_are_told_of_a_unit_in_error_and_of_its_end() -> Result<()> {
    let home = failed()?;
    let webhook = Webhook::started()?;
    let server = MailServer::started(true, LOGIN)?;
    add_webhook(&home, &webhook)?;
    let (_ca, ca) = file(&server.authority)?;
    let (_password, password) = file(PASSWORD)?;
    let (ca, password) = (
        format!("ca-cert#file={ca}"),
        format!("password#file={password}"),
    );
    add_mail(&home, "ann", &server, &["user=ann", &password, &ca])?;
    let words = ["add-alert-rule", "errors", "unit-error", "0"];
    let receivers = ["--receiver", "ops", "--receiver", "ann"];
    home.ok([&words[..], &receivers[..]].concat())?;

    let found = until_firing(&home, 1)?;
    ensure!(found[0]["subject"] == "unit/probe/0", "{found:?}");
    ensure!(found[0]["model"] == "test", "{found:?}");
    let posted = webhook.until_told("errors", 1, 0)?;
    let timestamp = posted.timestamp.parse()?;
    let signed = periapt_receivers::signature(KEY, timestamp, &posted.body);
    ensure!(posted.signature == signed, "{posted:?}");
    let body = posted.json()?;
    ensure!(body["items"][0]["subject"] == "unit/probe/0", "{body}");
    ensure!(body["controller"] == "tester", "{body}");
    let mail = server.until_mailed("errors: 1 firing")?;
    ensure!(mail.encrypted && mail.login == LOGIN, "{mail:?}");
    ensure!(
        mail.to == ["ann@example.com", "bob@example.com"],
        "{mail:?}"
    );
    ensure!(mail.text.contains("unit/probe/0"), "{mail:?}");

    // What was taken is written down before the controller dies.
    let started = std::time::Instant::now();
    loop {
        let sent = home.json(["alert-deliveries"])?;
        let sent = sent.as_array().cloned().unwrap_or_default();
        if sent.len() == 2 && sent.iter().all(|one| one["state"] == "sent") {
            break;
        }
        ensure!(started.elapsed() < PATIENCE, "{sent:#?}");
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    // A start anew in between tells nothing again, and forgets nothing.
    kill(home.controller_pid()?);
    let mut controller = home.restart_controller()?;
    let started = std::time::Instant::now();
    while home.periapt(["alerts"])?.code != 0 {
        ensure!(
            started.elapsed() < PATIENCE,
            "the controller does not answer"
        );
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    home.ok(["resolved", "probe/0", "--no-retry"])?;
    webhook.until_told("errors", 0, 1)?;
    server.until_mailed("errors: 1 resolved")?;
    let of_rule = |one: &Value| one["rule"] == "errors";
    let told = webhook.posted();
    let told: Vec<Value> = told.iter().map(|one| one.json()).collect::<Result<_>>()?;
    ensure!(
        told.iter().filter(|one| of_rule(one)).count() == 2,
        "{told:#?}"
    );
    ensure!(server.mails().len() == 2, "{:#?}", server.mails());
    until_firing(&home, 0)?;
    let all = home.json(["alerts", "--all"])?;
    ensure!(all[0]["state"] == "resolved", "{all}");
    let deliveries = home.json(["alert-deliveries"])?;
    let deliveries = deliveries.as_array().context("a list")?;
    ensure!(deliveries.len() == 4, "{deliveries:#?}");
    ensure!(
        deliveries.iter().all(|one| one["state"] == "sent"),
        "{deliveries:#?}"
    );
    kill(home.controller_pid()?);
    controller.wait()?;
    Ok(())
}

#[test]
fn a_receiver_is_tested_and_says_why_it_takes_nothing() -> Result<()> {
    let home = Home::started()?;
    let webhook = Webhook::started()?;
    add_webhook(&home, &webhook)?;
    home.ok(["test-alert-receiver", "ops"])?;
    webhook.until_told("test", 0, 0)?;
    webhook.refuse(true);
    let refused = home.periapt(["test-alert-receiver", "ops"])?;
    ensure!(
        refused.code != 0 && refused.err.contains("answers 503"),
        "{refused:?}"
    );
    let unknown = home.periapt(["test-alert-receiver", "opps"])?;
    ensure!(unknown.code != 0, "{unknown:?}");
    ensure!(unknown.err.contains("did you mean \"ops\"?"), "{unknown:?}");

    let plain = MailServer::started(false, "")?;
    add_mail(&home, "plain", &plain, &["encryption=none"])?;
    home.ok(["test-alert-receiver", "plain"])?;
    let mail = plain.until_mailed("test")?;
    ensure!(
        !mail.encrypted && mail.from == "periapt@example.com",
        "{mail:?}"
    );
    // One that cannot encrypt gets nothing that was to be encrypted.
    let (_ca, ca) = file(&MailServer::started(true, "")?.authority)?;
    let other = format!("ca-cert#file={ca}");
    add_mail(&home, "downgraded", &plain, &[&other])?;
    let refused = home.periapt(["test-alert-receiver", "downgraded"])?;
    ensure!(refused.code != 0, "{refused:?}");
    ensure!(plain.mails().len() == 1, "{:?}", plain.mails());

    let encrypted = MailServer::started(true, LOGIN)?;
    // Of another authority than the one that is trusted.
    add_mail(&home, "stranger", &encrypted, &[&other])?;
    let refused = home.periapt(["test-alert-receiver", "stranger"])?;
    ensure!(refused.code != 0, "{refused:?}");
    let (_ca, own) = file(&encrypted.authority)?;
    let own = format!("ca-cert#file={own}");
    let wrong = ["user=ann", "password=some-other-word", &own];
    add_mail(&home, "mistyped", &encrypted, &wrong)?;
    let refused = home.periapt(["test-alert-receiver", "mistyped"])?;
    ensure!(
        refused.code != 0 && refused.err.contains("who are you?"),
        "{refused:?}"
    );
    ensure!(encrypted.mails().is_empty(), "{:?}", encrypted.mails());
    let deliveries = home.json(["alert-deliveries", "--receiver", "mistyped"])?;
    ensure!(deliveries[0]["state"] == "failed", "{deliveries}");
    Ok(())
}

#[test]
fn keys_and_passwords_of_receivers_are_in_no_file_no_list_and_no_backup() -> Result<()> {
    let home = Home::started()?;
    home.ok(["controller-config", "audit-log-capture-args=true"])?;
    home.ok(["model-config", "logging-config=<root>=TRACE"])?;
    let webhook = Webhook::started()?;
    let server = MailServer::started(true, LOGIN)?;
    add_webhook(&home, &webhook)?;
    let (_ca, ca) = file(&server.authority)?;
    let (_password, password) = file(PASSWORD)?;
    let (ca, password) = (
        format!("ca-cert#file={ca}"),
        format!("password#file={password}"),
    );
    add_mail(&home, "ann", &server, &["user=ann", &password, &ca])?;
    for receiver in ["ops", "ann"] {
        home.ok(["test-alert-receiver", receiver])?;
    }
    // Under another key of the controller they are opened as before.
    home.ok(["rotate-encryption-key"])?;
    for receiver in ["ops", "ann"] {
        home.ok(["test-alert-receiver", receiver])?;
    }
    let backup = home.path().join("lab.zip");
    home.ok(["create-backup", &backup.display().to_string()])?;
    let printed = [
        home.ok(["alert-receivers", "--format", "json"])?,
        home.ok(["alert-deliveries", "--format", "json"])?,
        home.ok(["audit", "--format", "json"])?,
        home.log()?,
    ];
    // A backup is compressed.
    let mut kept = Vec::new();
    let mut archive = zip::ZipArchive::new(std::fs::File::open(&backup)?)?;
    for index in 0..archive.len() {
        archive.by_index(index)?.read_to_end(&mut kept)?;
    }
    ensure!(kept.windows(14).any(|part| part == b"alert_receiver"));
    for secret in [KEY, TOKEN, PASSWORD, LOGIN] {
        let inside = kept
            .windows(secret.len())
            .any(|part| part == secret.as_bytes());
        ensure!(!inside, "{secret} is in the backup");
        for text in &printed {
            ensure!(!text.contains(secret), "{text}");
        }
        let found = holding(home.path(), secret, |_| false)?;
        ensure!(found.is_empty(), "{secret}: {found:?}");
    }
    Ok(())
}

#[test]
fn an_alert_is_acknowledged_and_rules_are_silenced_and_removed() -> Result<()> {
    let home = failed()?;
    home.ok(["add-alert-rule", "errors", "unit-error", "0", "-m", "test"])?;
    let found = until_firing(&home, 1)?;
    let id = found[0]["id"].to_string();
    home.ok(["acknowledge-alert", &id])?;
    ensure!(firing(&home)?[0]["acknowledged-by"] == "admin");
    let silenced = home.periapt(["silence-alert-rule", "errors", "2h"])?;
    ensure!(silenced.code == 0, "{silenced:?}");
    let rules = home.json(["alert-rules"])?;
    ensure!(rules[0]["silenced-until"].is_string(), "{rules}");
    ensure!(
        rules[0]["model"] == "test" && rules[0]["firing"] == 1,
        "{rules}"
    );
    home.ok(["remove-alert-rule", "errors"])?;
    ensure!(firing(&home)?.is_empty());
    let unread = home.periapt(["add-alert-rule", "errors", "unit-eror", "5m"])?;
    assert_three_lines(&unread, unread.code, &["did you mean \"unit-error\"?"]);
    ensure!(unread.code != 0, "{unread:?}");
    Ok(())
}
