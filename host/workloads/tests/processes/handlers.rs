//! Handlers that mean no good, beside one that answers: each costs its own client the answer.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use periapt_model::reach::Mode;
use periapt_sandbox::Artifact;
use periapt_serving::ServingEngine;
use rustix::process::{Pid, Signal, kill_process};

use crate::Test;
use crate::guest::Guest;
use crate::machine::{Machine, Model, Page, ask, get, until};

pub const TESTS: &[Test] = &[
    (
        "a handler that fails in whatever way costs its own client the answer",
        fail,
    ),
    (
        "a neighbour is answered beside handlers that mean no good",
        neighbour,
    ),
    (
        "a workload reaches another by a relation and nothing else",
        reach,
    ),
    (
        "units that nothing relates reach each other where the model is open inside, and nowhere else",
        reach_in_the_model,
    ),
    (
        "nothing of a request is there in another one",
        nothing_stays,
    ),
    (
        "pages of a 500, a 502, a 503 and a 504 say which service and why",
        told,
    ),
];

/// What it does is said by the first letter of the path.
const HANDLE: &str = r#"(call $path (local.get $request))
(local.set $i (i32.load8_u offset=1 (global.get $from)))
(if (i32.eq (local.get $i) (i32.const 116)) (then unreachable))
(if (i32.eq (local.get $i) (i32.const 108)) (then (loop $on (br $on))))
(if (i32.eq (local.get $i) (i32.const 110)) (then (return)))
(if (i32.eq (local.get $i) (i32.const 97)) (then
  (loop $more (br_if $more (i32.ge_s (memory.grow (i32.const 16)) (i32.const 0)))) unreachable))
(if (i32.eq (local.get $i) (i32.const 102)) (then (loop $more (drop (call $fields)) (br $more))))
(if (i32.eq (local.get $i) (i32.const 99)) (then
  (global.set $before (i32.add (global.get $before) (i32.const 1)))
  (i32.store8 (i32.const 2048) (global.get $before))
  (call $answer (local.get $out) (i32.const 200))
  (call $write (i32.const 2048) (i32.const 1)) (call $close) (return)))
(if (i32.eq (local.get $i) (i32.const 101)) (then
  (local.set $i (call $status
    (i32.add (global.get $from) (i32.const 3)) (i32.sub (global.get $many) (i32.const 3))))
  (if (i32.lt_s (local.get $i) (i32.const 0))
    (then (local.set $i (i32.sub (i32.const 500) (local.get $i)))))
  (call $answer (local.get $out) (local.get $i)) (call $close) (return)))
(if (i32.eq (local.get $i) (i32.const 114)) (then
  (call $header (i32.const 3000) (i32.const 15) (i32.const 3000) (i32.const 15))
  (call $header (i32.const 3015) (i32.const 16) (i32.const 3000) (i32.const 15))))
(call $answer (local.get $out) (i32.const 200))
(if (i32.eq (local.get $i) (i32.const 115)) (then
  (loop $on (call $write (i32.const 0) (i32.const 4096)) (br $on))))
(call $write (global.get $from) (global.get $many))
(if (i32.eq (local.get $i) (i32.const 104)) (then unreachable))
(call $close)"#;

/// As a guest is told that what it asks for was not granted: 500 and the number of the case.
const DENIED: u16 = 515;

fn component() -> &'static Artifact {
    static COMPILED: LazyLock<Artifact> = LazyLock::new(|| {
        let guest = Guest {
            items: "(global $before (mut i32) (i32.const 48))
                (data (i32.const 3000) \"periapt-refusedperiapt-not-here\")",
            handle: HANDLE,
            ..Guest::default()
        };
        let engine = ServingEngine::new(periapt_sandbox::Settings::default()).unwrap();
        engine.compile(&guest.component()).unwrap()
    });
    &COMPILED
}

/// Gives a unit this handler in place of its page.
fn hostile(model: &Model, unit: &str) {
    bounded(model, unit, 2, "request-timeout: 300ms");
}

fn bounded(model: &Model, unit: &str, number: u64, bounds: &str) {
    const FILE: &str = "compiled/hostile.cwasm";
    std::fs::write(model.directory.join(FILE), component().as_bytes()).unwrap();
    let plan = format!(
        "
services:
  site: {{override: replace, kind: http, component: server.wasm, port: 80, startup: enabled,
    {bounds}}}
"
    );
    model.desire(unit, number, &plan, FILE, component());
}

/// The site of `docs/0` and the handler of `bad/0`, in one process.
pub fn both(machine: &mut Machine) -> Model {
    let mut model = machine.model("demo", 1);
    model.unit("docs/0").unit("bad/0");
    hostile(&model, "bad/0");
    model.expose("docs", &[]).expose("bad", &[]);
    machine.publish(&model);
    machine.until("docs.demo.localhost", 200);
    until("the handler", || {
        let page = machine.try_get("bad.demo.localhost", "/good").ok()?;
        (page.body.contains("/good")).then_some(())
    });
    model
}

