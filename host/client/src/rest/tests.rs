use std::sync::Mutex;
use std::time::Duration as Time;

use axum::body::{Body, Bytes};
use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get, post};
use axum::{Json, Router};
use futures::StreamExt;
use periapt_model::Refusal;
use periapt_model::refusal::Subject;
use periapt_wire::rest::{AddModel, AddStorage, ConfigChange, LogQuery, StorageRemoval};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::*;
use crate::test_server::{TestServer, deserted};

mod operations;

/// What the test's controller saw: method, path with query, authorization, body.
#[derive(Clone, Default)]
struct Seen(Arc<Mutex<Vec<Noted>>>);

type Noted = (String, String, String, Value);

impl Seen {
    fn last(&self) -> Noted {
        self.0.lock().unwrap().last().cloned().unwrap()
    }
}

async fn note(
    State(seen): State<Seen>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let authorization = authorization_of(&headers).to_owned();
    let body = serde_json::from_slice(&body).unwrap_or(Value::Null);
    seen.0
        .lock()
        .unwrap()
        .push((method.to_string(), uri.to_string(), authorization, body));
    if authorization_of(&headers) == "Bearer run-out" {
        let problem = Problem::new(Refusal::TokenInvalid);
        return (StatusCode::UNAUTHORIZED, Json(problem)).into_response();
    }
    match uri.path() {
        "/v1/login" => Json(json!({
            "user": "admin", "token": "t0ken", "id": "1", "expires-at": "2026-11-28T08:00:00Z",
        }))
        .into_response(),
        "/v1/models/demo/applications/gone" => {
            let problem = Problem::new(Refusal::NotFound(Subject::Application))
                .titled("application \"gone\" not found")
                .why("model \"demo\" has no such application")
                .advice("list them with: periapt status");
            (StatusCode::NOT_FOUND, Json(problem)).into_response()
        }
        "/v1/models/demo/applications/proxy" => {
            (StatusCode::BAD_GATEWAY, "<html>oops</html>").into_response()
        }
        "/v1/models/demo/units/site/3" => {
            Json(json!({ "units": ["site/3"], "machines": ["3"] })).into_response()
        }
        "/v1/models/demo/relations/3" | "/v1/models/demo/machines/0-lxd-1" => {
            Json(json!({ "units": [], "machines": [] })).into_response()
        }
        "/v1/models/demo/config" => Json(json!({})).into_response(),
        "/v1/models/demo/units/site/3/history" => Json(json!({ "items": [] })).into_response(),
        _ => Json(json!({})).into_response(),
    }
}

fn authorization_of(headers: &HeaderMap) -> &str {
    headers
        .get("authorization")
        .map_or("", |value| value.to_str().unwrap())
}

async fn server() -> (TestServer, Seen, RestClient) {
    let seen = Seen::default();
    let server =
        TestServer::start(Router::new().fallback(any(note)).with_state(seen.clone())).await;
    let client = RestClient::new(&server.addresses(), &server.ca_pem).unwrap();
    (server, seen, client)
}

#[tokio::test]
async fn a_login_gives_a_client_that_sends_its_token() {
    let (_server, seen, client) = server().await;
    let (client, reply) = client.login("admin", "secret").await.unwrap();
    assert_eq!(reply.token, "t0ken");
    assert_eq!(
        seen.last().3,
        json!({ "user": "admin", "password": "secret" })
    );
    client
        .resolved("demo", &"site/3".parse().unwrap(), true)
        .await
        .unwrap();
    let (method, uri, authorization, body) = seen.last();
    assert_eq!(
        (method.as_str(), uri.as_str()),
        ("POST", "/v1/models/demo/units/site/3/resolved")
    );
    assert_eq!(
        (authorization.as_str(), body),
        ("Bearer t0ken", json!({ "retry": true }))
    );
}

#[tokio::test]
async fn a_token_that_has_run_out_is_replaced_in_the_middle_of_a_request() {
    let (_server, seen, client) = server().await;
    let kept = Arc::new(Mutex::new(Vec::new()));
    let keep = {
        let kept = Arc::clone(&kept);
        Box::new(move |token: &str| kept.lock().unwrap().push(token.to_owned()))
    };
    let client = client.with_renewal("admin", "secret", "run-out".to_owned(), keep);
    client
        .resolved("demo", &"site/3".parse().unwrap(), true)
        .await
        .unwrap();
    client.model("demo").await.unwrap_err();
    let asked: Vec<(String, String)> = seen
        .0
        .lock()
        .unwrap()
        .iter()
        .map(|noted| (noted.1.clone(), noted.2.clone()))
        .collect();
    let row = |uri: &str, who: &str| (uri.to_owned(), who.to_owned());
    let resolved = "/v1/models/demo/units/site/3/resolved";
    assert_eq!(
        asked,
        [
            row(resolved, "Bearer run-out"),
            row("/v1/login", ""),
            row(resolved, "Bearer t0ken"),
            row("/v1/models/demo", "Bearer t0ken"),
        ]
    );
    assert_eq!(*kept.lock().unwrap(), ["t0ken"]);
}

