//! Users, tokens, sessions and access over HTTP.
use crate::common::{House, Http, LineReader, PASSWORD, Standing};
use base64::Engine;
use serde_json::{Value, json};

const COOKIE: &str = "__Host-periapt-session";

#[track_caller]
fn fine(answer: (u16, Value)) -> Value {
    assert!((200..300).contains(&answer.0), "{} {}", answer.0, answer.1);
    answer.1
}

#[track_caller]
fn refused(answer: (u16, Value), status: u16, code: &str) -> Value {
    let (got, body) = answer;
    assert_eq!((got, body["code"].as_str()), (status, Some(code)), "{body}");
    assert!(!body["detail"].as_str().unwrap().is_empty(), "{body}");
    assert!(!body["advice"].as_str().unwrap().is_empty(), "{body}");
    body
}

async fn log_in(house: &House, user: &str, password: &str) -> Http {
    let mut http = house.stranger();
    let login = json!({ "user": user, "password": password });
    let reply = fine(http.send("POST", "/v1/login", Some(login)).await);
    http.authorization = Some(format!("Bearer {}", reply["token"].as_str().unwrap()));
    http
}

#[tokio::test]
async fn somebody_invited_registers_sees_what_is_shared_and_is_shut_out() {
    let house = House::open().await;
    let model = house.add_model("first").await;
    house.add_model("second").await;
    let admin = house.http().await;
    refused(
        admin
            .send("POST", "/v1/users", Some(json!({ "name": "b" })))
            .await,
        400,
        "user-name-invalid",
    );
    let bob = json!({ "name": "bob", "display-name": "Bob" });
    let added = fine(admin.send("POST", "/v1/users", Some(bob.clone())).await);
    refused(
        admin.send("POST", "/v1/users", Some(bob)).await,
        409,
        "user-already-exists",
    );
    let text = added["registration"].as_str().unwrap();
    let text = base64::prelude::BASE64_STANDARD.decode(text).unwrap();
    let registration: Value = serde_json::from_slice(&text).unwrap();
    assert_eq!(
        (&registration["user"], &registration["controller"]),
        (&json!("bob"), &json!("home"))
    );
    assert!(
        registration["ca-cert"]
            .as_str()
            .unwrap()
            .contains("BEGIN CERTIFICATE")
    );
    assert_eq!(registration["addresses"][0], house.address.to_string());

    let mut http = house.stranger();
    let mut register =
        json!({ "user": "bob", "token": registration["token"], "password": "short" });
    refused(
        http.send("POST", "/v1/register", Some(register.clone()))
            .await,
        400,
        "password-refused",
    );
    register["password"] = json!("a password of bob");
    let reply = fine(
        http.send("POST", "/v1/register", Some(register.clone()))
            .await,
    );
    refused(
        http.send("POST", "/v1/register", Some(register)).await,
        401,
        "registration-invalid",
    );
    http.authorization = Some(format!("Bearer {}", reply["token"].as_str().unwrap()));
    let who = fine(http.get("/v1/whoami").await);
    assert_eq!(
        (
            &who["user"],
            &who["display-name"],
            &who["access"],
            &who["models"]
        ),
        (&json!("bob"), &json!("Bob"), &json!("login"), &json!([]))
    );
    assert_eq!(fine(http.get("/v1/models").await), json!({ "items": [] }));
    assert_eq!(fine(http.get("/v1/controller").await)["models"], 0);
    // To the letter what is said of a model that does not exist.
    let hidden = refused(http.get("/v1/models/first").await, 404, "model-not-found");
    let nowhere = refused(http.get("/v1/models/nowhere").await, 404, "model-not-found");
    assert_eq!(
        hidden.to_string().replace("first", "nowhere"),
        nowhere.to_string()
    );

    let access = "/v1/models/first/access/bob";
    fine(
        admin
            .send("PUT", access, Some(json!({ "access": "read" })))
            .await,
    );
    assert_eq!(
        fine(http.get("/v1/models").await)["items"][0]["name"],
        "first"
    );
    fine(http.get("/v1/models/first/status").await);
    let change = json!({ "application": "site", "charm": "local:site-0" });
    let deploy = "/v1/models/first/applications";
    refused(
        http.send("POST", deploy, Some(change.clone())).await,
        403,
        "forbidden",
    );
    fine(
        admin
            .send("PUT", access, Some(json!({ "access": "write" })))
            .await,
    );
    refused(
        http.send("POST", deploy, Some(change)).await,
        404,
        "charm-not-found",
    );
    refused(http.get("/v1/models/first/access").await, 403, "forbidden");
    let taken = fine(
        admin
            .send("DELETE", access, Some(json!({ "access": "write" })))
            .await,
    );
    assert_eq!(taken["access"], "read");

    // What goes on for long ends with the access, and so does a websocket.
    let request = http.request("GET", "/v1/models/first/logs?follow=true");
    let mut lines = LineReader::new(request.send().await.unwrap());
    let path = format!("/model/{model}/api");
    let mut socket = house.socket(&path).await;
    let login = socket
        .log_in("user-bob", "a password of bob")
        .await
        .unwrap();
    assert_eq!(login["user-info"]["model-access"], "read");
    assert_eq!(login["user-info"]["controller-access"], "login");
    socket.call("Pinger", "Ping", json!({})).await.unwrap();
    assert_eq!(
        fine(admin.send("DELETE", access, None).await)["access"],
        json!(null)
    );
    assert_eq!(lines.next().await, None);
    let (code, _) = socket.call("Pinger", "Ping", json!({})).await.unwrap_err();
    assert_eq!(code, "unauthorized access");
    let mut socket = house.socket(&path).await;
    let (code, message) = socket
        .log_in("user-bob", "a password of bob")
        .await
        .unwrap_err();
    assert_eq!(code, "model not found", "{message}");

    let users = fine(admin.get("/v1/users").await);
    assert_eq!(users["items"].as_array().unwrap().len(), 2);
    let closed = json!({ "disabled": true });
    fine(admin.send("PATCH", "/v1/users/bob", Some(closed)).await);
    refused(http.get("/v1/whoami").await, 401, "token-invalid");
    // Only who knows the password learns that the account is disabled.
    for (password, status, code) in [
        ("a password of bob", 403, "account-disabled"),
        ("a guess", 401, "credentials-invalid"),
    ] {
        let login = json!({ "user": "bob", "password": password });
        let answer = http.send("POST", "/v1/login", Some(login)).await;
        refused(answer, status, code);
    }
    refused(
        admin
            .send(
                "PATCH",
                "/v1/users/admin",
                Some(json!({ "disabled": true })),
            )
            .await,
        409,
        "last-superuser",
    );
    fine(admin.send("DELETE", "/v1/users/bob", None).await);
    refused(admin.get("/v1/users/bob").await, 404, "user-not-found");
    house.close().await;
}

