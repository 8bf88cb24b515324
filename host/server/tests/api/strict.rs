//! Requests that say more, or something else, than they may: refused by name, and nothing is done.
use crate::common::{House, PASSWORD, charm_archive};
use base64::Engine;
use periapt_server::access::Visitor;
use periapt_server::rest::routes;
use serde_json::{Value, json};

fn path(path: &str, model: &str) -> String {
    path.split('/')
        .map(|part| match part {
            "{model}" => model,
            "{user}" => "admin",
            "{name}" => "site",
            part if part.starts_with('{') => "0",
            part => part,
        })
        .collect::<Vec<_>>()
        .join("/")
}

#[tokio::test]
async fn every_route_refuses_a_parameter_that_it_does_not_have() {
    let house = House::open().await;
    let model = house.add_model("first").await;
    let http = house.http().await;
    for route in routes() {
        if route.visitor == Visitor::AgentOfModel || route.path == "/v1/session" {
            continue;
        }
        let path = format!("{}?zzyzx=1", path(route.path, model.as_str()));
        let (status, problem) = http.send(route.method, &path, Some(json!({}))).await;
        assert_eq!(status, 400, "{} {path}: {problem}", route.method);
        assert_eq!(
            problem["code"], "query-parameter-unknown",
            "{} {path}",
            route.method
        );
    }
    house.close().await;
}

#[tokio::test]
async fn a_slip_in_a_parameter_or_a_member_is_told_with_the_right_name() {
    let house = House::open().await;
    let model = house.add_model("first").await;
    house.deploy(&model, 1).await;
    let http = house.http().await;
    let (status, problem) = http.get(&format!("/v1/models/{model}/units?limt=2")).await;
    assert_eq!(status, 400, "{problem}");
    assert!(
        crate::common::text(&problem["detail"]).contains("did you mean \"limit\"?"),
        "{problem}"
    );

    let deploy = json!({ "application": "other", "charm": "local:site-0", "unitz": 3 });
    let applications = format!("/v1/models/{model}/applications");
    let (status, problem) = http.send("POST", &applications, Some(deploy)).await;
    assert_eq!(
        (status, &problem["code"]),
        (400, &json!("body-member-unknown")),
        "{problem}"
    );
    assert!(
        crate::common::text(&problem["detail"]).contains("did you mean \"units\"?"),
        "{problem}"
    );
    let (status, _) = http.get(&format!("{applications}/other")).await;
    assert_eq!(status, 404, "nothing was done");

    // What has names of its own takes them.
    let config = json!({ "set": { "port": 81 } });
    let (status, answer) = http
        .send(
            "PATCH",
            &format!("{applications}/site/config"),
            Some(config),
        )
        .await;
    assert_eq!(status, 200, "{answer}");
    house.close().await;
}

#[tokio::test]
async fn every_body_refuses_a_member_that_it_does_not_have() {
    let house = House::open().await;
    let model = house.add_model("first").await;
    let http = house.http().await;
    let (_, described) = http.get("/v1/openapi.json").await;
    let mut seen = 0;
    for route in routes() {
        let operation = &described["paths"][route.path][route.method.to_lowercase()];
        let body = &operation["requestBody"]["content"]["application/json"]["schema"];
        if body.is_null() || route.path == "/v1/controller/stop" {
            continue;
        }
        // As an example has it, and one member more.
        let name = body["$ref"].as_str().unwrap_or_default().rsplit('/').next();
        let example = &described["components"]["schemas"][name.unwrap_or_default()]["examples"][0];
        let mut request = match example {
            Value::Object(_) => example.clone(),
            _ => json!({}),
        };
        request["zzyzx"] = json!(1);
        let path = path(route.path, model.as_str());
        let (status, problem) = http.send(route.method, &path, Some(request)).await;
        // Some ask for what they need before anything else.
        assert!(
            matches!(status, 400 | 404 | 422),
            "{} {path}: {status} {problem}",
            route.method
        );
        seen += usize::from(problem["code"] == "body-member-unknown");
    }
    assert!(seen >= 12, "{seen}");
    house.close().await;
}

