//! The task that keeps the process running for as long as an environment has a document, and that
//! speaks to it.
//!
//! Documents are kept, so that a process that was started again is told all of them. A request is
//! answered when the process has answered it; who asked while it died is told by the next one. An answer of
//! the number 0 says that something else holds by now: it is asked again.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::PoisonError;
use std::time::Duration;

use periapt_engine::{SharedClock, clock};
use periapt_model::ModelUuid;
use periapt_model::reach::published::{Answer, Published, Request};
use tokio::sync::{mpsc, oneshot};

use super::control::Control;
use super::wanted::Wanted;
use super::{Told, nothing};
use crate::local::process::{AgentProcess, Program};
use crate::local::supervisor::{Patience, agent_ended};
use crate::{Applied, ProviderError};

/// How long an answer may take: connections are cut before it comes.
const ANSWER: Duration = Duration::from_secs(30);

/// What an environment asks for.
pub(super) enum Ask {
    Apply {
        model: ModelUuid,
        document: Option<Box<Published>>,
        reply: Reply,
    },
    /// Another process of the controller may speak for the model from now on.
    Forget(ModelUuid),
}

/// See the module.
pub(super) struct Keeper {
    directory: PathBuf,
    program: Program,
    patience: Patience,
    clock: SharedClock,
    told: Told,
    documents: BTreeMap<ModelUuid, Box<Published>>,
    process: Option<AgentProcess>,
    control: Option<Control>,
    /// Of the last request.
    number: u64,
    /// Requests without an answer, and who waits for it.
    waiting: BTreeMap<u64, Waiting>,
    started_at: Duration,
    /// Deaths in short order.
    deaths: u32,
    restart_at: Option<Duration>,
}

pub(super) type Reply = oneshot::Sender<Result<Applied, ProviderError>>;

/// A request without an answer.
struct Waiting {
    model: ModelUuid,
    /// When it is too late for an answer.
    until: Duration,
    /// Nothing of the model is to be reached any more.
    taken_back: bool,
    reply: Option<Reply>,
}

/// What happened next.
enum Event {
    Asked(Option<Ask>),
    Answered(Option<Answer>),
    Ended(String),
    Restart,
    Silent,
}

impl Keeper {
    pub fn new(
        directory: PathBuf,
        program: Program,
        patience: Patience,
        clock: SharedClock,
        told: Told,
    ) -> Self {
        Self {
            directory,
            program,
            patience,
            clock,
            told,
            documents: BTreeMap::new(),
            process: None,
            control: None,
            number: 0,
            waiting: BTreeMap::new(),
            started_at: Duration::ZERO,
            deaths: 0,
            restart_at: None,
        }
    }

    /// Serves until nobody can ask any more; the process goes on.
    pub async fn run(mut self, mut asks: mpsc::UnboundedReceiver<Ask>) {
        loop {
            match self.next(&mut asks).await {
                Event::Asked(Some(Ask::Apply {
                    model,
                    document,
                    reply,
                })) => self.serve(model, document, reply).await,
                Event::Asked(Some(Ask::Forget(model))) => drop(self.documents.remove(&model)),
                Event::Asked(None) => return,
                Event::Answered(Some(answer)) if answer.number == 0 => self.ask_again().await,
                Event::Answered(Some(answer)) => self.answered(answer).await,
                Event::Answered(None) => self.lost("it closed the connection").await,
                Event::Ended(how) => {
                    self.process = None;
                    self.lost(&how).await;
                }
                Event::Restart => {
                    self.restart_at = None;
                    self.restart().await;
                }
                Event::Silent => self.lost("it does not answer").await,
            }
        }
    }

    async fn next(&mut self, asks: &mut mpsc::UnboundedReceiver<Ask>) -> Event {
        let restart = clock::until(self.clock.as_ref(), self.restart_at);
        // Whom nobody is connected to need not answer.
        let waiting = self.waiting.values().filter(|_| self.control.is_some());
        let silent = waiting.map(|waiting| waiting.until).min();
        let silent = clock::until(self.clock.as_ref(), silent);
        tokio::select! {
            biased;
            answer = answered(self.control.as_mut()) => Event::Answered(answer),
            how = agent_ended(self.process.as_ref()) => Event::Ended(how),
            () = restart => Event::Restart,
            ask = asks.recv() => Event::Asked(ask),
            () = silent => Event::Silent,
        }
    }

    async fn serve(&mut self, model: ModelUuid, document: Option<Box<Published>>, reply: Reply) {
        let wanted = Wanted::new(&self.directory);
        let taken_back = document.is_none();
        match document {
            Some(document) => {
                if let Err(error) = wanted.add(model.as_str()) {
                    let _ = reply.send(Err(error));
                    return;
                }
                self.documents.insert(model.clone(), document);
            }
            // Known or not: an earlier controller may have told it.
            None => drop(self.documents.remove(&model)),
        }
        if let Err(error) = self.connect().await {
            // Who asked tries again; until then it is tried for whoever has a document.
            let _ = reply.send(Err(error));
            self.plan("it cannot be reached");
            return;
        }
        self.tell(model, taken_back, Some(reply)).await;
    }

