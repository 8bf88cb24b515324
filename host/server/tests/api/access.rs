//! Every facade method against everyone who might call it.
use crate::common::{House, Standing};
use std::sync::Arc;

use periapt_model::{AgentName, ModelUuid, Tag};
use periapt_server::access::{Effect, Rule, Subject, calls};
use periapt_server::{Identity, Role, rpc};
use periapt_wire::agent::singular::Claim;
use periapt_wire::rpc::json;
use periapt_wire::{CallError, Caller};
use serde_json::{Value, json};

/// Parameters that name an entity of `model` in every way a call may.
fn params(rule: &Rule, model: &ModelUuid, unit: &str, machine: &str) -> Value {
    let entity = if rule.facade == "periapt.Singular" {
        format!("model-{model}")
    } else {
        format!("unit-{}", unit.replace('/', "-"))
    };
    json!({
        "unit": unit, "machine": machine, "entity": entity, "application": "site", "units": [unit], "machines": [machine],
        "model": model, "claimant": "machine-0", "duration-ms": 1000, "receiver": "ops",
        "records": [], "url": "local:site-0", "message": "hello", "rows": [], "max-age-ms": 1_000_000_000_u64, "max-size-mb": 1000,
    })
}

async fn call(
    connection: &Arc<dyn Caller>,
    rule: &Rule,
    params: Value,
) -> Result<Value, CallError> {
    let request = ask_in(connection, rule.facade, rule.version, rule.method, params);
    tokio::time::timeout(crate::common::PATIENCE, request)
        .await
        .unwrap_or_else(|_| panic!("{}.{} hangs", rule.facade, rule.method))
}

async fn ask(
    connection: &Arc<dyn Caller>,
    facade: &str,
    method: &str,
    params: Value,
) -> Result<Value, CallError> {
    ask_in(connection, facade, 1, method, params).await
}

async fn ask_in(
    connection: &Arc<dyn Caller>,
    facade: &str,
    version: u32,
    method: &str,
    params: Value,
) -> Result<Value, CallError> {
    let params = json(&params).ok();
    let answer = connection
        .request(facade, version, method, None, params)
        .await?;
    Ok(serde_json::from_str(answer.get()).unwrap())
}

fn refused(rule: &Rule, code: &str) {
    assert_eq!(
        code, "unauthorized access",
        "{}.{}",
        rule.facade, rule.method
    );
}

#[tokio::test]
async fn nobody_calls_anything_without_a_login() {
    let house = House::open().await;
    let (model, other) = (
        house.add_model("first").await,
        house.add_model("second").await,
    );
    let other_password = house.agent_password(&other).await;
    let path = format!("/model/{model}/api");
    let (mut silent, mut liar, mut neighbour) = (
        house.socket(&path).await,
        house.socket(&path).await,
        house.socket(&path).await,
    );
    let mut nowhere = house.socket("/api").await;
    liar.log_in(&format!("agent-{model}"), "wrong")
        .await
        .unwrap_err();
    // Good credentials, but of another model; and of an agent without a model.
    let (code, message) = neighbour
        .log_in(&format!("agent-{other}"), &other_password)
        .await
        .unwrap_err();
    assert_eq!(
        (code.as_str(), message.as_str()),
        ("unauthorized access", "permission denied")
    );
    nowhere
        .log_in(&format!("agent-{other}"), &other_password)
        .await
        .unwrap_err();
    for rule in calls() {
        for socket in [&mut silent, &mut liar, &mut neighbour, &mut nowhere] {
            let (code, _) = socket
                .call_rule(rule, params(rule, &model, "site/0", "0"))
                .await
                .unwrap_err();
            refused(rule, &code);
        }
    }
    house.close().await;
}

