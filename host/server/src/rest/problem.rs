//! Errors over HTTP: every one is a `Problem` with a status, a stable code and, where there is
//! one, advice.

use axum::extract::rejection::{JsonRejection, QueryRejection};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use periapt_model::NameError;
use periapt_store::StoreError;
use periapt_wire::Problem;
use periapt_wire::rpc::code;

use crate::access::Refusal;
use crate::authenticator::{AuthError, wait_seconds};
use crate::charms::CharmError;
use crate::rpc::RpcError;

/// A problem as a response.
#[derive(Clone, Debug)]
pub struct Answer(pub Problem);

impl IntoResponse for Answer {
    fn into_response(self) -> Response {
        let status =
            StatusCode::from_u16(self.0.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let body = serde_json::to_vec(&self.0).unwrap_or_default();
        let mut response = (status, body).into_response();
        let headers = response.headers_mut();
        headers.insert(
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/problem+json"),
        );
        if status == StatusCode::UNAUTHORIZED {
            headers.insert(
                header::WWW_AUTHENTICATE,
                HeaderValue::from_static("Bearer, Basic realm=\"periapt\""),
            );
        }
        if let Some(seconds) = self.0.retry_after {
            headers.insert(header::RETRY_AFTER, seconds.into());
        }
        response
    }
}

impl From<StoreError> for Answer {
    fn from(error: StoreError) -> Self {
        let status = status_of(&error);
        if status >= 500 {
            tracing::error!(%error, "the store failed a request");
        }
        let code = error.kind_code();
        let advice = advice(&code);
        Answer(
            Problem::new(status, &code, title(status))
                .why(error.to_string())
                .advice(advice),
        )
    }
}

impl From<RpcError> for Answer {
    fn from(error: RpcError) -> Self {
        let status = status_of_code(&error.code);
        Answer(
            Problem::new(status, &error.code.replace(' ', "-"), title(status)).why(error.message),
        )
    }
}

impl From<NameError> for Answer {
    fn from(error: NameError) -> Self {
        let code = format!("{}-invalid", error.kind.to_lowercase().replace(' ', "-"));
        Answer(
            Problem::new(400, &code, title(400))
                .why(error.to_string())
                .advice("correct the name and send the request again"),
        )
    }
}

impl From<AuthError> for Answer {
    fn from(error: AuthError) -> Self {
        let (status, code, advice) = match &error {
            AuthError::Store(_) => match error {
                AuthError::Store(error) => return error.into(),
                _ => (500, "internal-error", ""),
            },
            AuthError::Missing => (401, "credentials-missing", "log in with `periapt login`"),
            AuthError::Invalid => (
                401,
                "credentials-invalid",
                "check the user name and the password",
            ),
            AuthError::Token => (401, "token-invalid", "log in again with `periapt login`"),
            AuthError::Throttled(_) => (
                429,
                "logins-throttled",
                "wait, then try again with the right password",
            ),
        };
        let mut problem = Problem::new(status, code, title(status))
            .why(error.to_string())
            .advice(advice);
        if let AuthError::Throttled(wait) = &error {
            problem.retry_after = Some(wait_seconds(wait).max(1));
        }
        Answer(problem)
    }
}

impl From<Refusal> for Answer {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Account => AuthError::Token.into(),
            // To the letter what is said of a model that does not exist.
            Refusal::Model(name) => StoreError::NotFound {
                kind: "model",
                name,
            }
            .into(),
            Refusal::Forbidden => forbidden(),
            Refusal::Store(error) => error.into(),
        }
    }
}

impl From<CharmError> for Answer {
    fn from(error: CharmError) -> Self {
        let code = error.code();
        let status = match error {
            CharmError::Store(error) => return error.into(),
            CharmError::Interrupted => 500,
            // The compiler's own failures are not the charm's.
            CharmError::Compile(_)
                if code.starts_with("compile-") || code.starts_with("sandbox-") =>
            {
                500
            }
            _ => 400,
        };
        let advice = advice(&code);
        Answer(
            Problem::new(status, &code, "The charm was refused")
                .why(error.to_string())
                .advice(advice),
        )
    }
}

impl From<JsonRejection> for Answer {
    fn from(rejection: JsonRejection) -> Self {
        let (status, code) = match rejection.status().as_u16() {
            413 => (413, "body-too-large"),
            415 => (415, "body-not-json"),
            _ => (400, "body-invalid"),
        };
        Answer(
            Problem::new(status, code, "The request's body cannot be read")
                .why(rejection.body_text()),
        )
    }
}

