//! Juju's hook tools, and why some of them are not offered.

/// All of them, by the groups of Juju's documentation.
pub const ALL: &[&str] = &[
    "config-get",
    "unit-get",
    "goal-state",
    "credential-get",
    "network-get",
    "application-version-set",
    "is-leader",
    "status-get",
    "status-set",
    "relation-ids",
    "relation-list",
    "relation-get",
    "relation-set",
    "relation-model-get",
    "leader-get",
    "leader-set",
    "open-port",
    "close-port",
    "opened-ports",
    "state-get",
    "state-set",
    "state-delete",
    "storage-list",
    "storage-get",
    "storage-add",
    "secret-add",
    "secret-get",
    "secret-set",
    "secret-grant",
    "secret-revoke",
    "secret-info-get",
    "secret-ids",
    "secret-remove",
    "action-get",
    "action-set",
    "action-fail",
    "action-log",
    "resource-get",
    "payload-register",
    "payload-status-set",
    "payload-unregister",
    "juju-log",
    "juju-reboot",
    "add-metric",
    "k8s-spec-get",
    "k8s-spec-set",
    "k8s-raw-get",
    "k8s-raw-set",
];

const KUBERNETES: &str =
    "it is about pods of Kubernetes, where nothing here runs; Juju 4 has it no more";

/// Those that are not offered, and why. Whoever builds one takes its row away.
pub const OUT: &[(&str, &str)] = &[
    ("k8s-spec-get", KUBERNETES),
    ("k8s-spec-set", KUBERNETES),
    ("k8s-raw-get", KUBERNETES),
    ("k8s-raw-set", KUBERNETES),
];