#[tokio::test]
async fn a_browser_signs_in_with_a_cookie_that_alone_changes_nothing() {
    let house = House::open().await;
    let http = house.stranger();
    let own = http.base.clone();
    let login = json!({ "user": "admin", "password": PASSWORD });
    let signing = |origin: &str| {
        http.request("POST", "/v1/session")
            .header("origin", origin.to_owned())
            .json(&login)
    };
    for origin in [
        "https://evil.example",
        "null",
        &own.replace("https", "http"),
    ] {
        let response = signing(origin).send().await.unwrap();
        assert_eq!(response.status().as_u16(), 403, "{origin}");
    }
    let response = signing(&own).send().await.unwrap();
    assert_eq!(response.status().as_u16(), 201);
    let cookie = response.headers()["set-cookie"]
        .to_str()
        .unwrap()
        .to_owned();
    for guard in ["HttpOnly", "Secure", "SameSite=Strict", "Path=/"] {
        assert!(cookie.split("; ").any(|part| part == guard), "{cookie}");
    }
    assert!(!cookie.contains("Domain"));
    let cookie = cookie.split(';').next().unwrap().to_owned();
    let secret = cookie.strip_prefix(&format!("{COOKIE}=")).unwrap();
    let session: Value = response.json().await.unwrap();
    let csrf = session["csrf"].as_str().unwrap();
    assert!(!secret.is_empty() && secret != csrf);

    let send = async |method: &str, path: &str, headers: &[(&str, &str)]| {
        let mut request = http.request(method, path).header("cookie", &cookie);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        if method == "POST" {
            request = request.json(&json!({ "name": "made" }));
        }
        let response = request.send().await.unwrap();
        let status = response.status().as_u16();
        (status, response.json::<Value>().await.unwrap_or_default())
    };
    assert_eq!(fine(send("GET", "/v1/session", &[]).await), session);
    assert_eq!(fine(send("GET", "/v1/whoami", &[]).await)["user"], "admin");
    let models = "/v1/models";
    refused(send("POST", models, &[]).await, 403, "csrf-missing");
    let wrong = [("x-periapt-csrf", "wrong")];
    refused(send("POST", models, &wrong).await, 403, "csrf-wrong");
    let foreign = [("x-periapt-csrf", csrf), ("origin", "https://evil.example")];
    refused(send("POST", models, &foreign).await, 403, "origin-refused");
    let right = [("x-periapt-csrf", csrf), ("origin", own.as_str())];
    fine(send("POST", models, &right).await);
    // The cookie's secret is no bearer token, and a bearer token no cookie.
    let mut bearer = house.stranger();
    bearer.authorization = Some(format!("Bearer {secret}"));
    refused(bearer.get("/v1/whoami").await, 401, "token-invalid");
    let token = house.token_of(Standing::Superuser).await;
    let swapped = http
        .request("GET", "/v1/whoami")
        .header("cookie", format!("{COOKIE}={token}"));
    assert_eq!(swapped.send().await.unwrap().status().as_u16(), 401);
    // A second session in the same browser ends the first.
    let again = signing(&own)
        .header("cookie", &cookie)
        .send()
        .await
        .unwrap();
    assert_eq!(again.status().as_u16(), 201);
    refused(send("GET", "/v1/session", &[]).await, 401, "token-invalid");
    let cookie = again.headers()["set-cookie"].to_str().unwrap().to_owned();
    let cookie = cookie.split(';').next().unwrap();
    let session: Value = again.json().await.unwrap();
    let end = http
        .request("DELETE", "/v1/session")
        .header("cookie", cookie)
        .header("x-periapt-csrf", session["csrf"].as_str().unwrap());
    let ended = end.send().await.unwrap();
    assert_eq!(ended.status().as_u16(), 200);
    let gone = ended.headers()["set-cookie"].to_str().unwrap();
    assert!(gone.contains("Max-Age=0"), "{gone}");
    let after = http.request("GET", "/v1/session").header("cookie", cookie);
    assert_eq!(after.send().await.unwrap().status().as_u16(), 401);
    house.close().await;
}

