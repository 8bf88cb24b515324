//! Annotations: what people note of a model and of what is in it.
//!
//! | method and path | query | answer |
//! |---|---|---|
//! | `GET .../annotations` | `AnnotationQuery` | `Page<EntityAnnotations>` |
//! | `PATCH .../annotations` with [`SetAnnotations`] | | `EntityAnnotations` |
//!
//! An entity is named by its tag (`unit-site-0`, `model-UUID`) or its name (`site`, `site/0`, `0`).

use std::collections::BTreeMap;

use periapt_model::Tag;
use serde::{Deserialize, Serialize};

/// What is noted of one entity.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct EntityAnnotations {
    /// Its tag.
    #[schema(value_type = String)]
    pub entity: Tag,
    pub annotations: BTreeMap<String, String>,
}

/// Notes something, or forgets it; all or nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default, rename_all = "kebab-case")]
pub struct SetAnnotations {
    /// A model, an application, a unit or a machine; the model of the path when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entity: Option<String>,
    /// Texts by key; an empty text removes the key.
    pub set: BTreeMap<String, String>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::ToSchema, utoipa::IntoParams)]
#[serde(default, rename_all = "kebab-case")]
#[into_params(parameter_in = Query)]
pub struct AnnotationQuery {
    /// Only this one, whether or not anything is noted of it; all of which something is noted when left out.
    pub entity: Option<String>,
    /// Entities on a page, 1 to 1000; 100 when left out.
    pub limit: Option<u64>,
    pub after: Option<String>,
}
