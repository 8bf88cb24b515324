//! What a change is called in the audit log: a verb and an object, `integrated` and `front with site`.
//!
//! One row for each route that changes something; a test holds that none is missing. An object is the
//! first of its templates all of whose parts are there: `{name}` is a part of the path, `{body.member}`
//! a member of a JSON body: text as it is, a list with its items, an object with its keys. Of a charm,
//! whose body is a file, they are those of the query. Values of settings and of secrets are not looked at, so
//! that the words may be kept whether or not the audit log captures what was asked.

use periapt_model::text::clean_line_at_most;
use periapt_wire::rest::{AuditKind, AuditRecord, paths};
use serde_json::Value;

use crate::rest::Route;

/// Bytes of an object at most, but for the mark that it was cut.
const OBJECT: usize = 200;
/// Names that one change is about at most; beyond that it is about everything.
const NAMES: usize = 20;

/// A change in words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Told {
    pub kind: AuditKind,
    pub verb: String,
    pub object: String,
    /// Applications and units that it is about.
    pub about: Vec<String>,
}

impl Told {
    /// Puts the words into a record.
    pub(crate) fn tell(self, record: &mut AuditRecord) {
        record.kind = self.kind;
        record.verb = self.verb;
        record.object = self.object;
        record.about = self.about;
    }
}

/// A route that changes something, in words.
struct Words {
    method: &'static str,
    path: &'static str,
    /// `member=value` of the body with the verb that it makes; the last has no condition.
    verbs: &'static [(&'static str, &'static str)],
    objects: &'static [&'static str],
}

const fn row(
    method: &'static str,
    path: &'static str,
    verbs: &'static [(&'static str, &'static str)],
    objects: &'static [&'static str],
) -> Words {
    Words {
        method,
        path,
        verbs,
        objects,
    }
}

const CONFIG: &[&str] = &[
    "{body.set} and {body.reset} of {name}",
    "{body.set} of {name}",
    "{body.reset} of {name}",
    "the configuration of {name}",
];
const OPTIONS_OF_MODEL: &[&str] = &[
    "{body.set} and {body.reset} of the model",
    "{body.set} of the model",
    "{body.reset} of the model",
    "the configuration of the model",
];
const OPTIONS_OF_CONTROLLER: &[&str] = &[
    "{body.set} and {body.reset} of the controller",
    "{body.set} of the controller",
    "{body.reset} of the controller",
    "the configuration of the controller",
];

/// Those by which somebody proves who they are.
const SIGN_INS: &[(&str, &str)] = &[
    ("POST", paths::LOGIN.text),
    ("POST", paths::SESSION.text),
    ("DELETE", paths::SESSION.text),
    ("POST", paths::REGISTER.text),
];

