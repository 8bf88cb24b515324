//! What can go wrong in the server itself. Errors of calls are [`crate::rpc::RpcError`] on the
//! websocket and `wire::Problem` over HTTP.

use periapt_model::Refusal;
use periapt_store::StoreError;
use thiserror::Error;

/// Why a part of the server could not be set up or stopped serving.
#[derive(Debug, Error)]
pub enum ServerError {
    #[error("the controller's certificate authority is unusable: {0}")]
    Certificate(String),
    #[error("TLS cannot be set up: {0}")]
    Tls(String),
    #[error("the path \"{prefix}\" is already served")]
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

/// What a client is told of an error of the store. What a database's driver says is for the log:
/// it names files, hosts and statements, and helps nobody who only asked.
pub(crate) fn told(error: &StoreError) -> String {
    match error.refusal() {
        Refusal::InternalError => "the controller could not do this; see its log".to_owned(),
        Refusal::DatabaseUnavailable => {
            "the database is unavailable; nothing was changed".to_owned()
        }
        Refusal::OutcomeUnknown => {
            "the connection to the database was lost during a commit; it is not known whether the change was made"
                .to_owned()
        }
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_driver_says_reaches_no_client() {
        let message = "FATAL at /var/lib/postgresql: terminating connection".to_owned();
        let error = periapt_store::DatabaseError::Failed { message }.into();
        assert!(!told(&error).contains("postgresql"));
        let mine = StoreError::Refused {
            refusal: Refusal::LastSuperuser,
            message: "words for people".to_owned(),
        };
        assert_eq!(told(&mine), "words for people");
    }
}
