//! The methods, in the order of the table in `periapt_wire::rest`.
//!
//! `model` is a name or a UUID everywhere.

use std::sync::Arc;

use bytes::Bytes;
use periapt_model::charm::CharmInfo;
use periapt_model::config::Values;
use periapt_model::{ApplicationName, MachineId, UnitName};
use periapt_wire::agent::log_sink::LogRecord;
use periapt_wire::rest::{
    AddMachines, AddModel, AddUnits, ApplicationConfig, ApplicationInfo, AuditQuery, AuditRecord,
    ChangeRelation, ConfigChange, ControllerInfo, ControllerNode, Deploy, HistoryEntry, HookQuery,
    HookRun, Integrate, ListQuery, LogQuery, LoginReply, LoginRequest, MachineInfo, ModelSummary,
    Page, Refresh, RelationInfo, Removal, ResolveRequest, StopRequest, UnitInfo, WaitQuery, Waited,
    WorkerRow,
};
use periapt_wire::rpc::Empty;
use periapt_wire::status::FullStatus;
use reqwest::{Body, Method, RequestBuilder};
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::{
    ANSWER, Authorization, EventStream, Lines, RestClient, RestError, UPLOAD, body, chain,
};

/// Told how many bytes of how many have been handed to the connection.
pub type Progress = Arc<dyn Fn(u64, u64) + Send + Sync>;

/// Bytes handed over at a time, and between two reports of progress.
const UPLOAD_PART: usize = 64 << 10;

/// Items that the controller gives at once.
const LARGEST_PAGE: u64 = 1000;

impl RestClient {
    // ---- the controller ----

    /// Proves who asks; the returned client carries the token.
    pub async fn login(
        &self,
        user: &str,
        password: &str,
    ) -> Result<(RestClient, LoginReply), RestError> {
        let login = LoginRequest {
            user: user.to_owned(),
            password: password.to_owned(),
            name: None,
        };
        let reply: LoginReply = self.post(&["v1", "login"], &login).await?;
        Ok((
            self.clone()
                .with(Authorization::Bearer(reply.token.clone())),
            reply,
        ))
    }

    pub async fn controller(&self) -> Result<ControllerInfo, RestError> {
        self.get(&["v1", "controller"]).await
    }

    /// Asks the controller to end. It answers before it does.
    pub async fn stop_controller(&self, stop: &StopRequest) -> Result<Empty, RestError> {
        self.post(&["v1", "controller", "stop"], stop).await
    }

    /// The processes of the controller.
    pub async fn controller_nodes(&self) -> Result<Vec<ControllerNode>, RestError> {
        self.get(&["v1", "controller", "nodes"]).await
    }

    /// Removes a process from the controller; with `force`, also one that runs.
    pub async fn remove_controller_node(
        &self,
        node: u32,
        force: bool,
    ) -> Result<ControllerNode, RestError> {
        let path = ["v1", "controller", "nodes", &node.to_string()];
        self.delete(&path, force, None).await
    }

    /// The controller's configuration, all keys.
    pub async fn controller_config(&self) -> Result<Values, RestError> {
        self.get(&["v1", "controller", "config"]).await
    }

    pub async fn set_controller_config(&self, change: &ConfigChange) -> Result<Values, RestError> {
        self.patch(&["v1", "controller", "config"], change).await
    }

    /// A page of the audit log, newest first: of one model, or of the controller with all.
    pub async fn audit(
        &self,
        model: Option<&str>,
        query: &AuditQuery,
    ) -> Result<Page<AuditRecord>, RestError> {
        let path: Vec<&str> = match model {
            Some(model) => vec!["v1", "models", model, "audit"],
            None => vec!["v1", "audit"],
        };
        self.json(Method::GET, &path, |request| request.query(query))
            .await
    }

    /// All workers of the catalogue over the whole controller.
    pub async fn controller_workers(&self) -> Result<Vec<WorkerRow>, RestError> {
        self.get(&["v1", "workers"]).await
    }

    /// The answer of `/health`: the process lives.
    pub async fn health(&self) -> Result<String, RestError> {
        self.text(&["health"]).await
    }

    /// The answer of `/ready`: requests are served.
    pub async fn ready(&self) -> Result<String, RestError> {
        self.text(&["ready"]).await
    }

