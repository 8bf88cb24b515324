//! The relation interface `http-site`, shared by the charms at both of its ends.
//!
//! Each unit of a site publishes what it has, a [`Website`]; the leader
//! publishes the [`Title`] that all of them have. To change the interface, add a field with
//! `#[serde(default)]` and raise the version: the other end may be older or newer.

use periapt_charm::RelationData;
use serde::{Deserialize, Serialize};

/// The endpoint of a site.
pub const ENDPOINT: &str = "website";

/// What one unit of a site has, in its own bag.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Website {
    pub title: String,
    /// How many pages it has.
    pub pages: u32,
    /// Where its front page is, for who asks the host.
    pub path: String,
    /// The name under which an exposed site answers, without a port: `docs.demo.localhost`.
    #[serde(default)]
    pub host: String,
    /// Where the unit answers units that are related to it.
    #[serde(default = "port")]
    pub port: u16,
    /// The version of the charm that rendered it.
    #[serde(default)]
    pub version: String,
}

impl RelationData for Website {
    const VERSION: u32 = 2;
}

/// What sites answered at before they said so.
fn port() -> u16 {
    80
}

/// What the site as a whole is called, in the bag of its application.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Title {
    pub title: String,
}

impl RelationData for Title {
    const VERSION: u32 = 1;
}
