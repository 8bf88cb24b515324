//! Login of agents and people on a websocket (`Admin` version 3).

use periapt_model::Tag;
use serde::{Deserialize, Serialize};

use crate::access::{Effect, Visitor};

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Login {
    #[serde(default)]
    pub auth_tag: Option<String>,
    /// Password of an agent or person, or a bearer token of a person.
    #[serde(default)]
    pub credentials: Option<String>,
    #[serde(default)]
    pub client_version: Option<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct LoginResult {
    pub controller_tag: Tag,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_tag: Option<Tag>,
    pub server_version: String,
}

impl crate::Call for Login {
    const FACADE: &'static str = "Admin";
    const VERSION: u32 = 3;
    const METHOD: &'static str = "Login";
    const FIELDS: &'static [&'static str] = &["auth_tag", "credentials", "client_version"];
    const VISITOR: Visitor = Visitor::Anyone;
    const EFFECT: Effect = Effect::Tell;
    type Reply = LoginResult;
}