    /// A look into the controller; JSON or, for `metrics`, text.
    pub async fn controller_introspection(&self, report: &str) -> Result<String, RestError> {
        self.text(&["v1", "controller", "introspection", report])
            .await
    }

    /// A look into the engine and the agent of a model.
    pub async fn model_introspection(
        &self,
        model: &str,
        report: &str,
    ) -> Result<String, RestError> {
        self.text(&["v1", "models", model, "introspection", report])
            .await
    }

    // ---- models ----

    pub async fn models(&self) -> Result<Vec<ModelSummary>, RestError> {
        self.list(&["v1", "models"], &ListQuery::default()).await
    }

    pub async fn add_model(&self, model: &AddModel) -> Result<ModelSummary, RestError> {
        self.post(&["v1", "models"], model).await
    }

    pub async fn model(&self, model: &str) -> Result<ModelSummary, RestError> {
        self.get(&["v1", "models", model]).await
    }

    /// Begins to destroy a model. With `force`, whatever is not gone after `timeout_ms` is
    /// removed anyway.
    pub async fn destroy_model(
        &self,
        model: &str,
        force: bool,
        timeout_ms: Option<u64>,
    ) -> Result<ModelSummary, RestError> {
        self.delete(&["v1", "models", model], force, timeout_ms)
            .await
    }

    pub async fn model_config(&self, model: &str) -> Result<Values, RestError> {
        self.get(&["v1", "models", model, "config"]).await
    }

    pub async fn set_model_config(
        &self,
        model: &str,
        change: &ConfigChange,
    ) -> Result<Values, RestError> {
        self.patch(&["v1", "models", model, "config"], change).await
    }

    pub async fn status(&self, model: &str, patterns: &[String]) -> Result<FullStatus, RestError> {
        let query: Vec<(&str, &str)> = patterns
            .iter()
            .map(|pattern| ("pattern", pattern.as_str()))
            .collect();
        self.json(Method::GET, &["v1", "models", model, "status"], |request| {
            request.query(&query)
        })
        .await
    }

    /// Runs of hooks, newest first.
    pub async fn hooks(&self, model: &str, query: &HookQuery) -> Result<Page<HookRun>, RestError> {
        self.json(Method::GET, &["v1", "models", model, "hooks"], |request| {
            request.query(query)
        })
        .await
    }

    pub async fn hook(&self, model: &str, id: i64) -> Result<HookRun, RestError> {
        self.get(&["v1", "models", model, "hooks", &id.to_string()])
            .await
    }