#[tokio::test]
async fn paths_queries_and_bodies_are_those_of_the_table() {
    let (_server, seen, client) = server().await;
    let unit = "site/3".parse().unwrap();
    let removal = client
        .remove_unit("demo", &unit, Removing::within(true, Some(0)))
        .await
        .unwrap();
    assert_eq!(removal.units, std::slice::from_ref(&unit));
    assert_eq!(
        seen.last().1,
        "/v1/models/demo/units/site/3?force=true&timeout-ms=0"
    );
    client
        .remove_unit("demo", &unit, Removing::default())
        .await
        .unwrap();
    assert_eq!(seen.last().1, "/v1/models/demo/units/site/3");
    let removing = Removing {
        destroy_storage: Some(true),
        ..Removing::default()
    };
    client.remove_unit("demo", &unit, removing).await.unwrap();
    assert_eq!(
        seen.last().1,
        "/v1/models/demo/units/site/3?destroy-storage=true"
    );
    client.unit_history("demo", &unit, Some(5)).await.unwrap();
    assert_eq!(
        seen.last().1,
        "/v1/models/demo/units/site/3/history?limit=5"
    );
    client.unit_history("demo", &unit, None).await.unwrap();
    assert_eq!(
        seen.last().1,
        "/v1/models/demo/units/site/3/history?limit=20"
    );
    let change = ConfigChange {
        reset: vec!["a".to_owned()],
        ..ConfigChange::default()
    };
    client.set_model_config("demo", &change).await.unwrap();
    let (method, uri, _, body) = seen.last();
    assert_eq!(
        (method.as_str(), uri.as_str()),
        ("PATCH", "/v1/models/demo/config")
    );
    assert_eq!(body, json!({ "set": {}, "reset": ["a"] }));
    let _ = client
        .status("demo", &["site*".to_owned(), "a b".to_owned()])
        .await;
    assert_eq!(
        seen.last().1,
        "/v1/models/demo/status?pattern=site*&pattern=a+b"
    );
    let _ = client
        .machine_history("demo", &"0/lxd/1".parse().unwrap(), None)
        .await;
    assert_eq!(
        seen.last().1,
        "/v1/models/demo/machines/0-lxd-1/history?limit=20"
    );
    let _ = client
        .add_model(&AddModel::new("two".parse().unwrap()))
        .await;
    assert_eq!(seen.last().3, json!({ "name": "two", "config": {} }));
}

#[tokio::test]
async fn a_problem_keeps_its_code_and_advice_and_other_errors_become_one() {
    let (_server, _, client) = server().await;
    let error = client
        .application("demo", &"gone".parse().unwrap())
        .await
        .unwrap_err();
    assert_eq!(
        (error.code(), error.status()),
        ("application-not-found", Some(404))
    );
    let RestError::Problem(problem) = error else {
        panic!("{error:?}")
    };
    assert_eq!(problem.advice, "list them with: periapt status");
    let error = client
        .application("demo", &"proxy".parse().unwrap())
        .await
        .unwrap_err();
    assert_eq!((error.code(), error.status()), ("http-error", Some(502)));
    let error = client
        .application("demo", &"odd".parse().unwrap())
        .await
        .unwrap_err();
    assert_eq!(error.code(), "answer-unexpected");
}

#[tokio::test]
async fn a_deserted_address_is_passed_over_and_all_deserted_is_unreachable() {
    let (server, _, _) = server().await;
    let deserted = deserted().await;
    let client = RestClient::new(
        &[deserted.clone(), server.address.to_string()],
        &server.ca_pem,
    )
    .unwrap();
    client.login("admin", "secret").await.unwrap();
    let client = RestClient::new(std::slice::from_ref(&deserted), &server.ca_pem).unwrap();
    let error = client.models().await.unwrap_err();
    assert!(
        matches!(&error, RestError::Unreachable { addresses, .. } if *addresses == deserted),
        "{error:?}"
    );
}

