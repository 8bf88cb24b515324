//! What a charm asks of its containers: layers and what is to be done with their services.
//!
//! A plan is an effect of the hook and no call to a daemon, so it cannot fail for want of one, and
//! nothing that a failed hook asked for ever runs. What is committed is carried out: a changed plan
//! need not be asked to be.

use serde::{Deserialize, Serialize};

use crate::CallError;
use crate::effects::{Effect, changes};
use crate::ports::PortRange;

mod commit;
mod declared;
#[cfg(test)]
mod tests;
mod txn;

pub use commit::Committed;
pub use declared::runs_in;
pub use periapt_plan::plan::Layers;
pub use periapt_plan::request::{Asked, Request};
pub use periapt_plan::seen::{CheckSeen, Current, Seen, ServiceSeen, Status};
pub use periapt_plan::{layer, plan};
pub(crate) use txn::Workloads;

/// Whether a container can be worked with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Condition {
    /// It is being made.
    #[default]
    Waiting,
    Ready,
    /// The operator, the policy or the machine does not allow it; the message says what to do.
    Refused,
    /// It goes with its unit.
    Stopping,
}

/// A container that the charm declares.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Container {
    pub name: String,
    pub condition: Condition,
    pub message: String,
    /// Changes when the container was made anew, so that nothing of before runs any more.
    pub boot: u64,
    /// The most that its services may answer at.
    pub ports: Vec<PortRange>,
    /// The charm's components, which its services may name.
    pub components: Vec<String>,
}

/// A service of the plan, and what it was seen to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Service {
    pub name: String,
    pub startup: layer::Startup,
    pub seen: ServiceSeen,
}

/// What an agent answers for `workload`.
pub trait WorkloadAnswers {
    /// The containers of the charm, by name. Asked at most once, on first use.
    fn containers(&mut self) -> Result<Vec<Container>, CallError> {
        Err(CallError::unanswered())
    }

    /// The layers of a container as of the last commit. Asked at most once for each.
    fn layers(&mut self, _container: &str) -> Result<Layers, CallError> {
        Err(CallError::unanswered())
    }

    /// Its services and checks as they were seen last.
    fn seen(&mut self, _container: &str) -> Result<Seen, CallError> {
        Err(CallError::unanswered())
    }
}

/// What a commit changes of one container.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct Change {
    /// All of them, where they change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layers: Option<Layers>,
    /// In the order asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub requests: Vec<Request>,
}

changes! {
    /// What a commit changes of the unit's containers.
    Changes: String => Change
}

impl Effect for Changes {
    fn changes_nothing(&self) -> bool {
        self.is_empty()
    }

    fn words(&self) -> Vec<String> {
        let each = self.iter().flat_map(|(container, change)| {
            let planned = change
                .layers
                .is_some()
                .then(|| format!("planned {container}"));
            let asked = change.requests.iter();
            let asked = asked.map(move |request| format!("{} in {container}", request.words()));
            planned.into_iter().chain(asked)
        });
        each.collect()
    }
}
