//! What hooks use of what they may, and the files that they leave, which the agent that has them is asked for.

use axum::body::{Body, to_bytes};
use axum::http::Request;
use periapt_model::{AgentName, ModelUuid};
use periapt_server::ServerState;
use serde_json::{Value, json};
use tower::ServiceExt;

use crate::common::{House, Http, Socket};

const UNIT: &str = "/v1/models/first/units/site/0";

/// A hook that left the third generation of its unit's files.
async fn commit(agent: &mut Socket) {
    let usage = json!({ "memory-bytes": 2048, "host-calls": 7, "output-bytes": 0, "state-directory-bytes": 5 });
    let run = json!({ "hook": "install", "charm": "local:site-0", "started-at": 1, "duration": 2500, "usage": usage });
    let operation = json!({ "kind": "continue", "step": "pending", "state-generation": 3 });
    let commit =
        json!({ "unit": "site/0", "from": 0, "effects": {}, "operation": operation, "run": run });
    agent
        .call("periapt.Uniter", "CommitHook", commit)
        .await
        .unwrap();
}

/// Waits for a question, answers it, and says what it was.
async fn answered(agent: &mut Socket, watcher: &str, answer: Value) -> Value {
    let asked = agent
        .send("Watcher", "Next", Some(watcher), Value::Null)
        .await;
    assert_eq!(agent.reply().await.unwrap()["request-id"], asked);
    let questions = agent
        .call("periapt.AgentHost", "Questions", json!({}))
        .await
        .unwrap();
    let question = &questions[0];
    let told = json!({ "number": question["number"], "answer": { "files": answer } });
    agent
        .call("periapt.AgentHost", "PutAnswer", told)
        .await
        .unwrap();
    question["asked"]["files"].clone()
}

#[tokio::test]
async fn files_are_asked_for_at_the_agent_of_their_unit_and_each_look_is_on_record() {
    let house = House::open().await;
    let model = house.add_model("first").await;
    house.deploy(&model, 1).await;
    let http = house.http().await;
    let list = format!("{UNIT}/files/list");
    let state = || Some(json!({ "path": "/state" }));

    // Before its first hook a unit keeps nothing, and nobody needs to be asked.
    let (status, listing) = http.send("POST", &list, state()).await;
    assert_eq!((status, &listing["count"]), (200, &json!(0)), "{listing}");
    let (status, refused) = http
        .send("POST", &list, Some(json!({ "path": "/etc" })))
        .await;
    assert_eq!(
        (status, &refused["code"]),
        (400, &json!("file-path-invalid"))
    );

    let mut agent = house.agent(&model).await;
    commit(&mut agent).await;
    let (status, refused) = http.send("POST", &list, state()).await;
    assert_eq!((status, &refused["code"]), (503, &json!("agent-silent")));

    let watch = agent
        .call("periapt.AgentHost", "WatchQuestions", json!({}))
        .await
        .unwrap();
    let watcher = watch["watcher-id"].as_str().unwrap();
    let note = json!({ "name": "note", "kind": "file", "bytes": 5, "modified-at": 0 });
    let entries = json!({ "entries": { "entries": [note], "all": 1 } });
    let ((status, listing), question) = tokio::join!(
        http.send("POST", &list, state()),
        answered(&mut agent, watcher, entries),
    );
    assert_eq!(status, 200, "{listing}");
    assert_eq!(question["generation"], 3, "{question}");
    assert_eq!(
        listing["entries"][0],
        json!({ "name": "note", "kind": "file", "bytes": 5, "modified-at": "1970-01-01T00:00:00Z" })
    );

    // A file comes in parts, and is one answer.
    let read = format!("{UNIT}/files/read");
    let asked = async {
        let request = http.request("POST", &read);
        let request = request.json(&json!({ "path": "/state/note" }));
        request.send().await.unwrap().text().await.unwrap()
    };
    let told = async {
        for (content, offset) in [("aGU=", 0), ("bGxv", 2)] {
            let part = json!({ "part": { "content": content, "total": 5 } });
            let question = answered(&mut agent, watcher, part).await;
            assert_eq!(question["path"], "note", "{question}");
            assert_eq!(question["wanted"]["part"]["offset"], offset, "{question}");
        }
    };
    let (text, ()) = tokio::join!(asked, told);
    assert_eq!(text, "hello");

    let (_, audit) = http.get("/v1/models/first/audit").await;
    for (verb, object) in [
        ("tried to list", "/etc of site/0"),
        ("read", "/state/note of site/0"),
    ] {
        let mut records = audit["items"].as_array().unwrap().iter();
        let told = records.any(|record| record["verb"] == verb && record["object"] == object);
        assert!(told, "{verb} {object}: {audit:#}");
    }
    house.close().await;
}

