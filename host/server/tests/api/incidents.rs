//! Incidents, the timeline and the runs of hooks over the API, and one status of an application on every road.
use crate::common::{EventReader, House, Standing};
use periapt_model::hook::Effects;
use periapt_model::status::{Agent, Status, Workload};
use periapt_model::uniter::OperationState;
use periapt_model::{ModelUuid, UnitName};
use periapt_store::HookCommit;
use periapt_wire::agent::uniter::HookReport;
use serde_json::{Value, json};

fn unit(name: &str) -> UnitName {
    name.parse().unwrap()
}

fn report(code: &str) -> HookReport {
    HookReport {
        hook: "start".to_owned(),
        started_at: 1,
        duration: 1_000,
        code: code.to_owned(),
        message: "told to fail: attempt 3".to_owned(),
        ..HookReport::default()
    }
}

async fn fails(house: &House, model: &ModelUuid, name: &str) {
    let data = json!({ "hook": "start", "reason": "told to fail: attempt 3" });
    let failure = Status {
        data: data.as_object().cloned().unwrap(),
        ..Status::new(Agent::Error, "hook failed: \"start\"")
    };
    let (store, unit) = (&house.store, unit(name));
    let from = store.get_state(model, &unit).await.unwrap().sequence;
    let state = OperationState::default();
    let failed = store.fail_hook(model, &unit, from, &state, failure, report("trap"));
    failed.await.unwrap();
}

/// The agents of the units, whose silence would be the trouble otherwise.
async fn all_incidents(house: &House) -> Vec<Value> {
    let (status, page) = house.http().await.get("/v1/models/shop/incidents").await;
    assert_eq!(status, 200, "{page}");
    let items = page["items"].as_array().unwrap().iter();
    let failed = items.filter(|incident| incident["status"] == "error");
    failed.cloned().collect()
}

#[tokio::test]
async fn the_status_of_an_application_is_the_same_on_every_road() {
    let house = House::open().await;
    let model = house.add_model("shop").await;
    house.deploy(&model, 2).await;
    let http = house.http().await;
    let mut events = EventReader::open(&http, "/v1/models/shop/events", None).await;
    events.snapshot().await;
    let active = Status::new(Workload::Active, "ready");
    for name in ["site/0", "site/1", "site/2"] {
        let unit = unit(name);
        let set = house.store.set_unit_status(&model, &unit, active.clone());
        set.await.unwrap();
    }
    fails(&house, &model, "site/1").await;
    let failed = |entity: &Value| entity["status"]["status"] == "error";
    let told = events.until("application", "site", failed).await;
    let of_event = &told["entity"]["status"];
    let (_, one) = http.get("/v1/models/shop/applications/site").await;
    let (_, list) = http.get("/v1/models/shop/applications?status=error").await;
    let (_, status) = http.get("/v1/models/shop/status").await;
    assert_eq!(&one["status"], of_event);
    assert_eq!(&list["items"][0]["status"], of_event);
    let shown = &status["applications"]["site"]["status"];
    assert_eq!(shown["status"], of_event["status"], "as the CLI shows it");
    assert_eq!(shown["info"], of_event["message"]);
    assert_eq!(of_event["message"], "hook failed: \"start\"");
    house.close().await;
}

