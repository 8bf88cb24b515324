//! **logsender** (`log-sender`): sends the lines of this process and its units to the controller.
//!
//! Trigger: a line in the buffer. Action: sends what has gathered, in batches; lines that could
//! not be sent are kept for the next connection. Effect: `debug-log` shows them, and of whoever
//! wrote more than could be kept how many are missing.

use periapt_engine::{Manifold, ResultExt, TaskWorker};
use periapt_wire::ApiConnection;
use periapt_wire::agent::log_sink::WriteLogs;

use super::{AgentContext, agent, apicaller};

pub const NAME: &str = "log-sender";

/// Lends nothing.
#[must_use]
pub fn manifold() -> Manifold {
    Manifold::new(|context| async move {
        let agent: AgentContext = context.get(agent::NAME)?;
        let connection: ApiConnection = context.get(apicaller::NAME)?;
        Ok(TaskWorker::spawn(move |worker| async move {
            loop {
                let records = worker.or_dying(agent.log.take()).await?;
                let write = WriteLogs { records };
                // Not called off halfway, or it would not be known whether they were sent.
                if let Err(error) = connection.call(&write).await {
                    agent.log.give_back(write.records);
                    return Err(error).while_doing("sending log lines");
                }
            }
        }))
    })
    .needs([agent::NAME, apicaller::NAME])
}
