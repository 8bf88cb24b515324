//! **undertaker**: takes a model that is on its way out to its end.
//!
//! Trigger: the model is not alive, and then each change of what is still in it. Action: while
//! applications or machines remain it shows how many; when none do, the model becomes dead, the
//! provider's environment is destroyed, and the model's rows go. Effect: `destroy-model` counts
//! down and the model leaves the list. With force each phase ends at its time-out, whatever
//! remains; an environment that cannot be destroyed is given up after the model's
//! `removal-deadline`.
//!
//! What it never does: it never destroys the environment of the controller's own model, and never
//! removes an application or machine itself (the cleaner and their agents do).

use std::time::Duration;

use jiff::Timestamp;
use periapt_engine::{
    Manifold, ResultExt, SharedClock, TaskWorker, WorkerContext, WorkerError, WorkerResult, clock,
};
use periapt_model::Life;
use periapt_model::status::{Model, Status};
use periapt_wire::ApiConnection;
use periapt_wire::agent::undertaker::{
    GetUndertakerModel, ProcessDyingModel, RemoveModel, SetModelStatus, UndertakerModel,
    WatchModelResources,
};
use periapt_wire::rpc::code;

use super::{ModelContext, agent, apicaller};
use crate::watching::Watching;

pub const NAME: &str = "undertaker";

/// Pause after a failed destruction of the environment: it grows to the second (Juju's 1 s, by
/// half, up to 5 s).
const DESTROY_PAUSE: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(5));

/// What the environment has to go in however little time was given, so that a model that waits
/// for nobody leaves no agent running. It is as long as a default `force-wait`.
const TEAR_DOWN: Duration = Duration::from_secs(60);

/// Lends nothing. It opens the provider itself, so that it hangs on no node of the provider.
pub fn manifold() -> Manifold {
    Manifold::new(|context| async move {
        let model: ModelContext = context.get(agent::NAME)?;
        let api: ApiConnection = context.get(apicaller::NAME)?;
        let clock = context.clock();
        Ok(TaskWorker::spawn(move |worker| async move {
            let rites = Rites {
                worker,
                model,
                api,
                clock,
            };
            rites.dying().await?;
            if rites.model.is_controller_model {
                return Ok(());
            }
            rites.dead().await
        }))
    })
    .needs([agent::NAME, apicaller::NAME])
}

struct Rites {
    worker: WorkerContext,
    model: ModelContext,
    api: ApiConnection,
    clock: SharedClock,
}

impl Rites {
    /// Until the model is dead.
    async fn dying(&self) -> WorkerResult {
        let (watch, doing) = (WatchModelResources {}, "watching the model's resources");
        let mut resources = Watching::begin(&self.worker, &self.api, &watch, doing).await?;
        let begun = self.clock.monotonic();
        loop {
            let bound = self.bound().await?;
            changed_or_bound(&mut resources, bound, begun, &self.clock).await?;
            let model = self.read().await?;
            if model.life == Life::Dead {
                return Ok(());
            }
            let status = Status::new(Model::Destroying, left(&model));
            self.call(&SetModelStatus { status }, "setting the model's status")
                .await?;
            match self
                .worker
                .or_dying(self.api.call(&ProcessDyingModel {}))
                .await?
            {
                Ok(_) => return Ok(()),
                Err(error) if error.is(code::NOT_EMPTY) => {}
                Err(error) => return Err(error).while_doing("ending the model"),
            }
        }
    }

    /// The environment goes, then the rows.
    async fn dead(&self) -> WorkerResult {
        let model = self.read().await?;
        let message = "tearing down cloud environment";
        self.call(
            &SetModelStatus {
                status: Status::new(Model::Destroying, message),
            },
            "setting the model's status",
        )
        .await?;
        let deadline = model.deadline_ms.map(Duration::from_millis);
        let bound = timeout(&model)
            .or(deadline)
            .map(|bound| bound.max(TEAR_DOWN));
        let destroyed = match bound {
            Some(bound) => {
                self.worker
                    .or_dying(clock::timeout(self.clock.as_ref(), bound, self.destroy()))
                    .await?
            }
            None => Some(self.worker.or_dying(self.destroy()).await?),
        };
        match destroyed {
            Some(destroyed) => destroyed?,
            None => {
                tracing::warn!(model = %model.name, "environment was not destroyed in time; the model goes anyway")
            }
        }
        self.call(&RemoveModel {}, "removing the model").await
    }

    /// Tries again and again, and shows why it has to.
    async fn destroy(&self) -> WorkerResult {
        let (mut pause, longest) = DESTROY_PAUSE;
        loop {
            let provider = self.model.open_provider()?;
            match provider.destroy().await {
                Ok(()) => return Ok(()),
                Err(error) => {
                    tracing::warn!(%error, "environment is not destroyed yet");
                    let status = Status::new(
                        Model::Destroying,
                        format!("cannot destroy the environment: {error}"),
                    );
                    self.call(&SetModelStatus { status }, "setting the model's status")
                        .await?;
                    self.clock.sleep(pause).await;
                    pause = (pause * 3 / 2).min(longest);
                }
            }
        }
    }

    /// When a forced model's time in this phase is over, counted from the phase's beginning.
    async fn bound(&self) -> Result<Option<Duration>, WorkerError> {
        Ok(timeout(&self.read().await?))
    }

    async fn read(&self) -> Result<UndertakerModel, WorkerError> {
        let model = self
            .worker
            .or_dying(self.api.call(&GetUndertakerModel {}))
            .await?;
        model
            .while_doing("reading the model")?
            .ok_or(WorkerError::EntityRemoved)
    }

    async fn call<C: periapt_wire::Call>(&self, call: &C, doing: &'static str) -> WorkerResult {
        self.worker
            .or_dying(self.api.call(call))
            .await?
            .while_doing(doing)
            .map(drop)
    }
}

/// How long each phase of a forced model takes at most.
fn timeout(model: &UndertakerModel) -> Option<Duration> {
    let bound = model.timeout_ms.filter(|_| model.force);
    bound.map(Duration::from_millis)
}

/// Waits for the next change, or until the phase's time is over.
async fn changed_or_bound(
    resources: &mut Watching,
    bound: Option<Duration>,
    begun: Duration,
    clock: &SharedClock,
) -> WorkerResult {
    let event = resources.changed();
    match bound.map(|bound| (begun + bound).saturating_sub(clock.monotonic())) {
        // Past its time and still not empty: only a change helps now.
        None | Some(Duration::ZERO) => event.await,
        Some(left) => clock::timeout(clock.as_ref(), left, event)
            .await
            .unwrap_or(Ok(())),
    }
}

/// `still there: 3 machine(s), 1 application(s), 2 unit(s)`, and until when that is waited for;
/// nothing for an empty model.
pub fn left(model: &UndertakerModel) -> String {
    let counts = [
        (model.machines, "machine(s)"),
        (model.applications, "application(s)"),
        (model.units, "unit(s)"),
        (model.storage, "storage(s)"),
    ];
    let left: Vec<String> = counts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
    if left.is_empty() {
        return String::new();
    }
    let left = format!("still there: {}", left.join(", "));
    let from = model.forced_from.map(|from| from / 1_000_000);
    match from.and_then(|from| Timestamp::from_second(from).ok()) {
        Some(from) => format!("{left}; by force from {from}"),
        None => left,
    }
}
