//! How a hook ends that is done: one commit for its effects and all bookkeeping, also that of the
//! hooks after it that the charm does not have. Hooks that do not run at all end here as well.

use std::collections::BTreeSet;
use std::sync::Arc;

use periapt_engine::failpoint;
use periapt_model::hook::{Effects, Info, Kind};
use periapt_model::storage::StorageId;
use periapt_model::uniter::{
    Decision, LocalState, Operation, OperationState, RemoteState, Walked, absent_done, agent_idle,
    resolve, walk_on, workload_after,
};
use periapt_wire::agent::uniter::CommitHook;

use super::hooks::Ran;
use super::{Executor, Outcome};
use crate::charms::Charm;
use crate::courses::Course;
use crate::error::UniterError;
use crate::remote::Heard;

/// A hook whose end is to be recorded.
#[derive(Clone, Copy)]
pub(super) struct HookEnd<'a> {
    pub operation: &'a Operation,
    pub info: &'a Info,
    pub heard: &'a Heard,
    /// The state in which it is done.
    pub done: &'a OperationState,
    /// Hooks that this charm does not have end with it; none if it is to end alone.
    pub charm: Option<&'a Charm>,
}

impl Executor {
    /// A hook that the charm does not implement: nothing runs, so one write does it all.
    pub(super) async fn run_missing_hook(
        &mut self,
        operation: &Operation,
        info: &Info,
        heard: &Heard,
    ) -> Result<Outcome, UniterError> {
        let remote = &heard.state;
        let charm = self.charm_of_hooks(remote).await?;
        let ended = HookEnd {
            operation,
            info,
            heard,
            done: &absent_done(operation, &self.local, remote)?,
            charm: Some(&charm),
        };
        let doing = "recording a hook that the charm does not have";
        match self.conclude(ended, None, doing).await {
            Err(error) if cannot_enter(info, &error) => Ok(Outcome::NotYet),
            concluded => concluded.map(|()| Outcome::Committed),
        }
    }

    /// Does the bookkeeping of a hook that is not run, as its commit would have.
    pub(super) async fn finish(
        &mut self,
        operation: &Operation,
        info: &Info,
        heard: &Heard,
    ) -> Result<Outcome, UniterError> {
        let ended = HookEnd {
            operation,
            info,
            heard,
            done: &self.local.operation.clone(),
            charm: None,
        };
        failpoint::reach("uniter-before-finish");
        let doing = "recording a hook that is skipped";
        match self.conclude(ended, None, doing).await {
            Err(error) if cannot_enter(info, &error) => Ok(Outcome::NotYet),
            concluded => concluded.map(|()| Outcome::Committed),
        }
    }

    /// Records that a hook is done, and what it left if it ran, together with the hooks after it
    /// that the charm does not have. Should one of these not be able to enter its relation yet,
    /// they are left for later.
    pub(super) async fn conclude(
        &mut self,
        ended: HookEnd<'_>,
        ran: Option<Ran>,
        doing: &'static str,
    ) -> Result<(), UniterError> {
        let (mut local, mut commit) = self.conclusion(&ended)?;
        self.take_from_containers(let_go(&commit)).await;
        let (mut shown_before, mut said) = (None, None);
        if let Some(ran) = ran {
            shown_before = ran.workload;
            commit.effects = ran.effects;
            commit.run = Some(ran.run);
            commit.records = ran.lines.along(&ran.says);
            said = Some((ran.lines, ran.says, ran.when));
        }
        commit.workload = commit.workload.or_else(|| shown_before.clone());
        let leads_until = self.config.leadership.leads_until();
        let sent = self.clock().monotonic();
        let mut committed = self.call(&commit, doing).await;
        if let Err(error) = &committed
            && error.is_try_again()
            && !commit.absent.is_empty()
        {
            let alone;
            (local, alone) = self.conclusion(&HookEnd {
                charm: None,
                ..ended
            })?;
            commit = CommitHook {
                effects: commit.effects,
                run: commit.run,
                records: commit.records,
                workload: alone.workload.or(shown_before),
                ..alone
            };
            committed = self.call(&commit, doing).await;
        }
        let committed = committed?;
        if let Some((lines, says, ran)) = said {
            lines.committed(says);
            let course = Course {
                begun: self.begun,
                entered: ran.start,
                left: ran.end,
                sent,
                committed: self.clock().monotonic(),
            };
            self.config.process.courses().add(ended.info.name(), course);
        }
        self.stands(&commit.effects);
        self.local = local;
        self.reason = None;
        self.refused = None;
        self.retries.over();
        if committed.idle {
            self.shown = Some(agent_idle());
        }
        self.told = Some((committed.news, leads_until));
        Ok(())
    }

