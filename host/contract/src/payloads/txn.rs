//! Payloads: those of the last commit, read on first use, as the hook changed them.

use std::collections::BTreeMap;

use super::{Changes, Payload, PayloadKey, PayloadStatus, PayloadsAnswers, by_key};
use crate::bounds::{Bound, PAYLOAD_ID_BYTES, PAYLOAD_LABEL_BYTES, PAYLOAD_LABELS, PAYLOADS};
use crate::txn::Share;
use crate::{CallError, HookTxn};

impl HookTxn {
    /// Says that a payload runs. One that is known already is as it is said now.
    ///
    /// # Errors
    /// `NotFound` for a class that the charm does not declare, `Invalid` for another type than the
    /// class has or an id or label that cannot be, `Limit` for one too many.
    pub fn payload_register(
        &mut self,
        agent: &mut (impl PayloadsAnswers + ?Sized),
        payload: Payload,
    ) -> Result<(), CallError> {
        let classes = agent.payload_classes()?;
        let Some(kind) = classes.get(&payload.class) else {
            return Err(CallError::not_found(format!(
                "the charm declares no payload \"{}\"; name it under payloads in its metadata",
                payload.class
            )));
        };
        if *kind != payload.kind {
            return Err(CallError::invalid(format!(
                "payload \"{}\" has the type \"{kind}\", not \"{}\"",
                payload.class, payload.kind
            )));
        }
        check_word("the id of a payload", &payload.id, PAYLOAD_ID_BYTES)?;
        if PAYLOAD_LABELS.exceeded_by(payload.labels.len()) {
            return Err(CallError::limit(format!(
                "a payload has {} labels at most, not {}",
                PAYLOAD_LABELS.most,
                payload.labels.len()
            )));
        }
        for label in &payload.labels {
            check_word("a label of a payload", label, PAYLOAD_LABEL_BYTES)?;
        }
        let now = self.payloads.seen(agent)?;
        let key = payload.key();
        if !now.contains_key(&key) && PAYLOADS.exceeded_by(now.len() + 1) {
            return Err(CallError::limit(format!(
                "the unit would have more than the {} payloads that one may have",
                PAYLOADS.most
            )));
        }
        now.insert(key, payload);
        Ok(())
    }

    /// Says how a payload is.
    ///
    /// # Errors
    /// `NotFound` for one that is not registered.
    pub fn payload_status_set(
        &mut self,
        agent: &mut (impl PayloadsAnswers + ?Sized),
        key: &PayloadKey,
        status: PayloadStatus,
    ) -> Result<(), CallError> {
        match self.payloads.seen(agent)?.get_mut(key) {
            Some(payload) => {
                payload.status = status;
                Ok(())
            }
            None => Err(CallError::not_found(format!(
                "no payload {key} is registered"
            ))),
        }
    }

    /// Forgets a payload. One that is not registered is no error, nor is one whose class the charm
    /// does not declare any more.
    ///
    /// # Errors
    /// What the agent answers.
    pub fn payload_unregister(
        &mut self,
        agent: &mut (impl PayloadsAnswers + ?Sized),
        key: &PayloadKey,
    ) -> Result<(), CallError> {
        self.payloads.seen(agent)?.remove(key);
        Ok(())
    }
}

fn check_word(what: &str, word: &str, most: Bound) -> Result<(), CallError> {
    if word.is_empty() || word.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return Err(CallError::invalid(format!(
            "{what} is one word, without spaces: {word:?}"
        )));
    }
    match most.exceeded_by(word.len()) {
        true => Err(CallError::limit(format!(
            "{what} has {} bytes at most, this one {}",
            most.most,
            word.len()
        ))),
        false => Ok(()),
    }
}

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Payloads(Option<Seen>);

#[derive(Debug)]
struct Seen {
    before: BTreeMap<PayloadKey, Payload>,
    /// As the hook sees them.
    now: BTreeMap<PayloadKey, Payload>,
}

impl Share for Payloads {
    type Changes = Changes;

    /// What is as it was is no change.
    fn into_changes(self) -> Changes {
        let Some(Seen { before, now }) = self.0 else {
            return Changes::default();
        };
        let gone = before.keys().filter(|key| !now.contains_key(*key));
        Changes {
            gone: gone.cloned().collect(),
            put: now
                .into_iter()
                .filter(|(key, payload)| before.get(key) != Some(payload))
                .map(|(_, payload)| payload)
                .collect(),
        }
    }
}

impl Payloads {
    fn seen(
        &mut self,
        agent: &mut (impl PayloadsAnswers + ?Sized),
    ) -> Result<&mut BTreeMap<PayloadKey, Payload>, CallError> {
        let seen = match self.0.take() {
            Some(seen) => seen,
            None => {
                let before = by_key(&agent.payloads()?);
                let now = before.clone();
                Seen { before, now }
            }
        };
        Ok(&mut self.0.insert(seen).now)
    }
}
