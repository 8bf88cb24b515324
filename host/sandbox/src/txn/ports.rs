//! Ports: those of the last commit, read on first use, as the hook opened and closed them.

use std::collections::BTreeSet;

use periapt_model::bounds::PORT_RANGES;
use periapt_model::ports::{OpenPorts, PortRange};

use crate::context::{CallError, HookContext};

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Ports {
    /// As the hook sees them.
    open: Option<OpenPorts>,
    opening: BTreeSet<PortRange>,
    closing: BTreeSet<PortRange>,
}

impl Ports {
    /// Opens a range. Opening it twice is no error; overlapping another open range is.
    pub fn open(
        &mut self,
        context: &mut dyn HookContext,
        range: PortRange,
    ) -> Result<(), CallError> {
        let open = self.seen(context)?;
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
        if !self.closing.remove(&range) {
            self.opening.insert(range);
        }
        Ok(())
    }

    /// Closes a range. Closing one that is not open is no error; a part of one is.
    pub fn close(
        &mut self,
        context: &mut dyn HookContext,
        range: PortRange,
    ) -> Result<(), CallError> {
        let open = self.seen(context)?;
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
        if !self.opening.remove(&range) {
            self.closing.insert(range);
        }
        Ok(())
    }

    /// The ranges the hook sees as open, in order.
    pub fn opened(&mut self, context: &mut dyn HookContext) -> Result<Vec<PortRange>, CallError> {
        Ok(self.seen(context)?.iter().collect())
    }

    /// The ranges to open and to close.
    pub fn into_changes(self) -> (Vec<PortRange>, Vec<PortRange>) {
        (
            self.opening.into_iter().collect(),
            self.closing.into_iter().collect(),
        )
    }

    fn seen(&mut self, context: &mut dyn HookContext) -> Result<&mut OpenPorts, CallError> {
        let open = match self.open.take() {
            Some(open) => open,
            None => context.opened_ports()?.into_iter().collect(),
        };
        Ok(self.open.insert(open))
    }
}
