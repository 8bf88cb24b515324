//! `open-port`, `close-port`, `opened-ports`: ranges that a unit asks to have opened.

use serde::{Deserialize, Serialize};

use crate::CallError;
use crate::effects::Effect;

mod commit;
mod range;
#[cfg(test)]
mod tests;
mod txn;

pub use commit::Refused;
pub use range::{OpenPorts, PortRange, Protocol};
pub(crate) use txn::Ports;

/// What an agent answers for `ports`.
pub trait PortsAnswers {
    /// Ports the unit has opened as of the last commit. Asked at most once, on first use.
    fn opened_ports(&mut self) -> Result<Vec<PortRange>, CallError> {
        Err(CallError::unanswered())
    }
}

/// What a commit changes of a unit's ports: it closes first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Changes {
    #[serde(rename = "open_ports", default, skip_serializing_if = "Vec::is_empty")]
    pub open: Vec<PortRange>,
    #[serde(rename = "close_ports", default, skip_serializing_if = "Vec::is_empty")]
    pub close: Vec<PortRange>,
}

impl Effect for Changes {
    fn changes_nothing(&self) -> bool {
        self.open.is_empty() && self.close.is_empty()
    }

    fn words(&self) -> Vec<String> {
        let closed = self.close.iter().map(|range| format!("closed {range}"));
        let opened = self.open.iter().map(|range| format!("opened {range}"));
        closed.chain(opened).collect()
    }
}
