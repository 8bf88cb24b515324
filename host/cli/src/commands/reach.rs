//! `expose`, `unexpose`, `reachability`.

use clap::{Args, Subcommand};
use periapt_model::{ApplicationName, UnitName};
use periapt_wire::rest::{self, ExposedEndpoint, ExposedEndpoints, Reachability, UnitReach};

use super::{Context, reached};
use crate::arguments::{ListFormat, ModelChoice, Target};
use crate::failure::Outcome;
use crate::output::table::Table;
use crate::session::ModelSession;

/// The verbs of this file.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Make an application's open ports reachable from outside.
    Expose(Expose),
    /// Make an application unreachable from outside again.
    Unexpose(Unexpose),
    /// Show who can reach the units of a model, and at which ports.
    Reachability(ShowReachability),
}

const EXPOSING: &str = "\
Without endpoints the whole application is exposed; named endpoints have their own addresses
instead. Without addresses it is exposed to everybody who can reach the controller's
ingress-address, by default only this machine:
  periapt expose site
  periapt expose site --endpoints website --to-cidrs 10.0.0.0/8,192.168.0.0/16";

#[derive(Debug, Args)]
#[command(after_help = EXPOSING)]
pub struct Expose {
    /// The application.
    pub application: String,
    /// Only ports opened for these endpoints.
    #[arg(long, value_name = "ENDPOINT,...", value_delimiter = ',')]
    pub endpoints: Vec<String>,
    /// Only to these address ranges.
    #[arg(long, value_name = "CIDR,...", value_delimiter = ',')]
    pub to_cidrs: Vec<String>,
    /// Only to these spaces; there are none yet.
    #[arg(long, value_name = "SPACE,...", value_delimiter = ',')]
    pub to_spaces: Vec<String>,
    #[command(flatten)]
    pub model: ModelChoice,
}

#[derive(Debug, Args)]
pub struct Unexpose {
    /// The application.
    pub application: String,
    /// Only these endpoints.
    #[arg(long, value_name = "ENDPOINT,...", value_delimiter = ',')]
    pub endpoints: Vec<String>,
    #[command(flatten)]
    pub model: ModelChoice,
}

#[derive(Debug, Args)]
pub struct ShowReachability {
    /// Only this unit.
    pub unit: Option<String>,
    #[arg(long, value_enum, default_value_t)]
    pub format: ListFormat,
    #[command(flatten)]
    pub model: ModelChoice,
    #[command(flatten)]
    pub target: Target,
}

pub async fn run(context: &Context, verb: Verb) -> Outcome {
    match verb {
        Verb::Expose(arguments) => expose(context, arguments).await,
        Verb::Unexpose(arguments) => unexpose(context, arguments).await,
        Verb::Reachability(arguments) => reachability(context, arguments).await,
    }
}

async fn expose(context: &Context, arguments: Expose) -> Outcome {
    let name: ApplicationName = arguments.application.parse()?;
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    let to = ExposedEndpoint {
        expose_to_spaces: arguments.to_spaces,
        expose_to_cidrs: arguments.to_cidrs,
    };
    let endpoints = match arguments.endpoints.is_empty() {
        true => vec![String::new()],
        false => arguments.endpoints,
    };
    let request = rest::Expose {
        exposed_endpoints: endpoints
            .into_iter()
            .map(|endpoint| (endpoint, to.clone()))
            .collect(),
    };
    let exposed = here.client().expose(&here.model, &name, &request).await?;
    let shown = shown(&exposed.exposed_endpoints);
    context.output.say(&format!("{name} is exposed: {shown}"));
    context.output.say(&reached::line(&here, &name).await?);
    Ok(())
}

async fn unexpose(context: &Context, arguments: Unexpose) -> Outcome {
    let name: ApplicationName = arguments.application.parse()?;
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    let request = rest::Unexpose {
        endpoints: arguments.endpoints,
    };
    let left = here
        .client()
        .unexpose(&here.model, &name, &request)
        .await?
        .exposed_endpoints;
    context.output.say(&match left.is_empty() {
        true => format!("{name} is not exposed"),
        false => format!("{name} is exposed: {}", shown(&left)),
    });
    Ok(())
}

/// `all endpoints to 0.0.0.0/0, ::/0; admin to 10.0.0.0/8`
fn shown(endpoints: &ExposedEndpoints) -> String {
    let words = endpoints.iter().map(|(name, to)| {
        let name = match name.as_str() {
            "" if endpoints.len() == 1 => "all endpoints",
            "" => "all other endpoints",
            name => name,
        };
        format!("{name} to {}", to.expose_to_cidrs.join(", "))
    });
    words.collect::<Vec<_>>().join("; ")
}

