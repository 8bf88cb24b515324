//! Receivers of alerts on this machine: a webhook, and a mail server that speaks as much SMTP as a client needs, with
//! STARTTLS where it has a certificate. Both remember what they were sent.

use std::net::Ipv4Addr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Runtime;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};

use crate::PATIENCE;

fn locked<T>(kept: &Mutex<T>) -> MutexGuard<'_, T> {
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Waits until something is there.
fn until<T>(what: &str, look: impl Fn() -> Option<T>) -> Result<T> {
    let started = Instant::now();
    while started.elapsed() < PATIENCE {
        if let Some(found) = look() {
            return Ok(found);
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    bail!("waited in vain for {what}")
}

/// A message as a webhook got it.
#[derive(Clone, Debug)]
pub struct Posted {
    pub delivery: String,
    pub timestamp: String,
    pub signature: String,
    pub body: Vec<u8>,
}

impl Posted {
    /// Its body as JSON.
    pub fn json(&self) -> Result<Value> {
        Ok(serde_json::from_slice(&self.body)?)
    }
}

#[derive(Default)]
struct Hook {
    posted: Mutex<Vec<Posted>>,
    refuses: AtomicBool,
}

/// Takes HTTP POSTs.
pub struct Webhook {
    hook: Arc<Hook>,
    port: u16,
    _runtime: Runtime,
}

impl Webhook {
    pub fn started() -> Result<Self> {
        let hook = Arc::new(Hook::default());
        let runtime = Runtime::new()?;
        let listener = runtime.block_on(TcpListener::bind((Ipv4Addr::LOCALHOST, 0)))?;
        let port = listener.local_addr()?.port();
        let routes = Router::new()
            .route("/alerts", post(take))
            .with_state(Arc::clone(&hook));
        runtime.spawn(async move { axum::serve(listener, routes).await });
        Ok(Self {
            hook,
            port,
            _runtime: runtime,
        })
    }

    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/alerts", self.port)
    }

    /// Answers 503 from now on, or takes messages again.
    pub fn refuse(&self, refuses: bool) {
        self.hook.refuses.store(refuses, Ordering::SeqCst);
    }

    /// What it was sent, refused or not.
    pub fn posted(&self) -> Vec<Posted> {
        locked(&self.hook.posted).clone()
    }

    /// The first message about a rule that has so many alerts that began and that ended.
    pub fn until_told(&self, rule: &str, firing: u64, resolved: u64) -> Result<Posted> {
        let what = format!("a message of {rule} with {firing} firing and {resolved} resolved");
        until(&what, || {
            self.posted().into_iter().find(|one| {
                let Ok(body) = one.json() else {
                    return false;
                };
                body["rule"] == rule && body["firing"] == firing && body["resolved"] == resolved
            })
        })
    }
}

async fn take(State(hook): State<Arc<Hook>>, headers: HeaderMap, body: Bytes) -> StatusCode {
    let header = |name: &str| {
        let value = headers.get(name).and_then(|value| value.to_str().ok());
        value.unwrap_or_default().to_owned()
    };
    locked(&hook.posted).push(Posted {
        delivery: header("x-periapt-delivery"),
        timestamp: header("x-periapt-timestamp"),
        signature: header("x-periapt-signature"),
        body: body.to_vec(),
    });
    match hook.refuses.load(Ordering::SeqCst) {
        true => StatusCode::SERVICE_UNAVAILABLE,
        false => StatusCode::NO_CONTENT,
    }
}

/// An e-mail as the server got it.
#[derive(Clone, Debug, Default)]
pub struct Mailed {
    pub from: String,
    pub to: Vec<String>,
    /// Headers and body.
    pub text: String,
    pub encrypted: bool,
    /// What was sent to log in, in base64; empty for nothing.
    pub login: String,
}

struct Post {
    mails: Mutex<Vec<Mailed>>,
    acceptor: Option<TlsAcceptor>,
    /// The login that is taken, in base64 as `AUTH PLAIN` has it; any when empty.
    login: String,
}

/// Takes e-mails.
pub struct MailServer {
    post: Arc<Post>,
    pub port: u16,
    /// The authority that vouches for its certificate, PEM; empty for one without.
    pub authority: String,
    _runtime: Runtime,
}

impl MailServer {
    /// One that offers STARTTLS, or one that does not know it. `login` is the only one that it takes, unless it is
    /// empty.
    pub fn started(encrypts: bool, login: &str) -> Result<Self> {
        let (acceptor, authority) = match encrypts {
            false => (None, String::new()),
            true => {
                let (acceptor, authority) = certified()?;
                (Some(acceptor), authority)
            }
        };
        let post = Arc::new(Post {
            mails: Mutex::default(),
            acceptor,
            login: login.to_owned(),
        });
        let runtime = Runtime::new()?;
        let listener = runtime.block_on(TcpListener::bind((Ipv4Addr::LOCALHOST, 0)))?;
        let port = listener.local_addr()?.port();
        let taking = Arc::clone(&post);
        runtime.spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let post = Arc::clone(&taking);
                tokio::spawn(async move { serve(stream, &post).await });
            }
        });
        Ok(Self {
            post,
            port,
            authority,
            _runtime: runtime,
        })
    }

    pub fn mails(&self) -> Vec<Mailed> {
        locked(&self.post.mails).clone()
    }

    /// The first mail whose subject has this.
    pub fn until_mailed(&self, subject: &str) -> Result<Mailed> {
        until(&format!("a mail about {subject}"), || {
            self.mails().into_iter().find(|mail| {
                let mut lines = mail.text.lines();
                lines.any(|line| line.starts_with("Subject: ") && line.contains(subject))
            })
        })
    }
}

