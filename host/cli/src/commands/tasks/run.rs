//! `run`.

use std::path::PathBuf;

use clap::Args;

use super::parameters::parameters;
use super::{Asked, begin, ended, target};
use crate::commands::Context;
use crate::failure::{Failure, Outcome};
use crate::session::ModelSession;

const RUNNING: &str = "\
Name the units before the action, and its parameters after it:
  periapt run site/0 rebuild
  periapt run site/0 site/1 backup out=out.tar.bz2 file.kind=xz file.quality=9
  periapt run site/leader backup --params backup.yaml --background
  periapt actions site     lists the actions; `show-action` shows the parameters of one

For one unit, the results are printed as YAML; for several, the result of each. Progress messages
go to standard error.

Exit status: 0 if all completed, 1 if some failed or were cancelled, 5 if --wait was too short.";

#[derive(Debug, Args)]
#[command(
    after_help = RUNNING,
    override_usage = "periapt run [OPTIONS] UNIT... ACTION [KEY[.SUB...]=VALUE...]"
)]
pub struct Run {
    /// Units (site/0, or site/leader), the action, and its parameters as KEY=VALUE; values are
    /// YAML.
    #[arg(required = true, value_name = "UNIT|ACTION|KEY=VALUE")]
    pub words: Vec<String>,
    /// Parameters of the action in a YAML file; KEY=VALUE arguments override it.
    #[arg(long, value_name = "FILE")]
    pub params: Option<PathBuf>,
    /// Take values as text instead of YAML.
    #[arg(long)]
    pub string_args: bool,
    #[command(flatten)]
    pub asked: Asked,
}

pub async fn run(context: &Context, arguments: Run) -> Outcome {
    let asked = &arguments.asked;
    let mut request = asked.request();
    let words = Words::read(arguments.words)?;
    request.parameters = parameters(
        arguments.params.as_deref(),
        &words.parameters,
        arguments.string_args,
    )?;
    request.action = Some(words.action);
    request.units = words.units;
    let output = context.output.to(&asked.target)?;
    let here = ModelSession::open(&context.files, &asked.model).await?;
    let Some(begun) = begin(&output, &here, asked, &request).await? else {
        return Ok(());
    };
    ended::show(&output, asked.format, &begun.tasks, &begun.times)?;
    ended::verdict(begun.operation, &begun.tasks)
}

/// The parsed arguments of the command line.
#[derive(Debug, PartialEq)]
struct Words {
    units: Vec<String>,
    action: String,
    parameters: Vec<String>,
}

impl Words {
    /// Names of units have a slash, which no action has.
    fn read(words: Vec<String>) -> Outcome<Self> {
        let mut words = words.into_iter().peekable();
        let mut units = Vec::new();
        while let Some(unit) = words.next_if(|word| word.contains('/') && !word.contains('=')) {
            units.push(target(&unit)?);
        }
        match words.next().filter(|word| !word.contains('=')) {
            Some(action) if !units.is_empty() => Ok(Self {
                units,
                action,
                parameters: words.collect(),
            }),
            Some(word) => Err(Failure::usage(format!("\"{word}\" is no unit"))
                .why("name the units before the action, each with its number")
                .advice("periapt run UNIT ACTION, as in: periapt run site/0 rebuild")),
            None => Err(no_action(units.first())),
        }
    }
}

fn no_action(unit: Option<&String>) -> Failure {
    let application = unit.and_then(|unit| unit.split('/').next());
    Failure::usage("there is no action to run")
        .why("give its name after the units, then its parameters")
        .advice(match application {
            Some(application) => format!("periapt actions {application} lists them"),
            None => "periapt run UNIT ACTION KEY=VALUE".to_owned(),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Outcome<Words> {
        Words::read(line.split_whitespace().map(str::to_owned).collect())
    }

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn units_action_and_parameters_are_told_apart() {
        assert_eq!(
            read("site/0 db/leader backup to=/a/b level=3").unwrap(),
            Words {
                units: words("site/0 db/leader"),
                action: "backup".to_owned(),
                parameters: words("to=/a/b level=3"),
            }
        );
        assert_eq!(read("site/0 x").unwrap().parameters, words(""));
        // That `more` is no parameter is said where they are read.
        assert_eq!(read("site/0 x more").unwrap().parameters, words("more"));
    }

    #[test]
    fn what_is_missing_is_said() {
        let what = |line: &str| {
            let text = read(line).unwrap_err().to_string();
            text.lines().next().unwrap_or_default().to_owned()
        };
        assert_eq!(what("site rebuild"), "ERROR \"site\" is no unit");
        assert_eq!(what("site/0"), "ERROR there is no action to run");
        assert_eq!(what("site/0 a=1"), "ERROR there is no action to run");
        assert_eq!(what("a=/b"), "ERROR there is no action to run");
        assert_eq!(
            what("Site/0 rebuild"),
            "ERROR \"Site/0\" is not a valid unit name"
        );
        assert_eq!(
            what("9/leader rebuild"),
            "ERROR \"9\" is not a valid application name"
        );
    }
}
