//! A private key that was given to the controller comes out of no answer and into no record.
use std::time::Duration;

use crate::common::{House, Http, Standing};
use periapt_model::ModelUuid;
use periapt_server::access::{Effect, calls};
use periapt_server::rest::routes;
use periapt_server::{AuditConfig, Role};
use serde_json::{Value, json};

/// What no answer holds.
const SECRET: &str = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC";

fn key() -> String {
    format!("-----BEGIN PRIVATE KEY-----\n{SECRET}\n-----END PRIVATE KEY-----\n")
}

/// A route's path with something for each name in it.
fn filled(path: &str, model: &ModelUuid, user: &str) -> String {
    let parts = path.split('/').map(|part| match part {
        "{model}" => model.to_string(),
        "{user}" => user.to_owned(),
        "{name}" => "site".to_owned(),
        part if part.starts_with('{') => "0".to_owned(),
        part => part.to_owned(),
    });
    parts.collect::<Vec<_>>().join("/")
}

/// What comes of an answer within a second, which of one without end is its beginning.
async fn read(http: &Http, path: &str) -> (u16, String) {
    let request = http.request("GET", path).timeout(Duration::from_secs(20));
    let mut response = request.send().await.unwrap();
    let status = response.status().as_u16();
    let mut body = Vec::new();
    let second = Duration::from_secs(1);
    while let Ok(Ok(Some(bytes))) = tokio::time::timeout(second, response.chunk()).await {
        body.extend_from_slice(&bytes);
    }
    (status, String::from_utf8_lossy(&body).into_owned())
}

#[tokio::test]
async fn a_private_key_leaves_the_controller_to_nobody() {
    let house = House::open().await;
    let (model, other) = (
        house.add_model("first").await,
        house.add_model("second").await,
    );
    house.people(&model, &other).await;
    house.deploy(&model, 1).await;
    let mut answers: Vec<(String, String)> = Vec::new();
    let admin = house.http().await;
    let capture = json!({ "set": { "audit-log-capture-args": true } });
    let captured = admin
        .send("PATCH", "/v1/controller/config", Some(capture))
        .await;
    assert_eq!(captured.0, 200, "{}", captured.1);
    // The worker that puts the settings in force is not in this house.
    let values = house.store.controller_config().await.unwrap();
    house.state.audit().configure(AuditConfig::read(&values));

    // Set, set again with the same key of the request, and refused in every way.
    let path = format!("/v1/models/{model}/config");
    let mut owner = house.stranger();
    owner.authorization = Some(format!("Bearer {}", house.token_of(Standing::Admin).await));
    let set = json!({ "set": { "syslog-client-key": key(), "logforward-enabled": true } });
    for _ in 0..2 {
        let request = owner
            .request("PATCH", &path)
            .header("idempotency-key", "twice");
        let response = request.json(&set).send().await.unwrap();
        assert_eq!(response.status().as_u16(), 200);
        answers.push(("PATCH config".into(), response.text().await.unwrap()));
    }
    for refused in [
        json!({ "set": { "syslog-client-key": key(), "force-wait": "soon" } }),
        json!({ "set": { "syslog-client-key": { "pem": key() } } }),
        json!({ "set": { "syslog-client-key": key() }, "reset": ["syslog-client-key"] }),
        json!({ "set": { "syslog-client-key": key().repeat(10_000) } }),
    ] {
        let (status, body) = owner.send("PATCH", &path, Some(refused)).await;
        assert!((400..500).contains(&status), "{status} {body}");
        answers.push(("refused PATCH config".into(), body.to_string()));
    }
    let add = json!({ "name": "third", "config": { "syslog-client-key": key() } });
    let (status, body) = admin.send("POST", "/v1/models", Some(add)).await;
    assert_eq!(status, 201, "{body}");
    answers.push(("POST models".into(), body.to_string()));

    // It is there, for the one worker that connects.
    let destination = house.store.log_destination(&model).await.unwrap();
    assert!(destination.unwrap().key.contains(SECRET));
    let (_, config) = owner.get(&path).await;
    let setting = &config["syslog-client-key"];
    assert_eq!(
        (&setting["type"], &setting["source"]),
        (&json!("secret"), &json!("model"))
    );
    assert_eq!(setting.get("value"), None);

    // Every answer to people.
    for standing in [
        Standing::Reader,
        Standing::Writer,
        Standing::Admin,
        Standing::Superuser,
    ] {
        let mut http = house.stranger();
        http.authorization = Some(format!("Bearer {}", house.token_of(standing).await));
        for route in routes().filter(|route| route.method == "GET") {
            let path = filled(route.path, &model, standing.name());
            let (status, body) = read(&http, &path).await;
            answers.push((format!("{standing:?} {path} {status}"), body));
        }
    }
    // Every answer to the model's agent.
    let mut agent = house.agent(&model).await;
    let params = json!({
        "unit": "site/0", "machine": "0", "application": "site", "entity": "unit-site-0",
        "machines": [], "relation": 0, "of": "unit-site-0", "url": "local:site-0",
        "sink": "test", "tail": 10, "limit": 10,
    });
    for rule in calls() {
        let called = rule.is_for(Role::Agent) && matches!(rule.effect, Effect::Read);
        if called || rule.facade == "periapt.LogForwarding" && rule.effect == Effect::Read {
            let answer = agent.call_rule(rule, params.clone()).await;
            if rule.method == "Destination" {
                assert_eq!(answer.clone().unwrap_err().0, "unauthorized access");
            }
            answers.push((
                format!("{}.{}", rule.facade, rule.method),
                format!("{answer:?}"),
            ));
        }
    }
    let config = agent
        .call("periapt.ModelConfig", "ModelConfig", json!({}))
        .await
        .unwrap();
    assert_eq!(config.get("syslog-client-key"), None);
    assert_eq!(config["logforward-enabled"], Value::Bool(true));

    // What is kept on disk beside the database.
    let audit = std::fs::read_to_string(house.directory().join("audit.log")).unwrap();
    assert!(audit.contains("(hidden)"), "arguments are recorded");
    answers.push(("audit.log".into(), audit));
    let fine = answers
        .iter()
        .filter(|(what, _)| {
            [" 200", " 201", " 202"]
                .iter()
                .any(|fine| what.ends_with(fine))
        })
        .count();
    assert!(fine > 60, "{fine} answers of {}", answers.len());
    for (what, body) in answers {
        assert!(!body.contains(SECRET), "{what} holds the key");
    }
    house.close().await;
}