// In the order of the paths.
#[rustfmt::skip]
const WORDS: &[Words] = &[
    row("POST", paths::ALERT_RECEIVERS.text, &[("", "added")], &["alert receiver {body.name}", "an alert receiver"]),
    row("DELETE", paths::ALERT_RECEIVER.text, &[("", "removed")], &["alert receiver {receiver}"]),
    row("POST", paths::ALERT_RECEIVER_TEST.text, &[("", "tested")], &["alert receiver {receiver}"]),
    row("POST", paths::ALERT_RULES.text, &[("", "added")], &["alert rule {body.name}", "an alert rule"]),
    row("DELETE", paths::ALERT_RULE.text, &[("", "removed")], &["alert rule {rule}"]),
    row("POST", paths::ALERT_RULE_SILENCE.text, &[("", "silenced")], &["alert rule {rule}"]),
    row("POST", paths::ALERT_ACKNOWLEDGE.text, &[("", "acknowledged")], &["alert {alert}"]),
    row("POST", paths::BACKUPS.text, &[("", "made")], &["a backup"]),
    row("DELETE", paths::BACKUP.text, &[("", "removed")], &["backup {backup}"]),
    row("PATCH", paths::CONTROLLER_CONFIG.text, &[("", "changed")], OPTIONS_OF_CONTROLLER),
    row("POST", paths::CONTROLLER_ENCRYPTION_KEY_ROTATE.text, &[("", "replaced")], &["the encryption key"]),
    row("DELETE", paths::CONTROLLER_NODE.text, &[("", "removed")], &["process {node} of the controller"]),
    row("POST", paths::CONTROLLER_STOP.text, &[("", "stopped")], &["the controller"]),
    row("POST", paths::LOGIN.text, &[("", "signed in")], &[""]),
    row("PATCH", paths::MODEL_DEFAULTS.text, &[("", "changed")], &["the defaults of models"]),
    row("POST", paths::MODELS.text, &[("", "added")], &["model {body.name}", "a model"]),
    row("DELETE", paths::MODEL.text, &[("", "destroyed")], &["model {model}"]),
    row("PUT", paths::MODEL_ACCESS_OF.text, &[("", "granted")], &["{body.access} on the model to {user}", "access to {user}"]),
    row("DELETE", paths::MODEL_ACCESS_OF.text, &[("", "revoked")], &["{body.access} on the model from {user}", "access from {user}"]),
    row("POST", paths::MODEL_AGENT_START.text, &[("", "started")], &["the agent of the model"]),
    row("PATCH", paths::ANNOTATIONS.text, &[("", "annotated")], &["{body.entity}", "the model"]),
    row("POST", paths::APPLICATIONS.text, &[("", "deployed")], &["{body.charm} as {body.application}", "an application"]),
    row("DELETE", paths::APPLICATION.text, &[("", "removed")], &["application {name}"]),
    row("PATCH", paths::APPLICATION_CONFIG.text, &[("", "changed")], CONFIG),
    row("PUT", paths::APPLICATION_CONSTRAINTS.text, &[("", "constrained")], &["{name} to {body.constraints}", "{name}"]),
    row("POST", paths::APPLICATION_EXPOSE.text, &[("", "exposed")], &["{name}"]),
    row("POST", paths::APPLICATION_GRANTS.text, &[("", "granted")], &["{body.capabilities} to {name}", "capabilities to {name}"]),
    row("POST", paths::APPLICATION_GRANTS_REVOKE.text, &[("", "revoked")], &["{body.capabilities} from {name}", "capabilities from {name}"]),
    row("PUT", paths::APPLICATION_METER_STATUS.text, &[("", "set")], &["the meter status of {name} to {body.color}", "the meter status of {name}"]),
    row("PUT", paths::APPLICATION_MIN_UNITS.text, &[("", "set")], &["the least number of units of {name} to {body.min-units}", "the least number of units of {name}"]),
    row("POST", paths::APPLICATION_REFRESH.text, &[("", "refreshed")], &["{name} to {body.charm}", "{name}"]),
    row("PUT", paths::APPLICATION_RESOURCE.text, &[("", "attached")], &["resource {resource} to {name}"]),
    row("PUT", paths::APPLICATION_SCALE.text, &[("", "scaled")], &["{name} to {body.units} units", "{name}"]),
    row("PUT", paths::APPLICATION_TRUST.text, &[("trust=false", "stopped trusting"), ("", "trusted")], &["{name}"]),
    row("POST", paths::APPLICATION_UNEXPOSE.text, &[("", "unexposed")], &["{name}"]),
    row("POST", paths::APPLICATION_UNITS.text, &[("", "added")], &["{body.count} units to {name}", "a unit to {name}"]),
    row("PUT", paths::BLOCK.text, &[("", "disabled")], &["{kind} in the model"]),
    row("DELETE", paths::BLOCK.text, &[("", "enabled")], &["{kind} in the model"]),
    row("POST", paths::BUNDLES.text, &[("dry-run=true", "planned"), ("", "deployed")], &["a bundle"]),
    row("POST", paths::MODEL_CHARM_REPOSITORY_TAKE.text, &[("", "took")], &["charm {body.name} from the repository", "a charm from the repository"]),
    row("POST", paths::CHARM_REVISIONS.text, &[("", "looked for")], &["newer charms"]),
    row("POST", paths::CHARMS.text, &[("", "uploaded")], &["charm {body.name}", "a charm"]),
    row("PATCH", paths::MODEL_CONFIG.text, &[("", "changed")], OPTIONS_OF_MODEL),
    row("PUT", paths::MODEL_CONSTRAINTS.text, &[("", "constrained")], &["the model to {body.constraints}", "the model"]),
    row("PUT", paths::MODEL_CREDENTIAL.text, &[("valid=false", "invalidated"), ("", "validated")], &["the credential of the model"]),
    row("POST", paths::INCIDENT_RETRY.text, &[("", "retried")], &["incident {id}"]),
    row("POST", paths::INCIDENT_SKIP.text, &[("", "skipped")], &["incident {id}"]),
    row("POST", paths::INCIDENT_SILENCE.text, &[("", "silenced")], &["incident {id} for {body.seconds} seconds", "incident {id} until it changes"]),
    row("DELETE", paths::INCIDENT_SILENCE.text, &[("", "ended the silence of")], &["incident {id}"]),
    row("POST", paths::MACHINES.text, &[("", "added")], &["{body.count} machines", "a machine"]),
    row("DELETE", paths::MACHINE.text, &[("", "removed")], &["machine {machine}"]),
    row("POST", paths::MACHINE_RETRY_PROVISIONING.text, &[("", "retried")], &["the start of machine {machine}"]),
    row("POST", paths::OPERATIONS.text, &[("", "ran")], &[
        "{body.action} on {body.units}", "{body.action} on {body.applications}", "a command on {body.units}",
        "a command on {body.applications}", "a command on machines {body.machines}", "an operation",
    ]),
    row("POST", paths::RELATIONS.text, &[("", "integrated")], &["{body.endpoints}", "two applications"]),
    row("DELETE", paths::RELATION.text, &[("", "removed")], &["relation {relation}"]),
    row("PATCH", paths::RELATION.text, &[("suspended=true", "suspended"), ("", "resumed")], &["relation {relation}"]),
    row("POST", paths::RESOURCES.text, &[("", "uploaded")], &["a resource"]),
    row("POST", paths::SECRETS.text, &[("", "added")], &["secret {body.name}", "a secret"]),
    row("DELETE", paths::SECRET.text, &[("", "removed")], &["secret {secret}"]),
    row("PATCH", paths::SECRET.text, &[("", "changed")], &["secret {secret}"]),
    row("POST", paths::SECRET_GRANTS.text, &[("", "granted")], &["secret {secret} to {body.applications}", "secret {secret}"]),
    row("DELETE", paths::SECRET_GRANT.text, &[("", "revoked")], &["secret {secret} from {application}"]),
    row("POST", paths::SECRET_REVEAL.text, &[("", "revealed")], &["secret {secret}"]),
    row("POST", paths::STORAGE.text, &[("", "imported")], &["a storage"]),
    row("POST", paths::STORAGE_POOLS.text, &[("", "added")], &["storage pool {body.name}", "a storage pool"]),
    row("DELETE", paths::STORAGE_POOL.text, &[("", "removed")], &["storage pool {pool}"]),
    row("DELETE", paths::STORAGE_OF.text, &[("", "removed")], &["storage {name}/{number}"]),
    row("POST", paths::STORAGE_ATTACH.text, &[("", "attached")], &["storage {name}/{number} to {body.unit}", "storage {name}/{number}"]),
    row("POST", paths::STORAGE_DETACH.text, &[("", "detached")], &["storage {name}/{number}"]),
    row("POST", paths::TASK_CANCEL.text, &[("", "cancelled")], &["task {task}"]),
    row("DELETE", paths::UNIT.text, &[("", "removed")], &["unit {name}/{number}"]),
    row("POST", paths::UNIT_FILES_LIST.text, &[("", "listed")], &["{body.path} of {name}/{number}", "files of {name}/{number}"]),
    row("POST", paths::UNIT_FILES_READ.text, &[("", "read")], &["{body.path} of {name}/{number}", "a file of {name}/{number}"]),
    row("PUT", paths::UNIT_METER_STATUS.text, &[("", "set")], &["the meter status of {name}/{number} to {body.color}", "the meter status of {name}/{number}"]),
    row("POST", paths::UNIT_RESOLVED.text, &[("retry=true", "retried"), ("", "skipped")], &["the failed hook of {name}/{number}"]),
    row("POST", paths::UNIT_START.text, &[("", "started")], &["the agent of {name}/{number}"]),
    row("POST", paths::UNIT_STOP.text, &[("", "stopped")], &["the agent of {name}/{number}"]),
    row("POST", paths::UNIT_STORAGE.text, &[("", "added")], &["storage {body.storage} to {name}/{number}", "storage to {name}/{number}"]),
    row("POST", paths::REGISTER.text, &[("", "registered")], &[""]),
    row("POST", paths::SECRET_BACKENDS.text, &[("", "added")], &["secret back end {body.name}", "a secret back end"]),
    row("DELETE", paths::SECRET_BACKEND.text, &[("", "removed")], &["secret back end {backend}"]),
    row("PATCH", paths::SECRET_BACKEND.text, &[("", "changed")], &["secret back end {backend}"]),
    row("POST", paths::SESSION.text, &[("", "signed in")], &["in a browser"]),
    row("DELETE", paths::SESSION.text, &[("", "signed out")], &[""]),
    row("POST", paths::USERS.text, &[("", "added")], &["user {body.name}", "a user"]),
    row("DELETE", paths::USER.text, &[("", "removed")], &["user {user}"]),
    row("PATCH", paths::USER.text, &[("disabled=true", "disabled"), ("disabled=false", "enabled"), ("", "changed")], &["user {user}"]),
    row("PUT", paths::USER_ACCESS.text, &[("", "granted")], &["{body.access} on the controller to {user}", "access to {user}"]),
    row("DELETE", paths::USER_ACCESS.text, &[("", "revoked")], &["{body.access} on the controller from {user}", "access from {user}"]),
    row("PUT", paths::USER_PASSWORD.text, &[("", "changed")], &["the password of {user}"]),
    row("POST", paths::USER_REGISTRATION.text, &[("", "invited")], &["user {user}"]),
    row("POST", paths::USER_TOKENS.text, &[("", "made")], &["token {body.name} of {user}", "a token of {user}"]),
    row("DELETE", paths::USER_TOKEN.text, &[("", "revoked")], &["token {id} of {user}"]),
];

