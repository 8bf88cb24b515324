//! `status-get`, `status-set`: how the workload fares. Set at once, also by a hook that fails later.

use periapt_contract::leadership::leader_only;
use periapt_contract::{CallError, at_once};
use periapt_model::status::{Status, Workload};

use super::Permission::{Everybody, Leader};
use super::Tool;
use super::When::{AtOnce, Read};
use crate::world::periapt::charm::{status as wit, types};
use crate::world::{Answer, HookState};

pub(super) const TOOLS: &[Tool] = &[
    Tool::new("status-get", "status", "unit-get", Read, Everybody),
    Tool::new("status-set", "status", "unit-set", AtOnce, Everybody),
    Tool::new(
        "status-get --application",
        "status",
        "application-get",
        Read,
        Leader,
    ),
    Tool::new(
        "status-set --application",
        "status",
        "application-set",
        AtOnce,
        Leader,
    ),
];

const LEADERS: &str = "has the status of the application";

/// What an agent answers for `status`. Which words a charm may set is checked before, and for the
/// application's whether the unit leads.
pub trait StatusAnswers {
    fn unit_status(&mut self) -> Result<Status<Workload>, CallError> {
        Err(CallError::unanswered())
    }

    /// Takes effect at once.
    fn set_unit_status(&mut self, _status: Workload, _message: &str) -> Result<(), CallError> {
        Err(CallError::unanswered())
    }

    fn application_status(&mut self) -> Result<Status<Workload>, CallError> {
        Err(CallError::unanswered())
    }

    /// Takes effect at once.
    fn set_application_status(
        &mut self,
        _status: Workload,
        _message: &str,
    ) -> Result<(), CallError> {
        Err(CallError::unanswered())
    }
}

impl wit::Host for HookState {
    fn unit_get(&mut self) -> Answer<wit::Info> {
        self.context(|context| status_info(context.unit_status()?))
    }

    fn unit_set(&mut self, kind: wit::Kind, message: String) -> Answer<()> {
        self.at_once(|context| {
            let message = at_once::message(&message);
            context.set_unit_status(settable(kind)?, &message)
        })
    }

    fn application_get(&mut self) -> Answer<wit::Info> {
        self.context(|context| {
            leader_only(context, LEADERS)?;
            status_info(context.application_status()?)
        })
    }

    fn application_set(&mut self, kind: wit::Kind, message: String) -> Answer<()> {
        self.at_once(|context| {
            let status = settable(kind)?;
            leader_only(context, LEADERS)?;
            let message = at_once::message(&message);
            context.set_application_status(status, &message)
        })
    }
}

/// The words a charm may set; the others are the agent's to say.
fn settable(kind: wit::Kind) -> Result<Workload, CallError> {
    Ok(match kind {
        wit::Kind::Maintenance => Workload::Maintenance,
        wit::Kind::Blocked => Workload::Blocked,
        wit::Kind::Waiting => Workload::Waiting,
        wit::Kind::Active => Workload::Active,
        wit::Kind::Unknown | wit::Kind::Error | wit::Kind::Terminated => {
            return Err(at_once::not_settable());
        }
    })
}

fn status_info(status: Status<Workload>) -> Result<wit::Info, types::Error> {
    let kind = match status.status {
        Workload::Error => wit::Kind::Error,
        Workload::Blocked => wit::Kind::Blocked,
        Workload::Maintenance => wit::Kind::Maintenance,
        Workload::Waiting => wit::Kind::Waiting,
        Workload::Active => wit::Kind::Active,
        Workload::Terminated => wit::Kind::Terminated,
        Workload::Unknown | Workload::Unset => wit::Kind::Unknown,
    };
    Ok(wit::Info {
        kind,
        message: status.message,
    })
}
