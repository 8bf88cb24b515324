//! A private key that a person gave the controller is in no file beside the database and in nothing
//! that the program prints.

use std::path::Path;

use anyhow::{Result, ensure};
use periapt_tests::{Home, charm};

const SECRET: &str = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC";

/// Every file below a directory but the database's own that holds the secret.
fn holding(path: &Path, found: &mut Vec<String>) -> Result<()> {
    for entry in std::fs::read_dir(path)? {
        let path = entry?.path();
        let kind = path.symlink_metadata()?.file_type();
        let name = path
            .file_name()
            .map(|name| name.to_string_lossy().into_owned());
        if kind.is_dir() {
            holding(&path, found)?;
        } else if kind.is_file() && !name.unwrap_or_default().starts_with("controller.db") {
            let bytes = std::fs::read(&path)?;
            let secret = SECRET.as_bytes();
            if bytes.windows(secret.len()).any(|window| window == secret) {
                found.push(path.display().to_string());
            }
        }
    }
    Ok(())
}

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
        &["audit", "--format", "json"],
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
    let mut found = Vec::new();
    holding(home.path(), &mut found)?;
    ensure!(found.is_empty(), "{found:?}");
    Ok(())
}
