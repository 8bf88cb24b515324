//! Lists in pages, conditional changes, changes asked for twice, uploads with a digest.

use std::time::Duration;

use crate::common::{House, Http, PASSWORD, charm_archive};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use periapt_model::status::{Machine, Status};
use periapt_model::{Digest, ModelUuid};
use serde_json::{Value, json};

/// Status, a header, and the body.
async fn answer(request: reqwest::RequestBuilder, name: &str) -> (u16, Option<String>, Value) {
    let response = request.send().await.unwrap();
    let status = response.status().as_u16();
    let header = response.headers().get(name);
    let header = header.map(|value| value.to_str().unwrap().to_owned());
    let bytes = response.bytes().await.unwrap();
    let body = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
    (status, header, body)
}

async fn tag(http: &Http, path: &str) -> String {
    let (status, tag, body) = answer(http.request("GET", path), "etag").await;
    assert_eq!(status, 200, "{body}");
    tag.unwrap_or_else(|| panic!("{path} has no ETag"))
}

const SITE: &str = "/v1/models/first/applications/site";

#[tokio::test]
async fn lists_come_in_pages_and_their_items_are_there_one_by_one() {
    let house = House::open().await;
    let model = house.add_model("first").await;
    house.deploy(&model, 12).await;
    let http = house.http().await;
    let mut path = "/v1/models/first/units?limit=5&fields=name,machine".to_owned();
    let mut names = Vec::new();
    loop {
        let (status, page) = http.get(&path).await;
        assert_eq!(status, 200, "{page}");
        for item in page["items"].as_array().unwrap() {
            assert_eq!(item.as_object().unwrap().len(), 2, "{item}");
            names.push(item["name"].as_str().unwrap().to_owned());
        }
        match page["next"].as_str() {
            Some(next) => {
                path = format!("/v1/models/first/units?limit=5&fields=name,machine&after={next}");
            }
            None => break,
        }
    }
    let expected: Vec<String> = (0..13).map(|number| format!("site/{number}")).collect();
    assert_eq!(names, expected);

    let (_, machines) = http
        .get("/v1/models/first/machines?application=site&name=1*")
        .await;
    assert_eq!(machines["items"].as_array().unwrap().len(), 3, "{machines}");
    let (status, machine) = http.get("/v1/models/first/machines/11").await;
    assert_eq!(status, 200, "{machine}");
    let (_, found) = http.get("/v1/models/first/units?machine=11").await;
    assert_eq!(found["items"].as_array().unwrap().len(), 1);
    assert_eq!(found["items"][0]["name"], machine["units"][0]);
    let charm = http.get("/v1/models/first/charms/local%3Asite-0").await;
    assert_eq!((charm.0, &charm.1["name"]), (200, &json!("site")));
    assert_eq!(
        http.get("/v1/models/first/relations").await,
        (200, json!({ "items": [] }))
    );
    for (path, status, code) in [
        ("machines/99", 404, "machine-not-found"),
        ("charms/local:site-7", 404, "charm-not-found"),
        ("charms/site", 400, "charm-url-invalid"),
        ("relations/1", 404, "relation-not-found"),
        ("relations/one", 400, "relation-id-invalid"),
        ("units?limit=0", 400, "limit-invalid"),
        ("units?fields=nmae", 400, "field-unknown"),
        ("charms?machine=0", 400, "query-parameter-unknown"),
        ("units?limit=many", 400, "query-invalid"),
    ] {
        let (got, body) = http.get(&format!("/v1/models/first/{path}")).await;
        assert_eq!((got, body["code"].as_str()), (status, Some(code)), "{path}");
    }
    house.close().await;
}

