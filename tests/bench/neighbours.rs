//! What a workload notices of a bad neighbour on the same machine: how long its requests take, one after the
//! other, beside each thing that a stranger or a handler can do.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result, ensure};
use periapt_tests::{Home, charm};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use crate::figures::Figures;
use crate::http::{CONSTANT, in_turn, until_answered};
use crate::report::{Budget, Report};

/// What its server is asked for; each does so without end, but for the first, which shows what being asked
/// without pause costs by itself.
const DEEDS: [&str; 5] = ["/", "/traps", "/loops", "/allocates", "/streams"];
/// Clients that begin a request and never end it.
const SLOW: usize = 200;
/// Connections over which nothing is asked.
const IDLE: usize = 10_000;
/// A client takes so much of an answer.
const TAKEN_BYTES: usize = 64 << 10;

/// The p99 of the application at `host`, alone and beside each.
pub async fn measure(
    report: &mut Report,
    home: &Home,
    at: SocketAddr,
    host: &str,
    requests: usize,
) -> Result<()> {
    home.ok(["deploy", &charm("unruly").display().to_string()])?;
    home.ok(["expose", "unruly"])?;
    home.until_workload("unruly/0", "active")?;
    let unruly = format!("unruly.test.localhost:{}", at.port());
    until_answered(at, &unruly, "/").await?;
    let alone = in_turn(at, host, CONSTANT, requests).await?;
    report.times("a neighbour, alone", &alone, None, None);
    for deed in DEEDS {
        let over = Arc::new(AtomicBool::new(false));
        let asking = tokio::spawn(ask(at, unruly.clone(), deed, over.clone()));
        let beside = in_turn(at, host, CONSTANT, requests).await?;
        over.store(true, Ordering::Relaxed);
        let asked = asking.await??;
        ensure!(asked > 0, "nothing was asked for {deed}");
        judge(report, deed, &alone, &beside);
    }
    let begin = format!("GET / HTTP/1.1\r\nhost: {unruly}\r\nx-slow: ");
    for (what, many, said) in [
        ("200 requests that do not end", SLOW, begin.as_str()),
        ("10,000 connections without a request", IDLE, ""),
    ] {
        let held = hold(at, many, said).await?;
        let beside = in_turn(at, host, CONSTANT, requests).await?;
        drop(held);
        judge(report, what, &alone, &beside);
    }
    home.ok(["remove-application", "unruly", "--no-prompt"])?;
    Ok(())
}

fn judge(report: &mut Report, beside: &str, alone: &Figures, took: &Figures) {
    let part = took.p(99).as_secs_f64() / alone.p(99).as_secs_f64();
    let label = format!("a neighbour's p99 beside {beside} / alone");
    report.budget(&label, part, "", Budget::AtMost(1.2));
}

/// Asks again and again, each time on a connection of its own, and takes a part of what is answered.
async fn ask(
    at: SocketAddr,
    host: String,
    path: &'static str,
    over: Arc<AtomicBool>,
) -> Result<usize> {
    let request = format!("GET {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n");
    let mut asked = 0;
    while !over.load(Ordering::Relaxed) {
        let mut stream = TcpStream::connect(at).await?;
        stream.write_all(request.as_bytes()).await?;
        asked += 1;
        let (mut piece, mut taken) = ([0; 4096], 0);
        while taken < TAKEN_BYTES && !over.load(Ordering::Relaxed) {
            let wait = std::time::Duration::from_millis(200);
            match tokio::time::timeout(wait, stream.read(&mut piece)).await {
                Ok(Ok(0) | Err(_)) => break,
                Ok(Ok(bytes)) => taken += bytes,
                // Looked at again whether it is over.
                Err(_) => {}
            }
        }
    }
    Ok(asked)
}

/// So many connections on which this was said.
async fn hold(at: SocketAddr, many: usize, said: &str) -> Result<Vec<TcpStream>> {
    let mut connecting = JoinSet::new();
    for _ in 0..many {
        let said = said.to_owned();
        connecting.spawn(async move {
            let mut stream = TcpStream::connect(at).await?;
            stream.write_all(said.as_bytes()).await?;
            std::io::Result::Ok(stream)
        });
    }
    let held = connecting.join_all().await.into_iter();
    held.collect::<std::io::Result<_>>()
        .context("not so many connections can be held here")
}
