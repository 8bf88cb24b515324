//! Login of agents and people on a websocket. What answers it is the websocket, before there is anybody who
//! could call anything.

use periapt_model::Tag;
use serde::{Deserialize, Serialize};

/// What agents read of the answer; people are told more.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct LoginResult {
    pub controller_tag: Tag,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model_tag: Option<Tag>,
    pub server_version: String,
}

crate::facade! { "Admin" 3 for Anyone {
    [Tell] Login as Login {
        #[serde(default)]
        auth_tag: Option<String>,
        /// Password of an agent or person, or a bearer token of a person.
        #[serde(default)]
        credentials: Option<String>,
        #[serde(default)]
        client_version: Option<String>,
    } -> LoginResult;
} }
