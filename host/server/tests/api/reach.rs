//! Exposing applications over the HTTP API, and who reaches whom.
use crate::common::{House, Http};
use serde_json::{Value, json};

const SITE: &str = "/v1/models/first/applications/site";

async fn post(http: &Http, path: &str, body: Value) -> (u16, Value) {
    http.send("POST", &format!("{SITE}/{path}"), Some(body))
        .await
}

#[tokio::test]
async fn an_application_is_exposed_and_unexposed() {
    let house = House::open().await;
    let model = house.add_model("first").await;
    house.deploy(&model, 1).await;
    let http = house.http().await;
    let (status, shown) = post(&http, "expose", json!({})).await;
    assert_eq!(status, 200, "{shown}");
    let everybody = json!({ "": { "expose-to-cidrs": ["0.0.0.0/0", "::/0"] } });
    assert_eq!(shown["exposed"], true);
    assert_eq!(shown["exposed-endpoints"], everybody);
    let (_, status) = http.get("/v1/models/first/status").await;
    let application = &status["applications"]["site"];
    assert_eq!(application["exposed-endpoints"], everybody);
    assert_eq!(application["exposed"], true);

    for (body, status, code) in [
        (
            json!({ "exposed-endpoints": { "": { "expose-to-spaces": ["dmz"] } } }),
            400,
            "no-spaces",
        ),
        (
            json!({ "exposed-endpoints": { "": { "expose-to-cidrs": ["x"] } } }),
            400,
            "cidr-invalid",
        ),
        (
            json!({ "exposed-endpoints": { "nosuch": {} } }),
            400,
            "endpoint-not-found",
        ),
    ] {
        let (got, problem) = post(&http, "expose", body).await;
        assert_eq!((got, &problem["code"]), (status, &json!(code)), "{problem}");
        assert!(!problem["advice"].as_str().unwrap().is_empty(), "{problem}");
    }
    let (got, problem) = post(&http, "unexpose", json!({ "endpoints": ["x"] })).await;
    assert_eq!(
        (got, &problem["code"]),
        (409, &json!("endpoint-not-exposed"))
    );

    // A change of the definition: whoever read it before is told.
    let response = http.request("GET", SITE).send().await.unwrap();
    let tag = response.headers()["etag"].to_str().unwrap().to_owned();
    let unexpose = |tag: String| {
        let request = http.request("POST", &format!("{SITE}/unexpose"));
        request.header("if-match", tag).json(&json!({})).send()
    };
    assert_eq!(unexpose(tag.clone()).await.unwrap().status().as_u16(), 200);
    assert_eq!(unexpose(tag).await.unwrap().status().as_u16(), 412);
    let (_, shown) = http.get(SITE).await;
    assert_eq!(
        (&shown["exposed"], &shown["url"]),
        (&json!(false), &Value::Null)
    );
}

#[tokio::test]
async fn who_reaches_whom_is_shown_of_a_model_and_of_a_unit() {
    let house = House::open().await;
    let model = house.add_model("first").await;
    house.deploy(&model, 2).await;
    let http = house.http().await;
    let (status, reach) = http.get("/v1/models/first/reachability").await;
    assert_eq!(status, 200, "{reach}");
    assert_eq!(reach["mode"], "relations");
    let units = reach["units"].as_object().unwrap();
    assert!(units.len() > 1, "{reach}");
    assert_eq!(reach["units"]["site/0"]["address"], "127.77.0.1");
    let path = "/v1/models/first/reachability?unit=site/1";
    let (_, reach) = http.get(path).await;
    let units: Vec<&String> = reach["units"].as_object().unwrap().keys().collect();
    assert_eq!(units, ["site/1"]);
    for (unit, expected) in [("site/99", 404), ("Site", 400)] {
        let path = format!("/v1/models/first/reachability?unit={unit}");
        let (status, problem) = http.get(&path).await;
        assert_eq!(status, expected, "{problem}");
    }
}
