//! What hooks use of what they may, and the files that they leave, which the agent that has them is asked for.

use serde_json::{Value, json};

use crate::common::{House, Socket};

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
        .call("periapt.AgentHost", "FileQuestions", json!({}))
        .await
        .unwrap();
    let question = questions[0].clone();
    let told = json!({ "number": question["number"], "answer": answer });
    agent
        .call("periapt.AgentHost", "PutFiles", told)
        .await
        .unwrap();
    question
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
        .call("periapt.AgentHost", "WatchFileQuestions", json!({}))
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
    for (route, path) in [("files/list", "/etc"), ("files/read", "/state/note")] {
        let records = audit["items"].as_array().unwrap();
        let told = records.iter().any(|record| {
            let what = record["what"].as_str().unwrap_or_default();
            what.ends_with(route) && record["arguments"]["body"]["path"] == path
        });
        assert!(told, "{route} {path}: {audit:#}");
    }
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
    assert_eq!(top["units"][0]["time"], 2500, "{top}");
    assert!(top["limits"]["memory-bytes"].as_u64() > Some(2048), "{top}");
    // It began long ago.
    let (_, lately) = http.get(&format!("{path}?seconds=60")).await;
    assert_eq!(lately["units"], json!([]), "{lately}");
    let (status, refused) = http.get(&format!("{path}?limit=0")).await;
    assert_eq!((status, &refused["code"]), (400, &json!("limit-invalid")));
    house.close().await;
}
