//! Every command that README, tutorial and how-to pages show is run as shown.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use periapt_tests::receivers::{MailServer, Webhook};
use periapt_tests::vault::Vault;
use periapt_tests::{charm, charm_with, program, root};

/// The `sh` blocks of a page, in order.
fn blocks(page: &Path) -> Result<Vec<String>> {
    blocks_in(page, "sh")
}

/// The blocks of a page in one language, in order.
fn blocks_in(page: &Path, language: &str) -> Result<Vec<String>> {
    let fence = format!("```{language}");
    let text = std::fs::read_to_string(page).with_context(|| page.display().to_string())?;
    let mut blocks = Vec::new();
    let mut open: Option<String> = None;
    for line in text.lines() {
        match (&mut open, line) {
            (None, line) if line == fence => open = Some(String::new()),
            (Some(block), "```") => {
                blocks.push(std::mem::take(block));
                open = None;
            }
            (Some(block), line) => {
                block.push_str(line);
                block.push('\n');
            }
            (None, _) => {}
        }
    }
    Ok(blocks)
}

/// Runs a script with `periapt` on the path and a client directory of its own.
fn run(script: &str, directory: &Path, home: &Path) -> Result<String> {
    let mut path = vec![
        program()
            .parent()
            .map(Path::to_path_buf)
            .unwrap_or_default(),
    ];
    path.extend(std::env::split_paths(
        &std::env::var_os("PATH").unwrap_or_default(),
    ));
    let output = Command::new("bash")
        .args(["-euo", "pipefail", "-c", script])
        .current_dir(directory)
        .env("PATH", std::env::join_paths(path)?)
        .env("PERIAPT_DATA", home.join("client"))
        .output()?;
    let text = format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    for controller in ["home", "lab"] {
        // Gone already, unless the script failed half-way.
        let _ = Command::new(program())
            .args([
                "destroy-controller",
                controller,
                "--destroy-all-models",
                "--destroy-storage",
                "--force",
                "--no-prompt",
            ])
            .env("PERIAPT_DATA", home.join("client"))
            .output();
    }
    anyhow::ensure!(output.status.success(), "{script}\n{text}");
    Ok(text)
}

fn home() -> Result<(tempfile::TempDir, PathBuf)> {
    let home = tempfile::Builder::new().prefix("periapt-test-").tempdir()?;
    let path = home.path().to_path_buf();
    Ok((home, path))
}

#[test]
fn the_readme_works_as_written() -> Result<()> {
    let (_kept, home) = home()?;
    let blocks = blocks(&root().join("README.md"))?;
    let [demo, test, use_it] = blocks.as_slice() else {
        anyhow::bail!("README.md has the two commands and one session, found {blocks:#?}");
    };
    assert_eq!(demo, "cargo xtask demo\n");
    assert_eq!(test, "cargo xtask test\n");
    let ci = std::fs::read_to_string(root().join(".ci/run"))?;
    assert!(
        ci.contains("cargo xtask test"),
        "CI runs what the README says"
    );
    let demo = run("cargo xtask demo --once", &root(), &home)?;
    assert!(
        demo.contains("Settled in") && demo.contains("active") && demo.contains("Password"),
        "{demo}"
    );
    let browse = demo.lines().find_map(|line| line.strip_prefix("Browse"));
    assert!(
        browse.is_some_and(|line| line.trim().starts_with("http://front.demo.localhost:")),
        "{demo}"
    );
    let session = run(use_it, &root(), &home)?;
    assert!(session.contains("site/1"), "{session}");
    Ok(())
}

#[test]
fn the_tutorial_works_as_written() -> Result<()> {
    let (_kept, home) = home()?;
    let script = blocks(&root().join("docs/tutorial.md"))?.join("\n");
    let shown = run(&script, &home, &home)?;
    assert!(
        shown.contains("hello/0") && shown.contains("active"),
        "{shown}"
    );
    Ok(())
}

#[test]
fn the_page_about_writing_a_charm_works_as_written() -> Result<()> {
    let (_kept, home) = home()?;
    let script = blocks(&root().join("docs/how-to/write-a-charm.md"))?.join("\n");
    let shown = run(&script, &home, &home)?;
    for wanted in [
        "The charm matches its declarations",
        "Published ring revision 0 to channel stable",
        "ring/2",
    ] {
        anyhow::ensure!(shown.contains(wanted), "{wanted}: {shown}");
    }
    Ok(())
}