#[tokio::test]
async fn another_authority_is_not_trusted() {
    let (server, seen, _) = server().await;
    let (stranger, _, _) = self::server().await;
    let client = RestClient::new(&server.addresses(), &stranger.ca_pem).unwrap();
    let error = client
        .login("admin", "secret")
        .await
        .map(|_| ())
        .unwrap_err();
    assert!(error.to_string().contains("certificate"), "{error}");
    assert!(seen.0.lock().unwrap().is_empty());
}

#[tokio::test]
async fn an_upload_reports_its_progress() {
    let (bodies, mut received) = mpsc::unbounded_channel();
    let upload = move |Query(query): Query<HashQuery>, headers: HeaderMap, body: Bytes| async move {
        bodies
            .send((query, headers.get("content-length").cloned(), body))
            .unwrap();
        (
            StatusCode::BAD_REQUEST,
            Json(Problem::new(Refusal::CharmArchiveUnreadable)),
        )
    };
    let router = Router::new().route("/v1/models/demo/charms", post(upload));
    let server = TestServer::start(router).await;
    let client = RestClient::new(&server.addresses(), &server.ca_pem).unwrap();
    let reports = Arc::new(Mutex::new(Vec::new()));
    let progress: charms::Progress = {
        let reports = reports.clone();
        Arc::new(move |sent, total| reports.lock().unwrap().push((sent, total)))
    };
    let archive = Bytes::from(vec![7_u8; 200_000]);
    let error = client
        .upload_charm("demo", archive.clone(), Some("site"), Some(progress))
        .await
        .unwrap_err();
    assert_eq!(error.code(), "charm-archive-unreadable");
    let (query, length, body) = received.recv().await.unwrap();
    assert_eq!(
        (query.get("name").map(String::as_str), body),
        (Some("site"), archive)
    );
    assert_eq!(length.unwrap(), "200000");
    let reports = reports.lock().unwrap();
    assert_eq!(
        *reports,
        [
            (65536, 200_000),
            (131_072, 200_000),
            (196_608, 200_000),
            (200_000, 200_000)
        ]
    );
}

#[tokio::test]
async fn an_archive_that_arrives_otherwise_is_refused() {
    let path = "/v1/models/demo/charms/local:site-0/archive";
    let router = Router::new().route(path, get(|| async { vec![7_u8; 200_000] }));
    let server = TestServer::start(router).await;
    let client = RestClient::new(&server.addresses(), &server.ca_pem).unwrap();
    let charm = |sha256: &str| -> periapt_model::charm::CharmInfo {
        serde_json::from_value(json!({
            "url": "local:site-0", "name": "site", "revision": 0, "sha256": sha256, "size": 200_000,
            "metadata": { "name": "site" }, "config": { "options": {} }, "hooks": [],
            "subordinate": false,
        }))
        .unwrap()
    };
    let whole = "8cfcba83dcfc81a193bb4e52fd3161efb513906f52cbbe2328fac5f1a79c2b6e";
    let archive = client.charm_archive("demo", &charm(whole)).await.unwrap();
    assert_eq!(archive.len(), 200_000);
    let error = client
        .charm_archive("demo", &charm("00"))
        .await
        .unwrap_err();
    assert_eq!(error.code(), "answer-unexpected");
    assert!(error.to_string().contains(whole), "{error}");
}

type HashQuery = std::collections::HashMap<String, String>;

/// Lines cut at odd places, with the keep-alive of an empty line between.
#[tokio::test]
async fn lines_are_put_together_whatever_the_parts() {
    let (parts, server) = in_parts("/v1/models/demo/logs").await;
    let client = RestClient::new(&server.addresses(), &server.ca_pem).unwrap();
    let record = |message: &str| {
        format!(
            "{{\"time\":1,\"entity\":\"unit-site-0\",\"level\":\"INFO\",\"module\":\"m\",\"message\":\"{message}\"}}"
        )
    };
    let (one, two, three) = (record("one"), record("two"), record("three"));
    parts.send(one[..20].to_owned()).unwrap();
    let mut lines = client.logs("demo", &LogQuery::default()).await.unwrap();
    parts
        .send(format!("{}\n\n{two}\n{}", &one[20..], &three[..9]))
        .unwrap();
    assert_eq!(lines.next().await.unwrap().unwrap().message, "one");
    assert_eq!(lines.next().await.unwrap().unwrap().message, "two");
    assert!(
        tokio::time::timeout(Time::from_millis(20), lines.next())
            .await
            .is_err()
    );
    parts.send(three[9..].to_owned()).unwrap();
    drop(parts);
    assert_eq!(lines.next().await.unwrap().unwrap().message, "three");
    assert!(lines.next().await.is_none());
}

