//! Charms that try to harm: each gets a failed hook with a plain message, and its neighbours
//! do not notice.

mod connections;
mod deep;
mod flood;
mod runner;
mod secrets;
mod shared;
mod slots;
mod text;
mod uploads;
mod walls;

use periapt_tests::{Home, charm};

/// What a hook may use where attacks are to end soon.
const LIMITS: [&str; 5] = [
    "wall-clock-ms=3000",
    "memory-bytes=33554432",
    "output-bytes=65536",
    "host-calls=5000",
    "state-directory-bytes=1048576",
];

/// A home with a well-behaved neighbour and short limits.
fn home() -> anyhow::Result<Home> {
    home_with(LIMITS)
}

/// The same with other limits.
fn home_with(limits: [&str; 5]) -> anyhow::Result<Home> {
    let home = Home::new()?;
    let limits: Vec<&str> = limits
        .into_iter()
        .flat_map(|limit| ["--limits", limit])
        .collect();
    home.bootstrap_with(&limits)?;
    home.ok(["model-config", "automatically-retry-hooks=false"])?;
    home.ok(["deploy", &charm("site").display().to_string(), "neighbour"])?;
    home.until_workload("neighbour/0", "active")?;
    Ok(home)
}
