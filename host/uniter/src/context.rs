//! The agent's side of one hook: facts from the snapshot taken as the hook began, and the few
//! calls that take effect at once, made over the unit's connection.
//!
//! A hook that waits for an answer has no place meanwhile, and goes on once it has one again.
//!
//! A context can be severed: when the agent stops before its hook does, nothing the hook still
//! asks for reaches the controller.

use std::collections::{BTreeMap, BTreeSet};
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;
use std::time::Duration;

use periapt_engine::{SharedClock, failpoint};
use periapt_model::bounds::SETTINGS_READ_BYTES;
use periapt_model::config::Values;
use periapt_model::hook::AtOnce;
use periapt_model::ports::PortRange;
use periapt_model::status::{Status, Workload};
use periapt_model::{Tag, UnitName};
use periapt_sandbox::{
    Bag, CallError, Goals, HookContext, LogLevel, Member, Network, RelationInfo,
};
use periapt_wire::ApiConnection;
use periapt_wire::agent::log_sink::LogRecord;
use periapt_wire::agent::uniter::{
    GetApplicationStatus, GetGoalState, GetLeaderSettings, GetRelationSettings,
    SetApplicationStatus, SetUnitStatus, SetWorkloadVersion,
};
use periapt_wire::rpc::{Call, code};
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

use crate::leadership::Leadership;
use crate::process::{HookLog, ModelIdentity};
use crate::settings::KnownSettings;
use crate::snapshot::HookSnapshot;
use crate::turns::Turn;

mod relations;

pub(crate) use relations::{bindings, endpoints, relations};

/// What the executor keeps of a context while the hook has it.
#[derive(Clone, Default)]
pub(crate) struct Tether {
    /// Cancelled when the hook has no say any more.
    pub severed: CancellationToken,
    /// Whether the charm set the unit's status.
    pub status_set: Arc<AtomicBool>,
    /// What the hook changed at once.
    pub at_once: Arc<Mutex<Vec<AtOnce>>>,
}

impl Tether {
    /// Whether the charm set the unit's status, and all that it changed at once.
    pub fn takes(&self) -> (bool, Vec<AtOnce>) {
        let at_once = self.at_once.lock().unwrap_or_else(PoisonError::into_inner);
        (self.status_set.load(Ordering::Acquire), at_once.clone())
    }

    fn tell(&self, effect: AtOnce) {
        let mut at_once = self.at_once.lock().unwrap_or_else(PoisonError::into_inner);
        // A charm that reports its progress by the second has one effect, the newest.
        at_once.retain(|earlier| !effect.replaces(earlier));
        at_once.push(effect);
    }
}

pub(crate) struct UnitContext {
    pub unit: UnitName,
    pub model: ModelIdentity,
    pub snapshot: HookSnapshot,
    /// As the hook set or first asked for it.
    pub application: Option<Status<Workload>>,
    pub options: Vec<String>,
    pub endpoints: BTreeSet<String>,
    /// Endpoints and what else can be bound to a network.
    pub bindings: BTreeSet<String>,
    /// As the hook is told of them.
    pub relations: Vec<RelationInfo>,
    pub settings: KnownSettings,
    pub goals: Option<Goals>,
    pub connection: ApiConnection,
    pub leadership: Leadership,
    /// Until when the unit leads that led before the snapshot was made: so long nobody else
    /// changes what is the leader's.
    pub leads_until: Option<Duration>,
    pub log: Arc<dyn HookLog>,
    pub clock: SharedClock,
    pub runtime: Handle,
    pub tether: Tether,
    pub turn: Arc<Turn>,
    /// For a place, to go on with an answer.
    pub waited: Duration,
}

impl UnitContext {
    /// Makes a call from the hook's thread.
    fn call<C: Call>(&mut self, call: &C) -> Result<C::Reply, CallError> {
        failpoint::reach("uniter-during-execute");
        let connection = self.connection.clone();
        self.wait(async { connection.call(call).await.map_err(refused) })?
    }

    /// Waits on the hook's thread. What is not there at once is waited for without a place.
    fn wait<T>(&mut self, work: impl Future<Output = T>) -> Result<T, CallError> {
        let work = async {
            tokio::select! {
                biased;
                () = self.tether.severed.cancelled() => Err(CallError::unavailable("the agent is stopping")),
                output = work => Ok(output),
            }
        };
        let (output, waited) = self.runtime.block_on(async {
            let mut work = pin!(work);
            if let Poll::Ready(output) = futures::poll!(work.as_mut()) {
                return (output, Duration::ZERO);
            }
            self.turn.step_aside();
            let output = work.await;
            let answered = self.clock.monotonic();
            self.turn.step_in();
            self.turn.comes().await;
            (output, self.clock.monotonic().saturating_sub(answered))
        });
        self.waited += waited;
        output
    }
}

impl HookContext for UnitContext {
    fn unit_name(&self) -> String {
        self.unit.to_string()
    }

    fn model_name(&self) -> String {
        self.model.name.to_string()
    }

    fn model_uuid(&self) -> String {
        self.model.uuid.to_string()
    }

    fn knows_endpoint(&self, name: &str) -> bool {
        self.endpoints.contains(name)
    }

    fn relations(&self) -> Vec<RelationInfo> {
        self.relations.clone()
    }

    fn relation_settings(&mut self, relation: u64, of: &Member) -> Result<Bag, CallError> {
        let asked = (relation, of.clone());
        if let Some(known) = self.settings.get(&asked) {
            return Ok(known);
        }
        let settings = self.call(&GetRelationSettings {
            unit: self.unit.clone(),
            relation,
            of: relations::tag(of)?,
        })?;
        match self.settings.put(asked, settings.clone()) {
            true => Ok(settings),
            false => Err(CallError::limit(format!(
                "the hook would read more than the {} bytes of settings that one hook may",
                SETTINGS_READ_BYTES.most
            ))),
        }
    }