/// The status of an answer, and whether all of it came.
fn outcome(machine: &Machine, path: &str) -> (String, bool) {
    let mut stream = machine.connect();
    let request = get("bad.demo.localhost", path);
    stream.write_all(request.as_bytes()).unwrap();
    let mut bytes = Vec::new();
    let read = stream.read_to_end(&mut bytes);
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let status = text.split(' ').nth(1).unwrap_or_default().to_owned();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or_default();
    let chunked = head
        .to_ascii_lowercase()
        .contains("transfer-encoding: chunked");
    let whole = read.is_ok() && (!chunked || body.ends_with("0\r\n\r\n"));
    (status, whole)
}

fn fail() {
    let mut machine = Machine::new();
    let _model = both(&mut machine);
    let serve = machine.children("serve");
    for (path, status, whole) in [
        ("/trap", "500", true),
        ("/loop", "504", true),
        ("/nothing", "500", true),
        ("/allocates", "500", true),
        ("/fields", "500", true),
        ("/stream", "200", false),
        ("/half", "200", false),
        ("/good", "200", true),
    ] {
        let begun = Instant::now();
        let found = outcome(&machine, path);
        // Where nothing of it had been sent yet, the gate says so in its place.
        let unsent = !whole && found == ("502".to_owned(), true);
        assert!(
            unsent || found == (status.to_owned(), whole),
            "{path}: {found:?}"
        );
        assert!(begun.elapsed() < Duration::from_secs(15), "{path}");
        let page = machine.get("docs.demo.localhost", "/");
        assert_eq!((page.status, page.body.as_str()), (200, "<h1>1</h1>"));
    }
    assert_eq!(
        machine.children("serve"),
        serve,
        "nothing ended the process"
    );
}

/// How long each of so many requests took, the shortest first.
fn asked(machine: &Machine, many: usize) -> Vec<Duration> {
    let ask = |_| {
        let begun = Instant::now();
        let page = machine.get("docs.demo.localhost", "/");
        assert_eq!((page.status, page.body.as_str()), (200, "<h1>1</h1>"));
        begun.elapsed()
    };
    let mut took: Vec<Duration> = (0..many).map(ask).collect();
    took.sort();
    took
}

fn neighbour() {
    let mut machine = Machine::new();
    let _model = both(&mut machine);
    let alone = asked(&machine, 300);
    for path in [
        "/trap",
        "/nothing",
        "/allocates",
        "/half",
        "/stream",
        "/loop",
    ] {
        let (over, hits) = (AtomicBool::new(false), AtomicUsize::new(0));
        let beside = std::thread::scope(|scope| {
            scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    outcome(&machine, path);
                    hits.fetch_add(1, Ordering::Relaxed);
                }
            });
            let beside = asked(&machine, 300);
            over.store(true, Ordering::Relaxed);
            beside
        });
        let hits = hits.into_inner();
        println!(
            "  beside {hits} of {path}: p50 {:?} and p99 {:?}; alone {:?} and {:?}",
            beside[150], beside[297], alone[150], alone[297]
        );
        assert!(hits > 0, "{path}");
        // All were answered; how much later is the benches' to judge.
        assert!(beside[299] < Duration::from_secs(5), "{path}");
    }
}

fn reach() {
    let mut machine = Machine::new();
    let mut model = both(&mut machine);
    // As real as can be: the machine's own sockets, the gate's port and the unit's address among them.
    let own = TcpListener::bind("0.0.0.0:0").unwrap();
    own.set_nonblocking(true).unwrap();
    let port = own.local_addr().unwrap().port();
    let status = |authority: &str| {
        let path = format!("/e/{authority}");
        let page = machine.get("bad.demo.localhost", &path);
        page.status
    };
    for authority in [
        format!("127.0.0.1:{port}"),
        format!("localhost:{port}"),
        format!("0.0.0.0:{port}"),
        format!("[::ffff:127.0.0.1]:{port}"),
        format!("[::1]:{port}"),
        format!("[::]:{port}"),
        format!("2130706433:{port}"),
        format!("0x7f000001:{port}"),
        format!("127.1:{port}"),
        format!("127.0.0.1.nip.io:{port}"),
        format!("docs-0.internal@127.0.0.1:{port}"),
        "169.254.169.254".to_owned(),
        "[::ffff:169.254.169.254]".to_owned(),
        "metadata.google.internal".to_owned(),
        machine.ingress.to_string(),
        "docs.demo.localhost".to_owned(),
        "docs-0.internal".to_owned(),
        "docs.internal:80".to_owned(),
        "bad-0.internal".to_owned(),
    ] {
        assert_eq!(status(&authority), DENIED, "{authority}");
    }
    assert!(own.accept().is_err(), "somebody connected");
    model.relate("bad", "docs");
    machine.publish(&model);
    let related = |authority: &str| {
        let path = format!("/e/{authority}");
        let page = machine.try_get("bad.demo.localhost", &path).ok()?;
        (page.status == 200).then_some(())
    };
    until("the way to a related unit", || related("docs-0.internal"));
    until("by its application", || related("docs.internal:80"));
    assert_eq!(
        machine
            .get("bad.demo.localhost", "/e/docs-0.internal:81")
            .status,
        DENIED
    );
    assert!(own.accept().is_err(), "somebody connected");
}