#[tokio::test]
async fn an_incident_is_silenced_retried_and_skipped_and_each_is_on_record() {
    let house = House::open().await;
    let model = house.add_model("shop").await;
    house.deploy(&model, 2).await;
    let http = house.http().await;
    for name in ["site/0", "site/1"] {
        fails(&house, &model, name).await;
    }
    let incidents = all_incidents(&house).await;
    assert_eq!(incidents.len(), 1, "{incidents:#?}");
    assert_eq!(incidents[0]["units"], json!(["site/0", "site/1"]));
    assert_eq!(incidents[0]["hook"], "start");
    let id = incidents[0]["id"].as_str().unwrap();
    assert!(id.starts_with("site-start-"), "{id}");
    let at = |what: &str| format!("/v1/models/shop/incidents/{id}/{what}");

    let silence = http
        .send("POST", &at("silence"), Some(json!({ "seconds": 60 })))
        .await;
    assert_eq!(silence.0, 200, "{}", silence.1);
    assert!(silence.1["until"].is_string(), "{}", silence.1);
    let (_, loud) = http.get("/v1/models/shop/incidents?silenced=false").await;
    let loud = loud["items"].as_array().unwrap();
    assert!(loud.iter().all(|incident| incident["id"] != id), "{loud:?}");
    assert!(all_incidents(&house).await[0]["silenced"].is_object());
    let odd = Some(json!({ "secondz": 60 }));
    let odd = http.send("POST", &at("silence"), odd).await;
    assert_eq!(odd.0, 400);
    assert!(odd.1.to_string().contains("seconds"), "{}", odd.1);
    assert_eq!(http.send("DELETE", &at("silence"), None).await.0, 200);

    let (_, retried) = http.send("POST", &at("retry"), None).await;
    assert_eq!(retried["units"], json!(["site/0", "site/1"]));
    let (_, again) = http.send("POST", &at("skip"), None).await;
    assert_eq!(again["units"], json!([]), "each has an answer already");
    let missing = http
        .send("POST", "/v1/models/shop/incidents/site-start-0/retry", None)
        .await;
    assert_eq!(
        (missing.0, missing.1["code"].as_str()),
        (404, Some("incident-not-found"))
    );

    let (_, audit) = http.get("/v1/models/shop/audit?kind=change&limit=5").await;
    let items = audit["items"].as_array().unwrap().iter();
    let told: Vec<String> = items
        .map(|record| {
            let text = |member: &str| record[member].as_str().unwrap();
            format!("{} {} {}", text("result"), text("verb"), text("object"))
        })
        .collect();
    assert_eq!(
        told[1..],
        [
            format!("200 skipped incident {id}"),
            format!("200 retried incident {id}"),
            format!("200 ended the silence of incident {id}"),
            format!("400 tried to silence incident {id} until it changes"),
        ]
    );
    house.close().await;
}

#[tokio::test]
async fn readers_see_what_changed_and_admins_also_who_changed_it() {
    let house = House::open().await;
    let (model, other) = (
        house.add_model("shop").await,
        house.add_model("other").await,
    );
    house.people(&model, &other).await;
    house.deploy(&model, 1).await;
    let http = house.http().await;
    let change = json!({ "set": { "logging-config": "<root>=DEBUG" } });
    let changed = http
        .send("PATCH", "/v1/models/shop/config", Some(change))
        .await;
    assert_eq!(changed.0, 200, "{}", changed.1);
    let kinds = |page: &Value| -> Vec<String> {
        let items = page["items"].as_array().unwrap().iter();
        let kind = |entry: &Value| entry["kind"].as_str().unwrap().to_owned();
        items.map(kind).collect()
    };
    let (_, seen) = http.get("/v1/models/shop/timeline").await;
    let audit = seen["items"].as_array().unwrap().iter();
    let audit = audit.filter(|entry| entry["kind"] == "audit");
    let audit: Vec<&Value> = audit.collect();
    assert_eq!(audit[0]["who"], "admin");
    assert_eq!(audit[0]["object"], "logging-config of the model");
    let mut reader = house.stranger();
    let token = house.token_of(Standing::Reader).await;
    reader.authorization = Some(format!("Bearer {token}"));
    let (status, seen) = reader.get("/v1/models/shop/timeline").await;
    assert_eq!(status, 200, "{seen}");
    let seen = kinds(&seen);
    assert!(seen.contains(&"config".to_owned()), "{seen:?}");
    assert!(!seen.contains(&"audit".to_owned()), "{seen:?}");
    let odd = http.get("/v1/models/shop/timeline?kinds=hooks").await;
    assert_eq!(odd.0, 400);
    assert!(odd.1.to_string().contains("did you mean"), "{}", odd.1);
    assert_eq!(http.get("/v1/models/shop/timeline?form=x").await.0, 400);
    house.close().await;
}

