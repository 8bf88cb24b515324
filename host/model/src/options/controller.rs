//! Options of the controller that can change while it runs.
//!
//! What it takes to start (address, port, database) is not here: that stands in the controller's
//! own file.

use super::{Kind, Row, Source, Table, row};

/// Stands for every call that changes nothing, as in Juju. Such calls are never recorded.
pub const READ_ONLY_METHODS: &str = "ReadOnlyMethods";
/// Stands for every call of agents and of the controller's own workers. Each hook makes
/// several; people's changes are recorded whatever is excluded.
pub const AGENT_METHODS: &str = "AgentMethods";

/// A port for agents alone, beside the one that everybody reaches.
pub const CONTROLLER_API_PORT: &str = "controller-api-port";

/// Where exposed applications are found by name.
pub const INGRESS_ADDRESS: &str = "ingress-address";
pub const INGRESS_PORT: &str = "ingress-port";

/// Where newer revisions of charms are looked for.
pub const CHARM_REPOSITORY: &str = "charm-repository";

/// Every option of the controller.
pub static CONTROLLER: Table = Table {
    of: "controller",
    rows: ROWS,
    source: Source::Controller,
};

#[rustfmt::skip]
const ROWS: &[Row] = &[
    row("audit-log-capture-args", Kind::Boolean, "false",
        "Whether the audit log keeps what was asked, without secrets."),
    row("audit-log-exclude-methods", Kind::Methods, "ReadOnlyMethods,AgentMethods",
        "Calls that are not recorded: Facade.Method, ReadOnlyMethods, AgentMethods. What people change is always recorded."),
    row("audit-log-max-backups", Kind::Count, "10",
        "How many full audit files are kept."),
    row("audit-log-max-size", Kind::Size { zero: false }, "300M",
        "How large an audit file grows before the next is begun."),
    row("auditing-enabled", Kind::Boolean, "true",
        "Whether anything is recorded in the audit log."),
    row(CHARM_REPOSITORY, Kind::CharmRepository, "",
        "The charm repository that deploy and refresh take charms from by name, and that is looked at for newer revisions: the path of a directory, or a URL. Empty for none."),
    row(CONTROLLER_API_PORT, Kind::Port, "0",
        "A port for agents alone, beside the one that everybody reaches; 0 for none."),
    row(INGRESS_ADDRESS, Kind::Address, "127.0.0.1",
        "The address at which exposed applications are found by name; 0.0.0.0 shows them to the network."),
    row(INGRESS_PORT, Kind::Port, "8800",
        "The port at which exposed applications are found by name, http://APP.MODEL.localhost:PORT/; 0 for any that is free."),
    row("syslog-allowed-hosts", Kind::Hosts, "",
        "Hosts that admins of a model who are no superusers may name as its syslog-host: HOST or HOST:PORT, separated by commas."),
    row("syslog-target", Kind::SyslogTarget, "",
        "The syslog daemon for models whose logging-output names syslog: unix:PATH or tcp:HOST:PORT."),
];

/// The names in a list of methods.
pub fn methods(text: &str) -> impl Iterator<Item = &str> {
    text.split([',', ' ', '\n'])
        .map(str::trim)
        .filter(|name| !name.is_empty())
}
