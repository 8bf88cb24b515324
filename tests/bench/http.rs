//! What a visitor of a workload waits for, beside a bare hyper server that sends the same bytes.
//!
//! The bare server is this program in a process of its own, with as many threads as there are cores. Both are asked
//! by `wrk` in turn, on connections that are kept.

use std::convert::Infallible;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use bytes::Bytes;
use http_body_util::{BodyExt, Empty, Full};
use hyper::body::Incoming;
use hyper::header::{CONTENT_TYPE, HOST};
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use periapt_tests::web::free_port;
use periapt_tests::{Home, PATIENCE, charm};

use crate::figures::Figures;
use crate::load::wrk;
use crate::report::{Budget, Report};

/// The argument with which this program is the bare server: a port and the file that it reads follow.
pub const BARE: &str = "--bare-http-server";
/// Answered by the counter without a look at any file.
pub const CONSTANT: &str = "/health";
const CONSTANT_ANSWER: &str = "ok\n";
const PAGE: &str = "/";

pub struct Size {
    /// Of each measurement with `wrk`.
    pub seconds: u64,
    /// Requests one after the other.
    pub requests: usize,
    /// Models whose process that serves rests.
    pub models: usize,
}

/// Figures about requests to web workloads.
pub async fn measure(report: &mut Report, size: &Size) -> Result<()> {
    let home = Home::started()?;
    let ingress = free_port()?;
    home.ok(["controller-config", &format!("ingress-port={ingress}")])?;
    for (name, file) in [("counter", "counter"), ("docs", "site")] {
        home.ok(["deploy", &charm(file).display().to_string(), name])?;
        home.ok(["expose", name])?;
        home.until_workload(&format!("{name}/0"), "active")?;
    }
    let units = [address(&home, "counter/0")?, address(&home, "docs/0")?];
    let [counter, docs] = units;
    let page = home.path().join("page.html");
    std::fs::write(&page, body(docs, PAGE).await?)?;
    let bare = Bare::start(&page).await?;
    ensure!(body(counter, CONSTANT).await? == CONSTANT_ANSWER);
    ensure!(body(bare.address, PAGE).await? == body(docs, PAGE).await?);

    let rate = |at: SocketAddr, path: &str| wrk(&format!("http://{at}{path}"), &[], size.seconds);
    let hyper = rate(bare.address, CONSTANT)?;
    let unit = rate(counter, CONSTANT)?;
    let by_name = wrk(
        &format!("http://127.0.0.1:{ingress}{CONSTANT}"),
        &[&format!("Host: counter.test.localhost:{ingress}")],
        size.seconds,
    )?;
    report.figure("bare hyper, a constant", hyper.rate, "requests/s");
    report.figure("a unit's address, a constant", unit.rate, "requests/s");
    report.figure("the same, p99", unit.p99, "ms");
    let (part, least) = (unit.rate / hyper.rate, Budget::AtLeast);
    report.budget("a unit's address / bare hyper", part, "", least(0.45));
    let part = by_name.rate / unit.rate;
    report.budget("ingress by name / a unit's address", part, "", least(0.6));

    let hyper = rate(bare.address, PAGE)?;
    let unit = rate(docs, PAGE)?;
    report.figure("bare hyper, a page from its file", hyper.rate, "requests/s");
    report.figure("site, a page from its file", unit.rate, "requests/s");
    let part = unit.rate / hyper.rate;
    report.budget(
        "site / bare hyper with the same file",
        part,
        "",
        least(0.35),
    );

    let none = None;
    let host = |name: &str| format!("{name}:{ingress}");
    let ingress_address = SocketAddr::from((Ipv4Addr::LOCALHOST, ingress));
    let bare_times = in_turn(bare.address, "bare", CONSTANT, size.requests).await?;
    report.times("bare hyper, one after the other", &bare_times, none, none);
    let direct = in_turn(counter, "counter", CONSTANT, size.requests).await?;
    report.times("a unit's address, one after the other", &direct, none, none);
    let name = host("counter.test.localhost");
    let named = in_turn(ingress_address, &name, CONSTANT, size.requests).await?;
    report.times("ingress by name, one after the other", &named, none, none);
    let more = named.p(50).saturating_sub(direct.p(50)).as_secs_f64() * 1000.0;
    report.budget("ingress by name adds, p50", more, "ms", Budget::AtMost(0.1));
    drop(bare);
    first(report, &home, ingress_address, size.models).await
}