/// The option `reachability`.
fn reach_in_the_model() {
    let mut machine = Machine::new();
    let mut model = both(&mut machine);
    let status = |machine: &Machine, authority: &str| {
        let path = format!("/e/{authority}");
        machine.get("bad.demo.localhost", &path).status
    };
    assert_eq!(status(&machine, "docs-0.internal"), DENIED);
    model.document.network.mode = Mode::Model;
    machine.publish(&model);
    for authority in ["docs-0.internal", "docs.internal:80"] {
        until("a way inside of the model", || {
            (status(&machine, authority) == 200).then_some(())
        });
    }
    // What nobody opened stays closed, and so does what is not the model's.
    for authority in ["docs-0.internal:81", "docs.demo.localhost", "127.0.0.1:80"] {
        assert_eq!(status(&machine, authority), DENIED, "{authority}");
    }
    model.document.network.mode = Mode::Relations;
    machine.publish(&model);
    until("the way to be closed", || {
        (status(&machine, "docs-0.internal") == DENIED).then_some(())
    });
}

fn told() {
    let mut machine = Machine::new();
    let model = both(&mut machine);
    let get_page = |path: &str| machine.get("bad.demo.localhost", path);
    let says = |page: &Page, status: u16, words: &[&str]| {
        assert_eq!(page.status, status, "{page:?}");
        let who = "The service site of bad/0 did not answer: ";
        for word in words.iter().chain([&who]) {
            assert!(page.body.contains(word), "{word}: {page:?}");
        }
        assert!(page.head.contains("text/html"), "{page:?}");
        assert!(!page.head.contains("periapt-"), "{page:?}");
    };
    says(&get_page("/loop"), 504, &["it gave no answer within 0.3 s"]);
    says(
        &get_page("/trap"),
        500,
        &["it failed", "periapt logs bad/0"],
    );
    // A handler that says the same is only saying so.
    let page = get_page("/refused");
    assert_eq!(page.status, 200, "{page:?}");
    assert!(page.body.contains("/refused"), "{page:?}");
    assert!(!page.head.contains("periapt-"), "{page:?}");

    bounded(&model, "bad/0", 3, "request-timeout: 30s, concurrency: 1");
    until("the other bounds", || {
        let observed = model.observed("bad/0")?;
        (observed.number == 3).then_some(())
    });
    // No request that is sent again where it was not answered.
    let request = "POST /loop HTTP/1.1\r\nHost: bad.demo.localhost\r\nContent-Length: 0\r\n\
        Connection: close\r\n\r\n";
    let endless = std::thread::spawn({
        let stream = machine.connect();
        move || ask(stream, request).unwrap()
    });
    let page = until("no room", || {
        Some(get_page("/good")).filter(|page| page.status != 200)
    });
    says(&page, 503, &["it is busy", "Try again soon."]);
    assert!(
        page.head.to_lowercase().contains("retry-after: 1"),
        "{page:?}"
    );
    for serve in machine.children("serve") {
        let pid = Pid::from_raw(serve.try_into().unwrap()).unwrap();
        kill_process(pid, Signal::KILL).unwrap();
    }
    let page = endless.join().unwrap();
    says(&page, 502, &["the process that serves it ended"]);
}

fn nothing_stays() {
    let mut machine = Machine::new();
    let mut model = both(&mut machine);
    model.unit("bad/1");
    hostile(&model, "bad/1");
    machine.publish(&model);
    until("the second unit", || {
        let page = machine.try_get("bad-1.demo.localhost", "/good").ok()?;
        (page.body.contains("/good")).then_some(())
    });
    for _ in 0..20 {
        for host in ["bad-0.demo.localhost", "bad-1.demo.localhost"] {
            let page = machine.get(host, "/count");
            // In one chunk.
            assert!(page.body.contains("1\r\n1\r\n0"), "{page:?}");
        }
    }
}
