//! Takes one step of a plan, as the request that a person would have made for it: whoever asked for the bundle may
//! still do that, no block of the model holds it back, and it has a row of its own in the audit log.

use std::collections::BTreeMap;
use std::net::IpAddr;

use periapt_model::block::Change;
use periapt_model::bundle::Step;
use periapt_model::charm::capability::grant::{Choices, Unfit};
use periapt_model::refusal::Subject;
use periapt_model::relation::EndpointName;
use periapt_model::{ApplicationName, Digest, MachineId, ModelUuid, Refusal, Tag, UserName};
use periapt_store::StoreError;
use periapt_wire::Problem;
use periapt_wire::rest::{
    BundleFile, ConfigChange, Deploy, Expose, Refresh, SetAnnotations, paths,
};
use serde_json::{Value, json};

use super::super::blocked;
use super::super::gate::Pass;
use super::super::problem::Answer;
use super::super::route::{ADMIN, WRITE};
use super::charms::Charms;
use crate::audit::words;
use crate::charms;
use crate::identity::Identity;
use crate::state::ServerState;

/// Whose steps they are, and what they need.
pub(super) struct Taker {
    pub(super) state: ServerState,
    pub(super) model: ModelUuid,
    pub(super) user: UserName,
    pub(super) identity: Identity,
    pub(super) pass: Pass,
    pub(super) from: Option<IpAddr>,
    pub(super) charms: Charms,
    pub(super) files: BTreeMap<ApplicationName, BTreeMap<String, BundleFile>>,
    /// Machines of the model for those of the bundle, made when the first unit goes there.
    pub(super) machines: BTreeMap<String, MachineId>,
    /// Those that were made for the step that is being taken.
    pub(super) made: Vec<MachineId>,
}

/// The request that a step stands for.
struct Request {
    method: &'static str,
    path: &'static str,
    /// The same with its parts.
    target: String,
    /// What of a body the audit log's words need.
    body: Value,
}

impl Request {
    fn new<const N: usize>(method: &'static str, path: paths::Path<N>, parts: [&str; N]) -> Self {
        Self {
            method,
            path: path.text,
            target: format!("/{}", path.at(parts).join("/")),
            body: Value::Null,
        }
    }

    fn with(self, body: Value) -> Self {
        Self { body, ..self }
    }
}

impl Taker {
    /// Takes a step. Of one that is refused no machines are left, or each try would add more.
    pub(super) async fn take(&mut self, step: Step) -> Result<(), Answer> {
        self.made.clear();
        let taken = self.attempt(step).await;
        if taken.is_err() {
            self.give_back().await;
        }
        taken
    }

    /// Removes the machines that were made for a step, on which no unit is.
    async fn give_back(&mut self) {
        for machine in std::mem::take(&mut self.made) {
            self.machines.retain(|_, known| *known != machine);
            let parts = [self.model.as_str(), machine.as_str()];
            let request = Request::new("DELETE", paths::MACHINE, parts);
            let store = self.state.store();
            let write = store.remove_machine(&self.model, &machine, false);
            if let Err(Answer(problem)) = self.recorded(request, write).await {
                tracing::warn!(model = %self.model, %machine, code = %problem.code, "a machine of a bundle's step that was refused is left");
            }
        }
    }

