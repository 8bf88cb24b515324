//! A request that came somewhere, and why one did not.

use std::convert::Infallible;
use std::net::SocketAddr;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::header::{CONTENT_LENGTH, HOST, HeaderValue};
use hyper::http::uri::PathAndQuery;
use hyper::{Method, Request, Response, StatusCode, Uri};
use periapt_model::{ApplicationName, UnitName};
use periapt_serving::Service;
use thiserror::Error;

use super::STRANGER;
use crate::gate::fields::{forwarded, remove_hops};
use crate::gate::names::host as named_host;
use crate::gate::pages::Page;
use crate::gate::websocket::{self, Asks};
use crate::gate::{NOT_HERE, REFUSED};
use crate::serve::answer::NOT_OFFERED;

/// The service that answers a request.
pub struct Reached {
    service: Service,
    unit: UnitName,
    port: u16,
}

/// Why a request was not answered.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NotReached {
    #[error("the model has no application or unit \"{name}\"{meant}")]
    Unknown {
        name: String,
        /// The name that was probably meant, as the end of the sentence.
        meant: String,
    },
    #[error("{0} is not exposed; expose it and ask again")]
    NotExposed(ApplicationName),
    #[error(
        "{0} has no such port open; a hook opens it with open_ports, in the range of capabilities.yaml"
    )]
    Closed(String),
    /// It is shown, and nothing answers.
    #[error("{0}")]
    Down(String),
    /// The gate takes no such request.
    #[error("{0}")]
    Refused(String),
    /// The head came and not all of the body.
    #[error("the answer was cut off: {0}")]
    CutOff(String),
}

impl Reached {
    pub(super) fn new(service: Service, unit: UnitName, port: u16) -> Self {
        Self {
            service,
            unit,
            port,
        }
    }

    pub fn unit(&self) -> &UnitName {
        &self.unit
    }

    /// Answers a request as one that came through the gate. `host` is what it names where it names nobody.
    ///
    /// # Errors
    /// A request that the gate takes none of, and an answer that is not whole.
    pub async fn answer(
        self,
        request: Request<Bytes>,
        host: &str,
    ) -> Result<Response<Bytes>, NotReached> {
        let refused = |page: Page| NotReached::Refused(page.text);
        if request.method() == Method::CONNECT {
            return Err(refused(Page::tunnel()));
        }
        let (parts, body) = request.into_parts();
        let request = Request::from_parts(parts, Full::new(body.clone()));
        match websocket::asks(&request) {
            Asks::Nothing => {}
            Asks::Badly => return Err(refused(Page::handshake())),
            Asks::Well => {
                let mut response = Response::new(Bytes::from_static(NOT_OFFERED.as_bytes()));
                *response.status_mut() = StatusCode::NOT_IMPLEMENTED;
                return Ok(response);
            }
        }
        let (mut parts, _) = request.into_parts();
        if parts.uri.authority().is_none() && !parts.headers.contains_key(HOST) {
            let host = HeaderValue::from_str(host).map_err(|_| refused(Page::unclear()))?;
            parts.headers.insert(HOST, host);
        }
        named_host(&parts.uri, &parts.headers).map_err(|_| refused(Page::unclear()))?;
        forwarded(&mut parts, SocketAddr::new(STRANGER, 0)).map_err(refused)?;
        parts.headers.remove(CONTENT_LENGTH);
        if !body.is_empty() {
            let length = HeaderValue::from(body.len());
            parts.headers.insert(CONTENT_LENGTH, length);
        }
        let path = parts.uri.path_and_query().cloned();
        parts.uri = Uri::from(path.unwrap_or_else(|| PathAndQuery::from_static("/")));
        let head = parts.method == Method::HEAD;
        let body = Full::new(body).map_err(|never: Infallible| -> hyper::Error { match never {} });
        let answer = self.service.answer(Request::from_parts(parts, body)).await;
        let (mut parts, body) = answer.into_parts();
        remove_hops(&mut parts.headers);
        parts.headers.remove(NOT_HERE);
        parts.headers.remove(REFUSED);
        let body = body.collect().await;
        let body = body.map_err(|cut| {
            let (unit, port) = (&self.unit, self.port);
            NotReached::CutOff(format!("{unit}, port {port}: {cut}"))
        })?;
        Ok(Response::from_parts(
            parts,
            match head {
                true => Bytes::new(),
                false => body.to_bytes(),
            },
        ))
    }
}
