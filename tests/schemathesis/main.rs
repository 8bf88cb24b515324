//! The description of the API against the real program: schemathesis makes requests from the
//! document, good and bad ones, and checks every answer against it.
//!
//! `cargo xtask test` says where schemathesis is; without that the suite cannot run and fails.

use std::ffi::OsStr;
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use periapt_client::rest::RestClient;
use periapt_tests::{Home, charm};
use serde_json::Value;

/// Seconds that schemathesis makes requests.
const SECONDS: u64 = 75;

/// Would end the controller under test or the login it is tested with, or has no end of its own.
const LEFT_OUT: &[&str] = &[
    "/v1/controller/stop",
    "/v1/session$",
    "/password$",
    "/events$",
    "/logs$",
    "/wait$",
];

/// What an answer is checked for. Whether good data is accepted is not among them: much of what
/// makes a request good (a charm that exists, an option that the charm has) is in no schema. Nor
/// is what a wrong password is told: after some of them to wait, and the server's own tests walk
/// every route with every caller.
const CHECKS: &str = "not_a_server_error,status_code_conformance,content_type_conformance,\
response_headers_conformance,response_schema_conformance,unsupported_method";

#[test]
fn every_answer_is_as_described() -> Result<()> {
    let program = std::env::var_os("PERIAPT_TEST_SCHEMATHESIS")
        .context("PERIAPT_TEST_SCHEMATHESIS does not name the program")?;
    let home = Home::started()?;
    let site = charm("site");
    home.ok([OsStr::new("deploy"), site.as_os_str(), "site".as_ref()])?;
    home.until_workload("site/0", "active")?;

    let controllers: Value =
        serde_json::from_str(&home.ok(["controllers", "--format", "json"])?)?;
    let controller = &controllers["controllers"]["tester"];
    let text = |value: &Value| {
        value
            .as_str()
            .map(str::to_owned)
            .context("a text is missing")
    };
    let address = text(&controller["api-endpoints"][0])?;
    let authority = text(&controller["ca-cert"])?;
    let ca_file = home.path().join("ca.pem");
    std::fs::File::create(&ca_file)?.write_all(authority.as_bytes())?;
    let accounts = std::fs::read_to_string(home.path().join("client/accounts.yaml"))?;
    let accounts: Value = serde_saphyr::from_str(&accounts)?;
    let password = text(&accounts["controllers"]["tester"]["password"])?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let login = RestClient::new(std::slice::from_ref(&address), &authority)?;
    let (_, reply) = runtime.block_on(login.login("admin", &password))?;

    let report = home.path().join("report.txt");
    let mut command = Command::new(program);
    command
        .args(["run", &format!("https://{address}/v1/openapi.json")])
        .args(["--url", &format!("https://{address}")])
        .args([
            "--header",
            &format!("Authorization: Bearer {}", reply.token),
        ])
        .arg("--tls-verify")
        .arg(&ca_file)
        .args(["--checks", CHECKS, "--phases", "examples,coverage,fuzzing"])
        .args(["--max-time", &SECONDS.to_string(), "--max-examples", "15"])
        .args(["--seed", "1", "--no-shrink", "--workers", "1"])
        .args(["--request-timeout", "30", "--warnings", "off"])
        .args(["--suppress-health-check", "all"])
        .current_dir(home.path())
        .env("NO_COLOR", "1")
        .stdin(Stdio::null())
        .stdout(std::fs::File::create(&report)?)
        .stderr(Stdio::inherit());
    // It has no way to make a charm.
    command.args(["--exclude-name", "POST /v1/models/{model}/charms"]);
    // Of several such options only the last one counts.
    command.args(["--exclude-path-regex", &LEFT_OUT.join("|")]);
    let mut running = command.spawn().context("schemathesis does not start")?;
    // It minds its time itself; this is for the case that it does not.
    let bound = std::time::Instant::now() + Duration::from_secs(SECONDS * 4);
    let status = loop {
        if let Some(status) = running.try_wait()? {
            break status;
        }
        if std::time::Instant::now() > bound {
            running.kill()?;
        }
        std::thread::sleep(Duration::from_millis(200));
    };
    let report = std::fs::read_to_string(report)?;
    ensure!(status.success(), "{report}");
    ensure!(report.contains("passed"), "{report}");
    // And the controller is well. The model may be among what was removed.
    home.ok(["add-model", "after"])?;
    home.ok(["status", "-m", "after"])?;
    Ok(())
}
