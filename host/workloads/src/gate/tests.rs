use std::net::IpAddr;
use std::time::Duration;

use http_body_util::BodyExt;
use hyper::{HeaderMap, Request, Uri};
use periapt_model::ModelUuid;
use periapt_model::reach::{Endpoints, Network, Unit};
use periapt_model::workload::service::Current;

use super::fields::forwarded;
use super::front::{Connection, Fronts};
use super::names::{Named, Target, host, named, parts};
use super::pages::Page;
use super::table::{Table, Ways};
use crate::frames::{Door, Facing};

mod websocket;

fn headers(fields: &[(&'static str, &'static str)]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for (name, value) in fields {
        headers.append(*name, value.parse().unwrap());
    }
    headers
}

#[test]
fn a_request_names_one_host() {
    let of = |uri: &str, fields: &[(&'static str, &'static str)]| {
        host(&uri.parse::<Uri>().unwrap(), &headers(fields)).ok()
    };
    let docs = Some("docs.demo.localhost".to_owned());
    assert_eq!(of("/", &[("host", "docs.demo.localhost:8800")]), docs);
    assert_eq!(of("/", &[("host", "DOCS.demo.localhost.")]), docs);
    assert_eq!(of("http://docs.demo.localhost:1/x", &[]), docs);
    let absolute = "http://docs.demo.localhost/";
    assert_eq!(of(absolute, &[("host", "docs.demo.localhost")]), docs);
    assert_eq!(of(absolute, &[("host", "other.demo.localhost")]), None);
    assert_eq!(of("/", &[("host", "a"), ("host", "a")]), None);
    assert_eq!(of("/", &[("host", "a@docs.demo.localhost")]), None);
    assert_eq!(of("/", &[]), None);
}

#[test]
fn a_name_is_an_application_or_a_unit_of_a_model() {
    assert_eq!(parts("docs.demo.localhost"), Some(("docs", "demo")));
    for host in [
        "demo.localhost",
        "localhost",
        "docs.demo.local",
        ".demo.localhost",
        "x",
    ] {
        assert_eq!(parts(host), None, "{host}");
    }
    let docs = Named::Application("docs".parse().unwrap());
    assert_eq!(named("docs"), Some(docs));
    let unit = Named::Unit("my-docs/12".parse().unwrap());
    assert_eq!(named("my-docs-12"), Some(unit));
    for name in ["docs-", "-1", "a.b", "docs-01", "%"] {
        assert_eq!(named(name), None, "{name}");
    }
}

fn uuid() -> ModelUuid {
    "00000000-0000-4000-8000-000000000001".parse().unwrap()
}

fn from(text: &str) -> IpAddr {
    text.parse().unwrap()
}

fn table(exposed: &[&str]) -> Table {
    let mut network = Network::default();
    for name in ["docs/0", "docs/1"] {
        let mut unit = Unit::default();
        let range = "80/tcp".parse().unwrap();
        unit.openings.open(range, Endpoints::All).unwrap();
        network.units.insert(name.parse().unwrap(), unit);
    }
    if !exposed.is_empty() {
        let cidrs = exposed.iter().map(|cidr| cidr.parse().unwrap());
        let docs = "docs".parse().unwrap();
        network.exposures.expose(&docs, &Endpoints::All, cidrs);
    }
    let mut table = Table::default();
    let facing = Facing {
        name: "demo".parse().unwrap(),
        network,
        traces: false,
    };
    table.insert(uuid(), facing);
    table
}

fn door(table: &mut Table, unit: &str, current: Current) {
    let door = Door {
        port: 80,
        service: "site".to_owned(),
        current,
        ready: true,
    };
    table.set_doors(&uuid(), unit.parse().unwrap(), vec![door]);
}

