//! What the gate says itself: a small page each time, which names what the stranger named already and, where it
//! is shown to them, the unit and why it does not answer.

use std::fmt;

use bytes::Bytes;
use http_body_util::Full;
use hyper::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use hyper::{Response, StatusCode};
use periapt_model::UnitName;
use periapt_model::workload::service::Current;

use super::names::{Named, named, parts};
use super::pass::Given;

/// A page.
#[derive(Debug)]
pub struct Page {
    pub status: StatusCode,
    pub text: String,
    /// What can be done.
    pub advice: String,
    /// The service was reached and refused the request: it counted it, and nobody else is asked.
    pub of_service: bool,
}

/// A unit, and its service where it is known.
pub struct Who<'a> {
    pub unit: &'a UnitName,
    pub service: Option<&'a str>,
}

impl fmt::Display for Who<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.service {
            Some(service) => write!(f, "The service {service} of {}", self.unit),
            None => write!(f, "{}", self.unit),
        }
    }
}

impl Page {
    fn new(status: StatusCode, text: impl Into<String>, advice: impl Into<String>) -> Self {
        Self {
            status,
            text: text.into(),
            advice: advice.into(),
            of_service: false,
        }
    }

    pub fn unclear() -> Self {
        Self::new(
            StatusCode::BAD_REQUEST,
            "The request names no host, or more than one.",
            "",
        )
    }

    pub fn large() -> Self {
        let status = StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE;
        Self::new(status, "The request has too many header fields.", "")
    }

    pub fn busy() -> Self {
        let text = "Too many requests are under way on this machine.";
        Self::new(StatusCode::SERVICE_UNAVAILABLE, text, "Try again soon.")
    }

    pub fn broken() -> Self {
        let text = "The body of the request is not well-formed, or did not come to its end.";
        Self::new(StatusCode::BAD_REQUEST, text, "")
    }

    pub fn tunnel() -> Self {
        Self::new(StatusCode::NOT_IMPLEMENTED, "Tunnels are not offered.", "")
    }

    pub fn handshake() -> Self {
        let text = "The request for a WebSocket connection is not one that can be passed on.";
        let advice = "It is a GET without a body, by HTTP/1.1, that asks for WebSocket alone.";
        Self::new(StatusCode::BAD_REQUEST, text, advice)
    }

    /// The same for what is not there and for what is not shown to this stranger.
    pub fn nothing(host: &str) -> Self {
        let text = format!("Nothing is shown at {host}.");
        let application = match parts(host).and_then(|(name, _)| named(name)) {
            Some(Named::Application(application)) => application.to_string(),
            Some(Named::Unit(unit)) => unit.application().to_string(),
            None => {
                let form = "Names have the form APPLICATION.MODEL.localhost.";
                return Self::new(StatusCode::NOT_FOUND, text, form);
            }
        };
        let advice =
            format!("If it is an application of yours, show it: periapt expose {application}");
        Self::new(StatusCode::NOT_FOUND, text, advice)
    }

    pub fn down(unit: &str, service: Option<&(String, Current)>) -> Self {
        let text = match service {
            None => format!("No service of {unit} listens there."),
            Some((service, current)) => {
                let current = current.as_str();
                format!("The service {service} of {unit} does not run: it is {current}.")
            }
        };
        Self::new(StatusCode::SERVICE_UNAVAILABLE, text, "Try again soon.")
    }

    /// Nothing came of a request to a unit.
    pub fn failed(status: StatusCode, who: &Who<'_>, reason: &str) -> Self {
        Self::new(
            status,
            format!("{who} did not answer: {reason}."),
            "Try again soon.",
        )
    }

    /// What the process that serves says in the place of a service.
    pub fn refused(status: StatusCode, who: &Who<'_>, reason: &str) -> Self {
        let (text, advice) = match status {
            _ if status.is_client_error() => {
                let text = format!("{who} does not take the request: {reason}.");
                (text, String::new())
            }
            StatusCode::INTERNAL_SERVER_ERROR => {
                let unit = who.unit;
                let text = format!("{who} did not answer: {reason}.");
                let advice =
                    format!("If it is a unit of yours, its log says why: periapt logs {unit}");
                (text, advice)
            }
            _ => {
                return Self {
                    of_service: true,
                    ..Self::failed(status, who, reason)
                };
            }
        };
        Self {
            of_service: true,
            ..Self::new(status, text, advice)
        }
    }

    pub fn answer(self) -> Response<Given> {
        let Self {
            status,
            text,
            advice,
            of_service: _,
        } = self;
        let (text, advice) = (escape(&text), escape(&advice));
        let page = format!(
            "<!doctype html><meta charset=utf-8><title>{status}</title>\
             <style>body{{font:16px/1.5 system-ui,sans-serif;margin:4rem auto;max-width:40rem}}</style>\
             <h1>{status}</h1><p>{text}</p><p>{advice}</p>\n"
        );
        let body = Full::new(Bytes::from(page));
        let mut response = Response::new(Given::boxed(body));
        *response.status_mut() = status;
        let headers = response.headers_mut();
        let html = HeaderValue::from_static("text/html; charset=utf-8");
        headers.insert(CONTENT_TYPE, html);
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if status == StatusCode::SERVICE_UNAVAILABLE {
            headers.insert(RETRY_AFTER, HeaderValue::from_static("1"));
        }
        response
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}
