//! `constraints`, `set-constraints`, `model-constraints`, `set-model-constraints`: what machines have to be
//! like that are made from now on.

use std::collections::BTreeMap;

use clap::{Args, Subcommand};
use periapt_model::ApplicationName;
use periapt_model::constraints::Constraints;
use periapt_wire::rest::SetConstraints;
use serde_json::Value;

use super::Context;
use crate::arguments::{ListFormat, ModelChoice, Target};
use crate::failure::{Failure, Outcome};
use crate::session::ModelSession;

/// The verbs of this file.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Show the constraints of an application.
    #[command(visible_alias = "get-constraints")]
    Constraints(ShowConstraints),
    /// Set the constraints of an application.
    SetConstraints(Set),
    /// Show the constraints of a model.
    #[command(visible_alias = "get-model-constraints")]
    ModelConstraints(ShowModelConstraints),
    /// Set the constraints of a model.
    SetModelConstraints(SetModel),
}

const KEYS: &str = "\
Constraints:
  arch=amd64  cores=2  mem=4G  root-disk=20G  cpu-power  container  instance-type  instance-role
  image-id  root-disk-source  spaces  tags  virt-type  zones  allocate-public-ip

Sizes are in megabytes, or have a suffix M, G, T or P. KEY= means any, overriding the model. New constraints
replace all earlier ones and affect machines created from now on.";

#[derive(Debug, Args)]
pub struct ShowConstraints {
    /// The application.
    pub application: String,
    #[arg(long, value_enum, default_value_t)]
    pub format: ListFormat,
    #[command(flatten)]
    pub model: ModelChoice,
    #[command(flatten)]
    pub target: Target,
}

#[derive(Debug, Args)]
#[command(after_help = KEYS)]
pub struct Set {
    /// The application.
    pub application: String,
    /// KEY=VALUE pairs; none removes all constraints.
    #[arg(value_name = "KEY=VALUE")]
    pub constraints: Vec<String>,
    #[command(flatten)]
    pub model: ModelChoice,
}

#[derive(Debug, Args)]
pub struct ShowModelConstraints {
    #[arg(long, value_enum, default_value_t)]
    pub format: ListFormat,
    #[command(flatten)]
    pub model: ModelChoice,
    #[command(flatten)]
    pub target: Target,
}

#[derive(Debug, Args)]
#[command(after_help = KEYS)]
pub struct SetModel {
    /// KEY=VALUE pairs; none removes all constraints.
    #[arg(value_name = "KEY=VALUE")]
    pub constraints: Vec<String>,
    #[command(flatten)]
    pub model: ModelChoice,
}

pub async fn run(context: &Context, verb: Verb) -> Outcome {
    match verb {
        Verb::Constraints(arguments) => of_application(context, arguments).await,
        Verb::SetConstraints(arguments) => set(context, arguments).await,
        Verb::ModelConstraints(arguments) => of_model(context, arguments).await,
        Verb::SetModelConstraints(arguments) => set_model(context, arguments).await,
    }
}

/// The constraints of a command line, in normal form.
pub fn read(words: &[String]) -> Outcome<Constraints> {
    Constraints::said(&words.join(" ")).map_err(|error| {
        Failure::usage("these are no constraints")
            .why(format!("{error} ({})", error.refusal()))
            .advice(error.refusal().advice())
    })
}

async fn set(context: &Context, arguments: Set) -> Outcome {
    let name: ApplicationName = arguments.application.parse()?;
    let constraints = read(&arguments.constraints)?.to_string();
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    let request = SetConstraints { constraints };
    here.client()
        .set_constraints(&here.model, &name, &request)
        .await?;
    Ok(())
}

async fn set_model(context: &Context, arguments: SetModel) -> Outcome {
    let constraints = read(&arguments.constraints)?.to_string();
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    let request = SetConstraints { constraints };
    here.client()
        .set_model_constraints(&here.model, &request)
        .await?;
    Ok(())
}

async fn of_application(context: &Context, arguments: ShowConstraints) -> Outcome {
    let name: ApplicationName = arguments.application.parse()?;
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    let shown = here.client().application(&here.model, &name).await?;
    show(
        context,
        &shown.constraints,
        arguments.format,
        &arguments.target,
    )
}

async fn of_model(context: &Context, arguments: ShowModelConstraints) -> Outcome {
    let here = ModelSession::open(&context.files, &arguments.model).await?;
    let shown = here.client().model_constraints(&here.model).await?;
    show(
        context,
        &shown.constraints,
        arguments.format,
        &arguments.target,
    )
}

fn show(context: &Context, text: &str, format: ListFormat, target: &Target) -> Outcome {
    let output = context.output.to(target)?;
    match format {
        ListFormat::Json => output.json(&document(text)),
        ListFormat::Yaml => output.yaml(&document(text)),
        ListFormat::Tabular if text.is_empty() => Ok(()),
        ListFormat::Tabular => output.value(text),
    }
}

/// By key, with the types that Juju gives them: sizes are numbers of megabytes.
fn document(text: &str) -> BTreeMap<&str, Value> {
    let words = text.split(' ').filter_map(|word| word.split_once('='));
    words.map(|(key, value)| (key, typed(key, value))).collect()
}

fn typed(key: &str, value: &str) -> Value {
    let number = match key {
        "cores" | "cpu-power" => value.parse::<u64>().ok(),
        "mem" | "root-disk" => value.trim_end_matches('M').parse().ok(),
        _ => None,
    };
    match (key, number) {
        (_, Some(number)) => number.into(),
        ("spaces" | "tags" | "zones", _) => {
            value.split(',').filter(|part| !part.is_empty()).collect()
        }
        ("allocate-public-ip", _) if value == "true" || value == "false" => {
            (value == "true").into()
        }
        _ => value.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_have_jujus_types() {
        let shown = serde_json::to_value(document("arch=amd64 cores=2 mem=4096M tags= zones=a,b"));
        assert_eq!(
            shown.unwrap(),
            serde_json::json!({ "arch": "amd64", "cores": 2, "mem": 4096, "tags": [], "zones": ["a", "b"] })
        );
        assert!(document("").is_empty());
    }

    #[test]
    fn words_are_read_together_and_refused_in_three_lines() {
        let words = |text: &str| -> Vec<String> { text.split(' ').map(str::to_owned).collect() };
        let read_back = read(&words("mem=4G cores=2")).unwrap();
        assert_eq!(read_back.to_string(), "cores=2 mem=4096M");
        assert!(read(&[]).unwrap().is_empty());
        let failure = read(&words("men=4G")).unwrap_err();
        assert_eq!(failure.to_string().lines().count(), 3);
        assert!(failure.to_string().contains("did you mean"), "{failure}");
    }
}
