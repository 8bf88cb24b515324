//! Clients that take all they can without proving who they are: others get in all the same, and
//! agents that were killed come back, also where a process may open few files.

use std::collections::HashMap;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use periapt_tests::{Answer, Home, charm, program};
use rustix::process::{Pid, Resource, getrlimit, setrlimit};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls;
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::pki_types::pem::PemObject;

/// For one answer, on a machine that does other things too.
const PATIENCE: Duration = Duration::from_secs(60);
/// A controller that must be content with this many file descriptors.
const FEW: u64 = 1024;
/// Descriptors that a test needs for itself.
const SPARE: u64 = 200;

const UPGRADE: &str = "GET /api HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
    Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";

/// A controller with a model and one unit, and how to reach its port.
pub struct Port {
    pub home: Home,
    address: String,
    connector: TlsConnector,
}

pub type Stream = TlsStream<TcpStream>;

impl Port {
    /// `limits` are words for the shell's `ulimit`, of the controller and so of its agents.
    pub fn open(limits: &str) -> Result<Self> {
        // This process holds the other ends.
        let mut own = getrlimit(Resource::Nofile);
        own.current = own.maximum;
        setrlimit(Resource::Nofile, own)?;
        let home = Home::new()?;
        let data = home.controller_directory().display().to_string();
        let arguments = ["bootstrap", "tester", "--port", "0", "--data-dir", &data];
        let made = within(&home, limits, &arguments)?;
        ensure!(made.code == 0, "{made:?}");
        home.ok(["add-model", "test"])?;
        home.ok(["deploy", &charm("site").display().to_string(), "site"])?;
        home.until_workload("site/0", "active")?;

        let text = std::fs::read_to_string(home.path().join("client/controllers.yaml"))?;
        let controllers: serde_json::Value = serde_saphyr::from_str(&text)?;
        let controller = &controllers["controllers"]["tester"];
        let address = controller["api-endpoints"][0].as_str();
        let address = address.context("no endpoint")?.to_owned();
        let ca = controller["ca-cert"].as_str().context("no CA")?;
        let mut roots = rustls::RootCertStore::empty();
        roots.add(CertificateDer::from_pem_slice(ca.as_bytes())?)?;
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = rustls::ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_root_certificates(roots)
            .with_no_client_auth();
        Ok(Self {
            home,
            address,
            connector: TlsConnector::from(Arc::new(config)),
        })
    }

    pub async fn connect(&self) -> Result<Stream> {
        let connecting = async {
            let stream = TcpStream::connect(&self.address).await?;
            let name = "juju-apiserver".try_into()?;
            Ok(self.connector.connect(name, stream).await?)
        };
        timeout(PATIENCE, connecting).await?
    }

    /// A websocket whose handshake is done, by hand, so that nothing is sent by itself.
    async fn websocket(&self) -> Result<Stream> {
        let mut stream = self.connect().await?;
        stream.write_all(UPGRADE.as_bytes()).await?;
        let mut answer = Vec::new();
        while !answer.ends_with(b"\r\n\r\n") {
            answer.push(timeout(PATIENCE, stream.read_u8()).await??);
        }
        ensure!(answer.starts_with(b"HTTP/1.1 101"), "{answer:?}");
        Ok(stream)
    }

    /// Many connections that each say `words` and nothing more. Those that are ended meanwhile
    /// are no loss.
    async fn flood(self: &Arc<Self>, count: usize, words: &'static str) -> Vec<Stream> {
        // Where this process may not have as many, with all that it may have.
        let own = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
        let count = count.min(usize::try_from(own.saturating_sub(SPARE)).unwrap_or(count));
        let mut coming = JoinSet::new();
        let mut there = Vec::new();
        for _ in 0..count {
            if coming.len() >= 64 {
                there.extend(coming.join_next().await.and_then(Result::ok).flatten());
            }
            let port = Arc::clone(self);
            coming.spawn(async move {
                let mut stream = port.connect().await.ok()?;
                stream.write_all(words.as_bytes()).await.ok()?;
                stream.flush().await.ok()?;
                Some(stream)
            });
        }
        while let Some(done) = coming.join_next().await {
            there.extend(done.ok().flatten());
        }
        there
    }

