//! Ports: those of the last commit, read on first use, as the hook opened and closed them.

use super::{Changes, Endpoints, Opening, OpeningError, Openings, PortRange, PortsAnswers};
use crate::txn::Share;
use crate::{CallError, HookTxn};

impl HookTxn {
    /// Opens a range for these endpoints, beside those that it is open for. Opening it twice is no
    /// error; overlapping another open range is.
    ///
    /// # Errors
    /// `Invalid` when it overlaps, `Denied` for one that the charm does not declare, `NotFound` for an endpoint that the charm does not have, `Limit`
    /// when it is one too many.
    pub fn open_port(
        &mut self,
        agent: &mut (impl PortsAnswers + ?Sized),
        range: PortRange,
        endpoints: Endpoints,
    ) -> Result<(), CallError> {
        known(agent, &endpoints)?;
        declared(agent, range)?;
        let open = self.ports.seen(agent)?;
        Ok(open.open(range, endpoints)?)
    }

    /// Closes a range for these endpoints. Closing one that is not open is no error; a part of one is.
    ///
    /// # Errors
    /// `Invalid` for a part of an open range, `NotFound` for an endpoint that the charm does not have.
    pub fn close_port(
        &mut self,
        agent: &mut (impl PortsAnswers + ?Sized),
        range: PortRange,
        endpoints: &Endpoints,
    ) -> Result<(), CallError> {
        let known = known(agent, endpoints)?;
        let open = self.ports.seen(agent)?;
        Ok(open.close(range, endpoints, known.iter().map(String::as_str))?)
    }

    /// What the hook sees as open, in order.
    ///
    /// # Errors
    /// What the agent answers.
    pub fn openings(
        &mut self,
        agent: &mut (impl PortsAnswers + ?Sized),
    ) -> Result<&Openings, CallError> {
        Ok(self.ports.seen(agent)?)
    }
}

/// Refuses a range of which a part is not declared. Where nothing is declared, nothing is refused here: a
/// component of such a charm cannot open ports at all, and a native test has no component.
fn declared(agent: &mut (impl PortsAnswers + ?Sized), range: PortRange) -> Result<(), CallError> {
    if let Some(why) = agent.withheld_port(range) {
        return Err(CallError::denied(why));
    }
    let Some(declared) = agent.declared_ports() else {
        return Ok(());
    };
    let within = |one: &PortRange| {
        one.protocol == range.protocol && one.start <= range.start && range.end <= one.end
    };
    match declared.iter().any(within) {
        true => Ok(()),
        false => Err(CallError::denied(format!(
            "{range} is not declared; name it under ports in the charm's capabilities, or under \
             capabilities.workload.CONTAINER.ports if a service answers there"
        ))),
    }
}

/// All that the charm has, once each of the named is among them. Not asked for where all are meant.
fn known(
    agent: &mut (impl PortsAnswers + ?Sized),
    endpoints: &Endpoints,
) -> Result<Vec<String>, CallError> {
    let Endpoints::Named(names) = endpoints else {
        return Ok(Vec::new());
    };
    let known = agent.port_endpoints()?;
    match names.iter().find(|name| !known.contains(name)) {
        None => Ok(known),
        Some(name) => Err(CallError::not_found(format!(
            "the charm declares no endpoint or binding \"{name}\""
        ))),
    }
}

impl From<OpeningError> for CallError {
    fn from(error: OpeningError) -> Self {
        match error {
            OpeningError::Overlaps { .. } | OpeningError::Part { .. } => {
                CallError::invalid(error.to_string())
            }
            OpeningError::TooMany { .. } => CallError::limit(format!("{}: {error}", error.code())),
        }
    }
}

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Ports(Option<Seen>);

#[derive(Debug)]
struct Seen {
    before: Openings,
    /// As the hook sees them.
    now: Openings,
}

impl Share for Ports {
    type Changes = Changes;

    /// What was closed and opened again as it was is no change.
    fn into_changes(self) -> Changes {
        let Some(Seen { before, now }) = self.0 else {
            return Changes::default();
        };
        let gone = |range: &PortRange| now.endpoints(range).is_none();
        let other =
            |opening: &Opening| before.endpoints(&opening.ports) != Some(&opening.endpoints);
        Changes {
            close: before.ranges().filter(gone).collect(),
            open: Vec::from(now.clone()).into_iter().filter(other).collect(),
        }
    }
}

impl Ports {
    fn seen(
        &mut self,
        agent: &mut (impl PortsAnswers + ?Sized),
    ) -> Result<&mut Openings, CallError> {
        let seen = match self.0.take() {
            Some(seen) => seen,
            None => {
                let before = agent.opened_ports()?;
                let now = before.clone();
                Seen { before, now }
            }
        };
        Ok(&mut self.0.insert(seen).now)
    }
}
