//! Hooks of secrets that come due: each is run once it may, those of the application by its leader alone.

use super::*;
use crate::hook::SecretEvent;
use crate::secret::{DueSecret, SecretId};

const KINDS: [Kind; 4] = [
    Kind::SecretExpired,
    Kind::SecretRotate,
    Kind::SecretChanged,
    Kind::SecretRemove,
];

/// What is due, and how often something was.
#[derive(Debug, Default)]
pub(super) struct Secrets {
    due: Vec<(Kind, DueSecret)>,
    count: u32,
}

impl Secrets {
    pub fn comes_due(&mut self, kind: usize, leaders: bool) {
        self.count += 1;
        let event = SecretEvent {
            id: SecretId::of_random([1; 12]),
            label: String::new(),
            revision: self.count,
        };
        let kind = KINDS[kind % KINDS.len()];
        self.due.push((kind, DueSecret { event, leaders }));
    }

    pub fn told(&self) -> DueSecrets {
        let of = |wanted: Kind| {
            let due = self.due.iter().filter(|(kind, _)| *kind == wanted);
            due.map(|(_, due)| due.clone()).collect()
        };
        DueSecrets {
            expired: of(Kind::SecretExpired),
            rotate: of(Kind::SecretRotate),
            changed: of(Kind::SecretChanged),
            remove: of(Kind::SecretRemove),
            next: None,
        }
    }

    /// A hook that is chosen, rather than gone back to, is due to this very unit.
    pub fn chosen(&self, hook: &Info, remote: &RemoteState, fresh: bool) -> Result<(), String> {
        let Some(event) = hook.secret.as_ref().filter(|_| fresh) else {
            return Ok(());
        };
        let found = self
            .due
            .iter()
            .find(|(kind, due)| *kind == hook.kind && due.event == *event);
        match found {
            _ if remote.life != Life::Alive => Err(format!("{} of who leaves", hook.name())),
            None => Err(format!("{} that is not due", hook.name())),
            Some((_, due)) if due.leaders && !remote.leader => {
                Err(format!("{} of who does not lead", hook.name()))
            }
            Some(_) => Ok(()),
        }
    }

    pub fn commits(&mut self, hook: &Info) {
        if let Some(event) = &hook.secret {
            self.due.retain(|(_, due)| due.event != *event);
        }
    }

    /// At rest nothing is due that the unit may run.
    pub fn caught_up(&self, leader: bool) -> Result<(), String> {
        match self.told().next(leader) {
            Some(hook) => Err(format!("{} never ran", hook.name())),
            None => Ok(()),
        }
    }
}
