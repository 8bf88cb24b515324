//! The order of a relation's hooks at one unit.
//!
//! What is guaranteed, per relation: created comes first; joined of a unit is followed at once
//! by its changed; no changed of a unit after its departed; broken comes last, after every
//! departed; joined and departed of a unit alternate. Many changes may be one changed hook,
//! which sees the newest values. Between relations, and between remote units, nothing is
//! guaranteed (rules: Juju's relation hooks).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::Life;
use crate::name::{ApplicationName, UnitName};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum HookKind {
    Created,
    Joined,
    Changed,
    Departed,
    Broken,
}

/// One hook of one relation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct RelationHook {
    pub kind: HookKind,
    /// The relation's number.
    pub relation: u64,
    /// The remote unit; none for created, broken, and changes of an application's settings.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<UnitName>,
    /// The remote application whose settings changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub application: Option<ApplicationName>,
    /// Version of the settings that made the hook due.
    #[serde(default)]
    pub version: u64,
}

/// What the controller says of a relation of a unit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct RemoteRelation {
    /// The endpoint of the unit's own charm.
    pub endpoint: String,
    /// The application at the other end; the unit's own in a peer relation.
    pub remote_application: ApplicationName,
    pub life: Life,
    pub suspended: bool,
    pub peer: bool,
    /// Remote units in scope, with the version of their settings.
    pub members: BTreeMap<UnitName, u64>,
    /// Remote applications, with the version of their settings; 0 where there are none yet.
    pub applications: BTreeMap<ApplicationName, u64>,
}

impl RemoteRelation {
    /// Whether the unit has to leave. A suspended relation is left like a broken one.
    fn is_ending(&self) -> bool {
        self.suspended || self.life != Life::Alive
    }
}

/// What a unit has seen of a relation, as far as its hooks were committed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct RelationState {
    pub relation: u64,
    /// The ends, kept because a relation that is removed by force can be gone from the
    /// controller before the unit has run the hooks that end it.
    pub endpoint: String,
    pub remote_application: Option<ApplicationName>,
    /// Members that joined, with the version of their settings that was seen last.
    pub members: BTreeMap<UnitName, u64>,
    pub applications: BTreeMap<ApplicationName, u64>,
    /// Joined without its changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changed_pending: Option<UnitName>,
}

/// A hook that the recorded state rules out. It is a fault of the program, never of a charm.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("relation {relation}: {what}")]
pub struct Contradiction {
    pub relation: u64,
    pub what: String,
}

impl RelationState {
    /// The hook that is due. `local` is none until created was committed, and again after broken;
    /// `leaving` is true when the unit itself is dying.
    pub fn next(
        local: Option<&RelationState>,
        relation: u64,
        remote: &RemoteRelation,
        leaving: bool,
    ) -> Option<RelationHook> {
        let ending = leaving || remote.is_ending();
        let hook = |kind, unit: Option<&UnitName>, version| RelationHook {
            kind,
            relation,
            unit: unit.cloned(),
            application: None,
            version,
        };
        let Some(local) = local else {
            return (!ending).then(|| hook(HookKind::Created, None, 0));
        };
        if let Some(unit) = &local.changed_pending {
            // The pair stays whole even if the unit is gone by now: its settings outlive it.
            let version = remote.members.get(unit).or(local.members.get(unit));
            return Some(hook(
                HookKind::Changed,
                Some(unit),
                version.copied().unwrap_or(0),
            ));
        }
        let gone = |unit: &&UnitName| ending || !remote.members.contains_key(*unit);
        if let Some(unit) = local.members.keys().find(gone) {
            return Some(hook(HookKind::Departed, Some(unit), 0));
        }
        if ending {
            return (!remote.peer).then(|| hook(HookKind::Broken, None, 0));
        }
        for (application, version) in &remote.applications {
            let seen = local.applications.get(application).copied().unwrap_or(0);
            if *version != 0 && *version != seen {
                return Some(RelationHook {
                    application: Some(application.clone()),
                    ..hook(HookKind::Changed, None, *version)
                });
            }
        }
        let mut members = remote.members.iter();
        if let Some((unit, version)) = members.find(|(unit, _)| !local.members.contains_key(*unit))
        {
            return Some(hook(HookKind::Joined, Some(unit), *version));
        }
        let differs =
            |(unit, version): &(&UnitName, &u64)| local.members.get(*unit) != Some(*version);
        let (unit, version) = remote.members.iter().find(differs)?;
        Some(hook(HookKind::Changed, Some(unit), *version))
    }

    /// The state after `hook` was committed: none after broken.
    pub fn after(
        local: Option<RelationState>,
        hook: &RelationHook,
    ) -> Result<Option<RelationState>, Contradiction> {
        let wrong = |what: String| {
            Err(Contradiction {
                relation: hook.relation,
                what,
            })
        };
        let Some(mut state) = local else {
            if hook.kind != HookKind::Created {
                return wrong(format!("{:?} before it was created", hook.kind));
            }
            return Ok(Some(RelationState {
                relation: hook.relation,
                ..RelationState::default()
            }));
        };
        if let Some(pending) = &state.changed_pending
            && (hook.kind != HookKind::Changed || hook.unit.as_ref() != Some(pending))
        {
            return wrong(format!(
                "{:?} between joined and changed of {pending}",
                hook.kind
            ));
        }
        match (hook.kind, &hook.unit, &hook.application) {
            (HookKind::Created, ..) => wrong("created twice".to_owned()),
            (HookKind::Joined, Some(unit), _) => {
                if state.members.insert(unit.clone(), hook.version).is_some() {
                    return wrong(format!("{unit} joined twice"));
                }
                state.changed_pending = Some(unit.clone());
                Ok(Some(state))
            }
            (HookKind::Changed, Some(unit), _) => {
                if state.members.insert(unit.clone(), hook.version).is_none() {
                    return wrong(format!("settings of {unit} changed, which never joined"));
                }
                state.changed_pending = None;
                Ok(Some(state))
            }
            (HookKind::Changed, None, Some(application)) => {
                state.applications.insert(application.clone(), hook.version);
                Ok(Some(state))
            }
            (HookKind::Departed, Some(unit), _) => {
                if state.members.remove(unit).is_none() {
                    return wrong(format!("{unit} departed, which never joined"));
                }
                Ok(Some(state))
            }
            (HookKind::Broken, ..) if state.members.is_empty() => Ok(None),
            (HookKind::Broken, ..) => wrong("broken with members left".to_owned()),
            (kind, ..) => wrong(format!("{kind:?} of nobody")),
        }
    }
}
