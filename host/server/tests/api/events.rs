//! The stream of events, waiting and live logs over real TLS.
use crate::common::{EventReader, House, Http, text};
use periapt_model::status::{Agent, Status, Workload};
use periapt_model::{AgentName, ModelUuid};
use periapt_server::feed::Limits;
use periapt_store::Store;
use periapt_wire::agent::log_sink::LogRecord;
use serde_json::{Value, json};

async fn say(store: &Store, model: &ModelUuid, unit: &str, message: &str) {
    let status = Status::new(Workload::Active, message);
    store
        .set_unit_status(model, &unit.parse().unwrap(), status)
        .await
        .unwrap();
}

#[tokio::test]
async fn a_stream_is_a_snapshot_and_then_each_change() {
    let house = House::open().await;
    let (model, other) = (
        house.add_model("first").await,
        house.add_model("second").await,
    );
    house.deploy(&model, 2).await;
    let http = house.http().await;
    let mut events = EventReader::open(&http, "/v1/models/first/events", None).await;
    let snapshot = events.snapshot().await;
    let keys: Vec<String> = snapshot
        .keys()
        .map(|(kind, key)| format!("{kind} {key}"))
        .collect();
    let expected = [
        "application site".to_owned(),
        "charm local:site-0".to_owned(),
        "machine 0".to_owned(),
        "machine 1".to_owned(),
        format!("model {model}"),
        "unit site/0".to_owned(),
        "unit site/1".to_owned(),
        "unit site/2".to_owned(),
    ];
    assert_eq!(keys, expected);
    for (path, kind, key) in [
        ("/v1/models/first/units/site/0", "unit", "site/0"),
        ("/v1/models/first/applications/site", "application", "site"),
        ("/v1/models/first", "model", model.as_str()),
    ] {
        let entity = &snapshot[&(kind.to_owned(), key.to_owned())]["entity"];
        assert_eq!(http.get(path).await.1, *entity, "as GET answers");
    }

    let mut all = EventReader::open(&http, "/v1/events", None).await;
    let everything = all.snapshot().await;
    assert!(everything.contains_key(&("model".to_owned(), other.to_string())));
    assert!(everything.contains_key(&("user".to_owned(), "admin".to_owned())));

    say(&house.store, &model, "site/0", "one").await;
    say(&house.store, &model, "site/0", "two").await;
    let two = |entity: &Value| entity["workload"]["message"] == "two";
    let change = events.until("unit", "site/0", two).await;
    assert_eq!(change["model"], model.as_str());
    assert_eq!(
        all.until("unit", "site/0", two).await,
        change,
        "the same event for all"
    );

    house
        .store
        .remove_unit(&model, &"site/2".parse().unwrap(), false)
        .await
        .unwrap();
    let removed = events.until("unit", "site/2", Value::is_null).await;
    assert!(removed["sequence"].as_i64() > change["sequence"].as_i64());

    // A model without units goes at once; its own stream ends with it.
    let mut of_other = EventReader::open(&http, "/v1/models/second/events", None).await;
    of_other.snapshot().await;
    house
        .store
        .destroy_model(&other, true, Some(0))
        .await
        .unwrap();
    house.store.process_dying_model(&other).await.unwrap();
    house.store.remove_model(&other).await.unwrap();
    of_other
        .until("model", other.as_str(), Value::is_null)
        .await;
    let (name, data) = of_other.next().await.unwrap();
    assert_eq!(
        (name.as_str(), data["code"].as_str()),
        ("dropped", Some("model-gone"))
    );
    assert_eq!(of_other.next().await, None);
    all.until("model", other.as_str(), Value::is_null).await;

    house.close().await;
    let mut last = None;
    while let Some(event) = events.next().await {
        last = Some(event);
    }
    assert_eq!(last.unwrap().1["code"], "stopped");
}

/// What identifies an event.
fn identity(data: &Value) -> (i64, String, String) {
    (
        data["sequence"].as_i64().unwrap(),
        text(&data["kind"]),
        text(&data["key"]),
    )
}

