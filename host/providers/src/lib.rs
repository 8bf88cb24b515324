//! Providers give and take back machines.
//!
//! A provider owns the instances behind one environment: it starts them, stops them, says which
//! there are, and in the end removes everything it ever made there. What an instance is depends
//! on the provider: for [`local`] it is a place in an agent process on this very machine. What a
//! program has is in its registry, [`Providers`], by the kind of cloud.
//!
//! A provider never knows what its instances are for. It is handed plain values, a name and the
//! bytes of an agent's configuration, and hands back plain values. It never decides when to
//! start, retry or harvest: that is the work of the provisioner. A new provider is one folder
//! that implements [`Provider`] and [`Environments`] and passes [`suite`].

mod error;
pub mod local;
pub mod mountinfo;
mod provider;
mod registry;
#[cfg(any(test, feature = "testing"))]
pub mod suite;
#[cfg(test)]
mod tests;

pub use error::ProviderError;
pub use provider::{
    Applied, Filesystem, Filesystems, Firewall, Instance, InstanceId, InstanceState, Provider,
    SharedAgent, StartInstance, UpgradeOp,
};
pub use registry::{Environments, Providers};
