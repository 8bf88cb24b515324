//! Secrets of people over HTTP: who may do what, and where values never are.
use crate::common::{House, Http, Standing, text};
use periapt_server::AuditConfig;
use serde_json::{Value, json};

const SECRETS: &str = "/v1/models/first/secrets";

/// What is in no answer but that of `reveal`, and in no record.
const VALUE: &str = "correct-horse-battery-staple";

async fn as_one(house: &House, standing: Standing) -> Http {
    let mut http = house.stranger();
    http.authorization = Some(format!("Bearer {}", house.token_of(standing).await));
    http
}

fn new() -> Value {
    json!({ "name": "database", "values": { "password": VALUE } })
}

/// Whether a file holds the value as it is.
fn holds(path: &std::path::Path) -> bool {
    let bytes = std::fs::read(path).unwrap();
    bytes
        .windows(VALUE.len())
        .any(|window| window == VALUE.as_bytes())
}

#[tokio::test]
async fn a_value_is_in_the_answer_to_reveal_and_nowhere_else() {
    let house = House::open().await;
    house.add_model("first").await;
    let http = house.http().await;
    let capture = json!({ "set": { "audit-log-capture-args": true } });
    let captured = http
        .send("PATCH", "/v1/controller/config", Some(capture))
        .await;
    assert_eq!(captured.0, 200, "{}", captured.1);
    // The worker that puts the settings in force is not in this house.
    let values = house.store.controller_config().await.unwrap();
    house.state.audit().configure(AuditConfig::read(&values));

    let request = http.request("POST", SECRETS);
    let request = request.header("idempotency-key", "once").json(&new());
    let response = request.send().await.unwrap();
    assert_eq!(response.status().as_u16(), 201);
    let added = response.text().await.unwrap();
    assert!(!added.contains(VALUE), "{added}");
    let added: Value = serde_json::from_str(&added).unwrap();
    assert_eq!(added["owner"], json!({ "kind": "model", "name": "first" }));
    assert_eq!(added["revisions"][0]["backend"], "internal");

    let path = format!("{SECRETS}/database");
    let (status, shown) = http.get(&path).await;
    assert_eq!((status, &shown), (200, &added));
    let by_uri = format!("{SECRETS}/secret:{}", text(&added["id"]));
    assert_eq!(http.get(&by_uri).await, (200, added));
    // The same values make no revision, others do.
    for (value, revisions) in [(VALUE, 1), ("another", 2)] {
        let body = json!({ "values": { "password": value } });
        let (status, shown) = http.send("PATCH", &path, Some(body)).await;
        assert_eq!(status, 200, "{shown}");
        assert_eq!(shown["revisions"].as_array().unwrap().len(), revisions);
    }
    let reveal = format!("{path}/reveal");
    let request = http.request("POST", &reveal);
    let request = request.header("idempotency-key", "look");
    let response = request
        .json(&json!({ "revision": 1 }))
        .send()
        .await
        .unwrap();
    let revealed: Value = response.json().await.unwrap();
    assert_eq!(
        revealed,
        json!({ "revision": 1, "values": { "password": VALUE } })
    );
    let (_, revealed) = http.send("POST", &reveal, Some(json!({}))).await;
    assert_eq!(revealed["values"]["password"], "another");

    let (_, listed) = http.get(SECRETS).await;
    assert!(!listed.to_string().contains(VALUE), "{listed}");
    let (_, audit) = http.get("/v1/audit?limit=1000").await;
    let audit = audit.to_string();
    assert!(
        audit.contains("/reveal") && !audit.contains(VALUE),
        "{audit}"
    );
    let directory = house.directory().to_owned();
    for entry in std::fs::read_dir(&directory).unwrap().flatten() {
        if entry.path().is_file() {
            assert!(!holds(&entry.path()), "{}", entry.path().display());
        }
    }
    house.close().await;
}

#[tokio::test]
async fn readers_see_secrets_writers_change_them_and_admins_look_into_them() {
    let house = House::open().await;
    let (model, other) = (
        house.add_model("first").await,
        house.add_model("second").await,
    );
    house.people(&model, &other).await;
    house.deploy(&model, 1).await;
    let reader = as_one(&house, Standing::Reader).await;
    let writer = as_one(&house, Standing::Writer).await;
    let admin = as_one(&house, Standing::Admin).await;
    assert_eq!(reader.send("POST", SECRETS, Some(new())).await.0, 403);
    assert_eq!(writer.send("POST", SECRETS, Some(new())).await.0, 201);
    let path = format!("{SECRETS}/database");
    assert_eq!(reader.get(&path).await.0, 200);
    let reveal = format!("{path}/reveal");
    for http in [&reader, &writer] {
        assert_eq!(http.send("POST", &reveal, Some(json!({}))).await.0, 403);
    }
    assert_eq!(admin.send("POST", &reveal, Some(json!({}))).await.0, 200);
    let grants = format!("{path}/grants");
    let to = json!({ "applications": ["site"] });
    let (status, granted) = writer.send("POST", &grants, Some(to)).await;
    assert_eq!(
        (status, &granted["grants"]),
        (200, &json!([{ "to": "site" }]))
    );
    // What the agent of a unit reads follows.
    let mut agent = house.agent(&model).await;
    let of = json!({ "unit": "site/0", "of": { "id": granted["id"] } });
    let read = agent.call("periapt.Secrets", "Secret", of.clone()).await;
    let read = read.unwrap();
    assert_eq!(read["content"], json!({ "password": VALUE }));
    assert_eq!(
        (&read["revision"], &read["owned"]),
        (&json!(1), &json!(false))
    );
    let grant = format!("{grants}/site");
    assert_eq!(writer.send("DELETE", &grant, None).await.0, 200);
    let refused = agent.call("periapt.Secrets", "Secret", of).await;
    assert_eq!(refused.unwrap_err().0, "unauthorized access");
    assert_eq!(writer.send("DELETE", &path, None).await.0, 200);
    assert_eq!(reader.get(&path).await.0, 404);
    // Names that read as ids, values that are none, back ends that nobody else than a superuser makes.
    for wrong in [
        json!({ "name": "0".repeat(20), "values": { "password": "x" } }),
        json!({ "name": "", "values": { "password": "x" } }),
        json!({ "name": "no values" , "values": { "password": "x" } }),
        json!({ "name": "empty", "values": {} }),
        json!({ "name": "short", "values": { "pw": "x" } }),
    ] {
        let (status, problem) = writer.send("POST", SECRETS, Some(wrong)).await;
        assert_eq!((status, &problem["code"]), (400, &json!("secret-invalid")));
    }
    let vault = json!({ "name": "vault", "type": "vault", "config": {} });
    let made = admin
        .send("POST", "/v1/secret-backends", Some(vault.clone()))
        .await;
    assert_eq!(made.0, 403);
    let superuser = house.http().await;
    let (status, problem) = superuser
        .send("POST", "/v1/secret-backends", Some(vault))
        .await;
    assert_eq!(
        (status, &problem["code"]),
        (400, &json!("secret-backend-config-invalid"))
    );
    let (_, backends) = reader.get("/v1/secret-backends").await;
    assert_eq!(backends["items"][0]["name"], "internal");
    let rotate = "/v1/controller/encryption-key/rotate";
    assert_eq!(admin.send("POST", rotate, None).await.0, 403);
    let (status, rotated) = superuser.send("POST", rotate, None).await;
    assert_eq!(status, 200, "{rotated}");
    assert_eq!(rotated["sealed-again"], 1);
    house.close().await;
}