#[tokio::test]
async fn a_run_is_told_with_its_limits() {
    let house = House::open().await;
    let model = house.add_model("shop").await;
    house.deploy(&model, 1).await;
    let site = unit("site/0");
    let from = house.store.get_state(&model, &site).await.unwrap().sequence;
    let commit = HookCommit {
        from,
        effects: Effects::default(),
        run: Some(HookReport {
            effects: vec!["opened 80/tcp".to_owned()],
            usage: Some(Default::default()),
            message: String::new(),
            ..report("")
        }),
        ..HookCommit::default()
    };
    let committed = house.store.commit_hook_run(&model, &site, commit).await;
    committed.unwrap();
    let http = house.http().await;
    let (_, runs) = http.get("/v1/models/shop/hooks").await;
    let id = runs["items"][0]["id"].as_i64().unwrap();
    let path = format!("/v1/models/shop/hooks/{id}/report");
    let (status, told) = http.get(&path).await;
    assert_eq!(status, 200, "{told}");
    assert_eq!(told["effects"][0]["kind"], "port");
    assert_eq!(told["typical"]["p50"], 1_000);
    assert!(told["run"]["limits"]["memory-bytes"].as_u64() > Some(0));
    let missing = http.get("/v1/models/shop/hooks/7000000/report").await;
    assert_eq!(missing.0, 404);
    house.close().await;
}

#[tokio::test]
async fn a_unit_says_why_and_names_people_only_to_who_may_read_the_audit_log() {
    let house = House::open().await;
    let (model, other) = (
        house.add_model("shop").await,
        house.add_model("other").await,
    );
    house.people(&model, &other).await;
    house.deploy(&model, 1).await;
    let http = house.http().await;
    let at = "/v1/models/shop/units/site/0/why";
    let (status, nothing) = http.get(at).await;
    assert_eq!((status, &nothing["steps"]), (200, &json!([])), "{nothing}");
    let change = json!({ "set": { "port": 81 } });
    let changed = http
        .send(
            "PATCH",
            "/v1/models/shop/applications/site/config",
            Some(change),
        )
        .await;
    assert_eq!(changed.0, 200, "{}", changed.1);
    let site = unit("site/0");
    let told = house.store.unit_told(&model, &site, "").await.unwrap();
    let cause = told.unwrap().remote.causes.config;
    let from = house.store.get_state(&model, &site).await.unwrap().sequence;
    let commit = HookCommit {
        from,
        run: Some(HookReport {
            hook: "config-changed".to_owned(),
            cause: cause.clone(),
            ..report("")
        }),
        ..HookCommit::default()
    };
    let committed = house.store.commit_hook_run(&model, &site, commit).await;
    committed.unwrap();
    let (_, why) = http.get(at).await;
    let steps = &why["steps"];
    assert_eq!(steps[0]["text"], "site/0 ran config-changed");
    assert_eq!(steps[1]["text"], "admin changed port of site");
    let audit = steps[1]["audit"].as_i64().unwrap();
    assert_eq!(cause.to_string(), format!("audit:{audit}"));
    let id = steps[0]["run"].as_i64().unwrap();
    let path = format!("/v1/models/shop/hooks/{id}");
    let (_, run) = http.get(&path).await;
    assert_eq!(run["cause"], format!("audit:{audit}"));
    let (_, details) = http.get(&format!("{path}/report")).await;
    assert_eq!(&details["why"], steps);

    let mut reader = house.stranger();
    let token = house.token_of(Standing::Reader).await;
    reader.authorization = Some(format!("Bearer {token}"));
    for (path, member) in [(at.to_owned(), "steps"), (format!("{path}/report"), "why")] {
        let (status, seen) = reader.get(&path).await;
        assert_eq!(status, 200, "{seen}");
        assert_eq!(seen[member][1]["text"], "somebody changed the model");
        assert!(seen[member][1].get("audit").is_none(), "{seen}");
    }
    let missing = http.get("/v1/models/shop/units/site/9/why").await;
    assert_eq!(
        (missing.0, missing.1["code"].as_str()),
        (404, Some("unit-not-found"))
    );
    house.close().await;
}