#[tokio::test]
async fn a_page_of_another_site_changes_nothing_whatever_credential_the_browser_keeps() {
    let house = House::open().await;
    let model = house.add_model("first").await;
    let basic = base64::prelude::BASE64_STANDARD.encode(format!("admin:{PASSWORD}"));
    let mut http = house.http().await;
    let bearer = http.authorization.clone().unwrap();
    let own = format!("https://{}", house.address);
    for credential in [format!("Basic {basic}"), bearer] {
        http.authorization = Some(credential);
        let status = async |headers: &[(&str, &str)]| {
            let mut request = http.request("POST", &format!("/v1/models/{model}/machines"));
            for (name, value) in headers {
                request = request.header(*name, *value);
            }
            let response = request.json(&json!({ "count": 1 })).send().await.unwrap();
            response.status().as_u16()
        };
        for forged in [
            &[("origin", "https://evil.example")][..],
            &[("origin", "null")],
            &[("sec-fetch-site", "cross-site")],
            &[("sec-fetch-site", "same-site")],
            &[("origin", own.as_str()), ("sec-fetch-site", "cross-site")],
        ] {
            assert_eq!(status(forged).await, 403, "{forged:?}");
        }
        for fine in [
            &[][..],
            &[("origin", own.as_str())],
            &[("sec-fetch-site", "same-origin"), ("origin", own.as_str())],
            &[("sec-fetch-site", "none")],
        ] {
            assert_eq!(status(fine).await, 201, "{fine:?}");
        }
    }
    house.close().await;
}

#[tokio::test]
async fn the_page_of_the_controller_is_at_no_name_of_a_workload() {
    let house = House::open().await;
    let http = house.http().await;
    let port = house.address.port();
    for path in ["/", "/models", "/v1/models", "/health"] {
        for (host, misdirected) in [
            (format!("docs.demo.localhost:{port}"), true),
            ("docs.demo.localhost.".to_owned(), true),
            (format!("localhost:{port}"), false),
        ] {
            let request = http.request("GET", path).header("host", &host);
            let status = request.send().await.unwrap().status().as_u16();
            assert_eq!(status == 421, misdirected, "{host}{path}: {status}");
        }
    }
    house.close().await;
}

#[tokio::test]
async fn a_browser_is_never_asked_for_a_password_that_it_would_keep() {
    let house = House::open().await;
    let asked = house.stranger().request("GET", "/v1/models").send().await;
    let asked = asked.unwrap();
    assert_eq!(asked.status().as_u16(), 401);
    assert_eq!(asked.headers()["www-authenticate"], "Bearer");
    house.close().await;
}

#[tokio::test]
async fn an_upload_says_that_it_is_an_archive() {
    let house = House::open().await;
    let model = house.add_model("first").await;
    let http = house.http().await;
    let upload = async |kind: Option<&str>| {
        let mut request = http.request("POST", &format!("/v1/models/{model}/charms"));
        if let Some(kind) = kind {
            request = request.header("content-type", kind);
        }
        let response = request.body(charm_archive("site")).send().await.unwrap();
        response.status().as_u16()
    };
    for kind in [
        None,
        Some("multipart/form-data; boundary=x"),
        Some("text/plain"),
        Some("application/x-www-form-urlencoded"),
    ] {
        assert_eq!(upload(kind).await, 415, "{kind:?}");
    }
    assert_eq!(upload(Some("application/zip")).await, 201);
    assert_eq!(upload(Some("application/octet-stream")).await, 201);
    house.close().await;
}

#[tokio::test]
async fn a_token_ends_some_day_and_lives_until_then() {
    let house = House::open().await;
    let http = house.http().await;
    for (seconds, fine) in [
        (0, false),
        (u64::MAX, false),
        (400 * 86400 + 1, false),
        (400 * 86400, true),
        (1, true),
    ] {
        let wanted = json!({ "name": format!("of-{seconds}"), "expires-in": seconds });
        let (status, answer) = http
            .send("POST", "/v1/users/admin/tokens", Some(wanted))
            .await;
        assert_eq!(status == 201, fine, "{seconds}: {answer}");
    }
    let slip = json!({ "name": "slip", "expires_in": 60 });
    let (status, problem) = http
        .send("POST", "/v1/users/admin/tokens", Some(slip))
        .await;
    assert_eq!(status, 400, "{problem}");
    assert!(
        crate::common::text(&problem["detail"]).contains("expires-in"),
        "{problem}"
    );
    house.close().await;
}

#[tokio::test]
async fn a_query_of_any_length_is_answered() {
    let house = House::open().await;
    let model = house.add_model("first").await;
    let http = house.http().await;
    for terms in [501, 5_000, 10_000] {
        // As it is: with each bar as "%7C" the longest would be longer than an address may be.
        let query = vec!["a"; terms].join("||");
        let path = format!("/v1/models/{model}/wait?kind=model&name=&query={query}");
        let response = http.request("GET", &path).send().await.unwrap();
        assert_eq!(response.status().as_u16(), 400, "{terms}");
    }
    house.close().await;
}
