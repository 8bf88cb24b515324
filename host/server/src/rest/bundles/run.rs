//! Carries a plan out, step by step, and writes down how far it came.

use periapt_engine::failpoint;
use periapt_model::ModelUuid;
use periapt_model::bundle::Step;
use periapt_store::{ABANDONED, ApplyEnd};
use periapt_wire::rest::BundleApplyState;
use tracing::Instrument;

use super::super::problem::Answer;
use super::applies::Claim;
use super::steps::Taker;
use crate::state::ServerState;

/// An apply that was written down and is to be carried out.
pub(super) struct Run {
    state: ServerState,
    model: ModelUuid,
    id: u64,
    /// Held until how it ended is written down.
    _claim: Claim,
}

impl Run {
    pub(super) fn new(state: ServerState, model: ModelUuid, id: u64, claim: Claim) -> Self {
        Self {
            state,
            model,
            id,
            _claim: claim,
        }
    }

    /// Takes the steps in a task of its own: whoever asked need not wait.
    pub(super) fn start(self, taker: Taker, steps: Vec<Step>) {
        let tracker = self.state.tracker().clone();
        tracker.spawn(self.run(taker, steps).in_current_span());
    }

    async fn run(self, mut taker: Taker, steps: Vec<Step>) {
        let Some(end) = self.take_all(&mut taker, steps).await else {
            return;
        };
        let store = self.state.store();
        if let Err(error) = store.end_bundle(&self.model, self.id, end).await {
            tracing::error!(model = %self.model, apply = self.id, %error, "how a bundle ended cannot be written down");
        }
    }

    /// How it ended; none where it is not this task's to say.
    async fn take_all(&self, taker: &mut Taker, steps: Vec<Step>) -> Option<ApplyEnd> {
        let mut taken = 0;
        for step in steps {
            if self.state.closing().is_cancelled() {
                return Some(ended(BundleApplyState::Interrupted, ABANDONED));
            }
            let words = step.told();
            if let Err(Answer(problem)) = taker.take(step).await {
                let why = match problem.detail.as_str() {
                    "" => problem.title.as_str(),
                    detail => detail,
                };
                let message = format!("failed to {words}: {why} ({})", problem.code);
                return Some(ended(BundleApplyState::Failed, message));
            }
            failpoint::reach("bundle-after-step");
            taken += 1;
            match self
                .state
                .store()
                .bundle_came_to(&self.model, self.id, taken)
                .await
            {
                Ok(true) => {}
                // Another process took this one for lost, and goes on by itself.
                Ok(false) => return None,
                Err(error) => {
                    tracing::error!(model = %self.model, apply = self.id, %error, "how far a bundle came cannot be written down");
                    let message =
                        format!("step {taken} was completed, the next ones were not: {error}");
                    return Some(ended(BundleApplyState::Failed, message));
                }
            }
        }
        Some(ended(BundleApplyState::Completed, ""))
    }
}

fn ended(state: BundleApplyState, message: impl Into<String>) -> ApplyEnd {
    ApplyEnd {
        state,
        message: message.into(),
    }
}
