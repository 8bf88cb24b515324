//! What lists are made of: by what each kind of item is named, filtered and cut down.

use periapt_model::charm::CharmInfo;
use periapt_wire::rest::{
    AlertReceiverInfo, AlertRuleInfo, ApplicationInfo, Backup, BlockDevice, BlockInfo, CheckInfo,
    Cloud, CloudCredential, ControllerNode, MachineInfo, MetricHistory, MetricInfo, ModelAccess,
    ModelSummary, RelationInfo, SecretBackendInfo, ServiceInfo, StoragePoolInfo, TokenInfo,
    UnitInfo, UserInfo, WorkerRow,
};

use super::{Facts, Listed};

/// Lists that are short by their nature and are filtered by name alone: of what, its name, its members.
macro_rules! named {
    ($($item:ty: $name:expr, [$($field:literal),* $(,)?];)*) => {
        $(impl Listed for $item {
            const FILTERS: &'static [&'static str] = &["name"];
            const FIELDS: &'static [&'static str] = &[$($field),*];

            fn facts(&self) -> Facts {
                let name: fn(&$item) -> String = $name;
                Facts::named(name(self))
            }
        })*
    };
}

named! {
    AlertRuleInfo: |it| it.name.clone(), ["condition", "created-at", "firing", "model", "name", "receivers", "silenced-until", "threshold"];
    AlertReceiverInfo: |it| it.name.clone(), ["config", "created-at", "name", "rules", "type"];
    Backup: |it| it.id.clone(), ["controller", "created-at", "database", "id", "missing", "models", "sha256", "size", "units", "version"];
    Cloud: |it| it.name.clone(), ["name", "regions", "type"];
    ControllerNode: |it| it.node.to_string(), ["address", "answers", "node", "seen-at", "state"];
    CloudCredential: |it| format!("{}/{}", it.cloud, it.name), ["auth-type", "cloud", "models", "name", "reason", "since", "valid"];
    ModelAccess: |it| it.user.clone(), ["access", "display-name", "last-connection", "owner", "user"];
    BlockInfo: |it| it.kind.to_string(), ["kind", "message"];
    BlockDevice: |it| it.name.clone(), ["filesystem-type", "free", "in-use", "mount-point", "name", "of-agent", "size"];
    StoragePoolInfo: |it| it.name.clone(), ["attributes", "built-in", "name", "provider", "storages"];
    WorkerRow: |it| format!("{}/{}", it.agent, it.worker), ["agent", "reason", "running", "sentence", "start-count", "state", "tests", "worker"];
    SecretBackendInfo: |it| it.name.clone(), ["config", "message", "name", "next-token-rotate", "secrets", "status", "token-rotate-interval", "type"];
    UserInfo: |it| it.name.clone(), ["access", "created-at", "created-by", "disabled", "display-name", "last-login", "models", "name", "registered"];
    TokenInfo: |it| it.id.clone(), ["address", "created-at", "current", "expires-at", "id", "kind", "last-used", "name", "program"];
    MetricHistory: history_name, ["labels", "metric", "values"];
}

/// `pings`, with labels `pings{path=/}`.
fn history_name(history: &MetricHistory) -> String {
    let labels = history.labels.iter();
    let labels: Vec<String> = labels
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    match labels.is_empty() {
        true => history.metric.clone(),
        false => format!("{}{{{}}}", history.metric, labels.join(",")),
    }
}

impl Listed for ModelSummary {
    const FILTERS: &'static [&'static str] = &["name", "status"];
    const FIELDS: &'static [&'static str] = &[
        "uuid",
        "name",
        "type",
        "cloud",
        "region",
        "owner",
        "life",
        "status",
        "applications",
        "machines",
        "units",
        "created-at",
        "blocks",
    ];

    fn facts(&self) -> Facts {
        Facts {
            name: self.name.to_string(),
            status: self.status.status.to_string(),
            applications: Vec::new(),
            machines: Vec::new(),
        }
    }
}

impl Listed for ApplicationInfo {
    const FILTERS: &'static [&'static str] = &["name", "status"];
    const FIELDS: &'static [&'static str] = &[
        "name",
        "charm",
        "charm-name",
        "charm-revision",
        "channel",
        "can-upgrade-to",
        "life",
        "exposed",
        "exposed-endpoints",
        "url",
        "status",
        "workload-version",
        "units",
        "subordinate",
        "min-units",
        "trust",
        "constraints",
        "held",
        "waiting-for",
    ];

    fn facts(&self) -> Facts {
        Facts {
            name: self.name.to_string(),
            status: self.status.status.to_string(),
            applications: Vec::new(),
            machines: Vec::new(),
        }
    }
}