#[tokio::test]
async fn every_call_answers_every_caller_on_a_websocket_as_its_row_says() {
    let house = House::open().await;
    let (model, other) = (
        house.add_model("first").await,
        house.add_model("second").await,
    );
    house.deploy(&model, 1).await;
    house.people(&model, &other).await;
    let path = format!("/model/{model}/api");
    let token = async |standing: Standing| Some((None, house.token_of(standing).await));
    let agent = async |model: &ModelUuid| {
        let tag = format!("agent-{model}");
        Some((Some(tag), house.agent_password(model).await))
    };
    // Who it is, with what they log in, how that ends, and as what they call from then on.
    let unauthorised = Some("unauthorized access");
    let no_model = Some("model not found");
    let callers = [
        ("nobody", None, None, None),
        (
            "a wrong token",
            Some((None, "forged".to_owned())),
            unauthorised,
            None,
        ),
        (
            "a disabled user",
            token(Standing::Disabled).await,
            unauthorised,
            None,
        ),
        (
            "no access",
            token(Standing::WithoutAccess).await,
            no_model,
            None,
        ),
        (
            "another's admin",
            token(Standing::AdminElsewhere).await,
            no_model,
            None,
        ),
        (
            "read",
            token(Standing::Reader).await,
            None,
            Some(Role::User),
        ),
        (
            "write",
            token(Standing::Writer).await,
            None,
            Some(Role::User),
        ),
        (
            "admin",
            token(Standing::Admin).await,
            None,
            Some(Role::User),
        ),
        (
            "superuser",
            token(Standing::Superuser).await,
            None,
            Some(Role::User),
        ),
        ("the agent", agent(&model).await, None, Some(Role::Agent)),
        ("another agent", agent(&other).await, unauthorised, None),
    ];
    let mut cases = 0;
    for (who, credential, outcome, role) in &callers {
        let mut socket = house.socket(&path).await;
        if let Some((tag, secret)) = credential {
            let login = json!({ "auth-tag": tag, "credentials": secret });
            let ended = socket.call("Admin", "Login", login).await;
            let code = ended.as_ref().err().map(|(code, _)| code.as_str());
            assert_eq!(code, *outcome, "{who}: {ended:?}");
        }
        for rule in calls() {
            let result = socket
                .call_rule(rule, params(rule, &model, "site/0", "0"))
                .await;
            let denied = result
                .as_ref()
                .is_err_and(|(code, _)| code == "unauthorized access");
            let may = role.is_some_and(|role| rule.is_for(role));
            assert_eq!(
                denied, !may,
                "{}.{} by {who}: {result:?}",
                rule.facade, rule.method
            );
            cases += 1;
        }
    }
    println!(
        "{cases} cases: {} calls, {} kinds of caller",
        calls().count(),
        callers.len()
    );
    assert_eq!(cases, calls().count() * 11);
    house.close().await;
}

#[tokio::test]
async fn each_role_calls_what_its_rows_say() {
    let house = House::open().await;
    let model = house.add_model("first").await;
    house.deploy(&model, 1).await;
    let connections = [
        (
            Role::User,
            rpc::caller(
                &house.state,
                Identity::User {
                    name: crate::common::admin(),
                },
            ),
        ),
        (
            Role::Agent,
            rpc::caller(
                &house.state,
                Identity::Agent {
                    model: model.clone(),
                    agent: AgentName::Host,
                },
            ),
        ),
        (
            Role::Controller,
            rpc::caller(
                &house.state,
                Identity::Controller {
                    model: Some(model.clone()),
                },
            ),
        ),
    ];
    for rule in calls() {
        for (role, connection) in &connections {
            let result = call(connection, rule, params(rule, &model, "site/0", "0")).await;
            let denied = result
                .as_ref()
                .is_err_and(|error| error.is("unauthorized access"));
            assert_eq!(
                denied,
                !rule.is_for(*role),
                "{}.{} by {role:?}: {result:?}",
                rule.facade,
                rule.method
            );
            let missing = result
                .as_ref()
                .is_err_and(|error| error.is("not implemented"));
            assert!(
                !missing,
                "{}.{} is not dispatched",
                rule.facade, rule.method
            );
        }
    }
    house.close().await;
}

#[tokio::test]
async fn an_agent_of_another_model_sees_and_changes_nothing_of_this_one() {
    let house = House::open().await;
    let (model, other) = (
        house.add_model("first").await,
        house.add_model("second").await,
    );
    house.deploy(&model, 1).await;
    let agent = rpc::caller(
        &house.state,
        Identity::Agent {
            model: other,
            agent: AgentName::Host,
        },
    );
    let unit = "site/0".parse().unwrap();
    let before = serde_json::to_value(house.store.get_state(&model, &unit).await.unwrap()).unwrap();
    for rule in calls().filter(|rule| {
        matches!(
            rule.subject,
            Subject::Unit | Subject::Machine | Subject::Entity
        )
    }) {
        match call(&agent, rule, params(rule, &model, "site/0", "0")).await {
            Err(_) => {}
            Ok(reply) if rule.effect == Effect::Watch => {
                assert_eq!(reply["changes"], json!([]), "{rule:?}")
            }
            Ok(reply) => assert!(
                reply.is_null() || reply == json!([]) || reply == json!({}),
                "{}.{} answered {reply}",
                rule.facade,
                rule.method
            ),
        }
    }
    let named = json!({ "entity": format!("model-{model}") });
    assert!(
        ask(&agent, "periapt.LifeFlag", "Life", named)
            .await
            .unwrap_err()
            .is("unauthorized access")
    );
    assert_eq!(
        serde_json::to_value(house.store.get_state(&model, &unit).await.unwrap()).unwrap(),
        before
    );
    house.close().await;
}

