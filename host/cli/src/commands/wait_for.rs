//! `wait-for`: looks at the model, then again at every change, until the query holds.

use periapt_client::rest::RestError;
use periapt_wire::status::{
    ApplicationStatus, DetailedStatus, FullStatus, MachineStatus, UnitStatus,
};
use serde_json::{Map, Value, json};

use super::Context;
use crate::arguments::{ModelChoice, WaitFor, WaitForKind};
use crate::failure::{Exit, Failure, Outcome};
use crate::live::Live;
use crate::query::{Query, QueryError};
use crate::session::{ModelSession, split};

/// All units active and idle, whatever is waited for.
fn default_query(kind: WaitForKind) -> &'static str {
    match kind {
        WaitForKind::Application => {
            r#"life=="alive" && len(units) > 0 && forEach(units, unit => unit.workload-status=="active" && unit.agent-status=="idle")"#
        }
        WaitForKind::Unit => {
            r#"life=="alive" && workload-status=="active" && agent-status=="idle""#
        }
        WaitForKind::Machine => r#"life=="alive" && status=="started""#,
        WaitForKind::Model => {
            r#"life=="alive" && forEach(units, unit => unit.workload-status=="active" && unit.agent-status=="idle")"#
        }
    }
}

pub async fn wait_for(context: &Context, arguments: WaitFor) -> Outcome {
    let text = arguments
        .query
        .as_deref()
        .unwrap_or_else(|| default_query(arguments.kind));
    let query = Query::parse(text).map_err(|error| unreadable(text, &error))?;
    let choice = choice(&arguments);
    let here = ModelSession::open(&context.files, &choice).await?;
    let mut last = String::from("nothing was seen of it yet");
    let waiting = watch(&here, &arguments, &query, text, &mut last);
    match tokio::time::timeout(arguments.timeout, waiting).await {
        Ok(outcome) => outcome,
        Err(_) => Err(Failure::new(
            Exit::TimedOut,
            format!("{} did not come to: {text}", describe(&arguments)),
        )
        .why(format!(
            "{} s have passed; {last}",
            arguments.timeout.as_secs()
        ))
        .advice(format!(
            "periapt status -m {}, or a longer --timeout",
            here.model
        ))),
    }
}

/// A model to wait for may be named with its controller, like any other.
fn choice(arguments: &WaitFor) -> ModelChoice {
    if arguments.kind != WaitForKind::Model {
        return arguments.model.clone();
    }
    let controller = arguments
        .model
        .model
        .as_deref()
        .and_then(|text| split(text).0);
    match (arguments.name.contains(':'), controller) {
        (false, Some(controller)) => ModelChoice {
            model: Some(format!("{controller}:{}", arguments.name)),
        },
        _ => ModelChoice {
            model: Some(arguments.name.clone()),
        },
    }
}

async fn watch(
    here: &ModelSession,
    arguments: &WaitFor,
    query: &Query,
    text: &str,
    last: &mut String,
) -> Outcome {
    let (client, model) = (here.client(), here.model.as_str());
    let dead = query.asks_for_death();
    let gone = |error: &RestError| dead && error.status() == Some(404);
    let mut live = match Live::open(client, model).await {
        Err(error) if gone(&error) => return Ok(()),
        opened => opened?,
    };
    loop {
        let status = match client.status(model, &[]).await {
            Err(error) if gone(&error) => return Ok(()),
            status => status?,
        };
        match entity(arguments.kind, &arguments.name, &status) {
            Some(entity) => {
                if query
                    .holds(&entity)
                    .map_err(|error| unreadable(text, &error))?
                {
                    return Ok(());
                }
                *last = glance(arguments.kind, &entity);
            }
            None if dead => return Ok(()),
            None => *last = format!("there is no such {} yet", word(arguments.kind)),
        }
        match live.changed().await {
            Err(error) if gone(&error) => return Ok(()),
            changed => changed?,
        }
    }
}

fn unreadable(text: &str, error: &QueryError) -> Failure {
    Failure::usage(format!("the query cannot be used: {text}"))
        .why(error.to_string())
        .advice("periapt wait-for --help shows queries and names")
}