impl Listed for UnitInfo {
    const FILTERS: &'static [&'static str] = &["name", "status", "application", "machine"];
    const FIELDS: &'static [&'static str] = &[
        "name",
        "application",
        "charm",
        "life",
        "machine",
        "leader",
        "workload",
        "agent",
        "opened-ports",
        "public-address",
        "listening",
        "workload-version",
        "meter-status",
        "waiting-for",
        "principal",
        "subordinates",
    ];

    fn facts(&self) -> Facts {
        Facts {
            name: self.name.to_string(),
            status: self.workload.status.to_string(),
            applications: vec![self.application.to_string()],
            machines: self.machine.iter().map(ToString::to_string).collect(),
        }
    }
}

impl Listed for MachineInfo {
    const FILTERS: &'static [&'static str] = &["name", "status", "application", "machine"];
    const FIELDS: &'static [&'static str] = &[
        "id",
        "life",
        "instance-id",
        "agent",
        "instance",
        "addresses",
        "hardware",
        "constraints",
        "units",
        "created-at",
        "waiting-for",
    ];

    fn facts(&self) -> Facts {
        Facts {
            name: self.id.to_string(),
            status: self.agent.status.to_string(),
            applications: self
                .units
                .iter()
                .map(|unit| unit.application().to_string())
                .collect(),
            machines: vec![self.id.to_string()],
        }
    }
}

impl Listed for CharmInfo {
    const FILTERS: &'static [&'static str] = &["name"];
    const FIELDS: &'static [&'static str] = &[
        "url",
        "name",
        "revision",
        "sha256",
        "size",
        "metadata",
        "config",
        "actions",
        "capabilities",
        "declared",
        "unused",
        "shared",
        "workload",
        "components",
        "metrics",
        "hooks",
        "subordinate",
    ];

    fn facts(&self) -> Facts {
        Facts {
            name: self.url.to_string(),
            status: String::new(),
            applications: Vec::new(),
            machines: Vec::new(),
        }
    }
}

impl Listed for ServiceInfo {
    const FILTERS: &'static [&'static str] = &["name", "status", "application"];
    const FIELDS: &'static [&'static str] = &[
        "name",
        "unit",
        "application",
        "container",
        "service",
        "summary",
        "kind",
        "startup",
        "current",
        "since",
        "restarts",
        "last-end",
        "port",
        "restarted-on",
    ];

    fn facts(&self) -> Facts {
        Facts {
            name: self.name.clone(),
            status: self.current.clone(),
            applications: vec![self.application.to_string()],
            machines: Vec::new(),
        }
    }
}

impl Listed for CheckInfo {
    const FILTERS: &'static [&'static str] = &["name", "status", "application"];
    const FIELDS: &'static [&'static str] = &[
        "name",
        "unit",
        "application",
        "container",
        "check",
        "level",
        "status",
        "successes",
        "failures",
        "threshold",
        "message",
        "on-failure",
    ];

    fn facts(&self) -> Facts {
        Facts {
            name: self.name.clone(),
            status: self.status.clone(),
            applications: vec![self.application.to_string()],
            machines: Vec::new(),
        }
    }
}

impl Listed for MetricInfo {
    const FILTERS: &'static [&'static str] = &["name", "application"];
    const FIELDS: &'static [&'static str] = &[
        "name",
        "unit",
        "application",
        "metric",
        "labels",
        "timestamp",
        "value",
    ];

    fn facts(&self) -> Facts {
        Facts {
            name: self.name.clone(),
            status: String::new(),
            applications: vec![self.application.to_string()],
            machines: Vec::new(),
        }
    }
}

impl Listed for RelationInfo {
    const FILTERS: &'static [&'static str] = &["name", "status", "application"];
    const FIELDS: &'static [&'static str] = &[
        "id",
        "key",
        "interface",
        "scope",
        "endpoints",
        "life",
        "status",
        "suspended",
        "created-at",
        "settings-version",
        "waiting-for",
    ];

    fn facts(&self) -> Facts {
        Facts {
            name: self.key.clone(),
            status: self.status.status.to_string(),
            applications: self
                .endpoints
                .iter()
                .map(|endpoint| endpoint.application.to_string())
                .collect(),
            machines: Vec::new(),
        }
    }
}
