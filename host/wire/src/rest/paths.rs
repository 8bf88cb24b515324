//! The paths of the HTTP API, each once: the server's routes are declared with them, and the client's
//! requests are made of them.

/// A path with `N` parts that vary, named in braces.
#[derive(Clone, Copy, Debug)]
pub struct Path<const N: usize> {
    pub text: &'static str,
}

impl<const N: usize> Path<N> {
    const fn new(text: &'static str) -> Self {
        let mut parts = 0;
        let mut rest = text.as_bytes();
        while let [first, others @ ..] = rest {
            if *first == b'{' {
                parts += 1;
            }
            rest = others;
        }
        assert!(parts == N, "a path with other parts than its type says");
        Self { text }
    }

    /// Its segments with these values for the parts that vary, in their order.
    pub fn at(self, values: [&str; N]) -> Vec<&str> {
        let mut values = values.into_iter();
        let segments = self.text.split('/').skip(1);
        let value = |segment: &'static str| match segment.starts_with('{') {
            true => values.next().unwrap_or_default(),
            false => segment,
        };
        segments.map(value).collect()
    }
}

macro_rules! paths {
    ($($name:ident($parts:literal) = $text:literal;)*) => {
        $(pub const $name: Path<$parts> = Path::new($text);)*

        /// All of them, by their names.
        pub const ALL: &[(&str, &str)] = &[$((stringify!($name), $text)),*];
    };
}

/// Where one process of the controller asks another. It is no part of the API, and so not among the paths of that.
pub const NODE_QUESTION: Path<0> = Path::new("/node/question");