async fn reachability(context: &Context, arguments: ShowReachability) -> Outcome {
    let unit: Option<UnitName> = arguments.unit.map(|unit| unit.parse()).transpose()?;
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    let reach = here
        .client()
        .reachability(&here.model, unit.as_ref())
        .await?;
    let output = context.output.to(&arguments.target)?;
    match arguments.format {
        ListFormat::Json => output.json(&reach),
        ListFormat::Yaml => output.yaml(&reach),
        ListFormat::Tabular => {
            if let Some(reason) = &reach.ingress_failed {
                output.say(&format!("Nothing can be reached by name: {reason}"));
            }
            output.data(&table(&reach).render(output.paints()))
        }
    }
}

/// A row for each way to a unit.
fn table(reach: &Reachability) -> Table {
    let mut table = Table::new(&["Unit", "Reached by", "Ports", "Where"]);
    for (name, unit) in &reach.units {
        if reach.mode == "model" && !unit.open.is_empty() {
            let open: Vec<&str> = unit.open.iter().map(|open| open.ports.as_str()).collect();
            table.row(vec![
                name.to_string().into(),
                "every unit of the model".into(),
                open.join(" ").into(),
                "".into(),
            ]);
        }
        for way in &unit.reached_by {
            let within = match way.within_container {
                true => " (same container)",
                false => "",
            };
            let by = format!("{} by {}{within}", way.application, way.endpoint);
            let ports = way.ports.join(" ");
            table.row(vec![
                name.to_string().into(),
                by.into(),
                ports.into(),
                "".into(),
            ]);
        }
        for (range, from) in &unit.exposed_to {
            let whence = places(unit, range);
            let (by, range) = (from.join(", "), range.clone());
            table.row(vec![
                name.to_string().into(),
                by.into(),
                range.into(),
                whence.into(),
            ]);
        }
    }
    table
}

/// Where the ports of a range listen, or why they do not.
fn places(unit: &UnitReach, range: &str) -> String {
    let within = |port: &str| covers(range, port);
    let listening = unit.listening.iter().filter(|way| within(&way.port));
    let silent = unit.not_listening.iter().filter(|way| within(&way.port));
    let words = listening
        .map(|way| way.address.clone())
        .chain(silent.map(|way| format!("{} does not listen: {}", way.port, way.reason)));
    words.collect::<Vec<_>>().join(", ")
}

pub(super) fn covers(range: &str, port: &str) -> bool {
    use periapt_model::ports::PortRange;
    match (range.parse::<PortRange>(), port.parse::<PortRange>()) {
        (Ok(range), Ok(port)) => {
            range.protocol == port.protocol && range.start <= port.start && range.end >= port.end
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exposure_is_said_in_words() {
        let of = |json| shown(&serde_json::from_value(json).unwrap());
        let one = serde_json::json!({ "": { "expose-to-cidrs": ["0.0.0.0/0", "::/0"] } });
        assert_eq!(of(one), "all endpoints to 0.0.0.0/0, ::/0");
        let two = serde_json::json!({
            "": { "expose-to-cidrs": ["10.0.0.0/8"] }, "admin": { "expose-to-cidrs": ["fd00::/8"] },
        });
        assert_eq!(
            of(two),
            "all other endpoints to 10.0.0.0/8; admin to fd00::/8"
        );
    }

    #[test]
    fn each_way_to_a_unit_is_a_row() {
        let reach = serde_json::json!({
            "mode": "relations",
            "units": { "site/0": {
                "address": "127.77.0.1",
                "open": [{ "ports": "80/tcp", "endpoints": [] }, { "ports": "90-91/tcp", "endpoints": ["a"] }],
                "reached-by": [{
                    "application": "front", "endpoint": "website", "within-container": false, "ports": ["80/tcp"],
                }],
                "exposed-to": { "80/tcp": ["0.0.0.0/0"], "90-91/tcp": ["10.0.0.0/8"] },
                "listening": [{ "port": "80/tcp", "address": "127.77.0.1:10080" }],
                "not-listening": [{ "port": "90/tcp", "reason": "nothing serves it" }],
            } },
        });
        let reach: Reachability = serde_json::from_value(reach).unwrap();
        let expected = "\
Unit    Reached by        Ports      Where
site/0  front by website  80/tcp
site/0  0.0.0.0/0         80/tcp     127.77.0.1:10080
site/0  10.0.0.0/8        90-91/tcp  90/tcp does not listen: nothing serves it
";
        assert_eq!(table(&reach).render(false), expected);
        let reach = serde_json::json!({
            "mode": "model",
            "units": {
                "front/0": { "open": [], "reached-by": [], "exposed-to": {}, "listening": [], "not-listening": [] },
                "site/0": {
                    "open": [{ "ports": "80/tcp", "endpoints": [] }, { "ports": "90/tcp", "endpoints": ["a"] }],
                    "reached-by": [], "exposed-to": {}, "listening": [], "not-listening": [],
                },
            },
        });
        let reach: Reachability = serde_json::from_value(reach).unwrap();
        let expected = "\
Unit    Reached by               Ports          Where
site/0  every unit of the model  80/tcp 90/tcp
";
        assert_eq!(table(&reach).render(false), expected);
    }
}