#[test]
fn the_curl_page_works_as_written() -> Result<()> {
    let (_kept, home) = home()?;
    std::fs::copy(charm("site"), home.join("site.charm"))?;
    let script = blocks(&root().join("docs/how-to/automate-with-curl.md"))?.join("\n");
    let shown = run(&script, &home, &home)?;
    assert!(
        shown.contains("local:site-0") && shown.contains("My shop"),
        "{shown}"
    );
    Ok(())
}

#[test]
fn the_python_page_works_as_written() -> Result<()> {
    let (_kept, home) = home()?;
    std::fs::copy(charm("site"), home.join("site.charm"))?;
    let page = root().join("docs/how-to/automate-with-python.md");
    std::fs::write(home.join("deploy.py"), blocks_in(&page, "python")?.concat())?;
    let shown = run(&blocks(&page)?.join("\n"), &home, &home)?;
    assert!(
        shown.contains("'site/0': 'active'")
            && shown.contains("added ['site/2']")
            && shown.contains("'units': ['site/0', 'site/1', 'site/2']"),
        "{shown}"
    );
    Ok(())
}

#[test]
fn the_page_about_relations_works_as_written() -> Result<()> {
    let (_kept, home) = home()?;
    for name in ["site", "front", "log-shipper"] {
        let file = format!("{name}.charm");
        std::fs::copy(charm(name), home.join(&file)).with_context(|| file.clone())?;
    }
    let script = blocks(&root().join("docs/how-to/relate-applications.md"))?.join("\n");
    let shown = run(&script, &home, &home)?;
    for wanted in ["Integration provider", "relation-info", "  log-shipper/0"] {
        anyhow::ensure!(shown.contains(wanted), "{wanted}: {shown}");
    }
    Ok(())
}

#[test]
fn the_page_about_serving_works_as_written() -> Result<()> {
    let (_kept, home) = home()?;
    for name in ["site", "front"] {
        std::fs::copy(charm(name), home.join(format!("{name}.charm")))?;
    }
    let script = blocks(&root().join("docs/how-to/serve-a-web-page.md"))?.join("\n");
    let shown = run(&script, &home, &home)?;
    for wanted in [
        "Handbook",
        "active",
        "periapt expose docs",
        "<h1>Hello</h1>",
    ] {
        anyhow::ensure!(shown.contains(wanted), "{wanted}: {shown}");
    }
    Ok(())
}

#[test]
fn the_page_about_exposing_works_as_written() -> Result<()> {
    let (_kept, home) = home()?;
    std::fs::copy(charm("site"), home.join("site.charm"))?;
    let script = blocks(&root().join("docs/how-to/expose.md"))?.join("\n");
    let shown = run(&script, &home, &home)?;
    for wanted in ["expose-to-cidrs", "192.168.0.0/16", "docs is not exposed"] {
        anyhow::ensure!(shown.contains(wanted), "{wanted}: {shown}");
    }
    Ok(())
}

#[test]
fn the_page_about_actions_works_as_written() -> Result<()> {
    let (_kept, home) = home()?;
    std::fs::copy(charm("site"), home.join("site.charm"))?;
    let script = blocks(&root().join("docs/how-to/actions.md"))?.join("\n");
    let shown = run(&script, &home, &home)?;
    for wanted in [
        "title-suffix",
        "built about.html",
        "refused, as it should be",
        "site/index.html",
        "cancelled",
    ] {
        anyhow::ensure!(shown.contains(wanted), "{wanted}: {shown}");
    }
    Ok(())
}

#[test]
fn the_page_about_blocks_and_annotations_works_as_written() -> Result<()> {
    let (_kept, home) = home()?;
    std::fs::copy(charm("site"), home.join("site.charm"))?;
    let script = blocks(&root().join("docs/how-to/blocks-and-annotations.md"))?.join("\n");
    let shown = run(&script, &home, &home)?;
    for wanted in [
        "remove-object is disabled in this model: ask Ann first",
        "refused, as it should be",
        "not today",
        "command-set: all",
        "Ann, extension 12",
        "Nothing is noted.",
    ] {
        anyhow::ensure!(shown.contains(wanted), "{wanted}: {shown}");
    }
    Ok(())
}

#[test]
fn the_page_about_constraints_and_scale_works_as_written() -> Result<()> {
    let (_kept, home) = home()?;
    std::fs::copy(charm("site"), home.join("site.charm"))?;
    let script = blocks(&root().join("docs/how-to/constraints-and-scale.md"))?.join("\n");
    let shown = run(&script, &home, &home)?;
    for wanted in [
        "cores=1 mem=256M",
        "constraints cannot be met: cores=100000",
        "site/2",
        "Controller",
        "the disk is nearly full",
        "validity-check: valid",
        "local:site-0",
        "wasi@0.2",
    ] {
        anyhow::ensure!(shown.contains(wanted), "{wanted}: {shown}");
    }
    Ok(())
}

