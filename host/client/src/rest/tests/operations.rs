//! What units are asked to run.

use periapt_model::task::TaskStatus;
use periapt_wire::rest::{
    EnqueueOperation, OperationInfo, OperationQuery, OperationWait, TaskInfo, TaskWait,
};

use super::*;

fn task(id: u64, status: &str) -> Value {
    json!({
        "id": id, "operation": 1, "unit": "site/0", "action": "rebuild", "status": status,
        "message": "", "enqueued-at": 1, "parallel": false,
    })
}

fn operation() -> Value {
    json!({
        "id": 1, "summary": "rebuild run on site/0", "status": "pending", "user": "admin",
        "enqueued-at": 1, "tasks": [task(2, "pending")],
    })
}

/// A controller with one operation, and what it was asked for.
async fn with_an_operation() -> (TestServer, Seen, RestClient) {
    async fn answer(
        State(seen): State<Seen>,
        method: Method,
        uri: Uri,
        headers: HeaderMap,
        body: Bytes,
    ) -> Response {
        let key = headers.get("idempotency-key");
        let key = key.map_or("", |_| "keyed").to_owned();
        let body = serde_json::from_slice(&body).unwrap_or(Value::Null);
        let noted = (method.to_string(), uri.to_string(), key, body);
        seen.0.lock().unwrap().push(noted);
        let answer = match (method.as_str(), uri.path()) {
            ("GET", "/v1/models/demo/operations") => json!({ "items": [operation()], "next": "1" }),
            (_, "/v1/models/demo/operations" | "/v1/models/demo/operations/1") => operation(),
            (_, "/v1/models/demo/tasks/2/cancel") => task(2, "cancelled"),
            (_, "/v1/models/demo/tasks/2") => task(2, "completed"),
            _ => json!({
                "application": "site",
                "actions": { "rebuild": { "description": "anew", "schema": {}, "parallel": true } },
                "commands": ["list"],
            }),
        };
        Json(answer).into_response()
    }
    let seen = Seen::default();
    let router = Router::new().fallback(any(answer)).with_state(seen.clone());
    let server = TestServer::start(router).await;
    let client = RestClient::new(&server.addresses(), &server.ca_pem).unwrap();
    (server, seen, client)
}

#[tokio::test]
async fn operations_and_tasks_have_paths_of_their_own() {
    let (_server, seen, client) = with_an_operation().await;
    let asked = |noted: Noted| (noted.0, noted.1);
    let pair = |method: &str, uri: &str| (method.to_owned(), uri.to_owned());

    let site = "site".parse().unwrap();
    let actions = client.actions("demo", &site).await.unwrap();
    assert_eq!(actions.commands, ["list"]);
    assert_eq!(
        asked(seen.last()),
        pair("GET", "/v1/models/demo/applications/site/actions")
    );

    let request = EnqueueOperation {
        action: Some("rebuild".to_owned()),
        units: vec!["site/leader".to_owned()],
        timeout: Some(500),
        ..EnqueueOperation::default()
    };
    let begun: OperationInfo = client.enqueue_operation("demo", &request).await.unwrap();
    assert_eq!((begun.id, begun.tasks.len()), (1, 1));
    let (method, uri, key, body) = seen.last();
    assert_eq!(
        (method.as_str(), uri.as_str(), key.as_str()),
        ("POST", "/v1/models/demo/operations", "keyed")
    );
    assert_eq!(
        body,
        json!({ "action": "rebuild", "units": ["site/leader"], "timeout": 500 })
    );

    let query = OperationQuery {
        status: Some("running,failed".to_owned()),
        limit: Some(5),
        ..OperationQuery::default()
    };
    let page = client.operations("demo", &query).await.unwrap();
    assert_eq!((page.items.len(), page.next.as_deref()), (1, Some("1")));
    assert_eq!(
        seen.last().1,
        "/v1/models/demo/operations?status=running%2Cfailed&limit=5"
    );

    let wait = OperationWait { wait: Some(600) };
    client.operation("demo", 1, &wait).await.unwrap();
    assert_eq!(seen.last().1, "/v1/models/demo/operations/1?wait=600");
    let query = TaskWait {
        wait: Some(7),
        lines: Some(3),
    };
    let ended: TaskInfo = client.task("demo", 2, &query).await.unwrap();
    assert_eq!(ended.status, TaskStatus::Completed);
    assert_eq!(seen.last().1, "/v1/models/demo/tasks/2?wait=7&lines=3");
    client.task("demo", 2, &TaskWait::default()).await.unwrap();
    assert_eq!(seen.last().1, "/v1/models/demo/tasks/2");

    let taken_back = client.cancel_task("demo", 2).await.unwrap();
    assert_eq!(taken_back.status, TaskStatus::Cancelled);
    let (method, uri, key, _) = seen.last();
    assert_eq!(
        (method.as_str(), uri.as_str(), key.as_str()),
        ("POST", "/v1/models/demo/tasks/2/cancel", "keyed")
    );
}
