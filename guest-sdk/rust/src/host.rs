//! What a charm may ask of the host: one trait for each tool, beside what the charm sees of it, with
//! one method per function of the world.
//!
//! Charm code does not call these; [`Context`](crate::Context) gives them types. They are the seam
//! at which the harness takes the controller's place.

/// Keys with the values they get; none deletes.
pub type Changes = [(String, Option<String>)];

macro_rules! host {
    ($($tool:ident::$host:ident),*) => {
        /// The host of a hook.
        pub trait Host: $(crate::$tool::$host +)* {}

        impl<T: $(crate::$tool::$host +)*> Host for T {}
    };
}

/// The host of the hook that runs: natively any, so that the harness can take the controller's place.
#[cfg(not(target_family = "wasm"))]
pub type HostRef<'a> = &'a dyn Host;

/// The host of the hook that runs. It is no trait object in a component: a table of all methods would make every
/// component import the whole contract, and what a charm imports is what it has to declare.
#[cfg(target_family = "wasm")]
pub type HostRef<'a> = &'a crate::World;

host!(
    action::ActionHost,
    clock::ClockHost,
    config::ConfigHost,
    credential::CredentialHost,
    goal_state::GoalStateHost,
    leadership::LeadershipHost,
    log::LogHost,
    metrics::MetricsHost,
    network::NetworkHost,
    payloads::PayloadsHost,
    ports::PortsHost,
    reboot::RebootHost,
    relation::RelationHost,
    resources::ResourcesHost,
    secret::SecretHost,
    state::StateHost,
    status::StatusHost,
    storage::StorageHost,
    unit::UnitHost,
    workload::WorkloadHost
);
