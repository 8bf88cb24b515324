//! The supervisor: one task that owns everything it knows, and does one thing after the other.
//!
//! What happens comes to it as [`Event`]s: a document of the provider, a file of an agent, a word of a child.
//! What a model's part in it does is in [`model`]; what a unit's, in [`unit`] and [`life`].

pub(crate) mod below;
mod control;
pub(crate) mod counts;
pub(crate) mod folders;
pub(crate) mod kept;
mod life;
mod listeners;
mod logs;
mod model;
mod process;
mod pulse;
pub(crate) mod reading;
mod traces;
pub(crate) mod unit;
mod watch;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use periapt_engine::descriptors;
use periapt_engine::supervised::Lock;
use periapt_model::reach::published::{Answer, Published, Request};
use periapt_model::workload::trace::OfUnit;
use periapt_model::{ModelName, ModelUuid};
use rustix::fs::Mode;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::{mpsc, oneshot};

use crate::failure::file;
use crate::frames::{Facing, FromGate, FromServe, ToGate};
use crate::{Failure, Settings, child};
use control::Changed;
use kept::Kept;
use listeners::Listeners;
use model::Model;
use process::{Process, Respawn};
use watch::Watch;

/// Events that wait; who has more to say waits too.
const EVENTS: usize = 256;

/// The mark by which the gate is asked whether it lives, and by which nobody waits for anything else.
const ALIVE: u64 = 0;

/// What happened.
pub enum Event {
    /// The provider says how a model is to be reachable.
    Asked(Request, oneshot::Sender<Answer>),
    /// A file in a directory that is watched; none where it is not known which.
    File(i32, Option<OsString>),
    /// The gate of this number said something, or is gone.
    Gate(u64, Option<FromGate>),
    /// The same of a process that serves a model.
    Serve(ModelUuid, u64, Option<FromServe>),
}

/// What all parts of the supervisor use.
pub struct Shared {
    pub settings: Settings,
    pub events: mpsc::Sender<Event>,
    pub kept: Kept,
    pub watch: Watch,
    begun: Instant,
    begun_at: SystemTime,
}

impl Shared {
    /// The time for state machines.
    pub fn now(&self) -> Duration {
        self.begun.elapsed()
    }

    /// Seconds since the epoch of such a time.
    pub fn unix(&self, at: Duration) -> i64 {
        let since = (self.begun_at + at).duration_since(SystemTime::UNIX_EPOCH);
        since.map_or(0, |since| {
            i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
        })
    }
}

/// Runs the supervisor of an agents' directory until it is asked to stop.
///
/// # Errors
/// What keeps it from running.
pub fn run(directory: &Path, settings: Settings) -> Result<(), Failure> {
    rustix::process::umask(Mode::from_raw_mode(0o077));
    // For its children as well.
    descriptors::raise();
    std::fs::create_dir_all(directory).map_err(file("make", directory))?;
    let lock = Lock::take(directory)?;
    let _lock = lock.ok_or_else(|| Failure::AlreadyRunning(directory.to_owned()))?;
    // Paths of sockets are short.
    std::env::set_current_dir(directory).map_err(file("enter", directory))?;
    child::trace();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(Failure::Runtime)?;
    runtime.block_on(supervise(settings))
}

async fn supervise(settings: Settings) -> Result<(), Failure> {
    let mut terminate = signal(SignalKind::terminate()).map_err(Failure::Runtime)?;
    let mut interrupt = signal(SignalKind::interrupt()).map_err(Failure::Runtime)?;
    let (events, mut happened) = mpsc::channel(EVENTS);
    let shared = Shared {
        settings,
        kept: Kept::open(PathBuf::from("."))?,
        watch: Watch::begin(events.clone()).map_err(Failure::Runtime)?,
        events,
        begun: Instant::now(),
        begun_at: SystemTime::now(),
    };
    let documents = shared.kept.documents();
    let mut supervisor = Supervisor {
        respawn: Respawn::new(shared.settings.respawn()),
        shared,
        models: BTreeMap::new(),
        listeners: Listeners::default(),
        twins: BTreeSet::new(),
        changed: Changed::new(()),
        gate: None,
        gates: 0,
        marks: BTreeMap::new(),
        mark: 0,
        tick: None,
    };
    tracing::info!(
        models = documents.len(),
        "the supervisor of workloads begins"
    );
    for (model, document) in documents {
        supervisor.publish(model, Some(document));
    }
    supervisor.start_gate();
    // Whoever connects is answered by what is there.
    let events = supervisor.shared.events.clone();
    let changed = supervisor.changed.clone();
    control::listen(Path::new("control.sock"), events, changed)?;
    supervisor.plan();
    loop {
        let tick = supervisor.tick;
        tokio::select! {
            biased;
            _ = terminate.recv() => break,
            _ = interrupt.recv() => break,
            () = until(tick) => {
                supervisor.tick();
                // Something may be due all the time; what waits has its turn.
                for _ in 0..EVENTS {
                    let Ok(event) = happened.try_recv() else { break };
                    supervisor.take(event);
                }
                tokio::task::yield_now().await;
            }
            Some(event) = happened.recv() => supervisor.take(event),
        }
    }
    tracing::info!("the supervisor of workloads ends");
    supervisor.end();
    Ok(())
}