#[tokio::test]
async fn tokens_are_made_named_listed_and_ended() {
    let house = House::open().await;
    let (model, other) = (
        house.add_model("first").await,
        house.add_model("second").await,
    );
    house.people(&model, &other).await;
    let mut http = house.http().await;
    let path = "/v1/users/admin/tokens";
    let wanted = json!({ "name": "ci", "expires-in": 60 });
    let made = fine(http.send("POST", path, Some(wanted.clone())).await);
    refused(
        http.send("POST", path, Some(wanted)).await,
        409,
        "token-already-exists",
    );
    refused(
        http.send("POST", path, Some(json!({ "name": "" }))).await,
        400,
        "token-name-invalid",
    );
    let listed = fine(http.get(path).await);
    let names: Vec<_> = listed["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| &row["name"])
        .collect();
    assert!(
        names.contains(&&json!("ci")) && names.contains(&&json!("cli")),
        "{listed}"
    );
    assert!(!listed.to_string().contains(made["token"].as_str().unwrap()));
    // The one that asks is marked, so that nobody ends it by mistake.
    let current = listed["items"].as_array().unwrap().iter();
    let current: Vec<&Value> = current.filter(|row| row["current"] == true).collect();
    assert_eq!(current.len(), 1, "{listed}");
    assert_eq!(current[0]["kind"], "login");
    // Nobody makes a token in another's name, however much they may do.
    let mut script = house.stranger();
    script.authorization = Some(format!("Bearer {}", made["token"].as_str().unwrap()));
    let others = "/v1/users/reader/tokens";
    refused(
        script
            .send("POST", others, Some(json!({ "name": "x" })))
            .await,
        403,
        "forbidden",
    );
    fine(script.get(others).await);
    let id = made["info"]["id"].as_str().unwrap();
    fine(http.send("DELETE", &format!("{path}/{id}"), None).await);
    refused(script.get("/v1/whoami").await, 401, "token-invalid");
    refused(
        http.send("DELETE", &format!("{path}/{id}"), None).await,
        404,
        "token-not-found",
    );
    // Logging out ends the token that it is asked with.
    fine(http.send("DELETE", "/v1/session", None).await);
    refused(http.get("/v1/whoami").await, 401, "token-invalid");
    http.authorization = None;
    refused(http.get("/v1/whoami").await, 401, "credentials-missing");
    house.close().await;
}

#[tokio::test]
async fn a_password_is_changed_by_who_knows_it_or_by_a_superuser() {
    let house = House::open().await;
    let admin = house.http().await;
    let bob = json!({ "name": "bob", "password": "a password of bob" });
    let added = fine(admin.send("POST", "/v1/users", Some(bob)).await);
    assert_eq!(added["registration"], json!(null));
    let http = log_in(&house, "bob", "a password of bob").await;
    let path = "/v1/users/bob/password";
    let change =
        |current: Value, password: &str| Some(json!({ "current": current, "password": password }));
    for current in [json!(null), json!("a wrong password")] {
        refused(
            http.send("PUT", path, change(current, "another one")).await,
            400,
            "password-wrong",
        );
    }
    let current = json!("a password of bob");
    refused(
        http.send("PUT", path, change(current.clone(), "bob")).await,
        400,
        "password-refused",
    );
    fine(http.send("PUT", path, change(current, "another one")).await);
    refused(http.get("/v1/whoami").await, 401, "token-invalid");
    let http = log_in(&house, "bob", "another one").await;
    refused(
        http.send(
            "PUT",
            "/v1/users/admin/password",
            change(json!(null), "taken over"),
        )
        .await,
        403,
        "forbidden",
    );
    fine(
        admin
            .send("PUT", path, change(json!(null), "set by the admin"))
            .await,
    );
    refused(http.get("/v1/whoami").await, 401, "token-invalid");
    log_in(&house, "bob", "set by the admin").await;
    let reset = fine(admin.send("POST", "/v1/users/bob/registration", None).await);
    assert!(reset["registration"].is_string());
    let login = json!({ "user": "bob", "password": "set by the admin" });
    refused(
        http.send("POST", "/v1/login", Some(login)).await,
        401,
        "credentials-invalid",
    );
    house.close().await;
}

#[tokio::test]
async fn a_guesser_is_told_how_long_to_wait_and_tokens_go_on() {
    let house = House::open().await;
    let known = house.http().await;
    let http = house.stranger();
    let guess = json!({ "user": "somebody", "password": "a guess" });
    for _ in 0..5 {
        refused(
            http.send("POST", "/v1/login", Some(guess.clone())).await,
            401,
            "credentials-invalid",
        );
    }
    let request = http.request("POST", "/v1/login").json(&guess);
    let response = request.send().await.unwrap();
    assert_eq!(response.status().as_u16(), 429);
    let wait: u64 = response.headers()["retry-after"]
        .to_str()
        .unwrap()
        .parse()
        .unwrap();
    assert!((1..=60).contains(&wait), "{wait}");
    let body: Value = response.json().await.unwrap();
    assert_eq!(
        (&body["code"], &body["retry-after"]),
        (&json!("logins-throttled"), &json!(wait))
    );
    fine(known.get("/v1/whoami").await);
    // Wrong tokens make nobody wait.
    let mut forged = house.stranger();
    forged.authorization = Some("Bearer forged".to_owned());
    for _ in 0..30 {
        refused(forged.get("/v1/whoami").await, 401, "token-invalid");
    }
    house.close().await;
}

#[tokio::test]
async fn a_login_says_when_it_ends_and_ends_when_it_is_told() {
    let house = House::open().await;
    let stranger = house.stranger();
    let login = |seconds: Value| {
        let mut body = json!({ "user": "admin", "password": PASSWORD, "name": "script" });
        if !seconds.is_null() {
            body["expires-in"] = seconds;
        }
        stranger.send("POST", "/v1/login", Some(body))
    };
    let now = house.state.clock().now().as_microsecond();
    for (asked, lasts) in [(json!(60), 60), (Value::Null, 24 * 3600)] {
        let reply = fine(login(asked).await);
        let ends = periapt_model::time::parse(reply["expires-at"].as_str().unwrap()).unwrap();
        let left = (ends - now) / 1_000_000;
        assert!(
            (lasts - 5..=lasts + 60).contains(&left),
            "{left} s of {lasts}"
        );
    }
    for (seconds, code) in [
        (json!(0), "token-lifetime-invalid"),
        (json!(401 * 86_400), "token-lifetime-invalid"),
        (json!("1h"), "body-invalid"),
    ] {
        refused(login(seconds).await, 400, code);
    }
    let reply = fine(login(json!(60)).await);
    let mut http = house.stranger();
    http.authorization = Some(format!("Bearer {}", reply["token"].as_str().unwrap()));
    // From another login, by the id that it was told.
    let path = format!("/v1/users/admin/tokens/{}", reply["id"].as_str().unwrap());
    fine(house.http().await.send("DELETE", &path, None).await);
    refused(http.get("/v1/whoami").await, 401, "token-invalid");
    house.close().await;
}
