//! **modelworkermanager**: one engine for each model.
//!
//! Trigger: models come and go. Action: it starts the engine of a new model and stops that of one
//! that is gone; an engine that fails is started again after 3 seconds, and the others never
//! notice. Effect: the report shows a child for each model. It never looks into a model.

use std::sync::Arc;

use periapt_agents::model::{self, ModelContext};
use periapt_agents::watching;
use periapt_engine::{
    Manifold, ResultExt, Runner, RunnerConfig, RunnerError, SharedClock, SharedWorker, TaskWorker,
    WorkerContext, WorkerError, WorkerResult,
};
use periapt_model::ModelUuid;
use periapt_server::ServerState;
use periapt_server::authority::Authority;
use periapt_wire::ApiConnection;
use periapt_wire::agent::models::{GetModel, ModelInfo, WatchModels};
use serde_json::json;

use super::{agent, apicaller, apiserver, apiservercertwatcher};
use crate::ControllerContext;

pub const NAME: &str = "model-worker-manager";

/// Lends nothing.
pub fn manifold() -> Manifold {
    Manifold::new(|context| async move {
        let controller: ControllerContext = context.get(agent::NAME)?;
        let api: ApiConnection = context.get(apicaller::NAME)?;
        let state: ServerState = context.get(apiserver::NAME)?;
        let authority: Authority = context.get(apiservercertwatcher::NAME)?;
        let clock = context.clock();
        Ok(TaskWorker::spawn(move |worker| async move {
            let runner = Runner::new(RunnerConfig::new("models", Arc::clone(&clock)).never_fatal());
            worker.add(Arc::new(runner.clone()))?;
            let connect = Arc::new(apiserver::InProcess(state));
            let ca_cert: Arc<str> = Arc::from(authority.ca_pem());
            let manager = Manager {
                worker,
                controller,
                api,
                connect,
                ca_cert,
                clock,
                runner,
            };
            manager.run().await
        }))
    })
    .needs([
        agent::NAME,
        apicaller::NAME,
        apiserver::NAME,
        apiservercertwatcher::NAME,
    ])
}

struct Manager {
    worker: WorkerContext,
    controller: ControllerContext,
    api: ApiConnection,
    connect: Arc<apiserver::InProcess>,
    ca_cert: Arc<str>,
    clock: SharedClock,
    runner: Runner,
}

impl Manager {
    async fn run(self) -> WorkerResult {
        let (watch, doing) = (WatchModels {}, "watching models");
        let follow = |models| self.follow(models);
        watching::names(&self.worker, &self.api, watch, doing, follow).await
    }

    async fn follow(&self, models: Vec<ModelUuid>) -> WorkerResult {
        for uuid in models {
            let call = GetModel {
                model: uuid.clone(),
            };
            let model = self.api.call(&call).await;
            match model.while_doing("reading a model")? {
                Some(model) => self.start(model)?,
                None => self.stop(&uuid).await?,
            }
        }
        self.worker
            .set_report(json!({ "models": self.runner.worker_ids() }));
        Ok(())
    }

    fn start(
        &self,
        ModelInfo {
            uuid, cloud_type, ..
        }: ModelInfo,
    ) -> WorkerResult {
        let model = ModelContext {
            is_controller_model: uuid == self.controller.config.controller_model,
            uuid: uuid.clone(),
            controller: self.controller.config.uuid.clone(),
            connect: Arc::clone(&self.connect) as Arc<_>,
            providers: self.controller.providers.clone(),
            cloud_type,
            claimant: self.controller.config.claimant(),
            api_addresses: self.controller.api_addresses.subscribe(),
            agent_addresses: self.controller.agent_addresses.subscribe(),
            ca_cert: Arc::clone(&self.ca_cert),
            agents_directory: self.controller.agents_directory(),
        };
        let (engines, clock) = (self.controller.engines.clone(), Arc::clone(&self.clock));
        let started = self.runner.start_worker(uuid.as_str(), move || {
            let (model, engines, clock) = (model.clone(), engines.clone(), Arc::clone(&clock));
            async move {
                let engine = model::engine(&model, clock).map_err(WorkerError::other)?;
                engines.put(model.uuid, engine.clone());
                Ok(Arc::new(engine) as SharedWorker)
            }
        });
        match started {
            Ok(()) | Err(RunnerError::AlreadyExists(_)) => Ok(()),
            Err(error) => Err(error).while_doing("starting a model's engine"),
        }
    }

    async fn stop(&self, uuid: &ModelUuid) -> WorkerResult {
        let stopped = self
            .runner
            .stop_and_remove_worker(uuid.as_str(), self.worker.dying())
            .await;
        self.controller.engines.remove(uuid);
        match stopped {
            Ok(()) | Err(RunnerError::NotFound(_) | RunnerError::Aborted(_)) => Ok(()),
            Err(error) => Err(error).while_doing("stopping a model's engine"),
        }
    }
}
