//! A logged-in connection: whose it is, which model it is about, what it watches.

use std::collections::HashSet;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};

use futures::future::BoxFuture;
use periapt_model::{AgentName, ModelUuid, Refusal, Tag};
use periapt_store::{Store, within_call};
use periapt_wire::rpc::{Empty, Json, WATCHER_FACADE, WATCHER_NEXT, WATCHER_STOP, Watch, json};
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio_util::sync::CancellationToken;

use super::error::RpcError;
use super::seen::Seen;
use super::texts;
use super::watcher::{Source, Watchers};
use crate::access::{Effect, Named, Rule, Subject, decide};
use crate::facades::{self, Handler};
use crate::identity::{Identity, Role};
use crate::metrics::Counted;
use crate::presence::PresenceGuard;
use crate::state::ServerState;

/// One connection after its login.
pub struct Session {
    state: ServerState,
    identity: Identity,
    model: Option<ModelUuid>,
    named: Named,
    /// None within the process.
    peer: Option<IpAddr>,
    watchers: Watchers,
    closing: CancellationToken,
    /// What was found to be hosted by this agent. Units never move and machines never change
    /// hosts, so a yes stays true for the connection's life.
    hosted: Mutex<HashSet<Tag>>,
    _presence: Option<PresenceGuard>,
    _counted: Counted,
}

impl Session {
    /// `model` is the model the connection is about; `closing` ends its blocked calls.
    pub fn new(
        state: ServerState,
        identity: Identity,
        model: Option<ModelUuid>,
        closing: CancellationToken,
    ) -> Self {
        let presence = match &identity {
            Identity::Agent { model, agent } => Some(state.presence().enter(model, agent)),
            _ => None,
        };
        Self {
            _counted: state
                .observation()
                .metrics
                .session(crate::rest::observe::kind(Some(&identity))),
            watchers: Watchers::new(state.observation().metrics.clone()),
            state,
            identity,
            named: Named::by_connection(model.as_ref()),
            model,
            peer: None,
            closing,
            hosted: Mutex::default(),
            _presence: presence,
        }
    }

    /// The same for a connection from this address.
    #[must_use]
    pub fn with_peer(mut self, peer: Option<IpAddr>) -> Self {
        self.peer = peer;
        self
    }

    pub fn state(&self) -> &ServerState {
        &self.state
    }

    pub fn store(&self) -> &Store {
        self.state.store()
    }

    pub fn identity(&self) -> &Identity {
        &self.identity
    }

    /// The model of the connection; refused on a connection to the controller.
    pub fn model(&self) -> Result<&ModelUuid, RpcError> {
        self.model
            .as_ref()
            .ok_or_else(|| RpcError::bad_request("this call needs a connection to a model"))
    }

    /// The agent of the connection; refused to everybody else.
    pub fn agent(&self) -> Result<&AgentName, RpcError> {
        match &self.identity {
            Identity::Agent { agent, .. } => Ok(agent),
            Identity::User { .. } | Identity::Controller { .. } => Err(RpcError::denied()),
        }
    }

    /// Begins to watch; `first` is the first event.
    pub fn watch(&self, source: Source, first: Vec<String>) -> Result<Watch, RpcError> {
        let watcher_id = self.watchers.add(source)?;
        Ok(Watch {
            watcher_id,
            changes: first,
        })
    }

    pub fn watchers(&self) -> &Watchers {
        &self.watchers
    }

    /// Whether a request may wait for long by nature, and so is not counted as running.
    pub fn waits(facade: &str, version: u32, method: &str) -> bool {
        (facade == WATCHER_FACADE && method == WATCHER_NEXT)
            || facades::find(facade, version, method)
                .is_some_and(|handler| handler.rule.effect == Effect::Wait)
    }