impl From<QueryRejection> for Answer {
    fn from(rejection: QueryRejection) -> Self {
        Answer(
            Problem::new(400, "query-invalid", "The request's query cannot be read")
                .why(rejection.body_text()),
        )
    }
}

/// Known, but not for this caller.
pub(crate) fn forbidden() -> Answer {
    Answer(
        Problem::new(403, "forbidden", title(403))
            .why("this credential is not for this address")
            .advice("`periapt whoami` shows what you may do; ask a superuser or an admin of the model for more"),
    )
}

/// A browser's request that may not be its user's doing.
pub(crate) fn forged(code: &str, why: &str) -> Answer {
    Answer(
        Problem::new(403, code, title(403))
            .why(why)
            .advice(advice(code)),
    )
}

fn status_of(error: &StoreError) -> u16 {
    match error {
        StoreError::NotFound { .. } => 404,
        StoreError::AlreadyExists { .. }
        | StoreError::NotAlive { .. }
        | StoreError::NotEmpty { .. }
        | StoreError::HasAssignedUnits { .. }
        | StoreError::NotProvisioned { .. }
        | StoreError::HasSubordinates { .. }
        | StoreError::LeaseDenied { .. }
        | StoreError::LeaseLost { .. }
        | StoreError::NodeRemoved { .. } => 409,
        StoreError::Invalid { code, .. } => match *code {
            "port-conflict"
            | "charm-in-use"
            | "unit-not-in-error"
            | "already-resolved"
            | "idempotency-key-taken"
            | "last-superuser"
            | "owner-access"
            | "user-oneself"
            | "relation-limit-exceeded"
            | "relation-is-peer"
            | "unit-is-subordinate"
            | "controller-node-running"
            | "controller-node-last"
            | "charm-breaks-relations" => 409,
            "registration-invalid" => 401,
            "precondition-failed" => 412,
            _ => 400,
        },
        StoreError::Stopped | StoreError::Locked | StoreError::LeaseTimedOut { .. } => 503,
        StoreError::DiskFull => 507,
        StoreError::SchemaTooNew { .. }
        | StoreError::Database { .. }
        | StoreError::Corrupt { .. }
        | StoreError::Internal { .. } => 500,
    }
}

fn status_of_code(text: &str) -> u16 {
    match text {
        code::UNAUTHORIZED => 403,
        code::NOT_FOUND => 404,
        code::ALREADY_EXISTS | code::DEAD | code::NOT_EMPTY | code::LEASE_DENIED => 409,
        code::STOPPED | code::TRY_AGAIN => 503,
        code::INTERNAL => 500,
        _ => 400,
    }
}

fn title(status: u16) -> &'static str {
    match status {
        400 => "The request is not valid",
        401 => "Not logged in",
        403 => "Permission denied",
        404 => "Not found",
        408 => "Waited in vain",
        409 => "Not possible now",
        412 => "It has changed meanwhile",
        429 => "Too many requests",
        503 => "Not available now",
        507 => "No room left",
        _ => "The controller failed",
    }
}

