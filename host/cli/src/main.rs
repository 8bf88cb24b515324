//! `periapt`: one program for controllers, agents and the people who use them.
//!
//! Some commands are processes of their own and start before anything else is set up; all the
//! others are a client that talks to a controller, says what happened, and ends.

mod arguments;
mod commands;
mod failure;
mod files;
mod keeper;
mod live;
mod output;
mod password;
mod processes;
mod session;

use std::process::ExitCode;

use arguments::{AgentCommand, Arguments, Command, ControllerCommand, General, WorkloadsCommand};
use clap::Parser;
use commands::Context;
use failure::{Exit, Failure, Outcome};
use files::ClientFiles;
use output::Output;

/// A controller allocates on one thread and frees on another, which glibc's arenas are slow at.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) if error.use_stderr() => return end(Err(error.into())),
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
        command => end(client(&arguments.general, command)),
    }
}

/// Everything a person asks of a controller, or of this program itself.
fn client(general: &General, command: Command) -> Outcome {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::failed("the program cannot start").why(error.to_string()))?;
    let context = Context {
        output: Output::new(general),
        files: ClientFiles::locate()?,
    };
    runtime.block_on(commands::run(&context, command))
}

fn end(outcome: Outcome) -> ExitCode {
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            if !failure.is_silent() {
                eprintln!("{failure}");
            }
            failure.exit.into()
        }
    }
}