/// A server whose answer at one path is what the sender sends.
async fn in_parts(path: &str) -> (mpsc::UnboundedSender<String>, TestServer) {
    let (parts, feed) = mpsc::unbounded_channel::<String>();
    let feed = Arc::new(Mutex::new(Some(feed)));
    let answer = move || {
        let feed = feed.lock().unwrap().take().unwrap();
        let stream = futures::stream::unfold(feed, |mut feed| async move {
            feed.recv()
                .await
                .map(|part| (Ok::<_, std::io::Error>(Bytes::from(part)), feed))
        });
        async move { Body::from_stream(stream.boxed()) }
    };
    let server = TestServer::start(Router::new().route(path, get(answer))).await;
    (parts, server)
}

/// Events as the standard has them: fields in any order, comments, ids that stay.
#[tokio::test]
async fn events_are_put_together_whatever_the_parts() {
    let (parts, server) = in_parts("/v1/models/demo/events").await;
    let client = RestClient::new(&server.addresses(), &server.ca_pem).unwrap();
    parts.send("retry: 1000\n\nevent: snap".to_owned()).unwrap();
    let mut events = client.events(Some("demo"), Some("7")).await.unwrap();
    assert_eq!(events.last_id(), None);
    parts
        .send("shot\ndata: {\"a\":1}\n\n: heartbeat\nid: 8\n\nid:9\nevent: change\r\ndata: 1\ndata: 2\n\nda".to_owned())
        .unwrap();
    let first = events.next().await.unwrap().unwrap();
    assert_eq!(
        (first.event.as_str(), first.data.as_str()),
        ("snapshot", "{\"a\":1}")
    );
    assert_eq!(first.json::<Value>().unwrap(), json!({ "a": 1 }));
    let second = events.next().await.unwrap().unwrap();
    assert_eq!(
        (second.event.as_str(), second.data.as_str()),
        ("change", "1\n2")
    );
    assert_eq!(events.last_id(), Some("9"));
    parts.send("ta: unfinished".to_owned()).unwrap();
    drop(parts);
    assert!(events.next().await.is_none(), "half an event is none");
}

#[tokio::test]
async fn a_broken_off_stream_is_an_error_and_not_an_end() {
    let logs = |Query(query): Query<HashQuery>| async move {
        assert_eq!(query.get("follow").map(String::as_str), Some("true"));
        assert_eq!(query.get("level").map(String::as_str), Some("WARNING"));
        assert!(!query.contains_key("include"));
        let record = json!({
            "time": 1, "entity": "unit-site-0", "level": "WARNING", "module": "unit.site/0.juju-log", "message": "hi",
        });
        let first =
            futures::stream::iter([Ok::<_, std::io::Error>(Bytes::from(format!("{record}\n")))]);
        Body::from_stream(first.chain(futures::stream::pending()))
    };
    let router = Router::new().route("/v1/models/demo/logs", get(logs));
    let server = TestServer::start(router).await;
    let client = RestClient::new(&server.addresses(), &server.ca_pem).unwrap();
    let query = LogQuery {
        level: Some("WARNING".to_owned()),
        follow: true,
        ..LogQuery::default()
    };
    let mut lines = client.logs("demo", &query).await.unwrap();
    assert_eq!(lines.next().await.unwrap().unwrap().message, "hi");
    server.cut();
    let error = lines.next().await.unwrap().unwrap_err();
    assert!(matches!(error, RestError::Interrupted(_)), "{error:?}");
    assert!(lines.next().await.is_none());
}

/// A list of three pages, and a change whose first answer is lost with the connection.
#[tokio::test]
async fn a_list_is_read_to_its_end() {
    let pages = |Query(query): Query<HashQuery>| async move {
        let after: usize = match query.get("after") {
            Some(after) => after.trim_start_matches("local:site-").parse().unwrap(),
            None => 0,
        };
        assert_eq!(query.get("limit").map(String::as_str), Some("1000"));
        let relation = json!({
            "id": after, "key": "a:b", "interface": "http", "scope": "global", "endpoints": [],
            "status": { "status": "joined" }, "life": "alive", "created-at": 0,
        });
        let mut page = json!({ "items": [relation] });
        if after < 2 {
            page["next"] = json!(format!("local:site-{}", after + 1));
        }
        Json(page)
    };
    let router = Router::new().route("/v1/models/demo/relations", get(pages));
    let server = TestServer::start(router).await;
    let client = RestClient::new(&server.addresses(), &server.ca_pem).unwrap();
    let all = client.relations("demo", &Default::default()).await.unwrap();
    let ids: Vec<u64> = all.iter().map(|relation| relation.id).collect();
    assert_eq!(ids, [0, 1, 2]);
}

