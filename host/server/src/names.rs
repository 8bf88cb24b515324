//! Names that are not the controller's.
//!
//! `*.localhost` leads a browser to this machine, and is where the web pages of workloads are found. They are
//! strangers' pages, so the controller answers to none of these names: what is kept for it by a browser is under
//! another name than theirs, whatever port a page asks for.

use axum::extract::Request;
use axum::http::{HeaderMap, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use periapt_model::Refusal;
use periapt_wire::Problem;

use crate::rest::problem::Answer;

const WORKLOADS: &str = ".localhost";

/// Lets through what is not asked for under a workload's name.
pub(crate) async fn ours(request: Request, next: Next) -> Response {
    if is_a_workloads(request.uri(), request.headers()) {
        let problem = Problem::new(Refusal::Misdirected)
            .titled("The controller does not use this name")
            .why("names below localhost belong to workloads");
        return Answer(problem).into_response();
    }
    next.run(request).await
}

/// Whether any of the hosts that a request names is below `localhost`.
fn is_a_workloads(uri: &Uri, headers: &HeaderMap) -> bool {
    let named = headers.get_all(header::HOST).iter();
    let named = named.filter_map(|host| host.to_str().ok());
    let authority = uri.authority().map(|authority| authority.as_str());
    named.chain(authority).any(|host| {
        let host = host.rsplit_once(':').map_or(host, |(host, _)| host);
        let host = host.strip_suffix('.').unwrap_or(host);
        let at = host.len().checked_sub(WORKLOADS.len());
        let end = at.and_then(|at| host.get(at..));
        end.is_some_and(|end| end.eq_ignore_ascii_case(WORKLOADS))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_below_localhost_is_a_workloads_and_nothing_else() {
        let of = |uri: &'static str, host: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::HOST, host.parse().unwrap());
            is_a_workloads(&Uri::from_static(uri), &headers)
        };
        for host in [
            "docs.demo.localhost",
            "docs.demo.localhost:17070",
            "DOCS.Demo.LOCALHOST.:1",
            "a.localhost",
        ] {
            assert!(of("/", host), "{host}");
        }
        assert!(of("https://docs.demo.localhost/", "localhost"));
        for host in [
            "localhost:17070",
            "localhost",
            "127.0.0.1:17070",
            "[::1]:17070",
            "notlocalhost",
            "localhost.example.com",
            "",
        ] {
            assert!(!of("/", host), "{host}");
        }
    }
}