#[test]
fn the_page_about_machines_works_as_written() -> Result<()> {
    let (_kept, home) = home()?;
    std::fs::copy(charm("site"), home.join("site.charm"))?;
    let script = blocks(&root().join("docs/how-to/reboot-and-machines.md"))?.join("\n");
    let shown = run(&script, &home, &home)?;
    for wanted in [
        "machine-action-runner",
        "site/0",
        "refused, as it should be",
        "df run on machine-0",
        "the machine reboots once its units are between hooks",
    ] {
        anyhow::ensure!(shown.contains(wanted), "{wanted}: {shown}");
    }
    Ok(())
}

#[test]
fn the_page_about_resources_works_as_written() -> Result<()> {
    let (_kept, home) = home()?;
    std::fs::copy(charm("site"), home.join("site.charm"))?;
    let script = blocks(&root().join("docs/how-to/resources.md"))?.join("\n");
    let shown = run(&script, &home, &home)?;
    for wanted in ["teal", "refused, as it should be", "theme.css", "navy"] {
        anyhow::ensure!(shown.contains(wanted), "{wanted}: {shown}");
    }
    Ok(())
}

#[test]
fn the_page_about_secrets_works_as_written() -> Result<()> {
    let (_kept, home) = home()?;
    for name in ["probe", "vault"] {
        std::fs::copy(charm(name), home.join(format!("{name}.charm")))?;
    }
    let vault = Vault::started()?;
    std::fs::write(home.join("vault-token"), vault.tokens().concat())?;
    let script = blocks(&root().join("docs/how-to/secrets.md"))?.join("\n");
    // One that is there, instead of the one that readers have.
    let theirs = "https://vault.example:8200";
    anyhow::ensure!(script.contains(theirs), "{script}");
    let shown = run(&script.replace(theirs, &vault.endpoint()), &home, &home)?;
    for wanted in [
        "of the shop's database",
        "password=correct horse",
        "password=battery staple",
        "revealed secret",
        "refused, as it should be",
        "daily",
        "re-encrypted",
        "hq",
    ] {
        anyhow::ensure!(shown.contains(wanted), "{wanted}: {shown}");
    }
    Ok(())
}

#[test]
fn the_page_about_alerts_works_as_written() -> Result<()> {
    let (_kept, home) = home()?;
    std::fs::copy(charm("site"), home.join("site.charm"))?;
    let webhook = Webhook::started()?;
    let server = MailServer::started(true, "")?;
    std::fs::write(home.join("mail-ca.pem"), &server.authority)?;
    let mut script = blocks(&root().join("docs/how-to/alerts.md"))?.join("\n");
    // Those that are there, instead of those that readers have.
    let (url, port) = (webhook.url(), format!("port={}", server.port));
    for (theirs, ours) in [
        ("https://hooks.example.com/periapt", url.as_str()),
        ("host=mail.example.com", "host=localhost"),
        ("port=587", port.as_str()),
    ] {
        anyhow::ensure!(script.contains(theirs), "{theirs}: {script}");
        script = script.replace(theirs, ours);
    }
    let shown = run(&script, &home, &home)?;
    for wanted in [
        "accepted the message and answered 204",
        "unit-error",
        "removal-overdue",
        "is silent until",
        "refused, as it should be",
    ] {
        anyhow::ensure!(shown.contains(wanted), "{wanted}: {shown}");
    }
    webhook.until_told("test", 0, 0)?;
    server.until_mailed("test")?;
    Ok(())
}

#[test]
fn the_page_about_upgrading_charms_works_as_written() -> Result<()> {
    let (_kept, home) = home()?;
    std::fs::copy(charm("site"), home.join("site.charm"))?;
    let newer = home.join("newer.charm");
    charm_with("site", &[("files/news.txt", "newer")], &newer)?;
    let script = blocks(&root().join("docs/how-to/upgrade-charms.md"))?.join("\n");
    let shown = run(&script, &home, &home)?;
    for wanted in [
        "Refreshed \"docs\" to local:site-1",
        "Handbook",
        "refused, as it should be",
        "the model has 0, 1",
        "there is no such revision",
    ] {
        anyhow::ensure!(shown.contains(wanted), "{wanted}: {shown}");
    }
    Ok(())
}

