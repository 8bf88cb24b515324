//! Files of applications: they come in as streams, are held against their digests, and go to agents.

use periapt_model::Digest;
use periapt_model::bounds::RESOURCE_BYTES;
use serde_json::{Value, json};

use crate::common::{House, Http, archive};

const SITE: &str = "/v1/models/first/applications/site";
const UPLOADS: &str = "/v1/models/first/resources";

async fn send(http: &Http, method: &str, path: &str, body: &'static str) -> (u16, Value) {
    let request = http.request(method, path).body(body);
    let request = request.header("content-type", "application/octet-stream");
    let response = request.send().await.unwrap();
    let status = response.status().as_u16();
    let bytes = response.bytes().await.unwrap();
    (
        status,
        serde_json::from_slice(&bytes).unwrap_or(Value::Null),
    )
}

async fn house() -> (House, Http) {
    let house = House::open().await;
    let model = house.add_model("first").await;
    let http = house.http().await;
    let metadata = "name: site\nsummary: a test\ndescription: a test\n\
        resources: {theme: {type: file, filename: theme.css}}\n";
    let charm = archive(&[
        ("metadata.yaml", metadata.as_bytes()),
        ("charm.wasm", b"\0asm\x0d\0\x01\0"),
    ]);
    let (status, uploaded) = http.upload(&model, charm).await;
    assert_eq!(status, 201, "{uploaded}");
    (house, http)
}

async fn deploy(http: &Http, resources: Value) -> (u16, Value) {
    let request = json!({
        "application": "site", "charm": "local:site-0", "units": 0, "resources": resources,
    });
    let path = "/v1/models/first/applications";
    http.send("POST", path, Some(request)).await
}

#[tokio::test]
async fn a_file_goes_up_before_a_deployment_or_to_an_application() {
    let (house, http) = house().await;
    let digest = Digest::of("red").to_string();
    let path = format!("{UPLOADS}?sha256={digest}");
    let (status, uploaded) = send(&http, "POST", &path, "red").await;
    assert_eq!(status, 200, "{uploaded}");
    assert_eq!(uploaded, json!({"id": 1, "sha256": digest, "size": 3}));
    let (status, refused) = deploy(&http, json!({"them": 1})).await;
    assert_eq!(
        (status, &refused["code"]),
        (400, &json!("resource-not-found"))
    );
    let (status, deployed) = deploy(&http, json!({"theme": 1})).await;
    assert_eq!(status, 201, "{deployed}");

    let theme = format!("{SITE}/resources/theme");
    let (status, attached) = send(&http, "PUT", &theme, "blue").await;
    assert_eq!(
        (status, &attached["revision"]),
        (200, &json!(2)),
        "{attached}"
    );
    let (_, shown) = http.get(&format!("{SITE}/resources")).await;
    let shown = &shown["resources"][0];
    assert_eq!(shown["file-name"], "theme.css");
    assert_eq!(shown["attached"]["sha256"], attached["sha256"]);
    assert_eq!(shown["attached"]["uploaded-by"], "admin");
    let (_, audit) = http.get("/v1/audit?matching=resources").await;
    assert_eq!(audit["items"].as_array().unwrap().len(), 2, "{audit}");
    house.close().await;
}

#[tokio::test]
async fn what_is_refused_leaves_nothing() {
    let (house, http) = house().await;
    deploy(&http, json!({})).await;
    let wrong = "0".repeat(64);
    for (method, path, code) in [
        (
            "POST",
            format!("{UPLOADS}?sha256={wrong}"),
            "resource-digest-mismatch",
        ),
        ("POST", format!("{UPLOADS}?sha256=x"), "digest-invalid"),
        (
            "PUT",
            format!("{SITE}/resources/them"),
            "resource-not-found",
        ),
        (
            "PUT",
            "/v1/models/first/applications/none/resources/theme".to_owned(),
            "application-not-found",
        ),
    ] {
        let (_, refused) = send(&http, method, &path, "red").await;
        assert_eq!(refused["code"], code, "{method} {path}: {refused}");
    }
    let form = http.request("POST", UPLOADS).body("red");
    let form = form
        .header("content-type", "text/plain")
        .send()
        .await
        .unwrap();
    assert_eq!(form.status().as_u16(), 415);
    let digest = Digest::of("red").to_string();
    assert!(!house.store.has_blob(&digest).await.unwrap());
    let large = http
        .request("POST", UPLOADS)
        .header("content-type", "application/octet-stream")
        .body(vec![
            0_u8;
            usize::try_from(RESOURCE_BYTES.most).unwrap() + 1
        ]);
    // The server may have hung up before all of it was sent.
    if let Ok(response) = large.send().await {
        assert_eq!(response.status().as_u16(), 413);
    }
    house.close().await;
}