    /// One request on a connection of its own: the whole answer.
    async fn ask(&self, request: &str) -> Result<String> {
        let mut stream = self.connect().await?;
        stream.write_all(request.as_bytes()).await?;
        let mut answer = Vec::new();
        timeout(PATIENCE, stream.read_to_end(&mut answer)).await??;
        Ok(String::from_utf8_lossy(&answer).into_owned())
    }

    /// A token of the person who bootstrapped.
    pub async fn token(&self) -> Result<String> {
        let text = std::fs::read_to_string(self.home.path().join("client/accounts.yaml"))?;
        let accounts: serde_json::Value = serde_saphyr::from_str(&text)?;
        let account = &accounts["controllers"]["tester"];
        let login = serde_json::json!({ "user": account["user"], "password": account["password"] });
        let login = login.to_string();
        let answer = self
            .ask(&format!(
                "POST /v1/login HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n\
                 Content-Length: {}\r\n\r\n{login}",
                login.len()
            ))
            .await?;
        let body = answer.split("\r\n\r\n").nth(1).context("no body")?;
        let reply: serde_json::Value = serde_json::from_str(body)?;
        Ok(reply["token"].as_str().context("no token")?.to_owned())
    }

    /// Commands are answered, and an agent that is killed comes back.
    async fn serves(self: &Arc<Self>) -> Result<()> {
        let port = Arc::clone(self);
        tokio::task::spawn_blocking(move || {
            let home = &port.home;
            let began = Instant::now();
            home.ok(["status"])?;
            ensure!(began.elapsed() < PATIENCE, "{:?}", began.elapsed());
            let before = home.agent_pids()?;
            before.iter().copied().for_each(periapt_tests::kill);
            home.ok(["config", "site", &format!("title=after {before:?}")])?;
            home.until("another agent is at work", |model| {
                let unit = &model["applications"]["site"]["units"]["site/0"];
                let now = home.agent_pids().unwrap_or_default();
                !now.is_empty()
                    && now != before
                    && unit["juju-status"]["current"] == "idle"
                    && unit["workload-status"]["current"] == "active"
            })?;
            Ok(())
        })
        .await?
    }

    fn controller(&self) -> Result<Pid> {
        self.home.controller_pid()
    }

    fn log(&self) -> Result<String> {
        let path = self.home.controller_directory().join("controller.log");
        Ok(std::fs::read_to_string(path)?)
    }
}

/// Runs the program with other limits than this process has.
fn within(home: &Home, limits: &str, arguments: &[&str]) -> Result<Answer> {
    let plain = home.command(arguments);
    let environment: HashMap<_, _> = plain
        .get_envs()
        .filter_map(|(name, value)| Some((name, value?)))
        .collect();
    let script = format!("ulimit {limits}; exec \"$0\" \"$@\"");
    let output = Command::new("sh")
        .args(["-c", &script])
        .arg(program())
        .args(arguments)
        .envs(environment)
        .current_dir(home.path())
        .output()?;
    Ok(output.into())
}

/// Resident bytes of a process.
fn memory(pid: Pid) -> Result<u64> {
    let path = PathBuf::from(format!("/proc/{}/status", pid.as_raw_nonzero()));
    let status = std::fs::read_to_string(path)?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.context("no VmRSS")?.trim().trim_end_matches(" kB");
    Ok(kilobytes.parse::<u64>()? << 10)
}

/// Soft and hard limit of a process for its open files.
fn files(pid: Pid) -> Result<(String, String)> {
    let path = format!("/proc/{}/limits", pid.as_raw_nonzero());
    let limits = std::fs::read_to_string(path)?;
    let line = limits
        .lines()
        .find(|line| line.starts_with("Max open files"));
    let mut words = line.context("no limit")?.split_whitespace().skip(3);
    match (words.next(), words.next()) {
        (Some(soft), Some(hard)) => Ok((soft.to_owned(), hard.to_owned())),
        _ => bail!("{limits}"),
    }
}