fn of(method: &str, path: &str) -> Option<&'static Words> {
    let mut all = WORDS.iter();
    all.find(|words| words.method == method && words.path == path)
}

/// Whether the words need the body.
pub(super) fn reads_body(route: &Route) -> bool {
    of(route.method, route.path).is_some_and(|words| {
        words.verbs.len() > 1 || words.objects.iter().any(|object| object.contains("{body."))
    })
}

/// A request to a route in words; `target` is its path as it was sent.
pub(super) fn of_request(route: &Route, target: &str, body: Option<&Value>) -> Told {
    of_change(route.method, route.path, target, body)
}

/// A change that is made as a route of this method and path makes it.
pub(crate) fn of_change(method: &str, path: &str, target: &str, body: Option<&Value>) -> Told {
    let sign_in = SIGN_INS.contains(&(method, path));
    let parts = Parts {
        template: path,
        target,
        body,
    };
    let kind = match sign_in {
        true => AuditKind::SignIn,
        false => AuditKind::Change,
    };
    let Some(words) = of(method, path) else {
        return Told {
            kind,
            about: parts.about(),
            ..Told::default()
        };
    };
    let verb = words.verbs.iter().find(|(when, _)| parts.holds(when));
    let object = words.objects.iter().find_map(|object| parts.fill(object));
    Told {
        kind,
        verb: verb.map(|(_, verb)| (*verb).to_owned()).unwrap_or_default(),
        object: clean_line_at_most(&object.unwrap_or_default(), OBJECT),
        about: parts.about(),
    }
}

