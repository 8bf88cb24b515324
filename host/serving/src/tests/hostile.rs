//! Workloads that mean no good. Each costs its own client the answer, and the next request is answered.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body, Frame};
use http_body_util::{BodyExt, Full};
use hyper::Request;

use super::guest::{ECHO, Guest, PATH};
use super::stage::{Setting, Stage, get, post, settings, whole};
use crate::{Failure, ServingEngine};

/// As told for the path `/fine`, and otherwise this.
fn unless_fine(bad: &str) -> String {
    format!(
        "(call $path (local.get $request))
         (if (i32.eq (i32.load8_u offset=1 (global.get $from)) (i32.const 102))
           (then (call $answer (local.get $out) (i32.const 200))
             (call $write (global.get $from) (global.get $many)) (call $close) (return)))
         {bad}"
    )
}

fn stage(setting: Setting, bad: &str) -> Stage {
    setting.stage(Guest {
        handle: &unless_fine(bad),
        ..Guest::default()
    })
}

/// How long one that loops may; processor time, which no clock of a test can shorten.
fn short() -> Setting {
    Setting::limits(|limits| limits.deadline = Duration::from_millis(100))
}

#[tokio::test]
async fn a_trap_ends_one_request() {
    let stage = stage(Setting::default(), "unreachable");
    assert_eq!(stage.refused(get("/")).await, 500);
    stage.goes_on().await;
    assert_eq!(stage.heard.codes(), ["trap", "ok"]);
}

#[tokio::test]
async fn a_loop_ends_at_the_deadline_and_lets_others_on() {
    let stage = stage(short(), "(loop $on (br $on))");
    // On one thread: the loop yields, or the second would not be answered before its end.
    let looping = stage.refused(get("/"));
    let (looped, ()) = tokio::join!(looping, stage.goes_on());
    assert_eq!(looped, 504);
    assert_eq!(stage.heard.codes(), ["ok", "deadline"]);
    let computed = stage.heard.computed.lock().unwrap().clone();
    // The machine may be busy, and the other one has its share.
    let looped = computed.iter().max().unwrap();
    assert!(*looped > Duration::from_millis(20), "{computed:?}");
    assert_eq!(computed.len(), 2);
    stage.goes_on().await;
}

#[tokio::test]
async fn who_computes_for_long_goes_on_in_threads_that_give_way() {
    let background = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .thread_name("gives-way")
        .build()
        .unwrap();
    let engine = ServingEngine::with_background(settings(), background.handle().clone()).unwrap();
    let guest = unless_fine("(loop $on (br $on))");
    let stage = short().stage_on(
        &engine,
        Guest {
            handle: &guest,
            ..Guest::default()
        },
    );
    assert_eq!(stage.refused(get("/")).await, 504);
    // A visitor who leaves ends it there as well, or the service would have no room at last.
    let leaving = tokio::time::timeout(Duration::from_millis(30), stage.ask(get("/")));
    assert!(leaving.await.is_err());
    stage.goes_on().await;
    let all_ended = || stage.heard.threads.lock().unwrap().len() == 3;
    while !all_ended() {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let mut threads = stage.heard.threads.lock().unwrap().clone();
    threads.sort();
    assert_eq!(threads[..2], ["gives-way", "gives-way"]);
    assert!(threads[2].contains("who_computes_for_long"), "{threads:?}");
    background.shutdown_background();
}

#[tokio::test(start_paused = true)]
async fn who_waits_in_the_host_is_ended_at_the_deadline() {
    let stage = stage(
        Setting::default(),
        "(call $block (call $timer (i64.const 3600000000000)))",
    );
    let begun = tokio::time::Instant::now();
    assert_eq!(stage.refused(get("/")).await, 504);
    assert_eq!(begun.elapsed().as_secs(), 10);
    let computed = stage.heard.computed.lock().unwrap().clone();
    assert!(
        computed.iter().all(|cpu| cpu.as_secs() < 5),
        "to wait is not to compute: {computed:?}"
    );
    assert_eq!(computed.len(), 1);
    stage.goes_on().await;
}

/// A byte now and then, and no end.
struct Dripping(tokio::time::Interval);

impl Body for Dripping {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let dripped = self.0.poll_tick(context);
        dripped.map(|_| Some(Ok(Frame::data(Bytes::from_static(b"x")))))
    }
}

