//! The methods about models, and about what goes on in one as a whole.
//!
//! Here and in the other files `model` is a name or a UUID.

use bytes::Bytes;
use periapt_wire::agent::log_sink::LogRecord;
use periapt_wire::rest::{
    AddModel, Cloud, CloudCredential, ConfigChange, ConfigSettings, HookQuery, HookRun, ListQuery,
    LogQuery, ModelSummary, Page, WaitQuery, Waited, WorkerRow, paths,
};
use periapt_wire::status::FullStatus;
use reqwest::Method;

use super::{EventStream, Lines, Removing, RestClient, RestError, UPLOAD, body, chain};

impl RestClient {
    pub async fn models(&self) -> Result<Vec<ModelSummary>, RestError> {
        self.list(&paths::MODELS.at([]), &ListQuery::default())
            .await
    }

    pub async fn add_model(&self, model: &AddModel) -> Result<ModelSummary, RestError> {
        self.post(&paths::MODELS.at([]), model).await
    }

    pub async fn clouds(&self) -> Result<Vec<Cloud>, RestError> {
        self.list(&paths::CLOUDS.at([]), &ListQuery::default())
            .await
    }

    /// Those of the caller.
    pub async fn credentials(&self) -> Result<Vec<CloudCredential>, RestError> {
        self.list(&paths::CREDENTIALS.at([]), &ListQuery::default())
            .await
    }

    pub async fn model(&self, model: &str) -> Result<ModelSummary, RestError> {
        self.get(&paths::MODEL.at([model])).await
    }

    /// Begins to destroy a model. By force, whatever is not gone after the time that is given is
    /// removed anyway.
    pub async fn destroy_model(
        &self,
        model: &str,
        removing: Removing,
    ) -> Result<ModelSummary, RestError> {
        self.delete(&paths::MODEL.at([model]), removing).await
    }

    /// A model's configuration, all options.
    pub async fn model_config(&self, model: &str) -> Result<ConfigSettings, RestError> {
        self.get(&paths::MODEL_CONFIG.at([model])).await
    }

    pub async fn set_model_config(
        &self,
        model: &str,
        change: &ConfigChange,
    ) -> Result<ConfigSettings, RestError> {
        self.patch(&paths::MODEL_CONFIG.at([model]), change).await
    }

    pub async fn status(&self, model: &str, patterns: &[String]) -> Result<FullStatus, RestError> {
        let query: Vec<(&str, &str)> = patterns
            .iter()
            .map(|pattern| ("pattern", pattern.as_str()))
            .collect();
        self.json(Method::GET, &paths::MODEL_STATUS.at([model]), |request| {
            request.query(&query)
        })
        .await
    }

    /// Runs of hooks, newest first.
    pub async fn hooks(&self, model: &str, query: &HookQuery) -> Result<Page<HookRun>, RestError> {
        self.json(Method::GET, &paths::HOOKS.at([model]), |request| {
            request.query(query)
        })
        .await
    }

    pub async fn hook(&self, model: &str, id: i64) -> Result<HookRun, RestError> {
        self.get(&paths::HOOK.at([model, &id.to_string()])).await
    }

    /// Log lines; open-ended with `follow`.
    pub async fn logs(&self, model: &str, query: &LogQuery) -> Result<Lines<LogRecord>, RestError> {
        let path = paths::MODEL_LOGS.at([model]);
        Ok(Lines::new(
            self.send(Method::GET, &path, |request| request.query(query))
                .await?,
        ))
    }

    /// What changes in one model, or in all that the caller may read. After `last`, the id of
    /// the last event of an earlier stream, only what came since.
    pub async fn events(
        &self,
        model: Option<&str>,
        last: Option<&str>,
    ) -> Result<EventStream, RestError> {
        let path = match model {
            Some(model) => paths::MODEL_EVENTS.at([model]),
            None => paths::EVENTS.at([]),
        };
        let response = self
            .send(Method::GET, &path, |request| match last {
                Some(last) => request.header("last-event-id", last),
                None => request,
            })
            .await?;
        Ok(EventStream::new(response))
    }

    /// Answers when something holds; `wait-timed-out` when it does not in time.
    pub async fn wait(&self, model: &str, wait: &WaitQuery) -> Result<Waited, RestError> {
        let response = self
            .send(Method::GET, &paths::MODEL_WAIT.at([model]), |request| {
                request.query(wait)
            })
            .await?;
        body(response).await
    }

    /// All workers of the catalogue in one model and its agents.
    pub async fn workers(&self, model: &str) -> Result<Vec<WorkerRow>, RestError> {
        self.list(&paths::MODEL_WORKERS.at([model]), &ListQuery::default())
            .await
    }

    /// A stored blob by its digest.
    pub async fn blob(&self, model: &str, digest: &str) -> Result<Bytes, RestError> {
        let path = paths::BLOB.at([model, digest]);
        let response = self
            .send(Method::GET, &path, |request| request.timeout(UPLOAD))
            .await?;
        response
            .bytes()
            .await
            .map_err(|error| RestError::Interrupted(chain(&error)))
    }
}
