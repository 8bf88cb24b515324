//! A service to send requests to, and everything that was told of them.

use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::{Request, Response, StatusCode};
use periapt_model::workload::trace::Span;
use periapt_sandbox::Settings;

use super::guest::Guest;
use crate::{
    Connector, Cut, Ended, Limits, Listener, LoadedServer, Mount, NoNetwork, Served, Service,
    ServingEngine, Stream, Workload,
};

/// One for all tests, as a process has one.
pub fn engine() -> &'static ServingEngine {
    static ENGINE: LazyLock<ServingEngine> =
        LazyLock::new(|| ServingEngine::new(settings()).unwrap());
    &ENGINE
}

pub fn settings() -> Settings {
    Settings {
        slots: 64,
        memory_bytes: 32 << 20,
        ..Settings::default()
    }
}

pub fn load(component: &[u8]) -> Arc<LoadedServer> {
    load_into(engine(), component)
}

fn load_into(engine: &ServingEngine, component: &[u8]) -> Arc<LoadedServer> {
    let artifact = engine.compile(component).unwrap();
    engine.load(&artifact).unwrap()
}

/// What a listener heard.
#[derive(Default)]
pub struct Heard {
    pub lines: Mutex<Vec<(Stream, String)>>,
    pub ended: Mutex<Vec<Ended>>,
    pub computed: Mutex<Vec<Duration>>,
    /// Names of the threads in which each ended.
    pub threads: Mutex<Vec<String>>,
    pub spans: Mutex<Vec<Span>>,
}

impl Listener for Heard {
    fn line(&self, stream: Stream, line: &str) {
        self.lines.lock().unwrap().push((stream, line.to_owned()));
    }

    fn ended(&self, ended: &Ended) {
        self.ended.lock().unwrap().push(ended.clone());
    }

    fn computed(&self, cpu: Duration) {
        self.computed.lock().unwrap().push(cpu);
        let thread = std::thread::current().name().unwrap_or("?").to_owned();
        self.threads.lock().unwrap().push(thread);
    }

    fn span(&self, span: Span) {
        self.spans.lock().unwrap().push(span);
    }
}

impl Heard {
    /// Codes of the failures, in their order; "ok" where there was none.
    pub fn codes(&self) -> Vec<&'static str> {
        let ended = self.ended.lock().unwrap();
        let code = |ended: &Ended| {
            ended
                .failure
                .as_ref()
                .map_or("ok", |failure| failure.code())
        };
        ended.iter().map(code).collect()
    }
}

pub struct Stage {
    pub service: Service,
    pub heard: Arc<Heard>,
}

/// How to set one up.
pub struct Setting {
    pub limits: Limits,
    pub mount: Option<Mount>,
    pub granted: Vec<String>,
    pub connector: Arc<dyn Connector>,
}

impl Default for Setting {
    fn default() -> Self {
        Self {
            limits: Limits {
                deadline: Duration::from_secs(10),
                memory_bytes: 8 << 20,
                ..Limits::default()
            },
            mount: None,
            granted: Vec::new(),
            connector: Arc::new(NoNetwork),
        }
    }
}

impl Setting {
    pub fn limits(change: impl FnOnce(&mut Limits)) -> Self {
        let mut setting = Self::default();
        change(&mut setting.limits);
        setting
    }

    pub fn stage(self, guest: Guest<'_>) -> Stage {
        self.stage_on(engine(), guest)
    }

    pub fn stage_on(self, engine: &ServingEngine, guest: Guest<'_>) -> Stage {
        let heard = Arc::<Heard>::default();
        let workload = Workload {
            server: load_into(engine, &guest.component()),
            limits: self.limits,
            environment: Vec::new(),
            mounts: self.mount.into_iter().collect(),
            granted: self.granted.into(),
            connector: self.connector,
            listener: heard.clone(),
        };
        Stage {
            service: Service::new(engine, workload),
            heard,
        }
    }
}

pub fn get(path: &str) -> Request<Full<Bytes>> {
    let uri = format!("http://site.demo.localhost{path}");
    Request::get(uri).body(Full::default()).unwrap()
}

pub fn post(body: &'static str) -> Request<Full<Bytes>> {
    let uri = "http://site.demo.localhost/";
    Request::post(uri).body(Full::from(body)).unwrap()
}

/// Status and body; none for a body that is cut off.
pub async fn whole(response: Response<Served>) -> (StatusCode, Result<String, Cut>) {
    let status = response.status();
    let body = response.into_body().collect().await;
    let body = body.map(|body| String::from_utf8(body.to_bytes().to_vec()).unwrap());
    (status, body)
}

impl Stage {
    pub async fn ask(&self, request: Request<Full<Bytes>>) -> (StatusCode, Result<String, Cut>) {
        whole(self.service.answer(request).await).await
    }

    /// The status of an answer that the service gives in the guest's place.
    pub async fn refused(&self, request: Request<Full<Bytes>>) -> u16 {
        let (status, body) = self.ask(request).await;
        let text = body.unwrap();
        assert!(text.starts_with(status.as_str()), "{text}");
        status.as_u16()
    }

    /// That a request in a fresh instance is answered after all that was.
    pub async fn goes_on(&self) {
        let (status, body) = self.ask(get("/fine")).await;
        assert_eq!((status.as_u16(), body.as_deref()), (200, Ok("/fine")));
    }
}
