use axum::body::Body;
use axum::extract::Request;
use periapt_model::config::Value as Setting;
use serde_json::json;

use super::file::AuditFile;
use super::{AuditConfig, arguments};

#[test]
fn secrets_lose_their_values_at_any_depth() {
    let body = json!({
        "user": "bob", "password": "p", "set": { "db-password": "q", "title": "Hi" },
        "list": [{ "csrf": "x" }, { "api_token": "y" }], "credentials": { "deep": 1 },
        "syslog-client-key": "PEM",
    });
    let hidden = "(hidden)";
    assert_eq!(
        arguments::without_secrets(body),
        json!({
            "user": "bob", "password": hidden, "set": { "db-password": hidden, "title": "Hi" },
            "list": [{ "csrf": hidden }, { "api_token": hidden }], "credentials": hidden,
            "syslog-client-key": hidden,
        })
    );
    let captured = arguments::of_request(
        Some("force&timeout_ms=5&token=abc"),
        Some(&json!({ "count": 2 })),
    );
    assert_eq!(
        captured,
        json!({ "query": { "force": "", "timeout_ms": "5", "token": hidden }, "body": { "count": 2 } })
    );
    assert_eq!(arguments::of_request(None, None), json!({}));
}

#[test]
fn settings_within_a_bundle_are_not_kept() {
    let file =
        "applications:\n  db:\n    charm: local:db-0\n    options: {admin-password: hunter2}\n";
    let body = json!({ "bundle": file, "overlays": [file], "dry-run": true });
    let captured = arguments::of_request(None, Some(&body));
    assert!(!captured.to_string().contains("hunter2"), "{captured}");
    assert_eq!(captured["body"]["dry-run"], true);
}

fn request(kind: &str, length: Option<usize>, body: &'static str) -> Request {
    let mut request = Request::builder().header("content-type", kind);
    if let Some(length) = length {
        request = request.header("content-length", length);
    }
    request.body(Body::from(body)).unwrap()
}

#[tokio::test]
async fn only_small_json_is_looked_at_and_it_stays_in_the_request() {
    let mut small = request("application/json; charset=utf-8", Some(9), "{\"a\": 1 }");
    assert_eq!(arguments::peek(&mut small).await, Some(json!({ "a": 1 })));
    let left = axum::body::to_bytes(small.into_body(), 100).await.unwrap();
    assert_eq!(&left[..], b"{\"a\": 1 }");

    let mut charm = request("application/zip", Some(9), "{\"a\": 1 }");
    assert_eq!(
        arguments::peek(&mut charm).await,
        Some(json!("9 bytes of application/zip"))
    );
    let mut long = request("application/json", Some(70_000), "{}");
    assert_eq!(
        arguments::peek(&mut long).await,
        Some(json!("70000 bytes of application/json, too long to keep"))
    );
    assert_eq!(
        arguments::peek(&mut request("application/json", None, "{}")).await,
        None
    );
}

#[test]
fn a_full_file_is_set_aside_and_the_oldest_goes() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("audit.log");
    let mut file = AuditFile::new(path.clone());
    let line = |n: u32| vec![format!("{{\"n\": {n}}}\n")];
    for n in 1..=7 {
        file.append(&line(n), 20, 2).unwrap();
    }
    let read = |name: &str| std::fs::read_to_string(home.path().join(name)).unwrap();
    assert_eq!(read("audit.log"), "{\"n\": 7}\n");
    assert_eq!(read("audit.log.1"), "{\"n\": 5}\n{\"n\": 6}\n");
    assert_eq!(read("audit.log.2"), "{\"n\": 3}\n{\"n\": 4}\n");
    assert!(!home.path().join("audit.log.3").exists());
    // Opened again, it goes on where it was; with no bound all are kept.
    let mut again = AuditFile::new(path);
    for n in 8..=10 {
        again.append(&line(n), 20, 0).unwrap();
    }
    assert_eq!(read("audit.log.3"), "{\"n\": 3}\n{\"n\": 4}\n");
    use std::os::unix::fs::PermissionsExt;
    let mode = std::fs::metadata(home.path().join("audit.log"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn settings_are_read_from_the_controllers_configuration() {
    let values = [
        ("auditing-enabled", Setting::Boolean(true)),
        ("audit-log-capture-args", Setting::Boolean(true)),
        ("audit-log-max-size", Setting::Text("1G".into())),
        ("audit-log-max-backups", Setting::Integer(3)),
        (
            "audit-log-exclude-methods",
            Setting::Text("ReadOnlyMethods, periapt.Uniter.SetState".into()),
        ),
    ];
    let config = AuditConfig::read(&values.map(|(key, value)| (key.to_owned(), value)).into());
    assert!(config.enabled && config.capture_args);
    assert_eq!((config.max_size, config.max_backups), (1 << 30, 3));
    assert!(config.excludes("periapt.Uniter", "SetState"));
    assert!(!config.excludes("periapt.Uniter", "CommitHook"));
    assert!(AuditConfig::default().excludes("periapt.Uniter", "CommitHook"));
}