    /// A commit with these effects stands: the unit has them from now on.
    pub(super) fn stands(&mut self, effects: &Effects) {
        self.recorded();
        if let Some(kept) = &mut self.kept {
            Arc::make_mut(kept).apply(effects);
        }
        self.kept = self.kept.take().filter(|kept| kept.stays());
        for (name, change) in &effects.workload {
            let containers = Arc::make_mut(&mut self.containers);
            let container = containers.entry(name.clone()).or_default();
            *container = container.with(change);
        }
    }

    /// What the agent knows after a hook that is done, and the commit that records it: the
    /// bookkeeping is in the same transaction, so there is no moment between the two at which an
    /// agent could die.
    fn conclusion(&self, ended: &HookEnd<'_>) -> Result<(LocalState, CommitHook), UniterError> {
        let HookEnd {
            operation,
            info,
            heard,
            done,
            charm,
        } = *ended;
        let remote = &heard.state;
        let mut local = self.local.clone();
        local.committed(operation, operation.commit(done)?);
        let workload = workload_after(info.kind, done);
        let walked = match charm {
            Some(charm) => {
                let has = |hook: &Info| charm.implements(&hook.name());
                walk_on(&mut local, remote, workload, has)?
            }
            None => Walked {
                hooks: Vec::new(),
                workload,
            },
        };
        let absent = walked.hooks.into_iter();
        let rests = resolve(&local, remote) == Decision::NoOperation;
        let commit = CommitHook {
            unit: self.config.unit.clone(),
            from: self.sequence,
            effects: Effects::default(),
            operation: local.operation.clone(),
            workload: walked.workload,
            hook: moves(info, remote).then(|| info.clone()),
            absent: absent
                .filter(|hook| is_told(hook) && moves(hook, remote))
                .collect(),
            run: None,
            task: None,
            records: Vec::new(),
            rests: rests && !self.shows(&agent_idle()),
            known: heard.known(),
        };
        Ok((local, commit))
    }
}

/// Whether the end of a hook is the controller's to know beyond the unit's own record. Of a
/// relation that the controller has removed there is nothing left to enter or to leave.
fn moves(info: &Info, remote: &RemoteState) -> bool {
    info.relation
        .as_ref()
        .is_none_or(|event| remote.relations.contains_key(&event.hook.relation))
}

/// Whether a unit enters or leaves the scope of a relation with this hook, or lets go of a storage.
fn is_told(info: &Info) -> bool {
    matches!(
        info.kind,
        Kind::RelationCreated | Kind::RelationBroken | Kind::StorageDetaching
    )
}

/// Storage that the unit lets go of with this commit.
fn let_go(commit: &CommitHook) -> BTreeSet<StorageId> {
    let hooks = commit.hook.iter().chain(&commit.absent);
    let hooks = hooks.filter(|hook| hook.kind == Kind::StorageDetaching);
    let storage = hooks.filter_map(|hook| hook.storage.as_ref());
    storage.map(|event| event.id.clone()).collect()
}

/// Whether the controller said that the unit has to wait until it can enter a relation.
pub(super) fn cannot_enter(info: &Info, error: &UniterError) -> bool {
    info.kind == Kind::RelationCreated && error.is_try_again()
}
