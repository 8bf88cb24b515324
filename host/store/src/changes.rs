//! What the store itself does with its changes, before subscribers hear of them: it notes which
//! commit may show in which model's status, and wakes those who wait for a lease.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use periapt_database::{Change, Listener, Recent, Touched};
use periapt_model::ModelUuid;

use crate::lease::Wakes;
use crate::{Result, Store};

pub mod namespace;
#[cfg(test)]
mod tests;

/// Where the last change of any model itself is kept; no model is called so.
const MODELS: &str = "models";

/// Hears of every change first.
#[derive(Default)]
pub(crate) struct Ear {
    /// Position of the last commit that may show in a model's status, as far as this process made
    /// it or heard of it.
    commits: Mutex<HashMap<String, i64>>,
    pub wakes: Wakes,
}

impl Ear {
    fn last_commit(&self, model: &str) -> i64 {
        self.commits().get(model).copied().unwrap_or_default()
    }

    fn commits(&self) -> MutexGuard<'_, HashMap<String, i64>> {
        self.commits.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Listener for Ear {
    fn committing(&self, touched: &[Touched]) {
        if is_of_models(touched) {
            periapt_engine::failpoint::reach("store-before-commit");
        }
    }

    fn committed(&self, touched: &[Touched], position: i64) {
        if is_of_models(touched) {
            periapt_engine::failpoint::reach("store-after-commit");
        }
        let mut commits = self.commits();
        for change in touched {
            raise(&mut commits, change.namespace, &change.model, position);
            self.wakes
                .wake(change.namespace, &change.model, &change.key);
        }
    }

    /// Commits of other processes are known from here on.
    fn heard(&self, change: &Change) {
        raise(
            &mut self.commits(),
            change.namespace,
            &change.model,
            change.position,
        );
        self.wakes
            .wake(change.namespace, &change.model, &change.key);
    }
}

/// Only a commit that adds or changes a model passes the failpoints, so that a test can tell which
/// one it was.
fn is_of_models(touched: &[Touched]) -> bool {
    touched
        .iter()
        .any(|change| change.namespace == namespace::MODEL)
}

fn raise(commits: &mut HashMap<String, i64>, namespace: &'static str, model: &str, position: i64) {
    if !namespace::shows_in_status(namespace) {
        return;
    }
    let own = (namespace == namespace::MODEL).then_some(MODELS);
    for name in [Some(model), own].into_iter().flatten() {
        match commits.get_mut(name) {
            Some(last) => *last = (*last).max(position),
            None => {
                commits.insert(name.to_owned(), position);
            }
        }
    }
}

impl Store {
    /// The last changes, `limit` of them at most; without log lines.
    pub async fn recent_changes(&self, limit: u64) -> Result<Recent> {
        Ok(self.database.recent_changes(limit, namespace::LOG).await?)
    }

    /// Position of the last commit that may show in the model's status, known before the commit is
    /// answered; 0 when there was none since the store opened. Settings, runs of hooks and lines of
    /// log do not show there.
    pub fn last_commit(&self, model: &ModelUuid) -> i64 {
        self.inner.ear.last_commit(model.as_str())
    }

    /// The same of models coming, going and changing themselves.
    pub(crate) fn last_commit_of_models(&self) -> i64 {
        self.inner.ear.last_commit(MODELS)
    }

    /// Puts into the change log that the model's agent came or went, which is not stored.
    pub async fn note_presence(&self, model: &ModelUuid) -> Result<()> {
        let model = model.clone();
        self.write(move |tx| {
            Box::pin(async move {
                crate::require_model(&mut tx.db, &model).await?;
                tx.touch(&model, namespace::PRESENCE, "");
                Ok(())
            })
        })
        .await
    }
}
