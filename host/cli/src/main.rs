//! `periapt`: one program for controllers, agents and the people who use them.
//!
//! Some commands are processes of their own and start before anything else is set up; all the
//! others are a client that talks to a controller, says what happened, and ends.

mod arguments;
mod commands;
mod failure;
mod files;
mod juju;
mod keeper;
mod live;
mod output;
mod password;
mod processes;
mod session;

use std::process::ExitCode;

use arguments::{AgentCommand, Command, ControllerCommand, General, WorkloadsCommand};
use clap::error::ErrorKind;
use commands::Context;
use failure::{Exit, Failure, Outcome};
use files::ClientFiles;
use juju::Line;
use output::Output;

/// A controller allocates on one thread and frees on another, which glibc's arenas are slow at.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let words: Vec<_> = std::env::args_os().collect();
    let (arguments, remarks) = match juju::read(words.clone()) {
        Ok(Line::Verb { arguments, remarks }) => (*arguments, remarks),
        Ok(Line::Refused(failure)) => return end(Err(failure)),
        Ok(Line::Answered(row)) => return end(juju::answer(row)),
        Ok(Line::Commands) => {
            return end(output::to_stdout(|stdout| {
                std::io::Write::write_all(stdout, juju::commands().as_bytes())
            }));
        }
        Err(error) if error.use_stderr() => {
            if error.kind() == ErrorKind::InvalidSubcommand
                && let Err(error) = juju::plugins::become_plugin(&words)
            {
                let failure = Failure::failed("cannot start the plugin");
                return end(Err(failure.why(error.to_string())));
            }
            return end(Err(error.into()));
        }
        Err(error) if error.kind() == ErrorKind::DisplayVersion && is_juju() => {
            let version = commands::version::of_juju();
            return end(output::to_stdout(|stdout| {
                std::io::Write::write_all(stdout, format!("{version}\n").as_bytes())
            }));
        }
        // Help and version were asked for.
        Err(error) => {
            return if error.print().is_ok() {
                ExitCode::SUCCESS
            } else {
                Exit::Failed.into()
            };
        }
    };
    match arguments.command {
        Command::Controller(ControllerCommand::Run(run)) => {
            processes::run_controller(&run.data_dir, run.detached, run.accept_move)
        }
        Command::Controller(ControllerCommand::Keep(keep)) => end(keeper::keep(&keep.data_dir)),
        Command::Agent(AgentCommand::Run { config }) => processes::run_agent(&config),
        Command::Workloads(WorkloadsCommand::Run {
            directory,
            settings,
        }) => processes::run_workloads(&directory, &settings),
        Command::Workloads(WorkloadsCommand::Gate) => processes::gate(),
        Command::Workloads(WorkloadsCommand::Serve) => processes::serve(),
        Command::CompileComponent => processes::compile_component(),
        command => end(client(&arguments.general, command, &remarks)),
    }
}

/// Everything a person asks of a controller, or of this program itself.
fn client(general: &General, command: Command, remarks: &[String]) -> Outcome {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::failed("the program cannot start").why(error.to_string()))?;
    let context = Context {
        output: Output::new(general),
        files: ClientFiles::locate()?,
    };
    for remark in remarks {
        context.output.say(remark);
    }
    runtime.block_on(commands::run(&context, command))
}

fn end(outcome: Outcome) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            if !failure.is_silent() {
                eprintln!("{failure}");
            }
            match is_juju() {
                true => ExitCode::from(failure.exit.as_jujus()),
                false => failure.exit.into(),
            }
        }
    }
}

/// Whether the program was called by the name of `juju`.
fn is_juju() -> bool {
    juju::is_called_so(std::env::args_os().next().as_deref())
}
