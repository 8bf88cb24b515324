//! Options of a model.

use super::{Kind, Row, Source, Table, juju, row};

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
        "Whether a failed hook is tried again by itself."),
    row("collect-metrics-interval", Kind::DurationFrom(1), "5m",
        "How often a unit whose charm declares metrics runs the collect-metrics hook."),
    row("force-wait", Kind::Duration, "1m",
        "How long a forced removal waits before each of its steps."),
    row("ftp-proxy", Kind::Proxy, "",
        "The proxy that programs use for FTP, by the variable ftp_proxy. Either these options are set or those that begin with juju-."),
    row("http-proxy", Kind::Proxy, "",
        "The proxy that programs use for HTTP, by the variable http_proxy."),
    row("https-proxy", Kind::Proxy, "",
        "The proxy that programs use for HTTPS, by the variable https_proxy."),
    row("juju-ftp-proxy", Kind::Proxy, "",
        "The proxy that charms may use for FTP, by the variable JUJU_CHARM_FTP_PROXY."),
    row("juju-http-proxy", Kind::Proxy, "",
        "The proxy that charms may use for HTTP, by the variable JUJU_CHARM_HTTP_PROXY."),
    row("juju-https-proxy", Kind::Proxy, "",
        "The proxy that charms may use for HTTPS, by the variable JUJU_CHARM_HTTPS_PROXY."),
    row("juju-no-proxy", Kind::NoProxy, HERE,
        "Who is reached without the proxies that begin with juju-: hosts, .domains and ranges of addresses; the controller always is."),
    row("logforward-enabled", Kind::Boolean, "false",
        "Whether the model's log is sent to the syslog daemon at syslog-host."),
    row("logging-config", Kind::Logging, "<root>=INFO",
        "The lowest level that is logged, by module: <root>=INFO;unit=DEBUG."),
    row("logging-output", Kind::Outputs, "",
        "Where log lines go: database, syslog or both."),
    row("max-action-results-age", Kind::Duration, "336h",
        "How long operations with their results are kept."),
    row("max-action-results-size", SIZE, "5G",
        "How much room operations with their results may take."),
    row("max-status-history-age", Kind::Duration, "336h",
        "How long status history and runs of hooks are kept."),
    row("max-status-history-size", SIZE, "5G",
        "How much room status history may take."),
    row("metrics-max-age", Kind::DurationFrom(60), "24h",
        "How long metrics of charms are kept."),
    row("no-proxy", Kind::NoProxy, HERE,
        "Who is reached without http-proxy and its like: hosts, .domains and ranges of addresses; the controller always is."),
    row("num-provision-workers", Kind::Number, "16",
        "How many machines are started or stopped at the same time."),
    row("provisioner-harvest-mode", Kind::Choice(&["all", "destroyed", "none", "unknown"]), "destroyed",
        "Which instances are stopped that the model does not account for: those of destroyed machines, unknown ones, all, or none."),
    row("reachability", Kind::Choice(&["model", "relations"]), "relations",
        "Who reaches open ports inside the model: units of related applications, or with model every unit, as in Juju."),
    row("removal-deadline", Kind::Duration, "24h",
        "How long a removal may wait before it goes on by force; 0s is for ever."),
    row("secret-backend", Kind::Text, "auto",
        "The back end that keeps the values of the model's secrets: auto or internal for the controller's database, or the name of another."),
    row("storage-default-filesystem-source", Kind::Text, "rootfs",
        "The pool that storage is made of where nobody names another."),
    row("syslog-ca-cert", Kind::Text, "",
        "The certificate of the authority that the syslog daemon must prove itself with, as PEM; without it lines go unencrypted."),
    row("syslog-client-cert", Kind::Text, "",
        "The certificate that is shown to the syslog daemon, as PEM."),
    row("syslog-client-key", Kind::Secret, "",
        "The private key of syslog-client-cert, as PEM. It can be set and never be read."),
    row("syslog-host", Kind::Text, "",
        "The syslog daemon that the log is sent to, HOST or HOST:PORT. Superusers may name any, others one of the controller's syslog-allowed-hosts."),
    row("unit-cpu-quota", Kind::Count, "0",
        "Milliseconds of CPU that the web workloads and hooks of a unit may take in a minute before its meter status is RED; 0 is no quota."),
    row("unit-requests-quota", Kind::Count, "0",
        "Requests that the services of a unit may answer in a minute before its meter status is RED; 0 is no quota."),
    row("update-status-hook-interval", Kind::Duration, "5m",
        "How often the update-status hook runs."),
];