fn describe(arguments: &WaitFor) -> String {
    format!("{} \"{}\"", word(arguments.kind), arguments.name)
}

fn word(kind: WaitForKind) -> &'static str {
    match kind {
        WaitForKind::Application => "application",
        WaitForKind::Unit => "unit",
        WaitForKind::Machine => "machine",
        WaitForKind::Model => "model",
    }
}

/// The entity in a few words, for whoever waited in vain.
fn glance(kind: WaitForKind, entity: &Value) -> String {
    let keys: &[&str] = match kind {
        WaitForKind::Unit => &[
            "life",
            "workload-status",
            "workload-message",
            "agent-status",
        ],
        _ => &["life", "status", "message"],
    };
    let words = keys.iter().filter_map(|key| {
        let value = entity
            .get(*key)?
            .as_str()
            .filter(|value| !value.is_empty())?;
        Some(format!("{key}: {value}"))
    });
    format!("now it has {}", words.collect::<Vec<_>>().join(", "))
}

/// What a query sees.
fn entity(kind: WaitForKind, name: &str, status: &FullStatus) -> Option<Value> {
    match kind {
        WaitForKind::Application => status
            .applications
            .get(name)
            .map(|application| application_entity(name, application, status)),
        WaitForKind::Unit => units(status).remove(name),
        WaitForKind::Machine => machines(status).remove(name),
        WaitForKind::Model => {
            let model = &status.model;
            let applications: Map<String, Value> = status
                .applications
                .iter()
                .map(|(name, application)| {
                    (name.clone(), application_entity(name, application, status))
                })
                .collect();
            let life = match (
                life(&model.model_status),
                model.model_status.status.as_str(),
            ) {
                ("alive", "destroying") => "dying",
                (life, _) => life,
            };
            Some(json!({
                "name": model.name, "life": life, "status": model.model_status.status,
                "message": model.model_status.info, "applications": applications, "units": units(status),
                "machines": machines(status),
            }))
        }
    }
}

fn application_entity(name: &str, application: &ApplicationStatus, status: &FullStatus) -> Value {
    let prefix = format!("{name}/");
    let mut own = units(status);
    own.retain(|unit, _| unit.starts_with(&prefix));
    let machines: Map<String, Value> = machines(status)
        .into_iter()
        .filter(|(id, _)| own.values().any(|unit| unit["machine"] == **id))
        .collect();
    json!({
        "name": name, "life": alive(&application.life), "status": application.status.status,
        "message": application.status.info, "charm": application.charm, "charm-rev": application.charm_rev.unwrap_or_default(),
        "exposed": application.exposed, "version": application.workload_version, "scale": own.len(),
        "units": own, "machines": machines,
    })
}

fn units(status: &FullStatus) -> Map<String, Value> {
    let mut all = Map::new();
    for (application, units) in status
        .applications
        .iter()
        .map(|(name, entry)| (name, entry.units.iter().flatten()))
    {
        for (name, unit) in units {
            all.insert(name.clone(), unit_entity(name, application, unit));
            for (name, unit) in unit.subordinates.iter().flatten() {
                let application = name
                    .rsplit_once('/')
                    .map_or(name.as_str(), |(application, _)| application);
                all.insert(name.clone(), unit_entity(name, application, unit));
            }
        }
    }
    all
}

fn unit_entity(name: &str, application: &str, unit: &UnitStatus) -> Value {
    json!({
        "name": name, "application": application, "life": life(&unit.agent_status),
        "workload-status": unit.workload_status.status, "workload-message": unit.workload_status.info,
        "agent-status": unit.agent_status.status, "agent-message": unit.agent_status.info, "leader": unit.leader,
        "machine": unit.machine, "public-address": unit.public_address, "open-ports": unit.opened_ports,
    })
}

