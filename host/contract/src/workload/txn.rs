//! Containers: their layers of the last commit, read on first use, with those that the hook added.

use std::collections::{BTreeMap, BTreeSet};

use super::layer::{Kind, Layer, Service as Planned};
use super::{
    Change, Changes, Container, Layers, Request, Seen, Service, WorkloadAnswers, declared,
};
use crate::bounds::{CONTAINER_BYTES, LAYER_BYTES, LAYERS, REQUESTS};
use crate::txn::{Share, require_room};
use crate::{CallError, HookTxn};

impl HookTxn {
    /// The containers that the charm declares.
    ///
    /// # Errors
    /// What the agent answers.
    pub fn containers(
        &mut self,
        agent: &mut (impl WorkloadAnswers + ?Sized),
    ) -> Result<Vec<Container>, CallError> {
        Ok(self.workload.declared(agent)?.values().cloned().collect())
    }

    /// Adds a layer on top of the plan, or merges it into that of its label.
    ///
    /// # Errors
    /// `NotFound` for a container that the charm does not declare, `Invalid` for a layer that is not
    /// sound or names what the charm has not, `Limit` for one too many.
    pub fn add_layer(
        &mut self,
        agent: &mut (impl WorkloadAnswers + ?Sized),
        container: &str,
        label: &str,
        layer: &str,
        combine: bool,
    ) -> Result<(), CallError> {
        if LAYER_BYTES.exceeded_by(layer.len()) {
            return Err(CallError::limit(format!(
                "the layer is longer than {} bytes",
                LAYER_BYTES.most
            )));
        }
        let written = self.workload.written();
        let room = self.room(written);
        let declared = self.workload.declared_as(agent, container)?;
        let mut layers = self.workload.layers(agent, container)?.clone();
        let refused = |error: periapt_plan::WorkloadError| {
            let code = error.code();
            let (why, advice) = (error.why(), error.advice());
            CallError::invalid(format!("{error} ({code}): {why}; {advice}"))
        };
        let layer = Layer::parse(layer).map_err(refused)?;
        let services: Vec<String> = layer.services.keys().cloned().collect();
        let checks: Vec<String> = layer.checks.keys().cloned().collect();
        let plan = layers.add(label, layer, combine).map_err(refused)?;
        declared::check(&declared, &plan, services.iter(), checks.iter())?;
        if LAYERS.exceeded_by(layers.iter().count()) {
            return Err(CallError::limit(format!(
                "container \"{container}\" has {} layers, the most there may be; merge into one with combine",
                LAYERS.most
            )));
        }
        let bytes = layers.to_json().len();
        if CONTAINER_BYTES.exceeded_by(bytes) {
            return Err(CallError::limit(format!(
                "the layers of container \"{container}\" would have {bytes} bytes, and {} are the most",
                CONTAINER_BYTES.most
            )));
        }
        let kept = self.workload.containers.entry(container.to_owned());
        let kept = kept.or_default();
        require_room(written.saturating_sub(kept.bytes) + bytes, room)?;
        kept.bytes = bytes;
        kept.layers = Some(layers);
        Ok(())
    }

    /// All layers in one, as JSON, with those of this hook.
    ///
    /// # Errors
    /// `NotFound` for a container that the charm does not declare.
    pub fn plan(
        &mut self,
        agent: &mut (impl WorkloadAnswers + ?Sized),
        container: &str,
    ) -> Result<String, CallError> {
        self.workload.declared_as(agent, container)?;
        let layers = self.workload.layers(agent, container)?;
        Ok(layers.plan().to_json())
    }

    /// Has something done once the hook is committed, after what was asked for before.
    ///
    /// # Errors
    /// `NotFound` for a container that the charm does not declare, and for a service or a check that is not
    /// in its plan; `Invalid` for a signal to what is no process, `Limit` for one request too many.
    pub fn ask(
        &mut self,
        agent: &mut (impl WorkloadAnswers + ?Sized),
        container: &str,
        request: Request,
    ) -> Result<(), CallError> {
        self.workload.declared_as(agent, container)?;
        let plan = self.workload.layers(agent, container)?.plan();
        let mut named = BTreeSet::new();
        for name in request.names() {
            if !named.insert(name) {
                return Err(CallError::invalid(format!("\"{name}\" is named twice")));
            }
            let (kind, there) = match request.is_of_checks() {
                true => ("check", plan.checks.contains_key(name)),
                false => ("service", plan.services.contains_key(name)),
            };
            if !there {
                return Err(CallError::not_found(format!(
                    "container \"{container}\" has no {kind} \"{name}\""
                )));
            }
            if let Request::Signal(signal, _) = &request
                && plan.services.get(name).is_some_and(has_no_process)
            {
                return Err(CallError::invalid(format!(
                    "service \"{name}\" has no process that {signal} could be sent to; restart it"
                )));
            }
        }
        let kept = self.workload.containers.entry(container.to_owned());
        let kept = kept.or_default();
        if REQUESTS.exceeded_by(kept.requests.len() + 1) {
            return Err(CallError::limit(format!(
                "one hook may ask for {} things to be done in a container, and this one has",
                REQUESTS.most
            )));
        }
        kept.requests.push(request);
        Ok(())
    }