#[test]
fn the_page_about_charm_repositories_works_as_written() -> Result<()> {
    let (_kept, home) = home()?;
    std::fs::copy(charm("site"), home.join("site.charm"))?;
    let newer = home.join("newer.charm");
    charm_with("site", &[("files/news.txt", "newer")], &newer)?;
    let newest = home.join("newest.charm");
    charm_with("site", &[("files/news.txt", "newest")], &newest)?;
    let script = blocks(&root().join("docs/how-to/charm-repository.md"))?.join("\n");
    let shown = run(&script, &home, &home)?;
    for wanted in [
        "Published site revision 0 to channel stable",
        "Published site revision 1 to channel edge",
        "Channel  Revision  Size",
        "refused, as it should be",
        "Deployed \"docs\"",
        "already runs local:site-0",
        "Deployed \"first\"",
        "refused, it has 0-1",
        "Downloaded site revision 0 of ./charms",
        "Deployed \"help\"",
        "deploy pinned from repository revision 0 with 1 unit",
        "refresh pinned to repository revision 1",
        "has no revision 9; it has 0-1",
        "repository:site-2",
        "Refreshed \"help\" to local:site-2",
    ] {
        anyhow::ensure!(shown.contains(wanted), "{wanted}: {shown}");
    }
    Ok(())
}

#[test]
fn the_page_about_storage_works_as_written() -> Result<()> {
    let (_kept, home) = home()?;
    for name in ["probe", "site"] {
        std::fs::copy(charm(name), home.join(format!("{name}.charm")))?;
    }
    let script = blocks(&root().join("docs/how-to/storage.md"))?.join("\n");
    let shown = run(&script, &home, &home)?;
    for wanted in [
        "data/0 filesystem /storage/data/0",
        "refused: app/0 has three",
        "- will detach storage data/0",
        "Imported storage data/4",
        "- will remove storage data/0",
        "filesystem-type=xfs",
        "site/tea.html",
    ] {
        anyhow::ensure!(shown.contains(wanted), "{wanted}: {shown}");
    }
    let read = shown.lines().filter(|line| *line == "tea at four");
    anyhow::ensure!(read.count() == 2, "{shown}");
    Ok(())
}

#[test]
fn the_page_about_accounts_works_as_written() -> Result<()> {
    let (_kept, home) = home()?;
    let script = blocks(&root().join("docs/how-to/accounts-and-audit.md"))?.join("\n");
    let shown = run(&script, &home, &home)?;
    for wanted in ["Bob Burr", "periapt register ", "refused: there is no such"] {
        anyhow::ensure!(shown.contains(wanted), "{wanted}: {shown}");
    }
    Ok(())
}

#[test]
fn the_page_about_observing_works_as_written() -> Result<()> {
    let (_kept, home) = home()?;
    std::fs::copy(charm("site"), home.join("site.charm"))?;
    let script = blocks(&root().join("docs/how-to/observe.md"))?.join("\n");
    let shown = run(&script, &home, &home)?;
    anyhow::ensure!(shown.contains("periapt_hooks_total"), "{shown}");
    Ok(())
}

#[test]
fn the_page_about_finding_what_went_wrong_works_as_written() -> Result<()> {
    let (_kept, home) = home()?;
    std::fs::copy(charm("probe"), home.join("probe.charm"))?;
    let page = root().join("docs/how-to/find-what-went-wrong.md");
    let shown = run(&blocks(&page)?.join("\n"), &home, &home)?;
    for wanted in [
        "worker-config-changed-",
        "changed before:",
        "is silenced until it changes",
        "No incidents.",
        "retrying the failed hook of 2 units",
        "deployed",
        "changed script of worker",
        "Changed since the last good run",
        "admin",
    ] {
        anyhow::ensure!(shown.contains(wanted), "{wanted}: {shown}");
    }
    Ok(())
}

#[test]
fn the_page_about_capabilities_works_as_written() -> Result<()> {
    let (_kept, home) = home()?;
    std::fs::copy(charm("registry"), home.join("registry.charm"))?;
    let declares =
        "tools:\n  secret: {why: gives its units a token}\n  reboot: {why: restarts at night}\n";
    let files = [("capabilities.yaml", declares)];
    charm_with("registry", &files, &home.join("restarts.charm"))?;
    let script = blocks(&root().join("docs/how-to/capabilities.md"))?.join("\n");
    let shown = run(&script, &home, &home)?;
    for wanted in [
        "restarts at night",
        "refused, as it should be",
        "granted by default",
        "denied by admin at",
        "waiting for approval of revision",
        "beyond the policy",
    ] {
        anyhow::ensure!(shown.contains(wanted), "{wanted}: {shown}");
    }
    Ok(())
}

