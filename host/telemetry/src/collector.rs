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
use tokio::runtime::Handle;

use crate::error::TelemetryError;
use crate::ids::Ids;

/// One request to the collector.
const PATIENCE: Duration = Duration::from_secs(10);

/// Where Linux systems keep the certificates they trust.
const SYSTEM_CERTIFICATES: &[&str] = &[
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/cert.pem",
];

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
    let url =
        reqwest::Url::parse(&settings.traces_url).map_err(|error| endpoint(error.to_string()))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(endpoint(
            "it begins with neither http:// nor https://".to_owned(),
        ));
    }
    let exporter = SpanExporter::builder()
        .with_http()
        .with_http_client(Client::new(settings, url.scheme() == "https")?)
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
struct Client {
    http: reqwest::Client,
    runtime: Handle,
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Client")
    }
}

impl Client {
    fn new(settings: &Settings, encrypted: bool) -> Result<Self, TelemetryError> {
        let exporter = |error: &dyn fmt::Display| TelemetryError::Exporter(error.to_string());
        let mut builder = reqwest::Client::builder().timeout(PATIENCE);
        if encrypted {
            for certificate in certificates(settings)? {
                builder = builder.add_root_certificate(certificate);
            }
        }
        Ok(Self {
            http: builder.build().map_err(|error| exporter(&error))?,
            runtime: Handle::try_current().map_err(|error| exporter(&error))?,
        })
    }
}

fn certificates(settings: &Settings) -> Result<Vec<reqwest::Certificate>, TelemetryError> {
    let system = || {
        let paths = SYSTEM_CERTIFICATES.iter().map(PathBuf::from);
        paths.into_iter().find(|path| path.exists())
    };
    let Some(path) = settings.certificates.clone().or_else(system) else {
        return Ok(Vec::new());
    };
    std::fs::read(&path)
        .map_err(|error| error.to_string())
        .and_then(|pem| {
            reqwest::Certificate::from_pem_bundle(&pem).map_err(|error| error.to_string())
        })
        .map_err(|reason| TelemetryError::Certificates { path, reason })
}

#[async_trait]
impl HttpClient for Client {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let http = self.http.clone();
        let sent = self.runtime.spawn(async move {
            let response = http.execute(reqwest::Request::try_from(request)?).await?;
            let (status, headers) = (response.status(), response.headers().clone());
            Ok::<_, reqwest::Error>((status, headers, response.bytes().await?))
        });
        let (status, headers, body) = sent.await??;
        let mut response = Response::new(body);
        *response.status_mut() = status;
        *response.headers_mut() = headers;
        Ok(response)
    }
}
