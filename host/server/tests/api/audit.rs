//! Who changed what is on record before the answer is out.
use crate::common::{House, PASSWORD, charm_archive};
use periapt_server::AuditConfig;
use serde_json::{Value, json};

fn fine(answer: (u16, Value)) -> Value {
    assert!((200..300).contains(&answer.0), "{} {}", answer.0, answer.1);
    answer.1
}

/// `who|what|result` of each, newest first.
fn lines(page: &Value) -> Vec<String> {
    let items = page["items"].as_array().unwrap();
    items
        .iter()
        .map(|record| {
            let text = |member: &str| record[member].as_str().unwrap().to_owned();
            format!("{}|{}|{}", text("who"), text("what"), text("result"))
        })
        .collect()
}

#[tokio::test]
async fn every_change_of_a_person_is_on_record_before_its_answer() {
    let house = House::open().await;
    let http = house.http().await;
    let model = fine(
        http.send("POST", "/v1/models", Some(json!({ "name": "lab" })))
            .await,
    );
    let change = json!({ "set": { "logging-config": "<root>=DEBUG" } });
    fine(
        http.send("PATCH", "/v1/models/lab/config", Some(change))
            .await,
    );
    let again = json!({ "name": "lab" });
    assert_eq!(http.send("POST", "/v1/models", Some(again)).await.0, 409);
    fine(http.get("/v1/models").await);

    let all = fine(http.get("/v1/audit").await);
    assert_eq!(
        lines(&all),
        [
            "user-admin|POST /v1/models|409",
            "user-admin|PATCH /v1/models/{model}/config|200",
            "user-admin|POST /v1/models|201",
            "user-admin|POST /v1/login|200",
        ],
        "reading is not recorded"
    );
    let first = &all["items"][1];
    assert_eq!(
        (
            first["from"].as_str(),
            first["target"].as_str(),
            first["model"].as_str()
        ),
        (
            Some("127.0.0.1"),
            Some("/v1/models/lab/config"),
            model["uuid"].as_str()
        )
    );
    assert_eq!(
        first["arguments"],
        json!({}),
        "arguments are not kept by default"
    );

    let of_model = fine(http.get("/v1/models/lab/audit").await);
    assert_eq!(
        lines(&of_model),
        ["user-admin|PATCH /v1/models/{model}/config|200"]
    );
    let refused = fine(http.get("/v1/audit?result=refused").await);
    assert_eq!(lines(&refused), ["user-admin|POST /v1/models|409"]);
    let page = fine(http.get("/v1/audit?limit=1&matching=config").await);
    assert_eq!(lines(&page).len(), 1);
    assert_eq!(http.get("/v1/audit?result=perhaps").await.0, 400);

    // What the model's removal leaves is the record of it.
    assert_eq!(
        http.send("DELETE", "/v1/models/lab?force=true", None)
            .await
            .0,
        202
    );
    let newest = fine(http.get("/v1/audit?limit=1").await);
    assert_eq!(newest["items"][0]["model"], model["uuid"]);
    house.close().await;
}

#[tokio::test]
async fn refused_credentials_are_on_record_and_missing_ones_are_not() {
    let house = House::open().await;
    let stranger = house.stranger();
    let wrong = json!({ "user": "admin", "password": "a guess" });
    assert_eq!(stranger.send("POST", "/v1/login", Some(wrong)).await.0, 401);
    let basic = stranger
        .request("GET", "/v1/models")
        .basic_auth("admin", Some("another guess"));
    assert_eq!(basic.send().await.unwrap().status(), 401);
    let bearer = stranger.request("GET", "/v1/models").bearer_auth("made-up");
    assert_eq!(bearer.send().await.unwrap().status(), 401);
    assert_eq!(stranger.get("/v1/models").await.0, 401);
    let mut socket = house.socket("/api").await;
    socket
        .log_in("user-admin", "a third guess")
        .await
        .unwrap_err();

    let http = house.http().await;
    let page = fine(http.get("/v1/audit").await);
    assert_eq!(
        lines(&page),
        [
            "user-admin|POST /v1/login|200",
            "user-admin|Admin.Login|credentials-invalid",
            "anonymous|GET /v1/models|token-invalid",
            "user-admin|GET /v1/models|credentials-invalid",
            "user-admin|POST /v1/login|401",
        ]
    );
    let text = page.to_string();
    assert!(!text.contains("guess") && !text.contains(PASSWORD));
    house.close().await;
}

#[tokio::test]
async fn arguments_are_kept_without_their_secrets_when_asked_for() {
    let house = House::open().await;
    let config = AuditConfig {
        capture_args: true,
        ..AuditConfig::default()
    };
    house.state.audit().configure(config);
    let http = house.http().await;
    house.add_model("lab").await;
    let change = json!({ "set": { "syslog-client-key": "PEM", "syslog-host": "logs" } });
    fine(
        http.send("PATCH", "/v1/models/lab/config", Some(change))
            .await,
    );
    let page = fine(http.get("/v1/audit").await);
    assert_eq!(
        page["items"][0]["arguments"],
        json!({ "body": { "set": { "syslog-client-key": "(hidden)", "syslog-host": "logs" } } })
    );
    assert_eq!(
        page["items"][1]["arguments"],
        json!({ "body": { "user": "admin", "password": "(hidden)" } })
    );
    house.close().await;
}

