//! Ports: those of the last commit, read on first use, as the hook opened and closed them.

use std::collections::BTreeSet;

use super::{Changes, OpenPorts, PortRange, PortsAnswers};
use crate::bounds::PORT_RANGES;
use crate::txn::Share;
use crate::{CallError, HookTxn};

impl HookTxn {
    /// Opens a range. Opening it twice is no error; overlapping another open range is.
    ///
    /// # Errors
    /// `Invalid` when it overlaps, `Limit` when it is one too many.
    pub fn open_port(
        &mut self,
        agent: &mut (impl PortsAnswers + ?Sized),
        range: PortRange,
    ) -> Result<(), CallError> {
        let ports = &mut self.ports;
        let open = ports.seen(agent)?;
        match open.meets(&range) {
            Some((same, ())) if same == range => return Ok(()),
            Some((other, ())) => {
                return Err(CallError::invalid(format!(
                    "cannot open {range}: it overlaps {other}, which the unit has open"
                )));
            }
            None => {}
        }
        if PORT_RANGES.exceeded_by(open.len() + 1) {
            return Err(CallError::limit(format!(
                "too-many-ports: cannot open {range}, the unit has {} port ranges open, the most there may be; open a range instead of single ports",
                open.len()
            )));
        }
        open.insert(range, ());
        if !ports.closing.remove(&range) {
            ports.opening.insert(range);
        }
        Ok(())
    }

    /// Closes a range. Closing one that is not open is no error; a part of one is.
    ///
    /// # Errors
    /// `Invalid` for a part of an open range.
    pub fn close_port(
        &mut self,
        agent: &mut (impl PortsAnswers + ?Sized),
        range: PortRange,
    ) -> Result<(), CallError> {
        let ports = &mut self.ports;
        let open = ports.seen(agent)?;
        match open.meets(&range) {
            None => return Ok(()),
            Some((same, ())) if same == range => {}
            Some((other, ())) => {
                return Err(CallError::invalid(format!(
                    "cannot close {range}: the unit has {other} open; close that range as a whole"
                )));
            }
        }
        open.remove(&range);
        if !ports.opening.remove(&range) {
            ports.closing.insert(range);
        }
        Ok(())
    }

    /// The ranges the hook sees as open, in order.
    ///
    /// # Errors
    /// What the agent answers.
    pub fn opened_ports(
        &mut self,
        agent: &mut (impl PortsAnswers + ?Sized),
    ) -> Result<Vec<PortRange>, CallError> {
        Ok(self.ports.seen(agent)?.iter().collect())
    }
}

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Ports {
    /// As the hook sees them.
    open: Option<OpenPorts>,
    opening: BTreeSet<PortRange>,
    closing: BTreeSet<PortRange>,
}

impl Share for Ports {
    type Changes = Changes;

    fn into_changes(self) -> Changes {
        Changes {
            open: self.opening.into_iter().collect(),
            close: self.closing.into_iter().collect(),
        }
    }
}

impl Ports {
    fn seen(
        &mut self,
        agent: &mut (impl PortsAnswers + ?Sized),
    ) -> Result<&mut OpenPorts, CallError> {
        let open = match self.open.take() {
            Some(open) => open,
            None => agent.opened_ports()?.into_iter().collect(),
        };
        Ok(self.open.insert(open))
    }
}
