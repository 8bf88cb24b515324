//! What a query sees of an operation and of a task. No status has them: they are read by their numbers.

use serde_json::{Map, Value, json};

use crate::rest::{OperationInfo, TaskInfo};

pub fn operation_entity(operation: &OperationInfo) -> Value {
    let tasks: Map<String, Value> = operation
        .tasks
        .iter()
        .map(|task| (task.id.to_string(), task_entity(task)))
        .collect();
    json!({
        "name": operation.id.to_string(), "id": operation.id, "status": operation.status,
        "summary": operation.summary, "user": operation.user, "tasks": tasks,
    })
}

pub fn task_entity(task: &TaskInfo) -> Value {
    json!({
        "name": task.id.to_string(), "id": task.id, "operation": task.operation,
        "unit": task.unit, "action": task.action, "status": task.status, "message": task.message,
    })
}

#[cfg(test)]
mod tests {
    use periapt_model::query::Query;

    use super::*;
    use crate::rest::WaitKind;

    #[test]
    fn queries_look_at_operations_and_tasks() {
        let operation = |status: &str| -> OperationInfo {
            serde_json::from_value(json!({
                "id": 1, "summary": "rebuild run on unit-site-0", "status": status, "user": "admin",
                "enqueued-at": 0, "tasks": [{
                    "id": 2, "operation": 1, "unit": "site/0", "action": "rebuild", "parameters": {},
                    "status": status, "message": "", "enqueued-at": 0, "parallel": false,
                    "execution-group": "",
                }],
            }))
            .unwrap()
        };
        let holds = |query: &str, entity: &Value| Query::parse(query).unwrap().holds(entity);
        for (status, ended) in [
            ("pending", false),
            ("running", false),
            ("aborting", false),
            ("completed", true),
            ("failed", true),
            ("cancelled", true),
            ("aborted", true),
        ] {
            let operation = operation(status);
            let entity = operation_entity(&operation);
            let found = holds(WaitKind::Operation.default_query(), &entity);
            assert_eq!(found, Ok(ended), "{status}");
            let found = holds(
                WaitKind::Task.default_query(),
                &task_entity(&operation.tasks[0]),
            );
            assert_eq!(found, Ok(ended), "{status}");
        }
        let entity = operation_entity(&operation("failed"));
        let all = r#"forEach(tasks, task => task.unit=="site/0" && task.status=="failed")"#;
        assert_eq!(holds(all, &entity), Ok(true));
    }
}
