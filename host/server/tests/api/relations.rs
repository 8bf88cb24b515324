//! Relations and machines over the HTTP API.
use crate::common::{EventReader, House, Http, PATIENCE, archive};
use periapt_model::ModelUuid;
use periapt_store::NewToken;
use serde_json::{Value, json};

const MODEL: &str = "/v1/models/first";

fn fine(answer: (u16, Value)) -> Value {
    assert!((200..300).contains(&answer.0), "{} {}", answer.0, answer.1);
    answer.1
}

/// A refusal that says what to do.
fn refused(answer: (u16, Value), status: u16, code: &str) {
    let (got, body) = answer;
    assert_eq!((got, body["code"].as_str()), (status, Some(code)), "{body}");
    assert!(
        !body["advice"].as_str().unwrap_or_default().is_empty(),
        "{body}"
    );
    assert!(
        !body["detail"].as_str().unwrap_or_default().is_empty(),
        "{body}"
    );
}

async fn deploy(http: &Http, model: &ModelUuid, name: &str, rest: &str, units: u32) {
    let metadata = format!("name: {name}\nsummary: a test\ndescription: a test\n{rest}");
    let bytes = archive(&[
        ("metadata.yaml", metadata.as_bytes()),
        ("charm.wasm", b"\0asm\x0d\0\x01\0"),
    ]);
    let charm = fine(http.upload(model, bytes).await);
    let body = json!({ "application": name, "charm": charm["url"], "units": units });
    let path = format!("{MODEL}/applications");
    fine(http.send("POST", &path, Some(body)).await);
}

/// `site` and `front` with a unit each, and the subordinate `log-shipper`.
async fn furnished(house: &House) -> (ModelUuid, Http) {
    let model = house.add_model("first").await;
    let http = house.http().await;
    let site = "provides:\n  website: http\npeers:\n  cluster: site-peer\n";
    deploy(&http, &model, "site", site, 1).await;
    let front = "requires:\n  website: {interface: http, limit: 1}\n  backup: http\n";
    deploy(&http, &model, "front", front, 1).await;
    let shipper =
        "subordinate: true\nrequires:\n  host: {interface: juju-info, scope: container}\n";
    deploy(&http, &model, "log-shipper", shipper, 0).await;
    (model, http)
}

async fn integrate(http: &Http, endpoints: &[&str]) -> (u16, Value) {
    let body = json!({ "endpoints": endpoints });
    http.send("POST", &format!("{MODEL}/relations"), Some(body))
        .await
}

#[tokio::test]
async fn a_relation_is_made_suspended_resumed_and_removed() {
    let house = House::open().await;
    let (_, http) = furnished(&house).await;
    let made = fine(integrate(&http, &["site", "front:website"]).await);
    assert_eq!(
        (&made["key"], &made["status"], &made["scope"]),
        (
            &json!("front:website site:website"),
            &json!("joining"),
            &json!("global")
        )
    );
    let path = format!("{MODEL}/relations/{}", made["id"]);
    assert_eq!(fine(http.get(&path).await), made);
    let listed = fine(
        http.get(&format!("{MODEL}/relations?application=front"))
            .await,
    );
    assert_eq!(listed["items"], json!([made]));

    let (status, tag) = {
        let response = http.request("GET", &path).send().await.unwrap();
        let tag = response.headers()["etag"].to_str().unwrap().to_owned();
        (response.status().as_u16(), tag)
    };
    assert_eq!(status, 200);
    let suspend = json!({ "suspended": true, "reason": "moving" });
    let change = |tag: String| {
        let request = http.request("PATCH", &path).header("if-match", tag);
        request.json(&suspend).send()
    };
    let changed: Value = change(tag.clone()).await.unwrap().json().await.unwrap();
    assert_eq!(
        (
            &changed["status"],
            &changed["message"],
            &changed["suspended"]
        ),
        (&json!("suspended"), &json!("moving"), &json!(true))
    );
    assert_eq!(change(tag).await.unwrap().status().as_u16(), 412);
    let shown = fine(http.get(&format!("{MODEL}/status")).await);
    let relation = shown["relations"].as_array().unwrap();
    let relation = relation.iter().find(|one| one["id"] == made["id"]).unwrap();
    assert_eq!(
        (&relation["status"]["status"], &relation["status"]["info"]),
        (&json!("suspended"), &json!("moving"))
    );
    assert_eq!(
        shown["applications"]["front"]["relations"],
        json!({ "website": ["site"] })
    );
    assert_eq!(
        shown["applications"]["site"]["relations"],
        json!({ "cluster": ["site"], "website": ["front"] })
    );
    assert_eq!(shown["applications"]["log-shipper"]["units"], Value::Null);

    let resumed = fine(
        http.send("PATCH", &path, Some(json!({ "suspended": false })))
            .await,
    );
    assert_eq!(resumed["suspended"], false);
    // Nobody is in scope, so it is gone at once; asked again under the same key it is the same.
    for _ in 0..2 {
        let request = http
            .request("DELETE", &path)
            .header("idempotency-key", "k1");
        let removed = request.send().await.unwrap();
        assert_eq!(removed.status().as_u16(), 202);
        let body: Value = removed.json().await.unwrap();
        assert_eq!(body, json!({ "units": [], "machines": [] }));
    }
    refused(http.get(&path).await, 404, "relation-not-found");
    house.close().await;
}

