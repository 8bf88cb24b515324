//! Charms in Rust.
//!
//! A charm is a type that implements [`Charm`]: one method per hook, all of them optional. Each
//! hook runs in a sandbox of its own, made for it and thrown away after it, so a charm keeps
//! nothing in memory between hooks; what must last goes into [`State`] or into files below
//! [`Context::state_dir`]. Everything a hook asks for is held back until it returns `Ok` and
//! then becomes true at once; a hook that fails leaves only its status, its workload version
//! and its log lines.
//!
//! ```
//! use periapt_charm::{Charm, Context, Hook, Result, Status};
//!
//! #[derive(serde::Deserialize)]
//! struct Config {
//!     greeting: String,
//! }
//!
//! #[derive(Default)]
//! struct Hello;
//!
//! impl Charm for Hello {
//!     type Config = Config;
//!     const HOOKS: &'static [Hook] = &[Hook::ConfigChanged];
//!
//!     fn config_changed(&mut self, context: &Context<Config>) -> Result<()> {
//!         let config = context.config()?;
//!         std::fs::write(context.state_dir().join("greeting.txt"), &config.greeting)?;
//!         context.set_status(Status::active(config.greeting))
//!     }
//! }
//!
//! periapt_charm::export!(Hello);
//!
//! let mut harness = periapt_charm::testing::Harness::<Hello>::new();
//! harness.set_config("greeting", "good morning");
//! harness.run(Hook::ConfigChanged).expect("the hook succeeds");
//! assert_eq!(harness.status(), Status::active("good morning"));
//! ```
//!
//! # Relations
//!
//! A charm lists its endpoints in [`Charm::ENDPOINTS`] and implements the hooks of relations it
//! cares for. What both ends say to each other is a struct: see [`RelationData`].
//!
//! ```
//! use periapt_charm::{Charm, Context, Hook, RelationData, RelationEvent, Result, Status};
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(Serialize, Deserialize)]
//! struct Greeting {
//!     text: String,
//! }
//!
//! impl RelationData for Greeting {}
//!
//! #[derive(Default)]
//! struct Listener;
//!
//! impl Charm for Listener {
//!     type Config = ();
//!     const HOOKS: &'static [Hook] = &[];
//!     const ENDPOINTS: &'static [&'static str] = &["greeter"];
//!
//!     fn relation_changed(&mut self, context: &Context<()>, event: &RelationEvent) -> Result<()> {
//!         let relation = context.relation(event);
//!         let said = relation.units_data::<Greeting>()?;
//!         let texts: Vec<String> = said.into_values().map(|greeting| greeting.text).collect();
//!         context.set_status(Status::active(texts.join(", ")))
//!     }
//! }
//!
//! let mut harness = periapt_charm::testing::Harness::<Listener>::new();
//! let relation = harness.add_relation("greeter", "hello").expect("succeeds");
//! harness.set_data(&relation, "hello/0", &Greeting { text: "good morning".into() });
//! harness.join(&relation, "hello/0").expect("the hooks succeed");
//! assert_eq!(harness.status(), Status::active("good morning"));
//! ```
//!
//! # Natively and as a component
//!
//! The same code builds natively, where [`testing::Harness`] stands in for the controller, and
//! as a WebAssembly component, where [`export!`] connects it to the world `periapt:charm`.

#![warn(missing_docs)]

mod charm;
mod config;
mod context;
mod error;
mod event;
mod goal_state;
mod host;
mod leadership;
mod log;
mod meter;
mod metrics;
mod network;
mod ports;
mod relation;
mod state;
mod status;
#[cfg(not(target_family = "wasm"))]
pub mod testing;
mod unit;
pub mod workload;
mod world;

pub use charm::{Charm, dispatch, hook_names};
pub use config::Value;
pub use context::{Context, Dirs};
pub use error::{Error, ErrorCode, HostError, Result};
pub use event::{Event, Hook, Occasion};
pub use goal_state::{Goal, GoalState};
pub use host::{Changes, Host};
pub use log::Level;
pub use meter::{MeterColor, MeterStatus};
pub use network::Network;
pub use ports::{Opening, PortRange, Protocol};
pub use relation::{Bag, Relation, RelationData, RelationEvent, RelationHook, VERSION_KEY};
pub use state::State;
pub use status::{Status, StatusKind};
pub use workload::{Check, Container, Layer, Service};
#[doc(hidden)]
pub use world::{World, bindings};

/// Makes a [`Charm`] the one this component is. Nothing happens in a native build.
#[macro_export]
macro_rules! export {
    ($charm:ty) => {
        #[cfg(target_family = "wasm")]
        const _: () = {
            struct Component;

            impl $crate::bindings::Guest for Component {
                fn hooks() -> ::std::vec::Vec<::std::string::String> {
                    $crate::hook_names::<$charm>()
                }

                fn dispatch(
                    event: $crate::bindings::Event,
                ) -> ::std::result::Result<(), ::std::string::String> {
                    $crate::World::run::<$charm>(event)
                }
            }

    $crate::bindings::export_world!(Component with_types_in $crate::bindings);
        };
    };
}
