//! The way to the collector: OTLP over HTTP with protobuf bodies.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use http::{Request, Response};
use opentelemetry::KeyValue;
use opentelemetry_http::{HttpClient, HttpError};
use opentelemetry_otlp::{SpanExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::SdkTracerProvider;
use periapt_outbound::{Client, Failure, Url};
use tokio::runtime::Handle;

use crate::error::TelemetryError;
use crate::ids::Ids;

/// One request to the collector.
const PATIENCE: Duration = Duration::from_secs(10);

/// Bytes of an answer, which says how many spans were not taken.
const ANSWER_BYTES: u64 = 4 << 20;

/// Which collector, and who we say we are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The full address that spans are posted to.
    pub traces_url: String,
    /// Certificates of authorities, PEM; none for those the system trusts.
    pub certificates: Option<PathBuf>,
    pub service_name: String,
    /// Tells controllers apart.
    pub instance: String,
    pub version: String,
}

impl Settings {
    /// The collector that was configured, else the one that the standard's variables name:
    /// `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT` in full, `OTEL_EXPORTER_OTLP_ENDPOINT` without the
    /// path. None when neither is set: then nothing is sent.
    pub fn find(
        configured: Option<&str>,
        variable: impl Fn(&str) -> Option<String>,
        instance: &str,
        version: &str,
    ) -> Option<Self> {
        let variable = |name: &str| variable(name).filter(|value| !value.trim().is_empty());
        let below = |base: String| format!("{}/v1/traces", base.trim().trim_end_matches('/'));
        let traces_url = configured
            .map(|base| below(base.to_owned()))
            .or_else(|| variable("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"))
            .or_else(|| variable("OTEL_EXPORTER_OTLP_ENDPOINT").map(below))?;
        if variable("OTEL_SDK_DISABLED").is_some_and(|value| value.eq_ignore_ascii_case("true")) {
            return None;
        }
        Some(Self {
            traces_url,
            certificates: variable("OTEL_EXPORTER_OTLP_CERTIFICATE").map(PathBuf::from),
            service_name: variable("OTEL_SERVICE_NAME").unwrap_or_else(|| "periapt".to_owned()),
            instance: instance.to_owned(),
            version: version.to_owned(),
        })
    }
}

pub(crate) fn provider(settings: &Settings) -> Result<SdkTracerProvider, TelemetryError> {
    let endpoint = |reason: String| TelemetryError::Endpoint {
        endpoint: settings.traces_url.clone(),
        reason,
    };
    let url = Url::parse(&settings.traces_url).map_err(|error| endpoint(error.to_string()))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(endpoint(
            "it begins with neither http:// nor https://".to_owned(),
        ));
    }
    let exporter = SpanExporter::builder()
        .with_http()
        .with_http_client(Requests::new(settings, url.scheme() == "https")?)
        .with_endpoint(settings.traces_url.clone())
        .with_timeout(PATIENCE)
        .build()
        .map_err(|error| TelemetryError::Exporter(error.to_string()))?;
    let resource = Resource::builder()
        .with_service_name(settings.service_name.clone())
        .with_attributes([
            KeyValue::new("service.instance.id", settings.instance.clone()),
            KeyValue::new("service.version", settings.version.clone()),
        ])
        .build();
    Ok(SdkTracerProvider::builder()
        .with_batch_exporter(exporter)
        .with_resource(resource)
        .with_id_generator(Ids::default())
        .build())
}

/// Requests made on our runtime: the exporting thread has none.
#[derive(Debug)]
struct Requests {
    http: Client,
    runtime: Handle,
}

impl Requests {
    fn new(settings: &Settings, encrypted: bool) -> Result<Self, TelemetryError> {
        let exporter = |error: &dyn fmt::Display| TelemetryError::Exporter(error.to_string());
        let read = |path: &PathBuf| {
            std::fs::read_to_string(path).map_err(|error| TelemetryError::Certificates {
                path: path.clone(),
                reason: error.to_string(),
            })
        };
        let given = settings.certificates.as_ref().filter(|_| encrypted);
        let given = given.map(read).transpose()?;
        let address = &settings.traces_url;
        let http = Client::new("the collector", address, given.as_deref(), PATIENCE);
        Ok(Self {
            http: http.map_err(|error| exporter(&error))?,
            runtime: Handle::try_current().map_err(|error| exporter(&error))?,
        })
    }
}

#[async_trait]
impl HttpClient for Requests {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let (head, body) = request.into_parts();
        let url = head.uri.to_string();
        let request = self.http.request(head.method, &url);
        let request = request.headers(head.headers).body(body);
        let http = self.http.clone();
        let sent = self.runtime.spawn(async move {
            let answer = http.send(request).await?;
            let (status, headers) = (answer.status(), answer.headers().clone());
            Ok::<_, Failure>((status, headers, http.body(answer, ANSWER_BYTES).await?))
        });
        let (status, headers, body) = sent.await??;
        let mut response = Response::new(body.into());
        *response.status_mut() = status;
        *response.headers_mut() = headers;
        Ok(response)
    }
}
