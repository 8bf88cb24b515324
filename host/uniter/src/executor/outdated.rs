//! Gives up the unit's files of before, once nobody needs them: neither who is told of them, nor who reads them.

use super::Executor;
use crate::error::UniterError;
use crate::files::blocking;

impl Executor {
    /// Gives up the files of before, once nobody needs them: containers read those that they were told of
    /// last until they are told of others. What a request still read the last time is given up as well.
    pub async fn drop_outdated(&mut self) -> Result<(), UniterError> {
        self.outdated |= self.state_directory.take_left();
        if self.outdated && !self.is_behind() {
            self.outdated = false;
            let process = &self.config.process;
            process.reads().end_late(process.clock().monotonic());
            let directory = self.state_directory.clone();
            let generation = self.local.operation.state_generation;
            blocking(move || directory.drop_others(generation)).await?;
        }
        Ok(())
    }

    /// Gives up what a hook or a task wrote that was not committed, and nothing of before: containers may
    /// not have been told of what is committed.
    pub(super) async fn drop_refused(&self) -> Result<(), UniterError> {
        let directory = self.state_directory.clone();
        let generation = self.local.operation.state_generation;
        blocking(move || directory.drop_refused(generation)).await
    }
}
