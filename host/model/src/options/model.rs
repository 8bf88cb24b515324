//! Options of a model.

use super::{Kind, Row, Source, Table, row};

/// Every option of a model.
pub static MODEL: Table = Table {
    of: "model",
    rows: ROWS,
    source: Source::Model,
};

const SIZE: Kind = Kind::Size { zero: true };

#[rustfmt::skip]
const ROWS: &[Row] = &[
    row("automatically-retry-hooks", Kind::Boolean, "true",
        "Whether a failed hook is tried again by itself."),
    row("collect-metrics-interval", Kind::DurationFrom(1), "5m",
        "How often a unit whose charm declares metrics runs the collect-metrics hook."),
    row("force-wait", Kind::Duration, "1m",
        "How long a forced removal waits before each of its steps."),
    row("logforward-enabled", Kind::Boolean, "false",
        "Whether the model's log is sent to the syslog daemon at syslog-host."),
    row("logging-config", Kind::Logging, "<root>=INFO",
        "The lowest level that is logged, by module: <root>=INFO;unit=DEBUG."),
    row("logging-output", Kind::Outputs, "",
        "Where log lines go: database, syslog or both."),
    row("max-status-history-age", Kind::Duration, "336h",
        "How long status history and runs of hooks are kept."),
    row("max-status-history-size", SIZE, "5G",
        "How much room status history may take."),
    row("metrics-max-age", Kind::DurationFrom(60), "24h",
        "How long metrics of charms are kept."),
    row("num-provision-workers", Kind::Number, "16",
        "How many machines are started or stopped at the same time."),
    row("provisioner-harvest-mode", Kind::Choice(&["all", "destroyed", "none", "unknown"]), "destroyed",
        "Which instances are stopped that the model does not account for: those of destroyed machines, unknown ones, all, or none."),
    row("removal-deadline", Kind::Duration, "24h",
        "How long a removal may wait before it goes on by force; 0s is for ever."),
    row("syslog-ca-cert", Kind::Text, "",
        "The certificate of the authority that the syslog daemon must prove itself with, as PEM; without it lines go unencrypted."),
    row("syslog-client-cert", Kind::Text, "",
        "The certificate that is shown to the syslog daemon, as PEM."),
    row("syslog-client-key", Kind::Secret, "",
        "The private key of syslog-client-cert, as PEM. It can be set and never be read."),
    row("syslog-host", Kind::Text, "",
        "The syslog daemon that the log is sent to, HOST or HOST:PORT. Superusers may name any, others one of the controller's syslog-allowed-hosts."),
    row("update-status-hook-interval", Kind::Duration, "5m",
        "How often the update-status hook runs."),
];
