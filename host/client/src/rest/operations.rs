//! The methods about what units are asked to run.

use std::time::Duration;

use periapt_model::ApplicationName;
use periapt_model::task::TaskId;
use periapt_wire::rest::{
    ApplicationActions, EnqueueOperation, OperationInfo, OperationQuery, OperationWait, Page,
    TaskInfo, TaskWait, paths,
};
use periapt_wire::rpc::Empty;
use reqwest::Method;

use super::{ANSWER, RestClient, RestError};

impl RestClient {
    /// What units of an application can be asked to run.
    pub async fn actions(
        &self,
        model: &str,
        name: &ApplicationName,
    ) -> Result<ApplicationActions, RestError> {
        self.get(&paths::APPLICATION_ACTIONS.at([model, name.as_str()]))
            .await
    }

    /// Asks units to run an action or a command. Answered before any has.
    pub async fn enqueue_operation(
        &self,
        model: &str,
        request: &EnqueueOperation,
    ) -> Result<OperationInfo, RestError> {
        self.post(&paths::OPERATIONS.at([model]), request).await
    }

    /// A page of operations, newest first.
    pub async fn operations(
        &self,
        model: &str,
        query: &OperationQuery,
    ) -> Result<Page<OperationInfo>, RestError> {
        self.json(Method::GET, &paths::OPERATIONS.at([model]), |request| {
            request.query(query)
        })
        .await
    }

    /// An operation, at once or when all its tasks have ended, as `query` says.
    pub async fn operation(
        &self,
        model: &str,
        operation: TaskId,
        query: &OperationWait,
    ) -> Result<OperationInfo, RestError> {
        self.json(
            Method::GET,
            &paths::OPERATION.at([model, &operation.to_string()]),
            |request| request.timeout(patience(query.wait)).query(query),
        )
        .await
    }

    /// A task, at once or when there is more to tell of it, as `query` says.
    pub async fn task(
        &self,
        model: &str,
        task: TaskId,
        query: &TaskWait,
    ) -> Result<TaskInfo, RestError> {
        self.json(
            Method::GET,
            &paths::TASK.at([model, &task.to_string()]),
            |request| request.timeout(patience(query.wait)).query(query),
        )
        .await
    }

    /// Takes a task back, or has it stopped where it runs.
    pub async fn cancel_task(&self, model: &str, task: TaskId) -> Result<TaskInfo, RestError> {
        self.post(
            &paths::TASK_CANCEL.at([model, &task.to_string()]),
            &Empty {},
        )
        .await
    }
}

/// How long an answer may take that the controller is to give so many seconds later.
fn patience(wait: Option<u64>) -> Duration {
    ANSWER.saturating_add(Duration::from_secs(wait.unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_waits_is_given_the_time_for_it() {
        assert_eq!(patience(None), ANSWER);
        assert_eq!(patience(Some(600)), ANSWER + Duration::from_secs(600));
        assert!(patience(Some(u64::MAX)) > ANSWER);
    }
}
