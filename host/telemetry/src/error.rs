//! Why traces cannot be sent.

use std::path::PathBuf;

use thiserror::Error;

#[derive(Debug, Error)]
pub enum TelemetryError {
    #[error("\"{endpoint}\" is not the address of a collector: {reason}")]
    Endpoint { endpoint: String, reason: String },
    #[error("cannot read the certificates in {}: {reason}", path.display())]
    Certificates { path: PathBuf, reason: String },
    #[error("cannot set up the exporter: {0}")]
    Exporter(String),
}

impl TelemetryError {
    /// A stable name, for machines.
    pub fn code(&self) -> &'static str {
        match self {
            TelemetryError::Endpoint { .. } => "otlp-endpoint-invalid",
            TelemetryError::Certificates { .. } => "otlp-certificates-unreadable",
            TelemetryError::Exporter(_) => "otlp-exporter",
        }
    }
}
