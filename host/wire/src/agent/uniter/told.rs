//! What the controller says of a unit, and how little of it has to be said again.
//!
//! A hook that changes nothing leaves everything as its agent knows it, so both sides name it by a
//! digest, and what is the same does not travel.

use periapt_model::charm::Capability;
use periapt_model::config::Values;
use periapt_model::quota::Meter;
use periapt_model::status::{Status, Workload};
use periapt_model::uniter::RemoteState;
use periapt_model::{Digest, MachineId, UnitName};
use serde::{Deserialize, Serialize};

/// What the controller says of a unit at one moment.
#[derive(Clone, Debug, PartialEq)]
pub struct Told {
    /// Versions and leadership are filled in by the agent.
    pub remote: RemoteState,
    pub view: HookView,
    /// The effective configuration; none where the agent has it already.
    pub config: Option<Values>,
}

/// What a hook sees of the model beside the configuration, its relations and what the unit itself
/// has committed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct HookView {
    pub machine: Option<MachineId>,
    pub principal: Option<UnitName>,
    pub private_address: Option<String>,
    pub public_address: Option<String>,
    pub workload: Status<Workload>,
    /// What a leader set for the application; none while none has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub application: Option<Status<Workload>>,
    /// The workload's version, if the unit and its application show the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workload_version: Option<String>,
    /// What the unit is told of its quotas; none while that is nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meter: Option<Meter>,
    /// Whether an operator trusts the application with the cloud's credential.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub trusted: bool,
    /// What its charm declares and the application does not have.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub withheld: Vec<Capability>,
}

/// Digests of what the agent has; empty where it has nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct Known {
    #[serde(skip_serializing_if = "String::is_empty")]
    pub remote: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub view: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub config: String,
}

impl Known {
    /// Of a remote state, without what only the agent knows.
    pub fn of_remote(remote: &RemoteState) -> String {
        let RemoteState {
            life,
            resolved,
            charm_url,
            charm_modified_version,
            force_charm_upgrade,
            config_hash,
            relations,
            leader_settings_version,
            task,
            secrets,
            reboots,
            reboot_wanted,
            storage,
            // They are others only where what they are of is.
            causes: _,
            leader: _,
            retry_hook_version: _,
            update_status_version: _,
        } = remote;
        digest(&(
            life,
            resolved,
            charm_url,
            charm_modified_version,
            force_charm_upgrade,
            config_hash,
            relations,
            leader_settings_version,
            task,
            secrets,
            reboots,
            reboot_wanted,
            storage,
        ))
    }

    pub fn of_view(view: &HookView) -> String {
        digest(view)
    }
}

/// Of what cannot be written nothing is known.
fn digest(value: &impl Serialize) -> String {
    serde_json::to_vec(value)
        .map(|text| Digest::of(text).to_string())
        .unwrap_or_default()
}

/// What the controller says, as far as the agent does not know it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct News {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remote: Option<RemoteState>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub view: Option<HookView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub config: Option<Values>,
}

impl Told {
    /// What of this is news to who knows `known`.
    pub fn beyond(self, known: &Known) -> News {
        let Told {
            remote,
            view,
            config,
        } = self;
        News {
            remote: (Known::of_remote(&remote) != known.remote).then_some(remote),
            view: (Known::of_view(&view) != known.view).then_some(view),
            config,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use periapt_model::Life;
    use periapt_model::secret::DueSecrets;
    use periapt_model::uniter::Resolved;

    use super::*;

    fn told() -> Told {
        Told {
            remote: RemoteState {
                life: Life::Alive,
                resolved: Resolved::None,
                charm_url: "local:site-0".to_owned(),
                charm_modified_version: 0,
                force_charm_upgrade: false,
                config_hash: "config".to_owned(),
                relations: BTreeMap::new(),
                leader_settings_version: 0,
                leader: false,
                retry_hook_version: 0,
                update_status_version: 0,
                task: None,
                secrets: DueSecrets::default(),
                reboots: 0,
                reboot_wanted: false,
                storage: BTreeMap::new(),
                causes: Default::default(),
            },
            view: HookView {
                machine: None,
                principal: None,
                private_address: None,
                public_address: None,
                workload: Status::new(Workload::Active, ""),
                application: None,
                workload_version: None,
                meter: None,
                trusted: false,
                withheld: Vec::new(),
            },
            config: None,
        }
    }

    fn known(told: &Told) -> Known {
        Known {
            remote: Known::of_remote(&told.remote),
            view: Known::of_view(&told.view),
            config: told.remote.config_hash.clone(),
        }
    }

    #[test]
    fn what_is_known_is_no_news() {
        let first = told().beyond(&Known::default());
        assert_eq!(first.remote, Some(told().remote));
        assert_eq!(first.view, Some(told().view));
        assert_eq!(told().beyond(&known(&told())), News::default());
        let mut of_agent = told();
        of_agent.remote.leader = true;
        of_agent.remote.update_status_version = 7;
        let same = told().beyond(&known(&of_agent));
        assert_eq!(same, News::default(), "what only the agent knows");
    }

    #[test]
    fn only_what_differs_is_news() {
        let known = known(&told());
        let mut answered = told();
        answered.remote.resolved = Resolved::RetryHooks;
        let news = answered.beyond(&known);
        assert!(news.remote.is_some() && news.view.is_none());
        let mut waiting = told();
        waiting.view.workload = Status::new(Workload::Waiting, "");
        let news = waiting.beyond(&known);
        assert!(news.remote.is_none() && news.view.is_some());
    }
}