fn machines(status: &FullStatus) -> Map<String, Value> {
    let entity = |id: &String, machine: &MachineStatus| {
        json!({
            "name": id, "life": life(&machine.agent_status), "status": machine.agent_status.status,
            "message": machine.instance_status.info, "instance-status": machine.instance_status.status,
            "instance-id": machine.instance_id, "address": machine.dns_name,
        })
    };
    status
        .machines
        .iter()
        .map(|(id, machine)| (id.clone(), entity(id, machine)))
        .collect()
}

fn life(status: &DetailedStatus) -> &str {
    alive(&status.life)
}

/// The wire leaves the word out while an entity is alive.
fn alive(life: &str) -> &str {
    if life.is_empty() { "alive" } else { life }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(units: &[(&str, &str, &str)]) -> FullStatus {
        let mut status = FullStatus::default();
        status.model.name = "demo".to_owned();
        status.model.model_status.status = "available".to_owned();
        let mut application = ApplicationStatus {
            charm: "local:site-0".to_owned(),
            ..ApplicationStatus::default()
        };
        application.status.status = "active".to_owned();
        let mut all = std::collections::BTreeMap::new();
        for (name, workload, agent) in units {
            let mut unit = UnitStatus {
                machine: "0".to_owned(),
                ..UnitStatus::default()
            };
            unit.workload_status.status = (*workload).to_owned();
            unit.agent_status.status = (*agent).to_owned();
            all.insert((*name).to_owned(), unit);
        }
        application.units = Some(all);
        status.applications.insert("site".to_owned(), application);
        let mut machine = MachineStatus::default();
        machine.agent_status.status = "started".to_owned();
        status.machines.insert("0".to_owned(), machine);
        status
    }

    fn holds(kind: WaitForKind, name: &str, query: &str, status: &FullStatus) -> bool {
        Query::parse(query)
            .unwrap()
            .holds(&entity(kind, name, status).unwrap())
            .unwrap()
    }

    #[test]
    fn by_default_all_units_are_active_and_idle() {
        let ready = status(&[("site/0", "active", "idle"), ("site/1", "active", "idle")]);
        let busy = status(&[
            ("site/0", "active", "idle"),
            ("site/1", "active", "executing"),
        ]);
        for (kind, name) in [
            (WaitForKind::Application, "site"),
            (WaitForKind::Model, "demo"),
            (WaitForKind::Unit, "site/1"),
        ] {
            assert!(holds(kind, name, default_query(kind), &ready), "{kind:?}");
            assert!(!holds(kind, name, default_query(kind), &busy), "{kind:?}");
        }
        assert!(holds(
            WaitForKind::Machine,
            "0",
            default_query(WaitForKind::Machine),
            &ready
        ));
        let none = status(&[]);
        assert!(!holds(
            WaitForKind::Application,
            "site",
            default_query(WaitForKind::Application),
            &none
        ));
        assert!(holds(
            WaitForKind::Model,
            "demo",
            default_query(WaitForKind::Model),
            &none
        ));
    }

    #[test]
    fn names_of_the_help_are_all_there() {
        let status = status(&[("site/0", "active", "idle")]);
        for (kind, name, names) in [
            (
                WaitForKind::Application,
                "site",
                "name life status message charm charm-rev exposed version scale units",
            ),
            (
                WaitForKind::Unit,
                "site/0",
                "name life workload-status workload-message agent-status agent-message leader machine public-address open-ports application",
            ),
            (
                WaitForKind::Machine,
                "0",
                "name life status instance-status instance-id address",
            ),
            (
                WaitForKind::Model,
                "demo",
                "name life status applications units machines",
            ),
        ] {
            let entity = entity(kind, name, &status).unwrap();
            for name in names.split(' ') {
                assert!(entity.get(name).is_some(), "{kind:?} has no {name}");
            }
        }
        assert_eq!(entity(WaitForKind::Unit, "site/7", &status), None);
    }

    #[test]
    fn a_model_on_its_way_out_is_dying() {
        let mut status = status(&[]);
        status.model.model_status.status = "destroying".to_owned();
        assert!(holds(
            WaitForKind::Model,
            "demo",
            "life==\"dying\"",
            &status
        ));
    }
}
