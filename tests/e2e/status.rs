//! `status` as programs parse it and people read it.

use periapt_tests::{Home, charm};

#[test]
fn status_has_jujus_keys_and_columns() -> anyhow::Result<()> {
    let home = Home::started()?;
    home.ok([
        "deploy",
        &charm("site").display().to_string(),
        "site",
        "-n",
        "2",
    ])?;
    home.until_workload("site/1", "active")?;
    home.until_workload("site/0", "active")?;
    let status = home.status()?;
    for (pointer, expected) in [
        ("/model/name", "test"),
        ("/model/type", "iaas"),
        ("/model/controller", "tester"),
        ("/model/model-status/current", "available"),
        ("/machines/0/juju-status/current", "started"),
        ("/machines/0/machine-status/current", "running"),
        ("/applications/site/charm-name", "site"),
        ("/applications/site/application-status/current", "active"),
        (
            "/applications/site/units/site~10/workload-status/current",
            "active",
        ),
        (
            "/applications/site/units/site~10/juju-status/current",
            "idle",
        ),
        ("/applications/site/units/site~10/machine", "0"),
    ] {
        assert_eq!(
            status.pointer(pointer).and_then(|value| value.as_str()),
            Some(expected),
            "{pointer} in {status:#}"
        );
    }
    assert!(status.pointer("/controller/timestamp").is_some());
    assert!(
        status
            .pointer("/applications/site/units/site~10/workload-status/since")
            .is_some()
    );
    let leaders = [0, 1]
        .into_iter()
        .filter(|number| {
            status
                .pointer(&format!("/applications/site/units/site~1{number}/leader"))
                .is_some()
        })
        .count();
    assert_eq!(leaders, 1);

    let table = home.ok(["status"])?;
    let header = |words: &[&str]| {
        table.lines().any(|line| {
            line.split("  ")
                .map(str::trim)
                .filter(|word| !word.is_empty())
                .eq(words.iter().copied())
        })
    };
    assert!(
        header(&[
            "App", "Version", "Status", "Scale", "Charm", "Channel", "Rev", "Exposed", "Message"
        ]),
        "{table}"
    );
    assert!(
        header(&[
            "Unit",
            "Workload",
            "Agent",
            "Machine",
            "Public address",
            "Ports",
            "Message"
        ]),
        "{table}"
    );
    assert!(
        header(&[
            "Machine", "State", "Address", "Inst id", "Base", "AZ", "Message"
        ]),
        "{table}"
    );
    assert!(!table.contains('\u{1b}'), "no colours into a pipe");
    let yaml = home.ok(["status", "--format", "yaml"])?;
    assert!(
        yaml.contains("workload-status:") && yaml.contains("application-status:"),
        "{yaml}"
    );
    Ok(())
}

#[test]
fn shows_and_logs_answer_for_a_unit() -> anyhow::Result<()> {
    let home = Home::started()?;
    home.ok(["deploy", &charm("site").display().to_string(), "site"])?;
    home.until_workload("site/0", "active")?;
    assert!(home.ok(["show-unit", "site/0"])?.contains("site/0"));
    let shown = home.ok(["show-application", "site", "--format", "json"])?;
    let shown: serde_json::Value = serde_json::from_str(&shown)?;
    assert_eq!(
        shown["site"]["opened-port-ranges"],
        serde_json::json!({ "site/0": ["80/tcp"] }),
        "{shown:#}"
    );
    assert!(home.ok(["show-status-log", "site/0"])?.contains("active"));
    assert!(home.ok(["controllers"])?.contains("tester"));
    assert!(home.ok(["models"])?.contains("test"));
    assert!(home.ok(["config", "site"])?.contains("title"));
    let some = home.ok(["debug-log", "--replay", "--no-tail", "--limit", "3"])?;
    assert_eq!(some.lines().count(), 3, "{some}");
    let none = home.ok([
        "debug-log",
        "--replay",
        "--no-tail",
        "--exclude",
        "site/0",
        "--include",
        "site/0",
    ])?;
    assert!(none.is_empty(), "{none}");
    Ok(())
}