#[tokio::test(start_paused = true)]
async fn a_body_that_does_not_come_to_its_end_is_cut_off_at_the_deadline() {
    let guest = Guest {
        handle: ECHO,
        ..Guest::default()
    };
    let stage = Setting::default().stage(guest);
    let begun = tokio::time::Instant::now();
    let body = Dripping(tokio::time::interval(Duration::from_millis(100)));
    let (status, echoed) = whole(stage.service.answer(post("").map(|_| body)).await).await;
    assert_eq!(status, 200);
    assert!(echoed.is_err(), "{echoed:?}");
    assert_eq!(begun.elapsed().as_secs(), 10);
    assert_eq!(stage.heard.codes(), ["deadline"]);
    assert_eq!(stage.ask(post("next")).await.1.as_deref(), Ok("next"));
}

#[tokio::test]
async fn no_answer_is_an_answer_of_500() {
    let stage = stage(Setting::default(), "");
    assert_eq!(stage.refused(get("/")).await, 500);
    stage.goes_on().await;
    assert_eq!(stage.heard.codes(), ["no-answer", "ok"]);
}

#[tokio::test]
async fn a_stream_without_end_is_cut_off_at_its_bound() {
    let setting = Setting::limits(|limits| limits.response_body_bytes = 100_000);
    let stage = stage(
        setting,
        "(call $answer (local.get $out) (i32.const 200))
         (loop $on (call $write (i32.const 0) (i32.const 4096)) (br $on))",
    );
    let (status, body) = stage.ask(get("/")).await;
    assert_eq!(status, 200);
    assert_eq!(body.unwrap_err().0, Failure::AnswerBody { limit: 100_000 });
    stage.goes_on().await;
    assert_eq!(stage.heard.codes(), ["answer-body-size", "ok"]);
}

#[tokio::test]
async fn an_answer_whose_handler_fails_is_never_taken_for_whole() {
    for (bad, code) in [("unreachable", "trap"), ("", "answer-incomplete")] {
        let begun = "(call $answer (local.get $out) (i32.const 200)) (call $write (i32.const 0) (i32.const 9))";
        let drops = "(call $drop_writer (global.get $out_stream))";
        let stage = stage(Setting::default(), &format!("{begun} {drops} {bad}"));
        let (status, body) = stage.ask(get("/")).await;
        assert_eq!(status, 200);
        assert!(body.is_err(), "{body:?}");
        stage.goes_on().await;
        assert_eq!(stage.heard.codes(), [code, "ok"]);
    }
}

#[tokio::test]
async fn a_status_that_is_no_answer_is_not_sent() {
    let stage = stage(
        Setting::default(),
        "(call $answer (local.get $out) (i32.const 101)) (call $close)",
    );
    assert_eq!(stage.refused(get("/")).await, 500);
    stage.goes_on().await;
    assert_eq!(stage.heard.codes(), ["refused", "ok"]);
}

#[tokio::test]
async fn who_leaves_ends_its_guest() {
    let stage = stage(
        Setting::limits(|limits| limits.concurrency = 1),
        "(call $answer (local.get $out) (i32.const 200))
         (loop $on (call $write (i32.const 0) (i32.const 4096)) (br $on))",
    );
    let mut response = stage.service.answer(get("/")).await;
    assert!(response.body_mut().frame().await.unwrap().is_ok());
    drop(response);
    // There is room for one: it is free again.
    stage.goes_on().await;
}

#[tokio::test]
async fn memory_without_end_is_named() {
    let stage = stage(
        Setting::default(),
        "(loop $more (br_if $more (i32.ge_s (memory.grow (i32.const 16)) (i32.const 0)))) unreachable",
    );
    assert_eq!(stage.refused(get("/")).await, 500);
    stage.goes_on().await;
    assert_eq!(stage.heard.codes(), ["memory-limit", "ok"]);
}

#[tokio::test(start_paused = true)]
async fn a_service_that_took_all_memory_takes_so_much_again_after_a_pause_and_one_at_a_time() {
    let takes = "(loop $more (br_if $more (i32.ge_s (memory.grow (i32.const 16)) (i32.const 0)))) unreachable";
    let stages = [(); 2].map(|()| stage(Setting::default(), takes));
    let [first, second] = &stages;
    let begun = tokio::time::Instant::now();
    assert_eq!(first.refused(get("/")).await, 500);
    assert!(
        begun.elapsed() < Duration::from_millis(900),
        "the first waits for nothing"
    );
    let again = async { tokio::join!(first.refused(get("/")), first.refused(get("/"))) };
    let others = async {
        first.goes_on().await;
        assert_eq!(second.refused(get("/")).await, 500, "another service's own");
        begun.elapsed()
    };
    let (statuses, others) = tokio::join!(again, others);
    assert_eq!(statuses, (500, 500));
    assert!(others < Duration::from_millis(900), "{others:?}");
    assert_eq!(begun.elapsed().as_secs(), 2, "one after the other");
    // It is forgotten.
    tokio::time::sleep(Duration::from_secs(10)).await;
    let begun = tokio::time::Instant::now();
    assert_eq!(first.refused(get("/")).await, 500);
    assert!(begun.elapsed() < Duration::from_millis(900));
}

