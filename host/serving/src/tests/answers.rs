//! What a workload can do: answer, echo, stream, speak, and end.

use bytes::Bytes;
use http_body_util::{BodyExt, Empty};
use hyper::{Method, Request};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};

use super::guest::{ECHO, Guest};
use super::stage::{Setting, Stage, get, post};
use crate::Stream;

#[tokio::test]
async fn a_request_is_answered() {
    let stage = Setting::default().stage(Guest::default());
    let (status, body) = stage.ask(get("/about.html?x=1")).await;
    assert_eq!(
        (status.as_u16(), body.as_deref()),
        (200, Ok("/about.html?x=1"))
    );
    let ended = stage.heard.ended.lock().unwrap()[0].clone();
    assert_eq!((ended.status, ended.bytes, ended.failure), (200, 15, None));
    assert!(ended.memory_bytes >= 128 << 10, "{}", ended.memory_bytes);
}

#[tokio::test]
async fn a_body_is_echoed() {
    let guest = Guest {
        handle: ECHO,
        ..Guest::default()
    };
    let stage = Setting::default().stage(guest);
    let (status, body) = stage.ask(post("over and over")).await;
    assert_eq!(
        (status.as_u16(), body.as_deref()),
        (200, Ok("over and over"))
    );
    let (_, body) = stage.ask(get("/")).await;
    assert_eq!(body.as_deref(), Ok(""));
}

#[tokio::test]
async fn nothing_stays_for_the_next_request() {
    let guest = Guest {
        items: r#"(global $before (mut i32) (i32.const 48))"#,
        handle: "(global.set $before (i32.add (global.get $before) (i32.const 1)))
            (i32.store8 (i32.const 2048) (global.get $before)) (call $answer (local.get $out) (i32.const 200))
            (call $write (i32.const 2048) (i32.const 1)) (call $close)",
        ..Guest::default()
    };
    let stage = Setting::default().stage(guest);
    for _ in 0..3 {
        assert_eq!(stage.ask(get("/")).await.1.as_deref(), Ok("1"));
    }
}

const SPEAKER: Guest<'static> = Guest {
    items: r#"(data (i32.const 2048) "one\ntwo")"#,
    handle: "(call $say (i32.const 2048) (i32.const 7))
        (call $path (local.get $request)) (call $answer (local.get $out) (i32.const 200))
        (call $write (global.get $from) (global.get $many)) (call $close)",
    imports: "",
    world: "",
};

#[tokio::test]
async fn what_it_writes_is_heard_in_lines() {
    let stage = Setting::default().stage(SPEAKER);
    stage.ask(get("/")).await.1.unwrap();
    let lines = stage.heard.lines.lock().unwrap().clone();
    let line = |text: &str| (Stream::Output, text.to_owned());
    assert_eq!(lines, [line("one"), line("two")]);
}

#[tokio::test]
async fn what_it_writes_has_a_bound() {
    let stage = Setting::limits(|limits| limits.output_bytes = 5).stage(SPEAKER);
    assert_eq!(stage.ask(get("/fine")).await.1.as_deref(), Ok("/fine"));
    let lines = stage.heard.lines.lock().unwrap().clone();
    let lines: Vec<_> = lines.iter().map(|(_, line)| line.as_str()).collect();
    assert_eq!(lines[..2], ["one", "t"]);
    assert!(lines[2].contains("dropped"), "{lines:?}");
}

/// The client's end of a connection that is served.
fn connect(stage: &Stage) -> DuplexStream {
    let (client, server) = tokio::io::duplex(64 << 10);
    let service = stage.service.clone();
    tokio::spawn(async move { service.serve_connection(server).await });
    client
}

/// What comes back for these bytes until the connection is closed.
async fn exchange(stage: &Stage, sent: &str) -> String {
    let mut client = connect(stage);
    client.write_all(sent.as_bytes()).await.unwrap();
    let mut received = Vec::new();
    client.read_to_end(&mut received).await.unwrap();
    String::from_utf8(received).unwrap()
}

