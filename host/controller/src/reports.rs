//! The engines of this process, and what they say of themselves.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use async_trait::async_trait;
use periapt_catalogue::{AgentKind, AgentReport};
use periapt_engine::{DependencyEngine, EngineReport};
use periapt_model::ModelUuid;
use periapt_server::Reports;
use periapt_wire::rest::WorkerRow;

use crate::ControllerContext;

/// The engines: the controller's, and one for each model. Clones share them.
#[derive(Clone, Default)]
pub struct EngineRegistry {
    controller: Arc<OnceLock<DependencyEngine>>,
    models: Arc<Mutex<BTreeMap<ModelUuid, DependencyEngine>>>,
}

impl EngineRegistry {
    pub fn set_controller(&self, engine: DependencyEngine) {
        // Set once, at the process's start.
        let _ = self.controller.set(engine);
    }

    pub fn put(&self, model: ModelUuid, engine: DependencyEngine) {
        self.lock().insert(model, engine);
    }

    pub fn remove(&self, model: &ModelUuid) {
        self.lock().remove(model);
    }

    pub fn controller(&self) -> Option<EngineReport> {
        self.controller.get().map(DependencyEngine::report)
    }

    pub fn model(&self, model: &ModelUuid) -> Option<EngineReport> {
        let engine = self.lock().get(model).cloned();
        engine.map(|engine| engine.report())
    }

    pub fn models(&self) -> BTreeMap<ModelUuid, EngineReport> {
        let engines = self.lock().clone();
        engines
            .into_iter()
            .map(|(model, engine)| (model, engine.report()))
            .collect()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeMap<ModelUuid, DependencyEngine>> {
        self.models.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The catalogue over these engines, for the API.
pub struct Engines {
    registry: EngineRegistry,
}

impl Engines {
    pub fn new(controller: &ControllerContext) -> Self {
        Self {
            registry: controller.engines.clone(),
        }
    }
}

#[async_trait]
impl Reports for Engines {
    async fn controller(&self) -> Vec<WorkerRow> {
        let report = self.registry.controller();
        rows(AgentKind::Controller, report)
    }

    async fn model(&self, model: &ModelUuid) -> Vec<WorkerRow> {
        let report = self.registry.model(model);
        rows(AgentKind::Model, report)
    }

    fn controller_engine(&self) -> Option<EngineReport> {
        self.registry.controller()
    }

    fn model_engines(&self) -> BTreeMap<ModelUuid, EngineReport> {
        self.registry.models()
    }
}

fn rows(agent: AgentKind, report: Option<EngineReport>) -> Vec<WorkerRow> {
    let reports: Vec<AgentReport> = report
        .map(|report| AgentReport { agent, report })
        .into_iter()
        .collect();
    periapt_catalogue::rows(&reports)
}
