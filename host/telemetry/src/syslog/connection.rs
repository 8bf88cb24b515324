//! Ways to a daemon.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use periapt_model::address::{HostPort, may_mean};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use thiserror::Error;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadHalf, WriteHalf};
use tokio::net::{TcpStream, UnixDatagram, lookup_host};
use tokio_rustls::TlsConnector;

/// Port of syslog over TLS (RFC 5425), and what daemons use over plain TCP.
const TLS_PORT: u16 = 6514;
const TCP_PORT: u16 = 514;

/// Why lines cannot be sent.
#[derive(Debug, Error)]
pub enum SyslogError {
    #[error("{0}")]
    Invalid(String),
    #[error("cannot connect to {target}: {source}")]
    Unreachable {
        target: String,
        source: std::io::Error,
    },
    #[error(
        "{target} resolves to {address}, which is not allowed for a name; set the address itself"
    )]
    Misleading { target: String, address: String },
    #[error("connection to {target} lost: {source}")]
    Lost {
        target: String,
        source: std::io::Error,
    },
}

impl SyslogError {
    /// A stable name, for machines.
    pub fn code(&self) -> &'static str {
        match self {
            SyslogError::Invalid(_) => "syslog-settings-invalid",
            SyslogError::Unreachable { .. } => "syslog-unreachable",
            SyslogError::Misleading { .. } => "syslog-host-misleading",
            SyslogError::Lost { .. } => "syslog-connection-lost",
        }
    }
}

/// Certificates as PEM texts. The client's two are both there or both empty.
#[derive(Clone, Copy, Debug)]
pub struct Tls<'a> {
    pub authority: &'a str,
    pub certificate: &'a str,
    pub key: &'a str,
}

/// A daemon elsewhere, with all that is needed to reach it. Making one checks everything that
/// can be checked without the network; what its name resolves to is checked before each connection
/// ([`may_mean`]), so that whoever answers for the name cannot lead the controller to itself.
#[derive(Clone)]
pub struct Target {
    host: HostPort,
    port: u16,
    tls: Option<(Arc<ClientConfig>, ServerName<'static>)>,
}

impl Target {
    /// `address` is `HOST`, `HOST:PORT` or `[ADDRESS]:PORT`.
    pub fn new(address: &str, tls: Option<Tls<'_>>) -> Result<Self, SyslogError> {
        let default = if tls.is_some() { TLS_PORT } else { TCP_PORT };
        let host = HostPort::parse(address)
            .ok_or_else(|| SyslogError::Invalid(format!("\"{address}\" is no HOST:PORT")))?;
        let port = host.port.unwrap_or(default);
        let tls = match tls {
            None => None,
            Some(tls) => {
                let name = ServerName::try_from(host.host.clone()).map_err(|_| {
                    SyslogError::Invalid(format!("\"{}\" is no host name", host.host))
                })?;
                Some((client_config(tls)?, name))
            }
        };
        Ok(Self { host, port, tls })
    }

    /// A connection; with TLS, once the other end has proven who it is.
    pub async fn connect(&self) -> Result<Remote, SyslogError> {
        let unreachable = |source| SyslogError::Unreachable {
            target: self.to_string(),
            source,
        };
        let found = lookup_host((self.host.host.as_str(), self.port)).await;
        let addresses = self.meant(found.map_err(unreachable)?.collect())?;
        let stream = TcpStream::connect(addresses.as_slice())
            .await
            .map_err(unreachable)?;
        let stream: Box<dyn Stream> = match &self.tls {
            None => Box::new(stream),
            Some((config, name)) => {
                let connector = TlsConnector::from(Arc::clone(config));
                let stream = connector.connect(name.clone(), stream).await;
                Box::new(stream.map_err(unreachable)?)
            }
        };
        let (read, write) = tokio::io::split(stream);
        Ok(Remote {
            target: self.to_string(),
            read,
            write,
        })
    }

    /// Those of the addresses that the name may stand for; the first other one is the error.
    pub(super) fn meant(&self, found: Vec<SocketAddr>) -> Result<Vec<SocketAddr>, SyslogError> {
        let (meant, others): (Vec<_>, Vec<_>) = found
            .into_iter()
            .partition(|address| may_mean(&self.host.host, address.ip()));
        match others.first() {
            Some(address) if meant.is_empty() => Err(SyslogError::Misleading {
                target: self.to_string(),
                address: address.ip().to_string(),
            }),
            _ => Ok(meant),
        }
    }

