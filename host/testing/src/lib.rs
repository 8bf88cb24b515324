//! Scenarios for charm authors: the real controller and the real agents in one process, on
//! virtual time.
//!
//! A [`Scenario`] has a controller with an empty model. What a person would type is a method:
//! deploy, integrate, configure, remove. [`Scenario::until`] waits for a picture of the model,
//! and lets time pass, without waiting for it, whenever nothing else happens: five minutes until
//! the next `update-status`, or a minute until a lease is free, take milliseconds.
//!
//! ```no_run
//! # async fn story() -> Result<(), periapt_testing::ScenarioError> {
//! use periapt_testing::Scenario;
//!
//! let scenario = Scenario::start().await?;
//! scenario.deploy("charms/site.charm", "site", 2).await?;
//! scenario.until_active("site").await?;
//! assert_eq!(scenario.unit("site/0").await?.workload.message, "1 page");
//! scenario.stop().await
//! # }
//! ```
//!
//! What a charm serves is asked as a browser would ask it: [`Scenario::get`] and [`Scenario::request`] come to
//! what was exposed, and are answered by the charm's own component, in its sandbox, from the files that its
//! last hook committed.
//!
//! ```no_run
//! # async fn story(scenario: &periapt_testing::Scenario) -> Result<(), periapt_testing::ScenarioError> {
//! scenario.expose("site").await?;
//! let page = scenario.get("site", "/about.html").await?;
//! assert_eq!(page.status(), 200);
//! assert_eq!(page.headers()["content-type"], "text/html; charset=utf-8");
//! assert!(page.body().starts_with(b"<!doctype html>"));
//! # Ok(())
//! # }
//! ```
//!
//! Units run actions and commands when they are asked to, and secrets change hands, are replaced and expire as time
//! passes.
//!
//! ```no_run
//! # async fn story(scenario: &periapt_testing::Scenario) -> Result<(), periapt_testing::ScenarioError> {
//! scenario.add_secret("database", &[("password", "hush")]).await?;
//! scenario.grant_secret("database", "site").await?;
//! let task = scenario.run_action("site/0", "rebuild", Default::default()).await?;
//! assert_eq!(task.message, "");
//! scenario.update_secret("database", &[("password", "louder")]).await?;
//! assert_eq!(scenario.secret("database").await?.revisions.len(), 2);
//! # Ok(())
//! # }
//! ```
//!
//! Storage is real directories: what a unit wrote is where [`Scenario::storage_directory`] says, also when the unit is
//! gone, and the unit that it is attached to next finds it.
//!
//! ```no_run
//! # async fn story(scenario: &periapt_testing::Scenario) -> Result<(), periapt_testing::ScenarioError> {
//! scenario.add_storage("site/0", "pages", "1").await?;
//! let pages = scenario.storage_directory("pages/0").await?;
//! scenario.remove_unit("site/0", false).await?;
//! scenario.add_units("site", 1).await?;
//! scenario.attach_storage("site/1", "pages/0").await?;
//! assert!(pages.is_dir());
//! # Ok(())
//! # }
//! ```
//!
//! Nothing is simulated but time and the machines: charms run in their sandbox, commits go
//! through the store, agents speak to the controller over TLS on the loopback interface. What
//! this crate never does: it starts no process but the one that compiles a charm, and it leaves
//! nothing behind.

mod error;
mod machines;
mod operations;
mod place;
mod requests;
mod scenario;
mod secrets;
mod storage;
mod time;
mod waiting;

pub use bytes::Bytes;
pub use error::ScenarioError;
pub use hyper::{Method, Request, Response, StatusCode};
pub use scenario::Scenario;
