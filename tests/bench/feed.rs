//! How far readers of events are behind those who write, and what a status costs.
//!
//! Everything goes over HTTPS to the real program: writes are settings of applications without
//! units, so that no agent has work and the figures are those of the controller alone.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use axum::Router;
use axum::http::header::CONTENT_TYPE;
use axum::routing::get;
use bytes::Bytes;
use periapt_client::rest::RestClient;
use periapt_model::config::Value;
use periapt_server::authority::{Authority, LeafResolver, server_config};
use periapt_tests::Home;
use periapt_tests::account::{client, session};
use periapt_wire::rest::ConfigChange;
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use crate::figures::{Figures, peak_memory, resident_memory};
use crate::load::wrk;
use crate::report::Report;
use crate::{MODEL, relations};

/// How much is measured.
pub struct Size {
    pub readers: usize,
    pub applications: usize,
    pub changes: usize,
    pub per_second: u64,
    /// Of each measurement with `wrk`.
    pub seconds: u64,
}

/// Writers at once: as many as it takes to reach the rate.
const WRITERS: usize = 32;

/// Lag of the readers and memory of the controller.
pub async fn lag(report: &mut Report, size: &Size) -> Result<()> {
    let home = Home::started()?;
    let client = client(&home).await?;
    let applications = deploy(&client, size.applications, 0).await?;
    let started = Instant::now();
    // When the last change of each application was sent, in nanoseconds since the start.
    let sent: Arc<Vec<AtomicU64>> =
        Arc::new(applications.iter().map(|_| AtomicU64::new(0)).collect());
    let lags = Arc::new(Mutex::new(Vec::new()));
    let mut readers = Vec::new();
    for _ in 0..size.readers {
        let mut events = client.events(Some(MODEL), None).await?;
        while events.next().await.context("the stream ended")??.event != "current" {}
        let (sent, lags) = (Arc::clone(&sent), Arc::clone(&lags));
        readers.push(tokio::spawn(async move {
            let mut own = Vec::new();
            while let Some(Ok(message)) = events.next().await {
                if message.event != "change" {
                    break;
                }
                let Some(index) = application(&message.data) else {
                    continue;
                };
                let now = started.elapsed().as_nanos() as u64;
                let then = sent[index].load(Ordering::Relaxed);
                if then > 0 {
                    own.push(Duration::from_nanos(now.saturating_sub(then)));
                }
                if own.len() >= 1_000 {
                    keep(&lags, &mut own);
                }
            }
            keep(&lags, &mut own);
        }));
    }
    let controller = home.controller_pid()?;
    let before = resident_memory(controller)?;
    let next = Arc::new(AtomicU64::new(0));
    let writing = Instant::now();
    let mut writers = Vec::new();
    for _ in 0..WRITERS {
        let (client, sent, next) = (client.clone(), Arc::clone(&sent), Arc::clone(&next));
        let applications = applications.clone();
        let (changes, per_second) = (size.changes as u64, size.per_second);
        writers.push(tokio::spawn(async move {
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= changes {
                    return Ok::<_, anyhow::Error>(());
                }
                let due = Duration::from_nanos(number * 1_000_000_000 / per_second);
                tokio::time::sleep(due.saturating_sub(writing.elapsed())).await;
                let index = number as usize % applications.len();
                sent[index].store(started.elapsed().as_nanos() as u64, Ordering::Relaxed);
                let salt = Value::Text(number.to_string());
                let change = ConfigChange {
                    set: [("salt".to_owned(), salt)].into_iter().collect(),
                    reset: Vec::new(),
                };
                client
                    .set_application_config(MODEL, &applications[index], &change)
                    .await?;
            }
        }));
    }
    for writer in writers {
        writer.await??;
    }
    let wrote = writing.elapsed();
    // What is on its way arrives.
    tokio::time::sleep(Duration::from_secs(2)).await;
    let (peak, after) = (peak_memory(controller)?, resident_memory(controller)?);
    // The streams end with their controller.
    periapt_tests::kill(controller);
    for reader in readers {
        reader.await?;
    }
    let lags = std::mem::take(
        &mut *lags
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner),
    );
    ensure!(!lags.is_empty(), "no reader heard of any change");
    let rate = size.changes as f64 / wrote.as_secs_f64();
    report.figure("changes over the API", rate, "/s");
    report.figure("events heard", lags.len() as f64, "");
    report.times(
        "from sending the write to reading its event",
        &Figures::new(lags),
        None,
        None,
    );
    report.figure("controller before", before as f64, "MiB");
    report.figure("controller after", after as f64, "MiB");
    report.figure("controller at most", peak as f64, "MiB");
    Ok(())
}

