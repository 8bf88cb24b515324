//! What a person who comes with Juju's habits types, and gets.

use anyhow::{Context, Result};
use periapt_tests::{Home, assert_three_lines, charm};
use serde_json::Value;

#[test]
fn statuses_limits_and_applications_select_what_they_name() -> Result<()> {
    let home = Home::started()?;
    let file = charm("site").display().to_string();
    home.ok(["deploy", &file, "site", "-n", "2"])?;
    home.until_workload("site/0", "active")?;
    home.until_workload("site/1", "active")?;
    let units = |words: &[&str]| -> Result<usize> {
        let mut line = vec!["status", "--format", "json"];
        line.extend(words);
        let status: Value = serde_json::from_str(&home.ok(line)?)?;
        let site = status["applications"]["site"]["units"].as_object();
        Ok(site.map_or(0, serde_json::Map::len))
    };
    assert_eq!(units(&["active"])?, 2, "`status active` shows active units");
    assert_eq!(units(&["blocked"])?, 0);

    let lines = |words: &[&str]| -> Result<usize> {
        let mut line = vec!["debug-log", "--no-tail", "--level", "TRACE"];
        line.extend(words);
        Ok(home.ok(line)?.lines().count())
    };
    let all = lines(&["--replay"])?;
    assert!(all > 5, "{all} lines");
    assert_eq!(lines(&["--limit", "0"])?, all, "0 is all of them");
    assert_eq!(lines(&["--limit", "100000"])?, all);
    assert_eq!(lines(&["--limit", "3"])?, 3);
    let recent = home.ok(["debug-log", "--no-tail", "--level", "TRACE", "--limit", "1"])?;
    let whole = home.ok(["debug-log", "--no-tail", "--level", "TRACE", "--replay"])?;
    assert_eq!(
        recent.lines().last(),
        whole.lines().last(),
        "the most recent"
    );

    let both = lines(&["--replay", "--include", "site/0,site/1"])?;
    assert!(both > 0);
    assert_eq!(lines(&["--replay", "--include", "site"])?, both);
    for machine in ["0", "machine-0"] {
        assert_eq!(
            lines(&["--replay", "--include", machine])?,
            lines(&["--replay", "--include", "site/0"])?,
            "a machine's lines are those of its units"
        );
    }
    let answer = home.periapt(["debug-log", "--no-tail", "--include", "sitte"])?;
    assert_three_lines(&answer, 2, &["sitte", "did you mean \"site\"?"]);
    Ok(())
}

#[test]
fn what_a_deploy_will_be_refused_for_uploads_nothing() -> Result<()> {
    let home = Home::started()?;
    let file = charm("site").display().to_string();
    home.ok(["deploy", &file, "taken", "-n", "0"])?;
    let charms = || -> Result<Vec<String>> {
        let bundle = home.ok(["export-bundle"])?;
        assert!(bundle.contains("taken"), "{bundle}");
        let answer = home.periapt(["download", "local:site-1", "--filepath", "-"])?;
        Ok((answer.code == 0)
            .then(|| "local:site-1".to_owned())
            .into_iter()
            .collect())
    };
    for (words, code, word) in [
        (
            &["web", "--config", "no-such-file"] as &[&str],
            3,
            "no-such-file",
        ),
        (&["web", "--config", "colour=red"], 2, "colour"),
        (&["web", "--to", "99"], 3, "99"),
        (&["taken"], 4, "taken"),
    ] {
        let mut line = vec!["deploy", &file];
        line.extend(words);
        let answer = home.periapt(&line)?;
        assert_three_lines(&answer, code, &[word]);
        assert!(!answer.err.contains("Uploaded"), "{answer:?}");
        assert!(charms()?.is_empty(), "{words:?}");
    }
    Ok(())
}

#[test]
fn the_dashboard_command_says_where_the_page_is_and_how_to_sign_in() -> Result<()> {
    let home = Home::started()?;
    let shown: Value = serde_json::from_str(&home.ok(["dashboard", "--format", "json"])?)?;
    let url = shown["url"].as_str().context("a URL")?;
    let password = shown["password"].as_str().context("a password")?;
    assert!(
        url.starts_with("https://127.0.0.1:") && url.ends_with('/'),
        "{url}"
    );
    let text = home.ok(["dashboard"])?;
    for part in [url, "admin", password] {
        assert!(text.contains(part), "{text}");
    }
    assert!(
        !home
            .ok(["dashboard", "--hide-credential"])?
            .contains(password)
    );
    // A browser of one's own is given the address and nothing secret.
    let seen = home.path().join("seen");
    let browser = home.path().join("browser");
    std::fs::write(
        &browser,
        format!("#!/bin/sh\necho \"$@\" > {}\n", seen.display()),
    )?;
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o700);
    std::fs::set_permissions(&browser, mode)?;
    let mut command = home.command(["dashboard", "--browser"]);
    assert!(command.env("BROWSER", &browser).output()?.status.success());
    for _ in 0..100 {
        if std::fs::read_to_string(&seen).is_ok_and(|text| text.ends_with('\n')) {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    assert_eq!(std::fs::read_to_string(&seen)?.trim(), url);
    Ok(())
}

#[test]
fn durations_are_gos_everywhere() -> Result<()> {
    let home = Home::started()?;
    home.ok(["model-config", "update-status-hook-interval=1.5m"])?;
    let shown = home.ok(["model-config", "update-status-hook-interval"])?;
    assert!(shown.contains("1.5m"), "{shown}");
    let answer = home.periapt(["model-config", "update-status-hook-interval=5"])?;
    assert_three_lines(&answer, 2, &["update-status-hook-interval"]);
    Ok(())
}

#[test]
fn a_login_that_the_controller_has_forgotten_is_renewed_without_a_word() -> Result<()> {
    let home = Home::started()?;
    let accounts = home.path().join("client/accounts.yaml");
    let before = std::fs::read_to_string(&accounts)?;
    let line = before
        .lines()
        .find(|line| line.trim_start().starts_with("token:"))
        .context("a token")?;
    std::fs::write(&accounts, before.replace(line, "    token: not-a-token"))?;
    home.ok(["status"])?;
    let after = std::fs::read_to_string(&accounts)?;
    assert!(!after.contains("not-a-token"), "the new one is kept");
    Ok(())
}