#[tokio::test]
async fn handles_without_end_are_refused() {
    let stage = stage(
        Setting::default(),
        "(loop $more (drop (call $fields)) (br $more))",
    );
    assert_eq!(stage.refused(get("/")).await, 500);
    stage.goes_on().await;
    assert_eq!(stage.heard.codes(), ["trap", "ok"]);
}

#[tokio::test]
async fn header_fields_of_an_answer_have_bounds() {
    // One that is too large for the host's table of them; and more than an answer may have.
    let large = "(memory.fill (i32.const 4096) (i32.const 97) (i32.const 60000))
        (call $header (i32.const 2048) (i32.const 1) (i32.const 4096) (i32.const 60000))";
    let many = "(loop $more (i32.store8 (i32.const 2048) (i32.add (i32.const 97) (i32.rem_u (local.get $i) (i32.const 26))))
        (call $header (i32.const 2048) (i32.const 1) (i32.const 2048) (i32.const 1))
        (local.set $i (i32.add (local.get $i) (i32.const 1)))
        (br_if $more (i32.lt_u (local.get $i) (i32.const 200))))";
    let data = r#"(data (i32.const 2048) "a")"#;
    for (bad, code) in [(large, "trap"), (many, "answer-header-count")] {
        let handle = unless_fine(&format!("{bad} {PATH}"));
        let stage = Setting::default().stage(Guest {
            items: data,
            handle: &handle,
            ..Guest::default()
        });
        assert_eq!(stage.refused(get("/")).await, 500, "{code}");
        stage.goes_on().await;
        assert_eq!(stage.heard.codes(), [code, "ok"]);
    }
}

#[tokio::test]
async fn heads_beyond_the_bounds_reach_no_guest() {
    let stage = stage(Setting::default(), "unreachable");
    let large = "a".repeat(40 << 10);
    let mut request = get("/");
    request.headers_mut().insert("x", large.parse().unwrap());
    assert_eq!(stage.refused(request).await, 431);
    let mut request = get("/");
    for _ in 0..101 {
        request.headers_mut().append("x", "1".parse().unwrap());
    }
    assert_eq!(stage.refused(request).await, 431);
    stage.goes_on().await;
    assert_eq!(
        stage.heard.codes(),
        ["request-header-size", "request-header-count", "ok"]
    );
}

#[tokio::test]
async fn a_body_beyond_its_bound_is_refused() {
    let stage = Setting::limits(|limits| limits.request_body_bytes = 10).stage(Guest {
        handle: ECHO,
        ..Guest::default()
    });
    assert_eq!(stage.refused(post("eleven byte")).await, 413);
    // One that does not say its length is found out while the guest reads.
    let pieces = Full::<Bytes>::from("eleven byte");
    let response = stage
        .service
        .answer(Request::post("http://a/").body(Unsized(pieces)).unwrap())
        .await;
    let (status, body) = whole(response).await;
    // The head of the echo may be out already, and then the rest is cut off.
    assert!(status == 413 || body.is_err(), "{status} {body:?}");
    assert_eq!(
        stage.ask(post("ten bytes!")).await.1.as_deref(),
        Ok("ten bytes!")
    );
}

/// A body that does not tell its length.
struct Unsized<B>(B);

impl<B: http_body::Body + Unpin> http_body::Body for Unsized<B> {
    type Data = B::Data;
    type Error = B::Error;

    fn poll_frame(
        mut self: std::pin::Pin<&mut Self>,
        cx: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Result<http_body::Frame<B::Data>, B::Error>>> {
        std::pin::Pin::new(&mut self.0).poll_frame(cx)
    }
}

#[tokio::test]
async fn a_fault_of_the_host_ends_one_request() {
    let setting = Setting {
        granted: vec!["panic".to_owned()],
        connector: std::sync::Arc::new(super::egress::Panics),
        ..Setting::default()
    };
    let handle = unless_fine("(drop (call $status (i32.const 2048) (i32.const 5)))");
    let stage = setting.stage(Guest {
        items: r#"(data (i32.const 2048) "panic")"#,
        handle: &handle,
        ..Guest::default()
    });
    assert_eq!(stage.refused(get("/")).await, 500);
    stage.goes_on().await;
    assert_eq!(stage.heard.codes(), ["panicked", "ok"]);
}