fn keep(lags: &Mutex<Vec<Duration>>, own: &mut Vec<Duration>) {
    lags.lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
        .append(own);
}

/// The number in `"key":"app17"`.
fn application(data: &str) -> Option<usize> {
    let (_, rest) = data.split_once("\"key\":\"app")?;
    rest.split('"').next()?.parse().ok()
}

/// Applications `app0`, `app1`, ... of the no-op charm.
async fn deploy(
    client: &RestClient,
    count: usize,
    units: u32,
) -> Result<Vec<periapt_model::ApplicationName>> {
    let charm = relations::upload(client, "noop").await?;
    let mut names = Vec::new();
    for number in 0..count {
        let name = format!("app{number}");
        relations::deploy(client, &charm, &name, units).await?;
        names.push(name.parse()?);
    }
    Ok(names)
}

/// Requests for the status and for the same bytes from a server that does nothing else.
pub async fn status(report: &mut Report, size: &Size) -> Result<()> {
    let home = Home::started()?;
    let client = client(&home).await?;
    deploy(&client, 100, 1).await?;
    crate::hooks::idle(&client, 100).await?;
    let (address, ca, token) = session(&home).await?;
    let url = format!("https://{address}/v1/models/{MODEL}/status");
    let body = fetch(&address, &ca, &token).await?;
    let authorization = format!("Authorization: Bearer {token}");
    let ours = wrk(&url, &[&authorization], size.seconds)?;
    let constant = Constant::serve(body.clone()).await?;
    let theirs = wrk(
        &format!("https://{}/status", constant.0),
        &[&authorization],
        size.seconds,
    )?;
    report.figure("status", body.len() as f64, "bytes");
    report.figure("64 connections", ours.rate, "/s");
    report.figure("64 connections, p99", ours.p99, "ms");
    report.figure(
        "the same bytes as a constant from axum alone",
        theirs.rate,
        "/s",
    );
    report.figure(
        "the same bytes as a constant from axum alone, p99",
        theirs.p99,
        "ms",
    );
    report.figure("ratio", ours.rate / theirs.rate, "times");
    Ok(())
}

async fn fetch(address: &str, ca: &str, token: &str) -> Result<Bytes> {
    let client = RestClient::new(&[address.to_owned()], ca)?.with(
        periapt_client::rest::Authorization::Bearer(token.to_owned()),
    );
    let status = client.status(MODEL, &[]).await?;
    ensure!(status.applications.len() == 100, "100 applications");
    Ok(Bytes::from(serde_json::to_vec(&status)?))
}

/// An axum server of one constant.
struct Constant(std::net::SocketAddr);

impl Constant {
    async fn serve(body: Bytes) -> Result<Self> {
        let socket = TcpListener::bind("127.0.0.1:0").await?;
        let address = socket.local_addr()?;
        let resolver = LeafResolver::new(
            Authority::generate("constant")?,
            &[],
            periapt_engine::SystemClock::shared(),
        )?;
        let listener = Tls {
            socket,
            acceptor: TlsAcceptor::from(server_config(&resolver)?),
        };
        let answer = move || async move { ([(CONTENT_TYPE, "application/json")], body) };
        let router = Router::new().route("/status", get(answer));
        tokio::spawn(async move { axum::serve(listener, router).await });
        Ok(Self(address))
    }
}

/// Connections with the controller's own TLS settings.
struct Tls {
    socket: TcpListener,
    acceptor: TlsAcceptor,
}

impl axum::serve::Listener for Tls {
    type Io = TlsStream<TcpStream>;
    type Addr = std::net::SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        loop {
            if let Ok((stream, address)) = self.socket.accept().await
                && stream.set_nodelay(true).is_ok()
                && let Ok(stream) = self.acceptor.accept(stream).await
            {
                return (stream, address);
            }
        }
    }

    fn local_addr(&self) -> std::io::Result<Self::Addr> {
        self.socket.local_addr()
    }
}