    async fn attempt(&mut self, step: Step) -> Result<(), Answer> {
        let visitor = match step.trusts() || step.grants() {
            true => ADMIN,
            false => WRITE,
        };
        self.pass.require(&self.state, visitor).await?;
        blocked::allow(&self.state, &self.model, Change::Other).await?;
        match step {
            Step::Deploy {
                application,
                units,
                options,
                storage,
                to,
                constraints,
                trust,
                capabilities,
                ..
            } => {
                let charm = self.url(&application).await?;
                let placement = self.machines(&to).await?;
                let deploy = Deploy {
                    channel: self.channel(&application),
                    resources: self.uploads(&application),
                    trust,
                    constraints,
                    charm,
                    placement,
                    config: options,
                    application,
                    units,
                    storage,
                    attach_storage: Vec::new(),
                    capabilities,
                };
                let told = json!({ "application": deploy.application, "charm": deploy.charm });
                let request = self.to("POST", paths::APPLICATIONS).with(told);
                let (store, by) = (self.state.store(), self.user.as_str());
                let write = store.deploy_by(&self.model, deploy, by);
                self.recorded(request, write).await
            }
            Step::Refresh {
                application,
                capabilities,
                ..
            } => {
                let charm = self.url(&application).await?;
                // What is no charm of the repository follows no channel.
                let channel = self.channel(&application).unwrap_or_default();
                let refresh = Refresh {
                    channel: Some(channel),
                    capabilities,
                    ..only(charm)
                };
                self.refresh(&application, refresh).await
            }
            Step::Attach {
                application,
                resource,
            } => {
                let upload = self.uploads(&application).remove(&resource);
                let upload = upload.ok_or_else(|| StoreError::NotFound {
                    kind: Subject::Upload,
                    name: resource.clone(),
                })?;
                let store = self.state.store();
                let charm = store.application(&self.model, &application).await?.charm;
                let uploads = BTreeMap::from([(resource, upload)]);
                let refresh = Refresh {
                    resources: uploads,
                    ..only(charm)
                };
                self.refresh(&application, refresh).await
            }
            Step::Configure { application, set } => {
                let request = self.of("PATCH", paths::APPLICATION_CONFIG, &application);
                let change = ConfigChange {
                    set,
                    reset: Vec::new(),
                };
                let store = self.state.store();
                let write = store.set_application_config(&self.model, &application, change);
                self.recorded(request, write).await
            }
            Step::AddUnits {
                application,
                count,
                to,
            } => {
                let placement = self.machines(&to).await?;
                let request = self.of("POST", paths::APPLICATION_UNITS, &application);
                let store = self.state.store();
                let none = Vec::new();
                let write = store.add_units_to(&self.model, &application, count, placement, none);
                self.recorded(request, write).await
            }
            Step::Expose {
                application,
                endpoints,
            } => {
                let request = self.of("POST", paths::APPLICATION_EXPOSE, &application);
                let expose = Expose {
                    exposed_endpoints: endpoints,
                };
                let write = self.state.store().expose(&self.model, &application, expose);
                self.recorded(request, write).await
            }
            Step::Annotate { application, set } => {
                let request = self.to("PATCH", paths::ANNOTATIONS);
                let notes = SetAnnotations {
                    entity: Some(Tag::Application(application).to_string()),
                    set,
                };
                let write = self.state.store().set_annotations(&self.model, notes);
                self.recorded(request, write).await
            }
            Step::Constrain {
                application,
                constraints,
            } => {
                let request = self.of("PUT", paths::APPLICATION_CONSTRAINTS, &application);
                let store = self.state.store();
                let write = store.set_constraints(&self.model, &application, &constraints);
                self.recorded(request, write).await
            }
            Step::Trust { application } => {
                let request = self.of("PUT", paths::APPLICATION_TRUST, &application);
                let write = self
                    .state
                    .store()
                    .set_trust(&self.model, &application, true);
                self.recorded(request, write).await
            }
            Step::Integrate { pair } => {
                let requirer: EndpointName = pair.requirer.to_string().parse()?;
                let provider: EndpointName = pair.provider.to_string().parse()?;
                let ends = [requirer.to_string(), provider.to_string()];
                let request = self.to("POST", paths::RELATIONS);
                let request = request.with(json!({ "endpoints": ends }));
                let store = self.state.store();
                let write = store.integrate(&self.model, [requirer, provider]);
                self.recorded(request, write).await
            }
        }
    }

    /// Moves an application to a charm. One that has to be approved first ends the bundle: what follows is meant for
    /// that charm.
    async fn refresh(&self, application: &ApplicationName, refresh: Refresh) -> Result<(), Answer> {
        let request = self.of("POST", paths::APPLICATION_REFRESH, application);
        let (store, by) = (self.state.store(), self.user.as_str());
        let charm = refresh.charm.clone();
        let write = store.refresh_by(&self.model, application, refresh, by);
        let held = self.kept(request, write).await?.held;
        match held.filter(|held| held.charm == charm) {
            None => Ok(()),
            Some(held) => Err(StoreError::from(Unfit::Undecided {
                application: application.clone(),
                capabilities: held.awaits,
            })
            .into()),
        }
    }

