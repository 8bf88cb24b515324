//! A request comes to its unit, by name and by address, and what is told of it.

use std::io::{Read, Write};
use std::time::Duration;

use periapt_model::workload::check::Status;
use periapt_model::workload::service::Current;

use crate::Test;
use crate::machine::{Machine, SITE, ask, connect, until};

pub const TESTS: &[Test] = &[
    ("a page by the names of application and unit", by_name),
    ("a page at the address of a unit", by_address),
    ("who rests has no process and comes back", rests),
    ("what is observed and logged", observed),
    (
        "pages in a storage are served until the unit lets go of it",
        stored,
    ),
    ("what cannot be loaded is said", not_loaded),
    ("checks ask the service and wake nobody", checks),
    ("requests go to units that are ready", ready),
    ("what a client says of itself is replaced", forwarded),
    ("HTTP/2 without TLS", http2),
    ("a WebSocket that a unit does not speak", websocket),
    (
        "a connection that was told of nothing goes on",
        nothing_first,
    ),
];

fn by_name() {
    let mut machine = Machine::new();
    let mut model = machine.model("demo", 1);
    model.unit("docs/0").unit("docs/1").expose("docs", &[]);
    machine.publish(&model);
    let page = machine.until("docs.demo.localhost", 200);
    assert_eq!(page.body, "<h1>1</h1>");
    for host in [
        "docs-0.demo.localhost:8800",
        "DOCS-1.demo.localhost",
        "docs.demo.localhost.",
    ] {
        assert_eq!(machine.until(host, 200).body, "<h1>1</h1>", "{host}");
    }
    for (host, says) in [
        ("docs-2.demo.localhost", "periapt expose docs"),
        ("blog.demo.localhost", "periapt expose blog"),
        ("docs.other.localhost", "periapt expose docs"),
        ("localhost", "APPLICATION.MODEL.localhost"),
        ("<b>.demo.localhost", "APPLICATION.MODEL.localhost"),
    ] {
        let page = machine.get(host, "/");
        assert_eq!(page.status, 404, "{host}");
        assert!(page.body.contains(says), "{}", page.body);
        assert!(!page.body.contains("<b>"));
    }
    assert_eq!(machine.get("docs.demo.localhost", "/none").status, 404);
    assert_eq!(machine.children("serve").len(), 1);
    assert_eq!(machine.children("gate").len(), 1);
}

fn by_address() {
    let mut machine = Machine::new();
    let mut model = machine.model("demo", 1);
    model.unit("docs/0").expose("docs", &[]);
    let openings = &mut model
        .document
        .network
        .units
        .values_mut()
        .next()
        .unwrap()
        .openings;
    for range in ["53/udp", "9000-9999/tcp"] {
        let all = periapt_model::reach::Endpoints::All;
        openings.open(range.parse().unwrap(), all).unwrap();
    }
    model.address("docs/0", [127, 77, 211, 1]);
    let answer = machine.publish(&model);
    assert_eq!(answer.listening.len(), 1, "{answer:?}");
    assert_eq!(answer.not_listening.len(), 2, "{answer:?}");
    let listening = &answer.listening[0];
    assert!([80, 10080].contains(&listening.address.port()));
    assert_eq!(listening.port.to_string(), "80/tcp");
    machine.until("docs.demo.localhost", 200);
    // Whatever the host says: the address decides.
    let request = "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    let page = ask(connect(listening.address), request).unwrap();
    assert_eq!((page.status, page.body.as_str()), (200, "<h1>1</h1>"));
    model.unexpose("docs");
    let address = listening.address;
    assert!(machine.publish(&model).listening.is_empty());
    assert!(std::net::TcpStream::connect(address).is_err());
}

