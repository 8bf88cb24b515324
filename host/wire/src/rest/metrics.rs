//! What charms measured of their units.
//!
//! | method and path | query | answer |
//! |---|---|---|
//! | `GET /v1/models/{model}/metrics` | `ListQuery` | `Page<MetricInfo>`, the newest of each, by unit, name and labels |
//! | `GET /v1/models/{model}/units/{name}/{number}/metrics` | `MetricHistoryQuery` | `Page<MetricHistory>` |

use periapt_model::charm::metrics::Labels;
use periapt_model::{ApplicationName, UnitName};
use serde::{Deserialize, Serialize};

/// The newest value of a metric.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct MetricInfo {
    /// `site/0:pings`, with labels `site/0:pings{path=/}`.
    pub name: String,
    pub unit: UnitName,
    pub application: ApplicationName,
    pub metric: String,
    pub labels: Labels,
    /// By the clock of the unit's agent.
    #[serde(with = "periapt_model::time::seconds")]
    #[schema(value_type = String, format = DateTime)]
    pub timestamp: i64,
    pub value: f64,
}

/// What a metric was, oldest first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct MetricHistory {
    pub metric: String,
    pub labels: Labels,
    pub values: Vec<MetricValue>,
}

/// One value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "kebab-case")]
pub struct MetricValue {
    #[serde(with = "periapt_model::time::seconds")]
    #[schema(value_type = String, format = DateTime)]
    pub timestamp: i64,
    pub value: f64,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::ToSchema, utoipa::IntoParams)]
#[serde(default, rename_all = "kebab-case")]
#[into_params(parameter_in = Query)]
pub struct MetricHistoryQuery {
    /// The last values of each metric, 20 when left out, at most 10,000.
    pub values: Option<u64>,
    /// Metrics on a page, 1 to 1000; 100 when left out.
    pub limit: Option<u64>,
    pub after: Option<String>,
}