#[tokio::test]
async fn a_change_is_made_only_at_the_version_it_was_meant_for() {
    let house = House::open().await;
    let model = house.add_model("first").await;
    house.deploy(&model, 1).await;
    let http = house.http().await;
    let config = format!("{SITE}/config");
    let old = tag(&http, &config).await;
    let change = |port: u16, tag: &str| {
        http.request("PATCH", &config)
            .header("if-match", tag)
            .json(&json!({ "set": { "port": port } }))
    };
    let (status, new, _) = answer(change(81, &old), "etag").await;
    assert_eq!(status, 200);
    let new = new.unwrap();
    assert_ne!(new, old);
    assert_eq!(
        tag(&http, &config).await,
        new,
        "the answer's tag is the one to go on with"
    );
    let (status, _, body) = answer(change(82, &old), "etag").await;
    assert_eq!(
        (status, body["code"].as_str()),
        (412, Some("precondition-failed"))
    );
    assert!(!body["advice"].as_str().unwrap().is_empty());
    let (_, shown) = http.get(&config).await;
    assert_eq!(
        shown["settings"]["port"], 81,
        "what was refused was not done"
    );
    for good in ["*", &new, &format!("\"999\", {new}")] {
        assert_eq!(tag(&http, &config).await, new);
        // The same value again changes nothing, so the tag stays good.
        assert_eq!(answer(change(81, good), "etag").await.0, 200, "{good}");
    }

    // Everything that can be changed has a tag, and refuses with an old one.
    for (method, path, body) in [
        (
            "PATCH",
            "/v1/models/first/config",
            json!({ "set": { "logging-config": "<root>=DEBUG" } }),
        ),
        ("POST", &format!("{SITE}/units"), json!({ "count": 1 })),
        (
            "POST",
            &format!("{SITE}/refresh"),
            json!({ "charm": "local:site-0" }),
        ),
        ("DELETE", "/v1/models/first/units/site/0", Value::Null),
        ("DELETE", SITE, Value::Null),
        ("DELETE", "/v1/models/first", Value::Null),
    ] {
        let request = http.request(method, path).header("if-match", "\"12345\"");
        let request = if body.is_null() {
            request
        } else {
            request.json(&body)
        };
        let (status, _, body) = answer(request, "etag").await;
        assert_eq!(status, 412, "{method} {path}: {body}");
    }
    for path in [
        "/v1/models/first",
        "/v1/models/first/config",
        SITE,
        "/v1/models/first/units/site/0",
        "/v1/models/first/machines/0",
        "/v1/models/first/charms/local:site-0",
    ] {
        tag(&http, path).await;
    }
    let request = http.request("DELETE", "/v1/models/first/units/site/0");
    let current = tag(&http, "/v1/models/first/units/site/0").await;
    assert_eq!(
        answer(request.header("if-match", current), "etag").await.0,
        202
    );
    for (path, value, code) in [
        (SITE, "12", "if-match-invalid"),
        (
            "/v1/models/first/applications",
            "\"1\"",
            "if-match-unsupported",
        ),
    ] {
        let method = if path == SITE { "DELETE" } else { "POST" };
        let request = http.request(method, path).header("if-match", value);
        let (status, _, body) = answer(request, "etag").await;
        assert_eq!((status, body["code"].as_str()), (400, Some(code)));
    }
    house.close().await;
}

#[tokio::test]
async fn of_a_hundred_conditional_changes_at_once_one_is_made() {
    let house = House::open().await;
    let model = house.add_model("first").await;
    house.deploy(&model, 1).await;
    let http = house.http().await;
    let config = format!("{SITE}/config");
    let current = tag(&http, &config).await;
    let changes = (0..100).map(|port| {
        let request = http.request("PATCH", &config).header("if-match", &current);
        answer(
            request.json(&json!({ "set": { "port": 1000 + port } })),
            "etag",
        )
    });
    let statuses: Vec<u16> = futures::future::join_all(changes)
        .await
        .into_iter()
        .map(|(status, ..)| status)
        .collect();
    assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 1);
    assert_eq!(statuses.iter().filter(|status| **status == 412).count(), 99);
    house.close().await;
}

