//! What is shown of charms, and of what bounds their hooks.
use crate::common::{House, Standing, archive, charm_archive};
use serde_json::{Value, json};

#[track_caller]
fn fine(answer: (u16, Value)) -> Value {
    assert!((200..300).contains(&answer.0), "{} {}", answer.0, answer.1);
    answer.1
}

#[tokio::test]
async fn the_readme_of_a_charm_is_shown_as_text_and_in_no_list() {
    let house = House::open().await;
    let http = house.http().await;
    let model = house.add_model("first").await;
    let files = |readme: &[u8]| {
        archive(&[
            ("metadata.yaml", b"name: site\nsummary: a\ndescription: a\n"),
            ("charm.wasm", b"\0asm\x0d\0\x01\0"),
            ("README.md", readme),
        ])
    };
    let text = b"# Site\n\n<script>alert(1)</script>\x1b[31m red\n";
    let charm = fine(http.upload(&model, files(text)).await);
    let path = "/v1/models/first/charms/local:site-0/readme";
    let response = http.request("GET", path).send().await.unwrap();
    assert_eq!(response.status(), 200);
    let header = |name: &str| response.headers()[name].to_str().unwrap().to_owned();
    assert_eq!(header("content-type"), "application/json");
    assert_eq!(header("etag"), format!("{}", charm["sha256"]));
    assert_eq!(
        response.json::<Value>().await.unwrap(),
        json!({
            "file": "README.md",
            "text": "# Site\n\n<script>alert(1)</script> red\n",
            "truncated": false,
        })
    );
    for path in [
        "/v1/models/first/charms",
        "/v1/models/first/charms/local:site-0",
    ] {
        let shown = fine(http.get(path).await);
        assert!(!shown.to_string().contains("alert(1)"), "{shown}");
    }

    let long = "x".repeat((64 << 10) + 1);
    fine(http.upload(&model, files(long.as_bytes())).await);
    let cut = fine(
        http.get("/v1/models/first/charms/local:site-1/readme")
            .await,
    );
    assert_eq!(cut["text"].as_str().unwrap().len(), 64 << 10);
    assert_eq!(cut["truncated"], true);

    fine(http.upload(&model, charm_archive("bare")).await);
    assert_eq!(
        fine(
            http.get("/v1/models/first/charms/local:bare-0/readme")
                .await
        ),
        json!({ "file": "", "text": "", "truncated": false })
    );
    let missing = "/v1/models/first/charms/local:site-2/readme";
    let (status, body) = http.get(missing).await;
    assert_eq!((status, &body["code"]), (404, &json!("charm-not-found")));
    house.close().await;
}

#[tokio::test]
async fn the_controller_tells_the_limits_of_hooks_to_everybody_who_logs_in() {
    let house = House::open().await;
    let (model, other) = (
        house.add_model("first").await,
        house.add_model("second").await,
    );
    house.people(&model, &other).await;
    let mut http = house.stranger();
    let token = house.token_of(Standing::Reader).await;
    http.authorization = Some(format!("Bearer {token}"));
    let shown = fine(http.get("/v1/controller").await);
    assert_eq!(
        shown["hook-limits"],
        serde_json::to_value(house.state.limits()).unwrap()
    );
    assert_eq!(shown["hook-limits"]["wall-clock-ms"], 60_000);
    house.close().await;
}