#[tokio::test]
async fn an_agent_may_not_touch_what_it_does_not_host_yet() {
    let house = House::open().await;
    let model = house.add_model("first").await;
    house.deploy(&model, 1).await;
    let agent = rpc::caller(
        &house.state,
        Identity::Agent {
            model: model.clone(),
            agent: AgentName::Host,
        },
    );
    // site/1 waits for its machine.
    for rule in
        calls().filter(|rule| rule.is_for(Role::Agent) && matches!(rule.subject, Subject::Unit))
    {
        let error = call(&agent, rule, params(rule, &model, "site/1", "0"))
            .await
            .unwrap_err();
        refused(rule, error.code());
    }
    // Its machine exists, but nothing hosts it so far.
    house
        .store
        .assign_units(&model, &["site/1".parse().unwrap()])
        .await
        .unwrap();
    for rule in
        calls().filter(|rule| rule.is_for(Role::Agent) && matches!(rule.subject, Subject::Machine))
    {
        let error = call(&agent, rule, params(rule, &model, "site/1", "1"))
            .await
            .unwrap_err();
        refused(rule, error.code());
    }
    house.close().await;
}

/// Two agents of one model: each touches what it hosts, and the loss of one is its own.
#[tokio::test]
async fn an_agent_of_the_same_model_touches_only_what_it_hosts() {
    let house = House::open().await;
    let model = house.add_model("first").await;
    house.deploy(&model, 2).await;
    let own = |id: &str| AgentName::Machine(id.parse().unwrap());
    for id in ["0", "1"] {
        let (machine, instance) = (id.parse().unwrap(), format!("own-{id}"));
        house
            .store
            .set_instance_info(&model, &machine, &own(id), &instance, &[], "")
            .await
            .unwrap();
    }
    let identity = |id: &str| Identity::Agent {
        model: model.clone(),
        agent: own(id),
    };
    let first = rpc::caller(&house.state, identity("0"));
    let second = rpc::caller(&house.state, identity("1"));
    let unit_on = |id: &'static str| {
        let (store, model) = (house.store.clone(), model.clone());
        async move {
            let machine = store.machine(&model, &id.parse().unwrap(), &|_| true).await;
            machine.unwrap().units[0].to_string()
        }
    };
    let (of_first, of_second) = (unit_on("0").await, unit_on("1").await);

    for rule in calls().filter(|rule| {
        rule.is_for(Role::Agent)
            && matches!(
                rule.subject,
                Subject::Unit | Subject::Machine | Subject::Entity
            )
    }) {
        let foreign = call(&first, rule, params(rule, &model, &of_second, "1")).await;
        refused(rule, foreign.unwrap_err().code());
        let own = call(&first, rule, params(rule, &model, &of_first, "0")).await;
        let denied = own.is_err_and(|error| error.is("unauthorized access"));
        assert!(!denied, "{}.{}", rule.facade, rule.method);
    }
    for (agent, id) in [(&first, "0"), (&second, "1")] {
        let both = json!({ "machines": ["0", "1"] });
        let hosted = ask(agent, "periapt.AgentHost", "Machines", both).await;
        assert_eq!(hosted.unwrap(), json!([id]));
    }
    let line = |entity: String| json!({ "records": [{ "time": 1, "entity": entity, "level": "INFO", "module": "test", "message": "hello" }] });
    let write = |entity: String| ask(&first, "periapt.LogSink", "Write", line(entity));
    write("machine-0".to_owned()).await.unwrap();
    write(format!("agent-{model}-machine-0")).await.unwrap();
    for entity in [
        "machine-1".to_owned(),
        format!("unit-{}", of_second.replace('/', "-")),
        format!("agent-{model}-machine-1"),
        format!("agent-{model}"),
    ] {
        assert!(write(entity).await.unwrap_err().is("unauthorized access"));
    }

    let present = |id: &'static str| house.presence.here(&(model.clone(), own(id))).is_some();
    assert!(present("0") && present("1"));
    drop(second);
    assert!(
        present("0") && !present("1"),
        "the loss of one is not the other's"
    );
    house.close().await;
}

