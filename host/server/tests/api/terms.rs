//! What holds of applications, machines and models beside their options, over HTTP.
use serde_json::{Value, json};

use crate::common::{House, Http, Standing};

const MODEL: &str = "/v1/models/first";
const SITE: &str = "/v1/models/first/applications/site";

async fn put(http: &Http, path: &str, body: Value) -> (u16, Value) {
    http.send("PUT", path, Some(body)).await
}

async fn refused(http: &Http, path: &str, body: Value) -> (u16, String) {
    let (status, problem) = put(http, path, body).await;
    let code = problem["code"].as_str().unwrap_or_default();
    (status, code.to_owned())
}

#[tokio::test]
async fn an_application_has_a_minimum_trust_and_constraints() {
    let house = House::open().await;
    let model = house.add_model("first").await;
    house.deploy(&model, 1).await;
    let http = house.http().await;
    let (_, plain) = http.get(SITE).await;
    for member in ["min-units", "trust", "constraints"] {
        assert_eq!(plain.get(member), None, "{member} is left out: {plain}");
    }
    let (status, shown) = put(
        &http,
        &format!("{SITE}/min-units"),
        json!({ "min-units": 2 }),
    )
    .await;
    assert_eq!((status, &shown["min-units"]), (200, &json!(2)), "{shown}");
    let (status, shown) = put(&http, &format!("{SITE}/trust"), json!({ "trust": true })).await;
    assert_eq!((status, &shown["trust"]), (200, &json!(true)), "{shown}");
    let constraints = format!("{SITE}/constraints");
    let wanted = json!({ "constraints": "mem=1G cores=2" });
    let (status, shown) = put(&http, &constraints, wanted).await;
    assert_eq!(
        (status, &shown["constraints"]),
        (200, &json!("cores=2 mem=1024M"))
    );
    let (_, shown) = http.get(SITE).await;
    assert_eq!(
        (&shown["min-units"], &shown["trust"], &shown["constraints"]),
        (&json!(2), &json!(true), &json!("cores=2 mem=1024M"))
    );
    let (_, config) = http.get(&format!("{SITE}/config")).await;
    assert_eq!(config["trust"], true, "{config}");

    let unknown = refused(&http, &constraints, json!({ "constraints": "men=1G" })).await;
    assert_eq!(unknown, (400, "constraint-unknown".to_owned()));
    let wrong = refused(&http, &constraints, json!({ "constraints": "mem=much" })).await;
    assert_eq!(wrong, (400, "constraint-invalid".to_owned()));
    let many = json!({ "min-units": 20_000 });
    assert_eq!(
        refused(&http, &format!("{SITE}/min-units"), many).await.0,
        400
    );
    let other = refused(&http, &format!("{SITE}/trust"), json!({ "trusted": true })).await;
    assert_eq!(other.0, 400, "{other:?}");
    house.close().await;
}

/// Trust is the credential of the model's owner.
#[tokio::test]
async fn who_writes_in_a_model_trusts_nothing_with_its_owners_credential() {
    let house = House::open().await;
    let (model, other) = (
        house.add_model("first").await,
        house.add_model("second").await,
    );
    house.deploy(&model, 0).await;
    house.people(&model, &other).await;
    let as_one = async |standing| {
        let mut http = house.stranger();
        http.authorization = Some(format!("Bearer {}", house.token_of(standing).await));
        http
    };
    let (writer, owner) = (
        as_one(Standing::Writer).await,
        as_one(Standing::Admin).await,
    );
    let trust = format!("{SITE}/trust");
    let deploy = async |http: &Http, name: &str, trust: bool| {
        let body =
            json!({ "application": name, "charm": "local:site-0", "units": 0, "trust": trust });
        let path = format!("{MODEL}/applications");
        let (status, shown) = http.send("POST", &path, Some(body)).await;
        (status, shown["trust"] == true)
    };
    for wanted in [true, false] {
        let body = json!({ "trust": wanted });
        let answer = refused(&writer, &trust, body.clone()).await;
        assert_eq!(answer, (403, "forbidden".to_owned()));
        assert_eq!(put(&owner, &trust, body).await.0, 200);
    }
    assert_eq!(deploy(&writer, "one", true).await, (403, false));
    assert_eq!(
        writer.get(&format!("{MODEL}/applications/one")).await.0,
        404
    );
    assert_eq!(deploy(&writer, "one", false).await, (201, false));
    assert_eq!(deploy(&owner, "two", true).await, (201, true));
    house.close().await;
}

