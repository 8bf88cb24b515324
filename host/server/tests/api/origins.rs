//! Where tokens and sessions are used from, as their user is shown it.
use crate::common::{House, PASSWORD};
use serde_json::{Value, json};

#[tokio::test]
async fn logins_and_tokens_say_from_where_and_with_what_they_are_used() {
    const FIREFOX: &str = "Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0";
    let house = House::open().await;
    let http = house.stranger();
    let path = "/v1/users/admin/tokens";
    let login = json!({ "user": "admin", "password": PASSWORD });
    let browser = http
        .request("POST", "/v1/session")
        .header("user-agent", FIREFOX)
        .json(&login);
    let opened = browser.send().await.unwrap();
    assert_eq!(opened.status().as_u16(), 201);
    let cookie = opened.headers()["set-cookie"].to_str().unwrap();
    let cookie = cookie.split(';').next().unwrap().to_owned();
    let listed = async || {
        let request = http.request("GET", path).header("cookie", &cookie);
        let response = request.header("user-agent", FIREFOX).send().await.unwrap();
        let list: Value = response.json().await.unwrap();
        list["items"].as_array().unwrap().clone()
    };
    let row = async |name: &str| {
        let rows = listed().await;
        rows.into_iter().find(|row| row["name"] == name).unwrap()
    };
    let own = row("browser").await;
    assert_eq!(own["current"], true);
    assert_eq!(own["address"], "127.0.0.1");
    assert_eq!(own["program"], "Firefox 133 on Linux");

    let program = http
        .request("POST", "/v1/login")
        .header("user-agent", "deploy-script/2")
        .json(&login);
    let reply: Value = program.send().await.unwrap().json().await.unwrap();
    let own = row("cli").await;
    assert_eq!(own["current"], false);
    assert_eq!(own["address"], "127.0.0.1");
    assert_eq!(own["program"], "deploy-script/2");

    // One that is made for use elsewhere says nothing until it is used there.
    let mut script = house.stranger();
    script.authorization = Some(format!("Bearer {}", reply["token"].as_str().unwrap()));
    let wanted = json!({ "name": "ci" });
    let (status, made) = script.send("POST", path, Some(wanted)).await;
    assert_eq!(status, 201, "{made}");
    let unused = row("ci").await;
    assert!(unused.get("address").is_none() && unused.get("program").is_none());
    script.authorization = Some(format!("Bearer {}", made["token"].as_str().unwrap()));
    let request = script.request("GET", "/v1/whoami");
    let used = request
        .header("user-agent", "runner/5")
        .send()
        .await
        .unwrap();
    assert_eq!(used.status().as_u16(), 200);
    // A use is written down beside its request.
    let used = loop {
        let row = row("ci").await;
        if row["last-used"].is_string() {
            break row;
        }
        tokio::time::sleep(std::time::Duration::from_millis(1)).await;
    };
    assert_eq!(used["address"], "127.0.0.1");
    assert_eq!(used["program"], "runner/5");
    house.close().await;
}