    pub fn is_encrypted(&self) -> bool {
        self.tls.is_some()
    }
}

impl std::fmt::Display for Target {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let shown = HostPort {
            port: Some(self.port),
            ..self.host.clone()
        };
        shown.fmt(f)
    }
}

trait Stream: AsyncRead + AsyncWrite + Unpin + Send + Sync {}
impl<T: AsyncRead + AsyncWrite + Unpin + Send + Sync> Stream for T {}

/// A connection to a daemon elsewhere.
pub struct Remote {
    target: String,
    read: ReadHalf<Box<dyn Stream>>,
    write: WriteHalf<Box<dyn Stream>>,
}

impl Remote {
    /// Hands the bytes to the operating system, all of them.
    pub async fn send(&mut self, bytes: &[u8]) -> Result<(), SyslogError> {
        let sent = async {
            self.write.write_all(bytes).await?;
            self.write.flush().await
        };
        sent.await.map_err(|source| SyslogError::Lost {
            target: self.target.clone(),
            source,
        })
    }

    /// Returns when the other end is gone. A daemon never answers, so whatever it says besides
    /// that is not read as anything.
    pub async fn gone(&mut self) -> SyslogError {
        let mut answer = [0; 256];
        let source = loop {
            match self.read.read(&mut answer).await {
                Ok(0) => break std::io::ErrorKind::UnexpectedEof.into(),
                Ok(_) => {}
                Err(source) => break source,
            }
        };
        SyslogError::Lost {
            target: self.target.clone(),
            source,
        }
    }
}

/// The local daemon's socket.
pub struct Local {
    socket: UnixDatagram,
    path: PathBuf,
}

impl Local {
    pub fn connect(path: &Path) -> Result<Self, SyslogError> {
        let connect = || {
            let socket = UnixDatagram::unbound()?;
            socket.connect(path)?;
            Ok(socket)
        };
        let socket = connect().map_err(|source| SyslogError::Unreachable {
            target: path.display().to_string(),
            source,
        })?;
        Ok(Self {
            socket,
            path: path.to_owned(),
        })
    }

    /// Sends one line.
    pub async fn send(&self, line: &[u8]) -> Result<(), SyslogError> {
        let sent = self.socket.send(line).await;
        sent.map(drop).map_err(|source| SyslogError::Lost {
            target: self.path.display().to_string(),
            source,
        })
    }
}

fn client_config(tls: Tls<'_>) -> Result<Arc<ClientConfig>, SyslogError> {
    let invalid = |what: &str, error: &dyn std::fmt::Display| {
        SyslogError::Invalid(format!("{what} is not usable: {error}"))
    };
    let mut roots = RootCertStore::empty();
    for certificate in certificates("syslog-ca-cert", tls.authority)? {
        roots
            .add(certificate)
            .map_err(|error| invalid("syslog-ca-cert", &error))?;
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| invalid("TLS", &error))?
        .with_root_certificates(roots);
    let config = match (tls.certificate.trim(), tls.key.trim()) {
        ("", "") => config.with_no_client_auth(),
        ("", _) | (_, "") => {
            return Err(SyslogError::Invalid(
                "syslog-client-cert and syslog-client-key belong together".to_owned(),
            ));
        }
        (certificate, key) => {
            let key: PrivateKeyDer<'static> = rustls_pemfile::private_key(&mut key.as_bytes())
                .ok()
                .flatten()
                .ok_or_else(|| {
                    SyslogError::Invalid("syslog-client-key holds no private key".to_owned())
                })?;
            config
                .with_client_auth_cert(certificates("syslog-client-cert", certificate)?, key)
                .map_err(|error| invalid("syslog-client-cert", &error))?
        }
    };
    Ok(Arc::new(config))
}

fn certificates(what: &str, pem: &str) -> Result<Vec<CertificateDer<'static>>, SyslogError> {
    let read: Result<Vec<_>, _> = rustls_pemfile::certs(&mut pem.as_bytes()).collect();
    match read {
        Ok(certificates) if !certificates.is_empty() => Ok(certificates),
        _ => Err(SyslogError::Invalid(format!("{what} holds no certificate"))),
    }
}