/// What to do about a code, where something can be said that holds for all its causes.
pub(super) fn advice(code: &str) -> &'static str {
    match code {
        "model-not-found" => "`periapt models` lists the models",
        "application-not-found" | "unit-not-found" | "machine-not-found" => {
            "`periapt status` shows what the model holds"
        }
        "relation-not-found" => "`periapt status --relations` shows the relations",
        "relation-already-exists" => "they are related already: `periapt status --relations`",
        "relation-dying" => "it is being removed; wait until it is gone",
        "endpoints-invalid" => {
            "name two: `periapt integrate APPLICATION[:ENDPOINT] APPLICATION[:ENDPOINT]`"
        }
        "endpoint-not-found" => "use one of the endpoints it has",
        "endpoint-is-peer" => "nothing is to be done: peers relate by themselves",
        "endpoints-do-not-fit" => {
            "relate a provider of an interface with a requirer of the same interface"
        }
        "endpoints-ambiguous" => {
            "name the endpoints: `periapt integrate` takes each pair as written"
        }
        "relation-needs-subordinate" => {
            "relate it with a subordinate application, or use another endpoint"
        }
        "relation-with-itself" => "relate two applications",
        "relation-is-peer" => "peers stay related as long as their application is there",
        "relation-limit-exceeded" => {
            "remove one of these relations first: `periapt remove-relation ID`"
        }
        "unit-is-subordinate" => {
            "remove the principal unit, or the relation: `periapt remove-relation ID`"
        }
        "charm-breaks-relations" => "remove these relations first: `periapt remove-relation ID`",
        "machine-has-assigned-units" => {
            "remove its units first, or with the machine: `periapt remove-machine --force`"
        }
        "machine-dying" | "machine-dead" => "it is being removed; use another machine",
        "controller-node-not-found" => "`periapt controller nodes` lists the processes",
        "controller-node-running" => {
            "stop it first, or remove it all the same with --force: it then ends by itself"
        }
        "controller-node-last" => "remove the whole controller: `periapt destroy-controller`",
        "user-not-found" => "`periapt users` lists the users",
        "user-already-exists" => "choose another name",
        "token-not-found" => "`periapt tokens` lists the tokens",
        "token-already-exists" => "choose another name, or revoke the token that has it",
        "token-name-invalid" | "display-name-invalid" => "choose a shorter, plainer name",
        "password-refused" => "choose another password; several words are good",
        "password-wrong" => "give the present password",
        "last-superuser" => "first give another user superuser: `periapt grant USER superuser`",
        "owner-access" => "the owner's access stays as long as they own the model",
        "access-login" => "`periapt disable-user USER`",
        "user-oneself" => "another superuser can remove you",
        "registration-invalid" => {
            "ask a superuser for a new one: `periapt change-user-password USER --reset`"
        }
        "csrf-missing" | "csrf-wrong" => {
            "send the session's csrf value in the header X-Periapt-CSRF; GET /v1/session shows it"
        }
        "origin-refused" => "open the controller's own address in the browser",
        "session-not-found" => "sign in with POST /v1/session",
        "charm-not-found" => "upload the charm first: `periapt deploy ./FILE.charm` does both",
        "model-already-exists" | "application-already-exists" => "choose another name",
        "model-dying" | "application-dying" | "unit-dying" => {
            "it is being removed; wait until it is gone"
        }
        "model-not-empty" => "destroy what it holds first, or destroy the model with --force",
        "config-unknown-option" => "`periapt config APPLICATION` lists the options",
        "config-wrong-type" => "`periapt config APPLICATION` shows each option's type",
        "unit-not-in-error" => {
            "only a unit in error can be resolved; `periapt status` shows which are"
        }
        "charm-archive-unreadable" => "make the archive with `periapt charm pack`",
        "charm-archive-bomb" => "make the archive smaller; files a charm needs belong into it once",
        "charm-archive-path" => {
            "make the archive with `periapt charm pack`, which writes only sound paths"
        }
        "charm-archive-no-component" | "charm-component-invalid" => {
            "build the charm with `periapt charm build`, then pack it"
        }
        "compile-processor-time" | "compile-address-space" | "compile-wall-clock" => {
            "build the charm smaller; compiling it takes more than a charm may take"
        }
        "compile-killed" | "compile-ended" | "compile-start" => {
            "try again; the controller's log tells more if it happens again"
        }
        "component-unknown-import" => {
            "build the charm against this controller's SDK; `periapt charm inspect` lists its imports"
        }
        "component-invalid" | "component-missing-export" | "component-mismatch" => {
            "build the charm with `periapt charm build`, then pack it"
        }
        "charm-metadata-missing" | "charm-metadata-invalid" => {
            "correct metadata.yaml and pack the charm again"
        }
        "charm-config-invalid" => "correct config.yaml and pack the charm again",
        "charm-actions-invalid" => "correct actions.yaml and pack the charm again",
        "charm-capability-unknown" => "remove the capability, or use a newer controller",
        "precondition-failed" => {
            "look at it again, then send the request with the new ETag, or without If-Match"
        }
        "idempotency-key-taken" => "ask again in a moment, with the same key",
        "already-resolved" => "wait until the unit's agent has taken note of it",
        "wait-timed-out" => "wait longer with ?timeout=, or look at the status",
        "wait-query-invalid" => "`periapt wait-for --help` shows queries and names",
        "disk-full" => "free some space on the controller's disk, then try again",
        "database-locked" | "stopped" => "try again in a few seconds",
        "internal-error" => "the controller's log tells more",
        _ => "",
    }
}