    /// The services of the plan, by name, as they were seen last: one that this hook added is inactive.
    ///
    /// # Errors
    /// As for [`HookTxn::seen`].
    pub fn services(
        &mut self,
        agent: &mut (impl WorkloadAnswers + ?Sized),
        container: &str,
    ) -> Result<Vec<Service>, CallError> {
        let mut seen = self.seen(agent, container)?.services;
        let plan = self.workload.layers(agent, container)?.plan();
        let services = plan.services.into_iter().map(|(name, service)| Service {
            startup: service.startup(),
            seen: seen.remove(&name).unwrap_or_default(),
            name,
        });
        Ok(services.collect())
    }

    /// The services and checks of a container as they were seen last. What this hook asks for comes
    /// after its commit.
    ///
    /// # Errors
    /// `NotFound` for a container that the charm does not declare, and what the agent answers.
    pub fn seen(
        &mut self,
        agent: &mut (impl WorkloadAnswers + ?Sized),
        container: &str,
    ) -> Result<Seen, CallError> {
        self.workload.declared_as(agent, container)?;
        agent.seen(container)
    }
}

fn has_no_process(service: &Planned) -> bool {
    service.kind() == Kind::Http
}

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Workloads {
    declared: Option<BTreeMap<String, Container>>,
    committed: BTreeMap<String, Layers>,
    containers: BTreeMap<String, Kept>,
}

/// What the hook has asked of one container.
#[derive(Debug, Default)]
struct Kept {
    layers: Option<Layers>,
    /// Of the layers as JSON.
    bytes: usize,
    requests: Vec<Request>,
}

impl Share for Workloads {
    type Changes = Changes;

    fn written(&self) -> usize {
        self.containers.values().map(|kept| kept.bytes).sum()
    }

    fn into_changes(self) -> Changes {
        let Self {
            committed,
            containers,
            ..
        } = self;
        let changed = containers.into_iter().filter_map(|(name, kept)| {
            let layers = kept
                .layers
                .filter(|layers| committed.get(&name) != Some(layers));
            let change = Change {
                layers,
                requests: kept.requests,
            };
            let nothing = change.layers.is_none() && change.requests.is_empty();
            (!nothing).then_some((name, change))
        });
        changed.collect()
    }
}

impl Workloads {
    fn declared(
        &mut self,
        agent: &mut (impl WorkloadAnswers + ?Sized),
    ) -> Result<&BTreeMap<String, Container>, CallError> {
        let declared = match self.declared.take() {
            Some(declared) => declared,
            None => {
                let containers = agent.containers()?.into_iter();
                containers.map(|one| (one.name.clone(), one)).collect()
            }
        };
        Ok(self.declared.insert(declared))
    }

    fn declared_as(
        &mut self,
        agent: &mut (impl WorkloadAnswers + ?Sized),
        name: &str,
    ) -> Result<Container, CallError> {
        let declared = self.declared(agent)?;
        declared.get(name).cloned().ok_or_else(|| {
            let known: Vec<&str> = declared.keys().map(String::as_str).collect();
            let advice = match known.as_slice() {
                [] => "; its metadata names none under containers".to_owned(),
                known => format!("; it has {}", known.join(", ")),
            };
            CallError::not_found(format!("the charm has no container \"{name}\"{advice}"))
        })
    }

    /// As the hook sees them.
    fn layers(
        &mut self,
        agent: &mut (impl WorkloadAnswers + ?Sized),
        container: &str,
    ) -> Result<&Layers, CallError> {
        if !self.committed.contains_key(container) {
            let layers = agent.layers(container)?;
            self.committed.insert(container.to_owned(), layers);
        }
        let own = self.containers.get(container);
        let own = own.and_then(|kept| kept.layers.as_ref());
        own.or_else(|| self.committed.get(container))
            .ok_or_else(|| CallError::not_found(format!("no container \"{container}\"")))
    }
}
