//! From a charm's source to a `.charm` archive: new projects, with the SDK that they need, their native tests, the
//! build to a WebAssembly component, what is declared against what is answered, the archive.
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
mod lint;
mod native;
mod pack;
mod project;
pub mod sdk;
mod servers;
mod template;
pub mod toolchain;

pub use build::{BuildReport, Options, build};
pub use component::{Inspection, componentize, inspect};
pub use error::PackingError;
pub use init::{InitOptions, InitReport, init};
pub use lint::{Finding, Severity, lint};
pub use native::{TestOptions, has_scenarios, test, test_scenarios};
pub use pack::{PackReport, pack};
pub use project::manifest;
pub use servers::{never_asked, when};
pub use template::Template;
