//! What machines are asked over REST, what their agent makes of it, and a reboot as a hook asks for it.

use serde_json::{Value, json};

use crate::common::House;

#[tokio::test]
async fn a_machine_is_asked_by_a_person_and_its_agent_answers_once() {
    let house = House::open().await;
    let model = house.add_model("first").await;
    house.deploy(&model, 1).await;
    let http = house.http().await;
    let operations = "/v1/models/first/operations";
    let ask = |command: &str| json!({ "machines": ["0"], "command": [command] });
    let (status, refused) = http.send("POST", operations, Some(ask("ls"))).await;
    assert_eq!(
        (status, &refused["code"]),
        (400, &json!("machine-command-not-found"))
    );
    let (status, asked) = http.send("POST", operations, Some(ask("reboot"))).await;
    assert_eq!(status, 202, "{asked}");
    assert_eq!(asked["summary"], "reboot run on machine-0");
    let task = &asked["tasks"][0];
    assert_eq!(
        (&task["machine"], &task["unit"], &task["command"]),
        (&json!("0"), &Value::Null, &json!(["reboot"]))
    );

    let mut agent = house.agent(&model).await;
    let actions = "periapt.MachineActions";
    let due = agent
        .call(actions, "Due", json!({ "machine": "0" }))
        .await
        .unwrap();
    assert_eq!(due[0]["dispatch"], "commands/reboot");
    let id = due[0]["id"].clone();
    let begin = json!({ "machine": "0", "task": id });
    for begins in [true, false] {
        let begun = agent.call(actions, "Begin", begin.clone()).await.unwrap();
        assert_eq!(begun, json!(begins));
    }
    let end = json!({
        "machine": "0", "reboots": true,
        "end": { "id": id, "status": "completed", "results": { "stdout": "yes" } },
    });
    agent.call(actions, "End", end).await.unwrap();
    let get = json!({ "machine": "0" });
    let wanted = agent
        .call("periapt.Reboot", "Get", get.clone())
        .await
        .unwrap();
    assert_eq!(wanted, json!({ "wanted": true, "count": 0 }));
    agent
        .call("periapt.Reboot", "Clear", get.clone())
        .await
        .unwrap();
    let carried_out = agent.call("periapt.Reboot", "Get", get).await.unwrap();
    assert_eq!(carried_out, json!({ "wanted": false, "count": 1 }));
    let path = format!("/v1/models/first/tasks/{id}");
    let (_, shown) = http.send("GET", &path, None).await;
    assert_eq!(
        (&shown["status"], &shown["results"]["stdout"]),
        (&json!("completed"), &json!("yes"))
    );
    let (_, listed) = http
        .send("GET", &format!("{operations}?machines=0"), None)
        .await;
    assert_eq!(listed["items"].as_array().map(Vec::len), Some(1));
    house.close().await;
}

#[tokio::test]
async fn a_hook_that_asks_for_a_reboot_at_once_is_queued_and_its_unit_hears_that_one_is_to_come() {
    let house = House::open().await;
    let model = house.add_model("first").await;
    house.deploy(&model, 1).await;
    let mut agent = house.agent(&model).await;
    let request = json!({
        "unit": "site/0", "from": 0,
        "operation": { "kind": "run-hook", "step": "queued", "hook": { "kind": "start" } },
        "agent": { "status": "rebooting", "message": "" },
    });
    agent
        .call("periapt.Uniter", "RequestReboot", request.clone())
        .await
        .unwrap();
    let again = agent.call("periapt.Uniter", "RequestReboot", request).await;
    assert_eq!(again.unwrap_err().0, "stale");
    let told = agent
        .call(
            "periapt.Uniter",
            "RemoteState",
            json!({ "unit": "site/0", "known": {} }),
        )
        .await
        .unwrap();
    assert_eq!(told["remote"]["reboot-wanted"], true, "{told}");
    house.close().await;
}