#[tokio::test]
async fn machines_have_the_constraints_that_they_were_made_with() {
    let house = House::open().await;
    house.add_model("first").await;
    let http = house.http().await;
    let of_model = format!("{MODEL}/constraints");
    assert_eq!(http.get(&of_model).await.1, json!({ "constraints": "" }));
    let (status, shown) = put(&http, &of_model, json!({ "constraints": "zones=a mem=1G" })).await;
    assert_eq!(
        (status, shown),
        (200, json!({ "constraints": "mem=1024M zones=a" }))
    );
    let wanted = json!({ "count": 1, "constraints": "zones=b" });
    let (status, made) = http
        .send("POST", &format!("{MODEL}/machines"), Some(wanted))
        .await;
    assert_eq!(status, 201, "{made}");
    assert_eq!(made[0]["constraints"], "mem=1024M zones=b", "{made}");
    let (status, made) = http
        .send(
            "POST",
            &format!("{MODEL}/machines"),
            Some(json!({ "count": 1 })),
        )
        .await;
    assert_eq!(
        (status, &made[0]["constraints"]),
        (201, &json!("mem=1024M zones=a"))
    );
    house.close().await;
}

#[tokio::test]
async fn a_meter_status_is_told_and_taken_back() {
    let house = House::open().await;
    let model = house.add_model("first").await;
    house.deploy(&model, 1).await;
    let http = house.http().await;
    let unit = format!("{MODEL}/units/site/0");
    let red = json!({ "color": "red", "message": "pay up" });
    let (status, answer) = put(&http, &format!("{unit}/meter-status"), red).await;
    assert_eq!(status, 200, "{answer}");
    let (_, shown) = http.get(&unit).await;
    let told = json!({ "color": "red", "message": "pay up" });
    assert_eq!(shown["meter-status"], told, "{shown}");
    let grey = refused(
        &http,
        &format!("{SITE}/meter-status"),
        json!({ "color": "grey" }),
    )
    .await;
    assert_eq!(grey, (400, "meter-status-invalid".to_owned()));
    let green = json!({ "color": "GREEN" });
    assert_eq!(
        put(&http, &format!("{SITE}/meter-status"), green).await.0,
        200
    );
    let (_, shown) = http.get(&unit).await;
    assert_eq!(shown.get("meter-status"), None, "{shown}");
    house.close().await;
}

#[tokio::test]
async fn models_have_the_defaults_of_the_controller() {
    let house = House::open().await;
    house.add_model("first").await;
    let http = house.http().await;
    let defaults = "/v1/model-defaults";
    let change = json!({ "set": { "force-wait": "2m" } });
    let (status, shown) = http.send("PATCH", defaults, Some(change)).await;
    assert_eq!(status, 200, "{shown}");
    assert_eq!(shown["force-wait"]["controller"], "2m", "{shown}");
    let change = json!({ "region": "default", "set": { "force-wait": "3m" } });
    assert_eq!(http.send("PATCH", defaults, Some(change)).await.0, 200);
    let (_, config) = http.get(&format!("{MODEL}/config")).await;
    let option = &config["force-wait"];
    assert_eq!(
        (&option["value"], &option["default"], &option["source"]),
        (&json!("3m"), &json!("3m"), &json!("region"))
    );
    let (status, shown) = http.get("/v1/model-defaults?cloud=local").await;
    assert_eq!(status, 200, "{shown}");
    assert_eq!(shown["force-wait"]["regions"], json!({ "default": "3m" }));
    let (status, problem) = http.get("/v1/model-defaults?cloud=moon").await;
    assert_eq!((status, &problem["code"]), (400, &json!("cloud-not-found")));
    house.close().await;
}