    fn leader_settings(&mut self) -> Result<Bag, CallError> {
        let unit = self.unit.clone();
        self.call(&GetLeaderSettings { unit })
    }

    fn goal_state(&mut self) -> Result<Goals, CallError> {
        if let Some(known) = &self.goals {
            return Ok(known.clone());
        }
        let unit = self.unit.clone();
        let goals = relations::goals(self.call(&GetGoalState { unit })?);
        self.goals = Some(goals.clone());
        Ok(goals)
    }

    fn network(&mut self, binding: &str) -> Result<Network, CallError> {
        if !self.bindings.contains(binding) {
            return Err(CallError::not_found(format!(
                "the charm declares no endpoint or binding \"{binding}\""
            )));
        }
        Ok(relations::network(&self.private_address()?))
    }

    fn config(&self) -> &Values {
        &self.snapshot.config
    }

    fn knows_option(&self, name: &str) -> bool {
        self.options.iter().any(|option| option == name)
    }

    fn state(&mut self) -> Result<BTreeMap<String, String>, CallError> {
        Ok(self.snapshot.state.charm_state.clone())
    }

    fn opened_ports(&mut self) -> Result<Vec<PortRange>, CallError> {
        Ok(self.snapshot.state.opened_ports.clone())
    }

    fn private_address(&mut self) -> Result<String, CallError> {
        let address = self.snapshot.private_address.clone();
        address.ok_or_else(|| CallError::not_found("the unit has no private address yet"))
    }

    fn public_address(&mut self) -> Result<String, CallError> {
        let address = self.snapshot.public_address.clone();
        address.ok_or_else(|| CallError::not_found("the unit has no public address yet"))
    }

    fn is_leader(&mut self) -> Result<bool, CallError> {
        let leadership = self.leadership.clone();
        self.wait(leadership.claim_leader())
    }

    fn unit_status(&mut self) -> Result<Status<Workload>, CallError> {
        Ok(self.snapshot.workload.clone())
    }

    fn set_unit_status(&mut self, status: Workload, message: &str) -> Result<(), CallError> {
        let status = Status::new(status, message);
        if !says_the_same(&self.snapshot.workload, &status) {
            self.call(&SetUnitStatus {
                unit: self.unit.clone(),
                status: status.clone(),
            })?;
            self.tether.tell(AtOnce::UnitStatus(status.status));
            self.snapshot.workload = status;
        }
        self.tether.status_set.store(true, Ordering::Release);
        Ok(())
    }

    fn application_status(&mut self) -> Result<Status<Workload>, CallError> {
        // Summed up from all units of the application, and seldom wanted: only then asked for.
        if let Some(known) = &self.application {
            return Ok(known.clone());
        }
        let status = self.call(&GetApplicationStatus {
            unit: self.unit.clone(),
        })?;
        self.application = Some(status.clone());
        Ok(status)
    }

    fn set_application_status(&mut self, status: Workload, message: &str) -> Result<(), CallError> {
        let status = Status::new(status, message);
        let leads = self.leads_until;
        let leads = leads.is_some_and(|until| self.clock.monotonic() <= until);
        let known = self.snapshot.application.as_ref().filter(|_| leads);
        if !known.is_some_and(|known| says_the_same(known, &status)) {
            self.call(&SetApplicationStatus {
                unit: self.unit.clone(),
                status: status.clone(),
            })?;
            self.tether.tell(AtOnce::ApplicationStatus(status.status));
            self.snapshot.application = Some(status.clone());
        }
        self.application = Some(status);
        Ok(())
    }

    fn set_workload_version(&mut self, version: &str) -> Result<(), CallError> {
        if self.snapshot.workload_version.as_deref() != Some(version) {
            self.call(&SetWorkloadVersion {
                unit: self.unit.clone(),
                version: version.to_owned(),
            })?;
            self.tether
                .tell(AtOnce::WorkloadVersion(version.to_owned()));
            self.snapshot.workload_version = Some(version.to_owned());
        }
        Ok(())
    }

    fn waited(&self) -> Duration {
        self.waited
    }

    fn log(&mut self, level: LogLevel, message: &str) {
        failpoint::reach("uniter-during-execute");
        if !self.tether.severed.is_cancelled() {
            self.log.write(record(
                &self.clock,
                &self.unit,
                "juju-log",
                level.as_str(),
                message,
            ));
        }
    }
}

/// A line about a unit; `part` is what wrote it, and loggers are tuned by `unit.UNIT.PART`.
pub(crate) fn record(
    clock: &SharedClock,
    unit: &UnitName,
    part: &str,
    level: &str,
    message: &str,
) -> LogRecord {
    LogRecord {
        time: clock.now().as_microsecond(),
        entity: Tag::Unit(unit.clone()),
        level: level.to_owned(),
        module: format!("unit.{unit}.{part}"),
        message: message.to_owned(),
    }
}

/// Whether the one status says what the other does: to set it then changes nothing, not even the
/// history. Since when it is so does not count.
fn says_the_same(one: &Status<Workload>, other: &Status<Workload>) -> bool {
    (one.status, &one.message, &one.data) == (other.status, &other.message, &other.data)
}

fn refused(error: periapt_wire::CallError) -> CallError {
    let message = error.to_string();
    match error.code() {
        code::LEASE_DENIED | code::UNAUTHORIZED => CallError::denied(message),
        code::NOT_FOUND => CallError::not_found(message),
        code::BAD_REQUEST => CallError::invalid(message),
        _ => CallError::unavailable(message),
    }
}
