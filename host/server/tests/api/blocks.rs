//! What people disabled in a model is refused, whatever route it is asked of, and nothing else.
use crate::common::{EventReader, House, Http, Standing, text};
use periapt_model::block::BlockKind;
use periapt_model::status::{Agent, Status};
use periapt_server::rest::{Route, routes};
use serde_json::{Value, json};

const MODEL: &str = "/v1/models/first";

/// The path with something for each name in it; nothing of it is there but the model.
fn path(route: &Route) -> String {
    let part = |part: &'static str| match part {
        "{model}" => "first",
        "{user}" => "target",
        "{name}" => "site",
        part if part.starts_with('{') => "0",
        part => part,
    };
    let parts: Vec<&str> = route.path.split('/').map(part).collect();
    parts.join("/")
}

async fn set(http: &Http, kind: BlockKind, message: &str) -> (u16, Value) {
    let body = json!({ "message": message });
    http.send("PUT", &format!("{MODEL}/blocks/{kind}"), Some(body))
        .await
}

async fn lift(http: &Http, kind: BlockKind) -> (u16, Value) {
    http.send("DELETE", &format!("{MODEL}/blocks/{kind}"), None)
        .await
}

#[tokio::test]
async fn what_is_disabled_is_refused_on_every_route_until_it_is_allowed_again() {
    let house = House::open().await;
    house.add_model("first").await;
    let http = house.http().await;
    let mut refused = 0;
    for kind in BlockKind::ALL {
        let (status, answer) = set(&http, kind, "not on Fridays").await;
        assert_eq!(status, 200, "{answer}");
        for route in routes().filter(|route| route.path.starts_with("/v1/models/{model}")) {
            // Looking is always possible, and some of it has no end.
            if !route.changes() || route.path.contains("/blocks/") {
                continue;
            }
            let held = route.change.is_some_and(|change| kind.holds(change));
            let (status, problem) = http.send(route.method, &path(route), None).await;
            let blocked = problem["code"] == "operation-blocked";
            assert_eq!(blocked, held, "{kind}: {route:?}: {status} {problem}");
            if held {
                assert_eq!(status, 409);
                let why = text(&problem["detail"]);
                assert!(why.ends_with(": not on Fridays"), "{why}");
                let advice = text(&problem["advice"]);
                let allow = format!("periapt enable-command {kind}");
                assert!(advice.contains(&allow), "{advice}");
                refused += 1;
            }
        }
        assert_eq!(http.get(&format!("{MODEL}/status")).await.0, 200);
        assert_eq!(lift(&http, kind).await.0, 200);
        assert_eq!(lift(&http, kind).await.0, 404);
    }
    assert!(refused > 20, "{refused}");
    let added = json!({ "count": 1 });
    let machines = format!("{MODEL}/machines");
    let (status, answer) = http.send("POST", &machines, Some(added)).await;
    assert_eq!(status, 201, "{answer}");
    assert_eq!(http.send("DELETE", MODEL, None).await.0, 202);
    house.close().await;
}

#[tokio::test]
async fn force_gets_past_a_block_of_removals_and_no_further() {
    let house = House::open().await;
    let model = house.add_model("first").await;
    house.deploy(&model, 2).await;
    let http = house.http().await;
    for kind in [BlockKind::RemoveObject, BlockKind::All] {
        assert_eq!(set(&http, kind, "").await.0, 200);
    }
    let unit = format!("{MODEL}/units/site/1");
    let (status, problem) = http.send("DELETE", &unit, None).await;
    assert_eq!(
        (status, &problem["detail"]),
        (409, &json!("remove-object is disabled in this model"))
    );
    let (status, removal) = http
        .send("DELETE", &format!("{unit}?force=true"), None)
        .await;
    assert_eq!(status, 202, "{removal}");
    let (status, problem) = http
        .send("DELETE", &format!("{MODEL}?force=true"), None)
        .await;
    assert_eq!(
        (status, &problem["code"]),
        (409, &json!("operation-blocked"))
    );
    let scale = format!("{MODEL}/applications/site/units");
    let (status, problem) = http.send("POST", &scale, Some(json!({ "count": 1 }))).await;
    assert_eq!(
        (status, &problem["code"]),
        (409, &json!("operation-blocked"))
    );
    // Agents go on.
    let (site, idle) = ("site/0".parse().unwrap(), Status::new(Agent::Idle, ""));
    let said = house.store.set_agent_status(&model, &site, idle).await;
    said.unwrap();
    house.close().await;
}