async fn until(tick: Option<Instant>) {
    match tick {
        Some(at) => tokio::time::sleep_until(at.into()).await,
        None => std::future::pending().await,
    }
}

pub struct Supervisor {
    shared: Shared,
    models: BTreeMap<ModelUuid, Model>,
    listeners: Listeners,
    /// Names that several models have.
    twins: BTreeSet<ModelName>,
    /// Tells whoever asked that something else holds by now.
    changed: Changed,
    gate: Option<Process<ToGate>>,
    /// So many gates there were.
    gates: u64,
    respawn: Respawn,
    /// Answers that are given once the gate is so far.
    marks: BTreeMap<u64, (oneshot::Sender<Answer>, Answer)>,
    mark: u64,
    /// When something is due.
    tick: Option<Instant>,
}

impl Supervisor {
    fn take(&mut self, event: Event) {
        use FromServe::{Answered, Lines, Traced};
        // What is told most often changes nothing of when something is due, or says that it does.
        let mut plans = !matches!(event, Event::Serve(_, _, Some(Lines { .. })));
        match event {
            Event::Asked(request, reply) => self.asked(request, reply),
            Event::File(watch, name) => {
                for model in self.models.values_mut() {
                    model.changed(&self.shared, watch, name.as_deref(), self.gate.as_ref());
                }
            }
            Event::Gate(number, said) if number == self.gates => {
                if let Some(gate) = &mut self.gate {
                    gate.heard();
                }
                match said {
                    Some(FromGate::Marked(mark)) => self.answer(mark),
                    Some(FromGate::Connect(number, model)) => self.connect(number, &model),
                    Some(FromGate::Traced(model, of)) => {
                        let model = self.models.get_mut(&model);
                        plans = model.is_some_and(|model| model.traced([*of]));
                    }
                    None => self.gate_ended(),
                }
            }
            Event::Gate(..) => {}
            Event::Serve(model, _, Some(Answered { place, requests })) => {
                let model = self.models.get_mut(&model);
                plans = model.is_some_and(|model| model.count(&place, &requests));
            }
            Event::Serve(model, _, Some(Traced { place, spans })) => {
                let unit = place.unit;
                let of_unit = spans.into_iter().map(|span| OfUnit {
                    unit: unit.clone(),
                    span,
                });
                let model = self.models.get_mut(&model);
                plans = model.is_some_and(|model| model.traced(of_unit));
            }
            Event::Serve(model, number, said) => {
                if let Some(model) = self.models.get_mut(&model) {
                    model.heard(&self.shared, number, said, self.gate.as_ref());
                }
            }
        }
        if plans {
            self.plan();
        }
    }

    fn asked(&mut self, request: Request, reply: oneshot::Sender<Answer>) {
        let model = request.model.clone();
        let document = request.document.map(|document| *document);
        if let Err(error) = self.shared.kept.set_document(&model, document.as_ref()) {
            tracing::warn!(%model, %error, "the document of a model is not kept");
        }
        self.publish(model.clone(), document);
        let answer = match self.models.get(&model) {
            Some(known) => self.answer_of(request.number, &model, &known.document),
            None => Answer {
                number: request.number,
                ingress: None,
                ingress_failed: None,
                listening: Vec::new(),
                not_listening: Vec::new(),
            },
        };
        self.mark += 1;
        self.marks.insert(self.mark, (reply, answer));
        match &self.gate {
            Some(gate) => gate.tell(&ToGate::Mark(self.mark), Vec::new()),
            // Nobody accepts anything.
            None => self.answer(self.mark),
        }
    }

    /// What holds of a model.
    fn answer_of(&self, number: u64, model: &ModelUuid, document: &Published) -> Answer {
        let mut answer = self.listeners.answer(number, model, document);
        let name = &document.name;
        if answer.ingress.is_some() && self.twins.contains(name) {
            answer.ingress = None;
            answer.ingress_failed = Some(format!(
                "another model on this machine is called {name} as well, so neither is found by it"
            ));
        }
        answer
    }

    fn answer(&mut self, mark: u64) {
        if let Some((reply, answer)) = self.marks.remove(&mark) {
            // Whoever asked may have left.
            let _ = reply.send(answer);
        }
    }

