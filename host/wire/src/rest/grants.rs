//! What applications are granted of what their charms declare.
//!
//! | method and path | answer |
//! |---|---|
//! | `GET .../applications/{name}/grants` | [`Grants`] |
//! | `POST .../applications/{name}/grants` with [`ChangeGrants`] | [`Grants`] |
//! | `POST .../applications/{name}/grants/revoke` with [`ChangeGrants`] | [`Grants`] |
//! | `GET .../charms/{charm}/capabilities` | [`Grants`] |

use periapt_model::ApplicationName;
use periapt_model::charm::capability::grant::Standing;
use periapt_model::charm::capability::{Capability, Declared, Pattern};
use serde::{Deserialize, Serialize};

/// A capability, and whether an application has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct CapabilityGrant {
    /// Its text, such as `tools/secret`.
    #[schema(value_type = String)]
    pub capability: Capability,
    /// What the charm may do with it, in words.
    pub allows: String,
    /// The charm's reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    pub standing: Standing,
    /// Whether a component of the charm could use it; a grant that none could use can be taken back.
    pub used: bool,
    /// Who decided about it; left out where nobody did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// When that was.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        with = "periapt_model::time::micros::option"
    )]
    #[schema(value_type = Option<String>, format = DateTime)]
    pub at: Option<i64>,
}

/// Another revision of an application's charm, which waits until somebody grants what it needs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct HeldRevision {
    /// `local:site-4`
    pub charm: String,
    pub revision: u64,
    /// Who asked for it.
    pub by: String,
    #[serde(with = "periapt_model::time::micros")]
    #[schema(value_type = String, format = DateTime)]
    pub at: i64,
    /// What it waits for.
    pub awaits: Vec<Declared>,
}

/// All capabilities of an application, in their order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct Grants {
    /// Left out for a charm that is not asked about for an application.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub application: Option<ApplicationName>,
    /// The charm that declares them.
    pub charm: String,
    pub capabilities: Vec<CapabilityGrant>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held: Option<HeldRevision>,
}

/// Grants an application capabilities, or takes them back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct ChangeGrants {
    /// As its charm declares them, `tools/credential`, or with `*`.
    #[schema(value_type = Vec<String>)]
    pub capabilities: Vec<Pattern>,
}

/// For whom a charm's capabilities are looked at.
#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::ToSchema, utoipa::IntoParams)]
#[serde(default, rename_all = "kebab-case")]
#[into_params(parameter_in = Query)]
pub struct CapabilityQuery {
    /// An application that may get this charm: what was decided for it is taken into account.
    pub application: Option<String>,
}