#[test]
fn controller_and_agents_take_the_file_descriptors_they_may_have() -> Result<()> {
    let port = Port::open("-S -n 256")?;
    for pid in [port.controller()?]
        .into_iter()
        .chain(port.home.agent_pids()?)
    {
        let (soft, hard) = files(pid)?;
        assert_eq!(soft, hard);
        assert_ne!(soft, "256");
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_query_of_ten_thousand_terms_does_not_end_the_controller() -> Result<()> {
    let port = Arc::new(Port::open(&format!("-n {FEW}"))?);
    let before = port.controller()?;
    let token = port.token().await?;
    for (terms, bars) in [(5_000, "%7C%7C"), (10_000, "||"), (10_000, "%7C%7C")] {
        let query = vec!["a"; terms].join(bars);
        let answer = port
            .ask(&format!(
                "GET /v1/models/test/wait?kind=application&name=site&query={query} HTTP/1.1\r\nHost: x\r\n\
                 Authorization: Bearer {token}\r\nConnection: close\r\n\r\n"
            ))
            .await?;
        // The longest is longer than an address, and than a head, may be.
        let refusals: &[&str] = match query.len() {
            0..60_000 => &["400"],
            _ => &["414", "431"],
        };
        let status = answer.split(' ').nth(1).unwrap_or_default();
        assert!(refusals.contains(&status), "{terms}: {answer}");
    }
    port.serves().await?;
    assert_eq!(port.controller()?, before);
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn logins_that_never_end_keep_nobody_out() -> Result<()> {
    let port = Arc::new(Port::open(&format!("-n {FEW}"))?);
    let words = "POST /v1/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n\
        Content-Length: 1000\r\n\r\n{";
    let held = port.flood(996, words).await;
    port.serves().await?;
    drop(held);
    let log = port.log()?;
    let told = log.matches("cannot accept connections").count();
    assert!(told <= 2, "{told} lines about one shortage");
    assert!(log.contains("raise the limit"), "{log}");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn connections_that_stop_while_logging_in_make_room_for_others() -> Result<()> {
    for (limits, count) in [
        (format!("-n {FEW}"), 1_500),
        ("-S -n 1024".to_owned(), 4_200),
    ] {
        let port = Arc::new(Port::open(&limits)?);
        let held = port.flood(count, UPGRADE).await;
        port.serves().await?;
        drop(held);
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn unfinished_messages_of_strangers_take_no_memory() -> Result<()> {
    let port = Arc::new(Port::open(&format!("-n {FEW}"))?);
    let before = memory(port.controller()?)?;
    // The beginning of a message of 15 MB, and as much of it as is taken.
    let mut head = vec![0x81, 0xff];
    head.extend_from_slice(&15_000_000_u64.to_be_bytes());
    head.extend_from_slice(&[0; 4]);
    let mut held = Vec::new();
    for _ in 0..60 {
        let mut stream = port.websocket().await?;
        let part = vec![b'x'; 64 << 10];
        let sending = async {
            stream.write_all(&head).await?;
            for _ in 0..228 {
                stream.write_all(&part).await?;
            }
            stream.flush().await
        };
        // Ended by the controller, or simply not read.
        let _ = timeout(Duration::from_secs(2), sending).await;
        held.push(stream);
    }
    let grown = memory(port.controller()?)?.saturating_sub(before);
    assert!(grown < 150 << 20, "{} MiB more", grown >> 20);
    port.serves().await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_that_says_nothing_ends() -> Result<()> {
    let port = Arc::new(Port::open(&format!("-n {FEW}"))?);
    let mut mute = TcpStream::connect(&port.address).await?;
    let mut shaken = port.connect().await?;
    let mut upgraded = port.websocket().await?;
    let mut rest = Vec::new();
    let _ = timeout(PATIENCE, mute.read_to_end(&mut rest)).await?;
    let _ = timeout(PATIENCE, shaken.read_to_end(&mut rest)).await?;
    let _ = timeout(PATIENCE, upgraded.read_to_end(&mut rest)).await?;
    Ok(())
}
