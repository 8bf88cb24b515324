//! What the API does while a new version of the controller sets itself up: people may look, nobody
//! changes anything, and agents are told to come back.
use crate::common::{House, PASSWORD};
use periapt_engine::Gate;
use periapt_server::Upgrade;
use serde_json::json;

#[tokio::test]
async fn until_its_upgrade_is_done_a_controller_can_be_looked_at_and_not_changed() {
    let gate = Gate::new();
    let upgrade = Upgrade::new(gate.clone());
    let house = House::open_upgrading(upgrade.clone()).await;
    let model = house.add_model("first").await;
    upgrade.begin("forget-compiled");
    // Logging in works, and so does looking.
    let http = house.http().await;
    for path in ["/health", "/v1/whoami", "/v1/models"] {
        assert_eq!(http.get(path).await.0, 200, "{path}");
    }
    let status = format!("/v1/models/{model}/status");
    assert_eq!(http.get(&status).await.0, 200);
    // Changes do not, and say when to come back and what is under way.
    let machines = format!("/v1/models/{model}/machines");
    let request = http.request("POST", &machines).json(&json!({ "count": 1 }));
    let refused = request.send().await.unwrap();
    assert_eq!(refused.status().as_u16(), 503);
    assert_eq!(refused.headers()["retry-after"], "5");
    let problem: serde_json::Value = refused.json().await.unwrap();
    assert_eq!(problem["code"], "upgrade-in-progress");
    assert!(
        crate::common::text(&problem["detail"]).contains("forget-compiled"),
        "{problem}"
    );

    // An agent logs in and is told by each call; so is a person.
    let mut agent = house.agent(&model).await;
    let watch = json!({ "machine": "0" });
    let (code, words) = agent
        .call(
            "periapt.AgentHost",
            "Machines",
            json!({ "machines": ["0"] }),
        )
        .await
        .unwrap_err();
    assert_eq!(code, "upgrade in progress", "{words}");
    agent
        .call("periapt.Machiner", "Watch", watch)
        .await
        .unwrap_err();
    agent.call("Pinger", "Ping", json!({})).await.unwrap();
    let mut person = house.socket("/api").await;
    person.log_in("user-admin", PASSWORD).await.unwrap();
    person.call("Pinger", "Ping", json!({})).await.unwrap();

    // Nobody has to log in anew when it is done.
    gate.unlock();
    agent
        .call(
            "periapt.AgentHost",
            "Machines",
            json!({ "machines": ["0"] }),
        )
        .await
        .unwrap();
    assert_eq!(
        http.send("POST", &machines, Some(json!({ "count": 1 })))
            .await
            .0,
        201
    );
    house.close().await;
}
