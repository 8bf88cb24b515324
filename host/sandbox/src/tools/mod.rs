//! The hook tools: one file for each interface of the world, with its rows in the table of tools, what
//! an agent answers for it, and the host's side of its calls.
//!
//! A tool that changes something when the hook is committed has its rules in the folder of the same
//! name in `host/contract`, where the author's harness finds them as well; the file here only
//! translates. What a component may import follows from the table, and so does
//! `docs/reference/hook-tools.md`. A test holds the table against the WIT.

mod action;
mod config;
mod credential;
mod goal_state;
mod leadership;
mod log;
mod metrics;
mod network;
mod payloads;
mod ports;
mod reboot;
mod relation;
mod resources;
mod secret;
mod state;
mod status;
mod storage;
#[cfg(test)]
mod tests;
mod unit;
mod workload;

pub use credential::CloudAccess;
pub use goal_state::{Goal, Goals};
pub use log::{LogLevel, Output};
pub use network::Network;

use std::time::Duration;

use wasmtime::component::{HasSelf, Linker};

use crate::wait::Cancelled;
use crate::world::HookState;

macro_rules! tools {
    ($d:tt $($tool:ident: $answers:ident,)*) => {
        /// What agents answer: each tool's trait, which is in the tool's file or, for one with rules
        /// in `host/contract`, there.
        pub mod answers {
            $(pub use super::$tool::$answers;)*
        }

        /// Hands the names of all these traits to a macro of the caller's. So an agent that answers
        /// next to nothing has no list of what it does not answer.
        #[macro_export]
        macro_rules! each_answers {
            ($d then:ident) => {
                $d then! { $($answers)* }
            };
        }

        /// The table, in the order of the documentation.
        const ALL: &[&[Tool]] = &[$($tool::TOOLS,)*];

        /// What an agent provides to a running hook: for each tool its answers, which are facts or
        /// the few calls that take effect at once. What is not written refuses.
        ///
        /// Methods are synchronous and may block (the hook runs on a thread for blocking work, with
        /// the runtime of its caller entered but not driven, so `Handle::block_on` is allowed). They
        /// are called from one thread at a time, on a stack of a few MiB. Limits, budgets and the
        /// buffering of effects are not their concern: that is done before they are reached. A
        /// method that does not return holds the hook beyond its deadline, so calls to the
        /// controller need one of their own.
        pub trait HookContext: Send $(+ answers::$answers)* {
            /// How long the hook has waited until it could go on, with what its calls had found, after it
            /// slept or let others on, because other hooks were at work. It is no part of the hook's time
            /// limit.
            fn waited(&self) -> Duration {
                Duration::ZERO
            }

            /// Called every few milliseconds while the guest computes: others may be before it now, for
            /// whom it waits here.
            fn lets_others_on(&mut self) {}

            /// Called before the guest's thread sleeps, since the guest waits for a clock.
            fn rests(&mut self) {}

            /// Called before the guest goes on after that, for which it may have to wait here.
            fn goes_on(&mut self) {}

            /// The hook that this is the restricted context of: in it tools that change something or
            /// tell of the model refuse, since it runs beside the hooks that are committed.
            fn restricted_to(&self) -> Option<&'static str> {
                None
            }

            /// Why an interface that has to be granted may not be called, in a sentence for the operator; none of one
            /// that may. Asked before each call, so nothing of the tool itself has to know.
            fn withheld(&self, _interface: &str) -> Option<String> {
                None
            }

            /// Whether the guest is to be stopped, since nobody wants its result any more. Asked at each
            /// call and every few milliseconds while it computes.
            fn is_cancelled(&self) -> bool {
                false
            }

            /// Wakes a guest that waits once it is cancelled; none of one that never is.
            fn cancelled(&self) -> Option<Cancelled> {
                None
            }
        }

        $(impl answers::$answers for Nobody {})*

        /// Links all interfaces. Each call says of which one it is, so that what may be called is decided in one
        /// place for all of them.
        pub(crate) fn link(linker: &mut Linker<HookState>) -> wasmtime::Result<()> {
            $(crate::world::periapt::charm::$tool::add_to_linker::<_, HasSelf<HookState>>(
                linker,
                |state| state.called(stringify!($tool)),
            )?;)*
            Ok(())
        }
    };
}

tools! {
    $
    action: ActionAnswers,
    config: ConfigAnswers,
    credential: CredentialAnswers,
    goal_state: GoalStateAnswers,
    leadership: LeadershipAnswers,
    log: LogAnswers,
    metrics: MetricsAnswers,
    network: NetworkAnswers,
    payloads: PayloadsAnswers,
    ports: PortsAnswers,
    reboot: RebootAnswers,
    relation: RelationAnswers,
    resources: ResourcesAnswers,
    secret: SecretAnswers,
    state: StateAnswers,
    status: StatusAnswers,
    storage: StorageAnswers,
    unit: UnitAnswers,
    workload: WorkloadAnswers,
}

/// The context of no unit, in which every tool refuses: no hook runs while it is asked.
pub(crate) struct Nobody;

impl HookContext for Nobody {}

/// One row: a function of the world, and what is known of it.
pub struct Tool {
    /// As charms call it under Juju: a hook tool, or a variable.
    pub juju: &'static str,
    pub interface: &'static str,
    pub function: &'static str,
    pub when: When,
    pub who: Permission,
}

/// When a call changes something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// Never.
    Read,
    /// At once, also when the hook fails later.
    AtOnce,
    /// When the hook is committed.
    AtCommit,
}

/// Whose units may call it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Permission {
    Everybody,
    Leader,
    /// What concerns the settings of its own application is the leader's.
    LeaderForApplication,
    /// In the hook `collect-metrics`, and in no other.
    InCollectMetrics,
    /// In an action or a command, and in no hook.
    InAction,
    /// Of applications that an operator trusts.
    Trusted,
    /// In a hook, and in no action or command.
    InHook,
}

impl Tool {
    const fn new(
        juju: &'static str,
        interface: &'static str,
        function: &'static str,
        when: When,
        who: Permission,
    ) -> Self {
        Self {
            juju,
            interface,
            function,
            when,
            who,
        }
    }
}

/// All rows.
pub fn hook_tools() -> impl Iterator<Item = &'static Tool> {
    ALL.iter().copied().flatten()
}

/// Whether a charm may import this interface of the world.
pub(crate) fn knows(interface: &str) -> bool {
    // Types alone: there is nothing to call.
    interface == "types" || hook_tools().any(|tool| tool.interface == interface)
}
