//! Where secrets are kept: moved to a Vault and back while they are read, with a token that is replaced, as the
//! Vault goes and comes, and sealed under another key.

use std::process::Child;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use periapt_tests::files::holding;
use periapt_tests::secrets::{is_refused, says, shown};
use periapt_tests::vault::Vault;
use periapt_tests::{Home, PATIENCE, assert_three_lines, charm, kill};
use serde_json::Value;

const READY: &str = "script=start: status active ready";

const VALUE: &str = "kept-somewhere-8812";

/// A home with a unit of `probe` that may read the secret `database`; and its id.
fn home() -> Result<(Home, String)> {
    let home = Home::started()?;
    let probe = charm("probe").display().to_string();
    home.ok(["deploy", &probe, "probe", "--config", READY])?;
    home.until_workload("probe/0", "active")?;
    let value = format!("password={VALUE}");
    let uri = home
        .ok(["add-secret", "database", &value])?
        .trim()
        .to_owned();
    home.ok(["grant-secret", "database", "probe"])?;
    Ok((home, uri))
}

/// Makes a Vault known as `outside`.
fn add(home: &Home, vault: &Vault, more: &[&str]) -> Result<()> {
    // The test has no other place for it that is not searched.
    let elsewhere = tempfile::tempdir()?;
    let file = elsewhere.path().join("token");
    let token = vault.tokens();
    std::fs::write(&file, token.last().context("no token")?)?;
    let (endpoint, token) = (
        format!("endpoint={}", vault.endpoint()),
        format!("token#file={}", file.display()),
    );
    let words = ["add-secret-backend", "outside", "vault", &endpoint, &token];
    home.ok([&words[..], more].concat())?;
    Ok(())
}

fn backend(home: &Home, name: &str) -> Result<Value> {
    Ok(home.json(["secret-backends"])?[name].clone())
}

/// Waits until so many revisions are in the database, and in the Vault.
fn until_kept(home: &Home, internal: u64, outside: u64) -> Result<()> {
    let what = format!("{internal} revisions inside and {outside} outside");
    home.until(&what, |_| {
        home.json(["secret-backends"]).is_ok_and(|all| {
            all["internal"]["secrets"] == internal && all["outside"]["secrets"] == outside
        })
    })?;
    Ok(())
}

fn reads(home: &Home, uri: &str) -> Result<()> {
    let read = says(home, "probe/0", &["secret-get", uri])?;
    ensure!(read == format!("password={VALUE}"), "{read}");
    Ok(())
}

fn until_it_serves(home: &Home) -> Result<()> {
    let started = Instant::now();
    while home.periapt(["models"])?.code != 0 {
        ensure!(
            started.elapsed() < PATIENCE,
            "the controller does not answer"
        );
        std::thread::sleep(Duration::from_millis(100));
    }
    Ok(())
}

/// The controller starts anew, after what `meanwhile` does to what it left.
fn restarted(home: &Home, meanwhile: impl FnOnce() -> Result<()>) -> Result<Child> {
    kill(home.controller_pid()?);
    meanwhile()?;
    let controller = home.restart_controller()?;
    until_it_serves(home)?;
    Ok(controller)
}