    /// The charm of an application as the model names it; one of the repository goes up first.
    async fn url(&mut self, application: &ApplicationName) -> Result<String, Answer> {
        let missing = |why: String| {
            let problem = Problem::new(Refusal::NotFound(Subject::Charm));
            Answer(problem.why(why))
        };
        let unknown = || missing(format!("the charm of \"{application}\" is unknown"));
        let charm = self.charms.get(application).ok_or_else(unknown)?;
        if let Some(url) = &charm.url {
            return Ok(url.clone());
        }
        let released = charm.released.clone().ok_or_else(unknown)?;
        let sha256 = charm.sha256.clone();
        let turn = self.state.uploads().take(&self.user).await;
        let archive = super::charms::taken(&self.state, &released).await?;
        let archive = archive.map_err(|(refusal, why)| Answer(Problem::new(refusal).why(why)))?;
        if Digest::of(&archive).to_string() != sha256 {
            return Err(missing(format!(
                "revision {} of charm \"{}\" in the charm repository has changed since the bundle was planned",
                released.revision, released.name
            )));
        }
        let request = self.to("POST", paths::CHARMS);
        let request = request.with(json!({ "name": released.name }));
        let upload = charms::upload(&self.state, &self.model, archive, turn);
        let url = self.kept(request, upload).await?.url.to_string();
        // The charm of other applications, too.
        let same = self.charms.values_mut();
        for same in same.filter(|same| same.sha256 == sha256) {
            same.url = Some(url.clone());
        }
        Ok(url)
    }

    /// The channel of the charm repository that an application is to follow.
    fn channel(&self, application: &ApplicationName) -> Option<String> {
        let released = self.charms.get(application)?.released.as_ref()?;
        Some(released.channel.clone())
    }

    /// What was uploaded for an application, by resource.
    fn uploads(&self, application: &ApplicationName) -> BTreeMap<String, u64> {
        let files = self.files.get(application).into_iter().flatten();
        let uploads = files.filter_map(|(name, file)| Some((name.clone(), file.upload?)));
        uploads.collect()
    }

    /// Machines for units, made where nobody is there yet.
    async fn machines(&mut self, places: &[String]) -> Result<Vec<MachineId>, Answer> {
        let mut placement = Vec::new();
        for place in places {
            if place != "new"
                && let Some(machine) = self.machines.get(place)
            {
                placement.push(machine.clone());
                continue;
            }
            let request = self.to("POST", paths::MACHINES);
            let made = self.state.store().add_machines_like(&self.model, 1, "");
            let made = self.kept(request, made).await?.into_iter().next();
            let machine = made.ok_or_else(super::super::problem::failed)?;
            self.made.push(machine.id.clone());
            if place != "new" {
                self.machines.insert(place.clone(), machine.id.clone());
            }
            placement.push(machine.id);
        }
        Ok(placement)
    }

    fn to(&self, method: &'static str, path: paths::Path<1>) -> Request {
        Request::new(method, path, [self.model.as_str()])
    }

    fn of(
        &self,
        method: &'static str,
        path: paths::Path<2>,
        application: &ApplicationName,
    ) -> Request {
        Request::new(method, path, [self.model.as_str(), application.as_str()])
    }

    async fn recorded<T, E>(
        &self,
        request: Request,
        write: impl Future<Output = Result<T, E>>,
    ) -> Result<(), Answer>
    where
        Answer: From<E>,
    {
        self.kept(request, write).await.map(|_| ())
    }

    /// Makes a change with its row in the audit log, which is one commit as far as it changes something.
    async fn kept<T, E>(
        &self,
        request: Request,
        write: impl Future<Output = Result<T, E>>,
    ) -> Result<T, Answer>
    where
        Answer: From<E>,
    {
        let audit = self.state.audit();
        let model = Some(self.model.clone());
        let mut record = audit.begin(self.identity.to_string(), self.from, model);
        record.what = format!("{} {}", request.method, request.path);
        record.target = request.target;
        let told = words::of_change(
            request.method,
            request.path,
            &record.target,
            Some(&request.body),
        );
        told.tell(&mut record);
        record.arguments = json!({ "by": "bundle" });
        let guard = self.state.store().recording(record.clone());
        let outcome = guard.around(write).await.map_err(Answer::from);
        record.result = match &outcome {
            Ok(_) => "200".to_owned(),
            Err(Answer(problem)) => problem.status.to_string(),
        };
        audit.end(record, &guard, None).await;
        outcome
    }
}

/// To a charm, and nothing else.
fn only(charm: String) -> Refresh {
    Refresh {
        charm,
        config: BTreeMap::new(),
        force_units: false,
        resources: BTreeMap::new(),
        storage: BTreeMap::new(),
        channel: None,
        capabilities: Choices::default(),
    }
}
