//! Charms in Rust.
//!
//! A charm is a type that implements [`Charm`]: one method per hook, all of them optional. What it is
//! called, its options, endpoints and the rest stand in `charmcraft.yaml` beside `Cargo.toml`, and there
//! alone: [`macro@charm`] makes of that file and of the methods what the host asks for, and
//! [`macro@Options`] holds the struct of the configuration against it. Where the two differ, the charm does
//! not compile, and the error says what to write.
//!
//! ```ignore
//! #[derive(Deserialize, Options)]
//! struct Config {
//!     greeting: String,
//! }
//!
//! #[periapt_charm::charm]
//! impl Charm for Hello {
//!     type Config = Config;
//!
//!     fn config_changed(&mut self, context: &Context<Config>) -> Result<()> {
//!         context.set_status(Status::active(context.config()?.greeting))
//!     }
//! }
//! ```
//!
//! The examples below have no such file and write the lists by hand, as a charm may. Each
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
//! # Actions and commands
//!
//! An operator may ask a unit for something: for an action, `periapt run hello/0 greet name=Ada`, or
//! for a command, `periapt exec --unit hello/0 -- list`. A charm lists methods of its own as
//! [`Charm::ACTIONS`] and [`Charm::COMMANDS`]; parameters and results of actions are structs, from
//! which `actions.yaml` is made ([`testing::check_actions_yaml`]). What they change is committed as
//! that of a hook is.
//!
//! ```
//! use periapt_charm::testing::json;
//! use periapt_charm::{Action, Charm, Command, Context, Hook, Result};
//! use schemars::JsonSchema;
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(Deserialize, JsonSchema)]
//! #[serde(rename_all = "kebab-case", deny_unknown_fields)]
//! struct Greet {
//!     /// Who is greeted.
//!     name: String,
//!     /// How many times.
//!     #[serde(default = "once")]
//!     #[schemars(range(min = 1, max = 9))]
//!     times: u32,
//! }
//!
//! fn once() -> u32 {
//!     1
//! }
//!
//! #[derive(Serialize)]
//! #[serde(rename_all = "kebab-case")]
//! struct Greeted {
//!     so_far: u32,
//! }
//!
//! #[derive(Default)]
//! struct Hello;
//!
//! impl Hello {
//!     fn greet(&mut self, context: &Context<()>, greet: Greet) -> Result<Greeted> {
//!         for _ in 0..greet.times {
//!             context.task().log(&format!("Good morning, {}.", greet.name))?;
//!         }
//!         let so_far = context.state().get::<u32>("greeted")?.unwrap_or(0) + greet.times;
//!         context.state().set("greeted", &so_far)?;
//!         Ok(Greeted { so_far })
//!     }
//!
//!     fn list(&mut self, context: &Context<()>, arguments: &[String]) -> Result<u8> {
//!         if !arguments.is_empty() {
//!             eprintln!("usage: list");
//!             return Ok(2);
//!         }
//!         println!("{}", context.state().get::<u32>("greeted")?.unwrap_or(0));
//!         Ok(0)
//!     }
//! }
//!
//! impl Charm for Hello {
//!     type Config = ();
//!     const HOOKS: &'static [Hook] = &[];
//!     const ACTIONS: &'static [Action<Self>] =
//!         &[Action::new("greet", "Says good morning.", &Self::greet)];
//!     const COMMANDS: &'static [Command<Self>] = &[Command::new("list", &Self::list)];
//! }
//!
//! let mut harness = periapt_charm::testing::Harness::<Hello>::new();
//! let answer = harness.run_action("greet", json!({"name": "Ada"})).expect("succeeds");
//! assert_eq!(answer.results, json!({"so-far": 1}));
//! assert_eq!(answer.log, ["Good morning, Ada."]);
//! let ended = harness.run_command("list", &["--all"]).expect("runs");
//! assert_eq!(ended.return_code, 2);
//! ```
//!
//! # Secrets
//!
//! What only some may read goes into a secret: [`Context::add_secret`] says its id, which may be published
//! in a relation, and [`Secret::grant`] lets the other end read it.
//!
//! ```
//! use periapt_charm::{
//!     Charm, Context, Hook, Result, RotatePolicy, SecretEvent, SecretOptions, SecretOwner, generated,
//!     secret_values,
//! };
//!
//! #[derive(Default)]
//! struct Door;
//!
//! impl Charm for Door {
//!     type Config = ();
//!     const HOOKS: &'static [Hook] = &[Hook::Install, Hook::SecretRotate];
//!
//!     fn install(&mut self, context: &Context<()>) -> Result<()> {
//!         let code = generated(8)?;
//!         let options = SecretOptions::labelled("code").rotate(RotatePolicy::Daily);
//!         context.add_secret(SecretOwner::Unit, &secret_values([("code", code.as_str())]), &options)?;
//!         Ok(())
//!     }
//!
//!     fn secret_rotate(&mut self, context: &Context<()>, event: &SecretEvent) -> Result<()> {
//!         let code = generated(8)?;
//!         context.secret(&event.id).set(&secret_values([("code", code.as_str())]))
//!     }
//! }
//!
//! let mut harness = periapt_charm::testing::Harness::<Door>::new();
//! harness.run(Hook::Install).expect("the hook succeeds");
//! let id = harness.secrets().remove(0);
//! let before = harness.secret_values(&id);
//! harness.rotate_secret(&id).expect("the hook succeeds");
//! assert_ne!(harness.secret_values(&id), before);
//! ```
//!
//! # Storage
//!
//! A directory that may outlive the unit is declared under `storage` in the charm's metadata and listed in
//! [`Charm::STORAGE`]. What is written there is there at once, whatever becomes of the hook.
//!
//! ```
//! use periapt_charm::{Charm, Context, Hook, Result, Status, StorageEvent};
//!
//! #[derive(Default)]
//! struct Diary;
//!
//! impl Charm for Diary {
//!     type Config = ();
//!     const HOOKS: &'static [Hook] = &[Hook::UpdateStatus];
//!     const STORAGE: &'static [&'static str] = &["pages"];
//!
//!     fn storage_attached(&mut self, context: &Context<()>, event: &StorageEvent) -> Result<()> {
//!         std::fs::write(event.location.join("first.txt"), "Dear diary,")?;
//!         context.set_status(Status::active(format!("writes to {}", event.id)))
//!     }
//!
//!     fn update_status(&mut self, context: &Context<()>) -> Result<()> {
//!         for pages in context.storage_named("pages")? {
//!             std::fs::write(pages.location.join("today.txt"), "nothing happened")?;
//!         }
//!         Ok(())
//!     }
//! }
//!
//! let mut harness = periapt_charm::testing::Harness::<Diary>::new();
//! harness.declare_storage("pages", Some(1));
//! let pages = harness.add_storage("pages");
//! harness.attach_storage(&pages).expect("the hook succeeds");
//! assert_eq!(harness.status(), Status::active("writes to pages/0"));
//! harness.run(Hook::UpdateStatus).expect("the hook succeeds");
//! let kept = std::fs::read_to_string(harness.storage_dir(&pages).join("today.txt"));
//! assert_eq!(kept.expect("is there"), "nothing happened");
//! ```
//!
//! # Natively and as a component
//!
//! The same code builds natively, where [`testing::Harness`] stands in for the controller and
//! [`testing::Model`] for a whole model with several applications, their relations and a clock, and
//! as a WebAssembly component, where [`export!`] connects it to the world `periapt:charm`.

