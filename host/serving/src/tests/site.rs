//! The server of the charm `site`, as the guests' toolchain makes it: a library in Rust and not by hand.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::{Request, Response, StatusCode};

use super::stage::{Heard, Setting, engine, get, load};
use crate::{Mount, Service, Workload};

/// None where nobody built it.
fn component() -> Option<Vec<u8>> {
    let built = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../charms/site/build/server.wasm");
    let found = std::fs::read(&built).ok();
    if found.is_none() {
        eprintln!("{} is not built: nothing to run", built.display());
    }
    found
}

struct Site {
    service: Service,
    heard: Arc<Heard>,
    files: tempfile::TempDir,
}

impl Site {
    fn new() -> Option<Self> {
        let server = load(&component()?);
        let files = tempfile::tempdir().unwrap();
        for generation in ["1", "2"] {
            let site = files.path().join(generation).join("site");
            std::fs::create_dir_all(&site).unwrap();
            std::fs::write(site.join("index.html"), format!("<h1>{generation}</h1>")).unwrap();
        }
        let root = files.path().to_owned();
        let committed = move || -> std::io::Result<PathBuf> { root.join("now").read_link() };
        let heard = Arc::<Heard>::default();
        let Setting {
            limits, connector, ..
        } = Setting::default();
        let workload = Workload {
            server,
            limits,
            environment: Vec::new(),
            mounts: vec![Mount::new(
                Arc::new(committed),
                "site".into(),
                "/site".to_owned(),
            )],
            granted: Arc::new([]),
            connector,
            listener: heard.clone(),
        };
        let site = Self {
            service: Service::new(engine(), workload),
            heard,
            files,
        };
        site.commit("1");
        Some(site)
    }

    fn commit(&self, generation: &str) {
        let now = self.files.path().join("now");
        // It may be the first.
        let _ = std::fs::remove_file(&now);
        std::os::unix::fs::symlink(self.files.path().join(generation), now).unwrap();
    }

    async fn ask(&self, request: Request<Full<Bytes>>) -> (Response<()>, String) {
        let (head, body) = self.service.answer(request).await.into_parts();
        let body = body.collect().await.unwrap().to_bytes();
        let text = String::from_utf8(body.to_vec()).unwrap();
        (Response::from_parts(head, ()), text)
    }
}

#[tokio::test]
async fn its_pages_are_served_as_they_were_committed() {
    let Some(site) = Site::new() else { return };
    let (head, page) = site.ask(get("/")).await;
    assert_eq!(
        (head.status(), page.as_str()),
        (StatusCode::OK, "<h1>1</h1>")
    );
    assert_eq!(head.headers()["content-type"], "text/html; charset=utf-8");
    assert_eq!(head.headers()["content-length"], "10");
    let tag = head.headers()["etag"].clone();
    let mut again = get("/index.html");
    again.headers_mut().insert("if-none-match", tag);
    let (head, page) = site.ask(again).await;
    assert_eq!((head.status().as_u16(), page.as_str()), (304, ""));
    site.commit("2");
    assert_eq!(site.ask(get("/")).await.1, "<h1>2</h1>");
    assert_eq!(site.ask(get("/none")).await.0.status(), 404);
    assert!(site.heard.codes().iter().all(|code| *code == "ok"));
}

#[tokio::test]
async fn a_head_has_no_body_and_its_length() {
    let Some(site) = Site::new() else { return };
    let mut request = get("/");
    *request.method_mut() = hyper::Method::HEAD;
    let (head, page) = site.ask(request).await;
    assert_eq!(head.headers()["content-length"], "10");
    assert_eq!(page, "");
    let post = Request::post("http://a/").body(Full::from("x")).unwrap();
    let (head, _) = site.ask(post).await;
    assert_eq!(head.status(), 405);
    assert_eq!(head.headers()["allow"], "GET, HEAD");
}

#[tokio::test]
async fn a_page_takes_microseconds() {
    let Some(site) = Site::new() else { return };
    const REQUESTS: u32 = 1000;
    let begun = Instant::now();
    for _ in 0..REQUESTS {
        assert_eq!(site.ask(get("/")).await.0.status(), 200);
    }
    eprintln!("one page: {:?}", begun.elapsed() / REQUESTS);
}
