//! Which people use which models: written down beside their requests and logins, never before an answer.
//!
//! Reading a model costs no write: each person and model are handed to the store at most once a minute. A run of the
//! API server that begins anew has forgotten whom it handed over, so the store looks at the time as well.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use periapt_engine::SharedClock;
use periapt_model::{ModelUuid, UserName};
use periapt_store::Store;

use crate::identity::Identity;

/// How often a person's use of a model is handed to the store at the most.
const USE_NOTED: Duration = Duration::from_secs(60);

#[derive(Default)]
pub(crate) struct Visits {
    noted: Mutex<HashMap<(UserName, ModelUuid), Duration>>,
}

impl Visits {
    /// Takes note that somebody uses a model. Agents are not people.
    pub(crate) fn note(
        &self,
        store: &Store,
        clock: &SharedClock,
        identity: &Identity,
        model: &ModelUuid,
    ) {
        let Identity::User { name } = identity else {
            return;
        };
        if !self.is_news(clock.monotonic(), name, model) {
            return;
        }
        let (store, name, model) = (store.clone(), name.clone(), model.clone());
        tokio::spawn(async move {
            if let Err(error) = store.note_model_use(&name, &model).await {
                tracing::debug!(%error, "the use of a model was not written down");
            }
        });
    }

    fn is_news(&self, now: Duration, name: &UserName, model: &ModelUuid) -> bool {
        let mut noted = self.noted.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (name.clone(), model.clone());
        if noted.get(&key).is_some_and(|last| now < *last + USE_NOTED) {
            return false;
        }
        noted.retain(|_, last| now < *last + USE_NOTED);
        noted.insert(key, now);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_use_is_news_once_a_minute_for_each_person_and_model() {
        let visits = Visits::default();
        let model = |number: u8| -> ModelUuid {
            format!("8419cd78-4993-4c3a-928e-c646226bee{number:02}")
                .parse()
                .unwrap()
        };
        let (admin, bob): (UserName, UserName) = ("admin".parse().unwrap(), "bob".parse().unwrap());
        let at = Duration::from_secs;
        assert!(visits.is_news(at(1), &admin, &model(1)));
        assert!(!visits.is_news(at(60), &admin, &model(1)));
        assert!(visits.is_news(at(60), &bob, &model(1)));
        assert!(visits.is_news(at(60), &admin, &model(2)));
        assert!(visits.is_news(at(61), &admin, &model(1)));
        visits.is_news(at(500), &bob, &model(2));
        assert_eq!(
            visits.noted.lock().unwrap().len(),
            1,
            "old ones are forgotten"
        );
    }
}
