//! `open-port`, `close-port`, `opened-ports`: ranges that a unit asks to have opened.

pub use periapt_contract::PortsAnswers;
use periapt_contract::ports::Endpoints;
use periapt_contract::{CallError, ports};

use super::Permission::Everybody;
use super::Tool;
use super::When::{AtCommit, Read};
use crate::world::periapt::charm::ports as wit;
use crate::world::{Answer, HookState};

pub(super) const TOOLS: &[Tool] = &[
    Tool::new("open-port", "ports", "open", AtCommit, Everybody),
    Tool::new("close-port", "ports", "close", AtCommit, Everybody),
    Tool::new("opened-ports", "ports", "opened", Read, Everybody),
    Tool::new(
        "open-port --endpoints",
        "ports",
        "open-for",
        AtCommit,
        Everybody,
    ),
    Tool::new(
        "close-port --endpoints",
        "ports",
        "close-for",
        AtCommit,
        Everybody,
    ),
    Tool::new(
        "opened-ports --endpoints",
        "ports",
        "openings",
        Read,
        Everybody,
    ),
];

impl wit::Host for HookState {
    fn open(&mut self, range: wit::PortRange) -> Answer<()> {
        self.open_for(range, Vec::new())
    }

    fn close(&mut self, range: wit::PortRange) -> Answer<()> {
        self.close_for(range, Vec::new())
    }

    fn opened(&mut self) -> Answer<Vec<wit::PortRange>> {
        self.transaction(|txn, context| Ok(txn.openings(context)?.ranges().map(range_of).collect()))
    }

    fn open_for(&mut self, range: wit::PortRange, endpoints: Vec<String>) -> Answer<()> {
        self.transaction(|txn, context| {
            txn.open_port(context, port_range(range)?, Endpoints::of(endpoints))
        })
    }

    fn close_for(&mut self, range: wit::PortRange, endpoints: Vec<String>) -> Answer<()> {
        self.transaction(|txn, context| {
            txn.close_port(context, port_range(range)?, &Endpoints::of(endpoints))
        })
    }

    fn openings(&mut self) -> Answer<Vec<wit::Opening>> {
        self.transaction(|txn, context| {
            let openings = txn.openings(context)?.iter();
            Ok(openings
                .map(|(range, endpoints)| wit::Opening {
                    ports: range_of(range),
                    endpoints: endpoints.names().map(str::to_owned).collect(),
                })
                .collect())
        })
    }
}

fn range_of(range: ports::PortRange) -> wit::PortRange {
    wit::PortRange {
        start: range.start,
        end: range.end,
        protocol: match range.protocol {
            ports::Protocol::Tcp => wit::Protocol::Tcp,
            ports::Protocol::Udp => wit::Protocol::Udp,
            ports::Protocol::Icmp => wit::Protocol::Icmp,
        },
    }
}

fn port_range(range: wit::PortRange) -> Result<ports::PortRange, CallError> {
    let protocol = match range.protocol {
        wit::Protocol::Tcp => ports::Protocol::Tcp,
        wit::Protocol::Udp => ports::Protocol::Udp,
        wit::Protocol::Icmp => ports::Protocol::Icmp,
    };
    ports::PortRange::new(protocol, range.start, range.end).map_err(CallError::invalid)
}
