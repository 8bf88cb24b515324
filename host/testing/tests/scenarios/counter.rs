//! The charm counter: what its hooks write is what its page shows, on virtual time.

use std::time::Duration;

use periapt_testing::{Bytes, Method, Request, Response, Scenario};

use crate::common::{Done, charm};

fn text(answer: &Response<Bytes>) -> String {
    String::from_utf8_lossy(answer.body()).into_owned()
}

/// The greeting of the page, and the count.
fn shown(page: &Response<Bytes>) -> (String, i64) {
    let page = text(page);
    let between = |from: &str, to: &str| {
        let rest = page.split_once(from).unwrap().1;
        rest.split_once(to).unwrap().0.to_owned()
    };
    let count = between("<strong>", "</strong>").parse().unwrap();
    (between("<h1>", "</h1>"), count)
}

#[tokio::test(flavor = "multi_thread")]
async fn counter_shows_what_its_hooks_counted() -> Done {
    let scenario = Scenario::start().await?;
    scenario
        .deploy_with(charm("counter"), "counter", 1, &[("start", "100")])
        .await?;
    scenario.until_active("counter").await?;
    scenario.expose("counter").await?;
    let page = scenario.get("counter", "/").await?;
    assert_eq!(page.status(), 200);
    let (greeting, count) = shown(&page);
    assert_eq!(greeting, "Hello");
    assert!(count > 100, "{count}");

    // An update-status counts as any hook does.
    scenario.pass(Duration::from_secs(400)).await?;
    let more = scenario.get("counter/0", "/count").await?;
    assert_eq!(more.headers()["content-type"], "application/json");
    let more: serde_json::Value = serde_json::from_slice(more.body()).unwrap();
    assert!(more["count"].as_i64().unwrap() > count, "{more}");
    assert_eq!(more["unit"], "counter/0");

    let head = Request::head("/count").body(Bytes::new()).unwrap();
    let head = scenario.request("counter", head).await?;
    assert_eq!((head.status().as_u16(), head.body().len()), (200, 0));
    let post = Request::builder().method(Method::POST).uri("/");
    let post = scenario.request("counter", post.body("x").unwrap()).await?;
    assert_eq!(post.status(), 405);
    scenario.stop().await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_sees_the_files_of_one_hook_and_of_no_other() -> Done {
    let scenario = Scenario::start().await?;
    scenario.deploy(charm("counter"), "counter", 1).await?;
    scenario.until_active("counter").await?;
    scenario.expose("counter").await?;
    for round in 1..=5_i64 {
        let start = (round * 1000).to_string();
        let greeting = format!("Round {round}");
        let settings = [("start", start.as_str()), ("greeting", &greeting)];
        scenario.configure("counter", &settings).await?;
        let page = scenario
            .until_answers("the next round", "counter", "/", |page| {
                let (greeting, count) = shown(page);
                let whose = count / 1000;
                assert!(
                    (whose == 0 && greeting == "Hello") || greeting == format!("Round {whose}"),
                    "{greeting} with {count}"
                );
                whose == round
            })
            .await?;
        assert_eq!(shown(&page).0, greeting);
    }
    // What is wrong is said in the status, and the page stays.
    scenario.configure("counter", &[("greeting", " ")]).await?;
    scenario.until_says("counter/0", "blocked").await?;
    assert_eq!(shown(&scenario.get("counter", "/").await?).0, "Round 5");
    scenario.stop().await
}

#[tokio::test(flavor = "multi_thread")]
async fn what_production_does_not_show_is_refused_and_says_what_to_do() -> Done {
    let scenario = Scenario::start().await?;
    scenario.deploy(charm("counter"), "counter", 1).await?;
    scenario.until_active("counter").await?;
    let refused = async |to: &str| {
        let error = scenario.get(to, "/").await.unwrap_err();
        assert_eq!(error.code(), "scenario-not-reached");
        error.to_string()
    };
    let said = refused("counter").await;
    assert!(said.contains("counter is not exposed"), "{said}");
    let said = refused("conter/0").await;
    assert!(said.contains("did you mean \"counter/0\""), "{said}");
    scenario.expose("counter").await?;
    assert_eq!(scenario.get("counter:80", "/").await?.status(), 200);
    let said = refused("counter:81").await;
    assert!(said.contains("no such port"), "{said}");
    scenario.unexpose("counter").await?;
    let said = refused("counter").await;
    assert!(said.contains("not exposed"), "{said}");

    scenario.deploy(charm("noop"), "mute", 1).await?;
    scenario.expose("mute").await?;
    let said = refused("mute").await;
    assert!(said.contains("no such port"), "{said}");
    scenario.stop().await
}
