//! Grants of capabilities over HTTP: who may decide, what is refused, and what is recorded.
use serde_json::{Value, json};

use crate::common::{House, Http, Standing, archive};

const MODEL: &str = "/v1/models/first";
const GRANTS: &str = "/v1/models/first/applications/vault/grants";

/// A charm that declares these tools.
fn vault(tools: &str) -> Vec<u8> {
    archive(&[
        (
            "metadata.yaml",
            b"name: vault\nsummary: a vault\ndescription: a vault\n",
        ),
        (
            "capabilities.yaml",
            format!("tools: {{{tools}}}").as_bytes(),
        ),
        ("charm.wasm", b"\0asm\x0d\0\x01\0"),
    ])
}

const SECRET: &str = "secret: {why: keeps a password}";
const REBOOT: &str = "secret: {why: keeps a password}, reboot: {why: restarts at night}";

async fn deploy(http: &Http, capabilities: Value) -> (u16, Value) {
    let body = json!({
        "application": "vault", "charm": "local:vault-0", "units": 0, "capabilities": capabilities,
    });
    http.send("POST", &format!("{MODEL}/applications"), Some(body))
        .await
}

fn code(problem: &Value) -> &str {
    problem["code"].as_str().unwrap_or_default()
}

fn standing<'a>(grants: &'a Value, capability: &str) -> &'a str {
    let all = grants["capabilities"].as_array().unwrap();
    let found = all.iter().find(|one| one["capability"] == capability);
    found.unwrap()["standing"].as_str().unwrap()
}

#[tokio::test]
async fn what_is_undecided_is_refused_and_listed_and_a_grant_is_recorded() {
    let house = House::open().await;
    let model = house.add_model("first").await;
    let http = house.http().await;
    let uploaded = http.upload(&model, vault(REBOOT)).await;
    assert_eq!(uploaded.0, 201, "{}", uploaded.1);
    let path = format!("{MODEL}/charms/local:vault-0/capabilities");
    let (status, told) = http.get(&path).await;
    assert_eq!(status, 200, "{told}");
    assert_eq!(standing(&told, "tools/reboot"), "undecided");
    assert_eq!(standing(&told, "tools/secret"), "default");

    let (status, problem) = deploy(&http, json!({})).await;
    assert_eq!((status, code(&problem)), (409, "capability-undecided"));
    let detail = problem["detail"].as_str().unwrap();
    assert!(
        detail.contains("tools/reboot (may restart") && detail.contains("restarts at night"),
        "{detail}"
    );
    let (status, problem) = deploy(&http, json!({ "grant": ["tools/rebot"] })).await;
    assert_eq!(status, 400, "{problem}");
    let (status, shown) = deploy(&http, json!({ "deny": ["tools/reboot"] })).await;
    assert_eq!(status, 201, "{shown}");
    let (_, grants) = http.get(GRANTS).await;
    assert_eq!(standing(&grants, "tools/reboot"), "denied");

    let body = json!({ "capabilities": ["tools/reboot"] });
    let (status, grants) = http.send("POST", GRANTS, Some(body.clone())).await;
    assert_eq!(
        (status, standing(&grants, "tools/reboot")),
        (200, "granted")
    );
    let (_, audit) = http.get(&format!("{MODEL}/audit")).await;
    let newest = audit["items"].as_array().unwrap().iter();
    let told = newest
        .map(|row| {
            (
                row["verb"].as_str().unwrap(),
                row["object"].as_str().unwrap(),
            )
        })
        .find(|(verb, _)| *verb == "granted");
    assert_eq!(told, Some(("granted", "tools/reboot to vault")));
    let (status, grants) = http
        .send("POST", &format!("{GRANTS}/revoke"), Some(body))
        .await;
    assert_eq!((status, standing(&grants, "tools/reboot")), (200, "denied"));
    house.close().await;
}