    /// Makes it so, but for what the gate has yet to do.
    fn publish(&mut self, uuid: ModelUuid, document: Option<Published>) {
        let gate = self.gate.as_ref();
        let gone = document.is_none();
        match document {
            Some(document) => {
                let facing = Facing {
                    name: document.name.clone(),
                    network: document.network.clone(),
                    traces: document.traces,
                };
                if let Some(gate) = gate {
                    gate.tell(
                        &ToGate::Model(uuid.clone(), Some(Box::new(facing))),
                        Vec::new(),
                    );
                }
                match self.models.get_mut(&uuid) {
                    Some(model) => model.set_document(&self.shared, document, gate),
                    None => {
                        let model = Model::open(&self.shared, uuid.clone(), document, gate);
                        self.models.insert(uuid, model);
                    }
                }
            }
            None => {
                if let Some(gate) = gate {
                    gate.tell(&ToGate::Model(uuid.clone(), None), Vec::new());
                }
                if let Some(model) = self.models.remove(&uuid) {
                    model.close(&self.shared);
                }
            }
        }
        let twins = twins(self.models.values().map(|model| &model.document.name));
        for name in twins.difference(&self.twins) {
            tracing::warn!("two models are called {name}: nobody is found by this name");
        }
        let others = twins != self.twins;
        self.twins = twins;
        let documents = self
            .models
            .iter()
            .map(|(uuid, model)| (uuid, &model.document));
        if self.listeners.set(documents, gate) || others {
            self.changed.send_replace(());
        }
        tracing::debug!(gone, "a model is published");
    }

    fn connect(&mut self, number: u64, model: &ModelUuid) {
        let ours = match self.models.get_mut(model) {
            Some(model) => model.connection(&self.shared),
            None => None,
        };
        if let Some(gate) = &self.gate {
            gate.tell(&ToGate::Connected(number), ours.into_iter().collect());
        }
    }

    fn start_gate(&mut self) {
        self.gates += 1;
        let (number, events) = (self.gates, self.shared.events.clone());
        let wrap = move |said| Event::Gate(number, said);
        let pulse = self.shared.settings.pulse();
        let gate = match Process::start("gate", Path::new("."), pulse, events, wrap) {
            Ok(gate) => gate,
            Err(error) => {
                tracing::error!(%error, "the gate cannot be started");
                self.respawn.ended();
                return;
            }
        };
        self.respawn.started();
        gate.tell(&ToGate::Settings(self.shared.settings.clone()), Vec::new());
        for (uuid, model) in &self.models {
            let facing = Facing {
                name: model.document.name.clone(),
                network: model.document.network.clone(),
                traces: model.document.traces,
            };
            gate.tell(
                &ToGate::Model(uuid.clone(), Some(Box::new(facing))),
                Vec::new(),
            );
            model.tell_doors(&gate);
        }
        self.listeners.tell(&gate);
        self.gate = Some(gate);
    }

    fn gate_ended(&mut self) {
        tracing::warn!("the gate is gone; it is started again");
        self.gate = None;
        self.respawn.ended();
        // What was open on it is cut, and what is closed is not accepted any more.
        for (_, (reply, answer)) in std::mem::take(&mut self.marks) {
            let _ = reply.send(answer);
        }
    }

    /// Does what is due.
    fn tick(&mut self) {
        if self.gate.is_none() && self.respawn.is_due() {
            self.start_gate();
        }
        if let Some(gate) = &mut self.gate
            && !self.listeners.is_empty()
        {
            gate.look(&ToGate::Mark(ALIVE));
        }
        if self.listeners.tick(self.gate.as_ref()) {
            self.changed.send_replace(());
        }
        for model in self.models.values_mut() {
            model.tick(&self.shared, self.gate.as_ref());
        }
        self.plan();
    }

    /// Finds out when something is due next.
    fn plan(&mut self) {
        let begun = self.shared.begun;
        let gate = match &self.gate {
            // Nobody waits for one without listeners.
            Some(gate) => Some(gate.due()).filter(|_| !self.listeners.is_empty()),
            None => self.respawn.at(),
        };
        let models = self.models.values();
        let dues = models.filter_map(|model| model.due(begun));
        self.tick = dues.chain(gate).chain(self.listeners.due()).min();
    }

    /// Leaves everything as the next supervisor is to find it.
    fn end(&mut self) {
        for model in self.models.values_mut() {
            model.write_all(&self.shared);
        }
    }
}

/// The names that come more than once.
fn twins<'a>(names: impl Iterator<Item = &'a ModelName>) -> BTreeSet<ModelName> {
    let mut seen = BTreeSet::new();
    names.filter(|name| !seen.insert(*name)).cloned().collect()
}
