//! The environment variables of a hook.
//!
//! Nothing is inherited. Of Juju's variables those are set that mean something in a sandbox:
//! none of the agent's socket, and no context id, because the sandbox itself is the context.

use periapt_contract::action::Task;
use periapt_model::hook::{Info, Kind};
use periapt_model::proxy::ProxySettings;
use periapt_model::quota::Meter;
use periapt_model::task::Asked;
use periapt_model::{JUJU_VERSION, MachineId, UnitName};

use crate::process::ModelIdentity;

/// Where a charm finds its own files.
pub const CHARM_DIRECTORY: &str = "/charm";

/// What every hook has, that of this name as well.
pub fn variables(
    unit: &UnitName,
    model: &ModelIdentity,
    machine: Option<&MachineId>,
    principal: Option<&UnitName>,
    proxies: &ProxySettings,
    hook: &str,
) -> Vec<(String, String)> {
    let (path, hook) = match Asked::of(hook) {
        Some(_) => (hook.to_owned(), None),
        None => (
            format!("hooks/{hook}"),
            Some(("JUJU_HOOK_NAME", hook.to_owned())),
        ),
    };
    let fixed = [
        ("CHARM_DIR", CHARM_DIRECTORY.to_owned()),
        ("JUJU_CHARM_DIR", CHARM_DIRECTORY.to_owned()),
        ("JUJU_DISPATCH_PATH", path),
        ("JUJU_UNIT_NAME", unit.to_string()),
        ("JUJU_MODEL_NAME", model.name.to_string()),
        ("JUJU_MODEL_UUID", model.uuid.to_string()),
        ("JUJU_VERSION", JUJU_VERSION.to_owned()),
        ("LANG", "C.UTF-8".to_owned()),
    ];
    let machine = machine.map(|id| ("JUJU_MACHINE_ID", id.to_string()));
    let principal = principal.map(|unit| ("JUJU_PRINCIPAL_UNIT", unit.to_string()));
    fixed
        .into_iter()
        .chain(hook)
        .chain(machine)
        .chain(principal)
        .map(|(name, value)| (name.to_owned(), value))
        .chain(proxies.variables())
        .collect()
}

/// What the hook of a relation, of a secret or of a storage has beside that.
pub fn of_event(hook: &Info) -> impl Iterator<Item = (String, String)> {
    about(hook).map(|(_, variable, value)| (variable.to_owned(), value))
}

/// What an action has beside that.
pub fn of_action(task: &Task) -> [(String, String); 3] {
    [
        ("JUJU_ACTION_NAME".to_owned(), task.name.clone()),
        ("JUJU_ACTION_UUID".to_owned(), task.id.clone()),
        ("JUJU_ACTION_TAG".to_owned(), format!("action-{}", task.id)),
    ]
}

/// What a hook has beside that whose unit is told something of its quotas.
pub fn of_meter(meter: &Meter) -> [(String, String); 2] {
    [
        ("JUJU_METER_STATUS".to_owned(), meter.code.to_string()),
        ("JUJU_METER_INFO".to_owned(), meter.info.clone()),
    ]
}

/// What the event of the hook of a relation, of a secret or of a storage says of it, as the contract names these
/// things.
pub fn attributes(hook: &Info) -> Vec<(String, String)> {
    about(hook)
        .map(|(attribute, _, value)| (attribute.to_owned(), value))
        .collect()
}

/// Attribute, variable and value.
fn about(hook: &Info) -> impl Iterator<Item = (&'static str, &'static str, String)> {
    let facts = hook.relation.as_ref().map(|event| {
        let id = format!("{}:{}", event.endpoint, event.hook.relation);
        let unit = event.hook.unit.as_ref().map(ToString::to_string);
        let departing = event.departing.as_ref().map(ToString::to_string);
        let application = event.remote_application.to_string();
        [
            ("relation", "JUJU_RELATION", Some(event.endpoint.clone())),
            ("relation-id", "JUJU_RELATION_ID", Some(id)),
            ("remote-unit", "JUJU_REMOTE_UNIT", unit),
            ("remote-application", "JUJU_REMOTE_APP", Some(application)),
            ("departing-unit", "JUJU_DEPARTING_UNIT", departing),
        ]
    });
    let secret = hook.secret.as_ref().map(|event| {
        // As in Juju the hooks that are about the newest one do not say which it is.
        let tells = matches!(hook.kind, Kind::SecretExpired | Kind::SecretRemove);
        let revision = tells.then(|| event.revision.to_string());
        let label = Some(event.label.clone()).filter(|label| !label.is_empty());
        [
            ("secret-id", "JUJU_SECRET_ID", Some(event.id.uri())),
            ("secret-label", "JUJU_SECRET_LABEL", label),
            ("secret-revision", "JUJU_SECRET_REVISION", revision),
        ]
    });
    let storage = hook.storage.as_ref().map(|event| {
        let location = Some(event.location.clone());
        let kind = Some(event.kind.to_string());
        [
            ("storage-id", "JUJU_STORAGE_ID", Some(event.id.to_string())),
            ("storage-location", "JUJU_STORAGE_LOCATION", location),
            ("storage-kind", "JUJU_STORAGE_KIND", kind),
        ]
    });
    let facts = facts.into_iter().flatten();
    let facts = facts.chain(secret.into_iter().flatten());
    let facts = facts.chain(storage.into_iter().flatten());
    facts.filter_map(|(attribute, variable, value)| Some((attribute, variable, value?)))
}