/// A call over a websocket, whose name says what it does.
pub(super) fn of_call(facade: &str, method: &str, person: bool) -> Told {
    Told {
        kind: match person {
            true => AuditKind::Change,
            false => AuditKind::Call,
        },
        verb: "called".to_owned(),
        object: format!("{facade}.{method}"),
        about: Vec::new(),
    }
}

/// What words are made of.
struct Parts<'a> {
    template: &'a str,
    target: &'a str,
    body: Option<&'a Value>,
}

impl Parts<'_> {
    /// Whether the body has what a verb asks for.
    fn holds(&self, when: &str) -> bool {
        let Some((member, value)) = when.split_once('=') else {
            return true;
        };
        let wanted: Option<Value> = serde_json::from_str(value).ok();
        let found = self.body.and_then(|body| body.get(member));
        found.is_some() && found == wanted.as_ref()
    }

    fn of_path(&self, name: &str) -> Option<String> {
        let wanted = |part: &str| part.strip_prefix('{')?.strip_suffix('}').map(str::to_owned);
        let mut pairs = self.template.split('/').zip(self.target.split('/'));
        pairs
            .find(|&(part, _)| wanted(part).as_deref() == Some(name))
            .map(|(_, value)| value.to_owned())
            .filter(|value| !value.is_empty())
    }

    fn of_body(&self, member: &str) -> Option<String> {
        let value = self.body?.get(member)?;
        let joint = match member {
            "endpoints" => " with ",
            _ => ", ",
        };
        let words = match value {
            Value::String(text) => text.clone(),
            Value::Number(number) => number.to_string(),
            Value::Bool(truth) => truth.to_string(),
            Value::Array(items) => {
                let items = items.iter().filter_map(Value::as_str);
                items.collect::<Vec<_>>().join(joint)
            }
            Value::Object(members) => {
                let keys: Vec<&str> = members.keys().map(String::as_str).collect();
                keys.join(joint)
            }
            Value::Null => String::new(),
        };
        (!words.is_empty()).then_some(words)
    }

    /// The template with its parts; none where one of them is missing.
    fn fill(&self, template: &str) -> Option<String> {
        let mut filled = String::new();
        let mut rest = template;
        while let Some((before, after)) = rest.split_once('{') {
            let (part, behind) = after.split_once('}')?;
            filled.push_str(before);
            filled.push_str(&match part.strip_prefix("body.") {
                Some(member) => self.of_body(member)?,
                None => self.of_path(part)?,
            });
            rest = behind;
        }
        filled.push_str(rest);
        Some(filled)
    }

    /// The applications and units it is about, and the incident.
    fn about(&self) -> Vec<String> {
        let mut about = Vec::new();
        if self.template.contains("/storage/{name}") {
            return about;
        }
        if let Some(name) = self.of_path("name") {
            if let Some(number) = self.of_path("number") {
                about.push(format!("{name}/{number}"));
            }
            about.push(name);
        }
        about.extend(self.of_path("application"));
        if self.template.contains("/incidents/{id}") {
            about.extend(self.of_path("id"));
        }
        let body = |member: &str| self.body.and_then(|body| body.get(member));
        about.extend(
            body("application")
                .and_then(Value::as_str)
                .map(str::to_owned),
        );
        for member in ["endpoints", "applications"] {
            let listed = body(member).and_then(Value::as_array);
            let listed = listed.into_iter().flatten().filter_map(Value::as_str);
            let named = listed.map(|end| end.split(':').next().unwrap_or_default());
            about.extend(named.filter(|name| !name.is_empty()).map(str::to_owned));
        }
        about.dedup();
        // What is separated by bars in the store.
        about.retain(|name| !name.contains('|') && name.len() <= OBJECT);
        about.truncate(NAMES);
        about
    }
}

#[cfg(test)]
mod tests;
