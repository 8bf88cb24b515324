//! `logs`: what the services of a unit wrote, of the log of its model.

use periapt_model::UnitName;
use periapt_model::nearest::suggestion;
use periapt_wire::agent::log_sink::LogRecord;
use periapt_wire::rest::{ListQuery, LogQuery, ServiceInfo};

use super::Context;
use super::debug_log::{Reach, reach, show, tone};
use crate::arguments::{LogLines, Logs};
use crate::failure::{Exit, Failure, Outcome};
use crate::output::text::clean_line;
use crate::output::time::Times;
use crate::session::ModelSession;

/// Modules of services are called `workload.CONTAINER.SERVICE`.
const MODULE: &str = "workload";

pub async fn logs(context: &Context, arguments: Logs) -> Outcome {
    let unit: UnitName = arguments.unit.parse()?;
    let here = ModelSession::open(&context.files, &arguments.shown.model).await?;
    let modules = match &arguments.service {
        None => MODULE.to_owned(),
        Some(service) => {
            let of_unit = ListQuery {
                name: Some(format!("{unit}:*")),
                ..ListQuery::default()
            };
            let services = here.client().services(&here.model, &of_unit).await?;
            if services.is_empty() {
                // Of a unit that is not there it is said so.
                here.client().unit(&here.model, &unit).await?;
            }
            modules(&unit, &services, service)?
        }
    };
    let query = query(&arguments, &unit, modules);
    show(context, &here, &query, &arguments.shown, line).await
}

fn query(arguments: &Logs, unit: &UnitName, modules: String) -> LogQuery {
    let Reach {
        replay,
        tail,
        limit,
    } = reach(&arguments.shown, arguments.lines);
    LogQuery {
        include: Some(unit.to_string()),
        include_module: Some(modules),
        level: Some("TRACE".to_owned()),
        replay,
        tail,
        limit,
        follow: arguments.follow,
        ..LogQuery::default()
    }
}

/// The modules of the services that are called so, by their own name or with that of their container.
fn modules(unit: &UnitName, services: &[ServiceInfo], wanted: &str) -> Outcome<String> {
    let full = |one: &ServiceInfo| format!("{}/{}", one.container, one.service);
    let found: Vec<String> = services
        .iter()
        .filter(|one| one.service == wanted || full(one) == wanted)
        .map(|one| format!("{MODULE}.{}.{}", one.container, one.service))
        .collect();
    if !found.is_empty() {
        return Ok(found.join(","));
    }
    let known: Vec<String> = services.iter().map(full).collect();
    let names = services.iter().map(|one| one.service.as_str());
    let names = names.chain(known.iter().map(String::as_str));
    let why = match known.as_slice() {
        [] => "its charm has not defined any services".to_owned(),
        known => format!("it has {}", known.join(", ")),
    };
    Err(Failure::new(
        Exit::NotFound,
        format!(
            "{unit} has no service \"{wanted}\"{}",
            suggestion(wanted, names)
        ),
    )
    .why(why)
    .advice(format!("periapt services {unit}")))
}

/// `10:38:00 web/site: hello`
fn line(record: &LogRecord, shown: &LogLines, times: &Times, paint: bool) -> String {
    let module = record.module.strip_prefix(MODULE).unwrap_or_default();
    let service = clean_line(&module.trim_start_matches('.').replacen('.', "/", 1));
    let message = clean_line(&record.message);
    format!(
        "{} {service}: {}",
        times.log(record.time, shown.date, shown.ms),
        match paint {
            true => tone(&record.level).paint(&message),
            false => message,
        }
    )
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::arguments::{Arguments, Command};

    fn arguments(line: &str) -> Logs {
        let words = ["periapt", "logs"]
            .into_iter()
            .chain(line.split_whitespace());
        match Arguments::try_parse_from(words).unwrap().command {
            Command::Logs(arguments) => arguments,
            other => panic!("{other:?}"),
        }
    }

    fn service(container: &str, service: &str) -> ServiceInfo {
        serde_json::from_value(serde_json::json!({
            "name": "", "unit": "docs/0", "application": "docs", "container": container,
            "service": service, "summary": "", "kind": "http", "startup": "enabled",
            "current": "active", "since": 0, "restarts": 0,
        }))
        .unwrap()
    }

    #[test]
    fn it_ends_unless_told_to_follow() {
        let unit: UnitName = "docs/0".parse().unwrap();
        let asked = |line: &str| query(&arguments(line), &unit, MODULE.to_owned());
        let plain = asked("docs/0");
        assert_eq!(
            (plain.include.as_deref(), plain.include_module.as_deref()),
            (Some("docs/0"), Some("workload"))
        );
        assert_eq!(
            (plain.tail, plain.limit, plain.follow, plain.replay),
            (Some(30), None, false, false)
        );
        for follow in ["docs/0 -f", "docs/0 --follow", "docs/0 site --tail"] {
            assert!(asked(follow).follow, "{follow}");
        }
        let limited = asked("docs/0 --limit 5 --no-tail");
        assert_eq!((limited.tail, limited.limit), (Some(5), Some(5)));
        assert!(asked("docs/0 --limit 0").replay);
    }

    #[test]
    fn a_service_is_found_by_its_name_and_an_unknown_one_refused_with_the_nearest() {
        let unit: UnitName = "docs/0".parse().unwrap();
        let services = [
            service("web", "site"),
            service("api", "site"),
            service("api", "worker"),
        ];
        let found = |wanted: &str| modules(&unit, &services, wanted);
        assert_eq!(
            found("site").unwrap(),
            "workload.web.site,workload.api.site"
        );
        assert_eq!(found("api/site").unwrap(), "workload.api.site");
        let refused = found("workr").unwrap_err();
        assert_eq!(refused.exit, Exit::NotFound);
        let text = refused.to_string();
        assert!(text.contains("did you mean \"worker\"?"), "{text}");
        assert!(text.contains("web/site, api/site, api/worker"), "{text}");
        assert!(modules(&unit, &[], "site").is_err());
    }

    #[test]
    fn a_line_says_which_service_wrote_it() {
        let record = LogRecord {
            time: 1_795_257_480_123_000,
            entity: "unit-docs-0".parse().unwrap(),
            level: "INFO".to_owned(),
            module: "workload.web.site".to_owned(),
            message: "GET\u{1b}[2J /".to_owned(),
        };
        let text = line(
            &record,
            &arguments("docs/0").shown,
            &Times::new(true),
            false,
        );
        assert_eq!(text, "10:38:00 web/site: GET /");
    }
}