#[tokio::test]
async fn a_change_that_was_made_before_is_answered_again() {
    let house = House::open().await;
    house.add_model("first").await;
    let http = house.http().await;
    let add = async || {
        let request = http.request("POST", &format!("{MODEL}/machines"));
        let request = request.header("idempotency-key", "once");
        let response = request.json(&json!({ "count": 1 })).send().await.unwrap();
        response.status().as_u16()
    };
    assert_eq!(add().await, 201);
    assert_eq!(set(&http, BlockKind::All, "").await.0, 200);
    assert_eq!(add().await, 201, "it was made once, and is not asked again");
    house.close().await;
}

#[tokio::test]
async fn admins_disable_and_everybody_who_reads_sees_what() {
    let house = House::open().await;
    let (model, other) = (
        house.add_model("first").await,
        house.add_model("second").await,
    );
    house.people(&model, &other).await;
    let admin = house.http().await;
    let mut events = EventReader::open(&admin, &format!("{MODEL}/events"), None).await;
    events.snapshot().await;
    let mut http = house.stranger();
    for (standing, disables, sees) in [
        (Standing::WithoutAccess, 404, 404),
        (Standing::Reader, 403, 200),
        (Standing::Writer, 403, 200),
        (Standing::Admin, 200, 200),
    ] {
        http.authorization = Some(format!("Bearer {}", house.token_of(standing).await));
        let (status, _) = set(&http, BlockKind::All, "a pause").await;
        assert_eq!(status, disables, "{standing:?}");
        let (status, blocks) = http.get(&format!("{MODEL}/blocks")).await;
        assert_eq!(status, sees, "{standing:?}");
        if disables == 200 {
            let shown = json!([{ "kind": "all", "message": "a pause" }]);
            assert_eq!(blocks["items"], shown);
        }
    }
    let disabled = |entity: &Value| entity["blocks"]["all"] == "a pause";
    events.until("model", model.as_str(), disabled).await;
    let (_, models) = http.get("/v1/models").await;
    assert_eq!(models["items"][0]["blocks"], json!({ "all": "a pause" }));
    let (status, problem) = http
        .send(
            "PUT",
            &format!("{MODEL}/blocks/everything"),
            Some(json!({})),
        )
        .await;
    assert_eq!(
        (status, &problem["code"]),
        (400, &json!("block-kind-invalid"))
    );
    house.close().await;
}

#[tokio::test]
async fn what_people_note_is_told_and_listed() {
    let house = House::open().await;
    let model = house.add_model("first").await;
    house.deploy(&model, 1).await;
    let http = house.http().await;
    let mut events = EventReader::open(&http, &format!("{MODEL}/events"), None).await;
    events.snapshot().await;
    let annotations = format!("{MODEL}/annotations");
    let note = async |body: Value| http.send("PATCH", &annotations, Some(body)).await;
    let noted = json!({ "entity": "unit-site-0", "annotations": { "owner": "ann" } });
    let body = json!({ "entity": "site/0", "set": { "owner": "ann" } });
    assert_eq!(note(body).await, (200, noted.clone()));
    events.until("unit", "site/0", |_| true).await;
    let of_model = json!({ "entity": format!("model-{model}"), "annotations": { "a": "b" } });
    assert_eq!(
        note(json!({ "set": { "a": "b" } })).await,
        (200, of_model.clone())
    );
    let (_, all) = http.get(&annotations).await;
    assert_eq!(all, json!({ "items": [of_model, noted] }));
    let (_, one) = http.get(&format!("{annotations}?entity=site/0")).await;
    assert_eq!(one["items"][0]["annotations"], json!({ "owner": "ann" }));
    for (body, status, code) in [
        (
            json!({ "entity": "site/9", "set": { "a": "b" } }),
            404,
            "unit-not-found",
        ),
        (json!({ "set": { "a b": "c" } }), 400, "annotation-invalid"),
        (json!({ "sets": {} }), 400, "body-member-unknown"),
    ] {
        let (got, problem) = note(body).await;
        assert_eq!((got, &problem["code"]), (status, &json!(code)), "{problem}");
    }
    assert_eq!(set(&http, BlockKind::All, "").await.0, 200);
    let (status, _) = note(json!({ "set": { "a": "" } })).await;
    assert_eq!(status, 409, "a note is a change as well");
    house.close().await;
}