    /// The process runs and is connected afterwards; a new connection is told all documents, and once more what
    /// was asked for and not answered.
    async fn connect(&mut self) -> Result<(), ProviderError> {
        if self.control.is_some() {
            return Ok(());
        }
        if self.process.is_none() {
            let process = match AgentProcess::adopt(&self.directory, self.clock.as_ref()).await? {
                Some(process) => process,
                None => AgentProcess::spawn(&self.program, &self.directory, &self.directory)?,
            };
            tracing::info!(
                pid = process.pid.as_raw_nonzero().get(),
                adopted = process.adopted,
                "the process of the workloads runs"
            );
            self.process = Some(process);
            self.started_at = self.clock.monotonic();
        }
        self.restart_at = None;
        let opened = tokio::select! {
            biased;
            how = agent_ended(self.process.as_ref()) => {
                self.process = None;
                Err(ProviderError::Refused(format!("the process of the workloads ended: {how}")))
            }
            opened = Control::open(&self.directory, self.clock.as_ref()) => opened,
        };
        self.control = Some(opened?);
        let waiting = std::mem::take(&mut self.waiting);
        let models: Vec<ModelUuid> = self.documents.keys().cloned().collect();
        for model in models {
            self.tell(model, false, None).await;
        }
        for waiting in waiting.into_values() {
            if waiting.reply.is_some() || waiting.taken_back {
                self.tell(waiting.model, waiting.taken_back, waiting.reply)
                    .await;
            }
        }
        Ok(())
    }

    /// Sends the document of a model, or that there is none any more.
    async fn tell(&mut self, model: ModelUuid, taken_back: bool, reply: Option<Reply>) {
        let document = self.documents.get(&model).filter(|_| !taken_back).cloned();
        if document.is_none() && !taken_back {
            // Nobody here speaks for it any more.
            if let Some(reply) = reply {
                let _ = reply.send(Err(ProviderError::Closed));
            }
            return;
        }
        self.number += 1;
        let request = Request {
            number: self.number,
            model: model.clone(),
            document,
        };
        let waiting = Waiting {
            model,
            until: self.clock.monotonic() + ANSWER,
            taken_back,
            reply,
        };
        self.waiting.insert(self.number, waiting);
        // Without a connection the next one is told, which is planned already.
        let Some(control) = &mut self.control else {
            return;
        };
        let sent = tokio::select! {
            sent = control.send(&request) => sent.is_ok(),
            () = self.clock.sleep(ANSWER) => return self.lost("it does not read").await,
        };
        if !sent {
            self.control = None;
            self.plan("it cannot be told");
        }
    }

    /// Tells once more the documents of which something could not be carried out.
    async fn ask_again(&mut self) {
        let failed: Vec<ModelUuid> = {
            let told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
            let failed = told.iter().filter(|(_, told)| {
                let told = told.borrow();
                told.as_ref().is_some_and(|told| {
                    told.ingress_failed.is_some() || !told.not_listening.is_empty()
                })
            });
            failed.map(|(model, _)| model.clone()).collect()
        };
        for model in failed {
            // Where nobody speaks for it any more, nothing is told.
            self.tell(model, false, None).await;
        }
    }

    async fn answered(&mut self, answer: Answer) {
        let Some(waiting) = self.waiting.remove(&answer.number) else {
            return;
        };
        let (model, gone) = (waiting.model, waiting.taken_back);
        // A later request of the model says what holds.
        let last = !self.waiting.values().any(|other| other.model == model);
        if last {
            let told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(told) = told.get(&model) {
                told.send_replace(Some(answer.clone()));
            }
        }
        if last
            && gone
            && let Err(error) = self.forget(&model).await
        {
            tracing::warn!(%error, "the process of the workloads cannot be stopped");
        }
        if let Some(reply) = waiting.reply {
            let _ = reply.send(Ok(match gone {
                true => nothing(),
                false => answer,
            }));
        }
    }

    /// Takes note that a model has nothing left; nobody does, and the process ends.
    async fn forget(&mut self, model: &ModelUuid) -> Result<(), ProviderError> {
        let wanted = Wanted::new(&self.directory);
        wanted.remove(model.as_str())?;
        if !wanted.is_empty()? || !self.waiting.is_empty() {
            return Ok(());
        }
        self.control = None;
        self.restart_at = None;
        self.deaths = 0;
        if let Some(process) = self.process.take() {
            let stop = process.stop(self.patience.stop, self.clock.as_ref());
            let how = stop.await?;
            tracing::info!(how, "nothing is reached any more");
        }
        Ok(())
    }

    /// The connection is gone, and maybe the process.
    async fn lost(&mut self, how: &str) {
        self.control = None;
        // One that hangs is ended, so that the next can take its place; one that died is reaped.
        if let Some(process) = self.process.take() {
            let stopped = process.stop(self.patience.stop, self.clock.as_ref()).await;
            if let Err(error) = stopped {
                tracing::warn!(%error, "the process of the workloads cannot be stopped");
            }
        }
        self.plan(how);
    }

    /// Plans the next start. Who waits goes on waiting, for as long as it may take.
    fn plan(&mut self, how: &str) {
        let lived = self.clock.monotonic().saturating_sub(self.started_at);
        if lived >= self.patience.settled {
            self.deaths = 0;
        }
        if self.documents.is_empty() && self.waiting.is_empty() {
            return;
        }
        let wait = self
            .patience
            .first_restart
            .saturating_mul(1_u32.checked_shl(self.deaths).unwrap_or(u32::MAX))
            .min(self.patience.longest_restart);
        self.deaths = self.deaths.saturating_add(1).min(31);
        tracing::warn!(%how, ?wait, "the process of the workloads is started again");
        self.restart_at = Some(self.clock.monotonic() + wait);
    }

    async fn restart(&mut self) {
        if let Err(error) = self.connect().await {
            let reason = error.to_string();
            for waiting in std::mem::take(&mut self.waiting).into_values() {
                if let Some(reply) = waiting.reply {
                    let _ = reply.send(Err(ProviderError::Refused(reason.clone())));
                }
            }
            self.plan(&reason);
        }
    }
}

async fn answered(control: Option<&mut Control>) -> Option<Answer> {
    match control {
        Some(control) => control.answer().await,
        None => std::future::pending().await,
    }
}
