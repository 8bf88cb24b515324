//! The hook transaction: what a hook asked for and what becomes true only at the commit.
//!
//! Reads see the hook's own writes; nobody else does. What was true at the last commit is fetched
//! from the agent on first use, so that a hook which asks for nothing costs nothing. Nothing here
//! talks to anybody else; dropping a transaction is how it is undone. What a commit would refuse
//! because it is too much is refused here already, while the hook runs.
//!
//! Each tool's share, with the calls it answers, is in the tool's own folder.

use serde::{Deserialize, Serialize};

use crate::at_once::AtOnce;
use crate::bounds::EFFECTS_BYTES;
use crate::effects::Effect;
use crate::{
    CallError, action, leadership, payloads, ports, reboot, relation, secret, state, storage,
    workload,
};

/// One tool's share of the transaction.
pub(crate) trait Share {
    type Changes;

    /// Bytes that its writes take in the commit.
    fn written(&self) -> usize {
        0
    }

    /// What the commit has to do; writes that change nothing are left out.
    fn into_changes(self) -> Self::Changes;
}

macro_rules! tools {
    ($d:tt $($(#[$meta:meta])* $tool:ident: $share:ty => $changes:ty,)*) => {
        /// Hands the names of all tools that have effects to a macro of the caller's, in the order in
        /// which effects become true. So who carries them out has no list of its own.
        #[macro_export]
        macro_rules! each_tool {
            ($d then:ident) => {
                $d then! { $($tool)* }
            };
        }

        /// Effects of one hook, buffered.
        #[derive(Debug, Default)]
        pub struct HookTxn {
            $(pub(crate) $tool: $share,)*
            pub(crate) at_once: AtOnce,
        }

        /// All effects of one hook.
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
        pub struct Effects {
            $($(#[$meta])* pub $tool: $changes,)*
        }

        impl HookTxn {
            /// What the commit has to do.
            pub fn into_effects(self) -> Effects {
                Effects { $($tool: self.$tool.into_changes(),)* }
            }

            fn written(&self) -> usize {
                0 $(+ self.$tool.written())*
            }
        }

        impl Effects {
            fn each(&self) -> impl Iterator<Item = &dyn Effect> {
                [$(&self.$tool as &dyn Effect,)*].into_iter()
            }
        }
    };
}

// The tools that have a share, in the order in which people read of their effects and they become true.
tools! {
    $
    #[serde(flatten)]
    ports: ports::Ports => ports::Changes,
    /// Charm state.
    #[serde(default, skip_serializing_if = "Effect::changes_nothing")]
    state: state::State => state::Changes,
    /// Settings of relations, by the relation's number.
    #[serde(default, skip_serializing_if = "Effect::changes_nothing")]
    relations: relation::Relations => relation::Changes,
    /// What the leader tells the other units of its application.
    #[serde(default, skip_serializing_if = "Effect::changes_nothing")]
    leader: leadership::Told => leadership::Changes,
    /// What secrets there are and who may read them.
    #[serde(default, skip_serializing_if = "Effect::changes_nothing")]
    secrets: secret::Secrets => secret::Changes,
    /// What storage the unit is given in addition.
    #[serde(default, skip_serializing_if = "Effect::changes_nothing")]
    storage: storage::Storages => storage::Changes,
    /// What is to become of the unit's containers.
    #[serde(default, skip_serializing_if = "Effect::changes_nothing")]
    workload: workload::Workloads => workload::Changes,
    /// What the charm says that it runs by itself.
    #[serde(default, skip_serializing_if = "Effect::changes_nothing")]
    payloads: payloads::Payloads => payloads::Changes,
    /// Whether the machine is to start afresh.
    #[serde(default, skip_serializing_if = "Effect::changes_nothing")]
    reboot: reboot::Reboot => reboot::Changes,
    /// What an action answers.
    #[serde(default, skip_serializing_if = "Effect::changes_nothing")]
    action: action::Answer => action::Outcome,
}

impl HookTxn {
    /// The bytes that a share may take in the commit of which `own` are its own by now.
    pub(crate) fn room(&self, own: usize) -> usize {
        EFFECTS_BYTES.length().saturating_sub(self.written() - own)
    }
}

impl Effects {
    pub fn is_empty(&self) -> bool {
        self.each().all(Effect::changes_nothing)
    }

    /// Whether something in them is the leader's alone to change.
    pub fn needs_leadership(&self) -> bool {
        self.each().any(Effect::needs_leadership)
    }

    /// What they change, for a person.
    pub fn in_words(&self) -> Vec<String> {
        self.each().flat_map(Effect::words).collect()
    }
}

/// Refuses writes that one commit does not hold.
pub(crate) fn require_room(written: usize, room: usize) -> Result<(), CallError> {
    if written <= room {
        return Ok(());
    }
    Err(CallError::limit(format!(
        "the hook would change more than the {} bytes of state and settings that one hook may; change the rest in a later one",
        EFFECTS_BYTES.most
    )))
}