#[test]
fn secrets_move_to_a_vault_and_back_and_are_read_at_each_moment() -> Result<()> {
    let (home, uri) = home()?;
    let vault = Vault::started()?;
    for number in 0..6 {
        let (name, value) = (format!("more-{number}"), format!("value=number-{number}"));
        home.ok(["add-secret", &name, &value])?;
        home.ok(["update-secret", &name, &format!("{value}-again")])?;
    }
    let words = ["secret-add", "application", "token=of-a-charm", "label=own"];
    says(&home, "probe/0", &words)?;
    add(&home, &vault, &[])?;
    until_kept(&home, 14, 0)?;
    let unknown = home.periapt(["model-secret-backend", "outsid"])?;
    assert_three_lines(&unknown, 2, &["did you mean \"outside\"?"]);
    ensure!(home.ok(["model-secret-backend"])?.trim() == "auto");

    // There is time to read between one and the next.
    vault.slow_down(Duration::from_millis(200));
    for (wanted, inside, outside) in [("outside", 0, 14), ("auto", 14, 0)] {
        let stop = AtomicBool::new(false);
        std::thread::scope(|scope| -> Result<()> {
            let reader = scope.spawn(|| -> Result<u32> {
                let mut read = 0;
                while !stop.load(Ordering::Relaxed) {
                    reads(&home, &uri)?;
                    let revealed = home.ok(["show-secret", "more-3", "--reveal"])?;
                    ensure!(revealed.contains("number-3-again"), "{revealed}");
                    read += 1;
                }
                Ok(read)
            });
            let moved = home
                .ok(["model-secret-backend", wanted])
                .and_then(|_| until_kept(&home, inside, outside));
            std::thread::sleep(Duration::from_secs(1));
            stop.store(true, Ordering::Relaxed);
            let read = reader.join().map_err(|_| anyhow::anyhow!("the reader"))?;
            moved?;
            ensure!(read? > 0, "nothing was read");
            Ok(())
        })?;
        ensure!(home.ok(["model-secret-backend"])?.trim() == wanted);
        let own = says(&home, "probe/0", &["secret-get", "label=own"])?;
        ensure!(own == "token=of-a-charm", "{own}");
        reads(&home, &uri)?;
        let there = shown(&home, "more-0")?["revisions"][1]["backend"].clone();
        match wanted {
            "outside" => {
                ensure!(vault.contents() == 14 && vault.has(VALUE), "all of it");
                ensure!(there == "outside", "{there}");
                // A new one goes there and nowhere else.
                home.ok(["add-secret", "late", "value=straight-there"])?;
                ensure!(vault.has("straight-there"), "it is there at once");
                home.ok(["remove-secret", "late"])?;
            }
            _ => ensure!(there == "internal", "{there}"),
        }
    }
    // What was moved, and what was removed, is not left behind.
    home.until("the Vault to be empty", |_| vault.contents() == 0)?;
    home.ok(["remove-secret-backend", "outside"])?;
    let all = home.json(["secret-backends"])?;
    ensure!(all["outside"].is_null(), "{all:#}");
    Ok(())
}

#[test]
fn the_token_of_a_vault_is_replaced_in_time_and_written_down_nowhere() -> Result<()> {
    let (home, uri) = home()?;
    let vault = Vault::started()?;
    let often = home.periapt([
        "add-secret-backend",
        "outside",
        "vault",
        &format!("endpoint={}", vault.endpoint()),
        "token=hvs.nobodys",
        "--token-rotate",
        "1m",
    ])?;
    assert_three_lines(&often, 2, &["3600 seconds"]);
    let wrong = home.periapt([
        "add-secret-backend",
        "outside",
        "vault",
        &format!("endpoint={}", vault.endpoint()),
        "token=hvs.nobodys",
    ])?;
    assert_three_lines(&wrong, 1, &["403", "permission denied"]);

    add(&home, &vault, &["--token-rotate", "1h"])?;
    home.ok(["model-secret-backend", "outside"])?;
    until_kept(&home, 0, 1)?;
    let first = vault.tokens();
    // An hour goes by: what is on record of it is all that knows of one.
    let database = home.controller_directory().join("controller.db");
    let mut controller = restarted(&home, || {
        let database = rusqlite::Connection::open(database)?;
        database.busy_timeout(Duration::from_secs(30))?;
        let changed = database.execute("UPDATE secret_backend SET next_token_rotate = 1", [])?;
        ensure!(changed == 1, "{changed} back ends");
        Ok(())
    })?;
    home.until(
        "another token",
        |_| matches!(vault.tokens().as_slice(), [token] if *token != first[0]),
    )?;
    reads(&home, &uri)?;
    home.ok(["update-secret", "database", "password=with-the-new-token"])?;
    ensure!(vault.has("with-the-new-token"), "it is written with it");
    let shown = backend(&home, "outside")?;
    ensure!(
        shown["status"] == "active" && shown["config"]["token"].is_null(),
        "{shown:#}"
    );
    ensure!(vault.tokens().len() == 1, "{:?}", vault.tokens());

    // Also where the key is replaced under which it is sealed.
    home.ok(["rotate-encryption-key"])?;
    reads(&home, &uri)?;
    for token in first.into_iter().chain(vault.tokens()) {
        let found = holding(home.path(), &token, |_| false)?;
        ensure!(found.is_empty(), "{token}: {found:?}");
    }
    kill(home.controller_pid()?);
    controller.wait()?;
    Ok(())
}