/// What a process of the controller answers a person who asks it for files of the unit.
async fn asked_of(process: &ServerState, http: &Http, what: &str, path: &str) -> (u16, String) {
    let request = Request::post(format!("{UNIT}/files/{what}"))
        .header("authorization", http.authorization.as_deref().unwrap())
        .header("content-type", "application/json")
        .body(Body::from(json!({ "path": path }).to_string()))
        .unwrap();
    let response = process.router().oneshot(request).await.unwrap();
    let status = response.status().as_u16();
    let body = to_bytes(response.into_body(), 1 << 20).await.unwrap();
    (status, String::from_utf8(body.to_vec()).unwrap())
}

/// Two processes: the house, to which the agent is connected, and the other, which a person asks.
async fn connected_to_the_house(house: &House, model: &ModelUuid) {
    let (store, address) = (&house.store, house.address.to_string());
    store
        .announce_controller_node(0, &address, "")
        .await
        .unwrap();
    let noted = store.set_agent_connected(0, model, &AgentName::Host, true);
    noted.await.unwrap();
}

#[tokio::test]
async fn files_are_read_through_the_process_to_which_the_agent_is_connected() {
    let house = House::open().await;
    let model = house.add_model("first").await;
    house.deploy(&model, 1).await;
    let http = house.http().await;
    let mut agent = house.agent(&model).await;
    commit(&mut agent).await;
    let watch = agent
        .call("periapt.AgentHost", "WatchQuestions", json!({}))
        .await
        .unwrap();
    let watcher = watch["watcher-id"].as_str().unwrap();
    let other = house.other_process();

    // Nobody noted yet where the agent is.
    let (status, refused) = asked_of(&other, &http, "list", "/state").await;
    assert_eq!(status, 503, "{refused}");
    assert!(refused.contains("agent-silent"), "{refused}");

    connected_to_the_house(&house, &model).await;
    let note = json!({ "name": "note", "kind": "file", "bytes": 5, "modified-at": 0 });
    let entries = json!({ "entries": { "entries": [note], "all": 1 } });
    let ((status, listing), question) = tokio::join!(
        asked_of(&other, &http, "list", "/state"),
        answered(&mut agent, watcher, entries),
    );
    assert_eq!(status, 200, "{listing}");
    let listing: Value = serde_json::from_str(&listing).unwrap();
    assert_eq!(listing["entries"][0]["name"], "note", "{listing}");
    assert_eq!(question["generation"], 3, "{question}");

    let told = async {
        for (content, offset) in [("aGU=", 0), ("bGxv", 2)] {
            let part = json!({ "part": { "content": content, "total": 5 } });
            let question = answered(&mut agent, watcher, part).await;
            assert_eq!(question["path"], "note", "{question}");
            assert_eq!(question["wanted"]["part"]["offset"], offset, "{question}");
        }
    };
    let (text, ()) = tokio::join!(asked_of(&other, &http, "read", "/state/note"), told);
    assert_eq!(text, (200, "hello".to_owned()));

    // What the agent says no to is told as if it were connected here.
    let ((status, refused), _) = tokio::join!(
        asked_of(&other, &http, "read", "/state/none"),
        answered(&mut agent, watcher, json!("not-found")),
    );
    assert_eq!(status, 404, "{refused}");
    assert!(
        refused.contains("file-not-found")
            && refused.contains(r#"\"/state/none\" of site/0 not found"#),
        "{refused}"
    );

    let (_, audit) = http.get("/v1/models/first/audit").await;
    let records = audit["items"].as_array().unwrap().iter();
    // Each of the two is on record once: where the person asked, and not where the agent was.
    let of = |verb: &'static str| records.clone().filter(move |record| record["verb"] == verb);
    let reads = (of("read").count(), of("tried to read").count());
    assert_eq!(reads, (1, 1), "{audit:#}");
    drop(other);
    house.close().await;
}

#[tokio::test]
async fn a_process_that_was_killed_is_passed_over_and_named_where_no_other_has_the_agent() {
    let house = House::open().await;
    let model = house.add_model("first").await;
    house.deploy(&model, 1).await;
    let http = house.http().await;
    let mut agent = house.agent(&model).await;
    commit(&mut agent).await;
    let watch = agent
        .call("periapt.AgentHost", "WatchQuestions", json!({}))
        .await
        .unwrap();
    let watcher = watch["watcher-id"].as_str().unwrap();
    let other = house.other_process();
    connected_to_the_house(&house, &model).await;

    // It was seen last, so it is asked first, and nobody serves its port.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let killed = port.local_addr().unwrap().to_string();
    drop(port);
    let store = &house.store;
    let announced = store.announce_controller_node(2, &killed, "");
    announced.await.unwrap();
    let noted = store.set_agent_connected(2, &model, &AgentName::Host, true);
    noted.await.unwrap();
    let part = json!({ "part": { "content": "aGVsbG8=", "total": 5 } });
    let (text, _) = tokio::join!(
        asked_of(&other, &http, "read", "/state/note"),
        answered(&mut agent, watcher, part),
    );
    assert_eq!(text, (200, "hello".to_owned()));

    let noted = store.set_agent_connected(0, &model, &AgentName::Host, false);
    noted.await.unwrap();
    let (status, refused) = asked_of(&other, &http, "read", "/state/note").await;
    assert_eq!(status, 503, "{refused}");
    assert!(
        refused.contains("agent-silent") && refused.contains("process 2 of the controller"),
        "{refused}"
    );
    drop(other);
    house.close().await;
}

#[tokio::test]
async fn what_processes_ask_each_other_is_answered_to_nobody_else() {
    let house = House::open().await;
    let model = house.add_model("first").await;
    house.deploy(&model, 1).await;
    let question = "/node/question";
    let (status, refused) = house.stranger().send("POST", question, None).await;
    let missing = json!("credentials-missing");
    assert_eq!((status, &refused["code"]), (401, &missing));
    // The token of the administrator takes no question, and none can be sent along.
    let asked = json!({ "model": model, "unit": "site/0", "path": "/state", "wanted": "listing" });
    let http = house.http().await;
    let (status, refused) = http.send("POST", question, Some(asked.clone())).await;
    let invalid = json!("token-invalid");
    assert_eq!((status, &refused["code"]), (401, &invalid));

    // Nor does what was left for another process.
    let mut http = house.stranger();
    let words = asked.to_string();
    let left = house.store.leave_question(1, &words);
    http.authorization = Some(format!("Bearer {}", left.await.unwrap()));
    let (status, refused) = http.send("POST", question, None).await;
    assert_eq!((status, &refused["code"]), (401, &invalid));

    // What was left for this one is answered once: the unit has no files before its first hook.
    let left = house.store.leave_question(0, &words);
    http.authorization = Some(format!("Bearer {}", left.await.unwrap()));
    let (status, listing) = http.send("POST", question, None).await;
    assert_eq!((status, &listing["count"]), (200, &json!(0)), "{listing}");
    let (status, refused) = http.send("POST", question, None).await;
    assert_eq!((status, &refused["code"]), (401, &invalid));
    house.close().await;
}

#[tokio::test]
async fn the_units_whose_hooks_use_most_are_listed_with_the_limits() {
    let house = House::open().await;
    let model = house.add_model("first").await;
    house.deploy(&model, 1).await;
    let http = house.http().await;
    let path = "/v1/models/first/top";
    let (status, top) = http.get(path).await;
    assert_eq!((status, &top["units"]), (200, &json!([])), "{top}");
    let mut agent = house.agent(&model).await;
    commit(&mut agent).await;
    let (status, top) = http.get(&format!("{path}?by=memory&limit=5")).await;
    assert_eq!(status, 200, "{top}");
    assert_eq!(top["units"][0]["unit"], "site/0", "{top}");
    assert_eq!(top["units"][0]["most"]["memory-bytes"], 2048, "{top}");
    assert_eq!(top["units"][0]["total"], 2500, "{top}");
    assert!(top["limits"]["memory-bytes"].as_u64() > Some(2048), "{top}");
    // It began long ago.
    let (_, lately) = http.get(&format!("{path}?seconds=60")).await;
    assert_eq!(lately["units"], json!([]), "{lately}");
    let (status, refused) = http.get(&format!("{path}?limit=0")).await;
    assert_eq!((status, &refused["code"]), (400, &json!("limit-invalid")));
    house.close().await;
}