/// The first request to a unit of a model whose process that serves has gone to rest.
async fn first(report: &mut Report, home: &Home, at: SocketAddr, models: usize) -> Result<()> {
    let file = charm("counter").display().to_string();
    let name = |number: usize| format!("rest{number}");
    for number in 0..models {
        let model = name(number);
        home.ok(["add-model", &model, "--no-switch"])?;
        home.ok(["deploy", &file, "counter", "--model", &model])?;
        home.ok(["expose", "counter", "--model", &model])?;
    }
    for number in 0..models {
        home.ok([
            "wait-for",
            "application",
            "counter",
            "--model",
            &name(number),
        ])?;
        let host = format!("counter.{}.localhost:{}", name(number), at.port());
        until_answered(at, &host, CONSTANT).await?;
    }
    // Each has a minute without a request.
    let begun = Instant::now();
    while !home.workload_pids("serve")?.is_empty() {
        ensure!(
            begun.elapsed() < PATIENCE * 3,
            "some process that serves does not rest"
        );
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    let mut took = Vec::new();
    for number in 0..models {
        let host = format!("counter.{}.localhost:{}", name(number), at.port());
        let begun = Instant::now();
        let answer = Kept::connect(at).await?.ask(&host, CONSTANT).await?;
        took.push(begun.elapsed());
        ensure!(answer == CONSTANT_ANSWER, "answered with {answer}");
    }
    let (p50, p99) = (Budget::AtMost(60.0), Budget::AtMost(250.0));
    let took = Figures::new(took);
    report.times(
        "first request to a unit at rest",
        &took,
        Some(p50),
        Some(p99),
    );
    Ok(())
}

pub async fn until_answered(at: SocketAddr, host: &str, path: &str) -> Result<()> {
    let begun = Instant::now();
    loop {
        match Kept::connect(at).await?.ask(host, path).await {
            Ok(_) => return Ok(()),
            Err(error) if begun.elapsed() > PATIENCE => bail!("{host} is not served: {error:#}"),
            Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
        }
    }
}

/// Where a unit listens, as `status` says.
fn address(home: &Home, unit: &str) -> Result<SocketAddr> {
    let status = home.until("an address", |status| shown(status, unit).is_some())?;
    shown(&status, unit).context("no address")
}

fn shown(status: &serde_json::Value, unit: &str) -> Option<SocketAddr> {
    let application = unit.split('/').next()?;
    let unit = &status["applications"][application]["units"][unit];
    let port = unit["open-ports"].get(0)?.as_str()?.split('/').next()?;
    let address = unit["public-address"].as_str()?;
    Some(SocketAddr::new(address.parse().ok()?, port.parse().ok()?))
}

pub async fn in_turn(at: SocketAddr, host: &str, path: &str, requests: usize) -> Result<Figures> {
    let mut connection = Kept::connect(at).await?;
    let mut took = Vec::with_capacity(requests);
    for _ in 0..requests {
        let begun = Instant::now();
        connection.ask(host, path).await?;
        took.push(begun.elapsed());
    }
    Ok(Figures::new(took))
}

async fn body(at: SocketAddr, path: &str) -> Result<String> {
    let begun = Instant::now();
    loop {
        let asked = async { Kept::connect(at).await?.ask(&at.to_string(), path).await };
        match asked.await {
            Ok(body) => return Ok(body),
            Err(error) if begun.elapsed() > PATIENCE => return Err(error),
            Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
        }
    }
}

/// A connection that is kept.
struct Kept(hyper::client::conn::http1::SendRequest<Empty<Bytes>>);

impl Kept {
    async fn connect(at: SocketAddr) -> Result<Self> {
        let stream = tokio::net::TcpStream::connect(at).await?;
        stream.set_nodelay(true)?;
        let (sender, connection) =
            hyper::client::conn::http1::handshake(TokioIo::new(stream)).await?;
        // It ends with its sender.
        tokio::spawn(connection);
        Ok(Self(sender))
    }

    async fn ask(&mut self, host: &str, path: &str) -> Result<String> {
        self.0.ready().await?;
        let request = Request::get(path).header(HOST, host).body(Empty::new())?;
        let answer = self.0.send_request(request).await?;
        let status = answer.status();
        let body = answer.into_body().collect().await?.to_bytes();
        let body = String::from_utf8(body.into())?;
        ensure!(status.is_success(), "answered with {status}: {body}");
        Ok(body)
    }
}

/// The bare server, for as long as this lives.
struct Bare {
    process: Child,
    address: SocketAddr,
}

impl Bare {
    async fn start(page: &Path) -> Result<Self> {
        let port = free_port()?;
        let process = Command::new(std::env::current_exe()?)
            .args([BARE, &port.to_string()])
            .arg(page)
            .stdin(Stdio::null())
            .spawn()?;
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let bare = Self { process, address };
        body(address, CONSTANT).await?;
        Ok(bare)
    }
}

impl Drop for Bare {
    fn drop(&mut self) {
        // It may be gone already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// What the bare server does until it is killed.
pub fn serve_bare(mut arguments: impl Iterator<Item = String>) -> Result<()> {
    let port: u16 = arguments.next().context("no port")?.parse()?;
    let page = PathBuf::from(arguments.next().context("no file")?);
    tokio::runtime::Runtime::new()?.block_on(async {
        let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
        loop {
            let (stream, _) = listener.accept().await?;
            stream.set_nodelay(true)?;
            let page = page.clone();
            let answer = hyper::service::service_fn(move |request| bare(request, page.clone()));
            let serving = hyper::server::conn::http1::Builder::new()
                .serve_connection(TokioIo::new(stream), answer);
            tokio::spawn(async move {
                // A client that leaves is none of its business.
                let _ = serving.await;
            });
        }
    })
}

async fn bare(
    request: Request<Incoming>,
    page: PathBuf,
) -> Result<Response<Full<Bytes>>, Infallible> {
    let (kind, bytes) = match request.uri().path() {
        CONSTANT => ("text/plain", Bytes::from_static(CONSTANT_ANSWER.as_bytes())),
        // On the spot: the file is in the page cache, and a thread of its own costs more.
        _ => ("text/html", std::fs::read(page).unwrap_or_default().into()),
    };
    let mut answer = Response::new(Full::new(bytes));
    let kind = hyper::header::HeaderValue::from_static(kind);
    answer.headers_mut().insert(CONTENT_TYPE, kind);
    Ok(answer)
}