/// Where the controller connects to is for superusers to say.
#[tokio::test]
async fn an_admin_of_a_model_leads_the_controller_to_no_host_of_their_choice() {
    let house = House::open().await;
    let (model, other) = (
        house.add_model("first").await,
        house.add_model("second").await,
    );
    house.people(&model, &other).await;
    let path = format!("/v1/models/{model}/config");
    let superuser = house.http().await;
    let mut owner = house.stranger();
    owner.authorization = Some(format!("Bearer {}", house.token_of(Standing::Admin).await));
    let to = |host: &str| Some(json!({ "set": { "syslog-host": host } }));
    for host in [
        "127.0.0.1:1",
        "localhost",
        "[::1]:22",
        "169.254.169.254",
        "10.0.0.1",
        "logs.example",
    ] {
        let (status, problem) = owner.send("PATCH", &path, to(host)).await;
        assert_eq!(status, 403, "{problem}");
        assert_eq!(problem["code"], "syslog-host-not-allowed");
        assert!(
            problem["advice"]
                .as_str()
                .unwrap()
                .contains("syslog-allowed-hosts")
        );
    }
    let (status, answer) = superuser.send("PATCH", &path, to("127.0.0.1:1")).await;
    assert_eq!(status, 200, "{answer}");
    assert_eq!(answer["syslog-host"]["value"], "127.0.0.1:1");

    let list = json!({ "set": { "syslog-allowed-hosts": "logs.example:6514" } });
    let (status, answer) = superuser
        .send("PATCH", "/v1/controller/config", Some(list))
        .await;
    assert_eq!(status, 200, "{answer}");
    assert_eq!(answer["syslog-allowed-hosts"]["source"], "controller");
    assert_eq!(
        owner.send("PATCH", &path, to("logs.example:22")).await.0,
        403
    );
    let (status, answer) = owner.send("PATCH", &path, to("logs.example:6514")).await;
    assert_eq!(status, 200, "{answer}");
    house.close().await;
}
