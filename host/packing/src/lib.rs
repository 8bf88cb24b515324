//! From a charm's source to a `.charm` archive: new projects, the build to a WebAssembly
//! component, the archive.
//!
//! A guest needs a Rust standard library for Wasm, and machines differ in what they have.
//! [`toolchain::detect`] finds a way without changing anything: it installs no target and no
//! toolchain. Guests build in a target folder of their own, because their compiler may be
//! another than the host's. What comes out is checked here for what the controller would
//! refuse, so that an author hears of it before an upload.
//!
//! This room runs the compiler and writes files; it never talks to a controller and never
//! runs a guest.

mod build;
mod component;
mod error;
mod init;
mod pack;
mod project;
mod servers;
mod template;
pub mod toolchain;

pub use build::{BuildReport, Options, build};
pub use component::{Inspection, componentize, inspect};
pub use error::PackingError;
pub use init::{InitOptions, InitReport, init};
pub use pack::{PackReport, pack};
pub use project::manifest;
pub use servers::{never_asked, when};
pub use template::Template;
