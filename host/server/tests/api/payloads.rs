//! What charms say that they run by themselves, over the API; and who waits for what has no number.

use serde_json::json;

use crate::common::House;

#[tokio::test]
async fn payloads_are_listed_and_units_that_are_not_there_are_refused() {
    let house = House::open().await;
    let model = house.add_model("first").await;
    house.deploy(&model, 1).await;
    let http = house.http().await;
    let path = "/v1/models/first/payloads";
    let (status, found) = http.send("GET", path, None).await;
    assert_eq!((status, &found["items"]), (200, &json!([])));
    let one = format!("{path}?unit=nobody/7");
    let (status, refused) = http.send("GET", &one, None).await;
    assert_eq!((status, &refused["code"]), (404, &json!("unit-not-found")));
    house.close().await;
}

#[tokio::test]
async fn operations_and_tasks_are_waited_for_by_their_numbers() {
    let house = House::open().await;
    house.add_model("first").await;
    let http = house.http().await;
    for kind in ["operation", "task"] {
        let path = format!("/v1/models/first/wait?kind={kind}&name=rebuild");
        let (status, refused) = http.send("GET", &path, None).await;
        assert_eq!(status, 400, "{refused}");
        assert_eq!(refused["code"], "query-invalid", "{refused}");
    }
    house.close().await;
}
