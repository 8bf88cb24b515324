//! What a workload notices of a bad neighbour on the same machine: how long its requests take, one after the
//! other, beside each thing that a stranger or a handler can do.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use periapt_tests::web::free_port;
use periapt_tests::{Home, charm};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use crate::figures::Figures;
use crate::http::{CONSTANT, in_turn, until_answered};
use crate::report::{Budget, Report};

/// The argument with which this program is the stranger: an address, a host and a path follow, and whether he waits.
pub const STRANGER: &str = "--stranger";
/// What its server is asked for. Each goes on without end, but for the first, which shows what being asked costs by
/// itself.
const DEEDS: [(&str, &str); 5] = [
    ("its page", "/"),
    ("a handler that traps", "/traps"),
    ("one that loops", "/loops"),
    ("one that takes memory until it is ended", "/allocates"),
    ("one that streams", "/streams"),
];
/// A stranger asks so often, or as often as he can, and takes an answer as a line of 100 Mbit/s does.
const EVERY: Duration = Duration::from_millis(100);
const LINE_BYTES: usize = 12_500_000;
/// Of an answer, by those who ask as often as they can.
const PART_BYTES: usize = 64 << 10;
/// Clients that begin a request and never end it.
const SLOW: usize = 200;
/// Connections over which nothing is asked.
const IDLE: usize = 10_000;

/// The p99 of an application that answers with a constant, alone and beside each.
pub async fn measure(report: &mut Report, requests: usize) -> Result<()> {
    let home = Home::started()?;
    let ingress = free_port()?;
    home.ok(["controller-config", &format!("ingress-port={ingress}")])?;
    for name in ["counter", "unruly"] {
        home.ok(["deploy", &charm(name).display().to_string()])?;
        home.ok(["expose", name])?;
        home.until_workload(&format!("{name}/0"), "active")?;
    }
    let at = SocketAddr::from((Ipv4Addr::LOCALHOST, ingress));
    let host = format!("counter.test.localhost:{ingress}");
    let host = host.as_str();
    until_answered(at, host, CONSTANT).await?;
    let unruly = format!("unruly.test.localhost:{}", at.port());
    until_answered(at, &unruly, "/").await?;
    let alone = in_turn(at, host, CONSTANT, requests).await?;
    report.times("a neighbour, alone", &alone, None, None);
    for (what, path) in DEEDS {
        for waits in [true, false] {
            let mut stranger = Stranger::begin(at, &unruly, path, waits)?;
            let beside = in_turn(at, host, CONSTANT, requests).await?;
            ensure!(stranger.asks()?, "nobody asked for {path}");
            match waits {
                true => judge(report, what, &alone, &beside),
                false => {
                    let label = format!("beside {what}, asked without pause, p99");
                    let part = times(&alone, &beside);
                    report.figure(&label, part, "times");
                }
            }
        }
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
    Ok(())
}

fn judge(report: &mut Report, beside: &str, alone: &Figures, took: &Figures) {
    let label = format!("a neighbour's p99 beside {beside} / alone");
    let budget = Budget::AtMost(1.2);
    report.budget(&label, times(alone, took), "", budget);
}

fn times(alone: &Figures, took: &Figures) -> f64 {
    took.p(99).as_secs_f64() / alone.p(99).as_secs_f64()
}

/// A stranger, who asks again and again until this is dropped. What he computes himself is not done on this machine
/// otherwise, so he is a process of lowest priority.
struct Stranger(Child);

impl Stranger {
    fn begin(at: SocketAddr, host: &str, path: &str, waits: bool) -> Result<Self> {
        let process = Command::new("nice")
            .args(["-n", "19"])
            .arg(std::env::current_exe()?)
            .args([STRANGER, &at.to_string(), host, path, &waits.to_string()])
            .stdin(Stdio::null())
            .spawn()?;
        Ok(Self(process))
    }

    /// Whether he still does: what he meets that is no answer ends him.
    fn asks(&mut self) -> Result<bool> {
        Ok(self.0.try_wait()?.is_none())
    }
}

impl Drop for Stranger {
    fn drop(&mut self) {
        // It may be gone already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// What a stranger does until he is killed, on a connection of its own for each request. One who waits takes whole
/// answers.
pub fn ask(mut arguments: impl Iterator<Item = String>) -> Result<()> {
    let mut argument = || arguments.next().context("an argument is missing");
    let at: SocketAddr = argument()?.parse()?;
    let (host, path, waits) = (argument()?, argument()?, argument()?.parse::<bool>()?);
    let request = format!("GET {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n");
    let mut piece = vec![0; PART_BYTES];
    loop {
        let begun = Instant::now();
        let mut stream = std::net::TcpStream::connect(at)?;
        stream.write_all(request.as_bytes())?;
        let mut taken = 0;
        while waits || taken < PART_BYTES {
            match stream.read(&mut piece) {
                Ok(0) | Err(_) => break,
                Ok(bytes) => taken += bytes,
            }
            if waits {
                let over = Duration::from_secs_f64(taken as f64 / LINE_BYTES as f64);
                std::thread::sleep(over.saturating_sub(begun.elapsed()));
            }
        }
        // A stream that is ended in the middle may end with an error, and not before something came.
        ensure!(taken > 0, "no answer");
        if waits {
            std::thread::sleep(EVERY.saturating_sub(begun.elapsed()));
        }
    }
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