#[tokio::test]
async fn calls_of_agents_are_on_record_when_they_are_not_excluded() {
    let house = House::open().await;
    let model = house.add_model("lab").await;
    house.deploy(&model, 1).await;
    let mut agent = house.agent(&model).await;
    let status = json!({ "machine": "0", "status": { "status": "started", "message": "" } });
    let call = async |agent: &mut crate::common::Socket| {
        agent
            .call("periapt.Machiner", "SetStatus", status.clone())
            .await
            .unwrap();
    };
    call(&mut agent).await;
    let http = house.http().await;
    let of_agents = format!("/v1/audit?user=agent-{model}");
    assert_eq!(lines(&fine(http.get(&of_agents).await)), [""; 0]);

    house.state.audit().configure(AuditConfig {
        exclude: vec!["periapt.Uniter.SetState".to_owned()],
        ..AuditConfig::default()
    });
    call(&mut agent).await;
    let recorded = async {
        loop {
            let page = fine(http.get(&of_agents).await);
            if page["items"]
                .as_array()
                .is_some_and(|items| !items.is_empty())
            {
                break page;
            }
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    };
    let page = tokio::time::timeout(crate::common::PATIENCE, recorded)
        .await
        .unwrap();
    assert_eq!(
        lines(&page),
        [format!("agent-{model}|periapt.Machiner.SetStatus|ok")]
    );
    assert_eq!(page["items"][0]["from"], "127.0.0.1");
    drop(agent);
    house.close().await;
}

#[tokio::test]
async fn the_controllers_configuration_is_shown_and_changed() {
    let house = House::open().await;
    let http = house.http().await;
    let config = fine(http.get("/v1/controller/config").await);
    assert_eq!(config["auditing-enabled"]["value"], true);
    let change = json!({ "set": { "audit-log-max-size": "1G" } });
    let config = fine(
        http.send("PATCH", "/v1/controller/config", Some(change))
            .await,
    );
    assert_eq!(config["audit-log-max-size"]["value"], "1G");
    let unknown = json!({ "set": { "no-such": "1" } });
    let refused = http
        .send("PATCH", "/v1/controller/config", Some(unknown))
        .await;
    assert_eq!(
        (refused.0, refused.1["code"].as_str()),
        (400, Some("controller-option-unknown"))
    );
    let reset = json!({ "reset": ["audit-log-max-size"] });
    let config = fine(
        http.send("PATCH", "/v1/controller/config", Some(reset))
            .await,
    );
    assert_eq!(config["audit-log-max-size"]["value"], "300M");
    house.close().await;
}

#[tokio::test]
async fn changes_are_told_in_words_and_apart_from_sign_ins() {
    let house = House::open().await;
    let http = house.http().await;
    let named = json!({ "name": "lab" });
    fine(http.send("POST", "/v1/models", Some(named)).await);
    let changes = fine(http.get("/v1/audit?kind=change").await);
    assert_eq!(lines(&changes), ["user-admin|POST /v1/models|201"]);
    let told = &changes["items"][0];
    assert_eq!(
        (&told["verb"], &told["object"]),
        (&json!("added"), &json!("model lab"))
    );
    assert_eq!(told["arguments"], json!({}), "the words need no arguments");
    let sign_ins = fine(http.get("/v1/audit?kind=sign-in").await);
    assert_eq!(lines(&sign_ins), ["user-admin|POST /v1/login|200"]);
    let both = fine(http.get("/v1/audit?kind=change,sign-in").await);
    assert_eq!(lines(&both).len(), 2);
    let found = fine(http.get("/v1/audit?matching=added%20model").await);
    assert_eq!(lines(&found).len(), 1, "words are found too");
    assert_eq!(http.get("/v1/audit?kind=logins").await.0, 400);
    house.close().await;
}

#[tokio::test]
async fn an_uploaded_charm_is_named_and_what_was_refused_was_tried() {
    let house = House::open().await;
    let http = house.http().await;
    let model = house.add_model("shop").await;
    fine(http.upload(&model, charm_archive("site")).await);
    let missing = http.send("DELETE", "/v1/models/shop/machines/10", None);
    assert_eq!(missing.await.0, 404);
    let changes = fine(http.get("/v1/models/shop/audit?kind=change").await);
    let told = |at: usize| {
        let record = &changes["items"][at];
        (record["verb"].clone(), record["object"].clone())
    };
    assert_eq!(told(0), (json!("tried to remove"), json!("machine 10")));
    assert_eq!(told(1), (json!("uploaded"), json!("charm test.charm")));
    let (_, timeline) = http.get("/v1/models/shop/timeline?kinds=audit").await;
    let refused = &timeline["items"][0];
    assert_eq!(refused["verb"], "tried to remove", "{timeline}");
    assert_eq!(refused["message"], "refused (404)", "{timeline}");
    house.close().await;
}
