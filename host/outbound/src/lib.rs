//! HTTP requests to servers that are not ours: charm repositories, webhooks, Vaults, collectors of traces.
//!
//! A request goes to the address that was configured or nowhere: no redirect is followed and no proxy is used. A server
//! proves who it is by the authorities that were given for it, else by those of the machine. It has so much time, and
//! so much of its answer is read. What is said of a failure has neither the address nor a header, which may be secret.
//! What is asked, and what an answer means, is decided elsewhere.

#[cfg(test)]
mod tests;

use std::error::Error;
use std::time::Duration;

use reqwest::Certificate;
pub use reqwest::{Method, RequestBuilder, Response, StatusCode, Url, header};

/// Where distributions keep the authorities that a machine trusts.
const MACHINE: &[&str] = &[
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
];

/// For a connection, and for each part of an answer.
const STALL: Duration = Duration::from_secs(20);

/// Bytes that are read of an answer that says no, and characters of it that are passed on.
const REFUSAL: u64 = 4 << 10;
const TOLD: usize = 200;

/// Why there is no answer, for people. The first text is what the server is called.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    #[error("the authority given for {0} holds no certificate")]
    NoCertificate(&'static str),
    #[error("this machine trusts no authority to vouch for {0}: install ca-certificates")]
    NoAuthorities(&'static str),
    #[error("no connection to {0} can be made: {1}")]
    Unusable(&'static str, String),
    #[error("{0} does not answer in time")]
    Late(&'static str),
    #[error("{0} cannot be reached")]
    Unreachable(&'static str),
    #[error("{0} cannot be reached, or does not prove who it is")]
    Unproven(&'static str),
    #[error("the connection to {0} broke")]
    Broken(&'static str),
    #[error("{0} answers too much")]
    TooMuch(&'static str),
    #[error("{0} answers {1}")]
    Refused(&'static str, String),
}

impl Failure {
    /// An answer that says no, with the server's own words in short.
    #[must_use]
    pub fn refused(server: &'static str, status: StatusCode, said: &str) -> Self {
        let plain = |c: char| if c.is_control() { ' ' } else { c };
        let said: String = said.chars().map(plain).take(TOLD).collect();
        let answer = format!("{}: {}", status.as_u16(), said.trim());
        Self::Refused(server, answer.trim_end_matches(": ").to_owned())
    }

    fn of(server: &'static str, error: &reqwest::Error) -> Self {
        let encrypted = error.url().is_some_and(|url| url.scheme() == "https");
        match (error.is_timeout(), error.is_connect()) {
            (true, _) => Self::Late(server),
            (_, true) if encrypted => Self::Unproven(server),
            (_, true) => Self::Unreachable(server),
            _ => Self::Broken(server),
        }
    }
}

/// PEM with the authorities by which a server proves who it is: those that were given, else those of the machine.
///
/// # Errors
/// There is not one certificate.
pub fn authorities(server: &'static str, given: Option<&str>) -> Result<Vec<u8>, Failure> {
    let holds = |pem: &Vec<u8>| Certificate::from_pem_bundle(pem).is_ok_and(|it| !it.is_empty());
    let mut files = MACHINE.iter().filter_map(|path| std::fs::read(path).ok());
    let (found, missing) = match given.map(|pem| pem.as_bytes().to_vec()) {
        Some(pem) => (Some(pem).filter(holds), Failure::NoCertificate(server)),
        None => (files.find(holds), Failure::NoAuthorities(server)),
    };
    found.ok_or(missing)
}

/// Makes requests to one server. Clones share its connections.
#[derive(Clone, Debug)]
pub struct Client {
    server: &'static str,
    http: reqwest::Client,
}

impl Client {
    /// For the server at an address, which failures call `server`, with the authorities that were given for it. It has
    /// `patience` for a whole answer, where a request says nothing else.
    ///
    /// # Errors
    /// The address is none, or begins with `https` and there is nothing by which the server could prove who it is.
    pub fn new(
        server: &'static str,
        address: &str,
        given: Option<&str>,
        patience: Duration,
    ) -> Result<Self, Failure> {
        let unusable = |error: &dyn Error| Failure::Unusable(server, error.to_string());
        let url = Url::parse(address).map_err(|error| unusable(&error))?;
        let mut builder = reqwest::Client::builder()
            .timeout(patience)
            .connect_timeout(STALL)
            .read_timeout(STALL)
            .redirect(reqwest::redirect::Policy::none())
            .no_proxy();
        if url.scheme() == "https" {
            let pem = authorities(server, given)?;
            for certificate in Certificate::from_pem_bundle(&pem).unwrap_or_default() {
                builder = builder.add_root_certificate(certificate);
            }
        }
        let http = builder.build();
        let http = http.map_err(|error| unusable(error.source().unwrap_or(&error)))?;
        Ok(Self { server, http })
    }

    pub fn request(&self, method: Method, url: &str) -> RequestBuilder {
        self.http.request(method, url)
    }

    /// The head of the answer.
    ///
    /// # Errors
    /// The server cannot be reached, does not prove who it is, or does not answer in time.
    pub async fn send(&self, request: RequestBuilder) -> Result<Response, Failure> {
        let sent = request.send().await;
        sent.map_err(|error| Failure::of(self.server, &error))
    }

    /// The whole body of an answer.
    ///
    /// # Errors
    /// It has more than `most` bytes, or does not come.
    pub async fn body(&self, answer: Response, most: u64) -> Result<Vec<u8>, Failure> {
        let mut body = Vec::new();
        self.read(answer, &mut body, most).await?;
        match body.len() as u64 > most {
            true => Err(Failure::TooMuch(self.server)),
            false => Ok(body),
        }
    }

    /// That an answer says no, with the beginning of its body.
    pub async fn refusal(&self, answer: Response) -> Failure {
        let (status, mut body) = (answer.status(), Vec::new());
        // Why it was refused is worth a few words; that they do not come is not.
        let _ = self.read(answer, &mut body, REFUSAL).await;
        Failure::refused(self.server, status, &String::from_utf8_lossy(&body))
    }

    /// Reads to the end, or until there are more than `most` bytes.
    async fn read(&self, mut from: Response, to: &mut Vec<u8>, most: u64) -> Result<(), Failure> {
        while to.len() as u64 <= most {
            let part = from.chunk().await;
            match part.map_err(|error| Failure::of(self.server, &error))? {
                None => break,
                Some(part) => to.extend_from_slice(&part),
            }
        }
        Ok(())
    }
}
