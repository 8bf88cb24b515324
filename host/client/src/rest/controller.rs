//! The methods about the controller as a whole.

use periapt_wire::rest::{
    AuditQuery, AuditRecord, ChangeModelDefaults, ConfigChange, ConfigSettings, ControllerInfo,
    ControllerNode, ListQuery, LoginReply, LoginRequest, ModelDefaults, ModelDefaultsQuery, Page,
    StopRequest, WorkerRow, paths,
};
use periapt_wire::rpc::Empty;
use reqwest::Method;

use super::{Authorization, Removing, RestClient, RestError};

impl RestClient {
    /// Proves who asks; the returned client carries the token.
    pub async fn login(
        &self,
        user: &str,
        password: &str,
    ) -> Result<(RestClient, LoginReply), RestError> {
        let login = LoginRequest::new(user, password);
        let reply: LoginReply = self.post(&paths::LOGIN.at([]), &login).await?;
        Ok((
            self.clone()
                .with(Authorization::Bearer(reply.token.clone())),
            reply,
        ))
    }

    pub async fn controller(&self) -> Result<ControllerInfo, RestError> {
        self.get(&paths::CONTROLLER.at([])).await
    }

    /// Asks the controller to end. It answers before it does.
    pub async fn stop_controller(&self, stop: &StopRequest) -> Result<Empty, RestError> {
        self.post(&paths::CONTROLLER_STOP.at([]), stop).await
    }

    /// The processes of the controller.
    pub async fn controller_nodes(&self) -> Result<Vec<ControllerNode>, RestError> {
        self.list(&paths::CONTROLLER_NODES.at([]), &ListQuery::default())
            .await
    }

    /// Removes a process from the controller; with `force`, also one that runs.
    pub async fn remove_controller_node(
        &self,
        node: u32,
        force: bool,
    ) -> Result<ControllerNode, RestError> {
        let node = node.to_string();
        let path = paths::CONTROLLER_NODE.at([&node]);
        self.delete(&path, Removing::within(force, None)).await
    }

    /// The controller's configuration, all options.
    pub async fn controller_config(&self) -> Result<ConfigSettings, RestError> {
        self.get(&paths::CONTROLLER_CONFIG.at([])).await
    }

    pub async fn set_controller_config(
        &self,
        change: &ConfigChange,
    ) -> Result<ConfigSettings, RestError> {
        self.patch(&paths::CONTROLLER_CONFIG.at([]), change).await
    }

    /// What options are in models of a cloud that do not set them.
    pub async fn model_defaults(
        &self,
        query: &ModelDefaultsQuery,
    ) -> Result<ModelDefaults, RestError> {
        let path = paths::MODEL_DEFAULTS.at([]);
        self.json(Method::GET, &path, |request| request.query(query))
            .await
    }

    pub async fn change_model_defaults(
        &self,
        change: &ChangeModelDefaults,
    ) -> Result<ModelDefaults, RestError> {
        self.patch(&paths::MODEL_DEFAULTS.at([]), change).await
    }

    /// A page of the audit log, newest first: of one model, or of the controller with all.
    pub async fn audit(
        &self,
        model: Option<&str>,
        query: &AuditQuery,
    ) -> Result<Page<AuditRecord>, RestError> {
        let path: Vec<&str> = match model {
            Some(model) => paths::MODEL_AUDIT.at([model]),
            None => paths::AUDIT.at([]),
        };
        self.json(Method::GET, &path, |request| request.query(query))
            .await
    }

    /// All workers of the catalogue over the whole controller.
    pub async fn controller_workers(&self) -> Result<Vec<WorkerRow>, RestError> {
        self.list(&paths::WORKERS.at([]), &ListQuery::default())
            .await
    }

    /// The answer of `/health`: the process lives.
    pub async fn health(&self) -> Result<String, RestError> {
        self.text(&paths::HEALTH.at([])).await
    }

    /// The answer of `/ready`: requests are served.
    pub async fn ready(&self) -> Result<String, RestError> {
        self.text(&paths::READY.at([])).await
    }

    /// A look into the controller; JSON or, for `metrics`, text.
    pub async fn controller_introspection(&self, report: &str) -> Result<String, RestError> {
        self.text(&paths::CONTROLLER_INTROSPECTION.at([report]))
            .await
    }

    /// A look into the engine and the agent of a model.
    pub async fn model_introspection(
        &self,
        model: &str,
        report: &str,
    ) -> Result<String, RestError> {
        self.text(&paths::MODEL_INTROSPECTION.at([model, report]))
            .await
    }
}
