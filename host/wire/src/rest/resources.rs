//! Resources: files that an operator gives an application beside its charm.
//!
//! | method and path | query | answer |
//! |---|---|---|
//! | `GET .../applications/{name}/resources` | | `ApplicationResources` |
//! | `PUT .../applications/{name}/resources/{resource}` with the file | `ResourceUpload` | `AttachedResource` |
//! | `POST .../resources` with the file | `ResourceUpload` | `UploadedResource`, for `Deploy` and `Refresh` |
//!
//! What is uploaded for a deployment waits for a day, so that the first hook finds it.

use periapt_model::charm::ResourceKind;
use periapt_model::{ApplicationName, UnitName};
use serde::{Deserialize, Serialize};

/// Query of an upload.
#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::ToSchema, utoipa::IntoParams)]
#[serde(default, rename_all = "kebab-case")]
#[into_params(parameter_in = Query)]
pub struct ResourceUpload {
    /// SHA-256 of the body, 64 hexadecimal digits. What does not fit it is refused. The headers
    /// `Content-Digest` and `Digest` say the same.
    pub sha256: Option<String>,
}

/// A file that waits to be attached.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct UploadedResource {
    /// What a deployment names it by.
    pub id: u64,
    pub sha256: String,
    pub size: u64,
}

/// What units of an application are given.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct ApplicationResources {
    pub application: ApplicationName,
    /// As the charm declares them, by name.
    pub resources: Vec<ResourceInfo>,
}

/// A resource that a charm declares.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct ResourceInfo {
    pub name: String,
    #[serde(rename = "type")]
    pub kind: ResourceKind,
    #[serde(default)]
    #[schema(required = true)]
    pub description: String,
    /// What the charm finds it by, below `/resources/NAME`.
    pub file_name: String,
    /// What is there now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attached: Option<AttachedResource>,
    /// Which revision units have, as far as they asked for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub units: Vec<ResourceOfUnit>,
}

/// One revision of a resource.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct AttachedResource {
    /// From 1, of the application's.
    pub revision: u64,
    pub sha256: String,
    pub size: u64,
    pub uploaded_by: String,
    #[serde(with = "periapt_model::time::micros")]
    #[schema(value_type = String, format = DateTime)]
    pub uploaded_at: i64,
}

/// What a unit was given last.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct ResourceOfUnit {
    pub unit: UnitName,
    pub revision: u64,
}
