//! `exec`.

use std::str::FromStr;

use clap::Args;
use periapt_model::task::MachineCommand;
use periapt_model::{ApplicationName, MachineId, task};
use periapt_wire::rest::{EnqueueOperation, ListQuery};

use super::{Asked, TaskFormat, begin, ended, target};
use crate::commands::Context;
use crate::failure::{Exit, Failure, Outcome};
use crate::session::ModelSession;

const RUNNING: &str = "\
Commands are offered by the charm; there is no shell. `periapt actions` lists the commands of an
application. Put flags before the command:
  periapt exec --unit site/0 -- list --long
  periapt exec --unit site/0 'list --long'
  periapt exec --application site,db --format yaml -- check

On machines, the agent itself carries out one of these:
  periapt exec --machine 0 -- report   prints the state of the machine's engine and units, as JSON
  periapt exec --machine 0 -- df       prints how many bytes each unit uses
  periapt exec --machine 0 -- reboot   restarts the machine with all of its units

Commands cannot run in a workload's container: its component only answers HTTP requests, so
--container is refused. A charm can offer a command that asks its workload.

For one unit, the command's output is printed; for several, the result of each.

Exit status: for one unit or machine, that of the command if it is 1 to 125; otherwise 0 if all
completed with 0, 1 if some did not, 5 if --wait was too short. Failures of periapt itself are three
lines that begin with `ERROR`.";

#[derive(Debug, Args)]
#[command(
    after_help = RUNNING,
    override_usage = "periapt exec [OPTIONS] [--] COMMAND [ARGUMENT...]"
)]
pub struct Exec {
    /// Run it on these units; `site/leader` is the leader.
    #[arg(short, long = "unit", value_name = "UNIT,...", value_delimiter = ',')]
    pub units: Vec<String>,
    /// Run it on all units of these applications.
    #[arg(
        short,
        long = "application",
        visible_alias = "app",
        value_name = "APPLICATION,...",
        value_delimiter = ','
    )]
    pub applications: Vec<String>,
    /// Run it on all units of the model.
    #[arg(long, conflicts_with_all = ["units", "applications"])]
    pub all: bool,
    /// Run it on these machines: report, df or reboot.
    #[arg(
        long = "machine",
        value_name = "MACHINE,...",
        value_delimiter = ',',
        conflicts_with_all = ["units", "applications", "all", "timeout", "parallel", "execution_group"]
    )]
    pub machines: Vec<MachineId>,
    /// Always refused: commands cannot run in containers.
    #[arg(long, value_name = "CONTAINER", hide = true)]
    pub container: Option<String>,
    #[command(flatten)]
    pub asked: Asked,
    /// The command with its arguments; a single argument with blanks is split as a shell would.
    #[arg(required = true, trailing_var_arg = true, value_name = "COMMAND")]
    pub words: Vec<String>,
}

pub async fn exec(context: &Context, arguments: Exec) -> Outcome {
    let asked = &arguments.asked;
    let mut request = EnqueueOperation {
        command: command(&arguments.words)?,
        ..asked.request()
    };
    place(&arguments, &mut request)?;
    let output = context.output.to(&asked.target)?;
    let here = ModelSession::open(&context.files, &asked.model).await?;
    if arguments.all {
        request.units = everywhere(&here).await?;
    }
    let Some(begun) = begin(&output, &here, asked, &request).await? else {
        return Ok(());
    };
    match (asked.format, begun.tasks.as_slice()) {
        (TaskFormat::Plain, [task]) => ended::streams(&output, task)?,
        (format, tasks) => ended::show(&output, format, tasks, &begun.times)?,
    }
    let plain = asked.format == TaskFormat::Plain;
    ended::of_command(begun.operation, &begun.tasks, plain)
}

/// The words of the command.
fn command(words: &[String]) -> Outcome<Vec<String>> {
    let words = match words {
        [line] if line.contains(char::is_whitespace) => task::words(line).map_err(|why| {
            Failure::usage(format!("\"{line}\" is no command"))
                .why(format!("it has {why}"))
                .advice(
                    "close the quote, or write the arguments after -- without quoting them twice",
                )
        })?,
        words => words.to_vec(),
    };
    match words.first() {
        Some(name) if !name.is_empty() => Ok(words),
        _ => Err(Failure::usage("there is no command to run")
            .why("its name is empty")
            .advice("periapt exec --unit UNIT -- COMMAND")),
    }
}

/// Where to run it, unless everywhere.
fn place(arguments: &Exec, request: &mut EnqueueOperation) -> Outcome {
    if let Some(container) = &arguments.container {
        let what = format!("commands cannot run in the container \"{container}\"");
        return Err(Failure::usage(what)
            .why("a container's component only answers HTTP requests (wasi:http)")
            .advice("periapt exec --unit UNIT -- COMMAND runs a command of the charm; periapt services UNIT shows what its containers do"));
    }
    if !arguments.machines.is_empty() {
        request.machines.clone_from(&arguments.machines);
        let known = MachineCommand::from_str(request.command.first().map_or("", String::as_str));
        return match known {
            Ok(_) => Ok(()),
            Err(why) => Err(Failure::usage("machines do not have that command")
                .why(why)
                .advice("periapt exec --machine MACHINE -- report; or name units with --unit")),
        };
    }
    for unit in &arguments.units {
        request.units.push(target(unit)?);
    }
    for application in &arguments.applications {
        let name: ApplicationName = application.parse()?;
        request.applications.push(name);
    }
    let named = !request.units.is_empty() || !request.applications.is_empty();
    if named || arguments.all {
        return Ok(());
    }
    Err(Failure::usage("no target for the command")
        .why("none of --unit, --application, --machine or --all was given before it")
        .advice("periapt exec --unit UNIT -- COMMAND"))
}