fn rests() {
    let mut machine = Machine::with(r#"{"rest-ms": 600}"#);
    let mut model = machine.model("demo", 1);
    model.unit("docs/0").expose("docs", &[]);
    machine.publish(&model);
    machine.until("docs.demo.localhost", 200);
    until("rest", || {
        machine.children("serve").is_empty().then_some(())
    });
    until("an active service without a process", || {
        let observed = model.observed("docs/0")?;
        let site = observed.containers["web"].services["site"].clone();
        assert_eq!(site.restarts, 0);
        (site.current == Current::Active).then_some(())
    });
    assert!(machine.children("serve").is_empty());
    for _ in 0..3 {
        let begun = std::time::Instant::now();
        assert_eq!(machine.get("docs.demo.localhost", "/").status, 200);
        println!("  the first page after a rest took {:?}", begun.elapsed());
        assert_eq!(machine.children("serve").len(), 1);
        until("rest", || {
            machine.children("serve").is_empty().then_some(())
        });
    }
    assert!(!machine.log().contains("is gone"), "{}", machine.log());
}

fn observed() {
    let mut machine = Machine::new();
    let mut model = machine.model("demo", 1);
    model.unit("docs/0").expose("docs", &[]);
    machine.publish(&model);
    machine.until("docs.demo.localhost", 200);
    let seen = until("an observed service", || {
        let seen = model.observed("docs/0")?;
        let site = &seen.containers.get("web")?.services["site"];
        (site.current == Current::Active).then(|| seen.clone())
    });
    assert_eq!((seen.number, seen.boot), (1, 1));
    assert!(seen.containers["web"].services["site"].since > 1_700_000_000);
    assert_eq!(machine.get("docs.demo.localhost", "/bad/").status, 500);
    let log = model.directory.join("workloads/logs/docs-0/web.site.log");
    until("the line of the log", || {
        let text = std::fs::read_to_string(&log).ok()?;
        text.contains(" err /site/bad/index.html: ").then_some(())
    });
    model.commit("docs/0", 2, SITE);
    until("the next number", || {
        (model.observed("docs/0")?.number == 2).then_some(())
    });
    assert!(
        machine
            .get("docs.demo.localhost", "/")
            .body
            .contains("<h1>2</h1>")
    );
    std::fs::remove_file(model.directory.join("workloads/desired/docs-0.json")).unwrap();
    machine.until("docs.demo.localhost", 503);
    assert!(model.observed("docs/0").is_none());
}

/// What is open of storage in the process that serves.
fn open_storage(machine: &Machine) -> Vec<String> {
    let serves = machine.children("serve").into_iter();
    let open = serves.flat_map(|pid| std::fs::read_dir(format!("/proc/{pid}/fd")));
    let links = open.flatten().flatten();
    let links = links.filter_map(|entry| std::fs::read_link(entry.path()).ok());
    let links = links.map(|link| link.to_string_lossy().into_owned());
    links.filter(|link| link.contains("/storage/")).collect()
}

fn stored() {
    let mut machine = Machine::new();
    let mut model = machine.model("demo", 1);
    let pages = model.directory.join("storage/pages-0");
    std::fs::create_dir_all(&pages).unwrap();
    std::fs::write(pages.join("index.html"), "<h1>kept</h1>").unwrap();
    model.unit("docs/0").expose("docs", &[]);
    model.store("docs/0", 2, Some("pages-0"));
    machine.publish(&model);
    let page = machine.until("docs.demo.localhost", 200);
    assert!(page.body.contains("<h1>kept</h1>"), "{page:?}");
    // What is written there is there at once.
    std::fs::write(pages.join("index.html"), "<h1>new</h1>").unwrap();
    let page = machine.get("docs.demo.localhost", "/");
    assert!(page.body.contains("<h1>new</h1>"), "{page:?}");
    assert!(!open_storage(&machine).is_empty());

    model.store("docs/0", 3, None);
    until("the next number", || {
        (model.observed("docs/0")?.number == 3).then_some(())
    });
    until("the storage to be closed", || {
        open_storage(&machine).is_empty().then_some(())
    });
    assert_ne!(machine.get("docs.demo.localhost", "/").status, 200);
}

fn not_loaded() {
    let mut machine = Machine::new();
    let mut model = machine.model("demo", 1);
    model.unit("docs/0").expose("docs", &[]);
    std::fs::write(model.directory.join("compiled/server.cwasm"), "damaged").unwrap();
    machine.publish(&model);
    let seen = until("a service that failed", || {
        let seen = model.observed("docs/0")?;
        let site = seen.containers.get("web")?.services["site"].clone();
        site.last_end.is_some().then_some(site)
    });
    assert!(seen.last_end.unwrap().starts_with("not started: "));
    let page = machine.until("docs.demo.localhost", 503);
    assert!(page.body.contains("docs/0"), "{}", page.body);
    let artifact = crate::machine::component().unwrap().as_bytes();
    std::fs::write(model.directory.join("compiled/server.cwasm"), artifact).unwrap();
    // It is tried again.
    machine.until("docs.demo.localhost", 200);
}

fn checks() {
    let mut machine = Machine::with(r#"{"rest-ms": 4000}"#);
    let mut model = machine.model("demo", 1);
    model.unit("docs/0").expose("docs", &[]);
    let plan = format!(
        "{SITE}
checks:
  up: {{override: replace, period: 200ms, timeout: 100ms, http: {{url: 'http://localhost/'}}}}
  gone: {{override: replace, period: 200ms, timeout: 100ms, http: {{url: 'http://localhost/none'}}}}
"
    );
    model.commit("docs/0", 2, &plan);
    machine.publish(&model);
    let seen = until("checks", || {
        let seen = model.observed("docs/0")?;
        let web = seen.containers.get("web")?.clone();
        let (up, gone) = (web.checks.get("up")?, web.checks.get("gone")?);
        (up.successes > 0 && gone.status == Status::Down).then_some(web)
    });
    assert_eq!(seen.checks["up"].status, Status::Up);
    let message = seen.checks["gone"].message.as_deref();
    assert_eq!(message, Some("answered with 404 Not Found"));
    until("rest", || {
        machine.children("serve").is_empty().then_some(())
    });
    std::thread::sleep(Duration::from_millis(600));
    assert!(machine.children("serve").is_empty());
    let seen = model.observed("docs/0").unwrap().containers["web"].clone();
    assert_eq!(seen.checks["up"].status, Status::Up);
    assert_eq!(seen.checks["gone"].status, Status::Down);
}

fn ready() {
    let mut machine = Machine::new();
    let mut model = machine.model("demo", 1);
    model.unit("docs/0").unit("docs/1").expose("docs", &[]);
    machine.publish(&model);
    for unit in ["docs-0.demo.localhost", "docs-1.demo.localhost"] {
        machine.until(unit, 200);
    }
    let checked = format!(
        "{SITE}
checks:
  up: {{override: replace, level: ready, period: 200ms, timeout: 100ms, threshold: 1,
    http: {{url: 'http://localhost/none'}}}}
"
    );
    model.commit("docs/0", 2, &checked);
    let of_other = || machine.get("docs.demo.localhost", "/").body == "<h1>1</h1>";
    until("requests to the other alone", || {
        (0..10).all(|_| of_other()).then_some(())
    });
    // By its own name it is there, ready or not.
    let page = machine.get("docs-0.demo.localhost", "/");
    assert!(page.body.starts_with("<h1>2</h1>"), "{}", page.body);
    model.commit("docs/0", 3, SITE);
    until("requests to both", || {
        (!(0..10).all(|_| of_other())).then_some(())
    });
}

fn forwarded() {
    // The page does not say what it was asked with; the process that serves has it from the gate, which is
    // tested on values. Here: that none of it changes where a request comes.
    let mut machine = Machine::new();
    let mut model = machine.model("demo", 1);
    model.unit("docs/0").expose("docs", &["127.0.0.0/8"]);
    let mut other = machine.model("other", 2);
    other.unit("secret/0");
    machine.publish(&model);
    machine.publish(&other);
    machine.until("docs.demo.localhost", 200);
    let request = "GET / HTTP/1.1\r\nHost: docs.demo.localhost\r\n\
        X-Forwarded-Host: secret.other.localhost\r\nForwarded: host=secret.other.localhost\r\n\
        Periapt-Unit: secret/0\r\nPeriapt-Port: 80\r\nConnection: close, host, periapt-unit\r\n\r\n";
    let page = ask(machine.connect(), request).unwrap();
    assert_eq!((page.status, page.body.as_str()), (200, "<h1>1</h1>"));
    assert!(
        !page.head.to_lowercase().contains("periapt-"),
        "{}",
        page.head
    );
    let request = "GET / HTTP/1.1\r\nHost: secret.other.localhost\r\n\
        X-Forwarded-For: 127.0.0.1\r\nConnection: close\r\n\r\n";
    assert_eq!(ask(machine.connect(), request).unwrap().status, 404);
}

fn nothing_first() {
    let mut machine = Machine::new();
    let mut model = machine.model("demo", 1);
    model.unit("docs/0").expose("docs", &[]);
    machine.publish(&model);
    machine.until("docs.demo.localhost", 200);
    // From now on at the port that was found, which is another listener.
    machine.publish(&model);
    let mut stream = machine.connect();
    let mut ask = |host: &str, more: &str, end: &str| {
        let request = format!("GET / HTTP/1.1\r\nHost: {host}\r\n{more}\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        let mut text = Vec::new();
        while !text.ends_with(end.as_bytes()) {
            let mut byte = [0];
            stream.read_exact(&mut byte).unwrap();
            text.extend(byte);
            assert!(text.len() < 10_000);
        }
        String::from_utf8_lossy(&text).into_owned()
    };
    assert!(ask("none.demo.localhost", "", "</p>\n").starts_with("HTTP/1.1 404"));
    // What is published anew cuts those who came for what is not shown any more.
    machine.publish(model.unit("blog/0").expose("blog", &[]));
    // As curl and others ask who would rather speak HTTP/2.
    let upgrade = "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n\
        HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n";
    assert!(ask("docs.demo.localhost", upgrade, "</h1>").starts_with("HTTP/1.1 200"));
}

fn http2() {
    let mut machine = Machine::new();
    let mut model = machine.model("demo", 1);
    model.unit("docs/0").expose("docs", &[]);
    machine.publish(&model);
    machine.until("docs.demo.localhost", 200);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        use http_body_util::{BodyExt, Empty};
        use hyper_util::rt::{TokioExecutor, TokioIo};
        let stream = tokio::net::TcpStream::connect(machine.ingress)
            .await
            .unwrap();
        let (sender, connection) =
            hyper::client::conn::http2::handshake(TokioExecutor::new(), TokioIo::new(stream))
                .await
                .unwrap();
        tokio::spawn(connection);
        let mut asked = Vec::new();
        for _ in 0..40 {
            let mut sender = sender.clone();
            asked.push(tokio::spawn(async move {
                let body = Empty::<bytes::Bytes>::new();
                let request = hyper::Request::get("http://docs.demo.localhost/").body(body);
                let answer = sender.send_request(request.unwrap()).await.unwrap();
                let status = answer.status().as_u16();
                (
                    status,
                    answer.into_body().collect().await.unwrap().to_bytes(),
                )
            }));
        }
        for asked in asked {
            let (status, body) = asked.await.unwrap();
            assert_eq!((status, &body[..]), (200, &b"<h1>1</h1>"[..]));
        }
    });
}

fn websocket() {
    let mut machine = Machine::new();
    let mut model = machine.model("demo", 1);
    model.unit("docs/0").expose("docs", &[]);
    machine.publish(&model);
    machine.until("docs.demo.localhost", 200);
    let begin = "GET / HTTP/1.1\r\nHost: docs.demo.localhost\r\nConnection: close, upgrade\r\n\
        Upgrade: websocket\r\n";
    let whole = format!(
        "{begin}Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    );
    let page = ask(machine.connect(), &whole).unwrap();
    assert_eq!(page.status, 501);
    assert!(page.body.contains("does not speak WebSocket"), "{page:?}");
    let page = ask(machine.connect(), &format!("{begin}\r\n")).unwrap();
    assert_eq!(page.status, 400);
    assert_eq!(machine.get("docs.demo.localhost", "/").status, 200);
}