    /// Log lines; open-ended with `follow`.
    pub async fn logs(&self, model: &str, query: &LogQuery) -> Result<Lines<LogRecord>, RestError> {
        let path = ["v1", "models", model, "logs"];
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
            Some(model) => &["v1", "models", model, "events"] as &[&str],
            None => &["v1", "events"],
        };
        let response = self
            .send(Method::GET, path, |request| match last {
                Some(last) => request.header("last-event-id", last),
                None => request,
            })
            .await?;
        Ok(EventStream::new(response))
    }

    /// Answers when something holds; `wait-timed-out` when it does not in time.
    pub async fn wait(&self, model: &str, wait: &WaitQuery) -> Result<Waited, RestError> {
        let response = self
            .send(Method::GET, &["v1", "models", model, "wait"], |request| {
                request.query(wait)
            })
            .await?;
        body(response).await
    }

    /// All workers of the catalogue in one model and its agents.
    pub async fn workers(&self, model: &str) -> Result<Vec<WorkerRow>, RestError> {
        self.get(&["v1", "models", model, "workers"]).await
    }

    /// A stored blob by its digest.
    pub async fn blob(&self, model: &str, digest: &str) -> Result<Bytes, RestError> {
        let path = ["v1", "models", model, "blobs", digest];
        let response = self
            .send(Method::GET, &path, |request| request.timeout(UPLOAD))
            .await?;
        response
            .bytes()
            .await
            .map_err(|error| RestError::Interrupted(chain(&error)))
    }

    // ---- charms ----

    pub async fn charms(&self, model: &str) -> Result<Vec<CharmInfo>, RestError> {
        self.list(&["v1", "models", model, "charms"], &ListQuery::default())
            .await
    }

    pub async fn charm(&self, model: &str, url: &str) -> Result<CharmInfo, RestError> {
        self.get(&["v1", "models", model, "charms", url]).await
    }

    /// The archive of a charm, the bytes that were uploaded. What arrives otherwise is refused.
    pub async fn charm_archive(&self, model: &str, charm: &CharmInfo) -> Result<Bytes, RestError> {
        let url = charm.url.to_string();
        let path = ["v1", "models", model, "charms", &url, "archive"];
        let response = self.send(Method::GET, &path, |request| request.timeout(UPLOAD));
        let archive = response.await?.bytes().await;
        let archive = archive.map_err(|error| RestError::Interrupted(chain(&error)))?;
        let found = sha256(&archive);
        if found != charm.sha256 {
            return Err(RestError::Unexpected(format!(
                "the archive of {url} should have the SHA-256 {} and has {found}",
                charm.sha256
            )));
        }
        Ok(archive)
    }

    /// Uploads the bytes of a `.charm`. The same bytes again give the same charm. The answer
    /// comes once the charm is checked and compiled.
    pub async fn upload_charm(
        &self,
        model: &str,
        archive: Bytes,
        name: Option<&str>,
        progress: Option<Progress>,
    ) -> Result<CharmInfo, RestError> {
        let query: Vec<(&str, &str)> = name.map(|name| ("name", name)).into_iter().collect();
        // The controller refuses what arrives otherwise.
        let sha256 = sha256(&archive);
        let path = ["v1", "models", model, "charms"];
        self.change(Method::POST, &path, |request| {
            request
                .timeout(UPLOAD)
                .query(&query)
                .query(&[("sha256", &sha256)])
                .header("content-type", "application/zip")
                .header("content-length", archive.len())
                .body(in_parts(archive.clone(), progress.clone()))
        })
        .await
    }

    // ---- applications ----

    pub async fn applications(&self, model: &str) -> Result<Vec<ApplicationInfo>, RestError> {
        let path = ["v1", "models", model, "applications"];
        self.list(&path, &ListQuery::default()).await
    }

    pub async fn deploy(&self, model: &str, deploy: &Deploy) -> Result<ApplicationInfo, RestError> {
        self.post(&["v1", "models", model, "applications"], deploy)
            .await
    }

    pub async fn application(
        &self,
        model: &str,
        name: &ApplicationName,
    ) -> Result<ApplicationInfo, RestError> {
        self.get(&["v1", "models", model, "applications", name.as_str()])
            .await
    }

    /// `timeout_ms` bounds the wait of a forced removal; none leaves it to the model.
    pub async fn remove_application(
        &self,
        model: &str,
        name: &ApplicationName,
        force: bool,
        timeout_ms: Option<u64>,
    ) -> Result<Removal, RestError> {
        self.delete(
            &["v1", "models", model, "applications", name.as_str()],
            force,
            timeout_ms,
        )
        .await
    }

    pub async fn application_config(
        &self,
        model: &str,
        name: &ApplicationName,
    ) -> Result<ApplicationConfig, RestError> {
        self.get(&[
            "v1",
            "models",
            model,
            "applications",
            name.as_str(),
            "config",
        ])
        .await
    }

    pub async fn set_application_config(
        &self,
        model: &str,
        name: &ApplicationName,
        change: &ConfigChange,
    ) -> Result<ApplicationConfig, RestError> {
        self.patch(
            &[
                "v1",
                "models",
                model,
                "applications",
                name.as_str(),
                "config",
            ],
            change,
        )
        .await
    }

    pub async fn refresh(
        &self,
        model: &str,
        name: &ApplicationName,
        refresh: &Refresh,
    ) -> Result<ApplicationInfo, RestError> {
        self.post(
            &[
                "v1",
                "models",
                model,
                "applications",
                name.as_str(),
                "refresh",
            ],
            refresh,
        )
        .await
    }

    /// Adds units, on the machines of `placement` in their order, then on new ones.
    pub async fn add_units(
        &self,
        model: &str,
        name: &ApplicationName,
        count: u32,
        placement: &[MachineId],
    ) -> Result<Vec<UnitName>, RestError> {
        let path = [
            "v1",
            "models",
            model,
            "applications",
            name.as_str(),
            "units",
        ];
        self.post(
            &path,
            &AddUnits {
                count,
                placement: placement.to_vec(),
            },
        )
        .await
    }

    pub async fn application_history(
        &self,
        model: &str,
        name: &ApplicationName,
        limit: Option<u64>,
    ) -> Result<Vec<HistoryEntry>, RestError> {
        self.history(
            &[
                "v1",
                "models",
                model,
                "applications",
                name.as_str(),
                "history",
            ],
            limit,
        )
        .await
    }

    // ---- units and machines ----

    /// The units that fit the filters of `query`.
    pub async fn units(&self, model: &str, query: &ListQuery) -> Result<Vec<UnitInfo>, RestError> {
        self.list(&["v1", "models", model, "units"], query).await
    }

    /// The machines that fit the filters of `query`.
    pub async fn machines(
        &self,
        model: &str,
        query: &ListQuery,
    ) -> Result<Vec<MachineInfo>, RestError> {
        self.list(&["v1", "models", model, "machines"], query).await
    }

    pub async fn machine(
        &self,
        model: &str,
        machine: &MachineId,
    ) -> Result<MachineInfo, RestError> {
        let id = machine.as_str().replace('/', "-");
        self.get(&["v1", "models", model, "machines", &id]).await
    }

    /// Adds machines that no unit asked for.
    pub async fn add_machines(
        &self,
        model: &str,
        count: u32,
    ) -> Result<Vec<MachineInfo>, RestError> {
        self.post(&["v1", "models", model, "machines"], &AddMachines { count })
            .await
    }

    /// With `force`, units on the machine are removed along with it.
    pub async fn remove_machine(
        &self,
        model: &str,
        machine: &MachineId,
        force: bool,
        timeout_ms: Option<u64>,
    ) -> Result<Removal, RestError> {
        let id = machine.as_str().replace('/', "-");
        self.delete(&["v1", "models", model, "machines", &id], force, timeout_ms)
            .await
    }

    // ---- relations ----

    /// Relates two endpoints, each `APPLICATION` or `APPLICATION:ENDPOINT`.
    pub async fn integrate(
        &self,
        model: &str,
        endpoints: [&str; 2],
    ) -> Result<RelationInfo, RestError> {
        let endpoints = endpoints.map(str::to_owned).to_vec();
        self.post(
            &["v1", "models", model, "relations"],
            &Integrate { endpoints },
        )
        .await
    }

    pub async fn relation(&self, model: &str, id: u64) -> Result<RelationInfo, RestError> {
        self.get(&["v1", "models", model, "relations", &id.to_string()])
            .await
    }

    /// Suspends or resumes a relation.
    pub async fn change_relation(
        &self,
        model: &str,
        id: u64,
        change: &ChangeRelation,
    ) -> Result<RelationInfo, RestError> {
        let id = id.to_string();
        self.patch(&["v1", "models", model, "relations", &id], change)
            .await
    }

    /// Begins to remove a relation; the subordinate units that go with it.
    pub async fn remove_relation(
        &self,
        model: &str,
        id: u64,
        force: bool,
        timeout_ms: Option<u64>,
    ) -> Result<Removal, RestError> {
        let id = id.to_string();
        self.delete(
            &["v1", "models", model, "relations", &id],
            force,
            timeout_ms,
        )
        .await
    }

    /// The relations that fit the filters of `query`.
    pub async fn relations(
        &self,
        model: &str,
        query: &ListQuery,
    ) -> Result<Vec<RelationInfo>, RestError> {
        self.list(&["v1", "models", model, "relations"], query)
            .await
    }

    pub async fn unit(&self, model: &str, unit: &UnitName) -> Result<UnitInfo, RestError> {
        let (application, number) = parts(unit);
        self.get(&["v1", "models", model, "units", &application, &number])
            .await
    }

    /// `timeout_ms` bounds the wait of a forced removal; none leaves it to the model.
    pub async fn remove_unit(
        &self,
        model: &str,
        unit: &UnitName,
        force: bool,
        timeout_ms: Option<u64>,
    ) -> Result<Removal, RestError> {
        let (application, number) = parts(unit);
        self.delete(
            &["v1", "models", model, "units", &application, &number],
            force,
            timeout_ms,
        )
        .await
    }

    /// Marks a failed hook as dealt with, to be run again with `retry`, else to be skipped.
    pub async fn resolved(
        &self,
        model: &str,
        unit: &UnitName,
        retry: bool,
    ) -> Result<Empty, RestError> {
        let (application, number) = parts(unit);
        let path = [
            "v1",
            "models",
            model,
            "units",
            &application,
            &number,
            "resolved",
        ];
        self.post(&path, &ResolveRequest { retry }).await
    }

    pub async fn unit_history(
        &self,
        model: &str,
        unit: &UnitName,
        limit: Option<u64>,
    ) -> Result<Vec<HistoryEntry>, RestError> {
        let (application, number) = parts(unit);
        self.history(
            &[
                "v1",
                "models",
                model,
                "units",
                &application,
                &number,
                "history",
            ],
            limit,
        )
        .await
    }

    pub async fn machine_history(
        &self,
        model: &str,
        machine: &MachineId,
        limit: Option<u64>,
    ) -> Result<Vec<HistoryEntry>, RestError> {
        self.history(
            &[
                "v1",
                "models",
                model,
                "machines",
                &machine.as_str().replace('/', "-"),
                "history",
            ],
            limit,
        )
        .await
    }

    // ---- shapes of requests ----

    pub(super) async fn get<T: serde::de::DeserializeOwned>(
        &self,
        path: &[&str],
    ) -> Result<T, RestError> {
        self.json(Method::GET, path, |request| request).await
    }

    /// All items of a list, read page by page.
    pub(super) async fn list<T: serde::de::DeserializeOwned>(
        &self,
        path: &[&str],
        query: &ListQuery,
    ) -> Result<Vec<T>, RestError> {
        let mut query = ListQuery {
            limit: query.limit.or(Some(LARGEST_PAGE)),
            ..query.clone()
        };
        let mut items = Vec::new();
        loop {
            let asked = |request: RequestBuilder| request.query(&query);
            let page: Page<T> = self.json(Method::GET, path, asked).await?;
            items.extend(page.items);
            match page.next {
                Some(next) => query.after = Some(next),
                None => return Ok(items),
            }
        }
    }

    pub(super) async fn post<T: serde::de::DeserializeOwned>(
        &self,
        path: &[&str],
        body: &(impl Serialize + ?Sized),
    ) -> Result<T, RestError> {
        self.change(Method::POST, path, |request| {
            request.timeout(ANSWER).json(body)
        })
        .await
    }

    pub(super) async fn patch<T: serde::de::DeserializeOwned>(
        &self,
        path: &[&str],
        body: &(impl Serialize + ?Sized),
    ) -> Result<T, RestError> {
        self.change(Method::PATCH, path, |request| {
            request.timeout(ANSWER).json(body)
        })
        .await
    }

    async fn delete<T: serde::de::DeserializeOwned>(
        &self,
        path: &[&str],
        force: bool,
        timeout_ms: Option<u64>,
    ) -> Result<T, RestError> {
        self.change(Method::DELETE, path, |request| {
            removal(request.timeout(ANSWER), force, timeout_ms)
        })
        .await
    }

    async fn history(
        &self,
        path: &[&str],
        limit: Option<u64>,
    ) -> Result<Vec<HistoryEntry>, RestError> {
        self.json(Method::GET, path, |request| {
            request.query(&[("limit", limit)])
        })
        .await
    }

    async fn text(&self, path: &[&str]) -> Result<String, RestError> {
        let response = self
            .send(Method::GET, path, |request| request.timeout(ANSWER))
            .await?;
        response
            .text()
            .await
            .map_err(|error| RestError::Interrupted(chain(&error)))
    }
}

fn removal(request: RequestBuilder, force: bool, timeout_ms: Option<u64>) -> RequestBuilder {
    let request = if force {
        request.query(&[("force", "true")])
    } else {
        request
    };
    match timeout_ms {
        Some(timeout) => request.query(&[("timeout_ms", timeout)]),
        None => request,
    }
}

fn parts(unit: &UnitName) -> (String, String) {
    (unit.application().to_string(), unit.number().to_string())
}

/// The digest of bytes, in hexadecimal digits.
fn sha256(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The bytes as a body that reports how far it has come.
fn in_parts(bytes: Bytes, progress: Option<Progress>) -> Body {
    let Some(progress) = progress else {
        return Body::from(bytes);
    };
    let total = bytes.len();
    let mut rest = bytes;
    let parts = std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let part = rest.split_to(rest.len().min(UPLOAD_PART));
        progress((total - rest.len()) as u64, total as u64);
        Some(Ok::<_, std::convert::Infallible>(part))
    });
    Body::wrap_stream(futures::stream::iter(parts))
}
