//! What `cargo xtask` shares with the whole-system suites: Debian packages, a PostgreSQL server for
//! the length of a test, and running other programs. It knows nothing of Periapt.

pub mod packages;
pub mod postgres;
pub mod run;
