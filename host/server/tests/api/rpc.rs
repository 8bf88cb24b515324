//! The websocket as a client meets it.
use crate::common::{House, PASSWORD, PATIENCE, outcome, row};
use periapt_model::AgentName;
use periapt_model::config::Value as ConfigValue;
use periapt_server::{Identity, rpc};
use periapt_store::NewToken;
use periapt_wire::CallError;
use periapt_wire::agent::{model_config, models, uniter};
use periapt_wire::rest::ConfigChange;
use serde_json::{Value, json};

fn unauthorized(result: Result<Value, crate::common::Refusal>) -> String {
    let (code, message) = result.unwrap_err();
    assert_eq!(code, "unauthorized access", "{message}");
    message
}

/// Changes one key of the model's configuration.
async fn touch_config(house: &House, model: &periapt_model::ModelUuid, level: &str) {
    let set = [(
        "logging-config".to_owned(),
        ConfigValue::Text(format!("<root>={level}")),
    )]
    .into();
    house
        .store
        .set_model_config(
            model,
            ConfigChange {
                set,
                reset: Vec::new(),
            },
            periapt_store::Setter::Admin,
        )
        .await
        .unwrap();
}

#[tokio::test]
async fn login_lets_in_who_knows_the_password_and_nobody_else() {
    let house = House::open().await;
    let model = house.add_model("first").await;
    let mut socket = house.socket(&format!("/model/{model}/api")).await;
    assert_eq!(
        unauthorized(socket.call("Pinger", "Ping", json!({})).await),
        "not logged in"
    );
    assert_eq!(
        unauthorized(socket.log_in("user-admin", "wrong").await),
        "invalid entity name or password"
    );
    assert_eq!(
        unauthorized(socket.log_in("user-nobody", PASSWORD).await),
        "invalid entity name or password"
    );
    assert_eq!(
        unauthorized(socket.log_in("nonsense", PASSWORD).await),
        "invalid entity name or password"
    );
    assert_eq!(
        unauthorized(socket.call("Pinger", "Ping", json!({})).await),
        "not logged in"
    );

    let login = socket.log_in("user-admin", PASSWORD).await.unwrap();
    assert_eq!(
        login["controller-tag"],
        format!("controller-{}", crate::common::controller_uuid())
    );
    assert_eq!(login["model-tag"], format!("model-{model}"));
    assert_eq!(login["user-info"]["identity"], "user-admin");
    assert!(login["server-version"].as_str().unwrap().starts_with("3."));
    assert_eq!(
        login["facades"],
        json!([{ "name": "Admin", "versions": [3] }, { "name": "Pinger", "versions": [1] }])
    );
    assert_eq!(
        socket.call("Pinger", "Ping", json!({})).await.unwrap(),
        json!({})
    );
    assert!(
        socket.log_in("user-admin", PASSWORD).await.is_err(),
        "a second login"
    );

    // A token alone, on both addresses of the controller.
    let token = house
        .store
        .issue_token(&crate::common::admin(), NewToken::login("test", PATIENCE))
        .await
        .unwrap()
        .secret;
    for path in ["/api", "/"] {
        let mut socket = house.socket(path).await;
        let login = socket
            .call(
                "Admin",
                "Login",
                json!({ "auth-tag": null, "credentials": token }),
            )
            .await
            .unwrap();
        assert!(login.get("model-tag").is_none());
    }
    house.close().await;
}

#[tokio::test]
async fn a_model_that_does_not_exist_is_said_in_every_reply() {
    let house = House::open().await;
    let mut socket = house
        .socket("/model/11111111-2222-4333-8444-555555555555/api")
        .await;
    for (facade, method) in [("Admin", "Login"), ("Pinger", "Ping")] {
        let (code, message) = socket.call(facade, method, Value::Null).await.unwrap_err();
        assert_eq!(
            (code.as_str(), message.as_str()),
            (
                "model not found",
                "unknown model: \"11111111-2222-4333-8444-555555555555\""
            )
        );
    }
    house.close().await;
}

