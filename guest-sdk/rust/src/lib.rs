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
//! The same code builds natively, where [`testing::Harness`] stands in for the controller, and
//! as a WebAssembly component, where [`export!`] connects it to the world `periapt:charm`.

mod charm;
mod config;
mod context;
mod error;
mod event;
mod host;
mod log;
mod ports;
mod state;
mod status;
#[cfg(not(target_family = "wasm"))]
pub mod testing;
mod world;

pub use charm::{Charm, dispatch};
pub use config::Value;
pub use context::{Context, Dirs};
pub use error::{Error, ErrorCode, HostError, Result};
pub use event::{Event, Hook};
pub use host::Host;
pub use log::Level;
pub use ports::{PortRange, Protocol};
pub use state::State;
pub use status::{Status, StatusKind};
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
                    <$charm as $crate::Charm>::HOOKS
                        .iter()
                        .map(|hook| hook.as_str().into())
                        .collect()
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
