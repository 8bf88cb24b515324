//! `config-get`: configuration of the application, as it was when the hook began.

use periapt_contract::CallError;
use periapt_model::config::{self, Values};
use periapt_model::text;

use super::{Permission::Everybody, Tool, When::Read};
use crate::world::periapt::charm::{config as wit, types};
use crate::world::{Answer, HookState};

pub(super) const TOOLS: &[Tool] = &[
    Tool::new("config-get KEY", "config", "get", Read, Everybody),
    Tool::new("config-get --all", "config", "all", Read, Everybody),
];

static NONE: Values = Values::new();

/// What an agent answers for `config`.
pub trait ConfigAnswers {
    /// Effective configuration as it was when the hook began: set values over defaults.
    fn config(&self) -> &Values {
        &NONE
    }

    /// Whether the charm's schema has this option, with or without a value.
    fn knows_option(&self, _name: &str) -> bool {
        false
    }
}

impl wit::Host for HookState {
    fn get(&mut self, key: String) -> Answer<Option<types::Value>> {
        self.context(|context| match context.config().get(&key) {
            Some(found) => Ok(Some(value(found.clone()))),
            None if context.knows_option(&key) => Ok(None),
            None => {
                let key = text::clean_line_at_most(&key, 100);
                Err(CallError::not_found(format!("the charm has no option \"{key}\"")).into())
            }
        })
    }

    fn all(&mut self) -> Answer<Vec<(String, types::Value)>> {
        self.context(|context| {
            let values = context.config().iter();
            Ok(values
                .map(|(name, found)| (name.clone(), value(found.clone())))
                .collect())
        })
    }
}

fn value(value: config::Value) -> types::Value {
    match value {
        config::Value::Boolean(truth) => types::Value::Boolean(truth),
        config::Value::Integer(number) => types::Value::Integer(number),
        config::Value::Number(number) => types::Value::Number(number),
        config::Value::Text(text) => types::Value::Text(text),
    }
}