    /// Runs one call. Dropping the future drops the call; a watcher's event stays for the next.
    ///
    /// Each in a box of its own size: what waits for a watcher, which a unit at rest does several
    /// times, takes a fifth of what it takes to make a call.
    pub fn call<'a>(
        &'a self,
        facade: &'a str,
        version: u32,
        method: &'a str,
        id: Option<&'a str>,
        params: Option<&'a RawValue>,
    ) -> BoxFuture<'a, Result<Json, RpcError>> {
        if facade == WATCHER_FACADE {
            return Box::pin(self.call_watcher(method, id));
        }
        Box::pin(self.call_facade(facade, version, method, params))
    }

    async fn call_facade(
        &self,
        facade: &str,
        version: u32,
        method: &str,
        params: Option<&RawValue>,
    ) -> Result<Json, RpcError> {
        if facade == "Admin" {
            return Err(RpcError::bad_request("already logged in"));
        }
        let Handler { rule, run } = facades::find(facade, version, method)
            .ok_or_else(|| RpcError::not_implemented(facade, version, method))?;
        let params = match params.map(RawValue::get) {
            None | Some("null") => "{}",
            Some(params) => params,
        };
        let named = Parameters::read(params)?;
        // A call may wait for long, and then keeps only what it waits with.
        Box::pin(self.authorise(rule, &named)).await?;
        // The controller's own agents are not started before the upgrade is done.
        if self.identity.role() != Role::Controller {
            texts::bounded(rule, params)?;
            if let Some(progress) = self.state.upgrade().in_progress()
                && !rule.during_upgrade()
            {
                return Err(RpcError::upgrading(&progress));
            }
        }
        let about = audit_entity(rule, &named, self.model.as_ref());
        let seen = Seen::begin(self);
        let audit = self.state.audit();
        let record = audit.call(
            &self.identity,
            self.peer,
            self.model.as_ref(),
            rule,
            &about,
            params,
        );
        let result = tokio::select! {
            biased;
            result = within_call(rule.facade, rule.method, run(self, params)) => result,
            () = self.closing.cancelled(), if rule.effect == Effect::Wait => Err(RpcError::stopped("the connection is closing")),
        };
        seen.end(self, rule, &result);
        if let Some(record) = record {
            let outcome = result.as_ref().map_or_else(|error| error.code(), |_| "ok");
            Box::pin(audit.called(record, &self.identity, outcome)).await;
        }
        if rule.effect == Effect::Write {
            let outcome = result
                .as_ref()
                .map_or_else(|error| error.message.as_str(), |_| "ok");
            // Agents and workers write with every hook: for a person who asks, not for every log.
            tracing::debug!(target: "audit", who = %self.identity, method = format!("{facade}.{method}"), entity = about, result = outcome, "call");
        }
        result
    }

    async fn call_watcher(&self, method: &str, id: Option<&str>) -> Result<Json, RpcError> {
        let id =
            id.ok_or_else(|| RpcError::bad_request("a watcher call names its watcher in \"id\""))?;
        match method {
            WATCHER_NEXT => tokio::select! {
                biased;
                changes = self.watchers.next(id, self) => answer(&changes?),
                () = self.closing.cancelled() => Err(RpcError::stopped("watcher was stopped")),
            },
            WATCHER_STOP => {
                self.watchers.stop(id)?;
                answer(&Empty {})
            }
            other => Err(RpcError::not_implemented(WATCHER_FACADE, 1, other)),
        }
    }

    async fn authorise(&self, rule: &Rule, params: &Parameters<'_>) -> Result<(), RpcError> {
        // A connection outlives what was given to its user; each call asks anew.
        decide(self.store(), rule.visitor, &self.identity, &self.named).await?;
        if self.identity.role() != Role::Agent {
            return Ok(());
        }
        match rule.subject {
            Subject::Model => Ok(()),
            Subject::Unit => {
                let unit = Tag::Unit(field(params.unit, "unit")?);
                self.hosts(&unit).await
            }
            Subject::Machine => {
                let machine = Tag::Machine(field(params.machine, "machine")?);
                self.hosts(&machine).await
            }
            Subject::Entity => {
                let entity: Tag = field(params.entity, "entity")?;
                self.hosts(&entity).await
            }
            Subject::Records => self.signs(params.records).await,
        }
    }

    /// Whether the agent hosts the entity. One that does not exist (any more) passes: the
    /// answer of its call says so, in this model, which is no secret of anybody.
    async fn hosts(&self, entity: &Tag) -> Result<(), RpcError> {
        let model = self.model()?;
        if self.known_hosted(entity) {
            return Ok(());
        }
        let agent = self.agent()?;
        let by_this = |host: Option<AgentName>| host.as_ref() == Some(agent);
        let hosted = match entity {
            Tag::Model(uuid) => Some(uuid == model),
            Tag::Agent(uuid, named) => Some(uuid == model && named == agent),
            Tag::Unit(unit) => self.store().unit_agent(model, unit).await?.map(by_this),
            Tag::Machine(machine) => {
                let host = self.store().machine_agent(model, machine).await?;
                host.map(by_this)
            }
            Tag::Controller(_) | Tag::User(_) | Tag::Application(_) => Some(false),
        };
        match hosted {
            Some(true) => {
                self.hosted
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .insert(entity.clone());
                Ok(())
            }
            None => Ok(()),
            Some(false) => Err(RpcError::denied()),
        }
    }

    fn known_hosted(&self, entity: &Tag) -> bool {
        self.hosted
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .contains(entity)
    }

    /// An agent writes log lines for itself, and for the machines and units that it hosts.
    async fn signs(&self, records: Option<&RawValue>) -> Result<(), RpcError> {
        #[derive(Deserialize)]
        struct Line {
            entity: Tag,
        }
        let lines: Vec<Line> = match records {
            Some(_) => field(records, "records")?,
            None => Vec::new(),
        };
        // Many lines of one entity are one question.
        let entities: HashSet<Tag> = lines.into_iter().map(|line| line.entity).collect();
        for entity in entities {
            self.hosts(&entity).await?;
        }
        Ok(())
    }
}