#[tokio::test]
async fn what_is_not_there_and_what_is_malformed_leave_the_connection_standing() {
    let house = House::open().await;
    let model = house.add_model("first").await;
    let mut agent = house.agent(&model).await;
    for (facade, method) in [
        ("Nothing", "Here"),
        ("periapt.Uniter", "Nothing"),
        ("Watcher", "Nothing"),
    ] {
        let (code, message) = agent
            .call_id(facade, method, Some("1"), json!({}))
            .await
            .unwrap_err();
        assert_eq!(code, "not implemented", "{message}");
    }
    let (code, _) = agent
        .call(
            "periapt.Uniter",
            "RemoteState",
            json!({ "unit": "no unit" }),
        )
        .await
        .unwrap_err();
    assert_eq!(code, "bad request");
    let (code, _) = agent
        .call(
            "periapt.AgentHost",
            "PutAnswer",
            json!({ "number": 1, "answer": 3 }),
        )
        .await
        .unwrap_err();
    assert_eq!(code, "bad request");
    let (code, _) = agent
        .call_id("Watcher", "Next", Some("99"), Value::Null)
        .await
        .unwrap_err();
    assert_eq!(code, "not found");
    agent
        .text(r#"{"Request-Id": 900, "Type": "Pinger", "Version": 1, "Request": "Ping"}"#)
        .await;
    assert_eq!(agent.reply().await.unwrap()["request-id"], 900);
    agent
        .text(r#"{"request-id": 901, "type": "Pinger", "version": 9, "request": "Ping"}"#)
        .await;
    assert_eq!(
        outcome(agent.reply().await.unwrap()).unwrap_err().0,
        "not implemented"
    );
    agent.call("Pinger", "Ping", Value::Null).await.unwrap();
    agent.text("not JSON").await;
    assert!(agent.reply().await.is_none());
    house.close().await;
}

#[tokio::test]
async fn a_watcher_answers_when_something_changed_and_stops_when_told() {
    let house = House::open().await;
    let model = house.add_model("first").await;
    let mut agent = house.agent(&model).await;
    let watch = agent
        .call(
            "periapt.ModelConfig",
            "WatchForModelConfigChanges",
            json!({}),
        )
        .await
        .unwrap();
    let id = watch["watcher-id"].as_str().unwrap().to_owned();
    touch_config(&house, &model, "DEBUG").await;
    assert_eq!(
        agent
            .call_id("Watcher", "Next", Some(&id), Value::Null)
            .await
            .unwrap(),
        json!({ "changes": [] })
    );

    // A blocked Next does not hold up others, and is answered when its turn comes.
    let blocked = agent.send("Watcher", "Next", Some(&id), Value::Null).await;
    agent.call("Pinger", "Ping", json!({})).await.unwrap();
    touch_config(&house, &model, "TRACE").await;
    let reply = agent.reply().await.unwrap();
    assert_eq!(reply["request-id"], blocked);
    assert!(reply.get("error").is_none(), "{reply}");

    // A second Next takes over from the first; a stop ends the second.
    let first = agent.send("Watcher", "Next", Some(&id), Value::Null).await;
    agent.call("Pinger", "Ping", json!({})).await.unwrap();
    let second = agent.send("Watcher", "Next", Some(&id), Value::Null).await;
    let reply = agent.reply().await.unwrap();
    assert_eq!(reply["request-id"], first);
    assert_eq!(outcome(reply).unwrap_err().0, "try again");
    let stop = agent.send("Watcher", "Stop", Some(&id), Value::Null).await;
    let mut replies = [agent.reply().await.unwrap(), agent.reply().await.unwrap()];
    replies.sort_by_key(|reply| reply["request-id"].as_u64());
    assert_eq!(replies[0]["request-id"], second);
    assert_eq!(
        outcome(replies[0].clone()).unwrap_err(),
        ("stopped".to_owned(), "watcher was stopped".to_owned())
    );
    assert_eq!(replies[1]["request-id"], stop);
    assert_eq!(
        agent
            .call_id("Watcher", "Next", Some(&id), Value::Null)
            .await
            .unwrap_err()
            .0,
        "not found"
    );
    house.close().await;
}

#[tokio::test]
async fn watchers_of_names_begin_with_all_and_go_on_with_what_changed() {
    let house = House::open().await;
    let model = house.add_model("first").await;
    house.deploy(&model, 2).await;
    let mut agent = house.agent(&model).await;
    let watch = agent
        .call("periapt.Deployer", "WatchUnits", json!({ "machine": "0" }))
        .await
        .unwrap();
    assert_eq!(watch["changes"], json!(["site/0"]));
    let machines = agent
        .call("periapt.AgentHost", "WatchMachines", json!({}))
        .await
        .unwrap();
    assert_eq!(machines["changes"], json!(["0", "1"]));
    assert_ne!(machines["watcher-id"], watch["watcher-id"]);
    // The unit on machine 0 begins to go; the watcher of machine 0 names it and no other.
    house
        .store
        .remove_unit(&model, &"site/0".parse().unwrap(), false)
        .await
        .unwrap();
    let id = watch["watcher-id"].as_str().unwrap();
    assert_eq!(
        agent
            .call_id("Watcher", "Next", Some(id), Value::Null)
            .await
            .unwrap(),
        json!({ "changes": ["site/0"] })
    );
    house.close().await;
}

#[tokio::test]
async fn thousands_of_blocked_watchers_share_a_connection() {
    let house = House::open().await;
    let model = house.add_model("first").await;
    let mut agent = house.agent(&model).await;
    let count = 3000;
    for _ in 0..count {
        let watch = agent
            .call(
                "periapt.ModelConfig",
                "WatchForModelConfigChanges",
                json!({}),
            )
            .await
            .unwrap();
        agent
            .send(
                "Watcher",
                "Next",
                Some(watch["watcher-id"].as_str().unwrap()),
                Value::Null,
            )
            .await;
    }
    agent.call("Pinger", "Ping", json!({})).await.unwrap();
    touch_config(&house, &model, "DEBUG").await;
    for _ in 0..count {
        assert!(agent.reply().await.unwrap().get("error").is_none());
    }
    house.close().await;
}

#[tokio::test]
async fn a_dropped_wait_within_the_process_loses_no_event() {
    let house = House::open().await;
    let model = house.add_model("first").await;
    let connection = rpc::in_process(
        &house.state,
        Identity::Controller {
            model: Some(model.clone()),
        },
    );
    let mut config = connection
        .watch(&model_config::WatchModelConfig {})
        .await
        .unwrap();
    assert!(
        config.next().await.unwrap().is_empty(),
        "the first event comes at once"
    );
    touch_config(&house, &model, "DEBUG").await;
    // Polled once and dropped, whatever it saw.
    for _ in 0..3 {
        tokio::select! {
            biased;
            () = std::future::ready(()) => {}
            _ = config.next() => unreachable!(),
        }
    }
    tokio::time::timeout(PATIENCE, config.next())
        .await
        .unwrap()
        .unwrap();

    let controller = rpc::in_process(&house.state, Identity::Controller { model: None });
    let mut models = controller.watch(&models::WatchModels {}).await.unwrap();
    assert_eq!(models.next().await.unwrap(), [model.to_string()]);
    let second = house.add_model("second").await;
    assert_eq!(
        tokio::time::timeout(PATIENCE, models.next())
            .await
            .unwrap()
            .unwrap(),
        [second.to_string()]
    );
    let error = controller
        .call(&model_config::GetModelConfig {})
        .await
        .unwrap_err();
    assert!(error.is("bad request"), "{error}");
    house.close().await;
}

#[tokio::test]
async fn the_end_of_the_api_server_ends_what_waits_and_breaks_connections() {
    let mut house = House::open().await;
    let model = house.add_model("first").await;
    let mut agent = house.agent(&model).await;
    assert_eq!(
        house
            .presence
            .here(&(model.clone(), AgentName::Host))
            .unwrap()
            .connections,
        1
    );
    let watch = agent
        .call(
            "periapt.ModelConfig",
            "WatchForModelConfigChanges",
            json!({}),
        )
        .await
        .unwrap();
    agent
        .send("Watcher", "Next", watch["watcher-id"].as_str(), Value::Null)
        .await;
    agent.call("Pinger", "Ping", json!({})).await.unwrap();
    let connection = rpc::in_process(
        &house.state,
        Identity::Controller {
            model: Some(model.clone()),
        },
    );
    let mut config = connection
        .watch(&model_config::WatchModelConfig {})
        .await
        .unwrap();
    config.next().await.unwrap();
    let mut waiting = Box::pin(async move { config.next().await });
    assert!(futures::poll!(waiting.as_mut()).is_pending());

    let draining = house.stop_api();
    let (reply, ()) = tokio::join!(agent.reply(), draining);
    assert_eq!(outcome(reply.unwrap()).unwrap_err().0, "stopped");
    assert!(agent.reply().await.is_none());
    assert!(waiting.await.unwrap_err().is("stopped"));
    assert!(connection.broken().is_cancelled());
    let error = connection
        .call(&model_config::GetModelConfig {})
        .await
        .unwrap_err();
    assert!(matches!(error, CallError::Disconnected(_)), "{error}");
    assert_eq!(house.presence.here(&(model.clone(), AgentName::Host)), None);

    // The port stayed open: 503 in between, and a new run serves again.
    let (status, problem) = house.stranger().get("/v1/models").await;
    assert_eq!(
        (status, problem["code"].as_str().unwrap()),
        (503, "api-not-serving")
    );
    house.start_api();
    house.agent(&model).await;
    house.close().await;
}

#[tokio::test]
async fn charms_reach_agents_by_the_digest_of_their_archive() {
    let house = House::open().await;
    let (first, second) = (
        house.add_model("first").await,
        house.add_model("second").await,
    );
    house.deploy(&first, 1).await;
    let agent = rpc::in_process(
        &house.state,
        Identity::Agent {
            model: first.clone(),
            agent: AgentName::Host,
        },
    );
    let charm = agent
        .call(&uniter::GetCharm {
            url: "local:site-0".to_owned(),
        })
        .await
        .unwrap();
    let digest = charm.sha256;
    assert_eq!(
        agent.blob(&digest).await.unwrap(),
        crate::common::charm_archive("site")
    );
    let compiled = agent.blob(&format!("{digest}.engine-1")).await.unwrap();
    assert_eq!(&compiled[..], b"compiled \0asm\x0d\0\x01\0");
    assert!(
        agent
            .blob(&format!("{digest}.engine-2"))
            .await
            .unwrap_err()
            .is("not found")
    );
    let other = rpc::in_process(
        &house.state,
        Identity::Agent {
            model: second,
            agent: AgentName::Host,
        },
    );
    assert!(other.blob(&digest).await.unwrap_err().is("not found"));
    assert!(
        other
            .blob(&format!("{digest}.engine-1"))
            .await
            .unwrap_err()
            .is("not found")
    );
    house.close().await;
}

#[tokio::test]
async fn an_agent_answers_which_workers_it_runs() {
    let house = House::open().await;
    let model = house.add_model("first").await;
    let mut agent = house.agent(&model).await;
    let watch = agent
        .call("periapt.AgentHost", "WatchQuestions", json!({}))
        .await
        .unwrap();
    let asked = agent
        .send("Watcher", "Next", watch["watcher-id"].as_str(), Value::Null)
        .await;
    agent.call("Pinger", "Ping", json!({})).await.unwrap();
    let http = house.http().await;
    let path = format!("/v1/models/{model}/workers");
    let answering = async {
        assert_eq!(agent.reply().await.unwrap()["request-id"], asked);
        let questions = agent
            .call("periapt.AgentHost", "Questions", json!({}))
            .await
            .unwrap();
        assert_eq!(questions[0]["asked"], "workers", "{questions}");
        let rows = json!({ "workers": [row("uniter", "unit", "running", 4)] });
        let told = json!({ "number": questions[0]["number"], "answer": rows });
        agent
            .call("periapt.AgentHost", "PutAnswer", told)
            .await
            .unwrap();
    };
    let ((status, rows), ()) = tokio::join!(http.get(&path), answering);
    assert_eq!(status, 200);
    let names: Vec<_> = rows["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| {
            (
                row["worker"].as_str().unwrap(),
                row["running"].as_u64().unwrap(),
            )
        })
        .collect();
    assert_eq!(names, [("undertaker", 1), ("uniter", 4)]);
    house.close().await;
}
