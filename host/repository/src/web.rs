//! A repository that a web server hands out.

use std::time::Duration;

use reqwest::{Certificate, Client, StatusCode, redirect};

use crate::Fault;

/// For a connection, and for each part of an answer.
const PATIENCE: Duration = Duration::from_secs(20);

/// For a whole index, since somebody waits for it.
pub(super) const OF_INDEX: Duration = Duration::from_secs(20);

/// For a whole archive, however slowly it comes.
pub(super) const OF_ARCHIVE: Duration = Duration::from_secs(600);

/// Where a machine has the authorities that it trusts.
const SYSTEM_CERTIFICATES: &[&str] = &[
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/cert.pem",
];

pub(super) struct Web {
    http: Client,
    address: String,
}

impl Web {
    pub(super) fn new(address: &str) -> Result<Self, Fault> {
        let unusable = |why: String| Fault::Unreadable {
            file: address.to_owned(),
            why,
        };
        let url = reqwest::Url::parse(address).map_err(|error| unusable(error.to_string()))?;
        let mut builder = Client::builder()
            .connect_timeout(PATIENCE)
            .read_timeout(PATIENCE)
            .redirect(redirect::Policy::none())
            .no_proxy();
        if url.scheme() == "https" {
            for certificate in authorities() {
                builder = builder.add_root_certificate(certificate);
            }
        }
        let http = builder
            .build()
            .map_err(|error| unusable(error.to_string()))?;
        Ok(Self {
            http,
            address: address.trim_end_matches('/').to_owned(),
        })
    }

    /// A file of at most so many bytes; none where there is none.
    pub(super) async fn get(
        &self,
        name: &str,
        most: u64,
        patience: Duration,
    ) -> Result<Option<Vec<u8>>, Fault> {
        let file = format!("{}/{name}", self.address);
        let failed = |why: String| Fault::Unreadable {
            file: file.clone(),
            why,
        };
        let sent = self.http.get(&file).timeout(patience).send().await;
        let mut response = sent.map_err(|error| failed(unreachable(&error)))?;
        match response.status() {
            StatusCode::OK => {}
            StatusCode::NOT_FOUND | StatusCode::GONE => return Ok(None),
            status => return Err(failed(format!("the server answers {}", status.as_u16()))),
        }
        let mut bytes = Vec::new();
        loop {
            let part = response.chunk().await;
            match part.map_err(|error| failed(unreachable(&error)))? {
                None => return Ok(Some(bytes)),
                Some(part) => bytes.extend_from_slice(&part),
            }
            if bytes.len() as u64 > most {
                return Err(Fault::TooLarge { file, most });
            }
        }
    }
}

/// Those of the machine; none where it has none, and then no server is believed.
fn authorities() -> Vec<Certificate> {
    let mut files = SYSTEM_CERTIFICATES.iter();
    let pem = files.find_map(|path| std::fs::read(path).ok());
    let read = pem.and_then(|pem| Certificate::from_pem_bundle(&pem).ok());
    read.unwrap_or_default()
}

/// What went wrong on the way, without the address, which is shown beside it.
fn unreachable(error: &reqwest::Error) -> String {
    let what = match (error.is_timeout(), error.is_connect()) {
        (true, _) => "the server does not answer in time",
        (_, true) => "the server cannot be reached",
        _ => "the connection to the server broke",
    };
    what.to_owned()
}