#[tokio::test]
async fn a_change_asked_for_twice_is_made_once() {
    let mut house = House::open().await;
    let model = house.add_model("first").await;
    house.deploy(&model, 1).await;
    let http = house.http().await;
    let units = format!("{SITE}/units");
    let add = |http: &Http, key: &str, count: u32| {
        let request = http.request("POST", &units).header("idempotency-key", key);
        answer(
            request.json(&json!({ "count": count })),
            "idempotency-replayed",
        )
    };
    let (status, replayed, first) = add(&http, "k1", 2).await;
    assert_eq!(
        (status, replayed, &first),
        (201, None, &json!(["site/2", "site/3"]))
    );
    let (status, replayed, again) = add(&http, "k1", 2).await;
    assert_eq!(
        (status, replayed.as_deref(), &again),
        (201, Some("true"), &first)
    );
    let (status, _, body) = add(&http, "k1", 3).await;
    assert_eq!(
        (status, body["code"].as_str()),
        (422, Some("idempotency-key-reused"))
    );

    // It is remembered by the store, not by one run of the API server.
    house.stop_api().await;
    house.start_api();
    let http = house.http().await;
    let (_, replayed, again) = add(&http, "k1", 2).await;
    assert_eq!((replayed.as_deref(), &again), (Some("true"), &first));

    // All at once: one makes the change, the others get its answer or hear that it runs.
    let racing = (0..20).map(|_| add(&http, "k2", 1));
    let mut made = Vec::new();
    for (status, _, body) in futures::future::join_all(racing).await {
        match status {
            201 => made.push(body),
            409 => assert_eq!(body["code"], "idempotency-request-running"),
            other => panic!("{other} {body}"),
        }
    }
    made.dedup();
    assert_eq!(made, [json!(["site/4"])]);

    // A refusal is no change: the key is free for a request that can be carried out.
    let request = http.request("POST", &units).header("idempotency-key", "k3");
    let (status, ..) = answer(request.json(&json!({ "count": 1_000_000 })), "x").await;
    assert_eq!(status, 400);
    assert_eq!(add(&http, "k3", 1).await.2, json!(["site/5"]));
    let long = "k".repeat(300);
    let (status, _, body) = add(&http, &long, 1).await;
    assert_eq!(
        (status, body["code"].as_str()),
        (400, Some("idempotency-key-invalid"))
    );
    house.close().await;
}

#[tokio::test]
async fn a_change_its_kept_answer_and_its_audit_row_are_one_commit() {
    let house = House::open().await;
    let model = house.add_model("first").await;
    house.deploy(&model, 1).await;
    let http = house.http().await;
    let set = |key: &'static str, port: u16| {
        let request = http.request("PATCH", &format!("{SITE}/config"));
        let request = request.header("idempotency-key", key);
        answer(request.json(&json!({ "set": { "port": port } })), "etag")
    };
    set("k1", 81).await;
    let before = house.store.measures();
    let (status, tag, body) = set("k2", 82).await;
    let after = house.store.measures();
    assert_eq!((status, &body["settings"]["port"]), (200, &json!(82)));
    assert_eq!(after.commits - before.commits, 1);
    assert_eq!(set("k2", 82).await, (200, tag, body));
    let (_, audit) = http.get("/v1/audit?matching=config").await;
    let results = audit["items"].as_array().unwrap().iter();
    let results: Vec<&str> = results.filter_map(|row| row["result"].as_str()).collect();
    assert_eq!(results, ["200"; 3], "the repetition is on record as well");
    house.close().await;
}

