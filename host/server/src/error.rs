//! What can go wrong in the server itself. Errors of calls are [`crate::rpc::RpcError`] on the
//! websocket and `wire::Problem` over HTTP.

use thiserror::Error;

/// Why a part of the server could not be set up or stopped serving.
#[derive(Debug, Error)]
pub enum ServerError {
    #[error("the controller's certificate authority is unusable: {0}")]
    Certificate(String),
    #[error("TLS cannot be set up: {0}")]
    Tls(String),
    #[error("the path \"{prefix}\" is served already")]
    RouteTaken { prefix: String },
    #[error("\"{prefix}\" is not a path prefix: begin it with a slash")]
    RoutePrefix { prefix: String },
    #[error("the listener failed: {0}")]
    Listener(#[from] std::io::Error),
}

impl ServerError {
    /// Stable, lower case with dashes.
    pub fn code(&self) -> &'static str {
        match self {
            ServerError::Certificate(_) => "certificate-authority-unusable",
            ServerError::Tls(_) => "tls-unusable",
            ServerError::RouteTaken { .. } => "route-taken",
            ServerError::RoutePrefix { .. } => "route-prefix-invalid",
            ServerError::Listener(_) => "listener-failed",
        }
    }
}