/// Reads changes up to the one that says `end`, over connections that break off after so many.
async fn collect(
    http: &Http,
    start: String,
    breaks: &[usize],
    end: &str,
) -> Vec<(i64, String, String)> {
    let mut heard = Vec::new();
    let mut last = start;
    for connection in 0.. {
        let mut events = EventReader::open(http, "/v1/models/first/events", Some(&last)).await;
        let limit = breaks
            .get(connection % breaks.len().max(1))
            .copied()
            .unwrap_or(usize::MAX);
        for _ in 0..limit {
            let (name, data) = match events.next().await {
                Some(event) if event.0 != "dropped" => event,
                _ => break,
            };
            assert_eq!(name, "change");
            heard.push(identity(&data));
            if data["kind"] == "unit" && data["entity"]["workload"]["message"] == end {
                return heard;
            }
        }
        last = events.last_id.clone().unwrap();
    }
    unreachable!()
}

#[tokio::test]
async fn whoever_comes_back_misses_nothing_and_hears_nothing_twice() {
    let house = House::open().await;
    let model = house.add_model("first").await;
    house.deploy(&model, 4).await;
    let http = house.http().await;
    let mut first = EventReader::open(&http, "/v1/models/first/events", None).await;
    first.snapshot().await;
    let start = first.last_id.clone().unwrap();
    let writer = {
        let (store, model) = (house.store.clone(), model.clone());
        tokio::spawn(async move {
            for number in 0..400 {
                let unit = format!("site/{}", number % 4);
                say(&store, &model, &unit, &number.to_string()).await;
                if number % 7 == 0 {
                    let status = Status::new(Agent::Executing, number.to_string());
                    let unit = unit.parse().unwrap();
                    store.set_agent_status(&model, &unit, status).await.unwrap();
                }
            }
            say(&store, &model, "site/3", "the end").await;
        })
    };
    let (steady, one, few) = tokio::join!(
        collect(&http, start.clone(), &[], "the end"),
        collect(&http, start.clone(), &[1], "the end"),
        collect(&http, start.clone(), &[3, 1, 7, 2], "the end"),
    );
    writer.await.unwrap();
    assert!(steady.is_sorted() && steady.len() > 20);
    // The last change's own event is where each of them stopped; the rest is the same for all.
    assert_eq!(steady, one);
    assert_eq!(steady, few);
    // At the same place there is nothing to send: the first thing that comes is the next change.
    let mut again = EventReader::open(&http, "/v1/models/first/events", Some(&start)).await;
    for expected in &steady {
        assert_eq!(identity(&again.next().await.unwrap().1), *expected);
    }
    house.close().await;
}

#[tokio::test]
async fn an_api_server_that_starts_again_is_gone_on_with() {
    let mut house = House::open().await;
    let model = house.add_model("first").await;
    house.deploy(&model, 1).await;
    let http = house.http().await;
    let mut events = EventReader::open(&http, "/v1/models/first/events", None).await;
    events.snapshot().await;
    house.stop_api().await;
    assert_eq!(events.next().await.unwrap().1["code"], "stopped");
    let place = events.last_id.clone().unwrap();
    say(&house.store, &model, "site/0", "meanwhile").await;
    house.start_api();
    let mut events = EventReader::open(&http, "/v1/models/first/events", Some(&place)).await;
    let change = events.next().await.unwrap();
    assert_eq!(change.0, "change", "no snapshot: {}", change.1);
    for strange in ["not-an-id", "999999999", "0"] {
        let mut events = EventReader::open(&http, "/v1/models/first/events", Some(strange)).await;
        let first = events.next().await.unwrap();
        if strange == "0" {
            // Nothing was pruned: everything since the beginning is there.
            assert_eq!(first.0, "change");
        } else {
            assert_eq!(first.0, "reset", "{strange}");
            assert!(events.snapshot().await.len() > 3);
        }
    }
    house.close().await;
}

