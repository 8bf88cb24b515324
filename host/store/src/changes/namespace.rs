//! What can change, by name. A change is a namespace and a key within a model.

use periapt_database::Namespaces;

macro_rules! namespaces {
    ($($(#[$doc:meta])* $name:ident = $text:literal;)+) => {
        $($(#[$doc])* pub const $name: &str = $text;)+

        /// The constant equal to `text`; none for a namespace of a newer program.
        fn known(text: &str) -> Option<&'static str> {
            match text { $($text => Some($name),)+ _ => None }
        }
    };
}

namespaces! {
    /// Key: the model's UUID. Life, status, what is disabled in it, gone.
    MODEL = "model";
    /// Key: empty.
    MODEL_CONFIG = "model-config";
    /// Key: the charm's URL. Uploaded, or compiled for an engine.
    CHARM = "charm";
    /// Key: the application. Life, charm, resources, gone.
    APPLICATION = "application";
    /// Key: the application. Its settings.
    APPLICATION_CONFIG = "application-config";
    /// Key: the application.
    APPLICATION_STATUS = "application-status";
    /// Key: the unit. Life, machine, gone.
    UNIT = "unit";
    /// Key: the unit. Agent and workload status, workload version, charm in place, revisions of resources.
    UNIT_STATUS = "unit-status";
    /// Key: the unit. A person resolved its failed hook, or the agent took note.
    RESOLVED = "resolved";
    /// Key: the unit. Opened ports, to whom they show, or where they listen.
    PORT = "port";
    /// Key: the unit. What it wants of its containers, or what is seen in them.
    CONTAINER = "container";
    /// Key: the unit. What it is told of its quotas.
    METER = "meter";
    /// Key: the unit. A staged assignment came or went.
    UNIT_ASSIGNMENT = "unit-assignment";
    /// Key: the machine. Life, instance, addresses, gone.
    MACHINE = "machine";
    /// Key: the machine.
    MACHINE_STATUS = "machine-status";
    /// Key: the machine. A unit of it came, went or changed its life.
    MACHINE_UNITS = "machine-units";
    /// Key: the machine. Marked for removal, or removed.
    MACHINE_REMOVAL = "machine-removal";
    /// Key: the machine. A reboot of it is asked for, or was carried out.
    REBOOT = "reboot";
    /// Key: the relation's number. Made, life, suspension, gone.
    RELATION = "relation";
    /// Key: the relation's number. Somebody entered, left or changed settings.
    RELATION_STATUS = "relation-status";
    /// Key: the application. A relation of it came, went, or changed in life or suspension.
    APPLICATION_RELATIONS = "application-relations";
    /// Key: an application, or the principal unit of a container. In a relation of it somebody
    /// at the other end entered, left or changed settings.
    RELATION_UNITS = "relation-units";
    /// Key: the application. Its leader changed what it tells the other units.
    LEADER_SETTINGS = "leader-settings";
    /// Key: empty. A clean-up was queued.
    CLEANUP = "cleanup";
    /// Key: `unit/NAME`, `machine/ID` or `relation/NUMBER`. What it waits for reads otherwise: a
    /// step of force was queued, taken or tried in vain.
    WAITING = "waiting";
    /// Key: `NAMESPACE/NAME`. Another holder or none; a mere extension is no change.
    LEASE = "lease";
    /// Key: `USER` or `USER/MODEL`, of the whole controller. Account or access.
    USER = "user";
    /// Key: the id of the run. A hook ended.
    HOOK = "hook";
    /// Key: the id of the operation. It was asked for, or something became of a task of it.
    OPERATION = "operation";
    /// Key: the number of an apply. A bundle is applied, a step of it was taken, or it ended.
    BUNDLE = "bundle";
    /// Key: the unit, or `machine-ID`. Something became of what it was asked to run.
    TASK = "task";
    /// Key: the tag of a model, an application, a unit or a machine. What people note of it.
    ANNOTATION = "annotation";
    /// Key: the secret's id. It came, went, or something is to be known of it otherwise.
    SECRET = "secret";
    /// Key: the unit, or the application for all of its units. Hooks of secrets are due otherwise.
    SECRET_HOOKS = "secret-hooks";
    /// Key: the back end's name, of the whole controller.
    SECRET_BACKEND = "secret-backend";
    /// Key: the storage's id. It came, went, or something is to be known or done of it otherwise.
    STORAGE = "storage";
    /// Key: the unit. Storage was attached to it, is ready, or is to be detached.
    STORAGE_HOOKS = "storage-hooks";
    /// Key: the pool's name.
    STORAGE_POOL = "storage-pool";
    /// Key: the agent. Its machine has other block devices.
    BLOCK_DEVICE = "block-device";
    /// Key: the alert's id. It came about, fired, was acknowledged or resolved; of the controller where it is about no
    /// model.
    ALERT = "alert";
    /// Key: the name of a rule or a receiver, or empty for deliveries, of the whole controller. What is to be watched or
    /// sent has changed.
    ALERT_RULE = "alert-rule";
    /// Key: empty, of the whole controller. Its settings.
    CONTROLLER_CONFIG = "controller-config";
    /// Key: the number of the node, of the whole controller. It came, went, was lost or serves elsewhere.
    CONTROLLER_NODE = "controller-node";
    /// Key: empty. The model's agent came or went.
    PRESENCE = "presence";
    /// Key: empty. Lines were added.
    LOG = "log";
}

/// How keys of [`LEASE`] begin that are about who leads an application, whose name follows.
pub const LEADERSHIP: &str = "application-leadership/";

/// What the database is told of them.
pub(crate) const NAMESPACES: Namespaces = Namespaces { known, versioned };

/// Whether touching a namespace raises the version of what is touched: the definitions. Statuses
/// are none, so a busy unit costs nothing there.
fn versioned(namespace: &str) -> bool {
    matches!(
        namespace,
        MODEL | MODEL_CONFIG | APPLICATION | APPLICATION_CONFIG | UNIT | MACHINE | RELATION
    )
}

/// Whether a change may show in the status of its model. A new namespace does until it is known
/// not to.
pub(crate) fn shows_in_status(namespace: &str) -> bool {
    !matches!(
        namespace,
        LOG | HOOK
            | OPERATION
            | BUNDLE
            | TASK
            | REBOOT
            | ANNOTATION
            | RESOLVED
            | APPLICATION_CONFIG
            | MODEL_CONFIG
            | LEADER_SETTINGS
            | RELATION_UNITS
            | STORAGE
            | STORAGE_HOOKS
            | STORAGE_POOL
            | BLOCK_DEVICE
            | ALERT
            | ALERT_RULE
            | CONTROLLER_CONFIG
            | CONTROLLER_NODE
            | USER
    )
}
