//! Bundles: what is missing of one in a model, doing it, and what the model has become since.
//!
//! | method and path | query | answer |
//! |---|---|---|
//! | `POST .../bundles` with [`DeployBundle`] | | [`BundlePlan`] |
//! | `GET .../bundles` | [`BundleQuery`] | `Page<BundleApply>` |
//! | `GET .../bundles/{apply}` | [`BundleWait`] | [`BundleApply`] |
//! | `GET .../bundle` | | [`BundleExport`] |
//! | `GET .../bundle/drift` | | [`BundleDrift`] |
//!
//! A bundle names charms and files beside it, which the controller does not see: whoever sends the bundle says which
//! bytes they are, by SHA-256, and has uploaded them before the bundle is applied.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use periapt_model::ApplicationName;
use periapt_model::bundle::{BundleDifference, StepKind};
use periapt_model::charm::CharmMetadata;
use periapt_model::config::Schema;
use serde::{Deserialize, Serialize};

/// A bundle for a model.
#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct DeployBundle {
    /// The bundle's file, YAML.
    pub bundle: String,
    /// Files that are laid over it, in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub overlays: Vec<String>,
    /// Answer what would be done, and do nothing. Without it, it is done: write access.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
    /// Trust the applications of which the bundle says so with the cloud's credential; an admin's word.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub trust: bool,
    /// Charms that the bundle names by a path, by that path or its last part. Others are charms of the model (`local:site-0`), or are
    /// taken by their names from the controller's charm repository, at the `channel` and `revision` that the bundle names.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub charms: BTreeMap<String, BundleCharm>,
    /// Files that the bundle names for resources, by application and resource.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(value_type = BTreeMap<String, BTreeMap<String, BundleFile>>)]
    pub resources: BTreeMap<ApplicationName, BTreeMap<String, BundleFile>>,
}

/// A charm beside a bundle.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct BundleCharm {
    /// SHA-256 of its archive.
    pub sha256: String,
    /// What it declares, so that one that was not uploaded can be planned with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub metadata: Option<CharmMetadata>,
    /// Its options, for the same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub config: Option<Schema>,
}

/// A file beside a bundle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct BundleFile {
    pub sha256: String,
    /// The id of its upload (`POST .../resources`); without one it can be planned with only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upload: Option<u64>,
}

/// What is missing of a bundle in a model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct BundlePlan {
    /// In the order in which they can be made; none where the model has all of it.
    pub changes: Vec<BundleChange>,
    /// What one has and the other has not, both ways.
    pub difference: BundleDifference,
    /// Keys of the files that mean nothing here, as `applications.site.bindings`.
    #[serde(default)]
    #[schema(required = true)]
    pub ignored: Vec<String>,
    /// Applications that it would trust with the cloud's credential, which takes `trust`.
    #[serde(default)]
    #[schema(required = true)]
    pub trusted: Vec<ApplicationName>,
    /// Files that the bundle names and of which the request says nothing. A dry run takes them for other files than
    /// those that are attached; without them nothing is carried out.
    #[serde(default)]
    #[schema(required = true)]
    pub missing: Vec<BundleMissing>,
    /// What carries the changes out; none of a dry run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub apply: Option<BundleApply>,
}

/// A file that a bundle names for a resource.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct BundleMissing {
    pub application: ApplicationName,
    pub resource: String,
    /// As the bundle has it, `./theme.css`.
    pub file: String,
}

/// One change of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct BundleChange {
    pub kind: StepKind,
    /// `deploy site with 2 units`.
    pub words: String,
    /// What it changes; none where it relates two.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub application: Option<ApplicationName>,
    /// The endpoints that it relates, the requirer first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub endpoints: Vec<String>,
    /// How many units it adds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub units: Option<u32>,
}

/// Whether an apply goes on, and how it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BundleApplyState {
    Running,
    /// All changes were made.
    Completed,
    /// A change was refused.
    Failed,
    /// The controller stopped before the end.
    Interrupted,
}

impl BundleApplyState {
    pub const fn as_str(self) -> &'static str {
        match self {
            BundleApplyState::Running => "running",
            BundleApplyState::Completed => "completed",
            BundleApplyState::Failed => "failed",
            BundleApplyState::Interrupted => "interrupted",
        }
    }

    pub const fn has_ended(self) -> bool {
        !matches!(self, BundleApplyState::Running)
    }
}

impl fmt::Display for BundleApplyState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A word that is no state.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("\"{0}\" is not a state of a deployment")]
pub struct NoApplyState(String);

impl FromStr for BundleApplyState {
    type Err = NoApplyState;

    fn from_str(text: &str) -> Result<Self, NoApplyState> {
        match text {
            "running" => Ok(BundleApplyState::Running),
            "completed" => Ok(BundleApplyState::Completed),
            "failed" => Ok(BundleApplyState::Failed),
            "interrupted" => Ok(BundleApplyState::Interrupted),
            other => Err(NoApplyState(other.to_owned())),
        }
    }
}

/// A bundle that is or was applied to a model. What was changed stays when it fails: applied again, the bundle goes on
/// from there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct BundleApply {
    pub id: u64,
    /// As the bundle calls itself; may be empty.
    #[serde(default)]
    #[schema(required = true)]
    pub name: String,
    /// Who asked.
    pub user: String,
    pub state: BundleApplyState,
    pub changes: Vec<BundleChange>,
    /// How many of the changes were made, from the first on.
    pub taken: u64,
    /// Why it stopped; empty where it did not.
    #[serde(default)]
    #[schema(required = true)]
    pub message: String,
    #[serde(with = "periapt_model::time::micros")]
    #[schema(value_type = String, format = DateTime)]
    pub started_at: i64,
    #[serde(
        default,
        with = "periapt_model::time::micros::option",
        skip_serializing_if = "Option::is_none"
    )]
    #[schema(value_type = Option<String>, format = DateTime)]
    pub ended_at: Option<i64>,
}

/// Query of the bundles that were applied to a model.
#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::ToSchema, utoipa::IntoParams)]
#[serde(default, rename_all = "kebab-case")]
#[into_params(parameter_in = Query)]
pub struct BundleQuery {
    /// 1 to 1000; 100 when left out.
    pub limit: Option<u64>,
    pub after: Option<String>,
}

/// Query of one of them.
#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::ToSchema, utoipa::IntoParams)]
#[serde(default, rename_all = "kebab-case")]
#[into_params(parameter_in = Query)]
pub struct BundleWait {
    /// Seconds, up to 600, to wait until it has ended or has made more changes than are known; answered at once when
    /// left out.
    pub wait: Option<u64>,
    /// So many changes are known to be made.
    pub taken: Option<u64>,
}

/// A model as a bundle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct BundleExport {
    /// The file, YAML. It names charms as the controller's charm repository does where they were taken from there, with
    /// channel and revision; others as the model does, `local:site-0`.
    pub bundle: String,
}

/// What became of a model since a bundle was applied to it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct BundleDrift {
    /// The newest; none where no bundle was applied.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub apply: Option<BundleApply>,
    /// What one of bundle and model has and the other has not.
    pub difference: BundleDifference,
}
