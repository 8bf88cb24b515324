//! Actions and commands of a unit under test, as an operator asks for them.

use periapt_contract::action::Task;
use serde_json::{Map, Value};

use super::{Harness, schema};
use crate::{Action, Charm, Command, Error, Event, Occasion, Result, dispatch};

/// What an action or a command answered that returned no error.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    /// Its results, an object.
    pub results: Value,
    /// Why it failed, if it said so.
    pub failure: Option<String>,
    /// How a command ended; what one changed that did not end with 0 is not kept.
    pub return_code: u8,
    /// What it told of its progress.
    pub log: Vec<String>,
}

impl<C: Charm> Harness<C> {
    /// Runs an action. `parameters` are an object, such as `json!({"pages": 2})`; those that are left
    /// out get the defaults of the schema. The controller holds them against the whole schema, the
    /// harness against the struct and its ranges and lengths.
    ///
    /// What the action changed is kept unless it returns an error, which is the error here. What it
    /// prints is printed.
    pub fn run_action(&mut self, name: &str, parameters: Value) -> Result<Answer> {
        let action = Action::<C>::find(name)
            .ok_or_else(|| Error::failed(format!("the charm has no action \"{name}\"")))?;
        let mut parameters = match parameters {
            Value::Null => Value::Object(Map::new()),
            given => given,
        };
        let schema = (action.declared.schema)();
        schema::complete(&mut parameters, &schema);
        schema::check(&parameters, &schema).map_err(Error::Parameters)?;
        let Value::Object(parameters) = parameters else {
            return Err(Error::Parameters("they are no object".to_owned()));
        };
        let task = Task {
            name: name.to_owned(),
            parameters,
            ..Task::default()
        };
        self.run_task(Occasion::Action(name.to_owned()), task)
    }

    /// Runs a command with the words after its name. What it changed is kept if it ends with 0. What
    /// it prints is printed and not part of the answer: a test that looks at it calls the part of the
    /// charm that makes the text.
    pub fn run_command(&mut self, name: &str, arguments: &[&str]) -> Result<Answer> {
        if Command::<C>::find(name).is_none() {
            return Err(Error::failed(format!(
                "the charm has no command \"{name}\""
            )));
        }
        let task = Task {
            name: name.to_owned(),
            arguments: arguments.iter().map(|&word| word.to_owned()).collect(),
            ..Task::default()
        };
        self.run_task(Occasion::Command(name.to_owned()), task)
    }

    /// What the last action told of its progress, also if it returned an error.
    pub fn progress(&self) -> Vec<String> {
        self.host.borrow().tasks.progress.clone()
    }

    fn run_task(&mut self, occasion: Occasion, task: Task) -> Result<Answer> {
        let event = Event {
            occasion,
            attributes: Vec::new(),
        };
        self.with_files(|unit| {
            unit.host.get_mut().begin_task(task);
            let ran = dispatch::<C>(&unit.host, &unit.dirs, &event);
            let host = unit.host.get_mut();
            let committed = ran.and_then(|()| Ok(host.commit_task()?));
            host.end_task();
            let kept = matches!(committed, Ok(true));
            (committed.map(|_| unit.answer()), kept)
        })
    }

    fn answer(&self) -> Answer {
        let outcome = self.host.borrow().tasks.outcome.clone();
        Answer {
            results: Value::Object(outcome.results),
            failure: outcome.failure,
            return_code: outcome.return_code,
            log: self.progress(),
        }
    }
}