#![warn(missing_docs)]

// The macros name this crate as charms do, also where they are used in it.
extern crate self as periapt_charm;

mod action;
mod charm;
mod clock;
mod config;
mod context;
mod credential;
mod error;
mod event;
mod goal_state;
mod host;
mod leadership;
mod log;
mod manifest;
mod meter;
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
#[cfg(not(target_family = "wasm"))]
pub mod testing;
mod unit;
pub mod workload;
mod world;

pub use action::{Action, Command, ReturnCode, Task};
pub use charm::{Charm, dispatch, hook_names};
pub use config::Value;
pub use context::{Context, Dirs};
pub use credential::CloudAccess;
pub use error::{Error, ErrorCode, HostError, Result};
pub use event::{Event, Hook, Occasion};
pub use goal_state::{Goal, GoalState};
pub use host::{Changes, Host, HostRef};
pub use log::Level;
pub use manifest::Manifest;
pub use meter::{MeterColor, MeterStatus};
pub use network::Network;
pub use payloads::PayloadStatus;
pub use ports::{Opening, PortRange, Protocol};
pub use relation::{Bag, Relation, RelationData, RelationEvent, RelationHook, VERSION_KEY};
pub use secret::{
    RotatePolicy, Secret, SecretEvent, SecretGrant, SecretInfo, SecretMode, SecretOptions,
    SecretOwner, SecretValues, generated, secret_values,
};
pub use state::State;
pub use status::{Status, StatusKind};
pub use storage::{Storage, StorageEvent, StorageHook, StorageKind};
pub use workload::{Check, Container, Layer, Service};
#[doc(hidden)]
pub use world::{World, bindings};

pub use periapt_charm_macros::{Options, charm};

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
