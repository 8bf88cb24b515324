//! Alerts over HTTP: who sees which, who may say what is watched for, and where keys never are.
use crate::common::{House, Http, Standing};
use periapt_server::AuditConfig;
use serde_json::{Value, json};

/// What is in no answer and in no record.
const KEY: &str = "hush-hush-of-the-webhook-2218";
/// In the address, where many webhooks have it.
const TOKEN: &str = "hush-hush-of-the-address-8814";

async fn as_one(house: &House, standing: Standing) -> Http {
    let mut http = house.stranger();
    http.authorization = Some(format!("Bearer {}", house.token_of(standing).await));
    http
}

fn receiver() -> Value {
    json!({
        "name": "ops",
        "type": "webhook",
        "config": { "url": format!("http://127.0.0.1:1/{TOKEN}"), "key": KEY },
    })
}

#[tokio::test]
async fn a_receivers_key_is_in_no_answer_and_no_record() {
    let house = House::open().await;
    let http = house.http().await;
    let capture = json!({ "set": { "audit-log-capture-args": true } });
    let captured = http
        .send("PATCH", "/v1/controller/config", Some(capture))
        .await;
    assert_eq!(captured.0, 200, "{}", captured.1);
    // The worker that puts the settings in force is not in this house.
    let values = house.store.controller_config().await.unwrap();
    house.state.audit().configure(AuditConfig::read(&values));

    let (status, added) = http
        .send("POST", "/v1/alert-receivers", Some(receiver()))
        .await;
    assert_eq!(status, 201, "{added}");
    assert_eq!(added["config"], json!({ "url": "http://127.0.0.1:1/…" }));
    let (status, refused) = http
        .send("POST", "/v1/alert-receivers/ops/test", None)
        .await;
    assert_eq!(
        (status, &refused["code"]),
        (503, &json!("alert-receiver-unavailable"))
    );
    let (_, deliveries) = http.get("/v1/alert-deliveries").await;
    assert_eq!(deliveries["items"][0]["state"], "failed", "{deliveries}");
    let mut wrong = receiver();
    wrong["config"]["ulr"] = json!("x");
    let (status, refused) = http.send("POST", "/v1/alert-receivers", Some(wrong)).await;
    assert_eq!(
        (status, &refused["code"]),
        (400, &json!("alert-receiver-invalid"))
    );
    assert!(refused.to_string().contains("did you mean"), "{refused}");
    let (_, audit) = http.get("/v1/audit?limit=100").await;
    let (_, receivers) = http.get("/v1/alert-receivers").await;
    for answer in [added, refused, deliveries, audit, receivers] {
        for secret in [KEY, TOKEN] {
            assert!(!answer.to_string().contains(secret), "{answer}");
        }
    }
    // It is opened as before under another key of the controller.
    let rotate = "/v1/controller/encryption-key/rotate";
    let (status, rotated) = http.send("POST", rotate, None).await;
    assert_eq!(status, 200, "{rotated}");
    let (status, refused) = http
        .send("POST", "/v1/alert-receivers/ops/test", None)
        .await;
    assert_eq!(
        (status, &refused["code"]),
        (503, &json!("alert-receiver-unavailable"))
    );
    house.close().await;
}

#[tokio::test]
async fn rules_are_a_superusers_and_alerts_are_seen_by_who_reads_their_model() {
    let house = House::open().await;
    let (model, other) = (
        house.add_model("first").await,
        house.add_model("second").await,
    );
    house.people(&model, &other).await;
    let superuser = house.http().await;
    let disk = json!({ "name": "disk", "condition": "disk-full", "threshold": "90%" });
    let admin = as_one(&house, Standing::Admin).await;
    let (status, _) = admin
        .send("POST", "/v1/alert-rules", Some(disk.clone()))
        .await;
    assert_eq!(status, 403);
    let (status, added) = superuser.send("POST", "/v1/alert-rules", Some(disk)).await;
    assert_eq!(status, 201, "{added}");
    assert_eq!(added["threshold"], "90%");
    let evaluated = house.store.evaluate_alerts(Some(95), "lab").await.unwrap();
    assert_eq!(evaluated.firing, 1);

    let (_, all) = superuser.get("/v1/alerts?state=firing").await;
    assert_eq!(all["items"][0]["subject"], "disk", "{all}");
    for standing in [Standing::Reader, Standing::WithoutAccess] {
        let http = as_one(&house, standing).await;
        let (status, seen) = http.get("/v1/alerts").await;
        assert_eq!((status, &seen["items"]), (200, &json!([])));
    }
    let path = format!("/v1/alerts/{}/acknowledge", all["items"][0]["id"]);
    assert_eq!(admin.send("POST", &path, None).await.0, 403);
    let (status, acknowledged) = superuser.send("POST", &path, None).await;
    assert_eq!(status, 200, "{acknowledged}");
    assert_eq!(acknowledged["acknowledged-by"], "admin");
    let (status, refused) = superuser.get("/v1/alerts?state=fring").await;
    assert_eq!(status, 400, "{refused}");
    let (status, _) = superuser.send("DELETE", "/v1/alert-rules/disk", None).await;
    assert_eq!(status, 200);
    let (_, all) = superuser.get("/v1/alerts?state=firing").await;
    assert_eq!(all["items"], json!([]));
    house.close().await;
}