paths! {
    DOCS_API(0) = "/docs/api";
    HEALTH(0) = "/health";
    METRICS(0) = "/metrics";
    READY(0) = "/ready";
    ALERT_DELIVERIES(0) = "/v1/alert-deliveries";
    ALERT_RECEIVERS(0) = "/v1/alert-receivers";
    ALERT_RECEIVER(1) = "/v1/alert-receivers/{receiver}";
    ALERT_RECEIVER_TEST(1) = "/v1/alert-receivers/{receiver}/test";
    ALERT_RULES(0) = "/v1/alert-rules";
    ALERT_RULE(1) = "/v1/alert-rules/{rule}";
    ALERT_RULE_SILENCE(1) = "/v1/alert-rules/{rule}/silence";
    ALERTS(0) = "/v1/alerts";
    ALERT_ACKNOWLEDGE(1) = "/v1/alerts/{alert}/acknowledge";
    AUDIT(0) = "/v1/audit";
    BACKUPS(0) = "/v1/backups";
    BACKUP(1) = "/v1/backups/{backup}";
    CHARM_REPOSITORY(0) = "/v1/charm-repository";
    CLOUDS(0) = "/v1/clouds";
    CONTROLLER(0) = "/v1/controller";
    CONTROLLER_CONFIG(0) = "/v1/controller/config";
    CONTROLLER_ENCRYPTION_KEY_ROTATE(0) = "/v1/controller/encryption-key/rotate";
    CONTROLLER_FIGURES(0) = "/v1/controller/figures";
    CONTROLLER_INTROSPECTION(1) = "/v1/controller/introspection/{report}";
    CONTROLLER_NODES(0) = "/v1/controller/nodes";
    CONTROLLER_NODE(1) = "/v1/controller/nodes/{node}";
    CONTROLLER_STOP(0) = "/v1/controller/stop";
    CREDENTIALS(0) = "/v1/credentials";
    EVENTS(0) = "/v1/events";
    LOGIN(0) = "/v1/login";
    MODEL_DEFAULTS(0) = "/v1/model-defaults";
    MODELS(0) = "/v1/models";
    MODEL(1) = "/v1/models/{model}";
    MODEL_ACCESS(1) = "/v1/models/{model}/access";
    MODEL_ACCESS_OF(2) = "/v1/models/{model}/access/{user}";
    MODEL_AGENT_START(1) = "/v1/models/{model}/agent/start";
    ANNOTATIONS(1) = "/v1/models/{model}/annotations";
    APPLICATIONS(1) = "/v1/models/{model}/applications";
    APPLICATION(2) = "/v1/models/{model}/applications/{name}";
    APPLICATION_ACTIONS(2) = "/v1/models/{model}/applications/{name}/actions";
    APPLICATION_CONFIG(2) = "/v1/models/{model}/applications/{name}/config";
    APPLICATION_CONSTRAINTS(2) = "/v1/models/{model}/applications/{name}/constraints";
    APPLICATION_EXPOSE(2) = "/v1/models/{model}/applications/{name}/expose";
    APPLICATION_GRANTS(2) = "/v1/models/{model}/applications/{name}/grants";
    APPLICATION_GRANTS_REVOKE(2) = "/v1/models/{model}/applications/{name}/grants/revoke";
    APPLICATION_HISTORY(2) = "/v1/models/{model}/applications/{name}/history";
    APPLICATION_METER_STATUS(2) = "/v1/models/{model}/applications/{name}/meter-status";
    APPLICATION_MIN_UNITS(2) = "/v1/models/{model}/applications/{name}/min-units";
    APPLICATION_REFRESH(2) = "/v1/models/{model}/applications/{name}/refresh";
    APPLICATION_RESOURCES(2) = "/v1/models/{model}/applications/{name}/resources";
    APPLICATION_RESOURCE(3) = "/v1/models/{model}/applications/{name}/resources/{resource}";
    APPLICATION_SCALE(2) = "/v1/models/{model}/applications/{name}/scale";
    APPLICATION_TRAFFIC(2) = "/v1/models/{model}/applications/{name}/traffic";
    APPLICATION_TRUST(2) = "/v1/models/{model}/applications/{name}/trust";
    APPLICATION_UNEXPOSE(2) = "/v1/models/{model}/applications/{name}/unexpose";
    APPLICATION_UNITS(2) = "/v1/models/{model}/applications/{name}/units";
    MODEL_AUDIT(1) = "/v1/models/{model}/audit";
    BLOB(2) = "/v1/models/{model}/blobs/{digest}";
    BLOCKS(1) = "/v1/models/{model}/blocks";
    BLOCK(2) = "/v1/models/{model}/blocks/{kind}";
    BUNDLE_EXPORT(1) = "/v1/models/{model}/bundle";
    BUNDLE_DRIFT(1) = "/v1/models/{model}/bundle/drift";
    BUNDLES(1) = "/v1/models/{model}/bundles";
    BUNDLE(2) = "/v1/models/{model}/bundles/{apply}";
    CHARM_REVISIONS(1) = "/v1/models/{model}/charm-revisions";
    MODEL_CHARM_REPOSITORY_TAKE(1) = "/v1/models/{model}/charm-repository/take";
    CHARMS(1) = "/v1/models/{model}/charms";
    CHARM(2) = "/v1/models/{model}/charms/{charm}";
    CHARM_ARCHIVE(2) = "/v1/models/{model}/charms/{charm}/archive";
    CHARM_README(2) = "/v1/models/{model}/charms/{charm}/readme";
    CHARM_CAPABILITIES(2) = "/v1/models/{model}/charms/{charm}/capabilities";
    MODEL_CONFIG(1) = "/v1/models/{model}/config";
    CHECKS(1) = "/v1/models/{model}/checks";
    MODEL_CONSTRAINTS(1) = "/v1/models/{model}/constraints";
    MODEL_CREDENTIAL(1) = "/v1/models/{model}/credential";
    MODEL_EVENTS(1) = "/v1/models/{model}/events";
    HOOKS(1) = "/v1/models/{model}/hooks";
    HOOK(2) = "/v1/models/{model}/hooks/{id}";
    HOOK_REPORT(2) = "/v1/models/{model}/hooks/{id}/report";
    INCIDENTS(1) = "/v1/models/{model}/incidents";
    INCIDENT_RETRY(2) = "/v1/models/{model}/incidents/{id}/retry";
    INCIDENT_SILENCE(2) = "/v1/models/{model}/incidents/{id}/silence";
    INCIDENT_SKIP(2) = "/v1/models/{model}/incidents/{id}/skip";
    MODEL_INTROSPECTION(2) = "/v1/models/{model}/introspection/{report}";
    MODEL_LOGS(1) = "/v1/models/{model}/logs";
    MACHINES(1) = "/v1/models/{model}/machines";
    MACHINE(2) = "/v1/models/{model}/machines/{machine}";
    MACHINE_BLOCK_DEVICES(2) = "/v1/models/{model}/machines/{machine}/block-devices";
    MACHINE_HISTORY(2) = "/v1/models/{model}/machines/{machine}/history";
    MACHINE_RETRY_PROVISIONING(2) = "/v1/models/{model}/machines/{machine}/retry-provisioning";
    MODEL_METRICS(1) = "/v1/models/{model}/metrics";
    MODEL_TOP(1) = "/v1/models/{model}/top";
    OPERATIONS(1) = "/v1/models/{model}/operations";
    OPERATION(2) = "/v1/models/{model}/operations/{operation}";
    PAYLOADS(1) = "/v1/models/{model}/payloads";
    MODEL_REACHABILITY(1) = "/v1/models/{model}/reachability";
    RELATIONS(1) = "/v1/models/{model}/relations";
    RELATION(2) = "/v1/models/{model}/relations/{relation}";
    RESOURCES(1) = "/v1/models/{model}/resources";
    SECRETS(1) = "/v1/models/{model}/secrets";
    SECRET(2) = "/v1/models/{model}/secrets/{secret}";
    SECRET_GRANTS(2) = "/v1/models/{model}/secrets/{secret}/grants";
    SECRET_GRANT(3) = "/v1/models/{model}/secrets/{secret}/grants/{application}";
    SECRET_REVEAL(2) = "/v1/models/{model}/secrets/{secret}/reveal";
    SERVICES(1) = "/v1/models/{model}/services";
    STORAGE(1) = "/v1/models/{model}/storage";
    STORAGE_POOLS(1) = "/v1/models/{model}/storage-pools";
    STORAGE_POOL(2) = "/v1/models/{model}/storage-pools/{pool}";
    STORAGE_OF(3) = "/v1/models/{model}/storage/{name}/{number}";
    STORAGE_ATTACH(3) = "/v1/models/{model}/storage/{name}/{number}/attach";
    STORAGE_DETACH(3) = "/v1/models/{model}/storage/{name}/{number}/detach";
    MODEL_STATUS(1) = "/v1/models/{model}/status";
    TASK(2) = "/v1/models/{model}/tasks/{task}";
    TASK_CANCEL(2) = "/v1/models/{model}/tasks/{task}/cancel";
    MODEL_TIMELINE(1) = "/v1/models/{model}/timeline";
    UNITS(1) = "/v1/models/{model}/units";
    UNIT(3) = "/v1/models/{model}/units/{name}/{number}";
    UNIT_FILES_LIST(3) = "/v1/models/{model}/units/{name}/{number}/files/list";
    UNIT_FILES_READ(3) = "/v1/models/{model}/units/{name}/{number}/files/read";
    UNIT_HISTORY(3) = "/v1/models/{model}/units/{name}/{number}/history";
    UNIT_METER_STATUS(3) = "/v1/models/{model}/units/{name}/{number}/meter-status";
    UNIT_METRICS(3) = "/v1/models/{model}/units/{name}/{number}/metrics";
    UNIT_RESOLVED(3) = "/v1/models/{model}/units/{name}/{number}/resolved";
    UNIT_START(3) = "/v1/models/{model}/units/{name}/{number}/start";
    UNIT_STORAGE(3) = "/v1/models/{model}/units/{name}/{number}/storage";
    UNIT_STOP(3) = "/v1/models/{model}/units/{name}/{number}/stop";
    UNIT_WHY(3) = "/v1/models/{model}/units/{name}/{number}/why";
    MODEL_WAIT(1) = "/v1/models/{model}/wait";
    MODEL_WORKERS(1) = "/v1/models/{model}/workers";
    OPENAPI_JSON(0) = "/v1/openapi.json";
    REGISTER(0) = "/v1/register";
    SECRET_BACKENDS(0) = "/v1/secret-backends";
    SECRET_BACKEND(1) = "/v1/secret-backends/{backend}";
    SESSION(0) = "/v1/session";
    USERS(0) = "/v1/users";
    USER(1) = "/v1/users/{user}";
    USER_ACCESS(1) = "/v1/users/{user}/access";
    USER_PASSWORD(1) = "/v1/users/{user}/password";
    USER_REGISTRATION(1) = "/v1/users/{user}/registration";
    USER_TOKENS(1) = "/v1/users/{user}/tokens";
    USER_TOKEN(2) = "/v1/users/{user}/tokens/{id}";
    WHOAMI(0) = "/v1/whoami";
    WORKERS(0) = "/v1/workers";
}
