//! `is-leader`, `leader-get`, `leader-set`: who leads, and what the leader tells its units.

use crate::effects::{Effect, changes};
use crate::settings::{self, Bag, Settings};
use crate::txn::Share;
use crate::{CallError, HookTxn};

#[cfg(test)]
mod tests;

/// What an agent answers for `leadership`.
pub trait LeadershipAnswers {
    /// True promises that the unit stays leader for at least 30 seconds.
    fn is_leader(&mut self) -> Result<bool, CallError> {
        Err(CallError::unanswered())
    }

    /// What the leader told its units, as of the last commit. Asked at most once, on first use.
    fn leader_settings(&mut self) -> Result<Settings, CallError> {
        Err(CallError::unanswered())
    }
}

changes! {
    /// What a commit changes of what the leader tells: a value sets the key, none deletes it.
    Changes: String => Option<String>
}

impl Effect for Changes {
    fn changes_nothing(&self) -> bool {
        self.is_empty()
    }

    fn needs_leadership(&self) -> bool {
        !self.is_empty()
    }

    fn words(&self) -> Vec<String> {
        settings::words("leader setting", self)
    }
}

/// What the leader told, read once, with the hook's own writes on top.
#[derive(Debug, Default)]
pub(crate) struct Told {
    bag: Option<Bag>,
}

impl Share for Told {
    type Changes = Changes;

    fn written(&self) -> usize {
        self.bag.as_ref().map_or(0, Bag::written)
    }

    fn into_changes(self) -> Changes {
        let writes = self.bag.map(Bag::into_writes);
        writes.into_iter().flatten().collect()
    }
}

impl Told {
    fn bag(
        &mut self,
        agent: &mut (impl LeadershipAnswers + ?Sized),
    ) -> Result<&mut Bag, CallError> {
        let bag = match self.bag.take() {
            Some(bag) => bag,
            None => Bag::new(agent.leader_settings()?),
        };
        Ok(self.bag.insert(bag))
    }
}

impl HookTxn {
    /// What the leader told its units; the leader sees its own writes.
    ///
    /// # Errors
    /// What the agent answers.
    pub fn leader_get(
        &mut self,
        agent: &mut (impl LeadershipAnswers + ?Sized),
    ) -> Result<Settings, CallError> {
        Ok(self.leader.bag(agent)?.all())
    }

    /// # Errors
    /// `Denied` for a unit that does not lead, and the limits of a bag.
    pub fn leader_set(
        &mut self,
        agent: &mut (impl LeadershipAnswers + ?Sized),
        settings: Vec<(String, Option<String>)>,
    ) -> Result<(), CallError> {
        leader_only(agent, "can set the leader's settings")?;
        let room = self.room(self.leader.written());
        self.leader.bag(agent)?.set(settings, room)
    }
}

/// Refuses what is the leader's alone.
///
/// # Errors
/// `Denied` for a unit that does not lead, and what the agent answers.
pub fn leader_only(
    agent: &mut (impl LeadershipAnswers + ?Sized),
    what: &str,
) -> Result<(), CallError> {
    match agent.is_leader()? {
        true => Ok(()),
        false => Err(CallError::denied(format!("only the leader {what}"))),
    }
}