/// An acceptor with a certificate for `localhost`, and the authority that vouches for it.
fn certified() -> Result<(TlsAcceptor, String)> {
    let mut params = CertificateParams::default();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let key = KeyPair::generate()?;
    let authority = params.self_signed(&key)?.pem();
    let issuer = Issuer::new(params, key);
    let params = CertificateParams::new(vec!["localhost".to_owned()])?;
    let key = KeyPair::generate()?;
    let certificate = params.signed_by(&key, &issuer)?;
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
    let config = ServerConfig::builder_with_provider(Arc::new(
        tokio_rustls::rustls::crypto::ring::default_provider(),
    ))
    .with_safe_default_protocol_versions()?
    .with_no_client_auth()
    .with_single_cert(vec![certificate.der().clone()], key)?;
    Ok((TlsAcceptor::from(Arc::new(config)), authority))
}

async fn serve(stream: TcpStream, post: &Post) -> Result<()> {
    let mut plain = BufReader::new(stream);
    plain.write_all(b"220 localhost test\r\n").await?;
    if !talk(&mut plain, post, false).await? {
        return Ok(());
    }
    let acceptor = post.acceptor.as_ref().context("no certificate")?;
    let encrypted = acceptor.accept(plain.into_inner()).await?;
    talk(&mut BufReader::new(encrypted), post, true).await?;
    Ok(())
}

/// Answers a client until it leaves, or until it wants to be encrypted, which is then true.
async fn talk<S: AsyncRead + AsyncWrite + Unpin>(
    stream: &mut BufReader<S>,
    post: &Post,
    encrypted: bool,
) -> Result<bool> {
    let mut mail = Mailed {
        encrypted,
        ..Mailed::default()
    };
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await? == 0 {
            return Ok(false);
        }
        let line = line.trim_end();
        let word = line.split([' ', ':']).next().unwrap_or_default();
        let answer = match word.to_ascii_uppercase().as_str() {
            "EHLO" | "HELO" if post.acceptor.is_some() && !encrypted => {
                "250-localhost\r\n250-STARTTLS\r\n250 AUTH PLAIN\r\n"
            }
            "EHLO" | "HELO" => "250-localhost\r\n250 AUTH PLAIN\r\n",
            "STARTTLS" if post.acceptor.is_some() && !encrypted => {
                stream.write_all(b"220 go ahead\r\n").await?;
                stream.flush().await?;
                return Ok(true);
            }
            "AUTH" => {
                mail.login = line.rsplit(' ').next().unwrap_or_default().to_owned();
                match post.login.is_empty() || mail.login == post.login {
                    true => "235 welcome\r\n",
                    false => "535 who are you?\r\n",
                }
            }
            "MAIL" => {
                mail.from = address(line);
                "250 ok\r\n"
            }
            "RCPT" => {
                mail.to.push(address(line));
                "250 ok\r\n"
            }
            "DATA" => {
                stream.write_all(b"354 go ahead\r\n").await?;
                stream.flush().await?;
                mail.text = text(stream).await?;
                locked(&post.mails).push(mail.clone());
                mail.to.clear();
                "250 taken\r\n"
            }
            "QUIT" => {
                stream.write_all(b"221 bye\r\n").await?;
                stream.flush().await?;
                return Ok(false);
            }
            "NOOP" | "RSET" => "250 ok\r\n",
            _ => "502 what?\r\n",
        };
        stream.write_all(answer.as_bytes()).await?;
        stream.flush().await?;
    }
}

/// `MAIL FROM:<ann@example.com> BODY=8BITMIME` is from `ann@example.com`.
fn address(line: &str) -> String {
    let inner = line
        .split_once('<')
        .and_then(|(_, rest)| rest.split_once('>'));
    inner
        .map(|(address, _)| address.to_owned())
        .unwrap_or_default()
}

/// Lines up to the one with a single dot.
async fn text<S: AsyncRead + AsyncWrite + Unpin>(stream: &mut BufReader<S>) -> Result<String> {
    let mut text = String::new();
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await? == 0 {
            bail!("the mail has no end");
        }
        if line.trim_end() == "." {
            return Ok(text);
        }
        text.push_str(line.strip_prefix('.').unwrap_or(&line));
    }
}
