//! The settings of the audit log, read from the controller's configuration.

use periapt_model::config::{Value, Values};
use periapt_model::options::{AGENT_METHODS, methods, size_mb, truth};

/// What is recorded, and how much of it is kept in files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditConfig {
    /// Whether records go to the file besides the table.
    pub enabled: bool,
    /// Whether records say what was asked.
    pub capture_args: bool,
    /// Bytes of the file before it is set aside.
    pub max_size: u64,
    /// Files set aside that are kept; 0 keeps all.
    pub max_backups: u64,
    /// `Facade.Method` names and names of groups.
    pub exclude: Vec<String>,
}

impl AuditConfig {
    /// The settings in effective values of the controller.
    pub fn read(values: &Values) -> Self {
        let exclude = match values.get("audit-log-exclude-methods") {
            Some(Value::Text(text)) => methods(text).map(str::to_owned).collect(),
            _ => Vec::new(),
        };
        let max_backups = match values.get("audit-log-max-backups") {
            Some(Value::Integer(number)) => u64::try_from(*number).unwrap_or_default(),
            _ => 0,
        };
        Self {
            enabled: truth(values, "auditing-enabled"),
            capture_args: truth(values, "audit-log-capture-args"),
            max_size: size_mb(values, "audit-log-max-size").saturating_mul(1 << 20),
            max_backups,
            exclude,
        }
    }

    /// Whether calls of agents to this method are left out.
    pub fn excludes(&self, facade: &str, method: &str) -> bool {
        self.exclude
            .iter()
            .any(|name| name == AGENT_METHODS || name.rsplit_once('.') == Some((facade, method)))
    }
}

/// Before the controller's configuration is read: everything people do, in the table alone.
impl Default for AuditConfig {
    fn default() -> Self {
        Self {
            enabled: false,
            capture_args: false,
            max_size: 300 << 20,
            max_backups: 10,
            exclude: vec![AGENT_METHODS.to_owned()],
        }
    }
}
