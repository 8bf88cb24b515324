//! What is due to a unit, and how it is carried out.

use periapt_contract::secret::SecretId;

use super::Model;
use super::unit::AnyUnit;
use crate::{Event, Hook, RelationEvent, RelationHook, Result, SecretEvent};

/// One thing that a unit is to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Due {
    Hook(Hook),
    /// Makes a storage that it has from the beginning, and attaches it.
    Storage(String),
    /// Lets go of all that it has.
    Detach,
    Relation {
        hook: RelationHook,
        relation: u64,
        remote: Option<String>,
        departing: Option<String>,
    },
    Secret {
        hook: Hook,
        id: SecretId,
        revision: Option<u32>,
    },
    /// Nothing of it is left.
    Gone,
}

impl Due {
    pub fn relation(hook: RelationHook, relation: u64, remote: Option<&str>) -> Self {
        Due::Relation {
            hook,
            relation,
            remote: remote.map(str::to_owned),
            departing: None,
        }
    }

    pub fn departed(relation: u64, remote: &str, departing: &str) -> Self {
        Due::Relation {
            hook: RelationHook::Departed,
            relation,
            remote: Some(remote.to_owned()),
            departing: Some(departing.to_owned()),
        }
    }
}

impl Model {
    /// Has a unit do something after all that is due. What is due already is not due twice.
    pub(super) fn then(&mut self, unit: &str, due: Due) {
        let again = self
            .due
            .iter()
            .any(|(other, same)| other == unit && *same == due);
        if !again {
            self.due.push_back((unit.to_owned(), due));
        }
    }

    /// What it is called where it fails.
    pub(super) fn words(&self, due: &Due) -> String {
        match due {
            Due::Hook(hook) | Due::Secret { hook, .. } => hook.to_string(),
            Due::Storage(name) => format!("{name}-storage-attached"),
            Due::Detach => "storage-detaching".to_owned(),
            Due::Relation { hook, relation, .. } => {
                let ends = self.relations.get(relation).map(|held| held.words());
                format!("relation-{hook} of {}", ends.unwrap_or_default())
            }
            Due::Gone => "its end".to_owned(),
        }
    }

    pub(super) fn carry_out(&mut self, unit: &str, due: &Due) -> Result<()> {
        match due {
            Due::Hook(hook) => self.event(unit, &Event::new(*hook)),
            Due::Storage(name) => self.on(unit, |charm| {
                // A hook that failed is run again for the storage that there is.
                let waiting = charm.host().storage.iter().find_map(|(id, one)| {
                    let found = id.name() == name && !one.attached;
                    found.then(|| id.to_string())
                });
                let id = waiting.unwrap_or_else(|| charm.add_storage(name));
                while charm.attach(&id)?.is_unfinished() {}
                Ok(())
            }),
            Due::Detach => self.on(unit, |charm| {
                let attached = charm.host().storage.iter();
                let attached = attached.filter(|(_, one)| one.attached);
                let ids: Vec<String> = attached.map(|(id, _)| id.to_string()).collect();
                for id in ids {
                    while charm.detach(&id)?.is_unfinished() {}
                }
                Ok(())
            }),
            Due::Relation {
                hook,
                relation,
                remote,
                departing,
            } => self.relation_hook(unit, *hook, *relation, remote.as_deref(), departing),
            Due::Secret { hook, id, revision } => {
                let Some(secret) = self.secrets.get(id) else {
                    return Ok(());
                };
                let event = SecretEvent {
                    id: id.uri(),
                    label: secret.label_for(unit),
                    revision: *revision,
                };
                self.event(unit, &event.event(*hook))
            }
            Due::Gone => {
                self.forget(unit);
                Ok(())
            }
        }
    }

    fn relation_hook(
        &mut self,
        unit: &str,
        hook: RelationHook,
        number: u64,
        remote: Option<&str>,
        departing: &Option<String>,
    ) -> Result<()> {
        let Some(held) = self.relations.get_mut(&number) else {
            return Ok(());
        };
        let Some((endpoint, application)) = held.end_of(unit) else {
            return Ok(());
        };
        match (hook, remote) {
            (RelationHook::Joined, Some(remote)) => {
                held.seen_by(unit).insert(remote.to_owned());
            }
            // It went in another way already, as a subordinate with its principal.
            (RelationHook::Departed, Some(remote)) if !held.seen_by(unit).remove(remote) => {
                return Ok(());
            }
            // Whoever has gone in the meantime has nothing new to say.
            (RelationHook::Changed, Some(remote)) if !held.seen_by(unit).contains(remote) => {
                return Ok(());
            }
            _ => {}
        }
        let event = RelationEvent {
            hook,
            relation: format!("{endpoint}:{number}"),
            endpoint,
            remote_application: application,
            remote_unit: remote.map(str::to_owned),
            departing_unit: departing.clone(),
        };
        let ran = self.event(unit, &event.into());
        if let (Err(_), RelationHook::Departed, Some(remote), Some(held)) =
            (&ran, hook, remote, self.relations.get_mut(&number))
        {
            // It runs again.
            held.seen_by(unit).insert(remote.to_owned());
        }
        ran?;
        if hook == RelationHook::Broken {
            self.leave(unit, number);
        }
        Ok(())
    }

    fn event(&mut self, unit: &str, event: &Event) -> Result<()> {
        self.on(unit, |charm| {
            // A machine that was asked to reboot comes back, and the hook runs again. It may ask
            // for it three times.
            while charm.run_event(event)?.is_unfinished() {}
            Ok(())
        })
    }

    /// Shows a unit what the model is, and takes over what it made of it.
    pub(super) fn on<T>(
        &mut self,
        unit: &str,
        body: impl FnOnce(&mut dyn AnyUnit) -> Result<T>,
    ) -> Result<T> {
        let Some(mut charm) = self.units.remove(unit) else {
            super::wrong(&format!("there is no unit \"{unit}\""));
        };
        self.show(unit, charm.host());
        let answer = body(charm.as_mut());
        self.take(unit, charm.host());
        self.units.insert(unit.to_owned(), charm);
        answer
    }
}
