//! The port as strangers find it: what is answered there, and how long anybody may keep it waiting.
use std::time::{Duration, Instant};

use crate::common::{House, PASSWORD, PATIENCE};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Everything that comes until the end of the connection.
async fn rest(stream: &mut (impl AsyncReadExt + Unpin)) -> String {
    let mut answer = Vec::new();
    // A connection that is cut instead of closed has said all it will.
    let _ = tokio::time::timeout(PATIENCE, stream.read_to_end(&mut answer)).await;
    String::from_utf8_lossy(&answer).into_owned()
}

#[tokio::test]
async fn the_front_door_is_the_page_for_a_browser_and_the_websocket_for_a_client() {
    let house = House::open().await;
    for agent in ["text/html,*/*", "*/*"] {
        let request = house.stranger().request("GET", "/").header("accept", agent);
        let page = request.send().await.unwrap();
        let kind = page.headers()["content-type"].to_str().unwrap().to_owned();
        assert_ne!(page.status().as_u16(), 426);
        assert!(kind.starts_with("text/html"), "{kind}");
        assert_eq!(page.headers()["x-content-type-options"], "nosniff");
    }
    let mut socket = house.socket("/").await;
    socket.log_in("user-admin", PASSWORD).await.unwrap();
    let model = house.add_model("first").await;
    for path in ["/api".to_owned(), format!("/model/{model}/api")] {
        let (status, problem) = house.stranger().get(&path).await;
        assert_eq!(
            (status, &problem["code"]),
            (426, &json!("websocket-expected"))
        );
    }
    house.close().await;
}