#[tokio::test]
async fn what_does_not_fit_is_refused_with_advice() {
    let house = House::open().await;
    let (_, http) = furnished(&house).await;
    for (endpoints, status, code) in [
        (vec!["site"], 400, "endpoints-invalid"),
        (vec!["site", "front"], 400, "endpoints-ambiguous"),
        (vec!["site:nothing", "front"], 400, "endpoint-not-found"),
        (vec!["site:cluster", "front"], 400, "endpoint-is-peer"),
        (
            vec!["front:website", "log-shipper"],
            400,
            "endpoints-do-not-fit",
        ),
        (vec!["site", "nobody"], 404, "application-not-found"),
    ] {
        refused(integrate(&http, &endpoints).await, status, code);
    }
    assert_eq!(integrate(&http, &["site", "Front!"]).await.0, 400);
    fine(integrate(&http, &["site", "front:website"]).await);
    let again = integrate(&http, &["front:website", "site"]).await;
    refused(again, 409, "relation-already-exists");
    let peer = fine(
        http.get(&format!("{MODEL}/relations?application=site"))
            .await,
    );
    let peers = peer["items"].as_array().unwrap();
    let peers = peers
        .iter()
        .find(|one| one["key"] == "site:cluster")
        .unwrap();
    let path = format!("{MODEL}/relations/{}", peers["id"]);
    refused(
        http.send("DELETE", &path, None).await,
        409,
        "relation-is-peer",
    );
    let odd = format!("{MODEL}/relations/website");
    assert_eq!(http.get(&odd).await.1["code"], "relation-id-invalid");
    house.close().await;
}

#[tokio::test]
async fn machines_are_added_for_units_to_be_placed_on_and_removed() {
    let house = House::open().await;
    let (model, http) = furnished(&house).await;
    let path = format!("{MODEL}/machines");
    let added = fine(http.send("POST", &path, Some(json!({ "count": 2 }))).await);
    let ids: Vec<&str> = added
        .as_array()
        .unwrap()
        .iter()
        .map(|machine| machine["id"].as_str().unwrap())
        .collect();
    assert_eq!(ids.len(), 2);
    assert_eq!(
        http.send("POST", &path, Some(json!({ "count": 0 })))
            .await
            .0,
        400
    );
    let units = format!("{MODEL}/applications/site/units");
    let body = json!({ "count": 2, "placement": [ids[1], ids[1]] });
    let made = fine(http.send("POST", &units, Some(body)).await);
    let staged = house.store.unit_assignments(&model).await.unwrap();
    house.store.assign_units(&model, &staged).await.unwrap();
    let machine = format!("{path}/{}", ids[1]);
    assert_eq!(fine(http.get(&machine).await)["units"], made);
    refused(
        http.send("DELETE", &machine, None).await,
        409,
        "machine-has-assigned-units",
    );
    let removed = fine(http.send("DELETE", &format!("{machine}?force"), None).await);
    assert_eq!(removed, json!({ "units": made, "machines": [ids[1]] }));
    fine(
        http.send("DELETE", &format!("{path}/{}", ids[0]), None)
            .await,
    );
    let gone = format!("{path}/99");
    refused(
        http.send("DELETE", &gone, None).await,
        404,
        "machine-not-found",
    );
    house.close().await;
}

#[tokio::test]
async fn relations_are_events_as_they_are_answers() {
    let house = House::open().await;
    let (_, http) = furnished(&house).await;
    let mut events = EventReader::open(&http, &format!("{MODEL}/events"), None).await;
    let snapshot = events.snapshot().await;
    let kinds = snapshot.keys().filter(|(kind, _)| kind == "relation");
    assert_eq!(kinds.count(), 1, "the peers of site");
    let made = fine(integrate(&http, &["site", "front:backup"]).await);
    let key = made["id"].to_string();
    let event = events
        .until("relation", &key, |entity| !entity.is_null())
        .await;
    assert_eq!(event["entity"], made);
    let path = format!("{MODEL}/relations/{key}");
    fine(
        http.send("PATCH", &path, Some(json!({ "suspended": true })))
            .await,
    );
    events
        .until("relation", &key, |entity| entity["suspended"] == true)
        .await;
    fine(http.send("DELETE", &path, None).await);
    events.until("relation", &key, Value::is_null).await;
    house.close().await;
}

#[tokio::test]
async fn an_open_stream_ends_with_the_token_it_was_opened_with() {
    let house = House::open().await;
    house.add_model("first").await;
    let mut http = house.http().await;
    let user = crate::common::admin();
    let wanted = NewToken::login("script", PATIENCE * 10);
    let issued = house.store.issue_token(&user, wanted).await.unwrap();
    http.authorization = Some(format!("Bearer {}", issued.secret));
    let mut events = EventReader::open(&http, &format!("{MODEL}/events"), None).await;
    events.snapshot().await;
    house.store.revoke_token(&issued.secret).await.unwrap();
    while let Some((name, _)) = events.next().await {
        assert_ne!(name, "change");
    }
    assert_eq!(http.get(MODEL).await.0, 401);
    house.close().await;
}