#[test]
fn a_vault_that_is_away_fails_hooks_with_a_reason_until_it_is_back() -> Result<()> {
    let (home, uri) = home()?;
    let mut outside = Vault::started()?;
    add(&home, &outside, &[])?;
    home.ok(["model-secret-backend", "outside"])?;
    until_kept(&home, 0, 1)?;
    home.ok(["deploy", &charm("vault").display().to_string(), "vault"])?;
    home.until_workload("vault/0", "active")?;

    outside.stop();
    is_refused(&home, "probe/0", &["secret-get", &uri], "cannot be used")?;
    let add = home.periapt(["add-secret", "another", "value=of-it"])?;
    assert_three_lines(&add, 1, &["outside", "periapt secret-backends"]);
    let shown = backend(&home, "outside")?;
    ensure!(
        shown["status"] == "error" && shown["message"].is_string(),
        "{shown:#}"
    );
    home.ok(["integrate", "vault:credentials", "probe:credentials"])?;
    let message = home.until_hook_error("vault/0")?;
    ensure!(
        message.contains("credentials-relation-created"),
        "{message}"
    );
    let failed = home.ok(["hooks", "vault/0", "--failed"])?;
    ensure!(
        failed.contains("secret back end \"outside\" cannot be used"),
        "{failed}"
    );
    // It is down, then up and sealed, then as it was; nobody has to say so.
    outside.seal(true);
    outside.start()?;
    let sealed = home.periapt(["show-secret", "database", "--reveal"])?;
    assert_three_lines(&sealed, 1, &["Vault is sealed"]);
    outside.seal(false);
    home.until("the credentials to be handed out", |model| {
        let unit = &model["applications"]["vault"]["units"]["vault/0"];
        unit["workload-status"]["message"] == "credentials for 1 application"
    })?;
    reads(&home, &uri)?;
    ensure!(
        backend(&home, "outside")?["status"] == "active",
        "it is well"
    );
    until_kept(&home, 0, 2)?;
    Ok(())
}

#[test]
fn a_vault_in_use_is_given_up_by_force_alone() -> Result<()> {
    let (home, uri) = home()?;
    let mut outside = Vault::started()?;
    add(&home, &outside, &[])?;
    home.ok(["model-secret-backend", "outside"])?;
    until_kept(&home, 0, 1)?;
    let used = home.periapt(["remove-secret-backend", "outside"])?;
    assert_three_lines(&used, 4, &["outside", "--force"]);
    outside.stop();
    home.ok(["remove-secret-backend", "outside", "--force"])?;
    ensure!(home.ok(["model-secret-backend"])?.trim() == "auto");
    let lost = home.periapt(["show-secret", "database", "--reveal"])?;
    assert_three_lines(&lost, 3, &["outside"]);
    is_refused(&home, "probe/0", &["secret-get", &uri], "outside")?;
    // Another value is kept where the model's are from now on.
    home.ok(["update-secret", "database", "password=found-again"])?;
    let read = says(&home, "probe/0", &["secret-get", &uri, "refresh"])?;
    ensure!(read == "password=found-again", "{read}");
    home.ok(["remove-secret", "database"])?;
    Ok(())
}

#[test]
fn another_key_seals_all_and_nothing_is_lost_also_after_a_restart() -> Result<()> {
    let (home, uri) = home()?;
    let words = ["secret-add", "unit", "token=of-a-charm", "label=own"];
    says(&home, "probe/0", &words)?;
    let file = home.controller_directory().join("secrets.key");
    let before = std::fs::read(&file)?;
    let told = home.periapt(["rotate-encryption-key"])?;
    ensure!(
        told.code == 0 && told.err.contains("re-encrypted"),
        "{told:?}"
    );
    let after = std::fs::read(&file)?;
    ensure!(before != after, "the file has another key");
    let all_read = || -> Result<()> {
        reads(&home, &uri)?;
        let own = says(&home, "probe/0", &["secret-get", "label=own"])?;
        ensure!(own == "token=of-a-charm", "{own}");
        let revealed = home.ok(["show-secret", "database", "--reveal"])?;
        ensure!(revealed.contains(VALUE), "{revealed}");
        Ok(())
    };
    all_read()?;
    let mut controller = restarted(&home, || Ok(()))?;
    home.until_workload("probe/0", "active")?;
    all_read()?;
    ensure!(std::fs::read(&file)? == after, "it is the key that it was");
    kill(home.controller_pid()?);
    controller.wait()?;
    Ok(())
}