#[tokio::test]
async fn a_slow_reader_is_told_and_begins_anew() {
    let house = House::open_bounded(Limits {
        events: 20,
        ..Limits::default()
    })
    .await;
    let model = house.add_model("first").await;
    house.deploy(&model, 1).await;
    let http = house.http().await;
    let mut slow = EventReader::open(&http, "/v1/models/first/events", None).await;
    slow.snapshot().await;
    let mut quick = EventReader::open(&http, "/v1/models/first/events", None).await;
    quick.snapshot().await;
    let unit = "site/0".parse().unwrap();
    // More than the sockets hold. Messages are cut to a few KiB; what comes with them is not.
    let bulk = json!("x".repeat(60_000));
    for number in 0..400 {
        let mut status = Status::new(Workload::Active, number.to_string());
        status.data.insert("bulk".to_owned(), bulk.clone());
        house
            .store
            .set_unit_status(&model, &unit, status)
            .await
            .unwrap();
        quick.next().await.unwrap();
        while let Ok(Some(_)) = tokio::time::timeout(std::time::Duration::ZERO, quick.next()).await
        {
        }
    }
    let dropped = loop {
        let (name, data) = slow.next().await.expect("a reason before the end");
        if name == "dropped" {
            break data;
        }
    };
    assert_eq!(dropped["code"], "too-slow");
    assert_eq!(slow.next().await, None);
    let place = slow.last_id.clone();
    let mut again = EventReader::open(&http, "/v1/models/first/events", place.as_deref()).await;
    assert_eq!(again.next().await.unwrap().0, "reset");
    // The model, a charm, its application, a machine and two units.
    assert_eq!(again.snapshot().await.len(), 6);
    house.close().await;
}