#[test]
fn the_page_about_operating_works_as_written() -> Result<()> {
    let (_kept, home) = home()?;
    std::fs::copy(charm("site"), home.join("site.charm"))?;
    let script = blocks(&root().join("docs/how-to/operate-from-the-page.md"))?.join("\n");
    let shown = run(&script, &home, &home)?;
    for wanted in ["https://", "site/2", "refused, as it should be"] {
        anyhow::ensure!(shown.contains(wanted), "{wanted}: {shown}");
    }
    Ok(())
}

#[test]
fn the_page_about_removal_works_as_written() -> Result<()> {
    let (_kept, home) = home()?;
    std::fs::copy(charm("site"), home.join("site.charm"))?;
    let script = blocks(&root().join("docs/how-to/remove.md"))?.join("\n");
    let shown = run(&script, &home, &home)?;
    anyhow::ensure!(shown.contains("2h"), "{shown}");
    Ok(())
}

#[test]
fn the_page_about_bundles_works_as_written() -> Result<()> {
    let (_kept, home) = home()?;
    for name in ["site", "front"] {
        std::fs::copy(charm(name), home.join(format!("{name}.charm")))?;
    }
    let script = blocks(&root().join("docs/how-to/bundles.md"))?.join("\n");
    let shown = run(&script, &home, &home)?;
    for wanted in [
        "./site.charm",
        "{}",
        "integrate front:website docs:website",
        "\"model\":\"Handbook\"",
        "configure docs: title",
        "completed",
        "Reference",
    ] {
        anyhow::ensure!(shown.contains(wanted), "{wanted}: {shown}");
    }
    Ok(())
}

#[test]
fn the_page_about_payloads_works_as_written() -> Result<()> {
    let (_kept, home) = home()?;
    std::fs::copy(charm("site"), home.join("site.charm"))?;
    let script = blocks(&root().join("docs/how-to/payloads.md"))?.join("\n");
    let shown = run(&script, &home, &home)?;
    anyhow::ensure!(shown.contains("There are no payloads to show"), "{shown}");
    Ok(())
}

#[test]
fn the_page_about_backups_works_as_written() -> Result<()> {
    let (_kept, home) = home()?;
    std::fs::copy(charm("site"), home.join("site.charm"))?;
    let script = blocks(&root().join("docs/how-to/back-up-and-restore.md"))?.join("\n");
    let shown = run(&script, &home, &home)?;
    for wanted in ["Created backup", "Restored controller \"lab\"", "site/0"] {
        anyhow::ensure!(shown.contains(wanted), "{wanted}: {shown}");
    }
    Ok(())
}

#[test]
fn the_page_about_running_works_as_written() -> Result<()> {
    let (_kept, home) = home()?;
    let page = root().join("docs/how-to/keep-a-controller-running.md");
    let shown = run(&blocks(&page)?.join("\n"), &home, &home)?;
    for wanted in ["not after a reboot", "refused, as it should be", "demo"] {
        anyhow::ensure!(shown.contains(wanted), "{wanted}: {shown}");
    }
    Ok(())
}

#[test]
fn the_page_about_scripts_of_juju_works_as_written() -> Result<()> {
    let python = std::env::var("PERIAPT_TEST_JUBILANT")
        .context("PERIAPT_TEST_JUBILANT does not name a Python with jubilant")?;
    let (_kept, home) = home()?;
    std::fs::copy(charm("site"), home.join("site.charm"))?;
    let page = root().join("docs/how-to/move-your-juju-scripts.md");
    std::fs::write(home.join("ci.py"), blocks_in(&page, "python")?.concat())?;
    let script = blocks(&page)?.join("\n");
    anyhow::ensure!(script.contains("python3 ci.py"), "{script}");
    // One that has jubilant, instead of the reader's.
    let script = script.replace("python3 ci.py", &format!("'{python}' ci.py"));
    let shown = run(&script, &home, &home)?;
    for wanted in [
        "3.6.",
        "controller-uuid",
        "--base is ignored",
        "refused, as it should be",
        "index.html",
        "has nothing to do",
        "'built': 1",
        "Controller \"lab\" was destroyed",
    ] {
        anyhow::ensure!(shown.contains(wanted), "{wanted}: {shown}");
    }
    Ok(())
}