/// Each proves who it is with a password of its own.
#[tokio::test]
async fn an_agent_does_not_log_in_with_the_password_of_another() {
    let house = House::open().await;
    let model = house.add_model("first").await;
    let own = |id: &str| AgentName::Machine(id.parse().unwrap());
    let (path, tag) = (
        format!("/model/{model}/api"),
        format!("agent-{model}-machine-0"),
    );
    let right = house
        .store
        .make_agent_credential(&model, &own("0"))
        .await
        .unwrap();
    let other = house
        .store
        .make_agent_credential(&model, &own("1"))
        .await
        .unwrap();
    house
        .socket(&path)
        .await
        .log_in(&tag, &other.password)
        .await
        .unwrap_err();
    house
        .socket(&path)
        .await
        .log_in(&tag, &right.password)
        .await
        .unwrap();
    house.close().await;
}

/// The first login with the new one ends the old one, and no login of an agent is written down.
#[tokio::test]
async fn an_agent_changes_its_password_and_the_old_one_is_refused() {
    let house = House::open().await;
    let model = house.add_model("first").await;
    let (path, tag) = (format!("/model/{model}/api"), format!("agent-{model}"));
    let given = house.agent_password(&model).await;
    let own = "0123456789abcdef".repeat(4);
    let change = json!({ "present-password": given, "password": own });
    let mut first = house.socket(&path).await;
    first.log_in(&tag, &given).await.unwrap();
    first
        .call("periapt.AgentHost", "ChangePassword", change.clone())
        .await
        .unwrap();
    house
        .socket(&path)
        .await
        .log_in(&tag, &given)
        .await
        .unwrap();
    house.socket(&path).await.log_in(&tag, &own).await.unwrap();
    let (_, written) = house.http().await.get("/v1/audit").await;
    assert!(!written.to_string().contains("Admin.Login"), "{written}");
    house
        .socket(&path)
        .await
        .log_in(&tag, &given)
        .await
        .unwrap_err();
    // The connection that the old one opened is there and changes nothing more.
    first
        .call("periapt.AgentHost", "ChangePassword", change)
        .await
        .unwrap_err();
    house.socket(&path).await.log_in(&tag, &own).await.unwrap();
    house.close().await;
}

#[tokio::test]
async fn an_agent_signs_log_lines_only_with_names_of_its_model() {
    let house = House::open().await;
    let (model, other) = (
        house.add_model("first").await,
        house.add_model("second").await,
    );
    let agent = rpc::caller(
        &house.state,
        Identity::Agent {
            model: model.clone(),
            agent: AgentName::Host,
        },
    );
    let write = |entity: String| {
        let record = json!({ "time": 1, "entity": entity, "level": "INFO", "module": "test", "message": "hello" });
        let params = json!({ "records": [record] });
        ask(&agent, "periapt.LogSink", "Write", params)
    };
    write("unit-site-0".to_owned()).await.unwrap();
    write(format!("agent-{model}")).await.unwrap();
    for entity in [
        format!("agent-{other}"),
        format!("model-{other}"),
        "user-admin".to_owned(),
        format!("controller-{}", crate::common::controller_uuid()),
    ] {
        assert!(write(entity).await.unwrap_err().is("unauthorized access"));
    }
    house.close().await;
}

#[tokio::test]
async fn a_process_of_the_controller_claims_for_itself_only() {
    let house = House::open().await;
    let model = house.add_model("first").await;
    let identity = Identity::Controller {
        model: Some(model.clone()),
    };
    let connection = rpc::in_process(&house.state, identity);
    let claim = |claimant: &str| Claim {
        entity: Tag::Model(model.clone()),
        claimant: claimant.to_owned(),
        duration_ms: 60_000,
    };
    let refused = connection.call(&claim("machine-1")).await.unwrap_err();
    assert_eq!(refused.code(), "unauthorized access");
    connection.call(&claim("machine-0")).await.unwrap();
}
