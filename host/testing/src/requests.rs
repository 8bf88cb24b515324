//! Requests to what the charms of a scenario serve.
//!
//! They come from outside of the model, so to exposed applications and to open ports alone; what a unit asks
//! of another goes by their relations, as in production. Before each of them the model comes to rest, so it
//! is answered from what the last hook committed. No request waits on virtual time, and the time that a
//! handler takes is real.

use std::time::{Duration, Instant};

use bytes::Bytes;
use hyper::{Request, Response};
use periapt_engine::Clock;
use periapt_model::reach::published::Published;
use periapt_model::{ApplicationName, UnitName};
use periapt_wire::rest::{Expose, Unexpose};
use periapt_workloads::{InProcess, NotReached, Reached};
use tokio::sync::Mutex;

use crate::scenario::{MODEL, doing, name};
use crate::time::{LOOK, PATIENCE, Passing, STILL};
use crate::{Scenario, ScenarioError};

/// What does not answer yet is given so much virtual time, as at the gate.
const SOON: Duration = Duration::from_secs(5);

/// What serves, from the first request on.
#[derive(Default)]
pub struct Web(Mutex<Option<InProcess>>);

impl Scenario {
    /// Exposes an application to everybody, and waits until it is.
    pub async fn expose(&self, application: &str) -> Result<(), ScenarioError> {
        let named: ApplicationName = name(application)?;
        let exposed = self.client.expose(MODEL, &named, &Expose::default()).await;
        exposed.map_err(doing(format!("exposing {application}")))?;
        self.until_exposed(&named, true).await
    }

    /// Shows an application to nobody outside any more, and waits until it is so.
    pub async fn unexpose(&self, application: &str) -> Result<(), ScenarioError> {
        let named: ApplicationName = name(application)?;
        let whole = Unexpose::default();
        let hidden = self.client.unexpose(MODEL, &named, &whole).await;
        hidden.map_err(doing(format!("unexposing {application}")))?;
        self.until_exposed(&named, false).await
    }

    async fn until_exposed(
        &self,
        application: &ApplicationName,
        exposed: bool,
    ) -> Result<(), ScenarioError> {
        let what = match exposed {
            true => format!("{application} to be exposed"),
            false => format!("{application} to be exposed no more"),
        };
        self.until_true(&what, async || {
            let document = self.document().await?;
            let shown = |known: &Published| known.network.exposures.is_exposed(application);
            Ok(document.as_ref().is_some_and(shown) == exposed)
        })
        .await
    }

    /// Asks for a path, as [`Scenario::request`] does.
    pub async fn get(&self, to: &str, path: &str) -> Result<Response<Bytes>, ScenarioError> {
        let mut request = Request::new(Bytes::new());
        *request.uri_mut() = path
            .parse()
            .map_err(|_| ScenarioError::Name(path.to_owned()))?;
        self.request(to, request).await
    }

    /// Sends a request from outside to an application, `docs`, where each of its units has its turn; to a unit,
    /// `docs/0`; or to a port of one of these, `docs/0:8080`. What names no host names
    /// `docs.test.localhost`, as a browser does.
    ///
    /// # Errors
    /// [`ScenarioError::NotReached`] where production would show a page of its own: nothing of that name, not
    /// exposed, no such port open, a service that does not run, an answer that was cut off. A handler that
    /// fails answers with 500, and [`Scenario::service_log`] says why.
    pub async fn request(
        &self,
        to: &str,
        request: Request<impl Into<Bytes>>,
    ) -> Result<Response<Bytes>, ScenarioError> {
        let not_reached = |reason| ScenarioError::NotReached {
            to: to.to_owned(),
            reason,
        };
        let mut passing = Passing::new(&self.clock, SOON);
        let reached = loop {
            match self.find(to).await? {
                Ok(reached) => break reached,
                Err(reason) => {
                    if !passing.pass(false).await {
                        return Err(not_reached(reason));
                    }
                }
            }
        };
        let named = to.split(':').next().unwrap_or(to).replace('/', "-");
        let host = format!("{named}.{MODEL}.localhost");
        let answer = reached.answer(request.map(Into::into), &host).await;
        answer.map_err(not_reached)
    }

    /// Asks for a path until the answer is as `holds` wants it; time passes meanwhile as needed. `what`
    /// completes the sentence "waited for …".
    pub async fn until_answers(
        &self,
        what: &str,
        to: &str,
        path: &str,
        holds: impl Fn(&Response<Bytes>) -> bool,
    ) -> Result<Response<Bytes>, ScenarioError> {
        let mut passing = Passing::new(&self.clock, PATIENCE);
        loop {
            let answer = self.get(to, path).await;
            match &answer {
                Ok(answered) if holds(answered) => return answer,
                Ok(_) | Err(ScenarioError::NotReached { .. }) => {}
                Err(_) => return answer,
            }
            if !passing.pass(false).await {
                let last = answer.map_or_else(
                    |error| error.to_string(),
                    |answer| {
                        let body = String::from_utf8_lossy(answer.body());
                        format!("{}\n{body}", answer.status())
                    },
                );
                return Err(ScenarioError::Never {
                    what: format!("{what}; the last answer was {last}"),
                    model: String::new(),
                });
            }
        }
    }

    /// What the services of a unit wrote for their requests, and why requests failed, the oldest first.
    pub async fn service_log(&self, unit: &str) -> Result<Vec<String>, ScenarioError> {
        let unit: UnitName = name(unit)?;
        let web = self.web.0.lock().await;
        Ok(web.as_ref().map_or_else(Vec::new, |web| web.lines(&unit)))
    }

    /// Who answers a request, with the model at rest.
    async fn find(&self, to: &str) -> Result<Result<Reached, NotReached>, ScenarioError> {
        self.rest().await?;
        let document = self.document().await?;
        let directory = self.agent_directory().await?;
        let mut web = self.web.0.lock().await;
        let web = match &mut *web {
            Some(web) => web,
            None => {
                let model = self.client.model(MODEL).await;
                let model = model.map_err(doing("reading the model"))?;
                web.insert(InProcess::begin(model.uuid, directory.clone())?)
            }
        };
        let looked = web.look(document.as_ref(), self.clock.monotonic()).await;
        looked.map_err(|source| ScenarioError::File {
            what: "reading what is wanted in",
            path: directory,
            source,
        })?;
        Ok(web.find(to))
    }

    /// Until the model and who reaches whom in it looked the same for a while, without any time passing.
    async fn rest(&self) -> Result<(), ScenarioError> {
        let mut before = None;
        let mut since = Instant::now();
        loop {
            let mut status = self.status().await?;
            status.controller_timestamp.clear();
            let now = (
                serde_json::to_string(&status).unwrap_or_default(),
                self.document().await?,
            );
            if before.as_ref() != Some(&now) {
                since = Instant::now();
                before = Some(now);
            } else if since.elapsed() >= STILL {
                return Ok(());
            }
            tokio::time::sleep(LOOK).await;
        }
    }

    async fn document(&self) -> Result<Option<Published>, ScenarioError> {
        let model = self.client.model(MODEL).await;
        let model = model.map_err(doing("reading the model"))?;
        Ok(self.machines.document(model.uuid.as_str()))
    }
}
