//! The HTTP API as `curl` meets it.
use crate::common::{House, LineReader, PASSWORD, PATIENCE, archive, charm_archive};
use periapt_wire::agent::log_sink::LogRecord;
use serde_json::{Value, json};

/// A refusal with its status and code, complete enough for a person.
fn problem(answer: (u16, Value), status: u16, code: &str) -> Value {
    let (got, body) = answer;
    assert_eq!((got, body["code"].as_str()), (status, Some(code)), "{body}");
    assert_eq!(body["status"], status);
    assert!(!body["title"].as_str().unwrap().is_empty());
    body
}

fn fine(answer: (u16, Value)) -> Value {
    assert!((200..300).contains(&answer.0), "{} {}", answer.0, answer.1);
    answer.1
}

#[tokio::test]
async fn a_model_is_added_filled_looked_at_and_destroyed() {
    let house = House::open().await;
    let http = house.http().await;
    let model = fine(
        http.send("POST", "/v1/models", Some(json!({ "name": "first" })))
            .await,
    );
    assert_eq!(
        (model["name"].as_str(), model["owner"].as_str()),
        (Some("first"), Some("admin"))
    );
    problem(
        http.send("POST", "/v1/models", Some(json!({ "name": "first" })))
            .await,
        409,
        "model-already-exists",
    );
    problem(
        http.send("POST", "/v1/models", Some(json!({ "name": "First!" })))
            .await,
        400,
        "body-invalid",
    );
    let uuid: periapt_model::ModelUuid = model["uuid"].as_str().unwrap().parse().unwrap();
    assert_eq!(
        fine(http.get("/v1/models").await)["items"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
    assert_eq!(
        fine(http.get("/v1/models/first").await)["uuid"],
        uuid.as_str()
    );
    assert_eq!(
        fine(http.get(&format!("/v1/models/{uuid}")).await)["name"],
        "first"
    );
    problem(http.get("/v1/models/second").await, 404, "model-not-found");
    let changed = json!({ "set": { "logging-config": "<root>=DEBUG" } });
    assert_eq!(
        fine(
            http.send("PATCH", "/v1/models/first/config", Some(changed))
                .await
        )["logging-config"]["value"],
        "<root>=DEBUG"
    );

    let charm = fine(http.upload(&uuid, charm_archive("site")).await);
    assert_eq!(
        (charm["url"].as_str(), charm["hooks"][0].as_str()),
        (Some("local:site-0"), Some("install"))
    );
    assert_eq!(
        fine(http.upload(&uuid, charm_archive("site")).await)["url"],
        "local:site-0",
        "the same bytes, the same charm"
    );
    assert_eq!(
        fine(http.get("/v1/models/first/charms").await)["items"]
            .as_array()
            .unwrap()
            .len(),
        1
    );

    let applications = "/v1/models/first/applications";
    let wrong =
        json!({ "application": "site", "charm": "local:site-0", "config": { "port": "high" } });
    problem(
        http.send("POST", applications, Some(wrong)).await,
        400,
        "config-wrong-type",
    );
    let unknown =
        json!({ "application": "site", "charm": "local:site-0", "config": { "prot": 1 } });
    problem(
        http.send("POST", applications, Some(unknown)).await,
        400,
        "config-unknown-option",
    );
    assert_eq!(
        fine(http.get(applications).await),
        json!({ "items": [] }),
        "nothing was stored"
    );
    problem(
        http.send(
            "POST",
            applications,
            Some(json!({ "application": "site", "charm": "local:site-9" })),
        )
        .await,
        404,
        "charm-not-found",
    );

    let deployed = json!({ "application": "site", "charm": "local:site-0", "units": 2, "config": { "port": "81" } });
    assert_eq!(
        fine(http.send("POST", applications, Some(deployed)).await)["units"],
        json!(["site/0", "site/1"])
    );
    let config = fine(http.get(&format!("{applications}/site/config")).await);
    assert_eq!(config["settings"], json!({ "port": 81 }));
    let config = fine(
        http.send(
            "PATCH",
            &format!("{applications}/site/config"),
            Some(json!({ "reset": ["port"] })),
        )
        .await,
    );
    assert_eq!(
        (&config["settings"], &config["effective"]),
        (&json!({}), &json!({ "port": 8080 }))
    );
    assert_eq!(
        fine(
            http.send(
                "POST",
                &format!("{applications}/site/units"),
                Some(json!({ "count": 1 }))
            )
            .await
        ),
        json!(["site/2"])
    );
    assert_eq!(
        fine(http.get("/v1/models/first/units/site/2").await)["name"],
        "site/2"
    );
    problem(
        http.get("/v1/models/first/units/site/9").await,
        404,
        "unit-not-found",
    );
    problem(
        http.get("/v1/models/first/units/site/nine").await,
        400,
        "unit-name-invalid",
    );
    problem(
        http.send(
            "POST",
            "/v1/models/first/units/site/0/resolved",
            Some(json!({ "retry": true })),
        )
        .await,
        409,
        "unit-not-in-error",
    );
    assert!(
        !fine(
            http.get("/v1/models/first/units/site/0/history?limit=5")
                .await
        )["items"]
            .as_array()
            .unwrap()
            .is_empty()
    );

    let status = fine(http.get("/v1/models/first/status").await);
    assert_eq!(
        status["applications"]["site"]["units"]
            .as_object()
            .unwrap()
            .len(),
        3
    );
    let status = fine(
        http.get("/v1/models/first/status?pattern=site%2F1&pattern=nothing")
            .await,
    );
    assert_eq!(
        status["applications"]["site"]["units"]
            .as_object()
            .unwrap()
            .len(),
        1
    );

    assert_eq!(
        fine(
            http.send("DELETE", "/v1/models/first/units/site/2", None)
                .await
        )["units"],
        json!(["site/2"])
    );
    fine(
        http.send("DELETE", &format!("{applications}/site?force"), None)
            .await,
    );
    fine(
        http.send("DELETE", "/v1/models/first?force&timeout-ms=0", None)
            .await,
    );
    assert_ne!(fine(http.get("/v1/models/first").await)["life"], "alive");
    house.close().await;
}

#[tokio::test]
async fn what_is_not_a_charm_is_refused_with_its_reason() {
    let house = House::open().await;
    let model = house.add_model("first").await;
    let http = house.http().await;
    let component: &[u8] = b"\0asm\x0d\0\x01\0";
    let metadata: &[u8] = b"name: site\nsummary: a test\ndescription: a test\n";
    let zeros = vec![0; 64 << 20];
    let cases: Vec<(Vec<u8>, &str)> = vec![
        (b"not a zip at all".to_vec(), "charm-archive-unreadable"),
        (
            archive(&[
                ("metadata.yaml", metadata),
                ("charm.wasm", component),
                ("zeros", &zeros),
            ]),
            "charm-archive-bomb",
        ),
        (
            archive(&[
                ("metadata.yaml", metadata),
                ("charm.wasm", component),
                ("../escape", b"x"),
            ]),
            "charm-archive-path",
        ),
        (
            archive(&[("metadata.yaml", metadata)]),
            "charm-archive-no-component",
        ),
        (
            archive(&[
                ("metadata.yaml", metadata),
                ("charm.wasm", b"\0asm\x01\0\0\0"),
            ]),
            "charm-component-invalid",
        ),
        (
            archive(&[
                ("metadata.yaml", metadata),
                ("charm.wasm", b"\0asm\x0d\0\x01\0refuse me"),
            ]),
            "charm-component-invalid",
        ),
        (
            archive(&[
                ("metadata.yaml", metadata),
                ("charm.wasm", b"\0asm\x0d\0\x01\0imports secret"),
            ]),
            "charm-capability-undeclared",
        ),
        (
            archive(&[("charm.wasm", component)]),
            "charm-metadata-missing",
        ),
        (
            archive(&[("metadata.yaml", b"name: [1"), ("charm.wasm", component)]),
            "charm-metadata-invalid",
        ),
    ];
    for (bytes, code) in cases {
        let body = problem(http.upload(&model, bytes).await, 400, code);
        assert!(
            !body["detail"].as_str().unwrap().is_empty()
                && !body["advice"].as_str().unwrap().is_empty(),
            "{body}"
        );
    }
    problem(http.upload(&model, Vec::new()).await, 400, "body-missing");
    // A charm that takes too much is at fault, a compiler that does not start is not.
    for (code, status) in [("compile-address-space", 400), ("compile-start", 500)] {
        let component = [component, code.as_bytes()].concat();
        let files: [(&str, &[u8]); 2] = [("metadata.yaml", metadata), ("charm.wasm", &component)];
        problem(http.upload(&model, archive(&files)).await, status, code);
    }
    let chunks =
        futures::stream::iter((0..129).map(|_| Ok::<_, std::io::Error>(vec![0_u8; 1 << 20])));
    let request = http
        .request("POST", "/v1/models/first/charms")
        .header("content-type", "application/zip")
        .body(reqwest::Body::wrap_stream(chunks));
    // The refusal may reach a client that still sends as a broken connection.
    if let Ok(response) = request.send().await {
        assert_eq!(response.status().as_u16(), 413);
    }
    assert_eq!(
        fine(http.get("/v1/models/first/charms").await),
        json!({ "items": [] })
    );
    house.close().await;
}

#[tokio::test]
async fn what_is_not_there_says_so_and_probes_are_open() {
    let house = House::open().await;
    let user = house.http().await;
    problem(user.get("/v1/nothing").await, 404, "route-not-found");
    problem(
        user.send("PUT", "/v1/models", None).await,
        405,
        "method-not-allowed",
    );
    assert_eq!(house.stranger().get("/health").await.0, 200);
    assert_eq!(house.stranger().get("/ready").await.0, 200);
    house.close().await;
}

#[tokio::test]
async fn passwords_work_as_basic_too_and_guessing_is_slowed_down() {
    let house = House::open().await;
    let http = house.stranger();
    for name in ["admin", "user-admin"] {
        let response = http
            .client
            .get(format!("{}/v1/controller", http.base))
            .basic_auth(name, Some(PASSWORD))
            .send()
            .await
            .unwrap();
        assert_eq!(response.status().as_u16(), 200);
        let controller: Value = response.json().await.unwrap();
        assert_eq!(
            (controller["name"].as_str(), controller["database"].as_str()),
            (Some("home"), Some("sqlite"))
        );
    }
    let guess = Some(json!({ "user": "somebody", "password": "guess" }));
    for _ in 0..5 {
        problem(
            http.send("POST", "/v1/login", guess.clone()).await,
            401,
            "credentials-invalid",
        );
    }
    problem(
        http.send("POST", "/v1/login", guess).await,
        429,
        "logins-throttled",
    );
    house.close().await;
}

#[tokio::test]
async fn logs_are_followed_until_enough() {
    let house = House::open().await;
    let model = house.add_model("first").await;
    let line = |time: i64, message: &str| LogRecord {
        time,
        entity: "unit-site-0".parse().unwrap(),
        level: "INFO".to_owned(),
        module: "test".to_owned(),
        message: message.to_owned(),
    };
    house
        .store
        .write_logs(&model, vec![line(1, "one"), line(2, "two")])
        .await
        .unwrap();
    let http = house.http().await;
    let mut past = LineReader::new(
        http.request("GET", "/v1/models/first/logs?replay=true")
            .send()
            .await
            .unwrap(),
    );
    assert_eq!(past.next().await.unwrap()["message"], "one");
    assert_eq!(past.next().await.unwrap()["message"], "two");
    assert_eq!(past.next().await, None);
    let mut live = LineReader::new(
        http.request("GET", "/v1/models/first/logs?tail=1&limit=3&follow=true")
            .send()
            .await
            .unwrap(),
    );
    assert_eq!(live.next().await.unwrap()["message"], "two");
    house
        .store
        .write_logs(
            &model,
            vec![line(3, "three"), line(4, "four"), line(5, "five")],
        )
        .await
        .unwrap();
    assert_eq!(live.next().await.unwrap()["message"], "three");
    assert_eq!(live.next().await.unwrap()["message"], "four");
    assert_eq!(live.next().await, None);
    house.close().await;
}

#[tokio::test]
async fn stopping_is_asked_for_over_the_api() {
    let house = House::open().await;
    let http = house.http().await;
    fine(
        http.send(
            "POST",
            "/v1/controller/stop",
            Some(json!({ "agents": true })),
        )
        .await,
    );
    assert!(
        tokio::time::timeout(PATIENCE, house.stop.requested())
            .await
            .unwrap()
            .agents
    );
    let rows = fine(http.get("/v1/workers").await);
    assert_eq!(rows["items"][0]["worker"], "httpserver");
    house.close().await;
}

#[tokio::test]
async fn a_charm_is_downloaded_as_it_was_uploaded() {
    let house = House::open().await;
    let http = house.http().await;
    let model = house.add_model("first").await;
    // Larger than a part of the store's.
    let noise = (0_u32..900_000).flat_map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes());
    let bytes = archive(&[
        ("metadata.yaml", b"name: site\nsummary: a\ndescription: a\n"),
        ("charm.wasm", b"\0asm\x0d\0\x01\0"),
        ("ballast", &noise.collect::<Vec<u8>>()),
    ]);
    assert!(bytes.len() > 1 << 20);
    let charm = fine(http.upload(&model, bytes.clone()).await);
    let path = "/v1/models/first/charms/local:site-0/archive";
    let response = http.request("GET", path).send().await.unwrap();
    assert_eq!(response.status(), 200);
    let header = |name: &str| response.headers()[name].to_str().unwrap().to_owned();
    assert_eq!(header("content-type"), "application/zip");
    assert_eq!(header("content-length"), bytes.len().to_string());
    assert_eq!(header("etag"), format!("{}", charm["sha256"]));
    assert_eq!(
        header("content-disposition"),
        "attachment; filename=\"site-0.charm\""
    );
    assert_eq!(response.bytes().await.unwrap(), bytes);

    let head = http.request("HEAD", path).send().await.unwrap();
    assert_eq!(head.headers()["content-length"], bytes.len().to_string());
    assert!(head.bytes().await.unwrap().is_empty());

    house.add_model("second").await;
    for (path, code) in [
        (
            "/v1/models/first/charms/local:site-1/archive",
            "charm-not-found",
        ),
        (
            "/v1/models/second/charms/local:site-0/archive",
            "charm-not-found",
        ),
    ] {
        problem(http.get(path).await, 404, code);
    }
    house.close().await;
}

#[tokio::test]
async fn processes_of_the_controller_are_listed_and_removed() {
    let house = House::open().await;
    let http = house.http().await;
    let store = &house.store;
    for (node, address) in [(0, "127.0.0.1:1"), (1, "127.0.0.1:2")] {
        store
            .announce_controller_node(node, address, "")
            .await
            .unwrap();
    }
    assert_eq!(store.add_controller_node().await.unwrap(), 2);
    let nodes = "/v1/controller/nodes";
    let listed = fine(http.get(nodes).await)["items"].take();
    let states: Vec<&str> = (0..3)
        .map(|node| listed[node]["state"].as_str().unwrap())
        .collect();
    assert_eq!(states, ["running", "running", "new"]);
    assert_eq!(
        (&listed[0]["answers"], &listed[1]["answers"]),
        (&json!(true), &json!(false))
    );
    let refused = http.send("DELETE", "/v1/controller/nodes/1", None).await;
    let refused = problem(refused, 409, "controller-node-running");
    assert!(refused["advice"].as_str().unwrap().contains("--force"));
    for unknown in ["7", "first"] {
        let path = format!("{nodes}/{unknown}");
        problem(
            http.send("DELETE", &path, None).await,
            404,
            "controller-node-not-found",
        );
    }
    let removed = fine(
        http.send("DELETE", "/v1/controller/nodes/1?force=true", None)
            .await,
    );
    assert_eq!(removed["address"], "127.0.0.1:2");
    fine(http.send("DELETE", "/v1/controller/nodes/2", None).await);
    let left = fine(http.get(nodes).await);
    assert_eq!(left["items"].as_array().unwrap().len(), 1);
    let last = http
        .send("DELETE", "/v1/controller/nodes/0?force=true", None)
        .await;
    problem(last, 409, "controller-node-last");
    house.close().await;
}
