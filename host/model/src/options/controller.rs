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

/// What applications are granted without asking, of a controller and of a model.
pub const CAPABILITY_DEFAULT: &str = "capability-default";

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
        "Whether the audit log records requests' arguments, without secrets."),
    row("audit-log-exclude-methods", Kind::Methods, "ReadOnlyMethods,AgentMethods",
        "Calls that are not recorded: Facade.Method, ReadOnlyMethods, AgentMethods. Users' changes are always recorded."),
    row("audit-log-max-backups", Kind::Count, "10",
        "Number of full audit files to keep."),
    row("audit-log-max-size", Kind::Size { zero: false }, "300M",
        "Size at which a new audit file is started."),
    row("auditing-enabled", Kind::Boolean, "true",
        "Whether anything is recorded in the audit log."),
    row(CAPABILITY_DEFAULT, Kind::Capabilities, "shared/*,storage/*,workload/*,port/*,tools/secret",
        "Capabilities that applications are granted without asking: in the syntax of docs/reference/capabilities.md, or with *, separated by commas."),
    row(CHARM_REPOSITORY, Kind::CharmRepository, "",
        "The charm repository from which deploy and refresh take charms by name, and which is checked for newer revisions: the path of a directory, or a URL. Empty for none."),
    row(CONTROLLER_API_PORT, Kind::Port, "0",
        "An extra port only for agents; 0 for none."),
    row(INGRESS_ADDRESS, Kind::Address, "127.0.0.1",
        "The address at which exposed applications can be reached by name; 0.0.0.0 opens them to the network."),
    row(INGRESS_PORT, Kind::Port, "8800",
        "The port at which exposed applications can be reached by name, http://APP.MODEL.localhost:PORT/; 0 for any free port."),
    row("syslog-allowed-hosts", Kind::Hosts, "",
        "Hosts that a model's admins who are not superusers may set as its syslog-host: HOST or HOST:PORT, separated by commas."),
    row("syslog-target", Kind::SyslogTarget, "",
        "The syslog daemon for models whose logging-output includes syslog: unix:PATH or tcp:HOST:PORT."),
];

/// The names in a list of methods.
pub fn methods(text: &str) -> impl Iterator<Item = &str> {
    text.split([',', ' ', '\n'])
        .map(str::trim)
        .filter(|name| !name.is_empty())
}