/// A reply as JSON.
pub(crate) fn answer<T: serde::Serialize>(reply: &T) -> Result<Json, RpcError> {
    json(reply).map_err(|error| RpcError::new(Refusal::InternalError, error.to_string()))
}

/// The parameters by which a call names what it is about, each as it stands in the text; who makes
/// of them what the call is reads the same text again.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Parameters<'a> {
    #[serde(borrow)]
    unit: Option<&'a RawValue>,
    #[serde(borrow)]
    machine: Option<&'a RawValue>,
    #[serde(borrow)]
    entity: Option<&'a RawValue>,
    #[serde(borrow)]
    application: Option<&'a RawValue>,
    #[serde(borrow)]
    records: Option<&'a RawValue>,
}

impl<'a> Parameters<'a> {
    /// Of an object: in a list what stands for what depends on who reads it.
    fn read(text: &'a str) -> Result<Self, RpcError> {
        if !text.starts_with('{') {
            return Err(RpcError::bad_request("the parameters are an object"));
        }
        serde_json::from_str(text).map_err(RpcError::bad_request)
    }
}

fn field<'a, T: Deserialize<'a>>(value: Option<&'a RawValue>, name: &str) -> Result<T, RpcError> {
    let value = value
        .ok_or_else(|| RpcError::bad_request(format!("the parameter \"{name}\" is missing")))?;
    serde_json::from_str(value.get())
        .map_err(|error| RpcError::bad_request(format!("the parameter \"{name}\": {error}")))
}

fn audit_entity(rule: &Rule, params: &Parameters<'_>, model: Option<&ModelUuid>) -> String {
    let named = match rule.subject {
        Subject::Unit => params.unit,
        Subject::Machine => params.machine,
        Subject::Entity => params.entity,
        Subject::Model | Subject::Records => params.application,
    };
    let model = model.map(ModelUuid::as_str).unwrap_or_default();
    match named.map(|named| serde_json::from_str::<String>(named.get())) {
        Some(Ok(named)) => format!("{model}:{named}"),
        _ => model.to_owned(),
    }
}