#[tokio::test]
async fn a_change_is_asked_for_once_more_under_its_key_when_the_connection_breaks() {
    let keys: Arc<Mutex<Vec<String>>> = Arc::default();
    let seen = keys.clone();
    let change = move |headers: HeaderMap| {
        let key = headers["idempotency-key"].to_str().unwrap().to_owned();
        let mut keys = seen.lock().unwrap();
        keys.push(key);
        let tries = keys.len();
        async move {
            match tries {
                // The answer breaks off after its head.
                1 => {
                    let broken =
                        futures::stream::iter([Err::<Bytes, _>(std::io::Error::other("x"))]);
                    Body::from_stream(broken).into_response()
                }
                2 => {
                    let running = Problem::new(Refusal::IdempotencyRequestRunning);
                    (StatusCode::CONFLICT, Json(running)).into_response()
                }
                _ => Json(json!(["site/1"])).into_response(),
            }
        }
    };
    let router = Router::new().route("/v1/models/demo/applications/site/units", post(change));
    let server = TestServer::start(router).await;
    let client = RestClient::new(&server.addresses(), &server.ca_pem).unwrap();
    let site = "site".parse().unwrap();
    let units = client.add_units("demo", &site, 1, &[]).await.unwrap();
    assert_eq!(units[0].as_str(), "site/1");
    let mut keys = keys.lock().unwrap().clone();
    assert_eq!(keys.len(), 3);
    keys.dedup();
    assert_eq!(keys.len(), 1, "the same change has the same key");
}

#[tokio::test]
async fn storage_has_paths_of_its_own() {
    let (_server, seen, client) = server().await;
    let (id, unit) = ("data/7".parse().unwrap(), "site/3".parse().unwrap());
    // The answers are not those of the real controller; what was asked is what counts.
    let _ = client.storages("demo", Some("site")).await;
    assert_eq!(seen.last().1, "/v1/models/demo/storage?of=site&limit=1000");
    let _ = client.attach_storage("demo", &id, &unit).await;
    let (method, uri, _, body) = seen.last();
    assert_eq!(
        (method.as_str(), uri.as_str()),
        ("POST", "/v1/models/demo/storage/data/7/attach")
    );
    assert_eq!(body, json!({ "unit": "site/3" }));
    let more = AddStorage {
        storage: "data".to_owned(),
        asked: "loop,2".parse().unwrap(),
    };
    let _ = client.add_storage("demo", &unit, &more).await;
    let (_, uri, _, body) = seen.last();
    assert_eq!(uri, "/v1/models/demo/units/site/3/storage");
    let asked = json!({ "pool": "loop", "count": 2 });
    assert_eq!(body, json!({ "storage": "data", "asked": asked }));
    let kept = StorageRemoval {
        force: false,
        no_destroy: true,
    };
    let _ = client.remove_storage("demo", &id, &kept).await;
    let (method, uri, _, _) = seen.last();
    assert_eq!(
        (method.as_str(), uri.as_str()),
        (
            "DELETE",
            "/v1/models/demo/storage/data/7?force=false&no-destroy=true"
        )
    );
}

#[tokio::test]
async fn relations_and_machines_have_paths_of_their_own() {
    let (_server, seen, client) = server().await;
    client.remove_relation("demo", 3, true, None).await.unwrap();
    let (method, uri, _, _) = seen.last();
    assert_eq!(
        (method.as_str(), uri.as_str()),
        ("DELETE", "/v1/models/demo/relations/3?force=true")
    );
    let container = "0/lxd/1".parse().unwrap();
    client
        .remove_machine("demo", &container, Removing::default())
        .await
        .unwrap();
    assert_eq!(seen.last().1, "/v1/models/demo/machines/0-lxd-1");
    // The answer is not that of the real controller; what was asked is what counts.
    let _ = client.integrate("demo", ["front:website", "site"]).await;
    let (method, uri, _, body) = seen.last();
    assert_eq!(
        (method.as_str(), uri.as_str()),
        ("POST", "/v1/models/demo/relations")
    );
    assert_eq!(body, json!({ "endpoints": ["front:website", "site"] }));
    let machines = ["0".parse().unwrap()];
    let _ = client
        .add_units("demo", &"site".parse().unwrap(), 2, &machines)
        .await;
    assert_eq!(seen.last().3, json!({ "count": 2, "placement": ["0"] }));
}