#[tokio::test]
async fn who_writes_in_a_model_denies_and_grants_nothing() {
    let house = House::open().await;
    let (model, other) = (
        house.add_model("first").await,
        house.add_model("second").await,
    );
    let http = house.http().await;
    http.upload(&model, vault(REBOOT)).await;
    house.people(&model, &other).await;
    let mut writer = house.stranger();
    writer.authorization = Some(format!("Bearer {}", house.token_of(Standing::Writer).await));
    for grants in [
        json!({ "grant": ["tools/reboot"] }),
        json!({ "grant-all": true }),
    ] {
        assert_eq!(deploy(&writer, grants).await.0, 403);
    }
    let (status, shown) = deploy(&writer, json!({ "deny": ["tools/reboot"] })).await;
    assert_eq!(status, 201, "{shown}");
    let body = json!({ "capabilities": ["tools/reboot"] });
    for path in [GRANTS.to_owned(), format!("{GRANTS}/revoke")] {
        let (status, _) = writer.send("POST", &path, Some(body.clone())).await;
        assert_eq!(status, 403, "{path}");
    }
    assert_eq!(writer.get(GRANTS).await.0, 200);
    house.close().await;
}

#[tokio::test]
async fn a_revision_that_waits_is_shown_and_approved() {
    let house = House::open().await;
    let model = house.add_model("first").await;
    let http = house.http().await;
    http.upload(&model, vault(SECRET)).await;
    http.upload(&model, vault(REBOOT)).await;
    assert_eq!(deploy(&http, json!({})).await.0, 201);
    let refresh = json!({ "charm": "local:vault-1" });
    let path = format!("{MODEL}/applications/vault/refresh");
    let (status, shown) = http.send("POST", &path, Some(refresh)).await;
    assert_eq!((status, &shown["charm"]), (200, &json!("local:vault-0")));
    assert_eq!(shown["held"]["charm"], "local:vault-1");
    assert_eq!(shown["held"]["awaits"][0]["capability"], "tools/reboot");
    let body = json!({ "capabilities": ["tools/reboot"] });
    let (status, grants) = http.send("POST", GRANTS, Some(body)).await;
    assert_eq!((status, &grants["charm"]), (200, &json!("local:vault-1")));
    assert_eq!(grants.get("held"), None, "{grants}");
    house.close().await;
}

#[tokio::test]
async fn a_bundle_ends_where_a_revision_has_to_be_approved() {
    let house = House::open().await;
    let model = house.add_model("first").await;
    let http = house.http().await;
    http.upload(&model, vault(SECRET)).await;
    http.upload(&model, vault(REBOOT)).await;
    assert_eq!(deploy(&http, json!({})).await.0, 201);
    let bundle =
        "applications:\n  vault: {charm: local:vault-1, num_units: 0, annotations: {rack: low}}\n";
    let body = json!({ "bundle": bundle });
    let bundles = format!("{MODEL}/bundles");
    let (status, begun) = http.send("POST", &bundles, Some(body)).await;
    assert_eq!(status, 202, "{begun}");
    let path = format!("{bundles}/{}?wait=60", begun["apply"]["id"]);
    let (_, ended) = http.get(&path).await;
    assert_eq!(
        (&ended["state"], &ended["taken"]),
        (&json!("failed"), &json!(0)),
        "{ended}"
    );
    let message = ended["message"].as_str().unwrap();
    assert!(message.contains("tools/reboot (may restart"), "{message}");
    let (_, grants) = http.get(GRANTS).await;
    assert_eq!(grants["held"]["charm"], "local:vault-1", "{grants}");
    house.close().await;
}

#[tokio::test]
async fn a_grant_that_no_component_could_use_is_told_apart() {
    let house = House::open().await;
    let model = house.add_model("first").await;
    let http = house.http().await;
    let capabilities = format!("tools: {{{REBOOT}}}");
    let charm = archive(&[
        (
            "metadata.yaml",
            b"name: vault\nsummary: a vault\ndescription: a vault\n",
        ),
        ("capabilities.yaml", capabilities.as_bytes()),
        ("charm.wasm", b"\0asm\x0d\0\x01\0imports secret"),
    ]);
    let (status, uploaded) = http.upload(&model, charm).await;
    assert_eq!(
        (status, &uploaded["unused"]),
        (201, &json!(["tools/reboot"])),
        "{uploaded}"
    );
    assert_eq!(deploy(&http, json!({ "grant-all": true })).await.0, 201);
    let (_, grants) = http.get(GRANTS).await;
    let all = grants["capabilities"].as_array().unwrap().iter();
    let told: Vec<(&Value, &Value)> = all.map(|one| (&one["capability"], &one["used"])).collect();
    assert_eq!(
        told,
        [
            (&json!("tools/reboot"), &json!(false)),
            (&json!("tools/secret"), &json!(true))
        ]
    );
    house.close().await;
}
