//! The answer of the action that is being run: results that are merged, and the failure said last.

use serde_json::{Map, Value};

use super::{ActionAnswers, Outcome, RESERVED_RESULTS, Results};
use crate::bounds::{RESULT_BYTES, RESULT_LEVELS, TASK_LINES, TEXT_BYTES};
use crate::txn::{Share, require_room};
use crate::{CallError, HookTxn, text};

impl HookTxn {
    /// Adds `results`, a JSON object, to what was set before; an object within goes into the one that is
    /// there under its key.
    ///
    /// # Errors
    /// `Denied` in a hook, `Invalid` for what is no object or has keys that no result may have, `Limit` for
    /// too much.
    pub fn action_set(
        &mut self,
        agent: &mut (impl ActionAnswers + ?Sized),
        results: &str,
    ) -> Result<(), CallError> {
        agent.task()?;
        let results: Results = serde_json::from_str(results).map_err(|error| {
            CallError::invalid(format!(
                "results are a JSON object, and this is none: {error}"
            ))
        })?;
        check(&results, 1)?;
        if let Some(reserved) = results
            .keys()
            .find(|key| RESERVED_RESULTS.contains(&key.as_str()))
        {
            return Err(CallError::invalid(format!(
                "the result \"{reserved}\" is the agent's to set; choose another key"
            )));
        }
        let mut merged = self.action.outcome.results.clone();
        merge(&mut merged, results);
        let written = serde_json::to_string(&merged).map_or(usize::MAX, |text| text.len());
        if RESULT_BYTES.exceeded_by(written) {
            return Err(CallError::limit(format!(
                "the results would have {written} bytes as JSON; at most {} are kept. Write more into a file",
                RESULT_BYTES.most
            )));
        }
        require_room(written, self.room(self.action.written()))?;
        (self.action.outcome.results, self.action.written) = (merged, written);
        Ok(())
    }

    /// Says that the action failed, and why. What it changed is committed all the same.
    ///
    /// # Errors
    /// `Denied` in a hook.
    pub fn action_fail(
        &mut self,
        agent: &mut (impl ActionAnswers + ?Sized),
        message: &str,
    ) -> Result<(), CallError> {
        agent.task()?;
        let message = text::clean_line_at_most(message, TEXT_BYTES.length());
        self.action.outcome.failure = Some(match message.is_empty() {
            true => "action failed without reason given, check action for errors".to_owned(),
            false => message,
        });
        Ok(())
    }

    /// How a command ends; one that ends with another code than 0 changes nothing.
    ///
    /// # Errors
    /// `Denied` in a hook.
    pub fn action_return(
        &mut self,
        agent: &mut (impl ActionAnswers + ?Sized),
        code: u8,
    ) -> Result<(), CallError> {
        agent.task()?;
        self.action.outcome.return_code = code;
        Ok(())
    }

    /// Shows a line to whoever waits, at once.
    ///
    /// # Errors
    /// `Denied` in a hook, `Limit` after so many lines, and what the agent answers.
    pub fn action_log(
        &mut self,
        agent: &mut (impl ActionAnswers + ?Sized),
        message: &str,
    ) -> Result<(), CallError> {
        agent.task()?;
        if TASK_LINES.exceeded_by(self.action.lines + 1) {
            return Err(CallError::limit(format!(
                "an action may tell of its progress {} times, and this one has",
                TASK_LINES.most
            )));
        }
        self.action.lines += 1;
        agent.log_task(&text::clean_line_at_most(message, TEXT_BYTES.length()))
    }
}

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    outcome: Outcome,
    /// Bytes of the results as JSON.
    written: usize,
    /// So many were told.
    lines: usize,
}

impl Share for Answer {
    type Changes = Outcome;

    fn written(&self) -> usize {
        self.written
    }

    fn into_changes(self) -> Outcome {
        self.outcome
    }
}

/// Whether each key of the tree can be a result's (the rule is Juju's), and the tree is no deeper than it may.
fn check(results: &Map<String, Value>, level: usize) -> Result<(), CallError> {
    if RESULT_LEVELS.exceeded_by(level) {
        return Err(CallError::limit(format!(
            "results may be {} levels deep, and these are deeper",
            RESULT_LEVELS.most
        )));
    }
    for (key, value) in results {
        if !is_key(key) {
            return Err(CallError::invalid(format!(
                "\"{}\" cannot be the key of a result: use lower-case letters, digits and dashes, and begin and end with a letter or a digit",
                text::clean_line_at_most(key, 100)
            )));
        }
        if let Value::Object(within) = value {
            check(within, level + 1)?;
        }
    }
    Ok(())
}

fn is_key(key: &str) -> bool {
    let inside = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    key.starts_with(inside) && key.ends_with(inside) && key.chars().all(|c| inside(c) || c == '-')
}

fn merge(before: &mut Map<String, Value>, changes: Map<String, Value>) {
    for (key, value) in changes {
        match (before.get_mut(&key), value) {
            (Some(Value::Object(inner)), Value::Object(more)) => merge(inner, more),
            (_, value) => {
                before.insert(key, value);
            }
        }
    }
}
