//! Against a plain TCP listener in this process; a real daemon, and TLS, are in the
//! whole-system tests.

use periapt_model::Tag;
use periapt_wire::agent::log_sink::LogRecord;
use periapt_wire::rest::ConfigChange;
use serde_json::Value as Json;
use tokio::io::AsyncReadExt;
use tokio::net::{TcpListener, TcpStream};

use super::*;
use crate::model::tests::bench::{Bench, state};
use periapt_engine::{DependencyEngine, NodeState};
use periapt_model::config::Value;
use periapt_store::Setter;

async fn log(bench: &Bench, messages: impl IntoIterator<Item = String>) {
    let records = messages
        .into_iter()
        .map(|message| LogRecord {
            time: 1_767_225_600_000_000,
            entity: Tag::Model(bench.model.clone()),
            level: "WARNING".into(),
            module: "unit.test".into(),
            message,
        })
        .collect();
    bench.store.write_logs(&bench.model, records).await.unwrap();
}

async fn set(bench: &Bench, settings: &[(&str, &str)]) {
    let change = ConfigChange {
        set: settings
            .iter()
            .map(|(key, value)| ((*key).to_owned(), Value::Text((*value).to_owned())))
            .collect(),
        reset: Vec::new(),
    };
    bench
        .store
        .set_model_config(&bench.model, change, Setter::Superuser)
        .await
        .unwrap();
}

fn report(engine: &DependencyEngine) -> Json {
    engine.report().manifolds[NAME].report.clone()
}

async fn until_report(bench: &Bench, engine: &DependencyEngine, state: &str) -> Json {
    bench
        .until(
            &format!("the report says {state}: {}", report(engine)),
            || async {
                let report = report(engine);
                (report["state"] == state).then_some(report)
            },
        )
        .await
}

/// The next `count` messages, each after its octet count.
async fn messages(stream: &mut TcpStream, buffer: &mut Vec<u8>, count: usize) -> Vec<String> {
    let mut found = Vec::new();
    while found.len() < count {
        let space = buffer.iter().position(|byte| *byte == b' ');
        let length = space.and_then(|end| {
            std::str::from_utf8(&buffer[..end])
                .ok()?
                .parse::<usize>()
                .ok()
        });
        match (space, length) {
            (Some(space), Some(length)) if buffer.len() > space + length => {
                let text = String::from_utf8(buffer[space + 1..=space + length].to_vec()).unwrap();
                buffer.drain(..=space + length);
                found.push(text.rsplit_once("] ").unwrap().1.to_owned());
            }
            _ => {
                let mut part = [0; 4096];
                let read = tokio::time::timeout(Duration::from_secs(20), stream.read(&mut part));
                let read = read.await.expect("a line in time").unwrap();
                assert!(read > 0, "closed after {found:?}");
                buffer.extend_from_slice(&part[..read]);
            }
        }
    }
    found
}

fn numbered(range: std::ops::Range<u32>) -> Vec<String> {
    range.map(|n| format!("line {n}")).collect()
}

/// "When forwarding is enabled, then lines logged after and the last 100 before arrive once; a
/// broken target is retried and shown in the report."
#[tokio::test]
async fn the_last_hundred_lines_and_all_later_ones_arrive_once() {
    let bench = Bench::new().await;
    let engine = bench.engine();
    bench.until_running(&engine, NAME).await;
    until_report(&bench, &engine, "off").await;
    log(&bench, numbered(0..150)).await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    set(
        &bench,
        &[
            ("logforward-enabled", "true"),
            ("syslog-host", &address.to_string()),
        ],
    )
    .await;
    let (mut stream, _) = bench_accept(&bench, &listener).await;
    let mut buffer = Vec::new();
    assert_eq!(
        messages(&mut stream, &mut buffer, 100).await,
        numbered(50..150)
    );
    log(&bench, numbered(150..160)).await;
    assert_eq!(
        messages(&mut stream, &mut buffer, 10).await,
        numbered(150..160)
    );
    bench
        .until("the report counts", || async {
            (report(&engine)["sent"] == 110).then_some(())
        })
        .await;
    // A change of something else does not interrupt.
    set(&bench, &[("update-status-hook-interval", "7m")]).await;
    log(&bench, numbered(160..161)).await;
    assert_eq!(
        messages(&mut stream, &mut buffer, 1).await,
        numbered(160..161)
    );

    // The target goes and comes back: what was logged meanwhile arrives, nothing twice.
    bench
        .until("it is recorded as sent", || async {
            (report(&engine)["sent"] == 111).then_some(())
        })
        .await;
    drop((stream, listener));
    let told = until_report(&bench, &engine, "retrying").await;
    assert_eq!(told["target"], address.to_string());
    assert!(told["error"].is_string());
    log(&bench, numbered(161..170)).await;
    let listener = TcpListener::bind(address).await.unwrap();
    let (mut stream, _) = bench_accept(&bench, &listener).await;
    buffer.clear();
    assert_eq!(
        messages(&mut stream, &mut buffer, 9).await,
        numbered(161..170)
    );

    // A restart goes on after the last line sent.
    bench
        .until("it is recorded as sent", || async {
            let sent = bench.store.log_forwarded(&bench.model, SINK).await.unwrap();
            let end = bench
                .store
                .log_lines(&bench.model, sent, 0, 1)
                .await
                .unwrap();
            end.records.is_empty().then_some(())
        })
        .await;
    engine.kill();
    engine.wait().await.unwrap();
    log(&bench, numbered(170..172)).await;
    let engine = bench.engine();
    let (mut stream, _) = bench_accept(&bench, &listener).await;
    buffer.clear();
    assert_eq!(
        messages(&mut stream, &mut buffer, 2).await,
        numbered(170..172)
    );

    set(&bench, &[("logforward-enabled", "false")]).await;
    until_report(&bench, &engine, "off").await;
    bench.close(engine).await;
}

/// Accepts while the clock moves, since pauses between attempts are in its time.
async fn bench_accept(bench: &Bench, listener: &TcpListener) -> (TcpStream, std::net::SocketAddr) {
    let mut accept = pin!(listener.accept());
    for _ in 0..2000 {
        tokio::select! {
            accepted = &mut accept => return accepted.unwrap(),
            () = tokio::time::sleep(Duration::from_millis(10)) => {}
        }
        bench.clock.advance(Duration::from_millis(100));
    }
    panic!("nobody connects");
}

#[tokio::test]
async fn settings_that_make_no_sense_are_told_and_the_worker_idles() {
    let bench = Bench::new().await;
    let engine = bench.engine();
    bench.until_running(&engine, NAME).await;
    for (settings, words) in [
        (
            vec![("logforward-enabled", "true")],
            "syslog-host is not set",
        ),
        (vec![("syslog-host", "nowhere:port")], "is no HOST:PORT"),
        (
            vec![
                ("syslog-host", "logs.example"),
                ("syslog-ca-cert", "nonsense"),
            ],
            "syslog-ca-cert holds no certificate",
        ),
        (
            vec![("syslog-ca-cert", ""), ("syslog-client-cert", "x")],
            "needs syslog-ca-cert",
        ),
    ] {
        set(&bench, &settings).await;
        bench
            .until(words, || async {
                let report = report(&engine);
                let told = report["error"]
                    .as_str()
                    .is_some_and(|error| error.contains(words));
                (told && report["state"] == "invalid").then_some(())
            })
            .await;
    }
    assert_eq!(state(&engine, NAME), Some(NodeState::Started));
    set(&bench, &[("logforward-enabled", "false")]).await;
    until_report(&bench, &engine, "off").await;
    bench.close(engine).await;
}