fn open(ways: Ways) -> Vec<String> {
    match ways {
        Ways::Open(ways) => ways.iter().map(|way| way.unit.to_string()).collect(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_stranger_comes_where_something_is_shown_and_runs() {
    let mut shown = table(&["10.0.0.0/8"]);
    let docs = shown.find("docs.demo.localhost").unwrap();
    let (near, far) = (from("10.1.1.1"), from("192.168.0.1"));
    let down = Ways::Down("docs/0".parse().unwrap(), None);
    assert_eq!(shown.ways(&docs, near, 0), down);
    assert_eq!(shown.ways(&docs, far, 0), Ways::Nothing);
    door(&mut shown, "docs/0", Current::Active);
    door(&mut shown, "docs/1", Current::Backoff);
    assert_eq!(open(shown.ways(&docs, near, 0)), ["docs/0"]);
    assert_eq!(
        open(shown.ways(&docs, from("::ffff:10.1.1.1"), 0)),
        ["docs/0"]
    );
    assert_eq!(shown.ways(&docs, far, 0), Ways::Nothing);
    door(&mut shown, "docs/1", Current::Active);
    assert_eq!(open(shown.ways(&docs, near, 0)), ["docs/0", "docs/1"]);
    assert_eq!(open(shown.ways(&docs, near, 3)), ["docs/1", "docs/0"]);
    let unit = shown.find("docs-1.demo.localhost").unwrap();
    assert_eq!(open(shown.ways(&unit, near, 0)), ["docs/1"]);
    let port = |port| Target {
        port: Some(port),
        ..unit.clone()
    };
    assert_eq!(open(shown.ways(&port(80), near, 0)), ["docs/1"]);
    assert_eq!(shown.ways(&port(81), near, 0), Ways::Nothing);
    assert!(shown.find("docs.other.localhost").is_none());
    // Another model of the same name leads astray; neither is found.
    let twin = "00000000-0000-4000-8000-000000000002".parse().unwrap();
    let facing = Facing {
        name: "demo".parse().unwrap(),
        network: Network::default(),
        traces: false,
    };
    shown.insert(twin, facing);
    assert!(shown.find("docs.demo.localhost").is_none());
}

#[test]
fn who_is_not_ready_is_asked_where_nobody_is() {
    let mut shown = table(&["0.0.0.0/0"]);
    let docs = shown.find("docs.demo.localhost").unwrap();
    let near = from("10.1.1.1");
    let mut set = |unit: &str, ready| {
        let door = Door {
            port: 80,
            service: "site".to_owned(),
            current: Current::Active,
            ready,
        };
        shown.set_doors(&uuid(), unit.parse().unwrap(), vec![door]);
        (0..4)
            .map(|turn| open(shown.ways(&docs, near, turn)))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        set("docs/0", false),
        vec![vec!["docs/0"]; 4],
        "the only one"
    );
    assert_eq!(set("docs/1", true), vec![vec!["docs/1"]; 4]);
    let both = set("docs/1", false);
    assert_eq!(both[0], ["docs/0", "docs/1"]);
    assert_eq!(both[1], ["docs/1", "docs/0"]);
}

#[test]
fn what_a_stranger_says_of_itself_is_replaced() {
    let request = Request::get("/")
        .header("host", "docs.demo.localhost:8800")
        .header("x-forwarded-for", "1.2.3.4")
        .header("x-forwarded-port", "1")
        .header("forwarded", "for=1.2.3.4")
        .header("x-real-ip", "1.2.3.4")
        .header("periapt-unit", "secret/0")
        .header("connection", "close, x-secret, host")
        .header("x-secret", "1")
        .header("te", "trailers")
        .header("accept", "*/*");
    let (mut parts, ()) = request.body(()).unwrap().into_parts();
    let peer = "[::ffff:127.0.0.1]:1".parse().unwrap();
    forwarded(&mut parts, peer).unwrap();
    let mut said: Vec<String> = parts
        .headers
        .iter()
        .map(|(name, value)| format!("{name}: {}", value.to_str().unwrap()))
        .collect();
    said.sort();
    assert_eq!(
        said,
        [
            "accept: */*",
            "host: docs.demo.localhost:8800",
            "x-forwarded-for: 127.0.0.1",
            "x-forwarded-host: docs.demo.localhost:8800",
            "x-forwarded-proto: http",
        ]
    );
}

#[test]
fn more_fields_than_serving_takes_are_refused() {
    let outcome = |fields: usize| {
        let mut request = Request::get("http://docs.demo.localhost/");
        for number in 0..fields {
            request = request.header(format!("x-{number}"), "1");
        }
        let (mut parts, ()) = request.body(()).unwrap().into_parts();
        forwarded(&mut parts, "127.0.0.1:1".parse().unwrap())
    };
    assert!(outcome(80).is_ok());
    assert_eq!(outcome(90).unwrap_err().status, 431);
}

#[tokio::test]
async fn who_does_not_take_an_answer_is_cut() {
    let fronts = Fronts::new(10);
    let take = || fronts.take(from("10.0.0.1"), 1).unwrap();
    let (asked, taking, idle) = (take(), take(), take());
    let flights = [&asked, &taking].map(Connection::begin);
    let most = Duration::from_millis(20);
    tokio::time::sleep(2 * most).await;
    fronts.cut_unread(most).await;
    // The unit is what these wait for.
    assert!(!asked.cut.is_cancelled() && !taking.cut.is_cancelled());
    for flight in &flights {
        flight.waits.begin();
    }
    tokio::time::sleep(2 * most).await;
    flights[1].waits.end();
    fronts.cut_unread(most).await;
    assert!(asked.cut.is_cancelled() && !taking.cut.is_cancelled() && !idle.cut.is_cancelled());
}

#[tokio::test]
async fn of_too_many_connections_the_one_goes_that_had_nothing_to_do_for_the_longest_time() {
    let fronts = Fronts::new(3);
    let take = || fronts.take(from("10.0.0.1"), 1);
    let (one, two, three) = (take().unwrap(), take().unwrap(), take().unwrap());
    let busy = one.begin();
    let four = take().unwrap();
    assert!(two.cut.is_cancelled() && !one.cut.is_cancelled() && !three.cut.is_cancelled());
    drop(two);
    let _busy = [three.begin(), four.begin()];
    assert!(take().is_none(), "all have something to do");
    drop(busy);
    assert!(take().is_some());
    assert!(one.cut.is_cancelled());
}

#[tokio::test]
async fn what_is_not_shown_any_more_is_cut() {
    let (fronts, mut shown) = (Fronts::new(10), table(&["10.0.0.0/8"]));
    door(&mut shown, "docs/0", Current::Active);
    let docs = shown.find("docs.demo.localhost").unwrap();
    let near = fronts.take(from("10.1.1.1"), 1).unwrap();
    near.begin().aims(&docs);
    let other = fronts.take(from("10.1.1.1"), 1).unwrap();
    fronts.cut_what_may_not(&shown).await;
    assert!(!near.cut.is_cancelled());
    fronts.cut_what_may_not(&table(&["192.168.0.0/16"])).await;
    assert!(near.cut.is_cancelled() && !other.cut.is_cancelled());
    fronts.cut_listener(1).await;
    assert!(other.cut.is_cancelled());
}

#[tokio::test]
async fn a_page_escapes_what_it_names() {
    let page = Page::nothing("<script>.demo.localhost");
    assert!(page.text.contains("<script>"));
    let answer = page.answer();
    assert_eq!(answer.status(), 404);
    assert_eq!(answer.headers()["content-type"], "text/html; charset=utf-8");
    let body = answer.into_body().collect().await.unwrap().to_bytes();
    let text = String::from_utf8(body.to_vec()).unwrap();
    assert!(text.contains("&lt;script&gt;.demo.localhost"), "{text}");
    assert!(!text.contains("<script>"), "{text}");
}