#[tokio::test]
async fn a_machine_that_is_tried_again_is_one_commit_with_its_answer_and_its_record() {
    let house = House::open().await;
    let model = house.add_model("first").await;
    house.deploy(&model, 1).await;
    let failed = Status::new(Machine::ProvisioningError, "no room");
    let machine: periapt_model::MachineId = "0".parse().unwrap();
    let statuses = [(machine, failed)].into();
    let said = house.store.set_instance_statuses(&model, statuses);
    said.await.unwrap();
    let http = house.http().await;
    // That a token is in use is written down beside its first request.
    let noted = house.store.measures();
    http.get("/v1/models/first/machines/0").await;
    while house.store.measures().commits == noted.commits {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let before = house.store.measures();
    let path = "/v1/models/first/machines/0/retry-provisioning";
    let (status, body) = http.send("POST", path, None).await;
    let after = house.store.measures();
    assert_eq!((status, &body["instance"]["status"]), (200, &json!("pending")));
    assert_eq!(after.commits - before.commits, 1);
    house.close().await;
}

/// A stranger's request has nobody whose key would be kept, and its record all the same.
#[tokio::test]
async fn a_login_and_a_session_are_one_commit_with_their_records() {
    let house = House::open().await;
    let http = house.http().await;
    let login = json!({ "user": "admin", "password": PASSWORD });
    let mut cookie = String::new();
    for path in ["/v1/login", "/v1/session", "/v1/session"] {
        let request = http
            .client
            .post(format!("{}{path}", http.base))
            .json(&login);
        let request = request.header("cookie", cookie.clone());
        let before = house.store.measures();
        let reply = request.send().await.unwrap();
        let after = house.store.measures();
        let made = if path == "/v1/session" { 201 } else { 200 };
        assert_eq!(reply.status(), made);
        assert_eq!(after.commits - before.commits, 1, "{path}");
        if let Some(set) = reply.headers().get("set-cookie") {
            let set = set.to_str().unwrap().split(';').next().unwrap();
            cookie = set.to_owned();
        }
    }
    let (_, audit) = http.get("/v1/audit?limit=3").await;
    let rows = audit["items"].as_array().unwrap().iter();
    let rows: Vec<(&str, &str)> = rows
        .map(|row| {
            (
                row["what"].as_str().unwrap(),
                row["result"].as_str().unwrap(),
            )
        })
        .collect();
    let session = ("POST /v1/session", "201");
    assert_eq!(rows, [session, session, ("POST /v1/login", "200")]);
    // The second session took the place of the first.
    let (_, tokens) = http.get("/v1/users/admin/tokens").await;
    let sessions = tokens["items"].as_array().unwrap().iter();
    let sessions = sessions.filter(|token| token["kind"] == "session");
    assert_eq!(sessions.count(), 1);
    house.close().await;
}

#[tokio::test]
async fn a_charm_its_compiled_form_and_the_record_of_its_upload_are_one_commit() {
    let house = House::open().await;
    house.add_model("first").await;
    let http = house.http().await;
    house.add_model("second").await;
    let upload = |model: &str| {
        let request = http
            .request("POST", &format!("/v1/models/{model}/charms"))
            .body(charm_archive("site"));
        let request = request.header("content-type", "application/zip");
        answer(request.header("idempotency-key", model), "x")
    };
    // The bytes of the archive and of the compiled form go ahead, in parts; nothing refers to them
    // until then. For the second model they are there.
    let (status, _, charm) = upload("first").await;
    assert_eq!(status, 201, "{charm}");
    let before = house.store.measures();
    let (status, _, charm) = upload("second").await;
    let after = house.store.measures();
    assert_eq!(status, 201, "{charm}");
    assert_eq!(after.commits - before.commits, 1);
    let (_, audit) = http.get("/v1/audit?matching=charms").await;
    assert_eq!(audit["items"][0]["result"], "201", "{audit}");
    house.close().await;
}

#[tokio::test]
async fn a_change_whose_answer_was_never_given_says_that_it_was_made() {
    use periapt_store::{Guard, KeptAnswer, RequestMark};
    let house = House::open().await;
    let model = house.add_model("first").await;
    house.deploy(&model, 1).await;
    let http = house.http().await;
    let send = || {
        let request = http.request("POST", &format!("{SITE}/units"));
        let request = request.header("idempotency-key", "k1");
        answer(request.json(&json!({ "count": 1 })), "x")
    };
    assert_eq!(send().await.2, json!(["site/2"]));
    // What a crash between commit and answer leaves: the mark of the request without an answer.
    let mark = RequestMark {
        account: crate::common::admin().to_string(),
        key: "k1".to_owned(),
        request: String::new(),
    };
    let request = Guard::default().once(mark, true);
    let nothing = Some(KeptAnswer::default());
    let finished = house
        .store
        .finish(&request, "interrupted".to_owned(), nothing);
    finished.await.unwrap();
    let (status, _, body) = send().await;
    assert_eq!(
        (status, body["code"].as_str()),
        (409, Some("idempotency-answer-lost"))
    );
    let (_, shown) = http.get(SITE).await;
    assert_eq!(shown["units"].as_array().unwrap().len(), 3, "{shown}");
    house.close().await;
}

#[tokio::test]
async fn an_upload_is_checked_against_its_digest_and_leaves_nothing_when_it_differs() {
    let house = House::open().await;
    house.add_model("first").await;
    let http = house.http().await;
    let archive = charm_archive("site");
    let digest = Digest::of(&archive);
    let hex = digest.to_string();
    let base64 = BASE64_STANDARD.encode(digest.as_bytes());
    let upload = |query: &str, header: Option<(&str, &str)>| {
        let path = format!("/v1/models/first/charms{query}");
        let request = http.request("POST", &path).body(archive.clone());
        let mut request = request.header("content-type", "application/zip");
        if let Some((name, value)) = header {
            request = request.header(name, value);
        }
        answer(request, "x")
    };
    let wrong = "0".repeat(64);
    let wrong64 = BASE64_STANDARD.encode([0_u8; 32]);
    for (query, header) in [
        (format!("?sha256={wrong}"), None),
        (
            String::new(),
            Some(("content-digest", format!("sha-256=:{wrong64}:"))),
        ),
        (
            String::new(),
            Some(("digest", format!("SHA-256={wrong64}"))),
        ),
    ] {
        let header = header.as_ref().map(|(name, value)| (*name, value.as_str()));
        let (status, _, body) = upload(&query, header).await;
        assert_eq!(
            (status, body["code"].as_str()),
            (400, Some("charm-digest-mismatch"))
        );
        assert!(body["detail"].as_str().unwrap().contains(&hex));
    }
    assert!(!house.store.has_blob(&hex).await.unwrap());
    let (status, _, body) = upload("?sha256=abc", None).await;
    assert_eq!(
        (status, body["code"].as_str()),
        (400, Some("digest-invalid"))
    );
    for (query, header) in [
        (format!("?sha256={hex}"), None),
        (
            String::new(),
            Some(("content-digest", format!("md5=:x:, sha-256=:{base64}:"))),
        ),
        (String::new(), Some(("digest", format!("sha-256={base64}")))),
    ] {
        let header = header.as_ref().map(|(name, value)| (*name, value.as_str()));
        let (status, _, body) = upload(&query, header).await;
        assert_eq!(
            (status, &body["url"]),
            (201, &json!("local:site-0")),
            "{body}"
        );
    }
    house.close().await;
}

#[tokio::test]
async fn documents_are_compressed_and_streams_are_not() {
    let house = House::open().await;
    let model = house.add_model("first").await;
    house.deploy(&model, 20).await;
    let http = house.http().await;
    let status = "/v1/models/first/status";
    for encoding in ["gzip", "br"] {
        let request = http
            .request("GET", status)
            .header("accept-encoding", encoding);
        let (_, used, _) = answer(request, "content-encoding").await;
        assert_eq!(used.as_deref(), Some(encoding));
    }
    let (_, used, body) = answer(http.request("GET", status), "content-encoding").await;
    assert!(used.is_none() && body.is_object());
    for path in ["/v1/models/first/events", "/v1/models/first/logs"] {
        let request = http
            .request("GET", path)
            .header("accept-encoding", "gzip, br");
        let response = request.send().await.unwrap();
        assert!(
            response.headers().get("content-encoding").is_none(),
            "{path}"
        );
    }
    house.close().await;
}

#[tokio::test]
async fn the_description_of_the_api_is_for_everybody() {
    let house = House::open().await;
    let stranger = house.stranger();
    let (status, kind, document) =
        answer(stranger.request("GET", "/v1/openapi.json"), "content-type").await;
    assert_eq!((status, kind.as_deref()), (200, Some("application/json")));
    assert_eq!(document["openapi"], "3.1.0");
    let page = stranger.request("GET", "/docs/api").send().await.unwrap();
    let policy = page.headers()["content-security-policy"].to_str().unwrap();
    assert!(policy.starts_with("default-src 'none'"), "{policy}");
    assert!(page.text().await.unwrap().contains("The HTTP API"));
    house.close().await;
}

/// What a change answers with: the status, where it says what it made is, and its body.
async fn made(http: &Http, method: &str, path: &str, body: Value) -> (u16, Option<String>, Value) {
    answer(http.request(method, path).json(&body), "location").await
}

#[tokio::test]
async fn what_is_made_has_an_address_and_what_only_begins_says_so() {
    let house = House::open().await;
    let http = house.http().await;
    let add = json!({ "name": "first" });
    let (status, place, model) = made(&http, "POST", "/v1/models", add).await;
    let uuid = model["uuid"].as_str().unwrap();
    assert_eq!((status, place), (201, Some(format!("/v1/models/{uuid}"))));
    let uuid: ModelUuid = uuid.parse().unwrap();
    house.deploy(&uuid, 1).await;
    let url = json!({ "application": "two", "charm": "local:site-0" });
    let applications = "/v1/models/first/applications";
    let (status, place, _) = made(&http, "POST", applications, url).await;
    let place = place.unwrap();
    assert_eq!(
        (status, place.as_str()),
        (201, "/v1/models/first/applications/two")
    );
    assert_eq!(http.get(&place).await.1["name"], "two");

    // Asked again under its key it is the same answer.
    let pool = json!({ "name": "fast", "provider": "loop" });
    for replayed in [None, Some("true")] {
        let request = http.request("POST", "/v1/models/first/storage-pools");
        let request = request.header("idempotency-key", "pool").json(&pool);
        let response = request.send().await.unwrap();
        let header = |name: &str| {
            let value = response.headers().get(name);
            value.map(|value| value.to_str().unwrap().to_owned())
        };
        assert_eq!(response.status().as_u16(), 201);
        assert_eq!(header("idempotency-replayed").as_deref(), replayed);
        let place = header("location");
        assert_eq!(place.as_deref(), Some("/v1/models/first/storage-pools"));
    }

    let scale = format!("{SITE}/scale");
    let (status, place, scaled) = made(&http, "PUT", &scale, json!({ "units": 3 })).await;
    assert_eq!((status, place), (202, None));
    assert_eq!(scaled["units"], json!(["site/0", "site/1", "site/2"]));
    assert_eq!(scaled["added"], json!(["site/2"]));
    let (_, _, scaled) = made(&http, "PUT", &scale, json!({ "units": 1 })).await;
    assert_eq!(scaled["removal"]["units"], json!(["site/1", "site/2"]));
    let (_, audit) = http.get("/v1/audit?matching=scale").await;
    assert_eq!(audit["items"][0]["result"], "202", "{audit}");

    // A refusal has neither.
    let (status, place, problem) = made(&http, "PUT", &scale, json!({ "unitz": 1 })).await;
    assert_eq!((status, place), (400, None));
    assert_eq!(
        problem["type"],
        format!("urn:periapt:problem:{}", problem["code"].as_str().unwrap())
    );
    house.close().await;
}

#[tokio::test]
async fn every_list_refuses_a_page_of_no_length_in_the_same_words() {
    let house = House::open().await;
    let model = house.add_model("first").await;
    house.deploy(&model, 1).await;
    let http = house.http().await;
    for list in [
        "/v1/audit",
        "/v1/clouds",
        "/v1/controller/nodes",
        "/v1/credentials",
        "/v1/models",
        "/v1/models/first/access",
        "/v1/models/first/annotations",
        "/v1/models/first/applications/site/history",
        "/v1/models/first/audit",
        "/v1/models/first/blocks",
        "/v1/models/first/hooks",
        "/v1/models/first/machines/0/block-devices",
        "/v1/models/first/operations",
        "/v1/models/first/payloads",
        "/v1/models/first/secrets",
        "/v1/models/first/storage",
        "/v1/models/first/storage-pools",
        "/v1/models/first/units",
        "/v1/models/first/units/site/0/history",
        "/v1/models/first/units/site/0/metrics",
        "/v1/models/first/workers",
        "/v1/secret-backends",
        "/v1/users",
        "/v1/users/admin/tokens",
        "/v1/workers",
    ] {
        let (status, page) = http.get(&format!("{list}?limit=1")).await;
        assert_eq!(status, 200, "{list}: {page}");
        assert!(page["items"].is_array(), "{list}: {page}");
        for limit in ["0", "1001"] {
            let (status, problem) = http.get(&format!("{list}?limit={limit}")).await;
            assert_eq!(
                (status, &problem["code"]),
                (400, &json!("limit-invalid")),
                "{list}"
            );
        }
    }
    house.close().await;
}