/// All units of the model that are not on their way out, which are asked nothing any more.
async fn everywhere(here: &ModelSession) -> Outcome<Vec<String>> {
    let query = ListQuery::default();
    let units = here.client().units(&here.model, &query).await?;
    let alive = units.iter().filter(|unit| unit.life.is_alive());
    let names: Vec<String> = alive.map(|unit| unit.name.to_string()).collect();
    if names.is_empty() {
        let what = format!("model \"{}\" has no units", here.model);
        return Err(Failure::new(Exit::NotFound, what)
            .why("commands run on units")
            .advice("periapt status"));
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::super::Verb;
    use super::*;
    use crate::arguments::{Arguments, Command};

    fn arguments(words: &[&str]) -> Exec {
        let words = ["periapt", "exec"].iter().chain(words).copied();
        match Arguments::try_parse_from(words).unwrap().command {
            Command::Tasks(Verb::Exec(arguments)) => arguments,
            other => panic!("{other:?}"),
        }
    }

    fn read(words: &[&str]) -> Outcome<EnqueueOperation> {
        let arguments = arguments(words);
        let mut request = EnqueueOperation {
            command: command(&arguments.words)?,
            ..arguments.asked.request()
        };
        place(&arguments, &mut request)?;
        Ok(request)
    }

    #[test]
    fn flags_behind_the_command_are_its_own() {
        let request = read(&[
            "-u",
            "site/0,db/leader",
            "--app",
            "web",
            "--timeout",
            "1500ms",
            "--parallel",
            "list",
            "--long",
            "-u",
            "x",
        ])
        .unwrap();
        assert_eq!(request.command, ["list", "--long", "-u", "x"]);
        assert_eq!(request.units, ["site/0", "db/leader"]);
        assert_eq!(request.applications[0].as_str(), "web");
        assert_eq!(
            (request.timeout, request.parallel),
            (Some(1500), Some(true))
        );
        let request = read(&["--all", "--parallel=false", "--", "list", "--long"]).unwrap();
        assert_eq!(request.command, ["list", "--long"]);
        assert_eq!((request.timeout, request.parallel), (None, Some(false)));
        assert!(request.action.is_none() && request.units.is_empty());
    }

    #[test]
    fn one_word_with_blanks_is_a_line_and_several_are_words() {
        let words = |words: &[&str]| {
            let all = ["--all", "--"].iter().chain(words).copied();
            read(&all.collect::<Vec<_>>()).map(|request| request.command)
        };
        assert_eq!(words(&["say 'a b' c"]).unwrap(), ["say", "a b", "c"]);
        assert_eq!(words(&["say", "a b"]).unwrap(), ["say", "a b"]);
        assert_eq!(words(&["it's"]).unwrap(), ["it's"]);
        for bad in ["say 'a", " ", "", "'' x"] {
            let failure = words(&[bad]).unwrap_err();
            assert_eq!(failure.exit, Exit::Usage, "{bad}");
        }
    }

    #[test]
    fn no_command_runs_in_a_container_and_the_reason_is_said() {
        for words in [
            &["--unit", "site/0", "--container", "web", "--", "ls"][..],
            &["--all", "--container=web", "ls"],
            &["--container", "web", "ls"],
        ] {
            let refused = read(words).unwrap_err();
            assert_eq!(refused.exit, Exit::Usage, "{words:?}");
            let refused = refused.to_string();
            assert!(
                refused.contains("container \"web\"") && refused.contains("wasi:http"),
                "{refused}"
            );
        }
        let own = read(&["--unit", "site/0", "--", "list", "--container", "web"]).unwrap();
        assert_eq!(own.command, ["list", "--container", "web"]);
    }

    #[test]
    fn it_is_said_where_to_run_it() {
        for words in [
            &["list"][..],
            &["--machine", "0", "list"],
            &["--machine", "0,1", "rebot"],
            &["-u", "site", "list"],
            &["-a", "site/0", "list"],
        ] {
            assert_eq!(read(words).unwrap_err().exit, Exit::Usage, "{words:?}");
        }
    }

    #[test]
    fn a_machine_is_asked_for_what_its_agent_does_and_refuses_the_rest_with_a_list() {
        let request = read(&["--machine", "0,1/lxd/2", "--", "df"]).unwrap();
        assert_eq!(request.command, ["df"]);
        let ids: Vec<&str> = request.machines.iter().map(MachineId::as_str).collect();
        assert_eq!(ids, ["0", "1/lxd/2"]);
        assert!(request.units.is_empty());
        let refused = read(&["--machine", "0", "--", "rebot"]).unwrap_err();
        let refused = refused.to_string();
        assert!(
            refused.contains("df, reboot, report") && refused.contains("did you mean \"reboot\""),
            "{refused}"
        );
        for words in ["--unit site/0", "--app site", "--all", "--timeout 1s"] {
            let words = words.split(' ');
            let line = ["periapt", "exec", "--machine", "0"]
                .into_iter()
                .chain(words);
            let line = line.chain(["--", "df"]);
            assert!(Arguments::try_parse_from(line).is_err());
        }
    }
}
