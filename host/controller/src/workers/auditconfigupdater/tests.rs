use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::FILE;
use crate::bootstrap;
use crate::tests::{Running, options, start};

async fn set(controller: &Running, token: &str, key: &str, value: &str) {
    let change = json!({ "set": { key: value } });
    let answer = controller
        .client()
        .patch(controller.url("/v1/controller/config"))
        .bearer_auth(token)
        .json(&change)
        .send()
        .await
        .unwrap();
    assert_eq!(answer.status(), 200, "{}", answer.text().await.unwrap());
}

async fn add_model(controller: &Running, token: &str, name: &str) {
    let answer = controller
        .client()
        .post(controller.url("/v1/models"))
        .bearer_auth(token)
        .json(&json!({ "name": name, "config": {} }))
        .send()
        .await
        .unwrap();
    assert_eq!(answer.status(), 201, "{}", answer.text().await.unwrap());
}

/// What is on record about models. A change of the settings may be on record or not: it is written
/// down while it comes into force.
fn records(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter(|record| record["what"] == "POST /v1/models")
        .collect()
}

/// Descriptors of this process that are open on the file.
fn descriptors(path: &Path) -> usize {
    let open = std::fs::read_dir("/proc/self/fd").unwrap().flatten();
    open.filter(|entry| std::fs::read_link(entry.path()).is_ok_and(|at| at == path))
        .count()
}

/// Adds models until they are, or are no longer, on record: a change of settings
/// is in force within an event, not within the answer.
async fn until_recorded(
    controller: &Running,
    token: &str,
    path: &Path,
    wanted: bool,
    prefix: &str,
) {
    for attempt in 0..300 {
        let before = records(path).len();
        add_model(controller, token, &format!("{prefix}{attempt}")).await;
        let grown = records(path).len() > before;
        if grown == wanted {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    panic!("records go on as before");
}

/// "When auditing is switched on at run time, then the next mutating API call appends records to
/// the audit log; after switching off nothing is appended and no file descriptor leaks."
#[tokio::test]
async fn auditing_is_switched_on_and_off_while_the_controller_runs() {
    let home = TempDir::new().unwrap();
    let made = bootstrap(options(home.path())).await.unwrap();
    let controller = start(home.path(), made.clone()).await;
    let token = controller.log_in().await;
    let path = home.path().join(FILE);

    for round in ["a", "b", "c"] {
        set(&controller, &token, "auditing-enabled", "false").await;
        until_recorded(&controller, &token, &path, false, &format!("off-{round}")).await;
        let before = records(&path).len();
        add_model(&controller, &token, &format!("quiet-{round}")).await;
        assert_eq!(records(&path).len(), before);
        assert_eq!(descriptors(&path), 0, "nothing holds the file");

        set(&controller, &token, "auditing-enabled", "true").await;
        until_recorded(&controller, &token, &path, true, &format!("on-{round}")).await;
        assert_eq!(descriptors(&path), 1);
    }
    let last = records(&path).pop().unwrap();
    assert_eq!(
        (
            last["who"].as_str(),
            last["what"].as_str(),
            last["result"].as_str()
        ),
        (Some("user-admin"), Some("POST /v1/models"), Some("201"))
    );
    assert_eq!(last["arguments"], json!({}));

    set(&controller, &token, "audit-log-capture-args", "true").await;
    let mut captured = false;
    for attempt in 0..300 {
        add_model(&controller, &token, &format!("captured-{attempt}")).await;
        let last = records(&path).pop().unwrap();
        if last["arguments"]["body"]["name"] == format!("captured-{attempt}") {
            captured = true;
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    assert!(captured, "what was asked is on record");
    controller.stop().await;
}
