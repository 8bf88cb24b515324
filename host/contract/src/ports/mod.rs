//! `open-port`, `close-port`, `opened-ports`: ranges that a unit asks to have opened.

use serde::{Deserialize, Serialize};

use crate::CallError;
use crate::effects::Effect;

mod commit;
mod openings;
mod range;
#[cfg(test)]
mod tests;
mod txn;

pub use openings::{Endpoints, Opening, OpeningError, Openings};
pub use range::{OpenPorts, PortRange, Protocol};
pub(crate) use txn::Ports;

/// What an agent answers for `ports`.
pub trait PortsAnswers {
    /// What the unit has open as of the last commit. Asked at most once, on first use.
    fn opened_ports(&mut self) -> Result<Openings, CallError> {
        Err(CallError::unanswered())
    }

    /// The most that the charm may open, where it declares ports or containers.
    fn declared_ports(&mut self) -> Option<Vec<PortRange>> {
        None
    }

    /// Why a range that is declared may not be opened: its application was not granted it.
    fn withheld_port(&mut self, _range: PortRange) -> Option<String> {
        None
    }

    /// Endpoints and bindings of the charm, for which ports may be open.
    fn port_endpoints(&mut self) -> Result<Vec<String>, CallError> {
        Err(CallError::unanswered())
    }
}

/// What a commit changes of a unit's ports: it closes first. A range is opened for the endpoints that
/// are named and no others.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Changes {
    #[serde(rename = "open_ports", default, skip_serializing_if = "Vec::is_empty")]
    pub open: Vec<Opening>,
    #[serde(rename = "close_ports", default, skip_serializing_if = "Vec::is_empty")]
    pub close: Vec<PortRange>,
}

impl Effect for Changes {
    fn changes_nothing(&self) -> bool {
        self.open.is_empty() && self.close.is_empty()
    }

    fn words(&self) -> Vec<String> {
        let closed = self.close.iter().map(|range| format!("closed {range}"));
        let opened = self.open.iter().map(|opening| format!("opened {opening}"));
        closed.chain(opened).collect()
    }
}
