//! Errors over HTTP: every one is a `Problem` with a status, a stable code and, where there is
//! one, advice.

use axum::extract::rejection::{BytesRejection, JsonRejection, QueryRejection};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use periapt_model::NameError;
use periapt_model::bounds::Bound;
use periapt_store::{DatabaseError, StoreError};
use periapt_wire::Problem;
use periapt_wire::rpc::code;

use crate::access::Refusal;
use crate::authenticator::{AuthError, wait_seconds};
use crate::charms::CharmError;
use crate::error::told;
use crate::listener::{BodyError, Crowded};
use crate::rpc::RpcError;
use crate::upgrade::UpgradeProgress;

mod refusals;
#[cfg(test)]
mod tests;

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
        // Not Basic: a browser would ask for the password, keep it, and send it along with what
        // the pages of others make it send.
        if status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        if let Some(seconds) = self.0.retry_after {
            headers.insert(header::RETRY_AFTER, seconds.into());
        }
        response
    }
}

impl From<DatabaseError> for Answer {
    fn from(error: DatabaseError) -> Self {
        StoreError::from(error).into()
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
        let mut problem = Problem::new(status, &code, title(status))
            .why(told(&error))
            .advice(advice);
        problem.retry_after = error.retry_after().map(|wait| wait.as_secs().max(1));
        Answer(problem)
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
            AuthError::Invalid | AuthError::Repeated => (
                401,
                "credentials-invalid",
                "check the user name and the password",
            ),
            AuthError::Disabled => (
                403,
                "account-disabled",
                "ask a superuser to run `periapt enable-user USER`",
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

/// Limits of a compilation that a charm can reach.
const COMPILE_LIMITS: &[&str] = &[
    "compile-processor-time",
    "compile-address-space",
    "compile-wall-clock",
];

impl From<CharmError> for Answer {
    fn from(error: CharmError) -> Self {
        let code = error.code();
        let status = match error {
            CharmError::Store(error) => return error.into(),
            CharmError::Interrupted => 500,
            // What the compiler may take is taken by the charm.
            CharmError::Compile(_) if COMPILE_LIMITS.contains(&code.as_str()) => 400,
            // Its own failures are not the charm's.
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

impl From<BytesRejection> for Answer {
    fn from(rejection: BytesRejection) -> Self {
        if BodyError::is_slow(&rejection) {
            return too_slow();
        }
        let (status, code) = match rejection.status().as_u16() {
            413 => (413, "body-too-large"),
            _ => (400, "body-invalid"),
        };
        Answer(
            Problem::new(status, code, "The request's body cannot be read")
                .why(rejection.body_text()),
        )
    }
}

/// A body that comes more slowly than the listener waits.
pub(super) fn too_slow() -> Answer {
    Answer(
        Problem::new(
            408,
            "body-too-slow",
            "The request's body did not come in time",
        )
        .why("nothing came for too long")
        .advice("send the request again"),
    )
}

/// Not before the controller's new version has set itself up.
pub(super) fn upgrading(progress: &UpgradeProgress) -> Answer {
    let mut problem = Problem::new(503, "upgrade-in-progress", title(503))
        .why(progress.to_string())
        .advice("wait until it is done; `periapt status` works meanwhile");
    problem.retry_after = Some(5);
    Answer(problem)
}

/// An account has its share of connections.
pub(super) fn crowded(why: Crowded) -> Answer {
    let mut problem = Problem::new(429, "connections-exceeded", title(429))
        .why(why.to_string())
        .advice("end connections that are not needed any more, or wait");
    problem.retry_after = Some(1);
    Answer(problem)
}

/// A share of memory or disk is used up for now.
pub(super) fn busy(bound: Bound) -> Answer {
    let Bound { of, most, unit, .. } = bound;
    let mut problem = Problem::new(429, "share-exceeded", title(429))
        .why(format!("of {of} there are at most {most} {unit} at once"))
        .advice("wait until other requests are done, then send it again");
    problem.retry_after = Some(1);
    Answer(problem)
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
            .why("you do not have access to this address")
            .advice("`periapt whoami` shows what you may do; ask a superuser or an admin of the model for more"),
    )
}

/// A defect of the controller.
pub(crate) fn failed() -> Answer {
    Answer(Problem::new(500, "internal-error", "The controller failed"))
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
        StoreError::Invalid { .. } => {
            refusals::find(&error.kind_code()).map_or(400, |refusal| refusal.status)
        }
        StoreError::LeaseTimedOut { .. } => 503,
        StoreError::Database(error) => status_of_database(error),
    }
}

fn status_of_database(error: &DatabaseError) -> u16 {
    match error {
        DatabaseError::KeyTaken => 409,
        DatabaseError::Changed { .. } => 412,
        DatabaseError::Stopped
        | DatabaseError::Locked
        | DatabaseError::Unavailable { .. }
        | DatabaseError::Undecided { .. } => 503,
        DatabaseError::DiskFull => 507,
        DatabaseError::SchemaTooNew { .. }
        | DatabaseError::NoData { .. }
        | DatabaseError::Failed { .. }
        | DatabaseError::Corrupt { .. }
        | DatabaseError::Internal { .. } => 500,
    }
}

fn status_of_code(text: &str) -> u16 {
    match text {
        code::UNAUTHORIZED => 403,
        code::NOT_FOUND => 404,
        code::ALREADY_EXISTS | code::DEAD | code::NOT_EMPTY | code::LEASE_DENIED => 409,
        code::STOPPED | code::TRY_AGAIN | code::UPGRADE_IN_PROGRESS => 503,
        code::INTERNAL => 500,
        rule => refusals::find(rule).map_or(400, |refusal| refusal.status),
    }
}

fn title(status: u16) -> &'static str {
    match status {
        400 => "The request is not valid",
        401 => "Not logged in",
        403 => "Permission denied",
        404 => "Not found",
        408 => "It did not come in time",
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
    if let Some(refusal) = refusals::find(code) {
        return refusal.advice;
    }
    match code {
        "idempotency-key-taken" => "ask again in a moment, with the same key",
        "precondition-failed" => {
            "look at it again, then send the request with the new ETag, or without If-Match"
        }
        "model-not-found" => "`periapt models` lists the models",
        "credential-already-exists" => {
            "name it: `periapt add-model MODEL --credential NAME`, or give the model another name"
        }
        "application-not-found" | "unit-not-found" | "machine-not-found" | "settings-not-found" => {
            "`periapt status` shows what the model holds"
        }
        "relation-not-found" => "`periapt status --relations` shows the relations",
        "relation-already-exists" => "they are related already: `periapt status --relations`",
        "hook-not-found" => "`periapt hooks` lists the runs that are remembered",
        "blob-not-found" => "upload the charm again: `periapt refresh`",
        "endpoints-invalid" => {
            "name two: `periapt integrate APPLICATION[:ENDPOINT] APPLICATION[:ENDPOINT]`"
        }
        "machine-has-assigned-units" => {
            "remove its units first, or with the machine: `periapt remove-machine --force`"
        }
        "machine-not-in-error" => {
            "nothing is to be done: `periapt machines` shows its state, and it is tried by itself"
        }
        "machine-dying" | "machine-dead" => "it is being removed; use another machine",
        "not-provisioned" => "wait until it has an instance: `periapt status`",
        "controller-node-not-found" => "`periapt controller nodes` lists the processes",
        "controller-node-removed" => "join the controller anew: `periapt controller join`",
        "leadership-claim-denied" => {
            "only the leader may do this: `periapt status` marks it with *"
        }
        "user-not-found" => "`periapt users` lists the users",
        "token-not-found" => "`periapt tokens` lists the tokens",
        "token-already-exists" => "choose another name, or revoke the token that has it",
        "password-wrong" => "give the present password",
        "csrf-missing" | "csrf-wrong" => {
            "send the session's csrf value in the header X-Periapt-CSRF; GET /v1/session shows it"
        }
        "origin-refused" => "open the controller's own address in the browser",
        "session-not-found" => "sign in with POST /v1/session",
        "charm-not-found" => "upload the charm first: `periapt deploy ./FILE.charm` does both",
        "model-not-empty" => "destroy what it holds first, or destroy the model with --force",
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
        "charm-metrics-invalid" => "correct metrics.yaml and pack the charm again",
        "charm-capability-unknown" => "remove the capability, or use a newer controller",
        "wait-timed-out" => "wait longer with ?timeout=, or look at the status",
        "wait-query-invalid" => "`periapt wait-for --help` shows queries and names",
        "backup-not-found" => "`periapt backups` lists the backups",
        "backup-running" => "wait until it is there: `periapt backups`",
        "backup-restless" => "try again",
        "disk-full" => "free some space on the controller's disk, then try again",
        "database-locked" | "database-unavailable" | "stopped" => "try again in a few seconds",
        "outcome-unknown" => {
            "see whether the change is there before you repeat it; the same Idempotency-Key repeats it safely"
        }
        "schema-too-new" => "start the newer program, whose database this is",
        "internal-error" => "the controller's log tells more",
        code if code.ends_with("-already-exists") => "choose another name",
        code if code.ends_with("-dying") || code.ends_with("-dead") => {
            "it is being removed; wait until it is gone"
        }
        code if code.ends_with("-not-found") => "`periapt status` shows what there is",
        _ => "",
    }
}
