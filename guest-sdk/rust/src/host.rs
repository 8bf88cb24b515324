//! What a charm may ask of the host: one trait for each tool, beside what the charm sees of it, with
//! one method per function of the world.
//!
//! Charm code does not call these; [`Context`](crate::Context) gives them types. They are the seam
//! at which the harness takes the controller's place.

use crate::action::ActionHost;
use crate::config::ConfigHost;
use crate::goal_state::GoalStateHost;
use crate::leadership::LeadershipHost;
use crate::log::LogHost;
use crate::metrics::MetricsHost;
use crate::network::NetworkHost;
use crate::ports::PortsHost;
use crate::relation::RelationHost;
use crate::resources::ResourcesHost;
use crate::state::StateHost;
use crate::status::StatusHost;
use crate::unit::UnitHost;
use crate::workload::WorkloadHost;

/// Keys with the values they get; none deletes.
pub type Changes = [(String, Option<String>)];

macro_rules! host {
    ($first:ident $(, $tool:ident)*) => {
        /// The host of a hook.
        pub trait Host: $first $(+ $tool)* {}

        impl<T: $first $(+ $tool)*> Host for T {}
    };
}

host!(
    ActionHost,
    ConfigHost,
    GoalStateHost,
    LeadershipHost,
    LogHost,
    MetricsHost,
    NetworkHost,
    PortsHost,
    RelationHost,
    ResourcesHost,
    StateHost,
    StatusHost,
    UnitHost,
    WorkloadHost
);
