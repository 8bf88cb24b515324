//! The charm gateway: from outside to the gateway, and from its units to those of two other applications.

use periapt_testing::{Bytes, Method, Request, Response, Scenario, ScenarioError};

use crate::common::{Done, charm};

async fn gateway_of_two() -> Result<Scenario, ScenarioError> {
    let scenario = Scenario::start().await?;
    for (name, title) in [("docs", "All about tea"), ("blog", "All about toast")] {
        scenario
            .deploy_with(charm("site"), name, 2, &[("title", title)])
            .await?;
    }
    scenario.deploy(charm("gateway"), "gateway", 1).await?;
    scenario.until_says("gateway/0", "waiting").await?;
    for name in ["docs", "blog"] {
        scenario.integrate("gateway", name).await?;
    }
    scenario.expose("gateway").await?;
    scenario.until_says("gateway/0", "active: 2 sites").await?;
    for path in ["/docs/", "/blog/"] {
        scenario
            .until_answers("a site", "gateway", path, |answer| answer.status() == 200)
            .await?;
    }
    Ok(scenario)
}

fn has(answer: &Response<Bytes>, text: &str) -> bool {
    String::from_utf8_lossy(answer.body()).contains(text)
}

/// The units of an application in the table that the hook committed.
async fn units(scenario: &Scenario, application: &str) -> Result<Vec<String>, ScenarioError> {
    let state = scenario.state_directory("gateway/0").await?;
    let table = std::fs::read(state.join("gateway/routes.json")).unwrap_or_default();
    let table: serde_json::Value = serde_json::from_slice(&table).unwrap_or_default();
    let sites = table["sites"].as_array().cloned().unwrap_or_default();
    let site = sites.iter().find(|site| site["application"] == application);
    let units = site.and_then(|site| site["units"].as_array().cloned());
    let units = units.unwrap_or_default();
    Ok(units
        .iter()
        .filter_map(|unit| unit.as_str().map(str::to_owned))
        .collect())
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_come_through_the_gateway_to_sites_that_nobody_else_reaches() -> Done {
    let scenario = gateway_of_two().await?;
    for _ in 0..10 {
        for (path, title) in [
            ("/docs/", "All about tea"),
            ("/blog/about.html?a=1", "All about toast"),
        ] {
            let answer = scenario.get("gateway", path).await?;
            assert_eq!(answer.status(), 200, "{path}: {answer:?}");
            assert!(has(&answer, title), "{path}: {answer:?}");
        }
    }
    let said = scenario.get("docs", "/").await.unwrap_err().to_string();
    assert!(said.contains("docs is not exposed"), "{said}");

    let by_host = Request::get("http://blog.example.com/about.html");
    let by_host = by_host.body(Bytes::new()).unwrap();
    let by_host = scenario.request("gateway", by_host).await?;
    assert!(has(&by_host, "All about toast"), "{by_host:?}");
    let head = Request::head("/docs/").body(Bytes::new()).unwrap();
    let head = scenario.request("gateway", head).await?;
    assert_eq!(head.status(), 200);
    assert!(head.body().is_empty() && head.headers().contains_key("etag"));
    let moved = scenario.get("gateway", "/docs?a=1").await?;
    assert_eq!(moved.status(), 308);
    assert_eq!(moved.headers()["location"], "/docs/?a=1");
    let post = Request::builder().method(Method::POST).uri("/docs/");
    let post = post.body("a form").unwrap();
    let post = scenario.request("gateway", post).await?;
    // The site takes no forms, which is its own answer.
    assert_eq!(post.status(), 405);
    assert_eq!(post.headers()["allow"], "GET, HEAD");
    assert_eq!(scenario.get("gateway", "/other/").await?.status(), 404);
    scenario.stop().await
}

#[tokio::test(flavor = "multi_thread")]
async fn units_and_relations_that_go_take_their_requests_with_them() -> Done {
    let scenario = gateway_of_two().await?;
    scenario
        .until_true("both units of docs to be known", async || {
            Ok(units(&scenario, "docs").await?.len() == 2)
        })
        .await?;
    scenario.remove_unit("docs/0", false).await?;
    scenario
        .until("docs/0 to be gone", |status| {
            let units = status.applications["docs"].units.iter().flatten();
            units.into_iter().all(|(name, _)| name != "docs/0")
        })
        .await?;
    scenario
        .until_true("the gateway to know of it", async || {
            Ok(units(&scenario, "docs").await? == ["docs-1.internal:80"])
        })
        .await?;
    for _ in 0..10 {
        let answer = scenario.get("gateway", "/docs/").await?;
        assert_eq!(answer.status(), 200);
    }
    let relations = scenario.unit("gateway/0").await?.relations;
    let blog = relations
        .iter()
        .find(|relation| relation.related_application.as_str() == "blog");
    let blog = blog.unwrap().relation_id;
    scenario.remove_relation(blog, false).await?;
    scenario.until_says("gateway/0", "active: 1 site").await?;
    scenario
        .until_answers("blog to be gone", "gateway", "/blog/", |answer| {
            answer.status() == 404
        })
        .await?;
    assert_eq!(scenario.get("gateway", "/docs/").await?.status(), 200);
    scenario.stop().await
}

#[tokio::test(flavor = "multi_thread")]
async fn routes_are_the_operators_and_wrong_ones_say_what_to_change() -> Done {
    let scenario = gateway_of_two().await?;
    let routes = [("routes", "/=blog /manual=docs www.example.com=docs")];
    scenario.configure("gateway", &routes).await?;
    let page = scenario
        .until_answers("the manual", "gateway", "/manual/", |answer| {
            has(answer, "All about tea")
        })
        .await?;
    assert_eq!(page.status(), 200);
    let front = scenario.get("gateway", "/").await?;
    assert!(has(&front, "All about toast"), "{front:?}");
    let by_host = Request::get("/").header("host", "www.example.com:8800");
    let by_host = scenario
        .request("gateway", by_host.body(Bytes::new()).unwrap())
        .await?;
    assert!(has(&by_host, "All about tea"), "{by_host:?}");

    scenario.configure("gateway", &[("routes", "docs")]).await?;
    scenario.until_says("gateway/0", "blocked").await?;
    let manual = scenario.get("gateway", "/manual/").await?;
    assert_eq!(manual.status(), 200, "what was before goes on");
    scenario
        .configure("gateway", &[("routes", "/a=other")])
        .await?;
    let advice =
        "blocked: routes names other, which is not related: periapt integrate gateway other";
    scenario.until_says("gateway/0", advice).await?;
    scenario.stop().await
}
