//! The facades with Juju's names, versions and shapes, which Juju's clients call: one module each.
//!
//! A facade is declared here once ([`facade!`](crate::facade!)), with its versions, with whom it is for and
//! what each call does. Members are spelled as Juju spells them. What no client of Juju's would ask for is
//! refused by a test, which goes by [`NAMES`].

pub mod admin;
pub mod pinger;

#[cfg(test)]
mod tests;

/// The facades of Juju 3.6.14 and what its clients watch with: name, the versions that clients of these
/// days accept, and the methods, as in `Pinger 1: Ping Stop`. A method that only an earlier version had is
/// added with the facade that serves it.
pub const NAMES: &str = include_str!("juju/names.txt");

/// Whether Juju has a facade of this name in this version, with this method.
#[must_use]
pub fn has(facade: &str, version: u32, method: &str) -> bool {
    let rows = NAMES.lines().filter_map(|row| row.split_once(':'));
    rows.filter_map(|(of, methods)| Some((of.split_once(' ')?, methods)))
        .any(|((name, versions), methods)| {
            let mut versions = versions.split(' ');
            name == facade
                && versions.any(|known| known.parse() == Ok(version))
                && methods.split_whitespace().any(|known| known == method)
        })
}