#[tokio::test]
async fn one_call_waits_until_something_holds() {
    let house = House::open().await;
    let model = house.add_model("first").await;
    house.deploy(&model, 1).await;
    let http = house.http().await;
    let wait = |query: &str| format!("/v1/models/first/wait?{query}");
    let now = http
        .get(&wait("kind=application&name=site&query=scale==2"))
        .await;
    assert_eq!((now.0, &now.1["entity"]["name"]), (200, &json!("site")));
    let message = wait(r#"kind=unit&name=site/0&query=workload-message=="come"&timeout=20"#);
    let (later, ()) = tokio::join!(http.get(&message), async {
        for text in ["not yet", "nor now", "come"] {
            tokio::time::sleep(std::time::Duration::from_millis(30)).await;
            say(&house.store, &model, "site/0", text).await;
        }
    });
    assert_eq!(
        (later.0, &later.1["entity"]["workload-message"]),
        (200, &json!("come"))
    );
    let waited = later.1["waited"].as_u64().unwrap();
    assert!((60..15_000).contains(&waited), "{waited}");
    let gone = wait(r#"kind=unit&name=site/1&query=life=="dead"&timeout=20"#);
    let (gone, ()) = tokio::join!(http.get(&gone), async {
        let unit = "site/1".parse().unwrap();
        house.store.remove_unit(&model, &unit, false).await.unwrap();
    });
    assert_eq!(
        gone,
        (200, json!({ "entity": null, "waited": gone.1["waited"] }))
    );
    let vain = http
        .get(&wait("kind=model&query=status==\"odd\"&timeout=1"))
        .await;
    assert_eq!(
        (vain.0, vain.1["code"].as_str()),
        (408, Some("wait-timed-out"))
    );
    assert!(
        text(&vain.1["detail"]).contains("status: available"),
        "{}",
        vain.1
    );
    for bad in ["kind=unit&query=((", "kind=moon&query=life"] {
        let answer = http.get(&wait(bad)).await;
        assert_eq!(answer.0, 400, "{bad}: {}", answer.1);
    }
    house.close().await;
}

#[tokio::test]
async fn lines_of_log_are_events_too() {
    let house = House::open().await;
    let model = house.add_model("first").await;
    let write = |messages: &'static [&'static str]| {
        let records = messages
            .iter()
            .map(|message| LogRecord {
                time: 1,
                entity: "unit-site-0".parse().unwrap(),
                level: "INFO".to_owned(),
                module: "test".to_owned(),
                message: (*message).to_owned(),
            })
            .collect();
        house.store.write_logs(&model, records)
    };
    write(&["one", "two", "three"]).await.unwrap();
    let http = house.http().await;
    let path = "/v1/models/first/logs?follow=true&tail=2&level=INFO";
    let mut logs = EventReader::open(&http, path, None).await;
    let (name, line) = logs.next().await.unwrap();
    assert_eq!((name.as_str(), &line["message"]), ("log", &json!("two")));
    let place = logs.last_id.clone();
    drop(logs);
    write(&["four"]).await.unwrap();
    let mut logs = EventReader::open(&http, path, place.as_deref()).await;
    assert_eq!(logs.next().await.unwrap().1["message"], "three");
    assert_eq!(logs.next().await.unwrap().1["message"], "four");
    write(&["five"]).await.unwrap();
    assert_eq!(logs.next().await.unwrap().1["message"], "five");
    let mut past =
        EventReader::open(&http, "/v1/models/first/logs?replay=true&limit=2", None).await;
    let mut seen = Vec::new();
    while let Some((name, data)) = past.next().await {
        seen.push((name, data["message"].clone(), data["code"].clone()));
    }
    let log = |text: &str| ("log".to_owned(), json!(text), Value::Null);
    assert_eq!(
        seen,
        [
            log("one"),
            log("two"),
            ("dropped".to_owned(), Value::Null, json!("complete"))
        ]
    );
    house.close().await;
}

#[tokio::test]
async fn a_shared_status_shows_every_write_that_was_answered() {
    let house = House::open().await;
    let model = house.add_model("first").await;
    house.deploy(&model, 1).await;
    let guard = house.presence.enter(&model, &AgentName::Host);
    let http = house.http().await;
    let busy = {
        let (store, model) = (house.store.clone(), model.clone());
        tokio::spawn(async move {
            for number in 0..200 {
                let status = Status::new(Agent::Executing, number.to_string());
                let unit = "site/1".parse().unwrap();
                store.set_agent_status(&model, &unit, status).await.unwrap();
            }
        })
    };
    for number in 0..60 {
        let message = format!("write {number}");
        say(&house.store, &model, "site/0", &message).await;
        let (code, status) = http.get("/v1/models/first/status").await;
        assert_eq!(code, 200);
        let unit = &status["applications"]["site"]["units"]["site/0"];
        assert_eq!(unit["workload-status"]["info"], message);
    }
    busy.await.unwrap();
    drop(guard);
    let (code, part) = http.get("/v1/models/first/status?pattern=nothing").await;
    assert_eq!((code, &part["applications"]), (200, &json!({})));
    house.close().await;
}

#[tokio::test]
async fn a_stream_tells_only_of_what_is_asked_for() {
    let house = House::open().await;
    let model = house.add_model("first").await;
    house.deploy(&model, 2).await;
    let http = house.http().await;
    let keys = async |query: &str| -> Vec<String> {
        let path = format!("/v1/models/first/events?{query}");
        let mut events = EventReader::open(&http, &path, None).await;
        let snapshot = events.snapshot().await;
        let keys = snapshot.keys();
        keys.map(|(kind, key)| format!("{kind} {key}")).collect()
    };
    assert_eq!(keys("kinds=machine").await, ["machine 0", "machine 1"]);
    assert_eq!(
        keys("application=site").await,
        [
            "application site",
            "unit site/0",
            "unit site/1",
            "unit site/2"
        ]
    );
    assert_eq!(keys("kinds=application&application=other").await, [""; 0]);

    let path = "/v1/models/first/events?kinds=unit,application";
    let mut events = EventReader::open(&http, path, None).await;
    events.snapshot().await;
    let added = http.send(
        "POST",
        "/v1/models/first/machines",
        Some(json!({ "count": 1 })),
    );
    assert_eq!(added.await.0, 201);
    let status = Status::new(Workload::Active, "here");
    let unit = "site/0".parse().unwrap();
    let set = house.store.set_unit_status(&model, &unit, status).await;
    set.unwrap();
    let (name, event) = events.next().await.unwrap();
    assert_eq!((name.as_str(), &event["kind"]), ("change", &json!("unit")));

    let (status, problem) = http.get("/v1/events?kinds=units").await;
    assert_eq!((status, &problem["code"]), (400, &json!("query-invalid")));
    let why = problem["detail"].as_str().unwrap();
    assert!(why.contains("did you mean \"unit\""), "{why}");
    house.close().await;
}
