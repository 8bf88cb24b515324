//! Options of a model.

use super::{CAPABILITY_DEFAULT, Kind, Row, Source, Table, juju, row};

/// The most that applications of a model may be granted.
pub const CAPABILITY_POLICY: &str = "capability-policy";

/// Every option of a model.
pub static MODEL: Table = Table {
    of: "model",
    rows: &ALL,
    source: Source::Model,
};

/// Ours, then those of Juju's that mean nothing here.
const ALL: [Row; ROWS.len() + juju::ROWS.len()] = joined(ROWS, juju::ROWS);

const fn joined<const N: usize>(ours: &[Row], jujus: &[Row]) -> [Row; N] {
    let mut all = [ours[0]; N];
    let mut at = 0;
    while at < N {
        all[at] = if at < ours.len() {
            ours[at]
        } else {
            jujus[at - ours.len()]
        };
        at += 1;
    }
    all
}

/// Whom nobody reaches through a proxy unless the operator says so: the machine itself.
const HERE: &str = "127.0.0.1,localhost,::1";

const SIZE: Kind = Kind::Size { zero: true };

#[rustfmt::skip]
const ROWS: &[Row] = &[
    row("automatically-retry-hooks", Kind::Boolean, "true",
        "Whether failed hooks are retried automatically."),
    row(CAPABILITY_DEFAULT, Kind::Capabilities, "",
        "Capabilities that the model's applications are granted without asking. Empty uses the controller's capability-default; \"none\" grants none."),
    row(CAPABILITY_POLICY, Kind::Capabilities, "*",
        "The most that the model's applications may be granted: capabilities, with or without *, separated by commas. Applications lose anything beyond it before their next hook."),
    row("collect-metrics-interval", Kind::DurationFrom(1), "5m",
        "How often a unit whose charm declares metrics runs the collect-metrics hook."),
    row("force-wait", Kind::Duration, "1m",
        "How long each step of a forced removal waits."),
    row("ftp-proxy", Kind::Proxy, "",
        "The proxy that programs use for FTP, in the variable ftp_proxy. Set either these options or those that begin with juju-."),
    row("http-proxy", Kind::Proxy, "",
        "The proxy that programs use for HTTP, in the variable http_proxy."),
    row("https-proxy", Kind::Proxy, "",
        "The proxy that programs use for HTTPS, in the variable https_proxy."),
    row("juju-ftp-proxy", Kind::Proxy, "",
        "The proxy that charms may use for FTP, in the variable JUJU_CHARM_FTP_PROXY."),
    row("juju-http-proxy", Kind::Proxy, "",
        "The proxy that charms may use for HTTP, in the variable JUJU_CHARM_HTTP_PROXY."),
    row("juju-https-proxy", Kind::Proxy, "",
        "The proxy that charms may use for HTTPS, in the variable JUJU_CHARM_HTTPS_PROXY."),
    row("juju-no-proxy", Kind::NoProxy, HERE,
        "Destinations reached without the juju- proxies: hosts, .domains and address ranges; always includes the controller."),
    row("logforward-enabled", Kind::Boolean, "false",
        "Whether the model's log is sent to the syslog daemon at syslog-host."),
    row("logging-config", Kind::Logging, "<root>=INFO",
        "The lowest level that is logged, by module: <root>=INFO;unit=DEBUG."),
    row("logging-output", Kind::Outputs, "",
        "Where log lines go: database, syslog or both."),
    row("max-action-results-age", Kind::Duration, "336h",
        "How long operations and their results are kept."),
    row("max-action-results-size", SIZE, "5G",
        "The maximum size of operations and their results."),
    row("max-status-history-age", Kind::Duration, "336h",
        "How long status history and hook runs are kept."),
    row("max-status-history-size", SIZE, "5G",
        "The maximum size of the status history."),
    row("metrics-max-age", Kind::DurationFrom(60), "24h",
        "How long charm metrics are kept."),
    row("no-proxy", Kind::NoProxy, HERE,
        "Destinations reached without http-proxy and the like: hosts, .domains and address ranges; always includes the controller."),
    row("num-provision-workers", Kind::Number, "16",
        "The number of machines started or stopped at the same time."),
    row("provisioner-harvest-mode", Kind::Choice(&["all", "destroyed", "none", "unknown"]), "destroyed",
        "Which instances outside the model are stopped: those of destroyed machines, unknown ones, all, or none."),
    row("reachability", Kind::Choice(&["model", "relations"]), "relations",
        "Who can reach open ports inside the model: units of related applications, or with model every unit, as in Juju."),
    row("removal-deadline", Kind::Duration, "24h",
        "How long a removal may wait before it is forced; 0s means for ever."),
    row("secret-backend", Kind::Text, "auto",
        "The back end that stores the values of the model's secrets: auto or internal for the controller's database, or the name of another one."),
    row("storage-default-filesystem-source", Kind::Text, "rootfs",
        "The default storage pool."),
    row("syslog-ca-cert", Kind::Text, "",
        "The CA certificate of the syslog daemon, as PEM; without it lines are sent unencrypted."),
    row("syslog-client-cert", Kind::Text, "",
        "The client certificate for the syslog daemon, as PEM."),
    row("syslog-client-key", Kind::Secret, "",
        "The private key of syslog-client-cert, as PEM. It can be set but never read."),
    row("syslog-host", Kind::Text, "",
        "The syslog daemon that receives the log, HOST or HOST:PORT. Superusers may set any, others only one of the controller's syslog-allowed-hosts."),
    row("unit-cpu-quota", Kind::Count, "0",
        "Milliseconds of CPU time that a unit's web workloads and hooks may use in a minute before its meter status is RED; 0 means no quota."),
    row("unit-requests-quota", Kind::Count, "0",
        "Requests that a unit's services may answer in a minute before its meter status is RED; 0 means no quota."),
    row("update-status-hook-interval", Kind::Duration, "5m",
        "How often the update-status hook runs."),
];
