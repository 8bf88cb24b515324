//! `periapt workers`: no worker of the catalogue is silently absent.

use periapt_tests::{Home, charm};

#[test]
fn all_109_workers_are_in_the_report_with_their_state() -> anyhow::Result<()> {
    let home = Home::started()?;
    home.ok(["deploy", &charm("site").display().to_string(), "site"])?;
    home.until_workload("site/0", "active")?;
    let rows: serde_json::Value = serde_json::from_str(&home.ok(["workers", "--format", "json"])?)?;
    let rows = rows.as_array().cloned().unwrap_or_default();
    // Juju's, and the one of our own.
    assert_eq!(rows.len(), 110);
    let state = |worker: &str| -> String {
        rows.iter()
            .find(|row| row["worker"] == worker)
            .and_then(|row| row["state"].as_str())
            .unwrap_or("absent")
            .to_owned()
    };
    for worker in [
        "agent",
        "alerts",
        "apicaller",
        "apiconfigwatcher",
        "apiserver",
        "apiservercertwatcher",
        "httpserver",
        "httpserverargs",
        "dbaccessor",
        "querylogger",
        "changestream",
        "lease",
        "leaseexpiry",
        "modelworkermanager",
        "presence",
        "introspection",
        "logger",
        "logsender",
        "controllerport",
        "unitassigner",
        "applicationscaler",
        "provisioner",
        "instancepoller",
        "proxyupdater",
        "machiner",
        "machineactions",
        "reboot",
        "deployer",
        "charmdownloader",
        "cleaner",
        "machineundertaker",
        "statushistorypruner",
        "terminationworker",
        "leadership",
        "retrystrategy",
        "uniter",
        "actionpruner",
        "charmrevision",
        "diskmanager",
        "secretbackendrotate",
        "secretdrainworker",
        "secretexpire",
        "secretrotate",
        "storageprovisioner",
    ] {
        assert_eq!(state(worker), "running", "{worker}");
    }
    let reason = |worker: &str| -> String {
        let row = rows.iter().find(|row| row["worker"] == worker);
        row.and_then(|row| row["reason"].as_str())
            .unwrap_or_default()
            .to_owned()
    };
    assert!(reason("minunitsworker").starts_with("superseded: applicationscaler"));
    assert_eq!(state("undertaker"), "resting", "the model is alive");
    for row in &rows {
        let tests = row["tests"].as_array().map_or(0, Vec::len);
        let runs = row["state"] == "running" || row["state"] == "resting";
        assert!(
            !runs || tests > 0,
            "a worker that runs names its tests: {row}"
        );
        assert!(
            row["state"] == "running"
                || row["reason"]
                    .as_str()
                    .is_some_and(|reason| !reason.is_empty()),
            "a worker that does not run says why: {row}"
        );
    }
    Ok(())
}
