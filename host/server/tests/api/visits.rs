//! When people last used a model, over HTTP and over the websocket.

use crate::common::{House, PASSWORD};
use periapt_model::UserName;
use serde_json::{Value, json};

#[track_caller]
fn fine(answer: (u16, Value)) -> Value {
    assert!(matches!(answer.0, 200 | 201), "{}", answer.1);
    answer.1
}

#[tokio::test]
async fn the_last_use_of_a_model_is_known_and_neither_lists_nor_reads_are_written_down() {
    let house = House::open().await;
    house.add_model("first").await;
    house.add_model("second").await;
    let admin = house.http().await;
    let bob = json!({ "name": "bob", "password": PASSWORD });
    fine(admin.send("POST", "/v1/users", Some(bob)).await);
    for model in ["first", "second"] {
        let path = format!("/v1/models/{model}/access/bob");
        let read = json!({ "access": "read" });
        fine(admin.send("PUT", &path, Some(read)).await);
    }
    let name: UserName = "bob".parse().unwrap();
    let mut bob = house.stranger();
    let login = json!({ "user": "bob", "password": PASSWORD });
    let reply = fine(bob.send("POST", "/v1/login", Some(login)).await);
    bob.authorization = Some(format!("Bearer {}", reply["token"].as_str().unwrap()));

    fine(bob.get("/v1/models").await);
    let own = fine(bob.get("/v1/whoami").await);
    assert_eq!(own["models"][0]["access"], "read", "{own}");
    assert!(own["models"][0].get("last-connection").is_none(), "{own}");

    fine(bob.get("/v1/models/first/status").await);
    house.visited(&name, "first").await;
    let before = house.store.measures();
    for _ in 0..3 {
        fine(bob.get("/v1/models/first/status").await);
    }
    house.store.ping().await.unwrap();
    let jobs = house.store.measures().jobs - before.jobs;
    assert_eq!(jobs, 1, "the question itself, and none of the reads");

    let own = fine(bob.get("/v1/whoami").await);
    let time = own["models"][0]["last-connection"].as_str().unwrap();
    assert!(own["models"][1].get("last-connection").is_none(), "{own}");
    let all = fine(admin.get("/v1/models/first/access").await);
    let rows = all["items"].as_array().unwrap();
    let of_bob = rows.iter().find(|row| row["user"] == "bob").unwrap();
    assert_eq!(of_bob["last-connection"], time, "{all}");
    let about = fine(admin.get("/v1/users/bob").await);
    assert_eq!(about["models"][0]["last-connection"], time, "{about}");
    house.close().await;
}

#[tokio::test]
async fn a_login_to_a_model_over_the_websocket_is_a_use_of_it() {
    let house = House::open().await;
    let model = house.add_model("first").await;
    let mut socket = house.socket(&format!("/model/{model}/api")).await;
    socket.log_in("user-admin", PASSWORD).await.unwrap();
    house.visited(&crate::common::admin(), "first").await;
    house.close().await;
}
