//! The table of refusals. A new one is a row.

use super::code;
use super::subject::{Name, Subject};

/// Each refusal: its code, the code of a refused call where Juju has a word for it, the HTTP status,
/// and what to do.
macro_rules! refusals {
    (@call $code:literal) => { $code };
    (@call $code:literal $call:expr) => { $call };
    ($($refusal:ident $code:literal $(as $call:expr)?, $status:literal, $advice:literal;)+) => {
        /// Why a request or a call was not carried out.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Refusal {
            NotFound(Subject),
            AlreadyExists(Subject),
            Dying(Subject),
            Dead(Subject),
            NameInvalid(Name),
            $($refusal),+
        }

        impl Refusal {
            /// All but those of a [`Subject`] or a [`Name`].
            pub const RULES: &[Refusal] = &[$(Refusal::$refusal),+];

            const fn row(self) -> (&'static str, u16, &'static str) {
                match self {
                    Refusal::NotFound(subject) => subject.missing(),
                    Refusal::AlreadyExists(subject) => subject.taken(),
                    Refusal::Dying(subject) => subject.dying(),
                    Refusal::Dead(subject) => subject.dead(),
                    Refusal::NameInvalid(name) => name.invalid(),
                    $(Refusal::$refusal => ($code, $status, $advice)),+
                }
            }

            /// Its code on the websocket.
            pub const fn call_code(self) -> &'static str {
                match self {
                    Refusal::NotFound(_) => code::NOT_FOUND,
                    Refusal::AlreadyExists(_) => code::ALREADY_EXISTS,
                    Refusal::Dying(_) | Refusal::Dead(_) => code::DEAD,
                    Refusal::NameInvalid(_) => code::BAD_REQUEST,
                    $(Refusal::$refusal => refusals!(@call $code $($call)?)),+
                }
            }
        }
    };
}

impl Refusal {
    /// Its code in the HTTP API: lower case with dashes, and stable.
    pub const fn code(self) -> &'static str {
        self.row().0
    }

    /// Its HTTP status.
    pub const fn status(self) -> u16 {
        self.row().1
    }

    /// What to do about it.
    pub const fn advice(self) -> &'static str {
        self.row().2
    }
}