#[tokio::test]
async fn a_connection_is_served_request_by_request() {
    let stage = Setting::default().stage(Guest::default());
    let sent = "GET /one HTTP/1.1\r\nhost: a\r\n\r\nGET /two HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n";
    let received = exchange(&stage, sent).await;
    assert_eq!(received.matches("HTTP/1.1 200 OK").count(), 2, "{received}");
    assert!(
        received.contains("/one") && received.contains("/two"),
        "{received}"
    );
    let head = "HEAD /one HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n";
    let received = exchange(&stage, head).await;
    assert!(received.starts_with("HTTP/1.1 200 OK"), "{received}");
    assert!(received.ends_with("\r\n\r\n"), "{received}");
}

#[tokio::test]
async fn a_head_says_the_length_that_its_guest_said() {
    // No body is asked for, as a library does for HEAD; the length is the guest's word.
    let guest = Guest {
        items: r#"(data (i32.const 2048) "content-length42")"#,
        handle: "(call $header (i32.const 2048) (i32.const 14) (i32.const 2062) (i32.const 2))
            (local.set $i (call $response (global.get $fields_of)))
            (call $set (local.get $out) (i32.const 0) (local.get $i) (i32.const 0) (i64.const 0)
              (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0))",
        ..Guest::default()
    };
    let stage = Setting::default().stage(guest);
    let sent = "HEAD / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n";
    let received = exchange(&stage, sent).await;
    assert!(received.contains("content-length: 42"), "{received}");
    assert_eq!(stage.heard.codes(), ["ok"]);
}

#[tokio::test(start_paused = true)]
async fn a_connection_that_says_nothing_is_closed() {
    let stage = Setting::default().stage(Guest::default());
    for sent in ["", "GET / HTTP/1.1\r\nhost: a\r\nslow: "] {
        let begun = tokio::time::Instant::now();
        let received = exchange(&stage, sent).await;
        assert!(!received.contains("200"), "{received}");
        let waited = begun.elapsed();
        assert!(waited >= stage.service.limits().head_wait, "{waited:?}");
        assert!(waited < 2 * stage.service.limits().head_wait, "{waited:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_head_beyond_the_bounds_is_refused_on_the_wire() {
    let stage = Setting::limits(|limits| limits.header_count = 10).stage(Guest::default());
    let many: String = (0..20).map(|number| format!("x-{number}: 1\r\n")).collect();
    let large = format!("x: {}\r\n", "a".repeat(40 << 10));
    let twice = "content-length: 1\r\ncontent-length: 2\r\n".to_owned();
    for (headers, status) in [(many, "431"), (large, "431"), (twice, "400")] {
        let begun = tokio::time::Instant::now();
        let sent = format!("GET / HTTP/1.1\r\nhost: a\r\n{headers}\r\n");
        let received = exchange(&stage, &sent).await;
        let expected = format!("HTTP/1.1 {status}");
        assert!(received.starts_with(&expected), "{received}");
        assert_eq!(begun.elapsed().as_secs(), 0, "{status}");
    }
    stage.goes_on().await;
}

#[tokio::test]
async fn a_request_without_one_host_is_malformed() {
    let stage = Setting::default().stage(Guest::default());
    let none = Request::get("/").body(Empty::<Bytes>::new()).unwrap();
    let response = stage.service.answer(none).await;
    assert_eq!(response.status(), 400);
    let two = Request::builder().method(Method::GET).uri("/");
    let two = two.header("host", "a").header("host", "b");
    let response = stage
        .service
        .answer(two.body(Empty::<Bytes>::new()).unwrap())
        .await;
    assert_eq!(response.status(), 400);
    let text = response.into_body().collect().await.unwrap().to_bytes();
    assert!(String::from_utf8_lossy(&text).contains("more than one host"));
}
