//! What a workload sends, and where it does not arrive.

use std::io;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use hyper::Request;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use wasmtime_wasi_http::Error;

use super::guest::Guest;
use super::stage::{Setting, Stage, get};
use crate::egress::destination;
use crate::{Connector, Destination, Link, NoNetwork};

/// Cases of `error-code`, as the guest counts them.
const DENIED: u16 = 15;

/// Answers 204 to whatever comes, or sends it elsewhere, and keeps it.
#[derive(Default)]
pub struct Upstream {
    elsewhere: Option<&'static str>,
    asked: Mutex<Vec<Destination>>,
    pub heads: Arc<Mutex<Vec<String>>>,
}

#[async_trait]
impl Connector for Upstream {
    async fn connect(&self, to: &Destination) -> io::Result<Box<dyn Link>> {
        self.asked.lock().unwrap().push(to.clone());
        let (near, mut far) = tokio::io::duplex(8 << 10);
        let heads = self.heads.clone();
        let answer = match self.elsewhere {
            Some(to) => format!("HTTP/1.1 302 Found\r\nLocation: {to}\r\n\r\n"),
            None => "HTTP/1.1 204 No Content\r\n\r\n".to_owned(),
        };
        tokio::spawn(async move {
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") {
                head.push(far.read_u8().await?);
            }
            heads.lock().unwrap().push(String::from_utf8(head).unwrap());
            far.write_all(answer.as_bytes()).await
        });
        Ok(Box::new(near))
    }
}

/// For the test of what is caught.
pub struct Panics;

#[async_trait]
impl Connector for Panics {
    async fn connect(&self, _: &Destination) -> io::Result<Box<dyn Link>> {
        panic!("as a test asks for")
    }
}

/// Sends a request to this authority and answers with the status that came back; with 500 and the number of the
/// case when none did.
fn sender(authority: &str, upstream: &Arc<Upstream>) -> Stage {
    sends(authority, "", upstream)
}

/// The same; where something is `said`, it is in the request's `traceparent`, and the request says that it is traced.
pub fn sends(authority: &str, said: &str, upstream: &Arc<Upstream>) -> Stage {
    let items = format!(
        r#"(data (i32.const 2048) "{authority}") (data (i32.const 3000) "traceparentperiapt-trace{said}")"#
    );
    let header = |from: usize, many: usize| {
        format!(
            "(call $header (i32.const {from}) (i32.const {many}) (i32.const 3024) (i32.const {}))",
            said.len()
        )
    };
    let headers = match said {
        "" => String::new(),
        _ => format!("{} {}", header(3000, 11), header(3011, 13)),
    };
    let handle = format!(
        "{headers}
         (local.set $i (call $status (i32.const 2048) (i32.const {})))
         (if (i32.lt_s (local.get $i) (i32.const 0))
           (then (local.set $i (i32.sub (i32.const 500) (local.get $i)))))
         (call $answer (local.get $out) (local.get $i)) (call $close)",
        authority.len()
    );
    let setting = Setting {
        granted: vec!["api.example.com:8080".to_owned()],
        connector: upstream.clone(),
        ..Setting::default()
    };
    setting.stage(Guest {
        items: &items,
        handle: &handle,
        ..Guest::default()
    })
}

#[tokio::test]
async fn what_is_granted_is_reached() {
    let upstream = Arc::<Upstream>::default();
    let stage = sender("api.example.com:8080", &upstream);
    let (status, _) = stage.ask(get("/")).await;
    assert_eq!(status.as_u16(), 204);
    let asked = upstream.asked.lock().unwrap().clone();
    let authority = "api.example.com:8080".to_owned();
    assert_eq!(
        asked,
        [Destination {
            tls: false,
            authority
        }]
    );
    let heads = upstream.heads.lock().unwrap().clone();
    assert!(heads[0].starts_with("GET / HTTP/1.1\r\n"), "{heads:?}");
    assert!(
        heads[0].contains("host: api.example.com:8080\r\n"),
        "{heads:?}"
    );
}

#[tokio::test]
async fn what_is_not_granted_is_refused_before_anything_is_connected() {
    for authority in [
        "evil.example.com",
        "api.example.com",
        "api.example.com:80",
        "api.example.com:8080.evil.example.com",
        "api.example.com:8080@evil.example.com",
        "user@api.example.com:8080",
        "API.example.com:8080",
    ] {
        let upstream = Arc::<Upstream>::default();
        let (status, _) = sender(authority, &upstream).ask(get("/")).await;
        assert_ne!(status.as_u16(), 204, "{authority}");
        assert!(upstream.asked.lock().unwrap().is_empty(), "{authority}");
    }
    let upstream = Arc::<Upstream>::default();
    let (status, _) = sender("evil.example.com", &upstream).ask(get("/")).await;
    assert_eq!(status.as_u16(), 500 + DENIED);
}

#[tokio::test]
async fn a_redirect_is_the_guests_to_follow_and_leads_where_it_may() {
    for to in [
        "http://evil.example.com/",
        "http://169.254.169.254/",
        "//localhost/",
    ] {
        let upstream = Arc::new(Upstream {
            elsewhere: Some(to),
            ..Upstream::default()
        });
        let (status, _) = sender("api.example.com:8080", &upstream)
            .ask(get("/"))
            .await;
        assert_eq!(status.as_u16(), 302, "the guest sees it");
        let asked = upstream.asked.lock().unwrap().clone();
        assert_eq!(asked.len(), 1, "{to}: {asked:?}");
        assert_eq!(asked[0].authority, "api.example.com:8080");
    }
}

#[tokio::test]
async fn the_host_that_a_client_names_grants_nothing() {
    let upstream = Arc::<Upstream>::default();
    let stage = sender("evil.example.com", &upstream);
    let mut request = get("/");
    let host = "api.example.com:8080".parse().unwrap();
    request.headers_mut().insert("host", host);
    assert_eq!(stage.ask(request).await.0.as_u16(), 500 + DENIED);
    assert!(upstream.asked.lock().unwrap().is_empty());
}

#[test]
fn the_address_decides_and_no_header() {
    let granted = ["api.example.com".to_owned()];
    let request = |uri: &str, host: &str| {
        let request = Request::get(uri).header("host", host);
        destination(&granted, &NoNetwork, &request.body(()).unwrap())
    };
    assert!(request("https://api.example.com/x", "evil.example.com").is_ok());
    let denied = request("https://evil.example.com/x", "api.example.com");
    assert!(matches!(denied, Err(Error::HttpRequestDenied)));
    assert!(matches!(
        request("/x", "api.example.com"),
        Err(Error::HttpRequestUriInvalid)
    ));
    let tunnel = Request::connect("api.example.com").body(()).unwrap();
    assert!(matches!(
        destination(&granted, &NoNetwork, &tunnel),
        Err(Error::HttpRequestDenied)
    ));
}

#[tokio::test]
async fn a_guest_cannot_name_the_host_itself() {
    let handle = "(call $header (i32.const 2048) (i32.const 4) (i32.const 2048) (i32.const 4))";
    let stage = Setting::default().stage(Guest {
        items: r#"(data (i32.const 2048) "host")"#,
        handle,
        ..Guest::default()
    });
    assert_eq!(stage.refused(get("/")).await, 500);
    assert_eq!(stage.heard.codes(), ["trap"]);
}