// By code, in each group.
#[rustfmt::skip]
refusals! {
    // Rules of the model.
    AccessLogin "access-login", 400, "`periapt disable-user USER`";
    ActionParametersInvalid "action-parameters-invalid", 400, "`periapt show-action APPLICATION ACTION` shows what it takes";
    AgentNotStopped "agent-not-stopped", 409, "`periapt status` shows which machines are stopped; start a unit's agent with `periapt start-unit`";
    AlreadyResolved "already-resolved", 409, "wait until the unit's agent has noticed it";
    AnnotationInvalid "annotation-invalid", 400, "write a key without blanks and =, and a shorter text; docs/reference/bounds.md lists the limits";
    AnnotationsExceeded "annotations-exceeded", 409, "remove some of them: `periapt annotate ENTITY KEY=`";
    BlockKindInvalid "block-kind-invalid", 400, "name one of destroy-model, remove-object and all";
    BundleApplyRunning "bundle-apply-running", 409, "wait until it has ended, then deploy the bundle again";
    BundleCharmInvalid "bundle-charm-invalid", 400, "name a charm in the model or in the charm repository, or send the charm's digest with the bundle";
    BundleCharmMissing "bundle-charm-missing", 400, "give each application a charm: a path, local:NAME-REVISION, or the name of a charm in the charm repository";
    BundleEmpty "bundle-empty", 400, "write an application with its charm under `applications`";
    BundleInvalid "bundle-invalid", 400, "correct the bundle and deploy it again; nothing was changed";
    BundleNothingToExport "bundle-nothing-to-export", 409, "deploy an application first: `periapt deploy CHARM`";
    BundleNumberInvalid "bundle-number-invalid", 400, "`GET /v1/models/MODEL/bundles` lists the bundles that were applied";
    BundleOverlayInvalid "bundle-overlay-invalid", 400, "correct the overlay and deploy the bundle again; nothing was changed";
    BundlePlacementInvalid "bundle-placement-invalid", 400, "correct the bundle and deploy it again; nothing was changed";
    BundleRelationInvalid "bundle-relation-invalid", 400, "correct the bundle and deploy it again; nothing was changed";
    BundleRevisionInvalid "bundle-revision-invalid", 400, "give the charm's name and a revision that the charm repository has; `periapt info CHARM` lists them";
    BundleStorageInvalid "bundle-storage-invalid", 400, "correct the bundle and deploy it again; nothing was changed";
    BundleTrustMissing "bundle-trust-missing", 400, "deploy it with --trust if you trust them; nothing was changed";
    BundleUnreadable "bundle-unreadable", 400, "correct the bundle and deploy it again; nothing was changed";
    CapabilityBeyondPolicy "capability-beyond-policy", 403, "deny it with `--deny CAPABILITY`, or have an admin widen the policy: `periapt model-config capability-policy`";
    CapabilityNotDeclared "capability-not-declared", 400, "name what the charm declares: `periapt charm inspect` and `periapt grants APPLICATION` list it";
    CapabilityUndecided "capability-undecided", 409, "decide on each: `--grant CAPABILITY`, `--grant-all` or `--deny CAPABILITY`, in a bundle `grants` and `denies`, over REST `capabilities`";
    CharmBreaksRelations "charm-breaks-relations", 409, "remove these relations first: `periapt remove-relation ID`, or keep the charm";
    CharmKindDiffers "charm-kind-differs", 409, "deploy the charm as another application: `periapt deploy`";
    CharmNameDiffers "charm-name-differs", 409, "deploy the charm as another application: `periapt deploy`";
    CharmRepositoryMissing "charm-repository-missing", 409, "a superuser names one: `periapt controller-config charm-repository=URL`";
    CidrInvalid "cidr-invalid", 400, "write address ranges as in 10.0.0.0/8 or fd00::/8";
    ConfigUnknownOption "config-unknown-option", 400, "`periapt config APPLICATION` lists the options";
    ConfigWrongType "config-wrong-type", 400, "`periapt config APPLICATION` shows each option's type";
    ConstraintInvalid "constraint-invalid", 400, "write them as `mem=4G cores=2 arch=amd64`, each key once; docs/how-to/constraints-and-scale.md shows what each takes";
    ConstraintUnknown "constraint-unknown", 400, "docs/how-to/constraints-and-scale.md lists all constraints";
    ControllerNodeLast "controller-node-last", 409, "remove the whole controller: `periapt destroy-controller`";
    ControllerNodeRemoved "controller-node-removed", 409, "join the controller again: `periapt controller join`";
    ControllerNodeRunning "controller-node-running", 409, "stop it first, or remove it anyway with --force: it then stops by itself";
    ControllerOptionInvalid "controller-option-invalid", 400, "`periapt controller-config` lists the options with their values";
    ControllerOptionUnknown "controller-option-unknown", 400, "`periapt controller-config` lists the options";
    DisplayNameInvalid "display-name-invalid", 400, "choose a shorter, plainer name";
    EndpointIsPeer "endpoint-is-peer", 400, "nothing to do: peers are related automatically";
    EndpointNotExposed "endpoint-not-exposed", 409, "`periapt show-application APPLICATION` shows what is exposed; without endpoints everything is unexposed";
    EndpointNotFound "endpoint-not-found", 400, "use one of the endpoints it has";
    EndpointsAmbiguous "endpoints-ambiguous", 400, "name the endpoints: `periapt integrate` takes each pair as written";
    EndpointsDoNotFit "endpoints-do-not-fit", 400, "relate a provider of an interface with a requirer of the same interface";
    EndpointsInvalid "endpoints-invalid", 400, "name two endpoints: `periapt integrate APPLICATION[:ENDPOINT] APPLICATION[:ENDPOINT]`";
    FileKindMismatch "file-kind-mismatch", 409, "`periapt files ls UNIT` lists the unit's files and directories";
    FilePathInvalid "file-path-invalid", 400, "name a path below /state, without \"..\"";
    LastSuperuser "last-superuser", 409, "first grant another user superuser: `periapt grant USER superuser`";
    LeaseDenied "leadership-claim-denied" as code::LEASE_DENIED, 409, "only the leader may do this: `periapt status` marks it with *";
    MachineAlive "machine-alive", 409, "remove it first: `periapt remove-machine ID`";
    MachineHasAssignedUnits "machine-has-assigned-units" as code::HAS_ASSIGNED_UNITS, 409, "remove its units first, or together with the machine: `periapt remove-machine --force`";
    MachineNotDead "machine-not-dead", 409, "wait until it is gone: `periapt status`; `periapt remove-machine ID --force` does not wait";
    MachineNotInError "machine-not-in-error", 409, "`periapt machines` shows its state; it is retried automatically until it shows a provisioning error";
    MachineProvisioned "machine-provisioned", 409, "wait for its agent, or remove it by force: `periapt remove-machine ID --force`";
    MeterStatusInvalid "meter-status-invalid", 400, "name one of GREEN, AMBER and RED";
    ModelAlive "model-alive", 409, "destroy it first: `periapt destroy-model MODEL`";
    ModelHasPersistentStorage "model-has-persistent-storage" as "model has persistent storage", 409, "decide what to do with it: `periapt destroy-model MODEL --destroy-storage` or `--release-storage`";
    ModelNotDead "model-not-dead", 409, "wait until it is gone: `periapt models`; `periapt destroy-model MODEL --force` does not wait";
    ModelNotEmpty "model-not-empty" as code::NOT_EMPTY, 409, "destroy what it holds first, or destroy the model with --force";
    ModelOptionInvalid "model-option-invalid", 400, "`periapt model-config` lists the options with their values";
    ModelOptionUnknown "model-option-unknown", 400, "`periapt model-config` lists the options";
    NoSpaces "no-spaces", 400, "name address ranges instead: `periapt expose APPLICATION --to-cidrs 10.0.0.0/8`";
    NotInScope "not-in-scope", 409, "the relation is over for this unit: `periapt show-unit UNIT`";
    NotProvisioned "not-provisioned" as code::NOT_PROVISIONED, 409, "wait until it has an instance: `periapt status`";
    OperationBlocked "operation-blocked" as code::OPERATION_BLOCKED, 409, "`periapt disabled-commands` shows what is disabled; an admin of the model can enable it: `periapt enable-command TYPE`";
    OptionSetAndReset "option-set-and-reset", 400, "leave out one of them";
    OwnerAccess "owner-access", 409, "the owner's access cannot be revoked while they own the model";
    PasswordRefused "password-refused", 400, "choose another password; several words are good";
    PasswordWrong "password-wrong", 400, "give the current password";
    PortConflict "port-conflict", 409, "open another port, or close the other range first";
    ProxyOptionsConflict "proxy-options-conflict", 400, "reset one set of them: `periapt model-config --reset http-proxy,https-proxy,ftp-proxy`";
    QuotaLimitExceeded "quota-limit-exceeded", 400, "store less in it; docs/reference/bounds.md lists the limits";
    RegistrationInvalid "registration-invalid", 401, "ask a superuser for a new one: `periapt change-user-password USER --reset`";
    RelationIsPeer "relation-is-peer", 409, "peers stay related as long as their application exists";
    RelationLimitExceeded "relation-limit-exceeded", 409, "remove one of these relations first: `periapt remove-relation ID`";
    RelationNeedsSubordinate "relation-needs-subordinate", 400, "relate it with a subordinate application, or use another endpoint";
    RelationWithItself "relation-with-itself", 400, "relate two applications";
    AlertReceiverInUse "alert-receiver-in-use", 409, "remove the rules that use it first: `periapt alert-rules` lists them";
    AlertReceiverInvalid "alert-receiver-invalid", 400, "write for example: `periapt add-alert-receiver NAME webhook url=URL key#file=FILE`";
    AlertRuleInvalid "alert-rule-invalid", 400, "write for example: `periapt add-alert-rule NAME unit-error 5m --receiver RECEIVER`";
    SecretBackendConfigInvalid "secret-backend-config-invalid", 400, "a Vault takes endpoint, token, mount-path and ca-cert: `periapt add-secret-backend NAME vault endpoint=URL token#file=FILE ca-cert#file=FILE`";
    SecretBackendInUse "secret-backend-in-use", 409, "move its models to another back end with `periapt model-secret-backend NAME` and wait until their secrets are moved; --force abandons the secrets";
    SecretInvalid "secret-invalid", 400, "correct it; docs/reference/bounds.md lists the limits";
    SecretOfCharm "secret-of-charm", 409, "only its charm can change it; users can change the secrets of the model";
    SecretOptionInvalid "secret-option-invalid", 400, "`periapt secrets --owner model` lists the user secrets; `periapt add-secret NAME KEY=VALUE` adds one";
    StorageElsewhere "storage-elsewhere", 409, "attach it to a unit on the same machine: `periapt show-storage ID` says where it is";
    StorageIncompatible "storage-incompatible", 409, "detach or remove its units' storage first: `periapt storage`";
    StorageInvalid "storage-invalid", 400, "`periapt show-application APPLICATION` names its charm; write NAME=POOL,COUNT,SIZE as in data=loop,1,10G";
    StorageIsAttached "storage-is-attached" as "storage is attached", 409, "detach it first: `periapt detach-storage ID`, or remove it with --force";
    StorageKindUnsupported "storage-kind-unsupported", 400, "use a charm that only needs a filesystem";
    StorageNotDetachable "storage-not-detachable", 409, "remove the unit, or detach it with --force if the charm can do without it";
    StoragePoolInUse "storage-pool-in-use", 409, "remove its storage first: `periapt storage`";
    StoragePoolInvalid "storage-pool-invalid", 400, "write `periapt create-storage-pool NAME rootfs|tmpfs|loop [KEY=VALUE]`; `periapt storage-pools` lists the pools";
    SyslogHostNotAllowed "syslog-host-not-allowed", 403, "ask a superuser to set it, or to list the host: `periapt controller-config syslog-allowed-hosts=HOST`";
    TaskHasEnded "task-has-ended", 409, "`periapt show-task ID` shows how it ended";
    TasksExceeded "tasks-exceeded", 409, "wait until some have ended, or cancel them: `periapt cancel-task ID`";
    TokenLifetimeInvalid "token-lifetime-invalid", 400, "leave out `expires-in`, or give a number of seconds within these limits";
    TokenNameInvalid "token-name-invalid", 400, "choose a shorter, plainer name";
    TooManyCidrs "too-many-cidrs", 400, "name larger address ranges";
    TooManyPorts "too-many-ports", 409, "open a range instead of single ports";
    UnitAlive "unit-alive", 409, "remove it first: `periapt remove-unit UNIT`";
    UnitIsSubordinate "unit-is-subordinate", 409, "remove the principal unit, or the relation: `periapt remove-relation ID`";
    UnitNotDead "unit-not-dead", 409, "wait until it is gone: `periapt show-unit UNIT`; `periapt remove-unit UNIT --force` does not wait";
    UnitNotInError "unit-not-in-error", 409, "only a unit in error can be resolved; `periapt status` shows which are";
    UserOneself "user-oneself", 409, "another superuser can remove you";

    // What agents decided on, and who asks.
    Answered "answered" as code::ANSWERED, 409, "read the unit's state again and try again";
    NotImplemented "not-implemented" as code::NOT_IMPLEMENTED, 400, "use a program with the controller's version";
    NotRedirected "not-redirected" as "", 400, "log in here";
    NoSuchModel "no-such-model" as "model not found", 404, "`periapt models` lists the models";
    Stale "stale" as code::STALE, 409, "read the unit's state again and try again";
    Unauthorized "unauthorized-access" as code::UNAUTHORIZED, 403, "log in with credentials that may do this";

    // Who is at the door.
    AccountDisabled "account-disabled", 403, "ask a superuser to run `periapt enable-user USER`";
    ConnectionsExceeded "connections-exceeded", 429, "close connections that are no longer needed, or wait";
    CredentialsInvalid "credentials-invalid", 401, "check the user name and the password";
    CredentialsMissing "credentials-missing", 401, "log in with `periapt login`";
    CsrfMissing "csrf-missing", 403, "send the session's csrf value in the header X-Periapt-CSRF; GET /v1/session shows it";
    CsrfWrong "csrf-wrong", 403, "send the session's csrf value in the header X-Periapt-CSRF; GET /v1/session shows it";
    Forbidden "forbidden", 403, "`periapt whoami` shows what you may do; ask a superuser or an admin of the model for more";
    LoginsThrottled "logins-throttled", 429, "wait, then try again with the right password";
    Misdirected "misdirected", 421, "use an address, or a name in the controller's certificate";
    OriginRefused "origin-refused", 403, "open the controller's own address in the browser";
    SessionNotFound "session-not-found", 404, "sign in with POST /v1/session";
    ShareExceeded "share-exceeded", 429, "wait until other requests have ended, then send it again";
    TokenInvalid "token-invalid", 401, "log in again with `periapt login`";

    // How a request is written.
    BadRequest "bad-request" as code::BAD_REQUEST, 400, "correct the request; docs/reference/openapi.json describes it";
    BodyInvalid "body-invalid", 400, "correct the body; docs/reference/openapi.json describes it";
    BodyMemberUnknown "body-member-unknown", 400, "correct the body; docs/reference/openapi.json describes it";
    BodyMissing "body-missing", 400, "send the .charm file's bytes as the body";
    BodyNotArchive "body-not-archive", 415, "send the archive with `Content-Type: application/zip`";
    BodyNotFile "body-not-file", 415, "send the file with `Content-Type: application/octet-stream`";
    BodyNotJson "body-not-json", 415, "send JSON with `Content-Type: application/json`";
    BodyTooLarge "body-too-large", 413, "send less; docs/reference/bounds.md lists the limits";
    BodyTooSlow "body-too-slow", 408, "send the request again";
    DigestInvalid "digest-invalid", 400, "give the SHA-256 as 64 hexadecimal digits in ?sha256=";
    FieldUnknown "field-unknown", 400, "/docs/api describes what each list takes";
    FilterUnknown "filter-unknown", 400, "/docs/api describes what each list takes";
    HookIdInvalid "hook-id-invalid", 400, "ask for the list of hooks, which has the ids";
    IdempotencyAnswerLost "idempotency-answer-lost", 409, "check the result; do not send the request again with another key";
    IdempotencyKeyInvalid "idempotency-key-invalid", 400, "send a new UUID with each new request, and the same one when you repeat it";
    IdempotencyKeyReused "idempotency-key-reused", 422, "send a new key with each new request";
    IdempotencyKeyTaken "idempotency-key-taken", 409, "ask again in a moment, with the same key";
    IdempotencyRequestRunning "idempotency-request-running", 409, "ask again in a moment, with the same key";
    IfMatchInvalid "if-match-invalid", 400, "send the ETag as received, including the quotation marks";
    IfMatchUnsupported "if-match-unsupported", 400, "leave out If-Match";
    LimitInvalid "limit-invalid", 400, "/docs/api describes what each list takes";
    MethodNotAllowed "method-not-allowed", 405, "/docs/api lists the methods of each address";
    PathInvalid "path-invalid", 400, "correct the path; docs/reference/openapi.json lists the paths";
    PreconditionFailed "precondition-failed", 412, "read it again, then send the request with the new ETag, or without If-Match";
    QueryInvalid "query-invalid", 400, "correct the query; docs/reference/openapi.json describes it";
    QueryParameterUnknown "query-parameter-unknown", 400, "correct the query; docs/reference/openapi.json describes it";
    RelationIdInvalid "relation-id-invalid", 400, "`periapt status --relations` shows the numbers";
    ReportNotFound "report-not-found", 404, "ask for depengine, hooktimes, machinelock, units, leases, presence or metrics";
    RouteNotFound "route-not-found", 404, "the paths begin with /v1/models; GET /v1/models lists the models";
    TaskIdInvalid "task-id-invalid", 400, "`periapt operations` lists the operations and their tasks by id";
    WaitQueryInvalid "wait-query-invalid", 400, "`periapt wait-for --help` shows queries and names";
    WaitTimedOut "wait-timed-out", 408, "wait longer with ?timeout=, or check the status";
    WebsocketExpected "websocket-expected", 426, "the HTTP API is under /v1";

    // Charms that come in.
    CharmActionsInvalid "charm-actions-invalid", 400, "correct actions.yaml and pack the charm again";
    CharmArchiveBomb "charm-archive-bomb", 400, "make the archive smaller; include each file only once";
    CharmArchiveNoComponent "charm-archive-no-component", 400, "build the charm with `periapt charm build`, then pack it";
    CharmArchivePath "charm-archive-path", 400, "create the archive with `periapt charm pack`, which writes only valid paths";
    CharmArchiveUnreadable "charm-archive-unreadable", 400, "create the archive with `periapt charm pack`";
    CharmCapabilityInvalid "charm-capability-invalid", 400, "correct the capability and pack the charm again; docs/reference/capabilities.md shows how each is written";
    CharmCapabilityUndeclared "charm-capability-undeclared", 400, "declare it with its reason, or remove the calls that need it, and pack the charm again; docs/reference/capabilities.md lists the capabilities";
    CharmCapabilityUnknown "charm-capability-unknown", 400, "remove the capability, or use a newer controller";
    CharmComponentInvalid "charm-component-invalid", 400, "build the charm with `periapt charm build`, then pack it";
    CharmConfigInvalid "charm-config-invalid", 400, "correct config.yaml and pack the charm again";
    CharmDigestMismatch "charm-digest-mismatch", 400, "the file changed in transit or while it was read; send it again";
    CharmMetadataInvalid "charm-metadata-invalid", 400, "correct metadata.yaml and pack the charm again";
    CharmMetadataMissing "charm-metadata-missing", 400, "correct metadata.yaml and pack the charm again";
    CharmMetricsInvalid "charm-metrics-invalid", 400, "correct metrics.yaml and pack the charm again";
    CharmTooLarge "charm-too-large", 413, "make the archive smaller";
    ResourceDigestMismatch "resource-digest-mismatch", 400, "the file changed in transit or while it was read; send it again";
    ResourceIsImage "resource-is-image", 400, "leave it out: container images are not supported; workloads are WebAssembly components";
    ResourceTooLarge "resource-too-large", 413, "make the file smaller; docs/reference/bounds.md lists the limits";
    UploadInterrupted "upload-interrupted", 400, "try again";

    // Their compilation. What the compiler may take is taken by the charm; its own failures are not
    // the charm's.
    CompileAddressSpace "compile-address-space", 400, "make the charm smaller; compiling it exceeds the limits";
    CompileEnded "compile-ended", 500, "try again; if it happens again, see the controller's log";
    CompileFailed "compile-failed", 500, "try again; if it happens again, see the controller's log";
    CompileKilled "compile-killed", 500, "try again; if it happens again, see the controller's log";
    CompileOtherComponent "compile-other-component", 500, "try again; if it happens again, see the controller's log";
    CompileProcessorTime "compile-processor-time", 400, "make the charm smaller; compiling it exceeds the limits";
    CompileStart "compile-start", 500, "try again; if it happens again, see the controller's log";
    CompileWallClock "compile-wall-clock", 400, "make the charm smaller; compiling it exceeds the limits";
    ComponentInspection "component-inspection", 400, "the charm fails before its first hook; run its tests, then build it again";
    ComponentInvalid "component-invalid", 400, "build the charm with `periapt charm build`, then pack it";
    ComponentMismatch "component-mismatch", 400, "build the charm with `periapt charm build`, then pack it";
    ComponentMissingExport "component-missing-export", 400, "build the charm with `periapt charm build`, then pack it";
    ComponentTooDemanding "component-too-demanding", 400, "make the charm smaller; it exceeds the limits";
    ComponentTooLarge "component-too-large", 400, "make the charm smaller; docs/reference/bounds.md lists the limits";
    ComponentUnknownImport "component-unknown-import", 400, "build the charm against this controller's SDK; `periapt charm inspect` lists its imports";
    Descriptors "descriptors", 503, "try again in a few seconds";
    SandboxEngine "sandbox-engine", 500, "see the controller's log";

    // What the controller cannot do now.
    AgentSilent "agent-silent", 503, "`periapt introspect presence` shows which agents are connected; try again in a few seconds";
    AlertReceiverUnavailable "alert-receiver-unavailable", 503, "make sure that the controller's machine can reach the receiver, then try again";
    ApiNotServing "api-not-serving", 503, "try again in a few seconds";
    BackupFile "backup-file", 500, "see the controller's log";
    BackupRestless "backup-restless", 409, "try again";
    BackupRunning "backup-running", 409, "wait until it is complete: `periapt backups`";
    CharmRepositoryUnavailable "charm-repository-unavailable", 503, "make sure that the controller's machine can read its index: `periapt controller-config charm-repository` shows where it is";
    DatabaseEmpty "database-empty" as "database empty", 500, "connect the controller to its original database, or restore a backup";
    DatabaseLocked "database-locked" as "database locked", 503, "try again in a few seconds";
    DatabaseUnavailable "database-unavailable" as "database unavailable", 503, "try again in a few seconds";
    DiskFull "disk-full" as "disk full", 507, "free some space on the controller's disk, then try again";
    InternalError "internal-error" as code::INTERNAL, 500, "see the controller's log";
    OutcomeUnknown "outcome-unknown" as "outcome unknown", 503, "check whether the change was made before you repeat it; the same Idempotency-Key repeats it safely";
    SecretBackendUnavailable "secret-backend-unavailable" as "secret-backend-unavailable", 503, "`periapt secret-backends` shows what is wrong with it; try again once it can be reached";
    SecretKeyMissing "secret-key-missing" as "secret-key-missing", 500, "put the controller's secrets.key back where it was, or restore a backup";
    SchemaTooNew "schema-too-new" as "schema too new", 500, "start the newer program that this database belongs to";
    Stopped "stopped" as code::STOPPED, 503, "try again in a few seconds";
    TryAgain "try-again" as code::TRY_AGAIN, 503, "try again in a few seconds";
    UpgradeInProgress "upgrade-in-progress" as code::UPGRADE_IN_PROGRESS, 503, "wait until it has finished; `periapt status` works meanwhile";
}