#[tokio::test]
async fn plain_http_is_sent_on_to_https() {
    let house = House::open().await;
    let mut stream = TcpStream::connect(house.address).await.unwrap();
    let request = format!(
        "GET /models?a=b HTTP/1.1\r\nHost: {}\r\n\r\n",
        house.address
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let answer = rest(&mut stream).await;
    assert!(answer.starts_with("HTTP/1.1 308"), "{answer}");
    let location = format!("location: https://{}/models?a=b", house.address);
    assert!(answer.to_lowercase().contains(&location), "{answer}");
    // No host to send them on to, or one that would say something else.
    for host in ["", "Host: a/b\r\n"] {
        let mut stream = TcpStream::connect(house.address).await.unwrap();
        let request = format!("GET / HTTP/1.1\r\n{host}\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        let answer = rest(&mut stream).await;
        assert!(answer.starts_with("HTTP/1.1 400"), "{answer}");
    }
    house.close().await;
}

#[tokio::test]
async fn what_is_neither_a_page_nor_a_file_is_not_found() {
    let house = House::open().await;
    for path in ["/favicon.ico", "/assets/none.js", "/wp-login.php"] {
        let response = house.stranger().request("GET", path).send().await.unwrap();
        assert_eq!(response.status().as_u16(), 404, "{path}");
        let kind = response.headers()["content-type"].to_str().unwrap();
        assert!(!kind.starts_with("text/html"), "{path}: {kind}");
    }
    house.close().await;
}

#[tokio::test]
async fn answers_of_the_api_are_kept_by_no_browser_and_taken_for_nothing_else() {
    let house = House::open().await;
    let http = house.http().await;
    for (method, path) in [
        ("GET", "/v1/models"),
        ("GET", "/v1/models/none"),
        ("POST", "/v1/users/admin/tokens"),
        ("GET", "/health"),
    ] {
        let request = http.request(method, path).json(&json!({ "name": "kept" }));
        let response = request.send().await.unwrap();
        let headers = response.headers();
        assert_eq!(headers["x-content-type-options"], "nosniff", "{path}");
        assert_eq!(headers["cache-control"], "no-store", "{path}");
    }
    house.close().await;
}

#[tokio::test]
async fn a_body_that_does_not_come_is_not_waited_for() {
    let house = House::open().await;
    let began = Instant::now();
    let mut stream = house.connection().await;
    let head = "POST /v1/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{";
    stream.write_all(head.as_bytes()).await.unwrap();
    let answer = rest(&mut stream).await;
    assert!(answer.starts_with("HTTP/1.1 408"), "{answer}");
    assert!(answer.contains("body-too-slow"), "{answer}");
    assert!(began.elapsed() >= Duration::from_secs(9));
    house.close().await;
}

#[tokio::test]
async fn an_upload_that_stops_is_not_waited_for() {
    let house = House::open().await;
    let model = house.add_model("first").await;
    let http = house.http().await;
    let token = http.authorization.clone().unwrap();
    let mut stream = house.connection().await;
    let head = format!(
        "POST /v1/models/{model}/charms HTTP/1.1\r\nHost: x\r\nAuthorization: {token}\r\n\
         Content-Type: application/zip\r\nContent-Length: 100000000\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    // Enough to be kept in the store meanwhile.
    stream.write_all(&vec![0; 3 << 20]).await.unwrap();
    let began = Instant::now();
    let answer = rest(&mut stream).await;
    assert!(answer.starts_with("HTTP/1.1 408"), "{answer}");
    assert!(began.elapsed() >= Duration::from_secs(15));
    let (status, answer) = http
        .upload(&model, crate::common::charm_archive("site"))
        .await;
    assert_eq!(status, 201, "{answer}");
    house.close().await;
}

#[tokio::test]
async fn a_websocket_on_which_nobody_logs_in_ends_although_it_answers_pings() {
    let house = House::open().await;
    let mut socket = house.socket("/api").await;
    let began = Instant::now();
    // `reply` answers pings, as the library does by itself.
    assert!(socket.reply().await.is_none());
    assert!(began.elapsed() >= Duration::from_secs(9));
    house.close().await;
}

#[tokio::test]
async fn a_message_before_the_login_is_short_and_one_after_it_may_be_long() {
    let house = House::open().await;
    let model = house.add_model("first").await;
    let mut stranger = house.socket("/api").await;
    let long = json!({ "request-id": 1, "type": "Admin", "request": "Login", "version": 3,
        "params": { "auth-tag": "x".repeat(200_000) } });
    // The connection may end before all is sent.
    let _ = stranger.try_text(&long.to_string()).await;
    assert!(stranger.reply().await.is_none());

    let mut agent = house.agent(&model).await;
    let text = "x".repeat(12_000);
    let records: Vec<_> = (0..500)
        .map(|_| json!({ "time": 1, "entity": format!("agent-{model}"), "level": "INFO", "module": "m", "message": text }))
        .collect();
    agent
        .call("periapt.LogSink", "Write", json!({ "records": records }))
        .await
        .unwrap();
    // And again, since the room for it was given back.
    for _ in 0..3 {
        agent
            .call("periapt.LogSink", "Write", json!({ "records": records }))
            .await
            .unwrap();
    }
    house.close().await;
}

#[tokio::test]
async fn an_agent_says_no_more_than_it_may() {
    let house = House::open().await;
    let model = house.add_model("first").await;
    house.deploy(&model, 1).await;
    let mut agent = house.agent(&model).await;
    let status = |bytes: usize| json!({ "unit": "site/0", "status": { "status": "active", "message": "x".repeat(bytes), "since": 1 } });
    let refused = agent
        .call("periapt.Uniter", "SetUnitStatus", status(9 << 20))
        .await;
    assert_eq!(refused.unwrap_err().0, "bad request");
    for (milliseconds, fine) in [
        (0, false),
        (1_000_000_000_000_000_000_u64, false),
        (60_000, true),
    ] {
        let claim = json!({ "unit": "site/0", "duration-ms": milliseconds });
        let claimed = agent
            .call("periapt.LeadershipService", "ClaimLeadership", claim)
            .await;
        assert_eq!(claimed.is_ok(), fine, "{milliseconds}: {claimed:?}");
    }
    house.close().await;
}

#[tokio::test]
async fn an_agent_cannot_be_locked_out_by_guessing_under_its_name() {
    let house = House::open().await;
    let model = house.add_model("first").await;
    let password = house.agent_password(&model).await;
    let tag = format!("agent-{model}");
    let mut guesser = house.socket(&format!("/model/{model}/api")).await;
    for _ in 0..200 {
        let refused = guesser.log_in(&tag, "guess").await.unwrap_err();
        assert_eq!(refused.0, "unauthorized access", "{}", refused.1);
    }
    let mut agent = house.socket(&format!("/model/{model}/api")).await;
    agent.log_in(&tag, &password).await.unwrap();
    // What is written down of all that has a bound.
    let (_, audit) = house.http().await.get("/v1/audit?limit=1000").await;
    let refusals = audit["items"].as_array().unwrap().iter();
    let refusals = refusals.filter(|record| record["result"] == "credentials-invalid");
    assert!(refusals.count() < 20);
    house.close().await;
}

#[tokio::test]
async fn a_person_is_not_kept_out_by_who_guesses_from_behind_the_same_address() {
    let house = House::open().await;
    // At home here from now on.
    house.http().await;
    let guess = json!({ "user": "admin", "password": "guess" });
    let mut refused = 0;
    let mut guessing = tokio::task::JoinSet::new();
    let stranger = std::sync::Arc::new(house.stranger());
    for _ in 0..5 {
        let (stranger, guess) = (stranger.clone(), guess.clone());
        guessing.spawn(async move {
            let mut refused = 0;
            for _ in 0..2 {
                let (status, _) = stranger
                    .send("POST", "/v1/login", Some(guess.clone()))
                    .await;
                assert!(matches!(status, 401 | 429), "{status}");
                refused += 1;
            }
            refused
        });
    }
    let right = json!({ "user": "admin", "password": PASSWORD });
    let (status, answer) = stranger.send("POST", "/v1/login", Some(right)).await;
    assert_eq!(status, 200, "{answer}");
    while let Some(done) = guessing.join_next().await {
        refused += done.unwrap();
    }
    assert_eq!(refused, 10);
    house.close().await;
}

#[tokio::test]
async fn two_hundred_that_do_not_log_in_keep_nobody_out() {
    let house = House::open().await;
    let model = house.add_model("first").await;
    let mut standing = Vec::new();
    for _ in 0..200 {
        standing.push(house.socket("/api").await);
    }
    house.agent(&model).await;
    let (status, _) = house.http().await.get("/v1/models").await;
    assert_eq!(status, 200);
    drop(standing);
    house.close().await;
}
